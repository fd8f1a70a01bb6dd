"""Integers divided by 0, and the least by -1: both backends give one value."""

import os
import shutil
import subprocess
import sys

import numpy
import pytest
import tenorite

TYPES = {
    "i1": "signed char",
    "u1": "unsigned char",
    "i2": "short",
    "u2": "unsigned short",
    "i4": "int",
    "u4": "unsigned",
    "i8": "long long",
    "u8": "unsigned long long",
}
has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))


@pytest.fixture(autouse=True)
def compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def operands(dtype):
    low, high = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
    pairs = [(5, 0), (0, 0), (high, 0), (high - 1, 0), (7, 2), (high, 3), (1, high), (high, high)]
    if low < 0:
        pairs += [(low, 0), (low, -1), (low + 1, -1), (-7, 2), (7, -2), (low, low), (5, -1)]
    return numpy.array(pairs, dtype).T.copy()


def expected(x, y):
    """Truncated as in C++. By 0: all bits set, of 64 bits the lower half alone for a dividend that
    fits there; the least by -1 is itself, and leaves 0."""
    quotients, remainders = [], []
    for a, b in zip(x.tolist(), y.tolist()):
        by_0 = 2**32 - 1 if x.itemsize == 8 and 0 <= a < 2**32 else -1
        quotient = by_0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        quotients.append(quotient)
        remainders.append(by_0 if b == 0 else a - quotient * b)
    mask = 2 ** (8 * x.itemsize) - 1
    unsigned = x.dtype.str.replace("i", "u")
    return [numpy.array([v & mask for v in of], unsigned).view(x.dtype) for of in (quotients, remainders)]


def check(found, x, y):
    """Where NVRTC makes a remainder of the quotient, that by 0 is the dividend."""
    wanted = expected(x, y)
    if tenorite.cuda.Device().backend == "cuda":
        wanted[1] = numpy.where((y == 0) & (found[1] == x), x, wanted[1])
    numpy.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", TYPES)
def test_raw_kernels(dtype):
    """By operators, by assignments, in a macro, in a macro's argument, and with a barrier."""
    code = """
    #define REST(a, b) ((a) % (b))
    #define SAME(v) (v)
    template <class N> __device__ N over(N a, N b) { return a / b; }
    extern "C" __global__ void k(const T *x, const T *y, T *out, int n) {
        __shared__ T tile[32];
        int i = threadIdx.x;
        tile[i] = i < n ? x[i] : 0;
        __syncthreads();
        if (i >= n) return;
        T a = tile[i], b = x[i];
        a /= y[i];
        b %= y[i];
        out[i] = x[i] / y[i]; out[n + i] = x[i] % y[i];
        out[2 * n + i] = a; out[3 * n + i] = b;
        out[4 * n + i] = SAME(over<T>(x[i], y[i])); out[5 * n + i] = REST(x[i], y[i]);
    }""".replace("T ", TYPES[dtype] + " ").replace("<T>", f"<{TYPES[dtype]}>")
    x, y = operands(dtype)
    out = tenorite.zeros((3, 2, len(x)), dtype)
    tenorite.RawKernel(code, "k")((1,), (32,), (tenorite.asarray(x), tenorite.asarray(y), out, len(x)))
    for found in out.get():
        check(found, x, y)


@pytest.mark.parametrize("dtype", TYPES)
def test_elementwise_and_reductions(dtype):
    x, y = operands(dtype)
    both = tenorite.ElementwiseKernel("T x, T y", "T q, T r", "q = x / y; r = x % y", "both")
    xt, yt = tenorite.asarray(x), tenorite.asarray(y)
    for q, r in (both(xt, yt), [v[::-1] for v in both(xt[::-1], yt[::-1])]):
        check([q.get(), r.get()], x, y)
    total = tenorite.ReductionKernel("T x, T y", "T z", "x / y", "a ^ b", "z = a", "0", "total")
    assert total(xt, yt).get() == numpy.bitwise_xor.reduce(expected(x, y)[0])


def test_what_a_text_does_after_a_division_stands():
    """No compiler may conclude from a division that the divisor is not 0."""
    x = tenorite.arange(-2, 3, dtype="i4")
    after = tenorite.ElementwiseKernel("T x, T y", "T z", "z = x / y; if (y == 0) z = 70 + i", "after")
    assert after(x, x).tolist() == [1, 1, 72, 1, 1]


def test_divisions_beside_numbers_and_texts():
    """A separator in a number begins no character, and a raw string hides no division."""
    code = r"""extern "C" __global__ void k(int *x, int n) {
        x[0] = 1'000 * (n / x[0]) + 1'000;
        const char *text = R"("/" // )"; x[1] = text[1] * (n / x[1]);
    }"""
    x = tenorite.zeros(2, "i4")
    tenorite.RawKernel(code, "k")((1,), (1,), (x, 7))
    assert x.tolist() == [0, -ord("/")]


def test_vectorize():
    vectorized = tenorite.vectorize(lambda a, b: a // b + a % b)
    x = tenorite.asarray(numpy.array([5, 5, -(2**31)], "i4"))
    assert vectorized(x, tenorite.asarray(numpy.array([2, 0, -1], "i4"))).tolist() == [3, 0, -(2**31)]


PROGRAM = r"""
import numpy, tenorite
code = r'''
#include <cuda_fp16.h>
#include <cupy/complex.cuh>
#define HALF(n) ((n) / two)
struct V {
    float x;
    __device__ V operator/(float s) { return {x / s}; }
    __device__ V &operator/=(float s) { x /= s; return *this; }
    __device__ V operator%(int k) const { return {x + k}; }
};
template <class S> __device__ V operator*(V v, S s) { return {v.x * (float)s}; }
template <int N> struct K { static const int k = 1; int b[N / k + 8 / sizeof(float)]; };
enum { SIZE = 64, WARPS = SIZE / (32) };
enum class E : unsigned { A = 3 };
static_assert(SIZE / WARPS == 32 && -7 % (WARPS) == -1, "");
__device__ int in_place(volatile int *p, int n) { *p /= n; return *p / n % (n); }
__device__ int halved(int two) { return HALF(10); }
extern "C" __global__ void k(int *o, float *f, complex<float> *z, double *d, int n) {
    __shared__ int tile[SIZE / WARPS];
    tile[threadIdx.x % n] = threadIdx.x / n; __syncthreads();
    V v{4}; v = v / 2.f; v /= (float)n; v = v % n;
    f[0] = v.x / *f; f[0] /= *f; f[1] = f[1] / n / n;
    z[0] = z[0] / (float)n; z[0] /= z[1]; z[1] = z[1] / z[0]; z[1] = 1.f / z[1];
    __half h = __float2half(3.f); h = h / h; f[3] = __half2float(h) / (n ? n : 1);
    d[0] = 1 / (double)n + n / d[1]; d[1] /= n; d[1] /= n ? 2 : 3; d[0] /= d[1] = 4;
    o[0] = n / 0; o[1] = in_place(o + 1, n); o[2] = halved(3); o[3] = WARPS / n; o[4] = 'a' / n;
    o[5] = n > 0 ? n / -1 : n % -1; o[6] = -n / n * n % (n); o[7] = int((long long)n / (unsigned char)n);
    const char *s = "a / b % c"; o[8] = s[2] / n; o[9] = n/*two*// n; o[10] = n // n
        / n; o[11] <<= n / n; auto q = [&](int a) { return a / n; }; o[12] = q(4) % q(5);
    K<2> of; o[13] = sizeof of.b / (sizeof of.b[0]); o[13] |= n & 1 / n;
    char c = -128; c /= (short)-1; o[14] = c; o[15] = int(E::A) / n; assert(n / n == 1);
    o[16] = (__int128)n / 0; int *p = o + 17; *p++ /= n; --p[0] /= n; bool b = n / n; o[18] = b;
}
'''
o = tenorite.arange(100, 120, dtype="i4")
tenorite.RawKernel(code, "k")((1,), (1,), (o, tenorite.ones(8, "f4"), tenorite.ones(8, "F"), tenorite.ones(8), 1))
print(o.tolist())
"""
VALUES = [-1, 0, 3, 2, 97, -1, 0, 1, 47, 1, 1, 222, 4, 5, -128, 3, -1, 117, 1, 119]


@pytest.mark.host_only("it counts the runs of the system's compiler")
def test_texts_with_divisions_are_compiled_once(tmp_path):
    """The text that is made of divisions compiles wherever they may stand."""
    real = shutil.which(os.environ.get("TENORITE_CXX") or "c++") or shutil.which("g++") or shutil.which("clang++")
    path = tmp_path / "compiler"
    path.write_text(f'#!/bin/sh\necho one >> {tmp_path}/runs\nexec {real} "$@"\n')
    path.chmod(0o755)
    environment = {**os.environ, "TENORITE_CXX": str(path), "TENORITE_CACHE_DIR": ""}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120)
    assert run.stdout == f"{VALUES}\n", run.stderr
    assert (tmp_path / "runs").read_text() == "one\n"
