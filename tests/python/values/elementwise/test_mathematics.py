"""Rounding, clipping and parts of numbers, against NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, both, grid
from oracle import Report

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("name", ["round", "around"])
def test_round(name):
    report = Report()
    for dtype, decimals in itertools.product(DTYPES, (0, 1, 2, 5, -1, -2)):
        x = grid(dtype)
        if np.dtype(dtype).kind in "fc":
            x = np.where(np.isfinite(x), x, 1).astype(dtype)
        a = tn.array(x)
        report.check(
            f"{dtype} {decimals}",
            lambda: getattr(tn, name)(a, decimals),
            lambda: getattr(np, name)(x, decimals),
            zero_sign=False,
        )
    x, a = both(grid("float32"))
    out, made = np.zeros((7, 9), "f4"), tn.zeros((7, 9), "f4")
    report.check("out", lambda: tn.round(a, 1, out=made), lambda: np.round(x, 1, out=out), zero_sign=False)
    report.check(
        "out of ints",
        lambda: tn.round(tn.arange(4), out=tn.zeros(4, "i8")),
        lambda: np.round(np.arange(4), out=np.zeros(4, "i8")),
    )
    report.check(
        "out too narrow",
        lambda: tn.round(a, 1, out=tn.zeros((7, 9), "i4")),
        lambda: np.round(x, 1, out=np.zeros((7, 9), "i4")),
    )
    report.close()


def test_clip():
    report = Report()
    limits = [(0, 3), (None, 2), (-1, None), (2.5, 3.5), (-1000, 1000), (5, 1)]
    for dtype in DTYPES:
        x, a = both(grid(dtype))
        for low, high in limits:
            report.check(
                f"{dtype} {low} {high}", lambda: tn.clip(a, low, high), lambda: np.clip(x, low, high), zero_sign=False
            )
            report.check(
                f"{dtype} named {low} {high}",
                lambda: tn.clip(a, min=low, max=high),
                lambda: np.clip(x, min=low, max=high),
                zero_sign=False,
            )
        if np.dtype(dtype).kind != "b":
            report.check(f"{dtype} none", lambda: tn.clip(a), lambda: np.clip(x))
        report.check(
            f"{dtype} arrays", lambda: tn.clip(a, a[0], a[:, :1]), lambda: np.clip(x, x[0], x[:, :1]), zero_sign=False
        )
    x, a = both(grid("int16"))
    report.check("one", lambda: tn.clip(a, 1), lambda: np.clip(x, 1))
    report.check("both ways", lambda: tn.clip(a, 1, 2, min=3), lambda: np.clip(x, 1, 2, min=3))
    report.check("out", lambda: tn.clip(a, 1, 2, out=a), lambda: np.clip(x, 1, 2, out=x))
    report.close()


def test_numbers():
    report = Report()
    for dtype in DTYPES:
        x, a = both(grid(dtype))
        report.check(f"nan_to_num {dtype}", lambda: tn.nan_to_num(a), lambda: np.nan_to_num(x))
        report.check(
            f"nan_to_num {dtype} given",
            lambda: tn.nan_to_num(a, nan=1, posinf=2, neginf=3),
            lambda: np.nan_to_num(x, nan=1, posinf=2, neginf=3),
        )
        report.check(f"in place {dtype}", lambda: tn.nan_to_num(a, copy=False), lambda: np.nan_to_num(x, copy=False))
        report.check(f"angle {dtype}", lambda: tn.angle(a), lambda: np.angle(x), 8)
        report.check(f"degrees {dtype}", lambda: tn.angle(a, deg=True), lambda: np.angle(x, deg=True), 8)
        report.check(f"real_if_close {dtype}", lambda: tn.real_if_close(a), lambda: np.real_if_close(x))
        report.check(f"fix {dtype}", lambda: tn.fix(a), lambda: np.fix(x))
        assert tn.iscomplexobj(a) == np.iscomplexobj(x) and tn.isrealobj(a) == np.isrealobj(x)
    x, a = np.array([1 + 1e-17j, 2]), tn.array([1 + 1e-17j, 2])
    report.check("real_if_close", lambda: tn.real_if_close(a), lambda: np.real_if_close(x))
    report.close()
    assert tn.isscalar(3) and not tn.isscalar(tn.array(3)) and tn.isfortran(tn.ones((2, 3), order="F"))
    assert tn.iscomplexobj(1j) and not tn.iscomplexobj(2)
