"""The files that programs' kernels include."""

import os
import sys

import numpy
import pytest
import tenorite
from programs import ROOT, has_cooperative_groups
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


MDSPAN = """
#include <cuda/std/mdspan>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
template <typename T, typename I, typename L>
using table = cuda::std::mdspan<T, cuda::std::dextents<I, 2>, L>;
template <typename T, typename I, typename L> __global__ void twice(table<T, I, L> x, table<T, I, L> to) {
    static_assert(sizeof x == sizeof(T*) + NUMBERS * sizeof(I));
    static_assert(decltype(x)::rank() == 2 && decltype(x)::rank_dynamic() == 2);
    for (I i = threadIdx.x; i < x.extent(0); i += blockDim.x)
        for (I j = threadIdx.y; j < x.extent(1); j += blockDim.y) to(i, j) = x(i, j) + x(i, j);
}
__global__ void fixed(cuda::std::mdspan<int, cuda::std::extents<int, 2, cuda::std::dynamic_extent>> x,
                      cuda::std::mdspan<const int, cuda::std::extents<int>> one, cuda::std::int64_t* to) {
    static_assert(sizeof(one) == sizeof(int*) && decltype(one)::rank() == 0);
    cuda::std::mdspan<int, cuda::std::extents<int, 2, cuda::std::dynamic_extent>> own(x.data_handle(), 3);
    int sum = 0;
    for (int j = 0; j < own.extent(1); j++) sum += own(1, j) * own.stride(0);
    to[0] = sum + one(), to[1] = own.size(), to[2] = own.extents().extent(0);
    to[3] = cuda::std::numeric_limits<int>::max();
}
"""


@pytest.fixture
def cccl(device):
    if device != "host" and headers.find("cccl") is None:
        pytest.skip("CCCL's headers are not installed: pip install nvidia-cuda-cccl")


@pytest.mark.parametrize("index", ["int", "long long"])
@pytest.mark.parametrize("layout", ["layout_right", "layout_left", "layout_stride"])
def test_mdspan(layout, index, cccl):
    names = [f"twice<{dtype}, {index}, cuda::std::{layout}>" for dtype in ("float", "double")]
    options = (f"-DNUMBERS={4 if layout == 'layout_stride' else 2}",)
    module = tenorite.RawModule(code=MDSPAN, name_expressions=names, options=options)
    index_type = "int32" if index == "int" else "int64"
    for name, dtype in zip(names, "fd"):
        whole = tenorite.arange(60, dtype=dtype).reshape(6, 10)
        x = {"layout_right": whole, "layout_left": whole.T, "layout_stride": whole.T[1::2, ::-1]}[layout]
        to = tenorite.zeros_like(whole).T[1::2, ::-1] if layout == "layout_stride" else tenorite.zeros_like(x)
        spans = [one.mdspan(index_type=index_type, allow_unsafe=True) for one in (x, to)]
        module.get_function(name)((1,), (4, 4), tuple(spans))
        numpy.testing.assert_array_equal(to.get(), 2 * x.get())


def test_mdspan_of_known_lengths(cccl):
    module = tenorite.RawModule(code=MDSPAN, name_expressions=["fixed"], options=("-DNUMBERS=0",))
    x, one, to = tenorite.arange(6, dtype="i"), tenorite.asarray(100, "i"), tenorite.zeros(4, "q")
    span = numpy.array([(x.data.ptr, 3, 0)], [("data", "u8"), ("length", "i4"), ("rest", "i4")])
    module.get_function("fixed")((1,), (1,), (span[0], one.mdspan(index_type="int32"), to))
    assert to.get().tolist() == [(3 + 4 + 5) * 3 + 100, 6, 2, 2**31 - 1]


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


GROUPS = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int* x) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int own = threadIdx.x, n = blockDim.x;
    x[own] = cg::reduce(tile, own, cg::plus<int>());
    x[n + own] = cg::reduce(tile, own * 5 % 7, cg::greater<int>()) * 10 + cg::reduce(tile, own, cg::less<int>());
    x[2 * n + own] = cg::inclusive_scan(tile, own);
    x[3 * n + own] = cg::exclusive_scan(tile, own + 1, cg::plus<int>());
    x[4 * n + own] = cg::inclusive_scan(tile, own, cg::bit_xor<int>());
}
"""


def test_groups_reduce(device):
    if device != "host" and not has_cooperative_groups():
        pytest.skip("CUDA's cooperative_groups.h needs CCCL's headers")
    x = tenorite.zeros((5, 32), "i")
    tenorite.RawKernel(GROUPS, "k")((1,), (32,), (x,))
    own = numpy.arange(32).reshape(4, 8)
    spread = numpy.ones(8, int)
    expected = [
        own.sum(1)[:, None] * spread,
        (own * 5 % 7).max(1)[:, None] * 10 * spread + own[:, :1],
        own.cumsum(1),
        (own + 1).cumsum(1) - (own + 1),
        numpy.bitwise_xor.accumulate(own, axis=1),
    ]
    numpy.testing.assert_array_equal(x.get(), numpy.reshape(expected, (5, 32)))
