/* The driver of the watershed. The flood is the host's: images of other devices are brought there,
 * and the labels back. */
#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/image/neighbours.h"
#include "core/move/astype.h"

#include <string.h>

static tn_status check(const tn_array *image, const tn_array *markers) {
    const tn_array *const both[2] = {image, markers};
    tn_device device;
    TNI_TRY(tni_device_common(&device, 2, both));
    if (image->dtype != TN_U8 && image->dtype != TN_U16)
        TNI_FAIL(TN_ERROR_TYPE, "only 8 and 16 unsigned inputs are supported");
    if (tn_dtype_kind(markers->dtype) != TN_KIND_SIGNED)
        TNI_FAIL(TN_ERROR_TYPE, "marker should be of integer type");
    if (image->ndim != markers->ndim ||
        memcmp(tni_shape(image), tni_shape(markers), image->ndim * sizeof(int64_t)) != 0)
        TNI_FAIL(TN_ERROR_VALUE, "input and markers must have equal shape");
    return TN_OK;
}

static tn_status run(tn_array *labels, const tn_array *image, const bool *structure,
                     tn_stream *stream) {
    tni_neighbour *steps = NULL;
    tni_watershed call;
    void *address;
    tn_status status;
    TNI_TRY(tni_neighbours_read(&steps, &call.step_count, structure, image->ndim, true));
    call.steps = steps;
    call.ndim = tni_image_shape(call.shape, image);
    TNI_TRY_OWNING(tni_array_access(&address, image, TNI_READ, stream));
    call.image = address;
    TNI_TRY_OWNING(tni_array_access(&address, labels, TNI_READ_WRITE, stream));
    call.labels = address;
    status = tni_queue_watershed(&call, stream);
cleanup:
    tni_free(steps);
    return status;
}

tn_status tn_array_watershed(tn_array **result, const tn_array *image, const tn_array *markers,
                             const bool *structure, tn_stream *stream) {
    const tn_device device = tn_array_device(image);
    const tn_device at =
        device.backend == TN_BACKEND_HOST ? device : (tn_device){TN_BACKEND_HOST, 0};
    tn_array *there[2] = {NULL, NULL}, *packed = NULL, *labels = NULL;
    tn_stream *host_stream = device.backend == TN_BACKEND_HOST ? stream : NULL;
    tn_status status;
    TNI_TRY(check(image, markers));
    TNI_TRY_OWNING(tn_array_to_device(&there[0], image, at, TN_COPY_IF_NEEDED, NULL));
    TNI_TRY_OWNING(tn_array_to_device(&there[1], markers, at, TN_COPY_IF_NEEDED, NULL));
    TNI_TRY_OWNING(tni_stream_resolve(&host_stream, host_stream, at));
    TNI_TRY_OWNING(tni_array_packed(&packed, there[0], TN_U16, host_stream));
    TNI_TRY_OWNING(tn_array_astype(&labels, there[1], TN_I64, TN_ORDER_C, TN_CASTING_UNSAFE,
                                   TN_COPY_ALWAYS, host_stream));
    if (labels->size > 0) TNI_TRY_OWNING(run(labels, packed, structure, host_stream));
    status = tn_array_to_device(result, labels, device, TN_COPY_IF_NEEDED, NULL);
cleanup:
    tn_array_release(labels);
    tn_array_release(packed);
    tn_array_release(there[1]);
    tn_array_release(there[0]);
    return status;
}
