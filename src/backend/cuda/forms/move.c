/* Moves between a form's launches are element-wise calls that the form plans by itself. */
#include "backend/cuda/forms/move.h"

#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"
#include "core/array/layout.h"
#include "forms/elementwise.h"

#include <string.h>

enum { MOST_INPUTS = 2 };

/* The last argument is the output; an input without data is the scalar in its value. */
static tn_status run(tni_elementwise *call, int ndim, tn_stream *stream) {
    const int count = call->input_count + 1;
    int64_t offsets[MOST_INPUTS + 1] = {0}, *strides[MOST_INPUTS + 1] = {NULL};
    const tni_target *target;
    tni_plan plan;
    call->output_count = 1;
    call->size = 1;
    for (int k = 0; k < ndim; k++)
        call->size *= call->shape[k];
    if (call->size == 0) return TN_OK;
    for (int k = 0; k < count; k++) /* the output decides on the order */
        strides[k] = call->arguments[count - 1 - k].strides;
    call->ndim = tni_layout_collapse(ndim, call->shape, count, strides, offsets, true);
    for (int k = 0; k < count; k++)
        if (call->arguments[count - 1 - k].data) call->arguments[count - 1 - k].data += offsets[k];
    TNI_TRY(tni_cuda_target_get(&target, stream->device.number));
    tni_plan_init(&plan, target);
    TNI_TRY(tni_plan_elementwise(&plan, call));
    return tni_plan_launch(&plan, stream);
}

/* Without the axes of one element, which leaves room for one more axis: 64 longer ones have more
 * elements than there can be. */
static void set(tni_argument *argument, const tni_place *place, int ndim, const int64_t *shape) {
    int kept = 0;
    argument->data = place->data;
    argument->dtype = argument->loop_dtype = place->dtype;
    for (int k = 0; k < ndim; k++)
        if (shape[k] != 1) argument->strides[kept++] = place->strides[k];
}

static int squeeze(int64_t *kept, int ndim, const int64_t *shape) {
    int count = 0;
    for (int k = 0; k < ndim; k++)
        if (shape[k] != 1) kept[count++] = shape[k];
    return count;
}

tn_status tni_cuda_move(const tni_place *to, const tni_place *from, int ndim, const int64_t *shape,
                        bool conjugates, tn_stream *stream) {
    const bool is_complex = tn_dtype_kind(from->dtype) == TN_KIND_COMPLEX;
    tni_elementwise call;
    memset(&call, 0, sizeof call);
    call.op = conjugates && is_complex ? TN_OP_CONJUGATE : TNI_OP_COPY;
    call.dtype = from->dtype;
    call.input_count = 1;
    set(&call.arguments[0], from, ndim, shape);
    set(&call.arguments[1], to, ndim, shape);
    return run(&call, squeeze(call.shape, ndim, shape), stream);
}

tn_status tni_cuda_clear(const tni_place *to, int ndim, const int64_t *shape, tn_stream *stream) {
    tni_elementwise call;
    memset(&call, 0, sizeof call);
    call.op = TNI_OP_COPY;
    call.dtype = to->dtype;
    call.input_count = 1;
    call.arguments[0].dtype = call.arguments[0].loop_dtype = to->dtype;
    set(&call.arguments[1], to, ndim, shape);
    return run(&call, squeeze(call.shape, ndim, shape), stream);
}

tn_status tni_cuda_scale(const tni_place *to, const tni_place *from, int ndim, const int64_t *shape,
                         double factor, tn_stream *stream) {
    const bool is_complex = tn_dtype_kind(to->dtype) == TN_KIND_COMPLEX;
    const tn_dtype real = is_complex ? tn_dtype_real(to->dtype) : to->dtype;
    const int64_t item = tn_dtype_size(real);
    const float narrow = (float)factor;
    tni_elementwise call;
    memset(&call, 0, sizeof call);
    call.op = TN_OP_MULTIPLY;
    call.dtype = real;
    call.input_count = 2;
    set(&call.arguments[0], from, ndim, shape);
    set(&call.arguments[2], to, ndim, shape);
    for (int k = 0; k < 3; k++)
        call.arguments[k].dtype = call.arguments[k].loop_dtype = real;
    memcpy(call.arguments[1].value, real == TN_F32 ? (const void *)&narrow : (const void *)&factor,
           (size_t)item);
    ndim = squeeze(call.shape, ndim, shape);
    if (is_complex) {
        call.shape[ndim] = 2;
        call.arguments[0].strides[ndim] = call.arguments[2].strides[ndim] = item;
        ndim++;
    }
    return run(&call, ndim, stream);
}
