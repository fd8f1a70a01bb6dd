"""Differences, derivatives, integrals, and angles made continuous, along axes."""

import math

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tenorite import _core
from tenorite._arguments import also_named, as_array, as_array_of, beside, is_scalar
from tenorite._numpy._documents import documented
from tenorite._numpy.indexing import where


@also_named(arr="ary")
@beside
@documented
def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours of the flattened array, with values put before and after
    them.

    Parameters
    ----------
    to_end : array_like, optional
        What comes after the differences.
    to_begin : array_like, optional
        What comes before the differences.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.ediff1d(cp.array([1, 4, 9]))
    array([3, 5])
    """
    flat = as_array(ary).ravel()
    parts = [flat[1:] - flat[:-1]]
    for name, value, at in (("to_begin", to_begin, 0), ("to_end", to_end, 1)):
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


def _gradient_of_row(f, spacing):
    """Of three elements or more: central differences, and one-sided ones at both ends at once."""
    out, last = _core.empty_like(f), f.size - 1
    inner = out[1:-1]
    _core.subtract(f[2:], f[:-2], out=inner)
    _core.divide(inner, 2.0 * spacing, out=inner)
    out[::last] = (f[1 :: last - 1] - f[: -1 : last - 1]) / spacing
    return out


def _gradient_along(f, spacing, axis, edge_order):
    """Central differences; at the ends one-sided ones of the first or second order."""
    if f.ndim == 1 and f.size > 2 and edge_order == 1 and is_scalar(spacing) and f.dtype.kind != "m":
        return _gradient_of_row(f, spacing)
    inner, before, after, middle = _between(axis, f.ndim, slice(1, -1), slice(None, -2), slice(2, None), slice(1, -1))
    out = _core.empty_like(f)
    is_even = is_scalar(spacing) or spacing.ndim == 0
    if is_even:
        out[inner] = (f[after] - f[before]) / (2.0 * spacing)
        left = right = [spacing, spacing]
    else:
        h1, h2 = (part.reshape([-1 if k == axis else 1 for k in range(f.ndim)]) for part in (spacing[:-1], spacing[1:]))
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
@documented
def gradient(f, *varargs, axis=None, edge_order=1):
    """Derivatives along axes by central differences, with one-sided ones at the ends.

    varargs: nothing (spacing 1), one spacing, or one per axis, a scalar or the coordinates. One
    array, or a tuple of one per axis. ValueError for fewer than edge_order + 1 elements along an
    axis and for coordinates of another length, TypeError for another number of spacings.

    Parameters
    ----------
    f : ndarray
        The values of the function.
    *varargs : scalar or ndarray
        The distances of neighbours: one for all axes, one for each, or coordinates.
    axis : int or tuple of ints, optional
        The axes; all of them if it is None.
    edge_order : {1, 2}, optional
        The order of the differences at the edges.

    Returns
    -------
    ndarray or list of ndarrays
        The derivative along each axis.

    Notes
    -----
    Differences of second order, on uneven places by the weights of Fornberg (1988).

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.gradient(cp.array([1., 4., 9.]))
    array([3., 4., 5.])
    """
    f = as_array_of(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    varargs = [one if is_scalar(one) else as_array_of(one) for one in varargs]
    is_common = len(varargs) == 1 and (is_scalar(varargs[0]) or varargs[0].ndim == 0)
    if varargs and not is_common and len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    spacings = varargs if len(varargs) == len(axes) else (varargs or [1.0]) * len(axes)
    if f.dtype.kind == "b":
        raise TypeError("gradient: a bool array has no differences; convert it first, with astype")
    if f.dtype.kind == "M":
        f = f.view(f.dtype.str.replace("M8", "m8"))
    elif f.dtype.kind not in "fcm":
        f = f.astype(float)
    for k, (spacing, along) in enumerate(zip(spacings, axes)):
        if not is_scalar(spacing) and spacing.ndim:
            if spacing.ndim > 1:
                raise ValueError("distances must be either scalars or 1d")
            if spacing.size != f.shape[along]:
                raise ValueError("when 1d, distances must match the length of the corresponding dimension")
            spacings[k] = spacing[1:].astype(float) - spacing[:-1]
        elif not is_scalar(spacing) and spacing.dtype.kind not in "fc":
            spacings[k] = spacing.astype(float)
        if f.shape[along] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
                "elements are required."
            )
    results = tuple(_gradient_along(f, spacing, along, edge_order) for spacing, along in zip(spacings, axes))
    return results[0] if len(axes) == 1 else results


@beside
@documented
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral along an axis by the trapezoidal rule; x: the coordinates, else dx apart.

    Parameters
    ----------
    y : ndarray
        The values.
    x : ndarray, optional
        Where the values are.
    dx : float, optional
        The distance of neighbours where `x` is None.

    Notes
    -----
    The sum of ``(y[k] + y[k + 1]) / 2 * (x[k + 1] - x[k])``.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.trapezoid(cp.array([1., 2., 3.]))
    array(4.)
    """
    y = as_array(y)
    along = normalize_axis_index(axis, y.ndim)
    if x is not None:
        x = as_array(x)
        # x may have other axes than y.
        dx = _core.diff(x) if x.ndim == 1 else _core.diff(x, axis=axis)
        dx = dx.reshape([-1 if k == along else 1 for k in range(y.ndim)]) if x.ndim == 1 else dx
    later, earlier = _between(along, y.ndim, slice(1, None), slice(None, -1))
    return (dx * (y[later] + y[earlier]) / 2.0).sum(axis)


@beside
@documented
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """A copy in which steps along an axis larger than half a period are less by whole periods.

    discont: the smallest step that counts, if larger than half the period.

    Parameters
    ----------
    p : ndarray
        The values.
    discont : float, optional
        The least jump that is mended; half the period if it is None.
    period : float, optional
        The size of the range over which the values wrap.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.unwrap(cp.array([0., 5.]), period=4.0)
    array([0., 1.])
    """
    p = as_array_of(p)
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
