/* The driver of systems with few diagonals: the form destroys copies of the matrix and b. */
#include "backend/backend.h"
#include "core/array/array.h"
#include "core/move/astype.h"
#include "forms/spline.h"

static tn_status check(const tn_array *rows, int64_t lower, int64_t upper, const tn_array *b) {
    if (lower < 0 || upper < 0 || rows->ndim != 2 || b->ndim < 1 ||
        tni_shape(rows)[1] != lower + upper + 1 || tni_shape(rows)[0] != tni_shape(b)[0])
        TNI_FAIL(TN_ERROR_VALUE, "the rows of the matrix do not fit its diagonals or b");
    if (tn_dtype_kind(rows->dtype) == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "a matrix of few diagonals must be real");
    return TN_OK;
}

/* The matrix with room for what exchanges of rows bring. */
static tn_status spread(tn_array **result, const tn_array *rows, int64_t lower, int64_t upper,
                        tn_stream *stream) {
    const int64_t shape[2] = {tni_shape(rows)[0], tni_banded_columns(lower, upper)};
    const tn_index given[2] = {
        {.kind = TN_INDEX_SLICE, .step = 1},
        {.kind = TN_INDEX_SLICE, .step = 1, .stop = lower + upper + 1, .has_stop = true}};
    tn_array *made = NULL;
    TNI_TRY(tn_array_new_zeros(&made, TN_F64, 2, shape, TN_ORDER_C, stream));
    return tni_array_deliver(result, made, tn_array_assign_slice(made, 2, given, rows, stream));
}

/* Queues the form on copies. */
static tn_status run(tni_banded *call, const tn_array *matrix, const tn_array *solution,
                     tn_stream *stream) {
    void *addresses[2];
    if (solution->size == 0) return TN_OK;
    TNI_TRY(tni_array_access(&addresses[0], matrix, TNI_WRITE, stream));
    TNI_TRY(tni_array_access(&addresses[1], solution, TNI_WRITE, stream));
    call->matrix = addresses[0];
    call->b = addresses[1];
    call->n = tni_shape(matrix)[0];
    call->width = solution->size / call->n * (solution->dtype == TN_C128 ? 2 : 1);
    return tni_queue_banded(call, stream);
}

tn_status tn_spline_solve_banded(tn_array **result, const tn_array *rows, int64_t lower,
                                 int64_t upper, const tn_array *b, const char *failure,
                                 tn_stream *stream) {
    const tn_array *arrays[2] = {rows, b};
    tni_banded call = {.lower = lower, .upper = upper, .failure = failure};
    tn_array *matrix = NULL, *solution = NULL;
    tn_device device;
    tn_status status;
    for (int k = 0; k < 2; k++)
        TNI_TRY(tni_array_check_numbers(arrays[k]));
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(check(rows, lower, upper, b));
    const tn_dtype dtype = tn_dtype_kind(b->dtype) == TN_KIND_COMPLEX ? TN_C128 : TN_F64;
    TNI_TRY_OWNING(spread(&matrix, rows, lower, upper, stream));
    TNI_TRY_OWNING(tn_array_astype(&solution, b, dtype, TN_ORDER_C, TN_CASTING_UNSAFE,
                                   TN_COPY_ALWAYS, stream));
    status = run(&call, matrix, solution, stream);
cleanup:
    tn_array_release(matrix);
    return tni_array_deliver(result, solution, status);
}
