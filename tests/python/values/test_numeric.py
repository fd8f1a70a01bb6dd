"""Differences, integrals, statistics and windows, against NumPy."""

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
STATISTICS = """
    m.cov(a)
    m.cov(a, rowvar=False)
    m.cov(a, bias=True)
    m.cov(a, ddof=0)
    m.cov(a, ddof=2)
    m.cov(a, b)
    m.cov(a[0])
    m.cov(a[0], b[0])
    m.cov(a, fweights=m.arange(a.shape[1]))
    m.cov(a, aweights=m.arange(a.shape[1]) + 0.5)
    m.cov(a, fweights=m.arange(a.shape[1]), aweights=m.arange(a.shape[1]) + 0.5)
    m.cov(a, fweights=m.arange(a.shape[1]), aweights=m.arange(a.shape[1]) + 0.5, ddof=0)
    m.cov(a, fweights=m.arange(2))
    m.cov(a, fweights=-1 - m.arange(a.shape[1]))
    m.cov(a, fweights=m.arange(a.shape[1]) + 0.5)
    m.cov(a[None])
    m.cov(a, ddof=0.5)
    m.corrcoef(a)
    m.corrcoef(a, rowvar=False)
    m.corrcoef(a[0], b[0])
    m.corrcoef(a[0])
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
    compare("m.unwrap(a, period=6)\nm.unwrap(a, period=7)\nm.unwrap(a, period=6, axis=0)",
            (np.arange(20) ** 3 % 17).reshape(5, 4))  # fmt: skip


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "float64", "complex64", "complex128"])
def test_statistics(dtype):
    """Weak bounds: sums of products, and differences of nearly equal means."""
    lines = STATISTICS
    x, y = (ordinary(dtype, 20, seed).reshape(4, 5) for seed in (1, 2))
    if np.dtype(dtype).kind == "i":
        x, y = x % 50, y % 50
    compare(lines, x, y, ulp=1e5, zero_sign=False, layouts=("contiguous", "fortran", "negative"))


BINCOUNT = """
    m.bincount(a.ravel())
    m.bincount(a.ravel(), minlength=20)
    m.bincount(a.ravel(), weights=a.ravel() * 0.5)
    m.bincount(a.ravel(), m.ones(3))
    m.bincount(a.ravel()[:0])
    m.bincount(a.ravel()[:0], minlength=3)
    m.bincount(a)
    m.bincount(a[0, 0])
    m.bincount(a.ravel() - 9)
    m.bincount(a.ravel() * 0.5)
    m.bincount(a.ravel(), minlength=-1)
"""


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_bincount(dtype):
    lines = BINCOUNT if dtype[0] == "i" else BINCOUNT.replace("m.bincount(a.ravel() - 9)\n", "")
    compare(lines, (np.arange(20) ** 2 % 7).reshape(4, 5).astype(dtype))


FUNCTIONS = """
    m.apply_along_axis(lambda v: v.sum(), 0, a)
    m.apply_along_axis(lambda v: v[::-1], 1, a)
    m.apply_along_axis(lambda v, k: v[:2] * k, 0, a, 3)
    m.apply_along_axis(lambda v: v[:, None] * v[:2], -1, a)
    m.apply_along_axis(lambda v: v.max(), 0, a[0])
    m.apply_along_axis(lambda v: v, 0, a[:, :0])
    m.apply_along_axis(lambda v: v, 5, a)
    m.apply_over_axes(m.sum, a, 0)
    m.apply_over_axes(m.sum, a, [0, 1])
    m.apply_over_axes(m.sum, a, (0, -1))
    m.apply_over_axes(lambda v, axis: v, a, [0])
    m.vander(a[0])
    m.vander(a[0], 3)
    m.vander(a[0], 3, increasing=True)
    m.vander(a[0], 0)
    m.vander(a[0], 1)
    m.vander(a)
    m.bartlett(a.shape[0] + 7)
    m.blackman(9)
    m.hamming(10)
    m.hanning(11)
    m.kaiser(12, 3.5)
    [getattr(m, name)(1) for name in ("bartlett", "blackman", "hamming", "hanning")]
    [getattr(m, name)(0) for name in ("bartlett", "blackman", "hamming", "hanning")]
    m.kaiser(1, 2)
    m.kaiser(0, 2)
"""


@pytest.mark.parametrize("dtype", ["int16", "float32", "complex128"])
def test_functions(dtype):
    compare(FUNCTIONS, ordinary(dtype, 12).reshape(3, 4) % 5 if dtype == "int16" else ordinary(dtype, 12).reshape(3, 4),
            ulp=1024, zero_sign=False, layouts=("contiguous", "fortran", "negative"))  # fmt: skip
