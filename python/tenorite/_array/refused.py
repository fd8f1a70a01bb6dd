"""Calls that the extension refused with a TypeError, and where they go: under the alias of CuPy to
NumPy, else to the functions on arrays of stored elements."""

import numpy

from tenorite import _arguments
from tenorite._array import storage

# CuPy makes these a call of the method of `a`, whatever that is.
_LEFT_TO_NUMPY = frozenset(
    """
    argmax argmin argpartition argsort compress max mean min prod ptp repeat std sum take var
""".split()
)


def take_over(function, args, kwargs):
    """What the call gives, or NotImplemented where it stays refused."""
    if _arguments.is_cupy and (made := _by_numpy(function.lstrip("_"), args, kwargs)) is not NotImplemented:
        return made
    return storage.take_over(function, args, kwargs)


def _by_numpy(name, args, kwargs):
    place = int(name == "compress")
    array = args[place] if len(args) > place else kwargs.get("a")
    if name not in _LEFT_TO_NUMPY or not isinstance(array, numpy.ndarray):
        return NotImplemented
    if _arguments.first_array((*args, *kwargs.values())) is not None:
        return NotImplemented  # NumPy would hand the call back
    return getattr(numpy, name)(*args, **kwargs)
