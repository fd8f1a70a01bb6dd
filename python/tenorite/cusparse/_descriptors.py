"""Descriptors: what cuSPARSE's own functions need of operands."""

from tenorite.cuda import cusparse as _numbers
from tenorite.cuda.device import Handle
from tenorite.cusparse._checks import _dense, _sparse

_VALUE_TYPES = {"f": 0, "d": 1, "F": 4, "D": 5, "e": 2, "b": 3, "B": 8}  # CUDA_R_32F and the others


def _index_type(indexes):
    return _numbers.CUSPARSE_INDEX_64I if indexes.dtype.itemsize == 8 else _numbers.CUSPARSE_INDEX_32I


def _value_type(values):
    try:
        return _VALUE_TYPES[values.dtype.char]
    except KeyError:
        raise TypeError(f"cuSPARSE has no values of dtype {values.dtype}") from None


def _pointer(array):
    return array.data.ptr


class BaseDescriptor:
    """What cuSPARSE would get of an operand; `get()` says it.

    Parameters
    ----------
    operand : ndarray or sparse matrix
        It is kept.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> vector = cusparse.DnVecDescriptor.create(tn.ones(2))
    >>> isinstance(vector, cusparse.BaseDescriptor), vector.get().size
    (True, 2)
    """

    def __init__(self, operand):
        self.operand = operand

    @classmethod
    def create(cls, operand):
        """The descriptor of an operand."""
        return cls(operand)

    def get(self):
        """The operand's sizes, pointers and types, as a record of tenorite.cuda.cusparse."""
        raise NotImplementedError(f"{type(self).__name__} tells nothing of its operand")


class MatDescriptor(BaseDescriptor):
    """The kind of a matrix: numbers of tenorite.cuda.cusparse.

    Examples
    --------
    >>> from tenorite import cusparse
    >>> from tenorite.cuda import cusparse as numbers
    >>> matrix = cusparse.MatDescriptor.create()
    >>> matrix.set_mat_type(numbers.CUSPARSE_MATRIX_TYPE_TRIANGULAR)
    >>> matrix.set_mat_index_base(numbers.CUSPARSE_INDEX_BASE_ZERO)
    >>> matrix.set_mat_fill_mode(numbers.CUSPARSE_FILL_MODE_UPPER)
    >>> matrix.set_mat_diag_type(numbers.CUSPARSE_DIAG_TYPE_UNIT)
    >>> matrix.get()["fill_mode"]
    1
    """

    def __init__(self):
        super().__init__({"type": 0, "index_base": 0, "fill_mode": 0, "diag_type": 0})
        self._handle = None

    def __reduce__(self):
        return _matrix_of, (self.operand,)

    @property
    def descriptor(self):
        """The number of a description of the library's own, which is made for it."""
        if self._handle is None:
            handle = _numbers.createMatDescr()
            self._handle = Handle(handle, _numbers.destroyMatDescr)
            for name, value in self.operand.items():
                _SETTERS[name](handle, value)
        return self._handle.handle

    @classmethod
    def create(cls):
        """The descriptor of a general matrix whose indexes begin at 0."""
        return cls()

    def get(self):
        """The kind: type, index_base, fill_mode and diag_type."""
        return dict(self.operand)

    def _set(self, name, value):
        self.operand[name] = int(value)
        if self._handle is not None:
            _SETTERS[name](self._handle.handle, int(value))

    def set_mat_type(self, typ):
        """Set the type: CUSPARSE_MATRIX_TYPE_..."""
        self._set("type", typ)

    def set_mat_index_base(self, base):
        """Set where indexes begin: CUSPARSE_INDEX_BASE_..."""
        self._set("index_base", base)

    def set_mat_fill_mode(self, fill_mode):
        """Set the triangle: CUSPARSE_FILL_MODE_..."""
        self._set("fill_mode", fill_mode)

    def set_mat_diag_type(self, diag_type):
        """Set the diagonal: CUSPARSE_DIAG_TYPE_..."""
        self._set("diag_type", diag_type)


_SETTERS = {
    "type": _numbers.setMatType,
    "index_base": _numbers.setMatIndexBase,
    "fill_mode": _numbers.setMatFillMode,
    "diag_type": _numbers.setMatDiagType,
}


def _matrix_of(kind):
    made = MatDescriptor()
    for name, value in kind.items():
        made._set(name, value)
    return made


class SpMatDescriptor(BaseDescriptor):
    """A sparse matrix as cuSPARSE would get it.

    Parameters
    ----------
    operand : csr, csc or coo matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> cusparse.SpMatDescriptor.create(csr_matrix(tn.eye(3))).get().nnz
    3
    """

    def __init__(self, operand):
        super().__init__(_sparse(operand, "operand", ("csr", "csc", "coo")))

    def get(self):
        """CsrAttributes (of a csc matrix those of its transpose) or CooAttributes."""
        a = self.operand
        rows, columns = reversed(a.shape) if a.format == "csc" else a.shape
        ends = 0, _value_type(a.data)
        if a.format == "coo":
            parts = (a.row, a.col, a.data)
            return _numbers.CooAttributes(rows, columns, a.nnz, *map(_pointer, parts), _index_type(a.row), *ends)
        parts = (a.indptr, a.indices, a.data)
        types = _index_type(a.indptr), _index_type(a.indices)
        return _numbers.CsrAttributes(rows, columns, a.nnz, *map(_pointer, parts), *types, *ends)


class SpVecDescriptor(BaseDescriptor):
    """A sparse vector as cuSPARSE would get it.

    Parameters
    ----------
    indices : (N,) ndarray
    values : (N,) ndarray
    size : int

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> cusparse.SpVecDescriptor.create(tn.array([1]), tn.array([2.0]), 5).get().size
    5
    """

    def __init__(self, indices, values, size):
        super().__init__((_dense(indices, "indices", (1,)), _dense(values, "values", (1,)), int(size)))

    @classmethod
    def create(cls, indices, values, size):
        """The descriptor of elements with indices of a vector."""
        return cls(indices, values, size)

    def get(self):
        """SpVecAttributes."""
        indices, values, size = self.operand
        pointers = _pointer(indices), _pointer(values)
        return _numbers.SpVecAttributes(size, values.size, *pointers, _index_type(indices), 0, _value_type(values))


class DnVecDescriptor(BaseDescriptor):
    """A vector as cuSPARSE would get it.

    Parameters
    ----------
    operand : (N,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> cusparse.DnVecDescriptor.create(tn.ones(2)).get().size
    2
    """

    def __init__(self, operand):
        super().__init__(_dense(operand, "operand", (1,)))

    def get(self):
        """DnVecAttributes."""
        x = self.operand
        return _numbers.DnVecAttributes(x.size, _pointer(x), _value_type(x))


class DnMatDescriptor(BaseDescriptor):
    """A dense matrix, by columns or by rows, as cuSPARSE would get it.

    Parameters
    ----------
    operand : (M, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusparse
    >>> cusparse.DnMatDescriptor.create(tn.ones((2, 3), order="F")).get().ld
    2
    """

    def __init__(self, operand):
        super().__init__(_dense(operand, "operand", (2,)))
        if not (operand.flags.c_contiguous or operand.flags.f_contiguous):
            raise ValueError("a matrix for cuSPARSE must be contiguous by rows or by columns")

    def get(self):
        """DnMatAttributes."""
        a = self.operand
        by_columns = a.flags.f_contiguous
        order = _numbers.CUSPARSE_ORDER_COL if by_columns else _numbers.CUSPARSE_ORDER_ROW
        return _numbers.DnMatAttributes(*a.shape, a.shape[not by_columns], _pointer(a), _value_type(a), order)
