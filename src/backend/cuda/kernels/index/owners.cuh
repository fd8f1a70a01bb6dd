/* Which of several equal indices wins: the last. OWNERS 1: an i32 for every place of the axis. It
 * begins as ones; or, for few indices and short axes, with whatever is there, and all that are
 * named write there first, in a launch of its own, so that only a thread that sees another needs an
 * atomic. 2: a hash table of (index, place) with open addressing, for few indices into a long axis;
 * it begins as ones, `mask` is its slots - 1. */
#ifndef OWNERS_CUH
#define OWNERS_CUH

#include "types.h"

#if OWNERS == 1
__device__ __forceinline__ void mark(tn_u64 *owners, tn_i64 index, tn_i64 place) {
    ((int *)owners)[index] = (int)place;
}
__device__ __forceinline__ bool is_marked(const tn_u64 *owners, tn_i64 index, tn_i64 place) {
    return ((const int *)owners)[index] == (int)place;
}
__device__ __forceinline__ void own(tn_u64 *owners, tn_u64, tn_i64 index, tn_i64 place) {
    atomicMax((int *)owners + index, (int)place);
}
__device__ __forceinline__ bool is_owner(const tn_u64 *owners, tn_u64, tn_i64 index, tn_i64 place) {
    return is_marked(owners, index, place);
}
#elif OWNERS == 2
__device__ __forceinline__ tn_u64 first_slot(tn_i64 index, tn_u64 mask) {
    return ((tn_u64)index * 0x9e3779b97f4a7c15ull >> 20) & mask;
}
__device__ __forceinline__ void own(tn_u64 *owners, tn_u64 mask, tn_i64 index, tn_i64 place) {
    for (tn_u64 slot = first_slot(index, mask);; slot = (slot + 1) & mask) {
        tn_u64 found = atomicCAS(owners + 2 * slot, ~0ull, (tn_u64)index);
        if (found != ~0ull && found != (tn_u64)index) continue;
        atomicMax((tn_i64 *)owners + 2 * slot + 1, place);
        return;
    }
}
__device__ __forceinline__ bool is_owner(const tn_u64 *owners, tn_u64 mask, tn_i64 index,
                                         tn_i64 place) {
    for (tn_u64 slot = first_slot(index, mask);; slot = (slot + 1) & mask)
        if (owners[2 * slot] == (tn_u64)index) return owners[2 * slot + 1] == (tn_u64)place;
}
#endif

#endif
