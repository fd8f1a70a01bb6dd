"""Functions along axes, against NumPy."""

import pytest
from calls import compare
from generator import ordinary

pytestmark = pytest.mark.quick

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
"""


@pytest.mark.parametrize("dtype", ["int16", "float32", "complex128"])
def test_functions(dtype):
    compare(
        FUNCTIONS,
        ordinary(dtype, 12).reshape(3, 4) % 5 if dtype == "int16" else ordinary(dtype, 12).reshape(3, 4),
        ulp=1024,
        zero_sign=False,
        layouts=("contiguous", "fortran", "negative"),
    )
