/* Counting a mask and writing the coordinates of its true elements on CUDA. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"
#include "forms/mask.h"

enum { THREADS = 256, COUNT_BLOCKS = THREADS / 32 /* blocks of the mask that a tile counts */ };

static const tni_form count_form = {"count", {"WIDE_INDEX"}, NULL, 34};
static const tni_form nonzero_form = {"nonzero", {"NDIM", "WIDE_INDEX"}, NULL, 35};

static tn_status count(tni_plan *plan, const tni_mask *mask) {
    int64_t blocks = tni_mask_blocks(mask->count), tiles = tni_form_ceil(blocks, COUNT_BLOCKS);
    if (blocks == 0) {
        tni_plan_clear(plan, mask->offsets, sizeof(int64_t));
        return TN_OK;
    }
    tni_plan_step(plan, &count_form, (int16_t[TNI_FORM_MACROS]){0});
    char *memory = tni_plan_scratch(plan, 8 * (tiles + 1), 0);
    tni_params_pointer(plan, mask->data);
    tni_params_i64(plan, mask->count);
    tni_params_i64(plan, blocks);
    tni_params_pointer(plan, mask->offsets);
    tni_params_pointer(plan, memory);
    tni_params_pointer(plan, memory + 8);
    tni_plan_grid(plan, tiles, THREADS);
    return TN_OK;
}

tn_status tni_plan_nonzero(tni_plan *plan, const struct tni_nonzero *call) {
    if (call->is_counting) return count(plan, &call->mask);
    if (call->mask.count == 0 || call->ndim == 0) return TN_OK;
    bool wide = tni_form_is_wide(call->mask.count);
    const int16_t numbers[TNI_FORM_MACROS] = {call->ndim, wide};
    tni_plan_step(plan, &nonzero_form, numbers);
    tni_params_pointer(plan, call->mask.data);
    tni_params_i64(plan, call->mask.count);
    tni_params_pointer(plan, call->mask.offsets);
    tni_params_i64(plan, call->to_stride);
    for (int axis = 0; axis < call->ndim; axis++)
        tni_params_pointer(plan, call->to[axis]);
    for (int axis = 0; axis < call->ndim; axis++)
        tni_params_axis(plan, call->shape[axis], wide);
    tni_plan_grid(plan, tni_mask_blocks(call->mask.count), THREADS);
    return TN_OK;
}
