"""tenorite.scipy.linalg: residuals of factors and solutions in units of the dtype's epsilon,
special matrices against their definitions, SciPy's shapes, dtypes and errors."""

import doctest
import importlib
import inspect
import itertools
import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same, settle

LINALG = importlib.import_module("tenorite.scipy.linalg")
_functions = importlib.import_module("tenorite.scipy.linalg._functions")
DTYPES = "fdFD"
RNG = np.random.default_rng(14)
STACKS = [(), (3,), (2, 1, 3)]


def values(shape, dtype):
    data = 4 * RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        data = data + 1j * RNG.standard_normal(shape)
    return data.astype(dtype)


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


def wide(a):
    a = a.get() if isinstance(a, tn.ndarray) else np.asarray(a)
    return a.astype("D" if a.dtype.kind == "c" else "d")


def close(found, expected, dtype, factor, size=1.0):
    """Equal up to `factor` epsilons of the dtype times the norm of what is compared."""
    error = np.abs(wide(found) - wide(expected)).max(initial=0)
    assert error <= factor * np.finfo(dtype).eps * max(np.abs(wide(expected)).max(initial=0), size), error


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (7, 4), (4, 7), (40, 40), (0, 3), (3, 0)])
def test_lu(dtype, shape):
    for stack in STACKS:
        x = values((*stack, *shape), dtype)
        a, least, units = tn.array(x), min(shape), 10 * max(*shape)
        p, lower, upper = LINALG.lu(a)
        assert p.dtype == np.dtype(dtype.lower()) and lower.dtype == upper.dtype == np.dtype(dtype)
        assert lower.shape == (*stack, shape[0], least) and upper.shape == (*stack, least, shape[1])
        assert (np.tril(lower.get()) == lower.get()).all() and (np.triu(upper.get()) == upper.get()).all()
        assert (np.abs(lower.get()) <= 1.5).all()
        close(wide(p) @ wide(lower) @ wide(upper), x, dtype, units)
        at, lower, upper = LINALG.lu(a, p_indices=True)
        assert at.dtype == np.int32 and at.shape == (*stack, shape[0])
        product = wide(lower) @ wide(upper)
        close(np.take_along_axis(product, at.get()[..., None].astype("l"), -2), x, dtype, units)
        exchanged, upper = LINALG.lu(a, permute_l=True)
        close(wide(exchanged) @ wide(upper), x, dtype, units)


@pytest.mark.parametrize("dtype", [*DTYPES, "l"])
def test_lu_solve(dtype):
    kept = "d" if dtype == "l" else dtype
    for stack, n in itertools.product(STACKS, (1, 2, 6, 33)):
        x = values((*stack, n, n), dtype) + 9 * n * np.eye(n, dtype=dtype)
        factors = LINALG.lu_factor(tn.array(x))
        assert factors[0].dtype == np.dtype(kept) and factors[1].dtype == np.int32
        assert factors[1].shape == (*stack, n)
        for b, trans in itertools.product((values((n,), dtype), values((*stack, n, 3), dtype)), (0, 1, 2)):
            transposed = (x, x.swapaxes(-1, -2), adjoint(x))[trans]
            for solve in (lambda: LINALG.lu_solve(factors, tn.array(b), trans=trans),):
                found = solve()
                assert found.dtype == np.dtype(kept)
                columns = wide(found)[..., None] if b.ndim == 1 else wide(found)
                close(
                    wide(transposed) @ columns,
                    np.broadcast_to(b[:, None], columns.shape) if b.ndim == 1 else b,
                    kept,
                    20 * n,
                )


@pytest.mark.parametrize("dtype", DTYPES)
def test_cho_solve(dtype):
    for stack, n, lower in itertools.product(STACKS, (1, 2, 6, 33), (False, True)):
        half = values((*stack, n, n), dtype)
        x = half @ adjoint(half) + 16 * n * np.eye(n, dtype=dtype)
        # Only one triangle is read.
        read = (np.tril if lower else np.triu)(x)
        c, is_lower = LINALG.cho_factor(tn.array(read), lower=lower)
        assert is_lower is lower
        product = wide(c) @ adjoint(wide(c)) if lower else adjoint(wide(c)) @ wide(c)
        close(product, x, dtype, 10 * n)
        junk = tn.array(np.triu(np.full((n, n), 7), 1).astype(dtype))
        for b in (values((n,), dtype), values((*stack, n, 2), dtype)):
            found = LINALG.cho_solve((c + (junk if lower else junk.T), lower), tn.array(b))
            columns = wide(found)[..., None] if b.ndim == 1 else wide(found)
            expected = np.broadcast_to(b[:, None], columns.shape) if b.ndim == 1 else b
            close(wide(x) @ columns, expected, dtype, 100 * n)


@pytest.mark.parametrize("dtype", DTYPES)
def test_solve_triangular(dtype):
    for stack, n, lower, unit in itertools.product(STACKS, (1, 4, 30), (False, True), (False, True)):
        x = values((*stack, n, n), dtype) + 30 * np.eye(n, dtype=dtype)
        if unit:
            x /= np.dtype(dtype).type(8 * n)
        triangle = (np.tril if lower else np.triu)(x, (-1 if lower else 1) if unit else 0) + unit * np.eye(n)
        for trans, transposed in zip((0, "T", 2), (triangle, triangle.swapaxes(-1, -2), adjoint(triangle))):
            b = values((*stack, n, 2), dtype)
            found = LINALG.solve_triangular(tn.array(x), tn.array(b), trans=trans, lower=lower, unit_diagonal=unit)
            assert found.dtype == np.dtype(dtype)
            close(wide(transposed) @ wide(found), b, dtype, 50 * n)


def test_triangles_and_vectors():
    """As many vectors as triangles: each has its own, as in CuPy; SciPy would see one matrix."""
    x, b = values((2, 3, 3), np.float64) + 30 * np.eye(3), values((2, 3), np.float64)
    found = LINALG.solve_triangular(tn.array(x), tn.array(b), lower=True)
    close(np.einsum("sij,sj->si", np.tril(x), found.get()), b, np.float64, 50)


def test_singular():
    for stack in STACKS:
        a = tn.zeros((*stack, 2, 2))
        with pytest.warns(tn.scipy.linalg.LinAlgWarning, match="Diagonal number 1 is exactly zero. Singular matrix."):
            LINALG.lu_factor(a)
        with pytest.raises(LINALG.LinAlgError):
            LINALG.solve_triangular(a, tn.ones((*stack, 2, 1)))
            settle()
        with pytest.raises(LINALG.LinAlgError):
            LINALG.cho_factor(a - tn.eye(2))
            settle()


@pytest.mark.quick
def test_refusals():
    a, b = tn.eye(3), tn.ones(3)
    factors = LINALG.lu_factor(a)
    for call, error, text in [
        (lambda: LINALG.lu(b), LINALG.LinAlgError, "at least two-dimensional"),
        (lambda: LINALG.lu_factor(b), LINALG.LinAlgError, "at least two-dimensional"),
        (lambda: LINALG.lu_solve(factors, b[:2]), ValueError, r"shapes of lu \(3, 3\) and b \(2,\)"),
        (lambda: LINALG.lu_solve(factors, b, trans=3), ValueError, "unknown trans"),
        (lambda: LINALG.lu_solve((a[:2], factors[1]), b), ValueError, "square"),
        (lambda: LINALG.cho_factor(a[:2]), ValueError, "square"),
        (lambda: LINALG.cho_solve((a, True), tn.ones(())), ValueError, "incompatible"),
        (lambda: LINALG.solve_triangular(a, b, trans="X"), ValueError, "'X' is none of"),
        (lambda: LINALG.expm(b), LINALG.LinAlgError, "at least two-dimensional"),
        (lambda: LINALG.expm(a[:2]), LINALG.LinAlgError, "square"),
        (lambda: LINALG.hadamard(6), ValueError, "power of 2"),
        (lambda: LINALG.companion(tn.array([0, 1])), ValueError, "must not be zero"),
        (lambda: LINALG.fiedler_companion(tn.array([0, 1, 2])), ValueError, "Leading coefficient"),
        (lambda: LINALG.leslie(b, b), ValueError, "one less"),
        (lambda: LINALG.convolution_matrix(b, 0), ValueError, "positive"),
        (lambda: LINALG.convolution_matrix(b, 2, "bogus"), ValueError, "'mode'"),
        (lambda: LINALG.dft(3, "bogus"), ValueError, "scale"),
        (lambda: LINALG.khatri_rao(a, a[:, :2]), ValueError, "columns"),
        (lambda: LINALG.bandwidth(b), np.linalg.LinAlgError, "2D"),
        (lambda: LINALG.lu(np.eye(2)), TypeError, ""),
    ]:
        with pytest.raises(error, match=text):
            call()
    for bad in (np.nan, np.inf):
        c = a * 1
        c[1, 1] = bad
        for call in (
            LINALG.lu,
            LINALG.lu_factor,
            LINALG.cho_factor,
            lambda m: LINALG.solve_triangular(m, b),
            lambda m: LINALG.lu_solve((m, factors[1]), b),
            lambda m: LINALG.cho_solve((m, True), b),
        ):
            with pytest.raises(ValueError, match="infs or NaNs"):
                call(c)
        found = LINALG.solve_triangular(c, b, check_finite=False)
        assert found.shape == (3,)


def test_pivots_of_a_program():
    """A pivot that is no row counts as the nearest row: nothing beside the matrix is touched."""
    lu, piv = LINALG.lu_factor(tn.array(values((4, 4), "d")))
    for bad in (-7, 4, 2**31 - 1):
        piv[1] = bad
        assert LINALG.lu_solve((lu, piv), tn.ones(4)).shape == (4,)


# --- Functions ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_expm(dtype):
    """Against eigenvectors of normal matrices of all norms that choose another degree."""
    for n, scale in itertools.product((1, 2, 5, 20), (1e-3, 0.1, 0.5, 1.5, 4, 12)):
        q = np.linalg.qr(values((3, n, n), "D" if dtype in "FD" else "d"))[0]
        w = np.linspace(-scale, scale, n) * np.array([[1.0], [0.1], [0.01]])
        x = (q * w[:, None, :] @ adjoint(q)).astype(dtype)
        expected = q * np.exp(w)[:, None, :] @ adjoint(q)
        found = LINALG.expm(tn.array(x))
        assert found.dtype == np.dtype(dtype) and found.shape == x.shape
        close(found, expected, dtype, 60 * max(n, scale))
        close(LINALG.expm(tn.array(x[0])), expected[0], dtype, 60 * max(n, scale))


def test_expm_of_others():
    assert_same(LINALG.expm(tn.zeros((0, 0))), np.zeros((0, 0)))
    assert_same(LINALG.expm(tn.zeros((3, 3), "i")), np.eye(3))
    assert LINALG.expm(tn.zeros((2, 2), "e")).dtype == np.float32
    a = tn.zeros((3, 2, 2))
    a[1, 0, 0] = np.inf
    found = LINALG.expm(a).get()
    assert np.isnan(found[1]).all() and (found[[0, 2]] == np.eye(2)).all()


@pytest.mark.quick
def test_bandwidth():
    for below, above in itertools.product(range(4), repeat=2):
        x = np.tril(np.triu(np.ones((4, 5), int), -below), above)
        assert LINALG.bandwidth(tn.array(x)) == (below, above)
    assert LINALG.bandwidth(tn.zeros((3, 3))) == (0, 0) == LINALG.bandwidth(tn.zeros((0, 3)))
    assert LINALG.bandwidth(np.zeros((2, 0, 3))) == (0, 0)


@pytest.mark.parametrize("dtype", "?bBhHe")
def test_narrow_dtypes_become_float32(dtype):
    a, b = tn.eye(3, dtype=dtype), tn.ones(3, dtype=dtype)
    for found in (
        LINALG.lu(a)[1],
        LINALG.cholesky(a),
        LINALG.lu_solve(LINALG.lu_factor(a), b),
        LINALG.cho_solve(LINALG.cho_factor(a), b),
        LINALG.solve_triangular(a, b),
    ):
        assert found.dtype == np.float32
    np.testing.assert_array_equal(found.get(), 1)


def test_host_data():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert LINALG.bandwidth(a) == (1, 1)
    assert_same(LINALG.khatri_rao(a, a), LINALG.khatri_rao(tn.array(a), tn.array(a)).get())
    assert_same(LINALG.expm(a), LINALG.expm(tn.array(a)).get())


# --- Special matrices, element by element ---


@pytest.mark.parametrize("dtype", ["i", "l", *DTYPES])
def test_constant_diagonals(dtype):
    for m, n in [(1, 1), (4, 3), (2, 5)]:
        c, r = values((2, m), dtype), values((n,), dtype)
        expected = np.array([[[x[i - j] if i >= j else r[j - i] for j in range(n)] for i in range(m)] for x in c])
        assert_same(LINALG.toeplitz(tn.array(c), tn.array(r)), expected)
        assert_same(LINALG.toeplitz(tn.array(c[0]), tn.array(r)), expected[0])
        one = c[0].conj()
        expected = np.array([[c[0][i - j] if i >= j else one[j - i] for j in range(m)] for i in range(m)])
        assert_same(LINALG.toeplitz(tn.array(c[0])), expected)
        expected = np.array([[[x[(i - j) % m] for j in range(m)] for i in range(m)] for x in c])
        assert_same(LINALG.circulant(tn.array(c)), expected)
        both = np.concatenate([c[0], r[1:]])
        assert_same(
            LINALG.hankel(tn.array(c[0]), tn.array(r)), np.array([[both[i + j] for j in range(n)] for i in range(m)])
        )
        for mode in ("full", "same", "valid"):
            at = LINALG.convolution_matrix(tn.array(c[0]), n, mode).get()
            basis = [np.convolve(c[0], one, mode) for one in np.eye(n, dtype=dtype)]
            if mode == "full" or n <= m:
                assert_same(tn.array(at), np.array(basis).T)
            assert LINALG.convolution_matrix(tn.array(c), n, mode).shape == (2, *at.shape)
    assert_same(LINALG.hankel(tn.array([1, 2])), np.array([[1, 2], [2, 0]]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_companions(dtype):
    """Their eigenvalues are the roots."""
    roots = np.array([3.0, -2.0, 1.0, 0.5])
    for n in (1, 2, 3, 4):
        coefficients = np.poly(roots[:n]).astype(dtype) * np.dtype(dtype).type(2)
        for make in (LINALG.companion, LINALG.fiedler_companion):
            found = make(tn.array(coefficients))
            assert found.dtype == np.dtype(dtype) and found.shape == (n, n)
            got = np.sort_complex(np.linalg.eigvals(wide(found)))
            assert np.allclose(got, np.sort_complex(roots[:n]), atol=1e-3 if dtype in "fF" else 1e-9)
            stacked = make(tn.array(np.stack([coefficients, coefficients])))
            assert_same(stacked, np.stack([found.get()] * 2))


@pytest.mark.quick
def test_other_matrices():
    for n in (1, 2, 4, 8):
        h = LINALG.hadamard(n, dtype="d").get()
        assert (h @ h.T == n * np.eye(n)).all() and (np.abs(h) == 1).all()
    assert LINALG.hadamard(2).dtype == np.dtype(int)
    for n in (1, 2, 5):
        at = np.arange(n)
        assert_same(LINALG.hilbert(n), 1 / (at[:, None] + at + 1.0))
        h = LINALG.helmert(n, full=True).get()
        assert np.allclose(h @ h.T, np.eye(n), atol=1e-14) and np.allclose(h[0], n**-0.5)
        assert_same(LINALG.helmert(n), h[1:])
        for scale, by in ((None, 1), ("sqrtn", n**0.5), ("n", n)):
            assert np.allclose(LINALG.dft(n, scale).get(), np.fft.fft(np.eye(n)) / by, atol=1e-14)
    x = values((2, 4), "d")
    assert_same(LINALG.fiedler(tn.array(x)), np.abs(x[:, :, None] - x[:, None, :]))
    assert_same(
        LINALG.leslie(tn.array(x), tn.array(x[:, 1:])),
        np.array([np.vstack([one, np.diag(one[1:], 0)[:, :3] @ np.eye(3, 4)]) for one in x]) + 0.0,
    )
    y = values((3, 4), "d")
    assert_same(LINALG.khatri_rao(tn.array(x), tn.array(y)), np.stack([np.kron(a, b) for a, b in zip(x.T, y.T)], 1))
    assert_same(LINALG.tri(3, 2), np.tri(3, 2, dtype=bool))
    assert_same(LINALG.tril(tn.array(y), 1), np.tril(y, 1))
    assert_same(LINALG.triu(tn.array(y), -1), np.triu(y, -1))
    assert_same(LINALG.kron(tn.array(x), tn.array(y)), np.kron(x, y))


def test_block_diag():
    x, y = values((2, 3), "f"), values((1, 2), "l")
    expected = np.zeros((3, 5))
    expected[:2, :3], expected[2:, 3:] = x, y
    assert_same(LINALG.block_diag(tn.array(x), tn.array(y)), expected)
    assert_same(LINALG.block_diag(), np.zeros((1, 0)))
    assert_same(LINALG.block_diag(tn.array(1), tn.array([2, 3])), np.array([[1, 0, 0], [0, 2, 3]]))
    assert LINALG.block_diag(tn.ones((4, 1, 2)), tn.ones((2, 2))).shape == (4, 3, 4)


# --- Names ---


@pytest.mark.quick
def test_names():
    for name in LINALG.__all__:
        assert getattr(LINALG, name).__doc__, name
    assert tn.scipy.linalg is LINALG and tn.scipy.get_array_module(tn.ones(1)) is tn.scipy
    assert set(LINALG.__all__) <= set(dir(LINALG)) and "linalg" in dir(tn.scipy)
    with pytest.raises(AttributeError, match="bogus"):
        tn.scipy.bogus


@pytest.mark.quick
@pytest.mark.parametrize("name", ["_factors", "_functions", "_special"])
def test_examples_of_scipy_linalg(name):
    module = importlib.import_module(f"tenorite.scipy.linalg.{name}")
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for called in module.__all__:
        (found,) = finder.find(getattr(module, called), called, module=False, globs=dict(vars(module)))
        assert found.examples, called
        assert runner.run(found).failed == 0, called


def test_signatures_of_scipy():
    """SciPy's parameters, where it is there and has the function."""
    theirs = pytest.importorskip("scipy.linalg")
    differing = set()
    for name in LINALG.__all__:
        ours, other = getattr(LINALG, name), getattr(theirs, name, None)
        if not inspect.isfunction(ours) or other is None:
            continue
        if list(inspect.signature(ours).parameters) != list(inspect.signature(other).parameters):
            differing.add(name)
    assert differing == {"expm"}  # `a` as in CuPy; SciPy's `A` goes, too
    assert_same(LINALG.expm(A=tn.zeros((2, 2))), np.eye(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = values((5, 5), "d")
        assert np.allclose(LINALG.expm(tn.array(x)).get(), theirs.expm(x), rtol=1e-9)


@pytest.mark.parametrize("dtype", "fdFD")
def test_series_of_expm(dtype):
    """What a GPU takes for large matrices gives what a rational approximant does."""
    random = np.random.default_rng(7)
    a = random.normal(size=(40, 40)) + (1j * random.normal(size=(40, 40)) if dtype in "FD" else 0)
    a = tn.asarray((a / np.abs(a).sum(axis=0).max() / 2).astype(dtype))
    one, other = _functions._taylor(a, 16), _functions._pade(a, 9)
    assert one.dtype == dtype
    np.testing.assert_allclose(one.get(), other.get(), rtol=0, atol=20 * np.finfo(dtype).eps)
