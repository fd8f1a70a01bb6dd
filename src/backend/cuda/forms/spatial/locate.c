/* The form "locate" on CUDA: a thread a point. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/spatial.h"

enum { BLOCK = 128 };

static const tni_locate_form form = TNI_FORM(locate, NULL);

tn_status tni_plan_locate(tni_plan *plan, const tni_locate *call) {
    const tni_triangles *t = &call->triangles;
    TNI_STEP(plan, locate, &form, MACROS(.BLOCK = BLOCK),
             PARAMS(.points = t->points, .x = call->x, .corners = t->corners,
                    .neighbors = t->neighbors, .starts = call->starts, .found = call->found,
                    .count = t->count, .point_count = t->point_count, .rows = call->rows,
                    .has_last = call->has_last, .eps = call->eps));
    tni_plan_grid(plan, tni_form_ceil(call->rows, BLOCK), BLOCK);
    return TN_OK;
}
