/* Sparse matrices beside dense arrays, and what is to be said of their structure. */
#include "core/memory/buffer.h"
#include "core/sparse/csr.h"

static tn_status check_product(const tn_csr *a, bool is_transposed, const tn_array *dense) {
    const int64_t inner = is_transposed ? a->rows : a->columns;
    const int64_t outer = is_transposed ? a->columns : a->rows;
    if (dense->ndim != 1 && dense->ndim != 2)
        TNI_FAIL(TN_ERROR_VALUE, "a sparse matrix times an array of %d dimensions", dense->ndim);
    if (tni_shape(dense)[0] != inner)
        TNI_FAIL(TN_ERROR_VALUE,
                 "dimension mismatch: a sparse matrix of shape (%lld,%lld) times an array whose "
                 "first axis has %lld elements",
                 (long long)outer, (long long)inner, (long long)tni_shape(dense)[0]);
    if (dense->dtype == TN_F16 || dense->dtype == TN_BF16)
        TNI_FAIL(TN_ERROR_TYPE, "a sparse matrix times an array of dtype %s",
                 tn_dtype_name(dense->dtype));
    return TN_OK;
}

/* The dense operand so that the elements of a row lie beside each other. */
static tn_status pack_dense(tn_array **packed, tni_csr_multiply *call, const tn_array *dense,
                            tn_stream *stream) {
    const int64_t item = tn_dtype_size(call->dtype);
    const bool is_aligned = (dense->flags & TNI_ALIGNED) != 0;
    const int64_t *strides = tni_strides(dense);
    call->width = dense->ndim == 2 ? tni_shape(dense)[1] : 1;
    const bool is_near = call->width == 1 || strides[dense->ndim - 1] == item;
    if (dense->dtype == call->dtype && is_aligned && is_near && strides[0] % item == 0)
        *packed = tn_array_retain((tn_array *)(uintptr_t)dense);
    else
        TNI_TRY(tn_array_astype(packed, dense, call->dtype, TN_ORDER_C, TN_CASTING_UNSAFE,
                                TN_COPY_ALWAYS, stream));
    call->dense_row = tni_strides(*packed)[0] / item;
    call->dense_column = 1;
    return tni_csr_open(&call->dense, *packed, TNI_READ, stream);
}

tn_status tn_csr_multiply(tn_array **result, const tn_csr *a, bool is_transposed,
                          const tn_array *dense, tn_stream *stream) {
    tni_csr_held held = {{0}, NULL, NULL, NULL};
    tn_array *packed = NULL, *made = NULL;
    tni_csr_multiply call;
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 1, &a, dense));
    if (dense) TNI_TRY(check_product(a, is_transposed, dense));
    call.dtype = dense ? tn_dtype_promote(a->data->dtype, dense->dtype) : a->data->dtype;
    call.is_transposed = is_transposed;
    TNI_TRY_OWNING(tni_csr_hold(&held, a, call.dtype, call.is_wide, stream));
    call.a = held.csr;
    call.dense = NULL;
    call.width = call.dense_row = call.dense_column = 1;
    static const int64_t none = 0;
    if (dense) TNI_TRY_OWNING(pack_dense(&packed, &call, dense, stream));
    if (dense && !call.dense) call.dense = &none; /* of no elements */
    const int64_t shape[2] = {is_transposed ? a->columns : a->rows, call.width};
    TNI_TRY_OWNING(
        tn_array_new(&made, call.dtype, dense ? dense->ndim : 1, shape, TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_csr_open(&call.output, made, TNI_WRITE, stream));
    if (made->size) TNI_TRY_OWNING(tni_queue_csr_multiply(&call, stream));
    *result = made;
    made = NULL;
    status = TN_OK;
cleanup:
    tn_array_release(made);
    tn_array_release(packed);
    tni_csr_release(&held);
    return status;
}

tn_status tn_csr_scatter(tn_array *to, const tn_csr *a, tn_stream *stream) {
    tni_csr_held held = {{0}, NULL, NULL, NULL};
    tni_csr_scatter call;
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 1, &a, to));
    if (to->ndim != 2 || tni_shape(to)[0] != a->rows || tni_shape(to)[1] != a->columns)
        TNI_FAIL(TN_ERROR_VALUE, "the output must have the shape of the sparse matrix, (%lld,%lld)",
                 (long long)a->rows, (long long)a->columns);
    if (!(to->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (to->dtype != a->data->dtype)
        TNI_FAIL(TN_ERROR_TYPE, "the output has dtype %s and the sparse matrix %s",
                 tn_dtype_name(to->dtype), tn_dtype_name(a->data->dtype));
    const int64_t item = tn_dtype_size(to->dtype), *strides = tni_strides(to);
    if (!(to->flags & TNI_ALIGNED) || strides[0] % item || strides[1] % item)
        TNI_FAIL(TN_ERROR_VALUE, "the output is not aligned");
    if (to->size == 0) return TN_OK;
    call.dtype = to->dtype;
    call.to_row = strides[0] / item;
    call.to_column = strides[1] / item;
    TNI_TRY_OWNING(tni_csr_hold(&held, a, TN_DTYPE_NONE, call.is_wide, stream));
    call.a = held.csr;
    TNI_TRY_OWNING(tni_csr_open(&call.to, to, TNI_READ_WRITE, stream));
    status = tni_queue_csr_scatter(&call, stream);
cleanup:
    tni_csr_release(&held);
    return status;
}

tn_status tn_csr_inspect(int *findings, const tn_csr *a, tn_stream *stream) {
    tni_csr_held held = {{0}, NULL, NULL, NULL};
    tn_array *found = NULL;
    tni_csr_inspect call;
    int64_t flags = 0;
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 1, &a, NULL));
    TNI_TRY_OWNING(tni_csr_hold(&held, a, TN_DTYPE_NONE, call.is_wide, stream));
    call.a = held.csr;
    TNI_TRY_OWNING(tni_csr_new(&found, &call.flags, TN_I64, 1, stream));
    TNI_TRY_OWNING(tni_queue_csr_inspect(&call, stream));
    TNI_TRY_OWNING(tn_buffer_read(&flags, found->buffer, 0, sizeof flags, stream));
    TNI_TRY_OWNING(tn_stream_synchronize(stream, -1));
    *findings = (int)flags;
cleanup:
    tn_array_release(found);
    tni_csr_release(&held);
    return status;
}
