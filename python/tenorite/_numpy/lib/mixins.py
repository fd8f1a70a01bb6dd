"""NumPy's ``lib.mixins``: operators by way of ``__array_ufunc__``, for arrays of either package."""

from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ["NDArrayOperatorsMixin"]
