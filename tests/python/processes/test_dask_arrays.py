"""dask.array with chunks of ours gives what it gives with NumPy's, and chunks of ours."""

import subprocess
import sys

import numpy as np
import pytest
import tenorite as tn

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

A = np.random.default_rng(3).random((24, 24)) + 8 * np.eye(24)
CASES = {
    "reductions": lambda x: [x.sum(axis=0, keepdims=True), x.mean(keepdims=True), x.var(axis=1), x.std(), x.prod()],
    "positions": lambda x: [x.argmax(axis=1), da.nanargmin(x, axis=0), x.argmax()],
    "not a number": lambda x: [da.nanmean(da.where(x > 8, np.nan, x), axis=1, keepdims=True), da.nansum(x)],
    "moments": lambda x: [da.reductions.moment(x, 3), da.cov(x), da.corrcoef(x), da.average(x, weights=x, axis=0)],
    "scans": lambda x: [x.cumsum(axis=0), da.cumsum(x, axis=1, method="blelloch"), da.diff(x), da.gradient(x, axis=0)],
    "sorted": lambda x: [
        da.topk(x, 3, axis=1),
        da.argtopk(x.rechunk((6, 24)), 2, axis=1),
        da.median(x, axis=0),
        da.quantile(x, 0.3, axis=1),
    ],
    "percentile": lambda x: [da.percentile(x[0].rechunk(24), [10, 50, 90])],
    "unique": lambda x: [da.unique((x * 4).astype(int))],
    "counted": lambda x: [da.histogram(x, bins=10, range=(0, 9))[0], da.bincount(x[0].astype(int), minlength=12)],
    "products": lambda x: [x @ x, da.tensordot(x, x, 1), da.einsum("ij,kj->ik", x, x), da.outer(x[0], x[1]), x.trace()],
    "joined": lambda x: [da.concatenate([x, x], 1), da.stack([x, x]), da.block([[x, x], [x, x]]), da.tile(x, 2)],
    "indexed": lambda x: [x[[3, 1]], x[x > 8], x.vindex[[3, 1], [1, 2]], da.take(x, [3, 1], axis=1), x[::-2, None]],
    "found": lambda x: [da.flatnonzero(x > 8), da.nonzero(x > 8)[1], da.where(x > 8, x, 0), da.digitize(x, [1, 5])],
    "shapes": lambda x: [
        x.T.reshape(4, 6, 24),
        da.roll(x, 5, axis=1),
        da.rot90(x),
        da.repeat(x, 2, axis=0),
        x.rechunk(7),
    ],
    "padded": lambda x: [da.pad(x, 3, mode="reflect"), da.pad(x, 3, constant_values=2), da.pad(x, 3, mode="mean")],
    "triangles": lambda x: [da.tril(x), da.triu(x, 1), da.diag(x), da.diagonal(x), da.diagonal(x, 100)],
    "overlap": lambda x: [da.map_overlap(lambda a: a + np.roll(a, 1, 0), x, depth=1, boundary="periodic")],
    "functions": lambda x: [np.sin(x), da.modf(x)[0], x.clip(1, 2), da.angle(x + 1j), x.round(2), x.map_blocks(np.exp)],
    "gufunc": lambda x: [da.apply_gufunc(lambda a: a.mean(-1), "(i)->()", x.rechunk((12, 24)))],
    "fft": lambda x: [da.fft.fft(x.rechunk((6, 24))), da.fft.rfft2(x.rechunk(24)), da.fft.fftshift(x)],
    "qr": lambda x: [(lambda q, r: q @ r)(*da.linalg.qr(x.rechunk((6, 24)))), da.linalg.svd(x.rechunk((6, 24)))[1]],
    "solve": lambda x: [da.linalg.solve(x, x[:, :6]), da.linalg.inv(x), da.linalg.solve_triangular(da.triu(x), x)],
    "lu": lambda x: [(lambda p, low, up: p @ low @ up)(*da.linalg.lu(x)), *da.linalg.lu(x)],
    "positive": lambda x: [da.linalg.cholesky(x @ x.T, lower=True), da.linalg.solve(x @ x.T, x, assume_a="pos")],
    "least squares": lambda x: [da.linalg.lstsq(x.rechunk((6, 24)), x[:, 0])[0], da.linalg.norm(x)],
}


@pytest.fixture
def ours():
    """New arrays of Dask's are ours."""
    with dask.config.set({"array.backend": "tenorite"}):
        yield


def chunked(xp, chunks=6):
    return da.from_array(xp.asarray(A), chunks=chunks, asarray=False)


def check(made, expected):
    (result,) = dask.compute(made, scheduler="sync")
    assert type(result) is tn.ndarray
    np.testing.assert_allclose(result.get(), expected.compute(scheduler="sync"), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case):
    expected = case(chunked(np))
    with dask.config.set({"array.backend": "tenorite"}):
        for made, one in zip(case(chunked(tn)), expected, strict=True):
            check(made, one)


def test_compressed(ours):
    """The matrix that compresses is random, of Dask's backend."""
    _, s, _ = da.linalg.svd_compressed(chunked(tn), 24, seed=3)
    np.testing.assert_allclose(s.compute().get(), np.linalg.svd(A)[1])


def test_writes():
    x = chunked(tn)
    x[x > 8] = 0
    x[3:5, ::2] = -1
    x[7] = tn.arange(24.0)
    expected = np.where(A > 8, 0, A)
    expected[3:5, ::2] = -1
    expected[7] = np.arange(24)
    np.testing.assert_array_equal(x.compute(scheduler="sync").get(), expected)


MADE = {
    "ones": ((4, 6),),
    "zeros": ((4, 6),),
    "full": ((4, 6), 7.0),
    "arange": (0, 20, 3),
    "empty": ((2, 3),),
    "ones_like": (np.zeros(3),),
}


@pytest.mark.parametrize("name", MADE)
def test_creation(ours, name):
    made = getattr(da, name)(*MADE[name], chunks=2)
    result = made.compute(scheduler="sync")
    assert isinstance(made._meta, np.ndarray if name == "ones_like" else tn.ndarray)
    assert type(result) is type(made._meta)
    if name != "empty":
        np.testing.assert_array_equal(tn.asnumpy(result), getattr(np, name)(*MADE[name]))


@pytest.mark.parametrize("draw", ["normal", "integers", "choice", "permutation", "random"])
def test_random(ours, draw):
    """Numbers depend on the seed and the chunks, not on who computes them and in which order."""
    arguments = {
        "normal": ((0, 1, (40, 6)), {"chunks": 10}),
        "integers": ((0, 9, (40,)), {"chunks": 10}),
        "choice": ((10, 40), {"chunks": 10}),
        "permutation": ((np.arange(40),), {}),
        "random": (((40,),), {"chunks": 7}),
    }[draw]

    def made(seed):
        positional, named = arguments
        if draw == "permutation":
            positional = (chunked(tn, 10),)
        return getattr(da.random.default_rng(seed), draw)(*positional, **named)

    first, second = made(5), made(5)
    assert first.name == second.name or draw == "permutation"
    one, other = first.compute(scheduler="sync"), second.compute(scheduler="threads")
    assert type(one) is tn.ndarray and (one == other).all()
    assert not (made(6).compute(scheduler="sync") == one).all()
    state = da.random.RandomState(5).normal(size=20, chunks=5)
    assert (state.compute(scheduler="sync") == state.compute(scheduler="threads")).all()


def test_operators():
    """With arrays of ours, before and after the dask array, of either kind of chunks."""
    for x in (chunked(tn), chunked(tn).astype("f4")):
        for made in (tn.asarray(A) + x, x + tn.asarray(A), np.add(tn.asarray(A), x), tn.add(tn.asarray(A), x)):
            assert isinstance(made, da.Array)
            np.testing.assert_allclose(made.compute(scheduler="sync").get(), A + x.compute().get(), rtol=1e-6)
    with pytest.raises(TypeError, match="tenorite.asarray"):
        (chunked(np) + chunked(tn)).compute(scheduler="sync")


def test_to_another_backend():
    moved = da.from_array(A, chunks=6).to_backend("tenorite")
    assert type(moved._meta) is tn.ndarray and type(moved.compute(scheduler="sync")) is tn.ndarray
    assert moved.to_backend("tenorite") is moved
    back = moved.to_backend("numpy")
    assert type(back.compute(scheduler="sync")) is np.ndarray


def test_sparse():
    sparse = pytest.importorskip("tenorite.scipy.sparse")
    x = da.where(chunked(tn) > 8, chunked(tn), 0)
    thin = x.map_blocks(sparse.csr_matrix)
    dense = np.where(A > 8, A, 0)
    assert isinstance(thin.compute(scheduler="sync"), sparse.csr_matrix)
    np.testing.assert_array_equal(thin.compute(scheduler="sync").toarray().get(), dense)
    for axes in ((1, 0), (0, 0), (1, 1), (0, 1)):
        product = da.tensordot(thin, thin, axes=axes).compute(scheduler="sync")
        np.testing.assert_allclose(product.toarray().get(), np.tensordot(dense, dense, axes))
    np.testing.assert_array_equal(thin[[3, 1]].compute(scheduler="sync").toarray().get(), dense[[3, 1]])
    back = thin.map_blocks(lambda chunk: chunk.toarray(), dtype="f8")
    np.testing.assert_array_equal(back.compute(scheduler="sync").get(), dense)
    assert da.concatenate([thin, thin]).compute(scheduler="sync").shape == (48, 24)
    with pytest.raises(ValueError, match="axis 0 or 1"):
        dask.array.dispatch.concatenate_lookup.dispatch(sparse.spmatrix)([sparse.csr_matrix(tn.eye(2))] * 2, axis=2)


def test_zarr(tmp_path):
    pytest.importorskip("zarr")
    chunked(tn).to_zarr(str(tmp_path / "a"))
    da.to_zarr(chunked(tn), str(tmp_path / "b"))
    for name in "ab":
        np.testing.assert_array_equal(da.from_zarr(str(tmp_path / name)).compute(scheduler="sync"), A)


def test_sizes():
    from dask.sizeof import sizeof

    sparse = pytest.importorskip("tenorite.scipy.sparse")
    assert sizeof(tn.ones((30, 10))) == 2400
    matrix = sparse.csr_matrix(tn.eye(100))
    assert sizeof(matrix) == matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes


def test_tokens():
    """Equal values have equal tokens, in each process; different ones others."""
    program = """
import tenorite as tn
from dask.base import tokenize
made = [tn.arange(6), tn.arange(6).reshape(2, 3).T, tn.arange(6.0)[::-2], tn.ones(3, 'f4'), tn.ones(3, 'c8'),
        tn.exp, tn.fft.fft, tn.random.default_rng(4), tn.random.RandomState(4), tn.scipy.sparse.eye(3).tocsr(),
        tn.ElementwiseKernel('T x', 'T y', 'y = x', 'same')]
print(*[tokenize(one, ensure_deterministic=True) for one in made])
"""
    texts = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(2)]
    assert not texts[0].stderr and texts[0].stdout == texts[1].stdout
    tokens = texts[0].stdout.split()
    assert len(set(tokens)) == len(tokens) == 11


def test_neither_imports_the_other():
    program = """
import sys
import FIRST
print([name for name in ("dask", "tenorite", "distributed") if name in sys.modules])
import SECOND, dask.array as da, tenorite as tn
print(type(da.from_array(tn.ones(4), chunks=2, asarray=False).sum().compute(scheduler="sync")).__module__)
print(type(tn.ones(4) + da.ones(4, chunks=2)).__module__)
"""
    for first, second in (("dask.array", "tenorite"), ("tenorite", "dask")):
        text = program.replace("FIRST", first).replace("SECOND", second)
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        assert done.stdout.splitlines() == [
            f"['{first[:4] if first[0] == 'd' else first}']",
            "tenorite",
            "dask.array.core",
        ], done


def test_xarray():
    xarray = pytest.importorskip("xarray")
    field = xarray.DataArray(tn.asarray(A), dims=("time", "place"))
    lazy = xarray.DataArray(chunked(tn), dims=("time", "place"))
    for made in (lambda f: f.mean("time"), lambda f: f.rolling(time=3).sum(), lambda f: f.where(f > 1, 0).sum("place")):
        expected = made(xarray.DataArray(A, dims=("time", "place")))
        for one in (field, lazy):
            result = made(one).compute().data
            assert type(result) is tn.ndarray
            np.testing.assert_allclose(result.get(), expected.data)
