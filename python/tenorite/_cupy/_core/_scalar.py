"""What programs take from CuPy's ``cupy._core._scalar``: names of types in kernels."""

from tenorite._cupy._core._kernel import ctype

__all__ = ["get_typename"]

get_typename = ctype
