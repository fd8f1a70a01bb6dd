/* dense[outer, j, inner] = array[outer, indices[j], inner], and the other way round with PUT.
 *
 * All axes are walked as one shape of three arrays: the index axis has no stride in the array (the
 * index gives the place), the others none in the indices. The last axis counts units of UNIT_BYTES.
 * The program defines IndexType, UNIT_BYTES (1 to 16), NDIM, WIDE_INDEX, INDEX_MODE, UNROLL
 * elements of a thread; PUT 0 or 1; CHECKED 1: an earlier launch of this call looked at the
 * indices; with PUT also
 * OWNERS: 0 any of equal indices may win, else as owners.cuh has it, VALUE 1: one value for all.
 * Invariant: of equal indices the last wins, whatever the order of threads.
 * What is touched once, indices and the dense array, is streamed, so that the L2 cache keeps the
 * array. */
#define MACROS BLOCK, UNROLL, UNIT_BYTES, NDIM, WIDE_INDEX, INDEX_MODE, PUT, CHECKED, OWNERS, VALUE
#include "access.cuh"
#include "bounds.cuh"
#if PUT
#include "owners.cuh"
#endif

struct Params {
    char *array;
    char *dense;
    const char *indices;
    tn_i64 count; /* of all units */
    tn_i64 axis_size, axis_stride, axis;
    Bounds bounds;
    tn_u64 value[2];
    tn_i64 index_stride; /* bytes from one index to the next; a place's number: its offset / this */
    tn_u64 *owners;
    tn_u64 owner_mask;
    Shape<NDIM, 3> shape; /* array, dense, indices */
};

typedef Word<UNIT_BYTES>::type Unit;

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
#if CHECKED
    if (p.bounds.has_failed()) return;
#endif
    const tn_i64 step = (tn_i64)BLOCK * UNROLL;
    for (tn_i64 first = blockIdx.x * step + threadIdx.x; first < p.count;
         first += gridDim.x * step) {
        tn_i64 offsets[UNROLL][3], index[UNROLL];
        Unit units[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            tn_i64 at = first + u * BLOCK;
            offsets[u][0] = offsets[u][1] = offsets[u][2] = 0;
            index[u] = 0;
            if (at < p.count) {
                p.shape.walk((Index)at, offsets[u]);
                index[u] = (tn_i64)__ldcs((const IndexType *)(p.indices + offsets[u][2]));
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            index[u] = first + u * BLOCK < p.count
                           ? resolve_index(index[u], p.axis_size, p.axis, p.bounds)
                           : -1;
#if PUT
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (index[u] < 0) continue;
#if OWNERS
            if (!is_owner(p.owners, p.owner_mask, index[u], offsets[u][2] / p.index_stride))
                index[u] = -1;
#endif
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (index[u] < 0) continue;
#if VALUE
            units[u] = *(const Unit *)p.value;
#else
            units[u] = __ldcs((const Unit *)(p.dense + offsets[u][1]));
#endif
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (index[u] >= 0)
                *(Unit *)(p.array + offsets[u][0] + index[u] * p.axis_stride) = units[u];
#else
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (index[u] >= 0)
                units[u] = *(const Unit *)(p.array + offsets[u][0] + index[u] * p.axis_stride);
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (index[u] >= 0) __stcs((Unit *)(p.dense + offsets[u][1]), units[u]);
#endif
    }
}
