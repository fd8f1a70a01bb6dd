"""Fourier, cosine, sine and Hankel transforms of SciPy's names, also as a backend of scipy.fft:
``scipy.fft.set_backend(tenorite.scipy.fft)``."""

import sys as _sys

import numpy as _numpy

from tenorite._core import asarray as _asarray, ndarray as _ndarray
from tenorite.fft import fftfreq, fftshift, ifftshift, rfftfreq
from tenorite.fft._plans import COMPLEX as _COMPLEX, HERMITIAN as _HERMITIAN, REAL as _REAL
from tenorite.scipy.fft._documents import documented as _documented
from tenorite.scipy.fft._hankel import fht, ifht
from tenorite.scipy.fft._lengths import next_fast_len
from tenorite.scipy.fft._plan import get_fft_plan
from tenorite.scipy.fft._real import dct, dctn, dst, dstn, idct, idctn, idst, idstn
from tenorite.scipy.fft._transform import line as _line, several as _several

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fht",
    "get_fft_plan",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ifht",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

__ua_domain__ = "numpy.scipy.fft"


def __ua_convert__(dispatchables, coerce):
    """What scipy.fft asks of its backends about arguments: Tenorite's arrays are taken, and what
    becomes an array where that is allowed."""
    values = [one.value for one in dispatchables]
    places = [k for k, one in enumerate(dispatchables) if one.type is _numpy.ndarray]
    for k in places:
        if coerce and dispatchables[k].coercible:
            try:
                values[k] = _asarray(values[k])
            except TypeError:
                return NotImplemented
        if not isinstance(values[k], _ndarray):
            return NotImplemented
    return values


def __ua_function__(method, args, kwargs):
    """What scipy.fft calls of its backends: the function of the same name here."""
    function = getattr(_sys.modules[__name__], method.__name__, None)
    if function is None or method.__name__ not in __all__:
        return NotImplemented
    return function(*args, **{name: value for name, value in kwargs.items() if name != "workers"})


@_documented
def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None):
    """The discrete Fourier transform, along one axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.fft(tn.array([1.0, 0.0, 0.0, 0.0])).real
    array([1., 1., 1., 1.])
    """
    return _line(x, n, axis, norm, overwrite_x, plan, _COMPLEX, False)


@_documented
def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None):
    """The inverse of `fft`, along one axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.ifft(tn.array([4.0, 0.0, 0.0, 0.0])).real
    array([1., 1., 1., 1.])
    """
    return _line(x, n, axis, norm, overwrite_x, plan, _COMPLEX, True)


@_documented
def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None):
    """The transform of real numbers, along one axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.rfft(tn.array([1.0, 0.0, 0.0, 0.0])).real
    array([1., 1., 1.])
    """
    return _line(x, n, axis, norm, overwrite_x, plan, _REAL, False)


@_documented
def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None):
    """The inverse of `rfft`, along one axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.irfft(tn.array([1.0, 1.0, 1.0])).real
    array([1., 0., 0., 0.])
    """
    return _line(x, n, axis, norm, overwrite_x, plan, _HERMITIAN, True)


@_documented
def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None):
    """The real transform of what mirrors itself, along one axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.hfft(tn.array([1.0, 0.0, 0.0])).real
    array([1., 1., 1., 1.])
    """
    return _line(x, n, axis, norm, overwrite_x, plan, _HERMITIAN, False)


@_documented
def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None):
    """The inverse of `hfft`, along one axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.ihfft(tn.array([1.0, 1.0, 1.0, 1.0])).real
    array([1., 0., 0.])
    """
    return _line(x, n, axis, norm, overwrite_x, plan, _REAL, True)


@_documented
def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None):
    """The discrete Fourier transform, along two axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.fft2(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _COMPLEX, False)


@_documented
def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None):
    """The inverse of `fft2`, along two axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.ifft2(tn.array([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _COMPLEX, True)


@_documented
def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None):
    """The transform of real numbers, along two axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.rfft2(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _REAL, False)


@_documented
def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None):
    """The inverse of `rfft2`, along two axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.irfft2(tn.array([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _HERMITIAN, True)


@_documented
def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None):
    """The real transform of what mirrors itself, along two axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.hfft2(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _HERMITIAN, False)


@_documented
def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None):
    """The inverse of `hfft2`, along two axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.ihfft2(tn.array([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _REAL, True)


@_documented
def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None):
    """The discrete Fourier transform, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.fftn(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _COMPLEX, False)


@_documented
def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None):
    """The inverse of `fftn`, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.ifftn(tn.array([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _COMPLEX, True)


@_documented
def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None):
    """The transform of real numbers, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.rfftn(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _REAL, False)


@_documented
def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None):
    """The inverse of `rfftn`, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.irfftn(tn.array([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _HERMITIAN, True)


@_documented
def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None):
    """The real transform of what mirrors itself, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.hfftn(tn.array([[1.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _HERMITIAN, False)


@_documented
def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None):
    """The inverse of `hfftn`, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.ihfftn(tn.array([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _several(x, s, axes, norm, overwrite_x, plan, _REAL, True)
