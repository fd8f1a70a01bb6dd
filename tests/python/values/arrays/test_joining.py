"""Joining and splitting arrays, against NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from calls import USUAL, compare
from generator import DTYPES, LAYOUTS, both, grid
from oracle import Report, assert_same


def pair(build):
    """The same list of arrays from both."""
    return build(np), build(tn)


def check(report, name, build, **options):
    x, a = pair(build)
    report.check(
        f"{name} {[one.shape for one in x]} {options}",
        lambda: getattr(tn, name)(a, **options),
        lambda: getattr(np, name)(x, **options),
    )


SHAPES = [
    [(3,), (4,)],
    [(3,)],
    [(0,), (2,)],
    [(2, 3), (2, 3)],
    [(2, 3), (4, 3)],
    [(2, 3), (2, 1), (2, 0)],
    [(1, 2, 3)] * 3,
    [(2, 3), (3,)],
    [(), ()],
    [(), (1,)],
    [(2, 3), (3, 2)],
    [],
    [(3, 1), (3, 2, 1)],
    [(0, 3), (2, 3)],
    [(5,)] * 20,
    [(2, 3, 4), (2, 5, 4)],
]


@pytest.mark.quick
def test_shapes():
    report = Report()
    for shapes in SHAPES:

        def build(xp):
            return [xp.arange(int(np.prod(s))).reshape(s) + k for k, s in enumerate(shapes)]

        for axis in (0, 1, 2, -1, -2, None, 5, -7):
            check(report, "concatenate", build, axis=axis)
            if axis is not None:
                check(report, "stack", build, axis=axis)
        for name in ("vstack", "hstack", "dstack", "column_stack"):
            check(report, name, build)
    report.close(250)


@pytest.mark.quick
def test_dtypes():
    report = Report()
    for first, second in itertools.product(DTYPES, DTYPES):

        def build(xp):
            return [xp.ones(3, dtype=first), xp.zeros((2, 3), dtype=second)[0]]

        for name in ("concatenate", "stack", "hstack"):
            check(report, name, build)
        for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
            check(report, "concatenate", build, dtype="f4", casting=casting)
    check(report, "vstack", lambda xp: [xp.ones(2), xp.ones(2)], dtype="i2", casting="unsafe")
    check(report, "stack", lambda xp: [xp.ones(2), xp.ones(2)], dtype="i2", casting="other")
    report.close(1000)


@pytest.mark.parametrize("dtype", DTYPES)
def test_layouts(dtype):
    report = Report()
    for first, second in itertools.product(LAYOUTS, LAYOUTS):
        (x, a), (y, b) = both(grid(dtype), first), both(grid(dtype, seed=1), second)
        for axis in (0, 1):
            report.check(
                f"{first} {second} {axis}", lambda: tn.concatenate((a, b), axis), lambda: np.concatenate((x, y), axis)
            )
        report.check(f"stack {first} {second}", lambda: tn.stack((a, b), -1), lambda: np.stack((x, y), -1))
    report.close(300)


def test_order_of_the_result():
    a, b = tn.ones((2, 3), order="F"), tn.ones((2, 3))
    assert tn.concatenate((a, a)).flags.fnc and tn.concatenate((a, b)).flags.c_contiguous
    assert tn.concatenate((b, b), axis=1).flags.c_contiguous


@pytest.mark.parametrize("size", (10, 5000, 300_000, 6_000_000))
def test_sizes(size):
    x = np.arange(size, dtype="f4")
    a = tn.array(x)
    assert np.array_equal(
        tn.concatenate((a, a[: size // 2], a[::-1])).get(), np.concatenate((x, x[: size // 2], x[::-1]))
    )
    wide, host = a.reshape(10, -1), x.reshape(10, -1)
    assert np.array_equal(tn.concatenate((wide, wide), axis=1).get(), np.concatenate((host, host), axis=1))
    assert np.array_equal(tn.stack((a, a), axis=1).get(), np.stack((x, x), axis=1))


@pytest.mark.quick
@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_many_arrays(dtype):
    """More than one call of a device takes, some of them empty, of runs that no vector divides."""
    report = Report()
    for axis, shape in ((0, (-1, 5, 3)), (1, (5, -1, 3)), (2, (2, 3, -1))):

        def build(xp):
            shapes = [tuple(k % 4 if size < 0 else size for size in shape) for k in range(70)]
            return [xp.arange(int(np.prod(s))).reshape(s).astype(dtype) + k for k, s in enumerate(shapes)]

        check(report, "concatenate", build, axis=axis)
    check(report, "stack", lambda xp: [xp.arange(21).astype(dtype) + k for k in range(70)], axis=1)
    check(report, "stack", lambda xp: [xp.arange(21).astype(dtype)[k % 2 : 18 + k % 2] for k in range(33)])
    report.close()


@pytest.mark.quick
def test_out():
    x, a = np.arange(6.0).reshape(2, 3), tn.arange(6.0).reshape(2, 3)
    for out in (
        tn.zeros((4, 3)),
        tn.zeros((4, 3), order="F"),
        tn.zeros((4, 6))[:, ::2],
        tn.zeros((4, 3), "f4"),
        tn.zeros((4, 3), "c8"),
    ):
        assert tn.concatenate((a, a), out=out) is out
        assert_same(out, np.concatenate((x, x)).astype(out.dtype))
    out = tn.zeros((2, 2, 3))
    assert tn.stack((a, a), 1, out) is out
    assert_same(out, np.stack((x, x), 1))
    report = Report()
    for shape, options in (((4, 4), {}), ((12,), {}), ((4, 3), {"dtype": float}), ((4, 3), {"axis": 1})):
        report.check(
            f"{shape} {options}",
            lambda: tn.concatenate((a, a), out=tn.zeros(shape), **options),
            lambda: np.concatenate((x, x), out=np.zeros(shape), **options),
        )
    report.check(
        "int",
        lambda: tn.concatenate((a, a), out=tn.zeros((4, 3), int)),
        lambda: np.concatenate((x, x), out=np.zeros((4, 3), int)),
    )
    report.close()
    with pytest.raises(TypeError):
        tn.concatenate((a, a), out=np.zeros((4, 3)))
    big = tn.arange(8)
    tn.concatenate((big[4:], big[:4]), out=big)  # the output holds the inputs
    assert_same(big, np.array([4, 5, 6, 7, 0, 1, 2, 3]))
    locked = tn.zeros((4, 3))
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        tn.concatenate((a, a), out=locked)


@pytest.mark.quick
def test_messages():
    a = tn.ones(3)
    for call, kind, text in [
        (lambda: tn.concatenate([]), ValueError, "need at least one array to concatenate"),
        (lambda: tn.stack([]), ValueError, "need at least one array to stack"),
        (lambda: tn.concatenate([tn.array(1)]), ValueError, "zero-dimensional arrays cannot be concatenated"),
        (
            lambda: tn.concatenate([a, tn.ones((2, 2))]),
            ValueError,
            "all the input arrays must have same number of dimensions, but the array at index 0 has 1 dimension(s) and the array at index 1 has 2 dimension(s)",
        ),
        (
            lambda: tn.concatenate([tn.ones((2, 3)), tn.ones((2, 4))]),
            ValueError,
            "all the input array dimensions except for the concatenation axis must match exactly, but along dimension 1, the array at index 0 has size 3 and the array at index 1 has size 4",
        ),
        (
            lambda: tn.concatenate([a], axis=1),
            np.exceptions.AxisError,
            "axis 1 is out of bounds for array of dimension 1",
        ),
        (lambda: tn.stack([a, tn.ones(4)]), ValueError, "all input arrays must have the same shape"),
        (lambda: tn.concatenate([a, np.ones(3)]), TypeError, "Unsupported type <class 'numpy.ndarray'>"),
        (lambda: tn.concatenate([a, [1, 2]]), TypeError, "Unsupported type <class 'list'>"),
        (lambda: tn.concatenate([a, 1]), TypeError, "Unsupported type <class 'int'>"),
        (lambda: tn.concatenate(5), TypeError, ""),
        (
            lambda: tn.concatenate([a], dtype="i4"),
            TypeError,
            "Cannot cast array data from dtype('float64') to dtype('int32') according to the rule 'same_kind'",
        ),
        (
            lambda: tn.concatenate([a], dtype=float, out=a),
            TypeError,
            "concatenate() only takes `out` or `dtype` as an argument, but both were provided.",
        ),
    ]:
        with pytest.raises(kind) as caught:
            call()
        assert text in str(caught.value)


def test_sequences():
    a = tn.arange(6).reshape(2, 3)
    assert_same(tn.concatenate(a), np.arange(6))
    for join in (tn.concatenate, tn.stack, tn.vstack, tn.hstack, tn.dstack, tn.column_stack):
        with pytest.raises(TypeError, match="sequence"):
            join(one for one in (a, a))


@pytest.mark.huge
def test_more_than_2_to_31_elements():
    half = tn.ones(2**30 + 5, "i1")
    both_ = tn.concatenate((half, half * 2))
    assert both_.size == 2**31 + 10
    assert_same(both_[[0, 2**30 + 4, 2**30 + 5, -1]], np.array([1, 1, 2, 2], "i1"))


PARTS = """
    m.delete(a, 1, 0)
    m.delete(a, -1, 1)
    m.delete(a, [0, 2], 1)
    m.delete(a, slice(None, None, 2), 0)
    m.delete(a, 3)
    m.delete(a, [])
    m.delete(a, [1, 1])
    m.delete(a, 99)
    m.delete(a, [99], 0)
    m.delete(a, 0, 5)
    m.delete(a, m.array([0, 2]), 1)
    m.delete(a, np.arange(a.shape[0]) > 1, 0)
    m.delete(a, [True, False], 0)
    m.insert(a, 1, 5)
    m.insert(a, 1, 5, 0)
    m.insert(a, 1, a[:1], 0)
    m.insert(a, -1, 5, 1)
    m.insert(a, [1, 2], 5, 1)
    m.insert(a, [2, 0], m.array([1, 0], dtype=a.dtype), 1)
    m.insert(a, [2, 0, 2], m.array([1, 0, 1], dtype=a.dtype))
    m.insert(a, slice(0, 2), 1, 1)
    m.insert(a, 99, 1, 0)
    m.insert(a, [], m.array([], dtype=a.dtype))
    m.insert(a, 1, m.array([1, 0, 1], dtype=a.dtype), 1)
    m.insert(a, [1], m.array([[1], [0], [1]], dtype=a.dtype), 1)
    m.trim_zeros(a.ravel())
    m.trim_zeros(a[0] * 0)
    m.trim_zeros(m.array([0, 0, 1, 0, 2, 0]), "f")
    m.trim_zeros(m.array([0, 0, 1, 0, 2, 0]), "b")
    m.trim_zeros(m.array([[0, 0, 0], [0, 1, 0]]))
    m.trim_zeros(m.array([[0, 0, 0], [0, 1, 0]]), axis=1)
"""


@pytest.mark.quick
@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex64"])
def test_parts(dtype):
    compare(PARTS, grid(dtype, 3, 4), layouts=USUAL)


BLOCKS = """
    m.block([a, a])
    m.block([[a, a], [a, a]])
    m.block([[a], [a]])
    m.block([[a, a[:, :1]], [a[:1], a[:1, :1]]])
    m.block([1, a[0]])
    m.block([[[a]], [[a]]])
    m.block(a)
    m.block([a, a[:1]])
    m.block([[a], a])
    m.block([])
    m.block([[], [a]])
    m.block((a, a))
    m.block([a[0], 2, m.array([3])])
    m.broadcast(a, a[:1], 3).shape
    m.broadcast(a, a[:1]).size
    m.broadcast(a, a[:, :2]).nd
    m.broadcast(a).nd
    m.asarray_chkfinite(a)
    m.asarray_chkfinite(a / 0)
    m.require(a, "c16", ["F", "O"])
    m.require(a, requirements="C")
    m.require(a, requirements=["C", "F"])
    m.require(a, requirements="bogus")
    m.require(m.broadcast_to(a, (2, *a.shape)), requirements="W")
"""


@pytest.mark.quick
@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex64"])
def test_blocks(dtype):
    compare(BLOCKS, grid(dtype, 3, 4), layouts=("contiguous", "fortran", "negative"))


@pytest.mark.quick
def test_row_stack():
    """NumPy 2.5 has it no more, and ours warns of that."""
    a = np.arange(12).reshape(3, 4)
    with pytest.warns(DeprecationWarning, match="vstack"):
        stacked = tn.row_stack([tn.asarray(a), tn.asarray(a[0])])
    np.testing.assert_array_equal(stacked.get(), np.vstack([a, a[0]]))


@pytest.mark.quick
def test_splits():
    calls = {}
    for name, parts in itertools.product(
        ("split", "array_split", "hsplit", "vsplit"), (1, 2, 3, 7, 9, 0, [2, 4], [5, 2], [-1, 20], [])
    ):
        calls[f"{name} {parts}"] = lambda m, a, f=name, p=parts: getattr(m, f)(a, p)
    calls |= {
        "split axis": lambda m, a: m.split(a, 3, axis=1),
        "split -1": lambda m, a: m.array_split(a, 4, axis=-1),
        "split bad axis": lambda m, a: m.split(a, 1, axis=2),
        "dsplit": lambda m, a: m.dsplit(a[:, :, None], 1),
        "dsplit 2-d": lambda m, a: m.dsplit(a, 1),
        "hsplit 1-d": lambda m, a: m.hsplit(m.arange(6), 3),
        "vsplit 1-d": lambda m, a: m.vsplit(m.arange(6), 3),
        "hsplit 0-d": lambda m, a: m.hsplit(m.array(1), 1),
    }
    compare(calls, grid("int32"))


def _inserted(module, place, values, axis):
    """The elements and the dtype of a result, or the kind of exception."""
    if isinstance(place, list):
        place = module.array(place)
    try:
        made = module.insert(module.arange(9).reshape(3, 3), place, module.array(values), axis)
    except (ValueError, IndexError) as error:
        return type(error)
    return made.tolist(), made.dtype


@pytest.mark.parametrize("place", [[0], [True, False, False], [True, False, True], [1, 1], 2, -1, [0, 2, 1]], ids=str)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_insert_at_few_places(place, axis):
    """One place takes all values, also where it is the only one of a list or of a mask."""
    for values in (5, [7, 8], [7, 8, 9], [[7, 8, 9]], [[7], [8]], [[7, 8, 9], [1, 2, 3]]):
        assert _inserted(tn, place, values, axis) == _inserted(np, place, values, axis), values
