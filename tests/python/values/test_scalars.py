"""Python's numbers going into arrays and coming out of them: comparisons, stores, conversions."""

import operator

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, INTEGERS, specials
from oracle import Report, assert_same, outcome, same_kind

COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt)
HUGE = (2**63, 2**64 - 1, 2**64, 2**70, 10**400, -(2**63) - 1, -(2**70), -(10**400))


@pytest.mark.parametrize("value", HUGE, ids=lambda value: f"{value:.0e}" if abs(value) < 1e300 else "1e400")
def test_huge_integers(value):
    """Comparisons of integers go by value; other dtypes take a huge one as a float or refuse it."""
    report = Report()
    for dtype in DTYPES[1:]:
        x = specials(dtype)
        for compare in COMPARISONS:
            report.check(f"{dtype} {compare}", lambda: compare(tn.array(x), value), lambda: compare(x, value))
            report.check(f"r{dtype} {compare}", lambda: compare(value, tn.array(x)), lambda: compare(value, x))
        report.check(f"{dtype} +", lambda: tn.array(x) + value, lambda: x + value)
        report.check(f"{dtype} full", lambda: tn.full(2, value, dtype), lambda: np.full(2, value, dtype))
    report.close()


def test_huge_integers_and_bool():
    """A bool array is never larger than a huge integer; as a truth it is True."""
    a = tn.array([False, True])
    assert_same(a < 2**64, np.array([True, True]))
    a[0] = 2**70
    assert_same(a, np.array([True, True]))
    with pytest.raises(OverflowError):
        a + 2**64
    with pytest.raises(OverflowError):
        tn.array(2**64)


def test_huge_integers_in_ufuncs():
    """Operations of one, two and three scalars."""
    assert_same(tn.maximum(2**64, 1.5), np.maximum(2.0**64, 1.5))
    assert_same(tn.sqrt(2**64), np.array(2.0**32))
    for call in (lambda: tn.negative(2**64), lambda: tn.invert(2**64)):
        with pytest.raises(OverflowError):
            call()
    assert_same(tn.where(tn.array([True]), 2**64, 1.5), np.array([2.0**64]))


def stored(xp, dtype, value, how):
    a = xp.zeros(3, dtype)
    if how == "fill":
        a.fill(value)
    elif how == "mask":
        a[xp.arange(3) > 0] = value
    elif how == "indices":
        a[xp.array([0, 2])] = value
    else:
        a[1] = value
    return a


VALUES = (1.75, -1.75, 300.5, -129.0, 1e10, 1e19, 1e30, -1e30, np.inf, -np.inf, np.nan, 1j, True,
          np.float32(300.5), np.float64("nan"), np.float16("inf"), np.int64(5))  # fmt: skip


@pytest.mark.parametrize("how", ["item", "fill", "mask", "indices"])
def test_stores_of_scalars(how):
    """A float goes to an integer as int() has it, with its exceptions; nothing is written then."""
    report = Report()
    for dtype in DTYPES:
        for value in VALUES:
            if np.dtype(dtype).kind == "u" and isinstance(value, np.floating):
                continue  # NumPy casts its own floats to unsigned integers
            if how in ("mask", "indices") and outcome(lambda: stored(np, dtype, value, "item"))[1]:
                continue  # NumPy casts here, and what a float out of range then gives is undefined
            report.check(f"{dtype} {value!r}", lambda: stored(tn, dtype, value, how),
                         lambda: stored(np, dtype, value, how))  # fmt: skip
    report.close()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_refused_stores(dtype):
    """All ways to store refuse what an item refuses, and leave the array as it was."""
    for value in (np.nan, np.inf, 1e30, 1j):
        _, expected = outcome(lambda: stored(np, dtype, value, "item"))
        for how in ("item", "fill", "mask", "indices"):
            _, failed = outcome(lambda: stored(tn, dtype, value, how))
            assert same_kind(failed, expected) and str(failed).startswith(str(expected))
        a = tn.ones(3, dtype)
        with pytest.raises((TypeError, ValueError, OverflowError)):
            a[:2] = value
        assert_same(a, np.ones(3, dtype))


@pytest.mark.parametrize("convert", [int, float, complex, bool, operator.index])
def test_conversions(convert):
    report = Report()
    for dtype in DTYPES:
        for shape in ((), (1,), (1, 1), (2,), (0,)):
            x = np.ones(shape, dtype)
            report.check(f"{dtype} {shape}", lambda: convert(tn.array(x)), lambda: convert(x))
    report.close()


class Mute:
    """Something that has no idea of arrays."""

    def __repr__(self):  # the test's name, the same in all processes
        return "Mute()"


class Equal:
    def __eq__(self, other):
        return True

    __hash__ = None


@pytest.mark.parametrize("other", [None, ..., "x", b"x", Mute(), Mute, NotImplemented], ids=repr)
def test_equality_with_anything(other):
    """What equals nothing but itself: every element differs from it, as in NumPy; no order."""
    for dtype in DTYPES:
        x = np.ones((2, 3), dtype, order="F")
        a = tn.array(x, order="K")
        equal, differs = a == other, a != other
        assert_same(equal, np.zeros((2, 3), bool))
        assert_same(differs, np.ones((2, 3), bool))
        assert equal.flags.f_contiguous
        with pytest.raises(TypeError):
            a < other
    assert (other in a) is False


def test_equality_with_hosts_and_strangers():
    """Host arrays and lists are refused, and so is what has an equality of its own that we can't
    ask."""
    a = tn.ones(3)
    for other in (np.ones(3), [1, 1, 1], (1, 1, 1), Equal()):
        with pytest.raises(TypeError, match="Unsupported type"):
            a == other


def test_squares():
    """The easy powers give NumPy's dtypes: a bool array squared is int8."""
    report = Report()
    for dtype in DTYPES:
        x = np.ones(3, dtype)
        for exponent in (-1, 0, 0.5, 1, 2, 2.0, 3, True, np.int8(2), np.float64(2), 2**40):
            report.check(f"{dtype} {exponent!r}", lambda: tn.array(x) ** exponent, lambda: x**exponent)
    report.close()
