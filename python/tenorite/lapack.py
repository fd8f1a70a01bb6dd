"""Solutions by LAPACK's names, as cupyx.lapack has them. Arguments are of one dtype, float32,
float64, complex64 or complex128."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._numpy.rearranging import matrix_transpose
from tenorite.linalg._decompositions import cholesky, qr

__all__ = ["gels", "gesv", "posv", "potrs"]


def _check(a, b, is_square=True):
    a, b = as_array(a), as_array(b)
    if a.ndim != 2:
        raise ValueError(f"a.ndim must be 2 (actual: {a.ndim})")
    if b.ndim not in (1, 2):
        raise ValueError(f"b.ndim must be 1 or 2 (actual: {b.ndim})")
    if is_square and a.shape[0] != a.shape[1]:
        raise ValueError(f"a must be a square matrix (actual: {a.shape})")
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"shape mismatch (a: {a.shape}, b: {b.shape})")
    _check_dtypes(a, b)
    return a, b


def _check_dtypes(a, b):
    if a.dtype != b.dtype:
        raise TypeError(f"dtype mismatch (a: {a.dtype}, b: {b.dtype})")
    if a.dtype.char not in "fdFD":
        raise TypeError(f"unsupported dtype (actual: {a.dtype})")


def _stacks(a, b):
    """Matrices, and a vector or a matrix for each, of their common dtype."""
    a, b = as_array(a), as_array(b)
    dtype = numpy.result_type(a.dtype, b.dtype, numpy.float32)
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    if a.ndim < 2:
        raise ValueError(f"a.ndim must be at least 2 (actual: {a.ndim})")
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"a must be square matrices (actual: {a.shape})")
    if a.shape[:-1] != (b.shape if a.ndim == b.ndim + 1 else b.shape[:-1]):
        raise ValueError(f"shape mismatch (a: {a.shape}, b: {b.shape})")
    _check_dtypes(a, b)
    return a, b


def _solve_by_factor(factor, b, is_upper):
    """Of Cholesky: b has a vector or a matrix for each factor."""
    if factor.ndim == b.ndim:
        return _core.ascontiguousarray(_core._linalg_cholesky_solve(factor, b, is_upper))
    return _core._linalg_cholesky_solve(factor, b[..., None], is_upper)[..., 0]


@beside
def gesv(a, b):
    """Solve ``a x = b`` by an LU decomposition.

    Parameters
    ----------
    a : (M, M) ndarray
        In order C or F; is overwritten with the factors.
    b : (M,) or (M, K) ndarray
        In order F; is overwritten with the solution.

    Returns
    -------
    (M,) or (M, K) ndarray
        `b`.

    Raises
    ------
    ValueError
        For shapes that do not fit, and for arrays that lie otherwise.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import lapack
    >>> lapack.gesv(tn.array([[3.0, 1.0], [1.0, 2.0]]), tn.array([9.0, 8.0]))
    array([2., 3.])
    """
    a, b = _check(a, b)
    if not (a.flags.c_contiguous or a.flags.f_contiguous):
        raise ValueError(f"a must lie in order C or F without gaps (its strides: {a.strides})")
    if not b.flags.f_contiguous:
        raise ValueError(f"b must lie in order F (its strides: {b.strides})")
    factors, pivots = _core._linalg_lu(a)
    b[...] = _core._linalg_lu_solve(factors, pivots, b, 0)
    a[...] = factors
    return b


@beside
def gels(a, b):
    """The least-squares solution of ``a x = b`` for matrices of full rank, by a QR decomposition.

    Parameters
    ----------
    a : (M, N) ndarray
    b : (M,) or (M, K) ndarray

    Returns
    -------
    (N,) or (N, K) ndarray
        Of the least norm where M < N.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import lapack
    >>> a = tn.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> tn.around(lapack.gels(a, tn.array([1.0, 3.0, 5.0])), 6)
    array([2., 1.])
    """
    a, b = _check(a, b, is_square=False)
    m, n = a.shape
    if m >= n:
        q, r = qr(a)
        return _core._linalg_triangular(r, matrix_transpose(q).conj() @ b, 0, True, False)
    q, r = qr(matrix_transpose(a).conj())
    return q @ _core._linalg_triangular(r, b, 2, True, False)


@beside
def posv(a, b):
    """Solve ``a x = b`` for Hermitian positive definite matrices.

    Parameters
    ----------
    a : (..., M, M) ndarray
    b : (..., M) or (..., M, K) ndarray
        A vector, or matrices, for each matrix of a.

    Returns
    -------
    ndarray
        Of the shape of b.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite (on cuda at the next call that waits).

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import lapack
    >>> lapack.posv(tn.array([[4.0, 2.0], [2.0, 2.0]]), tn.array([8.0, 6.0]))
    array([1., 2.])
    """
    a, b = _stacks(a, b)
    return _solve_by_factor(cholesky(a), b, False)


@beside
def potrs(L, b, lower):
    """Solve ``a x = b`` with the Cholesky factor of a.

    Parameters
    ----------
    L : (..., M, M) ndarray
    b : (..., M) or (..., M, K) ndarray
        A vector, or matrices, for each matrix of L. Is overwritten with the solution if it is of
        the dtype that both promote to.
    lower : bool
        Whether L is the lower triangle, ``a = L L*``, or the upper, ``a = L* L``.

    Returns
    -------
    (..., M) or (..., M, K) ndarray
        `b`, or a new array of the common dtype.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import lapack
    >>> lapack.potrs(tn.array([[2.0, 0.0], [1.0, 1.0]]), tn.array([8.0, 6.0]), True)
    array([1., 2.])
    """
    L, b = _stacks(L, b)
    b[...] = _solve_by_factor(L, b, not lower)
    return b
