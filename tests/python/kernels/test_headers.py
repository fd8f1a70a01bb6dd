"""The files that programs' kernels include."""

import numpy

import tenorite

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
