"""Analytic signals."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite._numpy.shapes import atleast_2d
from tenorite.fft import fft2, ifft2, irfft, rfft
from tenorite.scipy.signal._axes import checked_axis, cut


def _lengthened(x, count, axis):
    """The first `count` elements along an axis, with zeros after the last."""
    n = x.shape[axis]
    if n >= count:
        return x if n == count else cut(x, 0, count, axis=axis)
    shape = list(x.shape)
    shape[axis] = count - n
    return _core.concatenate((x, _core.zeros(tuple(shape), dtype=x.dtype)), axis=axis)


def _refuse_complex(x):
    if x.dtype.kind == "c":
        raise ValueError("x must be real.")


@beside
def hilbert(x, N=None, axis=-1):
    """The analytic signal of real lines: without negative frequencies, with these as its real part.

    Parameters
    ----------
    x : array_like
        The signal, of any shape.
    N : int, optional
        To how many elements lines are cut, or filled up with zeros.
    axis : int, optional
        Along which the lines are.

    Returns
    -------
    ndarray
        Complex; the imaginary part is the Hilbert transform.

    Raises
    ------
    ValueError
        For a complex signal, and a length that is not positive.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.hilbert(tn.array([1.0, 0, -1, 0])).round(6)
    array([ 1.+0.j,  0.+1.j, -1.+0.j,  0.-1.j])
    """
    x = as_array_of(x)
    _refuse_complex(x)
    axis = checked_axis(axis, x.ndim, IndexError, "tuple index out of range")
    count = x.shape[axis] if N is None else N
    if count <= 0:
        raise ValueError("N must be positive.")
    spectrum = rfft(x, count, axis)
    # A quarter of a turn back; what has no counterpart of negative frequency turns to nothing.
    cut(spectrum, 0, 1, axis=axis)[...] = 0
    if count % 2 == 0:
        cut(spectrum, count // 2, None, axis=axis)[...] = 0
    spectrum *= -1j
    made = _core.empty((*x.shape[:axis], count, *x.shape[axis + 1 :]), dtype=spectrum.dtype)
    made.real = _lengthened(x, count, axis)
    made.imag = irfft(spectrum, count, axis)
    return made


@beside
def hilbert2(x, N=None, axes=(-2, -1)):
    """The analytic signal of two axes: only what has positive frequencies along both.

    Parameters
    ----------
    x : array_like
        Real, of two axes or more.
    N : int or (int, int), optional
        To how many elements the axes are cut, or filled up with zeros.
    axes : (int, int), optional
        The axes.

    Returns
    -------
    ndarray
        Complex.

    Raises
    ------
    ValueError
        For a complex signal, other than two axes, and lengths that are not positive.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.hilbert2(tn.ones((2, 2))).round(6)
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    x = atleast_2d(as_array_of(x))
    _refuse_complex(x)
    if len(axes) != 2:
        raise ValueError("axes must be a tuple of length 2")
    if axes[0] == axes[1]:
        raise ValueError("axes must contain 2 distinct axes")
    if N is None:
        N = tuple(x.shape[axis] for axis in axes)
    elif isinstance(N, int):
        if N <= 0:
            raise ValueError("N must be positive.")
        N = (N, N)
    elif len(N) != 2 or min(N) <= 0:
        raise ValueError("When given as a tuple, N must hold exactly two positive integers")
    spectrum = fft2(x, tuple(N), axes=axes)
    for axis, n in zip(axes, N):
        weights = numpy.zeros(n)
        weights[: (n + 1) // 2] = 2
        weights[0] = 1
        shape = [1] * x.ndim
        shape[axis] = n
        spectrum *= _core.asarray(weights.astype(spectrum.real.dtype)).reshape(shape)
    return ifft2(spectrum, axes=axes)
