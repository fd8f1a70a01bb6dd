"""NumPy's ``polynomial``: modules of functions on coefficients from the lowest power up."""

from tenorite.polynomial import polynomial, polyutils

__all__ = ["polynomial", "polyutils"]
