/* The form "tree_ball" on the host: rows are shared out. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/spatial/tree.h"
#include "backend/host/threads.h"

typedef struct gathering {
    const tni_tree_ball *call;
    tn_tree_view view;
} gathering;

static void gather(void *context, int64_t begin, int64_t end) {
    const gathering *g = context;
    const tni_tree_ball *call = g->call;
    tn_tree_view view = g->view;
    for (int64_t t = begin; t < end; t++) {
        const int64_t i = tni_host_turn(call->turns, t, call->rows);
        if (i < 0) continue;
        const int64_t start = call->numbers ? call->starts[i] : 0;
        if (start < 0 || (call->numbers && start >= call->total)) continue;
        const double limit = m_tree_power(call->radii[i], view.norm, call->p);
        tn_tree_found found = {.after = call->only_after ? call->only_after[i] : -1,
                               .most = call->total - start,
                               .weights = call->weights};
        if (call->numbers) found.numbers = call->numbers + start;
        if (call->distances) found.distances = call->distances + start;
        view.x = call->x + i * call->tree.axes;
        TNI_HOST_TREE_USUAL(view, m_tree_ball(&view, &found, limit));
        if (call->counts) call->counts[i] = found.count;
        if (call->sums) call->sums[i] = found.sum;
    }
}

tn_status tni_host_run_tree_ball(void *parameters) {
    const tni_tree_ball *call = parameters;
    gathering g = {call, tni_host_tree_view(&call->tree, call->p)};
    tni_parallel_units(call->rows, 1000, gather, &g);
    return TN_OK;
}

tni_host_plan tni_host_plan_tree_ball(const tni_tree_ball *call) {
    return (tni_host_plan){tni_host_run_tree_ball, call, sizeof *call,
                           .elements = call->rows * 100};
}
