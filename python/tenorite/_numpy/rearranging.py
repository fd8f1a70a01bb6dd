"""The order of axes, and of the elements along them."""

import itertools

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tenorite import _core
from tenorite._arguments import also_named, as_array, beside, on_host, with_methods
from tenorite._numpy._documents import documented

# --- The order of axes ---


@documented
def transpose(a, axes=None):
    """A view with the axes in the order `axes` (default: reversed).

    Parameters
    ----------
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
    return with_methods("transpose", a).transpose(axes)


permute_dims = transpose


@documented
def matrix_transpose(x, /):
    """A view with the last two axes exchanged. ValueError for fewer than two.

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
    x = as_array(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.mT


@documented
def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged. AxisError.

    Parameters
    ----------
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
    return with_methods("swapaxes", a).swapaxes(axis1, axis2)


@documented
def moveaxis(a, source, destination):
    """A view with axes moved to other places; the rest keep their order.

    source, destination: ints, or sequences of equal length. AxisError, ValueError.

    Parameters
    ----------
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
    ndim = a.ndim
    if type(source) is int and type(destination) is int and -ndim <= source < ndim and -ndim <= destination < ndim:
        order = [*range(ndim)]
        order.insert(destination % ndim, order.pop(source))
        return a.transpose(order)
    source = normalize_axis_tuple(source, a.ndim, "source")
    destination = normalize_axis_tuple(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [k for k in range(a.ndim) if k not in source]
    for place, axis in sorted(zip(destination, source)):
        order.insert(place, axis)
    return a.transpose(order)


@documented
def rollaxis(a, axis, start=0):
    """A view with an axis moved to lie before the axis `start`. AxisError.

    Parameters
    ----------
    axis : int
        The axis that moves.
    start : int, optional
        The axis before which it comes to stand.

    Returns
    -------
    ndarray
        A view of the same memory.

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
    order = [k for k in range(a.ndim) if k != axis]
    order.insert(start - 1 if axis < start else start, axis)
    return a.transpose(order)


# --- The order of elements ---


@also_named(a="m")
@documented
def flip(m, axis=None):
    """A view with the elements in reverse order along one axis, several, or all. AxisError.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        The axes to reverse; all of them if it is None.

    Returns
    -------
    ndarray
        A view of the same memory.

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


@also_named(a="m")
@documented
def fliplr(m):
    """A view with the columns (axis 1) in reverse order. ValueError for less than 2 dimensions.

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


@also_named(a="m")
@documented
def flipud(m):
    """A view with the rows (axis 0) in reverse order. ValueError for a 0-d array.

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


@also_named(a="m")
@documented
def rot90(m, k=1, axes=(0, 1)):
    """A view rotated by k quarters in the plane of two axes, from the first towards the second.

    Parameters
    ----------
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


@documented
def roll(a, shift, axis=None):
    """A copy with elements moved along axes by `shift` places; those beyond the end come first.

    shift and axis are ints or tuples that broadcast together; without axis the flattened array
    rolls. AxisError; ValueError for shapes of shift and axis.

    Parameters
    ----------
    shift : int or tuple of ints
        How far the elements move.
    axis : int or tuple of ints, optional
        The axes; the flattened array if it is None.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.roll(cp.array([1, 2, 3]), 1)
    array([3, 1, 2])
    """
    a = as_array(a)
    if type(shift) is int and (axis is None or type(axis) is int):
        return _core._roll(a, shift, axis)
    return _roll_axes(a, on_host(shift), axis)


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
            halves[k] = [(slice(None, -step), slice(step, None)), (slice(-step, None), slice(None, step))]
    result = _core.empty_like(a)
    for parts in itertools.product(*halves):
        result[tuple(to for _, to in parts)] = a[tuple(source for source, _ in parts)]
    return result
