"""What sparse matrices are made of: dtypes, shapes, indexes and dense operands."""

import importlib
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
        return importlib.import_module("scipy.sparse")
    except ImportError as error:
        raise ImportError("a matrix of SciPy's needs SciPy, which is not there: pip install scipy") from error


def check_dtype(dtype):
    """The dtype of values, or ValueError for one of which there are no sparse matrices."""
    dtype = numpy.dtype(dtype)
    if dtype.char not in _CHARACTERS:
        raise ValueError(
            f"sparse matrices have dtypes bool, integers, float32, float64, complex64 and complex128, not {dtype}"
        )
    return dtype


def is_shape(value, allowed=(2,)):
    """Whether a value is a tuple of as many integers as axes are allowed."""
    return isinstance(value, tuple) and len(value) in allowed and all(_is_integer(one) for one in value)


def _is_integer(value):
    if isinstance(value, (bool, ndarray, numpy.ndarray)) and getattr(value, "ndim", 1) != 0:
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def check_shape(shape, allowed=(2,)):
    """Integers from 0 on as a tuple, as many as axes are allowed."""
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"a shape is a tuple of integers, not {type(shape).__name__}")
    if len(shape) not in allowed:
        raise ValueError(f"shape must have length in {allowed}, not be {tuple(shape)}")
    shape = tuple(operator.index(one) for one in shape)
    if min(shape) < 0:
        raise ValueError(f"invalid shape: 'shape' elements cannot be negative, as in {shape}")
    return shape


def check_parts(shape, data, **indexes):
    """ValueError unless arrays have one axis, and indexes one dtype that is wide enough."""
    for name, one in {"data": data, **indexes}.items():
        if one.ndim != 1:
            raise ValueError(f"data, {' and '.join(indexes)} must be 1-D: {name} has {one.ndim} axes")
    dtypes = [one.dtype for one in indexes.values()]
    if dtypes[0] != dtypes[1]:
        raise ValueError(f"{' and '.join(indexes)} must have the same dtype, not {dtypes[0]} and {dtypes[1]}")
    most = numpy.iinfo(dtypes[0]).max
    if max(shape) > most:
        raise ValueError(f"shape {shape} is too large for index dtype {dtypes[0]}")
    if data.size > most:
        raise ValueError(f"nnz {data.size} is too large for index dtype {dtypes[0]}")


def index_dtype(most):
    """int32, or int64 where indexes or counts go beyond it."""
    return numpy.dtype(numpy.int64 if most > 0x7FFFFFFF else numpy.int32)


def _as_array(value, name):
    if isinstance(value, str):
        raise ValueError(f"{name} is the text {value!r}, not an array")
    return value if isinstance(value, ndarray) else asarray(value)


def as_values(value, dtype=None, copy=False):
    """An array of one axis of values, from what asarray() takes too."""
    array = _as_array(value, "data") if dtype is None or isinstance(value, (str, ndarray)) else asarray(value, dtype)
    wanted = check_dtype(array.dtype if dtype is None else dtype)
    return array.astype(wanted, copy=copy)


def as_indexes(value, name, dtype=None):
    """An integer array of indexes; of floats their integer parts."""
    array = _as_array(value, name)
    if array.dtype.kind == "f":
        array = array.astype(numpy.int64 if array.size else numpy.int32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {array.dtype}, not one of integers")
    return array if dtype is None else array.astype(dtype, copy=False)


def check_transposition(axes):
    """ValueError for axes of a transpose that are not the two of a matrix, swapped."""
    if axes is not None and (not isinstance(axes, (tuple, list)) or tuple(axes) not in ((1, 0), (-1, -2))):
        raise ValueError(
            "Sparse matrices do not support an 'axes' parameter because swapping dimensions is the only logical "
            "permutation."
        )


def check_axis(axis, ndim=2):
    """None for all axes, or the one of two; ValueError in SciPy's words else."""
    if axis is None:
        return None
    if axis == ():
        raise ValueError("sparse does not accept 0D axis (). Either use toarray (for dense) or copy (for sparse).")
    axes = axis if isinstance(axis, tuple) else (axis,)
    try:
        axes = [operator.index(one) for one in axes]
    except TypeError:
        raise TypeError(f"axis must be an integer (given {axis})") from None
    if any(not -ndim <= one < ndim for one in axes):
        raise ValueError("axis out of range")
    axes = {one % ndim for one in axes}
    if isinstance(axis, tuple) and len(axes) != len(axis):
        raise ValueError("duplicate value in axis")
    return None if len(axes) == ndim else axes.pop()


def upcast(*dtypes):
    """The common dtype of values."""
    return check_dtype(numpy.result_type(*dtypes))


def scalar_dtype(dtype, scalar):
    """The dtype of values times a scalar: a Python number is weak."""
    if isinstance(scalar, ndarray):
        return upcast(dtype, scalar.dtype)
    return upcast(dtype, scalar)
