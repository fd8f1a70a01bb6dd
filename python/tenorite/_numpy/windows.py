"""Window functions: vectors of a formula, by which signals are weighted."""

import math

from tenorite import _core
from tenorite._numpy._documents import documented
from tenorite._numpy.indexing import where


def _window(M, formula):
    """The window of M points, any number, of which the formula makes values of what lies at n."""
    M = float(M)
    if M < 1:
        return _core.empty(0)
    return _core.ones(1) if M == 1 else formula(_core.arange(1 - M, M, 2), M - 1)


@documented
def bartlett(M):
    """The triangular window of M points, zero at its ends.

    Returns
    -------
    ndarray
        A new array of float64.

    Notes
    -----
    ``1 - abs(2 * n / (M - 1) - 1)`` (Bartlett, 1950).

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _window(M, lambda n, last: where(n <= 0, 1 + n / last, 1 - n / last))


@documented
def blackman(M):
    """The Blackman window of M points.

    Returns
    -------
    ndarray
        A new array of float64.

    Notes
    -----
    ``0.42 - 0.5 * cos(2 * pi * n / (M - 1)) + 0.08 * cos(4 * pi * n / (M - 1))`` (Blackman and
    Tukey, 1958).

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.blackman(5)
    array([-1.38777878e-17,  3.40000000e-01,  1.00000000e+00,  3.40000000e-01,
           -1.38777878e-17])
    """
    return _window(
        M, lambda n, last: 0.42 + 0.5 * _core.cos(math.pi * n / last) + 0.08 * _core.cos(2 * math.pi * n / last)
    )


@documented
def hamming(M):
    """The Hamming window of M points.

    Returns
    -------
    ndarray
        A new array of float64.

    Notes
    -----
    ``0.54 - 0.46 * cos(2 * pi * n / (M - 1))`` (Blackman and Tukey, 1958).

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.hamming(5)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return _window(M, lambda n, last: 0.54 + 0.46 * _core.cos(math.pi * n / last))


@documented
def hanning(M):
    """The Hann window of M points, zero at its ends.

    Returns
    -------
    ndarray
        A new array of float64.

    Notes
    -----
    ``0.5 - 0.5 * cos(2 * pi * n / (M - 1))`` (Blackman and Tukey, 1958).

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.hanning(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _window(M, lambda n, last: 0.5 + 0.5 * _core.cos(math.pi * n / last))


@documented
def kaiser(M, beta):
    """The Kaiser window of M points; beta is its shape.

    Parameters
    ----------
    beta : float
        The shape of the window.

    Returns
    -------
    ndarray
        A new array of float64.

    Notes
    -----
    ``i0(beta * sqrt(1 - (2 * n / (M - 1) - 1)**2)) / i0(beta)`` (Kaiser, 1966).

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.kaiser(5, 14.0)
    array([7.72686684e-06, 1.64932188e-01, 1.00000000e+00, 1.64932188e-01,
           7.72686684e-06])
    """
    M = float(M)
    alpha = (M - 1) / 2.0
    if M == 1:
        return _core.ones(1)
    n = (_core.arange(M) - alpha) / alpha
    return _core._i0(beta * _core.sqrt(1 - n**2.0)) / _core._i0(_core.asarray(float(beta)))
