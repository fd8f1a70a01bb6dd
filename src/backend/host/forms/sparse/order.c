/* The order of elements within rows: looked at, made, and equal neighbours united. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>

enum { SLOT_ROOM = 1, ROOM = 32 };

typedef struct looking {
    const tni_csr_inspect *call;
    const tni_sparse_index_loops *loops;
    _Atomic int64_t flags;
} looking;

static void look(void *context, const tni_csr *a, int64_t begin, int64_t end) {
    looking *l = context;
    const int64_t found = l->loops->order(a, begin, end);
    if (found) atomic_fetch_or(&l->flags, found);
}

tn_status tni_host_run_csr_inspect(void *parameters) {
    const tni_csr_inspect *call = parameters;
    looking l = {call, tni_sparse_index(call->is_wide), 0};
    const tn_status status = tni_sparse_visit_all(&call->a, call->is_wide, look, &l);
    if (status == TN_ERROR_MEMORY) return tni_sparse_report(status);
    *call->flags = status ? TNI_CSR_BAD : atomic_load(&l.flags);
    return TN_OK;
}

TNI_HOST_PLAN(csr_inspect, call->a.count + call->a.rows)

typedef struct sorting {
    const tni_csr_sort *call;
    const tni_sparse_index_loops *loops;
    const tni_sparse_move_loops *moves;
    atomic_bool lacks_memory;
} sorting;

static void sort_rows(void *context, const tni_csr *a, int64_t begin, int64_t end) {
    sorting *s = context;
    tni_csr_sort call = *s->call;
    call.a = *a;
    const int64_t n = s->loops->at(a->starts, end) - s->loops->at(a->starts, begin);
    void *room = tni_scratch(SLOT_ROOM, (size_t)n * ROOM + 64);
    if (room)
        s->moves->sort(&call, begin, end, room);
    else
        atomic_store(&s->lacks_memory, true);
}

tn_status tni_host_run_csr_sort(void *parameters) {
    const tni_csr_sort *call = parameters;
    sorting s = {call, tni_sparse_index(call->is_wide), tni_sparse_moves(call->is_wide, call->item),
                 false};
    TNI_TRY(tni_sparse_each(&call->a, call->is_wide, sort_rows, &s));
    return atomic_load(&s.lacks_memory) ? tni_fail_no_memory(call->a.count * ROOM) : TN_OK;
}

TNI_HOST_PLAN(csr_sort, call->a.count + call->a.rows)

typedef struct uniting {
    const tni_csr_unite *call;
    const tni_sparse_index_loops *loops;
    const tni_sparse_value_loops *values;
} uniting;

static void unite_rows(void *context, const tni_csr *a, int64_t begin, int64_t end) {
    const uniting *u = context;
    tni_csr_unite call = *u->call;
    call.a = *a;
    if (call.to.starts)
        u->values->unite(&call, begin, end);
    else
        u->loops->count_united(a, begin, end, call.to.ends + 1);
}

tn_status tni_host_run_csr_unite(void *parameters) {
    const tni_csr_unite *call = parameters;
    uniting u = {call, tni_sparse_index(call->is_wide), NULL};
    TNI_TRY(tni_sparse_values(&u.values, call->dtype, call->is_wide));
    TNI_TRY(tni_sparse_each(&call->a, call->is_wide, unite_rows, &u));
    if (!call->to.starts) tni_sparse_add_up(call->to.ends, call->a.rows);
    return TN_OK;
}

TNI_HOST_PLAN(csr_unite, call->a.count + call->a.rows)
