"""Modules of CuPy's ``cupy._creation`` that programs import."""
