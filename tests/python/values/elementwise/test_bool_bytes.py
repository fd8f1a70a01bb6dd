"""Bytes that are seen as bools: any byte but 0 is true, in every operation."""

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES

pytestmark = pytest.mark.quick

SIZES = (7, 1000)
PAIRS = (
    "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor equal not_equal less less_equal greater "
    "greater_equal add multiply maximum minimum fmax fmin"
).split()


def lent(size, seed, step=1):
    """(ours, NumPy's): bools whose bytes are 0 to 255, a third of them 0."""
    rng = np.random.default_rng(seed)
    host = rng.integers(0, 256, size * step, "u1") * rng.integers(0, 3, size * step, "u1").astype(bool)
    return tn.array(host).view(bool)[::step], host.view(bool)[::step]


def truths(value):
    host = tn.asnumpy(value)
    return (host.view("u1") != 0).tolist() if host.dtype == bool else host.tolist()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name, size, step):
    (a, x), (b, y) = lent(size, 1, step), lent(size, 2, step)
    assert truths(getattr(tn, name)(a, b)) == truths(getattr(np, name)(x, y))
    assert truths(getattr(tn, name)(a, True)) == truths(getattr(np, name)(x, True))
    if step == 1:
        assert bool(getattr(tn, name).reduce(a)) == bool(getattr(np, name).reduce(x))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_casts(dtype, size):
    for step in (1, 2):
        a, x = lent(size, 3, step)
        assert truths(a.astype(dtype)) == truths(x.astype(dtype))
        if dtype != "bool":
            y = np.ones(size, dtype)
            assert truths(a * tn.array(y)) == truths(x * y)


@pytest.mark.parametrize("size", SIZES)
def test_what_counts(size):
    a, x = lent(size, 4)
    calls = {
        "sum": lambda m, a: a.sum(),
        "axis": lambda m, a: a[: size // 7 * 7].reshape(-1, 7).sum(0),
        "mean": lambda m, a: a.mean(),
        "rows": lambda m, a: a[: size // 7 * 7].reshape(-1, 7).sum(1),
        "cumsum": lambda m, a: m.cumsum(a),
        "count": lambda m, a: m.count_nonzero(a),
        "nonzero": lambda m, a: m.nonzero(a)[0],
        "invert": lambda m, a: ~a,
        "where": lambda m, a: m.where(a, 1, 2),
        "mask": lambda m, a: m.arange(size)[a],
        "argmax": lambda m, a: a.argmax(),
        "any": lambda m, a: a.any(),
        "all": lambda m, a: a.all(),
        "dot": lambda m, a: m.dot(a.astype(int), a),
        "clip": lambda m, a: m.clip(a, False, True),
        "bincount": lambda m, a: m.bincount(a.astype("i8")),
        "average": lambda m, a: m.std(a),
        "prod": lambda m, a: a.prod(),
        "diff": lambda m, a: m.diff(a),
        "argmin": lambda m, a: a.argmin(),
        "where=": lambda m, a: m.arange(size).sum(where=a),
        "sort": lambda m, a: m.sort(a),
    }
    for name, call in calls.items():
        np.testing.assert_allclose(truths(call(tn, a)), truths(call(np, x)), rtol=1e-6, err_msg=name)
