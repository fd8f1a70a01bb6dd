"""Signals at another rate."""

import math
import operator

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, ndarray
from tenorite._numpy.quantiles import median
from tenorite._numpy.rearranging import flip, moveaxis
from tenorite.fft import fft, fftfreq, fftshift, ifft, irfft, rfft
from tenorite.scipy.signal._axes import checked_axis, cut, surrounded
from tenorite.scipy.signal._design import cheby1, firwin
from tenorite.scipy.signal._documents import described
from tenorite.scipy.signal._recursive import lfilter, sosfilt
from tenorite.scipy.signal._systems import dlti
from tenorite.scipy.signal._zero_phase import filtfilt, sosfiltfilt
from tenorite.scipy.signal.windows._names import get_window

_MODES = ("constant", "wrap", "edge", "smooth", "symmetric", "reflect", "antisymmetric", "antireflect", "line")


def _filtered(taps, x, axis, up, down, first, count):
    if taps.dtype.kind != "c":
        return _core._upfirdn(taps, x, axis, up, down, first, count)
    real = _core._upfirdn(taps.real, x, axis, up, down, first, count)
    return real + 1j * _core._upfirdn(taps.imag, x, axis, up, down, first, count)


def _resampled(h, x, axis, up, down, mode, value, first=0, count=None):
    """Outputs of upfirdn() from one on; all of them if none are counted."""
    if h.ndim != 1 or h.size == 0:
        raise ValueError("h must be 1-D with non-zero length")
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    axis = checked_axis(axis, x.ndim, IndexError, "tuple index out of range")
    mode = mode.lower()
    if mode not in _MODES:
        raise ValueError(f"Unknown mode: {mode}")
    dtype = numpy.result_type(h.dtype, x.dtype, numpy.float32)
    x, h = x.astype(dtype, copy=False), h.astype(dtype, copy=False)
    if count is None:
        count = ((x.shape[axis] - 1) * up + h.size - 1) // down + 1
        if count < 0:
            raise ValueError("negative dimensions are not allowed")
    if (mode != "constant" or value != 0) and x.shape[axis]:
        around = -(-h.size // up)
        x, first = surrounded(x, around, mode, axis, value), first + around * up
    return _filtered(h, x, axis, up, down, first, count)


@beside
@described
def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    """Lines at a higher rate, filtered, at a lower rate.

    Parameters
    ----------
    h : array_like
        The taps of the filter.
    up, down : int, optional
        How many times as many elements lines get first (zeros), and of how many one is kept at
        last.
    mode : str, optional
        What is thought around a line: 'constant', 'wrap', 'edge', 'smooth', 'symmetric', 'reflect',
        'antisymmetric', 'antireflect' or 'line'.
    cval : scalar, optional
        The constant.

    Returns
    -------
    ndarray
        In the common dtype with float32.

    Raises
    ------
    ValueError
        For no taps, rates below 1, and an unknown mode.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.upfirdn(tn.array([1.0, 1]), tn.array([1.0, 2]), up=2)
    array([1., 1., 2., 2.])
    """
    return _resampled(as_array_of(h), as_array_of(x), axis, up, down, mode, cval)


# --- By Fourier transforms ---


def _weights(window, n):
    """Of frequencies in the order of fft(), or None."""
    if window is None:
        return None
    if callable(window):
        return as_array_of(window(fftfreq(n)))
    if hasattr(window, "shape"):
        if window.shape != (n,):
            raise ValueError(
                f"window.shape={window.shape!r} != ({n},), i.e., window length is not equal to number of frequency bins!"
            )
        return as_array_of(window)
    return fftshift(get_window(window, n))


def _resampled_real(x, n, count, weights):
    spectrum = rfft(x)
    if weights is not None:
        half = spectrum.shape[-1]
        both = weights[:half].copy()
        if half > 1:
            both[1:] = (weights[1:half] + flip(weights[n - half + 1 :], 0)) / 2
        spectrum *= both.astype(spectrum.dtype)
    kept = min(count, n)
    spectrum = spectrum[..., : kept // 2 + 1]
    if kept % 2 == 0 and count != n:
        spectrum[..., kept // 2] *= 2 if count < n else 0.5
    return irfft(spectrum * (count / n), count)


def _resampled_complex(spectrum, n, count, weights):
    if weights is not None:
        is_like = spectrum.dtype.kind == "c" or spectrum.dtype.kind == weights.dtype.kind == "f"
        spectrum = spectrum * (weights.astype(spectrum.dtype) if is_like else weights)
    kept = min(count, n)
    half = kept // 2 + 1
    made = _core.zeros((*spectrum.shape[:-1], count), dtype=spectrum.dtype)
    made[..., :half] = spectrum[..., :half]
    if half < kept:
        made[..., count - kept + half :] = spectrum[..., n - kept + half :]
    if kept % 2 == 0 and count < n:
        made[..., kept // 2] += spectrum[..., n - kept // 2]
    elif kept % 2 == 0 and n < count:
        made[..., kept // 2] /= 2
        made[..., count - kept // 2] = made[..., kept // 2]
    return ifft(made * (count / n), count)


@beside
def resample(x, num, t=None, axis=0, window=None, domain="time"):
    """Periodic lines at another number of places, by Fourier transforms.

    Parameters
    ----------
    x : array_like
        The signal, or its transform.
    num : int
        The number of places.
    t : array_like, optional
        The places of the signal, of which the first two are read.
    axis : int, optional
        Along which the lines are.
    window : array_like, callable, str, float or tuple, optional
        Weights of frequencies in the order of ``fft``, a function of these, or a window of that
        name.
    domain : {'time', 'freq'}
        Whether `x` is the signal or its transform.

    Returns
    -------
    resampled : ndarray
        The lines.
    places : ndarray
        Their places, if `t` is given.

    Raises
    ------
    ValueError
        For an unknown domain, and weights of another number.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.resample(tn.array([1.0, 0, -1, 0]), 2).round(6)
    array([ 1., -1.])
    """
    if domain not in ("time", "freq"):
        raise ValueError(f"Parameter domain={domain!r} not in ('time', 'freq')!")
    x = as_array_of(x)
    if x.ndim > 1:
        x = moveaxis(x, axis, -1)
    n = x.shape[-1]
    weights = _weights(window, n)
    if domain == "time" and x.dtype.kind != "c":
        made = _resampled_real(x, n, num, weights)
    else:
        made = _resampled_complex(fft(x) if domain == "time" else x, n, num, weights)
    if made.ndim > 1:
        made = moveaxis(made, -1, axis)
    if t is None:
        return made
    t = as_array_of(t)
    return made, t[0] + (t[1] - t[0]) * (n / num) * _core.arange(num)


# --- By filters ---

_BACKGROUNDS = {
    "mean": lambda x, axis: x.mean(axis, keepdims=True),
    "median": lambda x, axis: median(x, axis, keepdims=True),
    "minimum": lambda x, axis: x.min(axis, keepdims=True),
    "maximum": lambda x, axis: x.max(axis, keepdims=True),
}


def _taps_for(x, rate, window):
    """A low pass for a change of rate, and the place of its middle."""
    if isinstance(window, (list, numpy.ndarray, ndarray)):
        taps = as_array_of(window)
        if taps.ndim > 1:
            raise ValueError("window must be 1-D")
        return taps, (taps.size - 1) // 2
    half = 10 * rate
    taps = as_array_of(firwin(2 * half + 1, 1 / rate, window=window))
    return (taps.astype(x.dtype, copy=False) if x.dtype.kind in "fc" else taps), half


@beside
@described
def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    """Lines at ``up / down`` times their rate, by a filter in phases.

    Parameters
    ----------
    up, down : int
        The rates, of which the common divisor is taken out.
    window : str, tuple or array_like, optional
        The window of the low pass, or its taps.
    padtype : str, optional
        What is thought around a line: 'mean', 'median', 'minimum', 'maximum', or a mode of
        `upfirdn`.
    cval : scalar, optional
        The constant of the mode 'constant'.

    Returns
    -------
    ndarray
        The lines.

    Raises
    ------
    ValueError
        For rates that are no positive integers, several axes of taps, and an unknown `padtype`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.resample_poly(tn.arange(4.0), 1, 2, window=[1.0]).round(6)
    array([0., 2.])
    """
    x = as_array_of(x)
    for name, rate in (("up", up), ("down", down)):
        if rate != int(rate):
            raise ValueError(f"{name} must be an integer")
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    if cval is not None and padtype != "constant":
        raise ValueError("cval has no effect when padtype is ", padtype)
    divisor = math.gcd(int(up), int(down))
    up, down = int(up) // divisor, int(down) // divisor
    if up == down == 1:
        return x.copy()
    axis = checked_axis(axis, x.ndim, IndexError, "tuple index out of range")
    count = -(-x.shape[axis] * up // down)
    taps, half = _taps_for(x, max(up, down), window)
    taps = taps * up
    if padtype in _BACKGROUNDS:
        background = _BACKGROUNDS[padtype](x, axis)
        return _resampled(taps, x - background, axis, up, down, "constant", 0, half, count) + background
    if padtype not in _MODES:
        raise ValueError("padtype must be one of: maximum, mean, median, minimum, " + ", ".join(_MODES))
    return _resampled(taps, x, axis, up, down, padtype, 0 if cval is None else cval, half, count)


def _system_of(ftype, n, q, dtype):
    """('fir', taps), ('sos', sections) or ('ba', (b, a)) for a lower rate."""
    if ftype == "fir":
        n = 20 * q if n is None else n
        return "fir", as_array_of(firwin(n + 1, 1.0 / q, window="hamming")).astype(dtype)
    if ftype == "iir":
        sections = cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
        return "sos", as_array_of(sections).astype(dtype)
    if not isinstance(ftype, dlti):
        raise ValueError("invalid ftype")
    system = ftype.to_tf()
    b, a = (numpy.atleast_1d(one.get() if isinstance(one, ndarray) else one) for one in (system.num, system.den))
    if a.size == 1:
        return "fir", as_array_of(b / a).astype(dtype)
    return "ba", (b, a)


@beside
@described
def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    """One of so many elements of lines, after a low pass.

    Parameters
    ----------
    q : int
        Of how many elements one is kept.
    n : int, optional
        The order of the filter: 8 of a recursive one, 20 `q` of one of taps, if not given.
    ftype : {'iir', 'fir'} or dlti
        Chebyshev's filter of the first kind, one of taps by a Hamming window, or a system.
    zero_phase : bool, optional
        Whether phases are left as they are.

    Returns
    -------
    ndarray
        The lines.

    Raises
    ------
    ValueError
        For an unknown kind of filter.
    ImportError
        For 'iir', if SciPy, which designs the filter, is not installed.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.decimate(tn.ones(100), 4, ftype="fir").shape
    (25,)
    """
    x, q = as_array_of(x), operator.index(q)
    n = None if n is None else operator.index(n)
    dtype = x.dtype if x.dtype.char in "fdFD" else numpy.dtype(numpy.float64)
    axis = checked_axis(axis, x.ndim, IndexError, "tuple index out of range")
    kind, system = _system_of(ftype, n, q, dtype)
    if kind == "fir":
        if zero_phase:
            return resample_poly(x, 1, q, axis=axis, window=system)
        count = -(-x.shape[axis] // q)
        return _resampled(system, x, axis, 1, q, "constant", 0, 0, count)
    if kind == "sos":
        made = sosfiltfilt(system, x, axis=axis) if zero_phase else sosfilt(system, x, axis=axis)
    else:
        made = filtfilt(*system, x, axis=axis) if zero_phase else lfilter(*system, x, axis=axis)
    return cut(made, None, None, q, axis=axis)
