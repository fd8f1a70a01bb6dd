/* A digit of a selection: how the pivots of a row, the keys of the wanted ranks, go on.
 *
 * The program defines what sort.cuh asks for, WIDE, PIVOTS up to BLOCK / 32, KEPT_NDIM and
 * WIDE_INDEX. The digits come from the highest to the lowest. A block counts the digits of a
 * portion of a row, for each pivot those of the elements that share its higher digits; the row's
 * last block finds in the sums which digit the wanted element has. */
#define MACROS                                                                                     \
    ELEMENT_BYTES, KIND, MANTISSA, DESCENDING, TIES, KEPT_NDIM, WIDE_INDEX, BLOCK, PIVOTS, WIDE
#include "sort_pivots.cuh"

#define UNROLL 8

struct Params {
    const char *input;
    tn_i64 length, input_step;
    tn_i64 portions; /* of a row */
    tn_i64 digit;
    Pivot *pivots;  /* [row][pivot]: what the launches before found */
    Total *counts;  /* [row][pivot][value of the digit]: zero before */
    unsigned *done; /* [row]: zero before */
    Total *firsts;  /* [row][class]: elements before those of the class, after the last digit */
    tn_i64 ranks[PIVOTS];
    Shape<KEPT_NDIM, 1> kept;
};

/* Of one pivot, by a warp: the digit within whose elements the wanted one is. */
__device__ __forceinline__ void choose_digit(Pivot *pivot, const Total *counts, tn_i64 rank,
                                             bool is_top) {
    const int lane = threadIdx.x % 32, each = DIGITS / 32;
    const Total wanted = is_top ? (Total)rank : pivot->rank;
    const Key prefix = is_top ? (Key)0 : pivot->prefix;
    const Total below = is_top ? (Total)0 : pivot->below;
    Total own[DIGITS / 32], sum = 0;
#pragma unroll
    for (int k = 0; k < each; k++) {
        own[k] = ((const volatile Total *)counts)[lane * each + k];
        sum += own[k];
    }
    Total first = sum_up_to(sum) - sum;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < each; k++) {
        if (first <= wanted && wanted < first + own[k]) {
            pivot->prefix = (Key)(prefix << 8 | (Key)(lane * each + k));
            pivot->rank = wanted - first;
            pivot->below = below + first;
            pivot->equal = own[k];
        }
        first += own[k];
    }
}

/* Where the classes of a row begin. */
__device__ __forceinline__ Total first_of_class(const volatile Pivot *pivots, int number,
                                                tn_i64 length) {
    if (number == 0) return 0;
    if (number > 2 * PIVOTS) return (Total)length;
    if (number % 2) return pivots[number / 2].below;
    return pivots[number / 2 - 1].below + pivots[number / 2 - 1].equal;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ unsigned counts[PIVOTS][DIGITS], is_end;
    const tn_i64 row = blockIdx.x / (unsigned)p.portions;
    const tn_i64 portion = blockIdx.x % (unsigned)p.portions;
    const tn_i64 step = (tn_i64)BLOCK * UNROLL;
    const bool is_top = p.digit == ELEMENT_BYTES - 1;
    Pivot *pivots = p.pivots + row * PIVOTS;
    Total *totals = p.counts + row * (PIVOTS * DIGITS);
    Key prefixes[PIVOTS];
    tn_i64 offsets[1] = {0};
    p.kept.walk((Index)row, offsets);
    const char *from = p.input + offsets[0];
#pragma unroll
    for (int k = 0; k < PIVOTS; k++) prefixes[k] = is_top ? (Key)0 : pivots[k].prefix;
    for (int k = threadIdx.x; k < PIVOTS * DIGITS; k += BLOCK) counts[k / DIGITS][k % DIGITS] = 0;
    __syncthreads();
    for (tn_i64 first = portion * step; first < p.length; first += p.portions * step) {
        Element elements[UNROLL];
        const tn_i64 left = p.length - first;
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const tn_i64 at = u * BLOCK + threadIdx.x;
            elements[u] = *(const Element *)(from + (at < left ? first + at : 0) * p.input_step);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if ((tn_i64)(u * BLOCK + threadIdx.x) >= left) continue;
            const Key own = (Key)(key_of(elements[u]) >> (p.digit * 8));
#pragma unroll
            for (int k = 0; k < PIVOTS; k++)
                if (own >> 8 == prefixes[k])
                    atomicAdd(&counts[k][(unsigned)own & (DIGITS - 1)], 1u);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < PIVOTS * DIGITS; k += BLOCK) {
        const unsigned count = counts[k / DIGITS][k % DIGITS];
        if (count) atomicAdd(totals + k, (Total)count);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_end = atomicAdd(p.done + row, 1u) == (unsigned)p.portions - 1;
    __syncthreads();
    if (!is_end) return;
    __threadfence();
    const int warp = threadIdx.x / 32;
    if (warp < PIVOTS) choose_digit(pivots + warp, totals + warp * DIGITS, p.ranks[warp], is_top);
    __syncthreads();
    if (p.digit == 0)
        for (int k = threadIdx.x; k < DIGITS; k += BLOCK)
            p.firsts[row * DIGITS + k] = first_of_class(pivots, k, p.length);
}
