"""The files that programs' kernels include."""

import itertools
import os
import sys

import numpy
import pytest
import tenorite
from programs import ROOT, has_cooperative_groups, python
from tenorite._kernels import headers

sys.path.append(os.path.join(ROOT, "tests", "python", "cuda"))
import test_device_text as device_text

HEADERS = r"""
#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <cupy/float16.cuh>
#include <cupy/bfloat16.cuh>
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


OUTER = """#pragma once
#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <math_constants.h>
#include "sub/inner.cuh"
__device__ __forceinline__ float size_of(const thrust::complex<float>& z) { return thrust::abs(z) * FACTOR; }
extern "C" __global__ void sizes(const complex<float>* z, float* to) {
    extern __shared__ float kept[];
    kept[threadIdx.x] = size_of(z[threadIdx.x]);
    __syncthreads();
    to[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}
"""
INNER = """#ifndef INNER
#define INNER
#include "../outer.cuh"
#include <cuda_fp16.h>
template <typename T> static __global__ void twice(T* x) { x[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]; }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 10000
asm("nonsense;");
#endif
#endif
"""


def test_own_headers(tmp_path):
    """Headers that -I finds may include ours, and each other, and hold kernels."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "inner.cuh").write_text(INNER)
    z, to, h = tenorite.asarray(numpy.array([3 + 4j, 5 + 12j], "F")), tenorite.zeros(2, "f"), tenorite.ones(2, "e")
    for factor in (2, 3):
        (tmp_path / "outer.cuh").write_text(OUTER)
        code = f'#define FACTOR {factor}\n#include "outer.cuh"\n#include <sub/inner.cuh>\n#include "outer.cuh"\n'
        module = tenorite.RawModule(code=code, options=(f"-I{tmp_path}",), name_expressions=["twice<__half>"])
        module.get_function("sizes")((1,), (2,), (z, to), shared_mem=8)
        assert to.tolist() == [13 * factor, 5 * factor]
        module.get_function("twice<__half>")((1,), (2,), (h,))
    assert h.tolist() == [4, 4]


@pytest.mark.host_only("NVRTC's results are kept by the program's text alone")
def test_changed_headers(tmp_path):
    """A kernel is compiled anew when a header that it includes was changed."""
    program = """import sys, tenorite
x = tenorite.zeros(1, "i")
code = '#include "own.h"\\nextern "C" __global__ void k(int* x) { *x = OWN; }'
tenorite.RawKernel(code, "k", options=("-I" + sys.argv[1],))((1,), (1,), (x,))
print(x.item())"""
    for own in ("17", "18"):
        (tmp_path / "own.h").write_text(f"#define OWN {own}\n")
        done = python("-c", program, str(tmp_path))
        assert done.stdout == own + "\n", done.stderr


def test_errors_in_own_headers(tmp_path):
    """They name the header and its line."""
    (tmp_path / "own.h").write_text("#include <cuda_fp16.h>\n\n__device__ int wrong() { return no_such_name; }\n")
    with pytest.raises(tenorite.exceptions.CompileException, match=r"own\.h[:(]3[:)].*no_such_name"):
        tenorite.RawModule(code='#include "own.h"\n', options=(f"-I{tmp_path}",)).compile()


COMPLEX = """
#include <thrust/complex.h>
template <typename T> using number = thrust::complex<T>;
extern "C" __global__ void k(const number<float>* from, number<double>* to, bool* tests) {
    number<float> z = from[0];
    int n = 0;
    auto put = [&](number<double> value) { to[n++] = value; };
    put(z * 2.5), put(2 * z), put(z / 4), put(1 - z), put(z + number<double>(1, 1e-12)), put(3.0f / z);
    put(thrust::polar(2.0, 0.5)), put(thrust::conj(z)), put(thrust::proj(z)), put(pow(z, 2)), put(pow(2.0, z));
    put(pow(z, z)), put(thrust::tan(number<double>(0.5, 400))), put(thrust::tanh(number<double>(-400, 0.5)));
    put(thrust::abs(z)), put(thrust::arg(z)), put(thrust::norm(z)), put(thrust::log10(z)), put(-z);
    z += 1, z *= number<double>(0, 1), z -= 0.5, z /= 2;
    put(z);
    tests[0] = z == z && !(z != z) && number<float>(2) == 2 && 3.0 != z, tests[1] = isnan(z) || isinf(z), tests[2] = isfinite(z);
    static_assert(sizeof(z * 2.0) == 16 && sizeof(z * 2) == 8 && sizeof(z + z) == 8);
}
"""


def test_thrust_complex():
    """thrust::complex<T>, with operators and functions of two types."""
    z = 3 + 4j
    to, tests = tenorite.zeros(20, "D"), tenorite.zeros(3, "?")
    tenorite.RawKernel(COMPLEX, "k")((1,), (1,), (tenorite.asarray(numpy.array([z], "F")), to, tests))
    changed = ((z + 1) * 1j - 0.5) / 2
    wanted = [
        z * 2.5,
        2 * z,
        z / 4,
        1 - z,
        z + 1 + 1e-12j,
        3 / z,
        2 * numpy.exp(0.5j),
        z.conjugate(),
        z,
        z**2,
        2**z,
        z**z,
        1j,
        -1,
        5,
        numpy.angle(z),
        25,
        numpy.log10(z),
        -z,
        changed,
    ]
    numpy.testing.assert_allclose(to.get(), wanted, rtol=3e-6)
    assert to[4].item() == 4 + (4 + 1e-12) * 1j and tests.tolist() == [True, False, True]


ATOMICS = """
#include <cupy/atomics.cuh>
#include <cupy/carray.cuh>
extern "C" __global__ void k(float* x, double* y, long long* n, float16* h) {
    int i = threadIdx.x;
    atomicMax(&x[0], (float)i), atomicMin(&x[1], (float)i), atomicMax(&y[0], (double)i), atomicMin(&y[1], i + 0.5);
    atomicAdd(n, -1LL), atomicAdd(h, float16(0.5f)), atomicAdd(&x[2], 1.0f), atomicMax(&x[3], CUDART_NAN_F);
}
"""


def test_atomics_of_cupy():
    """cupy/atomics.cuh has what CUDA has not: extremes of real numbers, and signed sums."""
    x, y, n, h = tenorite.full(4, 3, "f"), tenorite.full(2, 3.0), tenorite.zeros(1, "q"), tenorite.zeros(1, "e")
    tenorite.RawKernel(ATOMICS, "k")((1,), (8,), (x, y, n, h))
    assert (x.tolist(), y.tolist(), n.item(), h.item()) == ([7, 0, 11, 3], [7, 0.5], -8, 4)


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


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex_numbers_are_divided_as_arrays_are(dtype):
    """By zero part by part, and through the larger part, where a square would overflow."""
    largest = numpy.finfo(dtype).max / 4
    parts = (0.0, -0.0, 1.0, -3.5, largest, numpy.inf, numpy.nan)
    z = numpy.array([complex(*pair) for pair in itertools.product(parts, repeat=2)], dtype)
    a, b = (tenorite.asarray(one.ravel()) for one in numpy.meshgrid(z, z))
    found = tenorite.ElementwiseKernel("T a, T b", "T q", "q = a / b", "quotient")(a, b).get()
    with numpy.errstate(all="ignore"):
        numpy.testing.assert_allclose(found, a.get() / b.get(), 1e-6 if dtype == "F" else 1e-15)
