"""Series of Chebyshev polynomials of the first kind."""

from tenorite import _core
from tenorite._arguments import as_array_of
from tenorite.polynomial import _functions, _quadrature
from tenorite.polynomial._bases import CHEBYSHEV
from tenorite.polynomial._classes import Chebyshev

__all__, __getattr__ = _functions.fill(globals(), CHEBYSHEV, ["Chebyshev", "chebinterpolate", "chebpts1", "chebpts2"])


def chebpts1(npts):
    """Chebyshev's points of the first kind: the zeros of T_npts, ascending.

    Parameters
    ----------
    npts : int
        How many. ValueError for less than 1.

    Returns
    -------
    ndarray
        The points.

    Examples
    --------
    >>> tenorite.polynomial.chebyshev.chebpts1(2).round(4)
    array([-0.7071,  0.7071])
    """
    return _core.asarray(_quadrature.points_of(npts, 1))


def chebpts2(npts):
    """Chebyshev's points of the second kind: the extrema of T_(npts - 1), ascending.

    Parameters
    ----------
    npts : int
        How many. ValueError for less than 2.

    Returns
    -------
    ndarray
        The points.

    Examples
    --------
    >>> tenorite.polynomial.chebyshev.chebpts2(2).round(4)
    array([-1.,  1.])
    """
    return _core.asarray(_quadrature.points_of(npts, 2))


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
    points = chebpts1(deg + 1)
    values = as_array_of(func(points, *args))
    made = chebvander(points, deg).T @ values  # noqa: F821 (fill() has made it)
    made[0] /= deg + 1
    made[1:] /= 0.5 * (deg + 1)
    return made
