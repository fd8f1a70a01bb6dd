"""Kernels that programs write."""
