/* Incomplete factors by a threshold, with pivots (ILUTP: Saad, ILUT: a dual threshold incomplete LU
 * factorization, 1994, and Iterative methods for sparse linear systems, 2003, section 10.4.4).
 *
 * Of a column of U goes what is less than `drop` times the largest of the matrix' column, and of
 * one of L what is less than `drop`, after it was divided by the pivot. Of what is left the largest
 * stay: in either triangle `fill` times as many as a column of the matrix has on average. SuperLU's
 * spilu differs: it looks at blocks of columns, and its bound of the fill is one for all columns.
 * A pivot of 0 is replaced as there: by `drop` times the largest of the matrix' column. */
#include "backend/host/forms/sparse/lu/incomplete.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int descend(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The least magnitude that stays: no less than `least`, and `most` elements have it. */
static double bound(double *magnitudes, int64_t count, int64_t most, double least) {
    if (count <= most) return least;
    qsort(magnitudes, (size_t)count, sizeof *magnitudes, descend);
    return magnitudes[most - 1] > least ? magnitudes[most - 1] : least;
}

static void drop_upper(tni_lu_columns *c, int64_t begin, int64_t most, double least,
                       double *magnitudes) {
    int32_t *rows = (int32_t *)(void *)c->upper_rows.at;
    char *values = c->upper_values.at;
    const int64_t end = c->upper_rows.used;
    int64_t kept = begin;
    for (int64_t k = begin; k < end; k++)
        magnitudes[k - begin] = c->loops->magnitude(values, k);
    const double from = bound(magnitudes, end - begin, most, least);
    for (int64_t k = begin; k < end && kept - begin < most; k++) {
        if (!(c->loops->magnitude(values, k) >= from)) continue;
        rows[kept] = rows[k];
        memmove(values + kept * c->item, values + k * c->item, (size_t)c->item);
        kept++;
    }
    c->upper_rows.used = c->upper_values.used = kept;
}

/* Keeps the pivot and the largest of the open rows. */
static void drop_lower(tni_lu_columns *c, int32_t pivot, int64_t most, double *magnitudes) {
    const double least = c->call->drop * c->loops->magnitude(c->x, pivot);
    int64_t count = 0, kept = 0;
    for (int64_t k = 0; k < c->open_count; k++)
        if (c->open[k] != pivot) magnitudes[count++] = c->loops->magnitude(c->x, c->open[k]);
    const double from = bound(magnitudes, count, most, least);
    for (int64_t k = 0; k < c->open_count; k++) {
        const int32_t row = c->open[k];
        const double found = c->loops->magnitude(c->x, row);
        if (row == pivot || (found >= from && found > 0 && kept <= most))
            c->open[kept++] = row;
        else
            c->loops->put(c->x, row, 0);
    }
    c->open_count = kept;
}

static double largest_given(const tni_lu_columns *c, int32_t column) {
    double most = 0;
    for (int64_t k = c->pattern->starts[column]; k < c->pattern->starts[column + 1]; k++)
        most = fmax(most, c->loops->magnitude(c->call->a.values, k));
    return most;
}

/* A row without a pivot: that of the diagonal, or the first. */
static int32_t any_row(const tni_lu_columns *c, int32_t column) {
    int32_t row = column;
    for (int64_t k = 0; c->pivot_of[row] >= 0; k++)
        row = (int32_t)k;
    return row;
}

tn_status tni_lu_drop(tni_lu_columns *c, int64_t k, int32_t *pivot) {
    const int64_t begin = c->upper_starts[k], count = c->upper_rows.used - begin;
    const double average = (double)c->pattern->starts[c->n] / (double)c->n;
    const double wanted = ceil(c->call->fill * average);
    const int64_t most = wanted < 1 ? 1 : wanted > (double)c->n ? c->n : (int64_t)wanted;
    const double largest = largest_given(c, c->order[k]);
    double *magnitudes = tni_malloc((size_t)(count + c->open_count + 1) * sizeof *magnitudes);
    if (!magnitudes) return tni_fail_no_memory((count + c->open_count + 1) * 8);
    drop_upper(c, begin, most, c->call->drop * largest, magnitudes);
    if (*pivot < 0) {
        *pivot = any_row(c, c->order[k]);
        if (c->row_mark[*pivot] != c->stamp) c->open[c->open_count++] = *pivot;
        const double by = c->call->drop * largest;
        c->loops->put(c->x, *pivot, by > 0 ? by : 1);
    }
    drop_lower(c, *pivot, most, magnitudes);
    tni_free(magnitudes);
    return TN_OK;
}
