"""Strided views and sliding windows, against NumPy."""

import numpy as np
import pytest
import tenorite as tn
from calls import compare
from generator import DTYPES, grid
from oracle import assert_same

pytestmark = pytest.mark.quick

STRIDES = """
    m.lib.stride_tricks.sliding_window_view(a, (2, 2))
    m.lib.stride_tricks.sliding_window_view(a, 2, axis=1)
    m.lib.stride_tricks.sliding_window_view(a, (2, 2), axis=(1, 1))
    m.lib.stride_tricks.sliding_window_view(a.ravel(), 5)
    m.lib.stride_tricks.sliding_window_view(a, 2)
    m.lib.stride_tricks.sliding_window_view(a, (9, 9))
    m.lib.stride_tricks.sliding_window_view(a, (-1, 1))
    m.lib.stride_tricks.sliding_window_view(a, (1, 1), axis=0)
    m.lib.stride_tricks.as_strided(a, (2, 2), (a.strides[0], 0))
    m.lib.stride_tricks.as_strided(a, (2,))
    m.lib.stride_tricks.as_strided(a)
"""


@pytest.mark.parametrize("dtype", DTYPES)
def test_strides(dtype):
    compare(STRIDES, grid(dtype, 3, 4), layouts=("contiguous", "fortran", "negative", "strided"))


def test_strided_views():
    """Windows are read-only views of the memory; a view cannot reach out of it."""
    a = tn.arange(10)
    tricks = tn.lib.stride_tricks
    windows = tricks.sliding_window_view(a, 3)
    assert tn.shares_memory(windows, a) and not windows.flags.writeable
    writeable = tricks.as_strided(a, (5,), (16,))
    writeable[...] = 0
    assert_same(a, np.arange(10) * (np.arange(10) % 2))
    assert not tricks.as_strided(a, writeable=False).flags.writeable
    assert not tricks.as_strided(windows).flags.writeable
    for shape, strides in (((11,), (8,)), ((2,), (80,)), ((2,), (-8,))):
        with pytest.raises(ValueError, match="outside"):
            tricks.as_strided(a, shape, strides)
