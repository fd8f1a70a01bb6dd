/* The form "label_boxes" on CUDA: a thread an element, boxes that are widened by atomics. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/measure.h"

enum { BLOCK = 256, ELEMENTS = 4 };

static const tni_label_boxes_form form = TNI_FORM(label_boxes, NULL);

tn_status tni_plan_label_boxes(tni_plan *plan, const tni_label_boxes *call) {
    const int64_t elements = tni_image_elements(call->ndim, call->shape);
    tni_plan_clear(plan, call->boxes, call->count * call->ndim * 2 * (int64_t)sizeof(int64_t));
    TNI_STEP(plan, label_boxes, &form,
             MACROS(.BLOCK = BLOCK, .WIDE_INDEX = tni_form_is_wide(elements), .NDIM = call->ndim,
                    .WIDE_LABEL = call->is_wide),
             PARAMS(.labels = call->labels, .boxes = call->boxes, .count = call->count,
                    .elements = elements, .axes = call->shape));
    tni_plan_grid(plan, tni_form_ceil(elements, BLOCK * ELEMENTS), BLOCK);
    return TN_OK;
}
