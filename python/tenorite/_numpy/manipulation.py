"""Functions that rearrange axes and elements: compositions of methods of ndarray."""

import itertools
import math
import operator

import numpy
from numpy import broadcast_shapes
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tenorite import _core
from tenorite._arguments import also_named, as_array, beside, ndarray

newaxis = None

__all__ = [
    "append", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays",
    "broadcast_shapes", "broadcast_to", "column_stack", "diagonal", "dsplit", "dstack", "expand_dims",
    "flip", "fliplr", "flipud", "hsplit", "matrix_transpose", "moveaxis", "ndim", "permute_dims",
    "ravel", "repeat", "reshape", "resize", "roll", "rollaxis", "rot90", "shape", "size", "split", "squeeze",
    "swapaxes", "tile", "transpose", "unstack", "vsplit",
]  # fmt: skip


# --- Looking ---


def shape(a):
    """The sizes of an array's axes as a tuple of ints; of a scalar ()."""
    return a.shape if isinstance(a, ndarray) else numpy.shape(a)


def ndim(a):
    """The number of axes of an array, 0 for a scalar."""
    return a.ndim if isinstance(a, ndarray) else numpy.ndim(a)


def size(a, axis=None):
    """The number of elements, or of those along an axis (an int or a tuple). AxisError."""
    if not isinstance(a, ndarray):
        return numpy.size(a, axis)
    if axis is None:
        return a.size
    return math.prod(a.shape[k] for k in normalize_axis_tuple(axis, a.ndim))


# --- Shapes ---


@also_named(newshape="shape")
def reshape(a, shape, order="C", *, copy=None):
    """The elements of an array in another shape of equal size; one size may be -1.

    A view where the strides allow it, else a copy (copy=True: always; copy=False: ValueError). order
    ('C', 'F', 'A') says in which order elements are read and placed. ValueError if sizes differ.
    """
    return as_array(a).reshape(shape, order=order, copy=copy)


def ravel(a, order="C"):
    """The elements in one dimension: a view where the strides allow it. order: 'C', 'F', 'A', 'K'."""
    return as_array(a).ravel(order)


def squeeze(a, axis=None):
    """A view without the axes of size 1: all, or those named. ValueError if one is larger."""
    return as_array(a).squeeze(axis)


def expand_dims(a, axis):
    """A view with new axes of size 1 at these places (an int or a tuple) of the result. AxisError."""
    a = as_array(a)
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    places = normalize_axis_tuple(axis, a.ndim + count)
    return a[tuple(None if k in places else slice(None) for k in range(a.ndim + count))]


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A read-only view of a diagonal of two axes, as the last axis. AxisError, ValueError."""
    return as_array(a).diagonal(offset, axis1, axis2)


def _at_least(arrays, widen):
    results = tuple(widen(as_array(a)) for a in arrays)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys):
    """Arrays as they are, scalars and 0-d arrays with shape (1,); a tuple of several."""
    return _at_least(arys, lambda a: a.reshape(1) if a.ndim == 0 else a)


def atleast_2d(*arys):
    """Views with at least two axes; new axes come first. A tuple of several."""
    return _at_least(
        arys, lambda a: a if a.ndim >= 2 else a.reshape(1, 1) if a.ndim == 0 else a[None, :]
    )


def atleast_3d(*arys):
    """Views with at least three axes: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1)."""

    def widen(a):
        if a.ndim == 0:
            return a.reshape(1, 1, 1)
        if a.ndim == 1:
            return a[None, :, None]
        return a[:, :, None] if a.ndim == 2 else a

    return _at_least(arys, widen)


def broadcast_to(array, shape, subok=False):
    """A read-only view of another shape, in which axes of size 1 are repeated without a copy.

    ValueError if the shapes do not fit.
    """
    return _core._broadcast_to(as_array(array), shape, subok)


@beside
def broadcast_arrays(*args, subok=False):
    """Views of the arrays in the one shape to which they broadcast together: a tuple.

    ValueError if the shapes do not fit.
    """
    arrays = [as_array(a) for a in args]
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else broadcast_to(a, shape, subok) for a in arrays)


@beside
def resize(a, new_shape):
    """A new array of the shape, filled with the elements of `a` in order C, repeated or cut off.

    Zeros if `a` is empty. ValueError for negative sizes.
    """
    new_shape = tuple(new_shape) if hasattr(new_shape, "__len__") else (operator.index(new_shape),)
    if any(n < 0 for n in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    flat, count = ravel(a), math.prod(new_shape)
    if flat.size == 0 or count == 0:
        return _core.zeros(new_shape, dtype=flat.dtype)
    repeated = tile(flat, -(-count // flat.size)) if count > flat.size else flat.copy()
    return repeated[:count].reshape(new_shape)


# --- The order of axes ---


def transpose(a, axes=None):
    """A view with the axes in the order `axes` (default: reversed). ValueError, AxisError."""
    return as_array(a).transpose(axes)


permute_dims = transpose


def matrix_transpose(x, /):
    """A view with the last two axes exchanged. ValueError for fewer than two."""
    return as_array(x).mT


def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged. AxisError."""
    return as_array(a).swapaxes(axis1, axis2)


def moveaxis(a, source, destination):
    """A view with axes moved to other places; the rest keep their order.

    source, destination: ints, or sequences of equal length. AxisError, ValueError.
    """
    a = as_array(a)
    source = normalize_axis_tuple(source, a.ndim, "source")
    destination = normalize_axis_tuple(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [k for k in range(a.ndim) if k not in source]
    for place, axis in sorted(zip(destination, source)):
        order.insert(place, axis)
    return a.transpose(order)


def rollaxis(a, axis, start=0):
    """A view with an axis moved to lie before the axis `start`. AxisError."""
    a = as_array(a)
    axis = normalize_axis_index(axis, a.ndim)
    if start < 0:
        start += a.ndim
    if not 0 <= start <= a.ndim:
        raise numpy.exceptions.AxisError(
            f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in"
        )
    return moveaxis(a, axis, start - 1 if axis < start else start)


# --- The order of elements ---


def flip(m, axis=None):
    """A view with the elements in reverse order along one axis, several, or all. AxisError."""
    m = as_array(m)
    if axis is not None and type(axis) is not int:
        axis = normalize_axis_tuple(axis, m.ndim)
    return _core._flip(m, axis)


def fliplr(m):
    """A view with the columns (axis 1) in reverse order. ValueError for less than 2 dimensions."""
    m = as_array(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def flipud(m):
    """A view with the rows (axis 0) in reverse order. ValueError for a 0-d array."""
    m = as_array(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


def rot90(m, k=1, axes=(0, 1)):
    """A view turned by k quarters in the plane of two axes, from the first towards the second."""
    m = as_array(m)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if any(not -m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    k %= 4
    if k == 0:
        return m[...]
    if k == 2:
        return flip(m, axes)
    if k == 1:
        return swapaxes(flip(m, axes[1]), *axes)
    return flip(swapaxes(m, *axes), axes[1])


def roll(a, shift, axis=None):
    """A copy with elements moved along axes by `shift` places; those beyond the end come first.

    shift and axis are ints or tuples that broadcast together; without axis the flattened array rolls.
    AxisError; ValueError for shapes of shift and axis.
    """
    a = as_array(a)
    if type(shift) is int and (axis is None or type(axis) is int):
        return _core._roll(a, shift, axis)
    return _roll_axes(a, shift, axis)


@beside
def _roll_axes(a, shift, axis):
    if axis is None:
        return _roll_axes(a.ravel(), shift, 0).reshape(a.shape)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    pairs = numpy.broadcast(shift, axes)
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    by_axis = {}
    for step, k in pairs:
        by_axis[int(k)] = by_axis.get(int(k), 0) + int(step)
    # Each axis is cut in two parts that change places.
    halves = [[(slice(None), slice(None))] for _ in range(a.ndim)]
    for k, step in by_axis.items():
        step %= a.shape[k] or 1
        if step:
            halves[k] = [
                (slice(None, -step), slice(step, None)),
                (slice(-step, None), slice(None, step)),
            ]
    result = _core.empty_like(a)
    for parts in itertools.product(*halves):
        result[tuple(to for _, to in parts)] = a[tuple(source for source, _ in parts)]
    return result


# --- Repeating ---


def repeat(a, repeats, axis=None):
    """A copy with each element, or each slice along an axis, repeated one after the other.

    repeats: an int, or as many ints as there are elements along the axis (without an axis: in the
    flattened array). AxisError; ValueError for negative numbers and a wrong count.
    """
    a = as_array(a)
    return _core._repeat(a, repeats, axis) if type(repeats) is int else _repeat_each(a, repeats, axis)


@beside
def _repeat_each(a, repeats, axis):
    repeats = repeats.get() if isinstance(repeats, ndarray) else repeats
    is_empty = isinstance(repeats, (list, tuple)) and len(repeats) == 0
    counts = numpy.asarray(repeats, int if is_empty else None)  # which may run any code, and comes first
    if counts.size == 1:
        return _core._repeat(a, counts.item(), axis)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normalize_axis_index(axis, a.ndim)
    if counts.size and counts.dtype.kind in "biu" and counts.sum(dtype=float) >= 2**60:
        raise ValueError(
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."
        )
    places = numpy.repeat(numpy.arange(a.shape[axis]), counts)
    return a.take(_core.asarray(places), axis=axis)


def tile(A, reps):
    """A copy with the whole array repeated `reps` times along each axis.

    reps: an int or a tuple; missing ones, and missing axes of the array, count as 1 and come first.
    """
    a = as_array(A)
    reps = tuple(reps) if isinstance(reps, (tuple, list)) else (reps,)
    ndim = max(a.ndim, len(reps))
    reps = (1,) * (ndim - len(reps)) + reps
    shape = (1,) * (ndim - a.ndim) + a.shape
    pairs = [size for pair in zip((1,) * ndim, shape) for size in pair]
    wide = [size for pair in zip(reps, shape) for size in pair]
    final = [times * size for times, size in zip(reps, shape)]
    return broadcast_to(a.reshape(pairs), wide, subok=True).reshape(final, copy=True)


# --- Joining and splitting ---


@beside
def append(arr, values, axis=None):
    """A copy of an array with values joined to its end along an axis (without: both flattened)."""
    arr, values = as_array(arr), as_array(values)
    if axis is None:
        arr, values, axis = arr.ravel(), values.ravel(), 0
    return _core.concatenate((arr, values), axis=axis)


def dstack(tup, dtype=None, casting="same_kind"):
    """Arrays of one shape, joined along the third axis. ValueError for sizes that differ."""
    parts = [atleast_3d(a) for a in tup]
    return _core.concatenate(parts, axis=2, dtype=dtype, casting=casting)


def column_stack(tup):
    """One-dimensional arrays as columns and others as they are, joined along axis 1."""
    parts = [as_array(a) for a in tup]
    return _core.concatenate([a if a.ndim >= 2 else a.reshape(-1, 1) for a in parts], axis=1)


def unstack(x, /, *, axis=0):
    """The slices along an axis as a tuple of views. ValueError for a 0-d array."""
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(x, axis, 0))


def array_split(ary, indices_or_sections, axis=0):
    """Views of consecutive parts along an axis: a list.

    indices_or_sections: the number of parts, of which the first are larger by one where the size does
    not divide, or the ascending places of the cuts. ValueError for no parts.
    """
    has_places = hasattr(indices_or_sections, "__len__")
    places = [int(k) for k in indices_or_sections] if has_places else []  # which may run any code, and comes first
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


def split(ary, indices_or_sections, axis=0):
    """As array_split, but ValueError if the size does not divide into that many parts."""
    ary = as_array(ary)
    if not hasattr(indices_or_sections, "__len__"):
        if ary.shape[normalize_axis_index(axis, ary.ndim)] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    """split along axis 0. ValueError for less than 2 dimensions."""
    if ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    """split along axis 1, or axis 0 of one dimension. ValueError for a 0-d array."""
    if ndim(ary) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def dsplit(ary, indices_or_sections):
    """split along axis 2. ValueError for less than 3 dimensions."""
    if ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)
