"""The fast Hankel transform (FFTLog) of logarithmically spaced samples."""

import math
import warnings

import numpy

from tenorite import _core
from tenorite._arguments import as_array
from tenorite.fft import irfft, rfft

_LOG_2 = math.log(2)


def _log_gamma(z):
    """The logarithm of the gamma function of complex numbers: Stirling's series 12 further on."""
    shift = numpy.zeros_like(z)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        for k in range(12):
            shift += numpy.log(z + k)
        w = z + 12
        series = sum(c / w ** (2 * k + 1) for k, c in enumerate((1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)))
        return (w - 0.5) * numpy.log(w) - w + 0.5 * math.log(2 * math.pi) + series - shift


def _coefficients(n, dln, mu, offset, bias):
    """What the transform of the samples is multiplied with."""
    plus, minus = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = numpy.linspace(0, math.pi * (n // 2) / (n * dln), n // 2 + 1)
    low, high = _log_gamma(minus + 1j * y), _log_gamma(plus + 1j * y)
    with numpy.errstate(invalid="ignore", over="ignore"):
        real = high.real - low.real + _LOG_2 * bias
        u = numpy.exp(real + 1j * (high.imag + low.imag + 2 * y * (_LOG_2 - offset)))
    u[-1] = u[-1].real if n % 2 == 0 else u[-1]
    if not numpy.isfinite(u[0]):
        u[0] = 2**bias * _gamma_ratio(plus, minus)
    return u


def _gamma_ratio(a, b):
    """gamma(a) / gamma(b) where one of them may be infinite."""

    def is_pole(value):
        return value <= 0 and value == int(value)

    if is_pole(a) and is_pole(b):
        return (-1) ** int(b - a) * math.gamma(1 - b) / math.gamma(1 - a)
    if is_pole(a):
        return math.inf
    return 0.0 if is_pole(b) else math.gamma(a) / math.gamma(b)


def _transform(a, u, is_inverse):
    n = a.shape[-1]
    if numpy.isinf(u[0]) and not is_inverse:
        warnings.warn("singular transform; consider changing the bias", stacklevel=3)
        u[0] = 0
    elif u[0] == 0 and is_inverse:
        warnings.warn("singular inverse transform; consider changing the bias", stacklevel=3)
        u[0] = numpy.inf
    with numpy.errstate(divide="ignore", invalid="ignore"):
        factors = 1 / u.conj() if is_inverse else u
    spectrum = rfft(a)
    spectrum *= _core.asarray(factors)
    return irfft(spectrum, n)[..., ::-1]


def _powers(n, dln, bias, offset):
    return _core.asarray(numpy.exp(-bias * ((numpy.arange(n) - (n - 1) / 2) * dln + offset)))


def fht(a, dln, mu, offset=0.0, bias=0.0):
    """The fast Hankel transform along the last axis.

    Parameters
    ----------
    a : ndarray
        Real samples at logarithmically spaced points.
    dln : float
        The logarithm of the ratio of neighbouring points.
    mu : float
        The order of the Bessel function.
    offset : float, optional
        Of the logarithms of the result's points.
    bias : float, optional
        The exponent of a power law that is taken out before, and put in after.

    Returns
    -------
    ndarray
        The transform, of the shape of `a`.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.exp(-tn.linspace(-2, 2, 8) ** 2)
    >>> tn.allclose(tn.scipy.fft.ifht(tn.scipy.fft.fht(a, 0.5, 0.25), 0.5, 0.25), a)
    array(True)
    """
    a, dln = as_array(a), float(dln)
    n = a.shape[-1]
    if bias != 0:
        a = a * _powers(n, dln, bias, 0)
    result = _transform(a, _coefficients(n, dln, mu, offset, bias), False)
    return result * _powers(n, dln, bias, offset) if bias != 0 else result


def ifht(A, dln, mu, offset=0.0, bias=0.0):
    """The inverse of `fht`.

    Parameters
    ----------
    A : ndarray
        What `fht` has made.
    dln : float
        The logarithm of the ratio of neighbouring points.
    mu : float
        The order of the Bessel function.
    offset : float, optional
        Of the logarithms of the transform's points.
    bias : float, optional
        The exponent of a power law that is taken out before, and put in after.

    Returns
    -------
    ndarray
        The samples, of the shape of `A`.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.exp(-tn.linspace(-2, 2, 8) ** 2)
    >>> tn.allclose(tn.scipy.fft.fht(tn.scipy.fft.ifht(a, 0.5, 0.25), 0.5, 0.25), a)
    array(True)
    """
    A, dln = as_array(A), float(dln)
    n = A.shape[-1]
    if bias != 0:
        A = A / _powers(n, dln, bias, offset)
    result = _transform(A, _coefficients(n, dln, mu, offset, bias), True)
    return result / _powers(n, dln, bias, 0) if bias != 0 else result
