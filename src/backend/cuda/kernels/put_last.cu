/* array[indices] = dense, an element an index: the launches behind the one that marks a place for
 * every index (own.cu). Of equal indices the last wins.
 *
 * The program defines IndexType, INDEX_MODE, UNIT_BYTES (of an element), UNROLL elements of a
 * thread, STEP. 1: a place that is marked writes; one behind the marked place takes the mark and a
 * bit of `clashes`. 2: of the places with a bit those write that have the mark in the end.
 * Invariant: step 1 writes every word of `clashes`; it writes a wrong element only where step 2
 * writes the right one. */
#define WIDE_INDEX 1
#define OWNERS 1
#include "access.cuh"
#include "bounds.cuh"
#include "owners.cuh"

struct Params {
    char *array;
    const char *dense, *indices;
    tn_i64 count, axis_size, axis_stride, axis, dense_stride, index_stride;
    Bounds bounds;
    tn_u64 *owners;
    unsigned *clashes; /* a bit a place */
};

typedef Word<UNIT_BYTES>::type Unit;

#if STEP == 1
/* Whether the place writes now; what is said of clashes is for its warp. */
__device__ __forceinline__ bool is_first(const Params &p, tn_i64 index, tn_i64 place) {
    const int seen = index < 0 ? (int)place + 1 : ((const int *)p.owners)[index];
    const bool is_behind = index >= 0 && seen < (int)place;
    if (is_behind) own(p.owners, 0, index, place);
    const unsigned clashes = __ballot_sync(0xffffffffu, is_behind);
    if (threadIdx.x % 32 == 0 && place < p.count) p.clashes[place / 32] = clashes;
    return index >= 0 && seen == (int)place;
}
#else
__device__ __forceinline__ bool is_first(const Params &p, tn_i64 index, tn_i64 place) {
    return index >= 0 && is_marked(p.owners, index, place);
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    if (INDEX_MODE == INDEX_RAISE && p.bounds.has_failed()) return;
    const tn_i64 step = (tn_i64)BLOCK * UNROLL;
    for (tn_i64 base = blockIdx.x * step; base < p.count; base += gridDim.x * step) {
        tn_i64 index[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const tn_i64 at = base + u * BLOCK + threadIdx.x;
            bool is_asked = at < p.count;
            if (STEP == 2) is_asked = is_asked && p.clashes[at / 32] >> at % 32 & 1;
            index[u] = -1;
            if (is_asked)
                index[u] = resolve_index(
                    (tn_i64)__ldcs((const IndexType *)(p.indices + at * p.index_stride)),
                    p.axis_size, p.axis, p.bounds);
        }
        bool writes[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            writes[u] = is_first(p, index[u], base + u * BLOCK + threadIdx.x);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const tn_i64 at = base + u * BLOCK + threadIdx.x;
            if (writes[u])
                *(Unit *)(p.array + index[u] * p.axis_stride) =
                    __ldcs((const Unit *)(p.dense + at * p.dense_stride));
        }
    }
}
