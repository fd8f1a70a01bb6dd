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

static const tni_scan_product_form form = TNI_FORM(scan_product, tni_fold_write);

bool tni_scan_keeps_order(const tni_scan *call) {
    return call->op == TN_OP_MULTIPLY && call->accumulator >= TN_F16;
}

static void plan_phase(tni_plan *plan, const tni_scan *call, int phase, int64_t part_length,
                       int64_t parts, const char *memory) {
    tni_fold_key fold = {.kind = TNI_FOLD_VALUE, .skips_nan = (call->flags & TNI_SKIPS_NAN) != 0};
    tni_form_key *key = TNI_STEP(
        plan, scan_product, &form,
        MACROS(.BLOCK = BLOCK, .COUNT = COUNT, .PHASE = phase, .KEPT_NDIM = call->ndim,
               .WIDE_INDEX = tni_form_is_wide(call->size)),
        PARAMS(.input = call->input, .output = call->output, .parts = memory, .lines = call->size,
               .length = call->length, .part_length = part_length, .part_count = parts,
               .input_step = call->input_stride, .output_step = call->output_stride,
               .kept = TNI_SHAPE_2(call->shape, call->input_strides, call->output_strides)));
    tni_fold_set(key, &fold, call->op, call->input_dtype, call->accumulator, call->output_dtype);
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
