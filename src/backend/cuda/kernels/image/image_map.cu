/* Values of splines at places that are given, or that a matrix makes of indexes; forms/image_map.h
 * has the rules. A thread computes one output, of `inner` numbers.
 *
 * The program defines what image_map.cuh asks for, BLOCK, MAPPED (axes), NDIM (of the result) and
 * PLACES: 0 coordinates of f64, 1 of f32, 2 affine, 3 apart. Places are computed in f64 in SciPy's
 * order, since a place beyond an edge by one rounding is beyond it. */
#define HEADER "spline.h"
#define MACROS BLOCK, WIDE_INDEX, MAPPED, NDIM, ORDER, PLACES, BITS, IS_SIGNED
#include "image_map.cuh"

struct Params {
    const Real *input;
    Stored *result;
    const char *coordinates;
    tn_i64 count, inner, parts, border;
    double after, pad;
    tn_i64 sizes[MAPPED], steps[MAPPED], of[MAPPED], walk[NDIM];
    double matrix[MAPPED * NDIM], offset[MAPPED], zoom[MAPPED], outside[2];
    Axis shape[NDIM];
};

__device__ __forceinline__ double place(const Params &p, Index at, const Index (&index)[NDIM],
                                        int h) {
    if (PLACES == 0) return ((const double *)p.coordinates)[h * p.count + at] + p.pad;
    if (PLACES == 1) return (double)((const float *)p.coordinates)[h * p.count + at] + p.pad;
    if (PLACES == 2) {
        double sum = p.offset[h];
#pragma unroll
        for (int k = 0; k < NDIM; k++) sum += (double)index[k] * p.matrix[h * NDIM + k];
        return sum + p.pad;
    }
    double whole = 0;
#pragma unroll
    for (int k = 0; k < NDIM; k++)
        if (p.of[h] == k) whole = (double)index[k];
    return (whole + p.offset[h]) * p.zoom[h] + p.after + p.pad;
}

/* The sum over the taps of axis H and of those after it; a tap of -1 makes all of it outside. */
template <int H> struct Sum {
    static __device__ __forceinline__ Real of(const Real *from, const Real (&w)[MAPPED][TAPS],
                                              const Index (&taps)[MAPPED][TAPS], bool is_grid,
                                              Real outside) {
        Real sum = 0;
#pragma unroll(H + 3 > MAPPED ? TAPS : 1)
        for (int k = 0; k < TAPS; k++) {
            const bool is_there = taps[H][k] >= 0;
            const Real rest =
                Sum<H + 1>::of(is_there ? from + taps[H][k] : from, w, taps, is_grid, outside);
            sum += w[H][k] * (is_there ? rest : outside);
        }
        return sum;
    }
};
template <> struct Sum<MAPPED - 1> {
    static __device__ __forceinline__ Real of(const Real *from, const Real (&w)[MAPPED][TAPS],
                                              const Index (&taps)[MAPPED][TAPS], bool is_grid,
                                              Real outside) {
        return image_sum(from, w[MAPPED - 1], taps[MAPPED - 1], is_grid, outside);
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int border = (int)p.border;
    const bool is_grid = border == M_SPLINE_GRID_CONSTANT;
    for (Index at = blockIdx.x * (Index)BLOCK + threadIdx.x; at < (Index)p.count;
         at += (Index)gridDim.x * BLOCK) {
        Index index[NDIM], taps[MAPPED][TAPS], left = at;
        Real w[MAPPED][TAPS];
        const Real *from = p.input;
        bool is_inside = true;
#pragma unroll
        for (int k = NDIM - 1; k >= 0; k--) {
            const Index next = k ? divide(p.shape[k], left) : 0;
            index[k] = left - next * (Index)p.shape[k].size;
            left = next;
            from += (tn_i64)index[k] * p.walk[k];
        }
#pragma unroll
        for (int h = 0; h < MAPPED; h++)
            is_inside = is_inside && image_taps(w[h], taps[h], place(p, at, index, h), p.sizes[h],
                                                p.steps[h], border);
        for (tn_i64 c = 0; c < p.inner; c++) {
            const Real outside = (Real)p.outside[p.parts == 2 ? c & 1 : 0];
            image_store(p.result, at * p.inner + c,
                        is_inside ? Sum<0>::of(from + c, w, taps, is_grid, outside) : outside);
        }
    }
}
