/* Conversion: the same elements in another dtype or order. Within one device that is the
 * element-wise COPY form. */
#include "core/move/astype.h"

#include "core/array/array.h"
#include "core/elementwise/elementwise.h"

tn_status tni_cast_check(tn_dtype from, tn_dtype to, tn_casting casting) {
    if (tn_dtype_can_cast(from, to, casting)) return TN_OK;
    return tni_fail(
        TN_ERROR_TYPE,
        "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
        tn_dtype_name(from), tn_dtype_name(to), tn_casting_name(casting));
}

tn_status tn_array_astype(tn_array **result, const tn_array *array, tn_dtype dtype, tn_order order,
                          tn_casting casting, tn_copy copy, tn_stream *stream) {
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    TNI_TRY(tni_cast_check(array->dtype, dtype, casting));
    bool ordered = order == TN_ORDER_K || order == TN_ORDER_A ||
                   array->flags & (order == TN_ORDER_C ? TNI_C_CONTIGUOUS : TNI_F_CONTIGUOUS);
    if (order == TN_ORDER_A) ordered = array->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS);
    if (copy != TN_COPY_ALWAYS && (tn_dtype)array->dtype == dtype && ordered) {
        *result = tn_array_retain((tn_array *)(uintptr_t)array);
        return TN_OK;
    }
    if (copy == TN_COPY_NEVER)
        TNI_FAIL(TN_ERROR_VALUE, "Unable to avoid copy while creating an array as requested.");
    tn_array *made;
    TNI_TRY(tn_array_new_like(&made, array, dtype, 0, NULL, order, stream));
    return tni_array_deliver(result, made, tni_copy_elements(made, array, stream));
}

tn_status tni_array_packed(tn_array **result, const tn_array *array, tn_dtype dtype,
                           tn_stream *stream) {
    const bool is_aligned = array->flags & TNI_ALIGNED;
    return tn_array_astype(result, array, dtype, TN_ORDER_C, TN_CASTING_UNSAFE,
                           is_aligned ? TN_COPY_IF_NEEDED : TN_COPY_ALWAYS, stream);
}
