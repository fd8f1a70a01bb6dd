"""SciPy's older names of Fourier transforms. Those of real numbers are packed: the real part of the
first, then real and imaginary parts of the others."""

import operator

from tenorite import _core
from tenorite._arguments import as_array
from tenorite.fft import irfft as _irfft
from tenorite.scipy import fft as _fft
from tenorite.scipy.fft import get_fft_plan
from tenorite.scipy.fft._documents import documented_packed as _documented

__all__ = ["fft", "fft2", "fftn", "get_fft_plan", "ifft", "ifft2", "ifftn", "irfft", "rfft"]


@_documented
def fft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The discrete Fourier transform along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fftpack.fft(tn.array([4.0, 0.0, 0.0, 0.0])).shape
    (4,)
    """
    return _fft.fft(x, n, axis, None, overwrite_x, plan=plan)


@_documented
def ifft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The inverse of `fft`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fftpack.ifft(tn.array([4.0, 0.0, 0.0, 0.0])).shape
    (4,)
    """
    return _fft.ifft(x, n, axis, None, overwrite_x, plan=plan)


@_documented
def fft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None):
    """The discrete Fourier transform along two axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fftpack.fft2(tn.ones((2, 4))).shape
    (2, 4)
    """
    return _fft.fft2(x, shape, axes, None, overwrite_x, plan=plan)


@_documented
def ifft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None):
    """The inverse of `fft2`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fftpack.ifft2(tn.ones((2, 4))).shape
    (2, 4)
    """
    return _fft.ifft2(x, shape, axes, None, overwrite_x, plan=plan)


@_documented
def fftn(x, shape=None, axes=None, overwrite_x=False, plan=None):
    """The discrete Fourier transform along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fftpack.fftn(tn.ones((2, 4))).shape
    (2, 4)
    """
    return _fft.fftn(x, shape, axes, None, overwrite_x, plan=plan)


@_documented
def ifftn(x, shape=None, axes=None, overwrite_x=False, plan=None):
    """The inverse of `fftn`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fftpack.ifftn(tn.ones((2, 4))).shape
    (2, 4)
    """
    return _fft.ifftn(x, shape, axes, None, overwrite_x, plan=plan)


def _at(x, axis, where):
    """The index of `where` along an axis."""
    return (slice(None),) * (axis % x.ndim) + (where,)


@_documented
def rfft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The transform of real numbers, packed.

    Returns
    -------
    ndarray
        Real numbers, n along the axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fftpack.rfft(tn.array([1.0, 2.0, 1.0, 2.0]))
    array([ 6.,  0.,  0., -2.])
    """
    x = as_array(x)
    half = _fft.rfft(x, n, axis, plan=plan)
    n = x.shape[axis] if n is None else operator.index(n)
    result = _core.empty(
        tuple(n if k == axis % x.ndim else extent for k, extent in enumerate(x.shape)), half.real.dtype
    )
    result[_at(x, axis, slice(0, 1))] = half.real[_at(x, axis, slice(0, 1))]
    result[_at(x, axis, slice(1, None, 2))] = half.real[_at(x, axis, slice(1, None))]
    result[_at(x, axis, slice(2, None, 2))] = half.imag[_at(x, axis, slice(1, (n + 1) // 2))]
    return result


@_documented
def irfft(x, n=None, axis=-1, overwrite_x=False):
    """The inverse of `rfft`, of packed numbers.

    Returns
    -------
    ndarray
        Real numbers, n along the axis.

    Raises
    ------
    IndexError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fftpack.irfft(tn.array([6.0, 0.0, 0.0, -2.0]))
    array([1., 2., 1., 2.])
    """
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError("irfft takes packed real numbers, and the array is complex")
    n = x.shape[axis] if n is None else operator.index(n)
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    x = x[_at(x, axis, slice(0, n))]
    shape = [n // 2 + 1 if k == axis % x.ndim else extent for k, extent in enumerate(x.shape)]
    half = _core.zeros(tuple(shape), "F" if x.dtype.char in "ef" else "D")
    given = x.shape[axis]
    half.real[_at(x, axis, slice(0, 1))] = x[_at(x, axis, slice(0, 1))]
    half.real[_at(x, axis, slice(1, given // 2 + 1))] = x[_at(x, axis, slice(1, None, 2))]
    half.imag[_at(x, axis, slice(1, (given + 1) // 2))] = x[_at(x, axis, slice(2, None, 2))]
    return _irfft(half, n, axis)
