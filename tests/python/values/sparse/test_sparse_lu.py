"""Factors of sparse matrices: the product of L and U is the matrix, residuals are bounded in units
of eps x n x norms, structures that are broken are refused."""

import numpy
import pytest
import tenorite as tn
from tenorite.scipy import sparse
from tenorite.scipy.sparse import linalg

DTYPES = ["f", "d", "F", "D"]
ORDERS = [None, "COLAMD", "MMD_ATA", "MMD_AT_PLUS_A", "NATURAL"]


def matrix_of(rng, n, density, dtype, diagonal):
    values = rng.standard_normal((n, n)) * (rng.random((n, n)) < density)
    if dtype in "FD":
        values = values * numpy.exp(1j * rng.random((n, n)))
    return (values + numpy.diag(diagonal * rng.random(n))).astype(dtype)


def grid(n):
    """The Laplacian of a grid of n x n points."""
    line = sparse.diags([-tn.ones(n - 1), tn.full(n, 2.0), -tn.ones(n - 1)], [-1, 0, 1])
    one = sparse.identity(n)
    return (sparse.kron(one, line) + sparse.kron(line, one)).tocsc()


def is_close(found, wanted, dtype, scale):
    return numpy.abs(found - wanted).max(initial=0) <= 50 * numpy.finfo(dtype).eps * scale


def check(a, lu):
    n, dtype = len(a), a.dtype
    lower, upper = lu.L.get().toarray(), lu.U.get().toarray()
    assert not numpy.triu(lower, 1).any() and not numpy.tril(upper, -1).any() and (numpy.diag(lower) == 1).all()
    assert lu.L.nnz + lu.U.nnz - n == lu.nnz and lu.perm_r.dtype == lu.perm_c.dtype == "i"
    rows, columns = numpy.argsort(lu.perm_r.get()), numpy.argsort(lu.perm_c.get())
    scale = n * max(numpy.abs(lower).max(), 1) * max(numpy.abs(upper).max(), 1e-30)
    assert is_close(lower @ upper, a[rows][:, columns], dtype, scale)
    rng = numpy.random.default_rng(n)
    for trans, whole in (("N", a), ("T", a.T), ("H", a.conj().T)):
        for shape in ((n,), (n, 1), (n, 11)):
            b = rng.standard_normal(shape).astype(dtype)
            x = lu.solve(tn.asarray(b), trans)
            assert x.shape == shape and x.dtype == dtype and x.flags.f_contiguous
            size = n * numpy.abs(a).sum(axis=0).max() * numpy.abs(x.get()).max(initial=1)
            assert is_close(whole @ x.get(), b, dtype, size)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ORDERS)
def test_factors(order, dtype):
    rng = numpy.random.default_rng(len(str(order)))
    for n, density, diagonal in ((1, 0, 1), (7, 0.3, 0), (20, 0.1, 1), (45, 0.05, 5), (60, 0.3, 0), (90, 0.9, 0.1)):
        a = matrix_of(rng, n, density, dtype, diagonal)
        if numpy.linalg.matrix_rank(a) < n:
            with pytest.raises(RuntimeError, match="Factor is exactly singular"):
                a[:, 0] = 0
                linalg.splu(sparse.csc_matrix(tn.asarray(a)), order)
            continue
        check(a, linalg.splu(sparse.csc_matrix(tn.asarray(a)), order))


def test_wide_indexes_duplicates_and_other_formats():
    a = sparse.csc_matrix(tn.array([[4.0, 1, 0], [0, 0, 2], [1, 3, 0]]))
    a.indices, a.indptr = a.indices.astype("l"), a.indptr.astype("l")
    check(a.toarray().get(), linalg.splu(a))
    twice = sparse.csc_matrix((tn.array([1.0, 1, 5]), tn.array([0, 0, 1]), tn.array([0, 2, 3])), shape=(2, 2))
    assert linalg.splu(twice).solve(tn.array([2.0, 5])).tolist() == [1, 1]
    for format in ("csr", "coo", "dia"):
        assert linalg.spsolve(a.asformat(format), tn.array([5.0, 2, 4])).shape == (3,)
        column = tn.array([[5.0], [2], [4]])
        for one in (column, sparse.csc_matrix(column)):
            assert linalg.spsolve(a.asformat(format), one).shape == (3,)
        assert linalg.spsolve(a.asformat(format), tn.ones((3, 2))).shape == (3, 2)
    ints = linalg.splu(sparse.csc_matrix(tn.array([[0, 2], [4, 0]])))
    assert ints.L.dtype == "d" and ints.solve(tn.array([2, 4])).tolist() == [1, 1]


def test_complex_right_side_of_real_factors():
    rng = numpy.random.default_rng(1)
    for dtype, wanted in (("f", "F"), ("d", "D")):
        a = matrix_of(rng, 30, 0.2, dtype, 3)
        b = rng.standard_normal((30, 3)) + 1j * rng.standard_normal((30, 3))
        for trans, whole in (("N", a), ("T", a.T), ("H", a.T)):
            x = linalg.splu(sparse.csc_matrix(tn.asarray(a))).solve(tn.asarray(b), trans)
            assert x.dtype == wanted and is_close(whole @ x.get(), b, dtype, 3000)


@pytest.mark.parametrize("order", [None, "COLAMD"])
def test_grids(order):
    """Many columns with the same rows, and a dense end."""
    a = grid(40)
    lu = linalg.splu(a, order)
    b = tn.ones((1600, 2))
    assert abs(a @ lu.solve(b) - b).max() < 1e-10
    assert abs(a.T @ lu.solve(b, "T") - b).max() < 1e-10
    assert lu.nnz < 120_000
    assert abs(a @ linalg.spsolve(a, b) - b).max() < 1e-10


def test_dense_columns_and_rows():
    """Arrows: the order keeps what is dense for the end."""
    n = 2000
    rng = numpy.random.default_rng(3)
    for is_row in (True, False):
        first = tn.asarray(rng.random(n))
        at, all_nodes = tn.zeros(n, dtype="i"), tn.arange(n, dtype="i")
        places = (at, all_nodes) if is_row else (all_nodes, at)
        a = (sparse.coo_matrix((first, places), shape=(n, n)) + sparse.identity(n) * 3).tocsc()
        lu = linalg.splu(a)
        assert lu.nnz < 4 * n and abs(a @ lu.solve(tn.ones(n)) - 1).max() < 1e-10


def test_the_diagonal_is_taken_where_it_is_large_enough():
    a = sparse.csc_matrix(tn.array([[1.0, 2], [3, 1]]))
    assert linalg.splu(a, "NATURAL", diag_pivot_thresh=1.0).perm_r.tolist() == [1, 0]
    assert linalg.splu(a, "NATURAL", diag_pivot_thresh=0.1).perm_r.tolist() == [0, 1]
    assert linalg.splu(a, "NATURAL", diag_pivot_thresh=0.5).perm_r.tolist() == [1, 0]
    with pytest.raises(ValueError, match="threshold"):
        linalg.splu(a, diag_pivot_thresh=2)


def test_incomplete_factors():
    a = grid(24)
    n = a.shape[0]
    whole = linalg.splu(a)
    errors = []
    for drop in (1e-2, 1e-4, 0):
        lu = linalg.spilu(a, drop_tol=drop, fill_factor=1e9)
        errors.append(float(abs(a @ lu.solve(tn.ones(n)) - 1).max()))
    assert errors == sorted(errors, reverse=True) and errors[-1] < 1e-10
    small = linalg.spilu(a, drop_tol=1e-8, fill_factor=1)
    assert small.nnz < whole.nnz / 2 and small.nnz <= 2 * n * 5 + n
    lu = linalg.spilu(a)
    preconditioner = linalg.LinearOperator((n, n), lu.solve)
    counts = []
    for operator in (None, preconditioner):
        count = []
        x, info = linalg.gmres(a, tn.ones(n), M=operator, rtol=1e-8, callback=count.append, callback_type="pr_norm")
        counts.append(len(count))
        assert info == 0
    assert counts[1] * 3 < counts[0]
    # A pivot of 0 is replaced.
    assert tn.isfinite(linalg.spilu(sparse.csc_matrix(tn.array([[0.0, 1], [0, 1]]))).solve(tn.ones(2))).all()
    assert linalg.spilu(sparse.csc_matrix((3, 3))).solve(tn.ones(3)).shape == (3,)
    with pytest.raises(ValueError):
        linalg.spilu(a, drop_tol=-1)
    with pytest.raises(ValueError):
        linalg.spilu(a, fill_factor=0)


def test_singular_matrices():
    for singular in ([[0.0]], [[1.0, 2], [2, 4]], [[1, 0], [5, 0]], [[0, 0], [1, 1]], [[numpy.nan, 0], [0, numpy.nan]]):
        a = sparse.csc_matrix(tn.array(singular))
        with pytest.raises(RuntimeError, match="Factor is exactly singular"):
            linalg.splu(a)
        with pytest.raises(RuntimeError):
            linalg.factorized(a)
        with pytest.warns(linalg.MatrixRankWarning, match="Matrix is exactly singular"):
            assert tn.isnan(linalg.spsolve(a, tn.ones(len(singular)))).all()
    dense = numpy.ones((100, 100))
    with pytest.raises(RuntimeError, match="Factor is exactly singular"):
        linalg.splu(sparse.csc_matrix(tn.asarray(dense)))


def test_empty():
    lu = linalg.splu(sparse.csc_matrix((0, 0)))
    assert lu.shape == (0, 0) and lu.nnz == 0 and lu.solve(tn.ones((0, 3))).shape == (0, 3)
    assert lu.L.shape == (0, 0) and lu.perm_r.size == 0
    lu = linalg.splu(sparse.identity(3))
    assert lu.nnz == 3 and lu.solve(tn.ones((3, 0))).shape == (3, 0)


def test_factors_of_too_many_elements():
    a = grid(20)
    arrays = (*a.shape, a.data, a.indices, a.indptr)
    with pytest.raises(OverflowError, match="more than 3000 elements"):
        tn._core._sparse_lu(arrays, 0, -1.0, -1.0, 1.0, 3000)
    assert tn._core._sparse_lu(arrays, 0, -1.0, -1.0, 1.0, 10**6)


def test_refusals():
    a = sparse.identity(3)
    for call in (
        lambda: linalg.splu(a.tocsr()[:2]),
        lambda: linalg.splu(a, "X"),
        lambda: linalg.splu(tn.ones(3)),
        lambda: linalg.splu(a).solve(tn.ones(2)),
        lambda: linalg.splu(a).solve(tn.ones(3), "n"),
        lambda: linalg.splu(a).solve(tn.ones((3, 1, 1))),
        lambda: linalg.spsolve(a, tn.ones(4)),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        linalg.SuperLU(a)


@pytest.mark.parametrize(
    "indices, indptr",
    [([0, 9], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 2, 1]), ([0, 1], [0, 1, 9]), ([0, 1], [1, 1, 2])],
)
def test_broken_structure(indices, indptr):
    a = sparse.csc_matrix(tn.eye(2))
    a.indices, a.indptr = tn.array(indices, dtype="i"), tn.array(indptr, dtype="i")
    with pytest.raises(ValueError, match="broken"):
        linalg.splu(a)


def test_triangles():
    a = numpy.tril(matrix_of(numpy.random.default_rng(0), 40, 0.2, "d", 0)) + numpy.eye(40) * 2
    b = numpy.ones((40, 2))
    for lower, triangle in ((True, a), (False, a.T)):
        given = sparse.csr_matrix(tn.asarray(triangle))
        x = linalg.spsolve_triangular(given, tn.asarray(b), lower=lower).get()
        assert is_close(triangle @ x, b, "d", 1e4)
        ones = triangle - numpy.diag(numpy.diag(triangle)) + numpy.eye(40)
        x = linalg.spsolve_triangular(given, tn.asarray(b), lower=lower, unit_diagonal=True).get()
        assert is_close(ones @ x, b, "d", 1e6)
        both = sparse.csr_matrix(tn.asarray(a + a.T))
        x = linalg.spsolve_triangular(both, tn.asarray(b), lower=lower).get()
        assert is_close((numpy.tril if lower else numpy.triu)(a + a.T) @ x, b, "d", 1e4)
    with pytest.raises(numpy.linalg.LinAlgError, match="zero entry on diagonal"):
        linalg.spsolve_triangular(sparse.csr_matrix(tn.array([[1.0, 0], [1, 0]])), tn.ones(2))


def test_factors_of_scipy():
    oracle = pytest.importorskip("scipy.sparse.linalg")
    rng = numpy.random.default_rng(4)
    for dtype in DTYPES:
        a = matrix_of(rng, 25, 0.3, dtype, 2)
        given = sparse.csc_matrix(tn.asarray(a))
        theirs = oracle.splu(given.get())
        check(a, linalg.SuperLU(theirs)) if theirs.nnz == theirs.L.nnz + theirs.U.nnz - 25 else None
        b = rng.standard_normal((25, 2)).astype(dtype)
        for trans in "NTH":
            found = linalg.SuperLU(theirs).solve(tn.asarray(b), trans).get()
            wanted = theirs.solve(b, trans)
            assert is_close(found, wanted, dtype, 1e4 * numpy.abs(wanted).max())
