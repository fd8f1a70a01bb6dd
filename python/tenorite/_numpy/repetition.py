"""Repetition of elements and arrays, and copying into an array."""

import math
import operator

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, is_left_to_numpy, is_scalar, ndarray, on_host

# --- Repetition ---


def repeat(a, repeats, axis=None):
    """A copy with each element, or each slice along an axis, repeated one after the other.

    repeats: an int, or as many ints as there are elements along the axis (without an axis: in the
    flattened array). AxisError; ValueError for negative numbers and a wrong count.

    Parameters
    ----------
    a : ndarray
        The elements.
    repeats : int or sequence of ints
        How often each element comes.
    axis : int, optional
        The axis that the function works along.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.repeat(cp.array([1, 2]), 2)
    array([1, 1, 2, 2])
    """
    return numpy.repeat(a, repeats, axis) if is_left_to_numpy("repeat", a) else _core._repeat(a, repeats, axis)


def tile(A, reps):
    """A copy with the whole array repeated `reps` times along each axis.

    reps: an int or a tuple; missing ones, and missing axes of the array, count as 1 and come first.

    Parameters
    ----------
    A : ndarray
        The elements.
    reps : int or tuple of ints
        How often the array comes along each axis.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.tile(cp.array([1, 2]), 2)
    array([1, 2, 1, 2])
    """
    a = as_array_of(A)
    reps = on_host(reps)
    reps = tuple(reps) if isinstance(reps, (tuple, list)) else tuple(numpy.atleast_1d(reps).tolist())
    shape = a.shape
    if len(shape) < len(reps):
        shape = (1,) * (len(reps) - len(shape)) + shape
    else:
        reps = (1,) * (len(shape) - len(reps)) + reps
    # An axis of one element, broadcast, stands before each axis that is repeated.
    narrow, wide, final = [], [], []
    for times, size in zip(reps, shape):
        narrow += 1, size
        wide += times, size
        final.append(times * size)
    if a.nbytes > _CACHED_BYTES and a.ndim == 1 and wide[0] > 1 and a.device.backend == "cuda":
        return _tile_pieces(a, wide[0])
    return _core._broadcast_to(a.reshape(narrow), wide, True).reshape(final, copy=True)


_CACHED_BYTES = 1 << 24  # of an array that a GPU's cache keeps while it is written several times


def _tile_pieces(a, times):
    """A long line, piece by piece, so that each is read from memory once."""
    result = _core.empty(times * a.size, dtype=a.dtype)
    rows, piece = result.reshape(times, a.size), _CACHED_BYTES // a.itemsize
    for first in range(0, a.size, piece):
        rows[:, first : first + piece] = a[first : first + piece]
    return result


@beside
def resize(a, new_shape):
    """A new array of the shape, filled with the elements of `a` in order C, repeated or cut off.

    Zeros if `a` is empty. ValueError for negative sizes.

    Parameters
    ----------
    a : ndarray
        The elements.
    new_shape : int or tuple of ints
        The sizes of the axes; the elements are repeated as needed.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.resize(cp.array([1, 2]), (2, 3))
    array([[1, 2, 1],
           [2, 1, 2]])
    """
    new_shape = tuple(new_shape) if hasattr(new_shape, "__len__") else (operator.index(new_shape),)
    if any(n < 0 for n in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    flat, count = as_array_of(a).ravel(), math.prod(new_shape)
    if flat.size == 0 or count == 0:
        return _core.zeros(new_shape, dtype=flat.dtype)
    times = -(-count // flat.size)
    if 1 < times <= 16:
        return _core.concatenate((flat,) * times)[:count].reshape(new_shape)
    repeated = tile(flat, times) if times > 1 else flat.copy()
    return repeated[:count].reshape(new_shape)


# --- Copying ---


def copyto(dst, src, casting="same_kind", where=True):
    """Copies src, an array or a scalar that broadcasts to dst, into dst where `where` is true.

    TypeError if casting does not allow it; ValueError for shapes and a read-only dst.

    Parameters
    ----------
    dst : ndarray
        The array that is written.
    src : ndarray or scalar
        What is copied; it broadcasts.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Which conversions are allowed.
    where : ndarray of bool, optional
        Which elements count; it broadcasts with the array.

    Returns
    -------
    None
        `dst` is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.zeros(3)
    >>> cp.copyto(a, cp.array([1., 2., 3.]))
    >>> a
    array([1., 2., 3.])
    """
    if not isinstance(dst, ndarray):
        raise TypeError(f"copyto() argument 1 must be a tenorite.ndarray, not {type(dst)}")
    if isinstance(src, numpy.ndarray) and src.size == 1:
        src = _core.asarray(src)  # one element of the host is as good as a number
    if where is True:
        _core._copyto(dst, src, casting)
    else:
        _copy_where(dst, src, casting, where)


@beside
def _copy_where(dst, src, casting, where):
    if is_scalar(src):
        src = _core.asarray(src, dtype=_core._result_type(dst, src))
    if not isinstance(src, ndarray):
        _core._refuse(src, "copyto", "src")
    more = src.ndim - dst.ndim
    if more > 0 and src.shape[:more] == (1,) * more:
        src = src.reshape(src.shape[more:])
    if isinstance(where, (ndarray, numpy.ndarray)) and where.dtype.kind != "b":
        raise TypeError(f"Cannot cast array data from {where.dtype!r} to dtype('bool') according to the rule 'safe'")
    chosen = where if isinstance(where, ndarray) else _core.asarray(where, dtype=bool)
    _core._where(chosen, src.astype(dst.dtype, casting=casting, copy=False), dst, out=dst)
