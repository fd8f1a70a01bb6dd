/* Values of splines where a place along each axis depends on the index along it alone, and the last
 * axis of the result is the last one mapped; forms/image_map.h has the rules.
 *
 * The program defines what image_map.cuh asks for, BLOCK, MAPPED and NDIM. A block has BLOCK
 * columns of ROWS rows of the result: weights and taps of the rows lie in shared memory, those of
 * its column a thread keeps in registers. */
#define HEADER "spline.h"
#define MACROS BLOCK, WIDE_INDEX, MAPPED, NDIM, ORDER, BITS, IS_SIGNED
#include "image_map.cuh"

#define ROWS 8
#define LEADING (MAPPED - 1)
#define LEADING_ROOM (MAPPED > 1 ? MAPPED - 1 : 1)

struct Params {
    const Real *input;
    Stored *result;
    tn_i64 rows, width, border;
    double after, pad;
    tn_i64 sizes[MAPPED], steps[MAPPED], of[MAPPED], walk[NDIM];
    double offset[MAPPED], zoom[MAPPED], outside[2];
    Axis shape[NDIM];
    Axis groups; /* blocks along a row */
};

struct RowTaps {
    Real weights[LEADING_ROOM][TAPS];
    Index taps[LEADING_ROOM][TAPS];
    tn_i64 base;
    int is_outside;
};

__device__ __forceinline__ double place(const Params &p, int h, Index index) {
    return ((double)index + p.offset[h]) * p.zoom[h] + p.after + p.pad;
}

/* What a row shares; one thread does it. */
__device__ __forceinline__ void prepare_row(const Params &p, RowTaps &row, Index number) {
    Index index[NDIM], left = number;
    tn_i64 base = 0;
    row.is_outside = 0;
    index[NDIM - 1] = 0;
#pragma unroll
    for (int k = NDIM - 2; k >= 0; k--) {
        const Index next = k ? divide(p.shape[k], left) : 0;
        index[k] = left - next * (Index)p.shape[k].size;
        left = next;
        base += (tn_i64)index[k] * p.walk[k];
    }
    row.base = base;
#pragma unroll
    for (int h = 0; h < LEADING; h++) {
        Index own = 0;
#pragma unroll
        for (int k = 0; k < NDIM; k++)
            if (p.of[h] == k) own = index[k];
        if (!image_taps(row.weights[h], row.taps[h], place(p, h, own), p.sizes[h], p.steps[h],
                        (int)p.border))
            row.is_outside = 1;
    }
}

template <int H> struct Sum {
    static __device__ __forceinline__ Real of(const Real *from, const RowTaps &row,
                                              const Real (&w)[TAPS], const Index (&taps)[TAPS],
                                              bool is_grid, Real outside) {
        Real sum = 0;
#pragma unroll(H + 2 > LEADING ? TAPS : 1)
        for (int k = 0; k < TAPS; k++) {
            const Index tap = row.taps[H][k];
            const Real rest =
                tap < 0 ? outside : Sum<H + 1>::of(from + tap, row, w, taps, is_grid, outside);
            sum += row.weights[H][k] * rest;
        }
        return sum;
    }
};
template <> struct Sum<LEADING> {
    static __device__ __forceinline__ Real of(const Real *from, const RowTaps &,
                                              const Real (&w)[TAPS], const Index (&taps)[TAPS],
                                              bool is_grid, Real outside) {
        return image_sum(from, w, taps, is_grid, outside);
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ RowTaps rows[ROWS];
    const int border = (int)p.border;
    const bool is_grid = border == M_SPLINE_GRID_CONSTANT;
    const Real outside = (Real)p.outside[0];
    const Index bands = (Index)((p.rows + ROWS - 1) / ROWS);
    const Index units = bands * (Index)p.groups.size;
    for (Index unit = blockIdx.x; unit < units; unit += gridDim.x) {
        const Index band = divide(p.groups, unit);
        const Index column = (unit - band * (Index)p.groups.size) * BLOCK + (Index)threadIdx.x;
        const Index first = band * ROWS;
        const int count = p.rows - first < ROWS ? (int)(p.rows - first) : ROWS;
        Real w[TAPS];
        Index taps[TAPS];
        __syncthreads();
        if ((int)threadIdx.x < count) prepare_row(p, rows[threadIdx.x], first + (Index)threadIdx.x);
        const bool is_inside = image_taps(w, taps, place(p, MAPPED - 1, column),
                                          p.sizes[MAPPED - 1], p.steps[MAPPED - 1], border);
        __syncthreads();
        if (column >= (Index)p.width) continue;
        for (int r = 0; r < count; r++) {
            const RowTaps &row = rows[r];
            const bool is_there = is_inside && !row.is_outside;
            const Real value =
                is_there ? Sum<0>::of(p.input + row.base, row, w, taps, is_grid, outside) : outside;
            image_store(p.result, (tn_i64)(first + r) * p.width + column, value);
        }
    }
}
