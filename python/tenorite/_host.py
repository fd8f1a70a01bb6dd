"""Between host memory and devices: functions that CuPy has beside NumPy's."""

import sys

import numpy

from tenorite import _core
from tenorite._arguments import ndarray


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A numpy.ndarray with the elements of an array, of another library's, or of anything that
    numpy.asarray takes.

    stream: the copy runs there. out: a numpy.ndarray of the same shape and dtype to fill. With
    blocking=False the elements are there once the stream is synchronized.
    """
    if isinstance(a, ndarray):
        return a.get(stream=stream, order=order, out=out, blocking=blocking)
    foreign = None if isinstance(a, numpy.ndarray) else _core._foreign(a)
    if foreign is not None:
        return foreign.get(stream=stream, order=order, out=out, blocking=blocking)
    host = numpy.asarray(a, order=order)
    if out is None:
        return host
    numpy.copyto(out, host)
    return out


def get_array_module(*args):
    """The module whose functions take these: tenorite if one is a tenorite.ndarray, else numpy."""
    return sys.modules["tenorite" if any(isinstance(a, ndarray) for a in args) else "numpy"]
