/* One element by its place among all of them, in order C. */
#include "core/array/array.h"
#include "core/elementwise/copy.h"

#include <tenorite/index.h>

tn_status tn_array_element(tn_array **result, const tn_array *array, int64_t place,
                           tn_stream *stream) {
    if (place < 0 || place >= array->size)
        TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for size %lld", (long long)place,
                 (long long)array->size);
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    int64_t offset = array->offset;
    for (int axis = array->ndim - 1; axis >= 0; axis--) {
        const int64_t size = tni_shape(array)[axis];
        offset += place % size * tni_strides(array)[axis];
        place /= size;
    }
    tn_array *view, *made;
    TNI_TRY(tni_array_make(&view, array->buffer, offset, array->dtype, 0, NULL, NULL, false));
    tn_status status = tn_array_new(&made, array->dtype, 0, NULL, TN_ORDER_C, stream);
    if (status == TN_OK) {
        status = tni_copy_same(made, view, stream);
        if (status == TN_OK)
            *result = made;
        else
            tn_array_release(made);
    }
    tn_array_release(view);
    return status;
}
