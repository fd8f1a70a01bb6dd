/* The least and the largest of values. A form writes both beside each other, and they are read
 * back. */
#include "core/samples/extent.h"

#include "backend/backend.h"
#include "core/elementwise/operands.h"
#include "core/samples/samples.h"
#include "forms/samples.h"

#include <string.h>

enum { ENDS_BYTES = 16 };

static tn_status queue(const tn_array *array, void *result, tni_operands *operands) {
    tni_extent call;
    void *values;
    TNI_TRY(tni_operand_open(&values, &array, TNI_READ, operands));
    call.dtype = array->dtype;
    call.values = values;
    call.count = array->size;
    call.stride = tni_strides(array)[0];
    call.result = result;
    return tni_queue_extent(&call, operands->stream);
}

tn_status tni_extent_read(void *ends, const tn_array *array, tn_stream *stream) {
    tni_operands operands;
    tni_operands_init(&operands, stream);
    if (stream->is_immediate && stream->device.backend == TN_BACKEND_HOST)
        return tni_operands_close(&operands, queue(array, ends, &operands));
    tn_buffer *buffer = NULL;
    void *address;
    tn_status status;
    TNI_TRY_OWNING(tn_buffer_new(&buffer, ENDS_BYTES, stream));
    TNI_TRY_OWNING(tni_buffer_access(&address, buffer, TNI_WRITE, stream));
    TNI_TRY_OWNING(tni_operands_close(&operands, queue(array, address, &operands)));
    TNI_TRY_OWNING(tn_buffer_read(ends, buffer, 0, ENDS_BYTES, stream));
    status = tn_stream_synchronize(stream, -1);
cleanup:
    tn_buffer_release(buffer);
    return status;
}

static tn_scalar end_of(const void *bytes, tn_dtype dtype) {
    tn_scalar scalar;
    memset(&scalar, 0, sizeof scalar);
    scalar.dtype = dtype;
    memcpy(scalar.value.bytes, bytes, 8);
    return scalar;
}

tn_status tn_array_extent(tn_scalar *least, tn_scalar *largest, const tn_array *array,
                          tn_stream *stream) {
    _Alignas(8) unsigned char ends[ENDS_BYTES];
    const tn_dtype dtype = tni_extent_dtype(array->dtype);
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    TNI_TRY(tni_samples_check_row(array));
    if (array->size == 0) TNI_FAIL(TN_ERROR_VALUE, "no values have no extent");
    if (tn_dtype_kind(array->dtype) == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "values of dtype %s have no extent", tn_dtype_name(array->dtype));
    TNI_TRY(tni_extent_read(ends, array, stream));
    *least = end_of(ends, dtype);
    *largest = end_of(ends + 8, dtype);
    return TN_OK;
}
