/* Several index arrays made one: places[at] = origin + sum of wrapped indices x their steps,
 * `outside` where one is out of bounds, which is reported. The program defines COUNT index arrays
 * (of i64), UNROLL places of a thread, INDEX_MODE (INDEX_RAISE), NDIM, WIDE_INDEX; ADDS 1: to the
 * places of an earlier launch, where they are not `outside`; UNIT_BYTES, if not 0, of what is taken
 * from the places instead of telling them. */
#define MACROS BLOCK, UNROLL, INDEX_MODE, COUNT, NDIM, WIDE_INDEX, ADDS, UNIT_BYTES
#include "access.cuh"
#include "bounds.cuh"

struct Params {
    const char *indices[COUNT];
    tn_i64 sizes[COUNT], steps[COUNT], axes[COUNT];
    tn_i64 *places;
    const char *array;
    char *dense;
    tn_i64 count, origin, outside;
    Bounds bounds;
    Shape<NDIM, COUNT> shape;
};

/* Writes the places, or takes what is there. */
__device__ __forceinline__ void finish(const Params &p, tn_i64 first,
                                       const tn_i64 (&places)[UNROLL]) {
#if UNIT_BYTES
    typedef Word<UNIT_BYTES>::type Unit;
    Unit units[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (places[u] != p.outside) units[u] = *(const Unit *)(p.array + places[u]);
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (places[u] != p.outside) __stcs((Unit *)p.dense + first + u * BLOCK, units[u]);
#else
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (first + u * BLOCK < p.count) p.places[first + u * BLOCK] = places[u];
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 step = (tn_i64)BLOCK * UNROLL;
    const tn_i64 begin = blockIdx.x * step + threadIdx.x;
    for (tn_i64 first = begin; first < p.count; first += gridDim.x * step) {
        tn_i64 found[UNROLL][COUNT], places[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const tn_i64 at = first + u * BLOCK;
            tn_i64 offsets[COUNT] = {0};
            places[u] = 0;
            if (at >= p.count) continue;
            p.shape.walk((Index)at, offsets);
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                found[u][k] = __ldcs((const tn_i64 *)(p.indices[k] + offsets[k]));
            if (ADDS) places[u] = p.places[at];
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const tn_i64 at = first + u * BLOCK;
            tn_i64 place = places[u] + p.origin;
            if (at >= p.count) {
                places[u] = p.outside;
                continue;
            }
            bool is_inside = !ADDS || places[u] != p.outside;
#pragma unroll
            for (int k = 0; k < COUNT; k++) {
                tn_i64 index = resolve_index(found[u][k], p.sizes[k], p.axes[k], p.bounds);
                is_inside = is_inside && index >= 0;
                place += index * p.steps[k];
            }
            places[u] = is_inside ? place : p.outside;
        }
        finish(p, first, places);
    }
}
