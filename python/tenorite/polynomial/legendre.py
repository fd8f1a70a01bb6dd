"""Series of Legendre polynomials."""

from tenorite.polynomial import _binding
from tenorite.polynomial._bases import LEGENDRE
from tenorite.polynomial._classes import Legendre as Legendre

__all__, __getattr__ = _binding.fill(globals(), LEGENDRE, ["Legendre"])
