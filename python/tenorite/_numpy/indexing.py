"""Reading and writing chosen elements: along an axis, by masks, from several arrays."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core
from tenorite._arguments import also_named, as_array, beside, is_scalar, ndarray
from tenorite._numpy.manipulation import resize
from tenorite._numpy.mathematics import copyto, where

__all__ = [
    "choose", "delete", "fill_diagonal", "insert", "ndenumerate", "piecewise", "place",
    "put_along_axis", "putmask", "select", "take_along_axis", "trim_zeros",
]  # fmt: skip


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
    own = [_core.arange(n).reshape([-1 if j == k else 1 for j in range(arr.ndim)])
           for k, n in enumerate(arr.shape)]  # fmt: skip
    own[axis] = indices
    return arr, tuple(own)


@also_named(a="arr")
@beside
def take_along_axis(arr, indices, axis=-1):
    """Elements at integer indices that differ from one 1-d slice along an axis to the next.

    indices broadcasts with arr but for the axis; the result has the indices' shape. axis None: arr
    flattened, indices of one dimension. IndexError, ValueError, AxisError.
    """
    arr, key = _along(as_array(arr), as_array(indices), axis)
    return arr[key]


@beside
def put_along_axis(arr, indices, values, axis):
    """Writes values, which broadcast with indices, where take_along_axis would read. In place."""
    if axis is None:
        arr.put(as_array(indices), as_array(values))
        return
    arr, key = _along(as_array(arr), as_array(indices), axis)
    arr[key] = values


# --- By masks ---


def _as_values(values, dtype):
    """Values to be written: Python's scalars as they are, arrays only if they cast safely."""
    if is_scalar(values):
        return _core.asarray(values, dtype=dtype)
    values = as_array(values)
    if not _core._can_cast(values.dtype, dtype, "safe"):
        raise TypeError(
            f"Cannot cast array data from {values.dtype!r} to {dtype!r} according to the rule 'safe'"
        )
    return values


@beside
def place(arr, mask, vals):
    """Writes vals, repeated as needed, one after the other to the elements where mask is true.

    In place. ValueError for no vals and for a mask of another size. Waits.
    """
    if not isinstance(arr, ndarray):
        raise TypeError(f"argument 1 must be tenorite.ndarray, not {type(arr)}")
    mask = as_array(mask).astype(bool, copy=False)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    vals = _as_values(vals, arr.dtype).ravel()
    mask = mask.reshape(arr.shape)
    count = int(mask.sum())
    if count and not vals.size:
        raise ValueError("Cannot insert from an empty array!")
    if count:
        arr[mask] = resize(vals, count).astype(arr.dtype, copy=False)


@beside
def putmask(a, mask, values):
    """Writes the k-th of values, repeated to the size of a, to each k-th element where mask is true.

    In place. TypeError for values that do not cast safely, ValueError for a mask of another size.
    """
    mask = as_array(mask).astype(bool, copy=False)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = _as_values(values, a.dtype)
    if values.size:
        copyto(a, resize(values, a.shape), where=mask.reshape(a.shape))


@beside
def select(condlist, choicelist, default=0):
    """Elements of the first of choicelist whose condition, a bool array, is true there, else `default`.

    ValueError for lists of different lengths or none, TypeError for conditions that are not bool.
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    for k, condition in enumerate(condlist):
        if as_array(condition).dtype.kind != "b":
            raise TypeError(f"invalid entry {k} in condlist: should be boolean ndarray")
    dtype = _core._result_type(*choicelist, default)
    result = default if not isinstance(default, ndarray) else default.astype(dtype, copy=False)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        result = where(condition, choice, result)
    return result.astype(dtype, copy=False)


@beside
def choose(a, choices, out=None, mode="raise"):
    """For each element k of an integer array, the element of choices[k] in its place.

    a and the choices broadcast together. mode for k beyond the choices: 'raise' (ValueError; waits),
    'wrap' or 'clip'.
    """
    a, dtype = as_array(a), _core._result_type(*choices)
    choices = [one.astype(dtype, copy=False) if isinstance(one, ndarray) else _core.asarray(one, dtype=dtype)
               for one in choices]  # fmt: skip
    shape = numpy.broadcast_shapes(a.shape, *(one.shape for one in choices))
    if mode == "raise":
        if a.size and not 0 <= int(a.min()) <= int(a.max()) < len(choices):
            raise ValueError("invalid entry in choice array")
    elif mode not in ("wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    else:
        a = a % len(choices) if mode == "wrap" else _core._clip(a, 0, len(choices) - 1)
    table = _core.stack([_core._broadcast_to(one, shape, False) for one in choices])
    result = take_along_axis(table, _core._broadcast_to(a, shape, False)[None], 0)[0]
    if out is None:
        return result
    out[...] = result
    return out


@beside
def piecewise(x, condlist, funclist, *args, **kw):
    """Where a condition is true, what its function makes of those elements (or its scalar), else 0.

    One function more than conditions: it is for the rest. ValueError for another number of functions.
    """
    x = as_array(x)
    if is_scalar(condlist) or x.ndim and is_scalar(condlist[0]):
        condlist = [_core.asarray(condlist)]
    elif isinstance(condlist, ndarray) and condlist.ndim == 1 and x.ndim:
        condlist = [condlist]
    conditions = [as_array(one).astype(bool, copy=False) for one in condlist]
    if len(funclist) == len(conditions) + 1:
        rest = ~conditions[0]
        for one in conditions[1:]:
            rest &= ~one
        conditions.append(rest)
    elif len(funclist) != len(conditions):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    result = _core.zeros_like(x)
    for condition, function in zip(conditions, funclist):
        if not callable(function):
            result[condition] = function
        elif (chosen := x[condition]).size:
            result[condition] = function(chosen, *args, **kw)
    return result


def ndenumerate(arr):
    """Pairs of an index, a tuple, and the element there, an array of no dimensions, in C order."""
    arr = as_array(arr)
    return ((index, arr[index]) for index in numpy.ndindex(*arr.shape))


# --- Diagonals, and parts left out or put in ---


@beside
def fill_diagonal(a, val, wrap=False):
    """Writes val, a scalar or values that are repeated, to the main diagonal. In place.

    wrap: the diagonal of a tall matrix starts again after a row. ValueError for less than 2 dimensions
    and for more with sizes that differ.
    """
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
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


def _whole(arr, axis):
    """The array and axis that a function of an optional axis works on: flattened without one. It is a view, which
    keeps its shape whatever becomes of the array while other arguments are converted."""
    arr = as_array(arr)[...]
    return (arr.ravel(), 0) if axis is None else (arr, normalize_axis_index(axis, arr.ndim))


def _as_index(obj):
    """What NumPy's indexing takes: our arrays in host memory. Waits for them."""
    return obj.get() if isinstance(obj, ndarray) else obj


@beside
def delete(arr, obj, axis=None):
    """A copy without the slices `obj` (an int, slice, ints, or a bool mask) along an axis.

    Without an axis of the flattened array. IndexError.
    """
    arr, axis = _whole(arr, axis)
    kept = numpy.ones(arr.shape[axis], bool)
    obj = _as_index(obj)
    if not isinstance(obj, slice):
        obj = numpy.asarray(obj)
        if obj.dtype.kind == "b" and obj.shape != kept.shape:
            raise ValueError(
                "boolean array argument `obj` to delete must be one-dimensional and match the axis "
                f"length of {kept.size}"
            )
        obj = obj.astype(numpy.intp) if obj.size == 0 else obj
    kept[obj] = False
    return arr.compress(_core.asarray(kept), axis=axis)


@beside
def insert(arr, obj, values, axis=None):
    """A copy with values put in along an axis before the index, or indices, `obj` of the original.

    obj: an int (all values go there), slice, ints or a bool mask. Without an axis of the flattened
    array. IndexError; ValueError for values that do not broadcast.
    """
    arr, axis = _whole(arr, axis)
    count = arr.shape[axis]
    values = as_array(values) if not isinstance(values, (list, tuple)) else _core.array(values)
    places = numpy.arange(count)[obj] if isinstance(obj, slice) else numpy.asarray(_as_index(obj))
    if places.ndim == 0:
        operator.index(places)  # TypeError
    if places.dtype.kind == "b":
        places = numpy.flatnonzero(places)
    if places.size == 0:
        places = places.astype(numpy.intp)
    elif places.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    beyond = places[(places < -count) | (places > count)]
    if beyond.size:
        raise IndexError(f"index {beyond[0]} is out of bounds for axis {axis} with size {count}")
    places = numpy.where(places < 0, places + count, places)
    lead = (slice(None),) * axis
    if places.size == 1 and places.ndim == 0:
        values = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
        values = values.swapaxes(0, axis) if values.ndim == arr.ndim and axis else values
        places = numpy.full(values.shape[axis], places)
    places = places.ravel()
    order = places.argsort(kind="stable")
    targets = numpy.empty_like(places)
    targets[order] = places[order] + numpy.arange(places.size)
    shape = arr.shape[:axis] + (count + places.size,) + arr.shape[axis + 1 :]
    old = numpy.ones(shape[axis], bool)
    old[targets] = False
    result = _core.empty(shape, dtype=arr.dtype)
    result[(*lead, _core.asarray(targets))] = values.astype(arr.dtype, copy=False)
    result[(*lead, _core.asarray(old))] = arr
    return result


def trim_zeros(filt, trim="fb", axis=None):
    """The array without leading ('f' in trim) and trailing ('b') slices that are all zero. Waits."""
    axes = None if axis is None else [operator.index(one) for one in numpy.atleast_1d(axis)]
    filt, trim = as_array(filt), trim.lower()
    axes = range(filt.ndim) if axes is None else axes
    places = filt.nonzero()
    key = [slice(None)] * filt.ndim
    for axis in axes:
        found = places[axis]
        first, last = (int(found.min()), int(found.max()) + 1) if found.size else (0, 0)
        key[axis] = slice(first if "f" in trim or not found.size else None,
                          last if "b" in trim or not found.size else None)  # fmt: skip
    return filt[tuple(key)]
