"""What programs take from CuPy's ``cupy._core.core``."""

import tenorite
from tenorite import _core
from tenorite._core._kernel import create_ufunc
from tenorite._core._reduction import create_reduction_func

__all__ = ["array", "ascontiguousarray", "asfortranarray", "create_reduction_func", "create_ufunc", "elementwise_copy",
           "ndarray", "ufunc"]  # fmt: skip

ndarray, ufunc = _core.ndarray, _core.ufunc
array, ascontiguousarray, asfortranarray = tenorite.array, tenorite.ascontiguousarray, tenorite.asfortranarray
_internal_ascontiguousarray, _internal_asfortranarray = ascontiguousarray, asfortranarray


def _get_warpsize():
    """The threads of a warp, which all GPUs and the host have."""
    return 32


def elementwise_copy(source, destination=None):
    """Copies an array, into another if it is given."""
    if destination is None:
        return source.copy()
    destination[...] = source
    return destination
