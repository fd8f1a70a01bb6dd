/* The least and the largest of values, NaN if one is.
 *
 * The program defines Stored, Working, Working extent_load(Stored), BLOCK and PHASE: 0 every
 * block looks at a part of the values and writes both ends, 1 one block looks at those ends,
 * which are Working then. */
#define MACROS BLOCK, PHASE, WIDE_INDEX

struct Params {
    const char *values;
    Working *ends; /* of block b: 2 b the least, 2 b + 1 the largest */
    tn_i64 count, stride;
};

__device__ __forceinline__ Working extent_less(Working a, Working b) {
    return a < b || a != a ? a : b;
}
__device__ __forceinline__ Working extent_more(Working a, Working b) {
    return a > b || a != a ? a : b;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Working lows[BLOCK], highs[BLOCK];
    const tn_i64 first = blockIdx.x * (tn_i64)BLOCK + threadIdx.x, step = gridDim.x * (tn_i64)BLOCK;
    /* A thread without a value repeats the first one. */
    Working low = extent_load(*(const Stored *)p.values), high = low;
    tn_i64 at = first;
    for (; at + 3 * step < p.count; at += 4 * step) {
        Working some[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            some[k] = extent_load(*(const Stored *)(p.values + (at + k * step) * p.stride));
#pragma unroll
        for (int k = 0; k < 4; k++) {
            low = extent_less(some[k], low);
            high = extent_more(some[k], high);
        }
    }
    for (; at < p.count; at += step) {
        const Working value = extent_load(*(const Stored *)(p.values + at * p.stride));
        low = extent_less(value, low);
        high = extent_more(value, high);
    }
    lows[threadIdx.x] = low;
    highs[threadIdx.x] = high;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            lows[threadIdx.x] = extent_less(lows[threadIdx.x + half], lows[threadIdx.x]);
            highs[threadIdx.x] = extent_more(highs[threadIdx.x + half], highs[threadIdx.x]);
        }
    }
    if (threadIdx.x == 0) {
        p.ends[2 * blockIdx.x] = lows[0];
        p.ends[2 * blockIdx.x + 1] = highs[0];
    }
}
