"""tenorite.scipy.sparse.linalg and csgraph: residuals of solutions and eigenvectors in units of the
dtype's epsilon, for sparse and dense operators; what a direct solver needs SciPy for is skipped
without it."""

import doctest
import importlib

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same
from tenorite.scipy import sparse
from tenorite.scipy.sparse import csgraph, linalg

DTYPES = "fdFD"
FORMS = ["csr", "csc", "dense", "operator"]
N = 40


def rng():
    return np.random.default_rng(44)


def general(dtype, columns=N):
    """A matrix with few elements that is well conditioned."""
    draw = rng()
    x = draw.standard_normal((N, columns)) * (draw.random((N, columns)) < 0.1)
    if dtype in "FD":
        x = x + 1j * draw.standard_normal((N, columns)) * (draw.random((N, columns)) < 0.1)
    return (x + 8 * np.eye(N, columns)).astype(dtype)


def hermitian(dtype):
    x = general(dtype)
    return x + x.conj().T


def vector(dtype, n=N):
    x = rng().standard_normal(n)
    return (x + 1j * x[::-1] if dtype in "FD" else x).astype(dtype)


def made(x, form):
    a = tn.array(x)
    if form == "operator":
        return linalg.LinearOperator(x.shape, lambda v: a @ v, rmatvec=lambda v: a.conj().T @ v, dtype=x.dtype)
    return a if form == "dense" else sparse.csr_matrix(a).asformat(form)


def eps(dtype):
    return float(np.finfo(dtype).eps)


def small(residual, dtype, size, units=200):
    assert np.abs(residual).max() <= units * eps(dtype) * size, np.abs(residual).max() / (eps(dtype) * size)


# --- Square systems ---


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cg", "minres", "cgs", "bicgstab", "gmres"])
def test_iterative(name, dtype, form):
    x, b = hermitian(dtype) if name in ("cg", "minres") else general(dtype), vector(dtype)
    solve, rtol = getattr(linalg, name), 50 * eps(dtype)
    calls = []
    found, info = solve(made(x, form), tn.array(b), rtol=rtol, callback=calls.append)
    assert info == 0 and calls and found.shape == (N,)
    assert found.dtype == (np.result_type(dtype, "d") if name == "minres" else dtype)
    small(x @ found.get() - b, dtype, np.linalg.norm(b) * 20)
    near = linalg.LinearOperator((N, N), lambda v: v / 16, dtype=dtype)
    start = found.get() + 1e-3
    guess = tn.array(start)
    again, info = solve(made(x, form), tn.array(b[:, None]), x0=guess, tol=rtol, M=near)
    assert info == 0 and again.shape == (N,)
    small(x @ again.get() - b, dtype, np.linalg.norm(b) * 20)
    assert_same(guess, start)  # a guess stays as it was
    rough, info = solve(made(x, form), tn.array(b), rtol=1e-30, maxiter=2)
    assert info >= 2 and np.isfinite(rough.get()).all()
    zero, info = solve(made(x, form), tn.zeros(N, dtype))
    assert info == 0 and not zero.any()


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("n", [2, 17, 9000])
def test_steps_of_cg(n, dtype):
    """The core's steps on a csr matrix are those of the same matrix as an operator."""
    line = sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(n, n), format="csr").astype(dtype)
    weights = tn.array(rng().uniform(1, 3, n).astype(dtype))
    a = (sparse.diags(weights) @ line @ sparse.diags(weights)).tocsr()
    b, near = tn.array(vector(dtype, n)), sparse.diags(1 / a.diagonal())
    for M in (None, near):
        steps, others = [], []
        x, info = linalg.cg(a, b, rtol=1e-5, M=M, callback=lambda x: steps.append(float(x[0])))
        y, there = linalg.cg(
            linalg.LinearOperator(a.shape, lambda v: a @ v, dtype=dtype), b, rtol=1e-5, M=M, callback=others.append
        )
        assert info == there == 0 and abs(len(steps) - len(others)) <= 1
        small((x - y).get(), dtype, 1, 2e-4 / eps(dtype))
        assert tn.array_equal(linalg.cg(a, b, rtol=1e-5, M=M)[0], x)
        assert linalg.cg(a, b, rtol=0, atol=1e-30, M=M, maxiter=1)[1] == 1
        goes_on, info = linalg.cg(a, b, x0=x, rtol=1e-2, M=M)
        assert info == 0 and tn.array_equal(goes_on, x)
    nothing, info = linalg.cg(a * np.nan, b, maxiter=5)
    assert info == 5


@pytest.mark.parametrize("name", ["cg", "minres", "cgs", "bicgstab", "gmres"])
def test_iterative_of_little(name):
    solve = getattr(linalg, name)
    found, info = solve(tn.array([[4.0]]), tn.array([8.0]))
    assert info == 0 and abs(float(found[0]) - 2) < 1e-4
    found, info = solve(tn.zeros((0, 0)), tn.zeros(0))
    assert info == 0 and found.shape == (0,)
    for call, error in [
        (lambda: solve(tn.ones((2, 3)), tn.ones(2)), ValueError),
        (lambda: solve(tn.eye(3), tn.ones(2)), ValueError),
        (lambda: solve(tn.eye(3), tn.ones((3, 2))), ValueError),
        (lambda: solve(tn.eye(3), tn.ones(3), x0=tn.ones(2)), ValueError),
        (lambda: solve(tn.eye(3), tn.ones(3), M=tn.eye(2)), ValueError),
        (lambda: solve("bogus", tn.ones(3)), TypeError),
        (lambda: solve(tn.eye(3, dtype="e"), tn.ones(3)), TypeError),
    ]:
        with pytest.raises(error):
            call()


def test_gmres_callbacks():
    x, b = general("d"), vector("d")
    for kind, check in (("x", lambda one: one.shape == (N,)), ("pr_norm", lambda one: isinstance(one, float))):
        calls = []
        linalg.gmres(made(x, "csr"), tn.array(b), restart=3, callback=calls.append, callback_type=kind, rtol=1e-10)
        assert len(calls) > 1 and all(map(check, calls))
    with pytest.raises(ValueError, match="callback_type"):
        linalg.gmres(tn.eye(2), tn.ones(2), callback_type="bogus")


def test_minres_of_indefinite():
    w = np.array([-3.0, -1.0, 2.0, 5.0, 0.5])
    found, info = linalg.minres(tn.array(np.diag(w)), tn.ones(5), shift=1.0, rtol=1e-12)
    assert info == 0
    small((w - 1) * found.get() - 1, "d", 10)
    with pytest.raises(ValueError, match="non-symmetric matrix"):
        linalg.minres(tn.array([[1.0, 5.0], [-5.0, 1.0]]), tn.array([1.0, 2.0]), check=True)


# --- Least squares ---


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares(dtype, form):
    x, b = general(dtype, 25), vector(dtype)
    for solve in (linalg.lsqr, linalg.lsmr):
        found, stop, count, *numbers = solve(made(x, form), tn.array(b), atol=10 * eps(dtype), btol=10 * eps(dtype))
        expected = np.linalg.lstsq(x, b, rcond=None)[0]
        assert stop in (1, 2, 4, 5) and 0 < count <= 50 and found.shape == (25,)
        assert found.dtype == np.result_type(dtype, "d")
        small(found.get() - expected, dtype, np.linalg.norm(expected) * 20)
        assert abs(numbers[0] - np.linalg.norm(b - x @ expected)) < 1e-2
        damped = solve(made(x, form), tn.array(b), damp=2.0, atol=10 * eps(dtype), btol=10 * eps(dtype))[0].get()
        small(x.conj().T @ (b - x @ damped) - 4 * damped, dtype, np.linalg.norm(b) * 100)
        again = solve(made(x, form), tn.array(b), x0=found.astype(dtype))[0]
        assert again.dtype == dtype
        small(again.get() - expected, dtype, np.linalg.norm(expected) * 50)
        nothing = solve(made(x, form), tn.zeros(N, dtype))
        assert not nothing[0].any() and nothing[1:3] == (0, 0)
        with pytest.raises(ValueError, match="b must be a vector"):
            solve(made(x, form), tn.ones(25))


# --- Eigenvalues ---


def test_lobpcg_of_small_matrices():
    """The dense problem is solved, B's too, though vectors solve it for other eigenvalues."""
    w, v = np.linalg.eigh(hermitian("d")[:8, :8])
    small(
        linalg.lobpcg(tn.array((v * w) @ v.T), tn.array(v[:, -2:]), largest=False)[0].get() - w[:2],
        "d",
        abs(w).max() * 20,
    )
    b = np.diag(np.arange(1.0, 9))
    found, vectors = (one.get() for one in linalg.lobpcg(tn.array((v * w) @ v.T), tn.array(v[:, :2]), B=tn.array(b)))
    residual = ((v * w) @ v.T) @ vectors - b @ vectors * found
    small(residual, "d", abs(w).max() * 100)
    assert abs(found[0] - np.linalg.eigvals(np.linalg.solve(b, (v * w) @ v.T)).real.max()) < 1e-8 * abs(w).max()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigsh(dtype, form):
    x = hermitian(dtype)
    whole = np.linalg.eigvalsh(x)
    size = np.abs(whole).max()
    for which, expected in (
        ("LA", whole[-4:]),
        ("SA", whole[:4]),
        ("LM", np.sort(whole[np.argsort(-np.abs(whole))[:4]])),
    ):
        for ncv in (None, 12):
            w, v = linalg.eigsh(made(x, form), 4, which=which, ncv=ncv)
            assert w.dtype == np.dtype(dtype.lower()) and v.shape == (N, 4)
            small(w.get() - expected, dtype, size)
            small(x @ v.get() - v.get() * w.get(), dtype, size * N)
            small(v.get().conj().T @ v.get() - np.eye(4), dtype, N)
    small(linalg.eigsh(made(x, form), 4, return_eigenvectors=False).get() - w.get(), dtype, size)


def test_eigsh_of_many_equal():
    """Spaces that close early: identities, and a matrix with three eigenvalues."""
    w, v = linalg.eigsh(tn.eye(9) * 2, 3)
    small(w.get() - 2, "d", 2)
    small(v.get().T @ v.get() - np.eye(3), "d", 9)
    x = np.diag([5.0] * 3 + [1.0] * 4 + [-2.0] * 3)
    small(linalg.eigsh(tn.array(x), 4, v0=tn.ones(10))[0].get() - [-2, 5, 5, 5], "d", 5)
    for call in (
        lambda: linalg.eigsh(tn.eye(3), 3),
        lambda: linalg.eigsh(tn.eye(3), 0),
        lambda: linalg.eigsh(tn.ones((2, 3)), 1),
        lambda: linalg.eigsh(tn.eye(3), 1, which="SM"),
        lambda: linalg.eigsh(tn.eye(3), 1, v0=tn.ones(2)),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError, match="unsupported dtype"):
        linalg.eigsh(tn.eye(3, dtype="l"), 1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["normal", "buckling", "cayley"])
def test_eigsh_near_a_number(mode, dtype):
    x = hermitian(dtype)
    whole = np.linalg.eigvalsh(x)
    sigma = float(whole[N // 2] + whole[N // 2 + 1]) / 2
    stands = {
        "normal": 1 / (whole - sigma),
        "buckling": whole / (whole - sigma),
        "cayley": (whole + sigma) / (whole - sigma),
    }[mode]
    expected = np.sort(whole[np.argsort(-np.abs(stands))[:3]])
    inverse = tn.array(np.linalg.inv(x - sigma * np.eye(N)).astype(dtype))
    size = np.abs(whole).max() * 10 * N
    for a, options in (
        (sparse.csr_matrix(tn.array(x)), {}),
        (tn.array(x), {}),
        (linalg.aslinearoperator(tn.array(x)), {"OPinv": inverse}),
    ):
        w, v = linalg.eigsh(a, 3, sigma=sigma, mode=mode, **options)
        small(w.get() - expected, dtype, size)
        small(x @ v.get() - v.get() * w.get(), dtype, size)


def test_eigsh_refuses_modes():
    a = tn.eye(5)
    for call in (
        lambda: linalg.eigsh(a, 1, mode="x"),
        lambda: linalg.eigsh(a, 1, mode="cayley"),
        lambda: linalg.eigsh(linalg.aslinearoperator(a), 1, sigma=0.5),
        lambda: linalg.eigsh(a, 1, OPinv=a),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(RuntimeError, match="singular"):
        linalg.eigsh(a, 1, sigma=1.0)


@pytest.mark.parametrize("which", ["LM", "LA", "SA"])
def test_eigsh_of_a_grid(which):
    """Ends that converge slowly are found by factors; the eigenvalues are known."""
    n = 40
    line = sparse.diags([-tn.ones(n - 1), tn.full(n, 2.0), -tn.ones(n - 1)], [-1, 0, 1])
    one = sparse.identity(n)
    of_line = 2 - 2 * np.cos(np.arange(1, n + 1) * np.pi / (n + 1))
    for shift in (0, 5):
        a = (sparse.kron(one, line) + sparse.kron(line, one) - shift * sparse.identity(n * n)).tocsr()
        whole = (of_line[:, None] + of_line).ravel() - shift
        wanted = {"LM": -np.abs(whole), "LA": -whole, "SA": whole}[which]
        expected = np.sort(whole[np.argsort(wanted)[:6]])
        w, v = linalg.eigsh(a, 6, which=which)
        small(w.get() - expected, "d", 500)
        small((a @ v - v * w).get(), "d", 5000)
        small(linalg.eigsh(a.astype("f"), 6, which=which)[0].get() - expected, "f", 100)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_svds(dtype, form):
    for x in (general(dtype, 25), general(dtype, 25).T.copy()):
        u, s, vh = linalg.svds(made(x, form), 3)
        left, values, right = np.linalg.svd(x)
        small(s.get() - values[:3][::-1], dtype, values[0])
        small((u.get() * s.get()) @ vh.get() - (left[:, :3] * values[:3]) @ right[:3], dtype, values[0] * 100)
        small(linalg.svds(made(x, form), 3, return_singular_vectors=False).get() - s.get(), dtype, values[0])
    with pytest.raises(ValueError, match="k must be smaller"):
        linalg.svds(made(x, form), 25)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lobpcg(dtype):
    x, b = hermitian(dtype), np.diag(np.arange(1.0, N + 1)).astype(dtype)
    start = tn.array(rng().standard_normal((N, 2)).astype(dtype))
    plain = np.linalg.eigvalsh(x)
    root = np.diag(np.arange(1.0, N + 1) ** -0.5)
    general_ = np.linalg.eigvalsh(root @ x @ root)
    for matrix, whole in ((None, plain), (sparse.csr_matrix(tn.array(b)), general_)):
        for largest, expected in ((True, whole[::-1][:2]), (False, whole[:2])):
            tol = 1e-2 if dtype in "fF" else 1e-7
            w, v, *histories = linalg.lobpcg(
                sparse.csr_matrix(tn.array(x)),
                start,
                B=matrix,
                largest=largest,
                tol=tol,
                maxiter=200,
                retLambdaHistory=True,
                retResidualNormsHistory=True,
            )
            assert np.abs(w.get() - expected).max() <= 10 * tol and v.shape == (N, 2)
            assert len(histories[0]) == len(histories[1]) > 1 and float(histories[1][-1].max()) <= tol
    known = np.linalg.eigh(x)[1][:, -1:]
    w, v = linalg.lobpcg(tn.array(x), start, Y=tn.array(known), tol=1e-2, maxiter=200)
    assert np.abs(w.get() - plain[::-1][1:3]).max() < 0.1


# --- Operators ---


@pytest.mark.parametrize("form", FORMS)
def test_operators(form):
    x, y = general("D"), general("D")[::-1].copy()
    a, b = linalg.aslinearoperator(made(x, form)), linalg.aslinearoperator(made(y, "dense"))
    v, m = vector("D"), np.stack([vector("D"), 1j * vector("D")], 1)
    for operator, expected in [
        (a, x),
        (a.H, x.conj().T),
        (a.T, x.T),
        (a + b, x + y),
        (a - b, x - y),
        (-a, -x),
        (a @ b, x @ y),
        (a * 2, 2 * x),
        (2j * a, 2j * x),
        (a / 2, x / 2),
        (a**3, x @ x @ x),
        ((a @ b).H, (x @ y).conj().T),
        ((2j * a).H, -2j * x.conj().T),
        ((a + b).T, (x + y).T),
        (a.H.H, x),
        (a.T.H, x.conj()),
        ((a**2).H, (x @ x).conj().T),
    ]:
        assert operator.shape == expected.shape and operator.dtype == np.complex128
        size = np.abs(expected).max() * N
        small((operator @ tn.array(v)).get() - expected @ v, "D", size)
        small(operator.matvec(tn.array(v[:, None])).get() - expected @ v[:, None], "D", size)
        small(operator(tn.array(m)).get() - expected @ m, "D", size)
        small(operator.rmatvec(tn.array(v)).get() - expected.conj().T @ v, "D", size)
        small(operator.rmatmat(tn.array(m)).get() - expected.conj().T @ m, "D", size)
        small((tn.array(v) @ operator).get() - v @ expected, "D", size)
        assert f"{N}x{N}" in repr(operator)


@pytest.mark.quick
def test_refusals_of_operators():
    a = linalg.aslinearoperator(tn.eye(3))

    class Empty(linalg.LinearOperator):
        pass

    class Twice(linalg.LinearOperator):
        def _matvec(self, x):
            return 2 * x

    assert_same(Twice("d", (2, 2)).matmat(tn.eye(2)), 2 * np.eye(2))
    for call, error in [
        (lambda: Empty("d", (2, 2)), TypeError),
        (lambda: a.matvec(tn.ones(2)), ValueError),
        (lambda: a.matmat(tn.ones(3)), ValueError),
        (lambda: a @ 2, ValueError),
        (lambda: a**-1, ValueError),
        (lambda: a + linalg.aslinearoperator(tn.eye(2)), ValueError),
        (lambda: a @ linalg.aslinearoperator(tn.eye(2)), ValueError),
        (lambda: Twice("d", (2, 2)).rmatvec(tn.ones(2)), NotImplementedError),
        (lambda: linalg.LinearOperator((2,), lambda x: x), ValueError),
        (lambda: linalg.aslinearoperator([1]), TypeError),
        (lambda: linalg.aslinearoperator(tn.ones((1, 1, 1))), ValueError),
    ]:
        with pytest.raises(error):
            call()


# --- Norms and powers ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_norms(dtype):
    x = general(dtype)
    a = sparse.csr_matrix(tn.array(x))
    for order in (None, "fro", 1, -1, np.inf, -np.inf):
        found = linalg.norm(a, order)
        assert found.dtype == np.dtype(dtype.lower())
        small(found.get() - np.linalg.norm(x, order), dtype, 50)
    for axis in (0, 1, -1, (0,)):
        for order in (None, 0, 1, 2, 3, np.inf, -np.inf):
            expected = np.linalg.norm(x, order, np.ravel(axis)[0])
            for one in (a, sparse.dia_matrix(a), sparse.coo_array(a)):
                small(linalg.norm(one, order, axis).get() - expected, dtype, 50)
    for call, error in (
        (lambda: linalg.norm(tn.eye(2)), TypeError),
        (lambda: linalg.norm(a, 2), NotImplementedError),
        (lambda: linalg.norm(a, 7), ValueError),
        (lambda: linalg.norm(a, axis=(0, 0)), ValueError),
        (lambda: linalg.norm(a, axis=2), ValueError),
        (lambda: linalg.norm(a, axis="x"), TypeError),
    ):
        with pytest.raises(error):
            call()
    for power in range(5):
        expected = np.linalg.matrix_power(x.astype("D"), power)
        small(linalg.matrix_power(a, power).toarray().get() - expected, dtype, 20.0**power)
    b = vector(dtype)
    w, v = np.linalg.eig(x.astype("D"))
    for t in (1.0, 0.3):
        expected = v @ (np.exp(t * w) * np.linalg.solve(v, b))
        small(
            linalg.expm_multiply(a * np.dtype(dtype).type(t), tn.array(b)).get() - expected,
            dtype,
            np.abs(expected).max() * N,
        )
    found = linalg.expm_multiply(made(x, "operator"), tn.array(b), 0, 0.3, num=3)
    assert found.shape == (3, N)
    small(found[2].get() - expected, dtype, np.abs(expected).max() * N)


# --- Direct solvers ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_direct(dtype):
    x = general(dtype)
    a = sparse.csr_matrix(tn.array(x))
    lu = linalg.splu(a.tocsc())
    assert isinstance(lu, linalg.SuperLU) and lu.shape == (N, N) and lu.nnz >= N and isinstance(lu.L, sparse.csr_matrix)
    product = (lu.L @ lu.U).toarray().get()
    small(product - x[np.argsort(lu.perm_r.get())][:, np.argsort(lu.perm_c.get())], dtype, 10 * N)
    for b in (vector(dtype), np.stack([vector(dtype)] * 3, 1)):
        right, size = tn.array(b), 20 * N
        small(x @ linalg.spsolve(a, right).get() - b, dtype, size)
        small(x @ linalg.factorized(a)(right).get() - b, dtype, size)
        small(x.T @ lu.solve(right, "T").get() - b, dtype, size)
        small(x.conj().T @ lu.solve(right, "H").get() - b, dtype, size)
        assert linalg.spilu(a).solve(right).shape == b.shape
        for lower, triangle in ((True, np.tril(x)), (False, np.triu(x))):
            t = sparse.csr_matrix(tn.array(triangle))
            small(triangle @ linalg.spsolve_triangular(t, right, lower=lower).get() - b, dtype, size)
    small(x @ tn.cusolver.csrlsvqr(a, tn.array(vector(dtype))).get() - vector(dtype), dtype, 20 * N)
    for call in (
        lambda: linalg.splu(a[:2]),
        lambda: linalg.spsolve(a, tn.ones(3)),
        lambda: lu.solve(tn.ones(3)),
        lambda: lu.solve(tn.ones(N), "X"),
        lambda: linalg.spsolve_triangular(a, tn.ones(2)),
    ):
        with pytest.raises(ValueError):
            call()


# --- Graphs ---


def components(n, edges):
    """The least node that each node is connected with, by search."""
    near = {k: set() for k in range(n)}
    for i, j in edges:
        near[i].add(j)
        near[j].add(i)
    labels = [-1] * n
    for k in range(n):
        waiting = [k] if labels[k] < 0 else []
        while waiting:
            one = waiting.pop()
            if labels[one] < 0:
                labels[one] = k
                waiting += near[one]
    return labels


@pytest.mark.parametrize("n, m", [(1, 0), (6, 3), (80, 60), (300, 320)])
def test_connected_components(n, m):
    edges = rng().integers(0, n, (m, 2))
    graph = sparse.coo_matrix((tn.ones(m), (tn.array(edges[:, 0]), tn.array(edges[:, 1]))), shape=(n, n))
    expected = components(n, edges.tolist())
    names = {label: number for number, label in enumerate(sorted(set(expected)))}
    for options in ({}, {"directed": False}, {"directed": False, "connection": "strong"}):
        count, labels = csgraph.connected_components(graph.tocsr(), **options)
        assert count == len(names) and labels.dtype == np.int32
        assert labels.tolist() == [names[one] for one in expected]
    assert csgraph.connected_components(graph, return_labels=False) == count
    # Strong components: nodes that reach each other, by powers of the graph.
    reach = np.eye(n, dtype=bool)
    reach[edges[:, 0], edges[:, 1]] = True
    while not ((reach @ reach) == reach).all():
        reach = reach @ reach
    count, labels = csgraph.connected_components(graph, connection="strong")
    assert ((labels.get()[:, None] == labels.get()) == (reach & reach.T)).all()
    assert count == len(set(labels.tolist()))


@pytest.mark.quick
def test_refusals_of_graphs():
    path = tn.array(np.eye(50, k=1) + np.eye(50, k=-1))
    assert csgraph.connected_components(path)[0] == 1
    for call in (
        lambda: csgraph.connected_components(tn.ones((2, 3))),
        lambda: csgraph.connected_components(tn.eye(2), connection="bogus"),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.quick
@pytest.mark.parametrize(
    "name", ["_conjugate", "_direct", "_eigen", "_interface", "_iterative", "_least_squares", "_norms"]
)
def test_examples_of_sparse_linalg(name):
    if name == "_direct":
        pytest.importorskip("scipy")
    module = importlib.import_module(f"tenorite.scipy.sparse.linalg.{name}")
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for called in module.__all__:
        (found,) = finder.find(getattr(module, called), called, module=False, globs=dict(vars(module)))[:1]
        assert found.examples, called
        assert runner.run(found).failed == 0, called
    assert set(module.__all__) <= set(linalg.__all__)
