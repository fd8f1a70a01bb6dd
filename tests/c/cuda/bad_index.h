/* What a kernel does that meets an index out of bounds (report_failure in kernels/base/bounds.cuh),
 * for tests on the double, whose kernels are C functions. */
#ifndef TESTS_BAD_INDEX_H
#define TESTS_BAD_INDEX_H

#include "backend/cuda/launch/workspace.h"
#include "backend/cuda/stream/records.h"
#include "ops/failures.h"

/* Whether this index is the one that is recorded. */
static inline bool report_bad_index(const tni_bounds *bounds, tn_failure kind, int64_t index,
                                    int64_t axis, int64_t size) {
    atomic_uint_least64_t *failed_call = (void *)(uintptr_t)bounds->words[0];
    atomic_uint *is_taken = (void *)(uintptr_t)bounds->words[1];
    tni_failure_record *record = (void *)(uintptr_t)bounds->words[2];
    atomic_store(failed_call, bounds->words[3]);
    unsigned epoch = (unsigned)atomic_load(&record->epoch), seen = atomic_load(is_taken);
    if (seen == epoch || !atomic_compare_exchange_strong(is_taken, &seen, epoch)) return false;
    if (atomic_load(&record->is_set)) return false;
    record->kind = kind;
    record->axis = axis;
    record->index = index;
    record->size = size;
    atomic_store(&record->is_set, 1);
    return true;
}

#endif
