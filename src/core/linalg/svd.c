/* Singular values and vectors, and least squares by them. */
#include "core/linalg/stack.h"

#include <tenorite/create.h>
#include <tenorite/elementwise.h>
#include <tenorite/linalg.h>
#include <tenorite/reduce.h>

#include <float.h>

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
    *s = tn_array_retain(p.s);
    if (u) {
        *u = tn_array_retain(p.u);
        *vh = tn_array_retain(p.vh);
    }
cleanup:
    release(&p);
    return status;
}

/* --- lstsq --- */

static tn_status take_rows(tn_array **result, const tn_array *b, int64_t first, int64_t end) {
    const tn_index items[2] = {{.kind = TN_INDEX_SLICE,
                                .start = first,
                                .stop = end,
                                .step = 1,
                                .has_start = true,
                                .has_stop = true},
                               {.kind = TN_INDEX_SLICE, .step = 1}};
    return tn_array_slice(result, b, 2, items);
}

/* A stack of one: max(m, n) rows, the first those of b, the others zero. */
static tn_status widen(tn_array **result, const tn_array *b, int64_t rows, tn_dtype dtype,
                       tn_stream *stream) {
    const int64_t shape[2] = {rows, tni_columns(b)};
    tn_array *made = NULL, *top = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_array_new_zeros(&made, dtype, 2, shape, TN_ORDER_F, stream));
    TNI_TRY_OWNING(take_rows(&top, made, 0, tni_rows(b)));
    TNI_TRY_OWNING(tn_array_assign(top, b, TN_CASTING_UNSAFE, stream));
    *result = tn_array_retain(made);
cleanup:
    tn_array_release(top);
    tn_array_release(made);
    return status;
}

/* The sums of squares of rows from n on. */
static tn_status sum_squares(tn_array **result, const tn_array *b, int64_t n, tn_stream *stream) {
    static const int first = 0;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    tn_array *rest = NULL, *norms = NULL;
    tn_status status;
    options.axis_count = 1;
    options.axes = &first;
    TNI_TRY_OWNING(take_rows(&rest, b, n, tni_rows(b) > n ? tni_rows(b) : n));
    TNI_TRY_OWNING(tn_vector_norm(&norms, rest, 2, &options, stream));
    *result = NULL;
    status = tn_unary(result, TN_OP_SQUARE, norms, stream);
cleanup:
    tn_array_release(rest);
    tn_array_release(norms);
    return status;
}

static tn_status check_sides(const tn_array *a, const tn_array *b) {
    const tn_array *both[2] = {a, b};
    for (int k = 0; k < 2; k++)
        if (both[k]->ndim != 2)
            TNI_FAIL(TN_ERROR_LINALG, "%d-dimensional array given. Array must be two-dimensional",
                     both[k]->ndim);
    if (tni_rows(a) != tni_rows(b)) TNI_FAIL(TN_ERROR_LINALG, "Incompatible dimensions");
    return TN_OK;
}

static double default_rcond(const tni_lstsq *call) {
    bool is_wide = tni_linalg_real_dtype(call->dtype) == TN_F64;
    return (is_wide ? DBL_EPSILON : (double)FLT_EPSILON) *
           (double)(call->m > call->n ? call->m : call->n);
}

static tn_status queue_lstsq(tni_lstsq *call, const tn_array *a, const tn_array *b,
                             const tn_array *s, const tn_array *rank, tn_stream *stream) {
    if (a->size == 0 || call->columns == 0)
        return tn_array_fill((tn_array *)(uintptr_t)rank, tn_scalar_weak_int(0), stream);
    TNI_TRY(tni_stack_open(&call->a, a, stream));
    TNI_TRY(tni_stack_open(&call->b, b, stream));
    TNI_TRY(tni_stack_open(&call->s, s, stream));
    TNI_TRY(tni_stack_open(&call->rank, rank, stream));
    return tni_linalg_settle(tni_queue_lstsq(call, stream), stream);
}

tn_status tn_linalg_lstsq(tn_array **x, tn_array **squares, tn_array **rank, tn_array **s,
                          const tn_array *a, const tn_array *b, double rcond, tn_stream *stream) {
    const tn_array *both[2] = {a, b};
    tni_lstsq call = {
        .count = 1, .failure = tni_linalg_failure("SVD did not converge in Linear Least Squares")};
    tni_stack_shape stack = {.ndim = 0, .count = 1};
    tn_array *copy = NULL, *sides = NULL, *values = NULL, *ranks = NULL, *residuals = NULL;
    tn_status status;
    TNI_TRY(check_sides(a, b));
    TNI_TRY(tni_linalg_dtype(&call.dtype, 2, both));
    TNI_TRY(tni_linalg_stream(&stream, 2, both));
    call.m = tni_rows(a);
    call.n = tni_columns(a);
    call.columns = tni_columns(b);
    call.rcond = rcond < 0 ? default_rcond(&call) : rcond;
    TNI_TRY_OWNING(tni_stack_copy(&copy, a, &stack, call.dtype, stream));
    TNI_TRY_OWNING(widen(&sides, b, call.m > call.n ? call.m : call.n, call.dtype, stream));
    TNI_TRY_OWNING(tni_stack_new_vectors(&values, &stack, tni_linalg_real_dtype(call.dtype),
                                         smaller(call.m, call.n), stream));
    TNI_TRY_OWNING(tn_array_new(&ranks, TN_I32, 0, NULL, TN_ORDER_C, stream));
    TNI_TRY_OWNING(queue_lstsq(&call, copy, sides, values, ranks, stream));
    TNI_TRY_OWNING(sum_squares(&residuals, sides, call.n, stream));
    TNI_TRY_OWNING(take_rows(x, sides, 0, call.n));
    *squares = tn_array_retain(residuals);
    *rank = tn_array_retain(ranks);
    *s = tn_array_retain(values);
cleanup:
    tn_array_release(copy);
    tn_array_release(sides);
    tn_array_release(values);
    tn_array_release(ranks);
    tn_array_release(residuals);
    return status;
}
