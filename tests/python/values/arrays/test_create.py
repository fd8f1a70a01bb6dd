"""New arrays: from shapes, from rules, and from whatever numpy.asarray takes."""

import array as array_module
import itertools

import ml_dtypes
import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, LAYOUTS, both, grid
from oracle import Report, assert_same

SHAPES = [(), 0, 1, 5, (3,), [2, 3], (2, 0, 3), (1,) * 64, np.int64(4), np.array([2, 2]), (np.int8(2), 3)]


# --- From a shape ---


@pytest.mark.quick
def test_shapes_dtypes_orders():
    report = Report()
    for shape in SHAPES:
        for dtype in (None, *DTYPES, float, int, bool, complex, np.float32, "f4", "<i2"):
            for order in ("C", "F"):
                for name in ("zeros", "ones"):
                    report.check(
                        f"{name}({shape}, {dtype}, {order})",
                        lambda: getattr(tn, name)(shape, dtype, order),
                        lambda: getattr(np, name)(shape, dtype, order),
                    )
                a, x = tn.empty(shape, dtype, order), np.empty(shape, dtype, order)
                assert (a.shape, a.dtype, a.strides) == (x.shape, x.dtype, x.strides) or not x.size
    for name in ("zeros", "ones", "empty"):
        function = getattr(tn, name)
        assert function(2).dtype == float and function(shape=2, dtype="i1").dtype == "i1"
        assert function((2, 3), order="F").flags.fnc
    report.close(500)


@pytest.mark.quick
def test_refused_shapes():
    report = Report()
    for shape in (-1, (2, -1), 3.0, "a", 2**62, (2**40, 2**40), (1,) * 65, None, (2.5,), [[1]], 2**70, {}):
        for name in ("zeros", "ones", "empty"):
            report.check(f"{name}({shape})", lambda: getattr(tn, name)(shape), lambda: getattr(np, name)(shape))
    for arguments in ((2, "K!"), (2, "f4", "K"), (2, "f4", "X"), (), (2, "f4", "C", 1)):
        report.check(f"zeros{arguments}", lambda: tn.zeros(*arguments), lambda: np.zeros(*arguments))
    report.close()
    with pytest.raises(MemoryError):
        tn.zeros(2**50, "i1")


@pytest.mark.quick
def test_dtypes_remembered():
    """What a dtype argument means is remembered, by an object that may come again as another."""

    class Changing:
        dtype = np.dtype("f4")

    for _ in range(2):
        for k in range(300):
            name = ("float32", "i2", "complex64")[k % 3]
            # Another object each time, often at an address that was used before.
            fresh = "".join(name)
            assert tn.empty(1, fresh).dtype == np.dtype(name)
        assert tn.empty(1, Changing).dtype == "f4"
        Changing.dtype = np.dtype("i8")
        assert tn.empty(1, Changing).dtype == "i8"
        Changing.dtype = np.dtype("f4")
        for wrong in ("float31", "U4", "S3"):
            with pytest.raises(TypeError):
                tn.empty(1, wrong)


@pytest.mark.parametrize("dtype", ("S3", "U", "O", object, str, "g", "G"))
def test_refused_dtypes(dtype):
    """Elements that are only stored are in test_storage.py."""
    for call in (
        lambda: tn.zeros(2, dtype),
        lambda: tn.array([1], dtype),
        lambda: tn.arange(3, dtype=dtype),
        lambda: tn.full(2, 1, dtype),
        lambda: tn.zeros_like(tn.ones(2), dtype),
        lambda: tn.array(np.zeros(2, dtype)),
        lambda: tn.asarray(np.zeros((), dtype)),
    ):
        with pytest.raises(TypeError, match="Unsupported dtype"):
            call()


@pytest.mark.quick
def test_full():
    report = Report()
    values = [0, 1.5, True, -3, 2**63, 300, np.float32(2.5), np.int8(-4), 1j, np.complex64(2j), np.nan]
    for value in values:
        for dtype in (None, "i1", "u8", "f2", "f4", "f8", "c8", "?"):
            if value != value and dtype in ("i1", "u8"):
                continue  # no integer is NaN
            if value == 2**63 and dtype == "?":
                continue  # NumPy can't read it
            report.check(
                f"full(3, {value!r}, {dtype})",
                lambda: tn.full((2, 3), value, dtype),
                lambda: np.full((2, 3), value, dtype),
            )
            report.check(
                f"full_like({value!r}, {dtype})",
                lambda: tn.full_like(tn.zeros((2, 3), "i1"), value, dtype),
                lambda: np.full_like(np.zeros((2, 3), "i1"), value, dtype),
            )
    row = np.arange(3)
    report.check("row", lambda: tn.full((2, 3), tn.array(row)), lambda: np.full((2, 3), row))
    report.check("list", lambda: tn.full((2, 3), [1, 2, 3]), lambda: np.full((2, 3), [1, 2, 3]))
    report.check("bad", lambda: tn.full((2, 3), tn.ones(2)), lambda: np.full((2, 3), np.ones(2)))
    report.check("F", lambda: tn.full((2, 3), 1, order="F"), lambda: np.full((2, 3), 1, order="F"))
    report.close(100)


@pytest.mark.quick
def test_like():
    report = Report()
    for layout in LAYOUTS:
        x, a = both(grid("f4"), layout)
        for order in ("K", "C", "F", "A"):
            for dtype in (None, "i2"):
                for name in ("zeros_like", "ones_like"):
                    left = getattr(tn, name)(a, dtype=dtype, order=order)
                    right = getattr(np, name)(x, dtype=dtype, order=order)
                    assert_same(left, right)
                    if not layout.startswith("broadcast"):
                        assert left.flags.c_contiguous == right.flags.c_contiguous
                        assert left.flags.f_contiguous == right.flags.f_contiguous
                assert tn.empty_like(a, dtype, order).shape == x.shape
        report.check(layout, lambda: tn.zeros_like(a, shape=(2, 5)), lambda: np.zeros_like(x, shape=(2, 5)))

    class Sub(tn.ndarray):
        pass

    sub = tn.zeros(3).view(Sub)
    assert type(tn.ones_like(sub)) is Sub and type(tn.ones_like(sub, subok=False)) is tn.ndarray
    for other in ([1, 2], 3, None):
        with pytest.raises(TypeError, match="Unsupported type"):
            tn.zeros_like(other)
    report.close()


@pytest.mark.quick
def test_like_numpy_arrays():
    """Of NumPy's arrays the dtype, shape and order are read, and nothing is copied."""
    solid, wide = np.zeros((2, 3, 4), "f4"), np.zeros((4, 6, 8), ">i2")
    hosts = [
        solid,
        solid.T,
        solid.transpose(1, 0, 2),
        solid.transpose(1, 2, 0),
        wide[::2, ::-2, ::2],
        wide.T[::2, ::3],
        np.zeros(()),
        np.zeros((1, 1), bool),
        np.zeros(5, complex)[::2],
        np.broadcast_to(solid[0, 0], (3, 4)),
    ]
    for host, order, shape, dtype in itertools.product(hosts, "CFAK", (None, (3, 2, 5), 7, ()), (None, "int8")):
        for name in ("zeros_like", "ones_like", "full_like", "empty_like"):
            fill = (7,) if name == "full_like" else ()
            made, expected = (getattr(m, name)(host, *fill, dtype, order, shape=shape) for m in (tn, np))
            assert type(made) is tn.ndarray and made.strides == expected.strides and made.base is None
            if fill or name != "empty_like":
                assert_same(made, expected.astype(expected.dtype.newbyteorder("=")))
    assert tn.zeros_like(np.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(TypeError, match="Unsupported dtype object"):
        tn.zeros_like(np.zeros(2, object))


# --- From a rule ---


@pytest.mark.quick
def test_arange():
    report = Report()
    calls = [
        (5,),
        (0,),
        (-3,),
        (2, 7),
        (7, 2),
        (7, 2, -1),
        (0, 10, 3),
        (10, 0, -3),
        (1.5,),
        (0, 1, 0.1),
        (1, 0, -0.25),
        (0.1, 1, 0.3),
        (5, None),
        (0, 5, None),
        (0, 5, None, "f4"),
        (True,),
        (np.float32(3),),
        (np.int8(3),),
        (np.float32(3), 4.5),
        (0, 5, 2, float),
        (1, 2, 0.5, int),
        (3, 3),
        (2**40, 2**40 + 5),
        (-(2**63), -(2**63) + 3),
        (2**63 - 3, 2**63 - 1),
        (0, 2**62, 2**60),
        (3j,),
        (0, 3 + 3j, 1 + 1j),
        (np.uint8(250), np.uint8(255)),
        (0, 1, 0),
        (0.0, 1, 0),
        (0, 1, 0.0),
        (np.nan,),
        (np.inf,),
        (0, np.inf),
        ("a",),
        (None,),
        (),
        ([1],),
        (10**19,),
        (0, 1, np.array(0.25)),
        (np.array(4),),
        (1e300, 2e300, 1e299),
        (0, -1),
        (0.5, 0.5),
        (1, 1.0000001, 1),
    ]
    for call in calls:
        report.check(f"arange{call}", lambda: tn.arange(*call), lambda: np.arange(*call))
    for dtype in DTYPES:
        for call in ((2,), (0,), (1, 9), (0, 100, 7), (100, 0, -9), (0, 300), (0.5, 4), (-5, 5)):
            if dtype[0] == "u" and call == (-5, 5):
                continue
            report.check(
                f"arange({call}, {dtype})", lambda: tn.arange(*call, dtype=dtype), lambda: np.arange(*call, dtype=dtype)
            )
    report.check("keywords", lambda: tn.arange(1, stop=3), lambda: np.arange(1, stop=3))
    report.check("stop", lambda: tn.arange(stop=3), lambda: np.arange(stop=3))
    report.check("start", lambda: tn.arange(start=3), lambda: np.arange(start=3))
    report.check("0-d", lambda: tn.arange(tn.array(3)), lambda: np.arange(np.array(3)))
    report.check("small", lambda: tn.arange(300, 302, dtype="i1"), lambda: np.arange(300, 302, dtype="i1"))
    report.close(120)


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_large_arange(dtype):
    for count in (4096, 100_001, 3_000_000):
        assert np.array_equal(
            tn.arange(count, dtype=dtype).get(), np.arange(count, dtype=dtype), equal_nan=dtype[0] in "fc"
        )
    assert np.array_equal(tn.arange(0, 1000, 0.001, dtype=dtype).get(), np.arange(0, 1000, 0.001, dtype=dtype))


@pytest.mark.huge
def test_arange_over_2_to_31():
    count = 2**31 + 5
    a = tn.arange(count, dtype="i1")
    assert_same(a[-3:], np.arange(count - 3, count).astype("i1"))
    assert_same(a[2**31 - 1 : 2**31 + 1], np.array([-1, 0], "i1"))


@pytest.mark.quick
def test_linspace():
    report = Report()
    calls = [
        (0, 1),
        (0, 1, 0),
        (0, 1, 1),
        (0, 1, 2),
        (1, 0, 7),
        (0, 1, 5, False),
        (0, 0, 4),
        (-3.5, 1e10, 100),
        (0, 1j, 3),
        (1j, 2, 4, False),
        (0, 5e-324, 10),
        (2, 3, np.int64(4)),
        (np.float32(0), np.float32(1), 5),
        (0, 1, -1),
        (0, 1, 2.5),
        (np.float32(0), 1, 3),
        (np.float64(0), np.int8(5), 3),
        (0, np.inf, 3),
        (0, np.nan, 3),
        (0, 10, 4, True, False, int),
        (-10, 0, 4, True, False, "i1"),
        (0, 1, 3, True, False, "f4"),
        (0, 1, 3, True, False, "?"),
        (0, 200, 3, True, False, "u1"),
    ]
    for call in calls:
        report.check(f"linspace{call}", lambda: tn.linspace(*call), lambda: np.linspace(*call), ulp=1)
    low, high = np.array([0.0, 1.0]), np.array([1.0, 5.0])
    for axis in (0, 1, -1):
        report.check(
            f"arrays {axis}",
            lambda: tn.linspace(tn.array(low), tn.array(high), 4, axis=axis),
            lambda: np.linspace(low, high, 4, axis=axis),
            ulp=1,
        )
    for call in ((0, 1, 5), (0, 1, 1), (0, 1, 1, False), (0, 2j, 3)):
        values, step = tn.linspace(*call, retstep=True)
        expected, theirs = np.linspace(*call, retstep=True)
        assert_same(values, expected)
        assert step == theirs or (step != step and theirs != theirs)
    assert np.array_equal(tn.linspace(0, 1, 1_000_000).get(), np.linspace(0, 1, 1_000_000))
    report.check("logspace", lambda: tn.logspace(0, 3, 7), lambda: np.logspace(0, 3, 7), ulp=2)
    report.check("base", lambda: tn.logspace(0, 3, 7, base=2), lambda: np.logspace(0, 3, 7, base=2), ulp=2)
    report.check("geomspace", lambda: tn.geomspace(1, 1000, 4), lambda: np.geomspace(1, 1000, 4), ulp=4)
    report.close(25)


@pytest.mark.quick
def test_matrices():
    report = Report()
    for dtype in (None, "i1", "f2", "c8", "?"):
        for call in (
            (3,),
            (0,),
            (2, 3),
            (3, 2),
            (3, None),
            (3, 3, 1),
            (3, 4, -2),
            (2, 2, 5),
            (2, 2, -2),
            (-1,),
            (3.0,),
            (2, -1),
        ):
            report.check(f"eye{call}", lambda: tn.eye(*call, dtype=dtype), lambda: np.eye(*call, dtype=dtype))
    report.check("F", lambda: tn.eye(2, 3, 1, order="F"), lambda: np.eye(2, 3, 1, order="F"))
    report.check("identity", lambda: tn.identity(3, "i4"), lambda: np.identity(3, "i4"))
    x = np.arange(12).reshape(3, 4)
    a = tn.array(x)
    for k in (-4, -1, 0, 1, 2):
        for name in ("diag", "tril", "triu"):
            report.check(f"{name} {k}", lambda: getattr(tn, name)(a, k), lambda: getattr(np, name)(x, k))
            report.check(f"{name} {k}", lambda: getattr(tn, name)(a[0], k), lambda: getattr(np, name)(x[0], k))
        report.check(f"tri {k}", lambda: tn.tri(3, 5, k), lambda: np.tri(3, 5, k))
        report.check(f"diagflat {k}", lambda: tn.diagflat(a, k), lambda: np.diagflat(x, k))
    report.check("3-d", lambda: tn.diag(a[None]), lambda: np.diag(x[None]))
    report.check("tri", lambda: tn.tri(3, dtype="i1"), lambda: np.tri(3, dtype="i1"))
    report.close(80)


# --- From objects ---

OBJECTS = [
    1,
    2.5,
    True,
    1j,
    -7,
    2**63,
    [1, 2.5],
    [1, 2],
    [[1, 2], [3, 4.5]],
    [True, 2],
    [1j, 2],
    [],
    [[]],
    (1, 2),
    range(4),
    np.float32(2),
    np.int8(-1),
    np.bool_(True),
    [np.float32(1), 2],
    [np.float32(1), np.int64(2)],
    [2**63],
    [-1, 2**63],
    memoryview(b"abc"),
    array_module.array("f", [1, 2]),
    [[1], [2]],
    [np.arange(3), [4, 5, 6]],
    bytearray(b"xyz"),
    [[1, 2], [3]],
    [1, [2, 3]],
]
REFUSED = [["a"], "text", b"text", None, [None], {1: 2}, {1, 2}, object(), [object()], 2**64, [2**64]]


@pytest.mark.quick
def test_objects():
    report = Report()
    for thing in OBJECTS:
        for dtype in (None, "f4", "i2", "?", "c16"):
            for order in ("K", "C", "F", "A"):
                label = f"array({thing!r}, {dtype}, {order})"
                report.check(
                    label, lambda: tn.array(thing, dtype, order=order), lambda: np.array(thing, dtype, order=order)
                )
                report.check(label, lambda: tn.asarray(thing, dtype, order), lambda: np.asarray(thing, dtype, order))
    for thing in REFUSED:
        with pytest.raises((TypeError, OverflowError)):
            tn.array(thing)
    report.check("small", lambda: tn.array([300], "i1"), lambda: np.array([300], "i1"))
    report.check("small", lambda: tn.array(300, "i1"), lambda: np.array(300, "i1"))
    report.check("complex", lambda: tn.array(1j, float), lambda: np.array(1j, float))
    report.close(500)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_arrays(dtype):
    for layout in LAYOUTS:
        x = LAYOUTS[layout](np, grid(dtype))
        for order in ("K", "C", "F", "A"):
            a = tn.array(x, order=order)
            assert_same(a, x)
            expected = np.array(x, order=order)
            if order in "CF":
                assert a.flags.c_contiguous == expected.flags.c_contiguous
                assert a.flags.f_contiguous == expected.flags.f_contiguous
            assert_same(tn.asarray(x, order=order), x)
        assert_same(tn.ascontiguousarray(x), np.ascontiguousarray(x))
        assert_same(tn.asfortranarray(x), np.asfortranarray(x))
        swapped = x.astype(x.dtype.newbyteorder(">"))
        assert_same(tn.array(swapped), x)
    x = grid(dtype)
    x.flags.writeable = False
    assert_same(tn.array(x), x)


@pytest.mark.quick
def test_bfloat16():
    x = np.array([[1, 2.5], [-3, np.inf]], ml_dtypes.bfloat16)
    for a in (tn.array(x), tn.array(x.T).T, tn.asarray(x, order="F"), tn.array([[1, 2.5], [-3, np.inf]], "bfloat16")):
        assert a.dtype == x.dtype
        assert np.array_equal(a.get(), x)
    assert tn.array(x, "f4").dtype == "f4" and tn.zeros(3, ml_dtypes.bfloat16).dtype == x.dtype
    assert np.array_equal(tn.arange(5, dtype=x.dtype).get().astype(float), np.arange(5.0))
    assert tn.array(x[0, 1]).dtype == x.dtype and float(tn.array(x[0, 1])) == 2.5


@pytest.mark.quick
def test_copy_and_identity():
    a = tn.arange(6.0).reshape(2, 3)
    assert tn.asarray(a) is a and tn.array(a, copy=None) is a and tn.array(a, copy=False) is a
    assert tn.asarray(a, dtype=float) is a and tn.ascontiguousarray(a) is a and tn.asanyarray(a) is a
    assert tn.array(a) is not a and tn.array(a).base is None
    assert tn.asarray(a, dtype="f4").dtype == "f4"
    assert tn.asfortranarray(a).flags.f_contiguous and tn.asarray(a, order="F").flags.f_contiguous
    assert tn.array(a.T).flags.f_contiguous and tn.array(a.T, order="C").flags.c_contiguous
    for call in (
        lambda: tn.array([1], copy=False),
        lambda: tn.array(5, copy=False),
        lambda: tn.asarray(np.ones(2), copy=False),
        lambda: tn.array(a, dtype="f4", copy=False),
        lambda: tn.asarray(a, order="F", copy=False),
    ):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            call()
    assert tn.array([1, 2], ndmin=3).shape == (1, 1, 2) and tn.array(5, ndmin=1).shape == (1,)
    assert tn.array(a, copy=None, ndmin=2) is a
    assert tn.ascontiguousarray(5).shape == (1,) and tn.asfortranarray(5).shape == (1,)
    with pytest.raises(ValueError, match="ndmin"):
        tn.array([1], ndmin=65)


@pytest.mark.quick
def test_subclass():
    class Sub(tn.ndarray):
        pass

    sub = tn.zeros(3).view(Sub)
    assert type(tn.asarray(sub)) is tn.ndarray and tn.asanyarray(sub) is sub
    assert type(tn.array(sub)) is tn.ndarray and type(tn.array(sub, subok=True)) is Sub
    view = tn.asarray(sub)
    view[0] = 5
    assert float(sub[0]) == 5


@pytest.mark.quick
def test_lists_of_arrays():
    report = Report()

    def case(build):
        report.check(f"{build}", lambda: tn.array(build(tn)), lambda: np.array(build(np)))

    case(lambda xp: [xp.array(1), xp.array(2.5)])
    case(lambda xp: [xp.arange(3), xp.arange(3) + 1.5])
    case(lambda xp: [xp.arange(3), [7, 8, 9]])
    case(lambda xp: [[xp.array(1), 2], [3, xp.array(4, dtype="f4")]])
    case(lambda xp: (xp.ones((2, 2)), xp.zeros((2, 2))))
    case(lambda xp: [xp.array(1, dtype="f4"), 1.0])
    case(lambda xp: [xp.zeros((0, 3)), xp.zeros((0, 3))])
    case(lambda xp: [xp.arange(3), xp.arange(4)])
    case(lambda xp: [xp.arange(3), 4])
    case(lambda xp: [[xp.arange(2)], xp.arange(2)])
    with pytest.raises(TypeError):
        tn.array([tn.arange(2), None, "x"])
    assert tn.array([tn.ones((2, 3)), tn.ones((2, 3))], order="F").flags.f_contiguous
    assert_same(tn.array([tn.arange(2), tn.arange(2)], dtype="f4"), np.array([[0, 1], [0, 1]], "f4"))
    assert_same(tn.array([np.arange(2), tn.arange(2)]), np.array([[0, 1], [0, 1]]))
    deep = tn.array(1)
    for _ in range(70):
        deep = [deep]
    with pytest.raises(ValueError):
        tn.array(deep)
    endless = [tn.array(1)]
    endless.append(endless)
    with pytest.raises(ValueError):
        tn.array(endless)
    report.close()


@pytest.mark.quick
def test_frombuffer():
    report = Report()
    data = bytes(range(16))
    for call in (
        (data,),
        (data, "f4"),
        (data, "u1", 3, 5),
        (data, "i2", -1, 2),
        (data, "f4", 1, 3),
        (b"123",),
        (data, "f4", 5),
        (data, "f4", -1, 17),
        (data, "f4", -1, -1),
        (data[:7], "f4"),
        (data, "i8", 2, 0),
        (data, "i8", 2, 1),
        (5,),
    ):
        report.check(f"frombuffer{call[1:]}", lambda: tn.frombuffer(*call), lambda: np.frombuffer(*call))
    report.check("array", lambda: tn.frombuffer(np.arange(3), int), lambda: np.frombuffer(np.arange(3), int))
    report.close()


def test_on_another_stream():
    with tn.cuda.Stream() as stream:
        x = np.arange(100_000.0)
        a = tn.array(x)
        b = tn.arange(100_000) + tn.ones(100_000)
        c = tn.concatenate((a, b))
        stream.synchronize()
        assert_same(c, np.concatenate((x, x + 1)))


def test_device():
    a = tn.zeros(3)
    assert_same(tn.ones(3, device=a.device), np.ones(3))
    assert_same(tn.asarray([1, 2], device=a.device), np.array([1, 2]))
    assert tn.arange(3, device=None).device == a.device


K_LAYOUTS = {
    "rows broadcast": lambda xp, a: xp.broadcast_to(a[:1], (3, 4)),
    "columns broadcast": lambda xp, a: xp.broadcast_to(a[:, :1], (3, 4)),
    "reversed": lambda xp, a: a.T[::-1],
    "three axes": lambda xp, a: a.reshape(3, 2, 2).transpose(1, 2, 0),
    "broadcast in the middle": lambda xp, a: xp.broadcast_to(a.T[:, None], (4, 5, 3)),
}


@pytest.mark.parametrize("layout", K_LAYOUTS)
def test_order_k(layout):
    """Copies have the axes in the order of the strides; axes without one come last."""
    x = np.arange(12.0).reshape(3, 4)
    host, a = (K_LAYOUTS[layout](xp, xp.array(x)) for xp in (np, tn))
    for ours, theirs in (
        (tn.zeros_like(a), np.zeros_like(host)),
        (a.copy("K"), host.copy("K")),
        (a.astype("f4"), host.astype("f4")),
        (a + a, host + host),
        (tn.copy(a), np.copy(host)),
    ):
        assert ours.strides == theirs.strides and ours.dtype == theirs.dtype


def test_geomspace():
    """Ends exact, complex spirals, NaN between two signs."""
    report = Report()
    calls = {
        "real": lambda m: m.geomspace(2, 512, 9),
        "down": lambda m: m.geomspace(1000, 1, 4),
        "negative": lambda m: m.geomspace(-1000, -1, 4),
        "signs": lambda m: m.geomspace(1, -10, 4),
        "zero": lambda m: m.geomspace(0, 10, 4),
        "int": lambda m: m.geomspace(1, 256, 9, dtype=int),
        "open": lambda m: m.geomspace(1, 1000, 3, endpoint=False),
        "one": lambda m: m.geomspace(3, 9, 1),
        "none": lambda m: m.geomspace(3, 9, 0),
        "line": lambda m: m.geomspace(1j, 1000j, 4),
        "circle": lambda m: m.geomspace(-1 + 0j, 1 + 0j, 5),
        "f4": lambda m: m.geomspace(1, 256, 5, dtype="f4"),
        "arrays": lambda m: m.geomspace(m.array([1.0, 2]), m.array([100, 300]), 4),
        "axis": lambda m: m.geomspace(m.array([1.0, 2]), 10, 4, axis=-1),
        "float32": lambda m: m.geomspace(m.array([1, 2], dtype="f4"), m.array([3, 4], dtype="f4"), 3),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(tn), lambda: call(np), ulp=16, zero_sign=False)
    report.close()


# --- Lists of Python's numbers ---

LISTS = [
    [1, 2, 3],
    [1.0, 2, 3],
    [True, False],
    [True, 2],
    [True, 2.5],
    [[1, 2], [3, 4.0]],
    [(1, 2), [3, 4]],
    ((True,), (False,)),
    [[[1.5]]],
    [1, 2**63],
    [2**62, 1.0],
    [1, [2]],
    [[1], [1, 2]],
    [[1, 2], 3],
    [],
    [[]],
    [[1], []],
    [2**53 + 1],
    [300],
    [-1],
    [1e300],
    [float("nan"), float("inf")],
    [1e40, 1],
    [-129],
    [127, -128],
    [2**64],
    [1j, 2],
    [1, None],
    list(range(100)),
    [[k * 1.0, k] for k in range(100)],
    [-0.0, 0],
    [5e-324, 1e-40],
    [2**31],
    [-(2**31)],
    [2**32 - 1],
    [2**63 - 1, -(2**63)],
    (1, 2),
    [True] * 70,
    [[True, 1]] * 70,
    [2**53 + 1, 1.0],
    [np.float64(3), 2],
    [np.float64(2), np.float32(1)],
    [[1, np.float64(1e300)]],
]


@pytest.mark.parametrize("dtype", [None, "?", "i1", "u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8", "c8"])
def test_lists_of_numbers(dtype):
    def outcome(xp, values, order):
        try:
            with np.errstate(all="ignore"):
                return xp.array(values, dtype=dtype, order=order)
        except (OverflowError, TypeError, ValueError) as error:
            return type(error)

    for values, order in itertools.product(LISTS, "CF"):
        expected, found = outcome(np, values, order), outcome(tn, values, order)
        if isinstance(expected, np.ndarray) and expected.dtype.kind == "O":
            continue
        if isinstance(expected, type):
            assert found is expected, (values, dtype)
        else:
            assert_same(found, expected)
            assert found.flags.f_contiguous == expected.flags.f_contiguous


def test_contiguity_asked_of_the_array():
    """Chainer and other programs of CuPy's ask the array, not its flags."""
    a = tn.zeros((2, 3))
    assert (a._c_contiguous, a._f_contiguous, a.T._c_contiguous, a.T._f_contiguous) == (True, False, False, True)
