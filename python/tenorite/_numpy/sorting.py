"""Sorting by several keys, of complex numbers, and the largest of many."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core
from tenorite._arguments import as_array, beside, ndarray
from tenorite._numpy._documents import documented
from tenorite._numpy.indexing import take_along_axis


def _take_along(array, positions, axis):
    """Elements at positions that differ from one 1-d slice along an axis to the next."""
    return array.take(positions) if array.ndim == 1 else take_along_axis(array, positions, axis)


@documented
def lexsort(keys, axis=-1):
    """The positions along an axis that sort by several keys, the last of them first.

    keys: a sequence of arrays of one shape, or an array whose first axis counts them. Positions of
    equal elements ascend. TypeError for no keys, ValueError for keys of several shapes, AxisError.

    Parameters
    ----------
    keys : ndarray or sequence of ndarrays
        The keys; the last one counts most.

    Returns
    -------
    ndarray of int64
        The positions in order.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.lexsort(cp.array([[1, 0, 2], [5, 5, 4]]))
    array([2, 1, 0])
    """
    order = None
    if type(axis) is int and axis in (-1, 0):
        order = _core._lexsort(tuple(keys) if type(keys) is ndarray and keys.ndim == 2 else keys)
    return _lexsort_any(keys, axis) if order is None else order


@beside
def _lexsort_any(keys, axis):
    keys = [as_array(key) for key in keys] if isinstance(keys, (list, tuple)) else as_array(keys)
    if not isinstance(keys, list) and keys.ndim == 0 or len(keys) == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    shapes = {key.shape for key in keys}
    if len(shapes) > 1:
        raise ValueError("all keys need to be the same shape")
    (shape,) = shapes
    axis, order = normalize_axis_index(operator.index(axis), len(shape) or 1), None
    if not shape:
        return _core.asarray(0)
    for key in keys:
        if order is None:
            order = key.argsort(axis)
        elif len(shape) == 1:
            order = order[key[order].argsort()]
        else:
            order = _take_along(order, _take_along(key, order, axis).argsort(axis), axis)
    return order


@documented
def msort(a):
    """A copy sorted along the first axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.msort(cp.array([3, 1, 2]))
    array([1, 2, 3])
    """
    return _core.sort(a, axis=0)


@beside
@documented
def sort_complex(a):
    """A complex copy sorted along the last axis by the real part, then by the imaginary part.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.sort_complex(cp.array([2 + 1j, 1 + 2j]))
    array([1.+2.j, 2.+1.j])
    """
    sorted_ = _core.sort(a)
    if sorted_.dtype.kind == "c":
        return sorted_
    return sorted_.astype(numpy.complex64 if sorted_.dtype.char in "bhBH" else numpy.complex128)


@beside
@documented
def top_k(x, k, /, *, axis=-1, largest=True):
    """The k largest elements (or smallest) along an axis in order, and their positions.

    NaN is the largest value; of equal elements the first come first. Only what has to be in order
    is sorted. axis None: of the flattened array. ValueError for k beyond the axis, AxisError.

    Parameters
    ----------
    k : int
        How many.
    largest : bool, optional
        Whether the largest elements are wanted, else the smallest.

    Returns
    -------
    tuple of two ndarrays
        The elements and their positions.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.top_k(cp.array([3, 1, 2]), 2)
    (array([3, 2]), array([0, 2]))
    """
    x, k = as_array(x), operator.index(k)
    if axis is None:
        x, axis = x.ravel(), 0
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(f"k={k} is out of bounds for axis {axis} with size {x.shape[axis]}")
    order = _core._argsort_first(x, k, axis, largest)
    first = order[(slice(None),) * axis + (slice(k),)]
    return _take_along(x, first, axis), _core.ascontiguousarray(first)
