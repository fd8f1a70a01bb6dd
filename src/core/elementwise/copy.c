/* Copies of elements that keep their dtype: the element-wise COPY form.
 *
 * Elements that are not aligned are copied as the bytes that they are, which always are aligned,
 * unless the backend moves elements from and to any address. So a stand-in (operands.h) can be
 * filled by such a copy. */
#include "core/elementwise/copy.h"

#include "backend/backend.h"
#include "core/array/view.h"
#include "core/elementwise/submit.h"
#include "core/rules/op.h"

/* The elements as they lie: aligned, or the backend takes them so. */
static tn_status copy_as_is(tn_array *to, const tn_array *from, tn_stream *stream) {
    tni_elementwise call;
    const tn_array *arrays[2] = {from, to};
    void *data[2];
    if (to->size == 0) return TN_OK;
    TNI_TRY(tni_array_access(&data[0], from, TNI_READ, stream));
    TNI_TRY(tni_array_access(&data[1], to, TNI_WRITE, stream));
    call.op = TNI_OP_COPY;
    call.dtype = to->dtype;
    call.input_count = call.output_count = 1;
    call.masked = call.is_unaligned = false;
    call.size = to->size;
    for (int k = 0; k < 2; k++) {
        call.arguments[k].data = data[k];
        call.arguments[k].dtype = call.arguments[k].loop_dtype = to->dtype;
    }
    tni_submit_describe(&call, 2, arrays, to->ndim, tni_shape(to));
    return tni_queue_elementwise(&call, stream);
}

/* The array as bytes: one more axis, the bytes of an element. Axes of size 1 are left out, which
 * makes room for it: 64 larger ones have more elements than a 64-bit size can say. */
static tn_status view_bytes(tn_array **result, const tn_array *array) {
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    int ndim = tni_array_squeezed(shape, strides, array);
    shape[ndim] = tn_dtype_size(array->dtype);
    strides[ndim++] = 1;
    return tni_array_make(result, array->buffer, array->offset, TN_U8, ndim, shape, strides, true);
}

static tn_status copy_bytes(tn_array *to, const tn_array *from, tn_stream *stream) {
    tn_array *to_bytes = NULL, *from_bytes = NULL;
    tn_status status;
    TNI_TRY_OWNING(view_bytes(&to_bytes, to));
    TNI_TRY_OWNING(view_bytes(&from_bytes, from));
    status = copy_as_is(to_bytes, from_bytes, stream);
cleanup:
    tn_array_release(to_bytes);
    tn_array_release(from_bytes);
    return status;
}

tn_status tni_copy_same(tn_array *to, const tn_array *from, tn_stream *stream) {
    bool is_aligned = to->flags & from->flags & TNI_ALIGNED;
    bool takes = is_aligned || tni_backend_of(stream)->index->moves_unaligned;
    return takes ? copy_as_is(to, from, stream) : copy_bytes(to, from, stream);
}
