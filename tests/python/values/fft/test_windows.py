"""Windows, against NumPy."""

import pytest
from calls import compare
from generator import ordinary

pytestmark = pytest.mark.quick

WINDOWS = """
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
def test_windows(dtype):
    compare(
        WINDOWS,
        ordinary(dtype, 12).reshape(3, 4) % 5 if dtype == "int16" else ordinary(dtype, 12).reshape(3, 4),
        ulp=1024,
        zero_sign=False,
        layouts=("contiguous", "fortran", "negative"),
    )
