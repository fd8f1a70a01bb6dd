"""Differences, integrals and other numeric compositions along axes."""

import math
import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tenorite import _core
from tenorite._arguments import as_array, beside, is_scalar, ndarray
from tenorite._numpy.manipulation import moveaxis
from tenorite._numpy.mathematics import where

__all__ = [
    "apply_along_axis", "apply_over_axes", "bartlett", "bincount", "blackman", "corrcoef", "cov",
    "ediff1d", "gradient", "hamming", "hanning", "kaiser", "trapezoid", "unwrap", "vander",
]  # fmt: skip


# --- Differences ---


@beside
def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours of the flattened array, with values put before and behind them."""
    flat = as_array(ary).ravel()
    parts = [flat[1:] - flat[:-1]]
    for name, value, at in (("to_end", to_end, 1), ("to_begin", to_begin, 0)):
        if value is None:
            continue
        value = as_array(value)
        if not _core._can_cast(value.dtype, flat.dtype, "same_kind") and not is_scalar(value):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        parts.insert(len(parts) * at, value.ravel().astype(flat.dtype))
    return _core.concatenate(parts) if len(parts) > 1 else parts[0]


def _between(axis, ndim, *places):
    """Indices of slices along an axis: _between(1, 2, a, b) is [:, a] and [:, b]."""
    return [(slice(None),) * axis + (place,) for place in places]


def _gradient_along(f, spacing, axis, edge_order):
    """Central differences; at the ends one-sided ones of the first or second order."""
    inner, before, after, middle = _between(axis, f.ndim, slice(1, -1), slice(None, -2), slice(2, None),
                                            slice(1, -1))  # fmt: skip
    out = _core.empty_like(f)
    is_even = is_scalar(spacing) or spacing.ndim == 0
    if is_even:
        out[inner] = (f[after] - f[before]) / (2.0 * spacing)
        left = right = [spacing, spacing]
    else:
        h1, h2 = (part.reshape([-1 if k == axis else 1 for k in range(f.ndim)])
                  for part in (spacing[:-1], spacing[1:]))  # fmt: skip
        total = h1 + h2
        out[inner] = -h2 / (h1 * total) * f[before] + (h2 - h1) / (h1 * h2) * f[middle] + h1 / (h2 * total) * f[after]
        left, right = [spacing[0], spacing[1:2]], [spacing[-1], spacing[-2:-1]]
    ends = [_between(axis, f.ndim, *places) for places in ((0, 1, 2), (-1, -2, -3))]
    for sign, (end, next_, third), (near, far) in zip((1, -1), ends, (left, right)):
        if edge_order == 1:
            out[end] = (f[next_] - f[end]) / near if sign > 0 else (f[end] - f[next_]) / near
        else:
            far = far if is_even else far[0]
            out[end] = (
                -sign * (2.0 * near + far) / (near * (near + far)) * f[end]
                + sign * (near + far) / (near * far) * f[next_]
                - sign * near / (far * (near + far)) * f[third]
            )
    return out


@beside
def gradient(f, *varargs, axis=None, edge_order=1):
    """Derivatives along axes by central differences, with one-sided ones at the ends.

    varargs: nothing (spacing 1), one spacing, or one per axis, a scalar or the coordinates. One array, or
    a tuple of one per axis. ValueError for fewer than edge_order + 1 elements along an axis and for
    coordinates of another length, TypeError for another number of spacings.
    """
    f = as_array(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    spacings = list(varargs) if len(varargs) == len(axes) else list(varargs or (1.0,)) * len(axes)
    if f.dtype.kind not in "fc":
        f = f.astype(float)
    for k, (spacing, along) in enumerate(zip(spacings, axes)):
        if not is_scalar(spacing) and spacing.ndim:
            if spacing.ndim > 1:
                raise ValueError("distances must be either scalars or 1d")
            if spacing.size != f.shape[along]:
                raise ValueError("when 1d, distances must match the length of the corresponding dimension")
            spacings[k] = spacing[1:].astype(float) - spacing[:-1]
        if f.shape[along] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
                "elements are required."
            )
    results = tuple(_gradient_along(f, spacing, along, edge_order) for spacing, along in zip(spacings, axes))
    return results[0] if len(axes) == 1 else results


@beside
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral along an axis by the trapezoidal rule; x: the coordinates, else dx apart."""
    y = as_array(y)
    axis = normalize_axis_index(axis, y.ndim)
    if x is not None:
        x = as_array(x)
        dx = _core.diff(x) if x.ndim == 1 else _core.diff(x, axis=axis)
        dx = dx.reshape([-1 if k == axis else 1 for k in range(y.ndim)]) if x.ndim == 1 else dx
    later, earlier = _between(axis, y.ndim, slice(1, None), slice(None, -1))
    return (dx * (y[later] + y[earlier]) / 2.0).sum(axis)


@beside
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """A copy in which steps along an axis larger than half a period are less by whole periods.

    discont: the smallest step that counts, if larger than half the period.
    """
    p = as_array(p)
    axis = normalize_axis_index(axis, p.ndim)
    steps = _core.diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    dtype = _core._result_type(p, period)
    if dtype.kind in "iu":
        high, rest = divmod(period, 2)
        ambiguous = rest == 0
    else:
        high, ambiguous = period / 2, True
    low = -high
    wrapped = _core.remainder(steps - low, period) + low
    if ambiguous:
        wrapped = where((wrapped == low) & (steps > 0), high, wrapped)
    correction = where(abs(steps) < discont, 0, wrapped - steps)
    result = p.astype(dtype)
    (later,) = _between(axis, p.ndim, slice(1, None))
    result[later] = p[later] + correction.cumsum(axis)
    return result


# --- Statistics ---


@beside
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariance matrix of variables (rows, or columns if not rowvar) from observations.

    y: more variables. ddof (default: 1, 0 with bias) is subtracted from the number of observations,
    fweights say how often each counts, aweights how much. ValueError, TypeError.
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = as_array(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if y is not None and as_array(y).ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    parts = [m] if y is None else [m, as_array(y)]
    if dtype is None:
        dtype = numpy.result_type(*(part.dtype for part in parts), numpy.float64)
    parts = [part.astype(dtype).reshape((1, -1) if part.ndim < 2 else part.shape) for part in parts]
    parts = [part.T if not rowvar and part.shape[0] != 1 else part for part in parts]
    x = _core.concatenate(parts, axis=0) if len(parts) > 1 else parts[0]
    if x.shape[0] == 0:
        return _core.empty((0, 0), dtype=dtype)
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = _cov_weights(x, fweights, aweights)
    mean, factor = x.mean(1), x.shape[1]
    if weights is not None:
        mean, total = _core.average(x, 1, weights, returned=True)
        factor = total[0]
    if aweights is not None and ddof:
        factor = factor - ddof * (weights * as_array(aweights)).sum() / factor
    else:
        factor = factor - ddof
    x = x - mean[:, None]
    other = (x if weights is None else x * weights).T.conj()
    return (x @ other * _core.divide(1, _core.maximum(factor, 0.0))).squeeze()


def _cov_weights(x, fweights, aweights):
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = as_array(given)
        if given.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if given.size != x.shape[1]:
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if bool((given < 0).any()):
            raise ValueError(f"{name} cannot be negative")
        if name == "fweights" and given.dtype.kind not in "iu" and not bool((given == _core.rint(given)).all()):
            raise TypeError("fweights must be integer")
        weights = given if weights is None else weights * given
    return weights


@beside
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The correlation coefficients of variables: their covariances over their standard deviations."""
    covariance = cov(x, y, rowvar, dtype=dtype)
    if covariance.ndim == 0:
        return covariance / covariance
    deviation = _core.sqrt(covariance.diagonal().real)
    result = covariance / deviation[:, None] / deviation
    for part in (result.real, result.imag) if result.dtype.kind == "c" else (result,):
        _core._clip(part, -1, 1, out=part)
    return result


@beside
def bincount(x, weights=None, minlength=0):
    """How often each of 0, 1, 2, ... is in a vector of integers, or the sum of its weights. Waits.

    The result is int64, or float64 with weights, and at least `minlength` long. ValueError for negative
    elements, other dimensions and weights of another length, TypeError for other than integers.
    """
    x = as_array(x)
    minlength = operator.index(minlength)
    if x.ndim != 1:
        raise ValueError("object of too small depth for desired array" if x.ndim < 1
                         else "object too deep for desired array")  # fmt: skip
    if x.dtype.kind not in "iub" or x.dtype == numpy.uint64:
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'"
        )
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if x.size and int(x.min()) < 0:
        raise ValueError("'list' argument must have no negative elements")
    size = max(int(x.max()) + 1 if x.size else 0, minlength)
    if weights is None or not x.size:
        result, weights = _core.zeros(size, dtype=numpy.intp), 1
    else:
        result, weights = _core.zeros(size), as_array(weights).astype(float, copy=False)
        if weights.shape != x.shape:
            raise ValueError("The weights and list don't have the same length.")
    if x.size:
        _core.add.at(result, x.astype(numpy.intp, copy=False), weights)
    return result


# --- Of a function ---


@beside
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What a function makes of each 1-d slice along an axis, in the slice's place.

    func1d gets a vector and gives a scalar or an array, of one shape and dtype each time. ValueError for
    an array without elements.
    """
    arr = as_array(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    rows = moveaxis(arr, axis, -1)
    places = list(numpy.ndindex(*rows.shape[:-1]))
    if not places:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = [as_array(func1d(rows[place], *args, **kwargs)) for place in places]
    result = _core.stack(made).reshape(rows.shape[:-1] + made[0].shape)
    lead = len(rows.shape) - 1
    order = list(range(lead))
    order[axis:axis] = range(lead, result.ndim)
    return result.transpose(order)


def apply_over_axes(func, a, axes):
    """func(a, axis) for each axis in turn; what has one axis less gets one of size 1 for it."""
    a = as_array(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        axis = normalize_axis_index(axis, a.ndim)
        result = func(a, axis)
        if result.ndim != a.ndim:
            result = result.reshape(result.shape[:axis] + (1,) + result.shape[axis:])
            if result.ndim != a.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        a = result
    return a


# --- Vectors of a formula ---


@beside
def vander(x, N=None, increasing=False):
    """The matrix of powers of a vector: columns x**(N-1) ... x**0, or increasing."""
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = x.size if N is None else N
    dtype = numpy.promote_types(x.dtype, int)
    result = _core.empty((x.size, N), dtype=dtype)
    columns = result if increasing else result[:, ::-1]
    if N > 0:
        columns[:, 0] = 1
    if N > 1:
        columns[:, 1:] = x[:, None]
        _core.multiply.accumulate(columns[:, 1:], axis=1, out=columns[:, 1:])
    return result


def _window(M, formula):
    if M < 1:
        return _core.empty(0)
    return _core.ones(1) if M == 1 else formula(_core.arange(1 - M, M, 2, dtype=float))


def bartlett(M):
    """The triangular window of M points, zero at its ends."""
    return _window(M, lambda n: where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1)))


def blackman(M):
    """The Blackman window of M points."""
    return _window(M, lambda n: 0.42 + 0.5 * _core.cos(math.pi * n / (M - 1)) + 0.08 * _core.cos(2 * math.pi * n / (M - 1)))


def hamming(M):
    """The Hamming window of M points."""
    return _window(M, lambda n: 0.54 + 0.46 * _core.cos(math.pi * n / (M - 1)))


def hanning(M):
    """The Hann window of M points, zero at its ends."""
    return _window(M, lambda n: 0.5 + 0.5 * _core.cos(math.pi * n / (M - 1)))


def kaiser(M, beta):
    """The Kaiser window of M points; beta is its shape."""
    alpha = (M - 1) / 2.0
    if M == 1:
        return _core.ones(1)
    n = (_core.arange(M, dtype=float) - alpha) / alpha
    return _core._i0(beta * _core.sqrt(1 - n**2.0)) / _core._i0(_core.asarray(float(beta)))
