/* The form "triangle_values" on CUDA: a thread a point. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/spatial.h"

enum { BLOCK = 128 };

static const tni_triangle_values_form form = TNI_FORM(triangle_values, NULL);

tn_status tni_plan_triangle_values(tni_plan *plan, const tni_triangle_values *call) {
    const tni_triangles *t = &call->triangles;
    TNI_STEP(plan, triangle_values, &form, MACROS(.BLOCK = BLOCK),
             PARAMS(.points = t->points, .x = call->x, .values = call->values,
                    .slopes = call->slopes, .corners = t->corners, .neighbors = t->neighbors,
                    .found = call->found, .output = call->output, .count = t->count,
                    .point_count = t->point_count, .rows = call->rows, .columns = call->columns,
                    .fill = call->fill[0], .odd_fill = call->fill[1]));
    tni_plan_grid(plan, tni_form_ceil(call->rows, BLOCK), BLOCK);
    return TN_OK;
}
