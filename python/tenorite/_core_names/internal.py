"""What programs take from CuPy's ``cupy._core.internal``: sizes and axes."""

import math
import operator

from tenorite._core._axes import normalize_axis_index, normalize_axis_tuple

__all__ = ["clp2", "get_size", "infer_unknown_dimension", "is_in", "normalize_axis_index", "normalize_axis_tuple",
           "prod", "prod_sequence"]  # fmt: skip


def prod(values):
    """The product of integers."""
    return math.prod(values)


prod_sequence = prod


def get_size(size):
    """A shape: an integer is one of one dimension, None is one of no dimension."""
    if size is None:
        return ()
    try:
        return (operator.index(size),)
    except TypeError:
        return tuple(map(operator.index, size))


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
