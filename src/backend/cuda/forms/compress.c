/* Reading and writing by a mask on CUDA: one launch, whose blocks know their places from the
 * counts. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/program.h"
#include "forms/mask.h"

#include <string.h>

enum { THREADS = 256 };

static const tni_form form = {
    "compress", {"UNIT_BYTES", "NDIM", "WIDE_INDEX", "EXPAND", "VALUE"}, NULL, 33};

typedef struct job {
    const tni_mask *mask;
    int64_t item_bytes;
    int ndim;
    const int64_t *shape, *strides;
    const char *array, *dense;
    int64_t dense_stride;
    bool expands;
    int one_value; /* VALUE of the form */
    unsigned char value[16];
} job;

static tn_status run(const job *j, tn_stream *stream) {
    tni_form_key key = {0};
    tni_form_params params;
    tni_cuda_kernel *kernel;
    if (j->mask->count == 0) return TN_OK;
    bool wide = tni_form_is_wide(j->mask->count);
    int numbers[] = {(int)j->item_bytes, j->ndim, wide, j->expands, j->one_value};
    for (int k = 0; k < 5; k++)
        key.numbers[k] = (int16_t)numbers[k];
    key.op = -1;
    TNI_TRY(tni_form_get(&kernel, &form, &key, stream));
    tni_form_begin(&params);
    tni_form_put_pointer(&params, j->mask->data);
    tni_form_put_i64(&params, j->mask->count);
    tni_form_put_pointer(&params, j->mask->offsets);
    tni_form_put_pointer(&params, j->array);
    tni_form_put_pointer(&params, j->dense);
    tni_form_put_i64(&params, j->dense_stride);
    tni_form_put(&params, j->value, sizeof j->value);
    tni_form_put_shape(&params, j->ndim, j->shape, 1, &j->strides, wide);
    return tni_form_launch(kernel, tni_mask_blocks(j->mask->count), THREADS, &params, stream);
}

tn_status tni_cuda_compress(const struct tni_compress *call, tn_stream *stream) {
    job j = {&call->mask, call->item_bytes, call->ndim,       call->shape, call->strides,
             call->from,  call->to,         call->item_bytes, false,       0,
             {0}};
    return run(&j, stream);
}

tn_status tni_cuda_expand(const struct tni_expand *call, tn_stream *stream) {
    job j = {&call->mask,
             call->item_bytes,
             call->ndim,
             call->shape,
             call->strides,
             call->to,
             call->values,
             call->values_stride,
             true,
             !call->values        ? 1
             : call->mask.offsets ? 0
                                  : 2,
             {0}};
    memcpy(j.value, call->value, sizeof j.value);
    return run(&j, stream);
}
