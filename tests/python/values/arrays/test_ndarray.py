"""The array object: attributes, operators, conversions, printing, copies, pickles, subclasses."""

import copy
import operator
import pickle
import warnings
import weakref

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, LAYOUTS, both, grid
from oracle import Report, assert_same, to_host
from programs import output_of

pytestmark = pytest.mark.quick


# --- Attributes ---


@pytest.mark.parametrize("layout", LAYOUTS)
def test_attributes(layout):
    for dtype in DTYPES:
        x, a = both(grid(dtype), layout)
        for name in ("shape", "ndim", "size", "itemsize", "nbytes", "dtype"):
            assert getattr(a, name) == getattr(x, name), name
        if x.size and layout not in ("0-d", "one element"):
            assert a.strides == x.strides
        assert a.flags.c_contiguous == x.flags.c_contiguous
        assert a.flags.f_contiguous == x.flags.f_contiguous
        assert a.flags.fnc == x.flags.fnc and a.flags.forc == x.flags.forc
        assert_same(a.T, x.T)
        assert_same(a.real, x.real)
        assert_same(a.imag, x.imag)
        assert_same(a.copy(), x.copy())
        if x.ndim >= 2:
            assert_same(a.mT, x.mT)


def test_flags():
    a = tn.zeros((2, 3))
    assert a.flags.owndata and a.flags.writeable and a.flags["C_CONTIGUOUS"]
    assert not a[0].flags.owndata and a[0].base is a and a[0][1:].base is a and a.base is None
    assert tn.zeros((2, 3), order="F").flags.fnc
    a.flags.writeable = False
    with pytest.raises(ValueError):
        a[0] = 1
    a.flags.writeable = True
    a[0] = 1
    with pytest.raises(KeyError):
        a.flags["Q"]


def test_attributes_are_not_deleted():
    """Nor is one that may be set."""
    a, flags = tn.ones((2, 3), complex), tn.ones(3).flags
    for thing, names in (
        (a, "shape strides data dtype real imag flat T size base flags ctypes"),
        (flags, "writeable c_contiguous owndata fnc behaved"),
    ):
        for name in names.split():
            with pytest.raises(AttributeError):
                delattr(thing, name)


def test_shape_can_be_set():
    a = tn.arange(6)
    a.shape = (2, -1)
    assert a.shape == (2, 3)
    with pytest.raises(ValueError):
        a.shape = (4, 2)
    for shape in (6, -1, (2, -1), (1, 6)):
        with pytest.raises(AttributeError, match="Incompatible shape for in-place modification. Use `.reshape"):
            tn.zeros((2, 3)).T.shape = shape
    for shape in (5, (4, -1), (-1, -1), (2**40, 2**40), (-1, 0)):
        with pytest.raises(ValueError):
            tn.zeros((2, 3)).T.shape = shape
    assert a.shape == (2, 3)


def test_parts_are_views():
    x, a = both(grid("complex64"))
    for host in (x, a):
        host.real[...] = 1
        host.imag = 2
        host.real += 1
    assert_same(a, x)
    with pytest.raises(TypeError):
        tn.ones(3).imag = 1


def test_flat():
    x, a = np.arange(6.0).reshape(2, 3).T, tn.arange(6.0).reshape(2, 3).T
    assert [float(v) for v in a.flat] == list(x.flat)
    assert len(a.flat) == 6 and a.flat[4].item() == x.flat[4]
    for host in (x, a):
        host.flat[1:3] = 9
        host.flat[0] = 7
    assert_same(a, x)
    x.flat = [1, 2]
    a.flat = tn.array([1.0, 2.0])
    assert_same(a, x)


def test_device_and_data():
    a = tn.arange(10)
    assert a.device == tn.cuda.Device()
    assert a.data.ptr and a[1:].data.ptr == a.data.ptr + a.itemsize
    again = tn.ndarray((5,), "int64", a.data, strides=(16,))
    assert again.tolist() == [0, 2, 4, 6, 8]
    again[0] = 7
    assert a[0].item() == 7
    with pytest.raises(ValueError):
        tn.ndarray((100,), "int64", a.data)
    with pytest.raises(TypeError):
        tn.ndarray((1,), memptr=12345)


def test_weak_references_and_hash():
    a = tn.ones(3)
    reference = weakref.ref(a)
    assert reference() is a
    del a
    assert reference() is None
    with pytest.raises(TypeError):
        hash(tn.ones(3))


# --- Operators ---

OPERATORS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
    "matmul",
    "lt",
    "le",
    "eq",
    "ne",
    "gt",
    "ge",
]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    """With arrays and scalars on both sides, and in place."""
    operate = getattr(operator, name)
    report = Report()
    for dtype in ("bool", "int16", "uint8", "int64", "float32", "float64", "complex64"):
        host = (np.arange(16).reshape(4, 4) * 5 % 6 + 1).astype(dtype)
        x, a = both(host)
        y, b = host.T.copy(), tn.array(host.T.copy())
        report.check(f"{dtype} a, b", lambda: operate(a, b), lambda: operate(x, y), 16)
        for scalar in (3, 2.5, 1j, True, np.float32(3), np.int64(2)):
            report.check(f"{dtype} a, {scalar!r}", lambda: operate(a, scalar), lambda: operate(x, scalar), 8)
            report.check(f"{dtype} {scalar!r}, a", lambda: operate(scalar, a), lambda: operate(scalar, x), 8)
        change = getattr(operator, f"i{name.strip('_')}", None)
        if change and name not in ("lt", "le", "eq", "ne", "gt", "ge"):
            x, a = both(host)
            report.check(f"{dtype} in place", lambda: change(a, b), lambda: change(x, y), 16)
            for scalar in (2, 2.5):
                x, a = both(host)
                report.check(
                    f"{dtype} in place {scalar}",
                    lambda: change(a, scalar),
                    lambda: change(x, scalar),
                    8,
                    any_error=True,
                )
    report.close()


def test_in_place_operators_keep_the_object():
    a = tn.arange(4.0)
    alias = view = a
    view = a[1:]
    a += 1
    a *= 2
    a -= tn.ones(4)
    assert a is alias and view.tolist() == [3, 5, 7]


@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
def test_unary_operators(name):
    report = Report()
    for dtype in DTYPES:
        x, a = both(grid(dtype))
        report.check(dtype, lambda: getattr(operator, name)(a), lambda: getattr(operator, name)(x), 4)
    report.close()


def test_divmod_and_pow():
    x, a = np.arange(1.0, 7), tn.arange(1.0, 7)
    assert_same(divmod(a, 4), divmod(x, 4))
    assert_same(divmod(7, a), divmod(7, x))
    assert_same(pow(a, 2), pow(x, 2))
    with pytest.raises((TypeError, ValueError, NotImplementedError)):
        pow(a, 2, 3)


def test_conversions():
    report = Report()
    for value in (0, 1, -3, 2.75, float("inf"), 1 + 2j, True):
        x, a = np.array(value), tn.array(value)
        for kind in (int, float, complex, bool, operator.index):
            report.check(f"{kind} {value}", lambda: kind(a), lambda: kind(x))
    report.check("one of shape (1, 1)", lambda: bool(tn.ones((1, 1))), lambda: bool(np.ones((1, 1))))
    report.check("format", lambda: f"{tn.array(2.5):.3f}", lambda: f"{np.array(2.5):.3f}")
    report.check("contains", lambda: 3 in tn.arange(4), lambda: 3 in np.arange(4))
    report.check("contains not", lambda: 9 in tn.arange(4), lambda: 9 in np.arange(4))
    report.close()
    assert type(tn.array(1.5).item()) is float and type(tn.array(1).item()) is int
    assert type(tn.array(True).item()) is bool and type(tn.array(1j).item()) is complex


def test_sequence():
    a = tn.arange(6).reshape(3, 2)
    assert len(a) == 3 and [row.tolist() for row in a] == a.tolist()
    first, *rest = a
    assert isinstance(first, tn.ndarray) and len(rest) == 2
    assert list(reversed(tn.arange(3)))[0].item() == 2


def test_lists_and_bytes():
    for dtype in DTYPES:
        for layout in LAYOUTS:
            x, a = both(grid(dtype), layout)
            assert np.array_equal(a.tolist(), x.tolist(), equal_nan=np.dtype(dtype).kind in "fc")
            for order in "CFA":
                assert a.tobytes(order) == x.tobytes(order)
            assert bytes(a) == x.tobytes()


# --- astype, copy, view, fill ---


def test_astype():
    report = Report()
    for dtype in DTYPES:
        x = np.array([0, 1, 2, 100]).astype(dtype)
        for to in DTYPES:
            for casting in ("no", "safe", "same_kind", "unsafe"):
                report.check(
                    f"{dtype} {to} {casting}",
                    lambda: tn.array(x).astype(to, casting=casting),
                    lambda: x.astype(to, casting=casting),
                )
    report.close()
    a = tn.ones(3)
    assert a.astype("f8", copy=False) is a and a.astype("f8") is not a


def test_casts_of_extremes():
    """Where the value does not fit, integers wrap as in C, and floats round to the nearest."""
    report = Report()
    for dtype in DTYPES:
        kind = np.dtype(dtype).kind
        x = grid(dtype)
        for to in DTYPES:
            if kind in "fc" and np.dtype(to).kind in "iu":
                continue  # undefined
            report.check(f"{dtype} {to}", lambda: tn.array(x).astype(to), lambda: x.astype(to))
    report.close()


def test_copies_are_copies():
    a = tn.arange(6.0).reshape(2, 3)
    for made in (a.copy(), copy.copy(a), copy.deepcopy(a), tn.copy(a), tn.array(a), a.flatten()):
        made[...] = -1
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    for same in (tn.asarray(a), tn.asanyarray(a), tn.ascontiguousarray(a)):
        assert same is a
    for order in "CFAK":
        assert a.T.copy(order).strides == np.zeros((2, 3)).T.copy(order).strides
    nested = copy.deepcopy([a, {"b": a}])
    assert nested[0] is nested[1]["b"] and nested[0] is not a


def test_view():
    report = Report()
    x, a = np.arange(8, dtype="i4").reshape(2, 4), tn.arange(8, dtype="i4").reshape(2, 4)
    for dtype in ("u4", "i8", "i2", "f4", "f8", "u1", "c8"):
        report.check(dtype, lambda: a.view(dtype), lambda: x.view(dtype))
        report.check(f"{dtype} of T", lambda: a.T.view(dtype), lambda: x.T.view(dtype))
    report.close()
    a.view("u4")[0, 0] = 9
    assert a[0, 0].item() == 9


class _StandIn:
    """What offers an array under CuPy's name."""

    def __init__(self, array):
        self.array = array

    def __cupy_get_ndarray__(self):
        return self.array


def test_fill_with_arrays():
    a = tn.zeros((2, 3), "f4")
    for value in (np.array(3), tn.array(3), _StandIn(tn.array(3)), np.array(3, "f8")):
        a.fill(0)
        a.fill(value)
        assert_same(a, np.full((2, 3), 3, "f4"))
    for refused in (np.ones(1), tn.ones(1), [1], [1, 2], (1,), np.ones((2, 3))):
        with pytest.raises(ValueError, match="no dimension"):
            a.fill(refused)
    for refused in ("3", None, object()):
        with pytest.raises(TypeError):
            a.fill(refused)
    assert_same(a, np.full((2, 3), 3, "f4"))


def test_fill_and_set():
    for dtype in DTYPES:
        x, a = both(grid(dtype), "strided")
        x.fill(3), a.fill(3)
        assert_same(a, x)
    a = tn.zeros((2, 3), "f4")
    a.set(np.arange(6, dtype="f4").reshape(2, 3))
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    for bad in (np.zeros((3, 2), "f4"), np.zeros((2, 3))):
        with pytest.raises((ValueError, TypeError)):
            a.set(bad)
    with pytest.raises((TypeError, ValueError)):
        a.set([1, 2])


def test_get():
    for layout in LAYOUTS:
        x, a = both(grid("float32"), layout)
        for order in "CFA":
            host = a.get(order=order)
            assert np.array_equal(host, x, equal_nan=True)
            assert host.flags.f_contiguous if order == "F" else True
        out = np.empty(x.shape, "f4")
        assert a.get(out=out) is out and np.array_equal(out, x, equal_nan=True)
    assert tn.asnumpy([1, 2]).tolist() == [1, 2]
    assert tn.asnumpy(tn.ones(2)).tolist() == [1, 1]
    with pytest.raises((ValueError, TypeError)):
        tn.ones(3).get(out=np.empty(4))


# --- Printing ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_printing(dtype):
    for layout in LAYOUTS:
        x, a = both(grid(dtype), layout)
        assert repr(a) == repr(x) and str(a) == str(x)


def test_printing_of_large_arrays():
    """Only the edges are copied, and the text is NumPy's all the same."""
    for shape in [(100_000,), (300, 400), (20, 50, 60), (5, 20_000), (3, 4, 1000, 7), (0, 5), ()]:
        x = (np.arange(np.prod(shape, dtype=int)) * 0.37).reshape(shape)
        a = tn.array(x)
        assert repr(a) == repr(x) and str(a) == str(x)
        assert tn.array2string(a, threshold=5, edgeitems=2) == np.array2string(x, threshold=5, edgeitems=2)
        assert tn.array_repr(a, 40, 3, True) == np.array_repr(x, 40, 3, True)
        assert tn.array_str(a, 40, 3, True) == np.array_str(x, 40, 3, True)


def test_print_options_are_numpys():
    x, a = np.arange(20.0) / 3, tn.arange(20.0) / 3
    with tn.printoptions(precision=2, threshold=5, edgeitems=1):
        assert repr(a) == repr(x) and tn.get_printoptions()["precision"] == 2
    assert tn.set_printoptions is np.set_printoptions
    assert tn.format_float_positional(tn.array(1.5)) == np.format_float_positional(1.5)
    assert tn.format_float_scientific(tn.array(1.5)) == np.format_float_scientific(1.5)


def test_printing_of_bfloat16():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = np.arange(5).astype(bfloat16)
    assert repr(tn.array(x)) == repr(x)


# --- Pickles ---


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    for dtype in DTYPES:
        for layout in LAYOUTS:
            x, a = both(grid(dtype), layout)
            again = pickle.loads(pickle.dumps(a, protocol))
            assert_same(again, x)
            assert again.flags.fnc == x.flags.fnc


def test_pickles_of_old():
    """Messages that name the module as it was called first."""
    now = pickle.dumps(tn.arange(3), 2)  # in which names are plain lines
    old = now.replace(b"tenorite._array.interop\n", b"tenorite._interop\n")
    assert old != now and pickle.loads(old).tolist() == [0, 1, 2]
    code = f"import pickle; print(pickle.loads({old!r}))"
    assert output_of(code) == "[0 1 2]\n"


def test_pickle_of_bfloat16_and_ufuncs():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    a = tn.ones(3, bfloat16)
    assert pickle.loads(pickle.dumps(a)).dtype == bfloat16
    assert pickle.loads(pickle.dumps(tn.add)) is tn.add
    assert copy.deepcopy(tn.sin) is tn.sin


# --- Subclasses ---


class Tagged(tn.ndarray):
    def __array_finalize__(self, like):
        self.tag = getattr(like, "tag", "new")


def test_subclass():
    a = tn.ones((2, 3)).view(Tagged)
    assert type(a) is Tagged and a.tag == "new"
    a.tag = "mine"
    made = {
        "slice": a[0],
        "transpose": a.T,
        "reshape": a.reshape(-1),
        "add": a + 1,
        "sin": tn.sin(a),
        "copy": a.copy(),
        "astype": a.astype("f4"),
        "radd": 1 + a,
        "deepcopy": copy.deepcopy(a),
        "view": a.view(),
        "comparison": a > 0,
    }
    for label, result in made.items():
        assert type(result) is Tagged and result.tag == "mine", label
    assert type(a.view(tn.ndarray)) is tn.ndarray
    assert type(tn.asarray(a)) is tn.ndarray and tn.asanyarray(a) is a
    assert Tagged((2,), "i4").tag == "new"
    a += 1
    assert a.tag == "mine" and a[0, 0].item() == 2
    assert repr(a[0]).startswith("Tagged([2., 2., 2.]")


def test_subclass_pickle():
    a = tn.arange(3).view(Tagged)
    a.tag = "kept"
    again = pickle.loads(pickle.dumps(a))
    assert type(again) is Tagged and again.tag == "kept" and again.tolist() == [0, 1, 2]


def test_class_attributes():
    assert tn.ndarray.__array_priority__ == 100
    assert tn.ndarray[int, float]
    assert tn.ndarray.__module__ == "tenorite" and tn.ndarray.__doc__
    assert tn.ones(1).__array_finalize__(None) is None


def test_other_operands_may_take_over():
    class Stubborn:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

        def __rmatmul__(self, other):
            return "mine too"

    class Important:
        __array_priority__ = 1000

        def __rmul__(self, other):
            return "important"

    assert tn.ones(3) + Stubborn() == "mine"
    assert tn.ones(3) @ Stubborn() == "mine too"
    assert tn.ones(3) * Important() == "important"


def test_every_name_of_the_reference():
    """What a cupy.ndarray has, as far as this version goes."""
    missing = [
        name
        for name in (
            "T all any argmax argmin astype base clip conj conjugate copy cumprod cumsum data device diagonal "
            "dot dtype fill flags flat flatten get imag item itemsize mT max mean min nbytes ndim nonzero prod "
            "ptp put ravel real repeat reshape round set shape size squeeze std strides sum swapaxes take "
            "toDlpack tobytes tolist trace transpose var view compress to_device __array_namespace__ "
            "__complex__ __format__ __contains__ __bytes__ __deepcopy__ __dlpack__ __dlpack_device__"
        ).split()
        if not hasattr(tn.ndarray, name)
    ]
    assert not missing


def test_methods_are_the_functions():
    report = Report()
    x, a = both(grid("float64", 4, 5).clip(-5, 5))
    calls = {
        "clip": lambda m, v: v.clip(-1, 1),
        "clip none": lambda m, v: v.clip(None, 1),
        "conj": lambda m, v: v.conj(),
        "round": lambda m, v: v.round(1),
        "repeat": lambda m, v: v.repeat(2, axis=1),
        "dot": lambda m, v: v.dot(v.T),
        "trace": lambda m, v: v.trace(),
        "take": lambda m, v: v.take(m.array([1, 0]), axis=0),
        "nonzero": lambda m, v: v.nonzero(),
        "ptp": lambda m, v: m.ptp(v, 0),
        "cumsum": lambda m, v: v.cumsum(1),
        "compress": lambda m, v: v.compress(m.array([True, False, True]), axis=0),
        "round built-in": lambda m, v: round(m.array(2.6)),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(tn, a), lambda: call(np, x), 4)
    report.close()
    assert to_host(a.round(2)).shape == (4, 5)


def test_flat_comparisons():
    """a.flat compares element by element and says where its iteration is."""
    x = np.arange(6).reshape(2, 3)
    for host, ours in ((x, tn.array(x)), (x.T, tn.array(x).T)):
        for compare in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
            assert_same(getattr(ours.flat, compare)(2), getattr(host.flat, compare)(2))
        theirs, made = host.flat, ours.flat
        next(theirs), next(made)
        assert made.index == theirs.index == 1 and made.coords == theirs.coords


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex64"])
def test_dropped_imaginary_parts_are_told(dtype):
    for make in (np.array, tn.array):
        a = make([1 + 2j, 3])
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            a.astype(dtype)
        assert [w.category for w in seen] == [np.exceptions.ComplexWarning] * (dtype in ("float32", "int8")), make
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if dtype in ("float32", "int8"):
                with pytest.raises(np.exceptions.ComplexWarning, match="discards the imaginary part"):
                    a.astype(dtype)
