"""Convolutions and pooling by their definitions, in float64, and arrays as calls may get them."""

import itertools

import numpy as np
import tenorite as tn
from hypothesis import strategies as st

TOLERANCES = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-13}
LAYOUTS = ("contiguous", "channels last", "negative")


def laid_out(values, layout, dtype):
    """A device array of these values that lies as `layout` says."""
    values = np.asarray(values).astype(dtype)
    axes = values.ndim
    if layout == "channels last":
        moved = tn.asarray(np.ascontiguousarray(np.moveaxis(values, 1, -1)))
        return moved.transpose(0, axes - 1, *range(1, axes - 1))
    if layout == "negative":
        made = tn.zeros(tuple(2 * size for size in values.shape), dtype)[(slice(None, None, -2),) * axes]
        made[...] = tn.asarray(values)
        return made
    return tn.asarray(values)


def tap_slices(tap, counts, strides, dilations):
    """What a tap reads of maps with their margin, along the spatial axes."""
    return tuple(
        slice(r * d, r * d + (n - 1) * s + 1, s) for r, n, s, d in zip(tap, counts, strides, dilations, strict=True)
    )


def with_margin(x, pads):
    return np.pad(x, [(0, 0), (0, 0), *((pad, pad) for pad in pads)])


class Convolution:
    """What a call is given, beside arrays."""

    def __init__(self, pads, strides, dilations, groups, is_convolution):
        self.given = pads, strides, dilations, groups, is_convolution

    def counts(self, x_shape, w_shape):
        pads, strides, dilations = self.given[:3]
        reach = [d * (k - 1) for d, k in zip(dilations, w_shape[2:], strict=True)]
        return [
            (size + 2 * pad - far - 1) // stride + 1
            for size, pad, far, stride in zip(x_shape[2:], pads, reach, strides, strict=True)
        ]

    def taps(self, x, w, counts):
        """Each tap, its place in w, and what it reads of x: [batch, group, inputs, places]."""
        _, strides, dilations, groups, turns = self.given
        for tap in itertools.product(*map(range, w.shape[2:])):
            read = (slice(None), slice(None), *tap_slices(tap, counts, strides, dilations))
            place = tuple(size - 1 - r for size, r in zip(w.shape[2:], tap, strict=True)) if turns else tap
            yield (slice(None), slice(None), *place), read, (x.shape[0], groups, w.shape[1], -1)

    def forward(self, x, w):
        counts, groups = self.counts(x.shape, w.shape), self.given[3]
        margin, y = with_margin(x, self.given[0]), 0
        for place, read, shape in self.taps(x, w, counts):
            filters = w[place].reshape(groups, -1, w.shape[1])
            y = y + np.einsum("ngip,goi->ngop", margin[read].reshape(shape), filters)
        return y.reshape(x.shape[0], w.shape[0], *counts)

    def backward(self, x, w, dy):
        pads, groups = self.given[0], self.given[3]
        margin, dw = with_margin(x, pads), np.zeros(w.shape)
        d_margin, of_dy = np.zeros(margin.shape), dy.reshape(x.shape[0], groups, w.shape[0] // groups, -1)
        for place, read, shape in self.taps(x, w, dy.shape[2:]):
            filters = w[place].reshape(groups, -1, w.shape[1])
            d_margin[read] += np.einsum("ngop,goi->ngip", of_dy, filters).reshape(margin[read].shape)
            dw[place] = np.einsum("ngop,ngip->goi", of_dy, margin[read].reshape(shape)).reshape(w.shape[:2])
        inside = tuple(slice(pad, pad + size) for pad, size in zip(pads, x.shape[2:], strict=True))
        return d_margin[(slice(None), slice(None), *inside)], dw


@st.composite
def convolutions(draw, kind=""):
    """A Convolution with shapes of x and w that fit; "depthwise": each channel has a filter;
    "wide": there are vectors of channels."""
    axes = draw(st.sampled_from((1, 2, 2, 2, 3, 4)))
    if kind == "depthwise":
        groups, inputs, outputs = draw(st.sampled_from((4, 16, 21, 37, 300 if axes < 3 else 64))), 1, 1
    elif kind == "wide":
        groups, inputs, outputs = (draw(st.sampled_from(n)) for n in ((1, 1, 2), (3, 16, 35), (5, 16, 33, 70)))
    else:
        groups, inputs, outputs = (draw(st.integers(1, most)) for most in (3, 18, 10))
    batch = draw(st.sampled_from((1, 2, 3, 20) if axes < 3 else (1, 2)))
    each = lambda least, most: tuple(draw(st.integers(least, most)) for _ in range(axes))
    call = Convolution(each(0, 3), each(1, 3), each(1, 3), groups, draw(st.booleans()))
    w_shape = groups * outputs, inputs, *each(1, 4 if axes < 4 else 2)
    sizes = []
    for (pad, dilation), size in zip(zip(call.given[0], call.given[2], strict=True), w_shape[2:], strict=True):
        least = max(dilation * (size - 1) + 1 - 2 * pad, 1)
        sizes.append(least + draw(st.integers(0, {1: 40, 2: 12, 3: 5, 4: 2}[axes])))
    return call, (batch, groups * inputs, *sizes), w_shape
