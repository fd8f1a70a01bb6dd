"""What all sparse matrices have, whatever their format."""

import numpy

from tenorite import _core
from tenorite._core import asarray, zeros
from tenorite.scipy.sparse._arguments import (
    check_axis, check_dtype, check_shape, is_dense, is_scalar, is_scipy, ndarray, scalar_dtype, upcast,
)  # fmt: skip


class SparseWarning(Warning):
    """A warning of sparse matrices.

    Examples
    --------
    >>> import tenorite as tn
    >>> issubclass(tn.scipy.sparse.SparseEfficiencyWarning, tn.scipy.sparse.SparseWarning)
    True
    """


class SparseEfficiencyWarning(SparseWarning):
    """A warning of what is slow, or makes a sparse matrix nearly dense.

    Examples
    --------
    >>> import tenorite as tn
    >>> issubclass(tn.scipy.sparse.SparseEfficiencyWarning, Warning)
    True
    """


def as_dense(value):
    """A dense operand: an array, or None for what is none."""
    if isinstance(value, ndarray):
        return value
    return _core._foreign(value)


class _Sparse:
    """A sparse matrix of two axes."""

    format = "und"
    _order = "C"  # of arrays that are made of it
    ndim = 2
    maxprint = 50
    __array_priority__ = 101
    __array_ufunc__ = None  # operators of arrays leave these to the methods here

    # --- What a format has to give ---

    def tocsr(self, copy=False):
        """The same matrix by compressed rows.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsr().format
        'csr'
        """
        raise NotImplementedError(f"a {self.format} matrix as csr")

    def tocoo(self, copy=False):
        """The same matrix as coordinates.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocoo().format
        'coo'
        """
        return self.tocsr().tocoo(copy=copy)

    def tocsc(self, copy=False):
        """The same matrix by compressed columns.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsc().format
        'csc'
        """
        return self.tocsr().tocsc()

    def todia(self, copy=False):
        """The same matrix by diagonals.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.todia().format
        'dia'
        """
        return self.tocoo().todia(copy=copy)

    def asformat(self, format, copy=False):
        """The same matrix in another format: 'coo', 'csr', 'csc', 'dia', or None for its own.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.asformat("coo").format
        'coo'
        """
        if format is None or format == self.format:
            return self.copy() if copy else self
        convert = getattr(self, f"to{format}", None) if isinstance(format, str) else None
        if convert is None:
            raise ValueError(f"Format {format} is unknown.")
        return convert(copy=copy)

    def _like(self, format):
        """The class of another format of the same kind, matrix or array."""
        from tenorite.scipy.sparse import _classes

        return _classes(format, isinstance(self, sparray))

    # --- Attributes ---

    @property
    def shape(self):
        """Rows and columns."""
        return self._shape

    @shape.setter
    def shape(self, shape):
        self._set_shape(shape)

    def _set_shape(self, shape):
        made = self.reshape(shape).asformat(self.format)
        self.__dict__.update(made.__dict__)

    @property
    def dtype(self):
        """The dtype of the values."""
        return self.data.dtype

    @property
    def nnz(self):
        """The number of elements that are stored, explicit zeros among them."""
        return self._getnnz()

    @property
    def size(self):
        """The number of elements that are stored."""
        return self._getnnz()

    @property
    def device(self):
        """The device of the matrix."""
        return self.data.device

    @property
    def T(self):
        """The transposed matrix."""
        return self.transpose()

    @property
    def mT(self):
        """The transposed matrix."""
        return self.transpose()

    @property
    def real(self):
        """The real parts."""
        return self._with_data(self.data.real.copy())

    @property
    def imag(self):
        """The imaginary parts."""
        return self._with_data(self.data.imag.copy())

    def __len__(self):
        raise TypeError("sparse matrix length is ambiguous; use getnnz() or shape[0]")

    def __bool__(self):
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()."
        )

    __hash__ = None

    def __iter__(self):
        for row in range(self.shape[0]):
            yield self[row]

    def __repr__(self):
        name = {"coo": "COOrdinate", "csr": "Compressed Sparse Row", "csc": "Compressed Sparse Column",
                "dia": "DIAgonal"}.get(self.format, self.format)  # fmt: skip
        kind = "array" if isinstance(self, sparray) else "matrix"
        more = f" ({self.data.shape[0]} diagonals)" if self.format == "dia" else ""
        return (f"<{name} sparse {kind} of dtype '{self.dtype}'\n\twith {self.nnz} stored elements{more} "
                f"and shape {self.shape}>")  # fmt: skip

    def __str__(self):
        made = self.get()
        made.maxprint = self.maxprint
        return str(made)

    def __reduce_ex__(self, protocol):
        return _unpickle, (type(self), self.__dict__)

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
        raise NotImplementedError

    # --- Conversions ---

    def toarray(self, order=None, out=None):
        """The matrix as an array of two axes.

        order: 'C' or 'F', how the array lies. out: an array of the matrix' shape and dtype, which
        is filled instead.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        if out is None:
            out = zeros(self.shape, self.dtype, order=order or self._order)
        elif order is not None:
            raise ValueError("order cannot be specified if out is not None")
        elif not is_dense(out) or out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError("out array must be same dtype and shape as sparse array")
        else:
            out[...] = 0
        self._add_to(out)
        return out

    def todense(self, order=None, out=None):
        """The matrix as an array of two axes, as toarray() gives it.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.todense()
        array([[1., 0.],
               [2., 3.]])
        """
        return self.toarray(order, out)

    def _add_to(self, out):
        self.tocsr()._add_to(out)

    def tobsr(self, blocksize=None, copy=False):
        """Not there: there is no format of blocks.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> try:
        ...     A.tobsr()
        ... except NotImplementedError as error:
        ...     print(error)
        the format bsr
        """
        raise NotImplementedError("the format bsr")

    def todok(self, copy=False):
        """Not there: there is no format of dictionaries.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> try:
        ...     A.todok()
        ... except NotImplementedError as error:
        ...     print(error)
        the format dok
        """
        raise NotImplementedError("the format dok")

    def tolil(self, copy=False):
        """Not there: there is no format of lists.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> try:
        ...     A.tolil()
        ... except NotImplementedError as error:
        ...     print(error)
        the format lil
        """
        raise NotImplementedError("the format lil")

    def copy(self):
        """A copy that shares no memory.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.copy().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        return self._with_data(self.data.copy(), copy=True)

    def astype(self, dtype, casting="unsafe", copy=True):
        """The matrix with values of another dtype.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.astype("f").dtype
        dtype('float32')
        """
        dtype = check_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        if not numpy.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"Cannot cast from {self.dtype!r} to {dtype!r} according to the rule '{casting}'")
        return self._with_data(self.data.astype(dtype), copy=copy)

    def conj(self, copy=True):
        """Every element conjugated.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.conj().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        if self.dtype.kind == "c":
            return self._with_data(self.data.conj(), copy=copy)
        return self.copy() if copy else self

    def conjugate(self, copy=True):
        """Every element conjugated.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.conjugate().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        return self.conj(copy=copy)

    def reshape(self, *shape, order="C", copy=False):
        """The same elements in another shape, of which one number may be -1, as coordinates.

        order: 'C' or 'F', how elements are counted.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.reshape(1, 4).toarray()
        array([[1., 0., 2., 3.]])
        """
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            (shape,) = shape
        if order not in ("C", "F"):
            raise ValueError("'order' must be 'C' or 'F'")
        if len(shape) != 2:
            raise ValueError(f"matrix shape must be two-dimensional, not {tuple(shape)}")
        rows, columns = self.shape
        size = rows * columns
        shape = list(shape)
        if shape.count(-1) == 1:
            other = shape[1 - shape.index(-1)]
            if other <= 0 or size % other:
                raise ValueError(f"cannot reshape array of size {size} into shape {tuple(shape)}")
            shape[shape.index(-1)] = size // other
        shape = check_shape(shape)
        if shape[0] * shape[1] != size:
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        if shape == self.shape:
            return self.copy() if copy else self
        made = self.tocoo()
        row, column = made.row.astype(numpy.int64), made.col.astype(numpy.int64)
        if order == "C":
            place = row * columns + column
            row, column = place // shape[1], place % shape[1]
        else:
            place = column * rows + row
            row, column = place % shape[0], place // shape[0]
        return self._like("coo")((made.data, (row, column)), shape=shape, copy=copy)

    def _getnnz(self, axis=None):
        return self.tocsr()._getnnz(axis)

    def count_nonzero(self, axis=None):
        """The number of elements that are not 0; axis 0 or 1: of each column or row.

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.count_nonzero(), A.count_nonzero(axis=0)
        (3, array([2, 1], dtype=int32))
        """
        made = self.tocsr()
        made = made if made.has_canonical_format else made.copy()
        made.sum_duplicates()
        made.eliminate_zeros()
        return made._getnnz(axis)

    def nonzero(self):
        """The rows and the columns of the elements that are not 0.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.nonzero()
        (array([0, 1, 1], dtype=int32), array([0, 0, 1], dtype=int32))
        """
        made = (self if self.format == "coo" else self.tocsr()).tocoo()
        mask = made.data != 0
        return made.row[mask], made.col[mask]

    def diagonal(self, k=0):
        """The k-th diagonal as an array.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.diagonal()
        array([1., 3.])
        """
        return self.tocsr().diagonal(k)

    def trace(self, offset=0):
        """The sum along a diagonal.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.trace()
        array(4.)
        """
        return self.diagonal(k=offset).sum()

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
        made = self.tocsr(copy=True)
        made.setdiag(values, k)
        self._take(made)

    def _take(self, made):
        """Becomes another matrix."""
        self.__dict__.update(made.asformat(self.format).__dict__)

    # --- Sums ---

    def _line_sums(self, axis):
        """The sums of the columns or of the rows."""
        return self.tocsr()._line_sums(axis)

    def sum(self, axis=None, dtype=None, out=None):
        """The sum of all elements, or of each column (axis 0) or row (axis 1).

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.sum()
        array(6.)
        >>> A.sum(axis=1)
        array([[1.],
               [5.]])
        """
        axis = check_axis(axis)
        kind = self.dtype.kind
        wide = self.dtype
        if kind in "bi":
            wide = numpy.promote_types(wide, numpy.int64)
        elif kind == "u":
            wide = numpy.promote_types(wide, numpy.uint64)
        if axis is None:
            made = self._stored().sum(dtype=dtype if dtype is not None else wide)
            if out is not None:
                if out.shape != made.shape:
                    raise ValueError("dimensions do not match")
                out[...] = made
                return out
            return made
        made = self.astype(wide, copy=False)._line_sums(axis)
        return self._reduced(made if dtype is None else made.astype(dtype), axis, out)

    def _stored(self):
        """The values of the elements."""
        return self.data

    def _reduced(self, made, axis, out=None):
        """A result along an axis: of matrices it keeps both axes."""
        if not isinstance(self, sparray):
            made = made[None] if axis == 0 else made[:, None]
        if out is None:
            return made
        if out.shape != made.shape:
            raise ValueError("dimensions do not match")
        out[...] = made
        return out

    def mean(self, axis=None, dtype=None, out=None):
        """The mean of all elements, or of each column (axis 0) or row (axis 1).

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.mean(axis=0)
        array([[1.5, 1.5]])
        """
        axis = check_axis(axis)
        is_integral = self.dtype.kind in "bui"
        wanted = dtype if dtype is not None else numpy.float64 if is_integral else self.dtype
        inner = self.astype(numpy.float64 if is_integral else self.dtype, copy=False)
        total = inner.sum(axis=axis)
        n = self.shape[0] * self.shape[1] if axis is None else self.shape[axis]
        made = (total / n).astype(wanted, copy=False)
        if out is None:
            return made
        if out.shape != made.shape:
            raise ValueError("dimensions do not match")
        out[...] = made
        return out

    # --- Operators ---

    def __neg__(self):
        if self.dtype.kind == "b":
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return self._with_data(-self.data)

    def __pos__(self):
        return self.copy()

    def __abs__(self):
        return self._with_data(abs(self.data))

    def __round__(self, ndigits=0):
        return self._with_data(self.data.round(ndigits))

    def __add__(self, other):
        return self.tocsr().__add__(other)

    def __radd__(self, other):
        return self.__add__(other)

    def __sub__(self, other):
        return self.tocsr().__sub__(other)

    def __rsub__(self, other):
        return self.tocsr().__rsub__(other)

    def __iadd__(self, other):
        return NotImplemented

    def __isub__(self, other):
        return NotImplemented

    def __imul__(self, other):
        if is_scalar(other):
            self.data *= other
            return self
        return NotImplemented

    def __itruediv__(self, other):
        if is_scalar(other):
            self.data /= other
            return self
        return NotImplemented

    def multiply(self, other):
        """The elements times those of a sparse matrix, an array that broadcasts, or a number.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.multiply(2).toarray()
        array([[2., 0.],
               [4., 6.]])
        """
        if is_scalar(other):
            return self._times(other)
        return self.tocsr().multiply(other)

    def _times(self, scalar):
        dtype = scalar_dtype(self.dtype, scalar)
        return self._with_data((self.data * scalar).astype(dtype, copy=False))

    def maximum(self, other):
        """The larger of the elements and those of a matrix or a number.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.maximum(-A).toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        return self.tocsr().maximum(other)

    def minimum(self, other):
        """The smaller of the elements and those of a matrix or a number.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.minimum(-A).toarray()
        array([[-1.,  0.],
               [-2., -3.]])
        """
        return self.tocsr().minimum(other)

    def dot(self, other):
        """The product with a sparse matrix, an array or a number.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.dot(cp.ones(2))
        array([1., 5.])
        """
        if is_scalar(other):
            return self._times(other)
        made = self._matmul(other)
        if made is NotImplemented:
            raise TypeError(f"a sparse matrix times {type(other)}")
        return made

    def __matmul__(self, other):
        if type(other) is ndarray and other.ndim:
            return self._matmul_array(other)
        if is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._matmul(other)

    def __rmatmul__(self, other):
        if is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._rmatmul(other)

    def _matmul(self, other):
        if isinstance(other, _Sparse):
            if self.shape[1] != other.shape[0]:
                raise ValueError(f"dimension mismatch: {self.shape} and {other.shape}")
            return self._matmul_sparse(other)
        dense = as_dense(other)
        if dense is None:
            if is_scipy(other):
                raise TypeError(f"Unsupported type {type(other)}: bring it to the device by tenorite's class first")
            return NotImplemented
        return self._matmul_array(dense)

    def _matmul_array(self, dense):
        if dense.ndim not in (1, 2):
            raise ValueError(f"could not interpret dimensions: a sparse matrix times {dense.ndim} axes")
        if dense.dtype != self.data.dtype:
            upcast(self.dtype, dense.dtype)
        if dense.shape[0] != self._shape[1]:
            raise ValueError(f"dimension mismatch: {self.shape} and {dense.shape}")
        return self._matmul_dense(dense)

    def _matmul_dense(self, dense):
        return self.tocsr()._matmul_dense(dense)

    def _matmul_sparse(self, other):
        return self.tocsr()._matmul_sparse(other)

    def _rmatmul(self, other):
        dense = as_dense(other)
        if dense is None:
            return NotImplemented
        if dense.ndim not in (1, 2):
            raise ValueError(f"could not interpret dimensions: {dense.ndim} axes times a sparse matrix")
        if dense.shape[-1] != self.shape[0]:
            raise ValueError(f"dimension mismatch: {dense.shape} and {self.shape}")
        return (self.T @ dense.T).T

    def __truediv__(self, other):
        if is_scalar(other):
            own = numpy.float64 if self.dtype == numpy.float32 else self.dtype  # as SciPy does
            dtype = numpy.result_type(own, other if not is_dense(other) else other.dtype)
            dtype = upcast(dtype, numpy.float32) if dtype.char in "FDfd" else numpy.float64
            with_float = self.astype(dtype, copy=False)
            return self._with_data(with_float.data / other)
        return self.tocsr().__truediv__(other)

    def __rtruediv__(self, other):
        return NotImplemented

    def __div__(self, other):
        return self.__truediv__(other)

    def __eq__(self, other):
        return self.tocsr().__eq__(other)

    def __ne__(self, other):
        return self.tocsr().__ne__(other)

    def __lt__(self, other):
        return self.tocsr().__lt__(other)

    def __gt__(self, other):
        return self.tocsr().__gt__(other)

    def __le__(self, other):
        return self.tocsr().__le__(other)

    def __ge__(self, other):
        return self.tocsr().__ge__(other)

    def power(self, n, dtype=None):
        """Every element to the power n, a number that is not 0.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.power(2).toarray()
        array([[1., 0.],
               [4., 9.]])
        """
        if not is_scalar(n):
            raise NotImplementedError("input is not scalar")
        if not n:
            raise NotImplementedError(
                "zero power is not supported as it would densify the matrix.\n"
                "Use `np.ones(A.shape, dtype=A.dtype)` for this case."
            )
        data = self._canonical_data()
        return self._with_data((data if dtype is None else data.astype(dtype)) ** n)

    def _canonical_data(self):
        """The values of the elements, none of them in parts."""
        self.sum_duplicates()
        return self.data

    def sum_duplicates(self):
        """Nothing is to be done in a format without duplicates.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.dia_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.sum_duplicates()
        """

    def __getitem__(self, key):
        return self.tocsr()[key]

    def _matrix_power(self, n):
        if self.shape[0] != self.shape[1]:
            raise TypeError("matrix is not square")
        if isinstance(n, bool) or not isinstance(n, (int, numpy.integer)):
            raise ValueError("exponent must be an integer")
        if n < 0:
            raise ValueError("exponent must be >= 0")
        if n == 0:
            from tenorite.scipy.sparse._construct import eye

            return eye(self.shape[0], dtype=self.dtype, format=self.format)
        if n == 1:
            return self.copy()
        half = self._matrix_power(n // 2)
        return self @ (half @ half) if n % 2 else half @ half


class spmatrix(_Sparse):
    """What sparse matrices have beside sparse arrays: ``*`` and ``**`` are matrix products.

    Parameters
    ----------
    *args, **kwargs
        Those of the class of a format; this one has no objects of its own.

    Examples
    --------
    >>> import tenorite as tn
    >>> isinstance(tn.scipy.sparse.eye(3), tn.scipy.sparse.spmatrix)
    True
    """

    def __init__(self, *args, **kwargs):
        if type(self) is spmatrix:
            raise ValueError("This class is not intended to be instantiated directly.")
        super().__init__(*args, **kwargs)

    def __mul__(self, other):
        if type(other) is ndarray and other.ndim:
            return self._matmul_array(other)
        if is_scalar(other):
            return self._times(other)
        return self._matmul(other)

    def __rmul__(self, other):
        if is_scalar(other):
            return self._times(other)
        return self._rmatmul(other)

    def __pow__(self, n):
        return self._matrix_power(n)

    @property
    def A(self):
        """The matrix as an array."""
        return self.toarray()

    @property
    def H(self):
        """The adjoint matrix."""
        return self.getH()

    def getH(self):
        """The adjoint matrix.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.getH().toarray()
        array([[1., 2.],
               [0., 3.]])
        """
        return self.transpose().conj()

    def get_shape(self):
        """Rows and columns.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.get_shape()
        (2, 2)
        """
        return self.shape

    def set_shape(self, shape):
        """Gives the matrix another shape of as many elements.

        Raises
        ------
        ValueError
            For a negative size.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.set_shape((1, 4))
        >>> A.toarray()
        array([[1., 0., 2., 3.]])
        """
        self._set_shape(shape)

    def getformat(self):
        """The format: 'csr' and so on.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.getformat()
        'csr'
        """
        return self.format

    def getmaxprint(self):
        """How many elements are printed at most.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.getmaxprint()
        50
        """
        return self.maxprint

    def getnnz(self, axis=None):
        """The number of elements that are stored; axis 0 or 1: of each column or row.

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.getnnz(), A.getnnz(axis=1)
        (3, array([1, 2], dtype=int32))
        """
        return self._getnnz(axis)

    def asfptype(self):
        """The matrix with values of a float dtype: its own, or the one that holds its integers.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.asfptype().dtype
        dtype('float64')
        """
        if self.dtype.kind in "fc":
            return self
        small = self.dtype.kind == "b" or self.dtype.itemsize <= 2
        return self.astype(numpy.float32 if small else numpy.float64)

    def getrow(self, i):
        """Row i, as a matrix of one row.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.getrow(1).toarray()
        array([[2., 3.]])
        """
        return self.tocsr().getrow(i)

    def getcol(self, j):
        """Column j, as a matrix of one column.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.getcol(0).toarray()
        array([[1.],
               [2.]])
        """
        return self.tocsr().getcol(j)


class sparray(_Sparse):
    """What sparse arrays have beside sparse matrices: ``*`` and ``**`` go element by element.

    Parameters
    ----------
    *args, **kwargs
        Those of the class of a format; this one has no objects of its own.

    Examples
    --------
    >>> import tenorite as tn
    >>> isinstance(tn.scipy.sparse.eye_array(3), tn.scipy.sparse.sparray)
    True
    """

    def __init__(self, *args, **kwargs):
        if type(self) is sparray:
            raise ValueError("This class is not intended to be instantiated directly.")
        super().__init__(*args, **kwargs)

    def __mul__(self, other):
        return self.multiply(other)

    def __rmul__(self, other):
        return self.multiply(other)

    def __pow__(self, n):
        return self.power(n)


def _unpickle(kind, state):
    made = object.__new__(kind)
    made.__dict__.update(state)
    return made


def issparse(x):
    """Whether an object is one of the sparse matrices or arrays of this package.

    Parameters
    ----------
    x : object

    Returns
    -------
    bool

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.issparse(tn.scipy.sparse.eye(3)), tn.scipy.sparse.issparse(tn.eye(3))
    (True, False)
    """
    return isinstance(x, _Sparse)


def isspmatrix(x):
    """Whether an object is one of the sparse matrices (not arrays) of this package.

    Parameters
    ----------
    x : object

    Returns
    -------
    bool

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.isspmatrix(tn.scipy.sparse.eye(3))
    True
    """
    return isinstance(x, spmatrix)
