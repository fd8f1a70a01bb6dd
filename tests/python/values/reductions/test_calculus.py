"""Differences, integrals and unwrapping, against NumPy."""

import numpy as np
import pytest
from calls import compare
from generator import DTYPES, Bound, ordinary

pytestmark = pytest.mark.quick

DIFFERENCES = """
    m.ediff1d(a)
    m.ediff1d(a, to_end=b[0, :2])
    m.ediff1d(a, to_begin=b[0, :2], to_end=b[1, :1])
    m.ediff1d(a[:1, :1])
    m.trapezoid(a)
    m.trapezoid(a, axis=0)
    m.trapezoid(a, dx=0.5)
    m.trapezoid(a, x=m.arange(a.shape[1]))
    m.trapezoid(a, x=m.arange(99))
    m.trapezoid(a, axis=5)
"""

GRADIENTS = """
    m.gradient(a)
    m.gradient(a, 2.0)
    m.gradient(a, 2, 0.5)
    m.gradient(a, axis=0)
    m.gradient(a, axis=(1, 0))
    m.gradient(a, 2.0, axis=-1)
    m.gradient(a, edge_order=2)
    m.gradient(a, edge_order=2, axis=1)
    m.gradient(a, m.array([1.0, 2, 4, 8, 9]), axis=0)
    m.gradient(a, m.array([1.0, 2, 4, 8, 9]), axis=0, edge_order=2)
    m.gradient(a, m.array([1.0, 2, 4, 8, 9]), 2.0)
    m.gradient(a, m.array([1, 2]), axis=0)
    m.gradient(a, m.ones((2, 2)), axis=0)
    m.gradient(a, 1, 2, 3)
    m.gradient(a, edge_order=3)
    m.gradient(a[:1])
    m.gradient(a[:2], edge_order=2)
    m.gradient(a, axis=7)
    m.gradient(a[0])
"""

UNWRAP = """
    m.unwrap(a)
    m.unwrap(a, axis=0)
    m.unwrap(a * 5, discont=4)
    m.unwrap(a * 9, period=4)
    m.unwrap(a * 9, period=4.0)
    m.unwrap(a * 9, period=5)
    m.unwrap(a.ravel())
"""


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_differences(dtype):
    x, y = (ordinary(dtype, 20, seed).reshape(5, 4) for seed in (1, 2))
    if np.dtype(dtype).kind not in "fc":
        x, y = x % 50, y % 50
    compare(DIFFERENCES, x, y, ulp=64)
    # Steps to both sides: the sum of the terms' magnitudes is what their errors are measured by.
    terms = abs(np.diff(y) * (x[:, 1:] + x[:, :-1]) / 2.0)
    compare("m.trapezoid(a, x=b)", x, y, ulp=Bound(8, float(terms.sum(axis=-1, dtype="f8").max())))
    compare(GRADIENTS, x, ulp=64)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_unwrap(dtype):
    compare(UNWRAP, ordinary(dtype, 20).reshape(5, 4), ulp=64, layouts=("contiguous", "fortran", "negative"))


def test_unwrap_integers():
    compare(
        "m.unwrap(a, period=6)\nm.unwrap(a, period=7)\nm.unwrap(a, period=6, axis=0)",
        (np.arange(20) ** 3 % 17).reshape(5, 4),
    )
