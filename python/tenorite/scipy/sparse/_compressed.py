"""Sparse matrices by compressed rows or columns.

What both have is written for lines: the rows of a csr matrix, the columns of a csc matrix. The same
three arrays are a matrix by rows and the transposed one by columns.
"""

import math

import numpy

from tenorite import _core
from tenorite._core import arange, asarray, zeros
from tenorite._numpy.indexing import where
from tenorite.scipy.sparse import _indexing, _rows
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
    upcast,
)
from tenorite.scipy.sparse._base import _Sparse, as_dense
from tenorite.scipy.sparse._combine import _Combined
from tenorite.scipy.sparse._data import _Mathematics


class _Compressed(_Combined, _Mathematics, _indexing._Indexed, _Sparse):
    """A matrix by compressed lines; `format` says which lines."""

    _has_canonical_format = _has_sorted_indices = None  # not known yet

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        self._set_maxprint(maxprint)
        if shape is not None:
            shape = check_shape(shape, self._allow_nd)
        if is_scipy(arg1):
            arg1 = self._from_scipy(arg1)
        if isinstance(arg1, _Sparse):
            self._begin_sparse(arg1.asformat(self.format), shape, dtype, copy)
        elif is_shape(arg1, self._allow_nd):
            self._begin_empty(check_shape(arg1, self._allow_nd), dtype)
        elif isinstance(arg1, tuple) and len(arg1) == 2:
            made = self._like("coo")(arg1, shape=shape, dtype=dtype).asformat(self.format)
            self.__dict__.update(made.__dict__)
        elif isinstance(arg1, tuple) and len(arg1) == 3:
            self._begin_parts(arg1, shape, dtype, copy)
        elif isinstance(arg1, tuple):
            raise ValueError(f"unrecognized {type(self).__name__} constructor input: {arg1}")
        else:
            self._begin_dense(arg1, shape, dtype)

    # --- Construction ---

    def _begin_sparse(self, made, shape, dtype, copy):
        """From a matrix of the format; a shape may be larger than its own across the lines."""
        own = made._shape if len(made._shape) in self._allow_nd else made._shape_as_2d
        shape = own if shape is None else shape
        (lines, across), before = self._swap(*shape), made._swap(*own)
        if lines != before[0] or len(shape) < len(own):
            raise ValueError(f"index pointer size {before[0] + 1} should be {lines + 1}: the shape {own} as {shape}")
        if across < before[1] and made._getnnz() and int(made.indices.max()) >= across:
            raise ValueError(f"indices of a sparse matrix of shape {own} exceed the shape {shape}")
        self._begin((made.data, made.indices, made.indptr), shape, dtype, copy)
        self._has_canonical_format, self._has_sorted_indices = made._has_canonical_format, made._has_sorted_indices

    def _from_scipy(self, matrix):
        matrix = matrix.asformat(self.format)
        parts = (asarray(matrix.data), asarray(matrix.indices), asarray(matrix.indptr))
        return self._make(parts, matrix.shape)

    def _begin_empty(self, shape, dtype):
        self._shape = shape
        lines, across = self._swap(*shape)
        index = index_dtype(max(shape))
        self.data = zeros(0, check_dtype(numpy.float64 if dtype is None else dtype))
        self.indices, self.indptr = zeros(0, index), zeros(lines + 1, index)
        self._has_canonical_format = self._has_sorted_indices = True

    def _begin_parts(self, parts, shape, dtype, copy):
        """From (data, indices, indptr), checked as far as sizes tell."""
        data = as_values(parts[0], dtype)
        indices, indptr = as_indexes(parts[1], "indices"), as_indexes(parts[2], "indptr")
        if data.ndim != 1 or indices.ndim != 1 or indptr.ndim != 1:
            raise ValueError("data, indices, and indptr should be 1-D")
        if data.size != indices.size:
            raise ValueError("indices and data should have the same size")
        if shape is None:
            if indptr.size == 0:
                raise ValueError("unable to infer matrix dimensions: indptr is empty")
            across = int(indices.max()) + 1 if indices.size else 0
            shape = check_shape(self._swap(indptr.size - 1, across))
        lines, across = self._swap(*shape)
        ends = indptr[:: max(indptr.size - 1, 1)].tolist() or [0]
        if ends[0]:
            raise ValueError("index pointer should start with 0")
        last = ends[-1]
        if last > data.size:
            raise ValueError(
                "Last value of index pointer should be less than the size of index and data arrays: the last index "
                f"pointer is {last}, and there are {data.size} elements"
            )
        if indptr.size != lines + 1:
            raise ValueError(f"index pointer size ({indptr.size}) should be ({lines + 1})")
        if 0 <= last < data.size:
            data, indices = data[:last], indices[:last]
        index = self._index_dtype(max(*shape, data.size), indices, indptr)
        for name, one, most in (("indices", indices, across - 1), ("indptr", indptr, data.size)):
            if (
                one.dtype.itemsize > index.itemsize
                and one.size
                and not (0 <= int(one.min()) and int(one.max()) <= most)
            ):
                raise ValueError(f"{name} of a sparse matrix must lie between 0 and {most}")
        self._begin((data, indices.astype(index, copy=False), indptr.astype(index, copy=False)), shape, dtype, copy)

    def _begin(self, parts, shape, dtype, copy):
        data, indices, indptr = parts
        wanted = data.dtype if dtype is None else check_dtype(dtype)
        self.data = data.astype(wanted, copy=copy)
        self.indices = indices.copy() if copy else indices
        self.indptr = indptr.copy() if copy else indptr
        self._shape = shape
        self._has_canonical_format = self._has_sorted_indices = None

    def _begin_dense(self, value, shape, dtype):
        dense = as_dense(value)
        if dense is None:
            try:
                dense = asarray(value)
            except (TypeError, ValueError):
                raise ValueError("Unsupported initializer format") from None
        dense = self._as_allowed(dense)
        if shape is not None and len(shape) > dense.ndim:
            dense = dense[None]
        if shape is not None and shape != dense.shape:
            raise ValueError(f"inconsistent shapes: {dense.shape} != {shape}")
        dense = dense.astype(check_dtype(dense.dtype if dtype is None else dtype), copy=False)
        lines = dense if dense.ndim == 2 else dense[None]
        lines = lines if self.format == "csr" else lines.T
        row, column = lines.nonzero()
        index = index_dtype(max(*dense.shape, row.size))
        indptr = row.searchsorted(arange(lines.shape[0] + 1)).astype(index)
        self.data, self.indices, self.indptr = lines[row, column], column.astype(index), indptr
        self._shape = dense.shape
        self._has_canonical_format = self._has_sorted_indices = True

    @classmethod
    def _make(cls, parts, shape, is_canonical=None, is_sorted=None):
        made = object.__new__(cls)
        made.data, made.indices, made.indptr = parts
        made._shape = tuple(shape)
        made._has_canonical_format = is_canonical
        made._has_sorted_indices = is_canonical or is_sorted
        return made

    @classmethod
    def _from_parts(cls, data, indices, indptr, shape, has_canonical_format=None, has_sorted_indices=None):
        """CuPy's name for a matrix of arrays of which no element is looked at."""
        shape = check_shape(shape, cls._allow_nd)
        check_parts(shape, data, indices=indices, indptr=indptr)
        if data.size != indices.size:
            raise ValueError(f"data and indices must have the same length, not {data.size} and {indices.size}")
        if has_canonical_format and has_sorted_indices is False:
            raise ValueError("what is in canonical format has sorted indices: has_sorted_indices can't be False")
        made = cls._make((data, indices, indptr), shape, has_canonical_format, has_sorted_indices)
        lines, _ = made._swap(*shape)
        if indptr.size != lines + 1:
            raise ValueError(f"indptr has {indptr.size} elements, not {lines + 1}: one more than the major axis")
        return made

    def _with_data(self, data, copy=True):
        parts = (data, self.indices.copy(), self.indptr.copy()) if copy else (data, self.indices, self.indptr)
        return self._make(parts, self._shape, self._has_canonical_format, self._has_sorted_indices)

    @property
    def _parts(self):
        """The matrix by rows that has these arrays."""
        return (*self._swap(*self._shape), self.data, self.indices, self.indptr)

    # --- Structure ---

    def _inspect(self):
        found = _rows.inspect(self._parts)
        if found & _rows.BROKEN:
            raise ValueError(
                "the structure of a sparse matrix is broken: indptr must ascend from 0 to no more than the number "
                "of elements, and indices must be in range"
            )
        self._has_sorted_indices = not found & _rows.UNSORTED
        self._has_canonical_format = found == 0

    @property
    def has_canonical_format(self):
        """Whether the elements of every line are sorted and none is there twice."""
        if self._has_canonical_format is None:
            self._inspect()
        return self._has_canonical_format

    @has_canonical_format.setter
    def has_canonical_format(self, value):
        self._has_canonical_format = bool(value)
        if value:
            self._has_sorted_indices = True

    @property
    def has_sorted_indices(self):
        """Whether the elements of every line are sorted."""
        if self._has_sorted_indices is None:
            self._inspect()
        return self._has_sorted_indices

    @has_sorted_indices.setter
    def has_sorted_indices(self, value):
        self._has_sorted_indices = bool(value)

    def check_format(self, full_check=True):
        """ValueError where the structure is broken.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.check_format()
        """
        lines, _ = self._swap(*self._shape)
        if self.indptr.size != lines + 1:
            raise ValueError(f"index pointer size {self.indptr.size} should be {lines + 1}")
        if int(self.indptr[0]) != 0:
            raise ValueError("index pointer should start with 0")
        if full_check:
            self._inspect()

    def sort_indices(self):
        """Sorts the elements of every line, in place.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.sort_indices()
        >>> A.indices
        array([0, 0, 1], dtype=int32)
        """
        if self.has_sorted_indices:
            return
        self.data, self.indices = self.data.copy(), self.indices.copy()
        _rows.sort(self._parts)
        self._has_sorted_indices, self._has_canonical_format = True, None

    def sorted_indices(self):
        """A copy with sorted lines.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.sorted_indices().indices
        array([0, 0, 1], dtype=int32)
        """
        made = self.copy()
        made.sort_indices()
        return made

    def sum_duplicates(self):
        """Sums elements that are there twice, in place; lines are sorted then.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.sum_duplicates()
        """
        if self.has_canonical_format:
            return
        self.sort_indices()
        if not self.has_canonical_format:
            self.data, self.indices, self.indptr = _rows.unite(self._parts)
            self._has_canonical_format = True

    def eliminate_zeros(self):
        """Leaves out elements that are stored and 0, in place.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.eliminate_zeros()
        >>> A.nnz
        3
        """
        self.data, self.indices, self.indptr = _rows.without_zeros(self._parts)

    def prune(self):
        """Leaves out what lies after the last element, in place.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.prune()
        """
        n = self._getnnz()
        self.data, self.indices = self.data[:n], self.indices[:n]

    def _united(self):
        """The matrix itself or a copy without duplicates, with sorted lines."""
        if self.has_canonical_format:
            return self
        made = self.copy()
        made.sum_duplicates()
        return made

    def _getnnz(self, axis=None):
        axis = check_axis(axis, self.ndim)
        if axis is None:
            return int(self.data.size) if self.indptr.size == 0 else int(self.indptr[-1])
        if (axis == 1) == (self.format == "csr"):
            return self.indptr[1:] - self.indptr[:-1]
        _, across = self._swap(*self._shape)
        n = self._getnnz()
        return _core.bincount(self.indices[:n], minlength=across).astype(self.indptr.dtype)

    def _stored(self):
        return self.data[: self._getnnz()]

    # --- Conversions ---

    def transpose(self, axes=None, copy=False):
        """The transposed matrix, of the other format: it shares the arrays unless it is a copy.

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.transpose().toarray()
        array([[1., 2.],
               [0., 3.]])
        """
        check_transposition(axes)
        parts = (self.data, self.indices, self.indptr)
        if copy:
            parts = tuple(one.copy() for one in parts)
        kind = self._other_kind()
        return kind._make(parts, self._shape[::-1], self._has_canonical_format, self._has_sorted_indices)

    def tocsr(self, copy=False):
        """The same matrix by compressed rows: itself if it is one, or a copy.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csc_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsr().format
        'csr'
        """
        return self._by_lines("csr", copy)

    def tocsc(self, copy=False):
        """The same matrix by compressed columns: itself if it is one, or a copy.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsc().format
        'csc'
        """
        return self._by_lines("csc", copy)

    def _by_lines(self, format, copy):
        if self.format != format:
            return self._to_other()
        return self.copy() if copy else self

    def _other_kind(self):
        """The class by columns of one by rows, and the other way round."""
        return self._like("csc" if self.format == "csr" else "csr")

    def _to_other(self):
        """The same matrix by the other lines."""
        kind = self._other_kind()
        parts = _rows.transpose(self._trimmed()._parts)
        return kind._make(parts, self._shape, self._has_canonical_format or None, True)

    def _trimmed(self):
        """The matrix without what lies after the last element."""
        n = self._getnnz()
        if n == self.data.size == self.indices.size:
            return self
        return self._make(
            (self.data[:n], self.indices[:n], self.indptr),
            self._shape,
            self._has_canonical_format,
            self._has_sorted_indices,
        )

    def tocoo(self, copy=True):
        """The same matrix as coordinates.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocoo().format
        'coo'
        """
        made = self._trimmed()
        line = _rows.row_of_elements(made._parts).astype(self.indices.dtype)
        row, column = self._swap(line, made.indices)
        data = made.data
        if copy:
            data, row, column = data.copy(), row.copy(), column.copy()
        is_canonical = bool(self._has_canonical_format) and self.format == "csr"
        return self._like("coo")._make(data, row, column, self._shape, is_canonical)

    def _add_to(self, out):
        rows = out if out.ndim == 2 else out[None]
        _rows.scatter(self._parts, rows if self.format == "csr" else rows.T)

    def get(self, stream=None):
        """The matrix as one of SciPy's in the host's memory.

        stream: the stream on which elements are copied; the current one without.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.get().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        kind = getattr(scipy_sparse(), type(self).__name__)
        self._inspect()  # SciPy reads a broken structure as if it were good
        parts = tuple(one.get(stream) for one in (self.data, self.indices, self.indptr))
        made = kind(parts, shape=self._shape)
        if self._has_sorted_indices is not None:
            made.has_sorted_indices = self._has_sorted_indices
        return made

    def set(self, value, stream=None):
        """Takes the elements of a matrix of SciPy's of the same shape and format.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.set(2 * A.get())
        >>> A.toarray()
        array([[2., 0.],
               [4., 6.]])
        """
        if not is_scipy(value) or value.format != self.format or value.shape != self.shape:
            raise TypeError(f"set() takes one of SciPy's {self.format} matrices of shape {self.shape}")
        self.__dict__.update(self._from_scipy(value.astype(self.dtype)).__dict__)

    def diagonal(self, k=0):
        """The k-th diagonal as an array.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.diagonal()
        array([1., 3.])
        """
        rows, columns = self._shape
        if k <= -rows or k >= columns:
            return zeros(0, self.dtype)
        made = self.tocoo(copy=False)
        mask = made.col.astype(numpy.int64) - made.row == k
        diagonal = zeros(min(rows + min(k, 0), columns - max(k, 0)), self.dtype)
        _core.add.at(diagonal, made.row[mask] + min(k, 0), made.data[mask])
        return diagonal

    def setdiag(self, values, k=0):
        """Sets the k-th diagonal, to a number or to the elements of an array.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.setdiag(5)
        >>> A.toarray()
        array([[5., 0.],
               [2., 5.]])
        """
        rows, columns = self._shape
        if k <= -rows or k >= columns:
            raise ValueError("k exceeds array dimensions")
        first = (max(-k, 0), max(k, 0))
        n = min(rows - first[0], columns - first[1])
        values = values if is_dense(values) else asarray(values)
        if values.ndim == 0:
            values = values.reshape(1).repeat(n)
        if values.ndim != 1:
            raise ValueError(f"values must be 0-d or 1-d, not of {values.ndim} axes")
        n = min(n, values.size)
        places = arange(n)
        if n:
            self._put(places + first[0], places + first[1], values[:n].astype(self.dtype, copy=False))

    # --- Products ---

    def _matmul_dense(self, dense):
        made = _rows.multiply(self._parts, dense, self.format == "csc")
        return made if len(self._shape) == 2 else made[0]

    def _matmul_sparse(self, other):
        other = other.asformat(self.format)
        dtype = upcast(self.dtype, other.dtype)
        left, right = self._swap(self, other)
        left, right = (one.astype(dtype, copy=False)._parts for one in (left, right))
        return self._make(_rows.product(left, right), (self._shape[0], other._shape[1]))

    def _line_sums(self, axis):
        return _rows.sums(self._parts, (axis == 0) == (self.format == "csr"))

    # --- The largest and the smallest ---

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
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.max()
        array(3.)
        >>> A.max(axis=0).toarray()
        array([[2., 3.]])
        """
        return self._extreme("maximum", axis, out, explicit)

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
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.min()
        array(0.)
        >>> A.min(axis=0).toarray()
        array([[1., 0.]])
        """
        return self._extreme("minimum", axis, out, explicit)

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
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.argmax(axis=0)
        array([[1, 1]])
        """
        return self._place("argmax", axis, out, explicit)

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
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.argmin(axis=0)
        array([[0, 0]])
        """
        return self._place("argmin", axis, out, explicit)

    def _extreme(self, name, axis, out, explicit):
        if out is not None:
            raise ValueError("Sparse arrays do not support an 'out' parameter.")
        axis = check_axis(axis, self.ndim)
        fold = getattr(_core, name)
        if axis is None:
            if 0 in self._shape:
                raise ValueError("zero-size array to reduction operation")
            made = self._united()
            stored = made._stored()
            if not stored.size:
                return zeros((), self.dtype)
            found = fold.reduce(stored)
            is_full = stored.size == math.prod(self._shape)
            return found if explicit or is_full else fold(found, found.dtype.type(0))
        if self._shape[axis] == 0:
            raise ValueError("zero-size array to reduction operation")
        lines = (self.tocsr() if axis == 1 else self.tocsc())._united()
        return self._sparse_line(_fold_lines(lines, fold, explicit), axis)

    def _sparse_line(self, dense, axis):
        """A result along an axis: a sparse matrix of one row or column, an array of one axis."""
        if self._is_array:
            return self._like("coo")(dense)
        return self._like("coo")(dense[None] if axis == 0 else dense[:, None])

    def _place(self, name, axis, out, explicit):
        if out is not None:
            raise ValueError("Sparse types do not support an 'out' parameter.")
        axis = check_axis(axis, self.ndim)
        if 0 in self._shape and (axis is None or self._shape[axis] == 0):
            raise ValueError("Cannot apply the operation to zero-sized dimension.")
        if axis is None:
            made = self.reshape(1, -1).tocsr()
            return _place_lines(made._united(), name, explicit)[0]
        lines = (self.tocsr() if axis == 1 else self.tocsc())._united()
        return self._reduced(_place_lines(lines, name, explicit), axis)


def _fold_lines(lines, fold, explicit):
    """The largest (smallest) element of each line; elements that are not stored are 0."""
    counts = lines.indptr[1:] - lines.indptr[:-1]
    _, across = lines._swap(*lines._shape)
    made = zeros(counts.size, lines.dtype)
    filled = counts.nonzero()[0]
    if filled.size:
        folded = fold.reduceat(lines._stored(), lines.indptr[:-1][filled].astype(numpy.int64))
        if not explicit:
            is_full = counts[filled] == across
            folded = where(is_full, folded, fold(folded, folded.dtype.type(0)))
        made[filled] = folded
    return made


def _place_lines(lines, name, explicit):
    """Where the largest (smallest) element of each line is: the first of equal ones."""
    fold = _core.maximum if name == "argmax" else _core.minimum
    count, across = lines._swap(*lines._shape)
    best = _fold_lines(lines, fold, explicit)
    row = _rows.row_of_elements(lines._trimmed()._parts)
    indices = lines._trimmed().indices.astype(numpy.int64)
    stored = lines._stored()
    wanted = best[row]
    is_best = (stored == wanted) | ((stored != stored) & (wanted != wanted))
    places = zeros(count, numpy.int64) + across
    _core.minimum.at(places, row[is_best], indices[is_best])
    if explicit:
        return places % max(across, 1)
    # The first column that a sorted line lacks: elements before it stand at their own column.
    within = arange(row.size) - lines.indptr[:-1].astype(numpy.int64)[row]
    lacking = zeros(count, numpy.int64)
    _core.add.at(lacking, row, (indices == within).astype(numpy.int64))
    has_zero = (best == 0) & (lacking < across)
    return where(has_zero, _core.minimum(places, lacking), places)
