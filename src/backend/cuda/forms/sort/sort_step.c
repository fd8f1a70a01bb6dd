#include "backend/cuda/forms/sort/sort_step.h"

void tni_sort_step(tni_plan *plan, const tni_form *form, const tni_sort *call,
                   const int own[TNI_SORT_OWN]) {
    int16_t numbers[TNI_FORM_MACROS] = {0};
    tni_sort_key_set(numbers, call->dtype, call->is_descending,
                     call->gives_positions || call->is_stable);
    int16_t *behind = numbers + TNI_SORT_KEY_COUNT;
    behind[0] = (int16_t)call->ndim;
    behind[1] = tni_form_is_wide(call->size);
    for (int k = 0; k < TNI_SORT_OWN; k++)
        behind[2 + k] = (int16_t)own[k];
    tni_plan_step(plan, form, numbers)->dtypes[0] = (int8_t)call->dtype;
}

void tni_sort_put_kept(tni_plan *plan, const tni_sort *call, bool has_input, bool has_output) {
    const int64_t *strides[2];
    int count = 0;
    if (has_input) strides[count++] = call->input_strides;
    if (has_output) strides[count++] = call->output_strides;
    tni_params_shape(plan, call->ndim, call->shape, count, strides, tni_form_is_wide(call->size));
}
