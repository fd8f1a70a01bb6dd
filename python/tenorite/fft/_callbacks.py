"""Callbacks of transforms: CUDA C++ functions that elements go through. They run as passes of their
own, before a transform and after it, on the host as on CUDA."""

import functools
import math
import re
import warnings

import numpy

from tenorite import _core
from tenorite._kernels.raw import RawKernel
from tenorite.fft import _plans
from tenorite.fft._plans import COMPLEX, HERMITIAN, REAL

_TYPES = {"f": "cufftReal", "d": "cufftDoubleReal", "F": "cufftComplex", "D": "cufftDoubleComplex"}
_CHARS = {COMPLEX: "FD", REAL: "fd", HERMITIAN: "FD"}  # of what is loaded, of each precision
_BLOCK, _MOST_BLOCKS = 128, 8192
# In a text whose tokens have a blank between them.
_POINTER = r"\b{} = (?:& )?(\w+)"
_FUNCTION = r"__device__ [\w *]*?(\w+) \( void \* [^,)]*, (?:size_t|unsigned long long)\b"

_PASS = """
extern "C" __global__ void tenorite_pass({arguments}, void *data, unsigned long long n) {{
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long k = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; k < n; k += step) {call};
}}
"""
_LOAD = ("void *from, {type} *to", "to[k] = {name}(from, k, data, 0)")
_STORE = ("const {type} *from, void *to", "{name}(to, k, from[k], data, 0)")


@functools.lru_cache(maxsize=64)
def _kernel(code, name, parts, char, backend):
    arguments, call = (part.format(type=_TYPES[char], name=name) for part in parts)
    text = "#include <cufftXt.h>\n#line 1\n" + code + _PASS.format(arguments=arguments, call=call)
    return RawKernel(text, "tenorite_pass", ("--std=c++14",))


def _name_of(code, name, pointer):
    """The name of the function: given, that of the older pointer, or the first that fits."""
    if name:
        return name
    text = " ".join(_core._code_tokens(code))
    found = re.search(_POINTER.format(pointer), text) or re.search(_FUNCTION, text)
    if not found:
        raise ValueError(f"no name of the callback is given, and its text has neither {pointer} nor such a function")
    return found.group(1)


class set_cufft_callbacks:
    """In a ``with`` block, elements of transforms go through functions of CUDA C++.

    A load callback ``T name(void *dataIn, unsigned long long offset, void *callerInfo, void
    *sharedPtr)`` gives the element of the input at an offset; a store callback ``void name(void
    *dataOut, unsigned long long offset, T element, void *callerInfo, void *sharedPtr)`` writes an
    element of the result. T is cufftReal, cufftDoubleReal, cufftComplex or cufftDoubleComplex. The
    offset counts elements of the input, as long as the transform and in order C, the axis of a
    transform along one axis the last; the factor of the norm comes after the store callback. Each
    callback is a pass of its own over all elements, and ``sharedPtr`` is NULL.

    Parameters
    ----------
    cb_load, cb_store : str, optional
        The texts; one of them, or both.
    cb_load_name, cb_store_name : str, optional
        The names of the functions; found in the text if not given.
    cb_load_aux_arr, cb_store_aux_arr : ndarray, optional
        Deprecated: arrays whose addresses the functions get as ``callerInfo``.
    cb_load_data, cb_store_data : MemoryPointer, optional
        What the functions get as ``callerInfo``.
    cb_ver : {"jit", "legacy"}, optional
        Both are done alike; "legacy" is deprecated.

    Raises
    ------
    ValueError
        For no callback at all, data without a callback, or a text in which none is found.

    Examples
    --------
    >>> import tenorite as tn
    >>> twice = '''__device__ cufftComplex twice(
    ...     void *dataIn, unsigned long long offset, void *callerInfo, void *sharedPtr) {
    ...     cufftComplex x = ((cufftComplex *)dataIn)[offset];
    ...     x.x *= 2;
    ...     return x;
    ... }'''
    >>> with tn.fft.config.set_cufft_callbacks(cb_load=twice):
    ...     tn.fft.fft(tn.ones(4, "F")).real
    array([8., 0., 0., 0.], dtype=float32)
    """

    def __init__(
        self,
        cb_load="",
        cb_store="",
        cb_load_name=None,
        cb_store_name=None,
        cb_load_aux_arr=None,
        cb_store_aux_arr=None,
        *,
        cb_load_data=None,
        cb_store_data=None,
        cb_ver=None,
    ):
        if not cb_load and not cb_store:
            raise ValueError("need to specify cb_load or cb_store, or both")
        if cb_ver not in (None, "jit", "legacy"):
            raise ValueError(f"cb_ver must be 'jit' or 'legacy', not {cb_ver!r}")
        if cb_load_aux_arr is not None or cb_store_aux_arr is not None:
            message = "cb_load_aux_arr or cb_store_aux_arr is deprecated: use cb_load_data and cb_store_data"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
        if cb_ver == "legacy":
            message = "legacy callback is considered deprecated: use cb_ver='jit'"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
        given = (("load", cb_load, cb_load_aux_arr, cb_load_data), ("store", cb_store, cb_store_aux_arr, cb_store_data))
        for side, code, array, data in given:
            if array is not None and data is not None:
                raise ValueError(f"cb_{side}_aux_arr and cb_{side}_data are the same: give one of them")
            if not code and (array is not None or data is not None):
                raise ValueError(f"data for cb_{side} without cb_{side}")
        self.cb_load, self.cb_store, self.cb_ver = cb_load, cb_store, cb_ver or "jit"
        self.cb_load_name = _name_of(cb_load, cb_load_name, "d_loadCallbackPtr") if cb_load else None
        self.cb_store_name = _name_of(cb_store, cb_store_name, "d_storeCallbackPtr") if cb_store else None
        self.cb_load_aux_arr, self.cb_store_aux_arr = cb_load_aux_arr, cb_store_aux_arr
        self.cb_load_data, self.cb_store_data = cb_load_data, cb_store_data
        self._outer = []

    def __enter__(self):
        self._outer.append(get_current_callback_manager())
        _plans.local.manager = self
        _plans.Plan.entered = True
        return self

    def __exit__(self, *error):
        _plans.local.manager = self._outer.pop()

    def _load(self, source):
        target = _core.empty(source.shape, source.dtype)
        data = self.cb_load_aux_arr if self.cb_load_data is None else self.cb_load_data
        _launch(_kernel_of(self.cb_load, self.cb_load_name, _LOAD, source), source, target, data)
        return target

    def _store(self, source):
        target = _core.zeros(source.shape, source.dtype)  # a callback may leave elements out
        data = self.cb_store_aux_arr if self.cb_store_data is None else self.cb_store_data
        _launch(_kernel_of(self.cb_store, self.cb_store_name, _STORE, source), source, target, data)
        return target


def _kernel_of(code, name, parts, array):
    return _kernel(code, name, parts, array.dtype.char, array.device.backend)


def _launch(kernel, source, target, data):
    if source.size == 0:
        return
    if data is None:
        data = 0
    elif not isinstance(data, _core.ndarray):
        data = data.ptr
    blocks = min(-(-source.size // _BLOCK), _MOST_BLOCKS)
    kernel((blocks,), (_BLOCK,), (source, target, data, numpy.uint64(source.size)))


def get_current_callback_manager():
    """The callbacks of transforms that are in force in this thread.

    Returns
    -------
    set_cufft_callbacks or None
        That of the innermost ``with`` block.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.config.get_current_callback_manager() is None
    True
    """
    return getattr(_plans.local, "manager", None)


def _input(a, kind, axes, lengths):
    """The input in the dtype and of the lengths of the transform, zeros after what is shorter."""
    x = a.astype(_CHARS[kind][a.dtype.char not in "efF"], copy=False)
    shape = list(a.shape)
    for k, (axis, length) in enumerate(zip(axes, lengths)):
        shape[axis] = length // 2 + 1 if kind == HERMITIAN and k == len(axes) - 1 else length
    x = x[tuple(slice(extent) for extent in shape)]
    if x.shape == tuple(shape):
        return x
    longer = _core.zeros(tuple(shape), x.dtype)
    longer[tuple(slice(extent) for extent in x.shape)] = x
    return longer


def refuse(what):
    """NotImplementedError where callbacks are in force and a transform goes past them."""
    if get_current_callback_manager() is not None:
        raise NotImplementedError(f"{what} does not go through callbacks")


def transform(a, kind, is_backward, axes, lengths, number, out):
    """The transform through the callbacks in force; None: there are none."""
    manager = get_current_callback_manager()
    if manager is None:
        return None
    axes = numpy.lib.array_utils.normalize_axis_tuple(axes, a.ndim)
    if lengths is None:
        lengths = [a.shape[axis] for axis in axes]
        if kind == HERMITIAN:
            lengths[-1] = 2 * (lengths[-1] - 1)
    if min(lengths) < 1 or (kind == REAL and a.dtype.kind == "c"):
        return None  # an error, which the transform itself tells
    x, where = _input(a, kind, axes, lengths), axes
    if len(axes) == 1:
        x, where = x.swapaxes(axes[0], -1), (-1,)
    x = _core.ascontiguousarray(x)
    if manager.cb_load:
        x = manager._load(x)
    made = _core._fft(x, kind, is_backward, where, tuple(lengths), 2 if is_backward else 0, None)
    if manager.cb_store:
        made = manager._store(_core.ascontiguousarray(made))
    whole = math.prod(lengths)
    if number == 1:
        made *= whole**-0.5
    elif (number == 0) == is_backward:
        made *= 1 / whole
    if len(axes) == 1:
        made = made.swapaxes(-1, axes[0])
    if out is None:
        return made
    out[...] = made
    return out
