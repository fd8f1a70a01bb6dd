"""Indexing: elements along an axis, by masks, from several arrays, on diagonals, one after the
other."""

import itertools

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core
from tenorite._arguments import (
    ABSENT,
    also_named,
    as_array,
    as_array_of,
    beside,
    is_left_to_numpy,
    is_scalar,
    ndarray,
    with_methods,
)
from tenorite._numpy._documents import documented
from tenorite._numpy.repetition import copyto, resize

# --- Along an axis ---


def _along(arr, indices, axis):
    """The array, and the key of its elements at `indices` along an axis of it."""
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return arr.reshape(-1), (indices,)
    axis = normalize_axis_index(axis, arr.ndim)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    own = [_core.arange(n).reshape([-1 if j == k else 1 for j in range(arr.ndim)]) for k, n in enumerate(arr.shape)]
    own[axis] = indices
    return arr, tuple(own)


@also_named(a="arr")
@beside
@documented
def take_along_axis(arr, indices, axis=-1):
    """Elements at integer indices that differ from one 1-d slice along an axis to the next.

    indices broadcasts with arr but for the axis; the result has the indices' shape. axis None: arr
    flattened, indices of one dimension. IndexError, ValueError, AxisError.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.take_along_axis(cp.array([[1, 2], [3, 4]]), cp.array([[1], [0]]), axis=1)
    array([[2],
           [3]])
    """
    arr, indices = as_array(arr), as_array(indices)
    if arr.ndim == 1 and indices.ndim == 1 and axis in (0, -1, None) and indices.dtype.kind in "iu":
        return arr[indices]
    arr, key = _along(arr, indices, axis)
    return arr[key]


@beside
@documented
def put_along_axis(arr, indices, values, axis):
    """Writes values, which broadcast with indices, where take_along_axis would read. In place.

    Parameters
    ----------
    axis : int or None
        The axis; None: the flattened array.

    Returns
    -------
    None
        The array is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.array([[1, 2], [3, 4]])
    >>> cp.put_along_axis(a, cp.array([[1], [0]]), 9, axis=1)
    >>> a
    array([[1, 9],
           [9, 4]])
    """
    if axis is None:
        arr.put(as_array(indices), as_array(values))
        return
    arr, key = _along(as_array(arr), as_array(indices), axis)
    arr[key] = values


# --- By masks ---


def where(condition, x=ABSENT, y=ABSENT, /):
    """Elements of x where condition is true, else of y; the three broadcast together.

    x and y are arrays or scalars; the dtype is that of their promotion. With condition alone, the
    indexes of its true elements, as nonzero: a tuple. ValueError if only one of x and y is given.

    Parameters
    ----------
    condition : array_like of bool
        Which elements.
    x : ndarray or scalar, optional
        What stands where the condition is true.
    y : ndarray or scalar, optional
        What stands where the condition is false.

    Returns
    -------
    ndarray, or tuple of ndarrays
        A new array; with the condition alone an array of positions for each axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.where(cp.array([True, False]), 1, cp.array([10, 20]))
    array([ 1, 20])
    """
    if y is not ABSENT:
        if condition.__class__ is not ndarray or condition.dtype.char != "?":
            condition = as_array(condition).astype(bool, copy=False)
        return _core._where(condition, x, y)
    if x is not ABSENT:
        raise ValueError("either both or neither of x and y should be given")
    return as_array(condition).nonzero()


def _as_values(values, dtype):
    """Values to be written: Python's scalars as they are, arrays only if they cast safely."""
    if is_scalar(values):
        return _core.asarray(values, dtype=dtype)
    values = as_array(values)
    if not _core._can_cast(values.dtype, dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {dtype!r} according to the rule 'safe'")
    return values


@documented
def place(arr, mask, vals):
    """Writes vals, repeated as needed, one after the other to the elements where mask is true.

    In place. ValueError for no vals and for a mask of another size. Waits.

    Parameters
    ----------
    vals : ndarray
        The values; they are repeated.

    Returns
    -------
    None
        The array is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.array([1, 2, 3])
    >>> cp.place(a, a > 1, cp.array([7, 8]))
    >>> a
    array([1, 7, 8])
    """
    if not _core._put_masked(arr, mask, vals, False):
        _place_any(arr, mask, vals)


@beside
def _place_any(arr, mask, vals):
    if not isinstance(arr, ndarray):
        raise TypeError(f"argument 1 must be tenorite.ndarray, not {type(arr)}")
    mask = as_array_of(mask).astype(bool, copy=False)
    if isinstance(vals, (list, tuple)) and not len(vals):
        vals = _core.empty(0, arr.dtype)  # no floats, as an empty list otherwise is
    vals = vals if is_scalar(vals) else as_array_of(vals)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    vals = _as_values(vals, arr.dtype)
    (places,) = mask.ravel().nonzero()
    if places.size and not vals.size:
        raise ValueError("Cannot insert from an empty array!")
    if places.size:
        arr.put(places, vals.astype(arr.dtype, copy=False))


@documented
def putmask(a, mask, values):
    """Writes the k-th of values, repeated to the size of a, to each k-th element where mask is
    true.

    In place. TypeError for values that do not cast safely, ValueError for a mask of another size.

    Parameters
    ----------
    values : ndarray
        The values, one for each element; they are repeated.

    Returns
    -------
    None
        The array is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.array([1, 2, 3])
    >>> cp.putmask(a, a > 1, cp.array([7, 8, 9]))
    >>> a
    array([1, 8, 9])
    """
    if not _core._put_masked(a, mask, values, True):
        _putmask_any(a, mask, values)


@beside
def _putmask_any(a, mask, values):
    mask = as_array(mask).astype(bool, copy=False)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = _as_values(values, a.dtype)
    if values.size:
        values = values if values.shape == a.shape else resize(values, a.shape)
        copyto(a, values, where=mask.reshape(a.shape))


# --- From several arrays ---


@beside
@documented
def select(condlist, choicelist, default=0):
    """Elements of the first of choicelist whose condition, a bool array, is true there, else
    `default`.

    ValueError for lists of different lengths or none, TypeError for conditions that are not bool.

    Parameters
    ----------
    condlist : sequence of ndarrays of bool
        The conditions, the first true one counts.
    choicelist : sequence of ndarrays
        The arrays to choose from, one for each condition.
    default : scalar, optional
        What stands where no condition is true.

    Examples
    --------
    >>> import tenorite as cp
    >>> x = cp.array([1, 5, 9])
    >>> cp.select([x < 3, x < 7], [x, x * 10], 0)
    array([ 1, 50,  0])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    condlist = [as_array_of(one) for one in condlist]
    choicelist = [one if is_scalar(one) else as_array_of(one) for one in choicelist]
    for k, condition in enumerate(condlist):
        if condition.dtype.kind != "b":
            raise TypeError(f"invalid entry {k} in condlist: should be boolean ndarray")
    dtype = _core._result_type(*choicelist, default)
    result = default if not isinstance(default, ndarray) else default.astype(dtype, copy=False)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        result = where(condition, choice, result)
    return result.astype(dtype, copy=False)


@documented
def choose(a, choices, out=None, mode="raise"):
    """For each element k of an integer array, the element of choices[k] in its place.

    a and the choices broadcast together. mode for k beyond the choices: 'raise' (ValueError;
    waits), 'wrap' or 'clip'.

    Parameters
    ----------
    a : ndarray of ints
        Which of the choices.
    choices : sequence of ndarrays
        The arrays to choose from.

    Returns
    -------
    ndarray
        A new array, or `out`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.choose(cp.array([1, 0]), (cp.array([10, 20]), cp.array([30, 40])))
    array([30, 20])
    """
    if out is None and mode == "raise":
        result = _core._choose_few(a, choices, False)
        if result is not None:
            return result
    return _choose_any(a, choices, out, mode)


def _pick(a, choices, shape):
    """The elements of `choices`, of one dtype, that `a` names; all broadcast to `shape`."""
    if not any(one.ndim for one in choices):
        return _core.stack(choices)[a]
    few = _core._choose_few(a, choices, True)
    if few is not None:
        return few
    table = _core.stack([one if one.shape == shape else _core._broadcast_to(one, shape, False) for one in choices])
    a = a if a.shape == shape else _core._broadcast_to(a, shape, False)
    return table.reshape(len(choices), -1)[a.ravel(), _core.arange(a.size)].reshape(shape) if a.size else table[0]


@beside
def _choose_any(a, choices, out, mode):
    if is_left_to_numpy("choose", a):
        return a.choose(choices, out=out, mode=mode)
    a = as_array_of(a)
    if a.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to dtype('int64') according to the rule 'same_kind'")
    a = a.astype(int) if a.dtype.kind == "b" else a
    choices = [one if is_scalar(one) else as_array_of(one) for one in choices]
    dtype = _core._result_type(*choices)
    choices = [_core.asarray(one, dtype=dtype) for one in choices]
    shape = a.shape
    if any(one.shape != shape for one in choices):
        shape = numpy.broadcast_shapes(shape, *(one.shape for one in choices))
    if mode == "raise":
        if 0 not in shape:
            least, largest = _core._extent(a.ravel())
            if least < 0 or largest >= len(choices):
                raise ValueError("invalid entry in choice array")
    elif mode not in ("wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    else:
        a = a % len(choices) if mode == "wrap" else _core._clip(a, 0, len(choices) - 1)
    result = _pick(a, choices, shape)
    if out is None:
        return result
    out[...] = result
    return out


# --- Diagonals ---


@documented
def diagonal(a, offset=0, axis1=0, axis2=1):
    """A view of a diagonal of two axes, as the last axis; as in CuPy it can be written.

    Parameters
    ----------
    offset : int, optional
        Which diagonal: 0 the main one, above it if positive, below it if negative.
    axis1 : int, optional
        The first of the two axes.
    axis2 : int, optional
        The second of the two axes.

    Returns
    -------
    ndarray
        A view of the same memory.

    Raises
    ------
    AxisError
        For an axis that the array has not.
    ValueError
        For two equal axes, or less than two of them.

    Notes
    -----
    Differs from NumPy: its view is read-only.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.diagonal(cp.array([[1, 2], [3, 4]]))
    array([1, 4])
    """
    return with_methods("diagonal", a).diagonal(offset, axis1, axis2)


@beside
def fill_diagonal(a, val, wrap=False):
    """Writes val, a scalar or values that are repeated, to the main diagonal. In place.

    wrap: the diagonal of a tall matrix starts again after a row. ValueError for less than 2
    dimensions and for more with sizes that differ.

    Parameters
    ----------
    a : ndarray
        The array that is written.
    val : scalar or array_like
        The values.
    wrap : bool, optional
        Whether the diagonal of a tall matrix begins again.

    Returns
    -------
    None
        The array is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.zeros((2, 2))
    >>> cp.fill_diagonal(a, 5)
    >>> a
    array([[5., 0.],
           [0., 5.]])
    """
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    if a.ndim == 2 and not wrap and is_scalar(val) and a.flags.writeable:
        diagonal = a.diagonal()
        diagonal.flags.writeable = True
        diagonal[...] = val
        return
    wraps = wrap and a.ndim == 2
    step = a.shape[1] + 1
    starts = range(0, a.shape[0], step) if wraps else (0,)
    lengths = [min(a.shape[0] - first, *a.shape[1:]) for first in starts]
    values = None if not isinstance(val, ndarray) else resize(val, sum(lengths)) if val.size else val
    done = 0
    for first, length in zip(starts, lengths):
        diagonal = _core.ndarray((length,), a.dtype, a[first:].data, strides=(sum(a.strides),))
        diagonal[...] = val if values is None else values[done : done + length]
        done += length


# --- Iterating ---


@documented(returns=None)
def ndenumerate(arr):
    """Pairs of an index, a tuple, and the element there, an array of no dimensions, in C order.

    Examples
    --------
    >>> import tenorite as cp
    >>> list(cp.ndenumerate(cp.array([[1, 2], [3, 4]])))[0][0]
    (0, 0)
    """
    arr = as_array(arr)
    return ((index, arr[index]) for index in itertools.product(*map(range, arr.shape)))
