/* Running products of floats and complex numbers on CUDA: a block a line, or, where lines are few
 * and long, a block a part of a line, in three launches (kernels/scan_product.cu says why order
 * counts). */
#include "backend/cuda/forms/scan_product.h"
#include "backend/cuda/forms/fold.h"

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

static tn_status launch(const tni_scan *call, int phase, int64_t part_length, int64_t parts,
                        const char *memory, tn_stream *stream) {
    tni_form_key key = {0};
    tni_form_params params;
    tni_cuda_kernel *kernel;
    bool wide = tni_form_is_wide(call->size);
    tni_fold_key fold = {.kind = TNI_FOLD_VALUE, .skips_nan = (call->flags & TNI_SKIPS_NAN) != 0};
    tni_fold_set(&key, &fold, call->op, call->input_dtype, call->accumulator, call->output_dtype);
    int numbers[] = {BLOCK, COUNT, phase, call->ndim, wide};
    for (int k = 0; k < 5; k++)
        key.numbers[k] = (int16_t)numbers[k];
    TNI_TRY(tni_form_get(&kernel, &form, &key, stream));
    tni_form_begin(&params);
    tni_form_put_pointer(&params, call->input);
    tni_form_put_pointer(&params, call->output);
    tni_form_put_pointer(&params, memory);
    tni_form_put_i64(&params, call->size);
    tni_form_put_i64(&params, call->length);
    tni_form_put_i64(&params, part_length);
    tni_form_put_i64(&params, parts);
    tni_form_put_i64(&params, call->input_stride);
    tni_form_put_i64(&params, call->output_stride);
    const int64_t *strides[2] = {call->input_strides, call->output_strides};
    tni_form_put_shape(&params, call->ndim, call->shape, 2, strides, wide);
    return tni_form_launch(kernel, phase == CHAIN ? call->size : call->size * parts, BLOCK, &params,
                           stream);
}

tn_status tni_cuda_scan_product(const tni_scan *call, tn_stream *stream) {
    int64_t full = (int64_t)tni_form_multiprocessors(stream) * BLOCKS_PER_MULTIPROCESSOR;
    int64_t parts = tni_form_min(full / call->size, call->length / (PART_TILES * TILE));
    if (parts < 2) return launch(call, WHOLE, call->length, 1, NULL, stream);
    int64_t part_length = tni_form_ceil(tni_form_ceil(call->length, parts), TILE) * TILE;
    parts = tni_form_ceil(call->length, part_length);
    tni_form_scratch memory;
    TNI_TRY(tni_form_scratch_init(&memory, call->size * parts * PART_BYTES, -1, stream));
    tn_status status = TN_OK;
    for (int phase = LOOK; phase <= WRITE && status == TN_OK; phase++)
        status = launch(call, phase, part_length, parts, memory.address, stream);
    tni_form_scratch_deinit(&memory);
    return status;
}
