/* How parameters are packed that are more than a number or an address. */
#include "backend/cuda/forms/step.h"

#include "backend/cuda/launch/workspace.h"

void tni_pack_slot(tni_plan *plan, int kind) {
    tni_slot *slot = &plan->slots[plan->slot_count++];
    slot->at = plan->bytes;
    slot->kind = kind;
}

static void put_later(tni_plan *plan, int kind, size_t bytes) {
    tni_pack_slot(plan, kind);
    memset(plan->params + plan->bytes, 0, bytes);
    plan->bytes += (unsigned)bytes;
}

void tni_pack_counters(tni_plan *plan, bool has_counters) {
    if (!has_counters) {
        tni_pack_pointer(plan, NULL);
        return;
    }
    plan->needs_workspace = true;
    put_later(plan, TNI_SLOT_COUNTERS, sizeof(unsigned *));
}

void tni_pack_locks(tni_plan *plan) {
    plan->needs_workspace = true;
    put_later(plan, TNI_SLOT_LOCKS, sizeof(unsigned *));
}

void tni_pack_bounds(tni_plan *plan) {
    plan->needs_bounds = true;
    put_later(plan, TNI_SLOT_BOUNDS, sizeof(tni_bounds));
}

/* n / size is (n + high(n * magic)) >> shift for n below 2**31, with shift the bits of size - 1 and
 * magic 2**32 * (2**shift - size) / size + 1. */
void tni_pack_axis(tni_plan *plan, int64_t size, bool wide) {
    if (wide) {
        tni_pack(plan, (const int64_t[2]){size}, 16);
        return;
    }
    unsigned shift = 0;
    while (shift < 31 && (INT64_C(1) << shift) < size)
        shift++;
    uint64_t excess = (UINT64_C(1) << shift) - (uint64_t)size;
    uint32_t words[4] = {(uint32_t)size, (uint32_t)((excess << 32) / (uint64_t)size + 1), shift, 0};
    tni_pack(plan, words, sizeof words);
}

void tni_pack_shape(tni_plan *plan, int ndim, const int64_t *sizes, int arrays,
                    const int64_t *const *strides, bool wide) {
    if (ndim == 0) tni_pack_pointer(plan, NULL); /* an empty struct and what it is padded to */
    for (int axis = 0; axis < ndim; axis++)
        tni_pack_axis(plan, sizes[axis], wide);
    for (int k = 0; k < arrays && ndim > 0; k++)
        tni_pack(plan, strides[k], (size_t)ndim * sizeof *strides[k]);
}
