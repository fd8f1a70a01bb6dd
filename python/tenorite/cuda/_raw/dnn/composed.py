"""Convolutions and pooling as compositions, for backends whose own are not there yet."""

import itertools
import math

import tenorite
from tenorite.cuda._raw.dnn.arithmetic import store, working

CROSS_CORRELATION = 1
MAX, AVERAGE, AVERAGE_INSIDE, MAX_DETERMINISTIC = range(4)


def _columns(x, w, y, conv):
    """The windows of x as (batch, groups, inputs and places of the filter, places of y)."""
    padded = tenorite.pad(x, [(0, 0), (0, 0), *((pad, pad) for pad in conv.pads)])
    batch, channels = x.shape[:2]
    inner = channels // conv.groups
    steps = padded.strides
    shape = (batch, conv.groups, inner, *w.shape[2:], *y.shape[2:])
    strides = (
        steps[0],
        steps[1] * inner,
        steps[1],
        *(step * dilation for step, dilation in zip(steps[2:], conv.dilations)),
        *(step * stride for step, stride in zip(steps[2:], conv.strides)),
    )
    windows = tenorite.lib.stride_tricks.as_strided(padded, shape, strides)
    return windows.reshape(batch, conv.groups, inner * math.prod(w.shape[2:]), math.prod(y.shape[2:]))


def _matrix(w, conv):
    if conv.mode != CROSS_CORRELATION:
        w = w[(slice(None), slice(None), *[slice(None, None, -1)] * len(conv.pads))]
    return w.reshape(conv.groups, w.shape[0] // conv.groups, math.prod(w.shape[1:]))


def forward(y, x, w, conv, alpha=1.0, beta=0.0):
    """y = alpha * (x correlated with w) + beta * y."""
    dtype = working(x.dtype)
    columns = _columns(x.astype(dtype), w, y, conv)
    value = tenorite.matmul(_matrix(w.astype(dtype), conv)[None], columns)
    store(y, value.reshape(y.shape), alpha, beta)


def backward_data(dx, dy, w, conv, alpha=1.0, beta=0.0):
    """The gradient of x, of that of y."""
    dtype = working(dy.dtype)
    batch, outputs = dy.shape[:2]
    rows = dy.astype(dtype).reshape(batch, conv.groups, outputs // conv.groups, math.prod(dy.shape[2:]))
    columns = tenorite.matmul(_matrix(w.astype(dtype), conv).transpose(0, 2, 1)[None], rows)
    columns = columns.reshape(batch, dx.shape[1], *w.shape[2:], *dy.shape[2:])
    sizes = [
        max(size + 2 * pad, (last - 1) * stride + dilation * (width - 1) + 1)
        for size, pad, last, stride, dilation, width in zip(
            dx.shape[2:], conv.pads, dy.shape[2:], conv.strides, conv.dilations, w.shape[2:]
        )
    ]
    total = tenorite.zeros((batch, dx.shape[1], *sizes), dtype)
    for place in itertools.product(*map(range, w.shape[2:])):
        spots = tuple(
            slice(at * dilation, at * dilation + stride * (last - 1) + 1, stride)
            for at, dilation, stride, last in zip(place, conv.dilations, conv.strides, dy.shape[2:])
        )
        total[(slice(None), slice(None), *spots)] += columns[(slice(None), slice(None), *place)]
    inside = tuple(slice(pad, pad + size) for pad, size in zip(conv.pads, dx.shape[2:]))
    store(dx, total[(slice(None), slice(None), *inside)], alpha, beta)


def backward_filter(dw, x, dy, conv, alpha=1.0, beta=0.0):
    """The gradient of w, of that of y."""
    dtype = working(dy.dtype)
    columns = _columns(x.astype(dtype), dw, dy, conv)
    batch, outputs = dy.shape[:2]
    rows = dy.astype(dtype).reshape(batch, conv.groups, outputs // conv.groups, math.prod(dy.shape[2:]))
    value = tenorite.matmul(rows, columns.transpose(0, 1, 3, 2)).sum(0).reshape(dw.shape)
    if conv.mode != CROSS_CORRELATION:
        value = value[(slice(None), slice(None), *[slice(None, None, -1)] * len(conv.pads))]
    store(dw, value, alpha, beta)


def _windows(x, y_shape, pool, fill):
    """Windows of x as (batch, channels, places of y, places of the window); the padding is fill."""
    spatial = x.shape[2:]
    ends = [
        max((last - 1) * stride + width - pad - size, pad)
        for size, last, stride, width, pad in zip(spatial, y_shape[2:], pool.strides, pool.window, pool.pads)
    ]
    padded = tenorite.pad(x, [(0, 0), (0, 0), *zip(pool.pads, ends)], constant_values=fill)
    steps = padded.strides
    shape = (*y_shape, *pool.window)
    strides = (*steps[:2], *(step * stride for step, stride in zip(steps[2:], pool.strides)), *steps[2:])
    windows = tenorite.lib.stride_tricks.as_strided(padded, shape, strides)
    return windows.reshape(*y_shape, math.prod(pool.window))


def _counts(x, y_shape, pool, dtype):
    if pool.mode == AVERAGE:
        return dtype.type(math.prod(pool.window))
    ones = tenorite.ones((1, 1, *x.shape[2:]), dtype)
    return _windows(ones, (1, 1, *y_shape[2:]), pool, 0).sum(-1)


def _largest(x, y_shape, pool):
    """The windows, and in them the places of the largest elements."""
    windows = _windows(x, y_shape, pool, -math.inf)
    if not pool.propagates_nan:
        windows = tenorite.where(tenorite.isnan(windows), -math.inf, windows)
    return windows, windows.argmax(-1)


def pooled(y, x, pool, alpha=1.0, beta=0.0):
    """y = alpha * (x in windows, the largest or the mean) + beta * y."""
    x = x.astype(working(x.dtype))
    if pool.mode in (MAX, MAX_DETERMINISTIC):
        value = _largest(x, y.shape, pool)[0].max(-1)
    else:
        value = _windows(x, y.shape, pool, 0).sum(-1) / _counts(x, y.shape, pool, x.dtype)
    store(y, value, alpha, beta)


def pooled_backward(dx, x, dy, pool, alpha=1.0, beta=0.0):
    """The gradient of x, of that of y; of a window's largest elements the first has it."""
    dtype = working(dy.dtype)
    shares = dy.astype(dtype)
    counts = math.prod(pool.window)
    if pool.mode in (MAX, MAX_DETERMINISTIC):
        places = _largest(x.astype(dtype), dy.shape, pool)[1]
        shares = tenorite.where(places[..., None] == tenorite.arange(counts), shares[..., None], 0)
    else:
        shares = tenorite.broadcast_to((shares / _counts(x, dy.shape, pool, dtype))[..., None], (*dy.shape, counts))
    shares = shares.reshape(*dy.shape, *pool.window)
    sizes = [
        max((last - 1) * stride + width, pad + size)
        for size, last, stride, width, pad in zip(dx.shape[2:], dy.shape[2:], pool.strides, pool.window, pool.pads)
    ]
    total = tenorite.zeros((*dx.shape[:2], *sizes), dtype)
    for place in tenorite.ndindex(*pool.window):
        spots = tuple(
            slice(at, at + stride * (last - 1) + 1, stride)
            for at, stride, last in zip(place, pool.strides, dy.shape[2:])
        )
        total[(slice(None), slice(None), *spots)] += shares[(..., *place)]
    inside = tuple(slice(pad, pad + size) for pad, size in zip(pool.pads, dx.shape[2:]))
    store(dx, total[(slice(None), slice(None), *inside)], alpha, beta)
