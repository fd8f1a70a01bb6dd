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


@pytest.mark.parametrize("name", ["csr_matrix", "csc_array", "coo_matrix", "dia_matrix", "dense", "mixed"])
def test_many_blocks(name):
    """A thousand blocks of several shapes, (0, n) among them: stored elements are as SciPy's."""
    rng = np.random.default_rng(1)
    dense = [rng.integers(0, 2, shape).astype("f4") for shape in [(3, 2), (1, 4), (0, 2), (2, 0), (2, 2)] * 200]
    names = ["csr_matrix", "coo_array", "dense"] if name == "mixed" else [name]
    kinds = [(names * len(dense))[k] for k in range(len(dense))]
    scipys = [one if kind == "dense" else getattr(theirs, kind)(one) for kind, one in zip(kinds, dense)]
    ours = [tn.asarray(one) for one in dense]
    ours = [one if kind == "dense" else getattr(sparse, kind)(one) for kind, one in zip(kinds, ours)]
    for format in (None, "csr"):
        made, expected = sparse.block_diag(ours, format=format), theirs.block_diag(scipys, format=format)
        assert type(made).__name__ == type(expected).__name__ and made.dtype == expected.dtype
        assert made.nnz == expected.nnz and made.shape == expected.shape
        assert abs(made.get() - expected).sum() == 0
    if name in ("dense", "mixed"):
        return
    for part in (ours[:1] * 40, ours[4::5]):
        grid = [part[:4], part[4:8], [part[8], None, part[9], part[10]]]
        given = [[one if one is None else one.get() for one in line] for line in grid]
        for format in (None, "csr", "csc", "coo"):
            for function, one, other in (
                ("bmat", grid, given),
                ("vstack", part, [one.get() for one in part]),
                ("hstack", part, [one.get() for one in part]),
            ):
                made = getattr(sparse, function)(one, format=format, dtype="f8")
                expected = getattr(theirs, function)(other, format=format, dtype="f8")
                assert made.dtype == np.float64 and (made.toarray().get() == expected.toarray()).all()


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_blocks_whose_arrays_were_changed(format):
    one, other = sparse.eye(2, format=format), sparse.eye(2, format=format)
    one.data, one.indices = tn.asarray([5.0, 6.0, 7.0]), tn.asarray([1, 0, 1], "i4")
    expected = np.diag([0.0, 0, 1, 1])
    expected[[0, 1], [1, 0]] = [5, 6] if format == "csr" else [6, 5]
    assert (sparse.block_diag([one, other]).toarray().get() == expected).all()
    other.indptr = tn.asarray([1, 1, 2], "i4")
    with pytest.raises(ValueError, match="indptr of a block"):
        sparse.vstack([one, other])


@each_class
def test_module_of_matrices(name):
    ours, expected = both(name)
    assert tn.get_array_module(ours) is tn and tn.get_array_module(expected) is np


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_parts_after_the_last_pointer(format):
    kind = getattr(sparse, f"{format}_matrix")
    shape = (3, 9) if format == "csr" else (9, 3)
    made = kind((tn.arange(5.0), tn.asarray([0, 1, 2, 8, 8]), tn.asarray([0, 1, 2, 3])), shape)
    assert made.data.size == made.indices.size == made.nnz == 3 and made.sum() == 3
    with pytest.raises(ValueError, match="Last value of index pointer"):
        kind((tn.arange(2.0), tn.asarray([0, 1]), tn.asarray([0, 1, 5])), shape)
    with pytest.raises(ValueError, match="should be"):
        kind((tn.arange(0.0), tn.asarray([], "i4"), tn.asarray([], "i4")), shape)


@each_class
def test_reductions_along_no_axis(name):
    ours, expected = both(name)
    for method in ("sum", "mean"):
        for one in (ours, expected):
            with pytest.raises(ValueError, match=r"does not accept 0D axis \(\)"):
                getattr(one, method)(axis=())


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_chosen_columns(format):
    """Columns of rows, and rows of columns: by any slice, and by numbers out of very many."""
    x = np.random.default_rng(3).integers(-2, 3, (7, 11)).clip(0)
    axis = 1 if format == "csr" else 0
    ours = getattr(sparse, f"{format}_matrix")(tn.asarray(x))
    for one in (slice(2, None, 3), slice(None, None, -1), slice(9, 1, -2), slice(5, 5), slice(-3, 1, -1)):
        key = (slice(None), one) if axis else (one, slice(None))
        found = ours[key]
        np.testing.assert_array_equal(found.toarray().get(), x[key])
        assert found.has_sorted_indices and found.format == format
    size = 2**40  # pointers of the other axis would not fit any memory
    numbers = tn.asarray([5, 2**35, 5, 2**39])
    parts = (tn.asarray([1.0, 2.0, 3.0]), tn.asarray([2**35, 5, 2**39]), tn.asarray([0, 2, 3]))
    wide = getattr(sparse, f"{format}_matrix")(parts, (2, size) if axis else (size, 2))
    for key in (numbers, numbers.get(), numbers.tolist()):
        found = wide[:, key] if axis else wide[key]
        dense = found.toarray().get() if axis else found.toarray().get().T
        np.testing.assert_array_equal(dense, [[2, 1, 2, 0], [0, 0, 0, 3]])
        assert found.indices.dtype == np.int64
    assert (wide[:, ::2] if axis else wide[::2]).nnz == 2


@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_wide_indexes_stay(kind):
    eye = getattr(sparse, f"csr_{kind}")(sparse.eye(3, format="csr"))
    wide = eye._from_parts(eye.data, eye.indices.astype("i8"), eye.indptr.astype("i8"), eye.shape)
    assert sparse.vstack([wide, eye]).indices.dtype == wide.tocoo().reshape(1, 9).row.dtype == np.int64
    kept = np.int64 if kind == "array" else np.int32
    assert sparse.kron(wide, eye).row.dtype == sparse.kronsum(wide, wide).indices.dtype == kept
    with pytest.warns(sparse.SparseEfficiencyWarning):
        assert (wide < 1).indices.dtype == np.int64
    assert sparse.vstack([eye, eye]).indices.dtype == np.int32


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"indices": tn.zeros((1, 1), "i4")}, "must be 1-D"),
        ({"indptr": tn.asarray([0, 1], "i8")}, "same dtype"),
        ({"data": tn.zeros(2)}, "same length"),
        ({"shape": (3, 2)}, "major axis"),
        ({"shape": (1, 2**31)}, "too large"),
        ({"has_canonical_format": True, "has_sorted_indices": False}, "canonical"),
    ],
)
def test_parts_by_the_name_of_cupy(change, text):
    parts = {"data": tn.ones(1), "indices": tn.zeros(1, "i4"), "indptr": tn.asarray([0, 1], "i4"), "shape": (1, 2)}
    made = sparse.csr_matrix._from_parts(**parts, has_canonical_format=True)
    assert made.has_sorted_indices and made.toarray().tolist() == [[1, 0]]
    with pytest.raises(ValueError, match=text):
        sparse.csr_matrix._from_parts(**(parts | change))


def test_coordinates_by_the_name_of_cupy():
    one, place = tn.ones(1), tn.zeros(1, "i4")
    assert sparse.coo_matrix._from_parts(one, place, place, (1, 2)).toarray().tolist() == [[1, 0]]
    for parts, text in (((one[:0], place, place), "same length"), ((one, place, place.astype("i8")), "same dtype")):
        with pytest.raises(ValueError, match=text):
            sparse.coo_matrix._from_parts(*parts, (1, 2))


@each_class
def test_product_with_an_array_without_axes(name):
    ours, expected = both(name)
    if name.startswith("coo"):
        np.testing.assert_array_equal(ours.dot(tn.asarray(2.0)).toarray().get(), expected.dot(np.array(2.0)).toarray())
    else:
        with pytest.raises(ValueError):
            ours.dot(tn.asarray(2.0))
    assert getattr(sparse, name)[np.float64].__origin__ is getattr(sparse, name)


@pytest.mark.parametrize("name", [name for name in CLASSES if "dia" not in name])
def test_functions_of_elements_in_parts(name):
    """A function is of the sum of what is stored for a place, and not the sum of functions."""
    data, places = [4.0, -3.0, 0.25, 2.0], ([0, 0, 1, 1], [1, 1, 0, 1])
    ours = getattr(sparse, f"coo_{name[4:]}")((tn.array(data), tuple(map(tn.array, places))))
    expected = theirs.coo_array((data, places)).toarray()
    for call in ("sqrt", "sin", "rint", "expm1", "sign", "log1p", "__abs__", "__round__"):
        made = getattr(sparse, name)(ours.copy())
        values = getattr(made, call)().toarray().get()
        wanted = {"__abs__": np.abs, "__round__": np.round}.get(call) or getattr(np, call)
        np.testing.assert_allclose(values, wanted(expected), rtol=1e-14, err_msg=call)


def test_products_with_host_data_are_refused():
    for made in (sparse.csr_matrix(tn.eye(3)), sparse.coo_array(tn.eye(3)), sparse.dia_matrix(tn.eye(3))):
        for other in ([1.0, 2.0, 3.0], np.ones(3), None):
            with pytest.raises(TypeError, match="Unsupported type"):
                made.multiply(other)

        class Right:
            def __rmul__(self, left):
                return left.shape

        assert made * Right() == (3, 3)


def test_diagonals_of_lists():
    for value in ([[1, 2], [0, 4]], [[1], [2], [3]], [[0, 1]]):
        ours, expected = sparse.dia_array(value), theirs.dia_array(value)
        assert ours.shape == expected.shape and ours.dtype == expected.dtype
        np.testing.assert_array_equal(ours.toarray().get(), expected.toarray())
    for value in (None, "a", {}):
        with pytest.raises(ValueError, match="unrecognized form"):
            sparse.dia_matrix(value)


@pytest.mark.parametrize("dtype", "?bBhHiIlLfdFD")
def test_random_arrays_of_each_dtype(dtype):
    made = sparse.random_array((50, 60), density=0.5, dtype=dtype, rng=3)
    assert made.dtype == np.dtype(dtype) and made.nnz == 1500 and made.format == "coo"
    if made.dtype.kind in "ui":
        assert len(tn.unique(made.data)) > 100
    elif dtype != "?":
        with pytest.raises(NotImplementedError, match="int32"):
            sparse.random(3, 4, dtype="i")


def test_long_diagonals_are_cut():
    diagonal = [1.0, 2.0, 3.0, 4.0, 5.0]
    for offset, shape in ((2, (4, 4)), (-1, (3, 5)), (0, (1, 1)), (0, None)):
        expected = theirs.diags_array(diagonal, offsets=offset, shape=shape).toarray()
        np.testing.assert_array_equal(
            sparse.diags_array(diagonal, offsets=offset, shape=shape).toarray().get(), expected
        )
        with pytest.raises(ValueError, match="Different number of diagonals"):
            sparse.diags([diagonal], offset, shape)
    with pytest.raises(ValueError, match="Diagonal length"):
        sparse.diags(diagonal[:2], 0, (3, 3))


@each_class
@pytest.mark.parametrize("shape", [(2, 6), (4, 3), (0, 4)])
def test_resize(name, shape):
    ours, expected = both(name)
    kept = ours.copy()
    ours.resize(shape)
    expected.resize(shape)
    np.testing.assert_array_equal(ours.toarray().get(), expected.toarray())
    assert ours.shape == shape and ours.format == name[:3] and kept.shape == VALUES.shape
    ours.resize(*shape)
    with pytest.raises(ValueError):
        ours.resize(-1, 2)
    np.testing.assert_array_equal(ours.toarray().get(), expected.toarray())


@pytest.mark.parametrize("name", [name for name in CLASSES if "dia" not in name])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_extremes_beside_nan(name, axis):
    x = np.array([[np.nan, 2.0, 0], [np.nan, -1, 3], [np.nan, np.nan, -5]])
    ours, expected = getattr(sparse, name)(tn.asarray(x)), getattr(theirs, name)(x)
    for method in ("nanmax", "nanmin"):
        for explicit in (False, True):
            found, wanted = (getattr(one, method)(axis, explicit=explicit) for one in (ours, expected))
            if axis is None:
                assert float(found) == wanted
            else:
                np.testing.assert_array_equal(found.toarray().get(), wanted.toarray())
