"""Chainer's functions that use cuDNN, with their gradients, against the same functions of NumPy's
arrays: see test_chainer.py."""

import chainer_names  # noqa: F401, I001

import functools
import itertools
import os
import warnings

import chainer
import chainer.functions as F
import numpy as np
import tenorite
from chainer import Variable

warnings.simplefilter("ignore")
BOUNDS = {"f2": 3e-2, "f4": 1e-3, "f8": 1e-9}
RANDOM = np.random.default_rng(0)
RECURRENT = {
    F.n_step_lstm: (8, 1),
    F.n_step_bilstm: (8, 2),
    F.n_step_gru: (6, 1),
    F.n_step_bigru: (6, 2),
    F.n_step_rnn: (2, 1),
    F.n_step_birnn: (2, 2),
}
count = 0


def draw(dtype, *shape):
    return RANDOM.uniform(-1, 1, shape).astype(dtype)


def flat(found):
    found = found if isinstance(found, (tuple, list)) else [found]
    return [two for one in found for two in (one if isinstance(one, (tuple, list)) else [one])]


def results(xp, function, arrays):
    """What the function gives, and the gradients of all arrays by a sum with random weights."""
    variables = [Variable(xp.asarray(one)) for one in arrays]
    found, random = flat(function(*variables)), np.random.default_rng(1)
    weights = [Variable(xp.asarray(random.uniform(-1, 1, one.shape).astype(one.dtype))) for one in found]
    sum(F.sum(one * weight) for one, weight in zip(found, weights)).backward()
    wanted = [one.array for one in found] + [one.grad for one in variables if one.grad is not None]
    return [chainer.backends.cuda.to_cpu(one) for one in wanted]


def compare(function, dtype, *shapes, arrays=None):
    global count
    arrays = [draw(dtype, *shape) for shape in shapes] if arrays is None else arrays
    ours, theirs = (results(xp, function, arrays) for xp in (tenorite, np))
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs):
        np.testing.assert_allclose(one, other, rtol=BOUNDS[dtype], atol=BOUNDS[dtype])
    count += 1


def convolutions(dtype):
    compare(functools.partial(F.convolution_2d, stride=2, pad=1), dtype, (2, 3, 7, 6), (4, 3, 3, 3), (4,))
    dilated = functools.partial(F.convolution_2d, pad=2, dilate=2, groups=2)
    compare(dilated, dtype, (2, 4, 7, 6), (4, 2, 3, 3))
    compare(functools.partial(F.convolution_nd, stride=2, pad=1), dtype, (2, 3, 5, 4, 6), (4, 3, 3, 2, 3), (4,))
    compare(functools.partial(F.deconvolution_2d, stride=2, pad=1), dtype, (2, 4, 4, 3), (4, 3, 3, 3), (3,))
    compare(functools.partial(F.deconvolution_nd, stride=2, pad=1), dtype, (2, 4, 4, 3, 2), (4, 3, 3, 3, 2), (3,))


def pooling(dtype):
    for cover_all in (True, False):
        compare(lambda x: F.max_pooling_2d(x, 3, 2, 1, cover_all=cover_all), dtype, (2, 3, 7, 6))
        compare(lambda x: F.max_pooling_nd(x, 2, 2, 0, cover_all=cover_all), dtype, (2, 3, 5, 7, 6))
    compare(lambda x: F.average_pooling_2d(x, 3, 2, 1), dtype, (2, 3, 7, 6))
    for value in (None, 0):
        compare(lambda x: F.average_pooling_nd(x, 3, 2, 1, pad_value=value), dtype, (2, 3, 7, 6, 4))


def norms(dtype):
    compare(F.batch_normalization, dtype, (6, 3, 4, 5), (3,), (3,))
    compare(F.batch_normalization, dtype, (6, 5), (5,), (5,))
    compare(lambda *a: F.batch_normalization(*a, axis=(0, 1, 2)), dtype, (6, 2, 4, 5), (5,), (5,))
    fixed = lambda x, g, b, m: F.fixed_batch_normalization(x, g, b, m, m * m + 1)
    compare(fixed, dtype, (6, 3, 4, 5), (3,), (3,), (3,))


def elementwise(dtype):
    for axis in range(4):
        compare(lambda x: F.softmax(x, axis=axis), dtype, (2, 3, 4, 5))
    for function in (F.log_softmax, F.relu, F.sigmoid, F.tanh, F.elu, lambda x: F.clipped_relu(x, 0.5)):
        compare(function, dtype, (4, 5))


def spatial_transformers(dtype):
    compare(lambda theta: F.spatial_transformer_grid(theta, (4, 5)), dtype, (2, 2, 3))
    compare(F.spatial_transformer_sampler, dtype, (2, 3, 5, 6), (2, 2, 4, 5))


def recurrent(dtype, function, layers, inputs=3, units=4):
    gates, directions = RECURRENT[function]
    states, total = 2 if gates == 8 else 1, layers * directions * gates
    arrays = [draw(dtype, layers * directions, 4, units) for _ in range(states)]
    for layer, _, gate in itertools.product(range(layers), range(directions), range(gates)):
        width = units if gate >= gates // 2 else units * directions if layer else inputs
        arrays.append(draw(dtype, units, width))
    arrays += [draw(dtype, units) for _ in range(total)]
    arrays += [draw(dtype, size, inputs) for size in (4, 3, 2)]

    def run(*variables):
        first, rest = variables[:states], list(variables[states:])
        parts = [[rest[at + k : at + k + gates] for k in range(0, total, gates)] for at in (0, total)]
        return function(layers, 0.0, *first, *parts, rest[2 * total :])

    compare(run, dtype, arrays=arrays)


def dropout(dtype):
    """Through a network of two layers: the same seed, the same masks."""
    weights = [[draw(dtype, 3, 3) for _ in range(2)] for _ in range(2)]
    biases = [[draw(dtype, 3) for _ in range(2)] for _ in range(2)]
    x, h = [draw(dtype, 2, 3) for _ in range(3)], draw(dtype, 2, 2, 3)

    def run(ratio):
        chainer.backends.cuda.cupy.random.seed(3)
        put = lambda a: [[tenorite.asarray(one) for one in row] for row in a]
        found = F.n_step_rnn(
            2, ratio, tenorite.asarray(h), put(weights), put(biases), [tenorite.asarray(one) for one in x]
        )
        return found[0].array.get()

    assert np.isfinite(run(0.5)).all() and not np.array_equal(run(0.5), run(0.0))


assert chainer.backends.cuda.cudnn_enabled
chainer.backends.cuda.set_max_workspace_size(1 << 20)
assert chainer.backends.cuda.get_max_workspace_size() == 1 << 20
modes = ("always", "auto", "never") if os.environ.get("TENORITE_CHAINER_ALL") else ("always",)
for mode, dtype in itertools.product(modes, BOUNDS):
    with chainer.using_config("use_cudnn", mode), chainer.using_config("dtype", np.dtype(dtype)):
        for deterministic, tuned in ((False, False), (True, False), (False, True)):
            with chainer.using_config("cudnn_deterministic", deterministic), chainer.using_config("autotune", tuned):
                convolutions(dtype)
        pooling(dtype)
        norms(dtype)
        elementwise(dtype)
        if dtype != "f2":
            spatial_transformers(dtype)
            dropout(dtype)
            for function, layers in itertools.product(RECURRENT, (1, 2)):
                recurrent(dtype, function, layers)
print(count, "functions and their gradients")
