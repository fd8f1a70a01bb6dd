"""pad: larger copies, axis after axis."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside


def _widths(pad_width, ndim, name="pad_width"):
    """Pairs of ints per axis of an int, a pair, a list of pairs, or a dict by axis."""
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = (width, width) if isinstance(width, int) else tuple(width)
        pad_width = pairs
    widths = numpy.asarray(pad_width)
    if widths.dtype.kind not in "iu":
        raise TypeError(f"`{name}` must be of integral type.")
    pairs = numpy.broadcast_to(widths, (ndim, 2)).tolist()
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    return pairs


def _pairs(value, ndim, default):
    """A keyword's value before and behind each axis."""
    if value is None:
        return [(default, default)] * ndim
    return numpy.broadcast_to(numpy.asarray(value), (ndim, 2)).tolist()


def _pad_constant(a, axis, before, behind, ends):
    shape = list(a.shape)
    shape[axis] += before + behind
    made = _core.empty(shape, dtype=a.dtype)
    lead, stop = (slice(None),) * axis, before + a.shape[axis]
    made[(*lead, slice(before, stop))] = a
    made[(*lead, slice(None, before))], made[(*lead, slice(stop, None))] = ends
    return made


def _pad_ramp(a, axis, before, behind, ends):
    lead, last = (slice(None),) * axis, a.shape[axis] - 1
    made = []
    for width, end, edge in ((before, ends[0], 0), (behind, ends[1], last)):
        edge = a[(*lead, edge)]
        end = numpy.asarray(end)[()]  # its dtype counts
        ramp = _core.linspace(end, edge, width, endpoint=False, dtype=a.dtype, axis=axis)
        made.append(ramp)
    behind_edge = (*lead, slice(None, None, -1))
    return _core.concatenate([made[0], a, made[1][behind_edge]], axis)


_STATISTICS = {"maximum": _core.max, "minimum": _core.min, "mean": _core.mean}
_KEYWORDS = {
    "constant": ("constant_values",), "edge": (), "empty": (), "wrap": (), "linear_ramp": ("end_values",),
    "maximum": ("stat_length",), "mean": ("stat_length",), "minimum": ("stat_length",),
    "reflect": ("reflect_type",), "symmetric": ("reflect_type",),
}  # fmt: skip


def _pad_statistic(a, axis, before, behind, lengths, statistic):
    lead, size = (slice(None),) * axis, a.shape[axis]
    first, last = (size if n is None else min(n, size) for n in lengths)
    ends = [statistic(a[(*lead, part)], axis=axis, keepdims=True)
            for part in (slice(None, first), slice(size - last, None))]  # fmt: skip
    if a.dtype.kind in "iu":
        ends = [_core.rint(end) if end.dtype.kind == "f" else end for end in ends]
    return _pad_constant(a, axis, before, behind, [end.astype(a.dtype, copy=False) for end in ends])


def _pad_by_index(a, axis, before, behind, mode, options):
    """What NumPy's function makes of the indices of an axis says which element goes where."""
    places = numpy.pad(numpy.arange(a.shape[axis]), (before, behind), mode, **options)
    return a.take(_core.asarray(places), axis=axis)


def _pad_odd(a, axis, before, behind, mode):
    """Reflections about the edge's value, in rounds of what one reflection reaches."""
    lead, once = (slice(None),) * axis, a.shape[axis] - (mode == "reflect")
    while before or behind:
        now = min(before, once), min(behind, once)
        first, last = a[(*lead, slice(None, 1))], a[(*lead, slice(-1, None))]
        wide = _pad_by_index(a, axis, *now, mode, {})
        stop = wide.shape[axis] - now[1]
        head, tail = wide[(*lead, slice(None, now[0]))], wide[(*lead, slice(stop, None))]
        a = _core.concatenate([2 * first - head, a, 2 * last - tail], axis)
        before, behind = before - now[0], behind - now[1]
    return a


@beside
def pad(array, pad_width, mode="constant", **kwargs):
    """A larger copy, with `pad_width` elements before and behind along each axis.

    pad_width: an int, a pair, pairs per axis, or a dict by axis. mode: 'constant'
    (constant_values), 'edge', 'empty', 'linear_ramp' (end_values), 'maximum', 'mean', 'minimum'
    (stat_length), 'reflect', 'symmetric' (reflect_type 'even', 'odd'), 'wrap', or a function, as
    numpy.pad calls it. ValueError, TypeError.

    Parameters
    ----------
    array : ndarray
        The elements.
    pad_width : int, sequence of ints or dict
        How many elements come before and after each axis.
    mode : str or callable, optional
        What comes at the edges: 'constant', 'edge', 'linear_ramp', 'maximum', 'mean', 'median',
        'minimum', 'reflect', 'symmetric', 'wrap' or 'empty'.
    **kwargs : dict
        ``constant_values``, ``end_values``, ``stat_length`` and ``reflect_type`` of the modes.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.pad(cp.array([1, 2]), 1)
    array([0, 1, 2, 0])
    """
    a = as_array(array)
    widths = _widths(pad_width, a.ndim)
    if callable(mode):
        return _pad_by_function(a, widths, mode, kwargs)
    if mode not in _KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    if unknown := set(kwargs) - set(_KEYWORDS[mode]):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    value = next(iter(kwargs.values()), None)
    pairs = _pairs(value, a.ndim, None if mode in _STATISTICS else 0) if mode not in ("reflect", "symmetric") else None
    if mode not in ("constant", "empty") and any(n == 0 and w != [0, 0] for n, w in zip(a.shape, widths)):
        axis = next(k for k, (n, w) in enumerate(zip(a.shape, widths)) if n == 0 and w != [0, 0])
        raise ValueError(
            f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
        )
    result = a
    for axis, (before, behind) in enumerate(widths):
        if mode in ("constant", "empty"):
            result = _pad_constant(result, axis, before, behind, pairs[axis])
        elif not before and not behind:
            continue
        elif mode == "linear_ramp":
            result = _pad_ramp(result, axis, before, behind, pairs[axis])
        elif mode in _STATISTICS:
            result = _pad_statistic(result, axis, before, behind, pairs[axis], _STATISTICS[mode])
        elif value == "odd" and a.shape[axis] > 1:
            result = _pad_odd(result, axis, before, behind, mode)
        else:
            result = _pad_by_index(result, axis, before, behind, mode, {})
    return result if result is not a else a.copy()


def _pad_by_function(a, widths, function, options):
    """The function fills the ends of each vector along an axis, in place."""
    made = _core.zeros([n + sum(w) for n, w in zip(a.shape, widths)], dtype=a.dtype)
    made[tuple(slice(before, before + n) for n, (before, _) in zip(a.shape, widths))] = a
    for axis, width in enumerate(widths):
        order = [k for k in range(made.ndim) if k != axis] + [axis]
        rows = made.transpose(order)
        for place in numpy.ndindex(*rows.shape[:-1]):
            function(rows[place], tuple(width), axis, options)
    return made
