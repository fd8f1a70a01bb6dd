"""Orders in which points that are near each other follow each other: along Hilbert's curve."""

import tenorite
from tenorite import _core

_MOST_AXES = 8  # that the curve sees: those along which points are farthest apart


def _key_bits(axes, wanted):
    return max(1, min(63 // axes, 31, wanted))


def _keys(places, bits):
    return _core.argsort(_core._hilbert(places.astype("u4"), bits))


def _seen(points):
    """Points along the axes that the curve sees."""
    if points.shape[1] <= _MOST_AXES:
        return points
    spread = points.max(axis=0) - points.min(axis=0)
    return points[:, _core.argsort(-spread)[:_MOST_AXES]]


def order_of(points):
    """Numbers of the points, by their ranks along each axis: whatever their spread, so many lie on
    either side."""
    count = points.shape[0]
    if count < 3:
        return _core.arange(count)
    columns = _core.array(_seen(points).T, order="C")
    ranks = _core.empty(columns.shape, "i8")
    numbers = _core.arange(count)
    tenorite.put_along_axis(ranks, _core.argsort(columns, axis=1), numbers[None, :], axis=1)
    wanted = (count - 1).bit_length()
    bits = _key_bits(columns.shape[0], wanted)
    return _keys((ranks >> (wanted - bits)).T, bits)


def order_on_grid(points, low, high):
    """The same by places on a grid between corners: faster, and as good where points are spread
    evenly."""
    axes = points.shape[1]
    if axes > _MOST_AXES:
        points, low, high, axes = points[:, :_MOST_AXES], low[:_MOST_AXES], high[:_MOST_AXES], _MOST_AXES
    bits = _key_bits(axes, 20)
    most = float((1 << bits) - 1)
    scale = most / tenorite.maximum(high - low, 1e-300)
    places = tenorite.clip((points - low) * scale, 0, most)
    return _keys(tenorite.nan_to_num(places, nan=0.0), bits)
