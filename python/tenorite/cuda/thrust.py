"""CuPy's interface to Thrust. Sorts here need no Thrust: `available` is False, and these functions
of addresses, which programs may call all the same, are the library's own on both backends."""

import math

import numpy

import tenorite
from tenorite import _core
from tenorite.cuda.memory import MemoryPointer, UnownedMemory

__all__ = ["argsort", "available", "get_build_version", "lexsort", "sort"]

available = False


def _at(address, shape, dtype):
    dtype = numpy.dtype(dtype)
    memory = UnownedMemory(address, math.prod(shape) * dtype.itemsize, None)
    return _core.ndarray(tuple(shape), dtype, MemoryPointer(memory, 0))


def get_build_version():
    """The version of Thrust, -1: none is used.

    Returns
    -------
    int
        The version.

    Examples
    --------
    >>> tenorite.cuda.thrust.get_build_version()
    -1
    """
    return -1


def sort(dtype, data_start, keys_start, shape):
    """Sorts the last axis of memory in its own place.

    Parameters
    ----------
    dtype : dtype
        Of the elements.
    data_start : int
        The address of the elements.
    keys_start : int
        The address of memory for Thrust, which is not used.
    shape : sequence of ints
        The shape.

    Returns
    -------
    None
        The memory is sorted.

    Raises
    ------
    ValueError
        If the shape has a negative length.

    Examples
    --------
    >>> x = tenorite.asarray([3, 1, 2])
    >>> tenorite.cuda.thrust.sort(x.dtype, x.data.ptr, 0, x.shape)
    >>> x
    array([1, 2, 3])
    """
    _at(data_start, shape, dtype).sort(-1)


def argsort(dtype, idx_start, data_start, keys_start, shape):
    """The places of the sorted elements of the last axis; the elements are sorted, too.

    Parameters
    ----------
    dtype : dtype
        Of the elements.
    idx_start : int
        The address of the places, of type intp.
    data_start : int
        The address of the elements.
    keys_start : int
        The address of memory for Thrust, which is not used.
    shape : sequence of ints
        The shape.

    Returns
    -------
    None
        The places are written.

    Raises
    ------
    ValueError
        If the shape has a negative length.

    Examples
    --------
    >>> x, places = tenorite.asarray([3, 1, 2]), tenorite.zeros(3, "p")
    >>> tenorite.cuda.thrust.argsort(x.dtype, places.data.ptr, x.data.ptr, 0, x.shape)
    >>> places
    array([1, 2, 0])
    """
    data = _at(data_start, shape, dtype)
    _at(idx_start, shape, numpy.intp)[...] = data.argsort(-1, kind="stable")
    data.sort(-1)


def lexsort(dtype, idx_start, keys_start, k, n):
    """The places of columns that are sorted by the last row, then by the one before, and so on.

    Parameters
    ----------
    dtype : dtype
        Of the keys.
    idx_start : int
        The address of the places, of type intp.
    keys_start : int
        The address of the keys, `k` rows of `n`.
    k, n : int
        The shape of the keys.

    Returns
    -------
    None
        The places are written.

    Examples
    --------
    >>> keys, places = tenorite.asarray([[1, 0, 2], [5, 5, 3]]), tenorite.zeros(3, "p")
    >>> tenorite.cuda.thrust.lexsort(keys.dtype, places.data.ptr, keys.data.ptr, 2, 3)
    >>> places
    array([2, 1, 0])
    """
    _at(idx_start, (n,), numpy.intp)[...] = tenorite.lexsort(_at(keys_start, (k, n), dtype))
