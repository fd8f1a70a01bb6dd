"""Smoothing: polynomials over windows, local means, ranks, trends."""

import math
import warnings

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, on_host
from tenorite._numpy.rearranging import moveaxis
from tenorite.scipy.ndimage import convolve1d, rank_filter
from tenorite.scipy.ndimage._support import RANK, edge_of
from tenorite.scipy.signal._axes import checked_axis, cut
from tenorite.scipy.signal._documents import described

# --- Polynomials over windows ---


def _monomials(places, degree):
    """Powers of places, a column each."""
    return numpy.asarray(places, dtype=float)[:, None] ** numpy.arange(degree + 1)


def _derivative_at(places, degree, deriv, delta):
    """Weights of coefficients in the derivative of a polynomial at places, a row each."""
    powers = numpy.arange(degree + 1)
    factors = numpy.array([math.perm(int(k), deriv) if k >= deriv else 0 for k in powers], dtype=float)
    exponents = numpy.maximum(powers - deriv, 0)
    return factors * numpy.asarray(places, dtype=float)[:, None] ** exponents / delta**deriv


def _taps(window_length, polyorder, deriv, delta, pos, use):
    if polyorder >= window_length:
        raise ValueError("polyorder must be less than window_length.")
    if pos is None:
        pos = window_length // 2 if window_length % 2 else window_length // 2 - 0.5
    if not 0 <= pos < window_length:
        raise ValueError("pos must be nonnegative and less than window_length.")
    if use not in ("conv", "dot"):
        raise ValueError("`use` must be 'conv' or 'dot'")
    if deriv > polyorder:
        return numpy.zeros(window_length)
    places = numpy.arange(window_length, dtype=float) - pos
    goal = numpy.zeros(polyorder + 1)
    goal[deriv] = math.factorial(deriv) / delta**deriv
    taps = numpy.linalg.lstsq(_monomials(places, polyorder).T, goal, rcond=None)[0]
    return taps[::-1].copy() if use == "conv" else taps


@described
def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    """Taps of a filter that fits a polynomial to each window (Savitzky and Golay, Smoothing and
    differentiation of data by simplified least squares procedures, 1964).

    Parameters
    ----------
    window_length : int
        The number of taps.
    deriv : int, optional
        Which derivative the filter gives.
    pos : int, optional
        The place in the window for which the filter is; its middle if not given.
    use : {'conv', 'dot'}
        The order of the taps: for convolutions, or for products with a window.

    Returns
    -------
    ndarray
        The taps.

    Raises
    ------
    ValueError
        For a degree that is too high, a place outside the window, and an unknown use.

    Notes
    -----
    Computed in double precision on the host.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.savgol_coeffs(3, 1).round(6)
    array([0.333333, 0.333333, 0.333333])
    """
    return _core.asarray(_taps(window_length, polyorder, deriv, delta, pos, use))


@beside
@described
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    """Lines smoothed by polynomials that are fitted to the neighbourhood of each element.

    Parameters
    ----------
    window_length : int
        How many elements a neighbourhood has.
    deriv : int, optional
        Which derivative is computed.
    mode : {'interp', 'mirror', 'constant', 'nearest', 'wrap'}
        What is thought around a line; 'interp': nothing, the polynomials of the first and the last
        window serve to the ends.
    cval : scalar, optional
        The constant.

    Returns
    -------
    ndarray
        In the shape of `x`, float32 or float64.

    Raises
    ------
    ValueError
        For an unknown mode, a degree that is too high, and lines shorter than a window ('interp').

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.savgol_filter(tn.array([1.0, 4, 9, 16, 25]), 3, 2).round(6)
    array([ 1.,  4.,  9., 16., 25.])
    """
    if mode not in ("mirror", "constant", "nearest", "wrap", "interp"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    x, delta = as_array_of(x), float(delta)
    if x.dtype.char not in "fd":
        x = x.astype(numpy.float64)
    axis = checked_axis(axis, x.ndim, IndexError, "tuple index out of range")
    taps = _taps(window_length, polyorder, deriv, delta, None, "conv")
    if mode != "interp":
        return convolve1d(x, taps, axis, mode=mode, cval=cval)
    if window_length > x.shape[axis]:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    made = convolve1d(x, taps, axis, mode="constant")
    _fit_ends(made, x, window_length, polyorder, deriv, delta, axis)
    return made


def _fit_ends(made, x, length, degree, deriv, delta, axis):
    """The first and the last half window of the result by the polynomials of whole windows."""
    n, half = x.shape[axis], length // 2
    if half == 0:
        return
    middle = (length - 1) / 2  # powers of places about 0 are conditioned best
    fit = numpy.linalg.pinv(_monomials(numpy.arange(length) - middle, degree))
    for first, places in ((0, range(half)), (n - length, range(length - half, length))):
        weights = _derivative_at(numpy.array(places) - middle, degree, deriv, delta) @ fit
        window = moveaxis(cut(x, first, first + length, axis=axis), axis, -1)
        values = _core.matmul(window, _core.asarray(weights.T.astype(x.dtype)))
        start = first + places[0]
        cut(made, start, start + half, axis=axis)[...] = moveaxis(values, -1, axis)


# --- Local means and ranks ---


def _window_sums(x, sizes):
    """Sums over windows about each element, with zeros around the array."""
    for axis, size in enumerate(sizes):
        if size != 1:
            x = _core._upfirdn(_core.ones(size), x, axis, 1, 1, (size - 1) // 2, x.shape[axis])
    return x


@beside
def wiener(im, mysize=None, noise=None):
    """An array with noise taken out by Wiener's filter of local means and variances (Lim,
    Two-Dimensional Signal and Image Processing, 1990, 9.2).

    Parameters
    ----------
    im : array_like
        The array, of any number of axes.
    mysize : int or sequence of int, optional
        The windows' size along each axis; 3 if not given.
    noise : float, optional
        The power of the noise; the mean of the local variances if not given.

    Returns
    -------
    ndarray
        In the shape of `im`, in double precision.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.wiener(tn.array([1.0, 1, 5, 1, 1]), 3).round(3)
    array([0.667, 1.833, 3.333, 1.833, 0.667])
    """
    im = as_array_of(im)
    im = im.astype(numpy.complex128 if im.dtype.kind == "c" else numpy.float64, copy=False)
    sizes = on_host(mysize)
    sizes = [3] * im.ndim if sizes is None else [int(one) for one in numpy.broadcast_to(sizes, im.ndim)]
    count = float(math.prod(sizes))
    mean = _window_sums(im, sizes) / count
    variance = _window_sums(im**2, sizes) / count - mean**2
    if noise is None:
        noise = variance.mean()
    rest = (im - mean) * (1 - noise / variance) + mean
    return _core._where(variance < noise, mean, rest)


def _ranked(a, rank, footprint):
    """Of the elements about each one where the footprint is, with zeros around the array, the one
    of a rank."""
    return rank_filter(a, rank, footprint=_core.asarray(footprint), mode="constant")


def _median_of_box(a, sizes):
    """Of the elements of a box about each one the median, zeros being around the array."""
    rank = math.prod(sizes) // 2
    if len(sizes) == a.ndim and rank > 0 and all(type(size) is int and size > 0 for size in sizes):
        made, lows = _core.empty_like(a, order="C"), tuple(size // 2 for size in sizes)
        edges = (edge_of("constant"),) * a.ndim
        _core._image_filter(made, a, RANK, sizes, lows, edges, 0.0, None, None, rank, None, False)
        return made
    if len(sizes) == a.ndim:
        return rank_filter(a, rank, sizes, mode="constant")
    return _ranked(a, rank, numpy.ones(sizes, dtype=bool))


def _refuse_dtype(a, function):
    if a.dtype.kind not in "ui" and a.dtype.char not in "fd":
        raise ValueError(f"dtype={a.dtype} is not supported by {function}")


@beside
def order_filter(a, domain, rank):
    """Of the elements about each one the one of a rank, zeros being around the array.

    Parameters
    ----------
    a : array_like
        Integers, float32 or float64, of any number of axes.
    domain : array_like
        Odd along each axis; those elements count where it is not 0.
    rank : int
        The place of the result among them in ascending order, from 0 on.

    Returns
    -------
    ndarray
        In the shape and the dtype of `a`.

    Raises
    ------
    ValueError
        For even sizes of the domain, and other dtypes.
    RuntimeError
        For a rank that is not there.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.order_filter(tn.array([3, 1, 2]), tn.ones(3), 2)
    array([3, 3, 2])
    """
    domain = numpy.asarray(on_host(domain))
    if any(size % 2 != 1 for size in domain.shape):
        raise ValueError("Each dimension of domain argument should have an odd number of elements.")
    a = as_array_of(a)
    _refuse_dtype(a, "order_filter")
    return _ranked(a, rank, domain != 0)


def _odd_sizes(kernel_size, ndim):
    if kernel_size is None or type(kernel_size) is int:
        sizes = [3 if kernel_size is None else kernel_size] * max(ndim, 1)
    else:
        sizes = numpy.atleast_1d(on_host(kernel_size)).tolist()
    sizes = sizes * ndim if len(sizes) == 1 else sizes
    if any(size % 2 != 1 for size in sizes[:ndim]):
        raise ValueError("Each element of kernel_size should be odd.")
    return tuple(sizes)


@beside
def medfilt(volume, kernel_size=None):
    """The median of the elements about each one, zeros being around the array.

    Parameters
    ----------
    volume : array_like
        Integers, float32 or float64, of any number of axes.
    kernel_size : int or sequence of int, optional
        The odd sizes of the windows; 3 along each axis if not given.

    Returns
    -------
    ndarray
        In the shape and the dtype of `volume`.

    Raises
    ------
    ValueError
        For even sizes, and other dtypes.

    Warns
    -----
    UserWarning
        If a window is larger than the array.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.medfilt(tn.array([1, 9, 2, 3]))
    array([1, 2, 3, 2])
    """
    volume = as_array_of(volume)
    if volume.ndim == 0:
        volume = volume.reshape(1)
    _refuse_dtype(volume, "medfilt")
    sizes = _odd_sizes(kernel_size, volume.ndim)
    if any(size > n for size, n in zip(sizes, volume.shape)):
        warnings.warn("kernel_size exceeds volume extent: the volume will be zero-padded.", stacklevel=3)
    return _median_of_box(volume, sizes)


@beside
def medfilt2d(input, kernel_size=3):
    """The median of the elements about each one of an image, zeros being around it.

    Parameters
    ----------
    input : array_like
        Integers, float32 or float64, of two axes.
    kernel_size : int or (int, int), optional
        The odd sizes of the windows.

    Returns
    -------
    ndarray
        In the shape and the dtype of `input`.

    Raises
    ------
    ValueError
        For even sizes, another number of axes, and other dtypes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.medfilt2d(tn.ones((3, 3)))
    array([[0., 1., 0.],
           [1., 1., 1.],
           [0., 1., 0.]])
    """
    input = as_array_of(input)
    if input.ndim != 2:
        raise ValueError("object of too small depth for desired array")
    _refuse_dtype(input, "medfilt")
    sizes = _odd_sizes(kernel_size, 2)
    return _median_of_box(input, sizes)


# --- Trends ---


def _without_line(x):
    """The last axis less the line that fits it best: the mean, and the part along places about
    their middle."""
    n = x.shape[-1]
    made = x - x.mean(-1, keepdims=True)
    if n > 1:
        places = _core.arange(n, dtype=x.real.dtype) - (n - 1) / 2
        slope = _core.matmul(made, places.astype(x.dtype)) * (12 / (n * (n * n - 1.0)))
        made -= slope[..., None] * places
    return made


@beside
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """Lines less what fits them best: a constant, or straight lines between breaks.

    Parameters
    ----------
    data : array_like
        The signal, of any shape.
    axis : int, optional
        Along which the lines are.
    type : {'linear', 'l', 'constant', 'c'}
        What is subtracted.
    bp : array_like of int, optional
        The breaks between straight lines.
    overwrite_data : bool, optional
        Is not used.

    Returns
    -------
    ndarray
        In the shape of `data`.

    Raises
    ------
    ValueError
        For an unknown type, and breaks after the end.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.detrend(tn.array([1.0, 2, 3])).round(6) + 0
    array([0., 0., 0.])
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    data = as_array_of(data)
    if type in ("constant", "c"):
        return data - data.mean(axis, keepdims=True)
    axis = checked_axis(axis, data.ndim, IndexError, "tuple index out of range")
    dtype = data.dtype if data.dtype.char in "fdFD" else numpy.dtype(numpy.float64)
    lines, n = moveaxis(data, axis, -1).astype(dtype, copy=False), data.shape[axis]
    breaks = numpy.unique(numpy.concatenate(([0], numpy.atleast_1d(on_host(bp)), [n]))).astype(int)
    if (breaks > n).any():
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    parts = [_without_line(lines[..., low:high]) for low, high in zip(breaks[:-1], breaks[1:])]
    made = parts[0] if len(parts) == 1 else _core.concatenate(parts, axis=-1)
    return moveaxis(made, -1, axis)
