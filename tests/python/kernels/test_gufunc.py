"""GeneralizedUFunc, and axes= of the products."""

import importlib

import numpy
import pytest
import tenorite
from tenorite.exceptions import AxisError
from tenorite.x import GeneralizedUFunc

A = numpy.arange(24.0).reshape(2, 3, 4)


def check(result, expected):
    assert isinstance(result, tenorite.ndarray)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    numpy.testing.assert_array_equal(result.get(), expected)


def test_stacks():
    mean = GeneralizedUFunc(lambda x: x.mean(), "(n)->()", name="mean", doc="text")
    assert mean.__name__ == "mean" and mean.__doc__ == "text" and "(n)->()" in repr(mean)
    check(mean(tenorite.asarray(A)), A.mean(-1))
    check(mean(A), A.mean(-1))
    check(mean(tenorite.asarray(A), axis=0), A.mean(0))
    check(mean(tenorite.asarray(A), axes=[1]), A.mean(1))
    check(mean(tenorite.asarray(A), axes=[(1,), ()]), A.mean(1))
    check(mean(tenorite.asarray(A), keepdims=True), A.mean(-1, keepdims=True))
    check(mean(tenorite.asarray(A), axis=1, keepdims=True), A.mean(1, keepdims=True))
    check(mean(A[0, 0]), A[0, 0].mean())
    product = GeneralizedUFunc(lambda a, b: a @ b, "(m,n),(n,p)->(m,p)", supports_batched=True)
    b = numpy.arange(20.0).reshape(4, 5)
    check(product(A, b), A @ b)
    check(product(A, b.T, axes=[(1, 2), (1, 0), (2, 0)]), numpy.matmul(A, b.T, axes=[(1, 2), (1, 0), (2, 0)]))
    slow = GeneralizedUFunc(lambda a, b: a @ b, "(m,n),(n,p)->(m,p)")
    check(slow(A, b), A @ b)
    check(slow(A[:, None], b[None, None]), A[:, None] @ b)
    optional = GeneralizedUFunc(tenorite.matmul, "(n?,k),(k,m?)->(n?,m?)", supports_batched=True, supports_out=True)
    for x, y in ((A, b), (A[0, 0], b), (A, b[:, 0]), (A[0, 0], b[:, 0])):
        check(optional(x, y), numpy.asarray(x @ y))


def test_several_results_and_outputs():
    both = GeneralizedUFunc(lambda x, y: (x + y, x - y), "(n),(n)->(n),(n)")
    x, y = tenorite.arange(6.0).reshape(2, 3), tenorite.ones(3)
    total, difference = both(x, y)
    check(total, x.get() + 1)
    check(difference, x.get() - 1)
    outs = tenorite.zeros((2, 3), "f"), tenorite.zeros((3, 2)).T
    assert both(x, y, out=outs)[0] is outs[0]
    check(outs[0], (x.get() + 1).astype("f"))
    check(outs[1], x.get() - 1)
    both(x, y, *outs)
    moved = tenorite.zeros((3, 2))
    result = both(x, y, axes=[-1, -1, 0, -1], out=(moved, None))
    check(moved, (x.get() + 1).T)
    check(result[1], x.get() - 1)
    spread = GeneralizedUFunc(lambda x: x.max(-1) - x.min(-1), "(n)->()", supports_batched=True)
    out = tenorite.zeros((2, 1))
    assert spread(x, out=out, keepdims=True) is out
    check(out, numpy.full((2, 1), 2.0))
    assert both(x, y, order="F")[0].flags.f_contiguous


def test_dtypes():
    half = GeneralizedUFunc(lambda x: x / 2, "(n)->(n)", signatures=["ff->f"[1:], ("dd->d"[1:], lambda x: x * 10)])
    assert half.types == ["f->f", "d->d"]
    check(half(tenorite.ones(2, "f")), numpy.full(2, 0.5, "f"))
    check(half(tenorite.ones(2, "i")), numpy.full(2, 10.0))
    check(half(tenorite.ones(2, "d"), dtype="f"), numpy.full(2, 0.5, "f"))
    check(half(tenorite.ones(2, "f"), signature="d->d"), numpy.full(2, 10.0))
    check(half(tenorite.ones(2, "D")), numpy.full(2, 0.5, "D"))  # by the function itself
    with pytest.raises(TypeError, match="No loop matching"):
        half(tenorite.ones(2, "D"), dtype="d")
    with pytest.raises(TypeError, match="No loop matching"):
        half(tenorite.ones(2, "d"), signature="ii->i"[1:])
    plain = GeneralizedUFunc(lambda x: x * 2, "(n)->(n)")
    check(plain(tenorite.ones(2, "d"), dtype="f"), numpy.full(2, 2, "f"))
    check(plain(tenorite.ones(2, "d"), dtype="i"), numpy.full(2, 2, "i"))
    check(plain(tenorite.ones(2, "d"), signature="i"), numpy.full(2, 2, "i"))
    with pytest.raises(TypeError, match="Cannot cast"):
        plain(tenorite.ones(2, "d"), out=tenorite.ones(2, "i"))


@pytest.mark.parametrize("text", ["(n)", "(n)->(", "n->()", "(n->()", "(n)->()->()", "()(n)->()", 3])
def test_bad_signatures(text):
    with pytest.raises((ValueError, TypeError), match="ignature"):
        GeneralizedUFunc(lambda x: x, text)


def test_errors():
    f = GeneralizedUFunc(lambda x, y: x, "(n),(n)->()")
    for arguments, options, error, match in (
        (([1, 2], [1, 2, 3]), {}, ValueError, "mismatch in its core dimension 'n'"),
        ((1, [1]), {}, ValueError, "does not have enough dimensions"),
        (([1],), {}, TypeError, "takes 2 inputs"),
        (([1], [1]), {"axes": (0, 0)}, TypeError, "axes should be a list"),
        (([1], [1]), {"axes": [0]}, ValueError, "an entry for all 3 inputs and outputs"),
        (([1], [1]), {"axes": [(0, 1), 0]}, AxisError, "operand 0 has 1 core dimensions, but 2"),
        (([1], [1]), {"axes": [0, 0], "axis": 0}, TypeError, "both 'axis' and 'axes'"),
        (([1], [1]), {"axis": 1}, AxisError, "out of bounds"),
        (([1], [1]), {"out": [1]}, TypeError, "out must be arrays"),
        (([1], [1]), {"order": "X"}, ValueError, "order must be one of"),
        (([1], [1]), {}, ValueError, "the function returned|output 0 has"),
        (([1], [1]), {"signatures": 1}, TypeError, "signatures"),
    ):
        with pytest.raises(error, match=match):
            f(*arguments, **options)
    two = GeneralizedUFunc(lambda x: x, "(m,n)->(n,m)")
    with pytest.raises(ValueError, match="axis can only be used"):
        two([[1]], axis=0)
    with pytest.raises(TypeError, match="keepdims"):
        two([[1]], keepdims=True)
    with pytest.raises(ValueError, match="invalid"):
        GeneralizedUFunc(lambda x: x, "(n)->()", signatures=["dd->d"])


# --- axes= of the products ---


@pytest.mark.parametrize(
    "name, shapes, axes",
    [
        ("matmul", [(2, 3, 4), (2, 4, 5)], [(1, 2), (1, 2), (1, 2)]),
        ("matmul", [(3, 4, 2), (4, 5, 2)], [(0, 1), (0, 1), (0, 1)]),
        ("matmul", [(3, 4, 2), (5, 2, 4)], [(0, 1), (-1, 0), (2, 0)]),
        ("matmul", [(4,), (4, 5, 2)], [(0,), (0, 1), (0,)]),
        ("matmul", [(4, 2, 3), (4,)], [(2, 0), 0, -1]),
        ("matmul", [(4,), (4,)], [0, 0, ()]),
        ("vecdot", [(3, 4), (3, 4)], [0, 0]),
        ("vecdot", [(3, 4), (4, 3)], [0, 1, ()]),
        ("matvec", [(3, 4, 2), (4, 2)], [(0, 1), 0, 0]),
        ("vecmat", [(3, 2), (3, 4, 2)], [0, (0, 1), (1,)]),
    ],
)
def test_axes_of_products(name, shapes, axes):
    given = [numpy.arange(numpy.prod(shape)).reshape(shape).astype("d") for shape in shapes]
    theirs = getattr(numpy, name, None)
    if theirs is None:
        pytest.skip("a later NumPy has it")
    expected = numpy.asarray(theirs(*given, axes=axes))
    ours = getattr(tenorite, name)
    arrays = [tenorite.asarray(one) for one in given]
    check(ours(*arrays, axes=axes), expected)
    out = tenorite.zeros(expected.shape)
    assert ours(*arrays, axes=axes, out=out) is out
    check(out, expected)


def test_bad_axes_of_products():
    a = tenorite.ones((2, 3, 3))
    for axes, error, match in (
        ((0, 1), TypeError, "axes should be a list"),
        ([(0, 1), (0, 1)], ValueError, "an entry for all 3"),
        ([(0, 1, 2), (0, 1), (0, 1)], AxisError, "operand 0 has 2 core dimensions, but 3"),
        ([(0, 1), (1, 1), (0, 1)], ValueError, "twice"),
        ([(0, 1), (1, 3), (0, 1)], AxisError, "out of bounds"),
        ([(1, 2), (1, 2), (1, 3)], AxisError, "out of bounds"),
        ([(1, 2), (1, 2.5), (1, 2)], TypeError, "integer"),
    ):
        with pytest.raises(error, match=match):
            tenorite.matmul(a, a, axes=axes)
    with pytest.raises(TypeError, match="both 'axis' and 'axes'"):
        tenorite.vecdot(a, a, axis=0, axes=[0, 0])
    check(tenorite.matmul(a, a, axes=None), numpy.full((2, 3, 3), 3.0))


def test_axes_that_broadcast():
    f = GeneralizedUFunc(lambda x, y: x + y, "(i|1,j|1),(i|1,j)->(i,j)")
    for left, right in (((2, 1), (2, 3)), ((1, 1), (2, 1)), ((2, 3), (1, 3)), ((1, 1), (1, 1)), ((5, 2, 1), (1, 3))):
        a, b = numpy.random.default_rng(3).random(left), numpy.random.default_rng(4).random(right)
        check(f(tenorite.asarray(a), tenorite.asarray(b)), a + b)
    with pytest.raises(ValueError, match="mismatch in its core dimension 'j'"):
        f(tenorite.ones((2, 3)), tenorite.ones((2, 1)))


def test_absent_axes_are_of_length_1():
    shapes = []

    def function(x, y):
        shapes.append((x.shape, y.shape))
        return x @ y

    f = GeneralizedUFunc(function, "(m?,n),(n,p?)->(m?,p?)")
    rng = numpy.random.default_rng(5)
    for left, right in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4))):
        a, b = rng.random(left), rng.random(right)
        made = f(tenorite.asarray(a), tenorite.asarray(b))
        numpy.testing.assert_allclose(made.get(), a @ b, rtol=1e-14)
    assert shapes == [((1, 3), (3, 1)), ((2, 3), (3, 1)), ((1, 3), (3, 4)), ((2, 3), (3, 4))]
    both = GeneralizedUFunc(function, "(a?,b?),(b,a?)->(a?,b?)")
    for left, right in (((2,), (2, 2)), ((2, 2), (2,))):
        with pytest.raises(ValueError, match="mismatch in its core dimension '[ab]\\?'"):
            both(tenorite.ones(left), tenorite.ones(right))


def test_out_of_a_function_for_each_place():
    f = GeneralizedUFunc(lambda x, out=None: tenorite.multiply(x, 2, out=out), "(i)->(i)", supports_out=True)
    out = tenorite.zeros((3, 4))
    assert f(tenorite.ones((3, 4)), out=out) is out
    check(out, numpy.full((3, 4), 2.0))


def test_parsed_signatures():
    parse = importlib.import_module("tenorite._cupy._core._gufuncs")._parse_gufunc_signature
    assert parse("(i?,j|1),(i?,j)->(i?,j)") == (
        [(("i", True, False), ("j", False, True)), (("i", True, False), ("j", False, False))],
        [(("i", True, False), ("j", False, False))],
        2,
    )
    assert parse("->(i)") == ([()], [(("i", False, False),)], 1)
