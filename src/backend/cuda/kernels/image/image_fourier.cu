/* A Fourier transform times the factor of an element's frequencies; forms/image_map.h has the
 * rules. A thread multiplies one element, whose factor is computed in f64.
 *
 * The program defines Real, BLOCK, WIDE_INDEX, NDIM, PARTS (2 of complex elements) and FILTER: 0
 * Gaussian, 1 uniform, 2 ellipsoid, 3 shift. */
#define MACROS BLOCK, WIDE_INDEX, NDIM, PARTS, FILTER
#include "access.cuh"

#define PI 3.14159265358979323846

struct Params {
    const Real *input;
    Real *output;
    tn_i64 count;
    tn_i64 is_half[NDIM];
    double n[NDIM], sizes[NDIM];
    Axis shape[NDIM];
};

/* The Fourier transform of a line, a disc or a ball of radius 1, over its value at 0. */
__device__ __forceinline__ double ellipsoid(double squared) {
    const double x = sqrt(squared);
    if (x < 1e-3) return 1 - squared / (NDIM == 1 ? 6 : NDIM == 2 ? 8 : 10);
    if (NDIM == 1) return sin(x) / x;
    return NDIM == 2 ? 2 * j1(x) / x : 3 * (sin(x) - x * cos(x)) / (x * squared);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (Index at = blockIdx.x * (Index)BLOCK + threadIdx.x; at < (Index)p.count;
         at += (Index)gridDim.x * BLOCK) {
        Index left = at;
        double sum = 0, product = 1;
#pragma unroll
        for (int k = NDIM - 1; k >= 0; k--) {
            const Index size = (Index)p.shape[k].size, next = k ? divide(p.shape[k], left) : 0;
            const Index index = left - next * size;
            const bool is_negative = !p.is_half[k] && index >= (size + 1) / 2;
            const double turns =
                p.sizes[k] * ((double)(is_negative ? index - size : index) / p.n[k]);
            left = next;
            if (FILTER == 1)
                product *= turns == 0 ? 1 : sinpi(turns) / (PI * turns);
            else
                sum += FILTER == 3 ? turns : PI * turns * (PI * turns);
        }
        if (FILTER == 3) {
            double re, im;
            sincospi(-2 * sum, &im, &re);
            const double a = p.input[2 * at], b = p.input[2 * at + 1];
            p.output[2 * at] = (Real)(a * re - b * im);
            p.output[2 * at + 1] = (Real)(a * im + b * re);
        } else {
            const double factor = FILTER == 0   ? exp(-2 * sum)
                                  : FILTER == 1 ? product
                                                : ellipsoid(sum);
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                p.output[at * PARTS + part] = (Real)(p.input[at * PARTS + part] * factor);
        }
    }
}
