/* The driver of argmax and its kin: one axis or the flattened array, an i64 result. */
#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/elementwise/operands.h"
#include "core/reduce/reduce.h"
#include "core/reduce/reductions.h"

#include <string.h>

static void describe(tni_argreduce *call, const tn_array *array, const tn_array *output,
                     uint64_t reduced, bool keepdims) {
    const int64_t *shape = tni_shape(array), *strides = tni_strides(array);
    int kept = 0, folded = 0, out_axis = 0;
    for (int axis = 0; axis < array->ndim; axis++) {
        if (reduced >> axis & 1) {
            call->reduced_shape[folded] = shape[axis];
            call->reduced_input[folded++] = strides[axis];
            out_axis += keepdims;
        } else {
            call->kept_shape[kept] = shape[axis];
            call->kept_input[kept] = strides[axis];
            call->kept_output[kept++] = tni_strides(output)[out_axis++];
        }
    }
    int64_t offsets[2] = {0, 0};
    int64_t *of_kept[2] = {call->kept_input, call->kept_output};
    int64_t *of_reduced[1] = {call->reduced_input};
    call->kept_size = output->size;
    call->reduced_size = array->size / output->size;
    call->kept_ndim = tni_layout_collapse(kept, call->kept_shape, 2, of_kept, offsets, true);
    call->input += offsets[0];
    call->output += offsets[1];
    /* The order of these is the order of positions: only neighbours may become one. */
    call->reduced_ndim =
        tni_layout_collapse(folded, call->reduced_shape, 1, of_reduced, NULL, false);
}

static tn_status run(const tn_array *output, tn_op op, const tn_array *array, uint64_t reduced,
                     bool keepdims, tn_stream *stream) {
    if (output->size == 0) return TN_OK;
    tni_argreduce call;
    tni_operands operands;
    void *to, *from;
    tn_status status;
    call.op = op;
    call.input_dtype = array->dtype;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&to, &output, TNI_WRITE, &operands));
    TNI_TRY_OWNING(tni_operand_open(&from, &array, TNI_READ, &operands));
    call.output = to;
    call.input = from;
    describe(&call, array, output, reduced, keepdims);
    status = tni_queue_argreduce(&call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* Positions are -1 where a slice holds nothing but NaN. */
static tn_status check_found(const tn_array *positions, tn_stream *stream) {
    tn_array *smallest = NULL;
    tn_scalar value;
    if (positions->size == 0) return TN_OK;
    tn_status status = tn_reduce(&smallest, TN_REDUCE_MIN, positions, NULL, stream);
    if (status == TN_OK) status = tn_array_item(&value, smallest, stream);
    tn_array_release(smallest);
    TNI_TRY(status);
    if (value.value.i64 < 0) TNI_FAIL(TN_ERROR_VALUE, "All-NaN slice encountered");
    return TN_OK;
}

static tn_status check_output(const tn_array *output, const char *name, int ndim,
                              const int64_t *shape) {
    if (!(output->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (output->ndim != ndim || memcmp(tni_shape(output), shape, sizeof *shape * (size_t)ndim))
        TNI_FAIL(TN_ERROR_VALUE, "output array does not match result of np.%s.", name);
    if (!tn_dtype_can_cast(output->dtype, TN_I64, TN_CASTING_SAFE))
        TNI_FAIL(TN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('int64') according to the rule "
                 "'safe'",
                 tn_dtype_name(output->dtype));
    return TN_OK;
}

tn_status tn_argreduce(tn_array **result, tn_argreduction reduction, const tn_array *array,
                       const int *axis, bool keepdims, tn_stream *stream) {
    const tni_reduction_fact *fact = tni_argreduction_get(reduction);
    if (fact->op == TN_OP_NONE) TNI_FAIL(TN_ERROR_VALUE, "unknown reduction %d", (int)reduction);
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    if (axis) {
        options.axis_count = 1;
        options.axes = axis;
    }
    uint64_t reduced;
    int64_t shape[TN_MAX_NDIM];
    const tn_array *arrays[2] = {array, *result};
    tn_device device;
    TNI_TRY(tni_reduce_axes(&reduced, array, &options, true));
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    int ndim = tni_reduce_shape(shape, array, reduced, keepdims);
    if (*result) TNI_TRY(check_output(*result, fact->name, ndim, shape));

    for (int k = 0; k < array->ndim; k++)
        if (reduced >> k & 1 && tni_shape(array)[k] == 0)
            TNI_FAIL(TN_ERROR_VALUE, "attempt to get %s of an empty sequence",
                     fact->op == TN_OP_MAXIMUM || fact->op == TN_OP_FMAX ? "argmax" : "argmin");
    tn_status status;
    tn_array *made = NULL;
    TNI_TRY(tn_array_new(&made, TN_I64, ndim, shape, TN_ORDER_C, stream));
    tn_op op = fact->op;
    if (fact->flags & TNI_SKIPS_NAN && array->dtype < TN_F16)
        op = op == TN_OP_FMAX ? TN_OP_MAXIMUM : TN_OP_MINIMUM;
    TNI_TRY_OWNING(run(made, op, array, reduced, keepdims, stream));
    if (op == TN_OP_FMAX || op == TN_OP_FMIN) TNI_TRY_OWNING(check_found(made, stream));
    status = tni_reduce_deliver(result, made, stream);
    made = NULL;
cleanup:
    tn_array_release(made);
    return status;
}
