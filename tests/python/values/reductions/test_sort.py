"""Sorting, searching and sets against NumPy: every dtype, layout, axis and length, and each
error."""

import itertools
import re

import numpy as np
import pytest
import tenorite as tn
from calls import MANY, compare
from generator import DTYPES, FLOATS, grid, ordinary, specials
from hypothesis import HealthCheck, given, settings, strategies as st
from oracle import Report, assert_same, is_partition

pytestmark = pytest.mark.quick


LENGTHS = (
    0,
    1,
    2,
    3,
    8,
    15,
    16,
    17,
    31,
    33,
    40,
    41,
    64,
    65,
    128,
    129,
    200,
    256,
    257,
    300,
    1000,
    4099,
    32767,
    32768,
    70000,
)


def shuffled(dtype, count, seed=0):
    """Special and ordinary values in random order."""
    values = np.concatenate([specials(dtype), ordinary(dtype, max(count, 1), seed)])
    return np.random.default_rng(seed).permutation(np.resize(values, count))


# --- Values ---

SORTS = """
    m.sort(a)
    m.sort(a, axis=0)
    m.sort(a, axis=-2)
    m.sort(a, axis=None)
    m.sort(a, 1)
    m.sort(a, kind="stable")
    m.sort(a, kind="heapsort")
    m.sort(a, stable=True)
    m.sort(a, stable=False)
    m.argsort(a, kind="stable")
    m.argsort(a, axis=0, stable=True)
    m.argsort(a, axis=None, kind="mergesort")
    a.argsort(axis=0, stable=True)
    a.argsort(None, "stable")
    m.sort(m.array([a, a]), axis=1)
    m.sort(a, axis=2)
    m.sort(a, axis=-3)
    m.argsort(a, axis=2)
    m.sort_complex(a)
    m.lexsort(a)
    m.lexsort(a, axis=0)
    m.lexsort((a[0], a[1]))
    m.lexsort([a[0], a[1], a[0]], 0)
    m.lexsort((a[0], a[1, 1:]))
    m.lexsort((a[0], a[1]), 0.0)
    m.lexsort((a, a[::-1]))
    m.lexsort((a, a[::-1]), 0)
"""


@pytest.mark.parametrize("dtype", DTYPES)
def test_sorts(dtype):
    calls = "\n".join(line for line in SORTS.splitlines() if "array([a, a])" not in line)
    compare(calls, grid(dtype), layouts=MANY, zero_sign=False)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["random", "ascending", "descending", "equal"])
def test_lengths(dtype, order):
    """Rows of many lengths; equal elements keep their places, zeros their signs."""
    report = Report()
    for length in LENGTHS:
        host = shuffled(dtype, length, length)
        if order == "ascending":
            host = np.sort(host)
        elif order == "descending":
            host = np.ascontiguousarray(np.sort(host)[::-1])
        elif order == "equal":
            host = np.full_like(host, 1)
        ours = tn.array(host)
        report.check(f"sort {length}", lambda: tn.sort(ours), lambda: np.sort(host), zero_sign=False)
        report.check(f"stable {length}", lambda: tn.sort(ours, stable=True), lambda: np.sort(host, stable=True))
        report.check(f"argsort {length}", lambda: ours.argsort(), lambda: np.argsort(host, stable=True))
    report.close()


@pytest.mark.parametrize("length", [5, 300, 40000])
def test_bfloat16(length):
    """As float32, of which each is an upper half."""
    host = shuffled("float16", length).astype(np.float32)
    ours = tn.array(host).astype("bfloat16")
    wide = ours.astype("float32").get()
    assert_same(tn.sort(ours).astype("float32"), np.sort(wide), zero_sign=False)
    assert_same(ours.argsort(), np.argsort(wide, stable=True))
    assert_same(tn.sort(ours, stable=True).astype("float32"), np.sort(wide, stable=True))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [7, 300, 50000])
def test_descending(dtype, length):
    """The largest first; equal elements keep their order."""
    host = shuffled(dtype, length)
    ours = tn.array(host)
    assert_same(tn.sort(ours, descending=True), np.sort(host)[::-1], zero_sign=False)
    backwards = length - 1 - np.argsort(host[::-1], stable=True)[::-1]
    assert_same(ours.argsort(descending=True), backwards)
    assert_same(tn.sort(ours, descending=True, stable=True), host[backwards])


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_of_either_sign_is_last(dtype):
    host = np.array([np.nan, 1, -np.nan, -np.inf, np.inf, 0, -np.nan], dtype)
    host = np.where(np.arange(7) % 2, host, np.copysign(host, -1).astype(dtype)).astype(dtype)
    assert_same(tn.sort(tn.array(host)), np.sort(host), zero_sign=False)
    assert_same(tn.array(host).argsort(), np.argsort(host, stable=True))


@pytest.mark.parametrize("dtype", ["int64", "float64", "complex128"])
@pytest.mark.parametrize("shift", [0, 8, 31, 52])
def test_few_digits_differ(dtype, shift):
    """Keys that differ in few of their bits, and many equal ones beside few others."""
    random = np.random.default_rng(shift)
    values = random.integers(0, 3, 200000) << min(shift, 50)
    values[random.integers(0, values.size, 50)] = -5
    host = values.astype(dtype)
    assert_same(tn.sort(tn.array(host)), np.sort(host))
    assert_same(tn.array(host).argsort(), np.argsort(host, stable=True))


@pytest.mark.parametrize("shape", [(3, 400), (400, 3), (200, 300), (5, 6, 70), (2, 40000), (300000,)])
@pytest.mark.parametrize("dtype", ["int8", "float32", "int64", "complex64"])
def test_shapes(shape, dtype):
    host = shuffled(dtype, int(np.prod(shape))).reshape(shape)
    ours = tn.array(host)
    for axis in range(len(shape)):
        assert_same(tn.sort(ours, axis=axis), np.sort(host, axis=axis), zero_sign=False)
        assert_same(ours.argsort(axis), np.argsort(host, axis=axis, stable=True))
        for a in (ours.T, ours[::-1], ours[..., ::2]):
            assert_same(tn.sort(a, axis=axis), np.sort(a.get(), axis=axis), zero_sign=False)


def test_order_of_result():
    """A new array lies in memory as its input does, as in NumPy."""
    host = np.asfortranarray(grid("float32"))
    for call in (lambda m, a: m.sort(a), lambda m, a: m.sort(a, axis=0), lambda m, a: m.sort(a.T)):
        ours, theirs = call(tn, tn.asfortranarray(tn.array(host))), call(np, host)
        assert ours.strides == theirs.strides


# --- In place ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_in_place(dtype):
    report = Report()
    views = {
        "whole": lambda a: a,
        "strided": lambda a: a[::2, 1::3],
        "negative": lambda a: a[::-1, ::-1],
        "transposed": lambda a: a.T,
        "column": lambda a: a[:, 2],
        "empty": lambda a: a[:0],
    }
    for name, view in views.items():
        for axis in (0, -1):
            host = grid(dtype)
            ours = tn.array(host)
            view(host).sort(axis, stable=True)
            assert view(ours).sort(axis, stable=True) is None
            report.check(f"{name} {axis}", lambda: ours, lambda: host)
    report.close()


def test_in_place_of_repeated_rows():
    """Rows that are one row in memory are sorted once."""
    host = np.array([3, 1, 2], np.float32)
    ours = tn.array(host)
    rows = tn.ndarray((4, 3), np.float32, ours.data, strides=(0, 4))
    rows.sort()
    assert_same(ours, np.sort(host))


def test_errors():
    calls = """
        m.sort(a, kind="foo")
        m.sort(a, kind=3)
        m.sort(a, kind="stable", stable=True)
        m.sort(a, order="x")
        m.sort(a, axis=1.5)
        a.sort(axis=None)
        a.sort(axis=7)
        m.argsort(a, kind="")
        a.sort(1, 2, 3, 4)
        m.partition(a, 1, kind="foo")
        m.partition(a, 1, order="x")
        m.partition(a, 100)
        m.partition(a, -100)
        m.partition(a, 1.5)
        m.partition(a, [0, 1.5])
        m.partition(a, True)
        m.partition(a, [])
        m.partition(a, "x")
        m.partition(a, 0, axis=3)
        a.partition(100)
        m.argpartition(a, 100)
        m.searchsorted(a, 1)
        m.searchsorted(a[0, 0], 1)
        m.searchsorted(a[0], 1, side="foo")
        m.searchsorted(a[0], 1, side=3)
        m.searchsorted(a[0], 1, sorter=a[0].argsort()[1:])
        m.searchsorted(a[0], 1, sorter=a[0] * 1.5)
        m.lexsort(())
        m.lexsort(a[0, 0])
        m.lexsort((a, a[0]))
        m.lexsort((a, a), axis=2)
        m.digitize(a, a)
        m.digitize(a, a[0, 0])
        m.digitize(a, a[0, [1, 0, 1]])
        m.digitize(a * 1j, a[0])
        m.unique(a, axis=2)
        m.unique(a[0, 0], axis=0)
        m.isin(a, a, kind="foo")
        m.isin(a * 1.5, a, kind="table")
    """
    host = np.array([[0, 3, 2], [5, 4, 1]])
    compare(calls, host, layouts=("contiguous",))
    fixed = tn.array(host)
    fixed.flags.writeable = False
    for method in ("sort", "partition"):
        with pytest.raises(ValueError, match=f"{method} array is read-only"):
            getattr(fixed, method)(*([1] if method == "partition" else []))


# --- Partitions ---


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [1, 2, 30, 300, 5000, 100000])
def test_partitions(dtype, length):
    host = shuffled(dtype, length)
    ours = tn.array(host)
    several = list(range(0, length, max(1, length // 20)))
    for kth in (0, -1, length // 2, [length // 3, length - 1], several):
        places = np.atleast_1d(kth)
        assert is_partition(tn.partition(ours, kth).get(), host, places)
        positions = tn.argpartition(ours, kth).get()
        assert_same(tn.array(np.sort(positions)), np.arange(length))
        assert is_partition(host[positions], host, places)
    ours.partition(length // 2)
    assert is_partition(ours.get(), host, length // 2)


def test_partition_axes():
    host = grid("float64")
    for axis in (0, 1, -1):
        found = np.moveaxis(tn.partition(tn.array(host), 3, axis=axis).get(), axis, -1)
        for row, expected in zip(found, np.moveaxis(host, axis, -1)):
            assert is_partition(row, expected, 3)
    assert is_partition(tn.partition(tn.array(host), 10, axis=None).get(), host.ravel(), 10)
    assert tn.partition(tn.zeros(0), 0).shape == (0,) and tn.argpartition(tn.array(5), 0).shape == (1,)


@pytest.mark.parametrize("dtype", DTYPES)
def test_top_k(dtype):
    host = shuffled(dtype, 3000).reshape(3, 1000)
    ours = tn.array(host)
    for axis, k in ((1, 10), (0, 2), (-1, 0), (1, 1000)):
        for largest in (True, False):
            values, positions = tn.top_k(ours, k, axis=axis, largest=largest)
            order = tn.argsort(ours, axis=axis, descending=largest).get()
            order = np.take(order, np.arange(k), axis=axis)
            assert_same(positions, order)
            assert_same(values, np.take_along_axis(host, order, axis))
    values, positions = tn.top_k(ours, 5, axis=None)
    assert_same(values, host.ravel()[positions.get()])
    for k in (-1, 1001):
        with pytest.raises(ValueError, match="out of bounds"):
            tn.top_k(ours, k)


# --- Searching ---


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [0, 1, 2, 7, 64, 1000, 40000])
def test_searchsorted(dtype, length):
    host, values = np.sort(shuffled(dtype, length)), shuffled(dtype, 403, 1)
    ours, wanted = tn.array(host), tn.array(values)
    for side in ("left", "right"):
        assert_same(tn.searchsorted(ours, wanted, side), np.searchsorted(host, values, side))
        assert_same(ours.searchsorted(wanted[::-2], side), host.searchsorted(values[::-2], side))
        assert_same(ours.searchsorted(wanted[0], side), np.asarray(host.searchsorted(values[0], side)))
        table, theirs = wanted[:400].reshape(20, 20), values[:400].reshape(20, 20)
        assert_same(ours.searchsorted(table.T[1:], side), host.searchsorted(theirs.T[1:], side))
        if length:
            assert_same(ours[::-1][::-2].searchsorted(wanted, side), host[::-1][::-2].searchsorted(values, side))
    mixed = np.random.default_rng(0).permutation(host)
    sorter = np.argsort(mixed, stable=True)
    assert_same(tn.array(mixed).searchsorted(wanted, sorter=tn.array(sorter)), np.searchsorted(host, values))


SEARCHES = """
    m.searchsorted(a, 2)
    m.searchsorted(a, 2.5)
    m.searchsorted(a, -1, "right")
    m.searchsorted(a, 3, side="right")
    m.searchsorted(a, 2**40)
    m.searchsorted(a, 1j)
    m.searchsorted(a, [1, 2, 7])
    m.searchsorted(a, np.float32(2.5))
    m.searchsorted(a, True)
    m.digitize(b, a)
    m.digitize(b, a, right=True)
    m.digitize(b, m.full(3, m.nan))
    m.digitize(b, m.array([1.0, 2.0, m.nan]), right=True)
    m.digitize(b, m.array([2.0, 1.0, m.nan]))
    m.digitize(b, a[::-1])
    m.digitize(b, a[::-1], True)
    m.digitize(b, a[:0])
    m.digitize(2.5, a)
    m.isin(a, b)
    m.isin(b, a, invert=True)
    m.isin(b, a[:0])
    m.isin(b, a[:0], invert=True)
    m.isin(b, a, kind="sort")
    m.isin(b, a, assume_unique=True)
    m.isin(b[0], a)
    m.union1d(a, b)
    m.union1d(a, a)
    m.intersect1d(a, b)
    m.intersect1d(a, b, return_indices=True)
    m.intersect1d(a[:0], b)
    m.intersect1d(m.unique(a), m.unique(b), assume_unique=True)
    m.intersect1d(m.unique(a), m.unique(b), True, True)
    m.setxor1d(a, b)
    m.setxor1d(a[:0], b[:0])
    m.setxor1d(m.unique(a), m.unique(b), assume_unique=True)
    m.setdiff1d(a, b)
    m.setdiff1d(a[::-1], b, assume_unique=True)
    m.setdiff1d(b, b)
"""


@pytest.mark.parametrize("first", ["int8", "int64", "uint64", "float32", "float64", "bool"])
@pytest.mark.parametrize("second", ["int16", "int64", "float32"])
def test_searches(first, second):
    host = np.array([-3, 0, 0, 1, 2, 2, 5, 100], "int64").astype(first)
    host.sort()
    other = np.array([[7, 0, 2], [-3, 5, 5]]).astype(second)
    rows = np.array([host, host])
    calls = re.sub(r"\ba\b", "a[0]", SEARCHES)
    compare(calls, rows, other, layouts=("contiguous", "fortran"))


def test_in1d():
    a, b = tn.array([[1, 5], [2, 7]]), tn.array([2, 5])
    assert_same(tn.in1d(a, b), np.array([False, True, True, False]))
    assert_same(tn.in1d(a, b, invert=True), np.array([True, False, False, True]))


# --- Elements once each ---

UNIQUES = """
    m.unique(a)
    m.unique(a, return_index=True)
    m.unique(a, return_inverse=True)
    m.unique(a, return_counts=True)
    m.unique(a, True, True, True)
    m.unique(a, equal_nan=False)
    m.unique(a, True, True, True, equal_nan=False)
    m.unique(a, True, True, True, sorted=True)
    tuple(m.unique_all(a))
    tuple(m.unique_counts(a))
    tuple(m.unique_inverse(a))
    m.sort(m.unique_values(a))
"""
SLICES = """
    m.unique(a, axis=0)
    m.unique(a, axis=1)
    m.unique(a, axis=-1, return_index=True, return_inverse=True, return_counts=True)
    m.unique(a, True, True, True, axis=0)
    m.unique(a[:0], axis=0)
    m.unique(a[:, :0], axis=0)
    m.unique(a[:, :0], axis=1)
    m.unique(a[None], axis=2)
"""


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique(dtype):
    calls = UNIQUES
    if np.dtype(dtype).kind == "c":  # which of several NaN stands for all is anyone's choice
        calls = calls.replace("m.unique(a)\n", "m.unique(a)[:-1]\n")
    compare(calls, grid(dtype, 9, 12), layouts=MANY, zero_sign=False)
    small = np.random.default_rng(1).integers(0, 2, (12, 4)).astype(dtype)
    compare(UNIQUES + SLICES, small, layouts=("contiguous", "fortran", "negative"))


def test_results_have_names():
    found = tn.unique_all(tn.array([2, 1, 2]))
    assert found._fields == np.unique_all(np.array([2, 1, 2]))._fields
    assert tn.unique_counts(tn.array([1]))._fields == ("values", "counts")
    assert tn.unique_inverse(tn.array([1]))._fields == ("values", "inverse_indices")


def test_msort():
    host = grid("float32")
    assert_same(tn.msort(tn.array(host)), np.sort(host, axis=0), zero_sign=False)


# --- Programs ---


@st.composite
def programs(draw):
    """Steps of views, sorts in place and writes, as functions of (module, array)."""
    steps = []
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["view", "sort", "take", "write", "transpose"]))
        step, axis = draw(st.sampled_from([1, 2, -1, -2])), draw(st.integers(-2, 1))
        if kind == "view":
            steps.append(lambda m, a, step=step: a[::step, ::-step])
        elif kind == "sort":
            steps.append(lambda m, a, axis=axis: (a.sort(axis, stable=True), a)[1])
        elif kind == "take":
            steps.append(
                lambda m, a, axis=axis: m.take(
                    a, m.argsort(a, axis=axis, stable=True).ravel()[:3], axis=axis, mode="clip"
                )
            )
        elif kind == "write":
            steps.append(
                lambda m, a, step=step: (a.__setitem__((0, slice(None, None, step)), 1), a)[1] if a.size else a
            )
        else:
            steps.append(lambda m, a: a.T)
    return steps


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs(), st.sampled_from(DTYPES), st.integers(1, 9), st.integers(1, 9))
def test_programs(steps, dtype, rows, columns):
    base = grid(dtype, rows, columns)
    host, ours_base = base, tn.array(base)
    ours = ours_base
    with np.errstate(all="ignore"):
        for step in steps:
            host, ours = step(np, host), step(tn, ours)
            assert_same(ours, host)
            assert_same(ours_base, base)


@pytest.mark.parametrize("sorter", [[-1, 0, 1], [2, 0, -2], [0, 1, 5], [0, 1, -4]], ids=str)
def test_searchsorted_sorter_out_of_range(sorter):
    """A sorter has no negative positions."""
    array = tn.array([3, 1, 2])
    with pytest.raises(ValueError, match="Sorter index out of range"):
        tn.searchsorted(array, tn.array([0, 1]), sorter=tn.array(sorter))
    with pytest.raises(ValueError, match="Sorter index out of range"):
        tn.searchsorted(array, tn.array([0, 1]), sorter=tn.array(sorter).astype("u8"))


def test_union_with_scalars():
    """A Python number takes the dtype of the array beside it."""
    assert tn.union1d(tn.array([1, 2], dtype="i1"), 3).dtype == np.int8
    assert tn.union1d(1.5, tn.array([1, 2], dtype="f4")).dtype == np.float32
    assert tn.union1d(1, 2).tolist() == [1, 2]


@pytest.mark.parametrize("dtype", "?bBhHiIlLqd")
def test_isin_of_close_integers_and_far_ones(dtype):
    """Integers that lie close are looked up in a table on the host, others are sorted."""
    random = np.random.default_rng(3)
    for spread, invert in itertools.product((40, 10**6), (False, True)):
        host = (random.integers(-spread, spread, 60) % 2**53).astype(dtype)
        tests = random.choice(host, 9)
        if dtype in "lq":
            host[:2] = -(2**63), 2**63 - 1
        got = tn.isin(tn.asarray(host.reshape(3, 20)), tn.asarray(tests), invert=invert)
        np.testing.assert_array_equal(got.get(), np.isin(host.reshape(3, 20), tests, invert=invert), strict=True)
