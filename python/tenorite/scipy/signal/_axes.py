"""Slices of an axis, and what is thought around it."""

import numpy

from tenorite import _core
from tenorite._numpy.rearranging import flip
from tenorite._numpy.shapes import broadcast_to


def cut(a, start=None, stop=None, step=None, axis=-1):
    """A slice along one axis."""
    key = [slice(None)] * a.ndim
    key[axis] = slice(start, stop, step)
    return a[tuple(key)]


def checked_axis(axis, ndim, error=ValueError, text="selected axis is out of range"):
    """The axis counted from the first, or an exception."""
    if not -ndim <= axis < ndim:
        raise error(text)
    return axis % ndim


def _places(count, n, mode):
    """Of places -count .. -1 and n .. n + count - 1: where they lie on an axis of n elements, and
    how often they have passed its ends."""
    at = numpy.concatenate((numpy.arange(-count, 0), numpy.arange(n, n + count)))
    if mode == "wrap":
        return at % n, at // n
    if mode in ("symmetric", "antisymmetric"):
        period = at % (2 * n)
        return numpy.minimum(period, 2 * n - 1 - period), at // n
    if n == 1:
        return numpy.zeros_like(at), at
    period = at % (2 * (n - 1))
    return numpy.minimum(period, 2 * (n - 1) - period), at // (n - 1)


def _gathered(x, count, mode, axis):
    """What lies before and after an axis by places on it."""
    n = x.shape[axis]
    places, passed = _places(count, n, mode)
    made = _core.take(x, _core.asarray(places), axis=axis)
    if mode == "antisymmetric":
        made = made * _along(numpy.where(passed % 2, -1, 1), x, axis)
    elif mode == "antireflect":
        first, last = cut(x, 0, 1, axis=axis), cut(x, n - 1, n, axis=axis)
        # 2 x[0] - x[k] where the line runs back, and twice its rise for each way there and back.
        back = passed % 2 != 0
        rise = (last - first) * _along(numpy.where(back, passed + 1, passed), x, axis)
        made = rise + _along(numpy.where(back, -1, 1), x, axis) * made + first * _along(2 * back, x, axis)
    return cut(made, 0, count, axis=axis), cut(made, count, None, axis=axis)


def _along(values, x, axis):
    """Host values along an axis, of the dtype of x where that is inexact."""
    shape = [1] * x.ndim
    shape[axis] = len(values)
    dtype = x.dtype if x.dtype.kind in "fc" else numpy.float64
    return _core.asarray(values.astype(dtype)).reshape(shape)


def _lines(x, count, mode, axis):
    """What lies before and after an axis on straight lines through the ends."""
    n = x.shape[axis]
    first, last = cut(x, 0, 1, axis=axis), cut(x, n - 1, n, axis=axis)
    if n == 1:
        left = right = first * 0
    elif mode == "line":
        left = right = (last - first) / (n - 1)
    else:
        left = cut(x, 1, 2, axis=axis) - first
        right = last - cut(x, n - 2, n - 1, axis=axis)
    steps = numpy.arange(1, count + 1)
    return first - left * _along(steps[::-1], x, axis), last + right * _along(steps, x, axis)


def _constants(x, count, axis, value):
    shape = list(x.shape)
    shape[axis] = count
    made = _core.full(tuple(shape), value, dtype=x.dtype)
    return made, made


def _edges(x, count, axis):
    shape = list(x.shape)
    shape[axis] = count
    n = x.shape[axis]
    ends = cut(x, 0, 1, axis=axis), cut(x, n - 1, n, axis=axis)
    return tuple(broadcast_to(end, tuple(shape)) for end in ends)


def surrounded(x, count, mode, axis, value=0):
    """An array with `count` elements before and after an axis: of the modes of upfirdn()."""
    if count < 1:
        return x
    if mode == "constant":
        before, after = _constants(x, count, axis, value)
    elif mode == "edge":
        before, after = _edges(x, count, axis)
    elif mode in ("smooth", "line"):
        before, after = _lines(x, count, mode, axis)
    else:
        before, after = _gathered(x, count, mode, axis)
    return _core.concatenate((before, x, after), axis=axis)


def extended(x, count, kind, axis):
    """An array with `count` elements before and after an axis: odd or even about its ends, or these
    themselves."""
    n = x.shape[axis]
    if kind == "constant":
        return surrounded(x, count, "edge", axis)
    left = flip(cut(x, 1, count + 1, axis=axis), axis)
    right = flip(cut(x, n - 1 - count, n - 1, axis=axis), axis)
    if kind == "odd":
        left = 2 * cut(x, 0, 1, axis=axis) - left
        right = 2 * cut(x, n - 1, n, axis=axis) - right
    return _core.concatenate((left, x, right), axis=axis)
