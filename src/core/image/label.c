/* The drivers of labels and their boxes. How many parts there are is read back. */
#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/image/neighbours.h"
#include "core/move/astype.h"

/* SciPy keeps two numbers beside the labels free. */
#define WIDE_ELEMENTS (INT64_C(2147483646))

static tn_status check_structure(const bool *structure, int ndim) {
    int64_t places = 1;
    for (int axis = 0; axis < ndim; axis++)
        places *= 3;
    for (int64_t place = 0; place < places / 2; place++)
        if (structure[place] != structure[places - 1 - place])
            TNI_FAIL(TN_ERROR_VALUE, "structuring element is not symmetric");
    return TN_OK;
}

/* Queues the form and waits for the count. */
static tn_status run(tni_label *call, int64_t *count, tn_stream *stream) {
    tn_buffer *buffer = NULL;
    void *address;
    tn_status status;
    if (stream->is_immediate && stream->device.backend == TN_BACKEND_HOST) {
        call->count = count;
        return tni_queue_label(call, stream);
    }
    TNI_TRY_OWNING(tn_buffer_new(&buffer, sizeof *count, stream));
    TNI_TRY_OWNING(tni_buffer_access(&address, buffer, TNI_WRITE, stream));
    call->count = address;
    TNI_TRY_OWNING(tni_queue_label(call, stream));
    TNI_TRY_OWNING(tn_buffer_read(count, buffer, 0, sizeof *count, stream));
    status = tn_stream_synchronize(stream, -1);
cleanup:
    tn_buffer_release(buffer);
    return status;
}

tn_status tn_array_label(tn_array **labels, int64_t *count, const tn_array *array,
                         const bool *structure, tn_stream *stream) {
    tn_array *mask = NULL, *made = NULL;
    tni_neighbour *steps = NULL;
    tni_label call;
    void *address;
    tn_status status;
    TNI_TRY(tni_array_check_numbers(array));
    if (tn_dtype_kind(array->dtype) == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "Complex type not supported");
    TNI_TRY(check_structure(structure, array->ndim));
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    call.is_wide = array->size >= WIDE_ELEMENTS;
    TNI_TRY(tn_array_new(&made, call.is_wide ? TN_I64 : TN_I32, array->ndim, tni_shape(array),
                         TN_ORDER_C, stream));
    int64_t found = 0;
    if (array->size > 0) {
        TNI_TRY_OWNING(
            tni_neighbours_read(&steps, &call.step_count, structure, array->ndim, false));
        TNI_TRY_OWNING(tni_image_mask(&mask, array, stream));
        call.ndim = tni_image_shape(call.shape, array);
        call.steps = steps;
        TNI_TRY_OWNING(tni_array_access(&address, made, TNI_WRITE, stream));
        call.labels = address;
        TNI_TRY_OWNING(tni_array_access(&address, mask, TNI_READ, stream));
        call.mask = address;
        TNI_TRY_OWNING(run(&call, &found, stream));
    }
    *count = found;
    status = TN_OK;
cleanup:
    tni_free(steps);
    tn_array_release(mask);
    return tni_array_deliver(labels, made, status);
}

tn_status tn_array_label_boxes(tn_array **boxes, const tn_array *labels, int64_t count,
                               tn_stream *stream) {
    tn_array *packed = NULL, *made = NULL;
    tni_label_boxes call;
    void *address;
    tn_status status;
    TNI_TRY(tni_array_check_numbers(labels));
    if (tn_dtype_kind(labels->dtype) >= TN_KIND_FLOAT)
        TNI_FAIL(TN_ERROR_TYPE, "labels are integers, not %s", tn_dtype_name(labels->dtype));
    if (count < 0) TNI_FAIL(TN_ERROR_VALUE, "there are no %lld labels", (long long)count);
    const int64_t shape[3] = {count, labels->ndim, 2};
    TNI_TRY(tni_stream_resolve(&stream, stream, labels->buffer->device));
    if (labels->size == 0 || labels->ndim == 0 || count == 0)
        return tn_array_new_zeros(boxes, TN_I64, 3, shape, TN_ORDER_C, stream);
    TNI_TRY(tn_array_new(&made, TN_I64, 3, shape, TN_ORDER_C, stream));
    call.is_wide = tni_dtype_size(labels->dtype) > 4 || labels->dtype == TN_U32;
    call.ndim = tni_image_shape(call.shape, labels);
    call.count = count;
    TNI_TRY_OWNING(tni_array_packed(&packed, labels, call.is_wide ? TN_I64 : TN_I32, stream));
    TNI_TRY_OWNING(tni_array_access(&address, made, TNI_WRITE, stream));
    call.boxes = address;
    TNI_TRY_OWNING(tni_array_access(&address, packed, TNI_READ, stream));
    call.labels = address;
    status = tni_queue_label_boxes(&call, stream);
cleanup:
    tn_array_release(packed);
    return tni_array_deliver(boxes, made, status);
}
