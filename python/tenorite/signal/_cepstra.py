"""Cepstra: transforms of the logarithms of spectra (Oppenheim and Schafer, Discrete-Time Signal
Processing, 13)."""

import math

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite._numpy.calculus import unwrap
from tenorite._numpy.mathematics import angle
from tenorite.fft import fft, ifft


@beside
def real_cepstrum(x, n=None, axis=-1):
    """The inverse transform of the logarithm of the magnitude of lines' spectra.

    Parameters
    ----------
    x : array_like
        The signal, of any shape.
    n : int, optional
        To how many elements lines are cut, or filled up with zeros.
    axis : int, optional
        Along which the lines are.

    Returns
    -------
    ndarray
        Real.

    Raises
    ------
    AxisError
        For an axis that is not there.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.real_cepstrum(tn.array([2.0, 0, 0, 0])).round(4)
    array([0.6931, 0.    , 0.    , 0.    ])
    """
    magnitudes = _core.absolute(fft(as_array_of(x), n, axis))
    return ifft(_core.log(magnitudes), n, axis).real


@beside
def complex_cepstrum(x, n=None, axis=-1):
    """The inverse transform of the logarithm of lines' spectra, whose phases are unwrapped and have
    their linear part taken out.

    Parameters
    ----------
    x : array_like
        The signal, of any shape.
    n : int, optional
        To how many elements lines are cut, or filled up with zeros.
    axis : int, optional
        Along which the lines are.

    Returns
    -------
    ceps : ndarray
        Real.
    ndelay : ndarray
        By how many elements the lines were delayed: the linear part, for each element of `ceps`.

    Raises
    ------
    AxisError
        For an axis that is not there.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.complex_cepstrum(tn.array([2.0, 0, 0, 0]))[0].round(4)
    array([0.6931, 0.    , 0.    , 0.    ])
    """
    spectrum = fft(as_array_of(x), n, axis)
    phases = unwrap(angle(spectrum), axis=axis)
    count = spectrum.shape[axis]
    middle = (count + 1) // 2
    shape = [1] * spectrum.ndim
    shape[axis] = count
    places = _core.arange(count, dtype=phases.dtype).reshape(shape)
    delay = (_core.take(phases, _core.full(1, min(middle, count - 1)), axis=axis) / math.pi).round()
    rest = phases - places * (math.pi / max(middle, 1)) * delay
    made = _core.log(_core.absolute(spectrum)) + 1j * rest
    return ifft(made, n, axis).real, _core.zeros(rest.shape, dtype=rest.dtype) + delay


@beside
def inverse_complex_cepstrum(ceps, ndelay):
    """The real line that has a complex cepstrum.

    Parameters
    ----------
    ceps : array_like
        The cepstrum.
    ndelay : int or array_like
        By how many elements the line is delayed.

    Returns
    -------
    ndarray
        Real.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.array([4.0, 1, 0, 0])
    >>> tn.signal.inverse_complex_cepstrum(*tn.signal.complex_cepstrum(x)).round(6) + 0
    array([4., 1., 0., 0.])
    """
    logarithm = fft(as_array_of(ceps))
    count = logarithm.shape[-1]
    slope = as_array_of(ndelay) * (math.pi / max((count + 1) // 2, 1))
    phases = logarithm.imag + _core.arange(count, dtype=logarithm.real.dtype) * slope
    return ifft(_core.exp(logarithm.real + 1j * phases)).real


@beside
def minimum_phase(x, n=None):
    """The line with the same spectrum's magnitude whose energy comes first, by its real cepstrum.

    Parameters
    ----------
    x : array_like
        One axis.
    n : int, optional
        The length of the transforms.

    Returns
    -------
    ndarray
        Real.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.minimum_phase(tn.array([0.0, 3, 0, 0])).round(6) + 0
    array([3., 0., 0., 0.])
    """
    x = as_array_of(x)
    count = len(x) if n is None else n
    weights = numpy.zeros(count)
    half = (count + count % 2) // 2
    weights[:half] = 2
    weights[0] = 1
    if half < count:
        weights[half] = 1 - count % 2
    folded = real_cepstrum(x, count)
    folded = folded * _core.asarray(weights.astype(folded.dtype))
    return ifft(_core.exp(fft(folded))).real
