"""Arithmetic and comparisons of sparse matrices with each other, with arrays and with numbers."""

import warnings

import numpy

from tenorite import _core
from tenorite._core import asarray, zeros
from tenorite._numpy.shapes import broadcast_to
from tenorite.scipy.sparse import _rows
from tenorite.scipy.sparse._arguments import check_dtype, is_scalar, upcast
from tenorite.scipy.sparse._base import SparseEfficiencyWarning, _Sparse, as_operand


class _Combined:
    """Operators of matrices by compressed lines."""

    def _merge(self, ufunc, other, dtype=None):
        """ufunc of the elements of both, which must be 0 of two zeros."""
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes: {self.shape} and {other.shape}")
        common = upcast(self.dtype, other.dtype)
        sides = [one.astype(common, copy=False)._united()._parts for one in (self, other.asformat(self.format))]
        return self._make(_rows.merge(ufunc, dtype or common, *sides), self._shape, True)

    def _plus(self, other, ufunc, word):
        if is_scalar(other):
            if other == 0:
                return self.copy()
            raise NotImplementedError(f"{word} a nonzero scalar is not supported")
        if isinstance(other, _Sparse):
            if ufunc is _core.subtract and self.dtype == other.dtype == bool:
                return self._merge(_core.not_equal, other)
            return self._merge(ufunc, other)
        dense = as_operand(other)
        if dense is None:
            return NotImplemented
        return ufunc(self.toarray(), dense)

    def __add__(self, other):
        return self._plus(other, _core.add, "adding")

    def __radd__(self, other):
        return self.__add__(other)

    def __sub__(self, other):
        return self._plus(other, _core.subtract, "subtracting")

    def __rsub__(self, other):
        if is_scalar(other):
            if other == 0:
                return -self
            raise NotImplementedError("subtracting a sparse array from a nonzero scalar is not supported")
        dense = as_operand(other)
        return NotImplemented if dense is None else dense - self.toarray()

    def _multiply(self, other):
        if is_scalar(other):
            return self._times(other)
        if isinstance(other, _Sparse):
            shape = _common_shape(self.shape, other.shape)
            return self._stretched(shape)._merge(_core.multiply, other.asformat(self.format)._stretched(shape))
        dense = as_operand(other)
        if dense is None:
            return NotImplemented
        return self._beside(dense, _core.multiply).asformat(self.format)

    def _beside(self, dense, ufunc):
        """ufunc of the elements and those of an array that broadcasts, as coordinates."""
        if dense.ndim > 2:
            raise ValueError(f"a sparse matrix beside an array of {dense.ndim} axes")
        dense = dense.reshape((1,) * (2 - dense.ndim) + dense.shape)
        made = self._stretched(_common_shape(self.shape, dense.shape)).tocoo()
        dense = broadcast_to(dense, made.shape)
        values = ufunc(made.data, dense[made.row, made.col])
        return made._with_data(values.astype(check_dtype(values.dtype), copy=False))

    def _stretched(self, shape):
        """The matrix broadcast to a shape."""
        if self._shape == shape:
            return self
        made = self
        if made.shape[0] != shape[0]:
            made = made.tocsr()._chosen_lines(zeros(shape[0], numpy.int64))
        if made.shape[1] != shape[1]:
            made = made.tocsc()._chosen_lines(zeros(shape[1], numpy.int64))
        return made.asformat(self.format)

    def __truediv__(self, other):
        if is_scalar(other):
            return super().__truediv__(other)
        if isinstance(other, _Sparse):
            if self.shape != other.shape:
                raise ValueError(f"inconsistent shapes: {self.shape} and {other.shape}")
            left = self.toarray()
            return (left.astype(numpy.float64) if left.dtype == numpy.float32 else left) / other.toarray()
        dense = as_operand(other)
        return NotImplemented if dense is None else self._beside(dense, _core.divide)

    def __rtruediv__(self, other):
        return NotImplemented

    def _stored_of(self, dense):
        """The matrix of a dense array, with indexes at least as wide as here."""
        made = type(self)(dense)
        index = numpy.result_type(made.indices.dtype, self.indices.dtype)
        made.indices, made.indptr = made.indices.astype(index, copy=False), made.indptr.astype(index, copy=False)
        return made

    # --- The larger and the smaller ---

    def maximum(self, other):
        """The larger of the elements and those of a matrix, an array or a number.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.maximum(-A).toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        return self._larger(other, _core.maximum)

    def minimum(self, other):
        """The smaller of the elements and those of a matrix, an array or a number.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.minimum(-A).toarray()
        array([[-1.,  0.],
               [-2., -3.]])
        """
        return self._larger(other, _core.minimum)

    def _larger(self, other, ufunc):
        if is_scalar(other):
            if bool(ufunc(asarray(0), asarray(other)) == 0):
                made = self._united()
                values = ufunc(made.data, other)
                made = made._with_data(values)
                made.eliminate_zeros()
                return made
            warnings.warn(
                "Taking maximum (minimum) with > 0 (< 0) number results to a dense matrix.",
                SparseEfficiencyWarning,
                stacklevel=3,
            )
            return self._stored_of(ufunc(self.toarray(), other))
        if isinstance(other, _Sparse):
            shape = _common_shape(self.shape, other.shape)
            return self._stretched(shape)._merge(ufunc, other.asformat(self.format)._stretched(shape))
        dense = as_operand(other)
        if dense is None:
            raise TypeError(f"Unsupported type {type(other)}")
        return ufunc(self.toarray(), dense)

    # --- Comparisons ---

    def _compare(self, other, ufunc, text):
        if is_scalar(other):
            zero = ufunc(zeros((), self.dtype), other)
            if bool(zero):
                warnings.warn(
                    f"Comparing a sparse matrix with a scalar using {text} is inefficient.",
                    SparseEfficiencyWarning,
                    stacklevel=3,
                )
                return self._stored_of(ufunc(self.toarray(), other))
            made = self._united()
            made = made._with_data(ufunc(made.data, other))
            made.eliminate_zeros()
            return made
        if isinstance(other, _Sparse):
            if self.shape != other.shape:
                shape = _common_shape(self.shape, other.shape)
                other = other.asformat(self.format)._stretched(shape)
                return self._stretched(shape)._compare(other, ufunc, text)
            if text in ("!=", "<", ">"):
                return self._merge(ufunc, other, numpy.dtype(bool))
            warnings.warn(
                f"Comparing sparse matrices using {text} is inefficient.", SparseEfficiencyWarning, stacklevel=3
            )
            return self._stored_of(ufunc(self.toarray(), other.toarray()))
        dense = as_operand(other)
        if dense is None:
            return NotImplemented
        return ufunc(self.toarray(), dense)

    def __eq__(self, other):
        return self._compare(other, _core.equal, "==")

    def __ne__(self, other):
        return self._compare(other, _core.not_equal, "!=")

    def __lt__(self, other):
        return self._compare(other, _core.less, "<")

    def __gt__(self, other):
        return self._compare(other, _core.greater, ">")

    def __le__(self, other):
        return self._compare(other, _core.less_equal, "<=")

    def __ge__(self, other):
        return self._compare(other, _core.greater_equal, ">=")

    __hash__ = None


def _common_shape(one, other):
    for a, b in zip(one, other):
        if a != b and 1 not in (a, b):
            raise ValueError(f"inconsistent shapes: {one} and {other}")
    return tuple(b if a == 1 else a for a, b in zip(one, other))
