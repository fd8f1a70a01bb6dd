/* The form "image_fourier" on CUDA: a thread an element. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/image_map.h"

enum { BLOCK = 256 };

static void write_body(tni_source *source, const tni_form_key *key) {
    tni_source_add(source, "typedef %s Real;\n", tni_body_working((tn_dtype)key->dtypes[0]));
}

static const tni_image_fourier_form form = TNI_FORM(image_fourier, write_body);

tn_status tni_plan_image_fourier(tni_plan *plan, const tni_image_fourier *call) {
    const bool is_complex = tn_dtype_kind(call->dtype) == TN_KIND_COMPLEX;
    const int16_t parts = is_complex ? 2 : 1;
    int64_t is_half[TNI_MAP_AXES];
    for (int k = 0; k < call->axes; k++)
        is_half[k] = call->is_half[k];
    tni_form_key *key = TNI_STEP(
        plan, image_fourier, &form,
        MACROS(.BLOCK = BLOCK, .WIDE_INDEX = tni_form_is_wide(call->count * parts),
               .NDIM = (int16_t)call->axes, .PARTS = parts, .FILTER = call->filter),
        PARAMS(.input = call->input, .output = call->output, .count = call->count,
               .is_half = is_half, .n = call->n, .sizes = call->sizes, .shape = call->shape));
    key->dtypes[0] = (int8_t)(is_complex ? tn_dtype_real(call->dtype) : call->dtype);
    tni_plan_grid(plan, tni_form_ceil(call->count, BLOCK), BLOCK);
    return TN_OK;
}
