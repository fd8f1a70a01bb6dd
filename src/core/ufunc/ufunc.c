/* The element-wise calls of the public API: core's own, with the check of exponents. */
#include "core/base/error.h"
#include "core/elementwise/elementwise.h"
#include "core/reduce/exponents.h"

tn_status tn_elementwise(tn_array **outputs, tn_op op, const tn_operand *inputs,
                         const tn_elementwise_options *options, tn_stream *stream) {
    return tni_elementwise_run(outputs, op, inputs, options, tni_exponents_check, stream);
}

tn_status tn_unary(tn_array **result, tn_op op, const tn_array *a, tn_stream *stream) {
    tn_operand inputs[1] = {tn_operand_array(a)};
    if (tn_op_inputs(op) != 1 || tn_op_outputs(op) != 1)
        TNI_FAIL(TN_ERROR_TYPE, "%s does not take one input and give one output", tn_op_name(op));
    tn_array *output = NULL;
    TNI_TRY(tn_elementwise(&output, op, inputs, NULL, stream));
    *result = output;
    return TN_OK;
}

tn_status tn_binary(tn_array **result, tn_op op, const tn_array *a, const tn_array *b,
                    tn_stream *stream) {
    tn_operand inputs[2] = {tn_operand_array(a), tn_operand_array(b)};
    if (tn_op_inputs(op) != 2 || tn_op_outputs(op) != 1)
        TNI_FAIL(TN_ERROR_TYPE, "%s does not take two inputs and give one output", tn_op_name(op));
    tn_array *output = NULL;
    TNI_TRY(tn_elementwise(&output, op, inputs, NULL, stream));
    *result = output;
    return TN_OK;
}
