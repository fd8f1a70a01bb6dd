/* Running products of floats and complex numbers on CUDA: a block a line, or, where lines are few
 * and long, a block a part of a line, in three launches (scan_product.cu says why order counts). */
#include "backend/cuda/forms/reduce/scan_product.h"
#include "backend/cuda/forms/reduce/fold.h"

#include <string.h>

enum {
    BLOCK = 256,
    COUNT = 8,
    TILE = BLOCK * COUNT,
    PART_TILES = 4, /* of a part at least */
    PART_BYTES = 64,
    BLOCKS_PER_MULTIPROCESSOR = 4
};
enum { WHOLE, LOOK, CHAIN, WRITE };

static const tni_form form = {
    "scan_product", {"BLOCK", "COUNT", "PHASE", "KEPT_NDIM", "WIDE_INDEX"}, tni_fold_write, 24};

bool tni_scan_keeps_order(const tni_scan *call) {
    return call->op == TN_OP_MULTIPLY && call->accumulator >= TN_F16;
}

static void plan_phase(tni_plan *plan, const tni_scan *call, int phase, int64_t part_length,
                       int64_t parts, const char *memory) {
    bool wide = tni_form_is_wide(call->size);
    tni_fold_key fold = {.kind = TNI_FOLD_VALUE, .skips_nan = (call->flags & TNI_SKIPS_NAN) != 0};
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, COUNT, phase, call->ndim, wide};
    tni_form_key *key = tni_plan_step(plan, &form, numbers);
    tni_fold_set(key, &fold, call->op, call->input_dtype, call->accumulator, call->output_dtype);
    tni_params_pointer(plan, call->input);
    tni_params_pointer(plan, call->output);
    tni_params_pointer(plan, memory);
    tni_params_i64(plan, call->size);
    tni_params_i64(plan, call->length);
    tni_params_i64(plan, part_length);
    tni_params_i64(plan, parts);
    tni_params_i64(plan, call->input_stride);
    tni_params_i64(plan, call->output_stride);
    const int64_t *strides[2] = {call->input_strides, call->output_strides};
    tni_params_shape(plan, call->ndim, call->shape, 2, strides, wide);
    tni_plan_grid(plan, phase == CHAIN ? call->size : call->size * parts, BLOCK);
}

void tni_plan_scan_product(tni_plan *plan, const tni_scan *call) {
    int64_t full = (int64_t)plan->target->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    int64_t parts = tni_form_min(full / call->size, call->length / (PART_TILES * TILE));
    if (parts < 2) {
        plan_phase(plan, call, WHOLE, call->length, 1, NULL);
        return;
    }
    int64_t part_length = tni_form_ceil(tni_form_ceil(call->length, parts), TILE) * TILE;
    parts = tni_form_ceil(call->length, part_length);
    const char *memory = tni_plan_scratch(plan, call->size * parts * PART_BYTES, -1);
    for (int phase = LOOK; phase <= WRITE; phase++)
        plan_phase(plan, call, phase, part_length, parts, memory);
}
