/* Distances from the nearest 0 along the first axis.
 *
 * The program defines what distance.cuh asks for, BLOCK, and LANES: how many columns a block has.
 * Its threads share out the rows of these in bands. Each band's first and last 0 are known to all
 * before the rows are measured: going on, each keeps the last 0 as its value, and going back it is
 * compared with the next. */
#define MACROS BLOCK, LANES, METRIC, NONE, NDIM, IS_LAST
#include "distance.cuh"

enum { BANDS = BLOCK / LANES };

struct Params {
    const tn_u8 *mask;
    double *values;
    int *indices; /* NULL: not wanted */
    tn_i64 length, columns;
    double sampling;
    tn_i64 shape[NDIM];
    double samplings[NDIM];
};

/* The rows [begin, end) of a column, between the last 0 before and the first one after. */
__device__ __forceinline__ void measure(const Params &p, tn_i64 column, int begin, int end,
                                        int before, int after) {
    const tn_i64 elements = p.length * p.columns;
    for (int i = begin; i < end; i++) {
        const tn_i64 at = i * p.columns + column;
        if (!p.mask[at]) before = i;
        p.values[at] = before;
    }
    for (int i = end - 1; i >= begin; i--) {
        const tn_i64 at = i * p.columns + column;
        const int last = (int)p.values[at];
        if (last == i) after = i;
        const bool is_back = last >= 0 && (after < 0 || i - last <= after - i);
        const int nearest = is_back ? last : after;
        double value = nearest < 0 ? INFINITE : finished(value_at(i, nearest, 0, p.sampling));
        if (p.indices) p.indices[at] = nearest;
        if (IS_LAST && nearest < 0)
            value = measure_none(p.shape, p.samplings, at, p.indices, elements);
        p.values[at] = value;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ int firsts[BLOCK], lasts[BLOCK];
    const int lane = threadIdx.x % LANES, band = threadIdx.x / LANES;
    const tn_i64 rows = (p.length + BANDS - 1) / BANDS;
    const int begin = (int)(band * rows < p.length ? band * rows : p.length);
    const int end = (int)(begin + rows < p.length ? begin + rows : p.length);
    for (tn_i64 block = blockIdx.x; block * LANES < p.columns; block += gridDim.x) {
        const tn_i64 column = block * LANES + lane;
        const bool is_in = column < p.columns;
        int first = -1, last = -1;
        for (int i = begin; is_in && i < end; i++) {
            const bool is_zero = !p.mask[i * p.columns + column];
            last = is_zero ? i : last;
            first = is_zero && first < 0 ? i : first;
        }
        firsts[threadIdx.x] = first;
        lasts[threadIdx.x] = last;
        __syncthreads();
        int before = -1, after = -1;
        for (int k = band - 1; k >= 0 && before < 0; k--) before = lasts[k * LANES + lane];
        for (int k = band + 1; k < BANDS && after < 0; k++) after = firsts[k * LANES + lane];
        if (is_in) measure(p, column, begin, end, before, after);
        __syncthreads();
    }
}
