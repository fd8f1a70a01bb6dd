"""Orders of elements, and conversions between formats."""

from tenorite._numpy.sorting import lexsort
from tenorite.cusparse._checks import _dense, _sparse
from tenorite.scipy import sparse

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
        raise ValueError(
            f"out has shape {out.shape} and dtype {out.dtype} where {made.shape} and {made.dtype} are needed"
        )
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
