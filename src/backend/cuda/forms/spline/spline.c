/* The form "spline" on CUDA: a thread a value, or up to 32 threads for the many numbers of one. */
#include "forms/spline.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"

#include <string.h>

enum { BLOCK = 256, THREADS = 32 };

static const tni_spline_form form = TNI_FORM(spline, NULL);

/* The axes as columns, which a launch takes. */
typedef struct columns {
    const void *knots[TNI_SPLINE_AXES];
    int64_t intervals[TNI_SPLINE_AXES], terms[TNI_SPLINE_AXES], derivatives[TNI_SPLINE_AXES];
    int64_t steps[TNI_SPLINE_AXES], taps[TNI_SPLINE_AXES];
    int64_t most, least; /* of terms */
} columns;

static void read_columns(columns *to, const tni_spline *call) {
    to->most = to->least = call->axes[0].terms;
    for (int axis = 0; axis < call->ndim; axis++) {
        const tni_spline_axis *from = &call->axes[axis];
        to->knots[axis] = from->knots;
        to->intervals[axis] = from->intervals;
        to->terms[axis] = from->terms;
        to->derivatives[axis] = from->derivative;
        to->steps[axis] = from->step;
        to->taps[axis] = from->tap;
        if (from->terms > to->most) to->most = from->terms;
        if (from->terms < to->least) to->least = from->terms;
    }
}

tn_status tni_plan_spline(tni_plan *plan, const tni_spline *call) {
    const int64_t threads = call->coefficients ? tni_form_min(call->width, THREADS) : 1;
    columns c;
    read_columns(&c, call);
    if (call->is_outside) tni_plan_clear(plan, call->is_outside, call->ndim);
    TNI_STEP(plan, spline, &form,
             MACROS(.BLOCK = BLOCK, .BASIS = (int16_t)call->basis,
                    .OUTSIDE = (int16_t)call->outside, .DIMS = (int16_t)call->ndim,
                    .TERMS = (int16_t)(c.most ? c.most : 1),
                    .EACH = c.most > 0 && c.most == c.least, .PARTS = (int16_t)call->parts,
                    .WEIGHTS = call->coefficients == NULL, .REPORTS = call->is_outside != NULL),
             PARAMS(.knots = c.knots, .intervals = c.intervals, .terms = c.terms,
                    .derivatives = c.derivatives, .steps = c.steps, .taps = c.taps,
                    .coefficients = call->coefficients, .x = call->x, .output = call->output,
                    .places = call->places, .is_outside = call->is_outside, .count = call->count,
                    .width = call->width, .threads = threads, .fill = call->fill));
    tni_plan_grid(plan, tni_form_ceil(call->count * threads, BLOCK), BLOCK);
    return TN_OK;
}
