"""What programs take from CuPy's ``cupy._core._gufuncs``."""

from tenorite._kernels.gufunc import GeneralizedUFunc
from tenorite._kernels.signatures import read_signature

__all__ = []

_GUFunc, _parse_gufunc_signature = GeneralizedUFunc, read_signature
