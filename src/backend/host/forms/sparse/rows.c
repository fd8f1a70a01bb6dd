/* Rows of sparse matrices: who takes which, and their check. */
#include "backend/host/forms/sparse/rows.h"

#include "backend/host/loops/level.h"
#include "backend/host/threads.h"

#include <stdatomic.h>

enum {
    PIECE = 1 << 13, /* elements and rows of a piece, at least */
    TILE = 1 << 12   /* elements that are checked, and then read from the cache */
};

const tni_sparse_index_loops *tni_sparse_index(bool is_wide) {
    return tni_loops_level()->sparse->indexes[is_wide];
}

const tni_sparse_move_loops *tni_sparse_moves(bool is_wide, int64_t item) {
    return tni_loops_level()->sparse->moves[is_wide][__builtin_ctzll((uint64_t)item)];
}

tn_status tni_sparse_values(const tni_sparse_value_loops **loops, tn_dtype dtype, bool is_wide) {
    *loops = tni_loops_level()->sparse->values[dtype][is_wide];
    if (*loops) return TN_OK;
    return tni_fail(TN_ERROR_TYPE, "sparse matrices of dtype %s", tn_dtype_name(dtype));
}

void tni_sparse_cut(tni_sparse_rows *rows, const tni_csr *a, bool is_wide, int most) {
    const int64_t work = a->count + a->rows;
    rows->a = a;
    rows->loops = tni_sparse_index(is_wide);
    rows->index_bytes = is_wide ? 8 : 4;
    int64_t pieces = work / PIECE + 1;
    rows->pieces = (int)(pieces < most ? pieces : most);
    rows->cuts[0] = 0;
    for (int k = 1; k < rows->pieces; k++) {
        /* Halfway between an equal share of the elements and of the rows. */
        const int64_t element = a->count / rows->pieces * k;
        int64_t cut = rows->loops->find(a->starts, a->rows, element);
        if (a->count < a->rows) cut = (cut + a->rows / rows->pieces * k) / 2;
        rows->cuts[k] = cut > rows->cuts[k - 1] ? cut : rows->cuts[k - 1];
    }
    rows->cuts[rows->pieces] = a->rows;
}

bool tni_sparse_walk(const tni_sparse_rows *rows, int64_t begin, int64_t end,
                     tni_sparse_visit visit, void *context) {
    const tni_csr *a = rows->a;
    const tni_sparse_index_loops *loops = rows->loops;
    const char *starts = a->starts, *indices = a->indices;
    const int64_t bytes = rows->index_bytes;
    if (begin >= end) return true;
    if (!loops->ascends(starts + begin * bytes, end - begin, a->count)) return false;
    while (begin < end) {
        const int64_t from = loops->at(starts, begin);
        int64_t next = begin + loops->find(starts + begin * bytes, end - begin, from + TILE);
        next = next > end ? end : next == begin ? begin + 1 : next;
        const int64_t to = loops->at(starts, next);
        if (!loops->inside(indices + from * bytes, to - from, a->columns)) return false;
        visit(context, begin, next);
        begin = next;
    }
    return true;
}

typedef struct walking {
    tni_sparse_rows rows;
    tni_sparse_visit visit;
    void *context;
    atomic_bool is_bad;
} walking;

static void walk_pieces(void *context, int64_t begin, int64_t end) {
    walking *w = context;
    for (int64_t k = begin; k < end; k++)
        if (!tni_sparse_walk(&w->rows, w->rows.cuts[k], w->rows.cuts[k + 1], w->visit, w->context))
            atomic_store(&w->is_bad, true);
}

bool tni_sparse_visit_all(const tni_csr *a, bool is_wide, tni_sparse_visit visit, void *context) {
    walking w;
    w.visit = visit;
    w.context = context;
    atomic_init(&w.is_bad, false);
    tni_sparse_cut(&w.rows, a, is_wide, TNI_SPARSE_PIECES);
    if (w.rows.pieces == 1)
        walk_pieces(&w, 0, 1);
    else
        tni_parallel(w.rows.pieces, 1, walk_pieces, &w);
    return !atomic_load(&w.is_bad);
}

tn_status tni_sparse_each(const tni_csr *a, bool is_wide, tni_sparse_visit visit, void *context) {
    return tni_sparse_visit_all(a, is_wide, visit, context) ? TN_OK : tni_sparse_fail();
}

static void look(void *context, int64_t begin, int64_t end) {
    (void)context;
    (void)begin;
    (void)end;
}

tn_status tni_sparse_check(const tni_csr *a, bool is_wide) {
    return tni_sparse_each(a, is_wide, look, NULL);
}

tn_status tni_sparse_fail(void) {
    return tni_fail(TN_ERROR_VALUE, TNI_CSR_BROKEN);
}

void tni_sparse_add_up(int64_t *starts, int64_t n) {
    int64_t sum = starts[0] = 0;
    for (int64_t k = 1; k <= n; k++)
        starts[k] = sum += starts[k];
}
