"""Norms, powers and exponentials of sparse matrices."""

import math
import operator

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite.scipy import sparse
from tenorite.scipy.sparse.linalg._interface import LinearOperator, aslinearoperator

__all__ = ["expm_multiply", "matrix_power", "norm"]


def norm(x, ord=None, axis=None):
    """The norm of a sparse matrix, or of its rows or columns.

    Parameters
    ----------
    x : sparse matrix
    ord : {None, 'fro', 1, -1, inf, -inf, 0, other number}, optional
        As in tenorite.linalg.norm, but for orders 2 and -2 of matrices: NotImplementedError.
    axis : {None, int, tuple of two ints}, optional
        None and two: the matrix's norm. One: those of vectors along it.

    Returns
    -------
    ndarray
        0-d, or one number for each vector.

    Raises
    ------
    ValueError
        For an axis that a matrix has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> from tenorite.scipy.sparse.linalg import norm
    >>> norm(csr_matrix(tn.array([[3.0, 0.0], [0.0, 4.0]])))
    array(5.)
    """
    if not sparse.issparse(x):
        raise TypeError("input is not sparse. use tenorite.linalg.norm")
    if axis is None:
        axis = (0, 1)
    elif not isinstance(axis, tuple):
        try:
            axis = (operator.index(axis),)
        except TypeError:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from None
    for one in axis:
        if not -2 <= one < 2:
            raise ValueError(f"Invalid axis {axis!r} for an array with shape {x.shape!r}")
    if len(axis) == 2:
        if axis[0] % 2 == axis[1] % 2:
            raise ValueError("Duplicate axes given.")
        return _matrix_norm(x, ord, axis[0] % 2)
    if len(axis) == 1:
        return _vector_norms(x, ord, axis[0] % 2)
    raise ValueError("Improper number of dimensions to norm.")


def _sums(x, axis):
    return _core.asarray(abs(x).sum(axis=axis)).ravel()


def _matrix_norm(x, ord, row):
    if ord in (None, "f", "fro"):
        values = x.tocsr().copy()
        values.sum_duplicates()
        return _core._vector_norm(values.data.astype(_floating(x.dtype)), 2, None, False)
    if ord in (2, -2):
        raise NotImplementedError(f"norm of order {ord} of a sparse matrix: largest singular values by svds")
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError("Invalid norm order for matrices.")
    sums = _sums(x, row if ord in (1, -1) else 1 - row)
    return sums.max() if ord > 0 else sums.min()


def _floating(dtype):
    return dtype if dtype.char in "fdFD" else "d"


def _vector_norms(x, ord, axis):
    if ord == math.inf or ord == -math.inf:
        sizes = abs(x).tocsr()
        extreme = sizes.max(axis=axis) if ord > 0 else sizes.min(axis=axis)
        return (extreme.toarray() if sparse.issparse(extreme) else as_array(extreme)).ravel()
    if ord == 0:
        return _core.asarray((x != 0).astype("l").sum(axis=axis)).ravel()
    if ord == 1:
        return _sums(x, axis)
    if isinstance(ord, str):
        raise ValueError("Invalid norm order for vectors.")
    powers = abs(x).tocsr().astype("f" if x.dtype.char in "fF" else "d")
    ord = 2 if ord is None else ord
    powers.sum_duplicates()
    powers.data[...] = powers.data**ord
    return _core.asarray(powers.sum(axis=axis)).ravel() ** (1 / ord)


def matrix_power(A, power):
    """A sparse matrix to a power.

    Parameters
    ----------
    A : sparse matrix
        Square.
    power : int
        Not below 0.

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> from tenorite.scipy.sparse.linalg import matrix_power
    >>> matrix_power(csr_matrix(tn.array([[1, 1], [0, 1]])), 3).toarray()
    array([[1, 3],
           [0, 1]])
    """
    return A._matrix_power(power)


# --- expm_multiply ---

# Degrees of Taylor's polynomial and the norms up to which each is exact to double precision
# (Al-Mohy and Higham, Computing the action of the matrix exponential, 2011).
_TAYLOR = {5: 1.3e-1, 10: 1.0, 15: 2.2, 20: 3.6, 25: 4.9, 30: 6.3, 35: 7.7, 40: 9.1, 45: 11.0, 50: 12.0, 55: 13.0}


@beside
def expm_multiply(A, B, start=None, stop=None, num=None, endpoint=None, traceA=None):
    """The product of the exponential of a matrix with vectors, without that exponential.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator
        N x N.
    B : (N,) or (N, K) ndarray
    start, stop : number, optional
        With them the products of ``expm(t A)`` for t between them.
    num : int, optional
        How many t there are; 50 by default.
    endpoint : bool, optional
        Whether the last t is `stop`; yes by default.
    traceA : number, optional
        The trace of a LinearOperator; 0 by default, which costs no exactness.

    Returns
    -------
    (N,), (N, K), (num, N) or (num, N, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import expm_multiply
    >>> tn.around(expm_multiply(tn.array([[0.0, 1.0], [0.0, 0.0]]), tn.array([1.0, 2.0])), 6)
    array([3., 2.])
    """
    operator_ = aslinearoperator(A)
    n = operator_.shape[0]
    if operator_.shape[1] != n:
        raise ValueError(f"expected A to be like a square matrix, not of shape {operator_.shape}")
    B = as_array(B)
    if B.ndim not in (1, 2) or B.shape[0] != n:
        raise ValueError(f"shapes {operator_.shape} and {B.shape} of A and B do not fit")
    B = B.astype(numpy.result_type(operator_.dtype, B.dtype, "f"))
    size = _one_norm(A, operator_)
    if start is None and stop is None and num is None and endpoint is None:
        return _exponential(operator_, B, 1.0, size)
    times = numpy.linspace(start, stop, 50 if num is None else num, endpoint=endpoint is None or endpoint)
    steps, before = [], 0.0
    for t in times:
        B = _exponential(operator_, B, t - before, size)
        steps.append(B[None])
        before = t
    return _core.concatenate(steps)


def _one_norm(A, operator_):
    """The 1-norm; of an operator an estimate: that of its products with a few vectors of 1 and
    -1, times the size's root."""
    if sparse.issparse(A):
        return float(_sums(A, 0).max()) if A.shape[0] else 0.0
    if isinstance(A, LinearOperator):
        n = A.shape[1]
        signs = numpy.where(numpy.random.default_rng(0).random((n, 4)) < 0.5, -1.0, 1.0)
        product = operator_.matmat(_core.asarray(signs).astype(operator_.dtype))
        return float(_core._vector_norm(product, 2, 0, False).max()) * 2 if n else 0.0
    return float(_core.absolute(A).sum(axis=0).max()) if A.shape[0] else 0.0


def _exponential(A, B, t, size):
    if A.shape[0] == 0:
        return B.copy()
    size *= abs(t)
    degree, parts = min(
        ((m, max(1, math.ceil(size / theta))) for m, theta in _TAYLOR.items()), key=lambda both: both[0] * both[1]
    )
    eps = float(numpy.finfo(B.dtype).eps) / 2
    for _ in range(parts):
        term = total = B
        before = float(_core.absolute(term).max(initial=0))
        for k in range(1, degree + 1):
            term = A.dot(term) * (t / (parts * k))
            total = total + term
            length = float(_core.absolute(term).max(initial=0))
            if before + length <= eps * float(_core.absolute(total).max(initial=0)):
                break
            before = length
        B = total
    return B
