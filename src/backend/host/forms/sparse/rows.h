/* Rows of a sparse matrix on the host: shared out evenly by their elements, and checked before a
 * loop reads them. */
#ifndef TNI_HOST_SPARSE_ROWS_H
#define TNI_HOST_SPARSE_ROWS_H

#include "backend/host/forms/forms.h"
#include "backend/host/loops/sparse/sparse_loops.h"

#include <stdatomic.h>

enum { TNI_SPARSE_PIECES = 1024 };

/* Pieces of rows with about as many elements each. They depend on the matrix alone. */
typedef struct tni_sparse_rows {
    const tni_csr *a;
    const tni_sparse_index_loops *loops;
    int64_t index_bytes;
    int pieces;
    int64_t cuts[TNI_SPARSE_PIECES + 1];
} tni_sparse_rows;

/* A loop over rows [begin, end) of a matrix: a's own values, but starts and indices of these rows
 * alone, copied and then checked, so that nothing which changes a meanwhile leads elsewhere. */
typedef void (*tni_sparse_visit)(void *context, const tni_csr *a, int64_t begin, int64_t end);

const tni_sparse_index_loops *tni_sparse_index(bool is_wide);
const tni_sparse_move_loops *tni_sparse_moves(bool is_wide, int64_t item);
/* The loops of a dtype, or TN_ERROR_TYPE. */
tn_status tni_sparse_values(const tni_sparse_value_loops **loops, tn_dtype dtype, bool is_wide);

/* At most `most` pieces. */
void tni_sparse_cut(tni_sparse_rows *rows, const tni_csr *a, bool is_wide, int most);
/* Calls `visit` for rows [begin, end) in order, a few thousand elements at a time. TN_ERROR_VALUE
 * for a bad structure, of which some rows are left out, or TN_ERROR_MEMORY; without a text. */
tn_status tni_sparse_walk(const tni_sparse_rows *rows, int64_t begin, int64_t end,
                          tni_sparse_visit visit, void *context);
/* Calls `visit` for all rows, from several threads; the same statuses. */
tn_status tni_sparse_visit_all(const tni_csr *a, bool is_wide, tni_sparse_visit visit,
                               void *context);
/* The same, with a text. */
tn_status tni_sparse_each(const tni_csr *a, bool is_wide, tni_sparse_visit visit, void *context);
/* Copies the structure of a whole matrix to memory of the calling thread, and checks it. */
tn_status tni_sparse_copy(tni_csr *copy, const tni_csr *a, bool is_wide, int slot);
tn_status tni_sparse_fail(void);
/* The status with its text. */
tn_status tni_sparse_report(tn_status status);

/* Pieces whose results follow each other: a thread takes the next one, keeps its results until the
 * pieces before it, which were taken earlier, are counted, and then knows their place. */
typedef struct tni_sparse_turns {
    int pieces;
    atomic_int next;
    _Alignas(64) atomic_int counted;
    int64_t total; /* of those that are counted */
} tni_sparse_turns;

/* Calls task(context, 0, 1) in as many threads as there are pieces for. */
void tni_sparse_take_turns(tni_sparse_turns *turns, int pieces,
                           void (*task)(void *context, int64_t begin, int64_t end), void *context);
/* The next piece, or -1. Every piece that is taken must be placed. */
int tni_sparse_next(tni_sparse_turns *turns);
/* Where the `count` results of a piece go. */
int64_t tni_sparse_place(tni_sparse_turns *turns, int piece, int64_t count);

/* counts[0 .. n) become starts[0 .. n], of which the first is 0. In place: counts is starts + 1. */
void tni_sparse_add_up(int64_t *starts, int64_t n);

#endif
