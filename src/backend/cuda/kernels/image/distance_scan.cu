/* Distances from the nearest 0 along the first axis.
 *
 * The program defines what distance.cuh asks for, BLOCK, and LANES: how many columns a block has.
 * Its threads share out the rows of these in bands. Each band's first and last 0 are known to all
 * before the rows are measured: going on, each keeps the last 0 as its value, and going back it is
 * compared with the next. */
#define MACROS BLOCK, LANES, METRIC, NONE, NDIM, IS_LAST
#include "distance.cuh"

enum { BANDS = BLOCK / LANES, SOME = 8 };

struct Params {
    const tn_u8 *mask;
    double *values;
    int *indices; /* NULL: not wanted */
    tn_i64 length, columns;
    double sampling;
    tn_i64 shape[NDIM];
    double samplings[NDIM];
};

/* The values of a column's rows [first, first + SOME), those from `end` on as at `end - 1`: all are
 * asked for before one is waited for. */
template <typename T>
__device__ __forceinline__ void load_some(T (&some)[SOME], const T *from, tn_i64 column,
                                          tn_i64 columns, int first, int end) {
#pragma unroll
    for (int k = 0; k < SOME; k++) {
        const int row = first + k < end ? first + k : end - 1;
        some[k] = from[row * columns + column];
    }
}

/* The first and the last 0 among the rows [begin, end) of a column. */
__device__ __forceinline__ void find_ends(const Params &p, tn_i64 column, int begin, int end,
                                          int &first, int &last) {
    for (int i = begin; i < end; i += SOME) {
        tn_u8 some[SOME];
        load_some(some, p.mask, column, p.columns, i, end);
#pragma unroll
        for (int k = 0; k < SOME; k++) {
            if (i + k >= end || some[k]) continue;
            last = i + k;
            first = first < 0 ? i + k : first;
        }
    }
}

/* Measures the rows [begin, end) of a column, between the last 0 before and the first one after. */
__device__ __forceinline__ void measure(const Params &p, tn_i64 column, int begin, int end,
                                        int before, int after) {
    const tn_i64 elements = p.length * p.columns;
    for (int i = begin; i < end; i += SOME) {
        tn_u8 some[SOME];
        load_some(some, p.mask, column, p.columns, i, end);
#pragma unroll
        for (int k = 0; k < SOME; k++) {
            if (i + k >= end) continue;
            if (!some[k]) before = i + k;
            p.values[(i + k) * p.columns + column] = before;
        }
    }
    for (int top = begin + (end - begin - 1) / SOME * SOME; top >= begin; top -= SOME) {
        double some[SOME];
        load_some(some, p.values, column, p.columns, top, end);
#pragma unroll
        for (int k = SOME - 1; k >= 0; k--) {
            const int i = top + k, last = (int)some[k];
            if (i >= end) continue;
            const tn_i64 at = i * p.columns + column;
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
        if (is_in) find_ends(p, column, begin, end, first, last);
        firsts[threadIdx.x] = first;
        lasts[threadIdx.x] = last;
        __syncthreads();
        int before = -1, after = -1;
        for (int k = band - 1; k >= 0 && before < 0; k--) before = lasts[k * LANES + lane];
        for (int k = band + 1; k < BANDS && after < 0; k++) after = firsts[k * LANES + lane];
        if (is_in && begin < end) measure(p, column, begin, end, before, after);
        __syncthreads();
    }
}
