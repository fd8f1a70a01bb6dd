"""Iteration along the first axis and over all elements, and counts that repeat elements."""

import operator

import numpy as np
import pytest
import tenorite as tn


def test_views_along_the_first_axis():
    a = tn.arange(6).reshape(3, 2)
    rows = iter(a)
    assert iter(rows) is rows
    assert operator.length_hint(rows) == 3
    first = next(rows)
    first[...] = 9
    assert a[0].tolist() == [9, 9]
    assert operator.length_hint(rows) == 2
    assert [row.tolist() for row in rows] == [[2, 3], [4, 5]]
    assert operator.length_hint(rows) == 0
    assert list(rows) == []
    assert [x.shape for x in a[0]] == [(), ()]


def test_a_shape_that_changes_between_steps():
    a = tn.arange(6).reshape(3, 2)
    rows = iter(a)
    assert next(rows).tolist() == [0, 1]
    a.shape = (6,)
    assert [int(x) for x in rows] == [1, 2, 3, 4, 5]
    a.shape = (2, 3)
    assert list(rows) == []


def test_an_array_without_axes_is_not_iterated():
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(tn.array(1))


@pytest.mark.parametrize("make", [lambda a: a, lambda a: a.T, lambda a: a[::-1, ::2], lambda a: a[:0]])
@pytest.mark.parametrize("dtype", ["b1", "i2", "f8", "c16"])
def test_elements(make, dtype):
    host = make(np.arange(24).reshape(4, 6).astype(dtype))
    made = make(tn.asarray(np.arange(24).reshape(4, 6).astype(dtype)))
    flat = made.flat
    assert [x.item() for x in flat] == [x.item() for x in host.flat]
    assert flat.index == host.size
    assert next(flat, None) is None


def test_an_element_is_a_copy_of_what_is_there_now():
    a = tn.arange(4)
    flat = a.flat
    first = next(flat)
    a[...] = 7
    assert int(first) == 0
    assert int(next(flat)) == 7
    assert flat.base is a


@pytest.mark.parametrize("counts", [[2, 0, 3], [0, 0, 0], [0, 5, 0], [1, 1, 1], [7], 2])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_counts(counts, axis):
    host = np.arange(9).reshape(3, 3)[:, ::-1]
    a = tn.asarray(np.arange(9).reshape(3, 3))[:, ::-1]
    if axis is None and np.size(counts) == 3:
        counts = counts * 3
    expected = np.repeat(host, counts, axis)
    for given in (counts, np.array(counts), tn.array(counts), tn.array(counts, dtype="u1")):
        made = tn.repeat(a, given, axis)
        assert made.tolist() == expected.tolist() and made.dtype == expected.dtype
        assert a.repeat(given, axis=axis).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "counts", [[1, -1, 1], [1, 2], [[1, 2, 3]], -1, np.ones(3), np.ones(3, "u8"), [2**61] * 3, [1j] * 3]
)
def test_counts_that_are_refused(counts):
    with pytest.raises((TypeError, ValueError)) as expected:
        np.repeat(np.arange(3), counts)
    with pytest.raises(type(expected.value)):
        tn.repeat(tn.arange(3), counts)
