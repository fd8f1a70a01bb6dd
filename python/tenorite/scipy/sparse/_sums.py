"""Sums, means and diagonals of sparse matrices."""

import math

import numpy

from tenorite.scipy.sparse._arguments import check_axis
from tenorite.scipy.sparse._base import _Sparse


def _placed(made, out):
    """What was made, in `out` if that is given."""
    if out is None:
        return made
    if out.shape != made.shape:
        raise ValueError(
            f"the output parameter has the wrong dimensions: {out.shape} does not match the shape {made.shape}"
        )
    out[...] = made
    return out


class _Summed(_Sparse):
    """A sparse matrix whose elements are counted and added."""

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
        return tuple(one[mask] for one in made.coords)

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
        axis = check_axis(axis, self.ndim)
        kind = self.dtype.kind
        wide = self.dtype
        if kind in "bi":
            wide = numpy.promote_types(wide, numpy.int64)
        elif kind == "u":
            wide = numpy.promote_types(wide, numpy.uint64)
        if axis is None:
            return _placed(self._once()._stored().sum(dtype=dtype if dtype is not None else wide), out)
        made = self._once().astype(wide, copy=False)._line_sums(axis)
        return self._reduced(made if dtype is None else made.astype(dtype), axis, out)

    def _stored(self):
        """The values of the elements."""
        return self.data

    def _once(self):
        """The matrix with each True once, where it is one of booleans."""
        if self.dtype.kind != "b" or self.format == "dia":
            return self
        return (self.tocsr() if self.format == "coo" else self)._united()

    def _reduced(self, made, axis, out=None):
        """A result along an axis: of matrices it keeps both axes."""
        if not self._is_array:
            made = made[None] if axis == 0 else made[:, None]
        return _placed(made, out)

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
        axis = check_axis(axis, self.ndim)
        is_integral = self.dtype.kind in "bui"
        wanted = dtype if dtype is not None else numpy.float64 if is_integral else self.dtype
        inner = self._once().astype(numpy.float64 if is_integral else self.dtype, copy=False)
        total = inner.sum(axis=axis)
        n = math.prod(self.shape) if axis is None else self.shape[axis]
        if n == 0:
            raise ZeroDivisionError(f"the mean of no elements, of shape {self.shape} along axis {axis}")
        return _placed((total / n).astype(wanted, copy=False), out)

    def nanmax(self, axis=None, out=None, *, explicit=False):
        """As `max`, but NaN is left out.

        explicit: only elements that are stored count.

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.scipy.sparse.csr_matrix(cp.array([[cp.nan, 0.0], [2.0, 3.0]])).nanmax()
        array(3.)
        """
        return self.tocsr()._extreme("fmax", axis, out, explicit)

    def nanmin(self, axis=None, out=None, *, explicit=False):
        """As `min`, but NaN is left out.

        explicit: only elements that are stored count.

        Raises
        ------
        ValueError
            For an axis that a matrix has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.scipy.sparse.csr_matrix(cp.array([[cp.nan, 0.0], [2.0, 3.0]])).nanmin()
        array(0.)
        """
        return self.tocsr()._extreme("fmin", axis, out, explicit)
