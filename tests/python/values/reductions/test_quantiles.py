"""Medians, percentiles and quantiles against NumPy: every method, dtype, axis, weights, NaN, and
each error."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from calls import compare
from generator import DTYPES, FLOATS, ordinary
from oracle import Report, assert_same, quiet

pytestmark = pytest.mark.quick


METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear "
    "median_unbiased normal_unbiased lower higher midpoint nearest"
).split()
REAL = [dtype for dtype in DTYPES if dtype[0] != "c" and dtype != "bool"]
QUANTILES = (
    0.5,
    0,
    1,
    0.37,
    [0.25, 0.5],
    [],
    [[0.1, 0.9], [0.0, 1.0]],
    np.float32(0.3),
    np.linspace(0, 1, 11),
    np.array([0.1, 0.7], np.float32),
)


def values(dtype, shape, seed=0, nan=0):
    host = ordinary(dtype, int(np.prod(shape)), seed).reshape(shape)
    if nan and host.dtype.kind == "f":
        host.ravel()[np.random.default_rng(seed).choice(host.size, nan, replace=False)] = np.nan
    return host


def check(report, name, host, q, ulp=0, **arguments):
    ours = tn.array(host)
    theirs = dict(arguments)
    if "weights" in arguments:
        arguments["weights"] = tn.array(arguments["weights"])
    label = f"{name}({host.dtype}{host.shape}, {q!r}, {theirs})"
    report.check(
        label,
        lambda: getattr(tn, name)(ours, q, **arguments),
        lambda: np.asarray(getattr(np, name)(host, q, **theirs)),
        ulp,
    )


@pytest.mark.parametrize("method", METHODS)
def test_methods(method):
    report = Report()
    for dtype, q in itertools.product(REAL, QUANTILES):
        for n in (1, 2, 7, 10):
            check(report, "quantile", values(dtype, n), q, method=method)
        check(report, "quantile", values(dtype, (4, 5, 3)), q, axis=1, method=method)
    report.close(300)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("dtype", ["int32", *FLOATS])
def test_axes(name, dtype):
    report = Report()
    for nan in (0, 9):
        host = values(dtype, (3, 4, 5), 1, nan)
        for axis in (None, 0, -1, (0, 2), (2, 0), (0, 1, 2), ()):
            for q, keepdims in itertools.product((0.5, [0.2, 0.9]), (False, True)):
                # NumPy's apply_along_axis gives rows that its first row has the dtype of
                check(report, name, host, q, axis=axis, keepdims=keepdims, method="hazen")
    report.close(40)


@pytest.mark.parametrize("method", METHODS)
def test_without_nan(method):
    report = Report()
    for dtype in FLOATS:
        host = values(dtype, (6, 9), 2, 20)
        host[0] = 1.5
        for q in (0.5, 0.21, [0.25, 0.5, 1]):
            for axis in (None, 0, 1):
                check(report, "nanquantile", host, q, axis=axis, method=method)
            check(report, "nanpercentile", host, np.multiply(q, 100), axis=1, method=method)
    report.close(36)


def test_order_of_result():
    """Over several axes, or an axis in front, the result lies in memory row by row, as in NumPy."""
    host = values("float64", (4, 3, 5))
    for method, axis in itertools.product(("lower", "linear"), (0, (0, 1), (2, 0))):
        assert tn.percentile(tn.array(host), [20, 50], axis=axis, method=method).flags.c_contiguous
        assert tn.quantile(tn.array(host), 0.3, axis=axis, method=method, keepdims=True).flags.c_contiguous


def test_nan():
    report = Report()
    host = values("float64", (5, 8), 3, 6)
    for method, axis in itertools.product(METHODS, (None, 0, 1)):
        check(report, "percentile", host, [20, 50], axis=axis, method=method)
    alone = np.array([[np.nan, np.nan], [1, 2]])
    check(report, "nanquantile", alone, 0.5, axis=1)
    check(report, "nanquantile", alone, 0.5, axis=1, method="inverted_cdf", weights=np.ones((2, 2)))
    report.close(40)


def test_weights():
    report = Report()
    random = np.random.default_rng(4)
    for dtype, name in itertools.product(("int16", *FLOATS), ("quantile", "nanquantile")):
        host = values(dtype, (4, 6), 5, 4 if name == "nanquantile" else 0)
        for weights in (np.ones((4, 6)), random.integers(0, 3, (4, 6)) + (np.arange(6) == 2), random.random((4, 6))):
            for axis, q in itertools.product((None, 0, 1), (0.5, [0, 0.3, 1])):
                check(report, name, host, q, axis=axis, weights=weights, method="inverted_cdf")
        if name == "quantile":  # NumPy's nanquantile takes one weight of those
            check(report, name, host, [0.5], axis=1, weights=random.random(6), method="inverted_cdf")
        check(report, name, host, 0.5, axis=1, weights=random.random(5), method="inverted_cdf")
        check(report, name, host, 0.5, weights=random.random(6), method="inverted_cdf")
        check(report, name, host, 0.5, weights=random.random((4, 6)))
        check(report, name, host, 0.5, weights=-random.random((4, 6)), method="inverted_cdf")
        if name == "quantile":
            check(report, name, host, 0.5, weights=np.zeros((4, 6)), method="inverted_cdf")
    report.close(150)


@pytest.mark.parametrize("dtype", DTYPES)
def test_median(dtype):
    report = Report()
    for nan, shape in itertools.product((0, 5), [(7,), (10,), (3, 4), (2, 6, 5), (0,), (0, 3), (3, 0), ()]):
        host = values(dtype, shape, 6, min(nan, int(np.prod(shape))))
        for name, axis, keepdims in itertools.product(("median", "nanmedian"), (None, 0, -1, (0, 1)), (False, True)):
            if host.dtype.kind == "c" and (name == "nanmedian" or host.size == 0):
                continue
            ours = tn.array(host)
            report.check(
                f"{name} {host.shape} {axis} {keepdims} {nan}",
                lambda: getattr(tn, name)(ours, axis, keepdims=keepdims),
                lambda: np.asarray(getattr(np, name)(host, axis, keepdims=keepdims)),
                ulp=1,
            )
    report.close(80)


def test_errors():
    calls = """
        m.percentile(a, 101)
        m.percentile(a, [5, -1])
        m.quantile(a, 1.5)
        m.quantile(a, m.nan)
        m.quantile(a, 0.5, method="foo")
        m.quantile(a, 0.5, axis=3)
        m.quantile(a, 0.5, axis=(0, 0))
        m.quantile(a * 1j, 0.5)
        m.nanpercentile(a * 1j, 0.5)
        m.quantile(a, [[[0.5]]])
        m.quantile(a[:0], 0.5)
        m.quantile(a[:0], 0.5, axis=0)
        m.quantile(a[:0], 0.5, axis=1)
        m.nanquantile(a[:0], 0.5)
        m.quantile(a > 1, 0.5)
        m.quantile(a > 1, 0.5, method="lower")
        m.median(a, axis=2)
        m.median(a, out=m.zeros(4))
        m.median(a, 0, m.zeros(3, dtype=int))
    """
    compare(calls, np.arange(12.0).reshape(4, 3), layouts=("contiguous",))


def test_out_and_overwriting():
    host = values("float64", (6, 5), 7)
    ours = tn.array(host)
    out = tn.zeros((2, 6), dtype=np.float64)
    assert tn.quantile(ours, [0.2, 0.7], axis=1, out=out) is out
    assert_same(out, np.quantile(host, [0.2, 0.7], axis=1))
    kept = tn.zeros((1, 5))
    assert tn.median(ours, axis=0, out=kept, keepdims=True) is kept
    assert_same(kept, np.median(host, axis=0, keepdims=True))
    assert_same(ours, host)
    assert_same(tn.median(ours, axis=0, overwrite_input=True), np.median(host, axis=0))
    assert_same(tn.sort(ours, axis=0), np.sort(host, axis=0))
    with pytest.raises(TypeError, match="out must be an array"):
        tn.median(ours, out=np.zeros(()))


def test_large():
    """More than a thread takes, and q on the device."""
    host = np.random.default_rng(8).normal(size=100_003).astype(np.float32)
    ours = tn.array(host)
    for q in (50, [1, 25, 50, 75, 99], tn.array([3.0, 60.0])):
        theirs = q.get() if isinstance(q, tn.ndarray) else q
        with quiet():
            assert_same(tn.percentile(ours, q), np.asarray(np.percentile(host, theirs)))
    assert_same(tn.median(ours), np.asarray(np.median(host)))
    assert_same(tn.percentile(ours, 30, interpolation="lower"), np.asarray(np.percentile(host, 30, method="lower")))
