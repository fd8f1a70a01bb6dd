"""Activations, softmax and operations on tensors of tenorite.cudnn against NumPy."""

import ctypes
import itertools

import ml_dtypes
import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw

RANDOM = np.random.default_rng(8)
BOUNDS = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-6, "float64": 1e-14}
SIGMOID, RELU, TANH, CLIPPED, ELU = range(5)
ACTIVATIONS = {
    SIGMOID: (lambda x, c: 1 / (1 + np.exp(-x)), lambda x, y, c: y * (1 - y)),
    RELU: (lambda x, c: np.maximum(x, 0), lambda x, y, c: x > 0),
    TANH: (lambda x, c: np.tanh(x), lambda x, y, c: 1 - y * y),
    CLIPPED: (lambda x, c: np.clip(x, 0, c), lambda x, y, c: (x > 0) & (x < c)),
    ELU: (lambda x, c: np.where(x > 0, x, c * np.expm1(x)), lambda x, y, c: np.where(x > 0, 1, c * np.exp(x))),
}


def kind_of(dtype):
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def draw(dtype, *shape):
    return RANDOM.uniform(-2, 2, shape).astype(kind_of(dtype))


def close(got, expected, dtype):
    bound = 4 * BOUNDS[dtype] * max(np.abs(expected).max(initial=1), 1)
    np.testing.assert_allclose(tn.asnumpy(got).astype("f8"), expected, rtol=0, atol=bound)


def pair(dtype, alpha, beta):
    """Two factors as cuDNN reads them, with the addresses of both."""
    kept = ((ctypes.c_double if dtype == "float64" else ctypes.c_float) * 2)(alpha, beta)
    return kept, ctypes.addressof(kept), ctypes.addressof(kept) + ctypes.sizeof(kept) // 2


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("mode", ACTIVATIONS)
def test_activations(mode, dtype):
    x, dy, coefficient = draw(dtype, 3, 4, 5), draw(dtype, 3, 4, 5), 0.75
    wide = x.astype("f8")
    y = ACTIVATIONS[mode][0](wide, coefficient)
    got = cudnn.activation_forward(tn.asarray(x), mode, coefficient)
    assert got.dtype == x.dtype
    close(got, y, dtype)
    dx = dy.astype("f8") * ACTIVATIONS[mode][1](wide, y, coefficient)
    close(cudnn.activation_backward(tn.asarray(x), got, tn.asarray(dy), mode, coefficient), dx, dtype)
    turned = [tn.asarray(one.T.copy()).T for one in (x, y.astype(x.dtype), dy)]
    close(cudnn.activation_backward(*turned, mode, coefficient), dx, dtype)
    empty = tn.empty((0, 3), x.dtype)
    assert cudnn.activation_forward(empty, mode, coefficient).shape == (0, 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_activation_factors(dtype):
    x, y = draw(dtype, 2, 3, 4, 5), draw(dtype, 2, 3, 4, 5)
    a, b = tn.asarray(x), tn.asarray(y)
    desc, activation, handle = cudnn.create_tensor_descriptor(a), cudnn.create_activation_descriptor(TANH), raw.create()
    kept, alpha, beta = pair(dtype, 2, -3)
    raw.activationForward_v4(handle, activation.value, alpha, desc.value, a.data.ptr, beta, desc.value, b.data.ptr)
    close(b, 2 * np.tanh(x.astype("f8")) - 3 * y, dtype)
    raw.destroy(handle)


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("algorithm", [0, 1, 2])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax(axis, algorithm, dtype):
    x, dy = draw(dtype, 4, 5, 3), draw(dtype, 4, 5, 3)
    powers = np.exp(x.astype("f8"))
    y = powers / powers.sum(axis, keepdims=True)
    got = cudnn.softmax_forward(tn.asarray(x), axis, algorithm)
    close(got, np.log(y) if algorithm == 2 else y, dtype)
    g, y = dy.astype("f8"), got.get().astype("f8")
    if algorithm == 2:
        dx = g - np.exp(y) * g.sum(axis, keepdims=True)
    else:
        dx = y * (g - (g * y).sum(axis, keepdims=True))
    close(cudnn.softmax_backward(got, tn.asarray(dy), axis, algorithm), dx, dtype)


def test_softmax_extremes():
    x = tn.asarray(np.array([[1000.0, 0, -1000], [-1e30, 0, 1e30]]))
    np.testing.assert_array_equal(cudnn.softmax_forward(x, 1, 1).get(), [[1, 0, 0], [0, 0, 1]])
    assert np.isfinite(cudnn.softmax_forward(x, 1, 2).get()).all()
    assert cudnn.softmax_forward(tn.empty((0, 3)), 1, 1).shape == (0, 3)
    with pytest.raises(ValueError, match="axis 2"):
        cudnn.softmax_forward(x, 2, 1)
    with pytest.raises(ValueError, match="no algorithm 3"):
        cudnn.softmax_forward(x, 1, 3)


def test_softmax_instance():
    """By raw names: over all but the batch, with factors."""
    x, y = draw("float64", 2, 3, 4, 5), draw("float64", 2, 3, 4, 5)
    a, b, handle = tn.asarray(x), tn.asarray(y), raw.create()
    desc = cudnn.create_tensor_descriptor(a)
    kept, alpha, beta = pair("float64", 2, 0.5)
    raw.softmaxForward(handle, 1, 0, alpha, desc.value, a.data.ptr, beta, desc.value, b.data.ptr)
    powers = np.exp(x)
    close(b, 2 * powers / powers.sum((1, 2, 3), keepdims=True) + 0.5 * y, "float64")
    with pytest.raises(raw.CuDNNError):
        raw.softmaxForward(handle, 1, 7, alpha, desc.value, a.data.ptr, beta, desc.value, b.data.ptr)
    raw.destroy(handle)


OPERATIONS = {
    0: lambda a, b: a + b,
    1: lambda a, b: a * b,
    2: np.minimum,
    3: np.maximum,
    4: lambda a, b: np.sqrt(a),
    5: lambda a, b: 1 - a,
}


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_op_tensor(op, dtype):
    a, b, c = np.abs(draw(dtype, 2, 3, 4, 5)), draw(dtype, 1, 3, 1, 5), draw(dtype, 2, 3, 4, 5)
    arrays, handle = [tn.asarray(one) for one in (a, b, c)], raw.create()
    ad, bd, cd = (cudnn.create_tensor_descriptor(one) for one in arrays)
    desc = cudnn.create_op_tensor_descriptor(op, kind_of(dtype))
    kept, one, two = pair(dtype, 1.5, 0.5)
    x, y, z = (array.data.ptr for array in arrays)
    raw.opTensor(handle, desc.value, one, ad.value, x, two, bd.value, y, two, cd.value, z)
    close(arrays[2], OPERATIONS[op](1.5 * a.astype("f8"), 0.5 * b.astype("f8")) + 0.5 * c, dtype)
    raw.destroy(handle)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_add_set_scale(dtype):
    b, y = draw(dtype, 1, 3, 1, 1), draw(dtype, 2, 3, 4, 5)
    bias, array, handle = tn.asarray(b), tn.asarray(y), cudnn.get_handle()
    bd, yd = cudnn.create_tensor_descriptor(bias).value, cudnn.create_tensor_descriptor(array)
    desc = cudnn.create_tensor_descriptor(bias)
    kept, alpha, beta = pair(dtype, 2, 0.5)
    cudnn.add_tensor(handle, alpha, desc.value, bias.data.ptr, beta, yd.value, array.data.ptr)
    close(array, 2 * b.astype("f8") + 0.5 * y.astype("f8"), dtype)
    before = array.get().astype("f8")
    raw.scaleTensor(handle, yd.value, array.data.ptr, alpha)
    close(array, 2 * before, dtype)
    value = np.array([1.25], "f8" if dtype == "float64" else "f4")
    raw.setTensor(handle, yd.value, array.data.ptr, value.ctypes.data)
    assert (array.get() == 1.25).all()
    with pytest.raises(raw.CuDNNError):
        raw.addTensor_v3(handle, alpha, yd.value, array.data.ptr, beta, desc.value, bias.data.ptr)
    del bd


FOLDS = {
    0: lambda a, axes: a.sum(axes, keepdims=True),
    1: lambda a, axes: a.prod(axes, keepdims=True),
    2: lambda a, axes: a.min(axes, keepdims=True),
    3: lambda a, axes: a.max(axes, keepdims=True),
    4: lambda a, axes: np.abs(a).max(axes, keepdims=True),
    5: lambda a, axes: a.mean(axes, keepdims=True),
    6: lambda a, axes: np.abs(a).sum(axes, keepdims=True),
    7: lambda a, axes: np.sqrt((a * a).sum(axes, keepdims=True)),
    8: lambda a, axes: np.where(a == 0, 1, a).prod(axes, keepdims=True),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("op", "shape"), list(itertools.product(FOLDS, [(1, 3, 1, 5), (1, 1, 1, 1), (2, 3, 4, 1)])))
def test_reduce(op, shape, dtype):
    a, c = draw(dtype, 2, 3, 4, 5), draw(dtype, *shape)
    a[0, 0, 0, 0] = 0
    axes = tuple(k for k in range(4) if shape[k] != a.shape[k])
    x, y, handle = tn.asarray(a), tn.asarray(c), raw.create()
    ad, cd = cudnn.create_tensor_descriptor(x), cudnn.create_tensor_descriptor(y)
    desc = cudnn.create_reduce_tensor_descriptor(op, kind_of(dtype))
    bytes_of_indices = raw.getReductionIndicesSize(handle, desc.value, ad.value, cd.value)
    size = raw.getReductionWorkspaceSize(handle, desc.value, ad.value, cd.value)
    assert (bytes_of_indices > 0) == (op in (2, 3))
    indices, work = tn.zeros(c.size, "u4"), tn.cuda.alloc(size)
    kept, alpha, beta = pair(dtype, 2, 0.5 if op not in (2, 3) else 0)
    raw.reduceTensor(
        handle,
        desc.value,
        indices.data.ptr,
        bytes_of_indices,
        work.ptr,
        size,
        alpha,
        ad.value,
        x.data.ptr,
        beta,
        cd.value,
        y.data.ptr,
    )
    close(y, 2 * FOLDS[op](a.astype("f8"), axes) + (0.5 * c if op not in (2, 3) else 0), dtype)
    if bytes_of_indices:
        kept_axes = [k for k in range(4) if k not in axes]
        rows = a.transpose(*kept_axes, *axes).reshape(*(a.shape[k] for k in kept_axes), -1)
        expected = rows.argmin(-1) if op == 2 else rows.argmax(-1)
        np.testing.assert_array_equal(indices.get(), expected.ravel())
        with pytest.raises(raw.CuDNNError):
            raw.reduceTensor(
                handle, desc.value, 0, 0, work.ptr, size, alpha, ad.value, x.data.ptr, beta, cd.value, y.data.ptr
            )
    raw.destroy(handle)


def test_reduction_of_nothing():
    """A reduction folds an axis."""
    a = draw("float64", 2, 3, 4, 5)
    x, y, handle = tn.asarray(a), tn.empty(a.shape), raw.create()
    desc, kept = cudnn.create_tensor_descriptor(x), pair("float64", 1, 0)
    for op in (0, 4):
        fold = cudnn.create_reduce_tensor_descriptor(op, kind_of("float64"))
        with pytest.raises(raw.CuDNNError, match="BAD_PARAM"):
            raw.reduceTensor(
                handle, fold.value, 0, 0, 0, 0, kept[1], desc.value, x.data.ptr, kept[2], desc.value, y.data.ptr
            )
    raw.destroy(handle)


def test_refusals():
    x = tn.ones((2, 3))
    with pytest.raises(TypeError, match="ndarray"):
        cudnn.activation_forward(np.ones(3), RELU)
    with pytest.raises(TypeError, match="not supported"):
        cudnn.softmax_forward(x.astype("c16"), 1, 1)
    with pytest.raises(ValueError, match=r"gy is float64 of shape \(3, 2\)"):
        cudnn.activation_backward(x, x, tn.ones((3, 2)), RELU)
    with pytest.raises(raw.CuDNNError, match="BAD_PARAM"):
        cudnn.activation_forward(x, 77)
