/* The arrays of sparse matrices, for the forms. */
#include "core/sparse/csr.h"

#include "core/move/astype.h"

#include <string.h>

tn_dtype tni_csr_index(bool is_wide) {
    return is_wide ? TN_I64 : TN_I32;
}

tn_status tni_csr_open(void *address, const tn_array *array, tni_access access, tn_stream *stream) {
    *(void **)address = NULL;
    if (array->size == 0) return TN_OK;
    return tni_array_access((void **)address, array, access, stream);
}

tn_status tni_csr_new(tn_array **result, void *address, tn_dtype dtype, int64_t size,
                      tn_stream *stream) {
    TNI_TRY(tn_array_new(result, dtype, 1, &size, TN_ORDER_C, stream));
    return tni_csr_open(address, *result, TNI_WRITE, stream);
}

tn_status tni_csr_shorten(tn_array **result, tn_array *all, int64_t count, tn_stream *stream) {
    if (all->size == count) {
        *result = tn_array_retain(all);
        return TN_OK;
    }
    const tn_index first = {.kind = TN_INDEX_SLICE, .step = 1, .stop = count, .has_stop = true};
    tn_array *view;
    TNI_TRY(tn_array_slice(&view, all, 1, &first));
    if (count >= all->size / 4 * 3) {
        *result = view;
        return TN_OK;
    }
    const tn_status status = tn_array_astype(result, view, view->dtype, TN_ORDER_C,
                                             TN_CASTING_UNSAFE, TN_COPY_ALWAYS, stream);
    tn_array_release(view);
    return status;
}

tn_status tni_csr_begin(tn_stream **stream, bool *is_wide, int count, const tn_csr *const *matrices,
                        const tn_array *beside) {
    const tn_array *arrays[7];
    int n = 0;
    tn_device device;
    *is_wide = false;
    for (int k = 0; k < count; k++) {
        const tn_csr *a = matrices[k];
        arrays[n++] = a->data;
        arrays[n++] = a->indices;
        arrays[n++] = a->indptr;
        *is_wide |= a->indices->dtype == TN_I64 || a->indptr->dtype == TN_I64;
        *is_wide |= a->rows > INT32_MAX || a->columns > INT32_MAX;
    }
    if (beside) arrays[n++] = beside;
    TNI_TRY(tni_device_common(&device, n, arrays));
    return tni_stream_resolve(stream, *stream, device);
}

static tn_status check(const tn_csr *a) {
    const tn_array *const arrays[3] = {a->data, a->indices, a->indptr};
    static const char *const names[3] = {"data", "indices", "indptr"};
    if (a->rows < 0 || a->columns < 0)
        TNI_FAIL(TN_ERROR_VALUE, "a sparse matrix of %lld rows and %lld columns",
                 (long long)a->rows, (long long)a->columns);
    for (int k = 0; k < 3; k++)
        if (arrays[k]->ndim != 1)
            TNI_FAIL(TN_ERROR_VALUE, "%s of a sparse matrix has %d dimensions, not 1", names[k],
                     arrays[k]->ndim);
    for (int k = 1; k < 3; k++)
        if (arrays[k]->dtype != TN_I32 && arrays[k]->dtype != TN_I64)
            TNI_FAIL(TN_ERROR_TYPE, "%s of a sparse matrix has dtype %s, not int32 or int64",
                     names[k], tn_dtype_name(arrays[k]->dtype));
    if (a->data->dtype == TN_F16 || a->data->dtype == TN_BF16)
        TNI_FAIL(TN_ERROR_TYPE, "data of a sparse matrix has dtype %s, of which there are none",
                 tn_dtype_name(a->data->dtype));
    if (a->indptr->size != a->rows + 1)
        TNI_FAIL(TN_ERROR_VALUE, "indptr of a sparse matrix of %lld rows has %lld elements",
                 (long long)a->rows, (long long)a->indptr->size);
    return TN_OK;
}

tn_status tni_csr_hold(tni_csr_held *held, const tn_csr *a, tn_dtype dtype, bool is_wide,
                       tn_stream *stream) {
    tn_status status;
    memset(held, 0, sizeof *held);
    TNI_TRY(check(a));
    const tn_dtype index = tni_csr_index(is_wide);
    if (dtype == TN_DTYPE_NONE) dtype = a->data->dtype;
    TNI_TRY_OWNING(tni_array_packed(&held->data, a->data, dtype, stream));
    TNI_TRY_OWNING(tni_array_packed(&held->indices, a->indices, index, stream));
    TNI_TRY_OWNING(tni_array_packed(&held->indptr, a->indptr, index, stream));
    held->csr.rows = a->rows;
    held->csr.columns = a->columns;
    held->csr.count = a->data->size < a->indices->size ? a->data->size : a->indices->size;
    TNI_TRY_OWNING(tni_csr_open(&held->csr.values, held->data, TNI_READ, stream));
    TNI_TRY_OWNING(tni_csr_open(&held->csr.indices, held->indices, TNI_READ, stream));
    TNI_TRY_OWNING(tni_csr_open(&held->csr.starts, held->indptr, TNI_READ, stream));
    return TN_OK;
cleanup:
    tni_csr_release(held);
    return status;
}

void tni_csr_release(tni_csr_held *held) {
    tn_array_release(held->data);
    tn_array_release(held->indices);
    tn_array_release(held->indptr);
}

void tni_csr_arrays_release(tn_csr_arrays *arrays) {
    tn_array_release(arrays->data);
    tn_array_release(arrays->indices);
    tn_array_release(arrays->indptr);
}
