"""tenorite.scipy.sparse against SciPy."""

import operator
import threading
import warnings

import numpy as np
import pytest
import tenorite as tn
from hypothesis import given, settings, strategies as st
from tenorite.scipy import sparse
from tenorite.scipy.sparse import _rows

theirs = pytest.importorskip("scipy.sparse")

FORMATS = ("coo", "csr", "csc", "dia")
KINDS = ("matrix", "array")
DTYPES = ("?", "b", "B", "h", "H", "i", "I", "q", "Q", "f", "d", "F", "D")
TOLERANCE = {"f": 1e-5, "F": 1e-5}


def dense(shape, dtype="d", seed=0, density=0.4):
    rng = np.random.default_rng(seed)
    values = rng.integers(-5, 6, shape).astype(dtype)
    if np.dtype(dtype).kind in "fc":
        values = (values * 0.75).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values = (values + 1j * rng.integers(-3, 3, shape)).astype(dtype)
    return np.where(rng.random(shape) < density, values, np.zeros((), dtype))


def pair(array, format="csr", kind="matrix"):
    name = f"{format}_{kind}"
    return getattr(sparse, name)(tn.asarray(array)), getattr(theirs, name)(array)


def to_numpy(value):
    value = value.toarray() if hasattr(value, "toarray") else value
    return value.get() if isinstance(value, tn.ndarray) else np.asarray(value)


def same(ours, expected, dtype=True):
    ours, expected = to_numpy(ours), to_numpy(expected)
    assert ours.shape == expected.shape
    if dtype:
        assert ours.dtype == expected.dtype
    rtol = TOLERANCE.get(expected.dtype.char, 1e-13)
    np.testing.assert_allclose(ours, expected, rtol=rtol, atol=rtol)


# --- Construction and conversions ---


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", FORMATS)
def test_conversions(format, kind):
    for seed, shape in enumerate([(7, 5), (5, 7), (1, 6), (6, 1), (0, 3), (3, 0)]):
        if format == "dia" and 0 in shape:
            continue
        a, b = pair(dense(shape, seed=seed), format, kind)
        same(a, b)
        assert repr(a) == repr(b) and a.nnz == b.nnz and a.shape == b.shape and a.format == format
        for other in FORMATS:
            made, wanted = a.asformat(other), b.asformat(other)
            assert type(made).__name__ == type(wanted).__name__
            same(made, wanted)
            assert 0 in shape or made.nnz == wanted.nnz
        same(a.T, b.T)
        same(a.get(), b)
        same(type(a)(b), b)
        same(getattr(sparse, f"csr_{kind}")(a), b)
        same(a.toarray(order="F"), b)
        assert 0 in shape or a.toarray(order="F").flags.f_contiguous


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    a, b = pair(dense((6, 7), dtype, 1))
    c, d = pair(dense((7, 4), dtype, 2))
    assert a.dtype == b.dtype
    same(a @ c, b @ d)
    vector = dense(7, dtype, 3, 1)
    same(a @ tn.asarray(vector), b @ vector)
    same(a.T @ tn.asarray(vector[:6]), b.T @ vector[:6])
    same(a + a, b + b)
    same(a.tocsc(), b)
    coo = theirs.coo_matrix((b.data.repeat(2), (b.tocoo().row.repeat(2), b.tocoo().col.repeat(2))), b.shape)
    same(sparse.coo_matrix(coo).tocsr(), coo.tocsr())
    if dtype != "?":
        same(a - a.T.T, b - b)
        for axis in (None, 0, 1):
            same(a.sum(axis), b.sum(axis))


def test_upcasts():
    for left in DTYPES[1::3]:
        for right in DTYPES[::2]:
            a, b = pair(dense((4, 5), left, 1))
            c, d = pair(dense((4, 5), right, 2))
            assert (a + c).dtype == np.result_type(left, right) and (a.multiply(c)).dtype == (b.multiply(d)).dtype
            assert (a @ c.T).dtype == (b @ d.T).dtype
    with pytest.raises(ValueError, match="float16"):
        sparse.csr_matrix((2, 2), dtype="e")


def test_constructors():
    data, row, column = [1.0, 2.0, 4.0], [0, 1, 0], [1, 0, 1]
    for name in ("csr_matrix", "csc_array", "coo_matrix"):
        ours = getattr(sparse, name)
        arrays = tn.asarray(data), (tn.asarray(row), tn.asarray(column))
        same(ours(arrays), [[0, 5.0], [2, 0]])
        same(ours((data, (row, column)), shape=(3, 2)), [[0, 5.0], [2, 0], [0, 0]])
        assert ours((2, 3)).dtype == np.float64 and ours((2, 3), dtype="F").dtype == np.complex64
    a = sparse.csr_matrix((tn.asarray(data), tn.asarray([1, 0, 1]), tn.asarray([0, 1, 3])))
    assert a.shape == (2, 2) and a.indices.dtype == np.int32
    a.sum_duplicates()
    assert a.has_canonical_format and a.nnz == 3
    same(sparse.dia_matrix((tn.arange(3.0), 1), shape=(3, 4)), theirs.dia_matrix((np.arange(3.0), 1), shape=(3, 4)))
    for bad, error in [
        (lambda: sparse.csr_matrix((data, [0, 1], [0, 1, 3])), ValueError),
        (lambda: sparse.csr_matrix((data, [0, 1, 0], [0, 1, 3]), shape=(5, 5)), ValueError),
        (lambda: sparse.csr_matrix(tn.zeros((2, 2, 2))), ValueError),
        (lambda: sparse.csr_matrix((-1, 2)), ValueError),
        (lambda: sparse.coo_matrix((data, (row, [1, 0, 9])), shape=(2, 2)), ValueError),
        (lambda: sparse.coo_matrix((data, (row, [1, 0, -1])), shape=(2, 2)), ValueError),
        (lambda: sparse.coo_matrix(([], ([], []))), ValueError),
        (lambda: sparse.dia_matrix((tn.ones((2, 2)), [0, 0]), shape=(2, 2)), ValueError),
    ]:
        with pytest.raises(error):
            bad()


def test_wide_indexes():
    a, b = pair(dense((6, 8)))
    a.indices, a.indptr = a.indices.astype("q"), a.indptr.astype("q")
    same(a @ a.T, b @ b.T)
    same(a + a, b + b)
    same(a @ tn.ones(8), b @ np.ones(8))
    same(a.tocsc(), b)
    same(a[2:5], b[2:5])
    huge = sparse.csr_matrix((tn.ones(1), ([0], [2**40])), shape=(1, 2**41))
    assert huge.indices.dtype == np.int64 and huge.sum() == 1 and huge[0, 2**40] == 1


# --- Arithmetic ---


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", FORMATS)
def test_arithmetic(format, kind):
    a, b = pair(dense((7, 5), seed=1), format, kind)
    c, d = pair(dense((7, 5), seed=2), format, kind)
    e, f = pair(dense((5, 6), seed=3), format, kind)
    x, y = dense((7, 5), seed=4), dense((5, 3), seed=5)
    same(a + c, b + d)
    same(a - c, b - d)
    same(a.multiply(c), b.multiply(d))
    same(a @ e, b @ f)
    same(a.dot(e), b.dot(f))
    same(a @ tn.asarray(y), b @ y)
    same(a @ tn.asarray(y[:, 0]), b @ y[:, 0])
    same(a @ tn.asarray(y.T.copy()).T, b @ y)
    same(tn.asarray(x.T.copy()) @ a, x.T @ b)
    same(tn.asarray(x[:, 0].copy()) @ a, x[:, 0] @ b)
    for scalar in (2, 0.5, 1j, np.float32(3)):
        same(a * scalar, b * scalar)
        same(scalar * a, scalar * b)
        if not isinstance(scalar, np.float32):  # by whose inverse SciPy multiplies
            same(a / scalar, b / scalar)
    same(-a, -b)
    same(abs(a), abs(b))
    same(a + tn.asarray(x), b + x)
    same(a - tn.asarray(x), b - x)
    same(tn.asarray(x) - a, x - b)
    same(a.multiply(tn.asarray(x)), b.multiply(x))
    same(a.multiply(tn.asarray(x[:1])), b.multiply(x[:1]))
    same(a.multiply(tn.asarray(x[:, :1])), b.multiply(x[:, :1]))
    same(a.power(2), b.power(2))
    same(a.maximum(c), b.maximum(d))
    same(a.minimum(c), b.minimum(d))
    same(a.maximum(-1), b.maximum(-1))
    same(a * e if kind == "matrix" else a * c, b * f if kind == "matrix" else b * d)
    if kind == "matrix":
        square, other = pair(dense((4, 4), seed=6), format, kind)
        same(square**3, other**3)
    with pytest.raises(NotImplementedError):
        a + 1
    with pytest.raises(ValueError):
        a + e
    with pytest.raises(ValueError):
        a @ c
    with pytest.raises(ValueError):
        a @ 2
    with pytest.raises(TypeError):
        a @ np.ones(5)


def test_comparisons():
    a, b = pair(dense((7, 5), seed=1))
    c, d = pair(dense((7, 5), seed=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
            same(getattr(a, name)(c), getattr(b, name)(d))
            for scalar in (0, 1.5, -1.5, np.nan):
                same(getattr(a, name)(scalar), getattr(b, name)(scalar))
            same(getattr(a, name)(c.toarray()), getattr(b, name)(d.toarray()))
    for one in (operator.eq, operator.ne, operator.lt):
        with pytest.raises(ValueError):
            one(a, sparse.csr_matrix((2, 2)))  # as arrays and CuPy do; SciPy gives a bool
    with pytest.warns(sparse.SparseEfficiencyWarning):
        a == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", FORMATS)
def test_reductions(format, kind):
    for dtype in "?ifD":
        a, b = pair(dense((7, 5), dtype, 1), format, kind)
        for axis in (None, 0, 1, -1):
            same(a.sum(axis), b.sum(axis))
            same(a.mean(axis), b.mean(axis))
        same(a.sum(0, dtype="d"), b.sum(0, dtype="d")) if dtype != "D" else None
        for k in (0, 2, -3, 9):
            same(a.diagonal(k), b.diagonal(k)) if -7 < k < 5 else None
        assert a.count_nonzero() == b.count_nonzero()
        if format != "dia":
            for axis in (0, 1):
                same(a.count_nonzero(axis), b.count_nonzero(axis), dtype=False)
    same(a.trace(), b.trace())


def test_extremes():
    for seed in range(4):
        values = dense((6, 5), seed=seed, density=(0.3, 0.7, 1.0, 0.0)[seed])
        for format in ("csr", "csc"):
            a, b = pair(values, format)
            same(a.max(), b.max())
            same(a.min(), b.min())
            for axis in (0, 1):
                same(a.max(axis), b.max(axis))
                same(a.min(axis), b.min(axis))
                same(a.argmax(axis), b.argmax(axis), dtype=False)
                same(a.argmin(axis), b.argmin(axis), dtype=False)
            assert int(a.argmax()) == int(b.argmax()) and int(a.argmin()) == int(b.argmin())
    with pytest.raises(ValueError):
        sparse.csr_matrix((0, 3)).max()


# --- Indexing ---

KEYS = [
    np.s_[2, 3],
    np.s_[-1, -2],
    np.s_[1:5],
    np.s_[:, 1:3],
    np.s_[::-2, ::2],
    np.s_[4:1:-1, 3],
    np.s_[2],
    np.s_[2, :],
    np.s_[:, 2],
    np.s_[..., 1],
    np.s_[...],
    np.s_[[0, 3, 3]],
    np.s_[:, [4, 0]],
    np.s_[[0, 3], [1, 2]],
    np.s_[[0, -1], 2],
    np.s_[1, [0, 4]],
    np.s_[np.ix_([5, 0, 1], [3, 2])],
    np.s_[[[0, 1], [2, 3]], [[1, 1], [0, 4]]],
    np.s_[np.array([True, False] * 3 + [True])],
    np.s_[:, np.array([True, False, True, True, False])],
    np.s_[3:3],
    np.s_[[], :],
    np.s_[1:4, [0, 2]],
    np.s_[[2, 1], 1:4],
]


@pytest.mark.parametrize("format", ("csr", "csc"))
def test_indexing(format):
    a, b = pair(dense((7, 5), seed=1), format)
    for key in KEYS:
        same(a[key], b[key])
    mask = dense((7, 5), seed=3) > 0
    same(a[tn.asarray(mask)], b[mask])
    same(a[tn.asarray([1, 2])], b[[1, 2]])
    same(a.getrow(-1), b[[-1]])
    same(a.getcol(1), b[:, [1]])
    for bad in (
        np.s_[7, 0],
        np.s_[0, -6],
        np.s_[[9]],
        np.s_[1, 2, 3],
        np.s_["x"],
        np.s_[[1.5]],
        np.s_[None],
        np.s_[np.ones(3, bool)],
    ):
        with pytest.raises(IndexError):
            a[bad]


@pytest.mark.parametrize("format", ("csr", "csc"))
def test_assignment(format):
    for key in KEYS:
        a, b = pair(dense((7, 5), seed=1), format)
        expected = b.toarray()
        expected[key] = 9.5
        a[key] = 9.5
        same(a, expected)
        assert a.has_canonical_format
    a, b = pair(dense((7, 5), seed=1), format)
    expected = b.toarray()
    block = dense((2, 3), seed=5)
    for value in (block, sparse.csr_matrix(tn.asarray(block))):
        a[1:3, [0, 2, 4]] = value if isinstance(value, sparse.csr_matrix) else tn.asarray(value)
        expected[1:3, [0, 2, 4]] = block
        same(a, expected)
    a[[1, 1], [2, 2]] = tn.asarray([5.0, 6.0])
    assert a[1, 2] == 6
    with pytest.raises(ValueError):
        a[1:3] = tn.ones((4, 4))
    a, b = pair(dense((5, 5), seed=1), format)
    a.setdiag(tn.arange(5.0))
    assert a.diagonal().tolist() == list(range(5))


# --- Methods ---


def test_elementwise():
    values = dense((6, 5), seed=1) / 4
    for format in FORMATS:
        a, b = pair(values, format)
        for name in (
            "sin",
            "tan",
            "arcsin",
            "arctan",
            "sinh",
            "tanh",
            "arcsinh",
            "rint",
            "sign",
            "expm1",
            "deg2rad",
            "rad2deg",
            "floor",
            "ceil",
            "trunc",
        ):
            with np.errstate(all="ignore"):
                ours, expected = to_numpy(getattr(a, name)()), to_numpy(getattr(b, name)())
            np.testing.assert_allclose(ours, expected, rtol=1e-12)
        same(abs(a).sqrt(), abs(b).sqrt())
        same(abs(a).log1p(), abs(b).log1p())
        same(a.real, b.real)
        same(a.conj(), b.conj())
        same(a.astype("F").imag, b.astype("F").imag)
        same(a.reshape(10, 3), b.reshape(10, 3))
        same(a.reshape((3, -1), order="F"), b.reshape((3, -1), order="F"))
        for ours, expected in zip(a.nonzero(), b.nonzero()):
            assert sorted(ours.tolist()) == sorted(expected.tolist())
    with pytest.raises(ValueError):
        a.reshape(7, 5)


def test_structure():
    data, indices, indptr = np.array([1.0, 0, 3, 4, 5]), np.array([3, 1, 1, 0, 0], "i"), np.array([0, 3, 3, 5], "i")
    a = sparse.csr_matrix(tuple(map(tn.asarray, (data, indices, indptr))), shape=(3, 4))
    b = theirs.csr_matrix((data, indices, indptr), shape=(3, 4))
    assert not a.has_sorted_indices and not a.has_canonical_format
    made = a.sorted_indices()
    assert (
        made.has_sorted_indices and made.indices.tolist() == [1, 1, 3, 0, 0] and a.indices.tolist() == indices.tolist()
    )
    same(a, b)
    a.sum_duplicates()
    b.sum_duplicates()
    assert a.data.tolist() == b.data.tolist() and a.indptr.tolist() == b.indptr.tolist()
    a.data[0] = 0
    a.eliminate_zeros()
    assert a.nnz == 2
    a, _ = pair(dense((40, 90), seed=2, density=1.0))
    order = np.random.default_rng(1).permutation(90)
    a.indices = tn.asarray(np.tile(order, 40).astype("i"))[: a.nnz]
    shuffled = theirs.csr_matrix((a.data.get(), a.indices.get(), a.indptr.get()), a.shape)
    a.has_sorted_indices = a.has_canonical_format = False
    a.sort_indices()
    shuffled.sort_indices()
    assert a.indices.tolist() == shuffled.indices.tolist() and a.data.tolist() == shuffled.data.tolist()


@pytest.mark.parametrize("index", ["i", "q"])
@pytest.mark.parametrize("dtype", ["b", "h", "f", "d", "D"])
def test_sums_of_short_rows(dtype, index):
    """Rows of up to 9 elements of each matrix, with and without columns that both have."""
    random = np.random.default_rng(5)
    for size, columns in ((4, 40), (9, 12), (5, 5)):
        sides = []
        for _ in range(2):
            counts = random.integers(0, min(size, columns) + 1, 200)
            rows = [np.sort(random.permutation(columns)[:count]) for count in counts]
            starts = np.concatenate([[0], np.cumsum(counts)]).astype(index)
            data = random.integers(1, 4, starts[-1]).astype(dtype)
            sides.append((data, np.concatenate(rows).astype(index), starts))
        a, b = (sparse.csr_array(tuple(tn.asarray(one) for one in side), shape=(200, columns)) for side in sides)
        c, d = (theirs.csr_array(side, shape=(200, columns)) for side in sides)
        for one in (operator.add, operator.sub, operator.mul):
            ours, expected = one(a, b), one(c, d)
            assert ours.has_canonical_format and ours.nnz == expected.nnz and ours.dtype == expected.dtype
            np.testing.assert_array_equal(ours.toarray().get(), expected.toarray())
        assert (a + a).nnz == a.nnz and (a - a).nnz == 0


@pytest.mark.host_only("it calls the host's forms, and a GPU's refusals are its own")
def test_hostile():
    """A broken structure is refused by whatever reads it, or is harmless."""
    good = dict(data=np.ones(4), indices=np.array([0, 1, 2, 0], "i"), indptr=np.array([0, 2, 3, 4], "i"))
    for name, value in [
        ("indices", [0, 1, 3, 0]),
        ("indices", [0, -1, 2, 0]),
        ("indices", [0, 2**31 - 1, 2, 0]),
        ("indptr", [0, 3, 2, 4]),
        ("indptr", [0, 2, 3, 5]),
        ("indptr", [-1, 2, 3, 4]),
        ("indptr", [0, 2, 3, 2**31 - 1]),
        ("indptr", [0, -(2**31), 3, 4]),
    ]:
        parts = {key: tn.asarray(one) for key, one in {**good, name: np.array(value, "i")}.items()}
        for format in ("csr", "csc"):
            kind = getattr(sparse, f"{format}_matrix")
            a = kind(tuple(tn.asarray(one) for one in good.values()), shape=(3, 3))
            a.indices, a.indptr = parts["indices"], parts["indptr"]
            fine = kind(tn.eye(3))
            lines = ("csc", "csr").index(format)  # the axis whose sums read no indices
            if name == "indices":
                assert a.sum(lines).sum() == 4
            for call in (
                lambda: a @ tn.ones(3),
                lambda: a.T @ tn.ones(3),
                lambda: a @ tn.ones((3, 4)),
                a.toarray,
                lambda: a @ fine,
                lambda: fine @ a,
                lambda: a + fine,
                a.sort_indices,
                lambda: a.sum(1 - lines if name == "indices" else lines),
                lambda: a.sum_duplicates(),
                lambda: a.asformat("csr" if format == "csc" else "csc"),
                lambda: a.has_canonical_format,
                a.get,
                lambda: str(a),
            ):
                with pytest.raises((ValueError, IndexError)):
                    call()
    matrix = (3, 3, *(tn.asarray(one) for one in good.values()))
    for rows in ([3], [-1], [2**40]):
        with pytest.raises(ValueError):
            tn._core._csr_rows(matrix, tn.asarray(rows), 0, 1, 0)
    with pytest.raises(ValueError):
        tn._core._csr_rows(matrix, None, 1, 1, 3)
    with pytest.raises(ValueError):
        tn._core._csr_compress(2, 2, *(tn.asarray(one) for one in (np.ones(1), np.array([2]), np.array([0]))))
    with pytest.raises(TypeError):
        tn._core._csr_multiply((3, 3, matrix[2], tn.ones(4), matrix[4]), tn.ones(3), False)


# --- Functions of the module ---


def test_made():
    for ours, expected in [
        (sparse.eye(4, 5, k=1), theirs.eye(4, 5, k=1)),
        (sparse.identity(3, format="csr"), theirs.identity(3)),
        (sparse.eye(5, 3, k=-2, format="csr"), theirs.eye(5, 3, k=-2)),
        (sparse.eye(3, 5, k=1, format="csc"), theirs.eye(3, 5, k=1)),
        (sparse.eye(3, 5, k=1, format="coo"), theirs.eye(3, 5, k=1)),
        (sparse.eye_array(3), theirs.eye_array(3)),
        (
            sparse.dia_array((tn.ones((1, 3)), [1]), shape=(3, 3)),
            theirs.dia_array((np.ones((1, 3)), [1]), shape=(3, 3)),
        ),
        (
            sparse.diags([tn.arange(1.0, 4), tn.ones(2)], [0, -1]),
            theirs.diags([np.arange(1.0, 4), np.ones(2)], [0, -1]),
        ),
        (sparse.diags([2.0], [0], shape=(3, 4)), theirs.diags([2.0], [0], shape=(3, 4))),
        (sparse.diags_array([tn.ones(2)], offsets=[1]), theirs.diags_array([np.ones(2)], offsets=[1])),
        (
            sparse.spdiags(tn.arange(6.0).reshape(2, 3), tn.asarray([0, 1]), 3, 4),
            theirs.spdiags(np.arange(6.0).reshape(2, 3), [0, 1], 3, 4),
        ),
    ]:
        same(ours, expected)
    a, b = pair(dense((3, 4), seed=1))
    c, d = pair(dense((3, 3), seed=2), "coo")
    for name, ours, expected in [
        ("kron", (a, c), (b, d)),
        ("kronsum", (c, c), (d, d)),
        ("tril", (a, 1), (b, 1)),
        ("triu", (a, -1), (b, -1)),
        ("vstack", ([a, a],), ([b, b],)),
        ("hstack", ([a, c],), ([b, d],)),
        ("block_diag", ([a, c],), ([b, d],)),
        ("bmat", ([[a, c], [None, c]],), ([[b, d], [None, d]],)),
        ("matrix_transpose", (a,), None),
    ]:
        made = getattr(sparse, name)(*ours)
        same(made, b.T if expected is None else getattr(theirs, name)(*expected))
    for ours, expected in zip(sparse.find(a), theirs.find(b)):
        assert ours.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="incompatible row dimensions"):
        sparse.hstack([a, sparse.eye(7)])
    assert sparse.get_index_dtype(maxval=2**31) == np.int64


def test_random():
    a = sparse.random(30, 20, density=0.1, format="csr", random_state=3)
    assert a.nnz == 60 and a.format == "csr" and float(a.data.max()) < 1
    same(a, sparse.random(30, 20, density=0.1, random_state=3))
    assert sparse.random_array((5, 6), density=0.5, rng=1).nnz == 15
    assert sparse.rand(5, 6, 0.5, dtype="f").dtype == np.float32
    with pytest.raises(ValueError):
        sparse.random(3, 3, density=2)


def test_kinds():
    a, b = sparse.eye(3, format="csr"), sparse.eye_array(3, format="csr")
    assert sparse.issparse(a) and sparse.issparse(b) and sparse.isspmatrix(a) and not sparse.isspmatrix(b)
    assert sparse.isspmatrix_csr(a) and not sparse.isspmatrix_csc(a) and not sparse.isspmatrix_csr(b)
    with pytest.raises(TypeError):
        len(a)
    with pytest.raises(ValueError):
        bool(a)
    with pytest.raises(NotImplementedError):
        a.tobsr()


# --- Programs ---

STEPS = ["csr", "csc", "coo", "dia", "T", "double", "self", "rows", "clean", "add", "set"]
SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9))


@settings(max_examples=60, deadline=None)
@given(
    shape=SHAPES,
    count=st.integers(0, 40),
    seed=st.integers(0, 2**20),
    dtype=st.sampled_from("ifdD"),
    steps=st.lists(st.sampled_from(STEPS), max_size=6),
)
def test_programs(shape, count, seed, dtype, steps):
    """Calls on matrices with duplicates, unsorted lines, empty ones and explicit zeros."""
    rng = np.random.default_rng(seed)
    row, column = rng.integers(0, shape[0], count), rng.integers(0, shape[1], count)
    data = rng.integers(-2, 3, count).astype(dtype)
    a = sparse.coo_matrix((tn.asarray(data), (tn.asarray(row), tn.asarray(column))), shape=shape)
    expected = np.zeros(shape, dtype)
    np.add.at(expected, (row, column), data)
    for step in steps:
        if step in FORMATS:
            a = a.asformat(step)
        elif step == "T":
            a, expected = a.T, expected.T
        elif step == "double":
            a, expected = a * 2, expected * 2
        elif step == "self":
            a, expected = a @ a.T, expected @ expected.T
        elif step == "rows":
            chosen = rng.integers(0, expected.shape[0], 4)
            a, expected = a.tocsr()[tn.asarray(chosen)], expected[chosen]
        elif step == "clean":
            a = a.tocsc()
            a.sum_duplicates()
            a.eliminate_zeros()
        elif step == "add":
            a, expected = a + a.multiply(a), expected + expected * expected
        else:
            a, expected = a.tocsr().copy(), expected.copy()
            a[-1, 0] = expected[-1, 0] = 3
    same(a, expected, dtype=False)


@pytest.mark.host_only("the host's memory is changed by another thread")
@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_structure_that_changes(part):
    """Another thread writes to the structure while it is read: an error or numbers, no crash."""
    rng = np.random.default_rng(3)
    n, per = 3000, 9
    parts = [rng.random(n * per), rng.integers(0, n, n * per).astype("i4"), (np.arange(n + 1) * per).astype("i4")]
    theirs_ = theirs.csr_matrix(tuple(parts), shape=(n, n))
    theirs_.sum_duplicates()
    ours = sparse.csr_matrix(theirs_)
    shared = np.from_dlpack(getattr(ours, part))
    kept, stop = shared.copy(), threading.Event()

    def change():
        turn = np.random.default_rng(4)
        while not stop.is_set():
            some = turn.integers(0, shared.size, 50)
            shared[some] = turn.integers(-(2**31), 2**31, 50)
            shared[some] = kept[some]

    x, matrix = tn.ones(n), ours._parts
    calls = [
        lambda: _rows.multiply(matrix, x, False),
        lambda: _rows.multiply(matrix, x, True),
        lambda: _rows.transpose(matrix),
        lambda: _rows.product(matrix, matrix),
        lambda: _rows.inspect(matrix),
        lambda: _rows.merge(tn.add, matrix[2].dtype, matrix, matrix),
        lambda: _rows.unite(matrix),
        lambda: _rows.choose(matrix, None, n - 1, -1, n),
        lambda: _rows.scatter(matrix, tn.zeros((n, n))),
    ]
    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(25):
            for call in calls:
                try:
                    call()
                except ValueError as error:
                    assert "is broken" in str(error)
    finally:
        stop.set()
        thread.join()


def elements(n, lines, dtype, seed=0):
    """Coordinates of many rows, of which a few have most elements; some are there twice."""
    rng = np.random.default_rng(seed)
    row = np.where(rng.random(n) < 0.3, rng.integers(0, 5, n), rng.integers(0, lines, n))
    values = rng.integers(-3, 4, n)
    return values.astype(dtype), row.astype("i4"), rng.integers(0, lines, n).astype("i4")


@pytest.mark.parametrize("dtype", ["f", "b", "D"])
def test_many_elements(dtype):
    """Buckets of rows, long rows, rows of a product that need the table of all columns."""
    lines = 6000
    data, row, column = elements(40_000, lines, dtype)
    a = sparse.coo_matrix((tn.asarray(data), (tn.asarray(row), tn.asarray(column))), (lines, lines))
    b = theirs.coo_matrix((data, (row, column)), (lines, lines))
    ours, expected = a.tocsr(), b.tocsr()
    for found, wanted in (
        (ours, expected),
        (a.tocsc(), b.tocsc()),
        (ours.tocsc(), expected.tocsc()),
        (ours + ours.T.tocsr(), expected + expected.T.tocsr()),
    ):
        difference = (found.get() - wanted).tocsr()
        assert found.has_canonical_format and abs(difference).max() == 0
    transposed = ours[:, :300].T.tocsr()
    product, wanted = transposed @ ours, expected[:, :300].T.tocsr() @ expected
    assert abs(product.get() - wanted).max() == 0
    x = tn.asarray((np.arange(lines) % 3).astype(dtype))
    for found, wanted in ((ours @ x, expected @ x.get()), (ours.T @ x, expected.T @ x.get())):
        np.testing.assert_array_equal(found.get(), wanted)
    for axis in (0, 1):
        np.testing.assert_array_equal(ours.sum(axis=axis).get(), np.asarray(expected.sum(axis=axis)))


def test_formats_of_results():
    ours, expected = pair(dense((5, 7), "f"), "csc")
    assert str(ours) == str(expected)
    assert ours.reshape(7, 5).format == expected.reshape(7, 5).format == "coo"
    assert ours.getrow(1).format == "csr" and ours.toarray().flags.c_contiguous
    assert (ours / 2).dtype == (expected / 2).dtype == (ours / ours).dtype == np.float64
    for found, wanted in zip(ours.nonzero(), expected.nonzero(), strict=True):
        np.testing.assert_array_equal(found.get(), wanted)
    for stack in ("vstack", "hstack"):
        assert getattr(sparse, stack)([ours, ours]).format == "csc"
        assert getattr(sparse, stack)([ours.tocsr(), ours.tocsr()]).format == "csr"
        assert getattr(sparse, stack)([ours, ours.tocsr()]).format == "coo"
    assert sparse.kron(ours, sparse.csr_matrix((2, 2), dtype="F")).dtype == np.float64
    mask, other = pair(np.array([[True, True, False, False]])), pair(np.array([[True, False, True, False]]))
    same(mask[0] - other[0], mask[1] - other[1])
    same(ours.maximum(ours.tocsr()[0]), expected.toarray().clip(expected.toarray()[:1]))
    wide = dense((5, 7), "f", 1) + 20
    same(ours / tn.asarray(wide), expected / wide)
    same(ours > ours.tocsr()[0], expected.toarray() > expected.toarray()[:1])
    coordinates = ours.tocoo()
    same(coordinates.max(axis=0), expected.tocoo().max(axis=0))
    same(coordinates.min(), expected.tocoo().min())
    assert int(coordinates.argmax()) == expected.tocoo().argmax()
    same(coordinates.argmin(axis=1), expected.tocoo().argmin(axis=1))
    coordinates.sum_duplicates()
    assert (np.diff(coordinates.row.get()) >= 0).all()
    with pytest.raises(ValueError):
        ours.transpose(axes=0)
    with pytest.raises(ValueError, match="row is the text"):
        sparse.coo_matrix((tn.ones(1), ("text", tn.zeros(1, "i"))))
