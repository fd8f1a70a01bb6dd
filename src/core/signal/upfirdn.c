/* The driver of lines that are filtered at another rate. Complex lines are twice as many real ones,
 * which stand beside each other. */
#include "backend/backend.h"
#include "core/move/astype.h"
#include "core/signal/signal.h"
#include "forms/signal.h"

static tn_status check(const tn_array *taps, const tn_array *array,
                       const tn_upfirdn_options *options) {
    TNI_TRY(tni_array_check_numbers(taps));
    TNI_TRY(tni_signal_check_dtype(array->dtype));
    if (tn_dtype_kind(taps->dtype) == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "taps must be real numbers");
    if (taps->ndim != 1 || taps->size == 0)
        TNI_FAIL(TN_ERROR_VALUE, "h must be 1-D with non-zero length");
    if (options->up < 1 || options->down < 1)
        TNI_FAIL(TN_ERROR_VALUE, "Both up and down must be >= 1");
    if (options->up > INT32_MAX || options->down > INT32_MAX)
        TNI_FAIL(TN_ERROR_VALUE, "Both up and down must be below 2**31");
    if (options->first < 0 || options->count < 0)
        TNI_FAIL(TN_ERROR_VALUE, "the first output and their number must not be negative");
    return TN_OK;
}

static tn_status run(tn_array *made, const tn_array *taps, const tn_array *input,
                     const tni_signal_lines *lines, const tn_upfirdn_options *options,
                     tn_stream *stream) {
    void *addresses[3];
    TNI_TRY(tni_array_access(&addresses[0], taps, TNI_READ, stream));
    TNI_TRY(tni_array_access(&addresses[1], input, TNI_READ, stream));
    TNI_TRY(tni_array_access(&addresses[2], made, TNI_WRITE, stream));
    const tni_upfirdn call = {.dtype = taps->dtype,
                              .outer = lines->outer,
                              .length = lines->length,
                              .inner = lines->inner,
                              .count = options->count,
                              .tap_count = taps->size,
                              .up = options->up,
                              .down = options->down,
                              .first = options->first,
                              .taps = addresses[0],
                              .input = addresses[1],
                              .output = addresses[2]};
    return tni_queue_upfirdn(&call, stream);
}

tn_status tn_array_upfirdn(tn_array **result, const tn_array *taps, const tn_array *array,
                           const tn_upfirdn_options *options, tn_stream *stream) {
    const tn_array *arrays[2] = {taps, array};
    tn_array *made = NULL, *packed = NULL, *input = NULL;
    int64_t shape[TN_MAX_NDIM];
    int axis = options->axis;
    tni_signal_lines lines;
    tn_device device;
    tn_status status;
    TNI_TRY(check(taps, array, options));
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    const bool is_complex = tn_dtype_kind(array->dtype) == TN_KIND_COMPLEX;
    const tn_dtype part = is_complex ? tn_dtype_real(array->dtype) : array->dtype;
    TNI_TRY(tni_signal_lines_of(&lines, &axis, array, is_complex));
    for (int k = 0; k < array->ndim; k++)
        shape[k] = k == axis ? options->count : tni_shape(array)[k];
    TNI_TRY(tn_array_new(&made, array->dtype, array->ndim, shape, TN_ORDER_C, stream));
    if (made->size == 0) {
        *result = made;
        return TN_OK;
    }
    if (lines.length == 0) {
        status = tn_array_fill(made, (tn_scalar){.dtype = TN_F64}, stream);
        return tni_array_deliver(result, made, status);
    }
    TNI_TRY_OWNING(tni_array_packed(&packed, taps, part, stream));
    TNI_TRY_OWNING(tni_array_packed(&input, array, array->dtype, stream));
    status = run(made, packed, input, &lines, options, stream);
cleanup:
    tn_array_release(input);
    tn_array_release(packed);
    return tni_array_deliver(result, made, status);
}
