"""What programs take from CuPy's ``cupy._core.core``."""

import tenorite
from tenorite import _core
from tenorite._cupy._core._kernel import create_ufunc
from tenorite._cupy._core._reduction import create_reduction_func
from tenorite.cuda.compiler import compile_with_cache

__all__ = [
    "array",
    "array_split",
    "ascontiguousarray",
    "asfortranarray",
    "broadcast",
    "broadcast_to",
    "choose",
    "compile_with_cache",
    "concatenate_method",
    "create_reduction_func",
    "create_ufunc",
    "elementwise_copy",
    "moveaxis",
    "ndarray",
    "rollaxis",
    "ufunc",
]

ndarray, ufunc = _core.ndarray, _core.ufunc
_ndarray_base = ndarray
array_split, broadcast, broadcast_to, choose = (
    tenorite.array_split,
    tenorite.broadcast,
    tenorite.broadcast_to,
    tenorite.choose,
)
moveaxis, rollaxis, concatenate_method = tenorite.moveaxis, tenorite.rollaxis, tenorite.concatenate
array, ascontiguousarray, asfortranarray = tenorite.array, tenorite.ascontiguousarray, tenorite.asfortranarray
_internal_ascontiguousarray, _internal_asfortranarray = ascontiguousarray, asfortranarray


def _get_warpsize():
    """The threads of a warp, which all GPUs and the host have."""
    return 32


def _full_mask():
    """The mask of all threads of a warp."""
    return 0xFFFFFFFF


def elementwise_copy(source, destination=None):
    """Copies an array, into another if it is given."""
    if destination is None:
        return source.copy()
    destination[...] = source
    return destination
