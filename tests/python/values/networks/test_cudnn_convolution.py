"""Convolutions of tenorite.cudnn and by raw names against sums over windows in float64."""

import ctypes
import itertools

import ml_dtypes
import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw

RANDOM = np.random.default_rng(5)
NUMBERS = {"float32": 0, "float64": 1, "float16": 2, "bfloat16": 9}
BOUNDS = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 3e-6, "float64": 1e-13}
# Batch, channels in, channels out, sizes, filter, pad, stride, dilation, groups.
SHAPES = [
    (2, 3, 4, (5, 6), (3, 2), (1, 0), (1, 2), (1, 1), 1),
    (2, 4, 6, (7, 5), (3, 3), (2, 2), (2, 1), (2, 2), 2),
    (1, 3, 3, (4, 4), (2, 2), (0, 1), (3, 3), (1, 1), 3),
    (3, 5, 2, (6, 1), (1, 1), (0, 0), (1, 1), (1, 1), 1),
    (1, 2, 2, (4, 3, 5), (2, 3, 2), (1, 1, 0), (1, 2, 2), (2, 1, 1), 1),
    (2, 2, 4, (9,), (4,), (3,), (2,), (2,), 2),
]


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def outputs(sizes, filters, pads, strides, dilations):
    facts = zip(sizes, filters, pads, strides, dilations)
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, p, s, d in facts)


def walk(shape, x_shape):
    """(places of y, places of the filter, places of x) that belong together."""
    _, _, _, sizes, filters, pads, strides, dilations, _ = shape
    for out in np.ndindex(*outputs(sizes, filters, pads, strides, dilations)):
        for at in np.ndindex(*filters):
            place = tuple(o * s - p + k * d for o, s, p, k, d in zip(out, strides, pads, at, dilations))
            if all(0 <= one < size for one, size in zip(place, sizes)):
                yield out, at, place


def forward(x, w, shape, flip=False):
    batch, _, count, sizes, *facts, groups = shape
    y = np.zeros((batch, count, *outputs(sizes, *facts)))
    for out, at, place in walk(shape, x.shape):
        filters = tuple(k - 1 - one for k, one in zip(shape[4], at)) if flip else at
        taps = w[(..., *filters)]
        values = x[(..., *place)]
        for g in range(groups):
            rows, columns = (slice(g * n // groups, (g + 1) * n // groups) for n in (count, x.shape[1]))
            y[(slice(None), rows, *out)] += values[:, columns] @ taps[rows].T
    return y


def gradients(x, w, dy, shape):
    dx, dw, groups = np.zeros(x.shape), np.zeros(w.shape), shape[-1]
    for out, at, place in walk(shape, x.shape):
        for g in range(groups):
            rows, columns = (slice(g * n // groups, (g + 1) * n // groups) for n in (dy.shape[1], x.shape[1]))
            part = dy[(slice(None), rows, *out)]
            dx[(slice(None), columns, *place)] += part @ w[(rows, slice(None), *at)]
            dw[(rows, slice(None), *at)] += part.T @ x[(slice(None), columns, *place)]
    return dx, dw


def draw(dtype, *shape):
    return RANDOM.uniform(-1, 1, shape).astype(dtype_of(dtype))


def inputs(shape, dtype):
    batch, channels, count, sizes, filters, *facts, groups = shape
    x, w = draw(dtype, batch, channels, *sizes), draw(dtype, count, channels // groups, *filters)
    return x, w, draw(dtype, batch, count, *outputs(sizes, filters, *facts))


def close(got, expected, dtype):
    bound = BOUNDS[dtype] * max(np.abs(expected).max(initial=1), 1)
    np.testing.assert_allclose(tn.asnumpy(got).astype("f8"), expected, rtol=0, atol=bound)


def nhwc(a):
    return np.ascontiguousarray(np.moveaxis(a, 1, -1))


OPTIONS = dict(auto_tune=False, tensor_core="auto")


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_three_directions(shape, dtype):
    x, w, dy = inputs(shape, dtype)
    facts, groups = shape[5:8], shape[8]
    b = draw(dtype, shape[2])
    wide = [one.astype("f8") for one in (x, w, dy)]
    dx, dw = gradients(*wide, shape)
    y = tn.empty(dy.shape, x.dtype)
    cudnn.convolution_forward(*map(tn.asarray, (x, w, b)), y, *facts, groups, **OPTIONS)
    expected = forward(*wide[:2], shape) + b.astype("f8").reshape(-1, *[1] * len(shape[3]))
    close(y, expected, dtype)
    for deterministic in (False, True):
        options = dict(OPTIONS, deterministic=deterministic)
        gx, gw = tn.empty(x.shape, x.dtype), tn.empty(w.shape, w.dtype)
        cudnn.convolution_backward_data(tn.asarray(w), tn.asarray(dy), None, gx, *facts, groups, **options)
        cudnn.convolution_backward_filter(tn.asarray(x), tn.asarray(dy), gw, *facts, groups, **options)
        close(gx, dx, dtype)
        close(gw, dw, dtype)


@pytest.mark.parametrize("layouts", [(1, 1), (1, 0), (0, 1)])
def test_layouts(layouts):
    shape = SHAPES[0]
    x, w, dy = inputs(shape, "float64")
    maps, filters = (nhwc if one else np.ascontiguousarray for one in layouts)
    facts = (*shape[5:8], shape[8])
    options = dict(OPTIONS, d_layout=layouts[0], w_layout=layouts[1])
    y = tn.empty(maps(dy).shape)
    cudnn.convolution_forward(tn.asarray(maps(x)), tn.asarray(filters(w)), None, y, *facts, **options)
    close(y, maps(forward(x, w, shape)), "float64")
    dx, dw = gradients(x, w, dy, shape)
    gx, gw = tn.empty(maps(x).shape), tn.empty(filters(w).shape)
    options["deterministic"] = False
    cudnn.convolution_backward_data(tn.asarray(filters(w)), tn.asarray(maps(dy)), None, gx, *facts, **options)
    cudnn.convolution_backward_filter(tn.asarray(maps(x)), tn.asarray(maps(dy)), gw, *facts, **options)
    close(gx, maps(dx), "float64")
    close(gw, filters(dw), "float64")


def test_strides_of_inputs():
    """Inputs may have any strides; the result must be contiguous."""
    shape = SHAPES[0]
    x, w, dy = inputs(shape, "float64")
    views = [tn.asarray(np.ascontiguousarray(one[..., ::-1].T)).T[..., ::-1] for one in (x, w)]
    y = tn.empty(dy.shape)
    cudnn.convolution_forward(*views, None, y, *shape[5:], **OPTIONS)
    close(y, forward(x, w, shape), "float64")
    with pytest.raises(ValueError, match="c-contiguous"):
        cudnn.convolution_forward(*views, None, tn.empty(dy.shape[::-1]).T, *shape[5:], **OPTIONS)


@pytest.mark.parametrize("limit", [0, 1 << 20])
@pytest.mark.parametrize("tuned", [False, True])
def test_workspace(limit, tuned):
    shape = SHAPES[1]
    x, w, dy = inputs(shape, "float64")
    y, before = tn.empty(dy.shape), cudnn.get_max_workspace_size()
    cudnn.set_max_workspace_size(limit)
    try:
        for _ in range(2):
            cudnn.convolution_forward(
                tn.asarray(x), tn.asarray(w), None, y, *shape[5:], auto_tune=tuned, tensor_core="never"
            )
    finally:
        cudnn.set_max_workspace_size(before)
    close(y, forward(x, w, shape), "float64")


def test_nothing():
    """No maps, and no channels."""
    x, w, y = tn.ones((0, 3, 4, 4)), tn.ones((2, 3, 3, 3)), tn.empty((0, 2, 2, 2))
    facts = (0, 0), (1, 1), (1, 1), 1
    cudnn.convolution_forward(x, w, None, y, *facts, **OPTIONS)
    dw = tn.ones(w.shape)
    cudnn.convolution_backward_filter(x, y, dw, *facts, deterministic=True, **OPTIONS)
    assert not dw.any()
    cudnn.convolution_backward_data(w, y, None, tn.empty(x.shape), *facts, deterministic=True, **OPTIONS)


def test_refusals():
    x, w, y = tn.ones((1, 3, 4, 4)), tn.ones((2, 3, 3, 3)), tn.empty((1, 2, 2, 2))

    def call(x=x, w=w, y=y, pad=(0, 0), stride=(1, 1), dilation=(1, 1), groups=1, tensor_core="auto"):
        cudnn.convolution_forward(
            x, w, None, y, pad, stride, dilation, groups, auto_tune=False, tensor_core=tensor_core
        )

    call()
    call(dilation=None)
    for changed in (
        dict(y=tn.empty((1, 2, 3, 2))),
        dict(w=tn.ones((2, 2, 3, 3))),
        dict(groups=2),
        dict(stride=(0, 1)),
        dict(pad=(-1, 0)),
        dict(w=tn.ones((2, 3, 3, 3), "f4")),
    ):
        with pytest.raises(raw.CuDNNError, match="CUDNN_STATUS_"):
            call(**changed)
    for changed in (dict(stride=(1,)), dict(dilation=(1,)), dict(tensor_core="now")):
        with pytest.raises(ValueError, match="length|tensor_core"):
            call(**changed)
    for changed in (dict(x=np.ones((1, 3, 4, 4))), dict(x=tn.ones((1, 3, 4, 4), "i4"))):
        with pytest.raises(TypeError, match="ndarray|not supported"):
            call(**changed)
    with pytest.raises(OverflowError):
        cudnn.set_max_workspace_size(-1)


# --- By raw names ---


def array_of(values, kind=ctypes.c_int):
    return (kind * len(values))(*values)


def tensor(a):
    """The descriptor of an array of any strides."""
    desc = raw.createTensorDescriptor()
    dims, steps = array_of(a.shape), array_of([step // a.itemsize for step in a.strides])
    raw.setTensorNdDescriptor(desc, NUMBERS[a.dtype.name], a.ndim, ctypes.addressof(dims), ctypes.addressof(steps))
    return desc


def filters(a):
    desc, dims = raw.createFilterDescriptor(), array_of(a.shape)
    raw.setFilterNdDescriptor_v4(desc, NUMBERS[a.dtype.name], 0, a.ndim, ctypes.addressof(dims))
    return desc


def convolution(pads, strides, dilations, mode, compute, groups):
    desc, kept = raw.createConvolutionDescriptor(), [array_of(one) for one in (pads, strides, dilations)]
    raw.setConvolutionNdDescriptor_v3(desc, len(pads), *map(ctypes.addressof, kept), mode, compute)
    raw.setConvolutionGroupCount(desc, groups)
    return desc


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 0.0), (-2.0, 0.5)])
@pytest.mark.parametrize("shape", SHAPES[:2] + SHAPES[4:5])
def test_raw(shape, alpha, beta, mode):
    x, w, dy = inputs(shape, "float64")
    y, (dx, dw) = (
        forward(x, w, shape, flip=mode == 0),
        gradients(x, w[(..., *[slice(None, None, -1)] * len(shape[3]))] if mode == 0 else w, dy, shape),
    )
    if mode == 0:
        dw = dw[(..., *[slice(None, None, -1)] * len(shape[3]))]
    a, b, c = map(tn.asarray, (x, w, dy))
    ad, bd, cd, conv = tensor(a), filters(b), tensor(c), convolution(*shape[5:8], mode, 1, shape[8])
    factors = array_of([alpha, beta], ctypes.c_double)
    one, zero, handle = ctypes.addressof(factors), ctypes.addressof(factors) + 8, raw.create()
    for kind, (first, second), out, value in (
        ("Forward", ((ad, a), (bd, b)), dy, y),
        ("BackwardData", ((bd, b), (cd, c)), x, dx),
        ("BackwardFilter", ((ad, a), (cd, c)), w, dw),
    ):
        result = tn.asarray(out)
        third = {"Forward": cd, "BackwardData": ad, "BackwardFilter": bd}[kind]
        found = getattr(raw, f"getConvolution{kind}Algorithm_v7")(handle, first[0], second[0], conv, third, 10)
        assert found[0].status == 0
        size = getattr(raw, f"getConvolution{kind}WorkspaceSize")(
            handle, first[0], second[0], conv, third, found[0].algo
        )
        work = tn.cuda.alloc(size)
        name = {"Forward": "convolutionForward"}.get(kind, f"convolution{kind}_v3")
        getattr(raw, name)(
            handle,
            one,
            first[0],
            first[1].data.ptr,
            second[0],
            second[1].data.ptr,
            conv,
            found[0].algo,
            work.ptr,
            size,
            zero,
            third,
            result.data.ptr,
        )
        close(result, alpha * value + beta * out, "float64")
        tried = getattr(raw, f"findConvolution{kind}AlgorithmEx_v7")(
            handle,
            first[0],
            first[1].data.ptr,
            second[0],
            second[1].data.ptr,
            conv,
            third,
            result.data.ptr,
            1,
            work.ptr,
            size,
        )
        assert len(tried) == 1 and tried[0].time >= 0
        assert getattr(raw, f"getConvolution{kind}Algorithm_v6")(
            handle, first[0], second[0], conv, third, 2, 1 << 30
        ) in range(8)
    bias = tn.ones((1, dy.shape[1], *[1] * len(shape[3])))
    raw.convolutionBackwardBias(handle, one, cd, c.data.ptr, zero, tensor(bias), bias.data.ptr)
    expected = alpha * dy.sum((0, *range(2, dy.ndim)), keepdims=True) + beta
    close(bias, expected, "float64")
    for desc in (ad, cd):
        raw.destroyTensorDescriptor(desc)
    raw.destroyFilterDescriptor(bd)
    raw.destroyConvolutionDescriptor(conv)
    raw.destroy(handle)


def test_raw_strides():
    """Maps with gaps, and channels last by strides."""
    shape = SHAPES[0]
    x, w, dy = inputs(shape, "float64")
    a = tn.asarray(np.repeat(nhwc(x), 2, axis=2))[:, :, ::2].transpose(0, 3, 1, 2)
    b, y = tn.asarray(w), tn.asarray(nhwc(dy)).transpose(0, 3, 1, 2)
    factors = array_of([1, 0], ctypes.c_double)
    conv = convolution(*shape[5:8], 1, 1, 1)
    handle, one = raw.create(), ctypes.addressof(factors)
    raw.convolutionForward(
        handle, one, tensor(a), a.data.ptr, filters(b), b.data.ptr, conv, 0, 0, 0, one + 8, tensor(y), y.data.ptr
    )
    close(y, forward(x, w, shape), "float64")


def test_descriptors():
    assert raw.getTensor4dDescriptor(raw.createTensorDescriptor()) == (0,) * 9
    assert raw.getFilterNdDescriptor(raw.createFilterDescriptor(), 3) == (0, 0, 0, (0, 0, 0))
    for format, strides in ((0, (60, 20, 5, 1)), (1, (60, 1, 15, 3))):
        desc = raw.createTensorDescriptor()
        raw.setTensor4dDescriptor(desc, format, 2, 2, 3, 4, 5)
        assert raw.getTensor4dDescriptor(desc) == (2, 2, 3, 4, 5, *strides)
        raw.setTensor4dDescriptorEx(desc, 1, 2, 3, 4, 5, 120, 40, 10, 2)
        assert raw.getTensor4dDescriptor(desc) == (1, 2, 3, 4, 5, 120, 40, 10, 2)
        raw.destroyTensorDescriptor(desc)
    desc = raw.createFilterDescriptor()
    raw.setFilter4dDescriptor_v4(desc, 0, 1, 6, 3, 2, 1)
    assert raw.getFilterNdDescriptor(desc, 4) == (0, 1, 4, (6, 3, 2, 1))
    desc = raw.createConvolutionDescriptor()
    raw.setConvolution2dDescriptor_v4(desc, 1, 1, 1, 1, 1, 1, 1)
    raw.setConvolutionMathType(desc, 1)
    assert raw.getConvolutionMathType(desc) == 1 and raw.getConvolutionGroupCount(desc) == 1


def test_raw_refusals():
    handle = raw.create()
    for call in (
        lambda: raw.setTensor4dDescriptor(raw.createTensorDescriptor(), 7, 0, 1, 1, 1, 1),
        lambda: raw.setConvolution2dDescriptor_v5(raw.createConvolutionDescriptor(), 0, 0, 0, 1, 1, 1, 1, 0),
        lambda: raw.setConvolution2dDescriptor_v5(raw.createConvolutionDescriptor(), 0, 0, 1, 1, 1, 1, 5, 0),
        lambda: raw.setConvolutionGroupCount(raw.createConvolutionDescriptor(), 0),
        lambda: raw.setTensor4dDescriptor(raw.createTensorDescriptor(), 0, 0, 1, 0, 1, 1),
        lambda: raw.setFilter4dDescriptor_v4(raw.createFilterDescriptor(), 0, 0, 1, 0, 1, 1),
        lambda: cudnn.create_tensor_descriptor(tn.ones(3)),
    ):
        with pytest.raises(raw.CuDNNError, match="CUDNN_STATUS_"):
            call()
    raw.destroy(handle)
    error = raw.CuDNNError(3000)
    error.add_info("one")
    error.add_infos(["two", "three"])
    assert str(error) == "cuDNN Error: CUDNN_STATUS_NOT_SUPPORTED\n  one\n  two\n  three" and error.status == 3000
    raw.check_status(0)
    with pytest.raises(raw.CuDNNError, match="BAD_PARAM"):
        raw.check_status(2000)


def test_many_shapes():
    """Descriptors of all combinations of a few sizes."""
    for pad, stride, dilation, size in itertools.product((0, 2), (1, 3), (1, 2), (1, 2)):
        shape = (1, 2, 2, (6, 5), (size, 2), (pad, 1), (stride, 1), (dilation, 1), 1)
        x, w, dy = inputs(shape, "float64")
        y, gx = tn.empty(dy.shape), tn.empty(x.shape)
        cudnn.convolution_forward(tn.asarray(x), tn.asarray(w), None, y, *shape[5:], **OPTIONS)
        close(y, forward(x, w, shape), "float64")
        options = dict(OPTIONS, deterministic=True)
        cudnn.convolution_backward_data(tn.asarray(w), tn.asarray(dy), None, gx, *shape[5:], **options)
        close(gx, gradients(x, w, dy, shape)[0], "float64")
