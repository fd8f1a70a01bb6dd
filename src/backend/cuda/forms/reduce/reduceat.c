/* reduceat on CUDA: a team of threads a segment; one thread where the order is strict. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/index/indexing.h"
#include "backend/cuda/forms/index/take.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "core/rules/reduce_table.h"

enum { BLOCK = 256, LONG_SEGMENT = 8192 };

static const tni_reduceat_form form = TNI_FORM(reduceat, tni_fold_write);

/* Threads of a team: as the segments' mean length asks for. */
static int choose_team(const tni_reduceat *call) {
    int64_t length = call->length / call->index_count;
    if (call->is_ordered || length <= 4) return 1;
    return length > LONG_SEGMENT ? BLOCK : 32;
}

tn_status tni_plan_reduceat(tni_plan *plan, const struct tni_reduceat *call) {
    const int64_t step = 8;
    tni_plan_check(plan, call->indices, TN_I64, 1, &call->index_count, &step, call->length,
                   call->op, true);
    tni_fold_key fold = {.kind = TNI_FOLD_VALUE};
    if (!call->is_ordered) fold.kind = (uint8_t)tni_fold_kind(call->op, call->accumulator);
    int team = choose_team(call);
    tni_form_key *key = TNI_STEP(
        plan, reduceat, &form,
        MACROS(.BLOCK = BLOCK, .TEAM = team, .ORDERED = call->is_ordered, .KEPT_NDIM = call->ndim,
               .WIDE_INDEX = tni_form_is_wide(call->size)),
        PARAMS(.input = call->input, .output = call->output, .indices = call->indices,
               .segments = call->index_count, .rows = call->size, .length = call->length,
               .input_step = call->input_stride, .output_step = call->output_stride,
               .kept = TNI_SHAPE_2(call->shape, call->input_strides, call->output_strides)));
    tni_fold_set(key, &fold, call->op, call->input_dtype, call->accumulator, call->output_dtype);
    tni_plan_grid(plan, tni_form_ceil(call->size * call->index_count, BLOCK / team), BLOCK);
    return TN_OK;
}
