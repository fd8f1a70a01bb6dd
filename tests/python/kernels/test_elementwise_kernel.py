"""ElementwiseKernel: parameters, types, shapes, layouts, texts, outputs, attributes,
and hostile input."""

import math
import os
import pickle
import shutil

import numpy
import pytest
import tenorite
from tenorite import ElementwiseKernel
from tenorite.exceptions import CompileException

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))


@pytest.fixture(autouse=True)
def compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def check(result, expected):
    assert result.dtype == expected.dtype
    numpy.testing.assert_array_equal(result.get(), expected)


def random(shape, dtype="f4", seed=0):
    values = numpy.random.default_rng(seed).integers(1, 9, shape).astype(dtype)
    return values, tenorite.asarray(values)


ADD = ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")


# --- Types ---

DTYPES = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d", "F", "D"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype):
    x, xt = random(1000, dtype)
    y, yt = random(1000, dtype, 1)
    check(ADD(xt, yt), x + y)
    twice = ElementwiseKernel("T x", "T y, bool z", "T t = x; y = t * T(2); z = t == T(3)", "twice")
    doubled, is_three = twice(xt)
    check(doubled, (x * 2).astype(dtype) if dtype != "?" else x)
    check(is_three, x == numpy.array(3, dtype))


def test_bfloat16():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = numpy.arange(100).astype(bfloat16)
    out = ElementwiseKernel("bfloat16 x", "bfloat16 y", "y = x * 0.5f + bfloat16(1)", "halves")(tenorite.asarray(x))
    check(out, (x.astype("f") * 0.5 + 1).astype(bfloat16))


def test_complex():
    x = numpy.array([1 + 2j, -3j, 0.5], "F")
    out = ElementwiseKernel("complex64 x", "float32 r, complex64 c", "r = abs(x) + x.imag(); c = conj(x) * x")
    r, c = out(tenorite.asarray(x))
    numpy.testing.assert_allclose(r.get(), abs(x) + x.imag, rtol=1e-6)
    numpy.testing.assert_allclose(c.get(), x.conj() * x, rtol=1e-6)


def test_two_letters():
    mixed = ElementwiseKernel("T x, U y, float64 z", "U w", "w = (U)(x + y + z)", "mixed")
    check(
        mixed(tenorite.arange(4, dtype="i"), tenorite.ones(4, "f"), 0.5),
        numpy.arange(4, dtype="f") + numpy.float32(1.5),
    )


def test_outputs_decide_first():
    cast = ElementwiseKernel("T x", "T y", "y = x", "fill")
    out = tenorite.empty(3, "h")
    assert cast(7, out) is out
    check(out, numpy.full(3, 7, "h"))
    with pytest.raises(TypeError, match=r"Type is mismatched.*x is int16 \(T\), the array is float32"):
        cast(tenorite.ones(3, "f"), out)


def test_scalars_follow_arrays():
    x = tenorite.arange(3, dtype="f")
    for scalar in (2, 2.5, numpy.float64(2.5), numpy.int8(3), True):
        check(ADD(x, scalar), x.get() + numpy.float32(scalar))
    check(ADD(tenorite.arange(3, dtype="b"), 100), numpy.arange(3, dtype="b") + numpy.int8(100))
    with pytest.raises(OverflowError):
        ADD(tenorite.arange(3, dtype="b"), 300)
    with pytest.raises(TypeError, match="a complex number was given"):
        ADD(x, 1j)


def test_scalars_alone():
    out = tenorite.empty(2, "d")
    ElementwiseKernel("T x", "float64 y", "y = x")(3, out)
    check(out, numpy.full(2, 3.0))
    with pytest.raises(ValueError, match="Loop size is undecided"):
        ADD(1, 2)


def test_a_type_that_nothing_says():
    kernel = ElementwiseKernel("float32 x", "T y", "y = x", "unknown")
    with pytest.raises(TypeError, match="nothing says what the type T of output y is"):
        kernel(tenorite.ones(3, "f"))
    out = tenorite.empty(3, "l")
    check(kernel(tenorite.ones(3, "f"), out), numpy.ones(3, "l"))


def test_mismatched_dtype():
    with pytest.raises(TypeError, match="parameter x is float32"):
        ElementwiseKernel("float32 x", "float32 y", "y = x")(tenorite.ones(3))


# --- Shapes and layouts ---

VIEWS = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::2],
    lambda a: a[:, ::3],
    lambda a: a[::-1, ::-1],
    lambda a: a[:, ::-1],
    lambda a: a[1:, 1:],
    lambda a: a[:, 2],
    lambda a: a[:0],
    lambda a: a[3, 4:5].reshape(()),
    lambda a: a[:, None, ::2],
]


@pytest.mark.parametrize("view", range(len(VIEWS)))
def test_layouts(view):
    x, xt = random((40, 60))
    x, xt = VIEWS[view](x), VIEWS[view](xt)
    check(ADD(xt, xt), numpy.asarray(x + x))
    check(ADD(xt, 1), numpy.asarray(x + numpy.float32(1)))
    number = ElementwiseKernel("T x", "int64 y", "y = i + 1000 * (long long)x", "number")
    check(number(xt), numpy.arange(x.size).reshape(x.shape) + 1000 * numpy.asarray(x, "l"))
    out = tenorite.zeros((40, 60), "f")
    if VIEWS[view](out).base is not None:
        ADD(xt, xt, VIEWS[view](out))
        expected = numpy.zeros((40, 60), "f")
        VIEWS[view](expected)[...] = x + x
        check(out, expected)


@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 4), (4,)),
        ((3, 1), (1, 4)),
        ((2, 3, 4), (3, 1)),
        ((5,), ()),
        ((), ()),
        ((1,), (7,)),
        ((0, 3), (3,)),
        ((2, 1, 3, 1, 2), (4, 1, 5, 1)),
        ((70, 1, 90), (1, 80, 1)),
    ],
)
def test_broadcasting(shapes):
    (x, xt), (y, yt) = (random(shape, "i4", k) for k, shape in enumerate(shapes))
    check(ADD(xt, yt), numpy.asarray(x + y))
    out = tenorite.empty(numpy.broadcast_shapes(*shapes), "i4")
    assert ADD(xt, yt, out) is out
    check(out, numpy.asarray(x + y))


def test_inputs_are_broadcast_to_outputs():
    out = tenorite.empty((3, 4), "f")
    ADD(tenorite.arange(4, dtype="f"), 1, out)
    check(out, numpy.broadcast_to(numpy.arange(4, dtype="f") + 1, (3, 4)))


def test_shapes_that_do_not_agree():
    with pytest.raises(ValueError, match="broadcast"):
        ADD(tenorite.ones(3), tenorite.ones(4))
    with pytest.raises(ValueError, match=r"Out shape is mismatched.*output z is \(1,\), not \(4,\)"):
        ADD(tenorite.ones(4), 1, tenorite.ones(1))


def test_in_place_and_overlapping():
    x, xt = random(1000)
    assert ADD(xt, xt, xt) is xt
    check(xt, x + x)
    a, at = random(1000)
    ADD(at[:-1], at[1:], at[1:])
    a[1:] = a[:-1] + a[1:].copy()
    check(at, a)


def test_conditional_stores_keep_the_rest():
    out = tenorite.full(100, -1, "i")
    ElementwiseKernel("T x", "T y", "if (x % 3) continue; y = x")(tenorite.arange(100, dtype="i"), out)
    expected = numpy.arange(100, dtype="i")
    check(out, numpy.where(expected % 3, -1, expected).astype("i"))


def test_return_ends_an_element():
    x = numpy.arange(1000, dtype="i")
    out = ElementwiseKernel("T x", "T y", "y = x; if (x % 3) return; y = -x")(tenorite.asarray(x))
    check(out, numpy.where(x % 3, x, -x))


def test_read_only_outputs():
    out = tenorite.ones(3)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ADD(tenorite.ones(3), 1, out)


def test_unaligned():
    memory = tenorite.zeros(41, "u1")
    x = tenorite.ndarray((10,), "f", memory.data + 1)
    out = tenorite.ndarray((5,), "f", memory.data + 1 + 20)
    x[...] = tenorite.arange(10)
    ADD(x[:5], 1, out)
    check(x, numpy.array([0, 1, 2, 3, 4, 1, 2, 3, 4, 5], "f"))


def test_many_elements():
    x = tenorite.arange(3_000_001, dtype="f")
    check(ADD(x, 1), numpy.arange(3_000_001, dtype="f") + 1)
    check(ADD(x[::3], x[::3]), numpy.arange(3_000_001, dtype="f")[::3] * 2)


@pytest.mark.huge
def test_more_than_32_bits():
    x = tenorite.zeros(2**31 + 10, "b")
    ElementwiseKernel("T x", "T y", "if (i > 2147483650LL) y = 5")(x, x)
    assert int(tenorite.sum(x[:-7])) == 0 and x[-7:].get().tolist() == [5] * 7


# --- raw, size= ---


def test_raw_inputs():
    x, xt = random((4, 5), "i8")
    mirror = ElementwiseKernel("raw T x", "T y", "y = x[n - 1 - i]", "mirror")
    check(mirror(xt, size=20), x.ravel()[::-1])
    check(mirror(xt.T, size=20), x.T.ravel()[::-1])
    check(mirror(xt[::2, ::-2], size=6), x[::2, ::-2].ravel()[::-1])


def test_raw_arrays_tell_their_shape():
    code = """
    const ptrdiff_t at[] = {1, 2};
    y = x.size() * 1000000 + x.shape()[0] * 10000 + x.shape()[1] * 100 + x.strides()[1] * 10 + x.ndim + x[at] + *&x[0]
    """
    x = tenorite.arange(20, dtype="l").reshape(4, 5)
    out = ElementwiseKernel("raw int64 x", "int64 y", code)(x, size=1)
    assert out.item() == 20 * 1000000 + 40000 + 500 + 80 + 2 + 7


def test_raw_beside_others():
    table, tt = random(10, "f")
    index = numpy.array([[1, 9, 3], [0, 0, 2]])
    take = ElementwiseKernel("raw T table, int64 at", "T y", "y = table[at]", "take")
    check(take(tt, tenorite.asarray(index)), table[index])


def test_raw_outputs_and_atomics():
    x, xt = random(10000, "i8")
    out = tenorite.zeros(10, "i8")
    result = ElementwiseKernel("int64 x", "raw int64 y", "atomicAdd(&y[x], 1LL)", "histogram")(xt, out)
    assert result is out
    check(out, numpy.bincount(x, minlength=10))
    real = tenorite.zeros(1, "f")
    ElementwiseKernel("float32 x", "raw float32 y", "atomicAdd(&y[0], x); atomicMax(&y[0], 0.f)")(xt.astype("f"), real)
    assert real.item() == x.sum()


def test_raw_numbers():
    """A number for a raw parameter is one for any other: it has no index."""
    x = tenorite.arange(4, dtype="f")
    scaled = ElementwiseKernel("float32 x, raw float32 c", "float32 y", "y = x * c", "scaled")
    assert scaled(x, numpy.float32(2)).tolist() == scaled(x, 2).tolist() == [0, 2, 4, 6]
    with pytest.raises(tenorite.exceptions.CompileException):
        ElementwiseKernel("raw T x", "T y", "y = x[i]", "first")(3, tenorite.ones(1))


def test_sizes_of_raw_arrays():
    kernel = ElementwiseKernel("raw T x", "T y", "y = x[i]", "first")
    with pytest.raises(TypeError, match="output y is an output|parameter y is an output"):
        kernel(tenorite.ones(3), 3, size=1)
    with pytest.raises(ValueError, match="Loop size is undecided"):
        kernel(tenorite.ones(3))
    with pytest.raises(ValueError, match="'size' can be used only if"):
        ADD(tenorite.ones(3), 1, size=3)
    with pytest.raises(ValueError, match="Output array size is Undecided"):
        ElementwiseKernel("T x", "raw T y", "y[i] = x")(tenorite.ones(3))
    with pytest.raises(ValueError, match="size is -1"):
        kernel(tenorite.ones(3), size=-1)


def test_inputs_that_may_be_written():
    x = tenorite.arange(5)
    assert ElementwiseKernel("_non_const T x", "", "x += i", "bump")(x) is None
    check(x, numpy.arange(5) * 2)


def test_inputs_are_constant():
    with pytest.raises(CompileException):
        ElementwiseKernel("T x", "T y", "x = 1; y = x", "writes")(tenorite.ones(3))


# --- Texts ---


def test_index():
    place = ElementwiseKernel(
        "T x", "T y", "y = x + 100 * _ind.get()[0] + 10 * _ind.get()[1]", "place", reduce_dims=False
    )
    check(place(tenorite.zeros((3, 4), "i")), numpy.add.outer(100 * numpy.arange(3), 10 * numpy.arange(4)).astype("i"))
    size = ElementwiseKernel("T x", "T y", "y = _ind.size() + 1000 * _ind.ndim", "size")
    assert int(size(tenorite.zeros((3, 4), "i")).ravel()[0]) == 1012
    kept = ElementwiseKernel("T x", "T y", "y = _ind.size() + 1000 * _ind.ndim", "size", reduce_dims=False)
    assert int(kept(tenorite.zeros((3, 4), "i")).ravel()[0]) == 2012


def test_preamble_loop_prep_after_loop():
    kernel = ElementwiseKernel(
        "T x, raw T total",
        "T y",
        "T t = SCALE * x; y = helper(t) + base; sum += t",
        "whole",
        preamble="#define SCALE 3\ntemplate <typename T> __device__ T helper(T v) { return v + 1; }",
        loop_prep="T sum = 0; const T base = 10",
        after_loop="atomicAdd((T*)&total[0], sum)",
    )
    total = tenorite.zeros(1, "i")
    x = tenorite.arange(1000, dtype="i")
    check(kernel(x, total), 3 * numpy.arange(1000, dtype="i") + 11)
    assert total.item() == 3 * 499500


def test_options():
    kernel = ElementwiseKernel("T x", "T y", "y = x * N", "scaled", options=("-DN=7",))
    check(kernel(tenorite.arange(3)), numpy.arange(3) * 7)


def test_comments_and_lines():
    check(ElementwiseKernel("T x", "T y", "y = x; // } {", "remark")(tenorite.arange(3)), numpy.arange(3))
    check(ElementwiseKernel("T x", "T y", "/* ) */ y =\\\n x", "split")(tenorite.arange(3)), numpy.arange(3))
    raw = "y = x + (R\"(} \" /*)\"[0] == '}') * 1'000"
    check(ElementwiseKernel("T x", "T y", raw, "raw_string")(tenorite.arange(3)), numpy.arange(3) + 1000)


def test_words_of_threads():
    code = "__shared__ int s; if (threadIdx.x == 0) s = 5; __syncthreads(); y = x + s + 0 * blockIdx.x"
    check(
        ElementwiseKernel("int32 x", "int32 y", code, "threads")(tenorite.arange(128, dtype="i")),
        numpy.arange(128, dtype="i") + 5,
    )


def test_functions_of_mathematics():
    x = numpy.linspace(0.1, 5, 1001, dtype="f")
    code = "y = exp(-x) * sin(x) + log(x) / sqrt(x) + pow(x, 1.5f) + max(x, 1.f) + fabs(tanh(x)) + erf(x)"
    expected = [
        math.exp(-v) * math.sin(v) + math.log(v) / math.sqrt(v) + v**1.5 + max(v, 1) + math.tanh(v) + math.erf(v)
        for v in x.tolist()
    ]
    out = ElementwiseKernel("float32 x", "float32 y", code)(tenorite.asarray(x))
    numpy.testing.assert_allclose(out.get(), expected, rtol=2e-6, atol=1e-6)


def test_names_of_functions():
    x = tenorite.arange(4.0)
    for name in ("exp", "norm", "sin", "main", "memcpy", "add"):
        check(ElementwiseKernel("T x", "T y", "y = x + 1", name)(x), numpy.arange(4.0) + 1)


# --- Results ---


def test_no_outputs_several_outputs_tuples():
    x = tenorite.arange(4)
    assert ElementwiseKernel("T x", "T y", "y = x", no_return=True)(x) is None
    (one,) = ElementwiseKernel("T x", "T y", "y = x", return_tuple=True)(x)
    check(one, numpy.arange(4))
    two = ElementwiseKernel("T x", "T y, float32 z", "y = x; z = x / 2.f")
    y, z = two(x)
    check(y, numpy.arange(4))
    check(z, numpy.arange(4, dtype="f") / 2)
    a, b = tenorite.empty(4, "l"), tenorite.empty(4, "f")
    result = two(x, a, b)
    assert result[0] is a and result[1] is b


def test_block_size_and_stream():
    stream = tenorite.cuda.Stream()
    x = tenorite.arange(1000)
    tenorite.cuda.get_current_stream().synchronize()
    for block in (1, 32, 1024):
        out = ADD(x, 1, block_size=block, stream=stream)
    stream.synchronize()
    check(out, numpy.arange(1000) + 1)
    for block in (0, 1025, -5):
        with pytest.raises(ValueError, match="block_size"):
            ADD(x, 1, block_size=block)


def test_captured():
    x = tenorite.arange(100, dtype="f")
    ADD(x, 1, x)
    stream = tenorite.cuda.Stream(non_blocking=True)
    tenorite.cuda.get_current_stream().synchronize()
    with stream:
        stream.begin_capture()
        ADD(x, 1, x)
        graph = stream.end_capture()
        for _ in range(3):
            graph.launch()
        stream.synchronize()
    check(x, numpy.arange(100, dtype="f") + 4)


def test_numbers_of_arguments():
    with pytest.raises(TypeError, match="Wrong number of arguments for 'add'. It must be either 2 or 3"):
        ADD(tenorite.ones(3))
    with pytest.raises(TypeError, match="an invalid keyword argument"):
        ADD(tenorite.ones(3), 1, axis=0)
    for other in ([1], "x", numpy.ones(3), None):
        with pytest.raises(TypeError, match="Unsupported type"):
            ADD(tenorite.ones(3), other)


def test_override():
    class Other:
        def __cupy_override_elementwise_kernel__(self, kernel, *args, **kwargs):
            return kernel.name, args[0] is self, kwargs

    assert ADD(Other(), tenorite.ones(3), size=4) == ("add", True, {"size": 4})
    assert ADD(tenorite.ones(3), Other())[0] == "add"


# --- Attributes ---


def test_attributes():
    kernel = ElementwiseKernel("T x, raw float32 y", "T z", "z = x", "k", False, "int f();", options=("-DA=1",))
    assert (kernel.name, kernel.nin, kernel.nout, kernel.nargs) == ("k", 2, 1, 3)
    assert [p.name for p in kernel.params] == ["x", "y", "z"]
    assert (kernel.in_params[1].raw, kernel.in_params[1].dtype, kernel.in_params[0].dtype) == (
        True,
        numpy.float32,
        None,
    )
    assert (kernel.in_params[0].is_const, kernel.out_params[0].is_const) == (True, False)
    assert (kernel.operation, kernel.reduce_dims, kernel.preamble) == ("z = x", False, "int f();")
    assert (kernel.no_return, kernel.return_tuple, kernel.kwargs["options"]) == (False, False, ("-DA=1",))


def test_cached_code():
    kernel = ElementwiseKernel("T x", "T y", "y = x + 12345", "coded")
    with pytest.raises(ValueError, match="0 programs"):
        kernel.cached_code
    kernel(tenorite.ones(3, "f"))
    assert "y = x + 12345" in kernel.cached_code
    kernel(tenorite.ones(3, "d"))
    assert set(kernel.cached_codes) == {("float32", "float32"), ("float64", "float64")}
    with pytest.raises(ValueError, match="2 programs"):
        kernel.cached_code


def test_pickle():
    again = pickle.loads(pickle.dumps(ElementwiseKernel("T x", "T y", "y = x * N", options=("-DN=3",))))
    check(again(tenorite.arange(3)), numpy.arange(3) * 3)


# --- Bad parameters and texts ---


@pytest.mark.parametrize(
    "parameters, message",
    [
        ("T", "character 1: a parameter is a type and a name, not 'T'"),
        ("T x,", "character 5"),
        ("T x, , T y", "character 5"),
        ("T i", "reserved: 'i'"),
        ("T _n", "reserved: '_n'"),
        ("T _x", "reserved: '_x'"),
        ("raw raw T x", "not 'raw'"),
        ("const T x", "not 'const'"),
        ("float x", "there is no dtype 'float'"),
        ("int x", "there is no dtype 'int'"),
        ("f32 x", "there is no dtype 'f32'"),
        ("T x, U x", "two parameters have the name 'x'"),
        ("T for", "can't have the name 'for'"),
        ("T 1x", "can't have the name '1x'"),
        ("T x;", "can't have the name 'x;'"),
        ("T x y z w v u t", "a parameter|not"),
        ("1 x", "there is no dtype '1'"),
        ("T T", "is a parameter's name"),
        ("T class", "can't have the name 'class'"),
        ("T x\u00e9", "can't have the name"),
        ("float32 *x", "can't have the name"),
        (", ".join(f"T x{k}" for k in range(100)), "64 parameters at most"),
    ],
)
def test_parameters_that_can_not_be(parameters, message):
    with pytest.raises(ValueError, match=message):
        ElementwiseKernel(parameters, "T y", "y = 0")


def test_the_place_is_shown():
    with pytest.raises(ValueError) as error:
        ElementwiseKernel("float32 x, raw  int y", "float32 z", "z = 0")
    lines = str(error.value).splitlines()
    assert lines[0] == "in_params, character 17: a type is a dtype's name or one letter; there is no dtype 'int'"
    assert lines[1] == "  float32 x, raw  int y" and lines[2] == " " * 18 + "^"


@pytest.mark.parametrize(
    "operation, message",
    [
        ("y = x; } } void evil() { {", "line 1: '}' closes nothing"),
        ("y = (x", r"'\(' is not closed"),
        ("y = x;\n\ny = x]", "line 3: ']' closes nothing"),
        ("/* y = x", "a comment has no end"),
        ('const char *s = "x; y = x', "a quote has no end"),
        ("{" * 1000 + "}" * 1000, "brackets are open"),
        ("y = x; )}", "closes nothing"),
    ],
)
def test_texts_that_leave_their_place(operation, message):
    with pytest.raises(ValueError, match=message):
        ElementwiseKernel("T x", "T y", operation)


@pytest.mark.parametrize("name", ["", "a b", "1a", "for", "a;", "a" * 300, "é"])
def test_names_that_can_not_be(name):
    with pytest.raises(ValueError, match="Invalid kernel name"):
        ElementwiseKernel("T x", "T y", "y = x", name)


def test_types_of_texts():
    for arguments in ((1, "T y", "y = x"), ("T x", None, "y = x"), ("T x", "T y", b"y = x")):
        with pytest.raises(TypeError):
            ElementwiseKernel(*arguments)
    with pytest.raises(ValueError, match="null character"):
        ElementwiseKernel("T x", "T y", "y = x\0")
    with pytest.raises(TypeError, match="options must be"):
        ElementwiseKernel("T x", "T y", "y = x", options="-DA")


def test_compile_errors_have_the_users_lines():
    kernel = ElementwiseKernel("T x", "T y", "y = x;\n\ny = missing_name;", "wrong", preamble="\n\n")
    with pytest.raises(CompileException) as error:
        kernel(tenorite.ones(3))
    text = str(error.value)
    assert "missing_name" in text and ("operation:3" in text or "operation(3)" in text)
    assert "missing_name" in error.value.source and error.value.name == "wrong"
    broken = ElementwiseKernel("T x", "T y", "y = x", "wrong", preamble="\n\nint f() { return absent; }")
    with pytest.raises(CompileException, match=r"preamble[:(]3"):
        broken(tenorite.ones(3))
    with pytest.raises(ValueError, match="preamble, line 2: '{' is not closed"):
        ElementwiseKernel("T x", "T y", "y = x", "wrong", preamble="\nint f( {;")


def test_a_million_characters():
    terms = " + ".join(["x"] * 2000)
    operation = "/*" + "a" * 1_000_000 + "*/ y = " + terms
    check(
        ElementwiseKernel("int32 x", "int32 y", operation)(tenorite.arange(3, dtype="i")),
        2000 * numpy.arange(3, dtype="i"),
    )


def test_many_parameters():
    names = [f"x{k}" for k in range(63)]
    kernel = ElementwiseKernel(", ".join(f"T {name}" for name in names), "T y", "y = " + " + ".join(names), "many")
    arrays = [tenorite.arange(10) + k for k in range(63)]
    check(kernel(*arrays), 63 * numpy.arange(10) + sum(range(63)))


def test_memoize():
    calls = []

    @tenorite.memoize()
    def plain(a, b=2):
        calls.append(a)
        return a + b

    @tenorite.memoize(for_each_device=True)
    def for_device(a):
        calls.append(a)
        return a

    assert [plain(1), plain(1), plain(1, b=3), for_device(5), for_device(5)] == [3, 3, 4, 5, 5]
    assert calls == [1, 1, 5]
    tenorite.clear_memo()
    plain(1)
    assert calls == [1, 1, 5, 1]
