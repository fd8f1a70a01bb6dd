/* Eigenvalues and eigenvectors of stacks of square matrices. */
#include "core/linalg/stack.h"

#include <tenorite/linalg.h>

static const char failed[] = "Eigenvalues did not converge";

tn_status tn_linalg_eigh(tn_array **w, tn_array **v, const tn_array *a, bool upper,
                         tn_stream *stream) {
    tni_eigh call = {.upper = upper, .vectors = v != NULL, .failure = tni_linalg_failure(failed)};
    tni_stack_shape stack;
    tn_array *copy = NULL, *values = NULL;
    tn_status status;
    TNI_TRY(tni_linalg_check_square(a));
    TNI_TRY(tni_linalg_dtype(&call.dtype, 1, &a));
    TNI_TRY(tni_linalg_stream(&stream, 1, &a));
    tni_stack_shape_of(&stack, a, 2);
    call.count = stack.count;
    call.n = tni_rows(a);
    TNI_TRY_OWNING(tni_stack_copy(&copy, a, &stack, call.dtype, stream));
    TNI_TRY_OWNING(
        tni_stack_new_vectors(&values, &stack, tni_linalg_real_dtype(call.dtype), call.n, stream));
    if (a->size > 0) {
        TNI_TRY_OWNING(tni_stack_open(&call.a, copy, stream));
        TNI_TRY_OWNING(tni_stack_open(&call.w, values, stream));
        TNI_TRY_OWNING(tni_linalg_settle(tni_queue_eigh(&call, stream), stream));
    }
    if (v) TNI_TRY_OWNING(tni_stack_give(v, copy, stream));
    *w = tn_array_retain(values);
cleanup:
    tn_array_release(copy);
    tn_array_release(values);
    return status;
}

tn_status tn_linalg_eig(tn_array **w, tn_array **v, const tn_array *a, tn_stream *stream) {
    tni_eig call = {.failure = tni_linalg_failure(failed)};
    tni_stack_shape stack;
    tn_array *copy = NULL, *values = NULL, *vectors = NULL;
    tn_status status;
    TNI_TRY(tni_linalg_check_square(a));
    TNI_TRY(tni_linalg_dtype(&call.dtype, 1, &a));
    TNI_TRY(tni_linalg_stream(&stream, 1, &a));
    const tn_dtype dtype = tni_linalg_complex_dtype(call.dtype);
    tni_stack_shape_of(&stack, a, 2);
    call.count = stack.count;
    call.n = tni_rows(a);
    TNI_TRY_OWNING(tni_stack_copy(&copy, a, &stack, call.dtype, stream));
    TNI_TRY_OWNING(tni_stack_new_vectors(&values, &stack, dtype, call.n, stream));
    if (v) TNI_TRY_OWNING(tni_stack_new(&vectors, &stack, dtype, call.n, call.n, stream));
    if (a->size > 0) {
        TNI_TRY_OWNING(tni_stack_open(&call.a, copy, stream));
        TNI_TRY_OWNING(tni_stack_open(&call.w, values, stream));
        if (v) TNI_TRY_OWNING(tni_stack_open(&call.v, vectors, stream));
        TNI_TRY_OWNING(tni_linalg_settle(tni_queue_eig(&call, stream), stream));
    }
    if (v) TNI_TRY_OWNING(tni_stack_give(v, vectors, stream));
    *w = tn_array_retain(values);
cleanup:
    tn_array_release(copy);
    tn_array_release(values);
    tn_array_release(vectors);
    return status;
}
