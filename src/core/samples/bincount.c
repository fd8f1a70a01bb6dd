/* The driver of bincount: the extent of the values says how many bins there are, then they are
 * counted. */
#include "core/samples/extent.h"
#include "core/samples/histogram.h"
#include "core/samples/samples.h"

static tn_status check(const tn_array *array, int64_t minlength) {
    tn_kind kind = tn_dtype_kind(array->dtype);
    TNI_TRY(tni_samples_check_row(array));
    if (kind == TN_KIND_FLOAT || kind == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('int64') according to the rule "
                 "'safe'",
                 tn_dtype_name(array->dtype));
    if (minlength < 0) TNI_FAIL(TN_ERROR_VALUE, "'minlength' must not be negative");
    return TN_OK;
}

tn_status tn_array_bincount(tn_array **result, const tn_array *array, const tn_array *weights,
                            int64_t minlength, tn_stream *stream) {
    const tn_array *arrays[2] = {array, weights};
    tn_array *doubles = NULL;
    tn_device device;
    int64_t ends[2];
    tn_status status;
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(check(array, minlength));
    if (array->size == 0)
        return tn_array_new_zeros(result, TN_I64, 1, &minlength, TN_ORDER_C, stream);
    TNI_TRY(tni_extent_read(ends, array, stream));
    if (ends[0] < 0 || ends[1] < 0) /* as is what of uint64 has no place in int64 */
        TNI_FAIL(TN_ERROR_VALUE, "'list' argument must have no negative elements");
    tni_histogram call = {.dtype = array->dtype, .working = TN_I64};
    call.bins = ends[1] < minlength ? minlength : ends[1] < INT64_MAX ? ends[1] + 1 : INT64_MAX;
    TNI_TRY_OWNING(tni_samples_weights(&doubles, weights, array, stream));
    status = tni_histogram_run(result, &call, array, NULL, doubles, stream);
cleanup:
    tn_array_release(doubles);
    return status;
}
