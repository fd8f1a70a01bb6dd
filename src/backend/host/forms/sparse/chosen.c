/* Chosen rows of a sparse matrix, copied; those that follow each other in one go. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

typedef struct choosing {
    const tni_csr_rows *call;
    const tni_sparse_index_loops *loops;
    int64_t index_bytes;
    atomic_bool is_bad;
} choosing;

/* Where row r of the result lies in a, or false. */
static bool find_row(const choosing *c, int64_t r, int64_t *from, int64_t *n) {
    const tni_csr_rows *call = c->call;
    const int64_t row = call->chosen ? call->chosen[r] : call->first + r * call->step;
    if (row < 0 || row >= call->a.rows) return false;
    *from = c->loops->at(call->a.starts, row);
    *n = c->loops->at(call->a.starts, row + 1) - *from;
    return *from >= 0 && *n >= 0 && *from <= call->a.count && *n <= call->a.count - *from;
}

static bool copy(const choosing *c, int64_t to, int64_t from, int64_t n) {
    const tni_csr_rows *call = c->call;
    if (to < 0 || n > call->to.count - to) return false;
    memcpy((char *)call->to.indices + to * c->index_bytes,
           (const char *)call->a.indices + from * c->index_bytes, (size_t)(n * c->index_bytes));
    memcpy((char *)call->to.values + to * call->item,
           (const char *)call->a.values + from * call->item, (size_t)(n * call->item));
    return true;
}

static void copy_rows(void *context, int64_t begin, int64_t end) {
    choosing *c = context;
    const int64_t *starts = c->call->to.starts;
    int64_t to = starts[begin], from = 0, pending = 0, place, n;
    for (int64_t r = begin; r < end; r++) {
        if (!find_row(c, r, &place, &n) || n != starts[r + 1] - starts[r]) {
            atomic_store(&c->is_bad, true);
            return;
        }
        if (place != from + pending) {
            if (pending && !copy(c, to, from, pending)) atomic_store(&c->is_bad, true);
            to += pending;
            from = place;
            pending = 0;
        }
        pending += n;
    }
    if (pending && !copy(c, to, from, pending)) atomic_store(&c->is_bad, true);
}

static void count_rows(void *context, int64_t begin, int64_t end) {
    choosing *c = context;
    int64_t place, n;
    for (int64_t r = begin; r < end; r++) {
        if (!find_row(c, r, &place, &n)) {
            atomic_store(&c->is_bad, true);
            n = 0;
        }
        c->call->to.ends[r + 1] = n;
    }
}

tn_status tni_host_run_csr_rows(void *parameters) {
    const tni_csr_rows *call = parameters;
    choosing c = {call, tni_sparse_index(call->is_wide), call->is_wide ? 8 : 4, false};
    const bool counts = !call->to.starts;
    const int64_t grain = 1 + (call->rows << 12) / (call->to.count + call->rows + 1);
    if (counts)
        tni_parallel(call->rows, 1 << 12, count_rows, &c);
    else if (call->rows)
        tni_parallel(call->rows, grain, copy_rows, &c);
    if (atomic_load(&c.is_bad)) return tni_sparse_fail();
    if (counts) tni_sparse_add_up(call->to.ends, call->rows);
    return TN_OK;
}

TNI_HOST_PLAN(csr_rows, call->to.count + call->rows)
