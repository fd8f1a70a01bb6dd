/* The driver of distances in steps of a structure. The walks are the host's: images of other
 * devices are brought there, and the distances back. */
#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/image/neighbours.h"

static const tn_device host = {TN_BACKEND_HOST, 0};

static tn_status run(tn_array *distances, tn_array *nearest, const tn_array *mask,
                     const bool *structure, tn_stream *stream) {
    tni_neighbour *steps = NULL;
    tni_chamfer call;
    void *address = NULL;
    tn_status status;
    TNI_TRY(tni_neighbours_read(&steps, &call.step_count, structure, mask->ndim, false));
    call.steps = steps;
    call.ndim = tni_image_shape(call.shape, mask);
    TNI_TRY_OWNING(tni_array_access(&address, mask, TNI_READ, stream));
    call.mask = address;
    TNI_TRY_OWNING(tni_array_access(&address, distances, TNI_WRITE, stream));
    call.distances = address;
    address = NULL;
    if (nearest) TNI_TRY_OWNING(tni_array_access(&address, nearest, TNI_WRITE, stream));
    call.nearest = address;
    status = tni_queue_chamfer(&call, stream);
cleanup:
    tni_free(steps);
    return status;
}

tn_status tn_array_chamfer(tn_array **distances, tn_array **nearest, const tn_array *array,
                           const bool *structure, tn_stream *stream) {
    const tn_device device = tn_array_device(array);
    tn_array *there = NULL, *mask = NULL, *values = NULL, *places = NULL;
    tn_array *results[2] = {NULL, NULL};
    tn_stream *host_stream = device.backend == TN_BACKEND_HOST ? stream : NULL;
    tn_status status;
    TNI_TRY(tni_array_check_numbers(array));
    const tn_device at = device.backend == TN_BACKEND_HOST ? device : host;
    TNI_TRY_OWNING(tn_array_to_device(&there, array, at, TN_COPY_IF_NEEDED, NULL));
    TNI_TRY_OWNING(tni_stream_resolve(&host_stream, host_stream, at));
    TNI_TRY_OWNING(tni_image_mask(&mask, there, host_stream));
    TNI_TRY_OWNING(
        tn_array_new(&values, TN_I32, mask->ndim, tni_shape(mask), TN_ORDER_C, host_stream));
    if (nearest)
        TNI_TRY_OWNING(
            tn_array_new(&places, TN_I64, mask->ndim, tni_shape(mask), TN_ORDER_C, host_stream));
    if (mask->size > 0) TNI_TRY_OWNING(run(values, places, mask, structure, host_stream));
    TNI_TRY_OWNING(tn_array_to_device(&results[0], values, device, TN_COPY_IF_NEEDED, NULL));
    if (nearest)
        TNI_TRY_OWNING(tn_array_to_device(&results[1], places, device, TN_COPY_IF_NEEDED, NULL));
    *distances = results[0];
    if (nearest) *nearest = results[1];
cleanup:
    if (status != TN_OK) tn_array_release(results[0]);
    tn_array_release(places);
    tn_array_release(values);
    tn_array_release(mask);
    tn_array_release(there);
    return status;
}
