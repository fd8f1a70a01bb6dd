/* The end of a factorization: the last columns mostly have elements in all rows that are left. They
 * become a dense matrix, which LAPACK factors. */
#include "backend/host/forms/sparse/lu/dense.h"
#include "backend/host/libraries/lapack.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <string.h>

enum { LEAST = 48, MOST = 20000 }; /* columns of the dense matrix */

bool tni_lu_is_dense(const tni_lu_columns *c, int64_t k) {
    const tni_lapack *lapack;
    const int64_t m = c->n - k;
    return !c->is_incomplete && c->threshold > 0 && m >= LEAST && m <= MOST &&
           c->open_count * 5 >= m * 3 && !tni_lapack_get(&lapack, c->call->dtype);
}

/* Numbers the rows without a pivot: the row of a column's diagonal like the column, where it is
 * one of them, and the others in the gaps. */
static void number_rows(const tni_lu_columns *c, int64_t k, int32_t *rows, int32_t *place) {
    const int64_t m = c->n - k;
    for (int64_t row = 0; row < c->n; row++)
        place[row] = -1;
    for (int64_t j = 0; j < m; j++) {
        const int32_t diagonal = c->order[k + j];
        rows[j] = -1;
        if (c->pivot_of[diagonal] >= 0) continue;
        rows[j] = diagonal;
        place[diagonal] = (int32_t)j;
    }
    int64_t free_place = 0;
    for (int64_t row = 0; row < c->n; row++) {
        if (c->pivot_of[row] >= 0 || place[row] >= 0) continue;
        while (rows[free_place] >= 0)
            free_place++;
        rows[free_place] = (int32_t)row;
        place[row] = (int32_t)free_place;
    }
}

/* Writes into the dense matrix what is left of the columns from k on, all earlier ones
 * subtracted. */
static tn_status fill(tni_lu_columns *c, int64_t k, const int32_t *place) {
    const int64_t m = c->n - k;
    for (int64_t j = 0; j < m; j++) {
        if (j) TNI_TRY(tni_lu_column(c, k + j)); /* the first one is there */
        c->loops->gather(c->room, c->x, c->open, c->open_count);
        char *column = c->dense + j * m * c->item;
        for (int64_t at = 0; at < c->open_count; at++)
            memcpy(column + place[c->open[at]] * c->item, c->room + at * c->item, (size_t)c->item);
        c->upper_starts[k + j + 1] = c->upper_rows.used;
    }
    return TN_OK;
}

static tn_status factor(tni_lu_columns *c, int64_t k, int32_t *rows) {
    const tni_lapack *lapack;
    int64_t m = c->n - k, info = 0;
    TNI_TRY(tni_lapack_get(&lapack, c->call->dtype));
    void *pivots = tni_malloc((size_t)m * tni_lapack_integer_bytes());
    if (!pivots) return tni_fail_no_memory(m * 8);
    lapack->getrf(&m, &m, c->dense, &m, pivots, &info);
    for (int64_t j = 0; j < m; j++) {
        const int64_t other = tni_lapack_integer_at(pivots, j) - 1;
        const int32_t row = rows[j];
        rows[j] = rows[other];
        rows[other] = row;
    }
    tni_free(pivots);
    if (tni_lapack_integer(info)) return tni_lu_singular();
    for (int64_t j = 0; j < m; j++) {
        c->pivot_of[rows[j]] = (int32_t)(k + j);
        c->row_of[k + j] = rows[j];
        memcpy(c->diagonal + (k + j) * c->item, c->dense + j * (m + 1) * c->item, (size_t)c->item);
    }
    return TN_OK;
}

tn_status tni_lu_finish_dense(tni_lu_columns *c, int64_t k) {
    const int64_t m = c->n - k;
    c->dense = tni_calloc((size_t)(m * m), (size_t)c->item);
    int32_t *rows = tni_malloc((size_t)(m + c->n) * sizeof *rows);
    tn_status status = TN_OK;
    if (!c->dense || !rows) {
        status = tni_fail_no_memory(m * m * c->item);
    } else {
        c->tail = k;
        number_rows(c, k, rows, rows + m);
        status = fill(c, k, rows + m);
        if (!status) status = factor(c, k, rows);
    }
    tni_free(rows);
    return status;
}
