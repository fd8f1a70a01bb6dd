"""Peaks: local maxima by comparisons of neighbours; what stands out, by walks from each peak (forms
of the core); and which are apart, one after the other on the host."""

import math
import warnings

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, ndarray
from tenorite._numpy.rearranging import moveaxis
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._host import fetched, placed, scipy_signal

_PART = 256  # TN_PEAK_PART of tenorite/samples.h
_FEW = 8  # elements that are joined one by one
_SHORT = 4 * _PART  # fewer values are walked over one by one


class PeakPropertyWarning(RuntimeWarning):
    """A property of a peak that is zero."""


# --- Arguments ---


def _row(x):
    """Values as float32 or float64, side by side."""
    x = as_array_of(x)
    if x.ndim != 1:
        raise ValueError("`x` must be a 1-D array")
    return _core.ascontiguousarray(x.astype("f" if x.dtype in ("f2", "f4") else "d", copy=False))


def _places(peaks, x):
    """The numbers of elements, checked."""
    peaks = as_array_of(peaks)
    if peaks.size == 0:
        peaks = _core.empty(peaks.shape, numpy.intp)
    if not numpy.can_cast(peaks.dtype, numpy.intp, "safe"):
        raise TypeError("cannot safely cast `peaks` to dtype('intp')")
    if peaks.ndim != 1:
        raise ValueError("`peaks` must be a 1-D array")
    peaks = _core.ascontiguousarray(peaks.astype(numpy.intp, copy=False))
    is_wrong = (peaks < 0) | (peaks >= x.size)
    if peaks.size and bool(is_wrong.any()):
        raise ValueError(f"peak {int(peaks[is_wrong][0])} is not a valid index for `x`")
    return peaks


def _reach(wlen):
    """How far a window reaches from its middle; -1 if there is none."""
    if wlen is None:
        return -1
    if not 1 < wlen:
        raise ValueError(f"`wlen` must be larger than 1, was {wlen}")
    return int(math.ceil(wlen) if isinstance(wlen, float) else wlen) // 2


class _Values:
    """Values as float64, with the extents of their parts."""

    def __init__(self, x):
        self.values = x.astype(float, copy=False)
        count = x.size // _PART if x.size >= _SHORT else 0
        parts = self.values[: count * _PART].reshape(count, _PART)
        self.lows = parts.min(axis=1) if count else _core.empty(0)
        self.highs = parts.max(axis=1) if count else _core.empty(0)

    def bases(self, peaks, reach):
        return _core._peak_bases(self.values, self.lows, self.highs, peaks, reach)

    def widths(self, peaks, relative, prominences, left, right):
        prominences = prominences.astype(float, copy=False)
        return _core._peak_widths(self.values, self.lows, peaks, prominences, left, right, float(relative))


# --- Prominences and widths ---


def _warn_of_zero(name, values, level):
    if values.size and bool((values == 0).any()):
        warnings.warn(f"some peaks have a {name} of 0", PeakPropertyWarning, stacklevel=level + 1)


@beside
@documented(
    "How far peaks stand out of the values around them.",
    [
        ("ndarray", "The prominences, of float32 for values of it, else of float64."),
        ("ndarray", "The places of the bases to the left."),
        ("ndarray", "The places of the bases to the right."),
    ],
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.peak_prominences(tn.array([0, 3, 1, 2, 0]), tn.array([1, 3]))[0]
    array([3., 1.])""",
    "From a peak one walks to both sides until a value is higher; the lowest values are its bases, and the "
    "prominence is its height above the higher of them.",
    [
        ("ValueError", "For values or peaks of several axes, and peaks that are not within the values."),
        ("TypeError", "For peaks that are no integers."),
    ],
)
def peak_prominences(x, peaks, wlen=None):
    x = _row(x)
    peaks, reach = _places(peaks, x), _reach(wlen)
    prominences, left, right = _Values(x).bases(peaks, reach)
    _warn_of_zero("prominence", prominences, 2)
    return prominences.astype(x.dtype, copy=False), left, right


def _prominence_data(data, peaks, x):
    """Prominences and bases that a program gives, checked."""
    prominences, left, right = (as_array_of(one) for one in data)
    for one in (left, right):
        if not numpy.can_cast(one.dtype, numpy.intp, "safe"):
            raise ValueError("the bases of prominence_data are no integers")
    left, right = (_core.ascontiguousarray(one.astype(numpy.intp, copy=False)) for one in (left, right))
    if not prominences.shape == left.shape == right.shape == peaks.shape:
        raise ValueError("arrays in `prominence_data` must have the same shape as `peaks`")
    is_wrong = (left < 0) | (left > peaks) | (peaks > right) | (right >= x.size)
    if peaks.size and bool(is_wrong.any()):
        raise ValueError(f"prominence data is invalid for peak {int(peaks[is_wrong][0])}")
    return prominences, left, right


@beside
@documented(
    "How wide peaks are at a part of their prominence.",
    [
        ("ndarray", "The widths in samples."),
        ("ndarray", "The heights at which they are measured."),
        ("ndarray", "The places to the left where the values have that height."),
        ("ndarray", "The places to the right."),
    ],
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.peak_widths(tn.array([0.0, 1, 2, 1, 0]), tn.array([2]))[0]
    array([2.])""",
    "Between samples the values are taken to be linear.",
    [
        ("ValueError", "For a negative height, and for prominences that are not those of the peaks."),
        ("TypeError", "For peaks that are no integers."),
    ],
)
def peak_widths(x, peaks, rel_height=0.5, prominence_data=None, wlen=None):
    x = _row(x)
    peaks, values = _places(peaks, x), _Values(x)
    if prominence_data is None:
        data = values.bases(peaks, _reach(wlen))
        _warn_of_zero("prominence", data[0], 2)
    else:
        data = _prominence_data(prominence_data, peaks, x)
    _check_height(rel_height)
    found = values.widths(peaks, rel_height, *data)
    _warn_of_zero("width", found[0], 2)
    return found


def _check_height(rel_height):
    if rel_height < 0:
        raise ValueError("`rel_height` must be greater or equal to 0.0")


# --- Peaks with properties ---


def _local_maxima(x):
    """The middles of what is higher than its neighbours, and the first and last places of these."""
    if x.size < 3:
        none = _core.empty(0, numpy.intp)
        return none, none, none
    at = ((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:])).nonzero()[0] + 1
    is_sharp = x[at] > x[at + 1]
    if bool(is_sharp.all()):
        return at, at, at
    # Some begin a stretch of equal values, after which a lower one must come.
    last = _core._peak_ends(x.astype(float, copy=False), at)
    is_peak = x[_core.minimum(last + 1, x.size - 1)] < x[at]
    at, last = at[is_peak], last[is_peak]
    return (at + last) // 2, at, last


def _interval(interval, x, peaks):
    """The least and the largest value of a condition; those of arrays at the peaks."""
    try:
        least, most = interval
    except (TypeError, ValueError):
        least, most = interval, None
    found = []
    for name, one in (("lower", least), ("upper", most)):
        if isinstance(one, (ndarray, numpy.ndarray)):
            if one.size != x.size:
                raise ValueError(f"array size of {name} interval border must match x")
            one = as_array_of(one)[peaks]
        found.append(one)
    return found


def _within(lower, upper, interval):
    """Where the lower of two values is not below an interval and the upper one not above it; None:
    everywhere."""
    least, most = interval
    kept = None if least is None else lower >= least
    if most is not None:
        kept = upper <= most if kept is None else kept & (upper <= most)
    return kept


class _Found:
    """Peaks and their properties, from which conditions take some away."""

    def __init__(self, x):
        self.x, self.values = x, None
        self.peaks, self.left, self.right = _local_maxima(x)
        self.properties = {}

    def keep(self, kept):
        """The peaks where a mask is true; None is all."""
        if kept is not None:
            self.peaks = self.peaks[kept]
            self.properties = {name: one[kept] for name, one in self.properties.items()}

    def need(self, name, interval):
        """The peaks whose property lies within an interval."""
        values = self.properties[name]
        self.keep(_within(values, values, _interval(interval, self.x, self.peaks)))

    def need_threshold(self, interval):
        at = self.x[self.peaks]
        left, right = at - self.x[self.peaks - 1], at - self.x[self.peaks + 1]
        self.properties.update(left_thresholds=left, right_thresholds=right)
        lower, upper = _core.minimum(left, right), _core.maximum(left, right)
        self.keep(_within(lower, upper, _interval(interval, self.x, self.peaks)))

    def need_distance(self, distance):
        if self.peaks.size:
            order = self.x[self.peaks].argsort(kind="stable")
            self.keep(_core._peaks_apart(self.peaks, order, int(math.ceil(distance))))

    def add_prominences(self, wlen):
        self.values = _Values(self.x)
        prominences, left, right = self.values.bases(self.peaks, _reach(wlen))
        _warn_of_zero("prominence", prominences, 4)
        prominences = prominences.astype(self.x.dtype, copy=False)
        self.properties.update(prominences=prominences, left_bases=left, right_bases=right)

    def add_widths(self, rel_height):
        _check_height(rel_height)
        names = ("prominences", "left_bases", "right_bases")
        found = self.values.widths(self.peaks, rel_height, *(self.properties[name] for name in names))
        _warn_of_zero("width", found[0], 4)
        self.properties.update(zip(("widths", "width_heights", "left_ips", "right_ips"), found))


@beside
@documented(
    "The places of peaks: values that are higher than their neighbours, and keep conditions.",
    [
        ("ndarray", "The places; of equal values in a row the middle one."),
        ("dict", "The properties that conditions ask for, an array each."),
    ],
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> peaks, properties = signal.find_peaks(tn.array([0, 3, 1, 2, 0]), prominence=2)
    >>> peaks, properties["prominences"]
    (array([1]), array([3.]))""",
    "Conditions are a number, the least value, or a pair of the least and the largest one; either may be None or an "
    "array as long as `x`. The one on distances is kept on the host, one peak after the other.",
    ("ValueError", "For values of several axes, and distances and windows below 1."),
)
def find_peaks(
    x,
    height=None,
    threshold=None,
    distance=None,
    prominence=None,
    width=None,
    wlen=None,
    rel_height=0.5,
    plateau_size=None,
):
    x = _row(x)
    if distance is not None and distance < 1:
        raise ValueError("`distance` must be greater or equal to 1")
    found = _Found(x)
    if plateau_size is not None:
        sizes = found.right - found.left + 1
        found.properties.update(plateau_sizes=sizes, left_edges=found.left, right_edges=found.right)
        found.need("plateau_sizes", plateau_size)
    if height is not None:
        found.properties["peak_heights"] = x[found.peaks]
        found.need("peak_heights", height)
    if threshold is not None:
        found.need_threshold(threshold)
    if distance is not None:
        found.need_distance(distance)
    if prominence is not None or width is not None:
        found.add_prominences(wlen)
    if prominence is not None:
        found.need("prominences", prominence)
    if width is not None:
        found.add_widths(rel_height)
        found.need("widths", width)
    return found.peaks, found.properties


# --- Extrema along an axis ---


def _with_ends(data, order, is_wrapped):
    """With so many elements more at both ends of the last axis: the last element, or what is at the
    other end."""
    n = data.shape[-1]
    if is_wrapped and order <= n:
        parts = data[..., n - order :], data, data[..., :order]
    elif not is_wrapped and order <= _FEW:
        parts = *[data[..., :1]] * order, data, *[data[..., n - 1 :]] * order
    else:
        places = _core.arange(-order, n + order)
        return data.take(places % n if is_wrapped else _core.minimum(_core.maximum(places, 0), n - 1), axis=-1)
    return _core.concatenate(parts, axis=-1)


def _extrema(data, comparator, axis, order, mode):
    if int(order) != order or order < 1:
        raise ValueError("Order must be an int >= 1")
    data, order = moveaxis(data, axis, -1), int(order)
    n = data.shape[-1]
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if data.size == 0:
        return moveaxis(_core.ones(data.shape, bool), -1, axis)
    if mode == "raise":
        raise IndexError(f"index {n} is out of bounds for axis {axis} with size {n}")
    around, result = _with_ends(data, order, mode == "wrap"), None
    for shift in (*range(order + 1, 2 * order + 1), *range(order)):
        found = comparator(data, around[..., shift : shift + n])
        result = found if result is None else result & found
    return moveaxis(result, -1, axis)


_EXTREMA = ("tuple of ndarrays of int64", "The places along each axis.")
_AXES = [("AxisError", "For an axis that the array has not."), ("ValueError", "For another order or mode.")]


@beside
@documented(
    "The places of elements that compare as wanted with their neighbours along an axis.",
    _EXTREMA,
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.argrelextrema(tn.array([2, 1, 2, 3, 2]), tn.greater)
    (array([3]),)""",
    "",
    _AXES,
)
def argrelextrema(data, comparator, axis=0, order=1, mode="clip"):
    return _extrema(as_array_of(data), comparator, axis, order, mode).nonzero()


@beside
@documented(
    "The places of elements that are larger than their neighbours along an axis.",
    _EXTREMA,
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.argrelmax(tn.array([2, 1, 2, 3, 2]))
    (array([3]),)""",
    "",
    _AXES,
)
def argrelmax(data, axis=0, order=1, mode="clip"):
    return argrelextrema(data, _core.greater, axis, order, mode)


@beside
@documented(
    "The places of elements that are smaller than their neighbours along an axis.",
    _EXTREMA,
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.argrelmin(tn.array([2, 1, 2, 3, 2]))
    (array([1]),)""",
    "",
    _AXES,
)
def argrelmin(data, axis=0, order=1, mode="clip"):
    return argrelextrema(data, _core.less, axis, order, mode)


@beside
@documented(
    "The places of peaks that are there at many scales: ridges of a continuous wavelet transform.",
    ("ndarray", "The places."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.find_peaks_cwt(tn.sin(tn.arange(0, 3.2, 0.05)), tn.arange(1, 10))
    array([32])""",
    "Computed by SciPy on the host, which must be installed (Du, Kibbe and Lin, 2006).",
    ("ValueError", "Where SciPy raises it."),
)
def find_peaks_cwt(
    vector,
    widths,
    wavelet=None,
    max_distances=None,
    gap_thresh=None,
    min_length=None,
    min_snr=1,
    noise_perc=10,
    window_size=None,
):
    given = (vector, widths, wavelet, max_distances, gap_thresh, min_length, min_snr, noise_perc, window_size)
    return placed(scipy_signal("find_peaks_cwt")(*fetched(given)))
