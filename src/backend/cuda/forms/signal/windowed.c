/* The form "windowed" on CUDA: a thread some outputs beside each other. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/signal.h"

enum { BLOCK = 128, OUTPUTS_MAX = 4 };

static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    tni_source_add(source, "typedef %s Element;\n", tni_body_working(dtype));
    tni_body_add_binary(source, "windowed_multiply", TN_OP_MULTIPLY, dtype);
    tni_body_add_binary(source, "windowed_add", TN_OP_ADD, dtype);
}

static const tni_windowed_form form = TNI_FORM(windowed, write_body);

tn_status tni_plan_windowed(tni_plan *plan, const tni_windowed *call) {
    const int last = call->ndim - 1;
    const int64_t width = call->shape[last] - call->window_shape[last] + 1;
    const int64_t full = (int64_t)plan->target->multiprocessors * 8 * BLOCK;
    int64_t rows = 1, windows = 1;
    int16_t outputs = OUTPUTS_MAX;
    for (int axis = 0; axis < last; axis++) {
        rows *= call->shape[axis] - call->window_shape[axis] + 1;
        windows *= call->window_shape[axis];
    }
    while (outputs > 1 && rows * tni_form_ceil(width, outputs) < full)
        outputs /= 2;
    const int64_t pieces = tni_form_ceil(width, outputs);
    tni_form_key *key =
        TNI_STEP(plan, windowed, &form,
                 MACROS(.BLOCK = BLOCK, .NDIM = (int16_t)call->ndim, .OUTPUTS = outputs),
                 PARAMS(.array = call->array, .window = call->window, .output = call->output,
                        .shape = call->shape, .window_shape = call->window_shape, .rows = rows,
                        .windows = windows, .pieces = pieces));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(rows * pieces, BLOCK), BLOCK);
    return TN_OK;
}
