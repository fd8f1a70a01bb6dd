/* array[indices] = dense, an element an index, in three launches. Of equal indices the last wins.
 *
 * The program defines IndexType, INDEX_MODE, UNIT_BYTES (of an element), UNROLL elements of a
 * thread, STEP, and LOOKS: 1 where most indices are equal to another, so that a bit is looked at
 * before it is set. 0 sets two bits for an index: that it is there, and that it is there again;
 * places that find the first one set note themselves as its owner. 1 writes the elements of indices
 * that are there once; other places become owners of theirs where they are after the noted one,
 * and get a bit of `clashes` unless they have lost. 2: of the places with a bit the owners write.
 * Invariant: step 1 reads an owner only where step 0 noted one, and writes every word of
 * `clashes`. */
#define MACROS BLOCK, INDEX_MODE, UNIT_BYTES, UNROLL, STEP, LOOKS
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
    unsigned *seen; /* two bits an index, 0 at first */
    tn_u64 *owners;
    unsigned *clashes; /* a bit a place */
};

typedef Word<UNIT_BYTES>::type Unit;

#if STEP == 0
__device__ __forceinline__ void choose(const Params &p, const tn_i64 (&index)[UNROLL],
                                       const tn_i64 (&places)[UNROLL], bool (&writes)[UNROLL]) {
    unsigned seen[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        unsigned *const word = p.seen + (index[u] < 0 ? 0 : index[u]) / 16;
        const unsigned bit = index[u] < 0 ? 0 : 1u << index[u] % 16 * 2;
        seen[u] = LOOKS ? *(const volatile unsigned *)word & bit * 3 : 0;
        writes[u] = false;
        if (bit & ~seen[u]) seen[u] = atomicOr(word, bit) & bit * 3;
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        if (index[u] < 0 || seen[u] == 0) continue;
        const unsigned again = 2u << index[u] % 16 * 2;
        mark(p.owners, index[u], places[u]);
        if (!(seen[u] & again)) atomicOr(p.seen + index[u] / 16, again);
    }
}
#elif STEP == 1
__device__ __forceinline__ void choose(const Params &p, const tn_i64 (&index)[UNROLL],
                                       const tn_i64 (&places)[UNROLL], bool (&writes)[UNROLL]) {
    int owners[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        writes[u] = index[u] >= 0 && !(p.seen[index[u] / 16] >> (index[u] % 16 * 2 + 1) & 1);
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        owners[u] = writes[u] || index[u] < 0 ? 0x7fffffff : ((const int *)p.owners)[index[u]];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        const bool is_open = owners[u] <= places[u];
        if (owners[u] < places[u]) own(p.owners, 0, index[u], places[u]);
        const unsigned clashes = __ballot_sync(0xffffffffu, is_open);
        if (threadIdx.x % 32 == 0 && places[u] < p.count) p.clashes[places[u] / 32] = clashes;
    }
}
#else
__device__ __forceinline__ void choose(const Params &p, const tn_i64 (&index)[UNROLL],
                                       const tn_i64 (&places)[UNROLL], bool (&writes)[UNROLL]) {
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        writes[u] = index[u] >= 0 && is_marked(p.owners, index[u], places[u]);
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    if (STEP > 0 && INDEX_MODE == INDEX_RAISE && p.bounds.has_failed()) return;
    const tn_i64 step = (tn_i64)BLOCK * UNROLL;
    for (tn_i64 base = blockIdx.x * step; base < p.count; base += gridDim.x * step) {
        tn_i64 index[UNROLL], places[UNROLL];
        bool is_asked[UNROLL], writes[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            places[u] = base + u * BLOCK + threadIdx.x;
            is_asked[u] = places[u] < p.count;
            if (STEP == 2 && is_asked[u])
                is_asked[u] = p.clashes[places[u] / 32] >> places[u] % 32 & 1;
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            index[u] =
                is_asked[u]
                    ? (tn_i64)__ldcs((const IndexType *)(p.indices + places[u] * p.index_stride))
                    : 0;
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            index[u] = is_asked[u] ? resolve_index(index[u], p.axis_size, p.axis, p.bounds) : -1;
        choose(p, index, places, writes);
        Unit units[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (writes[u]) units[u] = __ldcs((const Unit *)(p.dense + places[u] * p.dense_stride));
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (writes[u]) *(Unit *)(p.array + index[u] * p.axis_stride) = units[u];
    }
}
