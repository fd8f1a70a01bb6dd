/* Copies between devices. Bytes travel contiguous: an operand that is not contiguous goes through a
 * copy that is. */
#include "backend/backend.h"
#include "core/array/array.h"
#include "core/move/staging.h"
#include "core/stream/capture.h"
#include "core/stream/order.h"

/* Both contiguous, of one dtype and size. Backends of two kinds meet in host memory. */
static tn_status transfer(tn_array *to, const tn_array *from, tn_stream *stream) {
    tn_device source = from->buffer->device;
    tn_stream *source_stream = tn_stream_get_current(source);
    void *target_data, *source_data;
    if (to->size == 0) return TN_OK;
    TNI_TRY(tni_capture_check_common(stream, source_stream));
    TNI_TRY(tni_array_access(&source_data, from, TNI_READ, source_stream));
    TNI_TRY(tni_array_access(&target_data, to, TNI_WRITE, stream));
    int64_t bytes = tn_array_bytes(to);
    if (source.backend == to->buffer->device.backend) {
        TNI_TRY(tni_stream_order(stream, source_stream));
        TNI_TRY(tni_array_access(&source_data, from, TNI_READ, stream));
        return tni_queue_copy(target_data, source_data, bytes, TNI_DEVICE_TO_DEVICE, stream);
    }
    if (source.backend == TN_BACKEND_HOST) {
        TNI_TRY(tni_stream_wait(source_stream, -1));
        return tni_stage_upload(target_data, source_data, bytes, stream);
    }
    TNI_TRY(tni_stream_wait(stream, -1));
    return tni_stage_download(target_data, source_data, bytes, source_stream);
}

tn_status tn_array_to_device(tn_array **result, const tn_array *array, tn_device device,
                             tn_copy copy, tn_stream *stream) {
    bool same = tn_device_is_equal(array->buffer->device, device);
    if (same)
        return tn_array_astype(result, array, array->dtype, TN_ORDER_K, TN_CASTING_NO, copy,
                               stream);
    if (copy == TN_COPY_NEVER)
        TNI_FAIL(TN_ERROR_VALUE, "Unable to avoid copy: the array is on another device.");
    tn_array *source = NULL, *made = NULL;
    tn_status status;
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    bool fortran = array->flags & TNI_F_CONTIGUOUS && !(array->flags & TNI_C_CONTIGUOUS);
    tn_order order = fortran ? TN_ORDER_F : TN_ORDER_C;
    TNI_TRY_OWNING(tn_array_astype(&source, array, array->dtype, order, TN_CASTING_NO,
                                   TN_COPY_IF_NEEDED, NULL));
    TNI_TRY_OWNING(tn_array_new(&made, array->dtype, array->ndim, tni_shape(array), order, stream));
    TNI_TRY_OWNING(transfer(made, source, stream));
    *result = tn_array_retain(made);
cleanup:
    tn_array_release(source);
    tn_array_release(made);
    return status;
}
