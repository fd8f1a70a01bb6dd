/* The driver of histograms. Values go to the form as they are stored; it converts them to the
 * dtype in which they are compared with the edges. */
#include "core/samples/histogram.h"

#include "backend/backend.h"
#include "core/elementwise/operands.h"
#include "core/move/astype.h"
#include "core/samples/samples.h"

tn_status tni_histogram_run(tn_array **result, tni_histogram *call, const tn_array *array,
                            const tn_array *edges, const tn_array *weights, tn_stream *stream) {
    tn_array *made = NULL;
    const tn_array *output;
    void *address;
    tni_operands operands;
    tn_status status;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(
        tn_array_new(&made, weights ? TN_F64 : TN_I64, 1, &call->bins, TN_ORDER_C, stream));
    output = made;
    TNI_TRY_OWNING(tni_operand_open(&address, &output, TNI_WRITE, &operands));
    call->result = address;
    TNI_TRY_OWNING(tni_operand_open(&address, &array, TNI_READ, &operands));
    call->values = address;
    call->count = array->size;
    call->stride = tni_strides(array)[0];
    address = NULL;
    if (weights) TNI_TRY_OWNING(tni_operand_open(&address, &weights, TNI_READ, &operands));
    call->weights = address;
    address = NULL;
    if (edges) TNI_TRY_OWNING(tni_operand_open(&address, &edges, TNI_READ, &operands));
    call->edges = address;
    status = tni_queue_histogram(call, stream);
cleanup:
    return tni_array_deliver(result, made, tni_operands_close(&operands, status));
}

/* In which of the dtypes that the form knows values of another are compared exactly. */
static tn_dtype working_of(tn_dtype dtype) {
    tn_kind kind = tn_dtype_kind(dtype);
    if (kind == TN_KIND_FLOAT) return dtype == TN_F64 ? TN_F64 : TN_F32;
    return kind == TN_KIND_UNSIGNED ? TN_U64 : TN_I64;
}

tn_status tn_array_histogram(tn_array **result, const tn_array *array, const tn_array *edges,
                             const tn_even_bins *even, const tn_array *weights, tn_stream *stream) {
    const tn_array *arrays[3] = {array, edges, weights};
    tn_array *near = NULL, *doubles = NULL;
    tn_device device;
    tn_status status;
    tni_histogram call;
    for (int k = 0; k < 3; k++)
        if (arrays[k]) TNI_TRY(tni_array_check_numbers(arrays[k]));
    TNI_TRY(tni_device_common(&device, 3, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(tni_samples_check_row(array));
    TNI_TRY(tni_samples_check_row(edges));
    if (edges->size < 2)
        TNI_FAIL(TN_ERROR_VALUE, "a histogram needs two edges or more, not %lld",
                 (long long)edges->size);
    const tn_dtype common =
        even ? (tn_dtype)edges->dtype : tn_dtype_promote(array->dtype, edges->dtype);
    if (tn_dtype_kind(common) == TN_KIND_COMPLEX || tn_dtype_kind(array->dtype) == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "values of dtype %s fall into no bins of dtype %s",
                 tn_dtype_name(array->dtype), tn_dtype_name(edges->dtype));
    call.dtype = array->dtype;
    call.working = working_of(common);
    call.is_even = even != NULL;
    call.first = even ? even->first : 0;
    call.scale = even ? even->scale : 0;
    call.bins = edges->size - 1;
    TNI_TRY_OWNING(tni_array_packed(&near, edges, call.working, stream));
    TNI_TRY_OWNING(tni_samples_weights(&doubles, weights, array, stream));
    status = tni_histogram_run(result, &call, array, near, doubles, stream);
cleanup:
    tn_array_release(doubles);
    tn_array_release(near);
    return status;
}
