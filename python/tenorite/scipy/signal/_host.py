"""Calls of SciPy's functions with arrays of a device: what is small and sequential runs on the
host's cores, whatever the backend. SciPy is imported when the first of them is called."""

import functools
import importlib
import inspect
import math
import warnings

import numpy

from tenorite import _core
from tenorite._arguments import beside, ndarray
from tenorite.scipy.signal._documents import document
from tenorite.scipy.signal._errors import BadCoefficients

_ON_HOST = "Computed in double precision by SciPy on the host, which must be installed."
_RAISES = ("ValueError", "Where SciPy raises it.")
# Classes of systems by their names, which are SciPy's; _systems.py fills it.
SYSTEMS = {}


def scipy_signal(name):
    """SciPy's function or class of a name within scipy.signal, or the ImportError that names what
    to install."""
    home, _, name = f"scipy.signal.{name}".rpartition(".")
    try:
        return getattr(importlib.import_module(home), name)
    except ImportError as error:
        raise ImportError(
            f"tenorite.scipy.signal.{name} computes by SciPy on the host, which is not there: pip install scipy"
        ) from error


def fetched(value):
    """What SciPy takes: arrays as NumPy's, in tuples and lists, too, and systems as its own."""
    if isinstance(value, ndarray):
        return value.get()[()]
    if isinstance(value, (tuple, list)):
        return type(value)(fetched(one) for one in value)
    return getattr(value, "_of_scipy", value)


def placed(value):
    """What SciPy has made: arrays and scalars on the current device, in tuples and lists, too."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return _core.asarray(value)
    if isinstance(value, (tuple, list)):
        made = [placed(one) for one in value]
        return tuple(made) if isinstance(value, tuple) else made
    return SYSTEMS[type(value).__name__]._around(value) if type(value).__name__ in SYSTEMS else value


def call(name, *args, **kwargs):
    """What SciPy's function of a name gives, arrays on the current device; its warnings are of our
    classes."""
    kwargs = {key: fetched(value) for key, value in kwargs.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = scipy_signal(name)(*fetched(args), **kwargs)
    for one in caught:
        category = BadCoefficients if one.category.__name__ == "BadCoefficients" else one.category
        warnings.warn(str(one.message), category, stacklevel=4)
    return placed(made)


def spelled(name, parameters, run, summary, returns, example, notes=""):
    """A function of a name and parameters (a text) that runs `run` with those that are given and
    are not the defaults."""
    read = eval(f"lambda {parameters}: locals()", {"pi": math.pi})
    read.__name__ = read.__qualname__ = name
    signature = inspect.signature(read)
    defaults = {one.name: one.default for one in signature.parameters.values()}

    @beside
    def function(*args, **kwargs):
        given = read(*args, **kwargs)
        return run(**{key: value for key, value in given.items() if value is not defaults[key]})

    function.__name__ = function.__qualname__ = name
    function.__module__ = "tenorite.scipy.signal"
    function.__signature__ = signature
    del function.__wrapped__
    first, *rest = example.splitlines()
    example = "\n".join(["import tenorite as tn", "from tenorite.scipy import signal", first])
    example = "\n".join([">>> " + line for line in example.splitlines()] + rest)
    function.__doc__ = document(name, signature, summary, returns, example, notes, _RAISES)
    return function


def forwarded(name, parameters, summary, returns, example):
    """A function of SciPy's name and parameters that calls it with arrays fetched."""
    return spelled(name, parameters, functools.partial(call, name), summary, returns, example, _ON_HOST)
