"""vectorize: functions of numbers over arrays, with the dtypes and values of NumPy's."""

import os
import shutil

import numpy
import pytest

import tenorite
from tenorite import jit

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))


@pytest.fixture(autouse=True)
def compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def check(result, expected):
    assert isinstance(result, tenorite.ndarray)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    numpy.testing.assert_array_equal(result.get(), expected)


def both(function, *args, **options):
    """The same call of NumPy's and of ours."""
    theirs = numpy.vectorize(function, **options)(*args)
    ours = tenorite.vectorize(function, **options)(
        *[tenorite.asarray(one) if isinstance(one, numpy.ndarray) else one for one in args]
    )
    for one, other in zip(ours, theirs) if isinstance(theirs, tuple) else [(ours, theirs)]:
        check(one, other)
    return ours


def branches(a, b):
    if a > b:
        return a - b
    elif a == b:
        return a
    return a + b


def loop(a):
    total = a
    for i in range(3):
        if i == 1:
            continue
        total += a * i
    while total > 20:
        total -= 7
    return total


def pair(a, b=2):
    return a * b, a > b


def helper(x):
    return x + 1


@jit.rawkernel(device=True, mode="numpy")
def device_helper(x):
    return helper(x) * 2


def calls(x):
    return device_helper(x) + helper(x)


X = numpy.arange(12, dtype="i4").reshape(3, 4) - 5


def test_as_numpy():
    both(branches, X, numpy.arange(4, dtype="i4"))
    both(branches, X[::2, ::-1].astype("f4"), 2.5)
    both(loop, X.T)
    both(lambda x: x**2 + 3 * x - 1, X.astype("f8"))
    both(pair, X)
    assert len(tenorite.vectorize(pair)(X, b=3)) == 2
    check(tenorite.vectorize(pair)(X, b=3)[0], X * numpy.int64(3))
    check(tenorite.vectorize(calls)(tenorite.asarray(X)), (X + 1) * 3)


def test_numbers():
    """Python's numbers give an array of no axes; an empty array gives an empty one."""
    f = tenorite.vectorize(branches)
    check(f(3, 2), numpy.array(1))
    check(f(2.5, 1), numpy.array(1.5))
    check(f(tenorite.zeros((0, 3)), 1), numpy.zeros((0, 3)))


def test_otypes():
    both(branches, X, 1, otypes="f")
    both(pair, X, otypes=[float, "i1"])
    with pytest.raises(ValueError, match="otypes has 1 dtypes, but pair returns 2"):
        tenorite.vectorize(pair, otypes="f")(X)
    with pytest.raises(ValueError, match="Invalid otype specified"):
        tenorite.vectorize(pair, otypes="@")
    with pytest.raises(ValueError, match="Invalid otype specification"):
        tenorite.vectorize(pair, otypes=3)


def test_decorator_and_documents():
    @tenorite.vectorize(otypes=["f4"], doc="mine")
    def f(x):
        """theirs"""
        return x

    assert f.__doc__ == "mine" and f.__name__ == "f" and tenorite.vectorize(loop).__doc__ == loop.__doc__
    check(f(tenorite.arange(3)), numpy.arange(3, dtype="f"))
    check(tenorite.vectorize(device_helper)(1), numpy.array(4))


def polynomial(p, x):
    result = tenorite.float64(0)
    for k in range(len(p)):
        result = result * x + p[k]
    return result


@pytest.mark.parametrize("excluded", [{"p"}, {0}])
def test_excluded(excluded):
    f = tenorite.vectorize(polynomial, excluded=excluded)
    x = numpy.arange(4.0)
    check(f([1, 2, 3], x), numpy.polyval([1, 2, 3], x))
    check(f(tenorite.arange(6)[::2], x=2), numpy.array(numpy.polyval([0, 2, 4], 2.0)))
    with pytest.raises(TypeError, match="excluded must hold"):
        tenorite.vectorize(polynomial, excluded={1.5})


def product(a, b, w):
    total = tenorite.float64(0)
    for i in range(len(a)):
        total += a[i] * b[-1] * w
    return total, len(b)


def test_signature():
    f = tenorite.vectorize(product, signature="(n),(n),()->(),()")
    a, b, w = numpy.arange(60.0).reshape(3, 4, 5), numpy.arange(20).reshape(4, 5), numpy.arange(3.0)[:, None]
    total, length = f(tenorite.asarray(a), b, w)
    check(total, a.sum(-1) * b[:, -1] * w)
    check(length, numpy.full((3, 4), 5))
    check(f(tenorite.asarray(a.T).T, b, w)[0], a.sum(-1) * b[:, -1] * w)
    check(f([1.0, 2], [3, 4], 2)[0], numpy.array(24.0))
    with pytest.raises(ValueError, match="inconsistent size for core dimension 'n'"):
        f([1, 2], [1, 2, 3], 2)
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        f(1, [1, 2, 3], 2)
    with pytest.raises(ValueError, match="Not a valid gufunc signature"):
        tenorite.vectorize(product, signature="(n)->(")
    with pytest.raises(NotImplementedError, match="GeneralizedUFunc"):
        tenorite.vectorize(product, signature="(n)->(n)")


def none(x):
    if x > 1:
        return x


def test_refusals():
    with pytest.raises(TypeError, match="may end without a value; write a return"):
        tenorite.vectorize(none)(3)
    with pytest.raises(NotImplementedError, match=r'a list; .*\n  File ".*test_vectorize.py", line \d+, in <lambda>'):
        tenorite.vectorize(lambda x: [x])(3)
    with pytest.raises(TypeError, match="vectorize translates Python functions"):
        tenorite.vectorize(abs)
    with pytest.raises(NotImplementedError, match="parameters; name them"):
        tenorite.vectorize(lambda *x: x)
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        tenorite.vectorize(branches)(3)


def test_complex_numbers_have_no_order_and_warn_as_real_ones():
    a = tenorite.array([1 + 2j, 3], "c8")
    with pytest.raises(TypeError, match="less of complex64"):
        tenorite.vectorize(lambda x: x < 1j)(a)
    with pytest.warns(numpy.exceptions.ComplexWarning):
        made = tenorite.vectorize(lambda x: numpy.float32(x))(a)
    assert made.dtype == numpy.float32 and made.tolist() == [1, 3]
    assert tenorite.vectorize(lambda x: numpy.bool_(x))(a).tolist() == [True, True]
