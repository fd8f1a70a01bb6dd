/* The forms "packbits" and "unpackbits" on CUDA: a thread an element of the output. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"
#include "forms/samples.h"

enum { BLOCK = 256 };

static const tni_form form = {"bits", {"BLOCK", "UNPACKS", "IS_LITTLE"}, NULL, 94};

typedef struct job {
    const char *input, *output;
    int64_t rows, in_width, out_width;
    bool unpacks, is_little;
} job;

static tn_status plan_bits(tni_plan *plan, const job *j) {
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, j->unpacks, j->is_little};
    tni_plan_step(plan, &form, numbers);
    tni_params_pointer(plan, j->input);
    tni_params_pointer(plan, j->output);
    tni_params_i64(plan, j->rows * j->out_width);
    tni_params_i64(plan, j->in_width);
    tni_params_i64(plan, j->out_width);
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
