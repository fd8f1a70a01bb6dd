"""The device text of small matrices in groups of lanes, run on the host as a RawKernel's."""

import os
import shutil

import device_text
import numpy as np
import pytest
import tenorite as tn

LU, LU_SOLVE, CHOLESKY, QR, EIGH, SVD = range(6)
BLOCK = 64
has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
pytestmark = [
    pytest.mark.host_only("it is about the text on the host"),
    pytest.mark.skipif(not has_compiler, reason="no C++ compiler is installed"),
]


def launch(operation, a, m, n, *, vectors=None, values=None, other=None, pivots=None, columns=0, upper=0):
    """Whether a matrix failed: a (count, n, m), by columns, is worked on in place."""
    side = next(side for side in (4, 8, 16, 32) if side >= max(m, n))
    real = "typedef float Real;" if a.dtype == "f4" else "typedef double Real;"
    bounds = device_text.bounds()
    blocks = -(-len(a) // (BLOCK // side))
    device_text.launch(
        "group_matrices",
        {"BLOCK": BLOCK, "OPERATION": operation, "VECTORS": int(vectors is not None), "SIDE": side},
        blocks,
        BLOCK,
        a=a,
        vectors=vectors if operation != EIGH else None,
        values=values,
        other=other,
        pivots=pivots,
        count=len(a),
        m=m,
        n=n,
        columns=columns,
        upper=upper,
        text=1,
        bounds=bounds,
        body=real,
    )
    return bounds[0].get()[0] != 0


def columns_of(a):
    return tn.asarray(np.ascontiguousarray(a.swapaxes(1, 2)))


def rows_changed(pivots, n):
    """The order of rows after exchanges, of each matrix."""
    order = np.tile(np.arange(n), (len(pivots), 1))
    for one, exchanges in zip(order, pivots - 1, strict=True):
        for k, at in enumerate(exchanges):
            one[[k, at]] = one[[at, k]]
    return order


def matrices_of(a):
    return a.get().swapaxes(1, 2).astype("f8")


def many(count, m, n, dtype):
    """Of them a zero, one of rank one, the identity, one of ones, and extreme ones."""
    a = np.random.default_rng(m * 100 + n).standard_normal((count, m, n)).astype(dtype)
    a[1] = 0
    a[2] = a[2, :, :1] * a[2, :1, :]
    a[3] = np.eye(m, n)
    a[4] = 1
    a[5] *= np.finfo(dtype).tiny ** 0.5
    a[6] *= np.finfo(dtype).max ** 0.25
    return a


def close(one, other, dtype, size):
    for got, wanted in zip(one, other, strict=True):
        bound = 40 * np.finfo(dtype).eps * max(size, 4) * np.abs(wanted).max(initial=0)
        assert np.abs(got - wanted).max(initial=0) <= bound


def orthonormal(q, dtype):
    close(
        q.swapaxes(1, 2) @ q, np.broadcast_to(np.eye(q.shape[2]), (len(q), q.shape[2], q.shape[2])), dtype, q.shape[1]
    )


@pytest.mark.parametrize(
    ("n", "dtype"), [(1, "f8"), (3, "f8"), (5, "f4"), (8, "f4"), (13, "f8"), (17, "f4"), (32, "f4")]
)
def test_eigh(n, dtype):
    a = many(11, n, n, dtype)
    a = a + a.swapaxes(1, 2)
    for upper in (0, 1):
        v, w = columns_of(np.triu(a) if upper else np.tril(a)), tn.zeros((11, n), dtype)
        assert not launch(EIGH, v, n, n, vectors=v, values=w, upper=upper)
        vectors, values = matrices_of(v), w.get().astype("f8")
        orthonormal(vectors, dtype)
        close(vectors * values[:, None, :] @ vectors.swapaxes(1, 2), a.astype("f8"), dtype, n)
        assert (np.diff(values) >= 0).all()


@pytest.mark.parametrize(
    ("m", "n", "dtype"),
    [
        (1, 1, "f4"),
        (3, 3, "f4"),
        (5, 3, "f8"),
        (3, 5, "f8"),
        (8, 8, "f8"),
        (16, 2, "f4"),
        (9, 32, "f8"),
        (32, 32, "f8"),
    ],
)
def test_svd(m, n, dtype):
    least, a = min(m, n), many(9, m, n, dtype)
    u, s, vh = tn.zeros((9, least, m), dtype), tn.zeros((9, least), dtype), tn.zeros((9, n, least), dtype)
    assert not launch(SVD, columns_of(a), m, n, vectors=u, values=s, other=vh)
    values = s.get().astype("f8")
    orthonormal(matrices_of(u), dtype)
    orthonormal(matrices_of(vh).swapaxes(1, 2), dtype)
    close(matrices_of(u) * values[:, None, :] @ matrices_of(vh), a.astype("f8"), dtype, max(m, n))
    assert (np.diff(values) <= 0).all() and (values >= 0).all()


@pytest.mark.parametrize(("m", "n"), [(1, 1), (4, 4), (5, 3), (3, 5), (16, 16), (17, 9), (32, 32)])
def test_qr(m, n, dtype="f8"):
    a, least = many(9, m, n, dtype), min(m, n)
    r, tau = columns_of(a), tn.zeros((9, least), dtype)
    q = tn.zeros((9, m, m), dtype)
    assert not launch(QR, r, m, n, vectors=q, values=tau, columns=m)
    orthonormal(matrices_of(q), dtype)
    close(matrices_of(q) @ np.triu(matrices_of(r)), a.astype("f8"), dtype, max(m, n))


@pytest.mark.parametrize("n", [1, 3, 16, 29])
def test_cholesky(n, dtype="f4"):
    b = np.random.default_rng(n).standard_normal((9, n, n)).astype(dtype)
    a = b @ b.swapaxes(1, 2) + n * np.eye(n, dtype=dtype)
    for upper in (0, 1):
        factor = columns_of(np.triu(a) if upper else np.tril(a))
        assert not launch(CHOLESKY, factor, n, n, upper=upper)
        got = matrices_of(factor)
        close(got.swapaxes(1, 2) @ got if upper else got @ got.swapaxes(1, 2), a.astype("f8"), dtype, n)


@pytest.mark.parametrize(
    ("n", "columns", "dtype"), [(1, 1, "f8"), (3, 5, "f4"), (8, 1, "f8"), (16, 40, "f4"), (29, 29, "f8")]
)
def test_elimination(n, columns, dtype):
    a = np.random.default_rng(n).standard_normal((9, n, n)).astype(dtype)
    lu, pivots = columns_of(a), tn.zeros((9, n), "i8")
    assert not launch(LU, lu, n, n, pivots=pivots)
    got, order = matrices_of(lu), rows_changed(pivots.get(), n)
    moved = np.take_along_axis(a.astype("f8"), order[:, :, None], 1)
    close((np.tril(got, -1) + np.eye(n)) @ np.triu(got), moved, dtype, n)
    assert np.abs(np.tril(got, -1)).max() <= 1
    x = np.random.default_rng(1).standard_normal((9, n, columns))
    b = columns_of((a.astype("f8") @ x).astype(dtype))
    assert not launch(LU_SOLVE, lu, n, n, vectors=b, pivots=pivots, columns=columns)
    close(a.astype("f8") @ matrices_of(b), a.astype("f8") @ x, dtype, n * 20)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_failures(bad):
    """Told of, and no number comes of it; the neighbours have theirs."""
    a = many(9, 6, 6, "f8")
    a = a + a.swapaxes(1, 2)
    a[7, 2, 3] = a[7, 3, 2] = bad
    v, w = columns_of(a), tn.zeros((9, 6), "f8")
    assert launch(EIGH, v, 6, 6, vectors=v, values=w)
    assert np.isnan(w.get()[7]).all() and np.isfinite(np.delete(w.get(), 7, 0)).all()
    s = tn.zeros((9, 6), "f8")
    assert launch(SVD, columns_of(a), 6, 6, values=s)
    assert np.isnan(s.get()[7]).all() and np.isfinite(np.delete(s.get(), 7, 0)).all()
    a[3] = 1
    assert launch(LU, columns_of(a), 6, 6, pivots=tn.zeros((9, 6), "i8"))
    assert launch(CHOLESKY, columns_of(-np.ones((3, 4, 4))), 4, 4)
