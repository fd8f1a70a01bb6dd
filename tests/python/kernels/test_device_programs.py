"""The programs of element-wise and reduction kernels compile with NVRTC; no GPU is
needed: the driver is a test double, which computes nothing."""

import os
import sys

import pytest
from programs import DOUBLES, ROOT, needs_doubles, on_double, output_of, python

sys.path.append(os.path.join(ROOT, "tests", "python", "cuda"))
import test_device_text as device_text

PROGRAM = """
import tenorite
from tenorite import ElementwiseKernel, ReductionKernel
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
x = tenorite.empty((6, 8), "f")
count = 0

def run(kernel, *arguments, **options):
    global count
    kernel(*arguments, **options)
    count += 1

for name in DTYPES:
    a = tenorite.empty(10, name)
    run(ElementwiseKernel("T x, T y", "T z, bool w", "T t = x; z = t * y + T(1); w = x == y"), a, a)
    run(ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "total"), a)
    run(ReductionKernel("T x", "T y", "x", "a", "y = a", None, "first"), a)
for view in (x, x.T, x[::2], x[:, ::3], x[0, 0], x[::-1, 1:]):
    run(ElementwiseKernel("T x, T y", "T z", "z = x + y"), view, x[:1, :1])
    run(ElementwiseKernel("T x", "int64 z", "z = i + n + _ind.get()[0] + _ind.size()", reduce_dims=False), view)
    for axis in (None, *range(view.ndim)):
        for places in ("_j + _J + _i", "_j", "_in_ind.get()[0] + _in_ind.size()"):
            run(ReductionKernel("T x, raw T w, T s", "T y, T z", places + " + x * w[_J] * s", "max(a, b)",
                                "y = sqrt(a), z = s + _out_ind.size()", "0", "many", reduce_dims=places[0] != "("),
                view, x, 2, axis=axis)
raw = '''
    const ptrdiff_t at[] = {0, 1};
    atomicAdd(&y[i], x.size() + x.shape()[0] + x.strides()[0] + x.ndim + x[at] + x[0] + *&x[i] + x[_ind.get()[0]]);
    atomicMax(&y[i], 1.f); atomicAdd(&h[0], float16(1)); atomicAdd(&b[0], 1LL); if (x[i] > y[0]) continue;
'''
for view in (x, x.T):
    run(ElementwiseKernel("raw T x", "raw T y, raw float16 h, raw int64 b", raw), view, view,
        tenorite.empty(3, "e"), tenorite.empty(3, "q"), size=6)
run(ElementwiseKernel("T x, U y, complex64 c, bfloat16 b, float16 h", "T z",
                      "z = exp(x) * y + abs(c) + b * h + CUDART_PI_F + min(h, h) + (float32)real(c); complex128 d(c)",
                      "exp"), x, 2.5, 1j, 2, 3)
run(ElementwiseKernel("T x, raw T total", "T y", "y = helper(x) * N; sum += x", "whole", options=("-DN=3",),
                      preamble="template <typename T> __device__ T helper(T v) { return v + 1; }",
                      loop_prep="T sum = 0", after_loop="atomicAdd((T*)&total[0], sum)"), x, x)
for axis in (0, 1):  # texts of the oldest standard that a program may ask for
    oldest = {"options": ("-std=c++11",)}
    run(ElementwiseKernel("T x, T y", "T z", "z = x + y + axis".replace("axis", str(axis)), "oldest", **oldest), x, x)
    run(ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "total", **oldest), x, x[:1], axis=axis)
run(ElementwiseKernel("_non_const T x", "", "__shared__ int s; s = threadIdx.x; __syncthreads(); x = s"), x)
print(count)
"""


@needs_doubles
def test_all_compile(tmp_path):
    if device_text.load() is None:
        pytest.skip("NVRTC is not installed")
    variables = on_double(tmp_path)
    del variables["TENORITE_NVRTC_PATH"]
    assert DOUBLES.exists() and int(output_of(PROGRAM, variables)) > 80


OF_HEADERS = """
import os, sys
sys.path[:0] = sys.argv[1:3]
import tenorite, test_headers
tenorite.RawKernel(test_headers.COMPLEX, "k").compile()
tenorite.RawKernel(test_headers.ATOMICS, "k").compile()
for name, text in (("outer.cuh", test_headers.OUTER), ("sub/inner.cuh", test_headers.INNER)):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w") as file:
        file.write(text.replace("#include <cuda_fp16.h>", ""))
tenorite.RawKernel('#define FACTOR 2\\n#include "outer.cuh"', "sizes", options=("-I.",)).compile()
"""


@needs_doubles
def test_programs_with_headers_compile(tmp_path):
    if device_text.load() is None:
        pytest.skip("NVRTC is not installed")
    variables = on_double(tmp_path)
    del variables["TENORITE_NVRTC_PATH"]
    folders = [str(ROOT / "tests" / "python" / folder) for folder in ("kernels", ".")]
    done = python("-c", OF_HEADERS, *folders, variables=variables, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
