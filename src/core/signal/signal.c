/* What the drivers of the family share. */
#include "core/signal/signal.h"

tn_status tni_signal_lines_of(tni_signal_lines *lines, int *axis, const tn_array *array,
                              bool splits) {
    TNI_TRY(tn_axis_check(axis, array->ndim));
    const int64_t *shape = tni_shape(array);
    lines->outer = 1;
    lines->length = shape[*axis];
    lines->inner = splits ? 2 : 1;
    for (int k = 0; k < array->ndim; k++) {
        if (k < *axis) lines->outer *= shape[k];
        if (k > *axis) lines->inner *= shape[k];
    }
    return TN_OK;
}

tn_status tni_signal_check_dtype(tn_dtype dtype) {
    if (dtype == TN_F32 || dtype == TN_F64 || dtype == TN_C64 || dtype == TN_C128) return TN_OK;
    return tni_fail(TN_ERROR_TYPE, "input type '%s' not supported", tn_dtype_name(dtype));
}
