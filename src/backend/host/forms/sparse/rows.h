/* Rows of a sparse matrix on the host: shared out evenly by their elements, and checked before a
 * loop reads them. */
#ifndef TNI_HOST_SPARSE_ROWS_H
#define TNI_HOST_SPARSE_ROWS_H

#include "backend/host/forms/forms.h"
#include "backend/host/loops/sparse/sparse_loops.h"

enum { TNI_SPARSE_PIECES = 256 };

/* Pieces of rows with about as many elements each. They depend on the matrix alone. */
typedef struct tni_sparse_rows {
    const tni_csr *a;
    const tni_sparse_index_loops *loops;
    int64_t index_bytes;
    int pieces;
    int64_t cuts[TNI_SPARSE_PIECES + 1];
} tni_sparse_rows;

/* A loop over rows [begin, end), whose starts and indices are good. */
typedef void (*tni_sparse_visit)(void *context, int64_t begin, int64_t end);

const tni_sparse_index_loops *tni_sparse_index(bool is_wide);
const tni_sparse_move_loops *tni_sparse_moves(bool is_wide, int64_t item);
/* The loops of a dtype, or TN_ERROR_TYPE. */
tn_status tni_sparse_values(const tni_sparse_value_loops **loops, tn_dtype dtype, bool is_wide);

/* At most `most` pieces. */
void tni_sparse_cut(tni_sparse_rows *rows, const tni_csr *a, bool is_wide, int most);
/* Calls `visit` for rows [begin, end) in order, a few thousand elements at a time. Whether the
 * structure was good: else some rows were left out. */
bool tni_sparse_walk(const tni_sparse_rows *rows, int64_t begin, int64_t end,
                     tni_sparse_visit visit, void *context);
/* Calls `visit` for all rows, from several threads. Whether the structure was good. */
bool tni_sparse_visit_all(const tni_csr *a, bool is_wide, tni_sparse_visit visit, void *context);
/* The same; a bad structure is TN_ERROR_VALUE. */
tn_status tni_sparse_each(const tni_csr *a, bool is_wide, tni_sparse_visit visit, void *context);
/* Whether the whole structure is good. */
tn_status tni_sparse_check(const tni_csr *a, bool is_wide);
tn_status tni_sparse_fail(void);

/* counts[0 .. n) become starts[0 .. n], of which the first is 0. In place: counts is starts + 1. */
void tni_sparse_add_up(int64_t *starts, int64_t n);

#endif
