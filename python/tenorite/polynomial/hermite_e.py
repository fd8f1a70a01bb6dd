"""Series of Hermite polynomials, as probabilists define them."""

from tenorite.polynomial import _binding
from tenorite.polynomial._bases import HERMITE_E
from tenorite.polynomial._classes import HermiteE as HermiteE

__all__, __getattr__ = _binding.fill(globals(), HERMITE_E, ["HermiteE"])
