"""tenorite.cusparse, cuda.cusparse and x.linalg.sparse against dense arithmetic."""

import doctest
import importlib
import pickle

import numpy as np
import pytest
import tenorite as tn
from tenorite import cusparse
from tenorite.scipy import sparse

DTYPES = "fdFD"
FORMATS = ("csr", "csc", "coo")
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def dense(shape, dtype="d", seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype in "FD" else 0)
    return np.where(rng.random(shape) < 0.4, values, 0).astype(dtype)


def matrix(array, format="csr"):
    return getattr(sparse, f"{format}_matrix")(tn.asarray(array))


def close(found, expected):
    found = found.toarray() if sparse.issparse(found) else found
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected, **CLOSE)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("transposed", [False, True])
def test_products(dtype, format, transposed):
    a, x, b = dense((7, 5), dtype), dense(5, dtype, 1), dense((5, 4), dtype, 2)
    ours = matrix(a.T if transposed else a, format)
    y, c = dense(7, dtype, 3), np.asfortranarray(dense((7, 4), dtype, 4))
    close(cusparse.spmv(ours, tn.asarray(x), transa=transposed), a @ x)
    close(cusparse.spmm(ours, tn.asarray(b), transa=transposed), a @ b)
    close(cusparse.spmm(ours, tn.asarray(b.T.copy()), transa=transposed, transb=True), a @ b)
    for function, other, out in ((cusparse.spmv, x, y), (cusparse.spmm, b, c)):
        to = tn.asarray(out)
        assert function(ours, tn.asarray(other), to, 2, 0.5, transposed) is to
        close(to, (2 * (a @ other) + out / 2).astype(dtype))
    if format != "coo":
        close(cusparse.csrmv(ours, tn.asarray(x), alpha=3, transa=transposed), 3 * (a @ x).astype(dtype))
        close(cusparse.csrmm(ours, tn.asarray(b), transa=transposed), a @ b)
        close(cusparse.csrmm2(ours, tn.asarray(b), transa=transposed), a @ b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices(dtype):
    a, b, d = dense((6, 5), dtype), dense((5, 7), dtype, 1), dense((6, 7), dtype, 2)
    ours = [matrix(one) for one in (a, b, d)]
    for function in (cusparse.spgemm, cusparse.csrgemm, cusparse.csrgemm2):
        close(function(*ours[:2]), a @ b)
    close(cusparse.csrgemm2(*ours, alpha=2, beta=-1), (2 * (a @ b) - d).astype(dtype))
    close(cusparse.csrgemm(matrix(a.T), matrix(b.T), True, True), a @ b)
    for function in (cusparse.csrgeam, cusparse.csrgeam2, cusparse.spgeam):
        close(function(ours[0], matrix(2 * a), 3, -1), a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trans", [False, "T", "H"])
@pytest.mark.parametrize("lower", [False, True])
def test_triangles(dtype, trans, lower):
    pytest.importorskip("scipy")
    a = dense((6, 6), dtype) + 4 * np.eye(6, dtype=dtype)
    b = dense((6, 2), dtype, 1)
    triangle = np.tril(a) if lower else np.triu(a)
    operator = {False: triangle, "T": triangle.T, "H": triangle.conj().T}[trans]
    expected = np.linalg.solve(operator, 2 * b).astype(dtype)
    close(cusparse.spsm(matrix(a), tn.asarray(b), 2, lower, False, trans), expected)
    x = tn.asarray(b)
    assert cusparse.csrsm2(matrix(a), x, 2, lower, False, trans) is None
    close(x, expected)


def test_formats():
    a = dense((5, 6))
    for name in ("coo2csr", "coo2csc", "csr2csc", "csr2cscEx2", "csc2csr", "csc2csrEx2"):
        made = getattr(cusparse, name)(matrix(a, name[:3]))
        assert made.format == name[4:7]
        close(made, a)
    for format in ("csr", "csc"):
        one = matrix(a, format)
        close(getattr(cusparse, f"{format}2coo")(one, one.data, one.indices), a)
        found = getattr(cusparse, f"{format}2dense")(one)
        assert found.flags.f_contiguous
        close(found, a)
        close(getattr(cusparse, f"dense2{format}")(tn.asarray(a)), a)
    out = tn.zeros((5, 6))
    assert cusparse.sparseToDense(matrix(a), out) is out
    close(out, a)
    close(cusparse.csr2csr_compress(matrix(a), 0.5), np.where(abs(a) > 0.5, a, 0))
    coo = matrix(a, "coo")
    for by in ("c", "r"):
        cusparse.coosort(coo, by)
        assert np.all(np.diff((coo.row if by == "r" else coo.col).get()) >= 0)
        close(coo, a)


def test_refused():
    a, x = matrix(dense((4, 3))), tn.ones(3)
    for call, error in (
        (lambda: cusparse.spmv(a, tn.ones(4)), ValueError),
        (lambda: cusparse.spmv(a, x, tn.ones(3)), ValueError),
        (lambda: cusparse.spmv(a, x, tn.ones(4, dtype="f")), TypeError),
        (lambda: cusparse.spmv(x, x), TypeError),
        (lambda: cusparse.csrmv(a.tocoo(), x), TypeError),
        (lambda: cusparse.spgemm(a, a), ValueError),
        (lambda: cusparse.csrgeam(a, a.T.tocsr()), ValueError),
        (lambda: cusparse.spsm(a, x), ValueError),
        (lambda: cusparse.coosort(a.tocoo(), "x"), ValueError),
        (lambda: cusparse.denseToSparse(tn.eye(2), "lil"), TypeError),
        (lambda: cusparse.check_availability("nothing"), ValueError),
        (lambda: cusparse.csrilu02(a), NotImplementedError),
        (lambda: tn.cuda.cusparse.scsrmv(), NotImplementedError),
    ):
        with pytest.raises(error):
            call()
    assert tn.cuda.cusparse.CUSPARSE_FORMAT_COO == 3


def test_descriptors():
    a = matrix(dense((4, 3), "f"), "csc")
    found = cusparse.SpMatDescriptor.create(a).get()
    assert (found.rows, found.cols, found.nnz, found.values) == (3, 4, a.nnz, a.data.data.ptr)
    assert cusparse.SpMatDescriptor.create(a.tocoo()).get().idxType == tn.cuda.cusparse.CUSPARSE_INDEX_32I
    with pytest.raises(TypeError):
        cusparse.DnVecDescriptor.create(tn.arange(3)).get()


def test_version():
    assert cusparse.getVersion() >= 12000


def test_description_of_a_matrix():
    """A number of the library's, which follows what is set, and another one for a copy."""
    numbers = tn.cuda.cusparse
    matrix = cusparse.MatDescriptor.create()
    matrix.set_mat_type(numbers.CUSPARSE_MATRIX_TYPE_TRIANGULAR)
    number = matrix.descriptor
    assert isinstance(number, int) and number == matrix.descriptor
    matrix.set_mat_index_base(numbers.CUSPARSE_INDEX_BASE_ONE)
    copy = pickle.loads(pickle.dumps(matrix))
    assert copy.get() == matrix.get() == {"type": 3, "index_base": 1, "fill_mode": 0, "diag_type": 0}
    assert copy.descriptor != number
    if not tn._core._device_count("cuda"):
        del matrix
        with pytest.raises(numbers.CuSparseError, match="CUSPARSE_STATUS_INVALID_VALUE: invalid value"):
            numbers.setMatType(number, 0)


def test_handles_of_threads():
    """The libraries' handles are made on the host, too, and keep a stream."""
    device, stream = tn.cuda.device, tn.cuda.Stream()
    for get, module, names in (
        (device.get_cusparse_handle, tn.cuda.cusparse, ("setStream", "getStream")),
        (device.get_cusolver_handle, tn.cuda.cusolver, ("setStream", "getStream")),
        (device.get_cusolver_sp_handle, tn.cuda.cusolver, ("spSetStream", "spGetStream")),
    ):
        handle = get()
        assert handle == get()
        put, ask = (getattr(module, name) for name in names)
        put(handle, stream.ptr)
        assert ask(handle) == stream.ptr
        put(handle, 0)
    if not tn._core._device_count("cuda"):
        with pytest.raises(tn.cuda.cusparse.CuSparseError, match="NOT_INITIALIZED: initialization error"):
            tn.cuda.cusparse.destroy(987654)


@pytest.mark.quick
@pytest.mark.parametrize("name", ["cusparse", "x.linalg.sparse"])
def test_examples_of_sparse_names(name):
    pytest.importorskip("scipy")
    module = importlib.import_module(f"tenorite.{name}")
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for called in module.__all__:
        (found,) = finder.find(getattr(module, called), called, module=False, globs=dict(vars(module)))
        assert found.examples, called
        assert runner.run(found).failed == 0, called
