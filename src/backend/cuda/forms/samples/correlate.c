/* The form "correlate" on CUDA: a block a tile of outputs, smaller ones where there are few. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"
#include "forms/samples.h"

enum { BLOCK = 128, CHUNK = 128, OUTPUTS_MAX = 4 };

static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    tni_source_add(source, "typedef %s Element;\n", tni_body_working(dtype));
    tni_body_add_binary(source, "correlate_multiply", TN_OP_MULTIPLY, dtype);
    tni_body_add_binary(source, "correlate_add", TN_OP_ADD, dtype);
}

static const tni_form form = {"correlate", {"BLOCK", "OUTPUTS", "CHUNK"}, write_body, 92};

tn_status tni_plan_correlate(tni_plan *plan, const tni_correlate *call) {
    const int64_t full = (int64_t)plan->target->multiprocessors * 8 * BLOCK;
    int16_t outputs = OUTPUTS_MAX;
    while (outputs > 1 && call->count < full * outputs)
        outputs /= 2;
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, outputs, CHUNK};
    tni_form_key *key = tni_plan_step(plan, &form, numbers);
    key->dtypes[0] = (int8_t)call->dtype;
    tni_params_pointer(plan, call->array);
    tni_params_pointer(plan, call->window);
    tni_params_pointer(plan, call->output);
    tni_params_i64(plan, call->count);
    tni_params_i64(plan, call->length);
    tni_params_i64(plan, call->taps);
    tni_params_i64(plan, call->lead);
    tni_plan_grid(plan, tni_form_ceil(call->count, BLOCK * outputs), BLOCK);
    return TN_OK;
}
