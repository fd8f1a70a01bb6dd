"""Segments of signals: cut as a view, freed of trends, weighted and transformed, all at a time."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of
from tenorite._numpy.dtypes import result_type
from tenorite._numpy.padding import pad
from tenorite._numpy.stride_tricks import as_strided
from tenorite.fft import fft, rfft
from tenorite.scipy.signal.windows._names import get_window

_PADDING = {"zeros": "constant", "constant": "edge", "even": "reflect", "odd": "reflect"}


def complex_of(*arrays):
    """The complex dtype of the spectra of arrays, and the real one."""
    kind = numpy.result_type(*(one.dtype for one in arrays), numpy.complex64)
    return kind, numpy.dtype("f" if kind.itemsize == 8 else "d")


def computed(x):
    """The array as what transforms compute with: integers as float64, float16 as float32."""
    if x.dtype.kind in "biu":
        return x.astype(float)
    return x.astype("f") if x.dtype.itemsize == 2 else x


def cut(x, length, step):
    """A view of the segments along the last axis, which all lie within it: (..., count, length)."""
    count = max((x.shape[-1] - length) // step + 1, 0)
    *outer, last = x.strides
    return as_strided(x, (*x.shape[:-1], count, length), (*outer, step * last, last))


def detrended(x, kind):
    """Without the mean ("constant") or the line of least squares ("linear") of the last axis."""
    if kind not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    mean = x.mean(axis=-1, keepdims=True)
    if kind in ("constant", "c") or x.shape[-1] < 2:
        return x - mean
    n = _core.arange(x.shape[-1], dtype=mean.real.dtype) - (x.shape[-1] - 1) / 2
    slope = (x @ n.astype(mean.dtype, copy=False))[..., None] / float((x.shape[-1] ** 2 - 1) * x.shape[-1] / 12)
    return x - mean - slope * n


def extended(x, n, kind):
    """With n elements more at both ends of the last axis, as filters and transforms want them."""
    if kind is None or n == 0 and kind in _PADDING:
        return x
    if kind not in _PADDING:
        kinds = ["even", "odd", "constant", "zeros", None]
        raise ValueError(f"Unknown boundary option '{kind}', must be one of: {kinds}")
    if kind in ("even", "odd") and n > x.shape[-1] - 1:
        raise ValueError(
            f"The extension length n ({n}) is too big. It must not exceed x.shape[axis]-1, which is {x.shape[-1] - 1}."
        )
    options = {"reflect_type": kind} if kind in ("even", "odd") else {}
    return pad(x, [(0, 0)] * (x.ndim - 1) + [(n, n)], mode=_PADDING[kind], **options)


def transformed(segments, win, nfft, detrend, is_onesided):
    """The spectra of segments: (..., count, frequencies)."""
    if callable(detrend):
        segments = detrend(segments)
    elif detrend:
        segments = detrended(segments, detrend)
    weighted = segments * win
    if is_onesided:
        return rfft(weighted.real if weighted.dtype.kind == "c" else weighted, nfft)
    return fft(weighted, nfft)


def power(spectra):
    """The squared magnitudes."""
    result = spectra.real**2
    result += spectra.imag**2
    return result


def double_inner(spectra, nfft):
    """Doubles what stands for two frequencies of one-sided spectra, in place: all but the first
    and, of even lengths, the last."""
    spectra[..., 1 : -1 if nfft % 2 == 0 else None] *= 2


def on_circle(w):
    """exp(1j w)."""
    if w.dtype.kind == "c":
        return _core.exp(1j * w)
    result = _core.empty(w.shape, numpy.result_type(w.dtype, numpy.complex64))
    _core.cos(w, out=result.real)
    _core.sin(w, out=result.imag)
    return result


def is_named(window):
    return isinstance(window, (str, tuple))


def named_or_given(window, nperseg, kind):
    """The values of a window of a name, or given ones, of a dtype where they are real."""
    if is_named(window):
        return get_window(window, nperseg).astype(kind, copy=False)
    return given(window, kind)


def given(window, kind):
    win = as_array_of(window)
    if win.dtype.kind == "c":
        return win.astype(result_type(kind, numpy.complex64), copy=False)
    return win.astype(kind, copy=False)
