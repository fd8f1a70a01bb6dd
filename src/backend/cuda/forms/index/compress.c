/* Reading and writing by a mask on CUDA: one launch, whose blocks know their places from the
 * counts. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/mask.h"

#include <string.h>

enum { THREADS = 256 };

static const tni_compress_form form = TNI_FORM(compress, NULL);

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

static tn_status plan_moves(tni_plan *plan, const job *j) {
    if (j->mask->count == 0) return TN_OK;
    bool wide = tni_form_is_wide(j->mask->count);
    TNI_STEP(plan, compress, &form,
             MACROS(.UNIT_BYTES = j->item_bytes, .NDIM = j->ndim, .WIDE_INDEX = wide,
                    .EXPAND = j->expands, .VALUE = j->one_value),
             PARAMS(.mask = j->mask->data, .count = j->mask->count, .offsets = j->mask->offsets,
                    .array = j->array, .dense = j->dense, .dense_stride = j->dense_stride,
                    .value = j->value, .shape = TNI_SHAPE_1(j->shape, j->strides)));
    tni_plan_grid(plan, tni_mask_blocks(j->mask->count), THREADS);
    return TN_OK;
}

tn_status tni_plan_compress(tni_plan *plan, const struct tni_compress *call) {
    job j = {&call->mask, call->item_bytes, call->ndim,       call->shape, call->strides,
             call->from,  call->to,         call->item_bytes, false,       0,
             {0}};
    return plan_moves(plan, &j);
}

tn_status tni_plan_expand(tni_plan *plan, const struct tni_expand *call) {
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
    return plan_moves(plan, &j);
}
