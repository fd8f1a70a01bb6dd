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


VALUES = (
    1.75,
    -1.75,
    300.5,
    -129.0,
    1e10,
    1e19,
    1e30,
    -1e30,
    np.inf,
    -np.inf,
    np.nan,
    1j,
    True,
    np.float32(300.5),
    np.float64("nan"),
    np.float16("inf"),
    np.int64(5),
)


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
            report.check(
                f"{dtype} {value!r}", lambda: stored(tn, dtype, value, how), lambda: stored(np, dtype, value, how)
            )
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


# --- Arrays without axes, which have a way of their own on the host ---

BINARY = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.and_,
    operator.xor,
    operator.lshift,
    *COMPARISONS,
)


def lone(values, step=1, shift=0):
    """Ours and NumPy's 0-d arrays of one element, `shift` bytes off its place."""
    size = values.dtype.itemsize
    raw = np.zeros(size * (step * len(values) + 1), np.uint8)
    view = raw[shift : shift + size * step * len(values)].view(values.dtype)[::step]
    view[...] = values
    ours = tn.array(raw)[shift : shift + size * step * len(values)].view(values.dtype)[::step]
    return ours[1], view[1:2].reshape(())


@pytest.mark.parametrize("b", DTYPES)
def test_lone_pairs(b):
    """Every pair of dtypes, a literal beside each, and elements that are not aligned."""
    report = Report()
    for a in DTYPES:
        for shift in (0, 1):
            (x, p), (y, q) = lone(specials(a)[:3], 2, shift), lone(specials(b)[:3], 1, 0)
            for op in BINARY:
                report.check(f"{a} {op.__name__} {b} {shift}", lambda: op(x, y), lambda: np.asarray(op(p, q)))
    for literal in (3, 2.5, True, 1j, -1, 300):
        x, p = lone(specials(b)[:3])
        for op in BINARY:
            report.check(f"{b} {op.__name__} {literal}", lambda: op(x, literal), lambda: np.asarray(op(p, literal)))
            report.check(f"{literal} {op.__name__} {b}", lambda: op(literal, x), lambda: np.asarray(op(literal, p)))
    report.close()


def test_lone_in_place():
    """The element itself changes; what is read-only does not, and another dtype is refused."""
    a = tn.arange(4.0)
    view = a[2]
    view += view
    view *= 1.5
    assert_same(a, np.array([0, 1, 6.0, 3]))
    frozen = a[1]
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        frozen += 1
    k = tn.arange(3)[1]
    with pytest.raises(TypeError):
        k += 0.5
    single = tn.ones(2, "f4")[0]
    single += np.float64(2)
    assert single.dtype == "f4" and single == 3
    with pytest.raises(ValueError, match="negative integer powers"):
        k ** tn.array(-1)


def test_lone_and_memory():
    """A result takes a unit of the pool, at an address of its own; hooks see it."""
    pool = tn.get_default_memory_pool()
    s = tn.arange(2.0)[1]
    before = pool.used_bytes()
    made = [s + k for k in range(5)]
    assert pool.used_bytes() - before == 5 * 512
    assert len({m.data.ptr for m in made}) == 5 and all(m.data.ptr % 512 == 0 for m in made)
    del made
    assert pool.used_bytes() == before

    class Hook(tn.cuda.MemoryHook):
        name = "count"
        seen = 0

        def malloc_preprocess(self, **kwargs):
            Hook.seen += 1

    with Hook():
        s * 2
    assert Hook.seen == 1


def test_lone_of_classes():
    """Subclasses name the result's class, and foreign classes may take the operator."""

    class Mine(tn.ndarray):
        pass

    class Theirs:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "theirs"

    s = tn.arange(2.0)[1]
    mine = tn.arange(2.0).view(Mine)[1]
    assert type(mine + s) is type(s * mine) is type(mine + 1) is Mine
    assert s + Theirs() == "theirs"
    assert min(s, s + 1) == 1 and max(s, 5.0) == 5.0 and [1, 2, 3][tn.array(2)] == 3


def test_lone_on_streams():
    """A queue of the host runs them in order, and the default stream after it."""
    a = tn.zeros(2)
    with tn.cuda.Stream():
        for _ in range(50):
            a += 1
            s = a[0] + a[1]
            a[1] = s
    assert_same(a[0] * 2, np.array(100.0))
    assert a[1] == s


@pytest.mark.parametrize("dtype", INTEGERS)
def test_few_indices(dtype):
    """Elements at a few indices of any integer dtype, in steps, from after, out of bounds."""
    x = np.arange(20.0)[::-2]
    a = tn.array(np.arange(20.0))[::-2]
    for index in (np.array(3), np.arange(8)[::3], np.array([], int), np.array([9, 0, 9])):
        index = index.astype(dtype)
        assert_same(a[tn.array(index)], x[index])
    if np.dtype(dtype).kind == "i":
        assert_same(a[tn.array([-1, -10], dtype)], x[[-1, -10]])
        with pytest.raises(IndexError, match="index -11 is out of bounds for axis 0 with size 10"):
            a[tn.array([0, -11], dtype)].get()
    with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with size 10"):
        a[tn.array([0, 10], dtype)].get()


@pytest.mark.parametrize("dtype", DTYPES)
def test_stored_elements(dtype):
    """An element stored into another, of its own dtype and of others; views of themselves."""
    x = np.resize(specials(dtype), 6)
    a = tn.array(x)
    a[1], x[1] = a[3], x[3]
    a[-1], x[-1] = a[0], x[0]
    a[2] = a[2]
    assert_same(a, x)
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 0 with size 6"):
        a[6] = a[0]
    m = tn.zeros((2, 3), "f8")
    m[1, -1] = tn.ones((), dtype).real
    assert m[1, 2] == 1 and m.sum() == 1
    m.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        m[0, 0] = m[1, 2]


@pytest.mark.parametrize("dtype", DTYPES)
def test_few_nonzero(dtype):
    for x in (
        specials(dtype)[:9],
        specials(dtype)[:9][::-2],
        np.zeros((0, 3), dtype),
        np.eye(3, 4).astype(dtype),
        np.eye(3, 4).astype(dtype).T,
        np.ones((2, 2, 2), dtype),
    ):
        made = tn.array(x).nonzero()
        assert len(made) == x.ndim
        for ours, theirs in zip(made, x.nonzero(), strict=True):
            assert_same(ours, theirs)
