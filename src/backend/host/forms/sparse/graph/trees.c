/* The host's forms "csr_traverse" and "csr_spanning": walks through a graph, and Kruskal's forest
 * of least weight. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/sparse/graph/edges.h"
#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Breadth first: the order is its own queue. */
static int64_t walk_broad(const tni_edges *e, int32_t *order, int32_t *before, uint8_t *seen) {
    int64_t written = 1;
    for (int64_t at = 0; at < written; at++) {
        const int32_t i = order[at];
        for (int64_t k = e->starts[i]; k < e->starts[i + 1]; k++) {
            const int32_t j = e->to[k];
            if (seen[j]) continue;
            seen[j] = 1;
            before[j] = i;
            order[written++] = j;
        }
    }
    return written;
}

/* Depth first. `next` has the edge that each node goes on with. The stack is the chain `before`. */
static int64_t walk_deep(const tni_edges *e, int32_t *order, int32_t *before, uint8_t *seen,
                         int64_t *next) {
    int64_t written = 1;
    int32_t node = order[0];
    memcpy(next, e->starts, (size_t)e->n * sizeof *next);
    for (;;) {
        while (next[node] < e->starts[node + 1] && seen[e->to[next[node]]])
            next[node]++;
        if (next[node] < e->starts[node + 1]) {
            const int32_t j = e->to[next[node]++];
            seen[j] = 1;
            before[j] = node;
            order[written++] = node = j;
        } else if (before[node] < 0) {
            return written;
        } else {
            node = before[node];
        }
    }
}

tn_status tni_host_run_csr_traverse(void *parameters) {
    const tni_csr_traverse *call = parameters;
    tni_edges e;
    TNI_TRY(tni_edges_make(&e, &call->a, call->is_wide, call->is_both_ways));
    const size_t n = (size_t)e.n;
    uint8_t *seen = tni_calloc(n + 1, 1);
    int64_t *next = tni_malloc((n + 1) * sizeof *next);
    tn_status status = TN_OK;
    if (!seen || !next) {
        status = tni_fail_no_memory(e.n * 9);
    } else {
        for (size_t k = 0; k < n; k++)
            call->before[k] = TNI_GRAPH_NONE;
        call->order[0] = (int32_t)call->first;
        seen[call->first] = 1;
        *call->count = call->is_deep ? walk_deep(&e, call->order, call->before, seen, next)
                                     : walk_broad(&e, call->order, call->before, seen);
    }
    tni_free(seen);
    tni_free(next);
    tni_edges_release(&e);
    return status;
}

TNI_HOST_PLAN(csr_traverse, call->a.count + call->a.rows)

/* --- Forests --- */

typedef struct weighed {
    double weight;
    int64_t element;
    int32_t from, to;
} weighed;

/* Equal weights keep the order of the elements. */
static int compare(const void *a, const void *b) {
    const weighed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

static int32_t root_of(int32_t *parent, int32_t node) {
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

static void choose(const tni_csr_spanning *call, weighed *list, int32_t *parent, int64_t count) {
    for (int64_t k = 0; k < call->a.rows; k++)
        parent[k] = (int32_t)k;
    qsort(list, (size_t)count, sizeof *list, compare);
    memset(call->is_kept, 0, (size_t)call->a.count);
    for (int64_t k = 0; k < count; k++) {
        const int32_t from = root_of(parent, list[k].from), to = root_of(parent, list[k].to);
        if (from == to) continue;
        parent[from] = to;
        call->is_kept[list[k].element] = 1;
    }
}

tn_status tni_host_run_csr_spanning(void *parameters) {
    const tni_csr_spanning *call = parameters;
    tni_edges e;
    TNI_TRY(tni_edges_make(&e, &call->a, call->is_wide, false));
    weighed *list = tni_malloc((size_t)(e.count + 1) * sizeof *list);
    int32_t *parent = tni_malloc((size_t)(e.n + 1) * sizeof *parent);
    tn_status status = TN_OK;
    if (!list || !parent) {
        status = tni_fail_no_memory(e.count * (int64_t)sizeof *list);
    } else {
        for (int32_t i = 0; i < e.n; i++)
            for (int64_t at = e.starts[i]; at < e.starts[i + 1]; at++)
                list[at] = (weighed){e.weights[at], at, i, e.to[at]};
        choose(call, list, parent, e.count);
    }
    tni_free(list);
    tni_free(parent);
    tni_edges_release(&e);
    return status;
}

TNI_HOST_PLAN(csr_spanning, call->a.count + call->a.rows)
