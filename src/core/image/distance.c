/* The driver of distances. Distances that are not wanted are still what indices are found by. */
#include "backend/backend.h"
#include "core/image/neighbours.h"

#include <math.h>

static tn_status check(const tn_array *array) {
    TNI_TRY(tni_array_check_numbers(array));
    for (int axis = 0; axis < array->ndim; axis++)
        if (tni_shape(array)[axis] >= INT32_MAX)
            TNI_FAIL(TN_ERROR_VALUE, "axis %d has %lld elements, too many for distances", axis,
                     (long long)tni_shape(array)[axis]);
    return TN_OK;
}

/* New arrays of distances and, if wanted, of indices. */
static tn_status make(tn_array **distances, tn_array **indices, const tn_array *array,
                      tn_stream *stream) {
    int64_t shape[TN_MAX_NDIM];
    TNI_TRY(tn_array_new(distances, TN_F64, array->ndim, tni_shape(array), TN_ORDER_C, stream));
    if (!indices) return TN_OK;
    if (array->ndim == TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_VALUE, "indices of %d axes would need another one", array->ndim);
    shape[0] = array->ndim;
    for (int axis = 0; axis < array->ndim; axis++)
        shape[axis + 1] = tni_shape(array)[axis];
    return tn_array_new(indices, TN_I32, array->ndim + 1, shape, TN_ORDER_C, stream);
}

static tn_status run(tni_distance *call, const tn_array *mask, const tn_array *distances,
                     const tn_array *indices, tn_stream *stream) {
    void *address;
    TNI_TRY(tni_array_access(&address, mask, TNI_READ, stream));
    call->mask = address;
    TNI_TRY(tni_array_access(&address, distances, TNI_WRITE, stream));
    call->distances = address;
    address = NULL;
    if (indices && indices->size) TNI_TRY(tni_array_access(&address, indices, TNI_WRITE, stream));
    call->indices = address;
    return tni_queue_distance(call, stream);
}

tn_status tn_array_distance(tn_array **distances, tn_array **indices, const tn_array *array,
                            tn_distance_metric metric, const double *sampling,
                            tn_distance_none none, tn_stream *stream) {
    tn_array *mask = NULL, *values = NULL, *places = NULL;
    tni_distance call = {.metric = metric, .none = none};
    tn_status status;
    TNI_TRY(check(array));
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    call.ndim = tni_image_shape(call.shape, array);
    for (int axis = 0; axis < call.ndim; axis++)
        call.sampling[axis] = sampling ? fabs(sampling[axis]) : 1;
    TNI_TRY_OWNING(make(&values, indices ? &places : NULL, array, stream));
    TNI_TRY_OWNING(tni_image_mask(&mask, array, stream));
    if (array->size > 0) TNI_TRY_OWNING(run(&call, mask, values, places, stream));
    if (distances) *distances = values;
    if (indices) *indices = places;
cleanup:
    tn_array_release(mask);
    if (status != TN_OK || !distances) tn_array_release(values);
    if (status != TN_OK) tn_array_release(places);
    return status;
}
