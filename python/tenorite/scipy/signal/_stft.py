"""Short-time Fourier transforms, as SciPy's functions make and invert them."""

import warnings

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite._numpy.indexing import where
from tenorite._numpy.rearranging import moveaxis
from tenorite.fft import fftfreq, ifft, irfft, rfftfreq
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._segments import (
    complex_of,
    computed,
    cut,
    double_inner,
    extended,
    given,
    is_named,
    power,
    transformed,
)
from tenorite.scipy.signal.windows._names import get_window


def triaged(window, nperseg, length, kind):
    """The values of a window and their number, for a signal of a length."""
    if is_named(window):
        nperseg = 256 if nperseg is None else nperseg
        if nperseg > length:
            warnings.warn(
                f"nperseg = {nperseg:d} is greater than input length  = {length:d}, using nperseg = {length:d}",
                stacklevel=5,
            )
            nperseg = length
        return get_window(window, nperseg).astype(kind, copy=False), nperseg
    win = given(window, kind)
    if win.ndim != 1:
        raise ValueError("window must be 1-D")
    if length < win.shape[-1]:
        raise ValueError("window is longer than input signal")
    if nperseg is not None and nperseg != win.shape[0]:
        raise ValueError("value specified for nperseg is different from length of window")
    return win, win.shape[0]


def _checked_lengths(nperseg, noverlap, nfft):
    if nfft is None:
        nfft = nperseg
    elif nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    return nperseg - noverlap, int(nfft)


def _scale(win, fs, scaling):
    if scaling == "density":
        return 1.0 / (fs * (win * win).sum())
    if scaling == "spectrum":
        return 1.0 / win.sum() ** 2
    raise ValueError(f"Unknown scaling: {scaling!r}")


def _padded(x, nperseg, step):
    """With zeros at the end, so that segments end with the signal."""
    lacking = (-(x.shape[-1] - nperseg) % step) % nperseg
    return _core.concatenate((x, _core.zeros((*x.shape[:-1], lacking), x.dtype)), axis=-1) if lacking else x


def _along(detrend, axis):
    """A callable that removes trends, for segments whose last axis lies at another place."""
    if not callable(detrend) or axis == -1:
        return detrend
    return lambda segments: moveaxis(detrend(moveaxis(segments, -1, axis)), axis, -1)


def spectra_of_segments(
    x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, is_power, boundary, padded
):
    """Frequencies, times, and the spectra of segments or (is_power) their squared magnitudes."""
    axis, (kind, real) = int(axis), complex_of(x)
    extended(x, 0, boundary)
    if x.size == 0:
        return tuple(_core.empty(x.shape) for _ in range(3))
    x = moveaxis(x, axis, -1) if x.ndim > 1 else x
    if nperseg is not None:
        nperseg = int(nperseg)
        if nperseg < 1:
            raise ValueError("nperseg must be a positive integer")
    win, nperseg = triaged(window, nperseg, x.shape[-1], real)
    step, nfft = _checked_lengths(nperseg, noverlap, nfft)
    x = extended(computed(x), nperseg // 2, boundary)
    if padded:
        x = _padded(x, nperseg, step)
    scale = _scale(win, fs, scaling)
    is_onesided = return_onesided and x.dtype.kind != "c"
    if return_onesided and not is_onesided:
        warnings.warn("Input data is complex, switching to return_onesided=False", stacklevel=4)
    freqs = (rfftfreq if is_onesided else fftfreq)(nfft, 1 / fs)
    segments = cut(x, nperseg, step)
    found = transformed(segments, win * _core.sqrt(scale), nfft, _along(detrend, axis), is_onesided)
    if is_power:
        found = power(found)
        if is_onesided:
            double_inner(found, nfft)
    times = _core.arange(nperseg / 2, x.shape[-1] - nperseg / 2 + 1, step) / float(fs)
    if boundary is not None:
        times -= (nperseg / 2) / fs
    found = found.astype(real if is_power else kind, copy=False)
    return freqs, times, moveaxis(found, -1, axis - 1 if axis < 0 else axis)


@beside
@documented(
    "The short-time Fourier transform of a signal.",
    [
        ("ndarray", "The frequencies."),
        ("ndarray", "The times of the segments."),
        ("ndarray", "The spectra: frequencies have the axis of `x`, times the last one."),
    ],
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.stft(tn.sin(tn.arange(1024.0)))[2].shape
    (129, 9)""",
    "",
    [("AxisError", "For an axis that the array has not."), ("ValueError", "For lengths and overlaps that do not fit.")],
)
def stft(
    x,
    fs=1.0,
    window="hann_periodic",
    nperseg=256,
    noverlap=None,
    nfft=None,
    detrend=False,
    return_onesided=True,
    boundary="zeros",
    padded=True,
    axis=-1,
    scaling="spectrum",
):
    if scaling == "psd":
        scaling = "density"
    elif scaling != "spectrum":
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    x = as_array_of(x)
    return spectra_of_segments(
        x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, False, boundary, padded
    )


# --- The inverse ---


def _inverse_lengths(points, is_onesided, nperseg, noverlap, nfft):
    """The length and step of segments and that of transforms, of spectra of so many points."""
    usual = 2 * (points - 1) if is_onesided else points
    nperseg = usual if nperseg is None else int(nperseg)
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if nfft is None:
        nfft = nperseg if is_onesided and nperseg == usual + 1 else usual
    elif nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    return nperseg, nperseg - noverlap, int(nfft)


def _window_of(window, nperseg):
    if is_named(window):
        return get_window(window, nperseg)
    win = as_array_of(window)
    if win.ndim != 1:
        raise ValueError("window must be 1-D")
    if win.shape[0] != nperseg:
        raise ValueError(f"window must have length of {nperseg}")
    return win


def overlapped(segments, step):
    """The sums of segments (..., count, length) that lie a step apart, in the order of segments."""
    *outer, count, length = segments.shape
    parts = -(-length // step)
    if parts * step != length:
        lacking = _core.zeros((*outer, count, parts * step - length), segments.dtype)
        segments = _core.concatenate((segments, lacking), axis=-1)
    segments = segments.reshape(*outer, count, parts, step)
    sums = _core.zeros((*outer, count + parts - 1, step), segments.dtype)
    for part in reversed(range(parts)):
        sums[..., part : part + count, :] += segments[..., part, :]
    return sums.reshape(*outer, (count + parts - 1) * step)[..., : length + (count - 1) * step]


def _arranged(Zxx, freq_axis, time_axis):
    """With times and frequencies as the last two axes; the place of the time among the others."""
    time, freq = time_axis % Zxx.ndim, freq_axis % Zxx.ndim
    return moveaxis(Zxx, (time, freq), (-2, -1)), time - (freq < time)


_UNINVERTIBLE = "NOLA condition failed, STFT may not be invertible."


@beside
@documented(
    "The signal of a short-time Fourier transform.",
    [("ndarray", "The times."), ("ndarray", "The signal.")],
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> x = tn.sin(tn.arange(1024.0))
    >>> bool(abs(signal.istft(signal.stft(x)[2])[1] - x).max() < 1e-12)
    True""",
    "Segments that overlap are weighted, added and divided by the sum of squares of the window (Griffin and "
    "Lim, 1984).",
    ("ValueError", "For axes, lengths and overlaps that do not fit."),
)
def istft(
    Zxx,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    input_onesided=True,
    boundary=True,
    time_axis=-1,
    freq_axis=-2,
    scaling="spectrum",
):
    Zxx = as_array_of(Zxx)
    freq_axis, time_axis = int(freq_axis), int(time_axis)
    if Zxx.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    if freq_axis == time_axis:
        raise ValueError("Must specify differing time and frequency axes!")
    Zxx = Zxx.astype(complex_of(Zxx)[0], copy=False)
    nperseg, step, nfft = _inverse_lengths(Zxx.shape[freq_axis], input_onesided, nperseg, noverlap, nfft)
    spectra, place = _arranged(Zxx, freq_axis, time_axis)
    win = _window_of(window, nperseg)
    segments = (irfft if input_onesided else ifft)(spectra, nfft)[..., :nperseg]
    if numpy.result_type(win.dtype, segments.dtype) != segments.dtype:
        win = win.astype(segments.dtype)
    squares = win**2
    if scaling == "spectrum":
        factor = win.sum()
    elif scaling == "psd":
        factor = _core.sqrt(fs * squares.sum())
    else:
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    x = overlapped(segments * (win * factor), step)
    norm = overlapped(_core.zeros((spectra.shape[-2], 1), squares.dtype) + squares, step)
    if boundary:
        inner = slice(nperseg // 2, -(nperseg // 2))
        x, norm = x[..., inner], norm[..., inner]
    is_known = norm.real > 1e-10
    if not bool(is_known.all()):
        warnings.warn(_UNINVERTIBLE + (" Possibly due to missing boundary" if not boundary else ""), stacklevel=3)
    x = x / where(is_known, norm, norm.dtype.type(1))
    if x.ndim > 1:
        x = moveaxis(x, -1, place)
    return _core.arange(x.shape[0]) / float(fs), x
