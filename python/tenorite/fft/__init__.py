"""Discrete Fourier transforms of NumPy's names, on the device that has the array."""

import operator

from tenorite._arguments import as_array_of
from tenorite._core import arange
from tenorite._numpy.rearranging import roll
from tenorite.fft import _cache as _cache, config as config
from tenorite.fft._documents import MOVED, TO_HALF, TO_REAL, documented
from tenorite.fft._plans import COMPLEX, HERMITIAN, REAL
from tenorite.fft._transform import line, several

__all__ = [
    "config",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def __dir__():
    return __all__


# --- Along one axis ---


@documented
def fft(a, n=None, axis=-1, norm=None, out=None):
    """The discrete Fourier transform along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.fft(tn.array([1.0, 0.0, 0.0, 0.0])).real
    array([1., 1., 1., 1.])
    """
    return line(a, n, axis, norm, out, COMPLEX, False)


@documented
def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `fft`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.ifft(tn.array([4.0, 0.0, 0.0, 0.0])).real
    array([1., 1., 1., 1.])
    """
    return line(a, n, axis, norm, out, COMPLEX, True)


@documented(returns=TO_HALF)
def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The transform of real numbers: its first n // 2 + 1 elements, which tell the others.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.rfft(tn.array([1.0, 0.0, 0.0, 0.0])).real
    array([1., 1., 1.])
    """
    return line(a, n, axis, norm, out, REAL, False)


@documented(returns=TO_REAL)
def irfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `rfft`: real numbers.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.irfft(tn.array([1.0, 1.0, 1.0]))
    array([1., 0., 0., 0.])
    """
    return line(a, n, axis, norm, out, HERMITIAN, True)


@documented(returns=TO_REAL)
def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The transform, real, of a signal of which the second half mirrors the first.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.hfft(tn.array([1.0, 0.0, 0.0]))
    array([1., 1., 1., 1.])
    """
    return line(a, n, axis, norm, out, HERMITIAN, False)


@documented(returns=TO_HALF)
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `hfft`: the first n // 2 + 1 elements of the signal.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.ihfft(tn.array([1.0, 1.0, 1.0, 1.0])).real
    array([1., 0., 0.])
    """
    return line(a, n, axis, norm, out, REAL, True)


# --- Along several axes ---


@documented
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The discrete Fourier transform along two axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.fft2(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return several(a, s, axes, norm, out, COMPLEX, False)


@documented
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse of `fft2`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.ifft2(tn.array([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return several(a, s, axes, norm, out, COMPLEX, True)


@documented(returns=TO_HALF)
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The transform of real numbers along two axes; of the last of these its first half.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.rfft2(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return several(a, s, axes, norm, out, REAL, False)


@documented(returns=TO_REAL)
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse of `rfft2`: real numbers.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.irfft2(tn.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    return several(a, s, axes, norm, out, HERMITIAN, True)


@documented
def fftn(a, s=None, axes=None, norm=None, out=None):
    """The discrete Fourier transform along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.fftn(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return several(a, s, axes, norm, out, COMPLEX, False)


@documented
def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of `fftn`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.ifftn(tn.array([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return several(a, s, axes, norm, out, COMPLEX, True)


@documented(returns=TO_HALF)
def rfftn(a, s=None, axes=None, norm=None, out=None):
    """The transform of real numbers along several axes; of the last of these its first half.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.rfftn(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return several(a, s, axes, norm, out, REAL, False)


@documented(returns=TO_REAL)
def irfftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of `rfftn`: real numbers.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.irfftn(tn.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    return several(a, s, axes, norm, out, HERMITIAN, True)


# --- Frequencies ---


def _count(n):
    try:
        return operator.index(n)
    except TypeError:
        raise ValueError("n should be an integer") from None


@documented
def fftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of the elements of a transform: 0, 1, ..., -2, -1, over n d.

    Returns
    -------
    ndarray
        n numbers.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.fftfreq(4, 0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    n = _count(n)
    made = roll(arange(-(n // 2), n - n // 2, device=device), -(n // 2)) * (1.0 / (n * d))
    return made if dtype is None else made.astype(dtype, copy=False)


@documented
def rfftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of the elements of a real transform: 0, 1, ..., n // 2, over n d.

    Returns
    -------
    ndarray
        n // 2 + 1 numbers.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.rfftfreq(4, 0.5)
    array([0. , 0.5, 1. ])
    """
    n = _count(n)
    made = arange(n // 2 + 1, device=device) * (1.0 / (n * d))
    return made if dtype is None else made.astype(dtype, copy=False)


def _shift(x, axes, by):
    x = as_array_of(x)
    try:
        axes = tuple(range(x.ndim) if axes is None else axes)
    except TypeError:  # one axis
        axes = (axes,)
    return roll(x, tuple(by(x.shape[axis]) for axis in axes), axes)


@documented(returns=MOVED)
def fftshift(x, axes=None):
    """Moves the zero frequency from the beginning of axes to their middle.

    Raises
    ------
    IndexError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.fftshift(tn.arange(5))
    array([3, 4, 0, 1, 2])
    """
    return _shift(x, axes, lambda length: length // 2)


@documented(returns=MOVED)
def ifftshift(x, axes=None):
    """The inverse of `fftshift`.

    Raises
    ------
    IndexError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.ifftshift(tn.array([3, 4, 0, 1, 2]))
    array([0, 1, 2, 3, 4])
    """
    return _shift(x, axes, lambda length: -(length // 2))
