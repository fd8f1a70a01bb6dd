"""Pooling of tenorite.cudnn against windows in NumPy, and gradients by finite differences."""

import ctypes

import ml_dtypes
import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw
from tenorite.cudnn._served import serves

RANDOM = np.random.default_rng(6)
BOUNDS = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6, "float64": 1e-14}
MODES = MAX, INCLUDE, EXCLUDE, MAX_DETERMINISTIC = range(4)
# Sizes, window, stride, pad, further windows than fit.
SHAPES = [
    ((6, 5), (2, 3), (2, 1), (0, 1), (0, 0)),
    ((7, 7), (3, 3), (2, 2), (1, 1), (0, 0)),
    ((5, 6), (3, 2), (3, 2), (0, 0), (1, 0)),
    ((8,), (3,), (2,), (1,), (0,)),
    ((4, 5, 3), (2, 2, 2), (1, 2, 1), (1, 0, 0), (0, 1, 0)),
]


def padded(shape, out):
    """How many places of a window the maps with their pads have."""
    sizes, window, stride, pad, _ = shape
    return np.prod([min(o * s - p + k, n + p) - (o * s - p) for o, n, k, s, p in zip(out, sizes, window, stride, pad)])


def places(shape, out):
    """The slices of a window that lie inside."""
    sizes, window, stride, pad, _ = shape
    for o, size, width, step, before in zip(out, sizes, window, stride, pad):
        start = o * step - before
        yield slice(max(start, 0), min(start + width, size))


def result_shape(shape):
    return tuple((n + 2 * p - k) // s + 1 + more for n, k, s, p, more in zip(*shape))


def forward(x, shape, mode):
    y = np.empty((*x.shape[:2], *result_shape(shape)))
    for out in np.ndindex(*y.shape[2:]):
        window = x[(slice(None), slice(None), *places(shape, out))].reshape(*x.shape[:2], -1)
        if mode in (MAX, MAX_DETERMINISTIC):
            value = window.max(-1)
        else:
            value = window.sum(-1) / (padded(shape, out) if mode == INCLUDE else window.shape[-1])
        y[(slice(None), slice(None), *out)] = value
    return y


def backward(x, dy, shape, mode):
    dx = np.zeros(x.shape)
    for out in np.ndindex(*dy.shape[2:]):
        inside = (slice(None), slice(None), *places(shape, out))
        window, share = x[inside], dy[(slice(None), slice(None), *out)]
        flat = window.reshape(*x.shape[:2], -1)
        if mode in (MAX, MAX_DETERMINISTIC):
            part = np.zeros(flat.shape)
            np.put_along_axis(part, flat.argmax(-1)[..., None], share[..., None], -1)
        else:
            part = np.repeat(share[..., None], flat.shape[-1], -1)
            part /= padded(shape, out) if mode == INCLUDE else flat.shape[-1]
        dx[inside] += part.reshape(window.shape)
    return dx


def close(got, expected, dtype):
    np.testing.assert_allclose(tn.asnumpy(got).astype("f8"), expected, rtol=0, atol=4 * BOUNDS[dtype])


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", SHAPES)
def test_pooling(shape, mode, dtype):
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    x = RANDOM.permutation(6 * int(np.prod(shape[0]))).reshape(2, 3, *shape[0]).astype("f8") / 128
    x = x.astype(kind)
    y = forward(x.astype("f8"), shape, mode)
    dy = RANDOM.uniform(-1, 1, y.shape).astype(kind)
    out, facts = tn.empty(y.shape, kind), shape[1:4]
    assert cudnn.pooling_forward(tn.asarray(x), out, *facts, mode) is out
    close(out, y, dtype)
    got = cudnn.pooling_backward(tn.asarray(x), out, tn.asarray(dy), *facts, mode)
    assert got.dtype == kind
    close(got, backward(x.astype("f8"), dy.astype("f8"), shape, mode), dtype)
    views = [tn.asarray(np.ascontiguousarray(one[..., ::-1].T)).T[..., ::-1] for one in (x, dy)]
    again = cudnn.pooling_backward(views[0], out, views[1], *facts, mode)
    close(again, got.get().astype("f8"), dtype)  # the order of sums may be another one
    if mode != MAX or not serves(out):  # cuDNN adds in any order
        again = cudnn.pooling_backward(tn.asarray(x), out, tn.asarray(dy), *facts, mode)
        assert again.tobytes() == got.tobytes()


def test_factors():
    """By raw names, with factors, a descriptor of two axes, and strides."""
    shape = SHAPES[0]
    x = RANDOM.standard_normal((2, 3, *shape[0]))
    y = forward(x, shape, MAX)
    handle, pool = raw.create(), raw.createPoolingDescriptor()
    (height, width), (down, right), (top, left) = shape[1:4]
    raw.setPooling2dDescriptor_v4(pool, MAX, 0, height, width, top, left, down, right)
    a, out = tn.asarray(np.moveaxis(x, 1, -1).copy()).transpose(0, 3, 1, 2), tn.ones(y.shape)
    factors = (ctypes.c_double * 2)(3, -2)
    one = ctypes.addressof(factors)
    descs = []
    for array in (a, out):
        descs.append(raw.createTensorDescriptor())
        raw.setTensor4dDescriptorEx(descs[-1], 1, *array.shape, *(step // 8 for step in array.strides))
    raw.poolingForward(handle, pool, one, descs[0], a.data.ptr, one + 8, descs[1], out.data.ptr)
    close(out, 3 * y - 2, "float64")
    raw.destroyPoolingDescriptor(pool)
    raw.destroy(handle)


def test_nan():
    """A NaN is no largest element, unless it is asked for."""
    x = np.array([1, np.nan, 2, 3, np.nan, np.nan]).reshape(1, 1, 1, 6)
    pool, handle = raw.createPoolingDescriptor(), raw.create()
    a, y = tn.asarray(x), tn.empty((1, 1, 1, 2))
    factors = (ctypes.c_double * 2)(1, 0)
    one, (xd, yd) = ctypes.addressof(factors), [cudnn.create_tensor_descriptor(array) for array in (a, y)]
    raw.setPooling2dDescriptor_v4(pool, MAX, 1, 1, 3, 0, 0, 1, 3)
    raw.poolingForward(handle, pool, one, xd.value, a.data.ptr, one + 8, yd.value, y.data.ptr)
    assert np.isnan(y.get()).all()


def test_nothing_and_refusals():
    mode = MAX
    assert cudnn.pooling_forward(tn.ones((0, 2, 4, 4)), tn.empty((0, 2, 2, 2)), (2, 2), (2, 2), (0, 0), mode).size == 0
    x, y = tn.ones((1, 2, 4, 4)), tn.empty((1, 2, 2, 2))
    for changed in (
        dict(y=tn.empty((1, 2, 4, 4))),
        dict(y=tn.empty((2, 2, 2, 2))),
        dict(y=tn.empty((1, 2, 2, 2), "f4")),
        dict(ksize=(0, 2)),
        dict(pad=(2, 0)),
        dict(mode=4),
    ):
        given = dict(dict(x=x, y=y, ksize=(2, 2), stride=(2, 2), pad=(0, 0), mode=mode), **changed)
        with pytest.raises(raw.CuDNNError, match="CUDNN_STATUS_"):
            cudnn.pooling_forward(**given)
    with pytest.raises(ValueError, match="same length"):
        cudnn.pooling_forward(x, y, (2, 2), (2,), (0, 0), mode)
    with pytest.raises(ValueError, match="c-contiguous"):
        cudnn.pooling_forward(x, y.T, (2, 2), (2, 2), (0, 0), mode)
