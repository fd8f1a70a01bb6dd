"""Modules of CuPy's ``cupy._indexing`` that programs import."""
