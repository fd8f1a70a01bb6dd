/* Operations of two sparse matrices: the elements of two rows are merged block by block in the
 * cache, the operation's own loop computes, and results that are not 0 are kept. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/loops.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { BLOCK = 512, ITEM_MOST = 16, SLOT_STARTS = 0, SLOT_RESULTS = 1 };

typedef struct merging {
    const tni_csr_merge *call;
    const tni_sparse_index_loops *loops;
    const tni_sparse_move_loops *moves;
    tni_loop compute, test; /* test NULL: results are bools */
    int64_t item, result_item, index_bytes;
    tni_sparse_rows rows;
    tni_sparse_turns turns;
    atomic_int status;
} merging;

/* What one thread has: `count` elements of some rows. */
typedef struct block {
    tni_csr_merge call; /* with starts that are copies, of some rows alone */
    int64_t count, written;
    char *kept_indices, *kept_values; /* results of the piece so far, `written` of them */
    int64_t ends[BLOCK];              /* of each row */
    _Alignas(64) char indices[BLOCK * 8], x[BLOCK * ITEM_MOST], y[BLOCK * ITEM_MOST];
    _Alignas(64) char results[BLOCK * ITEM_MOST], mask[BLOCK];
} block;

#define KEEP(type)                                                                                 \
    {                                                                                              \
        type *out = to;                                                                            \
        const type *in = from;                                                                     \
        int64_t kept = 0;                                                                          \
        for (int64_t k = 0; k < n; k++) {                                                          \
            out[kept] = in[k];                                                                     \
            kept += mask[k] != 0;                                                                  \
        }                                                                                          \
        return;                                                                                    \
    }

typedef struct pair {
    uint64_t parts[2];
} pair;

/* The items, of n, that the mask keeps. Up to n are written. */
static void keep(void *to, const void *from, const char *mask, int64_t n, int64_t item) {
    switch (item) {
    case 1: KEEP(uint8_t)
    case 2: KEEP(uint16_t)
    case 4: KEEP(uint32_t)
    case 8: KEEP(uint64_t)
    default: KEEP(pair)
    }
}

/* Computes the elements of rows `first` to before `last` and keeps what is not 0. */
static void flush(const merging *m, block *b, int64_t first, int64_t last) {
    const tni_csr_merge *call = m->call;
    char *arguments[3] = {b->x, b->y, b->results}, *tested[2] = {b->results, b->mask};
    const int64_t strides[3] = {m->item, m->item, m->result_item};
    const int64_t steps[2] = {m->result_item, 1};
    const char *mask = m->test ? b->mask : b->results;
    char *indices = b->kept_indices + b->written * m->index_bytes;
    char *values = b->kept_values + b->written * m->result_item;
    int64_t *counts = call->to.ends + 1;
    m->compute(arguments, strides, b->count);
    if (m->test) m->test(tested, steps, b->count);
    int64_t kept = 0, k = 0;
    if (!memchr(mask, 0, (size_t)b->count)) {
        for (int64_t row = first; row < last; k = b->ends[row - first], row++)
            counts[row] += b->ends[row - first] - k;
        memcpy(indices, b->indices, (size_t)(b->count * m->index_bytes));
        memcpy(values, b->results, (size_t)(b->count * m->result_item));
        b->written += b->count;
        return;
    }
    for (int64_t row = first; row < last; row++) {
        const int64_t before = kept;
        for (; k < b->ends[row - first]; k++)
            kept += mask[k] != 0;
        counts[row] += kept - before;
    }
    keep(indices, b->indices, mask, b->count, m->index_bytes);
    keep(values, b->results, mask, b->count, m->result_item);
    b->written += kept;
}

/* A row that is longer than a block. */
static void merge_long(const merging *m, block *b, int64_t row) {
    const tni_csr_merge *call = &b->call;
    int64_t place[2] = {m->loops->at(call->a.starts, row), m->loops->at(call->b.starts, row)};
    const int64_t end[2] = {m->loops->at(call->a.starts, row + 1),
                            m->loops->at(call->b.starts, row + 1)};
    while (place[0] < end[0] || place[1] < end[1]) {
        b->count = b->ends[0] = m->moves->merge(call, place, end, b->indices, b->x, b->y, BLOCK);
        flush(m, b, row, row + 1);
    }
}

static void merge_range(const merging *m, block *b, int64_t begin, int64_t end) {
    memset(m->call->to.ends + begin + 1, 0, (size_t)(end - begin) * sizeof(int64_t));
    for (int64_t row = begin; row < end;) {
        const int64_t first = row;
        b->count =
            m->moves->merge_rows(&b->call, &row, end, b->indices, b->x, b->y, BLOCK, b->ends);
        if (row > first)
            flush(m, b, first, row);
        else
            merge_long(m, b, row++);
    }
}

/* Copies the starts of rows to `to`, and checks them. */
static bool hold(const merging *m, tni_csr *side, char *to, int64_t begin, int64_t end) {
    const int64_t bytes = m->index_bytes;
    memcpy(to, (const char *)side->starts + begin * bytes, (size_t)((end - begin + 1) * bytes));
    side->starts = (const void *)((uintptr_t)to - (uintptr_t)(begin * bytes));
    return m->loops->ascends(to, end - begin, side->count);
}

/* Merges a piece into memory of the thread. */
static tn_status merge_piece(const merging *m, block *b, int64_t begin, int64_t end) {
    const int64_t size = ((end - begin + 1) * m->index_bytes + 63) & -64;
    char *room = tni_scratch(SLOT_STARTS, (size_t)(2 * size) + 64);
    if (!room) return TN_ERROR_MEMORY;
    b->call = *m->call;
    if (!hold(m, &b->call.a, room, begin, end) || !hold(m, &b->call.b, room + size, begin, end))
        return TN_ERROR_VALUE;
    const int64_t most = m->loops->at(room, end - begin) - m->loops->at(room, 0) +
                         m->loops->at(room + size, end - begin) - m->loops->at(room + size, 0);
    const int64_t values = (most * m->result_item + 63) & -64;
    b->kept_values = tni_scratch(SLOT_RESULTS, (size_t)(values + most * m->index_bytes) + 64);
    if (!b->kept_values) return TN_ERROR_MEMORY;
    b->kept_indices = b->kept_values + values;
    merge_range(m, b, begin, end);
    return TN_OK;
}

static bool put_piece(const merging *m, const block *b, int64_t place, int64_t begin, int64_t end) {
    const tni_csr_merge *call = m->call;
    if (b->written > call->a.count + call->b.count - place) return false; /* inputs that change */
    for (int64_t row = begin, at = place; row < end; row++)
        call->to.ends[row + 1] = at += call->to.ends[row + 1];
    if (b->written == 0) return true;
    memcpy((char *)call->to.indices + place * m->index_bytes, b->kept_indices,
           (size_t)(b->written * m->index_bytes));
    memcpy((char *)call->to.values + place * m->result_item, b->kept_values,
           (size_t)(b->written * m->result_item));
    return true;
}

static void merge_pieces(void *context, int64_t first, int64_t last) {
    (void)first, (void)last;
    merging *m = context;
    block made;
    for (int k; (k = tni_sparse_next(&m->turns)) >= 0;) {
        const int64_t begin = m->rows.cuts[k], end = m->rows.cuts[k + 1];
        tn_status status = TN_OK;
        made.written = 0;
        if (begin < end) status = merge_piece(m, &made, begin, end);
        const int64_t place = tni_sparse_place(&m->turns, k, status ? 0 : made.written);
        if (!status && !put_piece(m, &made, place, begin, end)) status = TN_ERROR_VALUE;
        if (status) atomic_store(&m->status, (int)status);
    }
}

tn_status tni_host_run_csr_merge(void *parameters) {
    const tni_csr_merge *call = parameters;
    merging m = {.call = call, .loops = tni_sparse_index(call->is_wide)};
    m.item = tn_dtype_size(call->dtype);
    m.result_item = tn_dtype_size(call->result_dtype);
    m.index_bytes = call->is_wide ? 8 : 4;
    m.moves = tni_sparse_moves(call->is_wide, m.item);
    m.compute = tni_loop_find(call->op, call->dtype);
    m.test = call->result_dtype == TN_B8 ? NULL : tni_cast_find(call->result_dtype, TN_B8);
    if (!m.compute)
        return tni_fail(TN_ERROR_TYPE, "the operation has no loop for sparse matrices of dtype %s",
                        tn_dtype_name(call->dtype));
    tni_sparse_cut(&m.rows, call->a.count > call->b.count ? &call->a : &call->b, call->is_wide,
                   TNI_SPARSE_PIECES);
    call->to.ends[0] = 0;
    tni_sparse_take_turns(&m.turns, m.rows.pieces, merge_pieces, &m);
    return tni_sparse_report((tn_status)atomic_load(&m.status));
}

TNI_HOST_PLAN(csr_merge, call->a.count + call->b.count + call->a.rows)
