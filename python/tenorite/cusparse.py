"""Operations of sparse matrices by the names of CuPy's cupyx.cusparse, over Tenorite's own forms.

Matrices are those of tenorite.scipy.sparse. Everything runs on every backend, and on values of each
dtype that sparse matrices have.
"""

import numpy

from tenorite import _core
from tenorite._arguments import as_array
from tenorite._numpy.sorting import lexsort
from tenorite.cuda import cusparse as _numbers
from tenorite.scipy import sparse
from tenorite.scipy.sparse.linalg import spsolve_triangular

__all__ = [
    "BaseDescriptor", "DnMatDescriptor", "DnVecDescriptor", "MatDescriptor", "SpMatDescriptor", "SpVecDescriptor",
    "check_availability", "coo2csc", "coo2csr", "coosort", "csc2coo", "csc2csr", "csc2csrEx2", "csc2dense", "cscsort",
    "csr2coo", "csr2csc", "csr2cscEx2", "csr2csr_compress", "csr2dense", "csrgeam", "csrgeam2", "csrgemm", "csrgemm2",
    "csrilu02", "csrmm", "csrmm2", "csrmv", "csrsm2", "csrsort", "dense2csc", "dense2csr", "denseToSparse",
    "getVersion", "sparseToDense", "spgeam", "spgemm", "spmm", "spmv", "spsm",
]  # fmt: skip

_LACKED = frozenset({"csrilu02"})


# --- Checks ---


def _is(a, format):
    return sparse.issparse(a) and a.format == format


def _sparse(a, name, formats=("csr",)):
    if not sparse.issparse(a) or a.format not in formats:
        raise TypeError(f"{name} must be a sparse matrix of format {' or '.join(formats)} (actual: {_kind(a)})")
    return a


def _kind(a):
    return f"{a.format} matrix" if sparse.issparse(a) else type(a).__name__


def _dense(x, name, ndims):
    x = as_array(x)
    if x.ndim not in ndims:
        raise ValueError(f"{name} must have {' or '.join(map(str, ndims))} dimensions (actual: {x.ndim})")
    return x


def _turned(a, trans):
    """The matrix, its transpose or its adjoint, as a flag or a letter says."""
    if trans is False or trans == "N":
        return a
    if trans is True or trans == "T":
        return a.T
    if trans == "H":
        return a.T.conj()
    raise ValueError(f"trans must be a bool, 'N', 'T' or 'H' (actual: {trans!r})")


def _scaled(value, alpha, dtype):
    """alpha times an array or a matrix, in a dtype."""
    alpha = alpha.item() if isinstance(alpha, _core.ndarray) else alpha
    return value.astype(dtype, copy=False) if alpha == 1 else value.astype(dtype, copy=False) * dtype.type(alpha)


def _product(a, x, out, alpha, beta, name):
    """alpha a x, or added in place to beta out."""
    if a.shape[1] != x.shape[0]:
        raise ValueError(f"dimension mismatch: {a.shape} times {x.shape}")
    dtype = numpy.result_type(a.dtype, x.dtype)
    made = _scaled(a @ x, alpha, dtype)
    if out is None:
        return made
    if out.shape != made.shape:
        raise ValueError(f"{name} has shape {out.shape} where {made.shape} is needed")
    if out.dtype != dtype:
        raise TypeError(f"{name} has dtype {out.dtype} where {dtype} is needed")
    out[...] = made if beta == 0 else made + _scaled(out, beta, dtype)
    return out


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
    a = _turned(_sparse(a, "a", ("csr", "csc", "coo")), transa)
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
    a = _turned(_sparse(a, "a", ("csr", "csc", "coo")), transa)
    return _product(a, _turned(_dense(b, "b", (2,)), transb), c, alpha, beta, "c")


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
    return csrgemm2(_turned(_sparse(a, "a"), transa).tocsr(), _turned(_sparse(b, "b"), transb).tocsr())


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
    turned = _turned(a, transa)
    is_lower = bool(lower) if turned is a else not lower
    triangle = (sparse.tril if is_lower else sparse.triu)(turned, format="csr")
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
    raise NotImplementedError("csrilu02: there are no incomplete factors without fill-in, see scipy.sparse.linalg.spilu")


# --- Orders ---


def csrsort(x):
    """Sort the columns of every row, in place.

    Parameters
    ----------
    x : csr matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> x = csr_matrix((tn.array([1.0, 2.0]), tn.array([1, 0]), tn.array([0, 2])), shape=(1, 2))
    >>> cusparse.csrsort(x)
    >>> x.indices
    array([0, 1], dtype=int32)
    """
    _sparse(x, "x").sort_indices()


def cscsort(x):
    """Sort the rows of every column, in place.

    Parameters
    ----------
    x : csc matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csc_matrix
    >>> x = csc_matrix((tn.array([1.0, 2.0]), tn.array([1, 0]), tn.array([0, 2])), shape=(2, 1))
    >>> cusparse.cscsort(x)
    >>> x.indices
    array([0, 1], dtype=int32)
    """
    _sparse(x, "x", ("csc",)).sort_indices()


def coosort(x, sort_by="r"):
    """Sort the elements by row ('r') or by column ('c'), in place; equal ones keep their order.

    Parameters
    ----------
    x : coo matrix
    sort_by : {'r', 'c'}, optional

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import coo_matrix
    >>> x = coo_matrix((tn.array([1.0, 2.0]), (tn.array([1, 0]), tn.array([0, 1]))), shape=(2, 2))
    >>> cusparse.coosort(x)
    >>> x.row
    array([0, 1], dtype=int32)
    """
    x = _sparse(x, "x", ("coo",))
    if sort_by not in ("r", "c"):
        raise ValueError(f"sort_by must be 'r' or 'c' (actual: {sort_by!r})")
    keys = (x.col, x.row) if sort_by == "r" else (x.row, x.col)
    order = lexsort(keys)
    x.row, x.col, x.data = x.row[order], x.col[order], x.data[order]


# --- Formats ---


def coo2csr(x):
    """The matrix by compressed rows, made of one by coordinates.

    Parameters
    ----------
    x : coo matrix

    Returns
    -------
    csr matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import coo_matrix
    >>> x = coo_matrix(tn.array([[0.0, 2.0]]))
    >>> cusparse.coo2csr(x).format
    'csr'
    """
    return _sparse(x, "x", ("coo",)).tocsr()


def coo2csc(x):
    """The matrix by compressed columns, made of one by coordinates.

    Parameters
    ----------
    x : coo matrix

    Returns
    -------
    csc matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import coo_matrix
    >>> x = coo_matrix(tn.array([[0.0, 2.0]]))
    >>> cusparse.coo2csc(x).format
    'csc'
    """
    return _sparse(x, "x", ("coo",)).tocsc()


def csr2csc(x):
    """The matrix by compressed columns, made of one by compressed rows.

    Parameters
    ----------
    x : csr matrix

    Returns
    -------
    csc matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> x = csr_matrix(tn.array([[0.0, 2.0]]))
    >>> cusparse.csr2csc(x).format
    'csc'
    """
    return _sparse(x, "x", ("csr",)).tocsc()


csr2cscEx2 = csr2csc


def csc2csr(x):
    """The matrix by compressed rows, made of one by compressed columns.

    Parameters
    ----------
    x : csc matrix

    Returns
    -------
    csr matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csc_matrix
    >>> x = csc_matrix(tn.array([[0.0, 2.0]]))
    >>> cusparse.csc2csr(x).format
    'csr'
    """
    return _sparse(x, "x", ("csc",)).tocsr()


csc2csrEx2 = csc2csr


def csr2coo(x, data, indices):
    """The coordinates of a matrix by compressed rows, with values and indexes that are given.

    Parameters
    ----------
    x : csr matrix
    data : ndarray
        The values.
    indices : ndarray
        The columns of the elements.

    Returns
    -------
    coo matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> x = csr_matrix(tn.array([[0.0, 2.0]]))
    >>> cusparse.csr2coo(x, x.data, x.indices).format
    'coo'
    """
    major = _sparse(x, "x", ("csr",)).tocoo().row
    return sparse.coo_matrix((data, (major, indices)), shape=x.shape)


def csc2coo(x, data, indices):
    """The coordinates of a matrix by compressed columns, with values and indexes that are given.

    Parameters
    ----------
    x : csc matrix
    data : ndarray
        The values.
    indices : ndarray
        The rows of the elements.

    Returns
    -------
    coo matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csc_matrix
    >>> x = csc_matrix(tn.array([[0.0, 2.0]]))
    >>> cusparse.csc2coo(x, x.data, x.indices).format
    'coo'
    """
    major = _sparse(x, "x", ("csc",)).tocoo().col
    return sparse.coo_matrix((data, (indices, major)), shape=x.shape)


def csr2dense(x, out=None):
    """The dense matrix, by columns, of a csr matrix.

    Parameters
    ----------
    x : csr matrix
    out : ndarray, optional
        It gets the result.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> x = csr_matrix(tn.array([[0.0, 2.0]]))
    >>> cusparse.csr2dense(x)
    array([[0., 2.]])
    """
    return sparseToDense(_sparse(x, "x", ("csr",)), out)


def csc2dense(x, out=None):
    """The dense matrix, by columns, of a csc matrix.

    Parameters
    ----------
    x : csc matrix
    out : ndarray, optional
        It gets the result.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csc_matrix
    >>> x = csc_matrix(tn.array([[0.0, 2.0]]))
    >>> cusparse.csc2dense(x)
    array([[0., 2.]])
    """
    return sparseToDense(_sparse(x, "x", ("csc",)), out)


def dense2csr(x):
    """The csr matrix of the elements of a dense one that are not 0.

    Parameters
    ----------
    x : (M, N) ndarray

    Returns
    -------
    csr matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> cusparse.dense2csr(tn.array([[0.0, 2.0]])).nnz
    1
    """
    return denseToSparse(x, "csr")


def dense2csc(x):
    """The csc matrix of the elements of a dense one that are not 0.

    Parameters
    ----------
    x : (M, N) ndarray

    Returns
    -------
    csc matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> cusparse.dense2csc(tn.array([[0.0, 2.0]])).nnz
    1
    """
    return denseToSparse(x, "csc")


def denseToSparse(x, format="csr"):
    """The sparse matrix of the elements of a dense one that are not 0.

    Parameters
    ----------
    x : (M, N) ndarray
    format : {'csr', 'csc', 'coo'}, optional

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> cusparse.denseToSparse(tn.array([[0.0, 2.0]]), 'coo').format
    'coo'
    """
    if format not in ("csr", "csc", "coo"):
        raise TypeError(f"unsupported format {format!r}")
    return getattr(sparse, f"{format}_matrix")(_dense(x, "x", (2,)))


def sparseToDense(x, out=None):
    """The dense matrix, by columns, of a sparse one.

    Parameters
    ----------
    x : csr, csc or coo matrix
    out : ndarray, optional
        It gets the result.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import coo_matrix
    >>> x = coo_matrix(tn.array([[0.0, 2.0]]))
    >>> cusparse.sparseToDense(x)
    array([[0., 2.]])
    """
    made = _sparse(x, "x", ("csr", "csc", "coo")).toarray(order="F")
    if out is None:
        return made
    if out.shape != made.shape or out.dtype != made.dtype:
        raise ValueError(f"out has shape {out.shape} and dtype {out.dtype} where {made.shape} and {made.dtype} are needed")
    out[...] = made
    return out


def csr2csr_compress(x, tol):
    """The matrix without the elements whose absolute value is not above a tolerance.

    Parameters
    ----------
    x : csr matrix
    tol : float

    Returns
    -------
    csr matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> x = csr_matrix(tn.array([[0.5, 2.0]]))
    >>> cusparse.csr2csr_compress(x, 1).toarray()
    array([[0., 2.]])
    """
    x = _sparse(x, "x")
    if x.dtype.char not in "fdFD":
        raise TypeError(f"unsupported dtype: {x.dtype}")
    made = x.copy()
    made.data *= abs(made.data) > tol
    made.eliminate_zeros()
    return made


# --- What there is ---


def check_availability(name):
    """Whether an operation is there.

    Parameters
    ----------
    name : str

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If there is no operation of that name.

    Examples
    --------
    >>> from tenorite import cusparse
    >>> cusparse.check_availability("spmv")
    True
    """
    if name not in __all__ or name[0].isupper():
        raise ValueError(f"No availability information (name: {name})")
    return name not in _LACKED


def getVersion():
    """Not there: cuSPARSE is not used, so that it has no version.

    Examples
    --------
    >>> from tenorite import cusparse
    >>> cusparse.getVersion()
    Traceback (most recent call last):
    ...
    NotImplementedError: sparse matrices are computed by Tenorite's own forms, not by cuSPARSE
    """
    raise NotImplementedError("sparse matrices are computed by Tenorite's own forms, not by cuSPARSE")


# --- Descriptors ---

_VALUE_TYPES = {"f": 0, "d": 1, "F": 4, "D": 5, "e": 2, "b": 3, "B": 8}  # CUDA_R_32F and the others


def _index_type(indexes):
    return _numbers.CUSPARSE_INDEX_64I if indexes.dtype.itemsize == 8 else _numbers.CUSPARSE_INDEX_32I


def _value_type(values):
    try:
        return _VALUE_TYPES[values.dtype.char]
    except KeyError:
        raise TypeError(f"cuSPARSE has no values of dtype {values.dtype}") from None


def _pointer(array):
    return array.data.ptr


class BaseDescriptor:
    """What cuSPARSE would be told of an operand; `get()` says it.

    Parameters
    ----------
    operand : ndarray or sparse matrix
        It is kept.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> vector = cusparse.DnVecDescriptor.create(tn.ones(2))
    >>> isinstance(vector, cusparse.BaseDescriptor), vector.get().size
    (True, 2)
    """

    def __init__(self, operand):
        self.operand = operand

    @classmethod
    def create(cls, operand):
        """The descriptor of an operand."""
        return cls(operand)

    def get(self):
        """The operand's sizes, pointers and types, as a record of tenorite.cuda.cusparse."""
        raise NotImplementedError(f"{type(self).__name__} tells nothing of its operand")


class MatDescriptor(BaseDescriptor):
    """The kind of a matrix: numbers of tenorite.cuda.cusparse.

    Examples
    --------
    >>> from tenorite import cusparse
    >>> from tenorite.cuda import cusparse as numbers
    >>> matrix = cusparse.MatDescriptor.create()
    >>> matrix.set_mat_type(numbers.CUSPARSE_MATRIX_TYPE_TRIANGULAR)
    >>> matrix.set_mat_index_base(numbers.CUSPARSE_INDEX_BASE_ZERO)
    >>> matrix.set_mat_fill_mode(numbers.CUSPARSE_FILL_MODE_UPPER)
    >>> matrix.set_mat_diag_type(numbers.CUSPARSE_DIAG_TYPE_UNIT)
    >>> matrix.get()["fill_mode"]
    1
    """

    def __init__(self):
        super().__init__({"type": 0, "index_base": 0, "fill_mode": 0, "diag_type": 0})

    @classmethod
    def create(cls):
        """The descriptor of a general matrix whose indexes begin at 0."""
        return cls()

    def get(self):
        """The kind: type, index_base, fill_mode and diag_type."""
        return dict(self.operand)

    def set_mat_type(self, typ):
        """Set the type: CUSPARSE_MATRIX_TYPE_..."""
        self.operand["type"] = int(typ)

    def set_mat_index_base(self, base):
        """Set where indexes begin: CUSPARSE_INDEX_BASE_..."""
        self.operand["index_base"] = int(base)

    def set_mat_fill_mode(self, fill_mode):
        """Set the triangle: CUSPARSE_FILL_MODE_..."""
        self.operand["fill_mode"] = int(fill_mode)

    def set_mat_diag_type(self, diag_type):
        """Set the diagonal: CUSPARSE_DIAG_TYPE_..."""
        self.operand["diag_type"] = int(diag_type)


class SpMatDescriptor(BaseDescriptor):
    """A sparse matrix as cuSPARSE would be told of it.

    Parameters
    ----------
    operand : csr, csc or coo matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> cusparse.SpMatDescriptor.create(csr_matrix(tn.eye(3))).get().nnz
    3
    """

    def __init__(self, operand):
        super().__init__(_sparse(operand, "operand", ("csr", "csc", "coo")))

    def get(self):
        """CsrAttributes (of a csc matrix those of its transpose) or CooAttributes."""
        a = self.operand
        rows, columns = reversed(a.shape) if a.format == "csc" else a.shape
        ends = 0, _value_type(a.data)
        if a.format == "coo":
            parts = (a.row, a.col, a.data)
            return _numbers.CooAttributes(rows, columns, a.nnz, *map(_pointer, parts), _index_type(a.row), *ends)
        parts = (a.indptr, a.indices, a.data)
        types = _index_type(a.indptr), _index_type(a.indices)
        return _numbers.CsrAttributes(rows, columns, a.nnz, *map(_pointer, parts), *types, *ends)


class SpVecDescriptor(BaseDescriptor):
    """A sparse vector as cuSPARSE would be told of it.

    Parameters
    ----------
    indices : (N,) ndarray
    values : (N,) ndarray
    size : int

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> cusparse.SpVecDescriptor.create(tn.array([1]), tn.array([2.0]), 5).get().size
    5
    """

    def __init__(self, indices, values, size):
        super().__init__((_dense(indices, "indices", (1,)), _dense(values, "values", (1,)), int(size)))

    @classmethod
    def create(cls, indices, values, size):
        """The descriptor of elements with indices of a vector."""
        return cls(indices, values, size)

    def get(self):
        """SpVecAttributes."""
        indices, values, size = self.operand
        pointers = _pointer(indices), _pointer(values)
        return _numbers.SpVecAttributes(size, values.size, *pointers, _index_type(indices), 0, _value_type(values))


class DnVecDescriptor(BaseDescriptor):
    """A vector as cuSPARSE would be told of it.

    Parameters
    ----------
    operand : (N,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> cusparse.DnVecDescriptor.create(tn.ones(2)).get().size
    2
    """

    def __init__(self, operand):
        super().__init__(_dense(operand, "operand", (1,)))

    def get(self):
        """DnVecAttributes."""
        x = self.operand
        return _numbers.DnVecAttributes(x.size, _pointer(x), _value_type(x))


class DnMatDescriptor(BaseDescriptor):
    """A dense matrix, by columns or by rows, as cuSPARSE would be told of it.

    Parameters
    ----------
    operand : (M, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> cusparse.DnMatDescriptor.create(tn.ones((2, 3), order="F")).get().ld
    2
    """

    def __init__(self, operand):
        super().__init__(_dense(operand, "operand", (2,)))
        if not (operand.flags.c_contiguous or operand.flags.f_contiguous):
            raise ValueError("a matrix for cuSPARSE must be contiguous by rows or by columns")

    def get(self):
        """DnMatAttributes."""
        a = self.operand
        by_columns = a.flags.f_contiguous
        order = _numbers.CUSPARSE_ORDER_COL if by_columns else _numbers.CUSPARSE_ORDER_ROW
        return _numbers.DnMatAttributes(*a.shape, a.shape[not by_columns], _pointer(a), _value_type(a), order)
