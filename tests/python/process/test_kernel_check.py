"""TENORITE_KERNEL_CHECK=1: planted faults are told of with kernel, argument, index and thread."""

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
extern "C" __global__ void behind(const float* x, float* y, int n) {
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
for name, grid, block in [("behind", 2, (32,)), ("before", 2, (32,)), ("rows", 1, (4, 9)), ("beyond", 1, (32,)),
                          ("race", 1, (32,)), ("together", 1, (32,))]:
    print(name, says(name, (grid,), block, shared_mem=64), flush=True)
print(says("race", (1,), (1,)), says("behind", (1,), (32,)))
"""

EXPECTED = {
    "behind": ["kernel behind", "argument 1: index 50 is written", "0 to 49", "thread (18,0,0) of block (1,0,0)"],
    "before": ["kernel before", "argument 0: index -1 is read", "thread (0,0,0) of block (0,0,0)"],
    "rows": ["kernel rows", "index 8 is outside of an array", "float", "thread (0,8,0) of block (0,0,0)"],
    "beyond": ["byte 64 of dynamic shared memory is written, which has 64 bytes", "thread (16,0,0)"],
    "race": ["a race", "shared variable tile, which thread (15,0,0) has read", "in thread (16,0,0)"],
    "together": ["a race", "shared variable sum", "thread (0,0,0) has written", "in thread (1,0,0)"],
}


def test_planted_faults(tmp_path):
    environment = {**os.environ, "TENORITE_KERNEL_CHECK": "1", "TENORITE_CACHE_DIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    for name, line in zip(EXPECTED, lines):
        assert line.startswith(name + " ")
        for part in EXPECTED[name]:
            assert part in line, line
    assert lines[-1] == "None None"
