"""Coefficients of splines by recursive filters, splines at any places, and symmetric filters.

The filters and their beginnings are those of Unser, Aldroubi and Eden, B-spline signal processing,
1993: lines are mirrored about the elements at their ends.
"""

import math

import numpy

from tenorite import _core
from tenorite._arguments import also_named, as_array_of, beside, ndarray
from tenorite.scipy.signal._axes import cut
from tenorite.scipy.signal._convolution import sepfir2d
from tenorite.scipy.signal._recursive import filter_lines, filter_sections

_CUBIC, _QUADRATIC = math.sqrt(3) - 2, 2 * math.sqrt(2) - 3  # poles of splines
_NO_END = "Sum to find symmetric boundary conditions did not converge."


def _inexact(signal):
    signal = as_array_of(signal)
    if signal.dtype.char in "fdFD":
        return signal
    return signal.astype(numpy.float32 if signal.dtype.char == "e" else numpy.float64)


def _precision(precision, dtype):
    if 0 < precision <= 1:
        return precision
    return 1e-6 if dtype.char in "fF" else 1e-11


def _terms(weight, count, precision, enough=None):
    """Weights 0, 1, 2, ... to one after the last that is above the precision, or all. A line is too
    short where SciPy says so, which stops at the first weight that is not above `enough`."""
    weights = weight(numpy.arange(count))
    small = numpy.flatnonzero(numpy.abs(weights) <= (precision if enough is None else enough))
    if not small.size or small[0] + 1 >= count:
        raise ValueError(_NO_END)
    large = numpy.flatnonzero(numpy.abs(weights) > precision)
    return weights[: int(large[-1]) + 2 if large.size else 1]


def _weighted(x, weights, axis, from_end=False):
    """Sums of the first elements along an axis (or the last ones, backwards), times weights."""
    n = x.shape[axis]
    some = cut(x, n - len(weights), n, axis=axis) if from_end else cut(x, 0, len(weights), axis=axis)
    shape = [1] * x.ndim
    shape[axis] = len(weights)
    by = _core.asarray((weights[::-1] if from_end else weights).astype(x.dtype)).reshape(shape)
    return (some * by).sum(axis, keepdims=True)


def _at(x, place, axis):
    if not x.shape[axis]:
        raise ValueError("the signal must not be empty")
    place %= x.shape[axis]
    return cut(x, place, place + 1, axis=axis)


# --- One pole ---


def _there_and_back(x, c0, z1, first, axis):
    """c0 / ((1 - z1 z) (1 - z1 / z)) of lines whose first value there is `first`; states are set so
    that the first value of each way comes out."""
    a = numpy.array([1, -z1])
    y, _ = filter_lines(numpy.ones(1), a, x, axis, first - _at(x, 0, axis))
    last = _at(y, -1, axis)
    begin = (-c0 / (z1 - 1) - c0) * last
    return filter_lines(numpy.array([c0]), a, y, axis, begin.astype(x.dtype, copy=False), is_reversed=True)[0]


def _symmetric1(x, c0, z1, precision, axis):
    if abs(z1) >= 1:
        raise ValueError("|z1| must be less than 1.0")
    weights = _terms(lambda k: z1 ** (k + 1.0), x.shape[axis], _precision(precision, x.dtype))
    return _there_and_back(x, c0, z1, _at(x, 0, axis) + _weighted(x, weights, axis), axis)


def _checked_lines(signal):
    signal = _inexact(signal)
    if signal.ndim > 2:
        raise ValueError("Input must be 1D or 2D")
    return signal


@also_named(input="signal")
@beside
def symiirorder1(signal, c0, z1, precision=-1.0):
    """Lines through a symmetric filter of one pole and its inverse.

    Parameters
    ----------
    signal : array_like
        One or two axes, of which the last is filtered.
    c0, z1 : scalar
        The gain and the pole.
    precision : float, optional
        Where sums for the first value may end.

    Returns
    -------
    ndarray
        In the shape of `signal`.

    Raises
    ------
    ValueError
        For a pole that is not inside the unit circle, lines too short for the precision, and more
        axes.

    Notes
    -----
    The filter is ``c0 / ((1 - z1 / z) (1 - z1 z))``.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.symiirorder1(tn.ones(50), 0.25, 0.5)[:2].round(6)
    array([1., 1.])
    """
    x = _checked_lines(signal)
    return _symmetric1(x, c0, z1, precision, x.ndim - 1)


# --- Two poles ---


def _forward_weight(k, cs, r, omega):
    """The response of a pair of poles."""
    k = numpy.asarray(k, dtype=float)
    if r == 0:
        return cs * (k == 0)
    with numpy.errstate(all="ignore"):
        if omega == 0:
            return cs * r**k * (k + 1) * (k >= 0)
        if omega == math.pi:
            return cs * r**k * (k + 1) * (1 - 2 * (k % 2)) * (k >= 0)
        return cs * r**k * numpy.sin(omega * (k + 1)) / math.sin(omega) * (k >= 0)


def _symmetric_weight(k, cs, r, omega):
    """The response of the filter there and back."""
    k = numpy.abs(numpy.asarray(k, dtype=float))
    if r == 0:
        return cs * cs * (k == 0)
    square = r * r
    if omega == 0:
        c0 = (1 + square) / ((1 - r) ** 3 * (1 + r) ** 3) * cs * cs
        return c0 * r**k * (1 + (1 - square) / (1 + square) * k)
    if omega == math.pi:
        c0 = (1 + square) / ((1 - r) ** 3 * (1 + r) ** 3) * cs * cs
        return c0 * r**k * (1 + (1 - square) / (1 + square) * k) * (1 - 2 * (k % 2))
    c0 = cs * cs * (1 + square) / (1 - square) / (1 - 2 * square * math.cos(2 * omega) + square * square)
    gamma = (1 - square) / (1 + square) / math.tan(omega)
    return c0 * r**k * (numpy.cos(omega * k) + gamma * numpy.sin(omega * k))


def _symmetric2(x, r, omega, precision, axis):
    """precision None: all elements count for the first values."""
    n, cs = x.shape[axis], 1 - 2 * r * math.cos(omega) + r * r
    a2, a3 = -2 * r * math.cos(omega), r * r
    own = {"cs": cs, "r": r, "omega": omega}

    def weights(of, enough=None):
        return of(numpy.arange(n)) if precision is None else _terms(of, n, precision, enough)

    def run(line, first, second, is_reversed):
        """Filtered so that the first two values are these."""
        place = (-1, -2) if is_reversed else (0, 1)
        z0 = first - cs * _at(line, place[0], axis)
        z1 = second - cs * _at(line, place[1], axis) + a2 * first
        states = _core.concatenate((z0, z1), axis=axis)[None].astype(line.dtype, copy=False)
        section = numpy.array([[cs, 0, 0, 1, a2, a3]])
        return filter_sections(section, line, axis, states, is_reversed)[0]

    h = [float(_forward_weight(k, **own)) for k in (0, 1)]
    first = h[0] * _at(x, 0, axis) + _weighted(x, weights(lambda k: _forward_weight(k + 1, **own)), axis)
    near = (1, 0) if precision is not None else (0, 1)  # exchanged in SciPy's splines of lines
    second = h[0] * _at(x, near[0], axis) + h[1] * _at(x, near[1], axis)
    second = second + _weighted(x, weights(lambda k: _forward_weight(k + 2, **own)), axis)
    ahead = run(x, first, second, False)
    enough = None if precision is None else math.sqrt(precision)  # SciPy's at this end
    ends = [
        _weighted(x, weights(lambda k: sum(_symmetric_weight(k + s, **own) for s in steps), enough), axis, True)
        for steps in ((0, 1), (-1, 2))
    ]
    return run(ahead, *ends, True)


@beside
def symiirorder2(input, r, omega, precision=-1.0):
    """Lines through a symmetric filter of a pair of poles and its inverse.

    Parameters
    ----------
    input : array_like
        One or two axes, of which the last is filtered.
    r, omega : float
        The distance of the poles from 0, and their angle.
    precision : float, optional
        Where sums for the first values may end.

    Returns
    -------
    ndarray
        In the shape of `input`.

    Raises
    ------
    ValueError
        For poles that are not inside the unit circle, lines too short for the precision, and more
        axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.symiirorder2(tn.ones(90), 0.5, 1.0)[:2].round(6)
    array([1., 1.])
    """
    if r >= 1.0:
        raise ValueError("r must be less than 1.0")
    x = _checked_lines(input)
    return _symmetric2(x, r, omega, _precision(precision, x.dtype), x.ndim - 1)


# --- Coefficients ---


def _of_line(signal, pole, gain):
    signal = as_array_of(signal)
    if signal.ndim != 1:
        raise ValueError("the signal must have one dimension")
    x = signal.astype(numpy.complex128 if signal.dtype.kind == "c" else numpy.float64, copy=False)
    weights = pole ** numpy.arange(min(x.size, 64), dtype=float)  # further ones are below 1e-36
    first = _weighted(x, pole * weights, 0) + x[:1]
    if x.size == 1:
        return pole / (pole - 1) * first
    return _there_and_back(x, -pole, pole, first, 0) * gain


def _smoothing_poles(lamb):
    """The radius and angle of the poles of a smoothing spline."""
    root = math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + 24 * lamb * root
    omega = math.atan2(math.sqrt(144 * lamb - 1), math.sqrt(xi))
    radius = (24 * lamb - 1 - math.sqrt(xi)) / (24 * lamb) * math.sqrt((48 * lamb + 24 * lamb * root) / xi)
    return radius, omega


@beside
def cspline1d(signal, lamb=0.0):
    """Coefficients of a cubic spline through a line, which is mirrored at its ends.

    Parameters
    ----------
    signal : array_like
        One axis.
    lamb : float, optional
        How smooth it is to be, above 1/144; 0 for a spline through all points.

    Returns
    -------
    ndarray
        A coefficient for each element.

    Raises
    ------
    ValueError
        For another number of axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.cspline1d(tn.ones(5)).round(2)
    array([1., 1., 1., 1., 1.])
    """
    if lamb == 0.0:
        return _of_line(signal, _CUBIC, 6.0)
    x = _inexact(signal)
    x = x.astype(numpy.complex128 if x.dtype.kind == "c" else numpy.float64, copy=False)
    return _symmetric2(x, *_smoothing_poles(lamb), None, 0)


@beside
def qspline1d(signal, lamb=0.0):
    """Coefficients of a quadratic spline through a line, which is mirrored at its ends.

    Parameters
    ----------
    signal : array_like
        One axis.
    lamb : float, optional
        Must be 0.

    Returns
    -------
    ndarray
        A coefficient for each element.

    Raises
    ------
    ValueError
        For another `lamb`, and another number of axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.qspline1d(tn.ones(5)).round(2)
    array([1., 1., 1., 1., 1.])
    """
    if lamb != 0.0:
        raise ValueError("Smoothing quadratic splines not supported yet.")
    return _of_line(signal, _QUADRATIC, 8.0)


def _cubic(x):
    """The cubic B-spline."""
    x = _core.absolute(x)
    inner, outer = 2 / 3 - x * x * (1 - x / 2), _core.maximum(2 - x, 0) ** 3 / 6
    return _core._where(x < 1, inner, outer)


def _quadratic(x):
    """The quadratic B-spline."""
    x = _core.absolute(x)
    return _core._where(x < 0.5, 0.75 - x * x, _core.maximum(1.5 - x, 0) ** 2 / 2)


def _evaluated(cj, newx, dx, x0, shape, reach, keeps_dtype):
    cj = as_array_of(cj)
    x = as_array_of(newx)
    x = (x.astype(numpy.float64, copy=False) - x0) / float(dx)
    dtype = cj.dtype if keeps_dtype else x.dtype
    if cj.size == 0:
        raise ValueError("Spline coefficients 'cj' must not be empty.")
    if x.size == 0:
        return _core.zeros(x.shape, dtype=dtype)
    n = cj.size
    if n > 1:  # back and forth between the ends
        x = _core.absolute(x) % (2 * (n - 1))
        x = _core.minimum(x, 2 * (n - 1) - x)
    low = _core.floor(x - reach / 2)
    made = 0
    for k in range(1, reach + 1):
        place = low + k
        values = _core.take(cj, place.astype(numpy.int64), mode="clip")
        made = made + values * shape(x - place)
    return made.astype(dtype, copy=False)


@beside
def cspline1d_eval(cj, newx, dx=1.0, x0=0):
    """A cubic spline at any places, which is mirrored at its ends.

    Parameters
    ----------
    cj : array_like
        The coefficients.
    newx : array_like
        The places.
    dx, x0 : float, optional
        The distance of the spline's elements, and the place of the first.

    Returns
    -------
    ndarray
        The values at the places.

    Raises
    ------
    ValueError
        For no coefficients.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.cspline1d_eval(tn.ones(5), tn.array([0.5, 2.25])).round(6)
    array([1., 1.])
    """
    return _evaluated(cj, newx, dx, x0, _cubic, 4, True)


@beside
def qspline1d_eval(cj, newx, dx=1.0, x0=0):
    """A quadratic spline at any places, which is mirrored at its ends.

    Parameters
    ----------
    cj : array_like
        The coefficients.
    newx : array_like
        The places.
    dx, x0 : float, optional
        The distance of the spline's elements, and the place of the first.

    Returns
    -------
    ndarray
        The values at the places.

    Raises
    ------
    ValueError
        For no coefficients.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.qspline1d_eval(tn.ones(5), tn.array([0.5, 2.25])).round(6)
    array([1., 1.])
    """
    return _evaluated(cj, newx, dx, x0, _quadratic, 3, False)


def _plane_precision(precision, dtype):
    if 0 <= precision < 1:
        return precision
    return 1e-3 if dtype.char in "fF" else 1e-6


@beside
def cspline2d(signal, lamb=0.0, precision=-1.0):
    """Coefficients of a cubic spline over two axes, mirrored at the edges.

    Parameters
    ----------
    signal : array_like
        Two axes.
    lamb : float, optional
        How smooth it is to be; up to 1/144 it goes through all points.
    precision : float, optional
        Where sums for the first values may end.

    Returns
    -------
    ndarray
        In the shape of `signal`.

    Raises
    ------
    ValueError
        For lines too short for the precision.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.cspline2d(tn.ones((32, 32)))[0, :2].round(4)
    array([1., 1.])
    """
    x = _inexact(signal)
    precision = _plane_precision(precision, x.dtype)
    if lamb <= 1 / 144.0:
        x = _symmetric1(x, -6 * _CUBIC, _CUBIC, precision, x.ndim - 1)
        return _symmetric1(x, -6 * _CUBIC, _CUBIC, precision, 0)
    r, omega = _smoothing_poles(lamb)
    precision = _precision(precision, x.dtype)
    return _symmetric2(_symmetric2(x, r, omega, precision, x.ndim - 1), r, omega, precision, 0)


@beside
def qspline2d(signal, lamb=0.0, precision=-1.0):
    """Coefficients of a quadratic spline over two axes, mirrored at the edges.

    Parameters
    ----------
    signal : array_like
        Two axes.
    lamb : float, optional
        Must not be positive.
    precision : float, optional
        Where sums for the first values may end.

    Returns
    -------
    ndarray
        In the shape of `signal`.

    Raises
    ------
    ValueError
        For a positive `lamb`, and lines too short for the precision.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.qspline2d(tn.ones((32, 32)))[0, :2].round(4)
    array([1., 1.])
    """
    x = _inexact(signal)
    if lamb > 0:
        raise ValueError("lambda must be negative or zero")
    precision = _plane_precision(precision, x.dtype)
    x = _symmetric1(x, -8 * _QUADRATIC, _QUADRATIC, precision, x.ndim - 1)
    return _symmetric1(x, -8 * _QUADRATIC, _QUADRATIC, precision, 0)


@beside
def spline_filter(Iin, lmbda=5.0):
    """An image smoothed by a cubic spline.

    Parameters
    ----------
    Iin : array_like
        Two axes, float32, float64, complex64 or complex128.
    lmbda : float, optional
        How smooth it is to be.

    Returns
    -------
    ndarray
        In the shape and the dtype of `Iin`.

    Raises
    ------
    TypeError
        For other dtypes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.spline_filter(tn.ones((64, 64)))[0, :2].round(3)
    array([1., 1.])
    """
    image = as_array_of(Iin)
    if image.dtype.char not in "fdFD":
        raise TypeError(f"Invalid data type for Iin: Iin.dtype = {image.dtype!r}")
    taps = numpy.array([1.0, 4.0, 1.0], dtype=numpy.float32) / 6  # as SciPy rounds it
    precision = 1e-3 if image.dtype.kind == "c" else -1.0  # SciPy's of single precision
    return sepfir2d(cspline2d(image, lmbda, precision), taps, taps)


@beside
def gauss_spline(x, n):
    """The Gaussian that a B-spline of an order is close to.

    Parameters
    ----------
    x : array_like
        Places.
    n : int
        The order.

    Returns
    -------
    ndarray
        The values at the places.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.gauss_spline(tn.array([0.0]), 3).round(4)
    array([0.691])
    """
    x = x if isinstance(x, ndarray) else as_array_of(x)
    variance = (n + 1) / 12.0
    return _core.exp(-(x**2) / 2 / variance) / math.sqrt(2 * math.pi * variance)
