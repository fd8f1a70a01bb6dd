"""Medians, percentiles and quantiles.

Rows are sorted only as far as the wanted ranks need: the neighbours of each quantile, and the last
place of floats, where a NaN would stand. Which ranks those are is NumPy's arithmetic on numbers of
the host. Where every row has a length of its own (NaN left out) rows are sorted whole, and the
same arithmetic runs on the device.
"""

import operator
import types

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from tenorite import _core
from tenorite._arguments import also_named, as_array, beside, ndarray
from tenorite._numpy._documents import documented
from tenorite._numpy.indexing import take_along_axis, where
from tenorite._numpy.logic import shares_memory
from tenorite._numpy.mathematics import clip
from tenorite._numpy.rearranging import moveaxis
from tenorite._numpy.shapes import broadcast_to

# What the arithmetic of ranks needs, on arrays of the device; on the host it is NumPy's.
_DEVICE = types.SimpleNamespace(ceil=_core.ceil, floor=_core.floor, maximum=_core.maximum, rint=_core.rint, where=where)

# --- Methods: the place of a quantile among n sorted elements, as a number with a fraction ---


def _even_order(place, is_previous, xp):
    """The rank at a place: the one below where is_previous says so, else the one above."""
    previous = xp.floor(place)
    return xp.maximum(xp.where(is_previous(place - previous, place), previous, previous + 1), 0)


def _inverted_cdf(n, q, xp):
    return _even_order(n * q - 1, lambda fraction, _: fraction == 0, xp)


def _closest_observation(n, q, xp):
    return _even_order(n * q - 1 - 0.5, lambda fraction, place: (fraction == 0) & (xp.floor(place) % 2 == 1), xp)


def _by_parameters(alpha, beta):
    """Hyndman and Fan's family of places."""
    return lambda n, q, xp: n * q + (alpha + q * (1 - alpha - beta)) - 1


# These give ranks; the others give places between ranks.
_RANKS = {
    "inverted_cdf": _inverted_cdf,
    "closest_observation": _closest_observation,
    "lower": lambda n, q, xp: xp.floor((n - 1) * q),
    "higher": lambda n, q, xp: xp.ceil((n - 1) * q),
    "nearest": lambda n, q, xp: xp.rint((n - 1) * q),
}
_PLACES = {
    "averaged_inverted_cdf": lambda n, q, xp: n * q - 1,
    "interpolated_inverted_cdf": _by_parameters(0, 1),
    "hazen": _by_parameters(0.5, 0.5),
    "weibull": _by_parameters(0, 0),
    "linear": lambda n, q, xp: (n - 1) * q,
    "median_unbiased": _by_parameters(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _by_parameters(3 / 8.0, 3 / 8.0),
    "midpoint": lambda n, q, xp: 0.5 * (xp.floor((n - 1) * q) + xp.ceil((n - 1) * q)),
}


def _check_method(method):
    if method not in _RANKS and method not in _PLACES:
        known = ", ".join(repr(name) for name in (*_RANKS, *_PLACES))
        raise ValueError(f"{method!r} is not a valid method. Use one of: {known}")


def _weight(method, place, previous, xp):
    """The weight of the upper neighbour."""
    weight = place - previous
    if method == "averaged_inverted_cdf":
        weight = xp.where(weight == 0, 0.5, 1.0)
    elif method == "midpoint":
        weight = xp.where(place % 1 == 0, 0.0, 0.5)
    return weight.astype(place.dtype, copy=False)


def _neighbours(place, n, xp):
    """The ranks below and above a place; beyond the ends both are the end."""
    previous = xp.floor(place)
    beyond, before = place >= n - 1, place < 0
    following = xp.where(before, 0, xp.where(beyond, n - 1, previous + 1))
    # The weight is taken from what NumPy counts from: -1 stands for the last rank.
    origin = xp.where(before, 0, xp.where(beyond, -1, previous))
    ranks = xp.where(before, 0, xp.where(beyond, n - 1, previous))
    return ranks.astype(numpy.intp), following.astype(numpy.intp), origin.astype(place.dtype)


# --- Arguments ---


def _read_quantiles(q, scale):
    """The quantiles on the host, within 0 and 1, and whether they are a Python number (weak)."""
    weak = type(q) in (int, float)
    q = numpy.asanyarray(q.get() if isinstance(q, ndarray) else q)
    if scale != 1:
        q = numpy.true_divide(q, scale, out=...)
    if q.size and not (q.min() >= 0 and q.max() <= 1):
        raise ValueError(
            "Percentiles must be in the range [0, 100]" if scale != 1 else "Quantiles must be in the range [0, 1]"
        )
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    return q, weak


def _rows(a, axes):
    """A view or copy whose last axis holds what is reduced: (..., n)."""
    if axes is None:
        return a.ravel()
    if len(axes) == 1:
        return a if axes[0] == a.ndim - 1 else moveaxis(a, axes[0], -1)
    kept = [axis for axis in range(a.ndim) if axis not in axes]
    moved = a.transpose(kept + sorted(axes))
    return moved.reshape(moved.shape[: len(kept)] + (-1,))


def _read_axes(axis):
    """Axes as Python's integers. They are read before the array, since that may run Python code."""
    if axis is None:
        return None
    try:
        return operator.index(axis)
    except TypeError:
        return tuple(operator.index(one) for one in axis)


def _fits(inner, outer):
    """Whether a shape broadcasts to another one."""
    return len(inner) <= len(outer) and all(m in (1, n) for m, n in zip(inner[::-1], outer[::-1]))


class _Reduction:
    """What axis, keepdims and out say about the shape of a result."""

    def __init__(self, a, axis, keepdims, out):
        self.axes = None if axis is None else normalize_axis_tuple(axis, a.ndim)
        self.out = out
        if self.axes is None:
            self.kept = (1,) * a.ndim if keepdims else ()
        else:
            self.kept = tuple(
                1 if k in self.axes else size for k, size in enumerate(a.shape) if keepdims or k not in self.axes
            )
        if out is not None and not isinstance(out, ndarray):
            raise TypeError(f"out must be an array, not {type(out)}")

    def deliver(self, result, q_shape=None, casting="unsafe"):
        """The result in its shape, which has the axes of the quantiles in front; written to `out`
        if that was given. Quantiles fill an output of more elements, as NumPy has it."""
        result = result.reshape((q_shape or ()) + self.kept)
        if self.out is None:
            return result
        if self.out.shape != result.shape and (q_shape is None or not _fits(result.shape, self.out.shape)):
            raise ValueError(
                f"Wrong shape of argument 'out', shape={result.shape} is required; got shape={self.out.shape}."
            )
        if not numpy.can_cast(result.dtype, self.out.dtype, casting):
            raise TypeError(
                f"Cannot cast the result from {result.dtype!r} to {self.out.dtype!r}, the dtype of out, "
                f"with casting rule {casting!r}"
            )
        self.out[...] = result
        return self.out


def _is_inexact(a):
    return a.dtype.kind not in "biu"


def _with_nan(result, last):
    """The result, with NaN where the last element of a sorted row is one."""
    return where(_core.isnan(last), last.astype(result.dtype, copy=False), result)


def _selected(a, rows, ranks, overwrite):
    """Rows in which the given ranks stand at their places, and for floats the last, too."""
    ranks = sorted({int(rank) for rank in ranks} | ({rows.shape[-1] - 1} if _is_inexact(a) else set()))
    if not ranks:
        return rows
    if overwrite and shares_memory(rows, a):
        rows.partition(ranks, axis=-1)
        return rows
    return _core.partition(rows, ranks, axis=-1)


# --- Quantiles of rows ---


def _between(lower, upper, weight, dtype=None):
    """From lower to upper by a weight, from the end that is nearer, as NumPy rounds it. dtype: that
    of weights that are an array."""
    difference = upper - lower
    if isinstance(weight, float):
        return upper - difference * (1 - weight) if weight >= 0.5 else lower + difference * weight
    rest, is_high = 1 - weight, weight >= 0.5
    if dtype is not None:
        weight, rest = weight.astype(dtype, copy=False), rest.astype(dtype, copy=False)
    return where(is_high, upper - difference * rest, lower + difference * weight)


def _take_ranks(rows, ranks):
    """rows[..., ranks] with the axes of the ranks (an array of the host) in front."""
    if ranks.ndim == 0:
        return rows[..., int(ranks)]
    if 0 < ranks.size <= 4:
        taken = _core.stack([rows[..., int(rank)] for rank in ranks.flat])
    else:
        taken = moveaxis(rows.take(_core.asarray(ranks.ravel()), axis=-1), -1, 0)
    return taken.reshape(ranks.shape + rows.shape[:-1])


def _of_rows(a, rows, q, weak, method, overwrite):
    n = rows.shape[-1]
    if method in _RANKS or (method == "linear" and q.dtype.kind in "iub"):
        ranks = numpy.asanyarray((_RANKS.get(method) or _PLACES[method])(n, q, numpy)).astype(numpy.intp)
        part = _selected(a, rows, ranks.flat, overwrite)
        result = _take_ranks(part, ranks)
    else:
        place = numpy.asanyarray(_PLACES[method](n, q, numpy))
        previous, following, origin = _neighbours(place, n, numpy)
        part = _selected(a, rows, (*previous.flat, *following.flat), overwrite)
        weight = _weight(method, place, origin, numpy)
        weight = float(weight) if weak else _core.asarray(weight.reshape(weight.shape + (1,) * (rows.ndim - 1)))
        result = _between(_take_ranks(part, previous), _take_ranks(part, following), weight)
    if _is_inexact(a):
        result = _with_nan(result, part[..., -1])
    return result if result.flags.c_contiguous else _core.ascontiguousarray(result)


def _stack(results, q, rows):
    """One result for each quantile as one array, the axes of the quantiles in front."""
    shape = q.shape + rows.shape[:-1]
    return _core.stack(results).reshape(shape) if results else _core.empty(shape, dtype=rows.dtype)


def _weighted(rows, weights, q):
    """By the inverse of the weights' running sum."""
    order = _core.argsort(rows, -1)
    rows = take_along_axis(rows, order, -1)
    weights = take_along_axis(broadcast_to(weights, rows.shape), order, -1)
    running = weights.cumsum(-1, dtype=numpy.float64)
    is_fit = _core.isfinite(running[..., -1])
    # What has no weight is no quantile, also where sums round otherwise than those before them.
    running = where(weights == 0, -1, running)
    total = running.max(-1, keepdims=True)
    if not bool((is_fit & (total[..., 0] > 0)).all()):
        raise ValueError("Weights included NaN, inf or were all zero.")
    running = running / total
    if q.dtype.kind == "f":
        running = running.astype(q.dtype, copy=False)
    results = []
    for one in q.flat:
        rank = (running >= one).argmax(-1)[..., None]
        results.append(take_along_axis(rows, rank, -1)[..., 0])
    result = _stack(results, q, rows)
    return _with_nan(result, rows[..., -1]) if _is_inexact(rows) else result


def _read_weights(weights, a, axes, method):
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = as_array(weights)
    if weights.shape != a.shape:
        if axes is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.shape != tuple(a.shape[axis] for axis in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = weights.transpose(sorted(range(len(axes)), key=lambda k: axes[k]))
        weights = weights.reshape(tuple(size if k in axes else 1 for k, size in enumerate(a.shape)))
        weights = broadcast_to(weights, a.shape)
    if bool((weights < 0).any()):
        raise ValueError("Weights must be non-negative.")
    return weights


def _quantile(a, q, scale, axis, out, overwrite_input, method, keepdims, weights):
    axis, a = _read_axes(axis), as_array(a)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    q, weak = _read_quantiles(q, scale)
    reduction = _Reduction(a, axis, keepdims, out)
    if weights is not None:
        weights = _read_weights(weights, a, reduction.axes, method)
    _check_method(method)
    rows = _rows(a, reduction.axes)
    if rows.shape[-1] == 0 and (q.size or a.dtype.kind == "f"):
        raise IndexError("cannot take a quantile of an axis of size 0")
    if weights is not None:
        result = _weighted(rows, _rows(weights, reduction.axes), q)
    else:
        result = _of_rows(a, rows, q, weak, method, overwrite_input)
    return reduction.deliver(result, q.shape, "same_kind")


@also_named(interpolation="method")
@beside
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The q-th percentiles of real numbers along axes.

    Parameters
    ----------
    a : ndarray
        Real numbers. NaN makes the percentiles of its row NaN.
    q : float or sequence of float
        Percentages from 0 to 100. Where they lie on the device the call waits for them.
    axis : int, tuple of int, or None
        What is reduced; None: the flattened array.
    out : ndarray, optional
        Where the result is written, of its shape.
    overwrite_input : bool
        Whether `a` may be sorted in part.
    method : str
        One of NumPy's thirteen methods.
    keepdims : bool
        Whether the reduced axes stay, with size 1.
    weights : ndarray, optional
        Of the shape of `a`, or of its `axis`; for the method "inverted_cdf".

    Returns
    -------
    ndarray
        The axes of q, then those of `a` that are left.

    Raises
    ------
    TypeError
        For complex numbers.
    ValueError
        For percentages out of range, an unknown method, and weights that do not fit.

    Notes
    -----
    The methods are those of Hyndman and Fan (1996), and four more that NumPy has.
    Differs from CuPy: every method, `weights` and several axes are taken.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.percentile(tn.array([1.0, 5.0, 2.0, 4.0, 3.0]), [25, 50])
    array([2., 3.])
    """
    return _quantile(a, q, 100, axis, out, overwrite_input, method, keepdims, weights)


@also_named(interpolation="method")
@beside
@documented
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The q-th quantiles of real numbers along axes: as percentile, with q from 0 to 1.

    Parameters
    ----------
    a : ndarray
        Real numbers. NaN makes the quantiles of its row NaN.
    axis, out, overwrite_input, method, keepdims, weights
        As in percentile.

    Returns
    -------
    ndarray
        The axes of q, then those of `a` that are left.

    Notes
    -----
    The methods are those of Hyndman and Fan (1996), and four more that NumPy has.
    Differs from CuPy: every method, `weights` and several axes are taken.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.quantile(tn.array([[1.0, 3.0], [5.0, 6.0]]), 0.5, axis=1)
    array([2. , 5.5])
    """
    return _quantile(a, q, 1, axis, out, overwrite_input, method, keepdims, weights)


# --- Without NaN ---


def _sort_without_nan(rows):
    """Sorted rows, NaN after all numbers, and how many numbers each has."""
    return _core.sort(rows, axis=-1), (~_core.isnan(rows)).sum(-1)


def _of_ragged_rows(rows, counts, q, weak, method):
    """One quantile of rows that are sorted, of which only the first `counts` elements are there."""
    is_rank = method in _RANKS
    n = _core.maximum(counts, 1)
    place = (_RANKS if is_rank else _PLACES)[method](n.astype(numpy.float64), q, _DEVICE)

    def at(ranks):
        ranks = clip(ranks.astype(numpy.intp), 0, rows.shape[-1] - 1)
        return take_along_axis(rows, ranks[..., None], -1)[..., 0]

    if is_rank:
        return at(place)
    previous, following, origin = _neighbours(place, n, _DEVICE)
    weight = _weight(method, place, origin, _DEVICE)
    return _between(at(previous), at(following), weight, rows.dtype if weak else None)


def _nan_quantile(a, q, scale, axis, out, overwrite_input, method, keepdims, weights):
    axis, a = _read_axes(axis), as_array(a)
    if a.size and not _is_inexact(a):
        return _quantile(a, q, scale, axis, out, overwrite_input, method, keepdims, weights)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    q, weak = _read_quantiles(q, scale)
    reduction = _Reduction(a, axis, keepdims, out)
    if weights is not None:
        weights = _read_weights(weights, a, reduction.axes, method)
    if a.size == 0:
        return _core.nanmean(a, axis, out=out, keepdims=keepdims)
    _check_method(method)
    rows = _rows(a, reduction.axes)
    if weights is not None:
        return reduction.deliver(_weighted_without_nan(rows, _rows(weights, reduction.axes), q), q.shape, "same_kind")
    if rows.ndim == 1:
        there = rows[~_core.isnan(rows)]
        if there.size == 0:
            result = _core.full(q.shape, numpy.nan, dtype=a.dtype)
        else:
            result = _of_rows(there, there, q, weak, method, True)
        return reduction.deliver(result, q.shape, "same_kind")
    rows, counts = _sort_without_nan(rows)
    results = [_of_ragged_rows(rows, counts, one, weak, method) for one in q.flat]
    return reduction.deliver(_stack(results, q, rows), q.shape, "same_kind")


def _weighted_without_nan(rows, weights, q):
    """NaN weigh nothing, and stand after all numbers; a row of NaN alone has its own weights."""
    is_nan = _core.isnan(rows)
    is_empty = is_nan.all(-1, keepdims=True)
    rows = where(is_nan, numpy.inf, rows)
    result = _weighted(rows, where(is_nan, is_empty.astype(weights.dtype), weights), q)
    return where(is_empty[..., 0], numpy.nan, result).astype(rows.dtype, copy=False)


@also_named(interpolation="method")
@beside
@documented
def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The q-th percentiles along axes of what is no NaN.

    Parameters
    ----------
    a : ndarray
        Real numbers. A row of NaN alone gives NaN.
    q : float or sequence of float
        Percentages from 0 to 100.
    axis, out, overwrite_input, method, keepdims, weights
        As in percentile.

    Returns
    -------
    ndarray
        The axes of q, then those of `a` that are left.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.nanpercentile(tn.array([[1.0, tn.nan], [5.0, 6.0]]), 50, axis=1)
    array([1. , 5.5])
    """
    return _nan_quantile(a, q, 100, axis, out, overwrite_input, method, keepdims, weights)


@also_named(interpolation="method")
@beside
@documented
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The q-th quantiles along axes of what is no NaN: as nanpercentile, with q from 0 to 1.

    Parameters
    ----------
    a : ndarray
        Real numbers. A row of NaN alone gives NaN.
    axis, out, overwrite_input, method, keepdims, weights
        As in percentile.

    Returns
    -------
    ndarray
        The axes of q, then those of `a` that are left.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.nanquantile(tn.array([4.0, tn.nan, 2.0]), 0.5)
    array(3.)
    """
    return _nan_quantile(a, q, 1, axis, out, overwrite_input, method, keepdims, weights)


# --- Medians ---


def _median_of_rows(a, rows, overwrite):
    n = rows.shape[-1]
    if n == 0:
        return rows.mean(-1)
    first = (n - 1) // 2
    part = _selected(a, rows, (first, n // 2), overwrite)
    result = part[..., first : n // 2 + 1].mean(-1)
    return _with_nan(result, part[..., -1]) if _is_inexact(a) else result


@beside
@documented
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The medians along axes: the middle of the sorted elements, or the mean of the two.

    Parameters
    ----------
    a : ndarray
        NaN makes the median of its row NaN.
    axis : int, tuple of int, or None
        What is reduced; None: the flattened array.
    out : ndarray, optional
        Where the result is written, of its shape.
    overwrite_input : bool
        Whether `a` may be sorted in part.
    keepdims : bool
        Whether the reduced axes stay, with size 1.

    Returns
    -------
    ndarray
        float64 for integers and bools, else of the dtype of `a`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.median(tn.array([[10, 7, 4], [3, 2, 1]]), axis=1)
    array([7., 2.])
    """
    axis, a = _read_axes(axis), as_array(a)
    reduction = _Reduction(a, axis, keepdims, out)
    return reduction.deliver(_median_of_rows(a, _rows(a, reduction.axes), overwrite_input))


@beside
@documented
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The medians along axes of what is no NaN.

    Parameters
    ----------
    a : ndarray
        A row of NaN alone gives NaN.
    axis, out, overwrite_input, keepdims
        As in median.

    Returns
    -------
    ndarray
        float64 for integers and bools, else of the dtype of `a`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.nanmedian(tn.array([[10.0, tn.nan, 4], [3, 2, 1]]), axis=1)
    array([7., 2.])
    """
    axis, a = _read_axes(axis), as_array(a)
    if a.size == 0:
        return _core.nanmean(a, axis, out=out, keepdims=keepdims)
    reduction = _Reduction(a, axis, keepdims, out)
    rows = _rows(a, reduction.axes)
    if not _is_inexact(a):
        return reduction.deliver(_median_of_rows(a, rows, overwrite_input))
    if rows.ndim == 1:
        there = rows[~_core.isnan(rows)]
        result = _median_of_rows(there, there, True) if there.size else rows[-1]
        return reduction.deliver(result)
    rows, counts = _sort_without_nan(rows)
    n = _core.maximum(counts, 1)
    ends = _core.stack([(n - 1) // 2, n // 2], axis=-1)
    return reduction.deliver(take_along_axis(rows, ends, -1).mean(-1))
