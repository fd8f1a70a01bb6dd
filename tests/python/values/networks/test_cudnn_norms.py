"""Batch normalisation of tenorite.cudnn against its formulas in NumPy and finite differences."""

import ctypes
import itertools

import ml_dtypes
import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw

RANDOM = np.random.default_rng(7)
BOUNDS = {"float16": 8e-3, "bfloat16": 6e-2, "float32": 1e-5, "float64": 1e-12}
PER_ACTIVATION, SPATIAL, PERSISTENT = range(3)
EPS = 1e-3


def kind_of(dtype):
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def draw(dtype, *shape):
    return (RANDOM.standard_normal(shape) * 2 + 0.5).astype(kind_of(dtype))


def close(got, expected, dtype):
    bound = BOUNDS[dtype] * max(np.abs(expected).max(initial=1), 1)
    np.testing.assert_allclose(tn.asnumpy(got).astype("f8"), expected, rtol=0, atol=bound)


class Reference:
    """Of x with the channels second."""

    def __init__(self, x, gamma, beta, mode):
        self.x, self.axes = x.astype("f8"), (0,) if mode == PER_ACTIVATION else (0, *range(2, x.ndim))
        self.gamma, self.beta = gamma, beta
        self.mean = self.x.mean(self.axes, keepdims=True)
        self.var = self.x.var(self.axes, keepdims=True)
        self.inverse = 1 / np.sqrt(self.var + EPS)
        self.normal = (self.x - self.mean) * self.inverse
        self.y = gamma * self.normal + beta
        self.count = self.x.size // self.mean.size

    def backward(self, dy):
        dgamma = (dy * self.normal).sum(self.axes, keepdims=True)
        dbeta = dy.sum(self.axes, keepdims=True)
        dx = self.gamma * self.inverse * (dy - (dbeta + self.normal * dgamma) / self.count)
        return dx, dgamma, dbeta


CASES = list(itertools.product(BOUNDS, (PER_ACTIVATION, SPATIAL, PERSISTENT), (0, 1)))


@pytest.mark.parametrize(("dtype", "mode", "layout"), CASES)
def test_maps(dtype, mode, layout):
    x, dy = draw(dtype, 4, 3, 2, 5), draw(dtype, 4, 3, 2, 5)
    shape = (1, *x.shape[1:]) if mode == PER_ACTIVATION else (1, 3, 1, 1)
    param = "f8" if dtype == "float64" else "f4"
    gamma, beta, mean, var = (RANDOM.uniform(0.5, 2, shape).astype(param) for _ in range(4))
    there = (lambda a: np.ascontiguousarray(np.moveaxis(a, 1, -1))) if layout else np.ascontiguousarray
    back = (lambda a: np.moveaxis(a, -1, 1)) if layout and mode == PER_ACTIVATION else np.asarray
    expected = Reference(x, gamma.astype("f8"), beta.astype("f8"), mode)
    params = [tn.asarray(there(one)[0] if mode == PER_ACTIVATION else one.ravel()) for one in (gamma, beta, mean, var)]
    sizes = (1, *params[0].shape) if mode == PER_ACTIVATION else shape
    a, g = tn.asarray(there(x)), tn.asarray(there(dy))
    running = [params[2].copy(), params[3].copy()]
    y, kept, inverse = cudnn.batch_normalization_forward_training(
        a, params[0], params[1], *running, None, None, EPS, 0.75, True, mode, True, layout
    )
    assert y.dtype == x.dtype and kept.dtype == inverse.dtype == param
    close(y, there(expected.y), dtype)
    close(back(kept.get().reshape(sizes)), expected.mean, "float32" if param == "f4" else dtype)
    close(back(inverse.get().reshape(sizes)), expected.inverse, "float32" if param == "f4" else dtype)
    unbiased = expected.var * expected.count / (expected.count - 1)
    close(
        back(running[0].get().reshape(sizes)), 0.75 * mean + 0.25 * expected.mean, "float32" if param == "f4" else dtype
    )
    close(back(running[1].get().reshape(sizes)), 0.75 * var + 0.25 * unbiased, "float32" if param == "f4" else dtype)
    gx, ggamma, gbeta = cudnn.batch_normalization_backward(
        a, params[0], g, kept, inverse, EPS, True, mode, True, layout
    )
    dx, dgamma, dbeta = expected.backward(dy.astype("f8"))
    close(gx, there(dx), dtype)
    close(back(ggamma.get().reshape(sizes)), dgamma, "float32" if param == "f4" else dtype)
    close(back(gbeta.get().reshape(sizes)), dbeta, "float32" if param == "f4" else dtype)
    got = cudnn.batch_normalization_forward_inference(a, *params, EPS, True, mode, layout)
    close(got, there(gamma * (x.astype("f8") - mean) / np.sqrt(var.astype("f8") + EPS) + beta), dtype)


@pytest.mark.parametrize("dtype", BOUNDS)
def test_rows(dtype):
    """Channels on the last axis; parameters of the dtype of x; results in given arrays."""
    x, dy = draw(dtype, 6, 2, 4), draw(dtype, 6, 2, 4)
    gamma, beta = draw(dtype, 4), draw(dtype, 4)
    flat = x.reshape(12, 4)
    expected = Reference(flat, gamma.astype("f8"), beta.astype("f8"), PER_ACTIVATION)
    param = "f8" if dtype == "float64" else "f4"
    mean, inverse = tn.empty(4, param), tn.empty(4, param)
    running = [tn.zeros(4, x.dtype), tn.ones(4, x.dtype)]
    arrays = [tn.asarray(one) for one in (x, gamma, beta)]
    reserve, y = cudnn.batch_normalization_forward_training_ex(
        *arrays, *running, mean, inverse, EPS, 0.5, False, SPATIAL, False
    )
    assert reserve is None
    close(y, expected.y.reshape(x.shape), dtype)
    close(running[0], 0.5 * expected.mean[0], dtype)
    gx, ggamma, gbeta = cudnn.batch_normalization_backward(
        arrays[0], arrays[1], tn.asarray(dy), mean, inverse, EPS, False, SPATIAL, False
    )
    dx, dgamma, dbeta = expected.backward(dy.reshape(12, 4).astype("f8"))
    assert ggamma.dtype == gamma.dtype
    close(gx, dx.reshape(x.shape), dtype)
    close(ggamma, dgamma[0], dtype)
    close(gbeta, dbeta[0], dtype)


def test_gradient_by_differences():
    x, gamma, beta, weights = draw("float64", 5, 3), np.array([1.0, 2.0, 3.0]), np.zeros(3), draw("float64", 5, 3)

    def run(x):
        return cudnn.batch_normalization_forward_training(
            *map(tn.asarray, (x, gamma, beta)), tn.zeros(3), tn.ones(3), None, None, EPS, 0.9, False, SPATIAL, False
        )

    _, mean, inverse = run(x)
    gx, _, _ = cudnn.batch_normalization_backward(
        *map(tn.asarray, (x, gamma, weights)), mean, inverse, EPS, False, SPATIAL, False
    )
    for place in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[place] = 1e-6
        change = (run(x + step)[0] - run(x - step)[0]).get() / 2e-6
        assert abs((change * weights).sum() - float(gx[place])) < 1e-7


def test_nothing_and_refusals():
    ones, zeros = tn.ones(3), tn.zeros(3)
    call = cudnn.batch_normalization_forward_training
    assert cudnn.batch_normalization_forward_inference(
        tn.empty((0, 3)), ones, zeros, zeros, ones, EPS, False, SPATIAL
    ).shape == (0, 3)
    x = tn.ones((2, 3))
    with pytest.raises(ValueError, match="mean and inv_std"):
        call(x, ones, zeros, zeros, ones, zeros, None, EPS, 0.9, False, SPATIAL, False)
    with pytest.raises(ValueError, match="no mode"):
        call(x, ones, zeros, zeros, ones, None, None, EPS, 0.9, False, 3, False)
    with pytest.raises(ValueError, match="gamma has shape"):
        call(x, tn.ones(2), zeros, zeros, ones, None, None, EPS, 0.9, False, SPATIAL, False)
    with pytest.raises(TypeError, match="not supported"):
        call(x.astype("i4"), ones, zeros, zeros, ones, None, None, EPS, 0.9, False, SPATIAL, False)


# --- By raw names ---


@pytest.mark.parametrize("ops", [0, 1, 2])
@pytest.mark.parametrize("mode", [PER_ACTIVATION, SPATIAL])
def test_raw(mode, ops):
    """With an activation, and something added before it; factors."""
    x, z, dy, y0, dx0 = (draw("float64", 4, 2, 3, 2) for _ in range(5))
    shape = (1, 2, 3, 2) if mode == PER_ACTIVATION else (1, 2, 1, 1)
    gamma, beta, dgamma0 = draw("float64", *shape), draw("float64", *shape), draw("float64", *shape)
    expected = Reference(x, gamma, beta, mode)
    value = expected.y + (z if ops == 2 else 0)
    activated = np.maximum(value, 0) if ops else value
    arrays = {name: tn.asarray(one) for name, one in locals().items() if isinstance(one, np.ndarray)}
    at = {name: array.data.ptr for name, array in arrays.items()}
    desc, params = cudnn.create_tensor_descriptor(arrays["x"]), cudnn.create_uninitialized_tensor_descriptor()
    raw.deriveBNTensorDescriptor(params.value, desc.value, mode)
    assert raw.getTensor4dDescriptor(params.value)[:5] == (1, *shape)
    activation = cudnn.create_activation_descriptor(raw.CUDNN_ACTIVATION_RELU)
    relu, handle = activation.value if ops else 0, raw.create()
    factors = (ctypes.c_double * 3)(1, 0, 0.5)
    one, zero, half = (ctypes.addressof(factors) + 8 * k for k in range(3))
    d, p = desc.value, params.value
    mean, inverse = tn.empty(shape), tn.empty(shape)
    size = raw.getBatchNormalizationForwardTrainingExWorkspaceSize(handle, mode, ops, d, d, d, p, relu)
    back = raw.getBatchNormalizationBackwardExWorkspaceSize(handle, mode, ops, d, d, d, d, d, p, relu)
    kept = raw.getBatchNormalizationTrainingExReserveSpaceSize(handle, mode, ops, relu, d)
    work, reserve = tn.cuda.alloc(max(size, back)), tn.cuda.alloc(kept)

    def train():
        tensors = d, at["x"], d, at["z"], d, at["y0"], p, at["gamma"], at["beta"]
        saved = mean.data.ptr, inverse.data.ptr, relu, work.ptr, size, reserve.ptr, kept
        raw.batchNormalizationForwardTrainingEx(handle, mode, ops, one, zero, *tensors, 1.0, 0, 0, EPS, *saved)

    if ops and raw._library.serves():  # which has activations for half precision and NHWC alone
        with pytest.raises(raw.CuDNNError, match="NOT_SUPPORTED"):
            train()
        return
    train()
    close(arrays["y0"], activated, "float64")
    close(mean, expected.mean, "float64")
    passed = dy * (activated > 0) if ops else dy
    dx, dgamma, dbeta = expected.backward(passed)
    dz, dbias = tn.empty(x.shape), tn.empty(shape)
    raw.batchNormalizationBackwardEx(
        handle,
        mode,
        ops,
        one,
        zero,
        one,
        zero,
        d,
        at["x"],
        d,
        at["y0"],
        d,
        at["dy"],
        d,
        dz.data.ptr,
        d,
        at["dx0"],
        p,
        at["gamma"],
        at["beta"],
        at["dgamma0"],
        dbias.data.ptr,
        EPS,
        mean.data.ptr,
        inverse.data.ptr,
        relu,
        work.ptr,
        back,
        reserve.ptr,
        kept,
    )
    close(arrays["dx0"], dx, "float64")
    close(arrays["dgamma0"], dgamma, "float64")
    close(dbias, dbeta, "float64")
    if ops == 2:
        close(dz, passed, "float64")
    before = arrays["y0"].get()
    raw.batchNormalizationForwardTraining(
        handle, mode, one, half, d, at["x"], d, at["y0"], p, at["gamma"], at["beta"], 1.0, 0, 0, EPS, 0, 0
    )
    close(arrays["y0"], expected.y + 0.5 * before, "float64")
    raw.batchNormalizationBackward(
        handle,
        mode,
        one,
        zero,
        one,
        half,
        d,
        at["x"],
        d,
        at["dy"],
        d,
        at["dx0"],
        p,
        at["gamma"],
        at["dgamma0"],
        dbias.data.ptr,
        EPS,
        0,
        0,
    )
    dx, again, _ = expected.backward(dy)
    close(arrays["dx0"], dx, "float64")
    close(arrays["dgamma0"], again + 0.5 * dgamma, "float64")
    assert raw.queryRuntimeError(handle, raw.CUDNN_ERRQUERY_BLOCKING) == 0
    raw.destroy(handle)
