/* The form "upfirdn" on CUDA: a thread an output. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/signal.h"

enum { BLOCK = 256 };

static void write_body(tni_source *source, const tni_form_key *key) {
    tni_source_add(source, "typedef %s Value;\n", tni_body_working((tn_dtype)key->dtypes[0]));
}

static const tni_upfirdn_form form = TNI_FORM(upfirdn, write_body);

tn_status tni_plan_upfirdn(tni_plan *plan, const tni_upfirdn *call) {
    const int64_t outputs = call->outer * call->count * call->inner;
    const int64_t reach = call->first + call->count * call->down + call->tap_count + call->up;
    const bool is_wide = tni_form_is_wide(outputs) || tni_form_is_wide(reach) ||
                         tni_form_is_wide(call->outer * call->length * call->inner);
    tni_form_key *key =
        TNI_STEP(plan, upfirdn, &form, MACROS(.BLOCK = BLOCK, .WIDE_INDEX = is_wide),
                 PARAMS(.taps = call->taps, .input = call->input, .output = call->output,
                        .outer = call->outer, .length = call->length, .inner = call->inner,
                        .count = call->count, .tap_count = call->tap_count, .up = call->up,
                        .down = call->down, .first = call->first));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(outputs, BLOCK), BLOCK);
    return TN_OK;
}
