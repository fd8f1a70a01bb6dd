/* Counting a mask and writing the coordinates of its true elements on CUDA. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/program.h"
#include "backend/cuda/launch/defer.h"
#include "forms/mask.h"

enum { THREADS = 256, COUNT_BLOCKS = THREADS / 32 /* blocks of the mask that a tile counts */ };

static const tni_form count_form = {"count", {"WIDE_INDEX"}, NULL, 34};
static const tni_form nonzero_form = {"nonzero", {"NDIM", "WIDE_INDEX"}, NULL, 35};

static tn_status count(const tni_mask *mask, tn_stream *stream) {
    tni_form_key key = {0};
    tni_form_params params;
    tni_form_scratch memory;
    tni_cuda_kernel *kernel;
    int64_t blocks = tni_mask_blocks(mask->count), tiles = tni_form_ceil(blocks, COUNT_BLOCKS);
    if (blocks == 0) return tni_cuda_fill(mask->offsets, 0, sizeof(int64_t), stream);
    key.op = -1;
    TNI_TRY(tni_form_get(&kernel, &count_form, &key, stream));
    TNI_TRY(tni_form_scratch_init(&memory, 8 * (tiles + 1), 0, stream));
    tni_form_begin(&params);
    tni_form_put_pointer(&params, mask->data);
    tni_form_put_i64(&params, mask->count);
    tni_form_put_i64(&params, blocks);
    tni_form_put_pointer(&params, mask->offsets);
    tni_form_put_pointer(&params, memory.address);
    tni_form_put_pointer(&params, memory.address + 8);
    tn_status status = tni_form_launch(kernel, tiles, THREADS, &params, stream);
    tni_form_scratch_deinit(&memory);
    return status;
}

tn_status tni_cuda_nonzero(const struct tni_nonzero *call, tn_stream *stream) {
    tni_form_key key = {0};
    tni_form_params params;
    tni_cuda_kernel *kernel;
    if (call->is_counting) return count(&call->mask, stream);
    if (call->mask.count == 0 || call->ndim == 0) return TN_OK;
    bool wide = tni_form_is_wide(call->mask.count);
    key.op = -1;
    key.numbers[0] = (int16_t)call->ndim;
    key.numbers[1] = wide;
    TNI_TRY(tni_form_get(&kernel, &nonzero_form, &key, stream));
    tni_form_begin(&params);
    tni_form_put_pointer(&params, call->mask.data);
    tni_form_put_i64(&params, call->mask.count);
    tni_form_put_pointer(&params, call->mask.offsets);
    tni_form_put_i64(&params, call->to_stride);
    for (int axis = 0; axis < call->ndim; axis++)
        tni_form_put_pointer(&params, call->to[axis]);
    for (int axis = 0; axis < call->ndim; axis++)
        tni_form_put_axis(&params, call->shape[axis], wide);
    return tni_form_launch(kernel, tni_mask_blocks(call->mask.count), THREADS, &params, stream);
}
