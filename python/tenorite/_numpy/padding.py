"""pad: larger copies. The array goes into the middle of its copy, then each axis fills its ends."""

import functools

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside, on_host
from tenorite._numpy._documents import documented
from tenorite._numpy.quantiles import median


def _widths(pad_width, ndim, name="pad_width"):
    """Pairs of ints per axis of an int, a pair, a list of pairs, or a dict by axis."""
    if type(pad_width) is int and pad_width >= 0:
        return [(pad_width, pad_width)] * ndim
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = (width, width) if isinstance(width, int) else tuple(width)
        pad_width = pairs
    widths = numpy.asarray(on_host(pad_width))
    if widths.dtype.kind not in "iu":
        raise TypeError(f"`{name}` must be of integral type.")
    pairs = numpy.broadcast_to(widths, (ndim, 2)).tolist()
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    return pairs


_ZERO = numpy.intp(0)


def _pairs(value, ndim):
    """A keyword's value before and after each axis; of one or two the dtype counts, as in NumPy."""
    if value is None:
        return [(_ZERO, _ZERO)] * ndim
    value = numpy.asarray(on_host(value))
    if value.size == 1:
        return [(value.ravel()[0],) * 2] * ndim
    if value.size == 2 and value.shape != (2, 1):
        return [tuple(value.ravel())] * ndim
    return numpy.broadcast_to(value, (ndim, 2)).tolist()


def _lengths(value, ndim):
    """stat_length before and after each axis, as whole numbers; None takes the whole axis."""
    if value is None:
        return [(None, None)] * ndim
    lengths = numpy.round(numpy.asarray(on_host(value))).astype(numpy.intp)
    if (lengths < 0).any():
        raise ValueError("index can't contain negative values")
    return numpy.broadcast_to(lengths, (ndim, 2)).tolist()


_SMALL_BYTES = 1 << 13  # of an array whose calls take longer than its elements


def _frame(a, widths, value=None):
    """A larger array with the elements of `a` in its middle, and the slices of the middle; the rest
    is the value, if there is one."""
    shape = [size + before + after for size, (before, after) in zip(a.shape, widths)]
    flags = a.flags
    made = _core.empty(shape, dtype=a.dtype, order="F" if flags.f_contiguous and not flags.c_contiguous else "C")
    middle = tuple([slice(before, before + size) for size, (before, _) in zip(a.shape, widths)])
    if value is not None:
        made[...] = value
    made[middle] = a
    return made, middle


def _fill_constant(part, lead, before, stop, ends):
    if before:
        part[(*lead, slice(None, before))] = ends[0]
    if stop < part.shape[len(lead)]:
        part[(*lead, slice(stop, None))] = ends[1]


def _fill_edge(part, lead, before, stop, _):
    first, last = part[(*lead, slice(before, before + 1))], part[(*lead, slice(stop - 1, stop))]
    _fill_constant(part, lead, before, stop, (first, last))


def _fill_ramp(part, lead, before, stop, ends):
    axis = len(lead)
    after = part.shape[axis] - stop
    for width, end, edge, step in ((before, ends[0], before, 1), (after, ends[1], stop - 1, -1)):
        ramp = _core.linspace(end, part[(*lead, edge)], width, endpoint=False, dtype=part.dtype, axis=axis)
        place = slice(None, before) if step > 0 else slice(stop, None)
        part[(*lead, place)] = ramp[(*lead, slice(None, None, step))]


_STATISTICS = {"maximum": _core.max, "minimum": _core.min, "mean": _core.mean, "median": median}


def _fill_statistic(statistic, part, lead, before, stop, lengths):
    axis, size = len(lead), stop - before
    first, last = (size if n is None else min(n, size) for n in lengths)
    ends = [
        statistic(part[(*lead, place)], axis=axis, keepdims=True)
        for place in (slice(before, before + first), slice(stop - last, stop))
    ]
    if part.dtype.kind in "iu":
        ends = [_core.rint(end) if end.dtype.kind == "f" else end for end in ends]
    _fill_constant(part, lead, before, stop, [end.astype(part.dtype, copy=False) for end in ends])


def _images(mode, size, places):
    """The places of an axis that the places beyond its ends are images of."""
    if mode == "wrap":
        return places % size
    if mode == "symmetric":
        places = places % (2 * size)
        return numpy.minimum(places, 2 * size - 1 - places)
    places = places % max(2 * size - 2, 1)
    return numpy.minimum(places, 2 * size - 2 - places)


def _fill_images(mode, part, lead, before, stop, _):
    """The ends are the axis itself, reversed or from the other end: slices where one image does."""
    size, length = stop - before, part.shape[len(lead)]
    after = length - stop
    reach = size - (mode == "reflect")
    if before <= reach and after <= reach:
        if mode == "wrap":
            sources = slice(size, size + before), slice(before, before + after)
        else:
            once = mode == "reflect"
            last = stop - 1 - once
            below = last - after
            sources = (
                slice(2 * before - 1 + once, before - 1 + once if before + once else None, -1),
                slice(last, below if below >= 0 else None, -1),
            )
        ends = [part[(*lead, source)] for source in sources]
        return _fill_constant(part, lead, before, stop, ends)
    middle = part[(*lead, slice(before, stop))]
    ends = [
        middle.take(_core.asarray(_images(mode, size, places)), axis=len(lead))
        for places in (numpy.arange(-before, 0), numpy.arange(size, size + after))
    ]
    return _fill_constant(part, lead, before, stop, ends)


def _fill_odd(mode, part, lead, before, stop, _):
    """Reflections about the edge's value, in rounds of what one reflection reaches."""
    once = stop - before - (mode == "reflect")
    if stop - before == 1:
        return _fill_edge(part, lead, before, stop, None)
    after = part.shape[len(lead)] - stop
    while before or after:
        width = min(before, once), min(after, once)
        part_now = part[(*lead, slice(before - width[0], stop + width[1]))]
        first, last = part[(*lead, slice(before, before + 1))], part[(*lead, slice(stop - 1, stop))]
        end = width[0] + stop - before
        _fill_images(mode, part_now, lead, width[0], end, None)
        head, tail = part_now[(*lead, slice(None, width[0]))], part_now[(*lead, slice(end, None))]
        head[...], tail[...] = 2 * first - head, 2 * last - tail
        before, after, stop = before - width[0], after - width[1], stop + width[1]
    return None


_IMAGES = ("reflect", "symmetric", "wrap")
_FILLS = {
    "constant": _fill_constant,
    "edge": _fill_edge,
    "linear_ramp": _fill_ramp,
    "empty": None,
    **{mode: functools.partial(_fill_statistic, statistic) for mode, statistic in _STATISTICS.items()},
    **{mode: functools.partial(_fill_images, mode) for mode in _IMAGES},
}
_KEYWORDS = {
    "constant": "constant_values",
    "linear_ramp": "end_values",
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
    **dict.fromkeys(_STATISTICS, "stat_length"),
}


def _fill_of(mode, options, ndim):
    """The function that fills the ends of an axis, and what it is given for each axis."""
    if mode not in _FILLS:
        raise ValueError(f"mode '{mode}' is not supported")
    if unknown := options.keys() - {_KEYWORDS.get(mode)}:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    value = options.get(_KEYWORDS.get(mode))
    if mode in _STATISTICS:
        return _FILLS[mode], _lengths(value, ndim)
    if mode in _IMAGES:
        is_odd = mode != "wrap" and value == "odd"
        return functools.partial(_fill_odd, mode) if is_odd else _FILLS[mode], [None] * ndim
    return _FILLS[mode], _pairs(value, ndim)


@beside
@documented
def pad(array, pad_width, mode="constant", **kwargs):
    """A larger copy, with `pad_width` elements before and after along each axis.

    pad_width: an int, a pair, pairs per axis, or a dict by axis. mode: 'constant'
    (constant_values), 'edge', 'empty', 'linear_ramp' (end_values), 'maximum', 'mean', 'median',
    'minimum' (stat_length), 'reflect', 'symmetric' (reflect_type 'even', 'odd'), 'wrap', or a
    function, as numpy.pad calls it. ValueError, TypeError.

    Parameters
    ----------
    pad_width : int, sequence of ints or dict
        How many elements come before and after each axis.
    mode : str or callable, optional
        What comes at the edges: 'constant', 'edge', 'linear_ramp', 'maximum', 'mean', 'median',
        'minimum', 'reflect', 'symmetric', 'wrap' or 'empty'.
    **kwargs : dict
        ``constant_values``, ``end_values``, ``stat_length`` and ``reflect_type`` of the modes.

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
    fill, given = _fill_of(mode, kwargs, a.ndim)
    if mode in ("maximum", "minimum") and any(0 in lengths for lengths in given):
        raise ValueError("stat_length of 0 yields no value for padding")
    if mode not in ("constant", "empty") and 0 in a.shape:
        for axis, (size, (before, after)) in enumerate(zip(a.shape, widths)):
            if not size and (before or after):
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    if fill is _fill_constant and a.nbytes <= _SMALL_BYTES:
        value = kwargs.get("constant_values", 0)
        # The whole of a small array is filled at once, ends are two for each axis.
        if isinstance(value, (int, float)) and 0 < sum(map(sum, widths)) <= _SMALL_BYTES:
            return _frame(a, widths, value if a.dtype.kind == "f" else numpy.asarray(value)[()])[0]
    made, middle = _frame(a, widths)
    if fill is None or not made.size:
        return made
    # An axis fills its ends in a part: all of the axes before it, the middle of those after it.
    for axis, (before, after) in enumerate(widths):
        if before or after:
            lead = (slice(None),) * axis
            part = made[(*lead, slice(None), *middle[axis + 1 :])] if axis + 1 < a.ndim else made
            fill(part, lead, before, before + a.shape[axis], given[axis])
    return made


def _pad_by_function(a, widths, function, options):
    """The function fills the ends of each vector along an axis, in place."""
    made, middle = _frame(a, widths)
    made[...] = 0
    made[middle] = a
    for axis, width in enumerate(widths):
        order = [k for k in range(made.ndim) if k != axis] + [axis]
        rows = made.transpose(order)
        for place in numpy.ndindex(*rows.shape[:-1]):
            function(rows[place], tuple(width), axis, options)
    return made
