/* The host's form "csr_paths": shortest paths from some nodes, each source by itself in a thread.
 *
 * Without negative weights by Dijkstra's method with a heap that knows where each node is. Negative
 * weights are made none by Johnson's method: the weight of an edge from i to j becomes
 * weight + h(i) - h(j), where h are the lengths from a node that leads to all (Bellman and Ford's
 * method), so that all paths between two nodes change by the same. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/sparse/graph/edges.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* --- Dijkstra --- */

/* Nodes by distance: a heap of four children a node, and the place of each node in it: -1: not
 * yet, -2: not any more. */
typedef struct heap {
    int32_t *nodes, *place;
    double *distance; /* by node */
    int64_t count;
} heap;

static void put(heap *h, int64_t at, int32_t node) {
    h->nodes[at] = node;
    h->place[node] = (int32_t)at;
}

static void rise(heap *h, int64_t at) {
    const int32_t node = h->nodes[at];
    while (at) {
        const int64_t above = (at - 1) / 4;
        if (h->distance[h->nodes[above]] <= h->distance[node]) break;
        put(h, at, h->nodes[above]);
        at = above;
    }
    put(h, at, node);
}

static void sink(heap *h, int64_t at) {
    const int32_t node = h->nodes[at];
    for (;;) {
        int64_t least = 4 * at + 1;
        const int64_t end = least + 4 < h->count ? least + 4 : h->count;
        if (least >= end) break;
        for (int64_t k = least + 1; k < end; k++)
            if (h->distance[h->nodes[k]] < h->distance[h->nodes[least]]) least = k;
        if (h->distance[node] <= h->distance[h->nodes[least]]) break;
        put(h, at, h->nodes[least]);
        at = least;
    }
    put(h, at, node);
}

static int32_t take_first(heap *h) {
    const int32_t first = h->nodes[0];
    h->place[first] = -2;
    if (--h->count) {
        h->nodes[0] = h->nodes[h->count];
        sink(h, 0);
    }
    return first;
}

/* A node is reached at a distance: kept if that is less than what is known. */
static bool reach(heap *h, int32_t node, double distance) {
    if (h->place[node] == -2 || !(distance < h->distance[node])) return false;
    h->distance[node] = distance;
    if (h->place[node] == -1) {
        h->nodes[h->count] = node;
        h->place[node] = (int32_t)h->count++;
    }
    rise(h, h->place[node]);
    return true;
}

/* --- All sources --- */

typedef struct finding {
    const tni_csr_paths *call;
    tni_edges edges;
    double *heights; /* Johnson's h, or NULL */
    atomic_bool lacks_memory, is_negative;
} finding;

static bool begin(heap *h, int64_t n) {
    h->nodes = tni_malloc((size_t)(2 * n + 1) * sizeof *h->nodes);
    h->place = h->nodes ? h->nodes + n : NULL;
    h->count = 0;
    return h->nodes;
}

static void walk(const finding *f, heap *h, int32_t *before, int32_t *origins) {
    const tni_edges *e = &f->edges;
    const double limit = f->call->limit;
    while (h->count) {
        const int32_t i = take_first(h);
        for (int64_t at = e->starts[i]; at < e->starts[i + 1]; at++) {
            const int32_t j = e->to[at];
            double weight = e->weights[at];
            if (f->heights) weight += f->heights[i] - f->heights[j];
            const double distance = h->distance[i] + weight;
            if (!f->heights && !(distance <= limit)) continue;
            if (!reach(h, j, distance)) continue;
            if (before) before[j] = i;
            if (origins) origins[j] = origins[i];
        }
    }
}

/* Takes the heights back from a row of distances. */
static void restore(const finding *f, int64_t source, double *distances) {
    for (int64_t j = 0; j < f->edges.n; j++)
        distances[j] += f->heights[j] - f->heights[source];
}

static void find_dijkstra(void *context, int64_t first, int64_t last) {
    finding *f = context;
    const tni_csr_paths *call = f->call;
    const int64_t n = f->edges.n;
    heap h;
    if (!begin(&h, n)) {
        atomic_store(&f->lacks_memory, true);
        return;
    }
    for (int64_t row = first; row < last; row++) {
        h.distance = call->distances + row * n;
        int32_t *before = call->before ? call->before + row * n : NULL;
        for (int64_t j = 0; j < n; j++) {
            h.distance[j] = INFINITY;
            h.place[j] = -1;
            if (before) before[j] = TNI_GRAPH_NONE;
            if (call->is_merged) call->origins[j] = TNI_GRAPH_NONE;
        }
        const int64_t from = call->is_merged ? 0 : row,
                      to = call->is_merged ? call->count : row + 1;
        for (int64_t k = from; k < to; k++) {
            const int32_t source = (int32_t)call->sources[k];
            reach(&h, source, 0);
            if (call->is_merged) call->origins[source] = source;
        }
        walk(f, &h, before, call->is_merged ? call->origins : NULL);
        if (f->heights) restore(f, call->sources[row], h.distance);
    }
    tni_free(h.nodes);
}

/* --- Bellman and Ford --- */

/* Shortens distances along all edges until none is shorter. False: a cycle is negative. */
static bool relax(const tni_edges *e, double *distances, int32_t *before) {
    for (int64_t round = 0; round <= e->n; round++) {
        bool is_changed = false;
        for (int64_t i = 0; i < e->n; i++) {
            if (isinf(distances[i])) continue;
            for (int64_t at = e->starts[i]; at < e->starts[i + 1]; at++) {
                const double distance = distances[i] + e->weights[at];
                if (!(distance < distances[e->to[at]])) continue;
                distances[e->to[at]] = distance;
                if (before) before[e->to[at]] = (int32_t)i;
                is_changed = true;
            }
        }
        if (!is_changed) return true;
    }
    return false;
}

static void find_bellman_ford(void *context, int64_t first, int64_t last) {
    finding *f = context;
    const tni_csr_paths *call = f->call;
    const int64_t n = f->edges.n;
    for (int64_t row = first; row < last && !atomic_load(&f->is_negative); row++) {
        double *distances = call->distances + row * n;
        int32_t *before = call->before ? call->before + row * n : NULL;
        for (int64_t j = 0; j < n; j++) {
            distances[j] = INFINITY;
            if (before) before[j] = TNI_GRAPH_NONE;
        }
        distances[call->sources[row]] = 0;
        if (!relax(&f->edges, distances, before)) atomic_store(&f->is_negative, true);
    }
}

static tn_status raise_heights(finding *f) {
    const int64_t n = f->edges.n;
    f->heights = tni_calloc((size_t)n + 1, sizeof *f->heights);
    if (!f->heights) return tni_fail_no_memory(n * 8);
    if (!relax(&f->edges, f->heights, NULL)) atomic_store(&f->is_negative, true);
    return TN_OK;
}

tn_status tni_host_run_csr_paths(void *parameters) {
    const tni_csr_paths *call = parameters;
    finding f = {.call = call};
    tn_status status = TN_OK;
    TNI_TRY(tni_edges_make(&f.edges, &call->a, call->is_wide, call->is_both_ways));
    if (call->method == TNI_PATH_JOHNSON) status = raise_heights(&f);
    if (!status && !atomic_load(&f.is_negative))
        tni_parallel_units(
            call->is_merged ? 1 : call->count, 20 * (f.edges.count + f.edges.n),
            call->method == TNI_PATH_BELLMAN_FORD ? find_bellman_ford : find_dijkstra, &f);
    *call->is_negative = atomic_load(&f.is_negative);
    if (atomic_load(&f.lacks_memory)) status = tni_fail_no_memory(f.edges.n * 8);
    tni_free(f.heights);
    tni_edges_release(&f.edges);
    return status;
}

TNI_HOST_PLAN(csr_paths, (call->a.count + call->a.rows) * call->count)
