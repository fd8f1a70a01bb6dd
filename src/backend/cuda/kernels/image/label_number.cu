/* Numbers the roots of the forest in their order, from 1 on; a root then holds ~number.
 *
 * The program defines BLOCK and WIDE_INDEX. A block numbers a tile. It adds up how many roots the
 * tiles before have, which are few thousands at most. */
#define MACROS BLOCK, WIDE_INDEX
#include "label.cuh"

enum { WARPS = BLOCK / 32 };

struct Params {
    Index *parents;
    const tn_i64 *roots; /* of each tile */
    tn_i64 *total;
    tn_i64 count, tile;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ tn_u64 before;
    __shared__ int in_warps[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) before = 0;
    __syncthreads();
    tn_u64 found = 0;
    for (tn_i64 k = threadIdx.x; k < blockIdx.x; k += BLOCK) found += (tn_u64)p.roots[k];
    if (found) atomicAdd(&before, found);
    __syncthreads();
    tn_i64 number = (tn_i64)before;
    const tn_i64 begin = blockIdx.x * p.tile;
    const tn_i64 end = begin + p.tile < p.count ? begin + p.tile : p.count;
    for (tn_i64 first = begin; first < end; first += BLOCK) {
        const tn_i64 at = first + threadIdx.x;
        const bool is_root = at < end && p.parents[at] == (Index)at;
        const unsigned roots = __ballot_sync(0xffffffffu, is_root);
        if (lane == 0) in_warps[warp] = __popc(roots);
        __syncthreads();
        int ahead = __popc(roots & ((1u << lane) - 1)), all = 0;
#pragma unroll
        for (int k = 0; k < WARPS; k++) {
            ahead += k < warp ? in_warps[k] : 0;
            all += in_warps[k];
        }
        if (is_root) p.parents[at] = (Index) ~(number + ahead + 1);
        number += all;
        __syncthreads();
    }
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) *p.total = number;
}
