"""ReductionKernel: axes, layouts, types, identities, numbers of elements, raw
inputs, and what is refused."""

import os
import pickle
import shutil

import numpy
import pytest
import tenorite
from tenorite import ReductionKernel
from tenorite.exceptions import AxisError, CompileException

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))


@pytest.fixture(autouse=True)
def compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def check(result, expected):
    expected = numpy.asarray(expected)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    numpy.testing.assert_array_equal(result.get(), expected)


SUM = ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
LEAST = ReductionKernel("T x", "T y", "x", "min(a, b)", "y = a", None, "least")


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (2, 0), (0, 1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(axis, keepdims):
    x = numpy.random.default_rng(0).integers(-100, 100, (5, 6, 7))
    xt = tenorite.asarray(x)
    check(SUM(xt, axis=axis, keepdims=keepdims), x.sum(axis=axis, keepdims=keepdims))
    check(LEAST(xt, axis=axis, keepdims=keepdims), x.min(axis=axis, keepdims=keepdims))


VIEWS = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::2],
    lambda a: a[:, ::-3],
    lambda a: a[::-1, ::-1],
    lambda a: a[1:, 1:],
    lambda a: a[:, None, ::2],
    lambda a: a[:1],
    lambda a: a[:, :1],
    lambda a: a[5],
    lambda a: a[5, 6:7].reshape(()),
]


@pytest.mark.parametrize("view", range(len(VIEWS)))
def test_layouts(view):
    x = numpy.random.default_rng(1).integers(-100, 100, (40, 70))
    xt = VIEWS[view](tenorite.asarray(x))
    x = VIEWS[view](x)
    for axis in (None, *range(x.ndim)):
        check(SUM(xt, axis=axis), x.sum(axis=axis))
        check(LEAST(xt, axis=axis), x.min(axis=axis))


@pytest.mark.parametrize(
    "shape", [(1_000_003,), (3, 400_000), (400_000, 3), (1000, 1000), (100, 100, 100), (2, 3, 200_000)]
)
def test_many_elements(shape):
    x = numpy.random.default_rng(2).integers(-100, 100, shape)
    xt = tenorite.asarray(x)
    for axis in (None, *range(x.ndim)):
        check(SUM(xt, axis=axis), x.sum(axis=axis))
        check(LEAST(xt, axis=axis), x.min(axis=axis))


@pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d", "F", "D"])
def test_every_dtype(dtype):
    x = numpy.arange(1, 60).astype(dtype)
    wide = ReductionKernel("T x", "T y", "x == T(0) ? T(0) : T(1)", "a + b", "y = a", "0", "count")
    check(wide(tenorite.asarray(x)), numpy.array(59 if dtype != "?" else True, dtype))


def test_floats_are_added_in_a_tree():
    x = numpy.random.default_rng(3).random(1_000_000, "f")
    numpy.testing.assert_allclose(SUM(tenorite.asarray(x)).item(), x.sum(dtype="d"), rtol=1e-6)
    two = tenorite.asarray(x).reshape(1000, 1000)
    numpy.testing.assert_allclose(SUM(two, axis=0).get(), x.reshape(1000, 1000).sum(0, "d"), rtol=1e-5)


def test_map_and_post_map():
    norm = ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    x = numpy.arange(10.0).reshape(2, 5)
    numpy.testing.assert_allclose(norm(tenorite.asarray(x), axis=1).get(), numpy.linalg.norm(x, axis=1))


def test_several_inputs_and_scalars():
    dot = ReductionKernel("T x, T y, T scale", "T z", "x * y * scale", "a + b", "z = a", "0", "dot")
    x, y = numpy.arange(12).reshape(3, 4), numpy.arange(4)
    check(dot(tenorite.asarray(x), tenorite.asarray(y), 3, axis=1), (x * y * 3).sum(1))
    check(dot(tenorite.asarray(y), tenorite.asarray(x), 3), (x * y * 3).sum())
    later = ReductionKernel("T x, T scale", "T z", "x", "a + b", "z = a * scale", "0", "later")
    check(later(tenorite.asarray(x), 10, axis=0), x.sum(0) * 10)


def test_several_outputs_and_reduce_type():
    kernel = ReductionKernel(
        "T x",
        "T low, T high",
        "extremes<T>(x)",
        "join(a, b)",
        "low = a.low; high = a.high",
        "",
        "range",
        reduce_type="extremes<T>",
        preamble="""
        template <typename T> struct extremes {
            T low, high;
            __device__ extremes() : low(0), high(0) {}
            __device__ extremes(T x) : low(x), high(x) {}
        };
        template <typename T> __device__ extremes<T> join(const extremes<T>& a, const extremes<T>& b) {
            extremes<T> c;
            c.low = min(a.low, b.low);
            c.high = max(a.high, b.high);
            return c;
        }""",
    )
    x = numpy.random.default_rng(4).standard_normal((300, 500)).astype("f")
    for axis in (None, 0, 1):
        low, high = kernel(tenorite.asarray(x), axis=axis)
        check(low, x.min(axis))
        check(high, x.max(axis))


def test_reduce_type_is_wider():
    mean = ReductionKernel(
        "T x, int64 count", "float32 y", "x", "a + b", "y = a / count", "0", "mean", reduce_type="double"
    )
    x = numpy.full(100_000, 100, "b")
    assert mean(tenorite.asarray(x), x.size).item() == 100


def test_numbers_of_elements():
    x = numpy.random.default_rng(5).permutation(60).reshape(3, 4, 5)
    xt = tenorite.asarray(x)
    places = ReductionKernel("T x", "int64 y", "(long long)_J", "a > b ? a : b", "y = a", "-1", "places")
    check(places(xt, axis=(0, 2)), numpy.full(4, 14))
    outputs = ReductionKernel("T x", "int64 y", "(long long)_i", "a > b ? a : b", "y = a * 100 + _i", "-1", "outputs")
    check(outputs(xt, axis=1), 101 * numpy.arange(15).reshape(3, 5))
    number = ReductionKernel("T x", "int64 y", "(long long)_j", "a + b", "y = a", "0", "number")
    check(
        number(xt, axis=1),
        numpy.add.outer(numpy.zeros(15, int), numpy.arange(4) * 15).sum(1).reshape(3, 5)
        + 4 * numpy.arange(15).reshape(3, 5),
    )


def test_argmin():
    best = ReductionKernel(
        "T x",
        "int64 y",
        "best<T>(x, _J)",
        "a.value < b.value || (a.value == b.value && a.at < b.at) ? a : b",
        "y = a.at",
        None,
        "argmin",
        reduce_type="best<T>",
        preamble="""
        template <typename T> struct best {
            T value; long long at;
            __device__ best() {}
            __device__ best(T value, long long at) : value(value), at(at) {}
        };""",
    )
    x = numpy.random.default_rng(6).integers(0, 50, (200, 300))
    for axis in (None, 0, 1):
        check(best(tenorite.asarray(x), axis=axis), x.argmin(axis))


def test_indexers():
    x = tenorite.zeros((3, 4, 5), "i")
    kernel = ReductionKernel(
        "T x",
        "int64 y",
        "(long long)_in_ind.get()[0]",
        "a + b",
        "y = a * 10 + _out_ind.get()[1]",
        "0",
        "indexers",
        reduce_dims=False,
    )
    check(kernel(x, axis=1), numpy.broadcast_to(60 + numpy.arange(5), (3, 5)).astype("l"))


def test_raw_inputs():
    x = numpy.arange(12).reshape(3, 4)
    weights = numpy.array([10, 20, 30])
    kernel = ReductionKernel("T x, raw T w", "T y", "x * w[_J]", "a + b", "y = a + w[0]", "0", "weighted")
    check(kernel(tenorite.asarray(x), tenorite.asarray(weights), axis=0), weights @ x + 10)
    kernel = ReductionKernel("T x, raw T w", "T y", "x * w", "a + b", "y = a + w", "0", "scaled")
    check(kernel(tenorite.asarray(x), 3, axis=0), 3 * x.sum(0) + 3)


def test_outputs_that_are_given():
    x = numpy.arange(12).reshape(3, 4)
    xt = tenorite.asarray(x)
    out = tenorite.empty(4, "l")
    assert SUM(xt, out, axis=0) is out and out.get().tolist() == x.sum(0).tolist()
    out[...] = 0
    assert SUM(xt, axis=0, out=out) is out and out.get().tolist() == x.sum(0).tolist()
    kept = tenorite.empty((1, 4), "l")
    assert SUM(xt, axis=0, keepdims=True, out=kept) is kept
    check(kept, x.sum(0, keepdims=True))
    strided = tenorite.zeros((4, 3), "l")
    SUM(xt, axis=0, out=strided[:, 1])
    check(strided[:, 1], x.sum(0))
    with pytest.raises(ValueError, match=r"output y is \(3,\), not \(4,\)"):
        SUM(xt, axis=0, out=tenorite.empty(3, "l"))
    with pytest.raises(TypeError, match="Type is mismatched"):
        SUM(xt, axis=0, out=tenorite.empty(4, "f"))
    with pytest.raises(ValueError, match="both a positional and keyword"):
        SUM(xt, out, axis=0, out=out)


def test_no_elements():
    check(SUM(tenorite.empty((0, 3), "l"), axis=0), numpy.zeros(3, int))
    check(SUM(tenorite.empty((0, 3), "l")), numpy.zeros((), int))
    check(SUM(tenorite.empty((0, 3), "l"), axis=1), numpy.zeros(0, int))
    check(LEAST(tenorite.empty((0, 3), "l"), axis=1), numpy.zeros(0, int))
    with pytest.raises(ValueError, match="zero-size array to reduction operation least which has no identity"):
        LEAST(tenorite.empty((0, 3), "l"), axis=0)


def test_bad_axes():
    for axis in (2, -3, (0, 5)):
        with pytest.raises(AxisError):
            SUM(tenorite.ones((2, 3)), axis=axis)
    with pytest.raises(ValueError):
        SUM(tenorite.ones((2, 3)), axis=(0, 0))
    with pytest.raises(TypeError):
        SUM(tenorite.ones((2, 3)), axis="x")


def test_stream_and_capture():
    x = tenorite.arange(1_000_000)
    stream = tenorite.cuda.Stream(non_blocking=True)
    out = tenorite.zeros((), "l")
    SUM(x, out)
    tenorite.cuda.get_current_stream().synchronize()
    assert SUM(x, stream=stream).item() == 499999500000
    out[...] = 0
    tenorite.cuda.get_current_stream().synchronize()
    with stream:
        stream.begin_capture()
        SUM(x, out)
        graph = stream.end_capture()
        graph.launch()
        stream.synchronize()
    assert out.item() == 499999500000


def test_words_of_threads():
    kernel = ReductionKernel("T x", "T y", "x + 0 * (T)threadIdx.y", "a + b", "y = a", "0", "threads")
    x = numpy.arange(10000).reshape(100, 100)
    for axis in (None, 0, 1):
        check(kernel(tenorite.asarray(x), axis=axis), x.sum(axis))


def test_unaligned():
    memory = tenorite.zeros(41, "u1")
    x = tenorite.ndarray((10,), "f", memory.data + 1)
    x[...] = tenorite.arange(10)
    assert SUM(x).item() == 45


def test_attributes():
    kernel = ReductionKernel("T x", "T y", "x * 2", "a + b", "y = a", None, "k", "float", True, "int f();", ("-DA=1",))
    assert (kernel.name, kernel.nin, kernel.nout, kernel.nargs, kernel.identity) == ("k", 1, 1, 2, "")
    assert (kernel.map_expr, kernel.reduce_expr, kernel.post_map_expr) == ("x * 2", "a + b", "y = a")
    assert (kernel.reduce_type, kernel.reduce_dims, kernel.preamble, kernel.options) == (
        "float",
        True,
        "int f();",
        ("-DA=1",),
    )
    again = pickle.loads(pickle.dumps(SUM))
    check(again(tenorite.arange(10)), numpy.array(45))
    assert "a + b" in again.cached_code


def test_refused():
    with pytest.raises(ValueError, match="an output at least"):
        ReductionKernel("T x", "", "x", "a + b", "", "0")
    with pytest.raises(ValueError, match="reduce_expr, line 1"):
        ReductionKernel("T x", "T y", "x", "(a + b", "y = a", "0")
    with pytest.raises(CompileException, match=r"map_expr[:(]1"):
        ReductionKernel("T x", "T y", "missing", "a + b", "y = a", "0")(tenorite.ones(3))
    with pytest.raises(CompileException, match="reduce_type is too large"):
        ReductionKernel(
            "T x",
            "T y",
            "x",
            "a",
            "y = 0",
            "0",
            reduce_type="big",
            preamble="struct big { char x[1000]; __device__ big(int = 0) {} };",
        )(tenorite.ones(3))
    with pytest.raises(TypeError, match="Wrong number of arguments"):
        SUM()
    with pytest.raises(TypeError, match="an invalid keyword"):
        SUM(tenorite.ones(3), size=3)
