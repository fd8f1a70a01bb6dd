"""Averages, covariances and counts, against NumPy."""

import numpy as np
import pytest
from calls import compare
from generator import ordinary

pytestmark = pytest.mark.quick

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
