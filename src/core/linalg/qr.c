/* QR: R and, where it is wanted, Q of stacks of matrices. */
#include "core/linalg/stack.h"

#include <tenorite/linalg.h>

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The factored copy, its factors and, with columns > 0, Q; each new. */
static tn_status factor(tn_array *made[3], const tn_array *a, int64_t columns, tn_dtype dtype,
                        tn_stream *stream) {
    tni_qr call = {.dtype = dtype, .m = tni_rows(a), .n = tni_columns(a), .columns = columns};
    tni_stack_shape stack;
    tni_stack_shape_of(&stack, a, 2);
    call.count = stack.count;
    TNI_TRY(tni_stack_copy(&made[0], a, &stack, dtype, stream));
    TNI_TRY(tni_stack_new_vectors(&made[1], &stack, dtype, smaller(call.m, call.n), stream));
    if (columns >= 0 && a->size == 0)
        return tni_stack_new_eye(&made[2], &stack, dtype, call.m, columns, stream);
    if (columns >= 0) TNI_TRY(tni_stack_new(&made[2], &stack, dtype, call.m, columns, stream));
    if (a->size == 0) return TN_OK;
    TNI_TRY(tni_stack_open(&call.a, made[0], stream));
    TNI_TRY(tni_stack_open(&call.tau, made[1], stream));
    if (columns >= 0) TNI_TRY(tni_stack_open(&call.q, made[2], stream));
    return tni_queue_qr(&call, stream);
}

static void release(tn_array *made[3]) {
    for (int k = 0; k < 3; k++)
        tn_array_release(made[k]);
}

tn_status tn_linalg_qr(tn_array **q, tn_array **r, const tn_array *a, bool complete,
                       tn_stream *stream) {
    tn_array *made[3] = {NULL, NULL, NULL}, *given = NULL;
    tn_dtype dtype;
    tn_status status;
    TNI_TRY(tni_linalg_check_matrices(a));
    TNI_TRY(tni_linalg_dtype(&dtype, 1, &a));
    TNI_TRY(tni_linalg_stream(&stream, 1, &a));
    int64_t rows = smaller(tni_rows(a), tni_columns(a));
    if (q && complete) rows = tni_rows(a);
    TNI_TRY_OWNING(factor(made, a, q ? rows : -1, dtype, stream));
    if (q) TNI_TRY_OWNING(tni_stack_give(&given, made[2], stream));
    TNI_TRY_OWNING(tni_stack_take_triangle(r, made[0], rows, tni_columns(a), true, stream));
    if (q) *q = tn_array_retain(given);
cleanup:
    release(made);
    tn_array_release(given);
    return status;
}

tn_status tn_linalg_qr_raw(tn_array **h, tn_array **tau, const tn_array *a, tn_stream *stream) {
    tn_array *made[3] = {NULL, NULL, NULL}, *given = NULL;
    tn_dtype dtype;
    tn_status status;
    TNI_TRY(tni_linalg_check_matrices(a));
    TNI_TRY(tni_linalg_dtype(&dtype, 1, &a));
    TNI_TRY(tni_linalg_stream(&stream, 1, &a));
    TNI_TRY_OWNING(factor(made, a, -1, dtype, stream));
    TNI_TRY_OWNING(tni_stack_give(&given, made[0], stream));
    int axes[TN_MAX_NDIM];
    for (int k = 0; k < a->ndim; k++)
        axes[k] = k;
    axes[a->ndim - 2] = a->ndim - 1;
    axes[a->ndim - 1] = a->ndim - 2;
    TNI_TRY_OWNING(tn_array_transpose(h, given, a->ndim, axes));
    *tau = tn_array_retain(made[1]);
cleanup:
    release(made);
    tn_array_release(given);
    return status;
}
