/* array[indices] = dense, an element an index, for few indices into a long axis, in two launches.
 * Of equal indices the last wins.
 *
 * The program defines IndexType, INDEX_MODE, UNIT_BYTES (of an element), UNROLL slots of a thread,
 * and STEP. 0 notes for each index its last place, in a hash table of words: the index above, the
 * place below, ones where there is none. 1 writes what the table says, each element once. The table
 * lies in the cache, where an array of the axis' length would not.
 * Invariant: the axis is shorter than 2**32 - 1, and there are fewer than 2**32 indices. */
#define WIDE_INDEX 1
#include "access.cuh"
#include "bounds.cuh"

struct Params {
    char *array;
    const char *dense, *indices;
    tn_i64 count, axis_size, axis_stride, axis, dense_stride, index_stride;
    Bounds bounds;
    tn_u64 *slots;
    tn_u64 mask; /* slots, of which there are a power of two, - 1 */
};

typedef Word<UNIT_BYTES>::type Unit;

#define FREE ~0ull

__device__ __forceinline__ void note(const Params &p, tn_u64 index, tn_u64 place) {
    const tn_u64 word = index << 32 | place;
    for (tn_u64 slot = index * 0x9e3779b97f4a7c15ull >> 32 & p.mask;; slot = (slot + 1) & p.mask) {
        const tn_u64 seen = atomicCAS(p.slots + slot, FREE, word);
        if (seen != FREE && seen >> 32 != index) continue;
        if (seen != FREE) atomicMax(p.slots + slot, word);
        return;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
#if STEP == 0
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        const tn_i64 given = (tn_i64)__ldcs((const IndexType *)(p.indices + at * p.index_stride));
        const tn_i64 index = resolve_index(given, p.axis_size, p.axis, p.bounds);
        if (index >= 0) note(p, (tn_u64)index, (tn_u64)at);
    }
#else
    if (INDEX_MODE == INDEX_RAISE && p.bounds.has_failed()) return;
    const tn_i64 step = (tn_i64)BLOCK * UNROLL, slots = (tn_i64)p.mask + 1;
    for (tn_i64 base = blockIdx.x * step + threadIdx.x; base < slots; base += gridDim.x * step) {
        tn_u64 words[UNROLL];
        Unit units[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            words[u] = base + u * BLOCK < slots ? p.slots[base + u * BLOCK] : FREE;
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (words[u] != FREE)
                units[u] = *(const Unit *)(p.dense + (tn_i64)(words[u] & 0xffffffffu) * p.dense_stride);
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (words[u] != FREE)
                *(Unit *)(p.array + (tn_i64)(words[u] >> 32) * p.axis_stride) = units[u];
    }
#endif
}
