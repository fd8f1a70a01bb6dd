/* Assignment: the elements of one array, broadcast and converted, into another, of any device. */
#include "core/array/array.h"
#include "core/array/view.h"
#include "core/elementwise/elementwise.h"
#include "core/move/astype.h"

/* `from` seen in the shape of `to`. */
static tn_status broadcast_to_target(tn_array **result, const tn_array *from, const tn_array *to) {
    char a[TNI_SHAPE_TEXT], b[TNI_SHAPE_TEXT];
    tn_status status = tni_array_spread(result, from, to->ndim, tni_shape(to));
    if (status != TN_ERROR_VALUE) return status;
    TNI_FAIL(TN_ERROR_VALUE, "could not broadcast input array from shape %s into shape %s",
             tni_shape_text(a, from->ndim, tni_shape(from)),
             tni_shape_text(b, to->ndim, tni_shape(to)));
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
