"""What the functions of this package take as an array."""

import functools

import numpy

from tenorite import _core

ndarray = _core.ndarray
ABSENT = object()  # the default of a parameter that may be left out, where None means something
_SCALARS = (bool, int, float, complex, numpy.generic)


def as_array(value):
    """`value` itself if it is an array, else a 0-d array of a scalar, or another library's array.

    Anything else (a list, a numpy.ndarray) is refused with the TypeError of ufuncs: host data moves
    to the device only where the program says so, with ``array`` or ``asarray``.
    """
    if isinstance(value, ndarray):
        return value
    if isinstance(value, _SCALARS):
        return _core.asarray(value)
    made = _core._foreign(value)
    if made is None:
        raise TypeError(f"Unsupported type {type(value)}")
    return made


def is_scalar(value):
    """Whether ufuncs take `value` as a scalar."""
    return isinstance(value, _SCALARS)


def _first_array(values):
    """The first array among values, in lists and tuples too; None if there is none."""
    for value in values:
        if isinstance(value, (list, tuple)):
            value = _first_array(value)
        if isinstance(value, ndarray):
            return value
    return None


def also_named(**names):
    """A decorator: keywords that CuPy calls otherwise, as ``also_named(newshape="shape")``."""

    def decorate(function):
        @functools.wraps(function)
        def run(*args, **kwargs):
            for name in names.keys() & kwargs.keys():
                if names[name] in kwargs:
                    raise TypeError(f"{function.__name__}() got {names[name]!r} and {name!r}, two names of one argument")
                kwargs[names[name]] = kwargs.pop(name)
            return function(*args, **kwargs)

        return run

    return decorate


def beside(function):
    """A function that makes new arrays on the device of its first array argument, not on the
    current."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        first = args[0] if args and isinstance(args[0], ndarray) else _first_array((*args, *kwargs.values()))
        if first is None or _core._is_near(first):
            return function(*args, **kwargs)
        with first.device:
            return function(*args, **kwargs)

    return run
