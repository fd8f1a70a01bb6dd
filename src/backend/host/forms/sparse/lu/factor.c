/* The host's form "csr_factor": LU of sparse matrices with partial pivoting, column by column
 * (Davis, Direct methods for sparse linear systems, 2006, has the whole).
 *
 * The order of columns is that of approximate minimum degree in one of two graphs. That of a +
 * transposed a leads to less fill as long as pivots are taken from the diagonal; that of transposed
 * a x a bounds the fill for any pivots. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/sparse/lu/dense.h"
#include "backend/host/forms/sparse/lu/incomplete.h"
#include "backend/host/forms/sparse/lu/minimum_degree.h"
#include "backend/host/loops/level.h"
#include "core/base/alloc.h"

#include <string.h>

/* A pivot on the diagonal that is this much less than the largest is taken where the order relies
 * on the diagonal: the usual choice of multifrontal and of symmetric methods. */
static const double relaxed = 0.1;

/* --- The order --- */

/* Whether pivots are likely to be found on the diagonal: nearly every column has one there that is
 * no less than a tenth of its largest element. */
static bool has_diagonal(const tni_csr_factor *call, const tni_lu_pattern *p,
                         const tni_lu_loops *loops) {
    int64_t good = 0;
    for (int64_t k = 0; k < p->n; k++) {
        double own = 0, most = 0;
        for (int64_t at = p->starts[k]; at < p->starts[k + 1]; at++) {
            const double found = loops->magnitude(call->a.values, at);
            if (p->rows[at] == k) own = found;
            if (found > most) most = found;
        }
        good += own > 0 && own >= relaxed * most;
    }
    return good * 50 >= p->n * 49;
}

static tn_status find_order(int32_t *order, tni_factor_order *chosen, const tni_csr_factor *call,
                            const tni_lu_pattern *p, const tni_lu_loops *loops) {
    *chosen = call->order;
    if (*chosen == TNI_ORDER_CHOSEN)
        *chosen = has_diagonal(call, p, loops) ? TNI_ORDER_SUM : TNI_ORDER_PRODUCT;
    for (int64_t k = 0; k < p->n; k++)
        order[k] = (int32_t)k;
    if (*chosen == TNI_ORDER_NATURAL) return TN_OK;
    const bool is_product = *chosen == TNI_ORDER_PRODUCT;
    TNI_TRY(tni_lu_minimum_degree(order, p, is_product));
    return tni_lu_postorder(order, p, is_product);
}

/* --- The columns --- */

static void release(tni_lu_columns *c) {
    tni_free(c->blocks);
    tni_free(c->way);
    tni_free(c->way_length);
    tni_free(c->x);
    tni_free(c->lists.at);
    tni_free(c->values.at);
    tni_free(c->ways.at);
    tni_free(c->upper_rows.at);
    tni_free(c->upper_values.at);
    tni_free(c->upper_starts);
    tni_free(c->dense);
}

/* Areas of n numbers each, one after the other. */
static tn_status make(tni_lu_columns *c) {
    const size_t n = (size_t)c->n;
    const int64_t count = c->pattern->starts[c->n];
    c->lists = c->ways = c->upper_rows = (tni_lu_area){NULL, 0, 0, sizeof(int32_t)};
    c->values = c->upper_values = (tni_lu_area){NULL, 0, 0, c->item};
    c->blocks = tni_malloc(n * sizeof *c->blocks);
    c->way = tni_malloc(3 * n * sizeof *c->way);
    c->way_length = tni_malloc(8 * n * sizeof *c->way_length);
    c->x = tni_calloc(3 * n, (size_t)c->item);
    c->upper_starts = tni_calloc(n + 1, sizeof *c->upper_starts);
    if (!c->blocks || !c->way || !c->way_length || !c->x || !c->upper_starts)
        return tni_fail_no_memory((int64_t)n * 120);
    c->stack = c->way + n;
    c->room = c->x + n * (size_t)c->item;
    c->block_of = c->way_length + n;
    c->pivot_of = c->block_of + n;
    c->open = c->pivot_of + n;
    c->path = c->open + n;
    c->entry = c->path + n;
    c->row_mark = c->entry + n;
    c->block_mark = c->row_mark + n;
    memset(c->row_mark, 0, n * sizeof *c->row_mark);
    memset(c->pivot_of, 0xff, n * sizeof *c->pivot_of);
    TNI_TRY(tni_lu_area_grow(&c->lists, 2 * count));
    TNI_TRY(tni_lu_area_grow(&c->values, 4 * count));
    TNI_TRY(tni_lu_area_grow(&c->upper_rows, 4 * count));
    return tni_lu_area_grow(&c->upper_values, 4 * count);
}

/* The row of column k's pivot; -1: all are 0. */
static int32_t find_pivot(const tni_lu_columns *c, int64_t k) {
    const int32_t diagonal = c->order[k];
    int64_t place;
    const double most = c->loops->largest(c->x, c->open, c->open_count, &place);
    if (!(most > 0)) return -1;
    if (c->pivot_of[diagonal] < 0 && c->row_mark[diagonal] == c->stamp) {
        const double own = c->loops->magnitude(c->x, diagonal);
        if (own > 0 && own >= c->threshold * most) return diagonal;
    }
    return c->open[place];
}

static tn_status run_columns(tni_lu_columns *c) {
    c->tail = c->n;
    for (int64_t k = 0; k < c->n; k++) {
        TNI_TRY(tni_lu_column(c, k));
        const int64_t count = c->values.used + c->upper_rows.used, left = c->n - k;
        const bool is_dense = tni_lu_is_dense(c, k);
        if (count > c->call->most || (is_dense && left * left > c->call->most - count))
            TNI_FAIL(TN_ERROR_OVERFLOW, "the factors have more than %lld elements",
                     (long long)c->call->most);
        if (is_dense) return tni_lu_finish_dense(c, k);
        int32_t pivot = find_pivot(c, k);
        if (c->is_incomplete)
            TNI_TRY(tni_lu_drop(c, k, &pivot));
        else if (pivot < 0)
            return tni_lu_singular();
        TNI_TRY(tni_lu_keep(c, k, pivot));
    }
    return TN_OK;
}

/* --- What is given back --- */

static void release_factors(tni_factors *to) {
    tni_factor_part *const parts[2] = {&to->lower, &to->upper};
    for (int k = 0; k < 2; k++) {
        tni_free(parts[k]->starts);
        tni_free(parts[k]->rows);
        tni_free(parts[k]->values);
    }
    tni_free(to->diagonal);
    tni_free(to->row_of);
    tni_free(to->column_of);
    memset(to, 0, sizeof *to);
}

static tn_status make_part(tni_factor_part *part, int64_t count, int64_t item) {
    part->rows = tni_malloc((size_t)(count + 1) * sizeof *part->rows);
    part->values = tni_malloc((size_t)((count + 1) * item));
    return part->rows && part->values ? TN_OK : tni_fail_no_memory((count + 1) * (item + 4));
}

static tn_status give_lower(const tni_lu_columns *c, tni_factor_part *to) {
    const int64_t item = c->item, m = c->n - c->tail;
    int64_t count = m * (m - 1) / 2, written = 0;
    for (int64_t b = 0; b < c->block_count; b++)
        for (int64_t i = 0; i < c->blocks[b].width; i++)
            count += c->blocks[b].height - i - 1;
    TNI_TRY(make_part(to, count, item));
    char *values = to->values;
    to->starts[0] = 0;
    for (int64_t b = 0; b < c->block_count; b++) {
        const tni_lu_block *block = &c->blocks[b];
        const int32_t *list = (const int32_t *)(void *)c->lists.at + block->list;
        for (int64_t i = 0; i < block->width; i++) {
            const int64_t from = block->values + i * block->height + i + 1;
            const int64_t n = block->height - i - 1;
            memcpy(values + written * item, c->values.at + from * item, (size_t)(n * item));
            for (int64_t k = 0; k < n; k++)
                to->rows[written + k] = c->pivot_of[list[i + 1 + k]];
            written += n;
            to->starts[block->first + i + 1] = written;
        }
    }
    for (int64_t j = 0; j < m; j++) {
        const int64_t n = m - j - 1;
        memcpy(values + written * item, c->dense + (j * (m + 1) + 1) * item, (size_t)(n * item));
        for (int64_t k = 0; k < n; k++)
            to->rows[written + k] = (int32_t)(c->tail + j + 1 + k);
        written += n;
        to->starts[c->tail + j + 1] = written;
    }
    return TN_OK;
}

static tn_status give_upper(const tni_lu_columns *c, tni_factor_part *to) {
    const int64_t item = c->item, m = c->n - c->tail;
    int64_t written = 0;
    TNI_TRY(make_part(to, c->upper_rows.used + m * (m - 1) / 2, item));
    char *values = to->values;
    to->starts[0] = 0;
    for (int64_t k = 0; k < c->n; k++) {
        const int64_t from = c->upper_starts[k], n = c->upper_starts[k + 1] - from;
        memcpy(values + written * item, c->upper_values.at + from * item, (size_t)(n * item));
        memcpy(to->rows + written, (const int32_t *)(void *)c->upper_rows.at + from,
               (size_t)n * sizeof *to->rows);
        written += n;
        const int64_t more = k < c->tail ? 0 : k - c->tail;
        if (more)
            memcpy(values + written * item, c->dense + more * m * item, (size_t)(more * item));
        for (int64_t i = 0; i < more; i++)
            to->rows[written + i] = (int32_t)(c->tail + i);
        written += more;
        to->starts[k + 1] = written;
    }
    return TN_OK;
}

/* --- The forms --- */

static tn_status make_factors(tni_factors *to, int64_t n, int64_t item) {
    to->n = n;
    to->lower.starts = tni_malloc((size_t)(n + 1) * sizeof *to->lower.starts);
    to->upper.starts = tni_malloc((size_t)(n + 1) * sizeof *to->upper.starts);
    to->diagonal = tni_malloc((size_t)((n + 1) * item));
    to->row_of = tni_malloc((size_t)(n + 1) * sizeof *to->row_of);
    to->column_of = tni_malloc((size_t)(n + 1) * sizeof *to->column_of);
    if (!to->lower.starts || !to->upper.starts || !to->diagonal || !to->row_of || !to->column_of)
        return tni_fail_no_memory((n + 1) * (item + 24));
    return TN_OK;
}

static tn_status factor(const tni_csr_factor *call, const tni_lu_pattern *p) {
    tni_factors *to = call->to;
    tni_factor_order chosen;
    tni_lu_columns c = {.call = call, .pattern = p, .n = p->n};
    tn_status status;
    c.item = tn_dtype_size(call->dtype);
    c.loops = tni_loops_level()->lu[call->dtype];
    c.is_incomplete = call->drop >= 0;
    TNI_TRY_OWNING(make_factors(to, p->n, c.item));
    c.order = to->column_of;
    c.row_of = to->row_of;
    c.diagonal = to->diagonal;
    TNI_TRY_OWNING(find_order(to->column_of, &chosen, call, p, c.loops));
    c.threshold = call->threshold >= 0 ? call->threshold : chosen == TNI_ORDER_SUM ? relaxed : 1;
    TNI_TRY_OWNING(make(&c));
    TNI_TRY_OWNING(run_columns(&c));
    TNI_TRY_OWNING(give_lower(&c, &to->lower));
    status = give_upper(&c, &to->upper);
cleanup:
    release(&c);
    if (status) release_factors(to);
    return status;
}

tn_status tni_host_run_csr_factor(void *parameters) {
    const tni_csr_factor *call = parameters;
    tni_lu_pattern pattern;
    TNI_TRY(tni_lu_pattern_make(&pattern, call));
    const tn_status status = factor(call, &pattern);
    tni_lu_pattern_release(&pattern);
    return status;
}

TNI_HOST_PLAN(csr_factor, INT64_MAX / 2)
