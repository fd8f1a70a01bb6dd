/* The form "look" on the host: one thread, because it runs on streams with a worker alone, between the steps
 * that make places of the indices. */
#include "backend/host/host.h"
#include "core/index.h"

/* The last axis is `count` long. */
static tn_status look_at_row(const tni_look *call, const char *at, int64_t count, int64_t stride) {
    for (int64_t k = 0; k < count; k++) {
        int64_t index = *(const int64_t *)(const void *)(at + k * stride);
        if (index < -call->axis_size || index >= call->axis_size)
            TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                     (long long)index, call->axis, (long long)call->axis_size);
    }
    return TN_OK;
}

static tn_status work(void *params) {
    const tni_look *call = params;
    int last = call->ndim - 1;
    int64_t rows = 1;
    if (last < 0) return look_at_row(call, call->indices, 1, 0);
    for (int axis = 0; axis < last; axis++)
        rows *= call->shape[axis];
    for (int64_t row = 0; row < rows; row++) {
        const char *at = call->indices;
        int64_t rest = row;
        for (int axis = last - 1; axis >= 0; axis--) {
            at += rest % call->shape[axis] * call->strides[axis];
            rest /= call->shape[axis];
        }
        TNI_TRY(look_at_row(call, at, call->shape[last], call->strides[last]));
    }
    return TN_OK;
}

tn_status tni_host_look(const struct tni_look *call, tn_stream *stream) {
    return tni_host_submit(stream, work, call, sizeof *call);
}
