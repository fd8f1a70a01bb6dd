"""Kernels with barriers, which the host runs as loops over the threads of a block where the text
lets it, and on fibers where it does not: both must have the same results."""

import os
import shutil

import numpy
import pytest
import tenorite

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))

# A statement that no thread reaches and that keeps a kernel on fibers.
MEETING = "if (blockDim.x == 0) __syncwarp();"

# Bodies of kernels of (float* x, int n) with 40 x 3 threads a block.
BODIES = {
    "tree": """
        __shared__ float s[128];
        int t = threadIdx.y * blockDim.x + threadIdx.x;
        s[t] = x[t + blockIdx.x * 120];
        if (t < 8) s[120 + t] = 0;
        __syncthreads();
        for (int k = 64; k > 0; k >>= 1) {
            if (t < k) s[t] += s[t + k];
            __syncthreads();
        }
        x[t + blockIdx.x * 120] += s[0];""",
    "scan by two arrays": """
        __shared__ float s[2][40];
        int from = 0, to = 1, t = threadIdx.x;
        if (threadIdx.y == 0) s[0][t] = x[t];
        __syncthreads();
        for (int by = 1; by < blockDim.x; by *= 2, from = 1 - from, to = 1 - to) {
            if (threadIdx.y == 0) s[to][t] = s[from][t] + (t >= by ? s[from][t - by] : 0);
            __syncthreads();
        }
        if (threadIdx.y == 0) x[120 + t] = s[from][t];""",
    "exits before barriers": """
        __shared__ float s[120];
        int t = threadIdx.y * blockDim.x + threadIdx.x;
        s[t] = 0;
        __syncthreads();
        if (t >= n) return;
        s[t] = x[t];
        __syncthreads();
        if (t % 3 == 0) return;
        x[t] = s[(t + 1) % n];
        __syncthreads();
        x[t + 120] = s[n - 1 - t];""",
    "blocks that leave": """
        __shared__ float s;
        if (blockIdx.x == 1) return;
        if (threadIdx.x == 0 && threadIdx.y == 0) s = x[n];
        __syncthreads();
        x[threadIdx.x + 40 * threadIdx.y] = s;""",
    "private arrays and pointers": """
        __shared__ float s[120];
        const int t = threadIdx.y * blockDim.x + threadIdx.x;
        float own[4] = {1, 2}, plain[2], *at = x + t;
        const float* ends = x + 240;
        plain[0] = plain[1] = 3;
        for (int k = 0; k < 3; k++) {
            s[t] = at < ends ? *at : 0;
            __syncthreads();
            for (int j = 0; j < 4; j++) own[j] += s[(t + j * k) % 120];
            plain[k % 2] *= own[k];
            at += 7;
            __syncthreads();
        }
        x[t] = own[0] + own[1] * own[2] - own[3] + plain[0] + plain[1];""",
    "parameters that change": """
        __shared__ float s[120];
        x += blockIdx.x * 120;
        float* own = x + threadIdx.y * 40;
        n -= threadIdx.x;
        s[threadIdx.x + threadIdx.y * 40] = own[threadIdx.x];
        __syncthreads();
        n *= 2;
        own[threadIdx.x] = n + s[119 - threadIdx.x];""",
    "loops": """
        __shared__ float s[40];
        int t = threadIdx.x, turn = 0;
        float sum = 0.5f;
        do {
            if (threadIdx.y == 0) s[t] = turn + t;
            __syncthreads();
            sum += s[(t + turn) % 40];
            __syncthreads();
            turn++;
            if (turn == 3) continue;
            sum -= 1;
        } while (turn < 5);
        while (true) {
            turn++;
            if (turn > n) break;
            if (threadIdx.y == 1) s[t] = sum;
            __syncthreads();
            sum = s[39 - t] + 1;
            __syncthreads();
        }
        for (; turn > 0;) {
            turn -= 2;
            __syncthreads();
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < a + 2; b++) { sum += a * b; __syncthreads(); }
        }
        x[t + 40 * (threadIdx.y + 3 * blockIdx.x)] = sum;""",
    "one word for all": """
        __shared__ int count;
        __shared__ float values[120];
        int t = threadIdx.y * blockDim.x + threadIdx.x;
        if (t == 0) count = 0;
        __syncthreads();
        x += 120 * blockIdx.x;
        if (x[t] > 30) values[atomicAdd(&count, 1)] = 1;
        __syncthreads();
        int found = count;
        if (found > 10) {
            values[t] = found;
            __syncthreads();
            x[t] = values[119 - t];
        } else
            x[t] = -1;
        for (int k = found; k > found - 2; k--) __syncthreads();""",
    "threads that differ in the last branch": """
        __shared__ float s[40];
        float v = x[threadIdx.x], w;
        if (v > 20) w = v; else w = -v;
        for (int k = threadIdx.x; k < 40; k += 7) { if (k > 33) break; v += k; if (k & 1) continue; v -= 2; }
        if (threadIdx.y == 0) s[threadIdx.x] = v;
        __syncthreads();
        if (threadIdx.y == 1) { float v = 2; x[threadIdx.x + 40] = s[39 - threadIdx.x] * v + w; }
        else if (threadIdx.y == 2) x[threadIdx.x + 80] = v - w;""",
    "addresses": """
        __shared__ float s[120];
        int t = threadIdx.y * 40 + threadIdx.x;
        float sine, cosine;
        sincosf(t, &sine, &cosine);
        double whole;
        double part = modf(x[t] / 7.0, &whole);
        s[t] = part;
        __syncthreads();
        add_to(sine, whole);
        x[t + 120 * blockIdx.x] = (sine + cosine) * s[119 - t];""",
    "vectors and complex numbers": """
        __shared__ float4 s[40];
        float4 v = make_float4(threadIdx.x, 1, 2, 3);
        complex<float> z(threadIdx.x, 1), w;
        v.y += threadIdx.y;
        if (threadIdx.y == 0) s[threadIdx.x] = v;
        __syncthreads();
        v.x += s[39 - threadIdx.x].x;
        z *= complex<float>(0, 2);
        __syncthreads();
        x[threadIdx.x + threadIdx.y * 40] = v.x + v.y + z.real() - z.imag() + w.real();""",
    "macros and constants": """
        __shared__ float s[WIDTH * ROWS];
        auto at = OWN(threadIdx.x, threadIdx.y);
        auto row = threadIdx.y % ROWS;
        #pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            if (row == k) s[at] = x[at] * k;
            __syncthreads();
            if (k + 1 < ROWS) s[OWN((threadIdx.x + 1) % WIDTH, threadIdx.y)] += half_of(k);
            __syncthreads();
        }
        x[at + 120] = s[at];""",
}

BEFORE = """#include <cupy/complex.cuh>
constexpr int WIDTH = 40;
#define ROWS 3
#define OWN(x, y) ((x) + WIDTH * (y))
__device__ void add_to(float& a, double b) { a += b; }
__device__ float half_of(int k) { return k * 0.5f; }
template <typename T> __device__ T later(T v) { __syncthreads(); return v; }
"""


@pytest.fixture(autouse=True)
def compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def test_equal_results():
    names = [f"k{number}" for number in range(len(BODIES))]
    head = 'extern "C" __global__ void '
    split = BEFORE + "".join(f"{head}{n}(float* x, int n) {{{b}\n}}\n" for n, b in zip(names, BODIES.values()))
    fibers = BEFORE + "".join(
        f"{head}{n}(float* x, int n) {{{MEETING} {b}\n}}\n" for n, b in zip(names, BODIES.values())
    )
    modules = [tenorite.RawModule(code=code) for code in (split, fibers)]
    for name, title in zip(names, BODIES):
        results = []
        for module in modules:
            x = (tenorite.arange(400, dtype="f") * 7) % 60
            blocks = 2 if "blockIdx" in BODIES[title] else 1
            module.get_function(name)((blocks,), (40, 3), (x, 100))
            results.append(x.get())
        assert not numpy.array_equal(results[0], numpy.arange(400, dtype="f") * 7 % 60), title
        numpy.testing.assert_array_equal(results[0], results[1], err_msg=title)


def test_templates_of_kernels():
    code = """
    template <typename T, int N> __global__ void reverse(const T* from, T* to) {
        __shared__ T s[N];
        T own = from[threadIdx.x];
        s[threadIdx.x] = own;
        __syncthreads();
        for (int k = 0; k < N; k++) to[threadIdx.x] = s[N - 1 - threadIdx.x] + own;
    }"""
    names = ["reverse<float, 64>", "reverse<long long, 8>"]
    module = tenorite.RawModule(code=code, name_expressions=names)
    for name, dtype, count in zip(names, "fq", (64, 8)):
        x = tenorite.arange(count, dtype=dtype)
        to = tenorite.zeros(count, dtype)
        module.get_function(name)((1,), (count,), (x, to))
        assert to.tolist() == [count - 1] * count


@pytest.mark.host_only("a failed assertion ends a GPU's context")
def test_failures_name_the_thread():
    code = """extern "C" __global__ void k(int* x) {
        __shared__ int s[8];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        assert(s[7 - threadIdx.x] != 2);
        x[threadIdx.x] = 0;
    }"""
    kernel = tenorite.RawKernel(code, "k")
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"kernel k: .*thread \(5,0,0\) of block \(0,0,0\)"):
            kernel((1,), (8,), (tenorite.arange(8, dtype="i"),))
            tenorite.cuda.get_current_stream().synchronize()
