/* Joining on CUDA: one launch for up to TNI_JOIN_PARTS arrays, in the largest units that all
 * allow. */
#include "forms/join.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"

#include <string.h>

enum { BLOCK = 256, UNROLL = 4, FEW = 32 };

static const tni_join_form join_form = TNI_FORM(join, NULL);

tn_status tni_plan_join(tni_plan *plan, const tni_join *call) {
    int64_t bits = (int64_t)(uintptr_t)call->to | call->row_bytes, row = 0;
    for (int k = 0; k < call->count; k++) {
        bits |= (int64_t)(uintptr_t)call->parts[k].from | call->parts[k].run_bytes;
        row += call->parts[k].run_bytes;
    }
    int unit = tni_form_alignment(bits, 16);
    int64_t count = call->rows * (row / unit);
    const void *from[TNI_JOIN_PARTS] = {NULL};
    int64_t firsts[TNI_JOIN_PARTS] = {0}, units[TNI_JOIN_PARTS] = {0}, first = 0;
    for (int k = 0; k < call->count; k++) {
        from[k] = call->parts[k].from;
        firsts[k] = first;
        units[k] = call->parts[k].run_bytes / unit;
        first += units[k];
    }
    TNI_STEP(plan, join, &join_form,
             MACROS(.BLOCK = BLOCK, .UNIT_BYTES = unit, .UNROLL = UNROLL,
                    .WIDE_INDEX = tni_form_is_wide(count),
                    .PARTS = call->count <= FEW ? FEW : TNI_JOIN_PARTS),
             PARAMS(.to = call->to, .count = count, .row_bytes = call->row_bytes,
                    .parts = call->count, .row = row / unit, .from = from, .firsts = firsts,
                    .units = units));
    tni_plan_grid(plan, tni_form_ceil(count, BLOCK * UNROLL), BLOCK);
    return TN_OK;
}
