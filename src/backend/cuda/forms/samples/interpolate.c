/* The form "interpolate" on CUDA: a thread a value. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"
#include "forms/samples.h"

enum { BLOCK = 256 };

static const tni_form form = {"interpolate", {"BLOCK", "IS_COMPLEX"}, NULL, 93};

tn_status tni_plan_interpolate(tni_plan *plan, const tni_interpolate *call) {
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, call->is_complex};
    tni_plan_step(plan, &form, numbers);
    tni_params_pointer(plan, call->x);
    tni_params_pointer(plan, call->xp);
    tni_params_pointer(plan, call->fp);
    tni_params_pointer(plan, call->output);
    tni_params_i64(plan, call->count);
    tni_params_i64(plan, call->points);
    tni_params_i64(plan, call->has_left);
    tni_params_i64(plan, call->has_right);
    tni_params_put(plan, call->left, sizeof call->left);
    tni_params_put(plan, call->right, sizeof call->right);
    tni_plan_grid(plan, tni_form_ceil(call->count, BLOCK), BLOCK);
    return TN_OK;
}
