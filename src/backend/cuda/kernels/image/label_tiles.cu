/* The forest of an image as tiles of 32 by 32 elements of the last two axes see it: neighbours in a
 * tile are united in shared memory.
 *
 * The program defines BLOCK, WIDE_INDEX and JOINED (whether neighbours along the last axis belong
 * together). Lines follow each other over all axes but the last; the first line of a plane has no
 * neighbours in the line before it. */
#define MACROS BLOCK, WIDE_INDEX, JOINED
#include "label.cuh"

enum { WARPS = BLOCK / 32 };

struct Params {
    const tn_u8 *mask;
    Index *parents;
    tn_i64 lines, length, tiles, tiles_in_line;
    tn_i64 plane; /* lines of one */
    tn_i64 steps; /* to the line before: 1 back, 2 straight on, 4 ahead */
};

/* Whether the tile's line has an element `by` from here that is set. */
__device__ __forceinline__ bool has(const int *trees, int at, int lane, int by) {
    return lane + by >= 0 && lane + by < TILE_SIDE && trees[at + by] >= 0;
}

/* Unites an element with its neighbours in the line before, as label_merge.cu does. */
__device__ __forceinline__ void unite_up(int *trees, int at, int lane, int steps) {
    const int up = at - TILE_SIDE;
    const bool left = JOINED && has(trees, at, lane, -1), straight = has(trees, up, lane, 0);
    const bool level = JOINED && steps & 2;
    if (steps & 2 && straight && !(left && has(trees, up, lane, -1))) unite(trees, at, up);
    if (steps & 1 && has(trees, up, lane, -1) && !(level && (straight || left)) &&
        !(left && has(trees, up, lane, -2)))
        unite(trees, at, up - 1);
    if (steps & 4 && has(trees, up, lane, 1) && !(left && straight) &&
        !(level && (straight || has(trees, at, lane, 1))))
        unite(trees, at, up + 1);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ int trees[TILE_SIDE * TILE_SIDE];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (tn_i64 tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        const tn_i64 line = tile / p.tiles_in_line * TILE_SIDE;
        const tn_i64 column = tile % p.tiles_in_line * TILE_SIDE;
        const tn_i64 corner = line * p.length + column;
        const bool is_beside = column + lane < p.length;
#pragma unroll
        for (int k = 0; k < TILE_SIDE; k += WARPS) {
            const int row = k + warp;
            const bool is_set =
                is_beside && line + row < p.lines && p.mask[corner + row * p.length + lane] != 0;
            const unsigned set = __ballot_sync(0xffffffffu, is_set);
            trees[row * TILE_SIDE + lane] =
                is_set ? row * TILE_SIDE + run_start(set, 1, lane, JOINED) : -1;
        }
        __syncthreads();
        for (int row = warp; row < TILE_SIDE; row += WARPS) {
            const int at = row * TILE_SIDE + lane;
            if (row > 0 && trees[at] >= 0 && (line + row) % p.plane != 0)
                unite_up(trees, at, lane, (int)p.steps);
        }
        __syncthreads();
        for (int row = warp; row < TILE_SIDE; row += WARPS) {
            if (!is_beside || line + row >= p.lines) continue;
            const int at = row * TILE_SIDE + lane;
            Index parent = BACKGROUND;
            if (trees[at] >= 0) {
                const int root = find_root(trees, at);
                parent = (Index)(corner + root / TILE_SIDE * p.length + root % TILE_SIDE);
            }
            p.parents[corner + row * p.length + lane] = parent;
        }
        __syncthreads();
    }
}
