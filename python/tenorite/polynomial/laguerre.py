"""Series of Laguerre polynomials."""

from tenorite.polynomial import _binding
from tenorite.polynomial._bases import LAGUERRE
from tenorite.polynomial._classes import Laguerre as Laguerre

__all__, __getattr__ = _binding.fill(globals(), LAGUERRE, ["Laguerre"])
