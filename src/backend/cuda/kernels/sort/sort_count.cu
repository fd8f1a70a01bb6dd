/* The first launch of a long sort: how many elements of a row have each digit, for all digits at
 * once.
 *
 * The program defines what sort.cuh asks for, WIDE, KEPT_NDIM and WIDE_INDEX. A block counts a
 * portion of a row. The row's last block makes the counts the places of the first element of each
 * digit, and decides what each pass does: digits that all keys share are passed over, so the
 * passes that are left find out here between which rooms they move. */
#define MACROS ELEMENT_BYTES, KIND, MANTISSA, DESCENDING, TIES, KEPT_NDIM, WIDE_INDEX, BLOCK, WIDE
#include "sort_passes.cuh"

#define UNROLL 8

struct Params {
    const char *input;
    tn_i64 length, input_step;
    tn_i64 portions;    /* of a row */
    Total *totals;      /* [row][digit of the key][its value]: zero before */
    unsigned *done;     /* [row]: zero before */
    unsigned *roles;    /* [row][digit of the key] */
    tn_i64 is_in_place; /* the output is the input */
    tn_i64 is_room;     /* the output serves as the second room */
    Shape<KEPT_NDIM, 1> kept;
};

__device__ __forceinline__ void decide(unsigned active, unsigned *roles, bool is_in_place,
                                       bool is_room) {
    if (!active) active = 1;
    /* A pass that writes where it reads would need an end of all reading. */
    if (is_in_place && __popc(active) % 2) active |= ~active & (active + 1);
    int left = __popc(active);
    unsigned from = AT_INPUT, is_first = IS_FIRST;
    for (int digit = 0; digit < ELEMENT_BYTES; digit++) {
        roles[digit] = 0;
        if (!(active >> digit & 1)) continue;
        left--;
        unsigned to = left % 2 ? AT_FIRST : left == 0 || is_room ? AT_OUTPUT : AT_SECOND;
        roles[digit] =
            IS_ACTIVE | is_first | (left == 0 ? IS_LAST : 0) | from << FROM_SHIFT | to << TO_SHIFT;
        from = to;
        is_first = 0;
    }
}

/* Of one digit, by a warp; gives whether all keys share it. */
__device__ __forceinline__ bool sum_up(Total *totals, tn_i64 length) {
    const int lane = threadIdx.x % 32, each = DIGITS / 32;
    Total own[DIGITS / 32], sum = 0;
    bool is_whole = false;
#pragma unroll
    for (int k = 0; k < each; k++) {
        own[k] = ((const volatile Total *)totals)[lane * each + k];
        sum += own[k];
        is_whole |= own[k] == (Total)length;
    }
    Total first = sum_up_to(sum) - sum;
#pragma unroll
    for (int k = 0; k < each; k++) {
        totals[lane * each + k] = first;
        first += own[k];
    }
    return __any_sync(0xffffffffu, is_whole);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ unsigned counts[ELEMENT_BYTES][DIGITS], active, is_end;
    const tn_i64 row = blockIdx.x / (unsigned)p.portions;
    const tn_i64 portion = blockIdx.x % (unsigned)p.portions;
    const tn_i64 step = (tn_i64)BLOCK * UNROLL;
    Total *totals = p.totals + row * (ELEMENT_BYTES * DIGITS);
    tn_i64 offsets[1] = {0};
    p.kept.walk((Index)row, offsets);
    const char *from = p.input + offsets[0];
    for (int k = threadIdx.x; k < ELEMENT_BYTES * DIGITS; k += BLOCK)
        counts[k / DIGITS][k % DIGITS] = 0;
    if (threadIdx.x == 0) active = 0;
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
            const Key key = key_of(elements[u]);
#pragma unroll
            for (int digit = 0; digit < ELEMENT_BYTES; digit++)
                atomicAdd(&counts[digit][digit_of_key(key, digit)], 1u);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < ELEMENT_BYTES * DIGITS; k += BLOCK) {
        const unsigned count = counts[k / DIGITS][k % DIGITS];
        if (count) atomicAdd(totals + k, (Total)count);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_end = atomicAdd(p.done + row, 1u) == (unsigned)p.portions - 1;
    __syncthreads();
    if (!is_end) return;
    __threadfence();
    for (int digit = threadIdx.x / 32; digit < ELEMENT_BYTES; digit += BLOCK / 32) {
        const bool is_shared = sum_up(totals + digit * DIGITS, p.length);
        if (threadIdx.x % 32 == 0 && !is_shared) atomicOr(&active, 1u << digit);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        decide(active, p.roles + row * ELEMENT_BYTES, p.is_in_place != 0, p.is_room != 0);
}
