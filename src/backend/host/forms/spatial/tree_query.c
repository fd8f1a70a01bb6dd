/* The form "tree_query" on the host: rows are shared out.
 *
 * Decides: the row before, which is often near, bounds the distances of a row from the start. What
 * is found is the same: a bound only leaves out what is too far. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/spatial/tree.h"
#include "backend/host/threads.h"

typedef struct querying {
    const tni_tree_query *call;
    tn_tree_view view;
    double limit, stretch;
    bool has_bounds;
} querying;

/* The nearest point: its distance and number, and its place in the tree's order or -1. `hint` is
 * the place of a point that may be near, or -1. */
TN_FN int64_t find_nearest(const tn_tree_view *t, double *distance, int64_t *number, double limit,
                           double stretch, int64_t hint) {
    tn_tree_walk walk;
    double best = limit;
    int64_t place = -1, best_number = -1;
    if (hint >= 0) {
        const double d = m_tree_distance(t, t->points + hint * t->axes);
        if (d < best) best = d, place = hint, best_number = t->order[hint];
    }
    m_tree_begin(&walk);
    for (tn_u32 leaf; (leaf = m_tree_next(t, &walk, best, stretch)) != 0;) {
        const int64_t end = m_tree_start(t, leaf + 1, t->levels);
        for (int64_t i = m_tree_start(t, leaf, t->levels); i < end; i++) {
            const double d = m_tree_distance(t, t->points + i * t->axes);
            if (d <= best && m_tree_before(d, t->order[i], best, best_number))
                best = d, place = i, best_number = t->order[i];
        }
    }
    *distance = place < 0 ? TN_INFINITY : m_tree_root(best, t->norm, t->p);
    *number = place < 0 ? t->count : best_number;
    return place;
}

/* The power of a length that the k-th distance of a row does not reach, of that of another row. */
static double bound_by(const tn_tree_view *view, const double *other, double distance) {
    const double apart = m_tree_root(m_tree_distance(view, other), view->norm, view->p);
    return m_tree_power((distance + apart) * (1 + 1e-9), view->norm, view->p);
}

static void query(void *context, int64_t begin, int64_t end) {
    const querying *q = context;
    const tni_tree_query *call = q->call;
    const int64_t k = call->k;
    tn_tree_view view = q->view;
    int64_t hint = -1, last = -1;
    for (int64_t t = begin; t < end; t++) {
        const int64_t i = tni_host_turn(call->turns, t, call->rows);
        if (i < 0) continue;
        view.x = call->x + i * call->tree.axes;
        double *distances = call->distances + i * k;
        int64_t *numbers = call->numbers + i * k;
        if (k == 1) {
            TNI_HOST_TREE_USUAL(view, hint = find_nearest(&view, distances, numbers, q->limit,
                                                          q->stretch, q->has_bounds ? hint : -1));
            continue;
        }
        double limit = q->limit;
        if (last >= 0) {
            const double bound =
                bound_by(&view, call->x + last * view.axes, call->distances[last * k + k - 1]);
            limit = bound < limit ? bound : limit;
        }
        TNI_HOST_TREE_USUAL(view, m_tree_query(&view, distances, numbers, k, limit, q->stretch));
        if (numbers[k - 1] == view.count && limit < q->limit)
            m_tree_query(&view, distances, numbers, k, q->limit, q->stretch);
        last = q->has_bounds && numbers[k - 1] < view.count ? i : -1;
    }
}

tn_status tni_host_run_tree_query(void *parameters) {
    const tni_tree_query *call = parameters;
    querying q = {.call = call, .view = tni_host_tree_view(&call->tree, call->p)};
    q.limit = m_tree_power(call->bound, q.view.norm, call->p);
    q.stretch = m_tree_power(1 + call->eps, q.view.norm, call->p);
    q.has_bounds = call->eps == 0 && !q.view.periods;
    tni_parallel_units(call->rows, 300 + 100 * call->k, query, &q);
    return TN_OK;
}

TNI_HOST_PLAN(tree_query, call->rows * 100)
