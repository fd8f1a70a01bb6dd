"""CuPy's private names of radial basis functions. A kernel is a function of squared distances."""

import numpy
from tenorite.scipy.interpolate._rbf import (
    _AVAILABLE,
    _KERNELS,
    _LEAST_DEGREE,
    _SCALE_INVARIANT,
    _monomials,
    _powers_of,
    _squares,
)

__all__ = [
    "NAME_TO_FUNC",
    "_AVAILABLE",
    "_NAME_TO_MIN_DEGREE",
    "_SCALE_INVARIANT",
    "_monomial_powers",
    "kernel_matrix",
    "polynomial_matrix",
]

NAME_TO_FUNC, _NAME_TO_MIN_DEGREE = _KERNELS, _LEAST_DEGREE


def _monomial_powers(ndim, degree):
    """The exponents of the monomials up to a degree: (monomials, ndim)."""
    return numpy.array(_powers_of(ndim, degree), dtype="q").reshape(-1, ndim)


def kernel_matrix(x, kernel_func, out):
    """Writes the values of a kernel at the distances of points from each other to `out`."""
    out[...] = kernel_func(_squares(x, x))


def polynomial_matrix(x, powers, out):
    """Writes the monomials of points to `out`."""
    out[...] = _monomials(x, powers.tolist())
