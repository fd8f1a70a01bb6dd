/* Several index arrays made one: places[at] = origin + sum of wrapped indices x their steps, `outside` where
 * one is out of bounds, which is reported. The program defines COUNT index arrays (of i64), INDEX_MODE
 * (INDEX_RAISE), NDIM, WIDE_INDEX; ADDS 1: to the places of an earlier launch, where they are not
 * `outside`. */
#include "access.cuh"
#include "bounds.cuh"

struct Indices {
    const char *data;
    tn_i64 size, step, axis;
};

struct Params {
    Indices indices[COUNT];
    tn_i64 *places;
    tn_i64 count, origin, outside;
    Bounds bounds;
    Shape<NDIM, COUNT> shape;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 offsets[COUNT] = {0}, found[COUNT], place = p.origin;
        bool is_inside = true;
        p.shape.walk((Index)at, offsets);
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            found[k] = *(const tn_i64 *)(p.indices[k].data + offsets[k]);
#if ADDS
        is_inside = p.places[at] != p.outside;
        place += p.places[at];
#endif
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            tn_i64 index = resolve_index(found[k], p.indices[k].size, p.indices[k].axis, p.bounds);
            is_inside = is_inside && index >= 0;
            place += index * p.indices[k].step;
        }
        p.places[at] = is_inside ? place : p.outside;
    }
}
