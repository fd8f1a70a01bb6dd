/* Searching sorted elements on CUDA: a thread a value. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/sort/sort_key.h"

enum { BLOCK = 256 };

static const tni_searchsorted_form search_form = TNI_FORM(searchsorted, NULL);

tn_status tni_plan_searchsorted(tni_plan *plan, const tni_searchsorted *call) {
    tni_form_key *key = TNI_STEP(
        plan, searchsorted, &search_form,
        MACROS(TNI_SORT_KEY(call->dtype, false, true), .BLOCK = BLOCK, .RIGHT = call->is_right,
               .NDIM = call->ndim, .WIDE_INDEX = tni_form_is_wide(call->size)),
        PARAMS(.sorted = call->sorted, .values = call->values, .output = call->output,
               .length = call->length, .sorted_step = call->sorted_stride, .count = call->size,
               .shape = TNI_SHAPE_2(call->shape, call->value_strides, call->output_strides)));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(call->size, BLOCK), BLOCK);
    return TN_OK;
}
