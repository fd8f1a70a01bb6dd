"""Power series."""

from tenorite._arguments import beside
from tenorite._numpy.shapes import ndim
from tenorite.polynomial import _binding
from tenorite.polynomial._bases import POWER
from tenorite.polynomial._classes import Polynomial as Polynomial
from tenorite.polynomial._values import as_coefficients, as_point

__all__, __getattr__ = _binding.fill(globals(), POWER, ["Polynomial", "polyvalfromroots"])


@beside
def polyvalfromroots(x, r, tensor=True):
    """The values at x of polynomials with these roots (along the first axis) that begin with 1.

    tensor: as polyval has it. ValueError without tensor for fewer axes of x than of r.

    Parameters
    ----------
    x : array_like
        The points.
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
    r, x = as_coefficients(r), as_point(x)
    if tensor:
        r = r.reshape(r.shape + (1,) * ndim(x))
    elif ndim(x) >= r.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return (x - r).prod(axis=0)
