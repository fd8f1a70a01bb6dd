"""Distributed arrays, over the devices there are (two of the host in these tests), against
NumPy."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
import tenorite as cp
from tenorite.distributed import array as dist
from tenorite.distributed.array import (
    MAX,
    MIN,
    PROD,
    REPLICA,
    SUM,
    DistributedArray,
    Mode,
    distributed_array,
    make_2d_index_map,
    matmul,
)
from tenorite.distributed.array._index import inside, intersection

pytestmark = pytest.mark.two_devices
MODES = {SUM: np.add, PROD: np.multiply, MAX: np.maximum, MIN: np.minimum}

MAPS = {
    "halves": {0: slice(0, 3), 1: slice(3, 6)},
    "columns": {0: (slice(None), slice(0, 2)), 1: (Ellipsis, slice(2, None))},
    "replicas": {0: slice(None), 1: slice(None)},
    "overlap": {0: [slice(0, 4), (5, slice(None))], 1: [slice(2, 5)]},
    "steps": {0: slice(0, 6, 2), 1: [slice(1, 6, 2), slice(0, 6, 3)]},
    "one": {1: [slice(None)]},
}


def numbers(dtype="float64"):
    return np.random.default_rng(1).integers(1, 5, (6, 4)).astype(dtype)


@pytest.mark.parametrize("index_map", MAPS)
@pytest.mark.parametrize("source", ("array", "host"))
def test_spread_and_get(index_map, source):
    a = numbers()
    d = distributed_array(cp.asarray(a) if source == "array" else a, MAPS[index_map])
    assert isinstance(d, DistributedArray)
    assert (d.shape, d.dtype, d.ndim, d.size, d.mode) == (a.shape, a.dtype, 2, 24, REPLICA)
    assert set(d.devices) == set(MAPS[index_map])
    for device, chunks in d.all_chunks().items():
        for index, chunk in zip(d.index_map[device], chunks, strict=True):
            assert chunk.device.id == device
            assert np.array_equal(chunk.get(), a[index])
    assert np.array_equal(d.get(), a)
    out = np.empty_like(a)
    assert d.get(out=out) is out and np.array_equal(out, a)


@pytest.mark.parametrize("index_map", MAPS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ("int32", "float64"))
def test_modes(mode, index_map, dtype):
    """There and back; what overlaps counts once."""
    a = numbers(dtype)
    d = distributed_array(a, MAPS[index_map], mode=mode)
    assert d.mode is mode and np.array_equal(d.get(), a)
    back = d.change_mode(REPLICA)
    for device, chunks in back.all_chunks().items():
        for index, chunk in zip(back.index_map[device], chunks, strict=True):
            assert np.array_equal(chunk.get(), a[index])
    assert back.change_mode(REPLICA) is back


def test_elements_of_several_chunks():
    """What the chunks of a mode mean, where they differ."""
    for mode, function in MODES.items():
        d = distributed_array(np.arange(1.0, 5.0), {0: slice(0, 3), 1: slice(1, 4)})
        made = DistributedArray(d.shape, d.dtype, d._chunks, mode)
        expected = np.arange(1.0, 5.0)
        expected[1:3] = function(expected[1:3], expected[1:3])
        assert np.array_equal(made.get(), expected), mode
        assert isinstance(mode, Mode)


@pytest.mark.parametrize("first, second", itertools.permutations(MAPS, 2))
def test_reshard(first, second):
    a = numbers("int64")
    for mode in (REPLICA, SUM, MAX):
        d = distributed_array(a, MAPS[first], mode=mode).reshard(MAPS[second])
        assert d.mode is mode
        assert d.index_map == distributed_array(a, MAPS[second]).index_map
        assert np.array_equal(d.get(), a)


@pytest.mark.parametrize("index_map", MAPS)
def test_elementwise(index_map):
    a, b = numbers(), numbers()[::-1].copy()
    x, y = (distributed_array(one, MAPS[index_map]) for one in (a, b))
    s = distributed_array(b, MAPS[index_map], mode=SUM)
    for found, expected in (
        (x + y, a + b),
        (x - s, a - b),
        (2 * x, 2 * a),
        (1 / x, 1 / a),
        (x**2, a**2),
        (x % y, a % b),
        (-x, -a),
        (abs(x), abs(a)),
        (x < y, a < b),
        (x == y, a == b),
        (cp.sqrt(x), np.sqrt(a)),
        (np.exp(x), np.exp(a)),
        (cp.maximum(x, y), np.maximum(a, b)),
        (x.astype("float32"), a.astype("float32")),
    ):
        assert found.mode is REPLICA and found.dtype == expected.dtype
        assert np.allclose(found.get(), expected, rtol=1e-14)


def test_kernels_of_programs():
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x * 2 + y", "twice_and_more")
    a = numbers()
    x = distributed_array(a, MAPS["overlap"])
    assert np.array_equal(kernel(x, x).get(), 3 * a)


@pytest.mark.parametrize("index_map", MAPS)
@pytest.mark.parametrize("axis", (0, 1, -1, None, (0, 1)))
def test_reductions(index_map, axis):
    a = numbers("int64")
    for mode in (REPLICA, SUM, MIN):
        d = distributed_array(a, MAPS[index_map], mode=mode)
        for name, made in (("sum", SUM), ("prod", PROD), ("max", MAX), ("min", MIN)):
            found = getattr(d, name)(axis=axis)
            assert found.mode is made
            assert np.array_equal(found.get(), getattr(a, name)(axis=axis)), (name, mode)
        kept = d.sum(axis=axis, keepdims=True)
        assert np.array_equal(kept.get(), a.sum(axis=axis, keepdims=True))
    assert d.sum(axis=axis, dtype="float32").dtype == np.float32
    assert np.array_equal(cp.add.reduce(d, axis=0).get(), a.sum(axis=0))


def test_places():
    """What two ranges with steps have in common, against sets of numbers."""
    ranges = [range(a, b, step) for a in (0, 2, 3) for b in (4, 9, 12) for step in (1, 2, 3, 4, 6)]
    for one, other in itertools.product(ranges, repeat=2):
        found = intersection((one,), (other,))
        common = sorted(set(one) & set(other))
        assert list(found[0] if found else ()) == common
        if found:
            for each in (one, other):
                assert list(each[inside(found, (each,))[0]]) == common


# --- Products ---


@pytest.mark.parametrize("spread", ("blocks", "replicas", "far"))
def test_matmul(spread):
    a, b = np.random.default_rng(2).random((6, 8)), np.random.default_rng(3).random((8, 5))
    devices = {
        "blocks": ([[{0}, {1}], [{1}, {0}]], [[{0}, {0}], [{1}, {1}]]),
        "replicas": ([[{0, 1}, {0, 1}], [{0, 1}, {0, 1}]], [[{0, 1}, {0, 1}], [{0, 1}, {0, 1}]]),
        "far": ([[{0}, {0}], [{0}, {0}]], [[{1}, {1}], [{1}, {1}]]),
    }[spread]
    x = distributed_array(a, make_2d_index_map([0, 2, 6], [0, 3, 8], devices[0]))
    y = distributed_array(b, make_2d_index_map([0, 3, 8], [0, 1, 5], devices[1]))
    for found in (x @ y, matmul(x, y), x.change_mode(SUM) @ y.change_mode(MAX)):
        assert found.mode is SUM and found.shape == (6, 5)
        assert np.allclose(found.get(), a @ b)
        assert np.allclose((found + 1).get(), a @ b + 1)


def test_matmul_of_stacks():
    a, b = np.random.default_rng(2).random((2, 3, 4)), np.random.default_rng(3).random((2, 4, 5))
    x = distributed_array(a, {0: slice(0, 1), 1: slice(1, 2)})
    y = distributed_array(b, {0: slice(0, 1), 1: slice(1, 2)})
    assert np.allclose(matmul(x, y).get(), a @ b)


@pytest.mark.parametrize("shapes", (((8,), (8,)), ((8,), (8, 5)), ((6, 8), (8,)), ((8,), (8, 1)), ((1, 8), (8,))))
def test_matmul_of_vectors(shapes):
    a, b = (np.arange(1.0, np.prod(shape) + 1).reshape(shape) for shape in shapes)
    inner = slice(0, 3), slice(3, 8)
    x = distributed_array(a, {device: (..., cut) for device, cut in enumerate(inner)})
    y = distributed_array(b, {1 - device: cut for device, cut in enumerate(inner)})
    found = x @ y
    assert found.shape == (a @ b).shape and found.mode is SUM
    np.testing.assert_array_equal(found.get(), a @ b)


def test_other_places_travel():
    a = np.arange(6.0)
    d = distributed_array(a, {0: slice(0, 3), 1: slice(3, 6)})
    other = distributed_array(a + 1, {0: slice(0, 2), 1: slice(2, 6)})
    with pytest.warns(cp.exceptions.PerformanceWarning, match="Peer access"):
        found = d + other
    assert found.index_map == d.index_map
    np.testing.assert_array_equal(found.get(), a + a + 1)


def test_functions_of_arrays():
    a = np.arange(6.0)
    d = distributed_array(a, {0: slice(0, 3), 1: slice(3, 6)})
    assert cp.sum(d).mode is SUM and float(cp.max(d, axis=0).get()) == 5.0
    for out in (None, np.zeros(6)):
        host = cp.asnumpy(d, out=out)
        assert type(host) is np.ndarray and (out is None or host is out)
        np.testing.assert_array_equal(host, a)
    with pytest.raises(RuntimeError, match="argmax does not support distributed arrays"):
        cp.argmax(d, axis=0)


# --- Refusals ---


def test_refusals():
    d = distributed_array(np.arange(6.0), {0: slice(0, 3), 1: slice(3, 6)})
    other = distributed_array(np.arange(6.0), {0: slice(0, 2), 1: slice(2, 6)})
    for call, kind, words in (
        (lambda: d + cp.ones(6), RuntimeError, "Mixing a distributed array with a non-distributed one"),
        (lambda: d + distributed_array(np.ones(3), {0: slice(None)}), RuntimeError, "they are not broadcast"),
        (lambda: d.change_mode("sum"), TypeError, "mode must be a Mode, not str"),
        (lambda: d.sum(axis=1), ValueError, "axis 1 is out of bounds"),
        (lambda: d.sum(axis=0, out=d), NotImplementedError, "out="),
        (lambda: np.asarray(d), TypeError, "get()"),
        (lambda: d @ other, RuntimeError, "Inconsistent cuts"),
        (lambda: d @ d.sum(), ValueError, r"shapes \(6,\) and \(\)"),
        (lambda: matmul(d, 1), TypeError, "not DistributedArray and int"),
        (lambda: distributed_array(np.ones(3), {0: slice(0, 2)}).get(), ValueError, r"no chunk has element \(2,\)"),
        (lambda: distributed_array(np.ones(3), {0: slice(0, 2)}).reshard({1: slice(None)}), ValueError, "device 1"),
        (lambda: distributed_array(np.ones(3), {0: slice(None, None, -1)}), ValueError, "must be positive"),
        (lambda: distributed_array(np.ones(3), {0: 3}), IndexError, "out of bounds for axis 0 with size 3"),
        (lambda: distributed_array(np.ones(3), {0: (0, 0)}), IndexError, "too many indices"),
        (lambda: make_2d_index_map([0, 0, 2], [0, 1], [[{0}], [{0}]]), ValueError, "i_partitions must begin"),
        (lambda: make_2d_index_map([0, 2], [0, 1], [[{0}], [{0}]]), ValueError, "1 rows of 1 sets"),
        (lambda: d.get(out=np.zeros(5)), ValueError, r"out is float64 \(5,\)"),
    ):
        with pytest.raises(kind, match=words):
            call()
    x = distributed_array(np.ones((2, 4)), {0: (slice(None), slice(0, 1)), 1: (slice(None), slice(1, 4))})
    y = distributed_array(np.ones((4, 2)), {0: slice(0, 2), 1: slice(2, 4)})
    with pytest.raises(RuntimeError, match=r"cut at \[\(0, 1\), \(1, 4\)\], the rows of the second at"):
        x @ y
    assert dist.__all__


@pytest.mark.host_only("of four devices of the host")
def test_four_devices(tmp_path):
    """The same on four devices, in a process of its own."""
    program = """
import numpy as np
import tenorite as cp
from tenorite.distributed.array import SUM, distributed_array, make_2d_index_map
a = np.random.default_rng(0).random((40, 40))
grid = make_2d_index_map([0, 20, 40], [0, 20, 40], [[{0}, {1}], [{2}, {3}]])
x = distributed_array(cp.asarray(a), grid)
product = x @ x
assert product.mode is SUM and np.allclose(product.get(), a @ a)
print(sorted(product.devices), np.allclose((x + x).sum(axis=0).get(), 2 * a.sum(axis=0)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"TENORITE_HOST_DEVICES": "4"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("True\n")
