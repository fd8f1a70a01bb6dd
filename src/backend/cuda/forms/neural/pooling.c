/* The form "pooling" on CUDA: a thread an element of the result. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/neural.h"

enum { BLOCK = 256 };

static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    tni_source_add(source, "typedef %s Stored;\ntypedef %s Working;\n", tni_body_stored(dtype),
                   tni_body_working(dtype));
    tni_body_add_load(source, "load_working", dtype, dtype);
    tni_body_add_store(source, "save_working", dtype, dtype);
}

static const tni_pooling_form form = TNI_FORM(pooling, write_body);

tn_status tni_plan_pooling(tni_plan *plan, const tni_pooling *call) {
    const int64_t *sizes = call->is_backward ? call->x_shape : call->y_shape;
    int64_t count = call->batch * call->channels;
    bool is_wide = false;
    for (int axis = 0; axis < call->ndim; axis++) {
        const int64_t reach =
            call->y_shape[axis] * call->strides[axis] + call->window[axis] + call->pads[axis];
        count *= sizes[axis];
        is_wide |= tni_form_is_wide(reach) || tni_form_is_wide(call->x_shape[axis] + reach);
    }
    is_wide |= tni_form_is_wide(count);
    tni_form_key *key = TNI_STEP(
        plan, pooling, &form,
        MACROS(.BLOCK = BLOCK, .NDIM = (int16_t)call->ndim, .KIND = (int16_t)call->kind,
               .BACKWARD = call->is_backward, .NAN_COUNTS = call->propagates_nan,
               .WIDE_INDEX = is_wide),
        PARAMS(.x = call->x.data, .y = call->y.data, .dx = call->dx.data, .batch = call->batch,
               .channels = call->channels, .x_sizes = call->x_shape, .y_sizes = call->y_shape,
               .window = call->window, .pads = call->pads, .steps = call->strides,
               .x_batch = call->x.batch_stride, .x_channel = call->x.channel_stride,
               .x_strides = call->x.strides, .y_batch = call->y.batch_stride,
               .y_channel = call->y.channel_stride, .y_strides = call->y.strides,
               .dx_batch = call->dx.batch_stride, .dx_channel = call->dx.channel_stride,
               .dx_strides = call->dx.strides, .made = sizes, .channel = call->channels,
               .alpha = call->alpha, .beta = call->beta));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(count, BLOCK), BLOCK);
    return TN_OK;
}
