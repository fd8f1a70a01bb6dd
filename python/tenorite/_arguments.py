"""What the functions of this package take as an array."""

import numpy

from tenorite import _core

ndarray = _core.ndarray
_SCALARS = (bool, int, float, complex, numpy.generic)


def as_array(value):
    """`value` itself if it is an array, else a 0-d array of a scalar.

    Anything else (a list, a numpy.ndarray) is refused with the TypeError of ufuncs: host data moves
    to the device only where the program says so, with ``array`` or ``asarray``.
    """
    if isinstance(value, ndarray):
        return value
    if isinstance(value, _SCALARS):
        return _core.asarray(value)
    raise TypeError(f"Unsupported type {type(value)}")


def is_scalar(value):
    """Whether ufuncs take `value` as a scalar."""
    return isinstance(value, _SCALARS)
