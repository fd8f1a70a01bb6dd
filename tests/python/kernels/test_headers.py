"""The files that programs' kernels include."""

import os
import sys

import numpy
import pytest
import tenorite
from programs import ROOT
from tenorite._kernels import headers

sys.path.append(os.path.join(ROOT, "tests", "python", "cuda"))
import test_device_text as device_text

HEADERS = r"""
#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <math_constants.h>
#include <cuda_fp16.h>
extern "C" __global__ void k(CArray<float, 2, true> a, complex<float>* z, __half* h, double* sums) {
    int i = threadIdx.x;
    ptrdiff_t place[2] = {i / 2, i % 2};
    z[i] = complex<float>(a[place], CUDART_PI_F);
    h[i] = __float2half(a[place] / 2);
    atomicAdd(&sums[0], (double)a[place]);
    atomicMax(&sums[1], i ? (double)a[place] : CUDART_INF);
}
"""


def test_headers_of_programs():
    """The files that CuPy's users include are there on both backends."""
    a = tenorite.arange(4, dtype="f").reshape(2, 2)
    z, h, sums = tenorite.zeros(4, "F"), tenorite.zeros(4, "e"), tenorite.zeros(2)
    tenorite.RawKernel(HEADERS, "k")((1,), (4,), (a.cstruct, z, h, sums))
    numpy.testing.assert_array_equal(z.get(), numpy.arange(4, dtype="f") + numpy.complex64(1j * numpy.pi))
    numpy.testing.assert_array_equal(h.get(), numpy.arange(4, dtype="e") / 2)
    assert sums.get().tolist() == [6, numpy.inf]


CCCL = """
#include <cub/block/block_reduce.cuh>
#include <cuda/std/mdspan>
using table = cuda::std::mdspan<float, cuda::std::dextents<long long, 2>, cuda::std::layout_stride>;
extern "C" __global__ void total(table x, float* y) {
    typedef cub::BlockReduce<float, 128> reduce;
    __shared__ typename reduce::TempStorage memory;
    float sum = reduce(memory).Sum(x(blockIdx.x, threadIdx.x));
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
"""


@pytest.mark.host_only("a GPU takes it")
def test_cccl_on_host():
    """Headers of CCCL are refused by name."""
    with pytest.raises(tenorite.exceptions.CompileException, match="headers of CCCL .* serve on GPUs alone"):
        tenorite.RawKernel(CCCL, "total").compile()


def test_cccl_compiles():
    """Where CCCL is installed NVRTC compiles a kernel of cub and of mdspan."""
    folder = headers.find("cccl")
    if folder is None:
        pytest.skip("CCCL's headers are not installed: pip install nvidia-cuda-cccl")
    if device_text.load() is None:
        pytest.skip("NVRTC is not installed")
    program = tenorite.cuda.compiler
    image = program.compile_using_nvrtc(CCCL, ("-std=c++17", f"-I{folder}"), arch="90", filename="total.cu")
    assert b"total" in bytes(image[0] if isinstance(image[0], (bytes, bytearray)) else image[0].encode())
