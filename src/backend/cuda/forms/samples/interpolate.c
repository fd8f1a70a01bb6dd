/* The form "interpolate" on CUDA: a thread a value. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/samples.h"

enum { BLOCK = 256 };

static const tni_interpolate_form form = TNI_FORM(interpolate, NULL);

tn_status tni_plan_interpolate(tni_plan *plan, const tni_interpolate *call) {
    TNI_STEP(plan, interpolate, &form, MACROS(.BLOCK = BLOCK, .IS_COMPLEX = call->is_complex),
             PARAMS(.x = call->x, .xp = call->xp, .fp = call->fp, .output = call->output,
                    .count = call->count, .points = call->points, .has_left = call->has_left,
                    .has_right = call->has_right, .left = call->left, .right = call->right));
    tni_plan_grid(plan, tni_form_ceil(call->count, BLOCK), BLOCK);
    return TN_OK;
}
