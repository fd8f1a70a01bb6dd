"""Comparisons of whole arrays, against NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from generator import both, grid
from oracle import Report

pytestmark = pytest.mark.quick


def test_closeness():
    report = Report()
    values = np.array([0.0, 1.0, 1 + 1e-9, 1.1, np.nan, np.inf, -np.inf, 1e-9, 1e20])
    for dtype in ("float16", "float32", "float64", "complex64"):
        with np.errstate(over="ignore"):
            x = values.astype(dtype)
        a = tn.array(x)
        for equal_nan, rtol in itertools.product((False, True), (1e-5, 0.2)):
            options = dict(rtol=rtol, equal_nan=equal_nan)
            for name in ("isclose",):
                report.check(
                    f"{name} {dtype} {options}",
                    lambda: getattr(tn, name)(a[:, None], a, **options),
                    lambda: getattr(np, name)(x[:, None], x, **options),
                )
        report.check(f"scalar {dtype}", lambda: tn.isclose(a, 1.0), lambda: np.isclose(x, 1.0))
    report.check("ints", lambda: tn.isclose(tn.arange(4), 2), lambda: np.isclose(np.arange(4), 2))
    report.close()
    a = tn.array(values)
    assert not tn.allclose(a, a) and tn.allclose(a, a, equal_nan=True)
    assert tn.allclose(a, a, equal_nan=True).shape == () and isinstance(tn.allclose(a, a), tn.ndarray)
    assert not tn.array_equal(a, a) and tn.array_equal(a, a, equal_nan=True) and not tn.array_equal(a, a[:2])
    assert tn.array_equiv(tn.ones(3), tn.ones((2, 3))) and not tn.array_equiv(tn.ones(3), tn.ones(2))
    assert tn.array_equal(tn.arange(3), tn.arange(3.0))


def test_sharing():
    """shares_memory is exact, may_share_memory looks at the ends; other devices and scalars share
    none."""
    calls = {
        "same": lambda m, a: (a, a),
        "parts": lambda m, a: (a[:2], a[2:]),
        "comb": lambda m, a: (a[::2], a[1::2]),
        "crossing": lambda m, a: (a[::2], a[:, 1]),
        "transposed": lambda m, a: (a.T, a[3:]),
        "copy": lambda m, a: (a, a.copy()),
        "empty": lambda m, a: (a[:0], a),
        "scalar": lambda m, a: (a, 3),
        "bytes": lambda m, a: (a, a.view(m.uint8)),
    }
    for layout in ("contiguous", "negative", "strided", "unaligned", "broadcast rows"):
        x, a = both(grid("int32"), layout)
        for label, call in calls.items():
            if label == "bytes" and layout != "contiguous":
                continue
            for name in ("shares_memory", "may_share_memory"):
                assert getattr(tn, name)(*call(tn, a)) is getattr(np, name)(*call(np, x)), label
    with tn.cuda.Device("host:1"):
        elsewhere = tn.zeros(3)
    assert not tn.shares_memory(elsewhere, elsewhere.to_device("host:0"))
