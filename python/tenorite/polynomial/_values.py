"""Values of series on the device: points, grids, the columns of Vandermonde matrices, weights.

Clenshaw's recurrence runs as fused functions of several steps each, so that points are read and
written once for `_STEPS` coefficients.
"""

import functools

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, is_scalar
from tenorite._kernels.fuse import fuse
from tenorite._numpy.rearranging import moveaxis
from tenorite._numpy.shapes import ndim
from tenorite._numpy.stride_tricks import sliding_window_view
from tenorite.polynomial.polyutils import as_int

# How many steps an expression takes in one pass: it has 16 operands, among them x, the last two
# values, what is made, and of each step its coefficient and, but for the first two, a number.
_STEPS = {"poly": 12, "cheb": 10, "leg": 3, "lag": 3, "herm": 5, "herme": 5}
_COLUMNS = 4


def _horner():
    def run(x, value, *coefficients):
        for one in coefficients:
            value = one + value * x
        return value

    return run


def _chebyshev(count, is_last):
    """The recurrence with A = 2 and C = 1, but for the last step of all, where A is 1."""

    def run(x, value, after, *coefficients):
        for k, one in enumerate(coefficients):
            made = x * value
            made = made if is_last and k == count - 1 else made + made
            value, after = one + made - after, value
        return value, after

    return run


def _recurrence(basis, count):
    def run(x, value, after, *rest):
        for k, one in enumerate(rest[:count]):
            value, after = one + basis.next(x, value, after, rest[count + k + 1], rest[count + k]), value
        return value, after

    return run


@functools.cache
def _fused(basis, count, is_last):
    """The fused function of `count` steps; `is_last`: with the step of the constant."""
    if basis.is_power:
        return fuse(_horner())
    return fuse(_chebyshev(count, is_last) if basis.has_products else _recurrence(basis, count))


@functools.cache
def _numbers(basis, first, last):
    """The numbers of the steps, from that of `last` down."""
    return tuple(basis.number(k) for k in range(last, first - 1, -1)) if basis.next else ()


def _evaluate(basis, x, c):
    """The value at x of the series c, which has coefficients along its first axis."""
    left, value = c.shape[0] - 1, c[-1]
    if not left or basis.is_power:
        value = value + x * 0
    state = (value,) if basis.is_power else (value, 0.0)
    most = _STEPS[basis.prefix]
    while left:
        count = left % most or most
        coefficients = [c[k] for k in range(left - 1, left - 1 - count, -1)]
        run = _fused(basis, count, left == count)
        made = run(x, *state, *coefficients, *_numbers(basis, left - count, left))
        state = made if isinstance(made, tuple) else (made,)
        left -= count
    return state[0]


def as_coefficients(c):
    """An array of floats of one dimension at least."""
    c = as_array_of(c)
    c = c.reshape(1) if c.ndim == 0 else c
    return c if c.dtype.kind in "fc" or c.dtype.name == "bfloat16" else c.astype(float)


def as_point(x):
    """A scalar as it is, all else as an array."""
    return x if is_scalar(x) else as_array_of(x)


def values(basis, x, c, tensor=True):
    """The value at x of a series, or of each of several."""
    c, x = as_coefficients(c), as_point(x)
    if tensor and ndim(x):
        c = c.reshape(c.shape + (1,) * ndim(x))
    return _evaluate(basis, x, c)


def values_of(basis, c, *points):
    """The values of a series of several variables at points of one shape."""
    points = [as_point(one) for one in points]
    if len({one.shape if ndim(one) else () for one in points}) > 1:
        names = ", ".join("xyz"[: len(points)]) if len(points) in (2, 3) else "ordinates"
        raise ValueError(f"{names} are incompatible")
    c = values(basis, points[0], c)
    for one in points[1:]:
        c = values(basis, one, c, tensor=False)
    return c


def values_on(basis, c, *lines):
    """The values of a series of several variables on the grid of these coordinates."""
    for one in lines:
        c = values(basis, one, c)
    return c


# --- Columns ---


def _columns(count, is_shifted):
    """The function that writes the next columns, of two that there are."""

    def run(x, last, before, *rest):
        outs, factors, befores = rest[:count], rest[count : 2 * count], rest[2 * count : 3 * count]
        for k, out in enumerate(outs):
            line = x * factors[k] + rest[3 * count + k] if is_shifted else x * factors[k]
            last, before = line * last - befores[k] * before, last
            out[...] = last

    return fuse(run)


@functools.cache
def _writer(count, is_shifted):
    return _columns(count, is_shifted)


def columns(basis, x, degree):
    """P_0 to P_degree at x, along a new first axis."""
    x = as_array_of(x)
    x = (x.reshape(1) if x.ndim == 0 else x) + 0.0
    made = _core.empty((degree + 1, *x.shape), x.dtype)
    made[0] = x * 0 + 1
    if degree:
        factor, shift, _ = basis.step(0)
        made[1] = x if (factor, shift) == (1, 0) else x * factor + shift
    k = 1
    while k < degree:
        count = min(_COLUMNS - basis.is_shifted, degree - k)
        steps = [basis.step(j) for j in range(k, k + count)]
        numbers = [step[0] for step in steps] + [step[2] for step in steps]
        numbers += [step[1] for step in steps] if basis.is_shifted else []
        outs = [made[j + 1] for j in range(k, k + count)]
        _writer(count, basis.is_shifted)(x, made[k], made[k - 1], *outs, *numbers)
        k += count
    return made


def vander(basis, x, deg):
    """P_0 to P_deg at x, along a new last axis."""
    degree = as_int(deg, "deg")
    if degree < 0:
        raise ValueError("deg must be non-negative")
    return moveaxis(columns(basis, x, degree), 0, -1)


def vander_of(basis, points, degrees):
    """The products of the columns of several variables along a new last axis."""
    degrees = list(degrees) if hasattr(degrees, "__len__") else [degrees]
    if len(points) != len(degrees):
        raise ValueError(f"Expected {len(points)} dimensions of sample points, got {len(degrees)}")
    if not points:
        raise ValueError("Unable to guess a dtype or shape when no points are given")
    product = None
    for k, (one, degree) in enumerate(zip(points, degrees)):
        part = vander(basis, one, degree)
        part = part.reshape(part.shape[:-1] + (1,) * k + (-1,) + (1,) * (len(points) - 1 - k))
        product = part if product is None else product * part
    return product.reshape(product.shape[: product.ndim - len(points)] + (-1,))


# --- Fits ---


def checked(x, y, deg):
    """The points of a fit as arrays of floats, and the degree or the sorted degrees."""
    x, y, deg = as_array_of(x) + 0.0, as_array_of(y) + 0.0, numpy.asarray(deg)
    if deg.ndim > 1 or deg.dtype.kind not in "iu" or deg.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if deg.min() < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    return x, y, numpy.sort(deg) if deg.ndim else deg


def weighted(w, x, left, right):
    """Both sides of the equations of a fit, multiplied by weights."""
    w = as_array_of(w) + 0.0
    if w.ndim != 1:
        raise TypeError("expected 1D vector for w")
    if len(w) != len(x):
        raise TypeError("expected x and w to have same length")
    return left * w[:, None], right * (w[:, None] if right.ndim == 2 else w)


def product(a, b):
    """The sums of products a[i] * b[j] of each i + j: windows of the longer times the shorter."""
    a, b = (a, b) if a.size >= b.size else (b, a)
    dtype = _core._result_type(a, b)
    edge = _core.zeros(b.size - 1, dtype)
    windows = sliding_window_view(_core.concatenate((edge, a.astype(dtype), edge)), b.size)
    return _core.matmul(windows.copy(), b[::-1].astype(dtype))
