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


def only_named(a, *, by, plus=1):
    return a * by + plus


class Scale:
    def __init__(self, by):
        self.by = by

    def times(self, a, *, plus=0):
        return self.twice(a) * self.by + plus

    def twice(self, a):
        return 2 * a

    def __call__(self, a):
        return a + self.by


def test_keyword_only_parameters_and_methods():
    a = numpy.arange(6).reshape(2, 3)
    check(tenorite.vectorize(only_named)(tenorite.asarray(a), by=3), a * 3 + 1)
    check(tenorite.vectorize(only_named)(tenorite.asarray(a), plus=a[0], by=a[:, :1]), a * a[:, :1] + a[0])
    check(tenorite.vectorize(lambda x: only_named(x, by=2))(tenorite.asarray(a)), a * 2 + 1)
    check(tenorite.vectorize(Scale(5).times)(tenorite.asarray(a)), a * 10)
    check(tenorite.vectorize(Scale(5).times)(tenorite.asarray(a), plus=2), a * 10 + 2)
    check(tenorite.vectorize(Scale(2.5))(tenorite.asarray(a)), a + 2.5)
    with pytest.raises(TypeError, match="by"):
        tenorite.vectorize(only_named)(tenorite.asarray(a))


def test_values_of_numpy():
    small, longs, reals = (
        numpy.arange(256, dtype="B"),
        numpy.array([0, 5, 2**63, 2**64 - 1], "L"),
        numpy.array([1.5, -0.0]),
    )
    for function in (
        lambda x: x == 300,
        lambda x: x > -1,
        lambda x: x < 2**70,
        lambda x: -(2**70) > x,
        lambda x: x != 255,
        lambda x: 2**63 <= x,
        lambda x: 3 < x < 300,
    ):
        for values in (small, longs, longs[:2].astype("q")):
            both(function, values)
    both(lambda x, y: (x < y, x == y, x >= y), longs, numpy.array([-1, 5, -(2**63), -1], "q"))
    z = numpy.array([0, 1j, complex(numpy.inf, 1), complex(1, -numpy.inf), complex(numpy.nan, 0), 2])
    for function in (numpy.isinf, numpy.isfinite, numpy.isnan, numpy.logical_not):
        both(lambda x: function(x), z)
    with numpy.errstate(invalid="ignore"):
        both(lambda x, y: (numpy.logical_and(x, y), numpy.logical_or(x, 0), numpy.maximum(x, y)), z, z[::-1].copy())
        both(lambda x: (x.real, x.imag), numpy.array([numpy.inf, numpy.nan, 2.0]))
        both(lambda x: numpy.clip(x, 2, numpy.nan), numpy.array([1.0, numpy.nan]))
    both(lambda x: (numpy.floor(x), numpy.trunc(x), numpy.bitwise_count(x)), numpy.array([-1, -128, 127, 0, 5], "b"))
    both(lambda x: numpy.nextafter(x, numpy.float16(4)), numpy.array([0, 1, 65504, -0.0, numpy.inf], "e"))
    with numpy.errstate(over="ignore"):
        both(
            lambda x, n: (numpy.ldexp(x, n), numpy.ldexp(x, numpy.int64(2**40))), reals, numpy.array([2**40, -(2**40)])
        )
        with pytest.raises(OverflowError):
            tenorite.vectorize(lambda x: numpy.ldexp(x, 2**40))(tenorite.asarray(reals))
    for function in (lambda x: divmod(x, 3), lambda x: numpy.modf(x), lambda x: numpy.frexp(x)):
        both(function, numpy.array([7.25, -2.5]))


@pytest.mark.parametrize("function", [lambda x, y: x < y, lambda x, y: x >= y, lambda x, y: y > 1j])
def test_complex_numbers_have_no_order(function):
    """As in numpy.vectorize, whose functions get Python's numbers."""
    z, x = numpy.array([1 + 2j, 3], "c8"), numpy.ones(2)
    for one, other in ((z, z), (z, x), (x, z)):
        with pytest.raises(TypeError):
            numpy.vectorize(function)(one, other)
        with pytest.raises(TypeError, match=r"'(<|>|>=)' not supported between instances of .*complex"):
            tenorite.vectorize(function)(tenorite.asarray(one), tenorite.asarray(other))
    assert tenorite.vectorize(lambda x, y: x == y)(tenorite.asarray(z), 3).tolist() == [False, True]


def test_complex_numbers_warn_as_real_ones():
    a = tenorite.array([1 + 2j, 3], "c8")
    with pytest.warns(numpy.exceptions.ComplexWarning):
        made = tenorite.vectorize(lambda x: numpy.float32(x))(a)
    assert made.dtype == numpy.float32 and made.tolist() == [1, 3]
    assert tenorite.vectorize(lambda x: numpy.bool_(x))(a).tolist() == [True, True]
