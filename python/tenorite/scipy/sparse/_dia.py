"""Sparse matrices by diagonals."""

import numpy

from tenorite import _core
from tenorite._core import arange, asarray, zeros
from tenorite.scipy.sparse._arguments import (
    as_indexes,
    check_dtype,
    check_shape,
    check_transposition,
    index_dtype,
    is_scipy,
    is_shape,
    scipy_sparse,
)
from tenorite.scipy.sparse._base import _Sparse, as_dense
from tenorite.scipy.sparse._data import _Mathematics
from tenorite.scipy.sparse._documents import documented
from tenorite.scipy.sparse._kinds import sparray, spmatrix


class _Diagonals(_Mathematics, _Sparse):
    format = "dia"

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        self._set_maxprint(maxprint)
        if shape is not None:
            shape = check_shape(shape)
        if is_scipy(arg1):
            arg1 = arg1.todia()
            arg1 = self._make(asarray(arg1.data), asarray(arg1.offsets), arg1.shape)
        if isinstance(arg1, _Sparse):
            made = arg1.todia()
            self._begin(made.data, made.offsets, made.shape if shape is None else shape, dtype, copy)
        elif is_shape(arg1):
            self._begin(zeros((0, 0), numpy.float64), zeros(0, numpy.int32), check_shape(arg1), dtype, False)
        elif isinstance(arg1, tuple) and len(arg1) == 2:
            if shape is None:
                raise ValueError("expected a shape argument")
            data, offsets = (one if as_dense(one) is not None else asarray(one) for one in arg1)
            self._begin_parts(data, as_indexes(offsets, "offsets"), shape, dtype, copy)
        else:
            try:
                made = self._like("coo")(arg1, shape=shape, dtype=dtype).todia()
            except TypeError:
                raise ValueError("unrecognized form for dia_matrix constructor") from None
            self._begin(made.data, made.offsets, made.shape, None, False)

    def _begin_parts(self, data, offsets, shape, dtype, copy):
        data = data.reshape((1,) * (2 - data.ndim) + data.shape)
        offsets = offsets.reshape(1) if offsets.ndim == 0 else offsets
        if offsets.ndim != 1:
            raise ValueError("offsets array must have rank 1")
        if data.ndim != 2:
            raise ValueError("data array must have rank 2")
        if data.shape[0] != offsets.size:
            raise ValueError(
                f"number of diagonals ({data.shape[0]}) does not match the number of offsets ({offsets.size})"
            )
        ordered = _core.sort(offsets)
        if bool((ordered[1:] == ordered[:-1]).any()):
            raise ValueError("offset array contains duplicate values")
        self._begin(data, offsets, shape, dtype, copy)

    def _begin(self, data, offsets, shape, dtype, copy):
        self.data = data.astype(check_dtype(data.dtype if dtype is None else dtype), copy=copy)
        self.offsets = offsets.astype(index_dtype(max(shape)), copy=copy)
        self._shape = tuple(shape)

    @classmethod
    def _make(cls, data, offsets, shape):
        made = object.__new__(cls)
        made.data, made.offsets, made._shape = data, offsets, tuple(shape)
        return made

    def _with_data(self, data, copy=True):
        return self._make(data, self.offsets.copy() if copy else self.offsets, self._shape)

    def _inside(self):
        """The rows of all stored elements, and which lie in the matrix."""
        rows, columns = self._shape
        column = arange(self.data.shape[1])
        row = column[None] - self.offsets.astype(numpy.int64)[:, None]
        return row, (row >= 0) & (row < rows) & (column < columns)[None]

    def _getnnz(self, axis=None):
        if axis is not None:
            raise NotImplementedError("getnnz over an axis is not implemented for DIA format")
        return int(self._inside()[1].sum())

    def count_nonzero(self, axis=None):
        """The number of elements that are not 0.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.dia_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.count_nonzero()
        3
        """
        if axis is not None:
            raise NotImplementedError("count_nonzero over axis is not implemented for DIA format")
        return int(((self.data != 0) & self._inside()[1]).sum())

    def _stored(self):
        return self.data[self._inside()[1]]

    def todia(self, copy=False):
        """The matrix itself, or a copy.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.dia_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.todia().format
        'dia'
        """
        return self.copy() if copy else self

    def tocoo(self, copy=False):
        """The same matrix as coordinates, without zeros.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.dia_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocoo().format
        'coo'
        """
        row, mask = self._inside()
        diagonal, column = (mask & (self.data != 0)).nonzero()
        index = numpy.result_type(index_dtype(max(self._shape)), self.offsets.dtype)
        data = self.data[diagonal, column]
        row = row[diagonal, column].astype(index)
        return self._like("coo")._make(data, row, column.astype(index), self._shape, False)

    def tocsr(self, copy=False):
        """The same matrix by compressed rows.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.dia_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsr().format
        'csr'
        """
        return self.tocoo().tocsr()

    def tocsc(self, copy=False):
        """The same matrix by compressed columns.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.dia_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsc().format
        'csc'
        """
        return self.tocoo().tocsc()

    def transpose(self, axes=None, copy=False):
        """The transposed matrix.

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.dia_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.transpose().toarray()
        array([[1., 2.],
               [0., 3.]])
        """
        check_transposition(axes)
        rows, columns = self._shape
        # Element k of a diagonal is that of column k: of the transposed one, of row k.
        width = max(rows, 0)
        data = zeros((self.offsets.size, width), self.dtype)
        row, mask = self._inside()
        diagonal, column = mask.nonzero()
        data[diagonal, row[diagonal, column]] = self.data[diagonal, column]
        return self._make(data, -self.offsets, (columns, rows))

    def diagonal(self, k=0):
        """The k-th diagonal as an array.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.dia_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.diagonal()
        array([1., 3.])
        """
        rows, columns = self._shape
        if k <= -rows or k >= columns:
            return zeros(0, self.dtype)
        first, last = max(0, k), min(rows + k, columns)
        made = zeros(last - first, self.dtype)
        found = (self.offsets == k).nonzero()[0]
        if found.size:
            line = self.data[int(found[0])][first:last]
            made[: line.size] = line
        return made

    def get(self, stream=None):
        """The matrix as one of SciPy's in the host's memory.

        stream: the stream on which elements are copied; the current one without.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.dia_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.get().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        kind = getattr(scipy_sparse(), type(self).__name__)
        return kind((self.data.get(stream), self.offsets.get(stream)), shape=self._shape)


@documented
class dia_matrix(_Diagonals, spmatrix):
    """A sparse matrix by diagonals: data[k, j] is the element of column j of diagonal offsets[k].

    Parameters
    ----------
    arg1
        An array of two axes; a sparse matrix, SciPy's too; a shape; or (data, offsets).
    shape : tuple of int, optional
        Needed for (data, offsets).

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.dia_matrix((tn.array([[1, 2, 3]]), [1]), shape=(3, 3)).toarray()
    array([[0, 2, 0],
           [0, 0, 3],
           [0, 0, 0]])
    """


@documented
class dia_array(_Diagonals, sparray):
    """A sparse array by diagonals; its operators are those of arrays.

    Parameters
    ----------
    arg1
        As of dia_matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.dia_array((tn.array([[1.0, 2.0]]), [0]), shape=(2, 2)).diagonal()
    array([1., 2.])
    """


@documented
def isspmatrix_dia(x):
    """Whether an object is a dia_matrix.

    Returns
    -------
    bool

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.isspmatrix_dia(tn.scipy.sparse.eye(3))
    True
    """
    return isinstance(x, dia_matrix)
