"""Correlations, convolutions and interpolation against NumPy: every mode, dtype, length, and
each error."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from calls import compare
from generator import DTYPES, ordinary
from oracle import Report

pytestmark = pytest.mark.quick

LENGTHS = ((1, 1), (5, 3), (3, 5), (4, 4), (63, 7), (64, 1), (129, 64), (300, 200), (7, 600), (1500, 6))


def row(dtype, count, seed):
    host = ordinary(dtype, count, seed)
    return (host.astype(np.float32) % 8).astype(dtype) if dtype == "float16" else host


def bound(dtype, taps):
    """Units in the last place of the largest product; NumPy adds up in another order."""
    if np.dtype(dtype).kind not in "fc":
        return 0
    return type("Ulp", (float,), {"least": 1000.0})(taps + 8)


@pytest.mark.parametrize("mode", ["valid", "same", "full"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows(dtype, mode):
    report = Report()
    for n, m in LENGTHS:
        a, v = row(dtype, n, 1), row(dtype, m, 2)
        for name in ("correlate", "convolve"):
            report.check(
                f"{name} {dtype} {n} {m} {mode}",
                lambda: getattr(tn, name)(tn.array(a), tn.array(v), mode),
                lambda: getattr(np, name)(a, v, mode),
                bound(dtype, min(n, m)),
                zero_sign=False,
            )
    report.close(20)


def test_mixed_and_strided():
    report = Report()
    for one, other in itertools.product(DTYPES, ("uint8", "float32", "complex64")):
        a, v = row(one, 50, 3)[::-2], row(other, 12, 4)[::3]
        kind = np.result_type(a, v)
        report.check(
            f"{one} {other}",
            lambda: tn.convolve(tn.array(a), tn.array(v)),
            lambda: np.convolve(a, v),
            bound(kind, 12),
            zero_sign=False,
        )
    report.close(30)


def test_large():
    """Blocks of several threads, and windows of many chunks."""
    report = Report()
    random = np.random.default_rng(5)
    for n, m in ((40_000, 101), (3000, 2500)):
        for dtype in ("int64", "float32", "float64", "complex128"):
            a, v = (random.integers(-9, 9, k).astype(dtype) for k in (n, m))
            for mode in ("valid", "same", "full"):
                report.check(
                    f"{n} {m} {dtype} {mode}",
                    lambda: tn.convolve(tn.array(a), tn.array(v), mode),
                    lambda: np.convolve(a, v, mode),
                )
    report.close(20)


def test_infinities():
    """What lies beside the array is no zero that an infinite tap would make NaN."""
    a, v = np.array([1.0, 2, 3, 4]), np.array([np.inf, 1, -np.inf])
    report = Report()
    for mode in ("valid", "same", "full"):
        report.check(mode, lambda: tn.convolve(tn.array(a), tn.array(v), mode), lambda: np.convolve(a, v, mode))
    report.close(3)


def test_interp():
    report = Report()
    random = np.random.default_rng(6)
    for points, kind in itertools.product((1, 2, 3, 7, 60), ("f", "c", "i")):
        xp = np.sort(random.normal(size=points) * 3)
        fp = random.normal(size=points)
        fp = {"f": fp, "c": fp + 1j * random.normal(size=points), "i": (fp * 9).astype(int)}[kind]
        for x in (
            np.concatenate([xp, random.normal(size=40) * 4, [np.nan, np.inf, -np.inf, 0.0]]),
            np.sort(random.random((4, 25)) * 6 - 3),
            np.array(0.5),
            np.zeros((0, 3)),
            np.arange(5),
        ):
            for left, right in ((None, None), (-7, 8.5)):
                report.check(
                    f"{points} {kind} {x.shape} {left}",
                    lambda: tn.interp(tn.array(x), tn.array(xp), tn.array(fp), left, right),
                    lambda: np.asarray(np.interp(x, xp, fp, left, right)),
                )
    infinite = np.array([0.0, 1, np.inf, 3, np.inf, np.inf])
    x = np.linspace(-1, 6, 29)
    report.check(
        "infinite",
        lambda: tn.interp(tn.array(x), tn.arange(6), tn.array(infinite)),
        lambda: np.interp(x, np.arange(6), infinite),
    )
    report.close(100)


def test_period():
    report = Report()
    x = np.array([-180, -170, -185, 185, -10, -5, 0, 365.0])
    xp, fp = np.array([190, -190, 350, -350]), np.array([5.0, 10, 3, 4])
    for period, values in itertools.product((360, -360.0, 11), (fp, fp * 1j)):
        report.check(
            f"{period}",
            lambda: tn.interp(tn.array(x), tn.array(xp), tn.array(values), 1, 2, period),
            lambda: np.interp(x, xp, values, 1, 2, period),
        )
    report.close(6)


def test_errors():
    calls = """
        m.correlate(a, a, "foo")
        m.correlate(a, a, 3)
        m.correlate(a, a, None)
        m.correlate(a, a, 1)
        m.correlate(a, a, "F")
        m.correlate(a[:0], a)
        m.correlate(a, a[:0])
        m.correlate(a, m.array(1))
        m.correlate(m.array([[1, 2]]), a)
        m.convolve(a, m.array(2))
        m.convolve(m.array(2), a)
        m.convolve(a, m.array([[1, 2]]))
        m.convolve(a[:0], a)
        m.convolve(a, a[:0])
        m.interp(1.5, a, a)
        m.interp(a * 1j, a, a)
        m.interp(a, a * 1j, a)
        m.interp(a, a, a, 1j)
        m.interp(a, a, a, "x")
        m.interp(a, a, a * 1j, 1j)
        m.interp(a, a[:0], a[:0])
        m.interp(a, a, a[:2])
        m.interp(a, m.array([[1, 2]]), m.array([[1, 2]]))
        m.interp(a, a, a, period=0)
        m.interp(a, m.array([[1, 2]]), m.array([[1, 2]]), period=3)
    """
    lines = [line.strip() for line in calls.strip().splitlines()]
    compare(
        "\n".join(lines).replace("m.interp(1.5, a, a)", "m.asarray(m.interp(1.5, a, a))"),
        np.arange(1.0, 5.0),
        layouts=("contiguous",),
    )
