/* The driver of correlations: both sides in their common dtype and packed, the shorter one as the
 * window. The halves are summed in float32 and rounded once. */
#include "backend/backend.h"
#include "core/move/astype.h"
#include "core/samples/samples.h"
#include "forms/samples.h"

static tn_status run(tn_array **result, const tn_array *array, const tn_array *window,
                     tn_correlate_mode mode, tn_stream *stream) {
    tni_correlate call;
    tn_array *made = NULL;
    void *address;
    tn_status status;
    const int64_t most = window->size - 1;
    call.dtype = tni_samples_working(array->dtype);
    call.length = array->size;
    call.taps = window->size;
    call.lead = mode == TN_CORRELATE_FULL ? most : mode == TN_CORRELATE_SAME ? call.taps / 2 : 0;
    call.count = mode == TN_CORRELATE_FULL   ? call.length + most
                 : mode == TN_CORRELATE_SAME ? call.length
                                             : call.length - most;
    TNI_TRY(tn_array_new(&made, array->dtype, 1, &call.count, TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_array_access(&address, made, TNI_WRITE, stream));
    call.output = address;
    TNI_TRY_OWNING(tni_array_access(&address, array, TNI_READ, stream));
    call.array = address;
    TNI_TRY_OWNING(tni_array_access(&address, window, TNI_READ, stream));
    call.window = address;
    status = tni_queue_correlate(&call, stream);
cleanup:
    return tni_array_deliver(result, made, status);
}

/* The result as it is to be: of the dtype asked for, and (is_swapped) from its end to its
 * beginning. */
static tn_status deliver(tn_array **result, tn_array *made, tn_dtype dtype, bool is_swapped,
                         tn_stream *stream) {
    tn_array *view = NULL;
    if (!is_swapped && made->dtype == dtype) {
        *result = tn_array_retain(made);
        return TN_OK;
    }
    const int64_t size = made->size, step = tni_strides(made)[0];
    const int64_t stride = is_swapped ? -step : step;
    TNI_TRY(tni_array_make(&view, made->buffer, made->offset + (is_swapped ? (size - 1) * step : 0),
                           made->dtype, 1, &size, &stride, false));
    tn_status status =
        tn_array_astype(result, view, dtype, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, stream);
    tn_array_release(view);
    return status;
}

tn_status tn_array_correlate(tn_array **result, const tn_array *array, const tn_array *window,
                             tn_correlate_mode mode, tn_stream *stream) {
    const tn_array *arrays[2] = {array, window};
    tn_array *first = NULL, *second = NULL, *made = NULL;
    tn_device device;
    tn_status status;
    for (int k = 0; k < 2; k++)
        TNI_TRY(tni_array_check_numbers(arrays[k]));
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(tni_samples_check_row(array));
    TNI_TRY(tni_samples_check_row(window));
    if (array->size == 0) TNI_FAIL(TN_ERROR_VALUE, "first array argument cannot be empty");
    if (window->size == 0) TNI_FAIL(TN_ERROR_VALUE, "second array argument cannot be empty");
    const bool is_swapped = window->size > array->size;
    const tn_dtype dtype = tn_dtype_promote(array->dtype, window->dtype);
    TNI_TRY_OWNING(tni_array_packed(&first, arrays[is_swapped], tni_samples_stored(dtype), stream));
    TNI_TRY_OWNING(
        tni_array_packed(&second, arrays[!is_swapped], tni_samples_stored(dtype), stream));
    TNI_TRY_OWNING(run(&made, first, second, mode, stream));
    status = deliver(result, made, dtype, is_swapped, stream);
cleanup:
    tn_array_release(made);
    tn_array_release(second);
    tn_array_release(first);
    return status;
}
