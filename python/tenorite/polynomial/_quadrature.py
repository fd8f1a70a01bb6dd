"""Nodes and weights of Gauss's quadrature and Chebyshev's points, on the host: they depend on an
int alone, so they are computed in float64 and then copied to the device."""

import math

import numpy

from tenorite.polynomial import _coefficients
from tenorite.polynomial.polyutils import as_int

_BIG = 1e100


def _orthonormal(basis, x, count):
    """At x: P_n / P_n' and the sum of the squares of P_0 to P_(n-1), which are orthonormal. The
    sum is x's own times a power of _BIG, whose exponent comes third."""
    j = numpy.arange(count, dtype=float)
    here, beside = basis.here(j), numpy.sqrt(basis.up(j) * basis.down(j + 1))
    before, value = numpy.zeros_like(x), numpy.ones_like(x)
    slope_before, slope = numpy.zeros_like(x), numpy.zeros_like(x)
    total, exponent = numpy.zeros_like(x), numpy.zeros_like(x)
    for k in range(count):
        total += value * value
        down = beside[k - 1] if k else 0.0
        following = ((x - here[k]) * value - down * before) / beside[k]
        slope_following = (value + (x - here[k]) * slope - down * slope_before) / beside[k]
        before, value, slope_before, slope = value, following, slope, slope_following
        large = numpy.maximum(abs(value), abs(slope)) > _BIG
        if large.any():
            scale = numpy.where(large, 1 / _BIG, 1.0)
            before, value, slope_before, slope = before * scale, value * scale, slope_before * scale, slope * scale
            total *= scale * scale
            exponent += large
    return value / slope, total, exponent


def gauss(basis, deg, eigvalsh):
    """The nodes, which are the eigenvalues of the companion matrix bettered by a step of
    Newton's, and the weights (Golub and Welsch, DLMF 3.5(v) and (vi))."""
    count = as_int(deg, "deg")
    if count <= 0:
        raise ValueError("deg must be a positive integer")
    if basis.has_products:
        nodes = numpy.cos(math.pi * numpy.arange(1, 2 * count, 2) / (2.0 * count))
        return nodes, numpy.full(count, math.pi / count)
    unit = numpy.zeros(count + 1)
    unit[count] = 1
    nodes = eigvalsh(_coefficients.companion(basis, unit))
    nodes = nodes - _orthonormal(basis, nodes, count)[0]
    is_even = not basis.is_shifted
    if is_even:
        nodes = (nodes - nodes[::-1]) / 2
    _, total, exponent = _orthonormal(basis, nodes, count)
    weights = 1 / total * (_BIG**-exponent) ** 2
    if is_even:
        weights = (weights + weights[::-1]) / 2
    return nodes, weights * (basis.total / weights.sum())


def points_of(npts, kind):
    """Chebyshev's points of the first or the second kind."""
    count = int(npts)
    if count != npts:
        raise ValueError("npts must be integer")
    if count < kind:
        raise ValueError(f"npts must be >= {kind}")
    if kind == 1:
        return numpy.sin(0.5 * math.pi / count * numpy.arange(1 - count, count + 1, 2))
    return numpy.cos(numpy.linspace(-math.pi, 0, count))
