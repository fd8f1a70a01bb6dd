/* The structure of a matrix for the factorization: checked, by columns and by rows, and the
 * elimination trees that say which columns depend on each other (Liu, The role of elimination trees
 * in sparse factorization, 1990). */
#include "backend/host/forms/sparse/lu/pattern.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <string.h>

enum { NONE = -1 };

static int64_t index_at(const void *indexes, bool is_wide, int64_t k) {
    return is_wide ? ((const int64_t *)indexes)[k] : ((const int32_t *)indexes)[k];
}

static tn_status copy(tni_lu_pattern *p, const tni_csr_factor *call) {
    const tni_csr *a = &call->a;
    for (int64_t k = 0; k <= p->n; k++) {
        p->starts[k] = index_at(a->starts, call->is_wide, k);
        const int64_t least = k ? p->starts[k - 1] : 0;
        if (p->starts[k] < least || p->starts[k] > a->count)
            TNI_FAIL(TN_ERROR_VALUE, TNI_CSR_BROKEN);
    }
    /* Elements before the first start would be none of any column's. */
    if (p->starts[0]) TNI_FAIL(TN_ERROR_VALUE, TNI_CSR_BROKEN);
    memset(p->row_starts, 0, (size_t)(p->n + 1) * sizeof *p->row_starts);
    for (int64_t k = 0; k < p->starts[p->n]; k++) {
        const int64_t row = index_at(a->indices, call->is_wide, k);
        if (row < 0 || row >= p->n) TNI_FAIL(TN_ERROR_VALUE, TNI_CSR_BROKEN);
        p->rows[k] = (int32_t)row;
        p->row_starts[row + 1]++;
    }
    return TN_OK;
}

static void transpose(tni_lu_pattern *p) {
    int64_t *starts = p->row_starts;
    for (int64_t r = 0; r < p->n; r++)
        starts[r + 1] += starts[r];
    for (int64_t k = 0; k < p->n; k++)
        for (int64_t at = p->starts[k]; at < p->starts[k + 1]; at++)
            p->columns[starts[p->rows[at]]++] = (int32_t)k;
    memmove(starts + 1, starts, (size_t)p->n * sizeof *starts);
    starts[0] = 0;
}

void tni_lu_pattern_release(tni_lu_pattern *p) {
    tni_free(p->starts);
    tni_free(p->rows);
}

tn_status tni_lu_pattern_make(tni_lu_pattern *p, const tni_csr_factor *call) {
    const int64_t n = p->n = call->a.rows;
    const size_t starts = (size_t)n + 1, count = (size_t)call->a.count + 1;
    p->starts = tni_malloc(2 * starts * sizeof *p->starts);
    p->rows = tni_malloc(2 * count * sizeof *p->rows);
    tn_status status = TN_OK;
    if (!p->starts || !p->rows) {
        status = tni_fail_no_memory((int64_t)(16 * starts + 8 * count));
    } else {
        p->row_starts = p->starts + starts;
        p->columns = p->rows + count;
        status = copy(p, call);
    }
    if (status)
        tni_lu_pattern_release(p);
    else
        transpose(p);
    return status;
}

/* --- Trees --- */

typedef struct tree {
    int64_t n;
    int32_t *parent, *ancestor, *place, *newest, *head, *next;
} tree;

/* Column k comes after i: the root of i's tree becomes a child of k. */
static void link(tree *t, int32_t i, int32_t k) {
    while (i != NONE && i < k) {
        const int32_t above = t->ancestor[i];
        t->ancestor[i] = k;
        if (above == NONE) t->parent[i] = k;
        i = above;
    }
}

/* Parents by places in the order. Of the product: a row makes its columns a path. */
static void grow(tree *t, const int32_t *order, const tni_lu_pattern *p, bool is_product) {
    for (int32_t k = 0; k < t->n; k++) {
        const int32_t column = order[k];
        t->parent[k] = t->ancestor[k] = NONE;
        for (int64_t at = p->starts[column]; at < p->starts[column + 1]; at++) {
            const int32_t row = p->rows[at];
            link(t, is_product ? t->newest[row] : t->place[row], k);
            if (is_product) t->newest[row] = k;
        }
        for (int64_t at = p->row_starts[column]; !is_product && at < p->row_starts[column + 1];
             at++)
            link(t, t->place[p->columns[at]], k);
    }
}

/* The nodes, children before parents, one tree after the other. */
static void walk(tree *t, int32_t *sorted) {
    int32_t *stack = t->ancestor, written = 0;
    for (int64_t k = 0; k < t->n; k++)
        t->head[k] = NONE;
    for (int64_t k = t->n - 1; k >= 0; k--) {
        if (t->parent[k] == NONE) continue;
        t->next[k] = t->head[t->parent[k]];
        t->head[t->parent[k]] = (int32_t)k;
    }
    for (int32_t root = 0; root < t->n; root++) {
        if (t->parent[root] != NONE) continue;
        int64_t top = 0;
        stack[top++] = root;
        while (top) {
            const int32_t node = stack[top - 1], child = t->head[node];
            if (child == NONE) {
                sorted[written++] = node;
                top--;
            } else {
                t->head[node] = t->next[child];
                stack[top++] = child;
            }
        }
    }
}

tn_status tni_lu_postorder(int32_t *order, const tni_lu_pattern *p, bool is_product) {
    const size_t n = (size_t)p->n;
    tree t = {.n = p->n};
    t.parent = tni_malloc((n + 1) * 7 * sizeof *t.parent);
    if (!t.parent) return tni_fail_no_memory((int64_t)(n + 1) * 28);
    t.ancestor = t.parent + n;
    t.place = t.ancestor + n;
    t.newest = t.place + n;
    t.head = t.newest + n;
    t.next = t.head + n;
    int32_t *sorted = t.next + n;
    for (int32_t k = 0; k < p->n; k++) {
        t.place[order[k]] = k;
        t.newest[k] = NONE;
    }
    grow(&t, order, p, is_product);
    walk(&t, sorted);
    for (size_t k = 0; k < n; k++)
        sorted[k] = order[sorted[k]];
    memcpy(order, sorted, n * sizeof *order);
    tni_free(t.parent);
    return TN_OK;
}
