"""Joining and splitting arrays, and parts of them left out or put in."""

import itertools
import operator
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tenorite import _core
from tenorite._arguments import also_named, as_array, as_array_of, beside, is_scalar, ndarray
from tenorite._numpy._documents import documented
from tenorite._numpy.rearranging import moveaxis
from tenorite._numpy.shapes import atleast_3d, broadcast_to, ndim

# --- Joining ---


@documented
def row_stack(tup, *, dtype=None, casting="same_kind"):
    """`vstack` by a name that NumPy has given up, which is why it warns.

    Parameters
    ----------
    tup : sequence of ndarrays
        Arrays that agree in all axes but the first; vectors count as rows.
    dtype : dtype, optional
        The dtype of the result.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Which casts of the elements are allowed.

    Examples
    --------
    >>> import tenorite as cp, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     cp.row_stack((cp.array([1, 2]), cp.array([3, 4])))
    array([[1, 2],
           [3, 4]])
    """
    warnings.warn("row_stack is deprecated; use vstack", DeprecationWarning, stacklevel=2)
    return _core.vstack(tup, dtype=dtype, casting=casting)


def _depth(arrays, place=()):
    """How deep the lists are nested: everywhere the same, and none empty."""
    if not isinstance(arrays, list):
        if isinstance(arrays, tuple):
            raise TypeError(
                f"arrays{''.join(f'[{k}]' for k in place)} is a tuple. Only lists can be used to arrange "
                "blocks, and np.block does not allow implicit conversion from tuple to ndarray."
            )
        return 0
    depths = {_depth(one, (*place, k)) for k, one in enumerate(arrays)}
    if len(depths) > 1:
        raise ValueError("List depths are mismatched: all blocks must be nested equally deep")
    return depths.pop() + 1 if depths else 1


def _check_filled(arrays, place=()):
    """No list among those of lists is empty."""
    if isinstance(arrays, list):
        if not arrays:
            raise ValueError(f"List at arrays{''.join(f'[{k}]' for k in place)} cannot be empty")
        for k, one in enumerate(arrays):
            _check_filled(one, (*place, k))


@beside
@documented
def block(arrays):
    """One array of nested lists of blocks: the innermost are joined along the last axis, and so
    outwards.

    ValueError for empty lists, lists of different depths and sizes that do not fit; TypeError for
    tuples.

    Parameters
    ----------
    arrays : nested lists of ndarrays
        The blocks, row by row.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.block([[cp.array([1]), cp.array([2, 3])]])
    array([[1, 2, 3]])
    """
    depth = _depth(arrays)
    _check_filled(arrays)

    def leaves(part):
        return [leaf for one in part for leaf in leaves(one)] if isinstance(part, list) else [as_array(part)]

    ndim = max([depth, *(leaf.ndim for leaf in leaves(arrays))])

    def join(part, level):
        if not isinstance(part, list):
            part = as_array(part)
            return part.reshape((1,) * (ndim - part.ndim) + part.shape)
        return _core.concatenate([join(one, level - 1) for one in part], axis=-level)

    made = join(arrays, depth)
    return made if depth else made.copy()


@beside
@documented
def append(arr, values, axis=None):
    """A copy of an array with values joined to its end along an axis (without: both flattened).

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.append(cp.array([1, 2]), cp.array([3]))
    array([1, 2, 3])
    """
    arr, values = as_array_of(arr), as_array_of(values)
    if axis is None:
        arr, values, axis = arr.ravel(), values.ravel(), 0
    return _core.concatenate((arr, values), axis=axis)


def _sequence(tup):
    """The arrays; TypeError for a generator, which could be read once."""
    if not hasattr(tup, "__getitem__"):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return tup


@documented
def dstack(tup, dtype=None, casting="same_kind"):
    """Arrays of one shape, joined along the third axis. ValueError for sizes that differ.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.dstack((cp.array([1, 2]), cp.array([3, 4])))
    array([[[1, 3],
            [2, 4]]])
    """
    parts = [atleast_3d(a) for a in _sequence(tup)]
    return _core.concatenate(parts, axis=2, dtype=dtype, casting=casting)


@documented
def column_stack(tup):
    """One-dimensional arrays as columns and others as they are, joined along axis 1.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.column_stack((cp.array([1, 2]), cp.array([3, 4])))
    array([[1, 3],
           [2, 4]])
    """
    parts = [as_array(a) for a in _sequence(tup)]
    return _core.concatenate([a if a.ndim >= 2 else a.reshape(-1, 1) for a in parts], axis=1)


# --- Splitting ---


@documented
def unstack(x, /, *, axis=0):
    """The slices along an axis as a tuple of views. ValueError for a 0-d array.

    Returns
    -------
    tuple of ndarrays
        Views.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.unstack(cp.array([[1, 2], [3, 4]]))
    (array([1, 2]), array([3, 4]))
    """
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(x, axis, 0))


def _has_places(indices_or_sections):
    """Whether it is a sequence; an array without axes is a number."""
    return hasattr(indices_or_sections, "__len__") and getattr(indices_or_sections, "ndim", 1) > 0


@documented
def array_split(ary, indices_or_sections, axis=0):
    """Views of consecutive parts along an axis: a list.

    indices_or_sections: the number of parts, of which the first are larger by one where the size
    does not divide, or the ascending places of the cuts. ValueError for no parts.

    Returns
    -------
    list of ndarrays
        Views of the parts.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.array_split(cp.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    has_places = _has_places(indices_or_sections)
    # Conversion may run any code, so it comes first.
    places = [operator.index(k) for k in indices_or_sections] if has_places else []
    sections = 0 if has_places else int(indices_or_sections)
    ary = as_array(ary)
    axis = normalize_axis_index(axis, ary.ndim)
    total = ary.shape[axis]
    if has_places:
        cuts = [0, *places, total]
    else:
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extra = divmod(total, sections)
        sizes = [each + 1] * extra + [each] * (sections - extra)
        cuts = [0, *itertools.accumulate(sizes)]
    lead = (slice(None),) * axis
    return [ary[(*lead, slice(first, last))] for first, last in zip(cuts, cuts[1:])]


@documented
def split(ary, indices_or_sections, axis=0):
    """As array_split, but ValueError if the size does not divide into that many parts.

    Returns
    -------
    list of ndarrays
        Views of the parts.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.split(cp.arange(6), [2, 3])
    [array([0, 1]), array([2]), array([3, 4, 5])]
    """
    ary = as_array(ary)
    if not _has_places(indices_or_sections):
        if ary.shape[normalize_axis_index(axis, ary.ndim)] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@documented
def vsplit(ary, indices_or_sections):
    """split along axis 0. ValueError for less than 2 dimensions.

    Returns
    -------
    list of ndarrays
        Views of the parts.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.vsplit(cp.array([[1, 2], [3, 4]]), 2)
    [array([[1, 2]]), array([[3, 4]])]
    """
    if ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


@documented
def hsplit(ary, indices_or_sections):
    """split along axis 1, or axis 0 of one dimension. ValueError for a 0-d array.

    Returns
    -------
    list of ndarrays
        Views of the parts.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.hsplit(cp.array([[1, 2], [3, 4]]), 2)
    [array([[1],
           [3]]), array([[2],
           [4]])]
    """
    if ndim(ary) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@documented
def dsplit(ary, indices_or_sections):
    """split along axis 2. ValueError for less than 3 dimensions.

    Returns
    -------
    list of ndarrays
        Views of the parts.

    Examples
    --------
    >>> import tenorite as cp
    >>> [part.shape for part in cp.dsplit(cp.ones((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    if ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


# --- Parts left out or put in ---


def _whole(arr, axis):
    """The array and axis that a function of an optional axis works on: flattened without one. It is
    a view, which keeps its shape whatever becomes of the array while other arguments are
    converted."""
    arr = as_array(arr)[...]
    return (arr.ravel(), 0) if axis is None else (arr, normalize_axis_index(axis, arr.ndim))


def _as_index(obj):
    """What NumPy's indexing takes: our arrays in host memory. Waits for them."""
    return obj.get() if isinstance(obj, ndarray) else obj


def _is_few(places, least, largest):
    """Whether these are a few ints in a list, within bounds: pieces between them are cheap."""
    return (
        type(places) in (list, tuple)
        and 0 < len(places) <= 8
        and all(type(place) is int and least <= place <= largest for place in places)
    )


def _not_named(places, size):
    """A mask of the places in [0, size) that an array of one axis does not name: a mask, or on the
    host integers. None: it is another array."""
    if places.ndim != 1:
        return None
    if places.dtype.kind == "b":
        return ~places if places.size == size else None
    if places.dtype.kind not in "iu" or places.device.backend != "host":
        return None
    kept = _core.ones(size, bool)
    kept[places] = False
    return kept


@also_named(indices="obj")
@beside
@documented
def delete(arr, obj, axis=None):
    """A copy without the slices `obj` (an int, slice, ints, or a bool mask) along an axis.

    Without an axis of the flattened array. IndexError.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.delete(cp.array([1, 2, 3]), 1)
    array([1, 3])
    """
    arr, axis = _whole(arr, axis)
    if type(obj) is int and arr.ndim == 1 and -arr.size <= obj < arr.size:
        return _core.concatenate((arr[:obj], arr[obj + 1 or arr.size :]))
    if arr.ndim == 1 and _is_few(obj, -arr.size, arr.size - 1):
        ends = [-1, *sorted({place % arr.size for place in obj}), arr.size]
        return _core.concatenate([arr[before + 1 : end] for before, end in zip(ends, ends[1:])])
    if type(obj) is ndarray and _core._is_near(obj):
        kept = _not_named(obj, arr.shape[axis])
        if kept is not None:
            result = arr.compress(kept, axis=axis)
            return _core.asfortranarray(result) if arr.flags.fnc else result
    kept = numpy.ones(arr.shape[axis], bool)
    is_empty_list = not isinstance(obj, (ndarray, numpy.ndarray))
    obj = _as_index(obj)
    if not isinstance(obj, slice):
        obj = numpy.asarray(obj)
        if obj.dtype.kind == "b" and obj.shape != kept.shape:
            raise ValueError(
                "boolean array argument `obj` to delete must be one-dimensional and match the axis "
                f"length of {kept.size}"
            )
        obj = obj.astype(numpy.intp) if is_empty_list and obj.size == 0 else obj
    kept[obj] = False
    result = arr.compress(_core.asarray(kept), axis=axis)
    return _core.asfortranarray(result) if arr.flags.fnc else result


@beside
@documented
def insert(arr, obj, values, axis=None):
    """A copy with values put in along an axis before the index, or indices, `obj` of the original.

    obj: an int (all values go there), slice, ints or a bool mask. Without an axis of the flattened
    array. IndexError; ValueError for values that do not broadcast.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.insert(cp.array([1, 2, 3]), 1, 9)
    array([1, 9, 2, 3])
    """
    arr, axis = _whole(arr, axis)
    count = arr.shape[axis]
    if type(obj) is int and arr.ndim == 1 and is_scalar(values) and -count <= obj <= count:
        value = _core.asarray(values).astype(arr.dtype, copy=False).reshape(1)
        return _core.concatenate((arr[:obj], value, arr[obj:]))
    if arr.ndim == 1 and is_scalar(values) and _is_few(obj, -count, count):
        value = _core.asarray(values).astype(arr.dtype, copy=False).reshape(1)
        ends = [0, *sorted(place + count if place < 0 else place for place in obj), count]
        parts = [part for k in range(len(obj)) for part in (arr[ends[k] : ends[k + 1]], value)]
        return _core.concatenate([*parts, arr[ends[-2] :]])
    values = as_array(values) if not isinstance(values, (list, tuple)) else _core.array(values)
    places = numpy.arange(count)[obj] if isinstance(obj, slice) else numpy.asarray(_as_index(obj))
    if places.ndim == 0:
        operator.index(places)  # TypeError
    if places.dtype.kind == "b":
        places = numpy.flatnonzero(places)
    if places.size == 0 and not isinstance(obj, (ndarray, numpy.ndarray)):
        places = places.astype(numpy.intp)
    if places.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    if places.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    beyond = places[(places < -count) | (places > count)]
    if beyond.size:
        raise IndexError(f"index {beyond[0]} is out of bounds for axis {axis} with size {count}")
    places = numpy.where(places < 0, places + count, places)
    if places.size == 1:
        return _insert_at(arr, places, values, axis)
    lead = (slice(None),) * axis
    places = places.ravel()
    order = places.argsort(kind="stable")
    targets = numpy.empty_like(places)
    targets[order] = places[order] + numpy.arange(places.size)
    shape = arr.shape[:axis] + (count + places.size,) + arr.shape[axis + 1 :]
    old = numpy.ones(shape[axis], bool)
    old[targets] = False
    result = _core.empty(shape, dtype=arr.dtype, order="F" if arr.flags.fnc else "C")
    result[(*lead, _core.asarray(targets))] = values.astype(arr.dtype, copy=False)
    result[(*lead, _core.asarray(old))] = arr
    return result


def _insert_at(arr, place, values, axis):
    """All of `values` before one place; of a place that is an int their first axis is `axis`."""
    values = values.astype(arr.dtype, copy=False)
    values = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
    if place.ndim == 0 and axis:
        values = moveaxis(values, 0, axis)
    shape = (*arr.shape[:axis], values.shape[axis], *arr.shape[axis + 1 :])
    if values.shape != shape:
        values = broadcast_to(values, shape)
    lead, at = (slice(None),) * axis, int(place.item())
    return _core.concatenate((arr[(*lead, slice(at))], values, arr[(*lead, slice(at, None))]), axis)


@documented
def trim_zeros(filt, trim="fb", axis=None):
    """The array without leading ('f' in trim) and trailing ('b') slices that are all zero.
    Waits.

    Parameters
    ----------
    filt : ndarray
        One dimension.
    trim : {'fb', 'f', 'b'}, optional
        At the front, at the back, or at both.
    axis : int or sequence of ints, optional
        The axes; all of them if it is None.

    Returns
    -------
    ndarray
        A view of the same memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.trim_zeros(cp.array([0, 1, 2, 0]))
    array([1, 2])
    """
    axes = None if axis is None else [operator.index(one) for one in numpy.atleast_1d(axis)]
    filt, trim = as_array(filt), trim.lower()
    if trim not in ("f", "b", "fb", "bf"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(filt.ndim) if axes is None else normalize_axis_tuple(axes, filt.ndim)
    if filt.ndim == 0:
        return filt
    places = filt.nonzero()
    key = [slice(None)] * filt.ndim
    for axis in axes:
        found = places[axis]
        first, last = (int(found.min()), int(found.max()) + 1) if found.size else (0, 0)
        key[axis] = slice(
            first if "f" in trim or not found.size else None, last if "b" in trim or not found.size else None
        )
    return filt[tuple(key)]
