/* Products of sparse matrices, row by row: a thread adds up a row in a table of all columns, whose
 * entries say which row they are of, and lists the columns that the row touches. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { SLOT_TABLE = 1, SLOT_COPY = 3, PIECES = 64 };

typedef struct multiplying {
    const tni_csr_product *call;
    const tni_sparse_index_loops *loops;
    const tni_sparse_value_loops *values;
    uint64_t number; /* of the call */
    tni_sparse_rows rows;
    atomic_int status;
} multiplying;

typedef struct piece {
    const multiplying *by;
    void *table; /* of the thread */
} piece;

static void multiply_rows(void *context, const tni_csr *a, int64_t begin, int64_t end) {
    const piece *p = context;
    tni_csr_product call = *p->by->call;
    call.a = *a;
    if (call.to.starts)
        p->by->values->product(&call, begin, end, p->table);
    else
        p->by->loops->count_product(&call, begin, end, p->table, call.to.ends + 1);
}

/* The table of the thread. Its pieces have different rows, so it is cleared for the first alone. */
static void *take_table(const multiplying *m) {
    static _Thread_local uint64_t cleared;
    const int64_t columns = m->call->b.columns;
    const bool counts = !m->call->to.starts;
    const int64_t entry = counts ? m->rows.index_bytes : m->values->entry;
    void *table = tni_scratch(SLOT_TABLE, (size_t)(columns * entry) + 64);
    if (!table || cleared == m->number) return table;
    if (counts)
        memset(table, 0xff, (size_t)(columns * entry)); /* -1: no row */
    else
        m->values->clear(table, columns);
    cleared = m->number;
    return table;
}

static void multiply_pieces(void *context, int64_t begin, int64_t end) {
    multiplying *m = context;
    piece p = {m, take_table(m)};
    if (!p.table) {
        atomic_store(&m->status, TN_ERROR_MEMORY);
        return;
    }
    for (int64_t k = begin; k < end; k++) {
        const tn_status status =
            tni_sparse_walk(&m->rows, m->rows.cuts[k], m->rows.cuts[k + 1], multiply_rows, &p);
        if (status) atomic_store(&m->status, (int)status);
    }
}

tn_status tni_host_run_csr_product(void *parameters) {
    const tni_csr_product *call = parameters;
    tni_csr_product own = *call;
    static _Atomic uint64_t calls;
    multiplying m = {.call = &own,
                     .loops = tni_sparse_index(call->is_wide),
                     .number = 1 + atomic_fetch_add(&calls, 1)};
    atomic_init(&m.status, TN_OK);
    TNI_TRY(tni_sparse_values(&m.values, call->dtype, call->is_wide));
    TNI_TRY(tni_sparse_copy(&own.b, &call->b, call->is_wide, SLOT_COPY));
    tni_sparse_cut(&m.rows, &call->a, call->is_wide, PIECES);
    tni_parallel(m.rows.pieces, 1, multiply_pieces, &m);
    TNI_TRY(tni_sparse_told((tn_status)atomic_load(&m.status)));
    if (!call->to.starts) tni_sparse_add_up(call->to.ends, call->a.rows);
    return TN_OK;
}

tni_host_plan tni_host_plan_csr_product(const tni_csr_product *call) {
    return (tni_host_plan){tni_host_run_csr_product, call, sizeof *call,
                           .elements = call->a.count + call->b.count + call->a.rows};
}
