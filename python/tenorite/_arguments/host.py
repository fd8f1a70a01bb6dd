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

    Parameters
    ----------
    a : array_like
        An array of a device, or anything that NumPy takes.
    stream : Stream, optional
        The stream that the work is put into; the current one if it is None.
    order : {'C', 'F', 'A', 'K'}, optional
        The order of the elements: rows first, columns first, as in the array.
    out : numpy.ndarray, optional
        An array of the same shape and dtype that is written.
    blocking : bool, optional
        Whether the call waits until the elements are there.

    Returns
    -------
    numpy.ndarray
        The elements, in the host's memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.asnumpy(cp.array([1, 2]))
    array([1, 2])
    """
    if isinstance(a, ndarray):
        return a.get(stream=stream, order=order, out=out, blocking=blocking)
    foreign = None if isinstance(a, numpy.ndarray) else _core._foreign(a)
    if foreign is not None:
        return foreign.get(stream=stream, order=order, out=out, blocking=blocking)
    copy = getattr(a, "_copy_to_host", None)  # of an array that is spread over devices
    host = numpy.asarray(a, order=order) if copy is None else copy(stream, order)
    if out is None:
        return host
    numpy.copyto(out, host)
    return out


def get_array_module(*args):
    """The module whose functions take these: tenorite if one is an array of it, else numpy.

    Parameters
    ----------
    *args : object
        The arguments of a function.

    Returns
    -------
    module
        tenorite where an argument is an array or a sparse matrix of it, else numpy.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.get_array_module(cp.array(1)).__name__
    'tenorite'
    """
    is_own = any(isinstance(a, ndarray) or getattr(type(a), "_is_of_tenorite", False) for a in args)
    return sys.modules["tenorite" if is_own else "numpy"]
