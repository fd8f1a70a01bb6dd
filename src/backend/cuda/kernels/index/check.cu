/* Looks for indices out of bounds and writes nothing but the record: the launch before one that
 * must not write if there is any. SEGMENTS 1: of a reduceat, in which negative indices are out of
 * bounds, too. The program defines IndexType, NDIM, WIDE_INDEX, SEGMENTS. */
#define MACROS BLOCK, NDIM, WIDE_INDEX, SEGMENTS
#define INDEX_MODE 0
#include "access.cuh"
#include "bounds.cuh"

struct Params {
    const char *indices;
    tn_i64 count, size, axis;
    Bounds bounds;
    Shape<NDIM, 1> shape;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 offsets[1] = {0};
        p.shape.walk((Index)at, offsets);
        tn_i64 index = (tn_i64) * (const IndexType *)(p.indices + offsets[0]);
        if (!SEGMENTS)
            resolve_index(index, p.size, p.axis, p.bounds);
        else if (index < 0 || index >= p.size)
            report_failure(p.bounds, TN_FAILURE_SEGMENT, index, p.axis, p.size);
    }
}
