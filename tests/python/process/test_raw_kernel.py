"""RawKernel and RawModule: text, arguments, barriers, warps, atomics, templates, variables, and
hostile input."""

import io
import os
import pickle
import re
import shutil

import numpy
import pytest
import tenorite
from programs import has_cooperative_groups
from tenorite.exceptions import CompileException

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
host_only = pytest.mark.host_only("it is about the system's compiler")


@pytest.fixture(autouse=True)
def compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def kernel(code, name="k", **options):
    return tenorite.RawKernel(f'extern "C" __global__ {code}', name, **options)


ADD = """void k(const float* x, const float* y, float* z, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}"""


# --- Launches ---


@pytest.mark.parametrize("n", [0, 1, 31, 1000, 100003])
def test_add(n):
    x, y = tenorite.arange(n, dtype="f"), tenorite.ones(n, "f")
    z = tenorite.zeros(n, "f")
    kernel(ADD)(((n + 255) // 256,), (256,), (x, y, z, n))
    numpy.testing.assert_array_equal(z.get(), numpy.arange(n, dtype="f") + 1)


def test_three_dimensions():
    code = """void k(int* x) {
        unsigned at = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        x[block * blockDim.x * blockDim.y * blockDim.z + at] += threadIdx.x * 10000 + threadIdx.y * 100 + threadIdx.z;
    }"""
    x = tenorite.zeros((2, 3, 4, 5, 6, 7), "i")  # gz gy gx bz by bx
    kernel(code)((4, 3, 2), (7, 6, 5), (x,))
    bz, by, bx = numpy.ogrid[:5, :6, :7]
    expected = numpy.broadcast_to(bx * 10000 + by * 100 + bz, x.shape)
    numpy.testing.assert_array_equal(x.get(), expected)


def test_on_a_stream():
    x = tenorite.arange(1000, dtype="f")
    z = tenorite.zeros_like(x)
    stream = tenorite.cuda.Stream()
    add = kernel(ADD)
    for _ in range(20):
        add((4,), (256,), (x, z, z, 1000), stream=stream)
    stream.synchronize()
    numpy.testing.assert_array_equal(z.get(), 20 * numpy.arange(1000, dtype="f"))


def test_captured():
    x, z = tenorite.arange(100, dtype="f"), tenorite.zeros(100, "f")
    add = kernel(ADD)
    add.compile()
    stream = tenorite.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        add((1,), (128,), (x, z, z, 100))
        graph = stream.end_capture()
        for _ in range(3):
            graph.launch()
        stream.synchronize()
    numpy.testing.assert_array_equal(z.get(), 3 * numpy.arange(100, dtype="f"))


def test_views_are_given_by_their_first_element():
    x = tenorite.arange(10, dtype="f")
    kernel("void k(float* x) { x[threadIdx.x] = -1; }")((1,), (2,), (x[4::2],))
    assert x.get().tolist() == [0, 1, 2, 3, -1, -1, 6, 7, 8, 9]


# --- Arguments ---


def given(type_, value, dtype):
    out = tenorite.zeros(1, dtype)
    kernel(f"void k({type_} v, {type_}* out) {{ *out = v; }}")((1,), (1,), (value, out))
    return out.get()[0]


@pytest.mark.parametrize(
    "type_, value, dtype",
    [
        ("long long", -5, "q"),
        ("int", -5, "i"),
        ("unsigned long long", 2**64 - 1, "Q"),
        ("double", 2.5, "d"),
        ("bool", True, "?"),
        ("bool", False, "?"),
        ("float", numpy.float32(1.5), "f"),
        ("short", numpy.int16(-3), "h"),
        ("unsigned char", numpy.uint8(200), "B"),
        ("double", numpy.float64(2), "d"),
        ("float", numpy.array([1.25], "f"), "f"),
    ],
)
def test_scalars(type_, value, dtype):
    assert given(type_, value, dtype) == value


@pytest.mark.parametrize("type_, value", [("complex<float>", numpy.complex64(1 - 2j)), ("complex<double>", 3 + 4j)])
def test_complex_scalars(type_, value):
    out = tenorite.zeros(1, numpy.asarray(value).dtype)
    code = f"""#include <cupy/complex.cuh>
    extern "C" __global__ void k({type_} v, {type_}* out) {{ *out = v * conj(v) + exp(v); }}"""
    tenorite.RawKernel(code, "k")((1,), (1,), (value, out))
    numpy.testing.assert_allclose(out.get()[0], value * numpy.conj(value) + numpy.exp(value), rtol=1e-6)


def test_half():
    code = """#include <cuda_fp16.h>
    extern "C" __global__ void k(half v, half* out) { out[threadIdx.x] = __hadd(v, __float2half(threadIdx.x)); }"""
    out = tenorite.zeros(8, "e")
    tenorite.RawKernel(code, "k")((1,), (8,), (numpy.float16(0.5), out))
    numpy.testing.assert_array_equal(out.get(), numpy.arange(8, dtype="e") + numpy.float16(0.5))


def test_half_is_rounded_as_numpy_rounds():
    values = numpy.array([0, 1e-8, 3e-8, 6e-8, 6.1e-5, 1.0005, 2049, 65504, 65519, 65520, numpy.inf, numpy.nan], "f")
    values = numpy.concatenate([values, -values, numpy.linspace(-1, 1, 1001, dtype="f")])
    code = """#include <cuda_fp16.h>
    extern "C" __global__ void k(const float* x, half* y) { y[blockIdx.x] = __float2half(x[blockIdx.x]); }"""
    out = tenorite.zeros(len(values), "e")
    tenorite.RawKernel(code, "k")((len(values),), (1,), (tenorite.asarray(values), out))
    with numpy.errstate(over="ignore"):
        numpy.testing.assert_array_equal(out.get(), values.astype("e"))


def test_struct_by_value():
    kind = numpy.dtype([("a", "i4"), ("b", "f8"), ("c", "i2", 3)], align=True)
    value = numpy.array((1, 2.5, (3, 4, 5)), kind)
    code = """struct S { int a; double b; short c[3]; };
    extern "C" __global__ void k(S s, double* out) { *out = s.a + s.b + s.c[0] + s.c[1] + s.c[2]; }"""
    out = tenorite.zeros(1)
    tenorite.RawKernel(code, "k")((1,), (1,), (value, out))
    assert out.item() == 15.5
    tenorite.RawKernel(code, "k")((1,), (1,), (value[()], out))
    assert out.item() == 15.5


def test_null_and_memory():
    memory = tenorite.cuda.alloc(64)
    code = "void k(void* nothing, int* x) { *x = nothing == nullptr; }"
    kernel(code)((1,), (1,), (None, memory + 8))
    assert tenorite.ndarray((1,), "i", memory + 8).item() == 1


def test_many_arguments():
    names = ", ".join(f"int a{k}" for k in range(100))
    total = " + ".join(f"{k + 1} * a{k}" for k in range(100))
    out = tenorite.zeros(1, "i")
    kernel(f"void k(int* out, {names}) {{ *out = {total}; }}")((1,), (1,), (out, *range(100)))
    assert out.item() == sum((k + 1) * k for k in range(100))


@pytest.mark.parametrize("value", [[1], "x", object(), numpy.arange(3), {}])
def test_refused_arguments(value):
    with pytest.raises(TypeError, match="Unsupported type"):
        kernel("void k(int x) {}")((1,), (1,), (value,))


@host_only
@pytest.mark.parametrize(
    "arguments, message",
    [
        ((), "takes 1 arguments, 0 were given"),
        ((1.5,), "8 bytes was given"),
        ((numpy.int32(3),), "a whole number of 4 bytes"),
    ],
)
def test_arguments_that_can_not_be_the_kernels(arguments, message):
    with pytest.raises(TypeError, match=message):
        kernel("void k(float x) {}")((1,), (1,), arguments)


def test_arguments_that_no_parameter_takes():
    """The driver takes them, so programs have them."""
    out = tenorite.zeros(3, "i")
    kernel("void k(int* out) { out[threadIdx.x] = threadIdx.x; }")((1,), (3,), (out, 1.5, out, True))
    assert out.tolist() == [0, 1, 2]


@host_only
def test_a_number_for_a_pointer():
    with pytest.raises(TypeError, match="the kernel takes an address"):
        kernel("void k(float* x) {}")((1,), (1,), (1.5,))


@pytest.mark.parametrize("grid, block", [((1,), (1025,)), ((1,), (0,)), ((1,), (32, 33)), ((1, 70000), (1,))])
def test_sizes(grid, block):
    with pytest.raises(RuntimeError, match="cudaErrorInvalidConfiguration"):
        kernel("void k() {}")(grid, block, ())
    with pytest.raises(ValueError):
        kernel("void k() {}")((1, 1, 1, 1), (1,), ())


# --- Blocks ---


def test_tiled_product():
    code = """
    #define TILE 16
    extern "C" __global__ void k(const float* a, const float* b, float* c, int n) {
        __shared__ float at[TILE][TILE], bt[TILE][TILE];
        int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
        float sum = 0;
        for (int t = 0; t < n; t += TILE) {
            at[y][x] = a[row * n + t + x];
            bt[y][x] = b[(t + y) * n + column];
            __syncthreads();
            for (int k = 0; k < TILE; k++) sum += at[y][k] * bt[k][x];
            __syncthreads();
        }
        c[row * n + column] = sum;
    }"""
    n = 96
    a, b = (numpy.random.default_rng(k).integers(-9, 9, (n, n)).astype("f") for k in range(2))
    c = tenorite.zeros((n, n), "f")
    tenorite.RawKernel(code, "k")((n // 16, n // 16), (16, 16), (tenorite.asarray(a), tenorite.asarray(b), c, n))
    numpy.testing.assert_array_equal(c.get(), a @ b)


def test_shared_variables_of_equal_names():
    """Of kernels of equal names in two programs: each has its own, of its own size."""
    code = """extern "C" __global__ void k(float* to) {
        __shared__ float s[COUNT];
        for (int i = threadIdx.x; i < COUNT; i += blockDim.x) s[i] = i;
        __syncthreads();
        to[threadIdx.x] = s[COUNT - 1] + threadIdx.x;
    }"""
    for count in (4, 4000, 40):
        to = tenorite.zeros(4, "f")
        tenorite.RawKernel(code.replace("COUNT", str(count)), "k")((1,), (4,), (to,))
        assert to.tolist() == [count - 1, count, count + 1, count + 2]


@pytest.mark.parametrize("declared", ["__forceinline__ float", "inline float", "template <class T> T"])
def test_shared_variables_of_device_functions_of_equal_names(declared):
    """Each program has its own of these, too, and its own static variables of templates."""
    code = f"""template <class T> struct Table {{ static __device__ T at[COUNT]; }};
    template <class T> __device__ T Table<T>::at[COUNT];
    __device__ {declared} last(float by) {{
        __shared__ float s[COUNT];
        for (int i = threadIdx.x; i < COUNT; i += blockDim.x) s[i] = Table<float>::at[i] = i;
        __syncthreads();
        return s[COUNT - 1] + by + Table<float>::at[COUNT - 2];
    }}
    extern "C" __global__ void k(float* to, unsigned long long* where) {{
        to[threadIdx.x] = last{"<float>" if "template" in declared else ""}(threadIdx.x);
        *where = (unsigned long long)Table<float>::at;
    }}"""
    places = set()
    for count in (4, 4000, 40):
        to, where = tenorite.zeros(4, "f"), tenorite.zeros(1, "u8")
        tenorite.RawKernel(code.replace("COUNT", str(count)), "k")((1,), (4,), (to, where))
        assert to.tolist() == [2 * count - 3 + k for k in range(4)]
        places.add(int(where[0]))
    assert len(places) == 3


def test_dynamic_shared_memory_and_divergent_exits():
    code = """extern __shared__ long long shared[];
    extern "C" __global__ void k(long long* x, int n) {
        extern __shared__ long long s[];
        int t = threadIdx.x;
        if (t >= n) return;  // leaves before the barriers
        s[t] = x[t];
        __syncthreads();
        for (int by = 1; by < n; by *= 2) {
            long long v = t >= by ? shared[t - by] : 0;
            __syncthreads();
            s[t] += v;
            __syncthreads();
        }
        x[t] = s[t];
    }"""
    x = tenorite.arange(700, dtype="q")
    tenorite.RawKernel(code, "k")((1,), (1024,), (x, 700), shared_mem=700 * 8)
    numpy.testing.assert_array_equal(x.get(), numpy.cumsum(numpy.arange(700)))


def test_too_much_shared_memory():
    code = "void k(int n) { extern __shared__ char s[]; for (int k = threadIdx.x; k < n; k += blockDim.x) s[k] = 1; }"
    k = kernel(code)
    with pytest.raises(RuntimeError):
        k((1,), (32,), (60000,), shared_mem=60000)
    k.max_dynamic_shared_size_bytes = 60000
    assert k.max_dynamic_shared_size_bytes == 60000
    k((1,), (32,), (60000,), shared_mem=60000)
    tenorite.cuda.Device().synchronize()
    k.max_dynamic_shared_size_bytes = 48 << 10
    with pytest.raises(RuntimeError):
        k.max_dynamic_shared_size_bytes = 1 << 30


def test_votes_of_a_block():
    code = """void k(int* out, const int* p) {
        int t = threadIdx.x;
        out[t] = __syncthreads_count(p[t]);
        out[100 + t] = (__syncthreads_and(p[t]) != 0) + 2 * (__syncthreads_or(p[t]) != 0);
        out[200 + t] = (__syncthreads_and(1) != 0) + 2 * (__syncthreads_or(0) != 0);
    }"""
    out = tenorite.zeros(300, "i")
    p = tenorite.asarray((numpy.arange(100) % 7 == 0).astype("i"))
    kernel(code)((1,), (100,), (out, p))
    assert set(out.get()[:100]) == {15} and set(out.get()[100:200]) == {2} and set(out.get()[200:]) == {1}


def test_shuffles():
    code = """void k(int* x, double* y) {
        int t = threadIdx.x;
        unsigned all = 0xffffffff;
        x[t] = __shfl_sync(all, t, 5);
        x[64 + t] = __shfl_up_sync(all, t, 3);
        x[128 + t] = __shfl_down_sync(all, t, 3, 8);
        x[192 + t] = __shfl_xor_sync(all, t, 1);
        double v = t;
        for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(all, v, o);
        y[t] = v;
    }"""
    x, y = tenorite.zeros(256, "i"), tenorite.zeros(64)
    kernel(code)((1,), (64,), (x, y))
    t = numpy.arange(64)
    lane, warp = t % 32, t // 32 * 32
    x = x.get()
    numpy.testing.assert_array_equal(x[:64], warp + 5)
    numpy.testing.assert_array_equal(x[64:128], numpy.where(lane >= 3, t - 3, t))
    numpy.testing.assert_array_equal(x[128:192], numpy.where(lane % 8 < 5, t + 3, t))
    numpy.testing.assert_array_equal(x[192:], t ^ 1)
    numpy.testing.assert_array_equal(y.get(), numpy.where(t < 32, 496, 1520))


def test_votes_of_a_warp():
    code = """void k(unsigned* x, const int* p) {
        int t = threadIdx.x;
        unsigned all = 0xffffffff;
        x[t] = __ballot_sync(all, p[t]);
        x[64 + t] = __any_sync(all, p[t]) + 2 * __all_sync(all, p[t]);
        x[128 + t] = __match_any_sync(all, p[t] / 2);
        if (t % 32 < 16) x[192 + t] = __ballot_sync(0xffff, 1);
        else x[192 + t] = __ballot_sync(0xffff0000, t % 2);
    }"""
    p = numpy.arange(64) % 4
    x = tenorite.zeros(256, "I")
    kernel(code)((1,), (64,), (x, tenorite.asarray(p.astype("i"))))
    x = x.get()
    assert set(x[:64]) == {0xEEEEEEEE} and set(x[64:128]) == {1}
    numpy.testing.assert_array_equal(x[128:192], numpy.where(p < 2, 0x33333333, 0xCCCCCCCC))
    numpy.testing.assert_array_equal(x[192:], numpy.where(numpy.arange(64) % 32 < 16, 0xFFFF, 0xAAAA0000))


def test_a_part_of_a_warp():
    code = """void k(int* x) {
        int t = threadIdx.x;
        if (t >= 20) return;
        int v = t;
        for (int o = 1; o < 32; o *= 2) v = max(v, __shfl_xor_sync(0xfffff, v, o) * (((t ^ o) < 20) ? 1 : 0));
        __syncwarp(0xfffff);
        x[t] = v;
    }"""
    x = tenorite.zeros(20, "i")
    kernel(code)((1,), (32,), (x,))
    assert x.get().max() == 19


@pytest.mark.parametrize(
    "dtype, type_", [("i", "int"), ("I", "unsigned"), ("Q", "unsigned long long"), ("f", "float"), ("d", "double")]
)
def test_atomics(dtype, type_):
    code = f"""void k({type_}* x, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        atomicAdd(&x[i % 3], ({type_})1);
        atomicMax(&x[3], ({type_})i);
        atomicMin(&x[4], ({type_})i);
        atomicExch(&x[5], ({type_})7);
    }}"""
    x = tenorite.asarray(numpy.array([0, 0, 0, 0, 9, 0], dtype))
    if dtype in "fd":  # CUDA has no extremes of these, and exchanges no double
        code = code.replace("atomicExch(&x[5], (double)7)", "x[5] = 7")
        code = re.sub("atomicM..", "atomicAdd", code.replace("(double)i", "(double)0").replace("(float)i", "(float)0"))
    kernel(code)((100,), (96,), (x, 9000))
    expected = [3000, 3000, 3000, 0, 9, 7] if dtype in "fd" else [3000, 3000, 3000, 8999, 0, 7]
    assert x.get().tolist() == expected


def test_compare_and_swap():
    code = """void k(int* lock, int* x) {
        bool done = false;
        while (!done) {
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                *(volatile int*)x += 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
        }
    }"""
    lock, x = tenorite.zeros(1, "i"), tenorite.zeros(1, "i")
    kernel(code)((20,), (40,), (lock, x))
    assert x.item() == 800


def test_a_block_waits_for_earlier_ones():
    code = """void k(volatile int* done, int* order) {
        if (threadIdx.x == 0) {
            while (blockIdx.x && done[blockIdx.x - 1] == 0) __nanosleep(100);
            order[blockIdx.x] = blockIdx.x ? order[blockIdx.x - 1] + 1 : 0;
            __threadfence();
            done[blockIdx.x] = 1;
        }
        __syncthreads();
    }"""
    done, order = tenorite.zeros(200, "i"), tenorite.zeros(200, "i")
    kernel(code)((200,), (32,), (done, order))
    assert order.get().tolist() == list(range(200))


def test_cooperative_launch():
    code = """#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void k(int* x) {
        cg::grid_group grid = cg::this_grid();
        x[grid.thread_rank()] = 1;
        grid.sync();
        int sum = 0;
        for (int k = 0; k < (int)grid.size(); k++) sum += x[k];
        grid.sync();
        x[grid.thread_rank()] = sum;
    }"""
    x = tenorite.zeros(8 * 32, "i")
    k = tenorite.RawKernel(code, "k", enable_cooperative_groups=True)
    if not has_cooperative_groups():
        pytest.skip("CUDA's cooperative_groups.h needs CCCL's headers")
    k((8,), (32,), (x,))
    assert set(x.get()) == {256}
    with pytest.warns(tenorite.exceptions.PerformanceWarning, match="cut from 2000000 blocks"):
        kernel("void k() {}", enable_cooperative_groups=True)((2000000,), (32,), ())
    with pytest.raises(ValueError, match="run at a time"):
        k((2000, 1000), (32,), (x,))


@host_only
def test_a_grid_without_a_cooperative_launch():
    code = """#include <cooperative_groups.h>
    extern "C" __global__ void k() { cooperative_groups::this_grid().sync(); }"""
    with pytest.raises(RuntimeError, match="not cooperative"):
        tenorite.RawKernel(code, "k")((2,), (32,), ())


@host_only
def test_barriers_that_never_meet():
    code = "void k() { if (threadIdx.x == 3) __syncwarp(); else __syncthreads(); }"
    with pytest.raises(RuntimeError, match="different barriers"):
        kernel(code)((1,), (32,), ())
    test_tiled_product()


@host_only
def test_assertions():
    code = "void k() { assert(threadIdx.x < 5); }"
    with pytest.raises(RuntimeError, match=r"kernel k: .*threadIdx.x < 5 \(kernel.cu:1\) in thread \(5,0,0\) of block"):
        kernel(code)((4,), (32,), ())


def test_printf(capfd):
    kernel('void k() { printf("thread %d of %s\\n", (int)threadIdx.x, "a block"); }')((1,), (3,), ())
    tenorite.cuda.Device().synchronize()
    assert sorted(capfd.readouterr().out.splitlines()) == [f"thread {k} of a block" for k in range(3)]


# --- Modules ---

MODULE = """
__constant__ float coefficients[4];
__device__ int calls = 5;
namespace inner { template <int N, class T> __global__ void fill(T* x) { x[threadIdx.x] = N + calls; } }
template <typename T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by * coefficients[1]; }
extern "C" { __global__ void first(float* x) { x[threadIdx.x] = coefficients[threadIdx.x]; } }
extern "C" __global__ __launch_bounds__(64) void second(int* x) { atomicAdd(&calls, 1); *x = calls; }
#if 0
extern "C" __global__ void absent() { nonsense }
#endif
"""


def test_module():
    module = tenorite.RawModule(code=MODULE, name_expressions=["scale<float>", "inner::fill<3, short>"])
    pointer = module.get_global("coefficients")
    assert pointer.mem.size == 16
    tenorite.ndarray((4,), "f", pointer)[...] = tenorite.asarray(numpy.array([1, 2, 3, 4], "f"))
    x = tenorite.ones(4, "f")
    module.get_function("scale<float>")((1,), (4,), (x, numpy.float32(3)))
    assert x.get().tolist() == [6] * 4
    module.get_function("first")((1,), (4,), (x,))
    assert x.get().tolist() == [1, 2, 3, 4]
    y = tenorite.zeros(2, "h")
    tenorite.ndarray((1,), "i", module.get_global("calls"))[...] = 5
    module.get_function("inner::fill<3, short>")((1,), (2,), (y,))
    assert y.get().tolist() == [8, 8]
    z = tenorite.zeros(1, "i")
    module.get_function("second")((1,), (1,), (z,))
    assert z.item() == 6


@pytest.mark.parametrize("name", ["absent", "nothing", "calls", "scale", ""])
def test_absent_functions(name):
    with pytest.raises((ValueError, RuntimeError)):
        tenorite.RawModule(code=MODULE).get_function(name)
    with pytest.raises((ValueError, RuntimeError)):
        tenorite.RawModule(code=MODULE).get_global("no_such_variable")


def test_options():
    k = kernel("void k(int* x) { *x = N; }", options=("-DN=42", "--std=c++17", "-lineinfo", "-DON", "-D", "K=U"))
    x = tenorite.zeros(1, "i")
    k((1,), (1,), (x,))
    assert x.item() == 42 and k.options[:2] == ("-DN=42", "--std=c++17")
    with pytest.raises((CompileException, ValueError)):
        kernel("void k() {}", options=("--no-such-option",)).compile()
    with pytest.raises(TypeError, match="options must be a tuple of str"):
        kernel("void k() {}", options="-DN=4")


def test_includes(tmp_path):
    (tmp_path / "own.h").write_text("#define OWN 17\n")
    x = tenorite.zeros(1, "i")
    code = '#include "own.h"\nextern "C" __global__ void k(int* x) { *x = OWN; }'
    tenorite.RawKernel(code, "k", options=(f"-I{tmp_path}",))((1,), (1,), (x,))
    assert x.item() == 17


def test_compile_errors_have_the_users_lines():
    code = 'extern "C" __global__ void k(int* x) {\n    int y = 3;\n    *x = undeclared_name;\n}\n'
    k = tenorite.RawKernel(code, "k")
    with pytest.raises(CompileException, match=r"(?s)[:(]3[:)].*undeclared_name") as caught:
        k.compile()
    error = caught.value
    assert (error.source, error.name) == (code, "k")
    text = io.StringIO()
    error.dump(text)
    assert "3     *x = undeclared_name;" in text.getvalue()
    assert pickle.loads(pickle.dumps(error)).get_message() == error.get_message()
    with pytest.raises(CompileException, match="undeclared_name"):
        k((1,), (1,), (tenorite.zeros(1, "i"),))


def test_pickle_and_attributes():
    k = pickle.loads(pickle.dumps(kernel(ADD)))
    x, z = tenorite.arange(8, dtype="f"), tenorite.zeros(8, "f")
    k((1,), (8,), (x, x, z, 8))
    assert z.get().tolist() == (2 * numpy.arange(8)).tolist()
    assert k.name == "k" and k.backend == "nvrtc" and "void k" in k.code and k.file_path is None
    assert k.attributes["max_threads_per_block"] == k.max_threads_per_block == 1024
    module = pickle.loads(pickle.dumps(tenorite.RawModule(code=MODULE, name_expressions=("scale<float>",))))
    assert module.get_function("scale<float>").name == "scale<float>"
    again = pickle.loads(pickle.dumps(module.get_function("first")))
    again((1,), (4,), (x,))
    module.compile(log_stream=io.StringIO())
    with pytest.raises(AttributeError):
        k.num_regs = 3


@host_only("a GPU's kernel is compiled by nvcc")
def test_nvcc_on_host():
    """The host's compiler serves both; names of templates' instances need NVRTC."""
    x, z = tenorite.arange(5, dtype="f"), tenorite.zeros(5, "f")
    of_nvcc = kernel(ADD, backend="nvcc")
    of_nvcc((1,), (5,), (x, x, z, 5))
    assert z.tolist() == [0, 2, 4, 6, 8] and of_nvcc.backend == "nvcc" and of_nvcc.kernel is of_nvcc
    with pytest.raises(ValueError, match="name_expressions"):
        tenorite.RawModule(code="", backend="nvcc", name_expressions=["k<int>"])
    with pytest.raises(ValueError, match="backend"):
        kernel(ADD, backend="hipcc")
    with pytest.raises(TypeError, match="Exactly one"):
        tenorite.RawModule()


def test_nvcc_that_is_missing(monkeypatch, tmp_path):
    from tenorite._kernels import nvcc

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_PATH", str(tmp_path))
    monkeypatch.delenv("NVCC", raising=False)
    with pytest.raises(RuntimeError, match="needs nvcc"):
        nvcc.find()
    (tmp_path / "nvcc").write_text("#!/bin/sh\necho no such word >&2; exit 1\n")
    (tmp_path / "nvcc").chmod(0o755)
    with pytest.raises(CompileException, match="no such word") as raised:
        nvcc.compile_file("text", ("-DN=1",), "90")
    assert raised.value.source == "text" and raised.value.backend == "nvcc"
    (tmp_path / "nvcc").write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done; echo image > "$2"\n')
    with nvcc.compile_file("text", ("-DN=1",), "90") as image:
        assert image.read() == b"image\n"


def test_cstruct():
    code = """#include <cupy/carray.cuh>
    extern "C" __global__ void k(CArray<float, 2> x, CArray<int, 0> n, CArray<float, 1> sum) {
        const ptrdiff_t at[] = {(ptrdiff_t)blockIdx.x, (ptrdiff_t)threadIdx.x};
        sum[(ptrdiff_t)blockIdx.x * x.shape()[1] + threadIdx.x] = x[at] + n[(ptrdiff_t)0] + x.strides()[0] + x.size();
    }"""
    x = tenorite.arange(24, dtype="f").reshape(4, 6)[::-1, ::2]
    to, n = tenorite.zeros(24, "f")[::2], tenorite.array(7, dtype="i")
    tenorite.RawKernel(code, "k")((4,), (3,), (x.cstruct, n.cstruct, to.cstruct))
    numpy.testing.assert_array_equal(to.get(), x.get().ravel() + 7 - 24 + 12)


def test_mdspan():
    """The layout of cuda::std::mdspan with layout_stride: the address, the extents, the strides."""
    code = """template <typename I, int N> struct span { float* data; I extents[N], strides[N]; };
    __device__ float at(span<int, 2> s, int i, int j) { return s.data[i * s.strides[0] + j * s.strides[1]]; }
    extern "C" __global__ void k(span<int, 2> x, span<long long, 1> to) {
        to.data[(blockIdx.x * x.extents[1] + threadIdx.x) * to.strides[0]] = at(x, blockIdx.x, threadIdx.x);
    }"""
    x, to = tenorite.arange(24, dtype="f").reshape(6, 4).T[::2], tenorite.zeros(24, "f")[::2]
    tenorite.RawKernel(code, "k")((2,), (6,), (x.mdspan(index_type="int32"), to.mdspan()))
    numpy.testing.assert_array_equal(to.get(), x.get().ravel())
    with pytest.raises(ValueError, match="int16"):
        x.mdspan(index_type="int16")
    with pytest.raises(RuntimeError, match="0-th dimension has non-positive stride"):
        x[::-1].mdspan()
    with pytest.raises(RuntimeError, match="1-th dimension has size zero"):
        x[:, :0].mdspan()
    x[::-1].mdspan(allow_unsafe=True)
    with pytest.raises(ValueError, match="not multiples"):
        tenorite.ndarray((3,), "f", tenorite.zeros(16, "b").data, strides=(5,)).mdspan()


def test_cucomplex():
    code = """#include <cuComplex.h>
    extern "C" __global__ void k(cuDoubleComplex* z) {
        z[0] = cuCmul(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, cuCreal(z[0])));
    }"""
    for translates in (False, True):
        z = tenorite.full(1, 4 + 0j)
        tenorite.RawKernel(code, "k", translate_cucomplex=translates)((1,), (1,), (z,))
        assert z.item() == (1 + 2j) * (3 + 4j)


# --- What can't be on the host ---


@host_only
@pytest.mark.parametrize(
    "code, message",
    [
        ('void k(int* x) { asm volatile("mov.u32 %0, %laneid;" : "=r"(*x)); }', "inline PTX can't run on the host"),
        ("void k(float* x, cudaTextureObject_t t) { *x = texCubemap<float>(t, 0.5f, 0.5f); }", "texCubemap can't run"),
        ("void k(int& x) { }", "reference"),
    ],
)
def test_refused_by_name(code, message):
    with pytest.raises(CompileException, match=message):
        kernel(code).compile()


@host_only
def test_ptx_that_the_preprocessor_leaves_out():
    code = """void k(int* x) {
    #if __CUDA_ARCH__ >= 10000
        asm("nonsense;");
    #endif
        *x = 3;
    }"""
    x = tenorite.zeros(1, "i")
    kernel(code)((1,), (1,), (x,))
    assert x.item() == 3


@host_only
@pytest.mark.parametrize("name", ["k.cubin", "k.fatbin", "k.ptx"])
def test_images_are_refused(tmp_path, name):
    """An image is for GPUs; the failure names what to give instead."""
    from tenorite.cuda.driver import CUDADriverError
    from tenorite.cuda.function import Module

    path = tmp_path / name
    path.write_bytes(b".version 8.0" if name.endswith("ptx") else b"\x7fELF")
    advice = r"image for GPUs.*the CUDA C\+\+ text .*RawModule\(code="
    with pytest.raises(ValueError, match=f"{re.escape(name)} is an {advice}"):
        tenorite.RawModule(path=path).compile()
    with pytest.raises(ValueError, match=advice):
        tenorite.RawModule(path=path).get_function("k")
    with pytest.raises(CUDADriverError, match=f"{re.escape(name)} is an {advice}"):
        Module().load_file(path)
    with pytest.raises(CUDADriverError, match=advice):
        Module().load(path.read_bytes())


# --- Hostile text ---


@pytest.mark.parametrize(
    "code",
    [
        'extern "C" __global__ void k() {',
        'extern "C" __global__ void k() }',
        'extern "C" __global__ void k(',
        'extern "C" __global__',
        'extern "C',
        '"unclosed',
        "/* unclosed",
        'R"x(unclosed',
        "#if 1\n",
        "((((",
        "))))",
        "asm(",
        "asm",
        "extern __shared__",
        "#include <no/such/header.h>",
        "__global__ __global__ __global__ (",
        "}}}} int main() {",
        "\\",
        "'",
        "#define X \\",
        "\x01\x02",
    ],
)
def test_hostile_text(code):
    with pytest.raises((CompileException, ValueError, RuntimeError)):
        tenorite.RawKernel(code, "k").compile()


@pytest.mark.parametrize("name", ["k>::entry(0), (", "k;", "a b", "1", '"', "k\n", "k\\"])
def test_hostile_names(name):
    code = 'extern "C" __global__ void k() {}'
    with pytest.raises((CompileException, ValueError, RuntimeError)):
        tenorite.RawModule(code=code, name_expressions=[name]).get_function(name)
    with pytest.raises((CompileException, ValueError, RuntimeError)):
        tenorite.RawKernel(code, name).compile()


def test_a_million_characters():
    code = "// " + "x" * 1000 + "\n"
    code = code * 1000 + 'extern "C" __global__ void k(int* x) { *x = __LINE__; }'
    x = tenorite.zeros(1, "i")
    tenorite.RawKernel(code, "k")((1,), (1,), (x,))
    assert x.item() == 1001


def test_functions_of_complex_numbers():
    names = [
        "asin",
        "acos",
        "atan",
        "asinh",
        "acosh",
        "atanh",
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "log10",
        "sqrt",
        "conj",
        "proj",
    ]
    body = "".join(f"to[{k} * n + i] = {name}(z);\n" for k, name in enumerate(names))
    code = f"""#include <cupy/complex.cuh>
    extern "C" __global__ void k(const complex<double>* from, complex<double>* to, int n) {{
        int i = threadIdx.x;
        complex<double> z = from[i];
        {body}
    }}"""
    re, im = numpy.meshgrid([-3.0, -0.7, 0.2, 1.5], [-2.0, -0.3, 0.4, 1.1])
    z = (re + 1j * im).ravel()
    to = tenorite.zeros((len(names), z.size), "D")
    tenorite.RawKernel(code, "k")((1,), (z.size,), (tenorite.asarray(z), to, z.size))
    for name, found in zip(names, to.get()):
        known = {
            "proj": lambda z: z,
            "asin": numpy.arcsin,
            "acos": numpy.arccos,
            "atan": numpy.arctan,
            "asinh": numpy.arcsinh,
            "acosh": numpy.arccosh,
            "atanh": numpy.arctanh,
        }
        expected = known.get(name) or getattr(numpy, name)
        numpy.testing.assert_allclose(found, expected(z), rtol=1e-13, err_msg=name)
