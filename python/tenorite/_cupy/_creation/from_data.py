"""Creation of arrays from data, under the name of CuPy's module."""

from tenorite import array, asanyarray, asarray, ascontiguousarray, asfortranarray, copy, fromfile, loadtxt  # noqa: F401
