"""What the methods of generators take: shapes, parameters that are numbers or arrays, dtypes."""

import numbers
import operator

import numpy

from tenorite import _core

ndarray = _core.ndarray


def read_parameter(value, rule):
    """A parameter that is neither a float nor an int: a float, or an array, looked at if the rule
    says so (`_drawings` has the rules)."""
    _, least, most, text, _, looks = rule
    value = as_parameter(value)
    if looks:
        check_elements(value, lambda x: (x >= least) & (x <= most), text)
    return value


def as_parameter(value):
    """A number as a float, anything else as an array of float64."""
    if value.__class__ is float:
        return value
    if isinstance(value, (int, numbers.Real)) or (isinstance(value, numpy.generic) and value.dtype.kind in "biuf"):
        return float(value)
    if value is None:
        raise TypeError("Unsupported type NoneType for a parameter of a distribution: give a number or an array")
    return _core.asarray(value, dtype=numpy.float64)


def shape_of(size, parameters):
    """The shape of the result: `size`, or what the arrays among the parameters broadcast to.

    ValueError if they do not broadcast to `size`.
    """
    shapes = [value.shape for value in parameters if isinstance(value, ndarray)]
    if size is None:
        return shapes[0] if len(shapes) == 1 else numpy.broadcast_shapes(*shapes) if shapes else ()
    try:
        size = (operator.index(size),)
    except TypeError:
        size = tuple(size)
    if shapes and numpy.broadcast_shapes(size, *shapes) != size:
        raise ValueError(
            f"Output size {size} is not compatible with broadcast dimensions of inputs "
            f"{numpy.broadcast_shapes(*shapes)}."
        )
    return size


def check_out(out, size, dtype, name):
    """`out`, or an error unless it has that size, if one is given, and that dtype."""
    dtype = numpy.dtype(dtype)
    if not isinstance(out, ndarray):
        raise TypeError(f"{name}: out must be an ndarray, not {type(out).__name__}")
    if out.dtype != dtype:
        raise TypeError(f"Supplied output array has the wrong type. Expected {dtype}, got {out.dtype}")
    if size is not None and out.shape != shape_of(size, ()):
        raise ValueError("size must match out.shape when used together")
    return out


def check(is_good, text):
    """Raise ValueError with the text unless a condition on numbers holds.

    Conditions on most arrays are not looked at, since that would wait for the device: where one
    does not hold the result has NaN, or no meaning.
    """
    if not is_good:
        raise ValueError(text)


def check_elements(value, is_good, text):
    """Raise ValueError with the text unless a condition holds for every element of an array.

    It waits for the device. CuPy looks at the arrays of a few distributions only, and so does
    Tenorite. Numbers are left alone.
    """
    if isinstance(value, ndarray):
        check(bool(is_good(value).all()), text)


def is_number(value):
    return not isinstance(value, ndarray)
