"""Wavelets that CuPy has and SciPy had until 1.15, and the transform by them."""

import math

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite.fft import fft, ifft, irfft, rfft
from tenorite.scipy.fft._lengths import next_fast_len
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._host import fetched

_ROOT = math.pi**-0.25


@beside
@documented(
    "The highpass filter of a lowpass one: its mirror, every second sign changed.",
    ("ndarray", "As long as the filter."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.qmf(tn.array([1.0, 2.0, 3.0]))
    array([ 3., -2.,  1.])""",
    "Mallat, 1989.",
)
def qmf(hk):
    result = as_array_of(hk)[::-1].copy()
    _core.negative(result[1::2], out=result[1::2])
    return result


@documented(
    "Morlet's complex wavelet.",
    ("ndarray", "M values of complex128."),
    """>>> from tenorite.scipy import signal
    >>> signal.morlet(5).shape
    (5,)""",
    "``pi**-0.25 exp(-x**2 / 2) (exp(1j w x) - exp(-w**2 / 2))``, x from ``-2 pi s`` to ``2 pi s``.",
)
def morlet(M, w=5.0, s=1.0, complete=True):
    x = _core.linspace(-s * 2 * math.pi, s * 2 * math.pi, int(M))
    wave = _core.exp(1j * w * x)
    if complete:
        wave -= math.exp(-0.5 * w**2)
    return wave * (_core.exp(-0.5 * x**2) * _ROOT)


@documented(
    "Morlet's complex wavelet as `cwt` wants it.",
    ("ndarray", "M values of complex128."),
    """>>> from tenorite.scipy import signal
    >>> signal.morlet2(5, 2.0).shape
    (5,)""",
    "``s**-0.5 pi**-0.25 exp(1j w x / s) exp(-(x / s)**2 / 2)``, x from the middle.",
)
def morlet2(M, s, w=5):
    x = (_core.arange(int(M), dtype=float) - (M - 1.0) / 2) / s
    return math.sqrt(1 / s) * (_core.exp(1j * w * x) * _core.exp(-0.5 * x**2) * _ROOT)


@documented(
    "Ricker's wavelet, the Mexican hat.",
    ("ndarray", "Of float64."),
    """>>> from tenorite.scipy import signal
    >>> signal.ricker(5, 1.0).round(3)
    array([-0.352,  0.   ,  0.867,  0.   , -0.352])""",
    "``2 / (sqrt(3 a) pi**0.25) (1 - (x / a)**2) exp(-(x / a)**2 / 2)``, x from the middle.",
)
def ricker(points, a):
    x = _core.arange(int(points), dtype=float) - (points - 1.0) / 2
    x = (x / a) ** 2
    return 2 / (math.sqrt(3 * a) * math.pi**0.25) * ((1 - x) * _core.exp(-x / 2))


@beside
@documented(
    "The continuous wavelet transform of a signal: its convolutions with a wavelet of some widths.",
    ("ndarray", "(widths, samples), of float64 or complex128."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.cwt(tn.ones(50), signal.ricker, [1, 2, 4]).shape
    (3, 50)""",
    "Convolutions with conjugate wavelets from their ends, ten times the width long, by Fourier transforms.",
    ("ValueError", "For data of several axes."),
)
def cwt(data, wavelet, widths):
    data = as_array_of(data)
    if data.ndim != 1:
        raise ValueError("data must have one axis")
    widths = numpy.atleast_1d(fetched(widths)).astype(int).tolist()
    length = data.shape[0]
    is_complex = as_array_of(wavelet(1, 1)).dtype.kind == "c" or data.dtype.kind == "c"
    result = _core.empty((len(widths), length), complex if is_complex else float)
    longest = min(10 * max(widths, default=1), length)
    size = next_fast_len(length + longest - 1)
    forward, backward = (fft, ifft) if is_complex else (rfft, irfft)
    spectrum = forward(data.astype(result.dtype, copy=False), size)
    for row, width in enumerate(widths):
        points = min(10 * width, length)
        wave = as_array_of(wavelet(points, width)).conj()[::-1]
        first = (points - 1) // 2
        result[row] = backward(spectrum * forward(wave, size), size)[first : first + length]
    return result
