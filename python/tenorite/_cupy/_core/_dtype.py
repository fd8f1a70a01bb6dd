"""What programs take from CuPy's ``cupy._core._dtype``: dtypes by name, and the numbers that
CUDA's libraries have for them."""

import numpy

from tenorite.cuda import runtime

__all__ = ["get_dtype", "to_cuda_dtype"]

_CUDA = {"e": "16F", "f": "32F", "d": "64F", "F": "32F", "D": "64F"}


def get_dtype(given):
    """The dtype that an object names."""
    return numpy.dtype(given)


def to_cuda_dtype(dtype, is_half_allowed=False):
    """The number of ``cudaDataType`` for a dtype."""
    dtype = numpy.dtype(dtype)
    if dtype.char not in _CUDA or (dtype.char == "e" and not is_half_allowed):
        raise TypeError(f"dtype is not supported: {dtype}")
    return getattr(runtime, f"CUDA_{'C' if dtype.kind == 'c' else 'R'}_{_CUDA[dtype.char]}")
