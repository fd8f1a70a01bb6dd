"""Shapes: looking at them, other ones for the same elements, broadcasting."""

import math

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from tenorite import _core
from tenorite._arguments import also_named, as_array, beside, first_array, ndarray, with_methods
from tenorite._numpy._documents import documented

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


@documented
def size(a, axis=None):
    """The number of elements, or of those along an axis (an int or a tuple). AxisError.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    int
        The number of elements, or the size of an axis.

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
@documented
def reshape(a, shape, order="C", *, copy=None):
    """The elements of an array in another shape of equal size; one size may be -1.

    A view where the strides allow it, else a copy (copy=True: always; copy=False: ValueError).
    order ('C', 'F', 'A') says in which order elements are read and placed. ValueError if sizes
    differ.

    Parameters
    ----------
    shape : int or tuple of ints
        The new sizes; one may be -1.

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
    a = with_methods("reshape", a)
    return a.reshape(shape, order=order) if copy is None else a.reshape(shape, order=order, copy=copy)


@documented
def ravel(a, order="C"):
    """The elements in one dimension: a view where the strides allow it. order: 'C', 'F', 'A',
    'K'.

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
    return with_methods("ravel", a).ravel(order)


@documented
def squeeze(a, axis=None):
    """A view without the axes of size 1: all, or those named. ValueError if one is larger.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        The axes to drop; all of size 1 if it is None.

    Returns
    -------
    ndarray
        A view of the same memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.squeeze(cp.ones((1, 3))).shape
    (3,)
    """
    return with_methods("squeeze", a).squeeze(axis)


@documented
def expand_dims(a, axis):
    """A view with new axes of size 1 at these places (an int or a tuple) of the result.
    AxisError.

    Parameters
    ----------
    axis : int or tuple of ints
        Where the new axes stand in the result.

    Returns
    -------
    ndarray
        A view of the same memory.

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


def _at_least(ndim, arrays, widen):
    """Each array, those of fewer axes than `ndim` widened; one alone, or a tuple of several."""
    if len(arrays) == 1:
        (a,) = arrays
        return a if type(a) is ndarray and a.ndim >= ndim else widen(as_array(a))
    return tuple([a if type(a) is ndarray and a.ndim >= ndim else widen(as_array(a)) for a in arrays])


@documented
def atleast_1d(*arys):
    """Arrays as they are, scalars and 0-d arrays with shape (1,); a tuple of several.

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
    return _at_least(1, arys, lambda a: a.reshape(1) if a.ndim == 0 else a)


@documented
def atleast_2d(*arys):
    """Views with at least two axes; new axes come first. A tuple of several.

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
    return _at_least(2, arys, lambda a: a if a.ndim >= 2 else a.reshape(1, 1) if a.ndim == 0 else a[None, :])


@documented
def atleast_3d(*arys):
    """Views with at least three axes: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1).

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

    return _at_least(3, arys, widen)


@documented
def broadcast_to(array, shape, subok=False):
    """A read-only view of another shape, in which axes of size 1 are repeated without a copy.

    ValueError if the shapes do not fit.

    Parameters
    ----------
    shape : int or tuple of ints
        The sizes of the axes.

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
    if hasattr(type(array), "__tenorite_function__"):  # a stand-in of fuse's
        return array.__tenorite_function__("broadcast_to", (array, shape, subok), {})
    return _core._broadcast_to(as_array(array), shape, subok)


@beside
@documented
def broadcast_arrays(*args, subok=False):
    """Views of the arrays in the one shape to which they broadcast together: a tuple.

    ValueError if the shapes do not fit.

    Parameters
    ----------
    *args : ndarray
        The arrays.

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
    shapes = [a.shape for a in arrays]
    if shapes.count(shapes[0] if shapes else None) == len(shapes):
        return tuple(arrays)
    shape = numpy.broadcast_shapes(*shapes)
    return tuple(a if a.shape == shape else broadcast_to(a, shape, subok) for a in arrays)


class broadcast:
    """Arrays and scalars in their common shape: ``shape``, ``size``, ``nd``, ``values``, the views,
    and ``iters``, the elements of each. ``next()`` gives a tuple of elements, ``index`` counts.

    Parameters
    ----------
    *arrays : ndarray
        The arrays, at most 64; those of another broadcast are taken from it.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.broadcast(cp.ones((3, 1)), cp.ones(2)).shape
    (3, 2)
    """

    _MOST = 64  # as NumPy has it

    @beside
    def __init__(self, *arrays):
        nested = [one._parts if isinstance(one, broadcast) else (one,) for one in arrays]
        self._parts = parts = [as_array(one) for inner in nested for one in inner]
        if len(parts) > self._MOST:
            raise ValueError(f"Need at least 0 and at most {self._MOST} array objects.")
        self.index = 0
        self.shape = numpy.broadcast_shapes(*(part.shape for part in parts))
        self.nd = self.ndim = len(self.shape)
        self.size = int(numpy.prod(self.shape, dtype=object))
        self.numiter = len(parts)
        self.values = tuple(part if part.shape == self.shape else broadcast_to(part, self.shape) for part in parts)

    @property
    def iters(self):
        """The elements of each array as a flatiter."""
        return tuple(part.flat for part in self._parts)

    def reset(self):
        """Begins with the first elements again.

        Examples
        --------
        >>> import tenorite as cp
        >>> pairs = cp.broadcast(cp.array([1, 2]), 5)
        >>> next(pairs), pairs.reset(), next(pairs)
        ((array(1), array(5)), None, (array(1), array(5)))
        """
        self.index = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.size:
            raise StopIteration
        place = numpy.unravel_index(self.index, self.shape)
        self.index += 1
        return tuple(view[place] for view in self.values)

    def __repr__(self):
        return f"<broadcast of {self.numiter} arrays to {self.shape}>"
