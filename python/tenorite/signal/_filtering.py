"""Filters by taps, and a bank of them."""

import math

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite.fft import ifft
from tenorite.scipy.signal._recursive import lfilter, lfilter_zi
from tenorite.scipy.signal._zero_phase import filtfilt


@beside
def firfilter(b, x, axis=-1, zi=None):
    """Lines through a filter of taps.

    Parameters
    ----------
    b : array_like
        The taps.
    x : array_like
        The signal, of any shape.
    axis : int, optional
        Along which it is filtered.
    zi : array_like, optional
        The states before the first element, as in ``tenorite.scipy.signal.lfilter``.

    Returns
    -------
    y : ndarray
        In the shape of `x`.
    zf : ndarray
        The states after the last element, if `zi` is given.

    Raises
    ------
    ValueError
        For a wrong axis, and another shape of `zi`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.firfilter(tn.array([1.0, 1]), tn.array([1.0, 2, 3]))
    array([1., 3., 5.])
    """
    return lfilter(b, numpy.ones(1, dtype=numpy.float32), x, axis, zi)


@beside
def firfilter_zi(b):
    """States of `firfilter` in which a constant 1 is filtered to a constant.

    Parameters
    ----------
    b : array_like
        The taps.

    Returns
    -------
    ndarray
        One less than the taps.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.firfilter_zi(tn.array([1.0, 1]))
    array([1.])
    """
    return lfilter_zi(b, numpy.ones(1, dtype=numpy.float32))


@beside
def firfilter2(b, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """Lines through a filter of taps forwards and then backwards.

    Parameters
    ----------
    b : array_like
        The taps.
    x : array_like
        The signal, of any shape.
    axis : int, optional
        Along which it is filtered.
    padtype : {'odd', 'even', 'constant', None}
        What is thought around the signal.
    padlen : int, optional
        How many elements of that; three times as many as there are taps if not given.
    method : {'pad', 'gust'}
        As in ``tenorite.scipy.signal.filtfilt``.
    irlen : int, optional
        For 'gust'.

    Returns
    -------
    ndarray
        In the shape of `x`.

    Raises
    ------
    ValueError
        For an unknown method or kind of padding, and a signal that is not longer than the padding.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.firfilter2(tn.array([0.5, 0.5]), tn.arange(8.0))
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    return filtfilt(b, numpy.ones(1, dtype=numpy.float32), x, axis, padtype, padlen, method, irlen)


@beside
def freq_shift(x, freq, fs):
    """A signal with all its frequencies lowered.

    Parameters
    ----------
    x : array_like
        The signal: its last axis is in time.
    freq : float
        By how much.
    fs : float
        The sampling frequency.

    Returns
    -------
    ndarray
        Complex, in double precision.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.freq_shift(tn.ones(4), 1, 4).round(6) + 0
    array([ 1.+0.j,  0.-1.j, -1.+0.j,  0.+1.j])
    """
    x = as_array_of(x)
    turns = _core.arange(x.shape[-1] if x.ndim else 1, dtype=float) * (freq / fs)
    return x * _core.exp((-2j * math.pi) * (turns % 1))


@beside
def channelize_poly(x, h, n_chans):
    """A signal in channels of equal width, by the phases of one filter and Fourier transforms.

    Parameters
    ----------
    x : array_like
        The signal.
    h : array_like
        The taps of the filter, of which each channel has every `n_chans`-th.
    n_chans : int
        The number of channels.

    Returns
    -------
    ndarray
        (n_chans, len(x) // n_chans), complex.

    Raises
    ------
    NotImplementedError
        For dtypes other than float32, float64, complex64 and complex128.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.channelize_poly(tn.ones(4), tn.ones(2), 2)
    array([[2.+0.j, 2.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    x, h = as_array_of(x), as_array_of(h)
    dtype = numpy.promote_types(x.dtype, h.dtype)
    if dtype.char not in "fdFD":
        raise NotImplementedError(f"Data type ({dtype}) not allowed.")
    taps, points = h.size // n_chans, x.size // n_chans
    # Row k of the signal is a moment, column c what comes in to channel c last to first.
    moments = x[: points * n_chans].astype(dtype, copy=False).reshape(points, n_chans)[:, ::-1]
    phases = h[: taps * n_chans].astype(dtype, copy=False).reshape(taps, n_chans)
    made = _core.zeros((points, n_chans), dtype=numpy.result_type(dtype, numpy.complex64))
    for k in range(min(taps, points)):
        made[k:] += moments[: points - k] * phases[k]
    return ifft(made, norm="forward").T
