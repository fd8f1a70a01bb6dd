"""Functions that take lists and NumPy arrays, as CuPy's do; and ufuncs of SciPy."""

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same

pytestmark = pytest.mark.quick

ROWS = np.array([[1.0, 2.5, -3.0], [4.0, 0.5, 6.0]])
ROW = np.array([3.0, 1.0, 2.0, 1.0])
CALLS = {
    "isclose": lambda xp, v: xp.isclose(v, v),
    "allclose": lambda xp, v: xp.allclose(v, ROW.tolist()),
    "unique": lambda xp, v: xp.unique(v),
    "real": lambda xp, v: xp.real(v),
    "imag": lambda xp, v: xp.imag(v),
    "around": lambda xp, v: xp.around(v, 1),
    "diff": lambda xp, v: xp.diff(v),
    "gradient": lambda xp, v: xp.gradient(v),
    "unwrap": lambda xp, v: xp.unwrap(v),
    "cov": lambda xp, v: xp.cov(v),
    "cov of two": lambda xp, v: xp.cov(v, v),
    "corrcoef": lambda xp, v: xp.corrcoef(v, v),
    "average": lambda xp, v: xp.average(v, weights=v),
    "histogramdd": lambda xp, v: xp.histogramdd(xp.ones((4, 2)), weights=v)[0],
    "fftshift": lambda xp, v: xp.fft.fftshift(v),
    "ifftshift": lambda xp, v: xp.fft.ifftshift(v),
    "polyval": lambda xp, v: xp.polyval(xp.ones(3), v),
    "cross": lambda xp, v: xp.cross(v[:3], v[1:]),
}


@pytest.mark.parametrize("name", CALLS)
def test_host_values(name):
    for values in (ROW, ROW.tolist()):
        found = CALLS[name](tn, values)
        assert isinstance(found, tn.ndarray)
        assert_same(found, np.asarray(CALLS[name](np, values)), ulp=4)


def test_host_values_beside_arrays():
    a = tn.asarray(ROWS)
    assert tn.isclose(a, ROWS).all() and tn.allclose(ROWS, a) and tn.average(a, weights=ROWS * ROWS).ndim == 0
    assert tn.scipy.linalg.bandwidth(ROWS[:, :2]) == (1, 1)
    assert_same(tn.scipy.linalg.solve_triangular(np.eye(2) * 2, [1.0, 2.0]), np.array([0.5, 1.0]), ulp=0)
    for kind in ("f4", "i2"):
        assert tn.result_type(tn.ones(2, kind), np.ones(2, "f2"), np.int8) == np.result_type(kind, "f2", "i1")
    with pytest.raises(TypeError, match="Unsupported type"):
        tn.add(a, ROWS)
    with pytest.raises(TypeError):
        tn.result_type(np.ones(2), object())


def test_ufuncs_of_scipy():
    """SciPy's ufuncs find ours by their name, those that we lack are a TypeError."""
    ufuncs = pytest.importorskip("scipy.special._ufuncs")
    a = tn.array([0.5, 2.0])
    assert_same(ufuncs.erf(a), ufuncs.erf(a.get()), ulp=8)
    assert isinstance(ufuncs.xlogy(a, a), tn.ndarray)
    with pytest.raises(TypeError):
        ufuncs.mathieu_a(a, a)


def test_public_names_are_those_of_the_standard():
    """What dir() shows is what array_api_compat copies: nothing that a file imports for itself."""
    for module in (tn.fft, tn.linalg):
        assert {name for name in dir(module) if name[0] != "_"} == set(module.__all__)
    for name in dir(tn):
        assert hasattr(tn, name), name
