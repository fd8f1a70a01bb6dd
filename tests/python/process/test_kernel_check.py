"""TENORITE_KERNEL_CHECK=1: planted faults are reported with kernel, argument, index and thread."""

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.host_only("the check is the host's"),
    pytest.mark.skipif(
        not (os.environ.get("TENORITE_CXX") or shutil.which("c++") or shutil.which("g++")),
        reason="no C++ compiler is installed",
    ),
]

SCRIPT = """
import tenorite, numpy

code = r'''
extern __shared__ float dynamic[];
__device__ void add(float* to, float v) { *to += v; }
template <typename T> __global__ void good(T* x, const T* y, int n) {
    __shared__ T s[64];
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    s[t] = x[t];
    __syncthreads();
    atomicAdd(&count, 1);
    for (int k = 32; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    dynamic[t] = s[0] + count;
    __syncwarp();
    add(&x[t], dynamic[t ^ 1] + y[n - 1 - t]);
}
extern "C" __global__ void after(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = 1;
}
extern "C" __global__ void before(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i - 1];
}
extern "C" __global__ void rows(const float* x, float* y, int n) {
    __shared__ float s[4][8];
    s[threadIdx.x][threadIdx.y] = 1;
}
extern "C" __global__ void beyond(const float* x, float* y, int n) {
    dynamic[threadIdx.x] = 1;
}
extern "C" __global__ void race(const float* x, float* y, int n) {
    __shared__ float tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = tile[31 - threadIdx.x];
}
extern "C" __global__ void together(const float* x, float* y, int n) {
    __shared__ float sum;
    sum = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = sum;
}
'''
module = tenorite.RawModule(code=code, name_expressions=["good<float>"])

def says(name, grid, block, **options):
    x, y = tenorite.arange(100, dtype="f")[:50], tenorite.zeros(50, "f")
    try:
        module.get_function(name)(grid, block, (x, y, 50), **options)
        tenorite.cuda.get_current_stream().synchronize()
    except RuntimeError as error:
        assert not y.any(), "the outputs of a launch that failed are as they were"
        return str(error)
    return None

x, y = tenorite.arange(64, dtype="f"), tenorite.arange(200, dtype="f")
module.get_function("good<float>")((1,), (64,), (x, y[36:100], 64), shared_mem=256)
numpy.testing.assert_array_equal(x.get(), numpy.arange(64) + 2016 + 64 + numpy.arange(36, 100)[::-1])
for name, grid, block in [("after", 2, (32,)), ("before", 2, (32,)), ("rows", 1, (4, 9)), ("beyond", 1, (32,)),
                          ("race", 1, (32,)), ("together", 1, (32,))]:
    print(name, says(name, (grid,), block, shared_mem=64), flush=True)
print(says("race", (1,), (1,)), says("after", (1,), (32,)))
"""

EXPECTED = {
    "after": ["kernel after", "argument 1: index 50 is written", "0 to 49", "thread (18,0,0) of block (1,0,0)"],
    "before": ["kernel before", "argument 0: index -1 is read", "thread (0,0,0) of block (0,0,0)"],
    "rows": ["kernel rows", "index 8 is outside of an array", "float", "thread (0,8,0) of block (0,0,0)"],
    "beyond": ["byte 64 of dynamic shared memory is written, which has 64 bytes", "thread (16,0,0)"],
    "race": ["a race", "shared variable tile, which thread (15,0,0) has read", "in thread (16,0,0)"],
    "together": ["a race", "shared variable sum", "thread (0,0,0) has written", "in thread (1,0,0)"],
}

TEMPLATES = """
import numpy
import tenorite
from tenorite import ElementwiseKernel, ReductionKernel

whole = tenorite.arange(100, dtype="f")
x, backwards = whole[10:60], whole[59:9:-1]
table = tenorite.arange(48, dtype="f").reshape(4, 12)[:, ::2]
near = ElementwiseKernel("raw T x, T y", "T z", "z = x[i + 1] + y", "near")
spread = ElementwiseKernel("T x", "raw T y", "y[i * 2] = x", "spread")
below = ElementwiseKernel("raw T x", "T y", "y = x[i - 1]", "below")
at = ElementwiseKernel("raw T x, int32 by", "T y", "int at[] = {(int)(i / 5), (int)(i % 5) + by}; y = x[at]", "at")
weigh = ReductionKernel("T x, raw T w", "T y", "x * w[0]", "a + b", "y = a + w[50]", "0", "weigh")
rest = ReductionKernel("T x, raw T w", "T y", "x * w[50]", "a + b", "y = a", "0", "rest", reduce_type="float")
same = ElementwiseKernel("T x, raw T r", "T z, raw T w", "z = x + r[i]; w[49 - i] += 1", "same")

# What is right stays so: arrays that share memory, backwards, and beside others.
ones = tenorite.ones(51, "f")
numpy.testing.assert_array_equal(near(x, backwards[1:]).get(), 11 + numpy.arange(49) + 58 - numpy.arange(49))
numpy.testing.assert_array_equal(at(table, 1, size=20).get().reshape(4, 5), table.get()[:, 1:])
assert float(weigh(x, ones)) == float(x.sum()) + 1 and float(rest(backwards, ones)) == float(x.sum())
counts = tenorite.zeros(5, "i8")
ElementwiseKernel("int64 x", "raw int64 y", "atomicAdd(&y[x], 1LL)", "count")(tenorite.arange(9) // 2, counts)
assert counts.tolist() == [2, 2, 2, 2, 1]
out = tenorite.zeros(50, "f")
same(backwards, x, out, out)
assert out.tolist() == [70.0] * 25 + [69.0] * 25

for name, call in {
    "near": lambda: near(x, x),
    "spread": lambda: spread(x, tenorite.zeros(40, "f")),
    "below": lambda: below(backwards, size=50),
    "at": lambda: at(table, 2, size=20),
    "weigh": lambda: weigh(x, ones[:50]),
    "rest": lambda: rest(x, ones[:50]),
}.items():
    try:
        print(name, call(), flush=True)
    except RuntimeError as error:
        print(name, error, flush=True)
"""
TEMPLATES_EXPECTED = {
    "near": ["kernel near_kernel", "argument 0: index 50 is read", "float32 has 0 to 49", "thread (49,0,0) of block"],
    "spread": ["kernel spread_kernel", "argument 1: index 40 is written", "0 to 39", "thread (20,0,0) of block"],
    "below": ["kernel below_kernel", "argument 0: index 1 is read", "-49 to 0", "thread (0,0,0) of block"],
    "at": ["kernel at_kernel", "argument 0: index 48 is read", "0 to 46", "thread (19,0,0) of block"],
    "weigh": ["kernel weigh_kernel", "argument 1: index 50 is read", "0 to 49"],
    "rest": ["kernel rest_kernel", "argument 1: index 50 is read", "0 to 49", "thread (0,0,0) of block"],
}


@pytest.mark.parametrize("script, expected", [(SCRIPT, EXPECTED), (TEMPLATES, TEMPLATES_EXPECTED)])
def test_planted_faults(tmp_path, script, expected):
    environment = {**os.environ, "TENORITE_KERNEL_CHECK": "1", "TENORITE_CACHE_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert len(lines) >= len(expected)
    for name, line in zip(expected, lines):
        assert line.startswith(name + " ")
        for part in expected[name]:
            assert part in line, line
    assert script is not SCRIPT or lines[-1] == "None None"
