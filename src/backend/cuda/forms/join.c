/* Joining on CUDA: one launch for up to TNI_JOIN_PARTS arrays, in the largest units that all
 * allow. */
#include "forms/join.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"

#include <string.h>

enum { BLOCK = 256, UNROLL = 4, FEW = 32 };

static const tni_form join_form = {
    "join", {"BLOCK", "UNIT_BYTES", "UNROLL", "WIDE_INDEX", "PARTS"}, NULL, 60};

tn_status tni_plan_join(tni_plan *plan, const tni_join *call) {
    int64_t bits = (int64_t)(uintptr_t)call->to | call->row_bytes, row = 0;
    for (int k = 0; k < call->count; k++) {
        bits |= (int64_t)(uintptr_t)call->parts[k].from | call->parts[k].run_bytes;
        row += call->parts[k].run_bytes;
    }
    int unit = tni_form_alignment(bits, 16);
    int64_t count = call->rows * (row / unit);
    const int room = call->count <= FEW ? FEW : TNI_JOIN_PARTS;
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, unit, UNROLL, tni_form_is_wide(count),
                                              (int16_t)room};
    tni_plan_step(plan, &join_form, numbers);
    tni_params_pointer(plan, call->to);
    tni_params_i64(plan, count);
    tni_params_i64(plan, call->row_bytes);
    tni_params_i64(plan, call->count);
    tni_params_axis(plan, row / unit, numbers[3]);
    int64_t first = 0;
    for (int k = 0; k < room; k++) {
        int64_t units = k < call->count ? call->parts[k].run_bytes / unit : 0;
        tni_params_pointer(plan, k < call->count ? call->parts[k].from : NULL);
        tni_params_i64(plan, first);
        tni_params_i64(plan, units);
        first += units;
    }
    tni_plan_grid(plan, tni_form_ceil(count, BLOCK * UNROLL), BLOCK);
    return TN_OK;
}
