"""Calls that the extension refused with a TypeError, and where they go: under the alias of CuPy to
NumPy, else to the functions on arrays of stored elements."""

import numpy

from tenorite import _arguments
from tenorite._array import stored


def take_over(function, args, kwargs):
    """What the call gives, or NotImplemented where it stays refused."""
    made = _by_numpy(function.lstrip("_"), args, kwargs)
    if made is not NotImplemented:
        return made
    return stored.take_over(function, args, kwargs)


def _by_numpy(name, args, kwargs):
    place = int(name == "compress")
    array = args[place] if len(args) > place else kwargs.get("a")
    if not _arguments.is_left_to_numpy(name, array):
        return NotImplemented
    if _arguments.first_array((*args, *kwargs.values())) is not None:
        return NotImplemented  # NumPy would hand the call back
    return getattr(numpy, name)(*args, **kwargs)
