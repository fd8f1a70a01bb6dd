/* The form "correlate" on CUDA: a block a tile of outputs, smaller ones where there are few. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/samples.h"

enum { BLOCK = 128, CHUNK = 128, OUTPUTS_MAX = 4 };

static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    tni_source_add(source, "typedef %s Element;\n", tni_body_working(dtype));
    tni_body_add_binary(source, "correlate_multiply", TN_OP_MULTIPLY, dtype);
    tni_body_add_binary(source, "correlate_add", TN_OP_ADD, dtype);
}

static const tni_correlate_form form = TNI_FORM(correlate, write_body);

tn_status tni_plan_correlate(tni_plan *plan, const tni_correlate *call) {
    const int64_t full = (int64_t)plan->target->multiprocessors * 8 * BLOCK;
    int16_t outputs = OUTPUTS_MAX;
    while (outputs > 1 && call->count < full * outputs)
        outputs /= 2;
    tni_form_key *key =
        TNI_STEP(plan, correlate, &form, MACROS(.BLOCK = BLOCK, .OUTPUTS = outputs, .CHUNK = CHUNK),
                 PARAMS(.array = call->array, .window = call->window, .output = call->output,
                        .count = call->count, .length = call->length, .taps = call->taps,
                        .lead = call->lead));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(call->count, BLOCK * outputs), BLOCK);
    return TN_OK;
}
