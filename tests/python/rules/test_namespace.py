"""The namespace: names that are imported when first used, and what the array API standard asks."""

import importlib
import inspect
import pickle
import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same
from programs import output_of
from tenorite import _numpy

pytestmark = pytest.mark.quick


def test_lazy_names():
    """Every name of the tables is there, and is the object of the module that the table names."""
    assert not tn._LAZY.keys() & {name for name in vars(tn._core) if name[0] != "_"}
    for name, module in tn._LAZY.items():
        found = importlib.import_module(f"tenorite._numpy.{module}" if module in _numpy.CONTENTS else module)
        assert getattr(tn, name) is getattr(found, name) and name in dir(tn), name
    with pytest.raises(AttributeError, match="has no attribute 'bogus'"):
        tn.bogus


@pytest.mark.parametrize("chapter", _numpy.CONTENTS)
def test_chapters(chapter):
    """The table names all that a chapter defines for programs, and nothing twice."""
    names = _numpy.CONTENTS[chapter].split()
    assert names == sorted(names) and len(names) == len(set(names))
    assert not [other for other, text in _numpy.CONTENTS.items() if other != chapter and {*names} & {*text.split()}]
    found = _numpy.read(chapter)
    module = importlib.import_module(f"tenorite._numpy.{chapter}")
    assert "tenorite._array" not in inspect.getsource(module)  # which uses the chapters
    for name, one in vars(module).items():
        if inspect.isfunction(one) and one.__globals__ is vars(module) and name[0] != "_":
            assert name in found or name in ("printable", "read"), f"{chapter}.{name} is not in the table"
    for name, one in found.items():
        if inspect.isfunction(one):
            assert one.__module__ == "tenorite" and pickle.loads(pickle.dumps(one)) is one, name


def test_star():
    """`from tenorite import *` gives the late names, too, and none that needs another package."""
    names = {}
    exec("from tenorite import *", names)
    assert {"add", "where", "pad", "float32", "pi", "load"} <= names.keys()
    assert not {"bfloat16", "_core", "cuda_"} & names.keys()


def test_documented():
    """Every function says what it does."""
    for name in dir(tn):
        value = getattr(tn, name)
        if not name.startswith("_") and callable(value) and not hasattr(np, name):
            assert value.__doc__, name


def test_nothing_more_is_imported():
    code = "import sys, tenorite; print(*[n for n in sys.modules if n.startswith('tenorite._')])"
    loaded = output_of(code)
    needed = {"mathematics", "printing", "repetition"}  # by methods of ndarray
    late = [f"_numpy.{chapter}" for chapter in _numpy.CONTENTS if chapter not in needed]
    for module in (*late, "_array.flags", "_array.flatiter", "_numpy.array_api"):
        assert f"tenorite.{module} " not in loaded + " "


# --- The array API standard ---

STANDARD = """
    e inf nan newaxis pi asarray arange empty empty_like eye from_dlpack full full_like linspace meshgrid ones
    ones_like tril triu zeros zeros_like astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype
    result_type broadcast_shapes bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64
    complex64 complex128 abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift
    bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp
    expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p
    log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative
    nextafter not_equal positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract
    tan tanh trunc take take_along_axis matmul matrix_transpose tensordot vecdot concat expand_dims flip moveaxis
    permute_dims repeat reshape roll squeeze stack tile unstack argmax argmin count_nonzero nonzero where
    cumulative_prod cumulative_sum max mean min prod std sum var all any diff argsort sort searchsorted isin
    unique_all unique_counts unique_inverse unique_values
""".split()
METHODS = """
    __abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__ __eq__
    __float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__ __lt__
    __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__ __sub__ __truediv__
    __xor__ __iadd__ __radd__ __imatmul__ __rmatmul__ to_device dtype device mT ndim shape size T
""".split()


def test_standard_names():
    assert [name for name in STANDARD if not hasattr(tn, name)] == []
    assert [name for name in METHODS if not hasattr(tn.ndarray, name)] == []
    a = tn.ones(2)
    assert a.__array_namespace__() is tn and a.__array_namespace__(api_version=tn.__array_api_version__) is tn


def test_namespace_info():
    info = tn.__array_namespace_info__()
    theirs = np.__array_namespace_info__()
    assert info.capabilities() == theirs.capabilities()
    assert info.default_dtypes() == theirs.default_dtypes(device="cpu")
    for kind in (
        None,
        "bool",
        "signed integer",
        "unsigned integer",
        "integral",
        "real floating",
        "complex floating",
        "numeric",
        ("bool", "integral"),
    ):
        assert info.dtypes(kind=kind) == theirs.dtypes(kind=kind)
    with pytest.raises(ValueError, match="unsupported kind"):
        info.dtypes(kind="bogus")
    assert info.default_device() == tn.cuda.Device() and info.default_device() in info.devices()
    assert tn.cuda.Device("host:1") in info.devices()


@pytest.mark.parametrize(
    "create",
    [
        lambda **k: tn.zeros(2, **k),
        lambda **k: tn.ones(2, **k),
        lambda **k: tn.empty(2, **k),
        lambda **k: tn.full(2, 3, **k),
        lambda **k: tn.arange(3, **k),
        lambda **k: tn.linspace(0, 1, 3, **k),
        lambda **k: tn.eye(2, **k),
        lambda **k: tn.asarray([1], **k),
        lambda **k: tn.zeros_like(tn.ones(2), **k),
        lambda **k: tn.ones_like(tn.ones(2), **k),
        lambda **k: tn.empty_like(tn.ones(2), **k),
        lambda **k: tn.full_like(tn.ones(2), 1, **k),
        lambda **k: tn.astype(tn.ones(2), tn.int8, **k),
        lambda **k: tn.from_dlpack(np.ones(2), **k),
    ],
)
def test_devices_of_new_arrays(create):
    for device in ("host:1", tn.cuda.Device("host:1"), tn.ones(1, device="host:1").device):
        made = create(device=device)
        assert made.device == tn.cuda.Device("host:1")
        assert made.to_device(made.device) is made
        assert made.to_device("host:0").device == tn.cuda.Device("host:0")


def test_names_of_numpy_1():
    """What programs written for CuPy still use."""
    assert tn.Inf == tn.Infinity == np.inf and np.isnan(tn.NaN) and np.signbit(tn.NZERO)
    assert tn.float_ is np.float64 and tn.cfloat is np.complex128 and tn.sometrue is tn.any
    assert tn.issubclass_(int, object) and not tn.issubclass_(3, int)
    assert tn.issctype(np.float32) and not tn.issctype(3) and tn.issubsctype("f4", np.floating)
    assert tn.obj2sctype(tn.ones(2)) is np.float64 and tn.sctype2char("f4") == "f"
    assert tn.asfarray([1], "i4").dtype == np.float64 and tn.asfarray([1], "f4").dtype == np.float32
    a = tn.arange(6.0).reshape(2, 3)
    low, high = tn.byte_bounds(a[::-1])
    assert low == a.data.ptr and high - low == a.nbytes
    with pytest.raises(ValueError):
        tn.sctype2char("bogus")
    assert tn.get_array_wrap(a, 3) is None


def test_lib():
    """A package beside the folder of the shared library that has its name."""
    import tenorite.lib.stride_tricks

    assert tenorite.lib.stride_tricks is tn.lib.stride_tricks
    assert tn.lib.stride_tricks.__name__ == "tenorite.lib.stride_tricks"


def test_no_error_state():
    """Our operations never warn and never raise: what would need them to is refused."""
    with tn.errstate(all="warn"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf((tn.array([1.0]) / 0).get()).all() and np.isnan(tn.log(tn.array(-1.0)).item())
        assert tn.geterr()["divide"] == "warn"
    before = tn.geterr()
    for how in ("raise", "call", "print", "log"):
        with pytest.raises(NotImplementedError, match="isfinite"):
            tn.errstate(over=how)
        with pytest.raises(NotImplementedError, match=f"seterr\\(all='{how}'\\)"):
            tn.seterr(all=how)
    assert tn.geterr() == before == tn.seterr(all="ignore")
    assert tn.seterr(**before)["under"] == "ignore" and tn.geterr() == before


def test_signatures():
    """Functions and methods in C show their parameters, under NumPy's names where NumPy has
    them."""
    differs = {
        "arange",
        "array",
        "cumulative_prod",
        "cumulative_sum",
        "matmul",
        "matvec",
        "nanstd",
        "nanvar",
        "std",
        "var",
        "vecdot",
        "vecmat",
    }
    for ours, theirs in ((tn, np), (tn.ndarray, np.ndarray)):
        for name in dir(ours):
            value = getattr(ours, name)
            if name.startswith("_") or type(value).__name__ not in ("builtin_function_or_method", "method_descriptor"):
                continue
            names = list(inspect.signature(value).parameters)
            assert value.__doc__, name
            try:
                expected = inspect.signature(getattr(theirs, name)).parameters.values()
            except (AttributeError, ValueError):
                continue
            wanted = {p.name for p in expected if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)} - {
                "like",
                "self",
            }
            assert wanted <= set(names) or name in differs, f"{name}: {wanted - set(names)}"


def test_keywords_of_cupy():
    """Arguments that CuPy calls otherwise go by both names."""

    class Child(tn.ndarray):
        pass

    x = np.array([[3, 1, 2], [0, 5, 4]])
    a = tn.array(x)
    for name in ("shape", "newshape"):
        assert_same(tn.reshape(a, **{name: (3, 2)}), x.reshape(3, 2))
        assert_same(a.reshape(**{name: -1}), x.reshape(-1))
    assert_same(tn.reshape(a=a, newshape=6, order="F"), x.reshape(6, order="F"))
    for name in ("arrays", "tup"):
        assert_same(tn.stack(**{name: (a, a)}, axis=1), np.stack((x, x), axis=1))
        assert_same(tn.concatenate(**{name: (a, a)}, axis=1), np.concatenate((x, x), axis=1))
        assert_same(tn.concat(**{name: (a, a)}), np.concatenate((x, x)))
    for name in ("shape", "dims"):
        for one, expected in zip(
            tn.unravel_index(tn.array([5, 1]), **{name: (2, 3)}), np.unravel_index([5, 1], (2, 3))
        ):
            assert_same(one, expected)
    at = np.array([[2], [0]])
    for name in ("arr", "a"):
        assert_same(tn.take_along_axis(**{name: a}, indices=tn.array(at), axis=1), np.take_along_axis(x, at, 1))
    for name in ("type", "array_class"):
        assert type(a.view(**{name: Child})) is Child
    for call, text in [
        (lambda: tn.reshape(a, shape=6, newshape=6), "reshape() got 'shape' and 'newshape', two names of one argument"),
        (lambda: tn.reshape(a, 6, newshape=6), "reshape() got multiple values for argument 'shape'"),
        (lambda: a.reshape(shape=6, newshape=6), "reshape() got multiple values for argument 'newshape'"),
        (lambda: tn.stack(tup=[a], arrays=[a]), "stack() got multiple values for argument 'arrays'"),
        (lambda: tn.stack(tuples=[a]), "stack() got an unexpected keyword argument 'tuples'"),
        (lambda: tn.stack(), "stack() missing required argument 'arrays' (pos 1)"),
    ]:
        with pytest.raises(TypeError) as caught:
            call()
        assert text in str(caught.value)


def test_keywords():
    a = tn.array([[0, 1], [2, 0]])
    assert tn.nonzero(a=a)[0].tolist() == [0, 1] and tn.flatnonzero(a=a).tolist() == [1, 2]
    assert tn.argwhere(a=a).shape == (2, 2) and tn.empty_like(prototype=a).shape == (2, 2)
