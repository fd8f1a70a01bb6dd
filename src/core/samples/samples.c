/* What the drivers of the family share. */
#include "core/samples/samples.h"

#include "core/move/astype.h"

tn_status tni_samples_weights(tn_array **result, const tn_array *weights, const tn_array *array,
                              tn_stream *stream) {
    *result = NULL;
    if (!weights) return TN_OK;
    if (tn_dtype_kind(weights->dtype) == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('float64') according to the "
                 "rule 'safe'",
                 tn_dtype_name(weights->dtype));
    TNI_TRY(tni_samples_check_row(weights));
    if (weights->size != array->size)
        TNI_FAIL(TN_ERROR_VALUE, "The weights and list don't have the same length.");
    return tni_array_packed(result, weights, TN_F64, stream);
}

tn_status tni_samples_check_row(const tn_array *array) {
    if (array->ndim == 1) return TN_OK;
    return tni_fail(TN_ERROR_VALUE, array->ndim < 1 ? "object of too small depth for desired array"
                                                    : "object too deep for desired array");
}

tn_dtype tni_samples_stored(tn_dtype dtype) {
    return dtype == TN_F16 || dtype == TN_BF16 ? TN_F32 : dtype;
}

tn_dtype tni_samples_working(tn_dtype dtype) {
    switch (dtype) {
    case TN_I8: return TN_U8;
    case TN_I16: return TN_U16;
    case TN_I32: return TN_U32;
    case TN_I64: return TN_U64;
    default: return dtype;
    }
}
