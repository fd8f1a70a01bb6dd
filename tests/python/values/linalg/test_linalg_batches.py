"""Stacks of many small matrices, which are decomposed beside one another: each as if it were alone,
also those that are singular, extreme or not finite."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.x import errstate

LINALG = tn.linalg
RNG = np.random.default_rng(5)
SIZES = [(1, 1), (2, 2), (3, 3), (4, 4), (7, 7), (8, 8), (16, 16), (17, 17), (32, 32), (33, 33)]
SIDES = [(5, 3), (3, 5), (16, 2), (2, 16), (32, 9), (9, 32)]
both = pytest.mark.parametrize("dtype", "fd")
squares = pytest.mark.parametrize("n", [n for n, _ in SIZES])


def many(m, n, dtype, count=37):
    return RNG.standard_normal((count, m, n)).astype(dtype)


def odd(a):
    """Matrices of the stack that are none of the usual: zero, of rank one, extreme."""
    limits = np.finfo(a.dtype)
    a[3] = 0
    a[4] = a[4, :, :1] * a[4, :1, :]
    a[5] *= limits.tiny**0.5
    a[6] *= limits.max**0.25
    a[7] = np.eye(*a.shape[1:])
    a[8] = 1
    return a


def near(got, wanted, units=40):
    """Of each matrix by itself: within units of eps x n x its norm."""
    got, wanted = (np.asarray(x.get() if isinstance(x, tn.ndarray) else x, "d") for x in (got, wanted))
    assert got.shape == wanted.shape
    dtype = near.dtype
    for one, other in zip(got, wanted, strict=True):
        bound = units * np.finfo(dtype).eps * max(one.shape[-1], 4) * np.abs(other).max(initial=0)
        assert np.abs(one - other).max(initial=0) <= bound


def identities(q):
    q = q.get().astype("d")
    eye = np.broadcast_to(np.eye(q.shape[-1]), (len(q), q.shape[-1], q.shape[-1]))
    near(q.swapaxes(1, 2) @ q, eye)


@pytest.fixture(autouse=True)
def units(request):
    near.dtype = request.getfixturevalue("dtype")


@both
@pytest.mark.parametrize(("m", "n"), SIZES + SIDES)
def test_qr(dtype, m, n):
    a = odd(many(m, n, dtype))
    wide = a.astype("d")
    for mode in ("reduced", "complete"):
        q, r = LINALG.qr(tn.asarray(a), mode)
        near(q.get().astype("d") @ r.get(), wide)
        identities(q)
        assert (tn.tril(r, -1) == 0).all()
    # LAPACK's signs, where the matrix determines them.
    usual = [k for k in range(len(a)) if k not in (3, 4, 8)]
    near(LINALG.qr(tn.asarray(a), "r").get()[usual], np.linalg.qr(a, "r")[usual], 400)
    h, tau = LINALG.qr(tn.asarray(a), "raw")
    wanted = np.linalg.qr(a, "raw")
    assert (tau.shape, h.shape) == (wanted[1].shape, wanted[0].shape)
    assert np.allclose(tau.get()[7], 0) and np.allclose(tau.get()[usual], wanted[1][usual], atol=1e-3)


@both
@squares
def test_eigh(dtype, n):
    a = odd(many(n, n, dtype))
    a = a + a.swapaxes(1, 2)
    wide = a.astype("d")
    for triangle in "LU":
        given = np.tril(a) if triangle == "L" else np.triu(a)
        w, v = LINALG.eigh(tn.asarray(given), triangle)
        identities(v)
        values, vectors = w.get().astype("d"), v.get().astype("d")
        near(vectors * values[:, None, :] @ vectors.swapaxes(1, 2), wide)
        assert (np.diff(values) >= 0).all()
        near(LINALG.eigvalsh(tn.asarray(given), triangle), values)


@both
@pytest.mark.parametrize(("m", "n"), SIZES + SIDES)
def test_svd(dtype, m, n):
    a = odd(many(m, n, dtype))
    wide = a.astype("d")
    for full in (False, True):
        u, s, vh = LINALG.svd(tn.asarray(a), full_matrices=full)
        least = min(m, n)
        identities(u)
        identities(vh.swapaxes(1, 2))
        values = s.get().astype("d")
        near(u.get().astype("d")[..., :least] * values[:, None, :] @ vh.get().astype("d")[:, :least], wide)
        assert (np.diff(values) <= 0).all() and (values >= 0).all()
        near(LINALG.svdvals(tn.asarray(a)), values)


@both
@squares
def test_solve_and_determinants(dtype, n):
    a = many(n, n, dtype) + 3 * n**0.5 * np.eye(n, dtype=dtype)
    a[5] *= np.finfo(dtype).tiny ** 0.25
    a[6] *= np.finfo(dtype).max ** 0.25
    a[7] = a[7, RNG.permutation(n)]
    wide = a.astype("d")
    for columns in (1, 5, 40):
        b = many(n, columns, dtype)
        x = LINALG.solve(tn.asarray(a), tn.asarray(b)).get().astype("d")
        usual = [k for k in range(len(a)) if k != 6]
        near((wide @ x)[usual], b[usual], 4000)
    inverse = LINALG.inv(tn.asarray(a)).get().astype("d")
    near(inverse @ wide, np.broadcast_to(np.eye(n), a.shape), 400)
    sign, logarithm = LINALG.slogdet(tn.asarray(a))
    wanted = np.linalg.slogdet(wide)
    assert (sign.get() == wanted.sign).all()
    assert np.allclose(
        logarithm.get(), wanted.logabsdet, rtol=1e3 * np.finfo(dtype).eps, atol=1e4 * np.finfo(dtype).eps
    )
    usual = [k for k in range(len(a)) if k not in (5, 6) and n < 20]
    assert np.allclose(
        LINALG.det(tn.asarray(a[usual])).get(), np.linalg.det(wide[usual]), rtol=1e3 * n * np.finfo(dtype).eps
    )


@both
@squares
def test_cholesky(dtype, n):
    a = many(n, n, dtype)
    a = a @ a.swapaxes(1, 2) + n * np.eye(n, dtype=dtype)
    a[5] *= np.finfo(dtype).tiny ** 0.5
    a[6] *= np.finfo(dtype).max ** 0.25
    wide = a.astype("d")
    a[:, 0, 1:] = 7  # is not read
    lower = LINALG.cholesky(tn.asarray(a)).get().astype("d")
    near(lower @ lower.swapaxes(1, 2), wide)
    assert (np.triu(lower, 1) == 0).all()
    upper = LINALG.cholesky(tn.asarray(wide.astype(dtype)), upper=True).get().astype("d")
    near(upper.swapaxes(1, 2), lower, 200)


@both
@pytest.mark.parametrize("name", ["solve", "inv", "cholesky", "eigh", "svd"])
def test_one_matrix_fails(dtype, name):
    """An error for the stack; where it is ignored the other matrices have their results."""
    a = many(6, 6, dtype)
    a = a @ a.swapaxes(1, 2) + np.eye(6, dtype=dtype)
    bad = {"cholesky": -np.eye(6), "eigh": np.full((6, 6), np.nan), "svd": np.full((6, 6), np.nan)}
    stack = a.copy()
    stack[11] = bad.get(name, 0)
    call = getattr(LINALG, name)
    further = (tn.asarray(a),) if name == "solve" else ()
    with errstate(linalg="raise"), pytest.raises(LINALG.LinAlgError):
        call(tn.asarray(stack), *further)
    good = [k for k in range(len(a)) if k != 11]
    with errstate(linalg="ignore"):
        got = call(tn.asarray(stack), *further)
    wanted = call(tn.asarray(a), *further)
    for one, other in zip(
        got if isinstance(got, tuple) else (got,), wanted if isinstance(wanted, tuple) else (wanted,)
    ):
        assert np.array_equal(one.get()[good], other.get()[good])


@both
def test_neighbours_and_counts_make_no_difference(dtype):
    """From four matrices on each is decomposed as in any other stack."""
    a = many(8, 8, dtype, 50)
    for name in ("qr", "eigh", "svd", "inv"):
        function = getattr(LINALG, name)
        whole = function(tn.asarray(a))
        for start, count in ((0, 4), (3, 9), (41, 9)):
            part = function(tn.asarray(a[start : start + count]))
            for one, other in zip(*(made if isinstance(made, tuple) else (made,) for made in (part, whole))):
                assert np.array_equal(one.get(), other.get()[start : start + count])
