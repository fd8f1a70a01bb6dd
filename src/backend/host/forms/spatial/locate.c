/* The form "locate" on the host: points are shared out. */
#include "backend/host/forms/forms.h"
#include "backend/host/threads.h"
#include "forms/spatial.h"
#include "ops/triangles.h"

static void locate(void *context, int64_t begin, int64_t end) {
    const tni_locate *call = context;
    const tni_triangles *t = &call->triangles;
    const tn_triangles_view view = {t->points, t->corners, t->neighbors, t->count, t->point_count};
    int64_t near = 0;
    for (int64_t i = begin; i < end; i++) {
        const int64_t start = call->starts ? call->starts[i] : near;
        const int64_t found =
            t->count ? m_triangle_locate(&view, call->x + 2 * i, start, call->eps) : -1;
        call->found[i] = (int32_t)(found >= 0 || call->has_last ? found : -1);
        near = found >= 0 ? found : -2 - found;
    }
}

tn_status tni_host_run_locate(void *parameters) {
    tni_locate *call = parameters;
    tni_parallel_units(call->rows, 200, locate, call);
    return TN_OK;
}

TNI_HOST_PLAN(locate, call->rows * 50)
