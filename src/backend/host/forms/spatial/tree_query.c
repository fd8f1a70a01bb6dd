/* The form "tree_query" on the host: rows are shared out. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/spatial/tree.h"
#include "backend/host/threads.h"

typedef struct querying {
    const tni_tree_query *call;
    tn_tree_view view;
    double limit, stretch;
} querying;

static void query(void *context, int64_t begin, int64_t end) {
    const querying *q = context;
    const tni_tree_query *call = q->call;
    const int64_t k = call->k;
    tn_tree_view view = q->view;
    for (int64_t t = begin; t < end; t++) {
        const int64_t i = tni_host_turn(call->turns, t, call->rows);
        if (i < 0) continue;
        view.x = call->x + i * call->tree.axes;
        TNI_HOST_TREE_USUAL(view, m_tree_query(&view, call->distances + i * k,
                                               call->numbers + i * k, k, q->limit, q->stretch));
    }
}

tn_status tni_host_run_tree_query(void *parameters) {
    const tni_tree_query *call = parameters;
    querying q = {.call = call, .view = tni_host_tree_view(&call->tree, call->p)};
    q.limit = m_tree_power(call->bound, q.view.norm, call->p);
    q.stretch = m_tree_power(1 + call->eps, q.view.norm, call->p);
    tni_parallel_units(call->rows, 300 + 100 * call->k, query, &q);
    return TN_OK;
}

tni_host_plan tni_host_plan_tree_query(const tni_tree_query *call) {
    return (tni_host_plan){tni_host_run_tree_query, call, sizeof *call,
                           .elements = call->rows * 100};
}
