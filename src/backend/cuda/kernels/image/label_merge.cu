/* Unites the trees of elements that are neighbours.
 *
 * The program defines BLOCK, WIDE_INDEX, JOINED, NDIM, TILED, and STEPS: for how many steps to
 * neighbours there is room. A step is 2 bits of its code for each axis, the first axis lowest: the
 * difference + 1; the highest bit where the step that differs along the other axes alone is one,
 * too; and the bit below it where it differs along the last two axes alone. The step along the last
 * axis is none of them.
 * Invariant: neighbours within a tile are united (TILED, label_tiles.cu), or each element with the
 * first of its run in its warp (label_runs.cu).
 * Where the elements before two neighbours are neighbours, too, and belong to them, these unite the
 * same trees, so that two runs are united once. */
#define MACROS BLOCK, WIDE_INDEX, JOINED, NDIM, TILED, STEPS
#include "label.cuh"

struct Params {
    const tn_u8 *mask;
    Index *parents;
    tn_i64 count, step_count;
    Axis axes[NDIM];
    tn_i64 offsets[STEPS];
    tn_u64 codes[STEPS];
};

__device__ __forceinline__ int along(tn_u64 code, int axis) {
    return (int)(code >> 2 * axis & 3) - 1;
}

/* Whether the image has the element to which a step leads. */
__device__ __forceinline__ bool is_inside(const Params &p, const Index (&place)[NDIM],
                                          tn_u64 code) {
    bool is_in = true;
#pragma unroll
    for (int k = 0; k < NDIM; k++) {
        const Index to = place[k] + along(code, k);
        is_in = is_in && to >= 0 && to < (Index)p.axes[k].size;
    }
    return is_in;
}

/* Whether a step along the last two axes stays in the tile. */
__device__ __forceinline__ bool is_done(Index line, Index column, tn_u64 code) {
    if (!TILED || !(code >> 62 & 1)) return false;
    const Index to = column + along(code, NDIM - 1);
    return line % TILE_SIDE != 0 && to / TILE_SIDE == column / TILE_SIDE;
}

/* Whether other elements unite the runs of an element and its neighbour. */
__device__ __forceinline__ bool is_needless(const Params &p, Index at, Index to, Index column,
                                            tn_u64 code, bool follows) {
    const int aside = along(code, NDIM - 1);
    if (!JOINED) return false;
    if (follows && column + aside > 0 && p.mask[to - 1]) return true;
    return aside && code >> 63 && (p.mask[to - aside] || p.mask[at + aside]);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 here = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; here < p.count;
         here += gridDim.x * (tn_i64)BLOCK) {
        const Index at = (Index)here;
        if (!p.mask[at]) continue;
        Index place[NDIM], rest = at, line = 0;
#pragma unroll
        for (int k = NDIM - 1; k > 0; k--) {
            const Index next = divide(p.axes[k], rest);
            place[k] = rest - next * (Index)p.axes[k].size;
            rest = next;
            if (k == NDIM - 1) line = next;
        }
        place[0] = rest;
        const Index column = place[NDIM - 1];
        const bool follows = JOINED && column > 0 && p.mask[at - 1];
        if (follows && (TILED ? column : at) % TILE_SIDE == 0)
            unite(p.parents, at, (Index)(at - 1));
        for (int s = 0; s < (int)p.step_count; s++) {
            const tn_u64 code = p.codes[s];
            if (is_done(line, column, code) || !is_inside(p, place, code)) continue;
            const Index to = at + (Index)p.offsets[s];
            if (p.mask[to] && !is_needless(p, at, to, column, code, follows))
                unite(p.parents, at, to);
        }
    }
}
