/* Stand-ins for operands that are not aligned, and the copy that fills them where the backend wants
 * aligned elements: of bytes, which are always aligned. */
#include "core/elementwise/operands.h"

#include "backend/backend.h"
#include "core/array/view.h"
#include "core/elementwise/elementwise.h"

/* The array as bytes: one more axis, the bytes of an element. Axes of size 1 are left out, which makes
 * room for it: 64 larger ones have more elements than a 64-bit size can say. */
static tn_status view_bytes(tn_array **result, const tn_array *array) {
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    int ndim = tni_array_squeezed(shape, strides, array);
    shape[ndim] = tn_dtype_size(array->dtype);
    strides[ndim++] = 1;
    return tni_array_make(result, array->buffer, array->offset, TN_U8, ndim, shape, strides, true);
}

tn_status tni_copy_bytes(tn_array *to, const tn_array *from, tn_stream *stream) {
    tn_array *to_bytes = NULL, *from_bytes = NULL;
    tn_status status;
    if (to->size == 0) return TN_OK;
    TNI_TRY_OWNING(view_bytes(&to_bytes, to));
    TNI_TRY_OWNING(view_bytes(&from_bytes, from));
    status = tni_copy_elements(to_bytes, from_bytes, stream);
cleanup:
    tn_array_release(to_bytes);
    tn_array_release(from_bytes);
    return status;
}

tn_status tni_operands_replace(const tn_array **array, tni_access access, tni_operands *operands) {
    const tn_array *given = *array;
    tn_array *made;
    const tni_backend *backend = tni_backend_of(operands->stream);
    if (operands->only_moves && backend->moves_unaligned) return TN_OK;
    if (operands->is_elementwise && backend->computes_unaligned) {
        operands->is_unaligned = true;
        return TN_OK;
    }
    TNI_TRY(tn_array_new(&made, given->dtype, given->ndim, tni_shape(given), TN_ORDER_C,
                         operands->stream));
    if (access != TNI_WRITE) {
        tn_status status = tni_copy_elements(made, given, operands->stream);
        if (status != TN_OK) {
            tn_array_release(made);
            return status;
        }
    }
    int at = operands->stand_in_count++;
    operands->stand_ins[at].array = made;
    operands->stand_ins[at].given = given;
    operands->stand_ins[at].is_written = access != TNI_READ;
    *array = made;
    return TN_OK;
}

tn_status tni_operands_settle(tni_operands *operands, tn_status status) {
    for (int k = 0; k < operands->stand_in_count; k++) {
        tn_array *made = operands->stand_ins[k].array;
        tn_array *given = (tn_array *)(uintptr_t)operands->stand_ins[k].given;
        if (status == TN_OK && operands->stand_ins[k].is_written)
            status = tni_copy_elements(given, made, operands->stream);
        tn_array_release(made);
    }
    return status;
}
