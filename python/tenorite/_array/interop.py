"""How other code meets an array: NumPy's dispatch, the array API standard, pickle.

These functions become methods of ndarray (see the end), beside those that are in C.
"""

import importlib
import pickle
import sys

import numpy

from tenorite import _core
from tenorite._arguments import host_view, ndarray

_API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def _package():
    return sys.modules["tenorite"]


def _find(module, name):
    """Our object of NumPy's name: numpy.linalg.norm is tenorite.linalg.norm. None if there is
    none."""
    found = _package()
    for part in (*module.split(".")[1:], name):
        found = getattr(found, part, None)
    return found


def array_function(self, function, types, args, kwargs):
    """numpy.f(...) with one of our arrays among the arguments is tenorite.f(...).

    Functions that we do not have, and arrays of third kinds, are left to NumPy: a TypeError. So is
    numpy.empty_like() of numbers for structures: code that asks NumPy for it, as Dask's unique()
    does, goes on with NumPy's structures, into which none of our arrays can be stored.
    """
    if function is numpy.empty_like and numpy.dtype(kwargs.get("dtype")).names is not None:
        return NotImplemented
    if not all(issubclass(kind, (ndarray, numpy.ndarray)) for kind in types):
        return NotImplemented
    ours = _find(function.__module__ or "numpy", function.__name__)
    if ours is None or ours is function:
        return NotImplemented
    # A scalar that a library has made an array of, as xarray does.
    args = [one[()] if type(one) is numpy.ndarray and not one.ndim else one for one in args]
    return ours(*args, **kwargs)


def _ufunc(name):
    """Our function of a ufunc's name: one of NumPy's, or one of scipy.special's. None if there is
    none."""
    found = _find("numpy", name)
    if found is None:
        found = getattr(importlib.import_module("tenorite.scipy.special"), name, None)
    return found


def _overrides(operand):
    """Whether an operand has an __array_ufunc__ that is neither ours nor NumPy's."""
    method = getattr(type(operand), "__array_ufunc__", None)
    return method not in (None, ndarray.__array_ufunc__, numpy.ndarray.__array_ufunc__)


def array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """A ufunc of NumPy or scipy.special, or its method, with one of our arrays among the operands
    is ours of that name.

    Host arrays among them are ours to refuse: TypeError "Unsupported type".
    """
    ours = _ufunc(ufunc.__name__)
    if ours is None or any(_overrides(one) for one in (*inputs, *kwargs.get("out", ()))):
        return NotImplemented
    # A NumPy scalar compared with our array comes as a 0-d array.
    inputs = [one[()] if isinstance(one, numpy.ndarray) else one for one in inputs]
    inputs = [_lent(one) if isinstance(one, numpy.ndarray) else one for one in inputs]
    call = ours if method == "__call__" else getattr(ours, method, None)
    if call is None:
        return NotImplemented
    out = kwargs.get("out")
    if out is not None and len(out) == 1:
        if isinstance(out[0], numpy.ndarray):
            return _write_host(call, inputs, out[0], kwargs)
        kwargs["out"] = out[0]
    return call(*inputs, **kwargs)


def _lent(value):
    """A copy of a host array on the device where fuse() lets functions take them; else a
    TypeError."""
    made = _core._foreign(value)
    if made is None:
        _core._refuse(value, None, None)
    return made


def _write_host(call, inputs, out, kwargs):
    """A call that writes into a host array: it writes into a copy, which is copied back."""
    made = _lent(out)
    call(*inputs, **{**kwargs, "out": made})
    made.get(out=out)
    return out


def array_namespace(self, /, *, api_version=None):
    """The module that implements the array API standard for our arrays: tenorite."""
    if api_version not in (None, *_API_VERSIONS):
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    return _package()


# --- Devices ---


def to_device(self, device, /, *, stream=None):
    """The array on a device: a Device, a number, or a text such as "host", "cuda" or "cuda:1".

    The same object if it is there already; stream: the copy runs there. ValueError if there is no
    such device.

    Parameters
    ----------
    device : Device, int or str
        The device.
    stream : Stream, optional
        The stream that the work is put into; the current one if it is None.

    Returns
    -------
    ndarray
        The array itself where it is there, else a copy.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.ones(2).to_device('host')
    array([1., 1.])
    """
    if stream is None:
        return _core._to_device(self, device, None)
    with stream:
        return _core._to_device(self, device, None)


# --- Pickle ---


_FEW_BYTES = 1 << 16  # so few are copied, which takes less time than looking at them in their place


def reduce(self):
    """What pickle stores: the class (None: ndarray, whatever it calls itself), the elements as a
    NumPy array, and the attributes, if any."""
    kind = None if type(self) is ndarray else type(self)
    return rebuild, (kind, host_view(self)), getattr(self, "__dict__", None)


def reduce_ex(self, protocol):
    """What pickle stores of an array of numbers that is no subclass's: its dtype, its shape,
    whether it is in Fortran's order, and its bytes; of others what reduce() gives."""
    if type(self) is not ndarray or self.dtype.kind not in "biufc":
        return self.__reduce__()
    is_fortran = self.flags.fnc
    if protocol < 5 or self.nbytes <= _FEW_BYTES:
        data = self.tobytes("F" if is_fortran else "C")
    else:
        data = host_view(self)
        data = numpy.ascontiguousarray(data.T if is_fortran else data)
    if protocol >= 5:
        data = pickle.PickleBuffer(data)
    return rebuild_numbers, (self.dtype.str, self.shape, is_fortran, data)


def rebuild_numbers(dtype, shape, is_fortran, data):
    """The array of a pickle, of its dtype's text, its shape and its bytes."""
    host = numpy.frombuffer(data, dtype).reshape(shape, order="F" if is_fortran else "C")
    return _core.array(host, order="A")


def rebuild(kind, host):
    """The array of a pickle; what is no array of ours is refused."""
    kind = ndarray if kind is None else kind
    if not (isinstance(kind, type) and issubclass(kind, ndarray)):
        raise TypeError(f"corrupt pickle: {kind!r} is no kind of tenorite.ndarray")
    if not isinstance(host, numpy.ndarray):
        raise TypeError(f"corrupt pickle: the elements are {type(host)}, not a numpy.ndarray")
    made = _core.array(host, order="A")
    return made if kind is ndarray else made.view(kind)


# Pickles that were made while this file lay one folder higher name the module so.
sys.modules["tenorite._interop"] = sys.modules[__name__]

# --- Dask ---


def dask_tokenize(self):
    """What Dask names a value by; called by Dask alone, and the first that needs it."""
    return importlib.import_module("tenorite.dask._tokens").token_of(self)


ndarray.__array_priority__ = 100.0
for _name, _method in {
    "__array_function__": array_function,
    "__array_ufunc__": array_ufunc,
    "__array_namespace__": array_namespace,
    "__dask_tokenize__": dask_tokenize,
    "__reduce__": reduce,
    "__reduce_ex__": reduce_ex,
    "to_device": to_device,
}.items():
    setattr(ndarray, _name, _method)
