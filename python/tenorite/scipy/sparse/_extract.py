"""Parts of sparse matrices, their axes, and the dtypes of their indexes."""

import operator

import numpy

from tenorite.scipy.sparse._arguments import as_indexes, ndarray
from tenorite.scipy.sparse._base import class_of, issparse
from tenorite.scipy.sparse._construct import _as_coo, _axes, _is_array

# --- Parts ---


def _triangle(A, keeps, format):
    if _is_array(A) and _axes(A) == 1:
        raise ValueError(f"a triangle is a part of two axes, but the array has the shape {A.shape}")
    made = _as_coo(A)
    mask = keeps(made.col.astype(numpy.int64) - made.row)
    kind = class_of("coo", _is_array(A))
    return kind._make(made.data[mask], made.row[mask], made.col[mask], made.shape, made.has_canonical_format).asformat(
        format
    )


def tril(A, k=0, format=None):
    """The lower triangle of a matrix: elements on and below the k-th diagonal.

    Parameters
    ----------
    A : sparse matrix or array
    k : int
    format : str, optional
        The format; 'coo' without.

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.tril(tn.array([[1, 2], [3, 4]])).toarray()
    array([[1, 0],
           [3, 4]])
    """
    return _triangle(A, lambda above: above <= k, format)


def triu(A, k=0, format=None):
    """The upper triangle of a matrix: elements on and above the k-th diagonal.

    Parameters
    ----------
    A : sparse matrix or array
    k : int
    format : str, optional
        The format; 'coo' without.

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.triu(tn.array([[1, 2], [3, 4]])).toarray()
    array([[1, 2],
           [0, 4]])
    """
    return _triangle(A, lambda above: above >= k, format)


def find(A):
    """The elements of a matrix that are not 0: rows, columns and values.

    Parameters
    ----------
    A : sparse matrix or array

    Returns
    -------
    tuple of arrays

    Examples
    --------
    >>> import tenorite as tn
    >>> [one.tolist() for one in tn.scipy.sparse.find(tn.array([[0, 2], [3, 0]]))]
    [[0, 1], [1, 0], [2, 3]]
    """
    made = _as_coo(A).copy()
    made.sum_duplicates()
    mask = made.data != 0
    return made.row[mask], made.col[mask], made.data[mask]


def matrix_transpose(a):
    """The transposed matrix.

    Parameters
    ----------
    a : sparse matrix

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.matrix_transpose(tn.scipy.sparse.eye(2, 3)).shape
    (3, 2)
    """
    return _only_sparse(a).transpose()


def swapaxes(a, axis1, axis2):
    """The matrix with two axes exchanged.

    Parameters
    ----------
    a : sparse matrix
    axis1, axis2 : int

    Returns
    -------
    sparse matrix

    Raises
    ------
    ValueError
        For an axis that a matrix has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.swapaxes(tn.scipy.sparse.eye(2, 3), 0, 1).shape
    (3, 2)
    """
    axes = [0, 1]
    for axis in (axis1, axis2):
        if not -2 <= operator.index(axis) < 2:
            raise ValueError(f"Invalid axis: {axis} of a matrix of two axes")
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return permute_dims(a, axes)


def permute_dims(a, axes=None, copy=False):
    """The matrix with its axes in another order.

    Parameters
    ----------
    a : sparse matrix
    axes : sequence of int, optional
        The order; reversed without.
    copy : bool

    Returns
    -------
    sparse matrix

    Raises
    ------
    ValueError
        For an axis that a matrix has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.permute_dims(tn.scipy.sparse.eye(2, 3), (1, 0)).shape
    (3, 2)
    """
    _only_sparse(a)
    if axes is None:
        return a.transpose(copy=copy)
    axes = [operator.index(axis) % 2 if -2 <= axis < 2 else axis for axis in axes]
    if sorted(axes) != [0, 1]:
        raise ValueError(f"axes {tuple(axes)} are no order of the axes of a matrix")
    if axes == [0, 1]:
        return a.copy() if copy else a
    return a.transpose(copy=copy)


def _only_sparse(a):
    if not issparse(a):
        raise TypeError(f"Input is not sparse: {type(a)}")
    return a


# --- Indexes ---


def get_index_dtype(arrays=(), maxval=None, check_contents=False):
    """The dtype of indexes that holds those of some arrays: int32 or int64.

    Parameters
    ----------
    arrays : array or sequence of arrays
    maxval : int, optional
        The largest value that is needed beside.
    check_contents : bool
        Whether int64 arrays whose elements fit int32 count as such.

    Returns
    -------
    dtype

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.get_index_dtype((), maxval=2**40)
    dtype('int64')
    """
    limit = numpy.iinfo(numpy.int32)
    if maxval is not None and maxval > limit.max:
        return numpy.dtype(numpy.int64)
    if isinstance(arrays, (ndarray, numpy.ndarray)):
        arrays = (arrays,)
    for one in arrays:
        if numpy.can_cast(one.dtype, numpy.int32):
            continue
        if check_contents and (
            one.size == 0 or one.dtype.kind in "iu" and int(one.min()) >= limit.min and int(one.max()) <= limit.max
        ):
            continue
        return numpy.dtype(numpy.int64)
    return numpy.dtype(numpy.int32)


def safely_cast_index_arrays(A, idx_dtype=numpy.int32, msg=""):
    """The index arrays of a matrix in a dtype that holds them, or ValueError.

    Parameters
    ----------
    A : sparse matrix
    idx_dtype : dtype
    msg : str
        What the message says at its end.

    Returns
    -------
    array or tuple of arrays
        indices and indptr; coordinates of coo, offsets of dia.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.scipy.sparse.eye(3, format="csr")
    >>> [one.dtype.name for one in tn.scipy.sparse.safely_cast_index_arrays(a, "int64")]
    ['int64', 'int64']
    """
    idx_dtype = numpy.dtype(idx_dtype)
    most = numpy.iinfo(idx_dtype).max
    if max(A.shape) > most or A.nnz > most:
        raise ValueError(f"indptr or shape values too large for {msg or idx_dtype}")
    if A.format in ("csr", "csc"):
        return A.indices.astype(idx_dtype, copy=False), A.indptr.astype(idx_dtype, copy=False)
    if A.format == "coo":
        return A.row.astype(idx_dtype, copy=False), A.col.astype(idx_dtype, copy=False)
    if A.format == "dia":
        return as_indexes(A.offsets, "offsets", idx_dtype)
    raise TypeError(f"Format {A.format} is not associated with index arrays")
