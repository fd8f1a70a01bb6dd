/* Integer indices on the device: how they are read, wrapped and found out of bounds.
 *
 * Decides: what a kernel reports of a bad index, or of another failure. A stream has one record;
 * the first failure since it was last read is kept, and the next call that waits for work of the
 * device raises it.
 * Invariant: `*failed_call` is the number of the last call that had a bad index, so that the
 * kernels of the same call that would write can leave the output untouched, and later calls are not
 * held back. The host counts the epoch up when it has read the record, so `*is_taken`, the epoch in
 * which a kernel wrote last, need not be reset; and a record that is set is never written.
 *
 * A program defines INDEX_MODE as one of the INDEX_... below. */
#ifndef BOUNDS_CUH
#define BOUNDS_CUH

#include "failures.h"
#include "types.h"

#define INDEX_RAISE 0
#define INDEX_WRAP 1
#define INDEX_CLIP 2

/* In memory of the host that the device reaches. */
struct BoundsRecord {
    tn_i64 is_set, kind, axis, index, size;
    tn_u64 epoch;
};

struct Bounds {
    tn_u64 *failed_call;
    unsigned *is_taken; /* the epoch in which a kernel writes the record, or has */
    BoundsRecord *record;
    tn_u64 call;

    __device__ __forceinline__ bool has_failed() const {
        return *(const volatile tn_u64 *)failed_call == call;
    }
};

__device__ __noinline__ void report_failure(const Bounds &bounds, tn_failure kind, tn_i64 index,
                                            tn_i64 axis = 0, tn_i64 size = 0) {
    *(volatile tn_u64 *)bounds.failed_call = bounds.call;
    const unsigned epoch = (unsigned)*(const volatile tn_u64 *)&bounds.record->epoch;
    const unsigned seen = *(const volatile unsigned *)bounds.is_taken;
    if (seen == epoch || atomicCAS(bounds.is_taken, seen, epoch) != seen) return;
    if (*(const volatile tn_i64 *)&bounds.record->is_set) return;
    bounds.record->kind = kind;
    bounds.record->axis = axis;
    bounds.record->index = index;
    bounds.record->size = size;
    __threadfence_system();
    *(volatile tn_i64 *)&bounds.record->is_set = 1;
}

/* The index as an offset in elements, or -1 where it is out of bounds (which is then reported). */
__device__ __forceinline__ tn_i64 resolve_index(tn_i64 index, tn_i64 size, tn_i64 axis,
                                                const Bounds &bounds) {
#if INDEX_MODE == INDEX_RAISE
    if (index < -size || index >= size) {
        report_failure(bounds, TN_FAILURE_INDEX, index, axis, size);
        return -1;
    }
    return index < 0 ? index + size : index;
#elif INDEX_MODE == INDEX_WRAP
    if (index >= 0 && index < size) return index;
    index %= size;
    return index < 0 ? index + size : index;
#else
    return index < 0 ? 0 : index >= size ? size - 1 : index;
#endif
}

#endif
