/* The driver of the elements by their values: the host groups them, and how many groups there are
 * is read at once. */
#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/image/neighbours.h"
#include "core/move/astype.h"

static tn_status check(const tn_array *array) {
    const tn_kind kind = tn_dtype_kind(array->dtype);
    if (kind != TN_KIND_SIGNED && kind != TN_KIND_UNSIGNED)
        TNI_FAIL(TN_ERROR_TYPE, "values are integers, not %s", tn_dtype_name(array->dtype));
    if (tn_array_device(array).backend != TN_BACKEND_HOST)
        TNI_FAIL(TN_ERROR_VALUE, "values are grouped on the host");
    return TN_OK;
}

/* Queues the form and waits for the groups. */
static tn_status group(tni_value_indices *call, const tn_array *packed, tn_array *indices,
                       tn_stream *stream) {
    void *address;
    TNI_TRY(tni_array_access(&address, packed, TNI_READ, stream));
    call->elements = address;
    TNI_TRY(tni_array_access(&address, indices, TNI_WRITE, stream));
    call->indices = address;
    TNI_TRY(tni_queue_value_indices(call, stream));
    return tn_stream_synchronize(stream, -1);
}

tn_status tn_array_value_indices(tn_array **groups, tn_array **indices, const tn_array *array,
                                 tn_stream *stream) {
    tn_array *packed = NULL, *made = NULL, *places = NULL;
    int64_t *found = NULL, count = 0;
    tni_value_indices call = {.groups = &found, .count = &count};
    tn_status status;
    TNI_TRY(check(array));
    TNI_TRY(tni_stream_resolve(&stream, stream, tn_array_device(array)));
    call.is_unsigned = array->dtype == TN_U64;
    call.ndim = tni_image_shape(call.shape, array);
    const int64_t of_places[2] = {array->size ? call.ndim : array->ndim, array->size};
    TNI_TRY_OWNING(tn_array_new(&places, TN_I64, 2, of_places, TN_ORDER_C, stream));
    if (array->size > 0) {
        TNI_TRY_OWNING(tni_array_packed(&packed, array, TN_I64, stream));
        TNI_TRY_OWNING(group(&call, packed, places, stream));
    }
    const int64_t of_groups[2] = {count, 2};
    status = tn_array_new_from_host(&made, found ? found : of_places, TN_I64, 2, of_groups, NULL,
                                    TN_ORDER_C, stream);
cleanup:
    tni_free(found);
    tn_array_release(packed);
    if (!status) {
        *groups = made;
        *indices = places;
        return TN_OK;
    }
    tn_array_release(places);
    return status;
}
