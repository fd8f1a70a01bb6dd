/* Several index arrays made one on CUDA: one launch. */
#include "forms/places.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"

#include <tenorite/index.h>

enum { BLOCK = 256, UNROLL = 4 };

static const tni_form form = {
    "places",
    {"BLOCK", "UNROLL", "INDEX_MODE", "COUNT", "NDIM", "WIDE_INDEX", "ADDS", "UNIT_BYTES"},
    NULL,
    37};

tn_status tni_plan_places(tni_plan *plan, const struct tni_places *call) {
    const int64_t *strides[TNI_PLACES_INDICES];
    int64_t count = 1;
    for (int axis = 0; axis < call->ndim; axis++)
        count *= call->shape[axis];
    bool wide = tni_form_is_wide(count);
    const int16_t numbers[TNI_FORM_MACROS] = {
        BLOCK,      UNROLL, TN_INDEX_RAISE, call->count,
        call->ndim, wide,   call->adds,     call->dense ? (int16_t)call->item_bytes : 0};
    tni_plan_step(plan, &form, numbers);
    for (int k = 0; k < call->count; k++) {
        tni_params_pointer(plan, call->indices[k]);
        tni_params_i64(plan, call->sizes[k]);
        tni_params_i64(plan, call->steps[k]);
        tni_params_i64(plan, call->axes[k]);
        strides[k] = call->strides[k];
    }
    tni_params_pointer(plan, call->places);
    tni_params_pointer(plan, call->array);
    tni_params_pointer(plan, call->dense);
    tni_params_i64(plan, count);
    tni_params_i64(plan, call->origin);
    tni_params_i64(plan, call->outside);
    tni_params_bounds(plan);
    tni_params_shape(plan, call->ndim, call->shape, call->count, strides, wide);
    tni_plan_grid(plan, tni_form_ceil(count, BLOCK * UNROLL), BLOCK);
    return TN_OK;
}
