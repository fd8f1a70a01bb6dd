/* Copies of graphs, which nothing changes while they are walked. */
#include "backend/host/forms/sparse/graph/edges.h"

#include "core/base/alloc.h"
#include "core/base/error.h"

#include <string.h>

static int64_t index_at(const void *indexes, bool is_wide, int64_t k) {
    return is_wide ? ((const int64_t *)indexes)[k] : ((const int32_t *)indexes)[k];
}

void tni_edges_release(tni_edges *edges) {
    tni_free(edges->starts);
    tni_free(edges->to);
    tni_free(edges->weights);
}

/* Checks the rows' ends, and how many edges there are. */
static tn_status measure(int64_t *count, const tni_csr *a, bool is_wide) {
    int64_t before = 0;
    for (int64_t k = 0; k <= a->rows; k++) {
        const int64_t at = index_at(a->starts, is_wide, k);
        if (at < before || at > a->count || (!k && at)) TNI_FAIL(TN_ERROR_VALUE, TNI_CSR_BROKEN);
        before = at;
    }
    *count = before;
    return TN_OK;
}

/* Counts the edges of each node in starts[node + 1]. */
static tn_status tally(tni_edges *e, const tni_csr *a, bool is_wide, bool is_both_ways) {
    memset(e->starts, 0, (size_t)(e->n + 1) * sizeof *e->starts);
    for (int64_t i = 0; i < e->n; i++)
        for (int64_t at = index_at(a->starts, is_wide, i); at < index_at(a->starts, is_wide, i + 1);
             at++) {
            if (at < 0 || at >= a->count) TNI_FAIL(TN_ERROR_VALUE, TNI_CSR_BROKEN);
            const int64_t j = index_at(a->indices, is_wide, at);
            if (j < 0 || j >= e->n) TNI_FAIL(TN_ERROR_VALUE, TNI_CSR_BROKEN);
            e->starts[i + 1]++;
            if (is_both_ways) e->starts[j + 1]++;
        }
    for (int64_t i = 0; i < e->n; i++)
        e->starts[i + 1] += e->starts[i];
    return TN_OK;
}

static void add(tni_edges *e, int64_t i, int64_t j, const double *weight) {
    /* What changed since it was counted is left out. */
    if (i < 0 || i >= e->n || j < 0 || j >= e->n || e->starts[i] >= e->count) return;
    const int64_t at = e->starts[i]++;
    e->to[at] = (int32_t)j;
    if (weight) e->weights[at] = *weight;
}

/* Edges in the order of the elements, first those of the matrix, then those that lead back. */
static void fill(tni_edges *e, const tni_csr *a, bool is_wide, int64_t elements,
                 bool is_both_ways) {
    const double *values = a->values;
    for (int side = 0; side <= is_both_ways; side++)
        for (int64_t i = 0; i < e->n; i++) {
            const int64_t end = index_at(a->starts, is_wide, i + 1);
            for (int64_t at = index_at(a->starts, is_wide, i); at >= 0 && at < end && at < elements;
                 at++) {
                const int64_t j = index_at(a->indices, is_wide, at);
                add(e, side ? j : i, side ? i : j, values ? &values[at] : NULL);
            }
        }
    memmove(e->starts + 1, e->starts, (size_t)e->n * sizeof *e->starts);
    e->starts[0] = 0;
}

tn_status tni_edges_make(tni_edges *e, const tni_csr *a, bool is_wide, bool is_both_ways) {
    int64_t elements;
    tn_status status;
    memset(e, 0, sizeof *e);
    TNI_TRY(measure(&elements, a, is_wide));
    e->n = a->rows;
    e->count = is_both_ways ? 2 * elements : elements;
    const size_t place = (size_t)e->count + 1;
    e->starts = tni_calloc((size_t)e->n + 2, sizeof *e->starts);
    e->to = tni_malloc(place * sizeof *e->to);
    e->weights = a->values ? tni_malloc(place * sizeof *e->weights) : NULL;
    if (!e->starts || !e->to || (a->values && !e->weights))
        status = tni_fail_no_memory((int64_t)place * 12);
    else
        status = tally(e, a, is_wide, is_both_ways);
    if (status)
        tni_edges_release(e);
    else
        fill(e, a, is_wide, elements, is_both_ways);
    return status;
}
