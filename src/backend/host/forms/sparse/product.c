/* Products of sparse matrices, row by row. A thread looks up in a table where the row has a column:
 * in a small one by hash, or for rows of many products in one of all columns. To count the columns
 * of a row a bit of each is enough, where the bits stay in the caches. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { SLOT_TABLE = 1, SLOT_COPY = 3, PIECES = 64, MOST_BITS = 1 << 20 };

typedef struct multiplying {
    const tni_csr_product *call;
    const tni_sparse_index_loops *loops;
    const tni_sparse_value_loops *values;
    uint64_t number; /* of the call */
    bool has_bits;   /* columns are counted by bits */
    tni_sparse_rows rows;
    atomic_int status;
} multiplying;

/* The thread's table of all columns. Its pieces have different rows, so it is cleared once. */
static void *take_table(multiplying *m, int64_t bytes, int cleared_byte) {
    static _Thread_local uint64_t cleared;
    void *table = tni_scratch(SLOT_TABLE, (size_t)bytes + 64);
    if (!table) atomic_store(&m->status, TN_ERROR_MEMORY);
    if (table && cleared != m->number) {
        memset(table, cleared_byte, (size_t)bytes);
        cleared = m->number;
    }
    return table;
}

static void count_rows(multiplying *m, const tni_csr_product *call, int64_t begin, int64_t end) {
    uint64_t *bits = take_table(m, call->b.columns / 64 * 8 + 8, 0);
    if (bits) m->loops->count_by_bits(call, begin, end, bits, call->to.ends + 1);
}

static void multiply_rows(void *context, const tni_csr *a, int64_t begin, int64_t end) {
    multiplying *m = context;
    tni_csr_product call = *m->call;
    void *table = NULL;
    call.a = *a;
    if (m->has_bits) {
        count_rows(m, &call, begin, end);
        return;
    }
    if (m->loops->most_products(&call, begin, end) > TNI_SPARSE_SLOTS / 4) {
        table = take_table(m, call.b.columns * m->loops->slot, 0xff);
        if (!table) return;
    }
    if (call.to.starts)
        m->values->product(&call, begin, end, table);
    else
        m->loops->count_product(&call, begin, end, table, call.to.ends + 1);
}

/* Whether bits for all columns stay in the caches, and are soon cleared. */
static bool has_bits(const tni_csr_product *call) {
    return !call->to.starts && call->b.columns <= MOST_BITS &&
           call->b.columns <= 64 * call->a.count;
}

static void multiply_pieces(void *context, int64_t begin, int64_t end) {
    multiplying *m = context;
    for (int64_t k = begin; k < end; k++) {
        const tn_status status =
            tni_sparse_walk(&m->rows, m->rows.cuts[k], m->rows.cuts[k + 1], multiply_rows, m);
        if (status) atomic_store(&m->status, (int)status);
    }
}

tn_status tni_host_run_csr_product(void *parameters) {
    const tni_csr_product *call = parameters;
    tni_csr_product own = *call;
    static _Atomic uint64_t calls;
    multiplying m = {.call = &own,
                     .loops = tni_sparse_index(call->is_wide),
                     .number = 1 + atomic_fetch_add(&calls, 1),
                     .has_bits = has_bits(call)};
    atomic_init(&m.status, TN_OK);
    TNI_TRY(tni_sparse_values(&m.values, call->dtype, call->is_wide));
    TNI_TRY(tni_sparse_copy(&own.b, &call->b, call->is_wide, SLOT_COPY));
    tni_sparse_cut(&m.rows, &call->a, call->is_wide, PIECES);
    tni_parallel(m.rows.pieces, 1, multiply_pieces, &m);
    TNI_TRY(tni_sparse_report((tn_status)atomic_load(&m.status)));
    if (!call->to.starts) tni_sparse_add_up(call->to.ends, call->a.rows);
    return TN_OK;
}

TNI_HOST_PLAN(csr_product, call->a.count + call->b.count + call->a.rows)
