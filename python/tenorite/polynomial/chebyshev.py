"""Series of Chebyshev polynomials of the first kind."""

from tenorite import _core
from tenorite.polynomial import _binding, _quadrature
from tenorite.polynomial._bases import CHEBYSHEV
from tenorite.polynomial._classes import Chebyshev as Chebyshev
from tenorite.polynomial._functions import chebinterpolate as chebinterpolate

__all__, __getattr__ = _binding.fill(globals(), CHEBYSHEV, ["Chebyshev", "chebinterpolate", "chebpts1", "chebpts2"])


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
