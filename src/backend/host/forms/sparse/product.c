/* Products of sparse matrices, row by row: a thread adds up a row in a table of all columns, and
 * links the columns that the row touches. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { SLOT_LINKS = 1, SLOT_SUMS = 2, SLOT_COPY = 3, PIECES = 64 };

typedef struct multiplying {
    const tni_csr_product *call;
    const tni_sparse_index_loops *loops;
    const tni_sparse_value_loops *values;
    tni_sparse_rows rows;
    atomic_int status;
} multiplying;

/* The tables of one thread. */
typedef struct tables {
    const multiplying *by;
    int64_t *links;
    void *sums;
} tables;

static void multiply_rows(void *context, const tni_csr *a, int64_t begin, int64_t end) {
    const tables *t = context;
    tni_csr_product call = *t->by->call;
    call.a = *a;
    if (call.to.starts)
        t->by->values->product(&call, begin, end, t->sums, t->links);
    else
        t->by->loops->count_product(&call, begin, end, t->links, call.to.ends + 1);
}

static void multiply_pieces(void *context, int64_t begin, int64_t end) {
    multiplying *m = context;
    const size_t columns = (size_t)m->call->b.columns;
    const size_t item = (size_t)tn_dtype_size(m->call->dtype);
    tables t = {m, tni_scratch(SLOT_LINKS, columns * sizeof(int64_t) + 64), NULL};
    if (m->call->to.starts) t.sums = tni_scratch(SLOT_SUMS, columns * item + 64);
    if (!t.links || (m->call->to.starts && !t.sums)) {
        atomic_store(&m->status, TN_ERROR_MEMORY);
        return;
    }
    memset(t.links, 0xff, columns * sizeof(int64_t)); /* -1: no row, and no link */
    if (t.sums) memset(t.sums, 0, columns * item);
    for (int64_t k = begin; k < end; k++) {
        const tn_status status =
            tni_sparse_walk(&m->rows, m->rows.cuts[k], m->rows.cuts[k + 1], multiply_rows, &t);
        if (status) atomic_store(&m->status, (int)status);
    }
}

tn_status tni_host_run_csr_product(void *parameters) {
    const tni_csr_product *call = parameters;
    tni_csr_product own = *call;
    multiplying m = {.call = &own, .loops = tni_sparse_index(call->is_wide)};
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
