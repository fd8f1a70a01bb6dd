/* The form "banded" on CUDA: a warp factors the matrix, then a thread takes each right side. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/spline.h"

enum { BLOCK = 64, WARP = 32 };

static const tni_banded_factor_form factor_form = TNI_FORM(banded_factor, NULL);
static const tni_banded_solve_form solve_form = TNI_FORM(banded_solve, NULL);

tn_status tni_plan_banded(tni_plan *plan, const tni_banded *call) {
    const int64_t columns = call->lower + call->upper + 1;
    if (columns > WARP)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "a matrix of %lld diagonals on cuda: %d at most",
                 (long long)columns, WARP);
    TNI_STEP(
        plan, banded_factor, &factor_form,
        MACROS(.LOWER = (int16_t)call->lower, .COLUMNS = (int16_t)columns),
        PARAMS(.matrix = call->matrix, .n = call->n, .text = (int64_t)(intptr_t)call->failure));
    tni_plan_grid(plan, 1, WARP);
    TNI_STEP(plan, banded_solve, &solve_form,
             MACROS(.BLOCK = BLOCK, .LOWER = (int16_t)call->lower, .COLUMNS = (int16_t)columns),
             PARAMS(.matrix = call->matrix, .b = call->b, .n = call->n, .width = call->width));
    tni_plan_grid(plan, tni_form_ceil(call->width, BLOCK), BLOCK);
    return TN_OK;
}
