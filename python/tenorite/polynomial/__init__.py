"""NumPy's ``polynomial``: series of six bases, as functions on coefficients and as classes.

Coefficients stand from the lowest degree up.
"""

from tenorite.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils
from tenorite.polynomial._classes import (
    Chebyshev,
    Hermite,
    HermiteE,
    Laguerre,
    Legendre,
    Polynomial,
    set_default_printstyle,
)

__all__ = [
    "Chebyshev",
    "Hermite",
    "HermiteE",
    "Laguerre",
    "Legendre",
    "Polynomial",
    "chebyshev",
    "hermite",
    "hermite_e",
    "laguerre",
    "legendre",
    "polynomial",
    "polyutils",
    "set_default_printstyle",
]
