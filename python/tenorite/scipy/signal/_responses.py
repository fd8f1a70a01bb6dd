"""Frequency responses of filters, on the device: polynomials and products of roots at points."""

import math
import operator
import warnings

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, ndarray
from tenorite._numpy.indexing import where
from tenorite._numpy.rearranging import moveaxis
from tenorite._numpy.shapes import atleast_1d
from tenorite.fft import fft, rfft
from tenorite.scipy.signal._design import checked_rate
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._host import call, fetched
from tenorite.scipy.signal._segments import on_circle

_RESPONSE = [("ndarray", "The frequencies."), ("ndarray", "The complex responses.")]
_SHORT = 32  # coefficients up to which a polynomial is evaluated by one after the other
_TOGETHER = 1 << 22  # powers that are in memory at a time


def _count(value):
    """An integer that says how many frequencies there are, or None for frequencies."""
    if numpy.ndim(value) if not isinstance(value, ndarray) else value.ndim:
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _frequencies(value, kind=None):
    """Frequencies that are given, as an array of floats."""
    w = atleast_1d(as_array_of(value.real if isinstance(value, complex) else value))
    kind = w.dtype if kind is None else numpy.dtype(kind)
    return w.astype(float if kind.kind in "biu" else kind, copy=False)


def _polynomial(coefficients, points):
    """The sum of coefficients[k] * points**k; coefficients of further axes broadcast."""
    if len(coefficients) > _SHORT and coefficients.ndim == 1:
        return _long_polynomial(as_array_of(coefficients), points)
    if coefficients.ndim == 1:
        coefficients = fetched(coefficients).tolist()
    result = coefficients[-1] + points * 0
    for k in range(len(coefficients) - 2, -1, -1):
        result *= points
        result += coefficients[k]
    return result


def _long_polynomial(coefficients, points):
    """By matrices of 32 powers: as many products of these as there are parts of coefficients."""
    result = _core.zeros(points.shape, numpy.result_type(points.dtype, coefficients.dtype))
    step = points**_SHORT
    rows = max(_TOGETHER // _SHORT, 1)
    for first in range(0, points.size, rows):
        some = slice(first, first + rows)
        powers = _core.power(points[some, None], _core.arange(_SHORT))
        found = result[some]
        for k in reversed(range(0, len(coefficients), _SHORT)):
            part = coefficients[k : k + _SHORT].astype(result.dtype)
            found *= step[some]
            found += powers[:, : len(part)] @ part
    return result


def _by_roots(points, roots):
    """The products of points less roots."""
    roots = atleast_1d(as_array_of(roots))
    if not 0 < roots.size <= _SHORT:
        return (points[:, None] - roots).prod(axis=-1)
    result = points - roots[0]
    for k in range(1, roots.size):
        result *= points - roots[k]
    return result


def _transform(b, a, count, length, whole):
    """The response at evenly spaced frequencies of a filter with one denominator."""
    is_real = b.dtype.kind == "f" and a.dtype.kind == "f"
    h = (rfft if is_real else fft)(b, length, axis=0)
    h = h[: min(count, h.shape[0])] / a
    if is_real and whole:
        other = h[1 : None if length % 2 else -1][::-1].conj()
        h = _core.concatenate((h, other))
    return moveaxis(h[..., 0], 0, -1) if b.ndim > 1 else h


def _coefficients(values):
    return atleast_1d(as_array_of(values))


@beside
@documented(
    "The frequency response of a digital filter.",
    _RESPONSE,
    """>>> from tenorite.scipy import signal
    >>> abs(signal.freqz([1.0, 1.0], worN=4)[1]).round(3)
    array([2.   , 1.848, 1.414, 0.765])""",
    "By a Fourier transform where the filter is not recursive and frequencies are evenly spaced.",
    ("ValueError", "For a negative number of frequencies, and no single sampling frequency."),
)
def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2 * math.pi, include_nyquist=False):
    b, a = _coefficients(b), _coefficients(a)
    a = a.astype(float) if a.dtype.kind in "biu" else a
    kind = numpy.result_type(b.dtype, a.dtype)
    fs = checked_rate(fs, allow_none=False)
    count, h = _count(512 if worN is None else worN), None
    if count is None:
        w = 2 * math.pi * _frequencies(worN, kind) / fs
    else:
        if count < 0:
            raise ValueError(f"worN must be nonnegative, got {count}")
        has_end = bool(include_nyquist and not whole)
        real = numpy.dtype(f"f{kind.itemsize // 2}") if kind.kind == "c" else kind
        w = _core.linspace(0, 2 * math.pi if whole else math.pi, count, endpoint=has_end, dtype=real)
        length = count if whole else 2 * (count - 1) if include_nyquist else 2 * count
        if a.size == 1 and (b.ndim == 1 or b.shape[-1] == 1) and length >= b.shape[0] and length > 0:
            h = _transform(b, a, count, length, whole)
    if h is None:
        points = on_circle(-w)
        h = _polynomial(b, points) / _polynomial(a, points)
    w = w * (fs / (2 * math.pi))
    if plot is not None:
        plot(w, h)
    return w, h


@beside
@documented(
    "The frequency response of a digital filter of zeros, poles and a gain.",
    _RESPONSE,
    """>>> from tenorite.scipy import signal
    >>> abs(signal.freqz_zpk([-1.0], [0.0], 1.0, worN=4)[1]).round(3)
    array([2.   , 1.848, 1.414, 0.765])""",
    "",
    ("ValueError", "For no single sampling frequency."),
)
def freqz_zpk(z, p, k, worN=512, whole=False, fs=2 * math.pi):
    z, p = _coefficients(z), _coefficients(p)
    is_double = numpy.result_type(z.dtype, p.dtype) in (numpy.float64, numpy.complex128)
    fs = checked_rate(fs, allow_none=False)
    count = _count(512 if worN is None else worN)
    if count is None:
        w = 2 * math.pi * _frequencies(worN) / fs
    else:
        kind = float if is_double else "f"
        w = _core.linspace(0, 2 * math.pi if whole else math.pi, count, endpoint=False, dtype=kind)
    points = on_circle(w)
    h = as_array_of(k).astype(float if is_double else "f") * _by_roots(points, z) / _by_roots(points, p)
    return w * (fs / (2 * math.pi)), h


@beside
@documented(
    "The frequency response of a digital filter of sections of second order.",
    _RESPONSE,
    """>>> from tenorite.scipy import signal
    >>> abs(signal.freqz_sos([[1.0, 1, 0, 1, 0, 0]], worN=4)[1]).round(3)
    array([2.   , 1.848, 1.414, 0.765])""",
    "",
    ("ValueError", "For sections of other shapes, without any, or whose a0 is not 1."),
)
def freqz_sos(sos, worN=512, whole=False, fs=2 * math.pi):
    fs = checked_rate(fs, allow_none=False)
    sos = numpy.atleast_2d(numpy.asarray(fetched(sos)))
    if sos.ndim != 2:
        raise ValueError("sos array must be 2D")
    if sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not (sos[:, 3] == 1).all():
        raise ValueError("sos[:, 3] should be all ones")
    if len(sos) == 0:
        raise ValueError("Cannot compute frequencies with no sections")
    h = 1.0
    for row in sos:
        w, found = freqz(row[:3], row[3:], worN, whole, None, fs)
        h = h * found
    return w, h


@beside
@documented(
    "The old name of `freqz_sos`.",
    _RESPONSE,
    """>>> from tenorite.scipy import signal
    >>> signal.sosfreqz([[1.0, 1, 0, 1, 0, 0]], worN=4)[1].shape
    (4,)""",
    "",
    ("ValueError", "For sections of other shapes, without any, or whose a0 is not 1."),
)
def sosfreqz(sos, worN=512, whole=False, fs=2 * math.pi):
    return freqz_sos(sos, worN, whole, fs)


@beside
@documented(
    "The frequency response of an analog filter.",
    _RESPONSE,
    """>>> from tenorite.scipy import signal
    >>> abs(signal.freqs([1.0], [1.0, 1.0], worN=[0.0, 1.0])[1]).round(3)
    array([1.   , 0.707])""",
    "Where a number of frequencies is given, `findfreqs` chooses them.",
)
def freqs(b, a, worN=200, plot=None):
    b, a = _coefficients(b), _coefficients(a)
    count = _count(200 if worN is None else worN)
    w = atleast_1d(as_array_of(worN)) if count is None else call("findfreqs", b, a, count)
    points = 1j * w
    h = _polynomial(b[::-1], points) / _polynomial(a[::-1], points)
    if plot is not None:
        plot(w, h)
    return w, h


@beside
@documented(
    "The frequency response of an analog filter of zeros, poles and a gain.",
    _RESPONSE,
    """>>> from tenorite.scipy import signal
    >>> abs(signal.freqs_zpk([], [-1.0], 1.0, worN=[0.0, 1.0])[1]).round(3)
    array([1.   , 0.707])""",
    "Where a number of frequencies is given, `findfreqs` chooses them.",
    ("ValueError", "For a gain that is no single number."),
)
def freqs_zpk(z, p, k, worN=200):
    z, p, k = _coefficients(z), _coefficients(p), as_array_of(k)
    if k.size > 1:
        raise ValueError("k must be a single scalar gain")
    count = _count(200 if worN is None else worN)
    w = atleast_1d(as_array_of(worN)) if count is None else call("findfreqs", z, p, count, kind="zp")
    points = 1j * w
    return w, k.astype(float) * _by_roots(points, z) / _by_roots(points, p)


def _warn_of_zeros(message, is_zero, w):
    found = ", ".join(f"{one:.3f}" for one in w[is_zero].get().tolist())
    warnings.warn(message.format(found), stacklevel=4)


@beside
@documented(
    "The group delay of a digital filter.",
    [("ndarray", "The frequencies."), ("ndarray", "The delays in samples.")],
    """>>> from tenorite.scipy import signal
    >>> signal.group_delay(([1.0, 2.0, 1.0], [1.0]), w=4)[1]
    array([1., 1., 1., 1.])""",
    "The real part of ``C'(z) / C(z)``, C the numerator convolved with the conjugate denominator from its end "
    "(Smith, Introduction to digital filters).",
    ("ValueError", "For no single sampling frequency."),
)
def group_delay(system, w=512, whole=False, fs=2 * math.pi):
    b, a = (numpy.atleast_1d(numpy.asarray(fetched(one))) for one in system)
    fs = checked_rate(fs, allow_none=False)
    count = _count(512 if w is None else w)
    if count is None:
        w = 2 * math.pi * atleast_1d(as_array_of(w)) / fs
    else:
        w = _core.linspace(0, 2 * math.pi if whole else math.pi, count, endpoint=False)
    c = numpy.convolve(b, numpy.conjugate(a[::-1]))
    points = on_circle(-w)
    below = _polynomial(c, points)
    delay = (_polynomial(c * numpy.arange(c.size), points) / below).real - a.size + 1
    is_singular, is_near = ~_core.isfinite(delay), abs(below) < 10 * 2.0**-52
    if bool(is_singular.any()):
        delay = where(is_singular, 0.0, delay)
        _warn_of_zeros("The group delay is singular at frequencies [{}], setting to 0", is_singular, w)
    elif bool(is_near.any()):
        message = (
            "The filter's denominator is extremely small at frequencies [{}], around which a singularity may be present"
        )
        _warn_of_zeros(message, is_near, w)
    return w * (fs / (2 * math.pi)), delay
