"""What programs take from CuPy's ``cupy._core._gufuncs``."""

from tenorite._kernels.gufunc import GeneralizedUFunc
from tenorite._kernels.signatures import parse_signature

__all__ = []

_GUFunc, _parse_gufunc_signature = GeneralizedUFunc, parse_signature
