"""New arrays: what is composed of the functions in C."""

import operator

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside, is_scalar, ndarray

__all__ = ["diag", "diagflat", "geomspace", "logspace", "tri", "tril", "triu"]


def _weak(value):
    """What promotion sees of a value: Python's scalars have no dtype of their own."""
    return value if type(value) in (bool, int, float, complex) else as_array(value).dtype


def _first_axis_to(values, axis):
    axes = list(range(1, values.ndim))
    axes.insert(operator.index(axis) % values.ndim, 0)
    return values.transpose(axes)


@beside
def _linspace_of_arrays(
    start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None
):
    """linspace where a bound is an array, or of a dtype that decides the arithmetic."""
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    parts = num - 1 if endpoint else num
    working = numpy.result_type(_weak(start), _weak(stop), float(num))
    whole = dtype is not None and numpy.dtype(dtype).kind in "iu"
    start, stop = as_array(start).astype(working), as_array(stop).astype(working)
    delta = stop - start
    ramp = _core.arange(num, dtype=working).reshape((-1,) + (1,) * delta.ndim)
    step = delta / parts if parts > 0 else delta * numpy.nan
    values = start + (ramp / parts * delta if parts > 0 else ramp * delta)
    if parts > 0:
        values = _core._where(step == 0, values, ramp * step + start)
    if endpoint and num > 1:
        values[-1] = stop
    if whole:
        values = _core.floor(values)
    values = _first_axis_to(values.astype(working if dtype is None else dtype, copy=False), axis)
    if device is not None:
        values = values.to_device(device)
    return (values, step) if retstep else values


@beside
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`num` values from base**start to base**stop whose logarithms are evenly spaced."""
    powers = _core.linspace(start, stop, num, endpoint, axis=axis)
    values = _core.power(base if is_scalar(base) else as_array(base), powers)
    return values if dtype is None else values.astype(dtype)


@beside
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` values from start to stop, each a constant multiple of the one before.

    Complex ones lie on a spiral. ValueError if start or stop is zero; NaN between real ones of two signs.
    """
    start, stop = as_array(start), as_array(stop)
    if bool((start == 0).any()) or bool((stop == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    working = numpy.result_type(start.dtype, stop.dtype, float(num), numpy.dtype(dtype))
    start, stop = start.astype(working), stop.astype(working)
    sign = _core.sign(start)
    start, stop = start / sign, stop / sign
    values = logspace(_core.log10(start), _core.log10(stop), num, endpoint, dtype=working)
    if num > 0:
        values[0] = start
    if num > 1 and endpoint:
        values[-1] = stop
    values = _first_axis_to(values * sign, axis)
    return values if dtype is None else values.astype(dtype)


def tri(N, M=None, k=0, dtype=float):
    """An array of shape (N, M) with ones at and below the k-th diagonal, zeros above it."""
    M = N if M is None else M
    k = max(-N, min(k, M))  # Beyond that nothing changes.
    rows, columns = _core.arange(N), _core.arange(-k, M - k)
    return (rows[:, None] >= columns).astype(numpy.bool_ if dtype is None else dtype)


@beside
def _triangle(m, k, keeps_lower):
    m = as_array(m)
    if m.ndim == 0:
        raise ValueError("Input must be at least 1-d.")
    rows = m.shape[-2] if m.ndim > 1 else m.shape[0]
    lower = tri(rows, m.shape[-1], k if keeps_lower else k - 1, dtype=bool)
    return _core._where(lower, m, 0) if keeps_lower else _core._where(lower, 0, m)


def tril(m, k=0):
    """A copy with the elements above the k-th diagonal of the last two axes set to zero."""
    return _triangle(m, k, True)


def triu(m, k=0):
    """A copy with the elements below the k-th diagonal of the last two axes set to zero."""
    return _triangle(m, k, False)


@beside
def diag(v, k=0):
    """The k-th diagonal of a matrix as a view, or a matrix with a vector on that diagonal.

    ValueError for other numbers of dimensions.
    """
    v = v if isinstance(v, ndarray) else _core.array(v)
    if v.ndim == 2:
        return v.diagonal(k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    size = v.shape[0] + abs(k)
    matrix = _core.zeros((size, size), dtype=v.dtype)
    first = k if k >= 0 else -k * size
    matrix.reshape(-1)[first : first + v.shape[0] * (size + 1) : size + 1][: v.shape[0]] = v
    return matrix


@beside
def diagflat(v, k=0):
    """A matrix with the flattened elements on the k-th diagonal."""
    return diag((v if isinstance(v, ndarray) else _core.array(v)).ravel(), k)
