"""What the modules share: splines' values by the core, and how arguments become arrays."""

import functools
import importlib
import math

import numpy

import tenorite as tn
from tenorite import _core
from tenorite._arguments import as_array_of

# As tn_spline_basis and tn_spline_outside of tenorite/spline.h.
KNOTS, POWERS, BERNSTEIN, LINEAR, NEAREST = range(5)
EXTRAPOLATE, FILL, PERIODIC, CLAMP = range(4)


def outside(extrapolate):
    """What an argument `extrapolate` of SciPy's means."""
    if isinstance(extrapolate, str) and extrapolate == "periodic":
        return PERIODIC
    return EXTRAPOLATE if extrapolate else FILL


def extrapolation(extrapolate):
    """The attribute of this name: 'periodic' or a bool."""
    return extrapolate if isinstance(extrapolate, str) and extrapolate == "periodic" else bool(extrapolate)


def evaluate(x, axes, coefficients, basis, beyond, fill=math.nan):
    """Values at x, whose last axis holds the variables if there are several.

    `axes` is a tuple of (knots, terms, derivative).
    """
    return _core._spline_evaluate(x, axes, coefficients, basis, beyond, fill.real, fill.imag, False)[0]


def evaluate_reporting(x, axes, coefficients, basis, beyond, fill=math.nan):
    """The same, and of each variable whether an x is beyond its knots or NaN."""
    return _core._spline_evaluate(x, axes, coefficients, basis, beyond, fill.real, fill.imag, True)


def weights(x, axes, basis=KNOTS, beyond=EXTRAPOLATE):
    """The factors of the coefficients at x, and the number of the first coefficient."""
    return _core._spline_weights(x, axes, basis, beyond)


def solve_banded(rows, lower, upper, b):
    """The solution of a system whose row i holds the columns from i - lower to i + upper."""
    return _core._spline_solve_banded(rows, lower, upper, b)


def solve_cyclic(factors, columns, centers, reach, b):
    """The solution of a square system whose rows wrap around.

    Row i has `factors[i]` in `columns[i]`, at most `reach` from column `centers[i]`, cyclically. In
    the order 0, n - 1, 1, n - 2, ... its diagonals are twice as far from the main one, and none
    wraps.
    """
    n = b.shape[0]
    k = numpy.arange(n)
    order = tn.asarray(numpy.where(k < (n + 1) // 2, 2 * k, 2 * (n - 1 - k) + 1))
    row, column = order[centers % n], order[columns % n]
    far = 2 * reach
    rows = tn.zeros((n, 2 * far + 1))
    rows[row[:, None], column - row[:, None] + far] = factors
    right = tn.empty_like(b)
    right[row] = b
    return solve_banded(rows, far, far, right)[order]


def as_x(x):
    """Where to evaluate, as doubles."""
    x = as_array_of(x)
    return x if x.dtype.char == "d" else x.astype("d")


def as_double(values):
    """An array of float64, or complex128 of complex values, whose elements lie side by side."""
    values = as_array_of(values)
    return tn.ascontiguousarray(values, dtype="D" if values.dtype.kind == "c" else "d")


def as_knots(values):
    """An array of float64 whose elements lie side by side."""
    values = as_array_of(values)
    if values.dtype.kind == "c":
        raise TypeError(f"knots must be real numbers, not {values.dtype}")
    return tn.ascontiguousarray(values, dtype="d")


def to_front(array, axis):
    """The array with this axis first."""
    return array if axis == 0 else tn.moveaxis(array, axis, 0)


def back_to(values, x_ndim, axis):
    """The axes of x, which come first, moved to where the interpolated axis was."""
    if axis == 0:
        return values
    order = [*range(x_ndim, x_ndim + axis), *range(x_ndim), *range(x_ndim + axis, values.ndim)]
    return values.transpose(order)


def normal_axis(axis, ndim):
    """An axis from 0; AxisError, as NumPy's, for one that is not there."""
    if not -ndim <= axis < ndim:
        raise numpy.exceptions.AxisError(axis, ndim)
    return axis % ndim


def column(values, ndim):
    """A vector along the first of so many axes."""
    return values.reshape((-1,) + (1,) * (ndim - 1))


def rising(start, count):
    """start (start + 1) ... (start + count - 1)."""
    return math.prod(range(start, start + count))


def coordinates(points, ndim=None):
    """Points of several variables on a last axis: of a tuple of arrays, which are broadcast, or of
    one array."""
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        parts = tn.broadcast_arrays(*map(as_array_of, points))
        return tn.stack([part.astype("d") if part.dtype.kind in "biu" else part for part in parts], axis=-1)
    points = as_array_of(points)
    if points.ndim == 1:
        return points.reshape(-1, 1 if ndim is None else ndim)
    return points


@functools.cache
def of_scipy(name):
    """A function or class of scipy.interpolate, which works on the host."""
    try:
        return getattr(importlib.import_module("scipy.interpolate"), name)
    except ImportError as error:
        raise ImportError(f"{name} needs SciPy, which is not there: pip install scipy") from error
