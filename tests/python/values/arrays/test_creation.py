"""Requirements of arrays, and matrices of powers, against NumPy."""

import pytest
import tenorite as tn
from calls import compare
from generator import ordinary

pytestmark = pytest.mark.quick


def test_requirements():
    """The flags are as required, and nothing is copied for nothing."""
    a = tn.ones((3, 4))
    assert tn.require(a) is a and tn.require(a, "f8", ["C", "W"]) is a
    assert tn.require(a, requirements="F").flags.f_contiguous and tn.require(a[1:], requirements="O").flags.owndata
    assert tn.require(tn.broadcast_to(a, (2, 3, 4)), requirements="W").flags.writeable

    class Kind(tn.ndarray):
        pass

    assert type(tn.require(a.view(Kind))) is Kind and type(tn.require(a.view(Kind), requirements="E")) is tn.ndarray


VANDER = """
    m.vander(a[0])
    m.vander(a[0], 3)
    m.vander(a[0], 3, increasing=True)
    m.vander(a[0], 0)
    m.vander(a[0], 1)
    m.vander(a)
"""


@pytest.mark.parametrize("dtype", ["int16", "float32", "complex128"])
def test_vander(dtype):
    compare(
        VANDER,
        ordinary(dtype, 12).reshape(3, 4) % 5 if dtype == "int16" else ordinary(dtype, 12).reshape(3, 4),
        ulp=1024,
        zero_sign=False,
        layouts=("contiguous", "fortran", "negative"),
    )
