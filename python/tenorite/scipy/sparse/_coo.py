"""Sparse matrices as coordinates and values of their elements."""

import numpy

from tenorite import _core
from tenorite._core import arange, asarray, concatenate, zeros
from tenorite._numpy.sets import unique
from tenorite.scipy.sparse import _rows
from tenorite.scipy.sparse._arguments import (
    as_indexes,
    as_values,
    check_axis,
    check_dtype,
    check_parts,
    check_shape,
    check_transposition,
    index_dtype,
    is_dense,
    is_scipy,
    is_shape,
    scipy_sparse,
)
from tenorite.scipy.sparse._base import _Sparse, as_dense
from tenorite.scipy.sparse._data import _Mathematics
from tenorite.scipy.sparse._documents import documented
from tenorite.scipy.sparse._kinds import sparray, spmatrix
from tenorite.scipy.sparse._vectors import _Vectors


class _Coordinates(_Mathematics, _Sparse):
    format = "coo"

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        self._set_maxprint(maxprint)
        if shape is not None:
            shape = check_shape(shape, self._allow_nd)
        if is_scipy(arg1):
            arg1 = self._from_scipy(arg1)
        if isinstance(arg1, _Sparse):
            self._begin_sparse(arg1.tocoo(), shape, dtype, copy)
        elif is_shape(arg1, self._allow_nd):
            self._shape = check_shape(arg1, self._allow_nd)
            index = index_dtype(max(self._shape))
            self.data = zeros(0, check_dtype(numpy.float64 if dtype is None else dtype))
            self.row, self.col = zeros(0, index), zeros(0, index)
            self.has_canonical_format = True
        elif isinstance(arg1, tuple):
            self._begin_parts(arg1, shape, dtype, copy)
        else:
            self._begin_dense(arg1, shape, dtype)

    def _from_scipy(self, matrix):
        made = matrix.tocoo()
        check_shape(made.shape, (1, 2))
        return self._make(*(asarray(one) for one in (made.data, made.row, made.col)), made.shape)

    def _begin_sparse(self, made, shape, dtype, copy):
        """From coordinates; a shape may be larger than theirs."""
        own = made._shape if len(made._shape) in self._allow_nd else made._shape_as_2d
        shape = own if shape is None else shape
        if len(shape) != len(own):
            raise ValueError(f"inconsistent shapes: {own} != {shape}")
        if any(size < before for size, before in zip(shape, own)):
            self._check_places((made.row, made.col), (1,) * (2 - len(shape)) + shape)
        self._begin(made.data, made.row, made.col, shape, dtype, copy)
        self.has_canonical_format = made.has_canonical_format

    @staticmethod
    def _check_places(places, shape):
        """The largest coordinates; ValueError for those that a shape, if there is one, has not."""
        ends = [(int(one.min()), int(one.max())) if one.size else (0, -1) for one in places]
        for name, (least, most), size in zip(("row", "column"), ends, shape or [most + 1 for _, most in ends]):
            if most >= size:
                raise ValueError(f"{name} index exceeds matrix dimensions")
            if least < 0:
                raise ValueError(f"negative {name} index found")
        return [most for _, most in ends]

    def _begin_parts(self, parts, shape, dtype, copy):
        row, column, data, count = self._read_parts(parts, dtype)
        if shape is not None and len(shape) != count:
            raise ValueError(f"mismatching number of index arrays for shape {shape}: {count}")
        if shape is None and data.size == 0:
            raise ValueError("cannot infer dimensions from zero sized index arrays")
        most = self._check_places((row, column), shape and (1,) * (2 - count) + shape)
        if shape is None:
            shape = tuple(one + 1 for one in most[2 - count :])
        self._begin(data, row, column, shape, dtype, copy)

    def _read_parts(self, parts, dtype):
        """Rows, columns and values of (data, coordinates), and how many coordinates there are."""
        try:
            data, places = parts
            places = tuple(places)
        except (TypeError, ValueError):
            if all(isinstance(one, (int, numpy.integer)) for one in parts) and self._is_array:
                raise ValueError(f"coo_array takes shapes of 1-D and 2-D arrays, not {parts}") from None
            raise TypeError("invalid input format") from None
        if len(places) not in self._allow_nd:
            raise TypeError("invalid input format")
        data, column = as_values(data, dtype), as_indexes(places[-1], "column")
        row = as_indexes(places[0], "row") if len(places) == 2 else zeros(column.shape, column.dtype)
        if data.ndim != 1 or row.ndim != 1 or column.ndim != 1:
            raise ValueError("row, column, and data arrays must be 1-D")
        if not data.size == row.size == column.size:
            raise ValueError("row, column, and data array must all be the same length")
        return row, column, data, len(places)

    def _begin(self, data, row, column, shape, dtype, copy):
        index = self._index_dtype(max(shape), row, column)
        self.data = data.astype(data.dtype if dtype is None else check_dtype(dtype), copy=copy)
        self.row, self.col = row.astype(index, copy=copy), column.astype(index, copy=copy)
        self._shape = shape
        self.has_canonical_format = False

    def _begin_dense(self, value, shape, dtype):
        dense = as_dense(value)
        if dense is None:
            try:
                dense = asarray(value)
            except (TypeError, ValueError):
                raise TypeError("invalid input format") from None
        if dense.ndim > 2:
            raise TypeError(f"expected dimension <= 2 array or matrix, not {dense.ndim}")
        dense = self._as_allowed(dense)
        if shape is not None and shape != dense.shape:
            raise ValueError(f"inconsistent shapes: {dense.shape} != {shape}")
        dense = dense.astype(check_dtype(dense.dtype if dtype is None else dtype), copy=False)
        index = index_dtype(max(dense.shape))
        rows = dense if dense.ndim == 2 else dense[None]
        row, column = (one.astype(index, copy=False) for one in rows.nonzero())
        self._begin(rows[row, column], row, column, dense.shape, None, False)
        self.has_canonical_format = True

    @classmethod
    def _make(cls, data, row, column, shape, is_canonical=False):
        made = object.__new__(cls)
        made.data, made.row, made.col = data, row, column
        made._shape = tuple(shape)
        made.has_canonical_format = is_canonical
        return made

    @classmethod
    def _from_parts(cls, data, row, col, shape, has_canonical_format=False):
        """CuPy's name for a matrix of arrays of which no element is looked at."""
        shape = check_shape(shape, cls._allow_nd)
        check_parts(shape, data, row=row, col=col)
        if not data.size == row.size == col.size:
            raise ValueError(f"data, row and col must have the same length, not {data.size}, {row.size} and {col.size}")
        return cls._make(data, row, col, shape, has_canonical_format)

    def _with_data(self, data, copy=True):
        row, column = (self.row.copy(), self.col.copy()) if copy else (self.row, self.col)
        return self._make(data, row, column, self._shape, self.has_canonical_format)

    @property
    def coords(self):
        """The rows and the columns of the elements; of one axis, the places along it."""
        return (self.row, self.col)[2 - len(self._shape) :]

    def _getnnz(self, axis=None):
        axis = check_axis(axis, self.ndim)
        if axis is None:
            return int(self.data.size)
        places = self.col if axis == 0 else self.row
        return _core.bincount(places, minlength=self._shape[1 - axis]).astype(self.row.dtype)

    def tocoo(self, copy=False):
        """The matrix itself, or a copy.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocoo().format
        'coo'
        """
        return self.copy() if copy else self

    def tocsr(self, copy=False):
        """The same matrix by compressed rows; duplicates are summed.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsr().format
        'csr'
        """
        return self._compressed("csr", self._shape_as_2d, self.row, self.col)

    def tocsc(self, copy=False):
        """The same matrix by compressed columns; duplicates are summed.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsc().format
        'csc'
        """
        return self._compressed("csc", self._shape[::-1], self.col, self.row)

    def _compressed(self, format, lines_across, major, minor):
        lines, across = lines_across
        parts = _rows.unite_sorted(lines, across, self.data, major, minor)
        return self._like(format)._make(parts, self._shape, True)

    def todia(self, copy=False):
        """The same matrix by diagonals.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.todia().format
        'dia'
        """
        made = self.copy()
        made.sum_duplicates()
        offset = made.col.astype(numpy.int64) - made.row
        offsets, place = unique(offset, return_inverse=True)
        data = zeros((offsets.size, int(made.col.max()) + 1 if made.col.size else 0), self.dtype)
        if made.data.size:
            data[place, made.col] = made.data
        return self._like("dia")((data, offsets), shape=self._shape)

    def transpose(self, axes=None, copy=False):
        """The transposed matrix; it shares the arrays unless it is a copy.

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.transpose().toarray()
        array([[1., 2.],
               [0., 3.]])
        """
        check_transposition(axes)
        made = self.copy() if copy else self
        return self._make(made.data, made.col, made.row, self._shape[::-1])

    def setdiag(self, values, k=0):
        """Sets the k-th diagonal, to a number or to the elements of an array.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.setdiag(5)
        >>> A.toarray()
        array([[5., 0.],
               [2., 5.]])
        """
        rows, columns = self._shape
        if k <= -rows or k >= columns:
            raise ValueError("k exceeds array dimensions")
        values = values if is_dense(values) else asarray(values)
        if values.ndim > 1:
            raise ValueError(f"values must be 0-d or 1-d, not of {values.ndim} axes")
        first = (max(-k, 0), max(k, 0))
        n = min(rows - first[0], columns - first[1])
        n = min(n, values.size) if values.ndim else n
        index = self.row.dtype
        kept = (self.col - self.row != k) | (_core.minimum(self.row, self.col) >= n)
        places = arange(n, dtype=index)
        new = values[:n] if values.ndim else values.reshape(1).repeat(n)
        self.row = concatenate([self.row[kept], places + first[0]]).astype(index, copy=False)
        self.col = concatenate([self.col[kept], places + first[1]]).astype(index, copy=False)
        self.data = concatenate([self.data[kept], new.astype(self.dtype, copy=False)])
        self.has_canonical_format = False

    def sum_duplicates(self):
        """Sums elements that are there twice, in place; they are sorted by row, then column.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.sum_duplicates()
        """
        if self.has_canonical_format:
            return
        other = self.tocsr().tocoo(copy=False)
        self.data, self.row, self.col = other.data, other.row, other.col
        self.has_canonical_format = True

    def max(self, axis=None, out=None, *, explicit=False):
        """The largest element, or of each column (axis 0) or row (axis 1) as a sparse matrix.

        explicit: only elements that are stored count.

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]])).max()
        array(3.)
        """
        return self.tocsr().max(axis, out, explicit=explicit)

    def min(self, axis=None, out=None, *, explicit=False):
        """The smallest element, or of each column (axis 0) or row (axis 1) as a sparse matrix.

        explicit: only elements that are stored count.

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]])).min()
        array(0.)
        """
        return self.tocsr().min(axis, out, explicit=explicit)

    def argmax(self, axis=None, out=None, *, explicit=False):
        """Where the largest element is: in all elements counted row by row, or in each column
        (axis 0) or row (axis 1).

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]])).argmax(axis=0)
        array([[1, 1]])
        """
        return self.tocsr().argmax(axis, out, explicit=explicit)

    def argmin(self, axis=None, out=None, *, explicit=False):
        """Where the smallest element is: in all elements counted row by row, or in each column
        (axis 0) or row (axis 1).

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]])).argmin(axis=0)
        array([[0, 0]])
        """
        return self.tocsr().argmin(axis, out, explicit=explicit)

    def eliminate_zeros(self):
        """Leaves out elements that are stored and 0, in place.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.eliminate_zeros()
        >>> A.nnz
        3
        """
        mask = self.data != 0
        self.data, self.row, self.col = self.data[mask], self.row[mask], self.col[mask]

    def _add_to(self, out):
        _core.add.at(out, self.coords, self.data)

    def diagonal(self, k=0):
        """The k-th diagonal as an array.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.diagonal()
        array([1., 3.])
        """
        return self.tocsr().diagonal(k)

    def get(self, stream=None):
        """The matrix as one of SciPy's in the host's memory.

        stream: the stream on which elements are copied; the current one without.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.coo_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.get().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        kind = getattr(scipy_sparse(), type(self).__name__)
        data, *places = (one.get(stream) for one in (self.data, *self.coords))
        return kind((data, tuple(places)), shape=self._shape)


@documented
class coo_matrix(_Coordinates, spmatrix):
    """A sparse matrix as coordinates and values of its elements.

    Parameters
    ----------
    arg1
        An array of two axes; a sparse matrix, SciPy's too; a shape; or (data, (row, column)).
        Elements that are there twice count as their sum.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.coo_matrix((tn.array([1, 2]), ([0, 0], [1, 1])), shape=(2, 2)).toarray()
    array([[0, 3],
           [0, 0]])
    """


@documented
class coo_array(_Vectors, _Coordinates, sparray):
    """A sparse array of one axis or two as coordinates and values of its elements.

    Its operators are those of arrays.

    Parameters
    ----------
    arg1
        As of coo_matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.coo_array((2, 3)).nnz
    0
    """

    _allow_nd = (1, 2)


@documented
def isspmatrix_coo(x):
    """Whether an object is a coo_matrix.

    Returns
    -------
    bool

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.isspmatrix_coo(tn.scipy.sparse.coo_matrix((2, 3)))
    True
    """
    return isinstance(x, coo_matrix)
