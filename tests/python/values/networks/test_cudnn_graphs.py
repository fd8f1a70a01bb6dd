"""Convolutions of arrays that lie in many ways, again and again, beside NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn

RANDOM = np.random.default_rng(0)
DTYPES = {"float16": 2e-2, "float32": 1e-4, "float64": 1e-12}
FACTS = (1, 0), (2, 1), (1, 2), 2
SHAPES = (3, 4, 7, 8), (6, 2, 3, 2), (3, 6, 4, 6)


def places(size, width, pad, stride, dilation, out):
    """(of y, of the filter, of x) that belong together, of an axis."""
    triples = itertools.product(range(out), range(width))
    found = [(o, k, o * stride - pad + k * dilation) for o, k in triples]
    return [one for one in found if 0 <= one[2] < size]


def expected(x, w, dy):
    """y, dx and dw in float64."""
    pads, strides, dilations, groups = FACTS
    y, dx, dw = np.zeros(dy.shape), np.zeros(x.shape), np.zeros(w.shape)
    axes = [places(*facts) for facts in zip(x.shape[2:], w.shape[2:], pads, strides, dilations, dy.shape[2:])]
    for (a, b, c), (d, e, f) in itertools.product(*axes):
        for g in range(groups):
            rows, columns = (slice(g * n // groups, (g + 1) * n // groups) for n in (w.shape[0], x.shape[1]))
            y[:, rows, a, d] += x[:, columns, c, f] @ w[rows, :, b, e].T
            dx[:, columns, c, f] += dy[:, rows, a, d] @ w[rows, :, b, e]
            dw[rows, :, b, e] += dy[:, rows, a, d].T @ x[:, columns, c, f]
    return y, dx, dw


def plain(a):
    return tn.asarray(a)


def last(a):
    """Channels last by strides."""
    return tn.asarray(np.ascontiguousarray(a.transpose(0, 2, 3, 1))).transpose(0, 3, 1, 2)


def gaps(a):
    return tn.asarray(np.repeat(a, 2, axis=3))[..., ::2]


def turned(a):
    return tn.asarray(np.ascontiguousarray(a[:, :, ::-1]))[:, :, ::-1]


def odd(a):
    """At an address that is a multiple of an element alone."""
    return tn.asarray(np.concatenate((a.ravel()[:1], a.ravel())))[1:].reshape(a.shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lie", [plain, last, gaps, turned, odd])
def test_again_and_again(lie, dtype):
    x, w, dy = (RANDOM.uniform(-1, 1, shape).astype(dtype) for shape in SHAPES)
    results = expected(*(one.astype("f8") for one in (x, w, dy)))
    x, w, dy = map(lie, (x, w, dy))
    for tuned, exact in ((False, False), (True, False), (False, True), (True, False)):
        y, dx, dw = (tn.full(shape, np.nan, dtype) for shape in (SHAPES[2], SHAPES[0], SHAPES[1]))
        options = dict(auto_tune=tuned, tensor_core="auto")
        cudnn.convolution_forward(x, w, None, y, *FACTS, **options)
        cudnn.convolution_backward_data(w, dy, None, dx, *FACTS, deterministic=exact, **options)
        cudnn.convolution_backward_filter(x, dy, dw, *FACTS, deterministic=exact, **options)
        for got, value in zip((y, dx, dw), results):
            bound = DTYPES[dtype] * np.abs(value).max()
            np.testing.assert_allclose(tn.asnumpy(got).astype("f8"), value, rtol=0, atol=bound)


def test_other_arrays_of_a_kind():
    """A plan that is kept reads and writes what it is given."""
    for _ in range(5):
        x, w, dy = (RANDOM.uniform(-1, 1, shape) for shape in SHAPES)
        y = tn.empty(SHAPES[2])
        cudnn.convolution_forward(*map(tn.asarray, (x, w)), None, y, *FACTS, auto_tune=False, tensor_core="auto")
        np.testing.assert_allclose(tn.asnumpy(y), expected(x, w, dy)[0], rtol=0, atol=1e-12)


def test_streams():
    """Calls on two streams, one of which reads what the other writes."""
    x, w = (tn.asarray(RANDOM.uniform(-1, 1, shape)) for shape in SHAPES[:2])
    y, dx = tn.empty(SHAPES[2]), tn.empty(SHAPES[0])
    streams = [tn.cuda.Stream(non_blocking=True) for _ in range(2)]
    value = expected(tn.asnumpy(x), tn.asnumpy(w), np.zeros(SHAPES[2]))[0]
    wanted = expected(tn.asnumpy(x), tn.asnumpy(w), value)[1]
    for _ in range(3):
        y[...] = 0
        with streams[0]:
            cudnn.convolution_forward(x, w, None, y, *FACTS, auto_tune=False, tensor_core="auto")
        with streams[1]:
            cudnn.convolution_backward_data(
                w, y, None, dx, *FACTS, deterministic=True, auto_tune=False, tensor_core="auto"
            )
        np.testing.assert_allclose(tn.asnumpy(dx), wanted, rtol=0, atol=1e-11)


def test_result_over_an_input():
    """A result that lies where an input does is as one that lies apart."""
    x, w = (RANDOM.uniform(-1, 1, shape) for shape in ((2, 4, 5, 6), (4, 4, 1, 1)))
    wanted = np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0])
    facts, options = ((0, 0), (1, 1), (1, 1), 1), dict(auto_tune=False, tensor_core="auto")
    for _ in range(2):
        y, memory = tn.empty(x.shape), tn.empty(x.size + 12)
        cudnn.convolution_forward(tn.asarray(x), tn.asarray(w), None, y, *facts, **options)
        np.testing.assert_allclose(tn.asnumpy(y), wanted, rtol=0, atol=1e-12)
        for start in (0, 12):
            near, over = (memory[k : k + x.size].reshape(x.shape) for k in (0, start))
            near[...] = tn.asarray(x)
            cudnn.convolution_forward(near, tn.asarray(w), None, over, *facts, **options)
            np.testing.assert_allclose(tn.asnumpy(over), wanted, rtol=0, atol=1e-12)
