"""What all sparse matrices have, whatever their format: the root of their classes."""

import types

import numpy

from tenorite import _core
from tenorite.scipy.sparse._arguments import index_dtype, ndarray
from tenorite.scipy.sparse._documents import documented


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


def as_operand(value):
    """The same for an operator; NumPy's arrays are refused with what to do."""
    dense = as_dense(value)
    if dense is None and isinstance(value, numpy.ndarray):
        raise TypeError(
            f"Unsupported type {type(value)} beside a sparse matrix of a device: bring the array to the device with "
            "tenorite.asarray(x), or the matrix to the host with .get()"
        )
    return dense


CLASSES = {}  # (format, whether it is an array): class; the package's root fills it


def class_of(format, is_array):
    """The class of a format, of matrices or of arrays."""
    return CLASSES[format, is_array]


class _Sparse:
    """A sparse matrix of two axes."""

    format = "und"
    _is_array = False  # with operators of arrays, not of matrices
    _allow_nd = (2,)  # how many axes there may be
    ndim = 2
    maxprint = 50
    _is_of_tenorite = True  # for get_array_module()
    __array_priority__ = 101
    __array_ufunc__ = None  # operators of arrays leave these to the methods here

    def __init__(self, arg1=None, *, maxprint=None):
        self._set_maxprint(maxprint)

    __class_getitem__ = classmethod(types.GenericAlias)  # what a matrix is of, in annotations

    def _set_maxprint(self, number):
        if number is not None:
            self.maxprint = number

    def _index_dtype(self, most, *given):
        """The dtype of indexes: sparse arrays keep int64 that they are given."""
        is_wide = self._is_array and any(one.dtype == numpy.int64 for one in given)
        return numpy.dtype(numpy.int64) if is_wide else index_dtype(most)

    @property
    def shape(self):
        """Rows and columns."""
        return self._shape

    @property
    def _shape_as_2d(self):
        """Rows and columns; an array of one axis is one row."""
        return self._shape if len(self._shape) == 2 else (1, *self._shape)

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
        if self._shape == (1, 1):
            return self.nnz != 0
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all().")

    __hash__ = None

    def __iter__(self):
        for row in range(self.shape[0]):
            yield self[row]

    def __repr__(self):
        name = {
            "coo": "COOrdinate",
            "csr": "Compressed Sparse Row",
            "csc": "Compressed Sparse Column",
            "dia": "DIAgonal",
        }.get(self.format, self.format)
        kind = "array" if self._is_array else "matrix"
        more = f" ({self.data.shape[0]} diagonals)" if self.format == "dia" else ""
        return (
            f"<{name} sparse {kind} of dtype '{self.dtype}'\n\twith {self.nnz} stored elements{more} "
            f"and shape {self.shape}>"
        )

    def __str__(self):
        made = self.get()
        made.maxprint = self.maxprint
        return str(made)

    def __reduce_ex__(self, protocol):
        return _unpickle, (type(self), self.__dict__)

    def _getnnz(self, axis=None):
        return self.tocsr()._getnnz(axis)

    def _as_allowed(self, dense):
        """A dense array with axes that the class allows: a matrix makes a row of one axis."""
        if dense.ndim in self._allow_nd:
            return dense
        if dense.ndim > 2 or self._is_array:
            kind = TypeError if dense.ndim == 0 and 1 in self._allow_nd else ValueError
            name = f"{self.format.upper()} {'arrays' if self._is_array else 'matrices'}"
            raise kind(f"{name} don't support {dense.ndim}D input. Use 2D")
        return dense.reshape((1,) * (2 - dense.ndim) + dense.shape)


def _unpickle(kind, state):
    made = object.__new__(kind)
    made.__dict__.update(state)
    return made


@documented
def issparse(x):
    """Whether an object is one of the sparse matrices or arrays of this package.

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
