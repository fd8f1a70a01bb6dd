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

/* What a thread remembers of the row before: the place of its nearest point, and its number, or
 * -1. */
typedef struct before {
    int64_t hint, row;
} before;

/* A row, of points nearer than a power. */
static void query_row(const querying *q, tn_tree_view view, int64_t i, double limit,
                      before *before) {
    const tni_tree_query *call = q->call;
    const int64_t k = call->k;
    double *distances = call->distances + i * k, bound = limit;
    int64_t *numbers = call->numbers + i * k;
    if (k == 1) {
        TNI_HOST_TREE_USUAL(view, before->hint = find_nearest(&view, distances, numbers, limit,
                                                              q->stretch, before->hint));
        if (call->eps > 0) before->hint = -1;
        return;
    }
    if (before->row >= 0 && !view.periods) {
        bound = bound_by(&view, call->x + before->row * view.axes,
                         call->distances[before->row * k + k - 1]);
        bound = bound < limit ? bound : limit;
    }
    TNI_HOST_TREE_USUAL(view, m_tree_query(&view, distances, numbers, k, bound, q->stretch));
    if (numbers[k - 1] == view.count && bound < limit)
        m_tree_query(&view, distances, numbers, k, limit, q->stretch);
    before->row = call->eps == 0 && numbers[k - 1] < view.count ? i : -1;
}

/* How far the nearest end of a period is, less what rounding may take. */
static double room_of(const tn_tree_view *view) {
    double room = TN_INFINITY;
    for (int axis = 0; axis < view->axes; axis++) {
        const double period = view->periods[axis], above = period - view->x[axis];
        if (!(period > 0)) continue;
        room = view->x[axis] < room ? view->x[axis] : room;
        room = above < room ? above : room;
    }
    return room * (1 - 1e-9);
}

/* A row in periodic boxes: first without the periods, which is all there is to do where points are
 * nearer than any end of a period, and else says how far points may be. */
static void query_periodic(const querying *q, const tn_tree_view *view, int64_t i, before *before) {
    const tni_tree_query *call = q->call;
    const double *last = call->distances + (i + 1) * call->k - 1;
    tn_tree_view flat = *view;
    flat.periods = NULL;
    query_row(q, flat, i, q->limit, before);
    if (*last < room_of(view)) return;
    const double bound = m_tree_power(*last * (1 + 1e-9), view->norm, view->p);
    struct before none = {-1, -1};
    query_row(q, *view, i, bound < q->limit ? bound : q->limit, &none);
}

static void query(void *context, int64_t begin, int64_t end) {
    const querying *q = context;
    const tni_tree_query *call = q->call;
    tn_tree_view view = q->view;
    before before = {-1, -1};
    for (int64_t t = begin; t < end; t++) {
        const int64_t i = tni_host_turn(call->turns, t, call->rows);
        if (i < 0) continue;
        view.x = call->x + i * call->tree.axes;
        if (view.periods && call->eps == 0)
            query_periodic(q, &view, i, &before);
        else
            query_row(q, view, i, q->limit, &before);
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

TNI_HOST_PLAN(tree_query, call->rows * 100)
