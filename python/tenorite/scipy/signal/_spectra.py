"""Densities of spectra by averages over segments (Welch, 1967), and what windows that overlap sum
up to."""

import operator
import warnings

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite._numpy.calculus import unwrap
from tenorite._numpy.quantiles import median
from tenorite._numpy.rearranging import moveaxis
from tenorite.fft import fftfreq, rfftfreq
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._host import fetched
from tenorite.scipy.signal._segments import complex_of, computed, cut, double_inner, given, is_named, power, transformed
from tenorite.scipy.signal._stft import spectra_of_segments, triaged
from tenorite.scipy.signal.windows._names import get_window

_DENSITY = [("ndarray", "The frequencies."), ("ndarray", "The spectrum, whose frequencies have the axis of `x`.")]
_AXES = [
    ("AxisError", "For an axis that the array has not."),
    ("ValueError", "For lengths and overlaps that do not fit."),
]


def _checked_segments(window, nperseg, noverlap, nfft, n, kind):
    """The window and the lengths of csd(), checked."""
    if is_named(window):
        nperseg = int(nperseg) if nperseg is not None else 256
        if nperseg < 1:
            raise ValueError(f"Parameter {nperseg=} is not a positive integer!")
        if n < nperseg:
            warnings.warn(
                f"{nperseg=} is greater than signal length max(len(x), len(y)) = {n}, using nperseg = {n}", stacklevel=5
            )
            nperseg = n
        win = get_window(window, nperseg).astype(kind, copy=False)
    else:
        win = given(window, kind)
        nperseg = len(win) if nperseg is None else nperseg
    if nperseg != len(win):
        raise ValueError(f"{nperseg=} does not equal {len(win)=}")
    nfft = int(nfft) if nfft is not None else nperseg
    if nfft < nperseg:
        raise ValueError(f"{nfft=} must be greater than or equal to {nperseg=}!")
    noverlap = int(noverlap) if noverlap is not None else nperseg // 2
    if noverlap >= nperseg:
        raise ValueError(f"{noverlap=} must be less than {nperseg=}!")
    return win, nperseg, noverlap, nfft


def _scaled_window(win, fs, scaling):
    scales = {"spectrum": "magnitude", "density": "psd"}
    if scaling not in scales:
        raise ValueError(f"Parameter {scaling=} not in {scales}!")
    if not fs > 0:
        raise ValueError(f"Sampling frequency fs={fs} must be positive!")
    if scaling == "spectrum":
        return win / abs(win.sum())
    return win / _core.sqrt((power(win) if win.dtype.kind == "c" else win * win).sum() * float(fs))


def _lengthened(x, n):
    """With zeros at the end of the last axis."""
    lacking = n - x.shape[-1]
    return _core.concatenate((x, _core.zeros((*x.shape[:-1], lacking), x.dtype)), axis=-1) if lacking else x


def _averaged(spectra, average):
    """The mean or the median of the axis before the last."""
    count = spectra.shape[-2]
    if count == 1:
        return spectra[..., 0, :]
    if average == "mean":
        return spectra.mean(axis=-2)
    if average != "median":
        raise ValueError(f"Parameter {average=} must be 'median' or 'mean'!")
    k = 2 * numpy.arange(1.0, (count - 1) // 2 + 1)
    # Of the median of a chi-squared distribution.
    bias = 1 + float(numpy.sum(1.0 / (k + 1) - 1.0 / k))
    if spectra.dtype.kind == "c":
        return (median(spectra.real, axis=-2) + median(spectra.imag, axis=-2) * 1j) / bias
    return median(spectra, axis=-2) / bias


def _outer(x, axis):
    """The shape without an axis, which must be there."""
    rest = list(x.shape)
    rest.pop(axis)
    return rest


def _empty_pair(x, y, axis, is_same):
    if is_same:
        return _core.empty(x.shape), _core.empty(x.shape)
    shape = numpy.broadcast_shapes(_outer(x, axis), _outer(y, axis)) + (min(x.shape[axis], y.shape[axis]),)
    made = moveaxis(_core.empty(shape), -1, axis)
    return made, made


def _cross(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average):
    """csd() of arrays; of one and the same it is real."""
    is_same, axis = y is x, int(axis)
    if not is_same:
        try:
            numpy.broadcast_shapes(_outer(x, axis), _outer(y, axis))
        except ValueError as failure:
            raise ValueError("x and y cannot be broadcast together.") from failure
    if x.size == 0 or y.size == 0:
        return _empty_pair(x, y, axis, is_same)
    kind, real = complex_of(x, y)
    n = max(x.shape[axis], y.shape[axis])
    win, nperseg, noverlap, nfft = _checked_segments(window, nperseg, noverlap, nfft, n, real)
    is_onesided = return_onesided and x.dtype.kind != "c"
    win = _scaled_window(win, fs, scaling).conj()
    if is_onesided and (y.dtype.kind == "c" or win.dtype.kind == "c"):
        what = "windows" if win.dtype.kind == "c" else "`x`"
        raise ValueError(f"Complex-valued {what} not allowed for one-sided spectra: return_onesided=False")
    if n < nperseg:
        raise ValueError(f"Invalid length {n} of a signal for segments of {nperseg}")

    def spectra(one):
        one = _lengthened(moveaxis(computed(one), axis, -1), n)
        return transformed(cut(one, nperseg, nperseg - noverlap), win, nfft, detrend, is_onesided)

    found = power(spectra(x)) if is_same else spectra(y) * spectra(x).conj()
    found = _averaged(found, average)
    if is_onesided:
        double_inner(found, nfft)
    freqs = (rfftfreq if is_onesided else fftfreq)(nfft, 1 / fs)
    return freqs, moveaxis(found.astype(real if is_same else kind, copy=False), -1, axis)


@beside
@documented(
    "The cross spectral density of two signals by Welch's method.",
    _DENSITY,
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> x = tn.sin(tn.arange(1024.0))
    >>> signal.csd(x, 2 * x)[1].shape
    (129,)""",
    "``conj(X) Y``, averaged over segments.",
    _AXES,
)
def csd(
    x,
    y,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    is_same = y is x
    x = as_array_of(x)
    y = x if is_same else as_array_of(y)
    return _cross(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


@beside
@documented(
    "The power spectral density of a signal by Welch's method.",
    _DENSITY,
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> freqs, density = signal.welch(tn.sin(2 * tn.pi * 0.125 * tn.arange(4096.0)))
    >>> float(freqs[density.argmax()])
    0.125""",
    "The mean of the periodograms of segments (Welch, 1967).",
    _AXES,
)
def welch(
    x,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    x = as_array_of(x)
    return _cross(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


@beside
@documented(
    "The power spectral density of a signal as one segment.",
    _DENSITY,
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.periodogram(tn.cos(tn.pi * tn.arange(8.0)), scaling="spectrum")[1].round(6)
    array([0., 0., 0., 0., 1.])""",
    "",
    _AXES,
)
def periodogram(
    x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1
):
    x = as_array_of(x)
    if x.size == 0:
        return _core.empty(x.shape), _core.empty(x.shape)
    length = x.shape[axis]
    if nfft is not None and nfft < length:
        x, length, nfft = moveaxis(moveaxis(x, axis, -1)[..., :nfft], -1, axis), nfft, None
    window = "boxcar" if window is None else window
    if hasattr(window, "size") and window.size != length:
        raise ValueError("the size of the window must be the same size of the input on the specified axis")
    return _cross(x, x, fs, window, length, 0, nfft, detrend, return_onesided, scaling, axis, "mean")


@beside
@documented(
    "How far two signals are linear functions of each other, by frequency.",
    _DENSITY,
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> x = tn.sin(tn.arange(1024.0) ** 2)
    >>> signal.coherence(x, 2 * x)[1].round(6)[10]
    array(1.)""",
    "``abs(Pxy)**2 / (Pxx Pyy)`` of Welch's densities.",
    _AXES,
)
def coherence(
    x, y, fs=1.0, window="hann_periodic", nperseg=None, noverlap=None, nfft=None, detrend="constant", axis=-1
):
    x, y = as_array_of(x), as_array_of(y)
    options = (fs, window, nperseg, noverlap, nfft, detrend, True, "density", axis, "mean")
    freqs, of_x = _cross(x, x, *options)
    of_y, of_both = _cross(y, y, *options)[1], _cross(x, y, *options)[1]
    return freqs, abs(of_both) ** 2 / of_x / of_y


_MODES = ["psd", "complex", "magnitude", "angle", "phase"]


@beside
@documented(
    "The spectra of segments of a signal, one after the other.",
    [
        ("ndarray", "The frequencies."),
        ("ndarray", "The times of the segments."),
        ("ndarray", "The spectra: frequencies have the axis of `x`, times the last one."),
    ],
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.spectrogram(tn.sin(tn.arange(1024.0)))[2].shape
    (129, 4)""",
    "",
    _AXES,
)
def spectrogram(
    x,
    fs=1.0,
    window=("tukey_periodic", 0.25),
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    mode="psd",
):
    if mode not in _MODES:
        raise ValueError(f"unknown value for mode {mode}, must be one of {_MODES}")
    x = as_array_of(x)
    window, nperseg = triaged(window, nperseg, x.shape[axis], complex_of(x)[1])
    noverlap = nperseg // 8 if noverlap is None else noverlap
    freqs, times, found = spectra_of_segments(
        x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, mode == "psd", None, False
    )
    if mode == "magnitude":
        found = abs(found)
    elif mode in ("angle", "phase"):
        found = _core.arctan2(found.imag, found.real)
        if mode == "phase":
            found = unwrap(found, axis=axis - 1 if axis < 0 else axis)
    return freqs, times, found


# --- Windows that overlap ---


def _sums(window, nperseg, noverlap, may_be_negative, power_of):
    """The sums of powers of a window's values that fall on one place, for the places of a step."""
    nperseg = int(nperseg)
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg" + "." * may_be_negative)
    if noverlap < 0 and not may_be_negative:
        raise ValueError("noverlap must be a nonnegative integer")
    noverlap = operator.index(int(noverlap))
    if is_named(window):
        win = fetched(get_window(window, nperseg))
    else:
        win = numpy.asarray(fetched(window))
        if win.ndim != 1:
            raise ValueError("window must be 1-D")
        if win.shape[0] != nperseg:
            raise ValueError("window must have length of nperseg")
    step, win = nperseg - noverlap, win**power_of
    sums = sum(win[k * step : (k + 1) * step] for k in range(nperseg // step))
    if nperseg % step:
        sums[: nperseg % step] += win[-(nperseg % step) :]
    return sums


@documented(
    "Whether a window that overlaps itself sums up to a constant.",
    ("bool", "On the host."),
    """>>> from tenorite.scipy import signal
    >>> signal.check_COLA("hann", 120, 60)
    True""",
    "",
    ("ValueError", "For lengths that do not fit."),
)
def check_COLA(window, nperseg, noverlap, tol=1e-10):
    sums = _sums(window, nperseg, noverlap, True, 1)
    return bool(numpy.max(numpy.abs(sums - numpy.median(sums))) < tol)


@documented(
    "Whether the squares of a window that overlaps itself are nowhere zero, so that `istft` inverts.",
    ("bool", "On the host."),
    """>>> from tenorite.scipy import signal
    >>> signal.check_NOLA("hann", 120, 60)
    True""",
    "",
    ("ValueError", "For lengths that do not fit."),
)
def check_NOLA(window, nperseg, noverlap, tol=1e-10):
    return bool(numpy.min(_sums(window, nperseg, noverlap, False, 2)) > tol)
