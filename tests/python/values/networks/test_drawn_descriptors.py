"""Convolutions by descriptors and addresses, whatever these say: dtypes, formats, modes, groups,
factors, kinds of mathematics, algorithms, and workspace of no bytes."""

import ctypes
import os

import numpy as np
import tenorite as tn
from hypothesis import given, settings, strategies as st
from maps import TOLERANCES, Convolution
from tenorite.cuda import cudnn as raw

EXAMPLES = int(os.environ.get("TENORITE_DRAWN_CALLS", 15_000)) // 150
NUMBERS = {"float32": 0, "float64": 1, "float16": 2}
KINDS = ("Forward", "BackwardData", "BackwardFilter")


def words(values, kind=ctypes.c_int):
    return (kind * len(values))(*values)


def laid(values, dtype, format):
    """The array, and in which order its elements lie: with format 1 channels are the last."""
    values = np.asarray(values).astype(dtype)
    lies = np.moveaxis(values, 1, -1) if format else values
    made = tn.asarray(np.ascontiguousarray(lies))
    return made, (lambda: np.moveaxis(made.get(), -1, 1) if format else made.get())


def tensor(shape, dtype, format):
    desc, order = raw.createTensorDescriptor(), [0, *range(2, len(shape)), 1] if format else list(range(len(shape)))
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = step
        step *= shape[axis]
    dims, steps = words(shape), words(strides)
    raw.setTensorNdDescriptor(desc, NUMBERS[dtype], len(shape), ctypes.addressof(dims), ctypes.addressof(steps))
    return desc


@st.composite
def calls(draw):
    axes = draw(st.sampled_from((2, 2, 3)))
    each = lambda least, most: tuple(draw(st.integers(least, most)) for _ in range(axes))
    groups, mode = draw(st.integers(1, 3)), draw(st.integers(0, 1))
    of = Convolution(each(0, 2), each(1, 3), each(1, 2), groups, mode == 0)
    filters = each(1, 3)
    sizes = [
        max(d * (k - 1) + 1 - 2 * p, 1) + draw(st.integers(0, 4)) for k, d, p in zip(filters, of.given[2], of.given[0])
    ]
    x_shape = draw(st.integers(1, 3)), groups * draw(st.integers(1, 3)), *sizes
    w_shape = groups * draw(st.integers(1, 3)), x_shape[1] // groups, *filters
    return {
        "of": of,
        "shapes": (x_shape, w_shape),
        "mode": mode,
        "dtype": draw(st.sampled_from(sorted(NUMBERS))),
        "formats": draw(st.tuples(*[st.integers(0, 1)] * 3)),
        "factors": draw(st.sampled_from(((1.0, 0.0), (-2.0, 0.5), (0.5, 1.0)))),
        "math": draw(st.integers(0, 3)),
        "algorithm": draw(st.integers(0, 3)),
    }


@settings(max_examples=EXAMPLES, deadline=None)
@given(call=calls())
def test_descriptors(call):
    of, (x_shape, w_shape), dtype, formats = call["of"], call["shapes"], call["dtype"], call["formats"]
    alpha, beta = call["factors"]
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape).astype(dtype).astype("f8") for shape in (x_shape, w_shape))
    y = of.forward(x, w)
    dy = rng.standard_normal(y.shape).astype(dtype).astype("f8")
    dx, dw = of.backward(x, w, dy)
    pads, strides, dilations, groups, _ = of.given
    conv, lists = raw.createConvolutionDescriptor(), [words(one) for one in (pads, strides, dilations)]
    compute = 1 if dtype == "float64" else 0
    raw.setConvolutionNdDescriptor_v3(conv, len(pads), *map(ctypes.addressof, lists), call["mode"], compute)
    raw.setConvolutionGroupCount(conv, groups)
    raw.setConvolutionMathType(conv, call["math"])
    wd, dims = raw.createFilterDescriptor(), words(w_shape)
    raw.setFilterNdDescriptor_v4(wd, NUMBERS[dtype], formats[1], len(dims), ctypes.addressof(dims))
    descs = {"x": tensor(x_shape, dtype, formats[0]), "w": wd, "y": tensor(y.shape, dtype, formats[2])}
    given = dict(zip("xwy", zip((x, w, dy), formats)))
    scalars = words((alpha, beta), ctypes.c_double if dtype == "float64" else ctypes.c_float)
    one = ctypes.addressof(scalars)
    handle, zero = raw.create(), one + ctypes.sizeof(scalars) // 2
    for kind, (first, second, third), value in zip(KINDS, ("xwy", "wyx", "xyw"), (y, dx, dw), strict=True):
        before = np.full(value.shape, 3 if beta else np.nan)
        a, b = (laid(given[name][0], dtype, given[name][1])[0] for name in (first, second))
        result, read = laid(before, dtype, given[third][1])
        name = {"Forward": "convolutionForward"}.get(kind, f"convolution{kind}_v3")
        getattr(raw, name)(
            *(handle, one, descs[first], a.data.ptr, descs[second], b.data.ptr, conv, call["algorithm"], 0, 0),
            *(zero, descs[third], result.data.ptr),
        )
        expected = alpha * value + (beta * before if beta else 0)
        error = np.abs(read().astype("f8") - expected).max(initial=0)
        assert error <= TOLERANCES[dtype] * (1 + np.abs(expected).max(initial=0)), (kind, call)
    raw.destroyFilterDescriptor(wd)
    raw.destroyConvolutionDescriptor(conv)
    for name in "xy":
        raw.destroyTensorDescriptor(descs[name])
    raw.destroy(handle)
