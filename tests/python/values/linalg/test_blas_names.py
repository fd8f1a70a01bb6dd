"""tenorite.cublas, lapack, cusolver and x.linalg: the names that CuPy has beside NumPy's, against
what NumPy computes."""

import doctest
import importlib

import numpy as np
import pytest
import tenorite as tn
from oracle import settle

DTYPES = "fdFD"
RNG = np.random.default_rng(7)
BLAS = tn.cublas
OPS = {"N": lambda a: a, "T": lambda a: a.T, "H": lambda a: a.conj().T, 0: lambda a: a, 1: lambda a: a.T}


def values(shape, dtype):
    data = RNG.standard_normal(shape)
    if dtype in "FD":
        data = data + 1j * RNG.standard_normal(shape)
    return np.asarray(data, dtype)


def close(found, expected, units=50):
    found = found.get()
    expected = np.asarray(expected)
    assert found.shape == expected.shape and found.dtype == expected.dtype, (found.dtype, expected.dtype)
    if found.dtype.kind in "fc":
        size = max(np.abs(expected).max(initial=0), 1.0)
        assert np.abs(found - expected).max(initial=0) <= units * np.finfo(found.dtype).eps * size
    else:
        assert (found == expected).all()


def parts(x):
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors(dtype):
    x, y = values(17, dtype), values(17, dtype)
    a, b = tn.array(x), tn.array(y)
    real = dtype.lower()
    out = tn.zeros((), real)
    close(BLAS.iamax(a), np.int32(parts(x).argmax() + 1))
    close(BLAS.iamin(a[::2]), np.int32(parts(x[::2]).argmin() + 1))
    close(BLAS.asum(a), parts(x).sum())
    close(BLAS.nrm2(a), np.asarray(np.linalg.norm(x), real))
    for function, expected in ((BLAS.asum, parts(x).sum()), (BLAS.nrm2, np.linalg.norm(x))):
        assert function(a, out=out) is out
        close(out, np.asarray(expected, real))
    close(BLAS.dotu(a, b), np.dot(x, y))
    close(BLAS.dotc(a, b), np.vdot(x, y))
    if dtype in "fd":
        close(BLAS.dot(a, b), np.dot(x, y))
    else:
        with pytest.raises(TypeError, match="dotu"):
            BLAS.dot(a, b)
    for factor in (0.5, tn.array(0.5)):
        c = b.copy()
        assert BLAS.axpy(factor, a, c) is None
        close(c, (0.5 * x + y).astype(dtype))
        assert BLAS.scal(factor, c) is None
        close(c, (0.5 * (0.5 * x + y)).astype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices(dtype):
    x, other = values((4, 6), dtype), values((4, 6), dtype)
    a, b = tn.array(x), tn.array(np.asfortranarray(other))
    for op, of in OPS.items():
        v, w = values(of(x).shape[1], dtype), values(of(x).shape[0], dtype)
        for alpha, beta in ((1.0, 0.0), (0.5, 2.0), (tn.array(0.5), tn.array(2.0))):
            y = tn.array(w)
            BLAS.gemv(op, alpha, a, tn.array(v), beta, y)
            close(y, (float(alpha) * (of(x) @ v) + float(beta) * w).astype(dtype))
            expected = float(alpha) * of(x) + float(beta) * of(other)
            close(BLAS.geam(op, op, alpha, a, beta, b), expected.astype(dtype))
            z = values((of(x).shape[1], 3), dtype)
            product = float(alpha) * (of(x) @ z)
            close(BLAS.gemm(op, "N", a, tn.array(z), alpha=alpha), product.astype(dtype))
            for order in "CF":
                before = values(product.shape, dtype)
                out = tn.array(before, order=order)
                assert BLAS.gemm(op, "T", a, tn.array(np.ascontiguousarray(z.T)), out, alpha, beta) is out
                close(out, (product + float(beta) * before).astype(dtype))
    v, w = values(4, dtype), values(6, dtype)
    for name, transposed in (("geru", w), ("gerc", w.conj()), *([("ger", w)] if dtype in "fd" else [])):
        c = a.copy()
        getattr(BLAS, name)(0.5, tn.array(v), tn.array(w), c)
        close(c, (x + 0.5 * np.outer(v, transposed)).astype(dtype))
    close(BLAS.dgmm("L", a, tn.array(v)), v[:, None] * x)
    close(BLAS.dgmm("R", a, tn.array(w)), x * w)
    long = values(7, dtype)
    close(BLAS.dgmm("L", a, tn.array(long), incx=2), long[::2][:, None] * x)
    close(BLAS.dgmm("L", a, tn.array(long), incx=-2), long[::-2][:, None] * x)
    square = values((4, 4), dtype)
    close(BLAS.dgmm("L", a, tn.array(square), incx=5), square.diagonal()[:, None] * x)
    close(BLAS.dgmm("L", a, tn.array(v[0]), incx=0), v[0] * x)
    for trans, lower in ((0, False), ("T", True)):
        transposed = x if trans == 0 else x.T
        whole, keep = transposed @ transposed.T, np.tril if lower else np.triu
        close(BLAS.syrk(trans, a, lower=lower), keep(whole))
        out = tn.ones(whole.shape, dtype)
        assert BLAS.syrk(trans, a, out, alpha=2.0, beta=3.0, lower=lower) is out
        close(out, np.where(keep(np.ones(whole.shape)) > 0, 2 * whole + 3, 1).astype(dtype))


def test_numbers_of_numpy():
    x, y = tn.array([1.0, -3.0]), tn.array([2.0, 4.0])
    BLAS.axpy(np.array(0.5), x, y)
    close(y, np.array([2.5, 2.5]))
    BLAS.gemv("N", np.array(2.0), tn.eye(2), x, np.array(1.0), y)
    close(y, np.array([4.5, -3.5]))
    for dtype in ("i", "d"):
        out = np.empty((), dtype)
        assert BLAS.iamax(x, out) is out and out == 2
    out = np.empty((), "d")
    assert BLAS.dot(x, x, out) is out and out == 10
    close(BLAS.batched_gesv(2 * tn.eye(2), x), np.array([0.5, -1.5]))


@pytest.mark.parametrize("dtype", "fd")
def test_bands(dtype):
    for n, k in ((1, 0), (5, 0), (5, 2), (3, 5)):
        dense = np.triu(values((n, n), dtype))
        dense = np.triu(dense, 0) - np.triu(dense, k + 1)
        upper, lower = np.zeros((2, k + 1, n), dtype)
        for i, j in np.argwhere(dense):
            upper[k + i - j, j] = lower[j - i, i] = dense[i, j]
        symmetric = dense + np.triu(dense, 1).T
        x, y = values(n, dtype), values(n, dtype)
        for bands, is_lower in ((upper, False), (lower, True)):
            found = tn.array(y)
            assert BLAS.sbmv(k, 0.5, tn.array(bands), tn.array(x), 2.0, found, lower=is_lower) is found
            close(found, (0.5 * (symmetric @ x) + 2 * y).astype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions(dtype):
    n = 7
    half = values((3, n, n), dtype)
    x = half @ half.conj().swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)
    for b in (values((3, n), dtype), values((3, n, 2), dtype)):
        columns = b[..., None] if b.ndim == 2 else b
        expected = np.linalg.solve(x, columns).reshape(b.shape)
        close(BLAS.batched_gesv(tn.array(x), tn.array(b)), expected, 500)
        close(tn.lapack.posv(tn.array(x), tn.array(b)), expected, 500)
        for order in "CF":
            a, c = tn.array(x[0], order=order), tn.array(b[0], order=order)
            close(tn.cusolver.gesv(a, c), expected[0], 500)
            close(tn.lapack.posv(a, c), expected[0], 500)
            c = tn.array(b[0], order="F")
            assert tn.lapack.gesv(a, c) is c
            close(c, expected[0], 500)
            for lower in (True, False):
                factor = tn.linalg.cholesky(tn.array(x[0]), upper=not lower)
                c = tn.array(b[0], order=order)
                assert tn.lapack.potrs(factor, c, lower) is c
                close(c, expected[0], 500)
    close(tn.x.linalg.invh(tn.array(x)), np.linalg.inv(x), 500)
    for m, n in ((6, 4), (4, 6), (4, 4)):
        a, b = values((m, n), dtype), values((m, 2), dtype)
        for gels in (tn.lapack.gels, tn.cusolver.gels):
            close(gels(tn.array(a), tn.array(b)), np.linalg.lstsq(a, b, rcond=None)[0].astype(dtype), 5000)
            assert gels(tn.array(a), tn.array(b[:, 0])).shape == (n,)


@pytest.mark.parametrize("dtype", DTYPES)
def test_decompositions(dtype):
    for shape in ((5, 3), (2, 5, 3), (3, 5)):
        x = values(shape, dtype)
        u, s, v = tn.cusolver.gesvdj(tn.array(x), full_matrices=False)
        product = (u.get() * s.get()[..., None, :]) @ v.get().conj().swapaxes(-1, -2)
        close(tn.array(product.astype(dtype)), x)
        close(tn.cusolver.gesvdj(tn.array(x), compute_uv=False), np.linalg.svd(x, compute_uv=False))
        if shape[-2] >= shape[-1]:
            u, s, v = tn.cusolver.gesvda(tn.array(x))
            assert u.shape == shape and v.shape == (*shape[:-2], 3, 3)
        else:
            with pytest.raises(ValueError, match="no more columns"):
                tn.cusolver.gesvda(tn.array(x))
    x = values((4, 4), dtype)
    x = x + x.conj().T
    w, v = tn.cusolver.syevj(tn.array(x), UPLO="U")
    close(tn.array((x @ v.get()).astype(dtype)), (v.get() * w.get()).astype(dtype))
    close(tn.cusolver.syevj(tn.array(x), with_eigen_vector=False), np.linalg.eigvalsh(x))


@pytest.mark.quick
def test_refusals_of_blas():
    a, x = tn.ones((2, 3)), tn.ones(3)
    for call, error, text in [
        (lambda: BLAS.iamax(a), ValueError, "x must be a 1D array"),
        (lambda: BLAS.asum(tn.arange(3)), TypeError, "invalid dtype"),
        (lambda: BLAS.axpy(1, x, x[:2]), ValueError, "same size"),
        (lambda: BLAS.axpy(1, x, x.astype("f")), TypeError, "same dtype"),
        (lambda: BLAS.gemv("X", 1, a, x, 0, x), TypeError, "invalid trans"),
        (lambda: BLAS.gemv("T", 1, a, x, 0, x), ValueError, "do not fit"),
        (lambda: BLAS.gemm("N", "N", a, a), ValueError, "do not fit"),
        (lambda: BLAS.gemm("N", "T", a, a, tn.ones((3, 3))), ValueError, "out has shape"),
        (lambda: BLAS.gemm("N", "T", a, a, tn.ones((2, 2), "f")), TypeError, "same dtype"),
        (lambda: BLAS.ger(1, x, x, a.astype("D")), TypeError, "geru"),
        (lambda: BLAS.geam("N", "T", 1, a, 1, a), ValueError, "differ"),
        (lambda: BLAS.dgmm("X", a, x), ValueError, "side"),
        (lambda: BLAS.dgmm("R", a, x, incx=2), ValueError, "too short"),
        (lambda: BLAS.sbmv(1, 1, a, x, 0, x[:2]), ValueError, "same size"),
        (lambda: BLAS.batched_gesv(a, x), ValueError, "stack of square"),
        (lambda: tn.lapack.gesv(a, x[:2]), ValueError, "square"),
        (lambda: tn.lapack.gesv(tn.eye(2), x), ValueError, "shape mismatch"),
        (lambda: tn.lapack.gesv(tn.eye(3), x.astype("f")), TypeError, "dtype mismatch"),
        (lambda: tn.lapack.gesv(tn.eye(3, dtype="l"), x.astype("l")), TypeError, "unsupported dtype"),
        (lambda: tn.lapack.gesv(tn.ones((1, 3, 3)), x), ValueError, "a.ndim"),
        (lambda: tn.lapack.gesv(tn.ones((3, 6))[:, ::2], x), ValueError, "order C or F"),
        (lambda: tn.lapack.gesv(tn.eye(3), tn.ones((3, 2))), ValueError, "order F"),
        (lambda: tn.lapack.posv(a, x), ValueError, "square"),
        (lambda: tn.cusolver.check_availability("bogus"), ValueError, "bogus"),
    ]:
        with pytest.raises(error, match=text):
            call()
    for call in (
        lambda: tn.lapack.posv(-tn.eye(3), x),
        lambda: tn.x.linalg.invh(-tn.eye(3)),
        lambda: tn.cusolver.gesv(tn.zeros((3, 3)), x),
    ):
        with pytest.raises(tn.linalg.LinAlgError):
            call()
            settle()
    before = BLAS.get_batched_gesv_limit()
    BLAS.set_batched_gesv_limit(8)
    assert BLAS.get_batched_gesv_limit() == 8
    BLAS.set_batched_gesv_limit(before)


@pytest.mark.quick
@pytest.mark.parametrize("name", ["cublas", "lapack", "cusolver", "x.linalg"])
def test_examples_of_blas(name):
    module = importlib.import_module(f"tenorite.{name}")
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for called in module.__all__:
        (found,) = finder.find(getattr(module, called), called, module=False, globs=dict(vars(module)))
        assert found.examples, called
        assert runner.run(found).failed == 0, called
