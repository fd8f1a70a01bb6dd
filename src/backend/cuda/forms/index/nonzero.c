/* Counting a mask and writing the coordinates of its true elements on CUDA. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/mask.h"

enum { THREADS = 256, COUNT_BLOCKS = THREADS / 32 /* blocks of the mask that a tile counts */ };

static const tni_count_form count_form = TNI_FORM(count, NULL);
static const tni_nonzero_form nonzero_form = TNI_FORM(nonzero, NULL);

static tn_status count(tni_plan *plan, const tni_mask *mask) {
    int64_t blocks = tni_mask_blocks(mask->count), tiles = tni_form_ceil(blocks, COUNT_BLOCKS);
    if (blocks == 0) {
        tni_plan_clear(plan, mask->offsets, sizeof(int64_t));
        return TN_OK;
    }
    char *memory = tni_plan_scratch(plan, 8 * (tiles + 1), 0);
    TNI_STEP(plan, count, &count_form, MACROS(.WIDE_INDEX = 0),
             PARAMS(.mask = mask->data, .count = mask->count, .blocks = blocks,
                    .offsets = mask->offsets, .ticket = memory, .states = memory + 8));
    tni_plan_grid(plan, tiles, THREADS);
    return TN_OK;
}

tn_status tni_plan_nonzero(tni_plan *plan, const struct tni_nonzero *call) {
    if (call->is_counting) return count(plan, &call->mask);
    if (call->mask.count == 0 || call->ndim == 0) return TN_OK;
    TNI_STEP(plan, nonzero, &nonzero_form,
             MACROS(.NDIM = call->ndim, .WIDE_INDEX = tni_form_is_wide(call->mask.count)),
             PARAMS(.mask = call->mask.data, .count = call->mask.count,
                    .offsets = call->mask.offsets, .to_stride = call->to_stride,
                    .to = (const void *const *)call->to, .axes = call->shape));
    tni_plan_grid(plan, tni_mask_blocks(call->mask.count), THREADS);
    return TN_OK;
}
