/* Several index arrays made one on CUDA: one launch. */
#include "forms/places.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/program.h"
#include "backend/cuda/launch/workspace.h"

#include <tenorite/index.h>

enum { BLOCK = 256, UNROLL = 4 };

static const tni_form form = {
    "places", {"BLOCK", "UNROLL", "INDEX_MODE", "COUNT", "NDIM", "WIDE_INDEX", "ADDS"}, NULL, 37};

tn_status tni_cuda_places(const struct tni_places *call, tn_stream *stream) {
    tni_form_key key = {0};
    tni_form_params params;
    tni_cuda_kernel *kernel;
    tni_bounds bounds;
    const int64_t *strides[TNI_PLACES_INDICES];
    int64_t count = 1;
    for (int axis = 0; axis < call->ndim; axis++)
        count *= call->shape[axis];
    bool wide = tni_form_is_wide(count);
    int numbers[] = {BLOCK, UNROLL, TN_INDEX_RAISE, call->count, call->ndim, wide, call->adds};
    for (int k = 0; k < 7; k++)
        key.numbers[k] = (int16_t)numbers[k];
    key.op = -1;
    TNI_TRY(tni_bounds_begin(&bounds, stream));
    TNI_TRY(tni_form_get(&kernel, &form, &key, stream));
    tni_form_begin(&params);
    for (int k = 0; k < call->count; k++) {
        tni_form_put_pointer(&params, call->indices[k]);
        tni_form_put_i64(&params, call->sizes[k]);
        tni_form_put_i64(&params, call->steps[k]);
        tni_form_put_i64(&params, call->axes[k]);
        strides[k] = call->strides[k];
    }
    tni_form_put_pointer(&params, call->places);
    tni_form_put_i64(&params, count);
    tni_form_put_i64(&params, call->origin);
    tni_form_put_i64(&params, call->outside);
    tni_form_put(&params, &bounds, sizeof bounds);
    tni_form_put_shape(&params, call->ndim, call->shape, call->count, strides, wide);
    return tni_form_launch(kernel, tni_form_ceil(count, BLOCK * UNROLL), BLOCK, &params, stream);
}
