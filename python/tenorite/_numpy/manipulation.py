"""Array manipulation: shapes, axes, broadcasting, the order of elements, repetition, copying."""

import itertools
import math
import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tenorite import _core
from tenorite._arguments import also_named, as_array, as_array_of, beside, first_array, is_scalar, ndarray


# --- Looking ---


def _of_lists(a):
    """The array that a list with arrays in it makes, which NumPy can't look at; else `a`."""
    return _core.asarray(a) if isinstance(a, (list, tuple)) and first_array(a) is not None else a


def shape(a):
    """The sizes of an array's axes as a tuple of ints; of a scalar ().

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    tuple of ints
        The sizes of the axes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.shape(cp.array([[1, 2], [3, 4]]))
    (2, 2)
    """
    a = _of_lists(a)
    return a.shape if isinstance(a, ndarray) else numpy.shape(a)


def ndim(a):
    """The number of axes of an array, 0 for a scalar.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    int
        The number of axes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.ndim(cp.array([[1, 2], [3, 4]]))
    2
    """
    a = _of_lists(a)
    return a.ndim if isinstance(a, ndarray) else numpy.ndim(a)


def size(a, axis=None):
    """The number of elements, or of those along an axis (an int or a tuple). AxisError.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis that the function works along.

    Returns
    -------
    int
        The number of elements, or the size of an axis.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.size(cp.array([[1, 2], [3, 4]]))
    4
    """
    a = _of_lists(a)
    if not isinstance(a, ndarray):
        return numpy.size(a, axis)
    if axis is None:
        return a.size
    return math.prod(a.shape[k] for k in normalize_axis_tuple(axis, a.ndim))


# --- Shapes ---


@also_named(newshape="shape")
def reshape(a, shape, order="C", *, copy=None):
    """The elements of an array in another shape of equal size; one size may be -1.

    A view where the strides allow it, else a copy (copy=True: always; copy=False: ValueError).
    order ('C', 'F', 'A') says in which order elements are read and placed. ValueError if sizes
    differ.

    Parameters
    ----------
    a : ndarray
        The elements.
    shape : int or tuple of ints
        The new sizes; one may be -1.
    order : {'C', 'F', 'A', 'K'}, optional
        The order of the elements: rows first, columns first, as in the array.
    copy : bool, optional
        True: always a copy; None: only where one is needed; False: ValueError where one is needed.

    Returns
    -------
    ndarray
        A view where the strides allow it, else a copy.

    Raises
    ------
    ValueError
        For a shape of another number of elements.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.reshape(cp.arange(4), (2, 2))
    array([[0, 1],
           [2, 3]])
    """
    return as_array(a).reshape(shape, order=order, copy=copy)


def ravel(a, order="C"):
    """The elements in one dimension: a view where the strides allow it. order: 'C', 'F', 'A',
    'K'.

    Parameters
    ----------
    a : ndarray
        The elements.
    order : {'C', 'F', 'A', 'K'}, optional
        The order of the elements: rows first, columns first, as in the array.

    Returns
    -------
    ndarray
        A view where the strides allow it, else a copy.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.ravel(cp.array([[1, 2], [3, 4]]))
    array([1, 2, 3, 4])
    """
    return as_array(a).ravel(order)


def squeeze(a, axis=None):
    """A view without the axes of size 1: all, or those named. ValueError if one is larger.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of ints, optional
        The axes to drop; all of size 1 if it is None.

    Returns
    -------
    ndarray
        A view of the same memory.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.squeeze(cp.ones((1, 3))).shape
    (3,)
    """
    return as_array(a).squeeze(axis)


def expand_dims(a, axis):
    """A view with new axes of size 1 at these places (an int or a tuple) of the result.
    AxisError.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of ints
        Where the new axes stand in the result.

    Returns
    -------
    ndarray
        A view of the same memory.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.expand_dims(cp.array([1, 2]), 0).shape
    (1, 2)
    """
    a = as_array(a)
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    places = normalize_axis_tuple(axis, a.ndim + count)
    return a[tuple(None if k in places else slice(None) for k in range(a.ndim + count))]


def _at_least(arrays, widen):
    results = tuple(widen(as_array(a)) for a in arrays)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys):
    """Arrays as they are, scalars and 0-d arrays with shape (1,); a tuple of several.

    Parameters
    ----------
    *arys : ndarray or scalar
        The arrays.

    Returns
    -------
    ndarray or tuple of ndarrays
        Views with at least one axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.atleast_1d(cp.array(5)).shape
    (1,)
    """
    return _at_least(arys, lambda a: a.reshape(1) if a.ndim == 0 else a)


def atleast_2d(*arys):
    """Views with at least two axes; new axes come first. A tuple of several.

    Parameters
    ----------
    *arys : ndarray or scalar
        The arrays.

    Returns
    -------
    ndarray or tuple of ndarrays
        Views with at least two axes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.atleast_2d(cp.array(5)).shape
    (1, 1)
    """
    return _at_least(
        arys, lambda a: a if a.ndim >= 2 else a.reshape(1, 1) if a.ndim == 0 else a[None, :]
    )


def atleast_3d(*arys):
    """Views with at least three axes: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1).

    Parameters
    ----------
    *arys : ndarray or scalar
        The arrays.

    Returns
    -------
    ndarray or tuple of ndarrays
        Views with at least three axes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.atleast_3d(cp.array(5)).shape
    (1, 1, 1)
    """

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

    Parameters
    ----------
    array : ndarray
        The elements.
    shape : int or tuple of ints
        The sizes of the axes.
    subok : bool, optional
        Whether subclasses of ndarray pass through.

    Returns
    -------
    ndarray
        A view that can't be written.

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.broadcast_to(cp.array([1, 2]), (2, 2))
    array([[1, 2],
           [1, 2]])
    """
    return _core._broadcast_to(as_array(array), shape, subok)


@beside
def broadcast_arrays(*args, subok=False):
    """Views of the arrays in the one shape to which they broadcast together: a tuple.

    ValueError if the shapes do not fit.

    Parameters
    ----------
    *args : ndarray
        The arrays.
    subok : bool, optional
        Whether subclasses of ndarray pass through.

    Returns
    -------
    tuple of ndarrays
        Views.

    Examples
    --------
    >>> import tenorite as cp
    >>> [a.shape for a in cp.broadcast_arrays(cp.ones((3, 1)), cp.ones(2))]
    [(3, 2), (3, 2)]
    """
    arrays = [as_array(a) for a in args]
    shape = numpy.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else broadcast_to(a, shape, subok) for a in arrays)


class broadcast:
    """Arrays and scalars in their common shape: ``shape``, ``size``, ``nd``, and ``values``, the
    views.

    Parameters
    ----------
    *arrays : ndarray
        The arrays.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.broadcast(cp.ones((3, 1)), cp.ones(2)).shape
    (3, 2)
    """

    @beside
    def __init__(self, *arrays):
        parts = [as_array(one) for one in arrays]
        self.shape = numpy.broadcast_shapes(*(part.shape for part in parts))
        self.nd = self.ndim = len(self.shape)
        self.size = int(numpy.prod(self.shape, dtype=object))
        self.numiter = len(parts)
        self.values = tuple(part if part.shape == self.shape else broadcast_to(part, self.shape) for part in parts)

    def __repr__(self):
        return f"<broadcast of {self.numiter} arrays to {self.shape}>"


# --- The order of axes ---


def transpose(a, axes=None):
    """A view with the axes in the order `axes` (default: reversed).

    Parameters
    ----------
    a : ndarray
        The elements.
    axes : tuple of ints, optional
        The axes, in the order that the view has; reversed if it is None.

    Returns
    -------
    ndarray
        A view of the same memory.

    Raises
    ------
    AxisError
        For an axis beyond those of the array.
    ValueError
        For axes that are not each there once.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.transpose(cp.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    return as_array(a).transpose(axes)


permute_dims = transpose


def matrix_transpose(x, /):
    """A view with the last two axes exchanged. ValueError for fewer than two.

    Parameters
    ----------
    x : ndarray
        The elements.

    Returns
    -------
    ndarray
        A view of the same memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.matrix_transpose(cp.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    return as_array(x).mT


def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged. AxisError.

    Parameters
    ----------
    a : ndarray
        The elements.
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

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.swapaxes(cp.ones((2, 3)), 0, 1).shape
    (3, 2)
    """
    return as_array(a).swapaxes(axis1, axis2)


def moveaxis(a, source, destination):
    """A view with axes moved to other places; the rest keep their order.

    source, destination: ints, or sequences of equal length. AxisError, ValueError.

    Parameters
    ----------
    a : ndarray
        The elements.
    source : int or sequence of ints
        The axes that move.
    destination : int or sequence of ints
        The new places of the axes.

    Returns
    -------
    ndarray
        A view of the same memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.moveaxis(cp.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
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
    """A view with an axis moved to lie before the axis `start`. AxisError.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int
        The axis that moves.
    start : int, optional
        The axis before which it comes to stand.

    Returns
    -------
    ndarray
        A view of the same memory.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.rollaxis(cp.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
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
    """A view with the elements in reverse order along one axis, several, or all. AxisError.

    Parameters
    ----------
    m : ndarray
        The elements.
    axis : int or tuple of ints, optional
        The axes to reverse; all of them if it is None.

    Returns
    -------
    ndarray
        A view of the same memory.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.flip(cp.array([1, 2, 3]))
    array([3, 2, 1])
    """
    m = as_array(m)
    if axis is not None and type(axis) is not int:
        axis = normalize_axis_tuple(axis, m.ndim)
    return _core._flip(m, axis)


def fliplr(m):
    """A view with the columns (axis 1) in reverse order. ValueError for less than 2 dimensions.

    Parameters
    ----------
    m : ndarray
        The elements.

    Returns
    -------
    ndarray
        A view of the same memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.fliplr(cp.array([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]])
    """
    m = as_array(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def flipud(m):
    """A view with the rows (axis 0) in reverse order. ValueError for a 0-d array.

    Parameters
    ----------
    m : ndarray
        The elements.

    Returns
    -------
    ndarray
        A view of the same memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.flipud(cp.array([[1, 2], [3, 4]]))
    array([[3, 4],
           [1, 2]])
    """
    m = as_array(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


def rot90(m, k=1, axes=(0, 1)):
    """A view turned by k quarters in the plane of two axes, from the first towards the second.

    Parameters
    ----------
    m : ndarray
        The elements.
    k : int, optional
        How many quarters of a turn.
    axes : tuple of two ints, optional
        The plane, from the first axis to the second.

    Returns
    -------
    ndarray
        A view of the same memory.

    Raises
    ------
    ValueError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.rot90(cp.array([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
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

    shift and axis are ints or tuples that broadcast together; without axis the flattened array
    rolls. AxisError; ValueError for shapes of shift and axis.

    Parameters
    ----------
    a : ndarray
        The elements.
    shift : int or tuple of ints
        How far the elements move.
    axis : int or tuple of ints, optional
        The axes; the flattened array if it is None.

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
    >>> cp.roll(cp.array([1, 2, 3]), 1)
    array([3, 1, 2])
    """
    a = as_array(a)
    if type(shift) is int and (axis is None or type(axis) is int):
        return _core._roll(a, shift, axis)
    return _roll_axes(a, _on_host(shift), axis)


def _on_host(value):
    """What NumPy can work with: an array's elements, or `value`. Waits for the elements."""
    return value.get() if isinstance(value, ndarray) else value


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
    a = as_array(a)
    return _core._repeat(a, repeats, axis) if type(repeats) is int else _repeat_each(a, repeats, axis)


@beside
def _repeat_each(a, repeats, axis):
    repeats = _on_host(repeats)
    # Conversion may run any code, so it comes first. Like NumPy, lists and scalars of floats lose
    # their fractions.
    counts = repeats if isinstance(repeats, numpy.ndarray) else numpy.asarray(repeats, int)
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
    reps = _on_host(reps)
    reps = tuple(reps) if isinstance(reps, (tuple, list)) else tuple(numpy.atleast_1d(reps).tolist())
    ndim = max(a.ndim, len(reps))
    reps = (1,) * (ndim - len(reps)) + reps
    shape = (1,) * (ndim - a.ndim) + a.shape
    pairs = [size for pair in zip((1,) * ndim, shape) for size in pair]
    wide = [size for pair in zip(reps, shape) for size in pair]
    final = [times * size for times, size in zip(reps, shape)]
    return broadcast_to(a.reshape(pairs), wide, subok=True).reshape(final, copy=True)


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
    repeated = tile(flat, -(-count // flat.size)) if count > flat.size else flat.copy()
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
        _core._assign(dst, src, casting)
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
