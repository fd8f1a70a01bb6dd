"""What sparse matrices are made of: dtypes, shapes, indexes and dense operands."""

import operator
import sys

import numpy

from tenorite import _core
from tenorite._core import asarray

ndarray = _core.ndarray
SCALARS = (bool, int, float, complex, numpy.generic)
_CHARACTERS = "?bBhHiIlLqQfdFD"


def is_scalar(value):
    """Whether a value is a number, of no axes."""
    return isinstance(value, SCALARS) or isinstance(value, ndarray) and value.ndim == 0


def is_dense(value):
    """Whether a value is an array of this package."""
    return isinstance(value, ndarray)


def is_scipy(value):
    """Whether a value is one of SciPy's sparse matrices. SciPy is not imported for that."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and module.issparse(value)


def scipy_sparse():
    """scipy.sparse, or the ImportError that names what to install."""
    try:
        import scipy.sparse
    except ImportError as error:
        raise ImportError("a matrix of SciPy's needs SciPy, which is not there: pip install scipy") from error
    return scipy.sparse


def check_dtype(dtype):
    """The dtype of values, or ValueError for one of which there are no sparse matrices."""
    dtype = numpy.dtype(dtype)
    if dtype.char not in _CHARACTERS:
        raise ValueError(
            f"sparse matrices have dtypes bool, integers, float32, float64, complex64 and complex128, not {dtype}"
        )
    return dtype


def is_shape(value):
    """Whether a value is a tuple or list of two integers."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        return False
    return all(_is_integer(one) for one in value)


def _is_integer(value):
    if isinstance(value, (bool, ndarray, numpy.ndarray)) and getattr(value, "ndim", 1) != 0:
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def check_shape(shape):
    """Two integers from 0 on as a tuple."""
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"a shape is a tuple of two integers, not {type(shape).__name__}")
    if len(shape) != 2:
        raise ValueError(f"shape must be a 2-tuple of positive integers, not {tuple(shape)}")
    shape = tuple(operator.index(one) for one in shape)
    if min(shape) < 0:
        raise ValueError(f"invalid shape: 'shape' elements cannot be negative, as in {shape}")
    return shape


def index_dtype(most):
    """int32, or int64 where indexes or counts go beyond it."""
    return numpy.dtype(numpy.int64 if most > 0x7FFFFFFF else numpy.int32)


def _as_array(value, name):
    if isinstance(value, str):
        raise ValueError(f"{name} is the text {value!r}, not an array")
    return value if isinstance(value, ndarray) else asarray(value)


def as_values(value, dtype=None, copy=False):
    """An array of one axis of values, from what asarray() takes too."""
    array = _as_array(value, "data")
    wanted = check_dtype(array.dtype if dtype is None else dtype)
    return array.astype(wanted, copy=copy)


def as_indexes(value, name, dtype=None):
    """An integer array of indexes; floats that NumPy makes of empty lists too."""
    array = _as_array(value, name)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(numpy.int32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {array.dtype}, not one of integers")
    return array if dtype is None else array.astype(dtype, copy=False)


def check_axis(axis):
    """None, 0 or 1; ValueError in SciPy's words else."""
    if axis is None:
        return None
    if isinstance(axis, tuple):
        if len(axis) == 2 and {one % 2 for one in axis} == {0, 1}:
            return None
        if len(axis) != 1:
            raise ValueError("axis tuple has too many elements")
        (axis,) = axis
    try:
        axis = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis must be an integer, not {type(axis).__name__}") from None
    if not -2 <= axis <= 1:
        raise ValueError("axis out of range")
    return axis % 2


def upcast(*dtypes):
    """The common dtype of values."""
    return check_dtype(numpy.result_type(*dtypes))


def scalar_dtype(dtype, scalar):
    """The dtype of values times a scalar: a Python number is weak."""
    if isinstance(scalar, ndarray):
        return upcast(dtype, scalar.dtype)
    return upcast(dtype, scalar)
