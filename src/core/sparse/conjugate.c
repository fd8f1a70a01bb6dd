/* Conjugate gradients on sparse matrices. */
#include "core/sparse/csr.h"

/* A vector that the steps read or write, as the forms take it. */
static tn_status open_vector(void *address, const char *name, const tn_array *vector,
                             tn_dtype dtype, int64_t size, tni_access access, tn_stream *stream) {
    const int needed = TNI_C_CONTIGUOUS | TNI_ALIGNED | (access == TNI_READ ? 0 : TNI_WRITEABLE);
    if (vector->ndim != 1 || vector->size != size)
        TNI_FAIL(TN_ERROR_VALUE, "conjugate gradients: %s must be a vector of %lld elements", name,
                 (long long)size);
    if (vector->dtype != dtype)
        TNI_FAIL(TN_ERROR_TYPE, "conjugate gradients: %s must have dtype %s, not %s", name,
                 tn_dtype_name(dtype), tn_dtype_name(vector->dtype));
    if ((vector->flags & needed) != needed)
        TNI_FAIL(TN_ERROR_VALUE, "conjugate gradients: %s must be packed, aligned%s", name,
                 access == TNI_READ ? "" : " and writeable");
    return tni_csr_open(address, vector, access, stream);
}

tn_status tn_csr_conjugate(const tn_csr *a, const tn_array *inverse, tn_array *x, tn_array *r,
                           tn_array *p, tn_array *numbers, double limit, int64_t steps,
                           tn_stream *stream) {
    tni_csr_held held = {{0}, NULL, NULL, NULL};
    tn_array *q = NULL;
    tni_csr_conjugate call = {.dtype = a->data->dtype, .steps = steps, .limit = limit};
    const int64_t n = a->rows;
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 1, &a, x));
    if (a->columns != n)
        TNI_FAIL(TN_ERROR_VALUE, "conjugate gradients: the matrix has shape (%lld,%lld)",
                 (long long)n, (long long)a->columns);
    if (call.dtype != TN_F32 && call.dtype != TN_F64)
        TNI_FAIL(TN_ERROR_TYPE, "conjugate gradients of dtype %s", tn_dtype_name(call.dtype));
    TNI_TRY_OWNING(tni_csr_hold(&held, a, TN_DTYPE_NONE, call.is_wide, stream));
    call.a = held.csr;
    TNI_TRY_OWNING(open_vector(&call.x, "x", x, call.dtype, n, TNI_READ_WRITE, stream));
    TNI_TRY_OWNING(open_vector(&call.r, "r", r, call.dtype, n, TNI_READ_WRITE, stream));
    TNI_TRY_OWNING(open_vector(&call.p, "p", p, call.dtype, n, TNI_READ_WRITE, stream));
    TNI_TRY_OWNING(open_vector(&call.numbers, "numbers", numbers, TN_F64, TNI_CONJUGATE_NUMBERS,
                               TNI_READ_WRITE, stream));
    if (inverse)
        TNI_TRY_OWNING(
            open_vector(&call.inverse, "inverse", inverse, call.dtype, n, TNI_READ, stream));
    TNI_TRY_OWNING(tni_csr_new(&q, &call.q, call.dtype, n, stream));
    status = n && steps > 0 ? tni_queue_csr_conjugate(&call, stream) : TN_OK;
cleanup:
    tn_array_release(q);
    tni_csr_release(&held);
    return status;
}
