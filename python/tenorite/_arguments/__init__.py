"""What the functions of this package take as an array."""

import functools
import sys

import numpy

from tenorite import _core

ndarray, first_array = _core.ndarray, _core._first_array
DL_CPU = 1  # DLPack's number of the host


class _Absent:
    """The type of ABSENT, which signatures show as NumPy shows its own."""

    def __repr__(self):
        return "<no value>"

    def __reduce__(self):
        return "ABSENT"


ABSENT = _Absent()  # the default of a parameter that may be left out, where None means something
_SCALARS = (bool, int, float, complex, numpy.generic)


# Whether this process's ``import cupy`` is this package: install_as_cupy() sets it.
is_cupy = False


# Functions that CuPy makes a call of their argument's method, whatever the argument is.
LEFT_TO_NUMPY = frozenset(
    """
    copy take choose compress diagonal squeeze reshape ravel repeat swapaxes transpose clip around round sum prod
    argmax argmin argsort argpartition mean var std amin amax max min ptp
    """.split()
)


def is_left_to_numpy(function, value):
    """Whether a function of this name leaves `value` to NumPy."""
    return is_cupy and isinstance(value, numpy.ndarray) and function in LEFT_TO_NUMPY


def by_numpy(function, args, kwargs):
    """What a refused call gives that CuPy leaves to NumPy, else NotImplemented."""
    place = int(function == "compress")
    if not is_left_to_numpy(function, args[place] if len(args) > place else kwargs.get("a")):
        return NotImplemented
    if first_array((*args, *kwargs.values())) is not None:
        return NotImplemented  # NumPy would hand the call back
    return getattr(numpy, function)(*args, **kwargs)


def with_methods(function, value):
    """as_array(), or NumPy's array itself where its own method does the work."""
    return value if isinstance(value, ndarray) or is_left_to_numpy(function, value) else as_array(value)


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
        _refuse(value)
    return made


def _refuse(value):
    """The TypeError of ufuncs, naming the outermost function of the package that got the value."""
    frame, found = sys._getframe(2), (None, None)
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == "tenorite":
        function = frame.f_code.co_name
        names = [name for name, one in frame.f_locals.items() if one is value]
        if names and function.isidentifier() and function[0] != "_":
            found = function, names[0]
        frame = frame.f_back
    _core._refuse(value, *found)


def as_array_of(value):
    """`value` itself if it is an array, else an array of whatever asarray() takes, lists too."""
    return value if isinstance(value, ndarray) else _core.asarray(value)


def on_host(value):
    """What NumPy can work with: an array's elements, or `value`. Waits for the elements."""
    return value.get() if isinstance(value, ndarray) else value


def host_view(array):
    """The elements as a NumPy array: in their place where NumPy reads it, else copied. Waits."""
    if array.__dlpack_device__()[0] == DL_CPU and array.dtype.kind in "biufc":
        return numpy.from_dlpack(array)
    return array.get(order="F" if array.flags.fnc else "C")


def is_scalar(value):
    """Whether ufuncs take `value` as a scalar."""
    return isinstance(value, _SCALARS)


def also_named(**names):
    """A decorator: keywords that CuPy calls otherwise, as ``also_named(newshape="shape")``."""

    def decorate(function):
        @functools.wraps(function)
        def run(*args, **kwargs):
            for name in names.keys() & kwargs.keys() if kwargs else ():
                if names[name] in kwargs:
                    raise TypeError(
                        f"{function.__name__}() got {names[name]!r} and {name!r}, two names of one argument"
                    )
                kwargs[names[name]] = kwargs.pop(name)
            return function(*args, **kwargs)

        return run

    return decorate


def beside(function):
    """A function that makes new arrays on the device of its first array argument, not on the
    current."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        first = args[0] if args else None
        if not isinstance(first, ndarray):
            first = first_array(args)
            if first is None and kwargs:
                first = first_array((*kwargs.values(),))
        if first is None or _core._is_near(first):
            return function(*args, **kwargs)
        with first.device:
            return function(*args, **kwargs)

    return run
