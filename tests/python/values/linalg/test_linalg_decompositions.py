"""Decompositions and what is solved with them: residuals and orthogonality in units of the dtype's
epsilon, NumPy's shapes, dtypes and errors."""

import doctest
import importlib
import itertools

import numpy as np
import pytest
import tenorite as tn
from tenorite.x import errstate, geterr, seterr

LINALG = tn.linalg
DTYPES = "fdFD"
RNG = np.random.default_rng(11)
STACKS = [(), (1,), (3,), (2, 3), (70,)]
SIZES = [1, 2, 3, 5, 8, 17, 33, 70, 130]


def values(shape, dtype):
    data = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        data = data + 1j * RNG.standard_normal(shape)
    return data.astype(dtype)


def square(n, dtype, stack=()):
    return values((*stack, n, n), dtype)


def hermitian(n, dtype, stack=()):
    a = square(n, dtype, stack)
    return a + adjoint(a)


def positive(n, dtype, stack=()):
    a = square(n, dtype, stack)
    return a @ adjoint(a) + n * np.eye(n, dtype=dtype)


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


@pytest.fixture(autouse=True)
def lacking(device, monkeypatch):
    """What the cuSOLVER of an old CUDA lacks skips a test, where the message names it."""
    if device != "cuda":
        return

    def skipping(function):
        def run(*args, **options):
            try:
                return function(*args, **options)
            except NotImplementedError as error:
                if "cusolverDnXgeev" not in str(error):
                    raise
                return pytest.skip(str(error))

        return run

    for name in ("eig", "eigvals"):
        monkeypatch.setattr(LINALG, name, skipping(getattr(LINALG, name)))


def wide(a):
    a = a.get() if isinstance(a, tn.ndarray) else np.asarray(a)
    return a.astype("D" if a.dtype.kind == "c" else "d")


def eps(dtype):
    return np.finfo(np.dtype(dtype)).eps


def close(got, wanted, dtype, units=20, size=1.0):
    """|got - wanted| within units of eps x n x the norm of what is wanted."""
    got, wanted = wide(got), wide(wanted)
    assert got.shape == wanted.shape
    if got.size == 0:
        return
    n = max(got.shape[-2:]) if got.ndim >= 2 else got.shape[-1] if got.ndim else 1
    bound = units * eps(dtype) * max(n, 4) * max(np.abs(wanted).max(), size)
    assert np.abs(got - wanted).max() <= bound


def orthonormal(q, dtype):
    """The columns of q."""
    q = wide(q)
    close(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1])), dtype)


def like_numpy(got, wanted):
    """Shapes, dtypes and the kind of tuple."""
    if not isinstance(wanted, tuple):
        assert isinstance(got, tn.ndarray)
        assert (got.shape, got.dtype) == (np.shape(wanted), np.asarray(wanted).dtype)
        return
    assert len(got) == len(wanted)
    assert getattr(type(got), "_fields", None) == getattr(type(wanted), "_fields", None)
    assert type(got).__name__ == type(wanted).__name__
    for one, other in zip(got, wanted, strict=True):
        like_numpy(one, other)


def of_numpy(name, *arrays, **options):
    """NumPy's result. Eigenvalues of a real matrix are real where all are, as in NumPy up to 2.4;
    later ones make them complex."""
    made = getattr(np.linalg, name)(*arrays, **options)
    if name not in ("eig", "eigvals") or np.iscomplexobj(arrays[0]):
        return made
    if np.any((made[0] if name == "eig" else made).imag):
        return made
    return type(made)(*(one.real for one in made)) if name == "eig" else made.real


def both(name, *arrays, **options):
    got = getattr(LINALG, name)(*[tn.asarray(a) for a in arrays], **options)
    like_numpy(got, of_numpy(name, *arrays, **options))
    return got


cases = pytest.mark.parametrize(
    ("dtype", "n", "stack"),
    [(d, n, ()) for d, n in itertools.product(DTYPES, SIZES)] + [(d, 4, s) for d in DTYPES for s in STACKS[1:]],
)
rectangles = pytest.mark.parametrize(
    ("dtype", "shape"),
    list(itertools.product(DTYPES, [(1, 1), (5, 3), (3, 5), (40, 7), (7, 40), (2, 6, 4), (80, 3, 3), (2, 3, 4, 5)])),
)


# --- Square matrices ---


@cases
def test_solve_and_inv(dtype, n, stack):
    a = square(n, dtype, stack) + 3 * n**0.5 * np.eye(n, dtype=dtype)
    for b in (values(n, dtype), values((*stack, n, 3), dtype)):
        x = both("solve", a, b)
        side = b[..., None] if b.ndim == 1 else b
        found = wide(x)[..., None] if b.ndim == 1 else wide(x)
        close(wide(a) @ found, np.broadcast_to(side, found.shape), dtype, size=np.abs(a).max() * np.abs(found).max())
    inverse = both("inv", a)
    close(wide(a) @ wide(inverse), np.broadcast_to(np.eye(n), a.shape), dtype, size=4)


@cases
def test_determinants(dtype, n, stack):
    a = square(n, dtype, stack)
    sign, logarithm = both("slogdet", a)
    wanted = np.linalg.slogdet(a)
    close(sign, wanted.sign, dtype, 200 * n)
    close(logarithm, wanted.logabsdet, dtype, 200 * n)
    if n < 40:
        got, exact = both("det", a), wide(a)
        wanted = np.linalg.det(exact)
        bound = 100 * n * eps(dtype) * np.linalg.cond(exact) * np.abs(wanted)
        assert (np.abs(wide(got) - wanted) <= bound).all()


def test_a_determinant_that_no_part_of_the_product_could_hold():
    a = np.diag([1e200, 1e200, 1e-200, 1e-200, -2.0])
    assert abs(LINALG.det(tn.asarray(a)).item() + 2) < 1e-12
    sign, logarithm = LINALG.slogdet(tn.asarray(np.diag(np.full(9, 1e-100))))
    assert sign == 1
    assert abs(logarithm.item() - 9 * np.log(1e-100)) < 1e-9


@cases
def test_cholesky(dtype, n, stack):
    a = positive(n, dtype, stack)
    lower, upper = both("cholesky", a), both("cholesky", a, upper=True)
    assert (tn.triu(lower, 1) == 0).all()
    assert (tn.tril(upper, -1) == 0).all()
    close(wide(lower) @ adjoint(wide(lower)), a, dtype)
    close(adjoint(wide(upper)) @ wide(upper), a, dtype)
    a[..., 0, -1] = 7 if n > 1 else a[..., 0, 0]  # is not read
    np.testing.assert_array_equal(LINALG.cholesky(tn.asarray(a)).get(), lower.get())


@cases
def test_eigh(dtype, n, stack):
    a = hermitian(n, dtype, stack)
    for triangle in "LU":
        w, v = both("eigh", a, UPLO=triangle)
        orthonormal(v, dtype)
        close(wide(a) @ wide(v), wide(v) * wide(w)[..., None, :], dtype, size=n)
        assert (tn.diff(w, axis=-1) >= 0).all()
        close(both("eigvalsh", a, UPLO=triangle), w, dtype, size=n)


@cases
def test_eig(dtype, n, stack):
    a = square(n, dtype, stack)
    w, v = both("eig", a)
    close(wide(a) @ wide(v), wide(v) * wide(w)[..., None, :], dtype, 100, size=n)
    close(np.linalg.norm(wide(v), axis=-2), np.ones((*stack, n)), dtype)
    other = wide(both("eigvals", a))
    for one, two in zip(wide(w).reshape(-1, n), other.reshape(-1, n), strict=True):
        assert np.abs(np.sort_complex(one) - np.sort_complex(two)).max() < 1e4 * n * eps(dtype)


def test_eigenvalues_that_are_all_real():
    a = np.triu(np.ones((3, 3), "f"))
    w, v = both("eig", a)
    assert w.dtype == v.dtype == "f"
    np.testing.assert_array_equal(w.get(), 1)


# --- Rectangular matrices ---


@rectangles
def test_qr(dtype, shape):
    a = values(shape, dtype)
    for mode in ("reduced", "complete"):
        q, r = both("qr", a, mode=mode)
        orthonormal(q, dtype)
        close(wide(q) @ wide(r), a, dtype)
        assert (tn.tril(r, -1) == 0).all()
    np.testing.assert_allclose(both("qr", a, mode="r").get(), both("qr", a).R.get(), rtol=1e-4)
    both("qr", a, mode="raw")


@rectangles
def test_svd(dtype, shape):
    a = values(shape, dtype)
    least = min(shape[-2:])
    for full in (True, False):
        u, s, vh = both("svd", a, full_matrices=full)
        orthonormal(u, dtype)
        orthonormal(adjoint(wide(vh)), dtype)
        close((wide(u)[..., :least] * wide(s)[..., None, :]) @ wide(vh)[..., :least, :], a, dtype)
        assert (tn.diff(s, axis=-1) <= 0).all()
    close(both("svdvals", a), s, dtype, size=5)
    close(both("svd", a, compute_uv=False), s, dtype, size=5)


@cases
def test_svd_of_hermitian_matrices(dtype, n, stack):
    a = hermitian(n, dtype, stack)
    u, s, vh = both("svd", a, hermitian=True)
    close((wide(u) * wide(s)[..., None, :]) @ wide(vh), a, dtype, size=n)
    orthonormal(u, dtype)
    close(both("svd", a, hermitian=True, compute_uv=False), s, dtype, size=n)


@rectangles
def test_pinv(dtype, shape):
    a = values(shape, dtype)
    if min(shape[-2:]) > 1:
        a[..., 0, :] = a[..., 1, :]  # not of full rank
    options = {} if np.dtype(dtype).char in "dD" else {"rcond": 1e-5}
    x = wide(both("pinv", a, **options))
    close(wide(a) @ x @ wide(a), a, dtype, 200)
    close(x @ wide(a) @ x, x, dtype, 400)


@rectangles
def test_lstsq(dtype, shape):
    if len(shape) > 2:
        return
    a = values(shape, dtype)
    for b in (values(shape[0], dtype), values((shape[0], 4), dtype)):
        x, residuals, rank, s = both("lstsq", a, b)
        wanted = np.linalg.lstsq(a, b)
        close(x, wanted[0], dtype, 200)
        close(residuals, wanted[1], dtype, 200, size=10)
        assert rank == wanted[2]
        close(s, wanted[3], dtype)


@pytest.mark.parametrize("shapes", [((3, 2), (3, 0)), ((0, 2), (0, 3)), ((3, 0), (3, 2)), ((2, 4), (2, 0))])
def test_lstsq_of_nothing(shapes):
    a, b = (np.ones(shape) for shape in shapes)
    for got, wanted in zip(LINALG.lstsq(tn.asarray(a), tn.asarray(b)), np.linalg.lstsq(a, b)):
        assert np.allclose(wide(got), wanted) and np.shape(got) == np.shape(wanted)


def test_lstsq_of_low_rank():
    a = np.outer(np.arange(1.0, 6), [1.0, 2, 3])
    b = values(5, "d")
    x, residuals, rank, s = both("lstsq", a, b)
    close(x, np.linalg.lstsq(a, b)[0], "d")
    assert residuals.shape == (0,)
    assert rank == 1
    assert LINALG.lstsq(tn.asarray(np.diag([1.0, 1e-3])), tn.ones(2), rcond=1e-2)[2] == 1


# --- Numbers ---


@rectangles
def test_rank_condition_and_norms(dtype, shape):
    a = values(shape, dtype)
    both("matrix_rank", a)
    low = a.copy()
    low[..., -1, :] = low[..., 0, :]
    np.testing.assert_array_equal(LINALG.matrix_rank(tn.asarray(low)).get(), np.linalg.matrix_rank(low))
    np.testing.assert_array_equal(both("matrix_rank", a, tol=1.0).get(), np.linalg.matrix_rank(a, tol=1.0))
    np.testing.assert_array_equal(both("matrix_rank", a, rtol=0.5).get(), np.linalg.matrix_rank(a, rtol=0.5))
    for p in (None, 2, -2):
        np.testing.assert_allclose(both("cond", a, p=p).get(), np.linalg.cond(a, p), rtol=1e-3)
    for order, keep in itertools.product((2, -2, "nuc"), (False, True)):
        got = both("norm", a, ord=order, axis=(-1, -2), keepdims=keep)
        np.testing.assert_allclose(got.get(), np.linalg.norm(a, order, (-1, -2), keep), rtol=1e-4)
        both("matrix_norm", a, ord=order, keepdims=keep)


def test_condition_of_square_matrices():
    a = square(4, "d", (3,))
    a[1] = 0
    for p in (1, -1, np.inf, -np.inf, "fro", 2):
        got = both("cond", a, p=p).get()
        np.testing.assert_allclose(got, np.linalg.cond(a, p))
        assert got[1] == np.inf
    a[2, 0, 0] = np.nan
    np.testing.assert_array_equal(np.isnan(LINALG.cond(tn.asarray(a), 1).get()), [False, False, True])


def test_negative_powers():
    a = square(4, "d", (3,))
    np.testing.assert_allclose(both("matrix_power", a, n=-3).get(), np.linalg.matrix_power(a, -3), rtol=1e-6)


def test_tensors():
    a = values((2, 3, 6), "d")
    np.testing.assert_allclose(
        both("tensorsolve", a, a[:, :, 0]).get(), np.linalg.tensorsolve(a, a[:, :, 0]), atol=1e-9
    )
    wanted = np.linalg.tensorsolve(a.transpose(0, 2, 1), a[:, :, 0], (1,))
    np.testing.assert_allclose(
        both("tensorsolve", a.transpose(0, 2, 1), a[:, :, 0], axes=(1,)).get(), wanted, rtol=1e-6, atol=1e-12
    )
    np.testing.assert_allclose(both("tensorinv", a).get(), np.linalg.tensorinv(a), rtol=1e-6, atol=1e-12)
    both("tensorinv", values((4, 2, 2), "f"), ind=1)


# --- What arrays may be ---

ONE = "cholesky inv det slogdet qr svd svdvals eig eigvals eigh eigvalsh pinv matrix_rank".split()


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", "?bBhHiIlLe")
def test_other_dtypes(name, dtype):
    a = (np.eye(3) * 2).astype(dtype)
    if dtype == "e" and name in ("eigh", "eigvalsh"):  # as in CuPy
        got = getattr(LINALG, name)(tn.asarray(a))
        for one in got if isinstance(got, tuple) else (got,):
            assert one.dtype == dtype
    elif dtype == "e":
        with pytest.raises(TypeError, match="array type float16 is unsupported in linalg"):
            getattr(LINALG, name)(tn.asarray(a))
    else:
        both(name, a)


def test_dtypes_of_nothing_in_pinv():
    for shape in [(0, 3), (2, 0), (0, 2, 3), (0, 0, 0)]:
        for dtype in "lfD":
            both("pinv", np.empty(shape, dtype))


@pytest.mark.parametrize("pair", ["fd", "df", "fF", "Fd", "dF", "if", "li", "Ff", "DF"])
def test_two_dtypes(pair):
    a, b = (np.eye(3) * 2).astype(pair[0]), np.ones(3, pair[1])
    np.testing.assert_allclose(both("solve", a, b).get(), 0.5)
    both("lstsq", a, b)
    both("solve", b * np.eye(3, dtype=pair[1]), a)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (4, 0, 0), (2, 0, 3, 3)])
def test_empty(name, shape):
    both(name, np.zeros(shape, "f"))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3), (2, 3, 0), (0, 2, 3)])
def test_empty_rectangles(shape):
    a = np.zeros(shape)
    for mode in ("reduced", "complete", "r", "raw"):
        both("qr", a, mode=mode)
    for full in (True, False):
        got = both("svd", a, full_matrices=full)
        for one, other in zip(got, np.linalg.svd(a, full_matrices=full), strict=True):
            np.testing.assert_array_equal(one.get(), other)
    both("svdvals", a)
    both("pinv", a)
    both("norm", a, ord="nuc", axis=(-2, -1))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((0, 0), (0, 3)),
        ((0, 0), (0,)),
        ((3, 3), (3, 0)),
        ((0, 2, 2), (2, 4)),
        ((2, 0, 0), (0, 4)),
        ((2, 1, 3, 3), (5, 3, 2)),
    ],
)
def test_empty_and_broadcast_solve(a, b):
    a = values(a, "d")
    b = values(b, "d")
    x = both("solve", a, b)
    np.testing.assert_allclose(x.get(), np.linalg.solve(a, b), rtol=1e-6)


@pytest.mark.parametrize(("m", "n", "k"), [(0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0), (2, 3, 1), (3, 2, 1)])
def test_empty_lstsq(m, n, k):
    a, b = values((m, n), "d"), values((m, k), "d")
    got = both("lstsq", a, b)
    np.testing.assert_allclose(got[0].get(), np.linalg.lstsq(a, b)[0], atol=1e-12)


def views(a):
    """The same values with other strides."""
    big = np.zeros((*a.shape[:-2], 2 * a.shape[-2], 3 * a.shape[-1]), a.dtype)
    big[..., ::2, ::3] = a
    yield lambda: tn.asarray(big)[..., ::2, ::3]
    yield lambda: tn.asarray(np.ascontiguousarray(a.swapaxes(-1, -2))).swapaxes(-1, -2)
    yield lambda: tn.asarray(np.ascontiguousarray(a[..., ::-1, ::-1]))[..., ::-1, ::-1]
    if a.ndim > 2:
        yield lambda: tn.asarray(np.ascontiguousarray(np.moveaxis(a, 0, -1))).transpose(2, 0, 1)
    one = np.zeros(a.nbytes + 1, "b")
    one[1:] = np.frombuffer(a.tobytes(), "b")
    yield lambda: tn.asarray(one)[1:].view(a.dtype).reshape(a.shape)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", "fD")
def test_strides(name, dtype):
    a = positive(5, dtype, (3,))
    function = getattr(LINALG, name)
    wanted = function(tn.asarray(a))
    for make in views(a):
        view = make()
        got = function(view)
        for one, other in zip(*[x if isinstance(x, tuple) else (x,) for x in (got, wanted)], strict=True):
            np.testing.assert_array_equal(one.get(), other.get())
        np.testing.assert_array_equal(view.get(), a)  # untouched


def test_strides_of_sides():
    a, b = positive(5, "d", (3,)), values((3, 5, 2), "d")
    wanted = np.linalg.solve(a, b)
    for x, y in zip(views(a), views(b), strict=True):
        np.testing.assert_allclose(LINALG.solve(x(), y()).get(), wanted, rtol=1e-9)


def test_results_are_new():
    a = tn.eye(3)
    for name in ONE:
        got = getattr(LINALG, name)(a)
        for one in got if isinstance(got, tuple) else (got,):
            one[...] = 0 if one.flags.writeable else one
    assert (a == tn.eye(3)).all()


def test_ill_conditioned():
    a = 1.0 / (np.arange(8)[:, None] + np.arange(8) + 1)  # Hilbert's
    x = LINALG.solve(tn.asarray(a), tn.asarray(a @ np.ones(8)))
    assert np.abs(x.get() - 1).max() < 1e10 * eps("d") * 10
    np.testing.assert_allclose(LINALG.cond(tn.asarray(a)).get(), np.linalg.cond(a), rtol=1e-5)


# --- Failures ---


def error_of(module, name, *arrays, **options):
    with pytest.raises(Exception) as error:
        result = getattr(module.linalg, name)(*arrays, **options)
        for one in result if isinstance(result, tuple) else (result,):
            one.get()  # on cuda a wait tells
    return error


@pytest.mark.parametrize(
    ("name", "arrays"),
    [
        ("inv", [np.zeros((2, 2))]),
        ("solve", [np.ones((2, 2)), np.ones(2)]),
        ("cholesky", [-np.eye(3)]),
        ("inv", [np.zeros((5, 40, 40))]),
        ("cholesky", [np.zeros((3, 3), "F")]),
        ("inv", [np.zeros((2, 2), "D")]),
        ("eig", [np.full((2, 2), np.nan)]),
        ("eigvals", [np.full((2, 2), np.inf)]),
        ("svd", [np.full((2, 2), np.nan)]),
        ("inv", [np.ones((2, 3))]),
        ("inv", [np.ones(3)]),
        ("det", [np.ones((2, 3))]),
        ("qr", [np.ones(3)]),
        ("svd", [np.ones(3)]),
        ("eigh", [np.ones((2, 3))]),
        ("eig", [np.array(1.0)]),
        ("cholesky", [np.ones((3, 2))]),
        ("solve", [np.ones((2, 3)), np.ones(2)]),
        ("lstsq", [np.ones((2, 3)), np.ones(3)]),
        ("lstsq", [np.ones((2, 2, 3)), np.ones(3)]),
        ("cond", [np.zeros((0, 2))]),
        ("matrix_power", [np.zeros((2, 2)), -1]),
        ("tensorsolve", [np.ones((2, 3)), np.ones(2)]),
        ("tensorinv", [np.ones((2, 2)), 0]),
        ("qr", [np.eye(2), "x"]),
        ("eigh", [np.eye(2), "x"]),
        ("slogdet", [np.ones(2)]),
    ],
)
def test_errors(name, arrays):
    moved = [tn.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays]
    wanted, got = error_of(np, name, *arrays), error_of(tn, name, *moved)
    assert got.type is wanted.type
    assert " ".join(str(got.value).split()) == " ".join(str(wanted.value).split())


@pytest.mark.parametrize(("a", "b"), [((3, 3), (4,)), ((3, 3), (4, 2)), ((2, 3, 3), (3, 3, 1))])
def test_sides_that_do_not_fit(a, b):
    with pytest.raises(ValueError, match="mismatch in its core dimension|could not be broadcast"):
        LINALG.solve(tn.ones(a), tn.ones(b))


def test_one_bad_matrix_of_many():
    a = np.stack([np.eye(3)] * 200)
    a[137] = 0
    with pytest.raises(LINALG.LinAlgError, match="Singular matrix"):
        LINALG.inv(tn.asarray(a)).get()
    with errstate(linalg="ignore"):
        got = LINALG.inv(tn.asarray(a)).get()
    np.testing.assert_array_equal(np.delete(got, 137, 0), np.delete(a, 137, 0))


def test_failures_at_once_and_never():
    assert geterr()["linalg"] is None and geterr()["divide"] is None
    with errstate(linalg="raise"):
        assert geterr()["linalg"] == "raise"
        with pytest.raises(LINALG.LinAlgError):
            LINALG.inv(tn.zeros((2, 2)))
    assert seterr(linalg="ignore")["linalg"] is None
    LINALG.inv(tn.zeros((2, 2)))
    LINALG.cholesky(-tn.eye(2))
    assert seterr(linalg=None)["linalg"] == "ignore"
    with pytest.raises(ValueError, match="linalg must be"):
        seterr(linalg="warn")
    with errstate(divide=None), pytest.raises(NotImplementedError, match="divide"):
        errstate(divide="raise")


@pytest.mark.host_only("a GPU's numbers are its own")
@pytest.mark.parametrize("name", ONE)
def test_not_finite(name):
    for number in (np.nan, np.inf):
        a = np.full((3, 3), number)
        try:
            wanted = getattr(np.linalg, name)(a)
        except np.linalg.LinAlgError as error:
            with pytest.raises(LINALG.LinAlgError, match=str(error)):
                getattr(LINALG, name)(tn.asarray(a))
            continue
        got = getattr(LINALG, name)(tn.asarray(a))
        for one, other in zip(*[x if isinstance(x, tuple) else (x,) for x in (got, wanted)], strict=True):
            np.testing.assert_array_equal(one.get(), other)


@pytest.mark.host_only("a GPU's numbers are its own")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 3, 8, 40])
def test_infinite_elements_end(n, dtype):  # NumPy's do not
    a = tn.eye(n, dtype=dtype)
    a[0, 0] = np.inf
    stack = tn.stack([tn.eye(n, dtype=dtype), a])
    for call in (LINALG.svd, LINALG.pinv, lambda x: LINALG.lstsq(a, tn.ones(n, dtype))):
        for x in (a, stack):
            with pytest.raises(LINALG.LinAlgError, match="SVD did not converge"):
                call(x)
    assert np.isnan(LINALG.svdvals(a).get()).all()


def test_in_a_stream_of_its_own():
    a = tn.asarray(positive(6, "d", (50,)))
    stream = tn.cuda.Stream(non_blocking=True)
    tn.cuda.Device().synchronize()
    with stream:
        x = LINALG.inv(a) @ a
        q, r = LINALG.qr(a)
        w, v = LINALG.eigh(a)
        error = abs(x - tn.eye(6)).max() + abs(q @ r - a).max() + abs(a @ v - v * w[:, None, :]).max()
    stream.synchronize()
    assert error < 1e-9
    with stream:
        LINALG.inv(tn.zeros((3, 3)))
    with pytest.raises(LINALG.LinAlgError, match="Singular matrix"):
        stream.synchronize()


@pytest.mark.parametrize(
    "module",
    ["tenorite.linalg._decompositions", "tenorite.linalg._solutions", "tenorite.linalg._failures", "tenorite.linalg"],
)
def test_examples(module):
    found = doctest.testmod(importlib.import_module(module))
    assert found.failed == 0


@pytest.mark.parametrize("rank", (0, 79))
@pytest.mark.parametrize("dtype", "fD")
def test_svd_of_low_rank(rank, dtype):
    """256 rows, which a GPU decomposes otherwise than few; values of nothing but rounding."""
    left, right = values((256, rank), dtype), values((rank, 256), dtype)
    a = np.triu(np.linalg.qr(left @ right)[1]) if rank else np.zeros((256, 256), dtype)
    u, s, vh = (part.get() for part in LINALG.svd(tn.asarray(a)))
    bound = 256 * eps(dtype)
    np.testing.assert_allclose(s, np.linalg.svd(wide(a), compute_uv=False), atol=bound * max(s[0], 1))
    np.testing.assert_allclose((u * s) @ vh, a, atol=bound * max(s[0], 1))
    for q in (u, adjoint(vh)):
        np.testing.assert_allclose(adjoint(q) @ q, np.eye(256), atol=bound)
