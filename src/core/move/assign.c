/* Assignment: the elements of one array, broadcast and converted, into another, of any device. */
#include "core/array/array.h"
#include "core/elementwise/elementwise.h"
#include "core/move/astype.h"

/* `from` seen in the shape of `to`. Leading axes of size 1 that `to` lacks are dropped, as in
 * NumPy's assignment. */
static tn_status broadcast_to_target(tn_array **result, const tn_array *from, const tn_array *to) {
    int extra = 0;
    while (from->ndim - extra > to->ndim && tni_shape(from)[extra] == 1)
        extra++;
    int ndim = from->ndim - extra;
    bool fits = ndim <= to->ndim;
    const int64_t *shape = tni_shape(from) + extra;
    for (int axis = 0; fits && axis < ndim; axis++)
        fits = shape[axis] == 1 || shape[axis] == tni_shape(to)[to->ndim - ndim + axis];
    if (!fits) {
        char a[TNI_SHAPE_TEXT], b[TNI_SHAPE_TEXT];
        TNI_FAIL(TN_ERROR_VALUE, "could not broadcast input array from shape %s into shape %s",
                 tni_shape_text(a, from->ndim, tni_shape(from)),
                 tni_shape_text(b, to->ndim, tni_shape(to)));
    }
    int64_t strides[TN_MAX_NDIM];
    for (int axis = 0; axis < to->ndim; axis++) {
        int own = axis - (to->ndim - ndim);
        strides[axis] = own < 0 || shape[own] == 1 ? 0 : tni_strides(from)[extra + own];
    }
    return tni_array_make(result, from->buffer, from->offset, from->dtype, to->ndim, tni_shape(to),
                          strides, false);
}

tn_status tn_array_assign(tn_array *to, const tn_array *from, tn_casting casting,
                          tn_stream *stream) {
    tn_array *source = NULL, *view = NULL;
    tn_status status;
    TNI_TRY(tni_array_check_writeable(to));
    TNI_TRY(tni_cast_check(from->dtype, to->dtype, casting));
    TNI_TRY(tni_stream_resolve(&stream, stream, to->buffer->device));
    if (!tn_device_is_equal(from->buffer->device, to->buffer->device))
        TNI_TRY_OWNING(
            tn_array_to_device(&source, from, to->buffer->device, TN_COPY_ALWAYS, stream));
    else if (tni_array_overlap(to, from) == TNI_OVERLAP_PARTIAL)
        TNI_TRY_OWNING(tn_array_astype(&source, from, from->dtype, TN_ORDER_K, TN_CASTING_NO,
                                       TN_COPY_ALWAYS, stream));
    TNI_TRY_OWNING(broadcast_to_target(&view, source ? source : from, to));
    TNI_TRY_OWNING(tni_copy_elements(to, view, stream));
cleanup:
    tn_array_release(view);
    tn_array_release(source);
    return status;
}
