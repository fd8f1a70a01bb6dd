/* The driver of searchsorted: both sides are brought to their common dtype, then searched by the
 * form. */
#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/elementwise/operands.h"
#include "forms/sort.h"

#include <tenorite/sort.h>

#include <string.h>

static void describe(tni_searchsorted *call, const tn_array *output, const tn_array *values) {
    const int ndim = values->ndim;
    memcpy(call->shape, tni_shape(values), (size_t)ndim * sizeof *call->shape);
    memcpy(call->value_strides, tni_strides(values), (size_t)ndim * sizeof *call->shape);
    memcpy(call->output_strides, tni_strides(output), (size_t)ndim * sizeof *call->shape);
    int64_t offsets[2] = {0, 0};
    int64_t *strides[2] = {call->output_strides, call->value_strides};
    call->size = values->size;
    call->ndim = tni_layout_collapse(ndim, call->shape, 2, strides, offsets, true);
    call->output += offsets[0];
    call->values += offsets[1];
}

static tn_status run(const tn_array *output, const tn_array *sorted, const tn_array *values,
                     bool is_right, tn_stream *stream) {
    if (values->size == 0) return TN_OK;
    tni_searchsorted call;
    tni_operands operands;
    void *to, *from = NULL, *wanted;
    tn_status status;
    call.dtype = values->dtype;
    call.is_right = is_right;
    call.length = sorted->size;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&to, &output, TNI_WRITE, &operands));
    TNI_TRY_OWNING(tni_operand_open(&wanted, &values, TNI_READ, &operands));
    if (sorted->size) TNI_TRY_OWNING(tni_operand_open(&from, &sorted, TNI_READ, &operands));
    call.sorted_stride = tni_strides(sorted)[0];
    call.output = to;
    call.sorted = from;
    call.values = wanted;
    describe(&call, output, values);
    status = tni_queue_searchsorted(&call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

static tn_status check_output(const tn_array *output, const tn_array *values) {
    if (!(output->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (output->ndim != values->ndim ||
        memcmp(tni_shape(output), tni_shape(values), sizeof(int64_t) * values->ndim))
        TNI_FAIL(TN_ERROR_VALUE, "searchsorted: the result must have the shape of the values");
    if (output->dtype != TN_I64)
        TNI_FAIL(TN_ERROR_TYPE, "searchsorted: the result has dtype %s, not int64",
                 tn_dtype_name(output->dtype));
    return TN_OK;
}

tn_status tn_array_searchsorted(tn_array **result, const tn_array *sorted, const tn_array *values,
                                bool is_right, tn_stream *stream) {
    const tn_array *arrays[3] = {sorted, values, *result};
    tn_array *near = NULL, *wanted = NULL, *made = NULL;
    tn_device device;
    tn_status status;
    for (int k = 0; k < 2; k++)
        TNI_TRY(tni_array_check_numbers(arrays[k]));
    TNI_TRY(tni_device_common(&device, 3, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    if (sorted->ndim != 1)
        TNI_FAIL(TN_ERROR_VALUE, "searchsorted: the sorted array has %d dimensions, not 1",
                 sorted->ndim);
    if (*result) TNI_TRY(check_output(*result, values));
    const tn_dtype dtype = tn_dtype_promote(sorted->dtype, values->dtype);
    TNI_TRY_OWNING(tn_array_astype(&near, sorted, dtype, TN_ORDER_K, TN_CASTING_UNSAFE,
                                   TN_COPY_IF_NEEDED, stream));
    TNI_TRY_OWNING(tn_array_astype(&wanted, values, dtype, TN_ORDER_K, TN_CASTING_UNSAFE,
                                   TN_COPY_IF_NEEDED, stream));
    TNI_TRY_OWNING(tn_array_new_like(&made, values, TN_I64, 0, NULL, TN_ORDER_C, stream));
    TNI_TRY_OWNING(run(made, near, wanted, is_right, stream));
    if (*result) {
        status = tn_array_assign(*result, made, TN_CASTING_NO, stream);
    } else {
        *result = made;
        made = NULL;
    }
cleanup:
    tn_array_release(made);
    tn_array_release(wanted);
    tn_array_release(near);
    return status;
}
