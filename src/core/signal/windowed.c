/* The driver of sums over windows: both sides in their common dtype and packed, the array with what
 * is thought around it. The halves are summed in float32 and rounded once. */
#include "backend/backend.h"
#include "core/move/astype.h"
#include "core/samples/samples.h"
#include "core/signal/signal.h"
#include "forms/signal.h"

#include <string.h>

/* The array in the middle of elements `fill`. */
static tn_status surround(tn_array **result, const tn_array *array, tn_dtype dtype,
                          const int64_t *before, const int64_t *after, const tn_scalar *fill,
                          tn_stream *stream) {
    int64_t shape[TN_MAX_NDIM], offset = 0;
    bool is_larger = false;
    tn_array *made = NULL, *middle = NULL;
    for (int k = 0; k < array->ndim; k++) {
        shape[k] = tni_shape(array)[k] + before[k] + after[k];
        is_larger |= before[k] + after[k] > 0;
    }
    if (!is_larger) return tni_array_packed(result, array, dtype, stream);
    TNI_TRY(tn_array_new(&made, dtype, array->ndim, shape, TN_ORDER_C, stream));
    const tn_scalar zero = {.dtype = TN_B8};
    tn_status status = tn_array_fill(made, fill ? *fill : zero, stream);
    for (int k = 0; k < array->ndim; k++)
        offset += before[k] * tni_strides(made)[k];
    if (!status && array->size > 0)
        status = tni_array_make(&middle, made->buffer, made->offset + offset, dtype, array->ndim,
                                tni_shape(array), tni_strides(made), true);
    if (!status && middle) status = tn_array_assign(middle, array, TN_CASTING_UNSAFE, stream);
    tn_array_release(middle);
    return tni_array_deliver(result, made, status);
}

static tn_status run(tn_array **result, const tn_array *array, const tn_array *window,
                     tn_stream *stream) {
    tni_windowed call = {.dtype = tni_samples_working(array->dtype), .ndim = array->ndim};
    int64_t shape[TN_MAX_NDIM];
    void *addresses[3];
    tn_array *made = NULL;
    tn_status status;
    for (int k = 0; k < array->ndim; k++) {
        call.shape[k] = tni_shape(array)[k];
        call.window_shape[k] = tni_shape(window)[k];
        shape[k] = call.shape[k] - call.window_shape[k] + 1;
        if (call.window_shape[k] < 1 || shape[k] < 1)
            TNI_FAIL(TN_ERROR_VALUE, "the window does not fit on the array along axis %d", k);
    }
    TNI_TRY(tn_array_new(&made, array->dtype, array->ndim, shape, TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_array_access(&addresses[0], array, TNI_READ, stream));
    TNI_TRY_OWNING(tni_array_access(&addresses[1], window, TNI_READ, stream));
    TNI_TRY_OWNING(tni_array_access(&addresses[2], made, TNI_WRITE, stream));
    call.array = addresses[0];
    call.window = addresses[1];
    call.output = addresses[2];
    status = tni_queue_windowed(&call, stream);
cleanup:
    return tni_array_deliver(result, made, status);
}

tn_status tn_array_windowed(tn_array **result, const tn_array *array, const tn_array *window,
                            const int64_t *before, const int64_t *after, const tn_scalar *fill,
                            tn_stream *stream) {
    static const int64_t none[TN_MAX_NDIM] = {0};
    const tn_array *arrays[2] = {array, window};
    tn_array *whole = NULL, *packed = NULL, *made = NULL;
    tn_device device;
    tn_status status;
    for (int k = 0; k < 2; k++)
        TNI_TRY(tni_array_check_numbers(arrays[k]));
    if (array->ndim != window->ndim || array->ndim == 0)
        TNI_FAIL(TN_ERROR_VALUE, "the array and the window must have equally many axes");
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    const tn_dtype dtype = tn_dtype_promote(array->dtype, window->dtype);
    TNI_TRY_OWNING(surround(&whole, array, tni_samples_stored(dtype), before ? before : none,
                            after ? after : none, fill, stream));
    TNI_TRY_OWNING(tni_array_packed(&packed, window, tni_samples_stored(dtype), stream));
    TNI_TRY_OWNING(run(&made, whole, packed, stream));
    if (made->dtype == dtype)
        *result = tn_array_retain(made);
    else
        status = tn_array_astype(result, made, dtype, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS,
                                 stream);
cleanup:
    tn_array_release(made);
    tn_array_release(packed);
    tn_array_release(whole);
    return status;
}
