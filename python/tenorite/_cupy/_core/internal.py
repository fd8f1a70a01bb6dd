"""What programs take from CuPy's ``cupy._core.internal``: sizes and axes."""

import math
import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

__all__ = [
    "clp2",
    "complete_slice",
    "get_c_contiguity",
    "get_size",
    "infer_unknown_dimension",
    "is_in",
    "normalize_axis_index",
    "normalize_axis_tuple",
    "prod",
    "prod_sequence",
    "vector_equal",
]

_normalize_axis_index, _normalize_axis_indices = normalize_axis_index, normalize_axis_tuple


def prod(values):
    """The product of integers."""
    return math.prod(values)


prod_sequence = prod


def get_size(size):
    """A shape: a number is one of one dimension, None is one of no dimension."""
    if size is None:
        return ()
    if isinstance(size, float):
        return (size,)  # what is no integer is refused where the shape is used
    try:
        return (_index(size),)
    except TypeError:
        return tuple(map(_index, size))


def _index(size):
    """A whole number; a bool is none."""
    if getattr(size, "dtype", type(size)) in (bool, numpy.bool_):
        raise TypeError(f"expected a sequence of integers or a single integer, got {size!r}")
    return operator.index(size)


def vector_equal(x, y):
    """Whether two sequences of integers are equal."""
    return list(x) == list(y)


def get_c_contiguity(shape, strides, itemsize):
    """Whether elements lie in C's order without a gap."""
    if 0 in shape:
        return True
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != itemsize:
            return False
        itemsize *= size
    return True


def complete_slice(given, size):
    """A slice of whole numbers that takes the same places of an axis."""
    start, stop, step = given.indices(size)
    return slice(start, max(start, stop) if step > 0 else min(start, stop), step)


def is_in(values, value):
    """Whether a value is one of several."""
    return value in values


def clp2(number):
    """The smallest power of two that is not below a number."""
    return 1 << max(number - 1, 0).bit_length() if number > 0 else 0


def infer_unknown_dimension(shape, size):
    """A shape with its one -1 replaced."""
    known = math.prod(one for one in shape if one >= 0)
    if sum(one < 0 for one in shape) > 1:
        raise ValueError("can only specify only one unknown dimension")
    if any(one < 0 for one in shape):
        if known == 0 or size % known:
            raise ValueError(f"total size of new array must be unchanged: {size} elements as {tuple(shape)}")
        return [size // known if one < 0 else one for one in shape]
    return list(shape)
