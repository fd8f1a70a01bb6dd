/* Rows of sparse matrices: which thread takes which, and their check. */
#include "backend/host/forms/sparse/rows.h"

#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    PIECE = 1 << 13, /* elements and rows of a piece, at least */
    TILE = 1 << 12,  /* elements that are copied and checked, and then read from the cache */
    SLOT_HELD = 0,   /* of the memory for that; the visits have the others */
    SPINS = 1 << 10  /* before a thread that waits yields */
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

/* A copy of some starts, and room for the indices of their rows after it. */
typedef struct held {
    char *starts, *indices;
    int64_t first, elements; /* element `first` is the first of these rows */
} held;

static tn_status hold(held *h, const tni_sparse_rows *rows, int64_t begin, int64_t end) {
    const tni_csr *a = rows->a;
    const int64_t bytes = rows->index_bytes, size = ((end - begin + 1) * bytes + 63) & -64;
    const char *starts = (const char *)a->starts + begin * bytes;
    const int64_t elements = rows->loops->at(starts, end - begin) - rows->loops->at(starts, 0);
    if (elements < 0 || elements > a->count) return TN_ERROR_VALUE;
    h->starts = tni_scratch(SLOT_HELD, (size_t)(size + elements * bytes) + 64);
    if (!h->starts) return TN_ERROR_MEMORY;
    h->indices = h->starts + size;
    memcpy(h->starts, starts, (size_t)((end - begin + 1) * bytes));
    if (!rows->loops->ascends(h->starts, end - begin, a->count)) return TN_ERROR_VALUE;
    h->first = rows->loops->at(h->starts, 0);
    h->elements = rows->loops->at(h->starts, end - begin) - h->first;
    return h->elements <= elements ? TN_OK : TN_ERROR_VALUE; /* it may have changed meanwhile */
}

/* An array that has element `at` of another where that lies. */
static const void *shifted(const char *to, int64_t at, int64_t bytes) {
    return (const void *)((uintptr_t)to - (uintptr_t)(at * bytes));
}

tn_status tni_sparse_walk(const tni_sparse_rows *rows, int64_t begin, int64_t end,
                          tni_sparse_visit visit, void *context) {
    const tni_csr *a = rows->a;
    const tni_sparse_index_loops *loops = rows->loops;
    const int64_t bytes = rows->index_bytes, first = begin;
    held h;
    if (begin >= end) return TN_OK;
    TNI_TRY(hold(&h, rows, begin, end));
    tni_csr some = *a;
    some.starts = shifted(h.starts, first, bytes);
    while (begin < end) {
        const char *starts = h.starts + (begin - first) * bytes;
        const int64_t from = loops->at(starts, 0);
        int64_t next = begin + loops->find(starts, end - begin, from + TILE);
        next = next > end ? end : next == begin ? begin + 1 : next;
        const int64_t to = loops->at(h.starts, next - first);
        memcpy(h.indices, (const char *)a->indices + from * bytes, (size_t)((to - from) * bytes));
        if (!loops->inside(h.indices, to - from, a->columns)) return TN_ERROR_VALUE;
        some.indices = shifted(h.indices, from, bytes);
        visit(context, &some, begin, next);
        begin = next;
    }
    return TN_OK;
}

typedef struct walking {
    tni_sparse_rows rows;
    tni_sparse_visit visit;
    void *context;
    atomic_int status;
} walking;

static void walk_pieces(void *context, int64_t begin, int64_t end) {
    walking *w = context;
    for (int64_t k = begin; k < end; k++) {
        const tn_status status =
            tni_sparse_walk(&w->rows, w->rows.cuts[k], w->rows.cuts[k + 1], w->visit, w->context);
        if (status) atomic_store(&w->status, (int)status);
    }
}

tn_status tni_sparse_visit_all(const tni_csr *a, bool is_wide, tni_sparse_visit visit,
                               void *context) {
    walking w;
    w.visit = visit;
    w.context = context;
    atomic_init(&w.status, TN_OK);
    tni_sparse_cut(&w.rows, a, is_wide, TNI_SPARSE_PIECES);
    if (w.rows.pieces == 1)
        walk_pieces(&w, 0, 1);
    else
        tni_parallel(w.rows.pieces, 1, walk_pieces, &w);
    return (tn_status)atomic_load(&w.status);
}

tn_status tni_sparse_each(const tni_csr *a, bool is_wide, tni_sparse_visit visit, void *context) {
    return tni_sparse_report(tni_sparse_visit_all(a, is_wide, visit, context));
}

tn_status tni_sparse_copy(tni_csr *copy, const tni_csr *a, bool is_wide, int slot) {
    const tni_sparse_index_loops *loops = tni_sparse_index(is_wide);
    const int64_t bytes = is_wide ? 8 : 4, size = ((a->rows + 1) * bytes + 63) & -64;
    char *starts = tni_scratch(slot, (size_t)(size + a->count * bytes) + 64);
    if (!starts) return tni_sparse_report(TN_ERROR_MEMORY);
    memcpy(starts, a->starts, (size_t)((a->rows + 1) * bytes));
    if (a->count) memcpy(starts + size, a->indices, (size_t)(a->count * bytes));
    *copy = *a;
    copy->starts = starts;
    copy->indices = starts + size;
    if (!loops->ascends(starts, a->rows, a->count)) return tni_sparse_fail();
    const int64_t first = loops->at(starts, 0), n = loops->at(starts, a->rows) - first;
    return loops->inside(starts + size + first * bytes, n, a->columns) ? TN_OK : tni_sparse_fail();
}

void tni_sparse_take_turns(tni_sparse_turns *turns, int pieces,
                           void (*task)(void *context, int64_t begin, int64_t end), void *context) {
    const int threads = tni_thread_count();
    turns->pieces = pieces;
    turns->total = 0;
    atomic_init(&turns->next, 0);
    atomic_init(&turns->counted, 0);
    if (pieces) tni_parallel(pieces < threads ? pieces : threads, 1, task, context);
}

int tni_sparse_next(tni_sparse_turns *turns) {
    const int piece = atomic_fetch_add(&turns->next, 1);
    return piece < turns->pieces ? piece : -1;
}

int64_t tni_sparse_place(tni_sparse_turns *turns, int piece, int64_t count) {
    for (int spins = 0; atomic_load_explicit(&turns->counted, memory_order_acquire) != piece;
         spins++)
        if (spins > SPINS) sched_yield();
    const int64_t place = turns->total;
    turns->total += count;
    atomic_store_explicit(&turns->counted, piece + 1, memory_order_release);
    return place;
}

tn_status tni_sparse_report(tn_status status) {
    if (status == TN_ERROR_MEMORY)
        return tni_fail(TN_ERROR_MEMORY, "out of memory for the structure of a sparse matrix");
    return status ? tni_sparse_fail() : TN_OK;
}

tn_status tni_sparse_fail(void) {
    return tni_fail(TN_ERROR_VALUE, TNI_CSR_BROKEN);
}

void tni_sparse_add_up(int64_t *starts, int64_t n) {
    int64_t sum = starts[0] = 0;
    for (int64_t k = 1; k <= n; k++)
        starts[k] = sum += starts[k];
}
