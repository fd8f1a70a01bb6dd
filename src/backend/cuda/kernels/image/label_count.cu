/* How many roots each tile of the forest has.
 *
 * The program defines BLOCK and WIDE_INDEX. A block counts a tile. */
#define MACROS BLOCK, WIDE_INDEX
#include "label.cuh"

struct Params {
    const Index *parents;
    tn_i64 *roots; /* of each tile */
    tn_i64 count, tile;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ tn_u64 total;
    const tn_i64 begin = blockIdx.x * p.tile;
    const tn_i64 end = begin + p.tile < p.count ? begin + p.tile : p.count;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    tn_i64 found = 0;
    for (tn_i64 at = begin + threadIdx.x; at < end; at += BLOCK)
        found += p.parents[at] == (Index)at;
    if (found) atomicAdd(&total, (tn_u64)found);
    __syncthreads();
    if (threadIdx.x == 0) p.roots[blockIdx.x] = (tn_i64)total;
}
