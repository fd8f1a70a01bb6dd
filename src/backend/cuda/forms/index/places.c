/* Several index arrays made one on CUDA: one launch. */
#include "forms/places.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"

#include <tenorite/index.h>

enum { BLOCK = 256, UNROLL = 4 };

static const tni_places_form form = TNI_FORM(places, NULL);

tn_status tni_plan_places(tni_plan *plan, const struct tni_places *call) {
    const int64_t *strides[TNI_PLACES_INDICES];
    int64_t count = 1;
    for (int axis = 0; axis < call->ndim; axis++)
        count *= call->shape[axis];
    for (int k = 0; k < call->count; k++)
        strides[k] = call->strides[k];
    TNI_STEP(plan, places, &form,
             MACROS(.BLOCK = BLOCK, .UNROLL = UNROLL, .INDEX_MODE = TN_INDEX_RAISE,
                    .COUNT = call->count, .NDIM = call->ndim, .WIDE_INDEX = tni_form_is_wide(count),
                    .ADDS = call->adds, .UNIT_BYTES = call->dense ? call->item_bytes : 0),
             PARAMS(.indices = (const void *const *)call->indices, .sizes = call->sizes,
                    .steps = call->steps, .axes = call->axes, .places = call->places,
                    .array = call->array, .dense = call->dense, .count = count,
                    .origin = call->origin, .outside = call->outside,
                    .shape = TNI_SHAPE_ANY(call->shape, strides)));
    tni_plan_grid(plan, tni_form_ceil(count, BLOCK * UNROLL), BLOCK);
    return TN_OK;
}
