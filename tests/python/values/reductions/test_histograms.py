"""Histograms and bincount against NumPy: every rule and dtype, edges, ranges, weights, and each
error."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from calls import compare
from generator import DTYPES, FLOATS, ordinary
from oracle import Report, assert_same, quiet

pytestmark = pytest.mark.quick

RULES = ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")
REAL = [dtype for dtype in DTYPES if dtype[0] != "c"]


def check(report, name, host, ulp=0, **arguments):
    ours = tuple(tn.array(one) for one in host) if isinstance(host, tuple) else (tn.array(host),)
    host = host if isinstance(host, tuple) else (host,)
    mine = {k: tn.array(v) if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    report.check(
        f"{name}({host[0].dtype}{host[0].shape}, {arguments})",
        lambda: getattr(tn, name)(*ours, **mine),
        lambda: getattr(np, name)(*host, **arguments),
        ulp,
    )


@pytest.mark.parametrize("dtype", REAL)
def test_histogram(dtype):
    report = Report()
    for n, seed in ((0, 0), (1, 1), (5, 2), (300, 3), (4000, 4)):
        host = ordinary(dtype, n, seed)
        weights = np.random.default_rng(seed).random(n)
        for bins in (
            1,
            7,
            10,
            1000,
            [0, 1, 5],
            [-3.5, -1, 0.25, 2, 2, 8],
            np.arange(-20, 20, 3),
            np.linspace(-9, 9, 33),
        ):
            check(report, "histogram", host, bins=bins)
            check(report, "histogram", host, bins=bins, range=(-4, 10.5))
            check(report, "histogram", host, 40, bins=bins, density=True, range=(-4, 10))
            least = type("Ulp", (float,), {"least": 1.0})(1e4)  # NumPy subtracts sums from sums
            check(report, "histogram", host, least, bins=bins, weights=weights)
    report.close(100)


def test_weights():
    report = Report()
    host = np.random.default_rng(0).normal(size=500)
    for dtype in DTYPES:
        weights = np.abs(ordinary(dtype, 500, 1)) if dtype[0] != "c" else ordinary(dtype, 500, 1)
        weights = weights % 16 if weights.dtype.kind in "iuf" else weights
        weights = np.floor(weights).astype(dtype) if weights.dtype.kind == "f" else weights
        for bins in (9, np.array([-1.0, 0, 0.5, 2])):
            least = type("Ulp", (float,), {"least": 1.0})(1e4)
            check(report, "histogram", host, least if dtype[0] in "fc" else 0, bins=bins, weights=weights.astype(dtype))
    report.close(20)


def test_exact_edges():
    """Values on the edges, and one float to both sides of them."""
    report = Report()
    for dtype, bins in itertools.product(("float32", "float64"), (3, 7, 49, 100)):
        edges = np.linspace(0.1, 0.9, bins + 1, dtype=dtype)
        host = np.concatenate(
            [edges, np.nextafter(edges, np.dtype(dtype).type(9)), np.nextafter(edges, np.dtype(dtype).type(-9))]
        )
        check(report, "histogram", host, bins=bins)
        check(report, "histogram", host, bins=bins, range=(0.1, 0.9))
        check(report, "histogram", host, bins=edges)
    host = np.array([0, 2**53, 2**53 + 1, 2**60])
    check(report, "histogram", host, bins=np.array([0, 2**53 + 1, 2**60]))
    check(report, "histogram", np.array([0.0, np.nan, 1.0]), range=(0, 1))
    report.close(20)


@pytest.mark.parametrize("rule", RULES)
def test_rules(rule):
    report = Report()
    for dtype, n in itertools.product(("int32", "uint8", *FLOATS), (0, 1, 2, 50, 400)):
        host = np.random.default_rng(n).normal(10, 3, n).astype(dtype)
        check(report, "histogram_bin_edges", host, bins=rule)
        check(report, "histogram_bin_edges", host, bins=rule, range=(8, 12))
    check(report, "histogram", np.zeros(20), bins=rule)
    check(report, "histogram", np.zeros(20), bins=rule, weights=np.zeros(20))
    report.close(40)


def test_complex():
    report = Report()
    host = np.array([1 + 1j, 2, 1 + 2j, 0.5])
    check(report, "histogram", host, bins=[0, 1, 3])
    check(report, "histogram", host, bins=[0, 1, 3], weights=np.array([1.0, 2, 3, 4]))
    report.close(2)


def test_grids():
    report = Report()
    random = np.random.default_rng(5)
    for dtype in ("float32", "float64", "int32"):
        x, y = (random.normal(0, 5, (2, 300))).astype(dtype)
        for bins in (
            4,
            (3, 5),
            [[-3, 0, 2], 4],
            np.array([-2.0, 0, 1, 5]),
            [np.array([-2.0, 0]), np.array([0.0, 1, 3])],
        ):
            for more in ({}, {"range": [(-2, 2), (-3.5, 4)]}, {"density": True}, {"weights": random.random(300)}):
                ours = (
                    [tn.array(one) if isinstance(one, np.ndarray) else one for one in bins]
                    if isinstance(bins, list)
                    else bins
                )
                ours = tn.array(bins) if isinstance(bins, np.ndarray) else ours
                mine = {k: tn.array(v) if isinstance(v, np.ndarray) else v for k, v in more.items()}
                report.check(
                    f"histogram2d {dtype} {bins} {more}",
                    lambda: tn.histogram2d(tn.array(x), tn.array(y), ours, **mine),
                    lambda: np.histogram2d(x, y, bins, **more),
                    100,
                )
        points = random.normal(0, 2, (200, 3)).astype(dtype)
        for bins in (2, (2, 3, 4)):
            check(report, "histogramdd", points, 100, bins=bins)
            check(report, "histogramdd", points, 100, bins=bins, range=[None, (-1, 1), None], density=True)
    check(report, "histogramdd", random.random(50), bins=3)
    report.close(60)


def test_large():
    """More than one thread takes; many bins, and few that most values fall into."""
    random = np.random.default_rng(6)
    host = random.normal(size=300_007).astype(np.float32)
    weights = random.integers(0, 9, host.size).astype(float)
    report = Report()
    for bins in (3, 100, 700, 20_000, 200_000, np.sort(random.normal(size=900))):
        check(report, "histogram", host, bins=bins)
        check(report, "histogram", host, bins=bins, weights=weights)
        check(report, "histogram", host[::-3], bins=bins)
    for top in (1, 200, 5000, 400_000):
        check(report, "bincount", (host * 1000).astype(np.int64) % top)
        check(report, "bincount", (host * 1000).astype(np.int32) % top, weights=weights)
    report.close(20)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if np.dtype(dtype).kind in "iu"])
def test_bincount(dtype):
    report = Report()
    for n, minlength in itertools.product((0, 1, 10, 1000), (0, 3, 200)):
        host = np.random.default_rng(n).integers(0, 50, n).astype(dtype)
        check(report, "bincount", host, minlength=minlength)
        check(report, "bincount", host[::-2], minlength=minlength)
        for weights in (np.arange(n), np.random.default_rng(n).random(n).astype(np.float32), np.ones(n, bool)):
            check(report, "bincount", host, weights=weights, minlength=minlength)
    report.close(50)


def test_errors():
    calls = """
        m.histogram(a, 0)
        m.histogram(a, -1)
        m.histogram(a, 2.5)
        m.histogram(a, [[1, 2], [3, 4]])
        m.histogram(a, [3, 2, 1])
        m.histogram(a, "foo")
        m.histogram(a, [])
        m.histogram(a, [5])
        m.histogram(a, range=(3, 1))
        m.histogram(a, range=(0, m.inf))
        m.histogram(a * m.nan)
        m.histogram(a, weights=a[:2])
        m.histogram(a, [1, 2], weights=a > 1)
        m.histogram(a + 1e17, 1000)
        m.histogram_bin_edges(a, "auto", weights=a)
        m.histogramdd(a, (2,))
        m.histogramdd(a, (0, 2, 2))
        m.histogramdd(a, (2.5, 2, 2))
        m.histogramdd(a, ([1, 3, 2], 2, 2))
        m.histogramdd(a, ([[1, 3]], 2, 2))
        m.histogramdd(a, range=[(0, 1)])
        m.histogramdd(a, weights=a[0])
        m.histogram2d(a[0], a[0, 1:])
        m.bincount(a)
        m.bincount(a[0])
        m.bincount(m.array(3))
        m.bincount(m.array([[3]]))
        m.bincount(m.array([1, -1]))
        m.bincount(m.array([1, 2], dtype="uint64"))
        m.bincount(m.array([1, 2]), minlength=-1)
        m.bincount(m.array([1, 2]), minlength=None)
        m.bincount(m.array([1, 2]), a[0])
        m.bincount(m.array([1, 2]), m.array([1j, 2]))
        m.bincount(m.array([1, 2]), m.array([[1, 2]]))
    """
    compare(calls, np.arange(12.0).reshape(4, 3), layouts=("contiguous",))


def test_of_bools():
    with pytest.warns(RuntimeWarning, match="Converting input from bool to"):
        counts, edges = tn.histogram(tn.array([True, False, True]), 2)
    assert_same((counts, edges), (np.array([1, 2]), np.array([0, 0.5, 1])))


def test_bins_on_the_device():
    host = np.random.default_rng(7).random(100)
    edges = tn.array([0.0, 0.25, 0.5, 1.0])
    with quiet():
        assert_same(tn.histogram(tn.array(host), edges), np.histogram(host, edges.get()))
        assert_same(tn.histogram(tn.array(host), tn.array(5)), np.histogram(host, 5))
        assert_same(tn.histogram(tn.array(host), 3, (tn.array(0.1), 1)), np.histogram(host, 3, (0.1, 1)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(("ends", "bins"), [((-1, 1), 7), ((0, 1e30), 50), ((1e6, 1e6 + 9), 33), ((-3, 5), 1000)])
def test_values_close_to_edges(dtype, ends, bins):
    """On an edge, one step of the dtype beside it, far from all edges, outside and NaN."""
    edges = np.histogram_bin_edges(np.zeros(1, dtype), bins, ends).astype(dtype)
    up, down = (np.nextafter(edges, np.array(end, dtype)) for end in (np.inf, -np.inf))
    odd = np.array([np.nan, np.inf, -np.inf, ends[0] - 1, ends[1] * 2], dtype)
    between = np.random.default_rng(1).uniform(*ends, 999).astype(dtype)
    values = np.concatenate((edges, up, down, odd, between))
    expected = np.histogram(values, bins, ends)
    ours = tn.histogram(tn.asarray(values), bins, ends)
    assert_same(ours[0], expected[0])
    assert_same(ours[1], expected[1])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_extent_of_every_length(dtype):
    values = np.random.default_rng(2).normal(size=200).astype(dtype)
    for size in (*range(1, 80), 127, 128, 129, 200):
        for part in (values[:size], -np.sort(values[:size])):
            assert tn._core._extent(tn.asarray(part)) == (part.min(), part.max())
    values[150] = np.nan
    assert all(np.isnan(end) for end in tn._core._extent(tn.asarray(values)))
