/* reduceat on CUDA: a team of threads a segment; one thread where the order is strict. */
#include "backend/cuda/forms/fold.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/indexing.h"
#include "backend/cuda/forms/take.h"
#include "backend/cuda/launch/workspace.h"
#include "core/rules/reduce_table.h"

enum { BLOCK = 256, LONG_SEGMENT = 8192 };

static const tni_form folded_form = {
    "reduceat", {"BLOCK", "TEAM", "ORDERED", "KEPT_NDIM", "WIDE_INDEX"}, tni_fold_write, 41};
static const tni_form ordered_form = {"reduceat",
                                      {"BLOCK", "TEAM", "ORDERED", "KEPT_NDIM", "WIDE_INDEX"},
                                      tni_fold_write_ordered,
                                      42};

/* Threads of a team: as the segments' mean length asks for. */
static int choose_team(const tni_reduceat *call) {
    int64_t length = call->length / call->index_count;
    if (call->is_ordered || length <= 4) return 1;
    return length > LONG_SEGMENT ? BLOCK : 32;
}

tn_status tni_cuda_reduceat(const struct tni_reduceat *call, tn_stream *stream) {
    tni_form_key key = {0};
    tni_form_params params;
    tni_bounds bounds;
    tni_cuda_kernel *kernel;
    const int64_t step = 8;
    TNI_TRY(tni_bounds_begin(&bounds, stream));
    TNI_TRY(tni_cuda_check_indices(call->indices, TN_I64, 1, &call->index_count, &step,
                                   call->length, -1 - (int64_t)call->op, &bounds, stream));
    tni_fold_key fold = {.kind = TNI_FOLD_VALUE};
    if (!call->is_ordered) fold.kind = (uint8_t)tni_fold_kind(call->op, call->accumulator);
    int team = choose_team(call);
    bool wide = tni_form_is_wide(call->size);
    int numbers[] = {BLOCK, team, call->is_ordered, call->ndim, wide};
    for (int k = 0; k < 5; k++)
        key.numbers[k] = (int16_t)numbers[k];
    tni_fold_set(&key, &fold, call->op, call->input_dtype, call->accumulator, call->output_dtype);
    TNI_TRY(tni_form_get(&kernel, call->is_ordered ? &ordered_form : &folded_form, &key, stream));
    tni_form_begin(&params);
    tni_form_put_pointer(&params, call->input);
    tni_form_put_pointer(&params, call->output);
    tni_form_put_pointer(&params, call->indices);
    tni_form_put_i64(&params, call->index_count);
    tni_form_put_i64(&params, call->size);
    tni_form_put_i64(&params, call->length);
    tni_form_put_i64(&params, call->input_stride);
    tni_form_put_i64(&params, call->output_stride);
    tni_form_put(&params, &bounds, sizeof bounds);
    const int64_t *strides[2] = {call->input_strides, call->output_strides};
    tni_form_put_shape(&params, call->ndim, call->shape, 2, strides, wide);
    return tni_form_launch(kernel, tni_form_ceil(call->size * call->index_count, BLOCK / team),
                           BLOCK, &params, stream);
}
