"""Chirp z-transforms: Fourier sums at points of a spiral, by Bluestein's convolution (Rabiner,
Schafer and Rader, The chirp z-transform algorithm and its application, 1969)."""

import cmath
import math
import numbers

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite._numpy.rearranging import moveaxis
from tenorite.fft import fft, ifft
from tenorite.scipy.fft._lengths import next_fast_len
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._segments import on_circle


def _points_of(n, m):
    if n < 1 or not isinstance(n, numbers.Integral):
        raise ValueError(f"Invalid number of CZT data points ({n}) specified. n must be positive and integer type.")
    m = n if m is None else m
    if m < 1 or not isinstance(m, numbers.Integral):
        raise ValueError(f"Invalid number of CZT output points ({m}) specified. m must be positive and integer type.")
    return m


@documented(
    "The points at which a chirp z-transform is taken.",
    ("ndarray", "m complex numbers."),
    """>>> from tenorite.scipy import signal
    >>> signal.czt_points(4).round(6)
    array([ 1.+0.j,  0.+1.j, -1.+0.j, -0.-1.j])""",
    "``a * w**-k`` for k = 0, 1, ..., m - 1.",
    ("ValueError", "For a number of points that is no positive integer."),
)
def czt_points(m, w=None, a=1 + 0j):
    k = _core.arange(_points_of(1, m))
    a = 1.0 * a
    if w is None:
        return a * _core.exp(2j * math.pi * k / m)
    return a * _core.power(1.0 * w, -k)


class CZT:
    """A chirp z-transform that is set up once: the z-transform at points of a spiral.

    Parameters
    ----------
    n : int
        The length of signals.
    m : int, optional
        The number of points; n if not given.
    w : complex, optional
        The ratio of a point to the next; that of the Fourier transform if not given.
    a : complex, optional
        The first point.

    Raises
    ------
    ValueError
        For numbers of points that are no positive integers.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> transform = signal.CZT(4)
    >>> transform(tn.array([1.0, 0.0, 0.0, 0.0])).real.round(6)
    array([1., 1., 1., 1.])
    >>> transform.points().shape
    (4,)
    """

    def __init__(self, n, m=None, w=None, a=1 + 0j):
        m = _points_of(n, m)
        k = _core.arange(max(m, n))
        if w is None:
            w = cmath.exp(-2j * math.pi / m)
            chirp = on_circle(-math.pi * ((k**2) % (2 * m)) / m)
        else:
            chirp = _core.power(w, k**2 / 2.0)
        a = 1.0 * a
        self.w, self.a = w, a
        self._set(n, m, _core.power(a, -k[:n]), chirp)

    def _set(self, n, m, first, chirp):
        """Takes over the powers of the first point, and the chirp."""
        self.m, self.n, self._length = m, n, next_fast_len(n + m - 1)
        self._before, self._after = first * chirp[:n], chirp[:m]
        around = _core.concatenate((chirp[n - 1 : 0 : -1], chirp[:m]))
        self._spectrum = fft(1 / around, self._length)

    def __call__(self, x, *, axis=-1):
        """The transform along an axis."""
        x = as_array_of(x)
        if x.shape[axis] != self.n:
            raise ValueError(f"CZT defined for length {self.n}, not {x.shape[axis]}")
        found = ifft(fft(moveaxis(x, axis, -1) * self._before, self._length) * self._spectrum)
        return moveaxis(found[..., self.n - 1 : self.n + self.m - 1] * self._after, -1, axis)

    def points(self):
        """The points at which the transform is taken."""
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """A Fourier transform of a part of the frequencies, set up once.

    Parameters
    ----------
    n : int
        The length of signals.
    fn : float or tuple of two floats
        The last frequency, or the first and the last.
    m : int, optional
        The number of frequencies; n if not given.
    fs : float, optional
        The sampling frequency.
    endpoint : bool, optional
        Whether the last frequency is one of them.

    Raises
    ------
    ValueError
        For numbers of points that are no positive integers, and other numbers of frequencies.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.ZoomFFT(8, [0.2, 0.4], 5)(tn.ones(8)).shape
    (5,)
    >>> signal.ZoomFFT(8, 0.5).points().shape
    (8,)
    """

    def __init__(self, n, fn, m=None, *, fs=2, endpoint=False):
        m = _points_of(n, m)
        k = _core.arange(max(m, n))
        ends = [float(one) for one in fn] if numpy.iterable(fn) else [float(fn)]
        if len(ends) not in (1, 2):
            raise ValueError("fn must be a scalar or 2-length sequence")
        f1, f2 = ends if len(ends) == 2 else (0.0, *ends)
        self.f1, self.f2, self.fs = f1, f2, fs
        scale = ((f2 - f1) * m) / (fs * (m - 1)) if endpoint else (f2 - f1) / fs
        self.w, self.a = cmath.exp(-2j * math.pi / m * scale), cmath.exp(2j * math.pi * f1 / fs)
        first = on_circle(-2 * math.pi / fs * _multiples(f1, k[:n], n, fs))
        self._set(n, m, first, on_circle(-math.pi / m * _multiples(scale, k**2, max(m, n) ** 2, 2 * m)))


def _multiples(value, numbers, most, period):
    """Products of a float and whole numbers below `most`, but for multiples of a period: products
    of its upper digits are exact, so that an angle of many turns is as exact as one of few."""
    bits = 53 - int(most).bit_length()
    mantissa, exponent = math.frexp(value)
    upper = math.ldexp(math.trunc(math.ldexp(mantissa, bits)), exponent - bits) if bits > 0 else 0.0
    return (upper * numbers) % period + ((value - upper) * numbers) % period


_AXES = [("IndexError", "For an axis that the array has not."), ("ValueError", "For no points.")]


@beside
@documented(
    "The chirp z-transform: the z-transform at points of a spiral.",
    ("ndarray", "Complex, the axis having m elements."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.czt(tn.ones(4)).real.round(6)[0]
    array(4.)""",
    "",
    _AXES,
)
def czt(x, m=None, w=None, a=1 + 0j, *, axis=-1):
    x = as_array_of(x)
    return CZT(x.shape[axis], m=m, w=w, a=a)(x, axis=axis)


@beside
@documented(
    "The Fourier transform of a part of the frequencies.",
    ("ndarray", "Complex, the axis having m elements."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.zoom_fft(tn.ones(8), [0.2, 0.4], 5).shape
    (5,)""",
    "",
    _AXES,
)
def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1):
    x = as_array_of(x)
    return ZoomFFT(x.shape[axis], fn, m=m, fs=fs, endpoint=endpoint)(x, axis=axis)
