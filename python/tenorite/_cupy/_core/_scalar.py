"""What programs take from CuPy's ``cupy._core._scalar``: names of types in kernels."""

from tenorite._kernels.parameters import type_name

__all__ = ["get_typename"]

get_typename = type_name
