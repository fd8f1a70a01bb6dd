"""How the results of linear algebra lie in memory: as NumPy's, and SciPy's, do."""

import importlib

import numpy as np
import pytest
import tenorite as tn

RNG = np.random.default_rng(14)
SQUARE = RNG.standard_normal((4, 4)) + 4 * np.eye(4)
FULL = {
    "square": SQUARE @ SQUARE.T,
    "tall": RNG.standard_normal((5, 3)),
    "wide": RNG.standard_normal((3, 5)),
    "stack": np.stack([SQUARE @ SQUARE.T] * 6).reshape(2, 3, 4, 4),
    "column": RNG.standard_normal((5, 1)),
    "large": RNG.standard_normal((70, 70)) + 70 * np.eye(70),
}
LINES = {
    "cholesky": lambda m, a: m.cholesky(a @ a.swapaxes(-1, -2)),
    "cholesky of the upper triangle": lambda m, a: m.cholesky(a @ a.swapaxes(-1, -2), upper=True),
    "eig": lambda m, a: tuple(m.eig(a + 0j)),
    "eigh": lambda m, a: tuple(m.eigh(a)),
    "inv": lambda m, a: m.inv(a),
    "lstsq": lambda m, a: m.lstsq(a, a[:, :2])[0],
    "pinv": lambda m, a: m.pinv(a),
    "powers": lambda m, a: (m.matrix_power(a, -1), m.matrix_power(a, 2)),
    "qr": lambda m, a: (*m.qr(a), *m.qr(a, "complete"), m.qr(a, "r"), m.qr(a, "raw")[1]),
    "solve": lambda m, a: (m.solve(a, a[..., :3]), m.solve(a, a[..., :1])),
    "svd": lambda m, a: (*m.svd(a), *m.svd(a, full_matrices=False), m.svdvals(a)),
    "svd of Hermitian matrices": lambda m, a: tuple(m.svd(a, hermitian=True)),
    "tensorinv": lambda m, a: m.tensorinv(a, 1),
}
# Not for stacks, or not in order C.
APART = ("lstsq", "svd of Hermitian matrices", "tensorinv")
OF_SCIPY = {
    "cho_solve": lambda m, a: m.cho_solve(m.cho_factor(a, True), a),
    "expm": lambda m, a: m.expm(a),
    "lu": lambda m, a: m.lu(a),
    "lu_factor": lambda m, a: tuple(m.lu_factor(a)),
    "lu_solve": lambda m, a: m.lu_solve(m.lu_factor(a), a),
    "solve_triangular": lambda m, a: m.solve_triangular(a, a),
}


def strides(result):
    return [one.strides for one in (result if isinstance(result, tuple) else (result,))]


def run(function, module, a):
    """The result; a test is skipped that needs what the cuSOLVER of an old CUDA lacks."""
    try:
        return function(module, a)
    except NotImplementedError as error:
        if "cusolverDnXgeev" not in str(error):
            raise
        return pytest.skip(str(error))


def compare(function, ours, theirs, which, order):
    a = np.array(FULL[which], order=order)
    try:
        wanted = strides(function(theirs, a))
    except (ValueError, TypeError):  # no square matrices, or stacks
        pytest.skip("not for these shapes")
    assert strides(run(function, ours, tn.asarray(a, order=order))) == wanted


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("which", [name for name in FULL if name != "stack"])
@pytest.mark.parametrize("name", LINES)
def test_strides_are_numpys(name, which, order):
    compare(LINES[name], tn.linalg, np.linalg, which, order)


@pytest.mark.parametrize("name", [name for name in LINES if name not in APART])
@pytest.mark.parametrize("dtype", "fdFD")
def test_stacks_lie_in_order_c(name, dtype):
    a = FULL["stack"].astype(dtype)
    for made in (tn.asarray(a), tn.asarray(a, order="F"), tn.asarray(a).swapaxes(-1, -2)):
        result = run(LINES[name], tn.linalg, made)
        for one in result if isinstance(result, tuple) else (result,):
            assert one.flags.c_contiguous


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("which", ["square", "large"])
@pytest.mark.parametrize("name", OF_SCIPY)
def test_strides_are_scipys(name, which, order):
    theirs = pytest.importorskip("scipy.linalg")
    compare(OF_SCIPY[name], importlib.import_module("tenorite.scipy.linalg"), theirs, which, order)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("which", ["square", "large"])
def test_factors_of_cholesky_lie_in_order_f(which, order):
    """As SciPy 1.17 has them; other versions of SciPy have order C."""
    linalg = importlib.import_module("tenorite.scipy.linalg")
    a = tn.asarray(FULL[which], order=order)
    for factor in (linalg.cho_factor(a)[0], linalg.cholesky(a), linalg.cholesky(a, lower=True)):
        assert factor.flags.f_contiguous


def test_raw_reflectors():
    for order in "CF":
        a = np.array(FULL["tall"], order=order)
        h, tau = tn.linalg.qr(tn.asarray(a, order=order), "raw")
        wanted = np.linalg.qr(a, "raw")
        np.testing.assert_allclose(h.get(), wanted[0], rtol=1e-12)
        np.testing.assert_allclose(tau.get(), wanted[1], rtol=1e-12)
        assert h.flags.f_contiguous
