/* The form "triangle_values" on the host: points are shared out. */
#include "backend/host/forms/forms.h"
#include "backend/host/threads.h"
#include "forms/spatial.h"
#include "ops/triangles.h"

static void evaluate(void *context, int64_t begin, int64_t end) {
    const tni_triangle_values *call = context;
    const tni_triangles *t = &call->triangles;
    const tn_triangles_view view = {t->points, t->corners, t->neighbors, t->count, t->point_count};
    for (int64_t i = begin; i < end; i++)
        m_triangle_values(&view, call->found[i], call->x + 2 * i, call->values, call->slopes,
                          call->columns, call->fill, call->output + i * call->columns);
}

tn_status tni_host_run_triangle_values(void *parameters) {
    tni_triangle_values *call = parameters;
    tni_parallel_units(call->rows, 30 * (call->columns + 1), evaluate, call);
    return TN_OK;
}

TNI_HOST_PLAN(triangle_values, call->rows *(call->columns + 1) * 20)
