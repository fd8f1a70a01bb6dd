"""tenorite.testing's decorators that run a test under NumPy and Tenorite: what passes and what
does not."""

import inspect
import re
import unittest

import numpy as np
import pytest
import tenorite as tn
from tenorite import testing
from tenorite.testing import _loops

pytestmark = [pytest.mark.quick, pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")]

ARRAYS = [
    testing.numpy_cupy_allclose,
    testing.numpy_cupy_array_almost_equal,
    testing.numpy_cupy_array_almost_equal_nulp,
    testing.numpy_cupy_array_max_ulp,
    testing.numpy_cupy_array_equal,
    testing.numpy_cupy_array_list_equal,
]


def both(ours, theirs):
    """A test that returns, or raises, one thing with Tenorite and another with NumPy."""

    def test_it(xp):
        value = ours if xp is tn else theirs
        if isinstance(value, BaseException):
            raise value
        return value(xp) if inspect.isfunction(value) else value

    return test_it


def passes(decorator, ours, theirs):
    decorator(both(ours, theirs))()


def fails(decorator, ours, theirs, match=None):
    with pytest.raises(AssertionError, match=match):
        decorator(both(ours, theirs))()


@pytest.mark.parametrize("make", ARRAYS)
def test_arrays(make):
    passes(make(), tn.ones(2), np.ones(2))
    fails(make(), tn.ones(2), np.full(2, 1.1))
    passes(make(), tn.array(1.0), np.float64(1))
    passes(make(), 1.0, 1.0)
    passes(make(), np.float32(1), np.float32(1))
    passes(make(), (tn.ones(2), tn.zeros(3)), [np.ones(2), np.zeros(3)])
    fails(make(), (tn.ones(2), tn.zeros(3)), [np.ones(2), np.ones(3)])
    fails(make(), (tn.ones(2),), (np.ones(2), np.ones(2)), "cupy returns 1 arrays, numpy 2")
    fails(make(), tn.ones(2), np.ones(3), "shapes")
    fails(make(), tn.ones(2), [1.0, 1.0])
    fails(make(), np.ones(2), "a", "return types")
    fails(make(), None, None, "None")
    passes(make(), tn.poly1d([1.0, 2.0]), np.poly1d([1.0, 2.0]))
    fails(make(), tn.poly1d([1.0, 2.0]), np.poly1d([1.0, 2.0], variable="y"), "variable|cupy: x")


@pytest.mark.parametrize("make", [one for one in ARRAYS if one is not testing.numpy_cupy_array_list_equal])
def test_dtypes(make):
    fails(make(), tn.ones(2, "f"), np.ones(2), "different dtypes")
    passes(make(type_check=False), tn.ones(2, "f"), np.ones(2))
    assert list(inspect.signature(make).parameters)[0] in ("rtol", "decimal", "nulp", "maxulp", "err_msg")


def test_tolerances():
    near = np.ones(2) + 1e-4
    passes(testing.numpy_cupy_allclose(rtol=1e-3), tn.asarray(near), np.ones(2))
    passes(testing.numpy_cupy_allclose(atol=1e-3), tn.asarray(near), np.ones(2))
    fails(testing.numpy_cupy_allclose(rtol=1e-5), tn.asarray(near), np.ones(2))
    by_dtype = {np.float64: 1e-3, "default": 0}
    passes(testing.numpy_cupy_allclose(rtol=by_dtype), tn.asarray(near), np.ones(2))
    fails(testing.numpy_cupy_allclose(rtol=by_dtype), tn.asarray(near, "f"), np.ones(2, "f"))
    passes(testing.numpy_cupy_allclose(atol=by_dtype, type_check=False), tn.asarray(near, "f"), np.ones(2))
    with pytest.raises(TypeError, match="float32"):
        passes(testing.numpy_cupy_allclose(rtol={np.float64: 1}), tn.ones(2, "f"), np.ones(2, "f"))
    for key in (np.dtype("f"), "f", 3):
        with pytest.raises(TypeError, match="Keys"):
            testing.numpy_cupy_allclose(rtol={key: 1})
    passes(testing.numpy_cupy_array_almost_equal(decimal=3), tn.asarray(near), np.ones(2))
    fails(testing.numpy_cupy_array_almost_equal(decimal=5), tn.asarray(near), np.ones(2))
    next_one = np.nextafter(np.nextafter(np.ones(2), 2), 2)
    for make in (testing.numpy_cupy_array_almost_equal_nulp, testing.numpy_cupy_array_max_ulp):
        passes(make(2), tn.asarray(next_one), np.ones(2))
        fails(make(1), tn.asarray(next_one), np.ones(2))


def test_contiguity():
    a = np.ones((2, 3))
    fails(testing.numpy_cupy_allclose(), tn.asarray(a, order="F"), a, "c_contiguous")
    fails(testing.numpy_cupy_allclose(), tn.asarray(a), np.asfortranarray(a), "f_contiguous")
    passes(testing.numpy_cupy_allclose(contiguous_check=False), tn.asarray(a, order="F"), a)
    passes(testing.numpy_cupy_array_equal(), tn.asarray(a, order="F"), a)
    fails(testing.numpy_cupy_array_equal(strides_check=True), tn.asarray(a, order="F"), a, "Strides")


def test_less_and_equal():
    passes(testing.numpy_cupy_array_less(), tn.zeros(2), np.ones(2))
    fails(testing.numpy_cupy_array_less(), tn.ones(2), np.ones(2))
    passes(testing.numpy_cupy_equal(), (1, "a"), (1, "a"))
    passes(testing.numpy_cupy_equal(), None, None)
    fails(testing.numpy_cupy_equal(), (1, "a"), (1, "b"), "not equal")
    fails(testing.numpy_cupy_equal(), KeyError("a"), KeyError("a"), "Both cupy and numpy raise")


# --- Errors ---

DECORATORS = [*ARRAYS, testing.numpy_cupy_equal, testing.numpy_cupy_array_less]


@pytest.mark.parametrize("make", DECORATORS)
def test_errors(make):
    fails(make(), KeyError("a"), tn.ones(1), "Only cupy raises error")
    fails(make(), tn.ones(1), KeyError("a"), "Only numpy raises error")
    fails(make(), TypeError("xx"), ValueError("yy"), re.compile("xx.*yy", re.DOTALL))
    fails(make(), TypeError("a"), TypeError("a"), "Both cupy and numpy raise exceptions")


@pytest.mark.parametrize("make", [one for one in DECORATORS if "accept_error" in inspect.signature(one).parameters])
def test_accepted_errors(make):
    passes(make(accept_error=TypeError), TypeError("a"), TypeError("b"))
    passes(make(accept_error=(KeyError, TypeError)), TypeError("a"), TypeError("b"))
    passes(make(accept_error=True), TypeError("a"), TypeError("b"))
    fails(make(accept_error=ValueError), TypeError("a"), TypeError("a"))
    fails(make(accept_error=True), TypeError("a"), ValueError("a"), "Different types")


def test_raises():
    class Own(KeyError):
        pass

    passes(testing.numpy_cupy_raises(), KeyError("a"), KeyError("a"))
    passes(testing.numpy_cupy_raises(), Own("a"), KeyError("a"))
    fails(testing.numpy_cupy_raises(), 1, 1, "expected to raise")
    fails(testing.numpy_cupy_raises(), KeyError("xxxx"), 1, "xxxx")
    fails(testing.numpy_cupy_raises(), 1, KeyError("yyyy"), "yyyy")
    fails(testing.numpy_cupy_raises(accept_error=ValueError), KeyError("a"), KeyError("a"))
    fails(testing.numpy_cupy_raises(accept_error=False), KeyError("a"), KeyError("a"))
    for other in (TypeError, IndexError, ValueError):
        fails(testing.numpy_cupy_raises(), np.exceptions.AxisError("a"), other("a"))


def test_skips():
    for make in DECORATORS:
        with pytest.raises(pytest.skip.Exception, match="why"):
            passes(make(), lambda xp: pytest.skip("why"), lambda xp: pytest.skip("why"))
        with pytest.raises(unittest.SkipTest):
            passes(make(), unittest.SkipTest("a"), unittest.SkipTest("a"))
        fails(make(), unittest.SkipTest("a"), unittest.SkipTest("b"), "different exceptions")
        fails(make(), unittest.SkipTest("a"), tn.ones(1), "Only cupy raises")


def test_wrong_arguments():
    """A call that does not reach the test is no error of the test."""
    with pytest.raises(TypeError, match="argument"):
        testing.numpy_cupy_equal()(both(1, 1))(bogus=3)


def test_errors_of_test_code(monkeypatch):
    monkeypatch.setenv("CUPY_CI", "on")
    fails(testing.numpy_cupy_raises(), KeyError("a"), KeyError("a"), "raised from test code")


def test_errors_of_the_library(monkeypatch):
    monkeypatch.setenv("CUPY_CI", "on")
    passes(testing.numpy_cupy_raises(), lambda xp: xp.broadcast_shapes(2, 3), lambda xp: np.broadcast_shapes(2, 3))


# --- Names and signatures ---


def test_names():
    @testing.for_dtypes("fd", name="kind")
    @testing.numpy_cupy_allclose(name="lib")
    def test_it(lib, kind, shape=(2,)):
        return lib.ones(shape, kind)

    assert list(inspect.signature(test_it).parameters) == ["shape"]
    test_it()
    test_it(shape=3)
    assert test_it.__name__ == "test_it"


@pytest.mark.parametrize("length", [0, 3])
@testing.for_CF_orders()
@testing.for_all_dtypes()
@testing.numpy_cupy_array_equal()
def test_stacked(xp, dtype, order, length):
    return testing.shaped_arange((length, 2), xp, dtype).copy(order or "K")


class TestMethods:
    @testing.for_all_dtypes_combination(("a", "b"))
    @testing.numpy_cupy_allclose(accept_error=TypeError)
    def test_subtract(self, xp, a, b):
        return xp.subtract(testing.shaped_arange((2, 3), xp, a), testing.shaped_arange((2, 3), xp, b))

    @testing.numpy_cupy_allclose(scipy_name="scp")
    def test_scipy(self, xp, scp):
        pytest.importorskip("tenorite.scipy")
        assert scp.__name__ == ("scipy" if xp is np else "tenorite.scipy")
        return xp.ones(2)

    test_scipy = testing.with_requires("scipy")(test_scipy)


# --- Negative numbers in unsigned dtypes ---


def test_contains_signed_and_unsigned():
    assert _loops._contains_signed_and_unsigned({"a": np.int32, "b": np.uint8})
    assert _loops._contains_signed_and_unsigned({"a": np.float16, "b": np.uint8, "c": [1]})
    assert not _loops._contains_signed_and_unsigned({"a": np.int32})
    assert not _loops._contains_signed_and_unsigned({"a": np.uint8, "b": np.bool_})


@pytest.mark.parametrize("shape", [(), (2,)])
def test_negative_in_unsigned(shape):
    """They are not compared, as devices differ there; what is not negative is."""

    @testing.for_unsigned_dtypes("a")
    @testing.for_signed_dtypes("b")
    @testing.numpy_cupy_allclose()
    def differs(xp, a, b):
        filled = xp.full(shape, -1, b)
        return filled.astype(a) if a is np.intp else xp.full(shape, 1 if xp is tn else 2, a)

    differs()

    @testing.for_unsigned_dtypes("a")
    @testing.for_signed_dtypes("b")
    @testing.numpy_cupy_allclose()
    def wrong(xp, a, b):
        return xp.full(shape, 1 if xp is tn else 2, a)

    with pytest.raises(AssertionError, match="Not equal"):
        wrong()

    @testing.for_unsigned_dtypes("a")
    @testing.for_signed_dtypes("b")
    @testing.numpy_cupy_allclose()
    def skips_the_signed(xp, a, b):
        if a is np.intp:
            pytest.skip("the run that looks for negative numbers")
        return xp.full(shape, 1, a)

    skips_the_signed()
