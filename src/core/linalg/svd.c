/* Singular values and vectors. */
#include "core/linalg/stack.h"

#include <tenorite/linalg.h>

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* --- svd --- */

/* u, s and vh of a copy; u and vh only if vectors are wanted. */
typedef struct parts {
    tn_array *copy, *u, *s, *vh;
} parts;

static void release(parts *p) {
    tn_array_release(p->copy);
    tn_array_release(p->u);
    tn_array_release(p->s);
    tn_array_release(p->vh);
}

static tn_status make_parts(parts *p, const tn_array *a, const tni_stack_shape *stack,
                            tni_svd *call, bool vectors, tn_stream *stream) {
    const int64_t m = call->m, n = call->n, least = smaller(m, n);
    const int64_t columns = call->full ? m : least, rows = call->full ? n : least;
    TNI_TRY(tni_stack_copy(&p->copy, a, stack, call->dtype, stream));
    TNI_TRY(tni_stack_new_vectors(&p->s, stack, tni_linalg_real_dtype(call->dtype), least, stream));
    if (!vectors) return TN_OK;
    if (least == 0) { /* nothing to decompose: any orthogonal matrices do */
        TNI_TRY(tni_stack_new_eye(&p->u, stack, call->dtype, m, columns, stream));
        return tni_stack_new_eye(&p->vh, stack, call->dtype, rows, n, stream);
    }
    TNI_TRY(tni_stack_new(&p->u, stack, call->dtype, m, columns, stream));
    return tni_stack_new(&p->vh, stack, call->dtype, rows, n, stream);
}

static tn_status queue(tni_svd *call, const parts *p, tn_stream *stream) {
    TNI_TRY(tni_stack_open(&call->a, p->copy, stream));
    TNI_TRY(tni_stack_open(&call->s, p->s, stream));
    if (p->u) TNI_TRY(tni_stack_open(&call->u, p->u, stream));
    if (p->vh) TNI_TRY(tni_stack_open(&call->vh, p->vh, stream));
    return tni_linalg_settle(tni_queue_svd(call, stream), stream);
}

tn_status tn_linalg_svd(tn_array **u, tn_array **s, tn_array **vh, const tn_array *a, bool full,
                        tn_stream *stream) {
    tni_svd call = {.full = full, .failure = tni_linalg_failure("SVD did not converge")};
    tni_stack_shape stack;
    parts p = {NULL, NULL, NULL, NULL};
    tn_array *given[2] = {NULL, NULL};
    tn_status status;
    TNI_TRY(tni_linalg_check_matrices(a));
    TNI_TRY(tni_linalg_dtype(&call.dtype, 1, &a));
    TNI_TRY(tni_linalg_stream(&stream, 1, &a));
    tni_stack_shape_of(&stack, a, 2);
    call.count = stack.count;
    call.m = tni_rows(a);
    call.n = tni_columns(a);
    TNI_TRY_OWNING(make_parts(&p, a, &stack, &call, u != NULL, stream));
    if (a->size > 0) TNI_TRY_OWNING(queue(&call, &p, stream));
    if (u) TNI_TRY_OWNING(tni_stack_give(&given[0], p.u, stream));
    if (u) TNI_TRY_OWNING(tni_stack_give(&given[1], p.vh, stream));
    *s = tn_array_retain(p.s);
    if (u) {
        *u = tn_array_retain(given[0]);
        *vh = tn_array_retain(given[1]);
    }
cleanup:
    release(&p);
    tn_array_release(given[0]);
    tn_array_release(given[1]);
    return status;
}
