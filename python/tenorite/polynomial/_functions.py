"""The functions that every polynomial module has, each written once for all bases.

A function here takes the basis first; _binding.py gives it the basis's name for it. In the
docstrings {p} stands for the prefix of the basis, {m} for its module, {words} for its name.
"""

import warnings

import numpy

from tenorite import _core, linalg
from tenorite._arguments import as_array_of
from tenorite.polynomial import _calculus, _coefficients, _quadrature, _values
from tenorite.polynomial._bases import CHEBYSHEV, POWER
from tenorite.polynomial.polyutils import read_series, trimcoef

# --- Arithmetic ---


def line(basis, off, scl):
    """The series of off + scl * x.

    Parameters
    ----------
    off : scalar
        The constant.
    scl : scalar
        The factor of x.

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}val(3.0, tenorite.polynomial.{m}.{p}line(1, 2))
    array(7.)
    """
    constant, slope = basis.x
    return _core.array([off + scl * constant if constant else off, scl * slope]) if scl != 0 else _core.array([off])


def add(basis, c1, c2):
    """The sum of two {words} series.

    Parameters
    ----------
    {pair}

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}add([1, 2, 3], [3, 2])
    array([4., 4., 3.])
    """
    return _core.asarray(_coefficients.add(*read_series([c1, c2])))


def sub(basis, c1, c2):
    """The difference of two {words} series.

    Parameters
    ----------
    {pair}

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}sub([1, 2, 3], [3, 2])
    array([-2.,  0.,  3.])
    """
    one, other = read_series([c1, c2])
    return _core.asarray(_coefficients.add(one, -other))


def mulx(basis, c):
    """The {words} series multiplied by the variable.

    Parameters
    ----------
    {series}

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}val(3.0, tenorite.polynomial.{m}.{p}mulx([2]))
    array(6.)
    """
    return _core.asarray(_coefficients.times_x(basis, read_series([c])[0]))


def mul(basis, c1, c2):
    """The product of two {words} series.

    Parameters
    ----------
    {pair}

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}mul([1, 2, 3], [2])
    array([2., 4., 6.])
    """
    one, other = read_series([c1, c2])
    if basis.is_power and min(one.size, other.size) > _FEW:
        return _values.product(_core.asarray(one), _core.asarray(other))
    return _core.asarray(_coefficients.multiply(basis, one, other))


_FEW = 256  # more coefficients than these are multiplied on the device


def div(basis, c1, c2):
    """The quotient and the remainder of two {words} series. ZeroDivisionError for a divisor of 0.

    Parameters
    ----------
    {pair}

    Returns
    -------
    tuple of two ndarrays
        The quotient and the remainder.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}div([2, 4], [2])
    (array([1., 2.]), array([0.]))
    """
    quotient, rest = _coefficients.divide(basis, *read_series([c1, c2]))
    return _core.asarray(quotient), _core.asarray(rest)


def power(basis, c, pow, maxpower=16):
    """The {words} series raised to a power, an int from 0 to maxpower. ValueError for others.

    Parameters
    ----------
    {series}
    pow : int
        The exponent.
    maxpower : int, optional
        The highest power that is allowed; None allows all.

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}pow([2], 3)
    array([8.])
    """
    return _core.asarray(_coefficients.power(basis, read_series([c])[0], pow, maxpower))


def fromroots(basis, roots):
    """The {words} series with these roots, of which the highest power of x has the factor 1.

    Parameters
    ----------
    roots : array_like
        The roots.

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}val(3.0, tenorite.polynomial.{m}.{p}fromroots([1, 2])).round(9)
    array(2.)
    """
    roots = as_array_of(roots)
    return _core.asarray(_coefficients.from_roots(basis, *read_series([roots], trim=False)) if roots.size else [1.0])


def to_power(basis, c):
    """The {words} series as one of powers.

    Parameters
    ----------
    {series}

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}2poly(tenorite.polynomial.{m}.poly2{p}([1, 2, 3])).round(9)
    array([1., 2., 3.])
    """
    return _core.asarray(_coefficients.convert(read_series([c])[0], basis, POWER))


def from_power(basis, pol):
    """The series of powers as one of {words}.

    Parameters
    ----------
    pol : array_like
        The coefficients of the powers, that of the constant first.

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}val(3.0, tenorite.polynomial.{m}.poly2{p}([0, 0, 1])).round(9)
    array(9.)
    """
    return _core.asarray(_coefficients.convert(read_series([pol])[0], POWER, basis))


# --- Calculus ---


def der(basis, c, m=1, scl=1, axis=0):
    """The m-th derivative of {words} series along an axis, multiplied by scl each time.

    Parameters
    ----------
    {series}
    m : int, optional
        How often.
    scl : scalar, optional
        The factor of every step.
    {axis}

    Returns
    -------
    {made}

    Raises
    ------
    {no_axis}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}der(tenorite.polynomial.{m}.{p}int([1, 2, 3])).round(9)
    array([1., 2., 3.])
    """
    return _calculus.derive(basis, c, m, scl, axis)


def integral(basis, c, m=1, k=[], lbnd=0, scl=1, axis=0):
    """The m-th antiderivative of {words} series along an axis, multiplied by scl each time.

    k: the values at lbnd after each integration. ValueError for more values than integrations.

    Parameters
    ----------
    {series}
    m : int, optional
        How often.
    k : scalar or sequence of scalars, optional
        The constants.
    lbnd : scalar, optional
        Where the integral is 0 before the constants are added.
    scl : scalar, optional
        The factor of every step.
    {axis}

    Returns
    -------
    {made}

    Raises
    ------
    {no_axis}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}val(3.0, tenorite.polynomial.{m}.{p}int([2])).round(9)
    array(6.)
    """
    return _calculus.integrate(basis, c, m, k, lbnd, scl, axis)


# --- Values ---


def val(basis, x, c, tensor=True):
    """The values of {words} series at x.

    Parameters
    ----------
    x : array_like
        Where they are evaluated.
    c : array_like
        Coefficients along the first axis; further axes count several series.
    tensor : bool, optional
        Whether every series is evaluated at every x; else the axes of series and x broadcast.

    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}val([0.0, 3.0], tenorite.polynomial.{m}.{p}line(1, 2))
    array([1., 7.])
    """
    return _values.values(basis, x, c, tensor)


def val2d(basis, x, y, c):
    """The values of a {words} series of two variables at points. ValueError for two shapes.

    Parameters
    ----------
    x, y : array_like
        The points, of one shape.
    {several}

    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}val2d([1.0, 2.0], [3.0, 4.0], [[5]])
    array([5., 5.])
    """
    return _values.values_of(basis, c, x, y)


def val3d(basis, x, y, z, c):
    """The values of a {words} series of three variables at points. ValueError for two shapes.

    Parameters
    ----------
    x, y, z : array_like
        The points, of one shape.
    {several}

    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}val3d([1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [[[7]]])
    array([7., 7.])
    """
    return _values.values_of(basis, c, x, y, z)


def valnd(basis, pts, c):
    """The values of a {words} series of several variables at points. ValueError for two shapes.

    Parameters
    ----------
    pts : sequence of ndarrays
        The coordinates of the points, all of one shape.
    {several}

    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}valnd(([1.0, 2.0], [3.0, 4.0]), [[5]])
    array([5., 5.])
    """
    return _values.values_of(basis, c, *pts)


def grid2d(basis, x, y, c):
    """The values of a {words} series of two variables on a grid.

    Parameters
    ----------
    x, y : array_like
        The coordinates of the grid.
    {several}

    Returns
    -------
    {grid}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}grid2d([0, 1], [2, 3, 4], [[5]]).shape
    (2, 3)
    """
    return _values.values_on(basis, c, x, y)


def grid3d(basis, x, y, z, c):
    """The values of a {words} series of three variables on a grid.

    Parameters
    ----------
    x, y, z : array_like
        The coordinates of the grid.
    {several}

    Returns
    -------
    {grid}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}grid3d([0], [1, 2], [3, 4, 5], [[[6]]]).shape
    (1, 2, 3)
    """
    return _values.values_on(basis, c, x, y, z)


def vander(basis, x, deg):
    """The {words} polynomials of the degrees 0 to deg at x, along a new last axis.

    Parameters
    ----------
    x : array_like
        The points.
    deg : int
        The highest degree. ValueError for a negative one.

    Returns
    -------
    ndarray
        A column for each degree.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}vander([0.5, 1.0], 3).shape
    (2, 4)
    """
    return _values.vander(basis, x, deg)


def vander2d(basis, x, y, deg):
    """The products of {words} polynomials of x and of y along a new last axis, y's faster.

    Parameters
    ----------
    x, y : array_like
        The points, of one shape.
    deg : sequence of ints
        The highest degree of each variable.

    Returns
    -------
    ndarray
        A column for each product.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}vander2d([0.5], [1.0], [1, 2]).shape
    (1, 6)
    """
    return _values.vander_of(basis, (x, y), deg)


def vander3d(basis, x, y, z, deg):
    """The products of {words} polynomials of x, y and z along a new last axis, z's fastest.

    Parameters
    ----------
    x, y, z : array_like
        The points, of one shape.
    deg : sequence of ints
        The highest degree of each variable.

    Returns
    -------
    ndarray
        A column for each product.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}vander3d([0.5], [1.0], [2.0], [1, 2, 3]).shape
    (1, 24)
    """
    return _values.vander_of(basis, (x, y, z), deg)


def fit(basis, x, y, deg, rcond=None, full=False, w=None):
    """The {words} series of a degree, or of some degrees, with the least squares of differences.

    TypeError for points of two lengths, ValueError for a negative degree, RankWarning where the
    degrees are not distinguished.

    Parameters
    ----------
    x, y : array_like
        The points; y may have a second axis, of several sets of values.
    deg : int or sequence of ints
        The degree, or the degrees that the series has.
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
    >>> found = tenorite.polynomial.{m}.{p}fit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1)
    >>> tenorite.polynomial.{m}.{p}val(3.0, found).round(9)
    array(7.)
    """
    x, y, deg = _values.checked(x, y, deg)
    all_columns = _values.vander(basis, x, int(deg.max()))
    left, right = all_columns if deg.ndim == 0 else all_columns[:, _core.asarray(deg)], y
    if w is not None:
        left, right = _values.weighted(w, x, left, right)
    rcond = len(x) * float(numpy.finfo(x.dtype).eps) if rcond is None else rcond
    scale = _core.sqrt((left * left.conj()).real.sum(axis=0))
    scale[scale == 0] = 1
    found, residuals, rank, singular = linalg.lstsq(left / scale, right, rcond)
    found = (found.T / scale).T
    if deg.ndim:
        chosen, found = found, _core.zeros((all_columns.shape[1], *found.shape[1:]), found.dtype)
        found[_core.asarray(deg)] = chosen
    if full:
        return found, [residuals, rank, singular, rcond]
    if int(rank) != left.shape[1]:
        warnings.warn("The fit may be poorly conditioned", numpy.exceptions.RankWarning, stacklevel=4)
    return found


def weight(basis, x):
    """The weight with which {words} polynomials are orthogonal.

    Parameters
    ----------
    x : array_like
        The points.

    Returns
    -------
    ndarray
        The weights.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}weight([0.5, 0.25]).shape
    (2,)
    """
    return basis.weight(as_array_of(x))


def gauss(basis, deg):
    """The nodes and weights of Gauss's quadrature with the weight of {words} polynomials.

    Parameters
    ----------
    deg : int
        The number of nodes; polynomials of degree 2 deg - 1 are integrated exactly.

    Returns
    -------
    tuple of two ndarrays
        The nodes and the weights.

    Examples
    --------
    >>> x, w = tenorite.polynomial.{m}.{p}gauss(3)
    >>> x.shape, w.shape
    ((3,), (3,))
    """

    def eigvalsh(matrix):
        return linalg.eigvalsh(_core.asarray(matrix)).get()

    nodes, weights = _quadrature.gauss(basis, deg, eigvalsh)
    return _core.asarray(nodes), _core.asarray(weights)


# --- Roots ---


def companion(basis, c):
    """The matrix whose eigenvalues are the roots of the {words} series. ValueError below degree 1.

    Parameters
    ----------
    {series}

    Returns
    -------
    ndarray
        The matrix.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}companion([1, 2, 4]).shape
    (2, 2)
    """
    return _core.asarray(_coefficients.companion(basis, read_series([c])[0]))


def roots(basis, c):
    """The roots of the {words} series in ascending order, the eigenvalues of its companion.

    Parameters
    ----------
    {series}

    Returns
    -------
    ndarray
        The roots.

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}roots(tenorite.polynomial.{m}.{p}line(-4, 2)).round(9)
    array([2.])
    """
    (series,) = read_series([c])
    if series.size < 2:
        return _core.zeros(0, series.dtype)
    matrix = _core.asarray(_coefficients.companion(basis, series)[::-1, ::-1])
    return matrix[0] if series.size == 2 else _core.sort(linalg.eigvals(matrix))


def trim(basis, c, tol=0):
    """The {words} series without coefficients at its end of at most tol, [0] if all are.

    Parameters
    ----------
    {series}
    tol : float, optional
        The tolerance. ValueError for a negative one.

    Returns
    -------
    {made}

    Examples
    --------
    >>> tenorite.polynomial.{m}.{p}trim([1.0, 2.0, 1e-9], 1e-6)
    array([1., 2.])
    """
    return trimcoef(c, tol)


def chebinterpolate(func, deg, args=()):
    """The series of a degree that has the values of a function at Chebyshev's points of the first
    kind.

    Parameters
    ----------
    func : callable
        It is given the points as an array, and then `args`.
    deg : int
        The degree. ValueError for a negative one.
    args : tuple, optional
        Further arguments of `func`.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Examples
    --------
    >>> tenorite.polynomial.chebyshev.chebinterpolate(lambda x: 2 * x + 1, 1).round(9)
    array([1., 2.])
    """
    if isinstance(deg, bool) or not hasattr(deg, "__index__"):
        raise TypeError("deg must be an int")
    if deg < 0:
        raise ValueError("expected deg >= 0")
    points = _core.asarray(_quadrature.points_of(deg + 1, 1))
    values = as_array_of(func(points, *args))
    made = vander(CHEBYSHEV, points, deg).T @ values
    made[0] /= deg + 1
    made[1:] /= 0.5 * (deg + 1)
    return made
