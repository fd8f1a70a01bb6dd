/* Stand-ins for operands that are not aligned. */
#include "core/elementwise/operands.h"

#include "backend/backend.h"
#include "core/elementwise/copy.h"

tn_status tni_operands_replace(const tn_array **array, tni_access access, tni_operands *operands) {
    const tni_backend *backend = tni_backend_of(operands->stream);
    TNI_TRY(tni_array_check_numbers(*array));
    if (operands->only_moves && backend->index->moves_unaligned) return TN_OK;
    if (operands->reports_unaligned && backend->elementwise->computes_unaligned) {
        operands->is_unaligned = true;
        return TN_OK;
    }
    return tni_operands_stand_in(array, access, operands);
}

tn_status tni_operands_stand_in(const tn_array **array, tni_access access, tni_operands *operands) {
    const tn_array *given = *array;
    tn_array *made;
    TNI_TRY(tn_array_new(&made, given->dtype, given->ndim, tni_shape(given), TN_ORDER_C,
                         operands->stream));
    if (access != TNI_WRITE) {
        tn_status status = tni_copy_same(made, given, operands->stream);
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
            status = tni_copy_same(given, made, operands->stream);
        tn_array_release(made);
    }
    return status;
}
