"""The smaller methods of sparse matrices and arrays, beside SciPy's: what a matrix says of itself,
and its conversions."""

import warnings

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import sparse

theirs = pytest.importorskip("scipy.sparse")

VALUES = np.array([[0, 2.5, 0, 0], [1, 0, 0, -3], [0, 0, 0, 0]])
CLASSES = [f"{format}_{kind}" for format in ("coo", "csr", "csc", "dia") for kind in ("matrix", "array")]


each_class = pytest.mark.parametrize("name", CLASSES)


def both(name):
    return getattr(sparse, name)(tn.asarray(VALUES)), getattr(theirs, name)(VALUES)


@each_class
def test_kinds(name):
    ours, expected = both(name)
    assert isinstance(ours, sparse.sparray) == isinstance(expected, theirs.sparray)
    assert isinstance(ours, sparse.spmatrix) == isinstance(expected, theirs.spmatrix)
    for test in ("isspmatrix", "isspmatrix_coo", "isspmatrix_csr", "isspmatrix_csc", "isspmatrix_dia"):
        assert getattr(sparse, test)(ours) == getattr(theirs, test)(expected), test


@each_class
def test_figures(name):
    ours, expected = both(name)
    assert ours.maxprint == expected.maxprint and ours.nnz == expected.nnz
    if not isinstance(ours, sparse.spmatrix):
        assert not hasattr(expected, "getnnz") or ours.nnz == expected.nnz
        return
    assert ours.getmaxprint() == expected.getmaxprint() and ours.getformat() == expected.getformat()
    assert ours.get_shape() == expected.get_shape() == (3, 4)
    assert ours.getnnz() == expected.getnnz()
    for axis in (0, 1):
        if ours.format != "dia":
            np.testing.assert_array_equal(ours.getnnz(axis=axis).get(), expected.getnnz(axis=axis))
    np.testing.assert_array_equal(ours.getH().toarray().get(), expected.getH().toarray())
    np.testing.assert_array_equal(ours.asfptype().toarray().get(), VALUES)


@each_class
def test_shapes(name):
    ours, _ = both(name)
    if not isinstance(ours, sparse.spmatrix):
        pytest.skip("arrays take their shape from reshape alone")
    ours.set_shape((4, 3))
    np.testing.assert_array_equal(ours.toarray().get(), VALUES.reshape(4, 3))


@each_class
def test_conversions(name):
    ours, expected = both(name)
    np.testing.assert_array_equal(tn.asnumpy(ours.todense()), expected.toarray())
    banded = ours.todia()
    assert banded.format == "dia"
    np.testing.assert_array_equal(banded.toarray().get(), VALUES)
    for method, format in ((ours.tolil, "lil"), (ours.todok, "dok")):
        with pytest.raises(NotImplementedError, match=format):
            method()


@pytest.mark.parametrize("name", ["csr_matrix", "csc_matrix", "csr_array", "csc_array"])
def test_structure_is_checked(name):
    ours = getattr(sparse, name)(tn.asarray(VALUES))
    ours.check_format()
    ours.prune()
    assert ours.data.size == ours.indices.size == ours.nnz
    np.testing.assert_array_equal(ours.toarray().get(), VALUES)


def test_joined_blocks():
    block = sparse.csr_array(tn.asarray(VALUES))
    joined = sparse.block_array([[block, None], [None, block]])
    assert isinstance(joined, sparse.sparray)
    zeros = np.zeros_like(VALUES)
    np.testing.assert_array_equal(joined.toarray().get(), np.block([[VALUES, zeros], [zeros, VALUES]]))


def test_index_arrays_are_cast():
    matrix = sparse.coo_array(tn.asarray(VALUES))
    row, col = sparse.safely_cast_index_arrays(matrix, np.int64)
    assert row.dtype == col.dtype == np.int64
    np.testing.assert_array_equal(row.get(), matrix.row.get())
    assert issubclass(sparse.SparseWarning, Warning)


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_what_cupy_and_scipy_agree_on(format):
    """Assignments of sparse values, copies of whole slices, indexes of int64, means of nothing."""
    rng = np.random.default_rng(5)
    x = rng.random((7, 8)) * (rng.random((7, 8)) < 0.6)
    piece = np.array([[1.0, 0, 3, 0, 5]])
    for row, column in [([0, 1, 2, 3, 5], [1, 2, 3, 4, 5]), ([[0], [1], [5]], [1, 2, 3, 4, 5]), ([0, 2, 4, 5, 6], 1)]:
        a, b = getattr(sparse, f"{format}_matrix")(tn.array(x)), getattr(theirs, f"{format}_matrix")(x)
        a[row, column] = sparse.csr_matrix(tn.array(piece))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", theirs.SparseEfficiencyWarning)
            b[row, column] = theirs.csr_matrix(piece)
        b.sort_indices()
        assert a.nnz == b.nnz and a.indices.tolist() == b.indices.tolist() and a.data.tolist() == b.data.tolist()
    for key in (slice(None), (slice(None), slice(None)), Ellipsis):
        assert a[key] is not a and not tn.shares_memory(a[key].data, a.data)
    assert a[[], []].shape == b[[], []].shape == (1, 0)
    kind = getattr(sparse, f"{format}_array")
    wide = (tn.ones(2), (tn.array([0, 1]), tn.array([1, 0])))
    made = kind(wide, shape=(2, 2), maxprint=7)
    assert made.indices.dtype == made.tocoo().row.dtype == made.reshape(1, 4).row.dtype == np.int64
    assert made.maxprint == 7 and getattr(sparse, f"{format}_matrix")(wide).indices.dtype == np.int32
    for axis, shape in ((None, (0, 3)), (1, (3, 0))):
        with pytest.raises(ZeroDivisionError):
            kind(tn.zeros(shape)).mean(axis)


@pytest.mark.parametrize("k", [-2, 0, 3])
@pytest.mark.parametrize("values", [7.0, [1.0, 2.0], [1.0] * 9])
def test_setdiag_of_coordinates(k, values):
    x = np.arange(20.0).reshape(4, 5) % 3
    a, b = sparse.coo_matrix(tn.array(x)), theirs.coo_matrix(x)
    a.setdiag(tn.asarray(values), k)
    b.setdiag(values, k)
    assert a.row.tolist() == b.row.tolist() and a.col.tolist() == b.col.tolist() and a.data.tolist() == b.data.tolist()
    with pytest.raises(ValueError, match="0-d or 1-d"):
        a.setdiag(tn.ones((2, 2)))
    with pytest.raises(ValueError, match="exceeds"):
        a.setdiag(1, 5)


def test_blocks_of_nothing_and_of_lists():
    eye = sparse.eye(2)
    assert sparse.bmat([[None, None]]).shape == (0, 0)
    assert sparse.bmat([[eye, None], [None, None]]).shape == (2, 2)
    made = sparse.block_diag([[[1, 2], [3, 4]], (5, 6), 7.0])
    assert made.toarray().tolist() == [[1, 2, 0, 0, 0], [3, 4, 0, 0, 0], [0, 0, 5, 6, 0], [0, 0, 0, 0, 7]]


@each_class
def test_module_of_matrices(name):
    ours, expected = both(name)
    assert tn.get_array_module(ours) is tn and tn.get_array_module(expected) is np
