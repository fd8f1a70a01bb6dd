"""The same call on the same values gives the same bytes, whatever else the machine is doing.

Float32 of very different sizes: a sum of them in another order has other last bits.
"""

import contextlib

import numpy as np
import pytest
import tenorite as tn
from generator import ON_GPU

TIMES = 3  # idle, and again beside other work
SIZE = 1 << 22 if ON_GPU else 1 << 20
OTHER = 1 << 13 if ON_GPU else 1 << 9


def floats(*shape, seed=0):
    random = np.random.default_rng(seed)
    return (random.normal(size=shape) * 10.0 ** random.integers(-4, 5, shape)).astype("f4")


@contextlib.contextmanager
def other_work():
    """A second stream, on which each call of the function queues the same kinds of work."""
    stream = tn.cuda.Stream(non_blocking=True)
    other = tn.arange(OTHER * OTHER, dtype="f4").reshape(OTHER, OTHER)
    tn.cuda.get_current_stream().synchronize()

    def queue():
        with stream:
            for _ in range(3):
                (other * 2 + 1).sum(axis=0)
                other.cumsum(axis=1)
                other.var()
                other.argmax(axis=1)

    try:
        yield queue
    finally:
        stream.synchronize()


def check(call):
    """`call` gives an array of the same bytes each time, alone and beside what another stream
    does."""
    found = [call().get().tobytes() for _ in range(TIMES)]
    with other_work() as queue:
        for _ in range(TIMES):
            queue()
            found.append(call().get().tobytes())
    assert found.count(found[0]) == len(found), f"{len(set(found))} results in {len(found)} runs"


SHAPES = {
    "flat": (SIZE,),
    "rows": (1 << 12, 1 << 10),
    "few long rows": (3, SIZE // 3),
    "columns": (SIZE // 24, 24),
    "short rows": (SIZE // 10, 10),
    "middle": (30, 1 << 10, 130),
    "many middles": (1 << 10, 64, 60),
}
CALLS = {
    "sum": lambda a, axis: a.sum(axis=axis),
    "prod": lambda a, axis: (1 + a * 1e-9).prod(axis=axis),
    "mean": lambda a, axis: a.mean(axis=axis),
    "var": lambda a, axis: a.var(axis=axis),
    "argmax": lambda a, axis: a.argmax(axis=axis),
    "cumsum": lambda a, axis: a.cumsum(axis=axis),
    "cumprod": lambda a, axis: (1 + a * 1e-9).cumprod(axis=axis),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shape", SHAPES)
def test_folds_and_scans(shape, name):
    a = floats(*SHAPES[shape])
    a = tn.array(np.minimum(a, 1000) if name == "argmax" else a)  # many are equal
    for axis in (None, 0, 1, 2)[: a.ndim + 1]:
        check(lambda: CALLS[name](a, axis))


def test_sums_of_views():
    a = tn.array(floats(1 << 11, 1 << 11))
    mask = a > 0
    for call in (
        lambda: a[::2, ::3].sum(),
        lambda: a.T.sum(axis=0),
        lambda: a.sum(axis=1, where=mask),
        lambda: tn.add.reduceat(a, tn.array([0, 5, 700, 1900]), axis=1),
        lambda: a[mask].sum(),
        lambda: (a * 1e-3).astype("f2").sum(axis=0),
        lambda: a.astype("c8").cumsum(),
    ):
        check(call)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "i4"])
@pytest.mark.parametrize("sizes", [(1000, 900, 1100), (20, 30, 100_000), (1, 1, 1 << 20)])
def test_products(sizes, dtype):
    m, n, k = sizes
    largest = 100 if dtype[0] == "i" else 1  # a sum of halves stays finite
    a, b = (tn.array((values % largest).astype(dtype)) for values in (floats(m, k), floats(k, n, seed=2)))
    check(lambda: a @ b)


@pytest.mark.parametrize("dtype", ["u1", "i4", "i8", "f4"])
def test_updates(dtype):
    """ufunc.at: of integers always, and what NumPy gives. Sums of floats come in any order on a
    GPU, as their documentation says; largest values do not depend on it."""
    random = np.random.default_rng(3)
    places, values = random.integers(0, 5000, 1 << 18), (floats(1 << 18) % 100).astype(dtype)
    index, operand = tn.array(places), tn.array(values)
    for name in ("add", "maximum"):

        def call():
            a = tn.zeros(5000, dtype)
            getattr(tn, name).at(a, index, operand)
            return a

        if ON_GPU and dtype == "f4" and name == "add":
            wanted = np.zeros(5000)
            np.add.at(wanted, places, values)
            np.testing.assert_allclose(call().get(), wanted, rtol=1e-3, atol=1e-3)
            continue
        check(call)
        if dtype != "f4":
            wanted = np.zeros(5000, dtype)
            getattr(np, name).at(wanted, places, values)
            np.testing.assert_array_equal(call().get(), wanted)
    assert not ON_GPU or "order" in tn.add.at.__doc__


def test_values_can_tell():
    """In another order these sums have other bits: otherwise nothing above could fail."""
    a = floats(SIZE)
    assert a.sum() != a[::-1].copy().sum() or a.sum() != a.reshape(-1, 2).sum(axis=1).sum()
