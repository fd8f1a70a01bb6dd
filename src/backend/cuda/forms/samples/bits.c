/* The forms "packbits" and "unpackbits" on CUDA: a thread an element of the output. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/samples.h"

enum { BLOCK = 256 };

static const tni_bits_form form = TNI_FORM(bits, NULL);

typedef struct job {
    const char *input, *output;
    int64_t rows, in_width, out_width;
    bool unpacks, is_little;
} job;

static tn_status plan_bits(tni_plan *plan, const job *j) {
    TNI_STEP(plan, bits, &form,
             MACROS(.BLOCK = BLOCK, .UNPACKS = j->unpacks, .IS_LITTLE = j->is_little),
             PARAMS(.input = j->input, .output = j->output, .count = j->rows * j->out_width,
                    .in_width = j->in_width, .out_width = j->out_width));
    tni_plan_grid(plan, tni_form_ceil(j->rows * j->out_width, BLOCK), BLOCK);
    return TN_OK;
}

tn_status tni_plan_packbits(tni_plan *plan, const tni_packbits *call) {
    const job j = {call->input, call->output,   call->rows, call->length, (call->length + 7) / 8,
                   false,       call->is_little};
    return plan_bits(plan, &j);
}

tn_status tni_plan_unpackbits(tni_plan *plan, const tni_unpackbits *call) {
    const job j = {call->input,  call->output, call->rows,     call->bytes,
                   call->length, true,         call->is_little};
    return plan_bits(plan, &j);
}
