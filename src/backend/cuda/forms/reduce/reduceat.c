/* reduceat on CUDA: a team of threads a segment; one thread where the order is strict. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/index/indexing.h"
#include "backend/cuda/forms/index/take.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "core/rules/reduce_table.h"

enum { BLOCK = 256, LONG_SEGMENT = 8192 };

static const tni_form form = {
    "reduceat", {"BLOCK", "TEAM", "ORDERED", "KEPT_NDIM", "WIDE_INDEX"}, tni_fold_write, 41};

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
    bool wide = tni_form_is_wide(call->size);
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, team, call->is_ordered, call->ndim, wide};
    tni_form_key *key = tni_plan_step(plan, &form, numbers);
    tni_fold_set(key, &fold, call->op, call->input_dtype, call->accumulator, call->output_dtype);
    tni_params_pointer(plan, call->input);
    tni_params_pointer(plan, call->output);
    tni_params_pointer(plan, call->indices);
    tni_params_i64(plan, call->index_count);
    tni_params_i64(plan, call->size);
    tni_params_i64(plan, call->length);
    tni_params_i64(plan, call->input_stride);
    tni_params_i64(plan, call->output_stride);
    tni_params_bounds(plan);
    const int64_t *strides[2] = {call->input_strides, call->output_strides};
    tni_params_shape(plan, call->ndim, call->shape, 2, strides, wide);
    tni_plan_grid(plan, tni_form_ceil(call->size * call->index_count, BLOCK / team), BLOCK);
    return TN_OK;
}
