"""Arrays of indices and coordinates: grids, ranges, and the places of diagonals and triangles."""

import math
import operator

import numpy

from tenorite import _core
from tenorite._arguments import also_named, as_array, beside, is_scalar, ndarray
from tenorite._numpy._documents import documented
from tenorite._numpy.creation import tri

# --- Grids ---


@beside
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate arrays of a grid from the coordinates along each axis: a tuple, one array per
    axis.

    indexing: 'xy' (the first two axes of the results exchanged) or 'ij'. sparse: axes of size 1
    instead of repeated elements. copy=False: read-only views of those. ValueError for another
    indexing.

    Parameters
    ----------
    *xi : ndarray
        The coordinates, one dimension each.
    copy : bool, optional
        Whether the arrays are copies, else views.
    sparse : bool, optional
        Whether each array has size 1 along all axes but its own.
    indexing : {'xy', 'ij'}, optional
        Whether the first two axes of the result are exchanged, as plots have them.

    Returns
    -------
    list of ndarrays
        The coordinates along each axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.meshgrid(cp.array([1, 2]), cp.array([3, 4]))[0]
    array([[1, 2],
           [1, 2]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    order = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        order[:2] = 1, 0
    flat = [as_array(x).reshape(-1) for x in xi]
    grids = [x.reshape([-1 if at == k else 1 for k in range(len(xi))]) for x, at in zip(flat, order)]
    if not sparse and grids:
        shape = numpy.broadcast_shapes(*(grid.shape for grid in grids))
        grids = [_core._broadcast_to(grid, shape, True) for grid in grids]
    return tuple(grid.copy() for grid in grids) if copy else tuple(grids)


def indices(dimensions, dtype=int, sparse=False):
    """The index of every element of an array of shape `dimensions`, per axis.

    One array of shape (len(dimensions), *dimensions), or with sparse a tuple of arrays that
    broadcast to that shape.

    Parameters
    ----------
    dimensions : tuple of ints
        The sizes of the axes.
    dtype : dtype, optional
        Of the result.
    sparse : bool, optional
        Whether each array has size 1 along all axes but its own.

    Returns
    -------
    ndarray or tuple of ndarrays
        The coordinates; a tuple where `sparse`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.indices((2, 2))
    array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]])
    """
    dimensions = tuple(operator.index(size) for size in dimensions)
    count = len(dimensions)
    grids = tuple(
        [
            _core.arange(size, dtype=dtype).reshape((1,) * k + (size,) + (1,) * (count - 1 - k))
            for k, size in enumerate(dimensions)
        ]
    )
    if sparse:
        return grids
    result = _core.empty((len(dimensions), *dimensions), dtype=dtype)
    for k, grid in enumerate(grids):
        result[k] = grid
    return result


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """What a function makes of the arrays of indices of a shape: function(i, j, ..., **kwargs).

    Parameters
    ----------
    function : callable
        Called with an array of coordinates for each axis.
    shape : tuple of ints
        The sizes of the axes.
    dtype : dtype, optional
        Of the coordinates.
    like : None
        Accepted as NumPy has it.
    **kwargs : dict
        Given to the function.

    Returns
    -------
    ndarray
        What the function gives.

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.fromfunction(lambda i, j: i + j, (2, 2), dtype=cp.int64)
    array([[0, 1],
           [1, 2]])
    """
    return function(*indices(shape, dtype=dtype), **kwargs)


def _range_of(key):
    """A slice as a range; an imaginary step is a number of points, and both ends belong to them."""
    start = 0 if key.start is None else key.start
    step = 1 if key.step is None else key.step
    if isinstance(step, (complex, numpy.complexfloating)):
        dtype = _core._result_type(start, key.stop, abs(step))
        if _has_axes(start, key.stop):
            return _core.arange(int(abs(step)), dtype=dtype) * _distance(key) + start
        return _core.linspace(start, key.stop, int(abs(step)), dtype=dtype)
    return _core.arange(start, key.stop, step)


def _has_axes(*bounds):
    """Whether a bound is an array that is broadcast against the places of its range."""
    return any(isinstance(bound, ndarray) and bound.ndim for bound in bounds)


def _distance(key):
    """From one point of a slice to the next."""
    step = 1 if key.step is None else key.step
    if not isinstance(step, (complex, numpy.complexfloating)):
        return step
    count = int(abs(step))
    return 1 if count == 1 else (key.stop - (0 if key.start is None else key.start)) / float(count - 1)


def _grid_of_arrays(keys, dtype, sparse):
    """A grid whose bounds are arrays: places times distances, plus starts, as NumPy makes it."""
    sizes = [int(abs(key.step)) if isinstance(key.step, complex) else _count(key) for key in keys]
    grid = [_core.arange(size, dtype=dtype) for size in sizes] if sparse else indices(sizes, dtype)
    for k, key in enumerate(keys):
        made = grid[k] * _distance(key) + (0 if key.start is None else key.start)
        if sparse:
            made = made[tuple(slice(None) if at == k else None for at in range(len(keys)))]
        grid[k] = made
    return tuple(grid) if sparse else grid


def _count(key):
    return math.ceil((key.stop - (0 if key.start is None else key.start)) / (1 if key.step is None else key.step))


def _bounds(key):
    """What counts for the dtype of a slice's coordinates."""
    start, step = key.start, 1 if key.step is None else key.step
    return (
        0 if start is None else start,
        key.stop,
        abs(step) if isinstance(step, (complex, numpy.complexfloating)) else step,
    )


class _Grid:
    """grid[0:3, 0:1:5j]: the coordinates of a grid; a step of 5j means five points with both
    ends."""

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        if not isinstance(key, tuple):
            return _range_of(key)
        dtype = _core._result_type(0, *(bound for one in key for bound in _bounds(one)))
        if any(_has_axes(one.start, one.stop) for one in key):
            return _grid_of_arrays(key, dtype, self._sparse)
        ranges = [_range_of(one) for one in key]
        grids = meshgrid(*(one.astype(dtype, copy=False) for one in ranges), indexing="ij", sparse=self._sparse)
        return grids if self._sparse else _core.stack(grids) if grids else _core.empty(0, dtype=dtype)


mgrid, ogrid = _Grid(False), _Grid(True)


class AxisConcatenator:
    """r_[0:3, 7, a]: ranges, scalars and arrays joined along the first axis; c_ joins columns.

    A first item "axis,ndim,place" says along which axis, with how many axes at least, and at which
    place an array's own axes then stand ("r" and "c" are not made: there is no matrix).
    """

    def __init__(self, axis=0, ndim=1, place=-1):
        self._settings = axis, ndim, place

    def __len__(self):
        return 0

    @beside
    def __getitem__(self, key):
        (axis, ndim, place), key = self._settings, key if isinstance(key, tuple) else (key,)
        if key and isinstance(key[0], str):
            if key[0] in ("r", "c"):
                raise NotImplementedError("r_ and c_ make no matrices")
            try:
                settings = [int(part) for part in key[0].split(",")]
            except ValueError as e:
                raise ValueError(f"unknown special directive {key[0]!r}") from e
            (axis, ndim, place), key = [*settings, *(axis, ndim, place)[len(settings) :]], key[1:]
        parts = [
            _range_of(one) if isinstance(one, slice) else one if is_scalar(one) else _core.asarray(one) for one in key
        ]
        dtype = _core._result_type(*parts)
        parts = [_core.asarray(part, dtype=dtype) for part in parts]
        return _core.concatenate([_widen(part, ndim, place) for part in parts], axis=axis)


def _widen(made, ndim, place):
    if made.ndim >= ndim:
        return made
    first = place if place >= 0 else place + ndim - made.ndim + 1
    first = 0 if made.ndim == 0 else first
    return made.reshape((1,) * first + made.shape + (1,) * (ndim - made.ndim - first))


r_, c_ = AxisConcatenator(0), AxisConcatenator(-1, 2, 0)


@beside
def ix_(*args):
    """Vectors of indices, one per axis, shaped to broadcast together: a[ix_(rows, columns)].

    bool vectors give the places of their true elements. ValueError for other than vectors.

    Parameters
    ----------
    *args : ndarray
        One dimension each.

    Returns
    -------
    tuple of ndarrays
        Indexes that broadcast against each other.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.arange(6).reshape(2, 3)[cp.ix_(cp.array([0, 1]), cp.array([2, 0]))]
    array([[2, 0],
           [5, 3]])
    """
    result = []
    for k, one in enumerate(args):
        is_list = not isinstance(one, (ndarray, numpy.ndarray))
        one = one if isinstance(one, ndarray) else _core.array(one)
        if one.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if one.size == 0 and is_list:
            one = one.astype(numpy.intp)
        if one.dtype.kind == "b":
            (one,) = one.nonzero()
        result.append(one.reshape([-1 if at == k else 1 for at in range(len(args))]))
    return tuple(result)


# --- Diagonals and triangles ---


@documented
def diag_indices(n, ndim=2):
    """The indices of the main diagonal of an array of `ndim` axes of size n: a tuple of vectors.

    Parameters
    ----------
    ndim : int, optional
        The number of axes.

    Returns
    -------
    tuple of ndarrays of int64
        One array for each axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.diag_indices(2)
    (array([0, 1]), array([0, 1]))
    """
    return (_core.arange(n),) * operator.index(ndim)


@documented
def diag_indices_from(arr):
    """diag_indices of an array whose axes are of equal size, of which there are two or more.

    Returns
    -------
    tuple of ndarrays of int64
        One array for each axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.diag_indices_from(cp.array([[1, 2], [3, 4]]))
    (array([0, 1]), array([0, 1]))
    """
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


@documented
def tril_indices(n, k=0, m=None):
    """The indices of elements at and below the k-th diagonal of an (n, m) matrix: rows, columns.
    Waits.

    Parameters
    ----------
    m : int, optional
        The number of columns; as many as rows if it is None.

    Returns
    -------
    tuple of ndarrays of int64
        One array for each axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.tril_indices(2)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    return tri(n, m, k, dtype=bool).nonzero()


@documented
def triu_indices(n, k=0, m=None):
    """The indices of elements at and above the k-th diagonal of an (n, m) matrix: rows, columns.
    Waits.

    Parameters
    ----------
    m : int, optional
        The number of columns; as many as rows if it is None.

    Returns
    -------
    tuple of ndarrays of int64
        One array for each axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.triu_indices(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return (~tri(n, m, k - 1, dtype=bool)).nonzero()


def _rows_and_columns(arr):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr.shape


@documented
def tril_indices_from(arr, k=0):
    """tril_indices of a matrix's shape.

    Returns
    -------
    tuple of ndarrays of int64
        One array for each axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.tril_indices_from(cp.array([[1, 2], [3, 4]]))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    n, m = _rows_and_columns(arr)
    return tril_indices(n, k, m)


@documented
def triu_indices_from(arr, k=0):
    """triu_indices of a matrix's shape.

    Returns
    -------
    tuple of ndarrays of int64
        One array for each axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.triu_indices_from(cp.array([[1, 2], [3, 4]]))
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    n, m = _rows_and_columns(arr)
    return triu_indices(n, k, m)


@documented
def mask_indices(n, mask_func, k=0):
    """The indices of what `mask_func(m, k)`, as triu, leaves not zero of an (n, n) matrix.
    Waits.

    Parameters
    ----------
    mask_func : callable
        ``triu`` or a function like it.

    Returns
    -------
    tuple of ndarrays of int64
        One array for each axis.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.mask_indices(2, cp.triu)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return mask_func(_core.ones((n, n), dtype=int), k).nonzero()


# --- Flat indices ---


@documented
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Flat indices of those per axis, a tuple of integer arrays that broadcast together.

    mode: 'raise' (ValueError beyond the shape `dims`; waits), 'wrap' or 'clip', or one of them per
    axis. order: 'C' or 'F'. TypeError for other than integers.

    Parameters
    ----------
    multi_index : tuple of ndarrays of ints
        The coordinates, an array for each axis.
    dims : tuple of ints
        The sizes of the axes.

    Returns
    -------
    ndarray of int64
        The positions.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.ravel_multi_index((cp.array([0, 1]), cp.array([2, 0])), (2, 3))
    array([2, 3])
    """
    modes = mode if isinstance(mode, str) else tuple(mode)
    return _core._ravel_multi_index(tuple(multi_index), dims, modes, order)


@also_named(dims="shape")
@documented
def unravel_index(indices, shape, order="C"):
    """The indices per axis of flat indices into an array of a shape: a tuple of arrays. Waits.

    order: 'C' or 'F'. ValueError beyond the shape, TypeError for other than integers.

    Returns
    -------
    tuple of ndarrays of int64
        One array for each axis.

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.unravel_index(cp.array([2, 3]), (2, 3))
    (array([0, 1]), array([2, 0]))
    """
    return _core._unravel_index(indices, shape, order)
