"""Sparse matrices and sparse arrays: what the one kind has beside the other."""

import warnings

import numpy

from tenorite.scipy.sparse._arguments import is_scalar, ndarray
from tenorite.scipy.sparse._conversions import _Converted
from tenorite.scipy.sparse._documents import documented
from tenorite.scipy.sparse._operators import _Operated
from tenorite.scipy.sparse._sums import _Summed


class _Kind(_Operated, _Summed, _Converted):
    """What matrices and arrays share."""


def _refuse_base(made, kind):
    if type(made) is kind:
        raise ValueError("This class is not intended to be instantiated directly.")


class spmatrix(_Kind):
    """What sparse matrices have beside sparse arrays: ``*`` and ``**`` are matrix products.

    Parameters
    ----------
    arg1
        That of the class of a format; this one has no elements of its own.
    maxprint : int, optional
        How many elements are printed at most.

    Examples
    --------
    >>> import tenorite as tn
    >>> isinstance(tn.scipy.sparse.eye(3), tn.scipy.sparse.spmatrix)
    True
    """

    def __init__(self, arg1=None, *, maxprint=None):
        _refuse_base(self, spmatrix)
        super().__init__(arg1, maxprint=maxprint)

    @property
    def shape(self):
        """Rows and columns."""
        return self._shape

    @shape.setter
    def shape(self, shape):
        made = self.reshape(shape).asformat(self.format)
        self.__dict__.update(made.__dict__)

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
        """The matrix as an array, by a name that SciPy has given up."""
        warnings.warn("`spmatrix.A` is deprecated: use `.toarray()`", DeprecationWarning, stacklevel=2)
        return self.toarray()

    @property
    def H(self):
        """The adjoint matrix, by a name that SciPy has given up."""
        warnings.warn("`spmatrix.H` is deprecated: use `.T.conj()`", DeprecationWarning, stacklevel=2)
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
        self.shape = shape

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


class sparray(_Kind):
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

    _is_array = True

    def __init__(self, *args, **kwargs):
        _refuse_base(self, sparray)
        super().__init__(*args, **kwargs)

    def __mul__(self, other):
        return self._multiply(other)

    def __rmul__(self, other):
        return self._multiply(other)

    def __pow__(self, n):
        return self.power(n)


@documented
def isspmatrix(x):
    """Whether an object is one of the sparse matrices (not arrays) of this package.

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
