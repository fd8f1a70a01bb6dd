"""Warnings of SciPy's names."""


class BadCoefficients(UserWarning):
    """A filter's coefficients are badly conditioned."""
