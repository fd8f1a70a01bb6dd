"""Linear algebra: products, powers, norms, decompositions and solutions."""

import operator

from numpy.lib.array_utils import normalize_axis_index
from numpy.linalg import LinAlgError

from tenorite import _core
from tenorite._arguments import also_named, as_array, as_array_of, beside
from tenorite._core import matmul, tensordot
from tenorite._numpy._documents import documented
from tenorite._numpy.indexing import where
from tenorite._numpy.linear_algebra import cross as _cross
from tenorite._numpy.rearranging import matrix_transpose, moveaxis
from tenorite._numpy.shapes import expand_dims
from tenorite.linalg._decompositions import cholesky, eig, eigh, eigvals, eigvalsh, matrix_rank, qr, svd, svdvals
from tenorite.linalg._failures import errstate
from tenorite.linalg._solutions import det, inv, lstsq, pinv, slogdet, solve, tensorinv, tensorsolve

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


def __dir__():
    return __all__


_INFINITY = float("inf")


# --- Norms ---


@documented
def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of vectors or matrices.

    ord      vectors (axis: an int)          matrices (axis: two ints)
    None     2                               'fro'
    'fro'                                    root of the sum of squares
    inf      largest absolute value          largest sum of absolute values of a row
    -inf     smallest                        smallest
    1, -1    (1: sum of absolute values)     largest, smallest sum of a column
    0        number of elements not zero
    other p  sum(abs(x)**p)**(1/p)           2, -2: largest, smallest singular value
    'nuc'                                    sum of the singular values

    axis None: x is a vector or a matrix, or (ord None) any array, taken as one vector. ValueError
    for another order.

    Parameters
    ----------
    ord : {None, int, inf, -inf, 'fro', 'nuc'}, optional
        Which norm; 2 for vectors and 'fro' for matrices if it is None.
    axis : int or tuple of two ints, optional
        The axis of the vectors or the axes of the matrices.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    ndarray
        The norms.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.norm(cp.array([3., 4.]))
    array(5.)
    """
    x = as_array(x)
    if axis is None:
        whole = (None, 2) if x.ndim == 1 else (None, "f", "fro") if x.ndim == 2 else (None,)
        if ord in whole:
            return _core._vector_norm(x, 2, None, keepdims)
        axis = tuple(range(x.ndim))
    elif not isinstance(axis, tuple):
        try:
            axis = (operator.index(axis),)
        except TypeError:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from None
    if len(axis) == 1:
        if x.ndim == 0:
            normalize_axis_index(axis[0], 0)
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        return _core._vector_norm(x, 2 if ord is None else ord, axis, keepdims)
    if len(axis) == 2:
        return _matrix_norm(x, ord, axis, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def _matrix_norm(x, ord, axis, keepdims):
    row, column = (normalize_axis_index(one, x.ndim) for one in axis)
    if row == column:
        raise ValueError("Duplicate axes given.")
    if ord in (None, "f", "fro"):
        return _core._vector_norm(x, 2, (row, column), keepdims)
    if ord in (2, -2, "nuc"):
        values = svdvals(moveaxis(x, (row, column), (-2, -1)))
        result = values.sum(-1) if ord == "nuc" else values.max(-1, initial=0) if ord == 2 else values.min(-1)
        return expand_dims(result, (row, column)) if keepdims else result
    if ord not in (1, -1, _INFINITY, -_INFINITY):
        raise ValueError("Invalid norm order for matrices.")
    along, across = (row, column) if ord in (1, -1) else (column, row)
    sums = _core._vector_norm(x, 1, along, True)
    extreme = sums.max(across, keepdims=True, initial=0) if ord > 0 else sums.min(across, keepdims=True)
    return extreme if keepdims else extreme.squeeze((row, column))


@documented
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of vectors along an axis, several axes, or (None) of all elements; see norm.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        The axes of the vectors; all if it is None.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    ord : float, optional
        The order of the norm.

    Returns
    -------
    ndarray
        The norms.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.vector_norm(cp.array([3., 4.]))
    array(5.)
    """
    x = as_array(x)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if axis is not None and not isinstance(axis, tuple):
        return norm(x, ord, axis, keepdims)
    return _core._vector_norm(x, 2 if ord is None else ord, axis, keepdims)


@documented
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of matrices in the last two axes; see norm.

    Parameters
    ----------
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    ord : {2, 1, inf, -inf, 'fro', 'nuc', ...}, optional
        Which norm.

    Returns
    -------
    ndarray
        The norms of the matrices of the last two axes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.matrix_norm(cp.array([[1., 2.], [3., 4.]]))
    array(5.47722558)
    """
    return norm(x, ord, (-2, -1), keepdims)


@beside
def cond(x, p=None):
    """The condition number of matrices: the norm times that of the inverse.

    Parameters
    ----------
    x : (..., M, N) ndarray
        Square for all orders but 2 and -2. LinAlgError if it is empty.
    p : {None, 1, -1, 2, -2, inf, -inf, 'fro'}, optional
        The order of the norm; None means 2.

    Returns
    -------
    (...) ndarray
        Infinity for a singular matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.cond(tn.array([[2.0, 0.0], [0.0, 4.0]]))
    array(2.)
    """
    x = as_array_of(x)
    if x.size == 0 and x.shape[-2:] and 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        s = svdvals(x)
        result = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        with errstate(linalg="ignore"):
            inverse = inv(x)
            result = norm(x, p, axis=(-2, -1)) * norm(inverse, p, axis=(-2, -1))
    unknown = _core.isnan(result) & ~_core.isnan(x).any(axis=(-2, -1))
    return where(unknown, result.dtype.type("inf"), result)


# --- Powers and chains of products ---


@also_named(M="a")
@beside
@documented
def matrix_power(a, n):
    """The n-th power of square matrices, by repeated squaring; the identity for n == 0, that of the
    inverse for n < 0.

    LinAlgError if they are not square, or (n < 0) singular.

    Parameters
    ----------
    a : (..., M, M) ndarray
        The matrices.
    n : int
        The exponent; the inverse is taken for a negative one.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.matrix_power(cp.array([[1, 1], [1, 0]]), 5)
    array([[8, 5],
           [5, 3]])
    """
    a = as_array(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError("exponent must be an integer") from None
    if n < 0:
        a, n = inv(a), -n
    if n == 0:
        result = _core.empty(a.shape, dtype=a.dtype)
        result[...] = _core.eye(a.shape[-1], dtype=a.dtype)
        return result
    result = None
    while n:
        if n & 1:
            result = a if result is None else result @ a
        n >>= 1
        if n:
            a = a @ a
    return result


def multi_dot(arrays, *, out=None):
    """The product of two or more matrices in the order that takes fewest multiplications.

    The first and the last may be vectors: a row and a column. ValueError for one array and for
    shapes that do not fit, LinAlgError for arrays that are no matrices.

    Parameters
    ----------
    arrays : sequence of ndarrays
        The matrices; the first and the last may be vectors.
    out : ndarray, optional
        An array of the result's shape that is written and returned.

    Returns
    -------
    ndarray
        A new array, or `out`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.multi_dot([cp.array([[1., 2.], [3., 4.]]), cp.array([[1., 2.], [3., 4.]]), cp.array([[1., 2.], [3., 4.]])])
    array([[ 37.,  54.],
           [ 81., 118.]])
    """
    arrays = [as_array(one) for one in arrays]
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(arrays) == 2:
        return _core.dot(*arrays, out=out)
    # Views keep their shapes, whatever becomes of the arrays meanwhile.
    arrays = [one[...] for one in arrays]
    is_row, is_column = arrays[0].ndim == 1, arrays[-1].ndim == 1
    if is_row:
        arrays[0] = arrays[0][None, :]
    if is_column:
        arrays[-1] = arrays[-1][:, None]
    for one in arrays:
        if one.ndim != 2:
            raise LinAlgError(f"{one.ndim}-dimensional array given. Array must be two-dimensional")
    if out is not None:
        out[...] = _chain(arrays, is_row, is_column)
        return out
    return _chain(arrays, is_row, is_column)


def _chain(arrays, is_row, is_column):
    if len(arrays) == 3:
        (k, m), (n, q) = arrays[0].shape, arrays[2].shape
        if k * n * (m + q) < m * q * (n + k):
            result = _core.dot(_core.dot(arrays[0], arrays[1]), arrays[2])
        else:
            result = _core.dot(arrays[0], _core.dot(arrays[1], arrays[2]))
    else:
        splits = _best_splits([one.shape[0] for one in arrays] + [arrays[-1].shape[1]])

        def product(i, j):
            return arrays[i] if i == j else _core.dot(product(i, splits[i, j]), product(splits[i, j] + 1, j))

        result = product(0, len(arrays) - 1)
    if not (is_row or is_column):
        return result
    return result[(0 if is_row else slice(None), 0 if is_column else slice(None))]


def _best_splits(sizes):
    """After which matrix to split the chain i .. j; matrix k is sizes[k] x sizes[k + 1]."""
    count = len(sizes) - 1
    costs = {(i, i): 0 for i in range(count)}
    splits = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs[i, j], splits[i, j] = min(
                (costs[i, k] + costs[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
    return splits


# --- Names of the main namespace, as numpy.linalg has them ---


@documented
def outer(x1, x2, /):
    """All products of an element of x1 and one of x2, both vectors.

    Parameters
    ----------
    x1 : ndarray
        The first operand.
    x2 : ndarray
        The second operand; shapes broadcast.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.outer(cp.array([1, 2]), cp.array([3, 4]))
    array([[3, 4],
           [6, 8]])
    """
    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return _core.outer(x1, x2)


@documented
def cross(x1, x2, /, *, axis=-1):
    """The cross product of vectors of 3 elements along an axis.

    Parameters
    ----------
    x1 : ndarray
        The first operand.
    x2 : ndarray
        The second operand; shapes broadcast.

    Raises
    ------
    IndexError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.cross(cp.array([1, 0, 0]), cp.array([0, 1, 0]))
    array([0, 0, 1])
    """
    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("At least one array has zero dimension")
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return _cross(x1, x2, axis=axis)


@documented
def vecdot(x1, x2, /, *, axis=-1):
    """Dot products of vectors along an axis, x1 conjugated.

    Parameters
    ----------
    x1 : ndarray
        The first operand.
    x2 : ndarray
        The second operand; shapes broadcast.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.vecdot(cp.array([1, 2]), cp.array([3, 4]))
    array(11)
    """
    axis = operator.index(axis)
    x1, x2 = as_array(x1), as_array(x2)
    return _core.vecdot(x1, x2) if axis == -1 else _core.vecdot(moveaxis(x1, axis, -1), moveaxis(x2, axis, -1))


@documented
def diagonal(x, /, *, offset=0):
    """The diagonals of matrices in the last two axes, as views.

    Parameters
    ----------
    offset : int, optional
        Which diagonal: 0 the main one, above it if positive, below it if negative.

    Returns
    -------
    ndarray
        A view that can't be written.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.diagonal(cp.array([[1., 2.], [3., 4.]]))
    array([1., 4.])
    """
    return as_array(x).diagonal(offset, -2, -1)


@documented
def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals of matrices in the last two axes.

    Parameters
    ----------
    offset : int, optional
        Which diagonal: 0 the main one, above it if positive, below it if negative.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.linalg.trace(cp.array([[1., 2.], [3., 4.]]))
    array(5.)
    """
    return _core.trace(as_array(x), offset, -2, -1, dtype)
