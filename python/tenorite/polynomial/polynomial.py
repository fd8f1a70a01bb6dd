"""Power series: functions on coefficients from the lowest power up."""

import operator
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core
from tenorite._arguments import as_array_of, beside, is_scalar
from tenorite._numpy import polynomials
from tenorite._numpy.creation import diag
from tenorite._numpy.rearranging import moveaxis
from tenorite._numpy.shapes import ndim
from tenorite.polynomial.polyutils import as_series, trimseq
from tenorite.polynomial.polyutils import trimcoef as polytrim

__all__ = [
    "polyadd", "polycompanion", "polyder", "polydiv", "polyfit", "polyfromroots", "polygrid2d", "polygrid3d", "polyint",
    "polyline", "polymul", "polymulx", "polypow", "polyroots", "polysub", "polytrim", "polyval", "polyval2d", "polyval3d",
    "polyvalfromroots", "polyvander", "polyvander2d", "polyvander3d",
]  # fmt: skip


# --- Arithmetic ---


@beside
def polyadd(c1, c2):
    """The sum of two series.

    Parameters
    ----------
    c1 : array_like
        The coefficients, that of the constant first.
    c2 : array_like
        The coefficients, that of the constant first.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyadd([1, 2, 3], [3, 2])
    array([4., 4., 3.])
    """
    first, second = as_series([c1, c2])
    return trimseq(polynomials.polyadd(first[::-1], second[::-1])[::-1])


@beside
def polysub(c1, c2):
    """The difference of two series.

    Parameters
    ----------
    c1 : array_like
        The coefficients, that of the constant first.
    c2 : array_like
        The coefficients, that of the constant first.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polysub([1, 2, 3], [3, 2])
    array([-2.,  0.,  3.])
    """
    first, second = as_series([c1, c2])
    return trimseq(polynomials.polysub(first[::-1], second[::-1])[::-1])


@beside
def polymul(c1, c2):
    """The product of two series.

    Parameters
    ----------
    c1 : array_like
        The coefficients, that of the constant first.
    c2 : array_like
        The coefficients, that of the constant first.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polymul([1, 2, 3], [3, 2])
    array([ 3.,  8., 13.,  6.])
    """
    first, second = as_series([c1, c2])
    return trimseq(polynomials._product(first, second))


@beside
def polymulx(c):
    """The series multiplied by the variable.

    Parameters
    ----------
    c : ndarray
        The coefficients, that of the constant first.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polymulx([1, 2, 3])
    array([0., 1., 2., 3.])
    """
    (series,) = as_series([c])
    if series.size == 1 and not bool(series[0]):
        return series
    return _core.concatenate((_core.zeros(1, series.dtype), series))


@beside
def polydiv(c1, c2):
    """The quotient and the remainder of two series. ZeroDivisionError for a divisor of 0.

    Parameters
    ----------
    c1 : array_like
        The coefficients, that of the constant first.
    c2 : array_like
        The coefficients, that of the constant first.

    Returns
    -------
    tuple of two ndarrays
        The quotient and the remainder.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polydiv([1, 2, 3], [3, 2])
    (array([-1.25,  1.5 ]), array([4.75]))
    """
    first, second = as_series([c1, c2])
    if not bool(second[-1]):
        raise ZeroDivisionError("polydiv: the divisor is 0")
    if first.size < second.size:
        return first[:1] * 0, first
    if second.size == 1:
        return first / second[-1], first[:1] * 0
    rest, steps, scaled = first.copy(), first.size - second.size, second[:-1] / second[-1]
    for k in range(steps, -1, -1):
        rest[k : k + scaled.size] -= scaled * rest[k + scaled.size]
    return rest[scaled.size :] / second[-1], trimseq(rest[: scaled.size])


@beside
def polypow(c, pow, maxpower=None):
    """The series raised to a power, an int from 0 to maxpower. ValueError for others.

    Parameters
    ----------
    c : ndarray
        The coefficients, that of the constant first.
    pow : int
        The exponent.
    maxpower : int, optional
        The highest power that is allowed.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polypow([1, 2], 2)
    array([1., 4., 4.])
    """
    (series,), power = as_series([c]), int(pow)
    if power != pow or power < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and power > maxpower:
        raise ValueError("Power is too large")
    result = _core.ones(1, series.dtype)
    for _ in range(power):
        result = polynomials._product(result, series)
    return result


def polyline(off, scl):
    """The series of off + scl * x.

    Parameters
    ----------
    off : scalar
        The constant.
    scl : scalar
        The factor of x.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyline(1, -1)
    array([ 1, -1])
    """
    return _core.array([off, scl]) if scl != 0 else _core.array([off])


# --- Calculus ---


def _derived(c, axis):
    c = as_array_of(c)
    c = c.reshape(1) if c.ndim == 0 else c
    c = c if c.dtype.kind in "fc" else c.astype(float)
    return moveaxis(c, normalize_axis_index(operator.index(axis), c.ndim), 0)


def _count(m, what):
    count = operator.index(m)
    if count < 0:
        raise ValueError(f"The order of {what} must be non-negative")
    return count


def _beside_rows(values, ndim):
    return values.reshape((-1,) + (1,) * (ndim - 1))


@beside
def polyder(c, m=1, scl=1, axis=0):
    """The m-th derivative of series along an axis, multiplied by scl each time.

    Parameters
    ----------
    c : ndarray
        The coefficients, that of the constant first.
    m : int, optional
        How often.
    scl : scalar, optional
        The factor of every step.
    axis : int, optional
        The axis that the function works along.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyder([1, 2, 3, 4])
    array([ 2.,  6., 12.])
    """
    count, series = _count(m, "derivation"), _derived(c, axis)
    if count >= series.shape[0]:
        return moveaxis(series[:1] * 0, 0, axis)
    for _ in range(count):
        powers = _core.arange(1, series.shape[0], dtype=series.real.dtype)
        series = series[1:] * scl * _beside_rows(powers, series.ndim)
    return moveaxis(series if count else series.copy(), 0, axis)


@beside
def polyint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The m-th antiderivative of series along an axis, multiplied by scl each time.

    k: the values at lbnd after each integration. ValueError for more values than integrations.

    Parameters
    ----------
    c : ndarray
        The coefficients, that of the constant first.
    m : int, optional
        How often.
    k : scalar or sequence of scalars, optional
        The constants.
    lbnd : scalar, optional
        Where the integral is 0 before the constants are added.
    scl : scalar, optional
        The factor of every step.
    axis : int, optional
        The axis that the function works along.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyint([1, 2, 3])
    array([0., 1., 1., 1.])
    """
    count, constants = _count(m, "integration"), list(k) if hasattr(k, "__len__") else [k]
    if len(constants) > count:
        raise ValueError("Too many integration constants")
    if numpy.ndim(lbnd) or numpy.ndim(scl):
        raise ValueError("lbnd and scl must be scalars.")
    series = _derived(c, axis)
    for value in constants + [0] * (count - len(constants)):
        if series.shape[0] == 1 and not bool(series.any()):
            series = series + value
            continue
        powers = _core.arange(1, series.shape[0] + 1, dtype=series.real.dtype)
        series = series * scl / _beside_rows(powers, series.ndim)
        series = _core.concatenate((series[:1] * 0, series))
        series[0] += value - polyval(lbnd, series)
    return moveaxis(series if count else series.copy(), 0, axis)


# --- Values ---


@beside
def polyval(x, c, tensor=True):
    """The values of series at x.

    Parameters
    ----------
    x : ndarray or scalar
        Where they are evaluated.
    c : ndarray or list
        Coefficients along the first axis; further axes count several series.
    tensor : bool, optional
        Whether every series is evaluated at every x; else the axes of series and x broadcast.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyval(2, [1, 2, 3])
    array(17.)
    """
    c, x = as_array_of(c), x if is_scalar(x) else as_array_of(x)
    c = c.reshape(1) if c.ndim == 0 else c
    c = c if c.dtype.kind in "fc" else c.astype(float)
    if tensor:
        c = c.reshape(c.shape + (1,) * ndim(x))
    result = c[-1] + x * 0
    for k in range(2, c.shape[0] + 1):
        result = c[-k] + result * x
    return result


@beside
def polyvalfromroots(x, r, tensor=True):
    """The values at x of polynomials with these roots (along the first axis) that begin with 1.

    tensor: as polyval has it. ValueError without tensor for fewer axes of x than of r.

    Parameters
    ----------
    x : ndarray
        The elements.
    r : array_like
        The roots.
    tensor : bool, optional
        Whether every column of `r` is evaluated at every `x`.

    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyvalfromroots(1.0, [2.0, 3.0])
    array(2.)
    """
    r, x = as_array_of(r), x if is_scalar(x) else as_array_of(x)
    r = r.reshape(1) if r.ndim == 0 else r
    r = r if r.dtype.kind in "fc" else r.astype(float)
    if tensor:
        r = r.reshape(r.shape + (1,) * ndim(x))
    elif ndim(x) >= r.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return (x - r).prod(axis=0)


@beside
def polyvander(x, deg):
    """The powers 0 to deg of x along a new last axis. ValueError for a negative degree.

    Parameters
    ----------
    x : ndarray
        The elements.
    deg : int
        The highest power.

    Returns
    -------
    ndarray
        A column for each power.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyvander(tenorite.array([1.0, 2.0]), 2)
    array([[1., 1., 1.],
           [1., 2., 4.]])
    """
    degree, x = operator.index(deg), as_array_of(x)
    if degree < 0:
        raise ValueError("deg must be non-negative")
    x = (x.reshape(1) if x.ndim == 0 else x) + 0.0
    result = _core.empty(x.shape + (degree + 1,), x.dtype)
    result[..., 0] = 1
    if degree:
        result[..., 1:] = x[..., None]
        _core.multiply.accumulate(result[..., 1:], axis=-1, out=result[..., 1:])
    return result


# --- Several variables ---


def _values_of(c, *points):
    """The values of a series of several variables at points of one shape."""
    points = [one if is_scalar(one) else as_array_of(one) for one in points]
    if len({ndim(one) and one.shape for one in points}) > 1:
        raise ValueError(f"{', '.join('xyz'[: len(points)])} are incompatible")
    c = polyval(points[0], c)
    for one in points[1:]:
        c = polyval(one, c, tensor=False)
    return c


def _values_on(c, *lines):
    """The values of a series of several variables on the grid of these coordinates."""
    for one in lines:
        c = polyval(one, c)
    return c


def _vander_of(points, degrees):
    """The products of the powers of several variables along a new last axis."""
    if len(points) != len(degrees):
        raise ValueError(f"Expected {len(points)} dimensions of degrees, got {len(degrees)}")
    product = None
    for k, (one, degree) in enumerate(zip(points, degrees)):
        powers = polyvander(one, degree)
        powers = powers.reshape(powers.shape[:-1] + (1,) * k + (-1,) + (1,) * (len(points) - 1 - k))
        product = powers if product is None else product * powers
    return product.reshape(product.shape[: product.ndim - len(points)] + (-1,))


@beside
def polyval2d(x, y, c):
    """The values of a series of two variables at points. ValueError for points of two shapes.

    Parameters
    ----------
    x, y : ndarray or scalar
        The points, of one shape.
    c : array_like
        The coefficients: powers of x along the first axis, of y along the second, and so on.


    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyval2d(1.0, 2.0, [[1, 2], [3, 4]])
    array(16.)
    """
    return _values_of(c, x, y)


@beside
def polyval3d(x, y, z, c):
    """The values of a series of three variables at points. ValueError for points of two shapes.

    Parameters
    ----------
    x, y, z : ndarray or scalar
        The points, of one shape.
    c : array_like
        The coefficients: powers of x along the first axis, of y along the second, and so on.


    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyval3d(1.0, 2.0, 3.0, [[[1, 2], [3, 4]]])
    array(37.)
    """
    return _values_of(c, x, y, z)


@beside
def polygrid2d(x, y, c):
    """The values of a series of two variables on a grid.

    Parameters
    ----------
    x, y : array_like
        The coordinates of the grid.
    c : array_like
        The coefficients: powers of x along the first axis, of y along the second, and so on.


    Returns
    -------
    ndarray
        The values: an axis for x, one for y, then those of several series.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polygrid2d([0, 1], [2, 3], [[1, 2], [3, 4]])
    array([[ 5.,  7.],
           [16., 22.]])
    """
    return _values_on(c, x, y)


@beside
def polygrid3d(x, y, z, c):
    """The values of a series of three variables on a grid.

    Parameters
    ----------
    x, y, z : array_like
        The coordinates of the grid.
    c : array_like
        The coefficients: powers of x along the first axis, of y along the second, and so on.


    Returns
    -------
    ndarray
        The values: an axis for each of x, y and z, then those of several series.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polygrid3d([0], [1], [2, 3], [[[1, 2], [3, 4]]])
    array([[[16., 22.]]])
    """
    return _values_on(c, x, y, z)


@beside
def polyvander2d(x, y, deg):
    """The products of powers of x and y along a new last axis, those of y faster.

    Parameters
    ----------
    x, y : ndarray or scalar
        The points, of one shape.
    deg : sequence of ints
        The highest power of each variable.


    Returns
    -------
    ndarray
        A column for each product.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyvander2d([2.0], [3.0], [1, 2])
    array([[ 1.,  3.,  9.,  2.,  6., 18.]])
    """
    return _vander_of((x, y), deg)


@beside
def polyvander3d(x, y, z, deg):
    """The products of powers of x, y and z along a new last axis, those of z fastest.

    Parameters
    ----------
    x, y, z : ndarray or scalar
        The points, of one shape.
    deg : sequence of ints
        The highest power of each variable.


    Returns
    -------
    ndarray
        A column for each product.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyvander3d([2.0], [3.0], [5.0], [1, 0, 1])
    array([[ 1.,  5.,  2., 10.]])
    """
    return _vander_of((x, y, z), deg)


# --- Fits ---


def _checked(x, y, deg):
    """The points of a fit as arrays of floats, and the degree or the sorted degrees."""
    x, y, deg = as_array_of(x) + 0.0, as_array_of(y) + 0.0, numpy.asarray(deg)
    if deg.ndim > 1 or deg.dtype.kind not in "iu" or deg.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if deg.min() < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    return x, y, numpy.sort(deg) if deg.ndim else deg


@beside
def polyfit(x, y, deg, rcond=None, full=False, w=None):
    """The series of a degree, or of some powers, with the least squares of differences at points.

    TypeError for points of two lengths, ValueError for a negative degree, RankWarning where the
    powers are not told apart.

    Parameters
    ----------
    x, y : array_like
        The points; y may have a second axis, of several sets of values.
    deg : int or sequence of ints
        The degree, or the powers that the series has.
    rcond : float, optional
        Singular values below this share of the largest one count as zero.
    full : bool, optional
        Whether residuals, rank, singular values and rcond are given back, too.
    w : array_like, optional
        Weights of the points.


    Returns
    -------
    ndarray or tuple
        The coefficients, that of the constant first, and the list of what was asked for.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1).round(6)
    array([1., 2.])
    """
    x, y, deg = _checked(x, y, deg)
    powers = polyvander(x, int(deg.max()))
    left, right = powers if deg.ndim == 0 else powers[:, _core.asarray(deg)], y
    if w is not None:
        w = as_array_of(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected 1D vector for w")
        if len(w) != len(x):
            raise TypeError("expected x and w to have same length")
        left, right = left * w[:, None], y * (w[:, None] if y.ndim == 2 else w)
    rcond = len(x) * float(numpy.finfo(x.dtype).eps) if rcond is None else rcond
    scale = _core.sqrt((left * left.conj()).real.sum(axis=0))
    scale[scale == 0] = 1
    found, residuals, rank, singular = polynomials._of_linalg("lstsq")(left / scale, right, rcond)
    found = (found.T / scale).T
    if deg.ndim:
        chosen, found = found, _core.zeros((powers.shape[1], *found.shape[1:]), found.dtype)
        found[_core.asarray(deg)] = chosen
    if full:
        return found, [residuals, rank, singular, rcond]
    if int(rank) != left.shape[1]:
        warnings.warn("The fit may be poorly conditioned", numpy.exceptions.RankWarning, stacklevel=3)
    return found


# --- Roots ---


@beside
def polyfromroots(roots):
    """The series with these roots and leading coefficient 1.

    Parameters
    ----------
    roots : array_like
        The roots.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyfromroots([-1.0, 0.0, 1.0])
    array([ 0., -1.,  0.,  1.])
    """
    roots = as_array_of(roots)
    if roots.size == 0:
        return _core.ones(1)
    (roots,) = as_series([roots], trim=False)
    roots = roots.astype(_core._result_type(roots, numpy.int64))
    made = _core.ones(1, roots.dtype)
    for root in _core.sort(roots):
        shifted = _core.concatenate((_core.zeros(1, roots.dtype), made))
        shifted[:-1] -= root * made
        made = shifted
    return made


@beside
def polycompanion(c):
    """The companion matrix of a series, whose eigenvalues are its roots. ValueError below degree 1.

    Parameters
    ----------
    c : ndarray
        The coefficients, that of the constant first.

    Returns
    -------
    ndarray
        The companion matrix.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polycompanion([1, 2, 4])
    array([[ 0.  , -0.25],
           [ 1.  , -0.5 ]])
    """
    (series,) = as_series([c])
    if series.size < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    matrix = diag(_core.ones(series.size - 2, series.dtype), -1)
    matrix[:, -1] -= series[:-1] / series[-1]
    return matrix


@beside
def polyroots(c):
    """The roots of a series in ascending order, the eigenvalues of its companion (linalg.eigvals).

    Parameters
    ----------
    c : ndarray
        The coefficients, that of the constant first.

    Returns
    -------
    ndarray
        The roots.

    Examples
    --------
    >>> tenorite.polynomial.polynomial.polyroots([-4.0, 2.0])
    array([2.])
    """
    (series,) = as_series([c])
    if series.size < 2:
        return _core.array([], dtype=series.dtype)
    if series.size == 2:
        return -series[:1] / series[1:]
    return _core.sort(polynomials._of_linalg("eigvals")(polycompanion(series)[::-1, ::-1]))
