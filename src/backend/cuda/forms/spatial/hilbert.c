/* The form "hilbert" on CUDA: a thread a point. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/spatial.h"

enum { BLOCK = 256 };

static const tni_hilbert_form form = TNI_FORM(hilbert, NULL);

tn_status tni_plan_hilbert(tni_plan *plan, const tni_hilbert *call) {
    TNI_STEP(plan, hilbert, &form, MACROS(.BLOCK = BLOCK, .AXES = (int16_t)call->axes),
             PARAMS(.places = call->places, .keys = call->keys, .count = call->count,
                    .bits = call->bits));
    tni_plan_grid(plan, tni_form_ceil(call->count, BLOCK), BLOCK);
    return TN_OK;
}
