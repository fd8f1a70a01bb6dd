/* Searching sorted elements on CUDA: a thread a value. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"
#include "backend/cuda/forms/sort/sort_key.h"
#include "forms/sort.h"

enum { BLOCK = 256, OWN = TNI_SORT_KEY_COUNT };

static const tni_form search_form = {
    "searchsorted", {TNI_SORT_KEY, "BLOCK", "RIGHT", "NDIM", "WIDE_INDEX"}, NULL, 70};

tn_status tni_plan_searchsorted(tni_plan *plan, const tni_searchsorted *call) {
    const bool wide = tni_form_is_wide(call->size);
    const int64_t *strides[2] = {call->value_strides, call->output_strides};
    int16_t numbers[TNI_FORM_MACROS] = {0};
    tni_sort_key_set(numbers, call->dtype, false, true);
    numbers[OWN] = BLOCK;
    numbers[OWN + 1] = call->is_right;
    numbers[OWN + 2] = (int16_t)call->ndim;
    numbers[OWN + 3] = wide;
    tni_plan_step(plan, &search_form, numbers)->dtypes[0] = (int8_t)call->dtype;
    tni_params_pointer(plan, call->sorted);
    tni_params_pointer(plan, call->values);
    tni_params_pointer(plan, call->output);
    tni_params_i64(plan, call->length);
    tni_params_i64(plan, call->sorted_stride);
    tni_params_i64(plan, call->size);
    tni_params_shape(plan, call->ndim, call->shape, 2, strides, wide);
    tni_plan_grid(plan, tni_form_ceil(call->size, BLOCK), BLOCK);
    return TN_OK;
}
