"""Derivatives and integrals of series along an axis, on the device."""

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core
from tenorite._numpy.rearranging import moveaxis
from tenorite.polynomial._bases import factors
from tenorite.polynomial._values import as_coefficients, values
from tenorite.polynomial.polyutils import as_int


def _along_first(c, axis):
    """The coefficients with the axis first, and which axis it was."""
    c = as_coefficients(c)
    axis = normalize_axis_index(as_int(axis, "the axis"), c.ndim)
    return moveaxis(c, axis, 0), axis


def _count(m, what):
    count = as_int(m, f"the order of {what}")
    if count < 0:
        raise ValueError(f"The order of {what} must be non-negative")
    return count


def _row(rule, first, like, count):
    """The values of a function of j beside the coefficients `like`."""
    made = factors(rule, first, count, like.real.dtype)
    return made.reshape((count,) + (1,) * (like.ndim - 1))


def _sums_to_the_end(c, stride):
    """c_j + c_(j+stride) + c_(j+2 stride) + ... for every j."""
    if stride == 1 or c.shape[0] <= stride:
        return c[::-1].cumsum(axis=0)[::-1] if stride == 1 else c
    made = _core.empty(c.shape, c.dtype)
    for first in range(stride):
        made[first::stride] = c[first::stride][::-1].cumsum(axis=0)[::-1]
    return made


def derive(basis, c, m, scl, axis):
    """The m-th derivative, multiplied by scl each time."""
    count, (series, axis) = _count(m, "derivation"), _along_first(c, axis)
    if count >= series.shape[0]:
        return moveaxis(series[:1] * 0, 0, axis)
    for _ in range(count):
        tail = series[1:] if scl == 1 else series[1:] * scl
        tail = tail * _row(basis.inner, 1, tail, tail.shape[0]) if basis.inner else tail
        tail = _sums_to_the_end(tail, basis.stride) if basis.stride else tail
        series = tail * _row(basis.slope, 1, tail, tail.shape[0])
    return moveaxis(series if count else series.copy(), 0, axis)


def _integral(basis, series):
    """An integral of a series: one coefficient more."""
    count = series.shape[0]
    made = _core.empty((count + 1, *series.shape[1:]), series.dtype)
    made[0] = 0
    made[1:] = series * _row(basis.lifted, 0, series, count)
    if basis.kept:
        made[:-1] += series * _row(basis.kept, 0, series, count)
    if basis.lowered and count > 2:
        made[1 : count - 1] -= series[2:] * _row(basis.lowered, 2, series, count - 2)
    return made


def integrate(basis, c, m, k, lbnd, scl, axis):
    """The m-th antiderivative, with these constants at lbnd, multiplied by scl each time."""
    count, constants = _count(m, "integration"), list(k) if hasattr(k, "__len__") else [k]
    if len(constants) > count:
        raise ValueError("Too many integration constants")
    if numpy.ndim(lbnd):
        raise ValueError("lbnd must be a scalar.")
    if numpy.ndim(scl):
        raise ValueError("scl must be a scalar.")
    series, axis = _along_first(c, axis)
    for value in constants + [0] * (count - len(constants)):
        series = series * scl
        if series.shape[0] == 1 and not bool(series.any()):
            series = series + value
            continue
        series = _integral(basis, series)
        series[0] += value - values(basis, lbnd, series)
    return moveaxis(series if count else series.copy(), 0, axis)
