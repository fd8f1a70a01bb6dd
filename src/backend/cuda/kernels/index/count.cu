/* offsets[b] = true elements of a mask before block b; the last offset is their total. One pass.
 *
 * Algorithm: a block of threads counts MASK_THREADS / 32 blocks of the mask, one a warp, then looks
 * back over the counts before it (integers: any grouping gives the same). State is the count times
 * 4, plus 1 when only this tile's is known and 2 when everything before it is in. */
#define MACROS WIDE_INDEX
#include "mask.cuh"

struct Params {
    const unsigned char *mask;
    tn_i64 count, blocks;
    tn_i64 *offsets;
    unsigned *ticket;
    tn_u64 *states; /* one a tile, zero */
};

__device__ __forceinline__ tn_i64 count_before(const Params &p, unsigned tile, tn_i64 own) {
    const int lane = threadIdx.x;
    tn_u64 *states = p.states;
    if (lane == 0) atomicExch(states + tile, (tn_u64)own * 4 + (tile == 0 ? 2 : 1));
    tn_i64 before = 0;
    for (tn_i64 last = (tn_i64)tile - 1; last >= 0; last -= 32) {
        tn_u64 state = 2; /* in front of the first tile there is nothing */
        if (last - lane >= 0) {
            const volatile tn_u64 *from = states + (last - lane);
            while (((state = *from) & 3) == 0) {}
        }
        unsigned done = __ballot_sync(0xffffffffu, (state & 3) == 2);
        int stop = done ? __ffs(done) - 1 : 31;
        tn_i64 part = lane <= stop ? (tn_i64)(state >> 2) : 0;
#pragma unroll
        for (int by = 16; by > 0; by /= 2) part += __shfl_xor_sync(0xffffffffu, part, by);
        before += part;
        if (done) break;
    }
    if (lane == 0 && tile > 0) atomicExch(states + tile, (tn_u64)(before + own) * 4 + 2);
    return before;
}

extern "C" __global__ void __launch_bounds__(MASK_THREADS)
    KERNEL(const __grid_constant__ Params p) {
    __shared__ unsigned ticket;
    __shared__ int counts[MASK_THREADS / 32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) ticket = atomicAdd(p.ticket, 1u);
    __syncthreads();
    const tn_i64 tile = ticket, block = tile * (MASK_THREADS / 32) + warp;
    int own = 0;
    if (block < p.blocks) {
#pragma unroll
        for (int k = 0; k < MASK_BLOCK / 512; k++)
            own += __popc(mask_bits(p.mask, block * MASK_BLOCK + k * 512 + lane * 16, p.count));
    }
    own = warp_sum(own);
    if (lane == 0) counts[warp] = own;
    __syncthreads();
    if (warp != 0) return;
    tn_i64 total = 0, mine = 0;
#pragma unroll
    for (int k = 0; k < MASK_THREADS / 32; k++) {
        if (k == lane) mine = total;
        total += counts[k];
    }
    tn_i64 before = count_before(p, (unsigned)tile, total);
    const tn_i64 at = tile * (MASK_THREADS / 32) + lane;
    if (lane < MASK_THREADS / 32 && at < p.blocks) {
        p.offsets[at] = before + mine;
        if (at == p.blocks - 1) p.offsets[p.blocks] = before + total;
    }
}
