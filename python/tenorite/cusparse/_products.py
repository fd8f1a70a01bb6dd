"""Products, sums and triangular systems."""

import numpy

from tenorite.cusparse._checks import _dense, _product, _scaled, _sparse, _transposed
from tenorite.scipy import sparse
from tenorite.scipy.sparse.linalg import spsolve_triangular

# --- Products ---


def csrmv(a, x, y=None, alpha=1, beta=0, transa=False):
    """The product ``alpha op(a) x + beta y`` with a vector.

    Parameters
    ----------
    a : csr or csc matrix
    x : (N,) ndarray
    y : (M,) ndarray, optional
        It gets the result.
    alpha, beta : scalar, optional
    transa : bool, optional
        Whether a is transposed.

    Returns
    -------
    (M,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> cusparse.csrmv(csr_matrix(tn.array([[1.0, 2.0], [0.0, 3.0]])), tn.array([1.0, 1.0]), alpha=2)
    array([6., 6.])
    """
    return spmv(_sparse(a, "a", ("csr", "csc")), x, y, alpha, beta, transa)


def spmv(a, x, y=None, alpha=1, beta=0, transa=False):
    """The product ``alpha op(a) x + beta y`` with a vector, of a csr, csc or coo matrix.

    Parameters
    ----------
    a : csr, csc or coo matrix
    x : (N,) ndarray
    y : (M,) ndarray, optional
        It gets the result.
    alpha, beta : scalar, optional
    transa : bool, optional
        Whether a is transposed.

    Returns
    -------
    (M,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import coo_matrix
    >>> cusparse.spmv(coo_matrix(tn.array([[1.0, 2.0], [0.0, 3.0]])), tn.array([1.0, 1.0]), transa=True)
    array([1., 5.])
    """
    a = _transposed(_sparse(a, "a", ("csr", "csc", "coo")), transa)
    return _product(a, _dense(x, "x", (1,)), y, alpha, beta, "y")


def csrmm(a, b, c=None, alpha=1, beta=0, transa=False):
    """The product ``alpha op(a) b + beta c`` with a dense matrix.

    Parameters
    ----------
    a : csr or csc matrix
    b : (N, K) ndarray
    c : (M, K) ndarray, optional
        It gets the result.
    alpha, beta : scalar, optional
    transa : bool, optional
        Whether a is transposed.

    Returns
    -------
    (M, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> cusparse.csrmm(csr_matrix(tn.array([[1.0, 2.0], [0.0, 3.0]])), tn.eye(2))
    array([[1., 2.],
           [0., 3.]])
    """
    return spmm(_sparse(a, "a", ("csr", "csc")), b, c, alpha, beta, transa)


def csrmm2(a, b, c=None, alpha=1, beta=0, transa=False, transb=False):
    """The product ``alpha op(a) op(b) + beta c`` with a dense matrix.

    Parameters
    ----------
    a : csr or csc matrix
    b : (N, K) ndarray
    c : (M, K) ndarray, optional
        It gets the result.
    alpha, beta : scalar, optional
    transa, transb : bool, optional
        Whether a and b are transposed.

    Returns
    -------
    (M, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> cusparse.csrmm2(csr_matrix(tn.array([[0.0, 2.0]])), tn.array([[1.0, 2.0]]), transb=True)
    array([[4.]])
    """
    return spmm(_sparse(a, "a", ("csr", "csc")), b, c, alpha, beta, transa, transb)


def spmm(a, b, c=None, alpha=1, beta=0, transa=False, transb=False):
    """The product ``alpha op(a) op(b) + beta c`` with a dense matrix, of a csr, csc or coo matrix.

    Parameters
    ----------
    a : csr, csc or coo matrix
    b : (N, K) ndarray
    c : (M, K) ndarray, optional
        It gets the result.
    alpha, beta : scalar, optional
    transa, transb : bool, optional
        Whether a and b are transposed.

    Returns
    -------
    (M, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> cusparse.spmm(csr_matrix(tn.array([[1.0, 2.0], [0.0, 3.0]])), tn.eye(2), alpha=10)
    array([[10., 20.],
           [ 0., 30.]])
    """
    a = _transposed(_sparse(a, "a", ("csr", "csc", "coo")), transa)
    return _product(a, _transposed(_dense(b, "b", (2,)), transb), c, alpha, beta, "c")


def csrgemm(a, b, transa=False, transb=False):
    """The product ``op(a) op(b)`` of two csr matrices.

    Parameters
    ----------
    a, b : csr matrix
    transa, transb : bool, optional
        Whether a and b are transposed.

    Returns
    -------
    csr matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> a = csr_matrix(tn.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> cusparse.csrgemm(a, a).toarray()
    array([[1., 8.],
           [0., 9.]])
    """
    return csrgemm2(_transposed(_sparse(a, "a"), transa).tocsr(), _transposed(_sparse(b, "b"), transb).tocsr())


def csrgemm2(a, b, d=None, alpha=1, beta=1):
    """The product ``alpha a b + beta d`` of csr matrices.

    Parameters
    ----------
    a, b : csr matrix
    d : csr matrix, optional
    alpha, beta : scalar, optional

    Returns
    -------
    csr matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> a = csr_matrix(tn.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> cusparse.csrgemm2(a, a, a, beta=-1).toarray()
    array([[0., 6.],
           [0., 6.]])
    """
    a, b = _sparse(a, "a"), _sparse(b, "b")
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"dimension mismatch: {a.shape} times {b.shape}")
    dtype = numpy.result_type(a.dtype, b.dtype)
    made = _scaled(a @ b, alpha, dtype)
    made.sum_duplicates()
    return made if d is None else made + _scaled(_sparse(d, "d"), beta, dtype)


def spgemm(a, b, alpha=1):
    """The product ``alpha a b`` of two csr matrices.

    Parameters
    ----------
    a, b : csr matrix
    alpha : scalar, optional

    Returns
    -------
    csr matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> a = csr_matrix(tn.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> cusparse.spgemm(a, a, alpha=2).toarray()
    array([[ 2., 16.],
           [ 0., 18.]])
    """
    return csrgemm2(a, b, alpha=alpha)


# --- Sums ---


def csrgeam(a, b, alpha=1, beta=1):
    """The sum ``alpha a + beta b`` of two csr matrices.

    Parameters
    ----------
    a, b : csr matrix
        Of one shape.
    alpha, beta : scalar, optional

    Returns
    -------
    csr matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> a = csr_matrix(tn.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> cusparse.csrgeam(a, a, beta=10).toarray()
    array([[11., 22.],
           [ 0., 33.]])
    """
    a, b = _sparse(a, "a"), _sparse(b, "b")
    if a.shape != b.shape:
        raise ValueError(f"inconsistent shapes: {a.shape} and {b.shape}")
    dtype = numpy.result_type(a.dtype, b.dtype)
    return _scaled(a, alpha, dtype) + _scaled(b, beta, dtype)


csrgeam2 = spgeam = csrgeam


# --- Triangular systems ---


def spsm(a, b, alpha=1.0, lower=True, unit_diag=False, transa=False):
    """Solve ``op(a) x = alpha b`` with a triangular matrix.

    Parameters
    ----------
    a : csr, csc or coo matrix
        N x N.
    b : (N,) or (N, K) ndarray
    alpha : scalar, optional
    lower : bool, optional
        Whether a is a lower triangle.
    unit_diag : bool, optional
        Whether the diagonal counts as ones.
    transa : bool or {'N', 'T', 'H'}, optional
        Whether a is transposed.

    Returns
    -------
    (N,) or (N, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> cusparse.spsm(csr_matrix(tn.array([[2.0, 0.0], [1.0, 4.0]])), tn.array([2.0, 9.0]))
    array([1., 2.])
    """
    a, b = _sparse(a, "a", ("csr", "csc", "coo")), _dense(b, "b", (1, 2))
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"mismatched shape: {a.shape}")
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"dimension mismatch: {a.shape} and {b.shape}")
    if a.dtype.char not in "fdFD":
        raise TypeError(f"unsupported dtype: {a.dtype}")
    if a.dtype != b.dtype:
        raise TypeError(f"dtype mismatch: {a.dtype} and {b.dtype}")
    of_a = _transposed(a, transa)
    is_lower = bool(lower) if of_a is a else not lower
    triangle = (sparse.tril if is_lower else sparse.triu)(of_a, format="csr")
    return spsolve_triangular(triangle, _scaled(b, alpha, b.dtype), lower=is_lower, unit_diagonal=bool(unit_diag))


def csrsm2(a, b, alpha=1.0, lower=True, unit_diag=False, transa=False, blocking=True, level_info=True):
    """Solve ``op(a) x = alpha b`` with a triangular matrix in place: b becomes x.

    Parameters
    ----------
    a : csr or csc matrix
        N x N.
    b : (N,) or (N, K) ndarray
    alpha : scalar, optional
    lower : bool, optional
        Whether a is a lower triangle.
    unit_diag : bool, optional
        Whether the diagonal counts as ones.
    transa : bool or {'N', 'T', 'H'}, optional
        Whether a is transposed.
    blocking, level_info : bool, optional
        No use is made of them.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> x = tn.array([2.0, 9.0])
    >>> cusparse.csrsm2(csr_matrix(tn.array([[2.0, 0.0], [1.0, 4.0]])), x)
    >>> x
    array([1., 2.])
    """
    b[...] = spsm(_sparse(a, "a", ("csr", "csc")), b, alpha, lower, unit_diag, transa)


def csrilu02(a, level_info=False):
    """Not there: incomplete factors without fill-in (``scipy.sparse.linalg.spilu`` has others).

    Parameters
    ----------
    a : csr matrix
    level_info : bool, optional

    Examples
    --------
    >>> from tenorite import cusparse
    >>> cusparse.check_availability("csrilu02")
    False
    """
    raise NotImplementedError(
        "csrilu02: there are no incomplete factors without fill-in, see scipy.sparse.linalg.spilu"
    )
