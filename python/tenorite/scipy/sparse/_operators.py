"""Operators of sparse matrices and arrays."""

import numpy

from tenorite.scipy.sparse import _construct
from tenorite.scipy.sparse._arguments import is_dense, is_scalar, is_scipy, ndarray, scalar_dtype, upcast
from tenorite.scipy.sparse._base import _Sparse, as_operand


class _Operated(_Sparse):
    """A sparse matrix with the operators that matrices and arrays share."""

    def __neg__(self):
        if self.dtype.kind == "b":
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return self._with_data(-self.data)

    def __pos__(self):
        return self.copy()

    def __abs__(self):
        return self._with_data(abs(self._canonical_data()))

    def __round__(self, ndigits=0):
        return self._with_data(self._canonical_data().round(ndigits))

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
            self._begin_in_place()
            self.data *= other
            return self
        return NotImplemented

    def _begin_in_place(self):
        """Booleans, which no product may be written to, become float64, as CuPy does."""
        if self.dtype.kind == "b":
            self.data = self.data.astype(numpy.float64)

    def __itruediv__(self, other):
        if is_scalar(other):
            self._begin_in_place()
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
        made = self._multiply(other)
        if made is NotImplemented:
            raise TypeError(f"Unsupported type {type(other)}")
        return made

    def _multiply(self, other):
        return self._times(other) if is_scalar(other) else self.tocsr()._multiply(other)

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
        if is_scalar(other) and (self.format == "coo" or not is_dense(other)):  # as SciPy's
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
            if other.ndim == 2:
                return self._matmul_sparse(other)
            made = self._matmul_sparse(other._row().T)
            return made.tocoo().reshape(-1) if self._is_array else made
        dense = as_operand(other)
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
        if dense.shape[0] != self._shape[-1]:
            raise ValueError(f"dimension mismatch: {self.shape} and {dense.shape}")
        return self._matmul_dense(dense)

    def _matmul_dense(self, dense):
        return self.tocsr()._matmul_dense(dense)

    def _matmul_sparse(self, other):
        return self.tocsr()._matmul_sparse(other)

    def _rmatmul(self, other):
        dense = as_operand(other)
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

    def _matrix_power(self, n):
        if self.shape[0] != self.shape[-1] or self.ndim != 2:
            raise TypeError("matrix is not square")
        if isinstance(n, bool) or not isinstance(n, (int, numpy.integer)):
            raise ValueError("exponent must be an integer")
        if n < 0:
            raise ValueError("exponent must be >= 0")
        if n == 0:
            make = _construct.eye_array if self._is_array else _construct.eye
            return make(self.shape[0], dtype=self.dtype, format=self.format)
        if n == 1:
            return self.copy()
        half = self._matrix_power(n // 2)
        return self @ (half @ half) if n % 2 else half @ half
