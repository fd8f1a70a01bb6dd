"""Series of Hermite polynomials, as physicists define them."""

from tenorite.polynomial import _binding
from tenorite.polynomial._bases import HERMITE
from tenorite.polynomial._classes import Hermite as Hermite

__all__, __getattr__ = _binding.fill(globals(), HERMITE, ["Hermite"])
