"""Sparse arrays of one axis beside SciPy's: construction, operators, products, reductions, indexes
and conversions, and what arrays of two axes give with them."""

import operator
import warnings

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import sparse

pytest.importorskip("scipy", minversion="1.17")
theirs = pytest.importorskip("scipy.sparse")

VALUES = np.array([0, 2.5, 0, -1, 3, 0, 0.5])
OTHER = np.array([1, -2.5, 0, 0, 2, 0, 4])
TABLE = np.array([[0, 1, 0, 2, 0, 0, 3], [0, 0, 0, 0, 0, 0, 0], [4, 0, 5, 0, 0, -6, 0]], "d")

each_format = pytest.mark.parametrize("format", ["coo", "csr"])


def both(values, format):
    """The same array of ours and of SciPy's."""
    name = f"{format}_array"
    return getattr(sparse, name)(tn.asarray(values)), getattr(theirs, name)(values)


def same(ours, expected, is_format=True):
    """Checks class, shape, dtype and elements."""
    if theirs.issparse(expected):
        assert sparse.issparse(ours) and ours.shape == expected.shape and ours.dtype == expected.dtype
        assert not is_format or ours.format == expected.format
        ours, expected = ours.toarray(), expected.toarray()
    ours = tn.asnumpy(ours)
    assert ours.shape == np.shape(expected)
    np.testing.assert_allclose(ours, expected, rtol=1e-6 if ours.dtype.char in "fF" else 1e-15)


@each_format
def test_construction(format):
    kind, other = getattr(sparse, f"{format}_array"), getattr(theirs, f"{format}_array")
    for ours, expected in [
        both(VALUES, format),
        (kind([1, 0, 2]), other([1, 0, 2])),
        (kind((5,)), other((5,))),
        (kind(([1.0, 2.0], ([1, 3],))), other(([1.0, 2.0], ([1, 3],)))),
        (kind(([1, 2, 4], ([3, 1, 3],)), shape=(6,)), other(([1, 2, 4], ([3, 1, 3],)), shape=(6,))),
        (kind(theirs.coo_array(VALUES)), other(VALUES)),
        (kind(kind(VALUES), shape=(9,)), other(np.append(VALUES, [0, 0]))),
        (kind(VALUES).astype("F"), other(VALUES).astype("F")),
        (
            sparse.csr_array(([1, 2], [0, 3], [0, 2]), shape=(5,)),
            theirs.csr_array(([1, 2], [0, 3], [0, 2]), shape=(5,)),
        ),
    ]:
        assert ours.ndim == 1 and ours.nnz == expected.nnz and len(ours.tocoo().coords) == 1
        same(ours, expected)
    made = kind(VALUES).get()
    assert theirs.issparse(made) and made.shape == (7,) and (made != other(VALUES)).nnz == 0
    assert repr(kind(VALUES)) == repr(other(VALUES)) and str(kind(VALUES)) == str(other(VALUES))
    assert sparse.csr_array(tn.asarray(VALUES), shape=(1, 7)).shape == (1, 7)
    assert getattr(sparse, f"{format}_matrix")(kind(VALUES)).shape == (1, 7)
    made = sparse.random_array((40,), density=0.25, format=format, rng=3)
    assert made.shape == (40,) and made.nnz == 10 and made.format == format


@each_format
def test_refused(format):
    kind = getattr(sparse, f"{format}_array")
    a = kind(VALUES)
    for call, error in [
        (lambda: kind(tn.asarray(5.0)), TypeError),
        (lambda: kind(a, shape=(3,)), ValueError),
        (lambda: kind(kind(TABLE), shape=(21,)), ValueError),
        (lambda: kind(tn.asarray(TABLE), shape=(21,)), ValueError),
        (lambda: kind(([1.0], ([7],)), shape=(5,)), ValueError),
        (lambda: kind(([1.0], ([-1],)), shape=(5,)), ValueError),
        (lambda: kind(([1.0], ([0], [0])), shape=(5,)), ValueError),
        (lambda: kind(([1.0], ([0],)), shape=(5, 1)), ValueError),
        (lambda: sparse.csc_array(VALUES), ValueError),
        (lambda: sparse.dia_array(tn.asarray(VALUES)), ValueError),
        (lambda: getattr(sparse, f"{format}_matrix")((5,)), (TypeError, ValueError)),
        (a.tocsc, ValueError),
        (a.todia, ValueError),
        (a.diagonal, ValueError),
        (a.trace, ValueError),
        (lambda: a.setdiag(1), ValueError),
        (lambda: a.sum(axis=1), ValueError),
        (lambda: a.sum(axis=(0, 0)), ValueError),
        (lambda: a.count_nonzero(axis=1), ValueError),
        (lambda: a.sum(axis=(None,)), TypeError),
        (lambda: a.reshape(2, 3), ValueError),
        (lambda: sparse.csr_matrix(TABLE).reshape(21), ValueError),
        (lambda: a @ tn.ones(6), ValueError),
        (lambda: a @ kind((6,)), ValueError),
        (lambda: a + kind((6,)), ValueError),
        (lambda: kind(TABLE) + a, ValueError),
        (lambda: a @ kind(TABLE), ValueError),
        (lambda: a[7], IndexError),
        (lambda: a[[0, -8]], IndexError),
        (lambda: a[0, 0], IndexError),
        (lambda: a[None, None], IndexError),
        (lambda: a[1.5], IndexError),
        (lambda: sparse.tril(a), ValueError),
        (lambda: sparse.kronsum(a, a), ValueError),
        (lambda: sparse.csr_array(([1.0], [0], [1, 1]), shape=(5,)), ValueError),
        (lambda: bool(a), ValueError),
        (lambda: len(a), TypeError),
        (lambda: setattr(a, "shape", (7,)), AttributeError),
        (lambda: sparse.coo_array((2, 3, 4)), ValueError),
        (lambda: sparse.coo_matrix(TABLE)[0], TypeError),
    ]:
        with pytest.raises(error):
            call()


BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.ne,
    operator.lt,
    operator.gt,
    operator.eq,
    lambda a, b: a.maximum(b),
    lambda a, b: a.minimum(b),
    lambda a, b: a.multiply(b),
]


@each_format
@pytest.mark.parametrize("dtype", ["f", "D", "l"])
def test_operators(format, dtype):
    a, s = both(VALUES.astype(dtype), format)
    b, t = both(OTHER.astype(dtype), format)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for one in BINARY:
            if dtype == "D" and one in BINARY[5:7] + BINARY[8:10]:
                continue  # SciPy orders no complex numbers
            same(one(a, b), one(s, t), is_format=False)
            if one in BINARY[:3]:
                same(one(a, tn.asarray(OTHER.astype(dtype))), one(s, OTHER.astype(dtype)), is_format=False)
        same(a * tn.ones((2, 7)), s * np.ones((2, 7)), is_format=False)
        same(a.multiply(sparse.csr_array(TABLE)), s.multiply(theirs.csr_array(TABLE)), is_format=False)
        same(sparse.csc_array(TABLE).multiply(a), theirs.csc_array(TABLE).multiply(s), is_format=False)
    for ours, expected in [
        (-a, -s),
        (abs(a), abs(s)),
        (a * 2, s * 2),
        (a / 2, s / 2),
        (a**2, s**2),
        (a.T, s.T),
        (a.conj(), s.conj()),
        (a.copy(), s.copy()),
        (a.power(3), s.power(3)),
    ]:
        same(ours, expected, is_format=False)
    row = sparse.csr_array(tn.asarray(VALUES[None]))
    assert (row + a).shape == (row - a).shape == (1, 7) and (a < tn.ones((1, 7))).shape == (1, 7)


@each_format
def test_products(format):
    a, s = both(VALUES, format)
    b, t = both(OTHER, format)
    same(a @ b, s @ t)
    same(a.dot(b), s.dot(t))
    same(a @ tn.asarray(OTHER), s @ OTHER)
    same(tn.asarray(OTHER) @ a, OTHER @ s)
    same(a @ tn.asarray(TABLE.T), s @ TABLE.T)
    same(tn.asarray(TABLE) @ a, TABLE @ s)
    for other in ("coo", "csr", "csc"):
        m, n = both(TABLE, other)
        same(m @ a, n @ s)
        same(a @ m.T, s @ n.T)
    diagonal = sparse.dia_array(tn.asarray(TABLE))
    same(diagonal @ a, theirs.dia_array(TABLE) @ s, is_format=False)
    same(sparse.csr_matrix(TABLE) @ a, theirs.csr_matrix(TABLE) @ s.reshape(7, 1), is_format=False)
    same(sparse.kron(a, b), theirs.kron(s, t))
    same(sparse.vstack([a, b]), theirs.vstack([s, t]))
    same(sparse.hstack([a, b]), theirs.hstack([s, t]))


@each_format
def test_reductions(format):
    a, s = both(VALUES, format)
    for name in ("sum", "mean", "max", "min", "argmax", "argmin"):
        for axis in (None, 0, -1):
            same(getattr(a, name)(axis=axis), getattr(s, name)(axis=axis))
    same(a.sum(axis=(0,)), s.sum(axis=(0,)))
    assert a.count_nonzero() == a.count_nonzero(axis=0) == s.count_nonzero() == 4
    (place,), (expected,) = a.nonzero(), s.nonzero()
    same(place, expected)
    out = tn.empty(())
    assert a.sum(out=out) is out and float(out) == VALUES.sum()
    with pytest.raises(ValueError):
        a.mean(out=tn.empty(7))
    twice = sparse.coo_array(([True, True], ([1, 1],)), shape=(3,)).asformat(format)
    assert int(twice.sum()) == 1 and abs(float(twice.mean()) - 1 / 3) < 1e-12


@pytest.mark.parametrize("format", ["coo", "csr", "csc"])
def test_two_axes_give_one(format):
    a, s = both(TABLE, format)
    for axis in (0, 1, -1):
        for name in ("max", "min", "sum", "argmax"):
            same(getattr(a, name)(axis=axis), getattr(s, name)(axis=axis))
    for key in (
        0,
        -1,
        (slice(None), 3),
        (2, slice(1, 6)),
        (2, [0, 5, 1]),
        ([2, 0], 0),
        (0, slice(None, None, -2)),
        (..., 6),
        (1, ...),
        (np.int64(2), slice(None)),
    ):
        same(a[key], s[key])
    for key in ((slice(0, 2), slice(1, 4)), (slice(None), [0, 3]), [2, 0]):
        same(a[key], s[key])
    same(a[0, None], s[0, None], is_format=False)
    same(a[2, 5], s[2, 5])
    for ours, expected in zip(a, s):
        same(ours, expected, is_format=False)
    same(a.reshape(21), s.reshape(21))
    same(a.reshape(-1, order="F"), s.reshape(-1, order="F"))


@each_format
def test_indexes(format):
    a, s = both(VALUES, format)
    for key in (
        0,
        4,
        -1,
        slice(None),
        slice(1, 5),
        slice(None, None, -1),
        slice(5, 1, -2),
        [4, 1, 1],
        [],
        ...,
        (slice(2),),
        VALUES > 0,
        [[0, 1], [4, 3]],
    ):
        same(a[tn.asarray(key) if isinstance(key, np.ndarray) else key], s[key])
    for key in (None, (None, slice(None)), (slice(None), None), (None, 4), (1, None), (..., None)):
        same(a[key], s[key], is_format=False)
    same(a[a > 1], s.tocsr()[s.tocsr() > 1], is_format=False)
    same(a[tn.asarray(3)], s[3])
    assert [float(one) for one in a] == VALUES.tolist()


@each_format
def test_assignment(format):
    for key, value in [(2, 9.0), (-1, 0.0), (slice(0, 3), [7.0, 8, 9]), ([6, 0], 1.5), (..., 7.0), (VALUES > 0, -2.0)]:
        a, dense = getattr(sparse, f"{format}_array")(VALUES), VALUES.copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)
            a[key] = value
        dense[key] = value
        same(a, getattr(theirs, f"{format}_array")(dense))
    with pytest.warns(sparse.SparseEfficiencyWarning):
        a[0:2] = sparse.csr_array([3.0, 4.0])
    assert a[:2].toarray().tolist() == [3.0, 4.0]
    with pytest.raises(IndexError, match="too many indices"):
        a[1, 2] = 9.0


def test_structure():
    a = sparse.csr_array((tn.asarray([2.0, 1, 0, 3, 4]), [3, 1, 0, 4, 3], [0, 5]), shape=(5,))
    assert not a.has_sorted_indices and not a.has_canonical_format
    a.sum_duplicates()
    assert a.indices.tolist() == [0, 1, 3, 4] and a.toarray().tolist() == [0, 1, 0, 6, 3]
    a.eliminate_zeros()
    a.eliminate_zeros()
    assert a.nnz == 3 and a.indptr.tolist() == [0, 3]
    a.check_format()
    same(a.tocoo(), theirs.coo_array([0.0, 1, 0, 6, 3]))
    for format in ("coo", "csr"):
        same(a.reshape(5, 1), theirs.csr_array([0.0, 1, 0, 6, 3]).reshape(5, 1))
        assert a.asformat(format).astype("f").dtype == "f"
    broken = sparse.csr_array((tn.asarray([2.0]), [9], [0, 1]), shape=(5,))
    with pytest.raises(ValueError):
        (broken @ tn.ones(5)).get()  # a GPU reports it at the next wait


def test_powers_of_matrices():
    for kind in (sparse.csr_array, sparse.csr_matrix):
        a = kind(tn.asarray([[0.0, 1], [1, 1]]))
        for power in range(4):
            made = sparse.linalg.matrix_power(a, power)
            assert isinstance(made, sparse.sparray) == isinstance(a, sparse.sparray)
            np.testing.assert_array_equal(made.toarray().get(), np.linalg.matrix_power([[0.0, 1], [1, 1]], power))
    for power in (-1, 2.0):
        with pytest.raises(ValueError):
            sparse.linalg.matrix_power(a, power)


@each_format
def test_assignment_to_lines(format):
    a, dense = getattr(sparse, f"{format}_array")(TABLE), TABLE.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)
        for key, value in [((slice(None), 0), [7.0, 8, 9]), ((1, slice(None)), VALUES), (2, -VALUES), ((..., 1), 3.0)]:
            a[key] = value
            dense[key] = value
    same(a, getattr(theirs, f"{format}_array")(dense))
    same(a[(dense > 2).tolist()], dense[dense > 2])
    same(a[tn.asarray(dense > 2), ...], dense[dense > 2])
    for call, error in [
        (lambda: a[[0, 1, 2], [0, 1]], IndexError),
        (lambda: a.__setitem__((0, 0), 3j), TypeError),
        (lambda: a.__setitem__((0, 0), [1, 2]), ValueError),
    ]:
        with pytest.raises(error):
            call()


def test_lists_of_large_integers():
    for ours in (sparse.csr_array, sparse.coo_array):
        made = ours(([2**63 + 1, 1], ([0, 1], [0, 1])), dtype="Q")
        assert made.toarray().tolist() == [[2**63 + 1, 0], [0, 1]]
