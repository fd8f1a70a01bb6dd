/* Reductions of what one operation makes of its inputs: the variance of a product. */
#include "core/elementwise/elementwise.h"
#include "core/reduce/exponents.h"
#include "core/reduce/mapped.h"
#include "core/reduce/reductions.h"
#include "core/rules/op.h"

enum { MOST_INPUTS = 2 };

/* Whether the operation can be a step of a body: inputs of its T, nothing to check beforehand. */
static bool is_step(const tni_loop_choice *choice, int count) {
    for (int k = 0; k < count; k++)
        if (choice->arguments[k] != choice->dtype) return false;
    return tn_op_outputs(choice->op) == 1 &&
           !(tni_op_flags(choice->op) & TNI_OP_CHECK_NEGATIVE_POWER);
}

tn_status tn_reduce_map(tn_array **result, tn_reduction reduction, tn_op op,
                        const tn_array *const *inputs, const tn_reduce_options *options,
                        tn_stream *stream) {
    tn_operand operands[MOST_INPUTS];
    tni_loop_choice choice;
    tni_reduce_request request;
    bool is_single;
    int count = (unsigned)op < TN_OP_COUNT ? tn_op_inputs(op) : 0;
    if (count < 1 || count > MOST_INPUTS || tn_op_outputs(op) != 1)
        TNI_FAIL(TN_ERROR_VALUE,
                 "a reduction takes an operation of one or two inputs and one output, not %s",
                 count ? tn_op_name(op) : "none");
    for (int k = 0; k < count; k++)
        operands[k] = tn_operand_array(inputs[k]);
    TNI_TRY(tni_op_choose(&choice, op, operands, TN_DTYPE_NONE, TN_CASTING_SAME_KIND));
    TNI_TRY(tni_reduction_decide(&request, &is_single, reduction, choice.arguments[count], options,
                                 *result));
    if (is_single && is_step(&choice, count)) {
        tni_map map;
        tni_map_init(&map, count, inputs);
        tni_map_add(&map, choice.op, choice.dtype, 0, count - 1);
        return tni_reduce_mapped(result, &request, &map, NULL, stream);
    }
    tn_array *made = NULL;
    TNI_TRY(tni_elementwise_run(&made, op, operands, NULL, tni_exponents_check, stream));
    tn_status status = tn_reduce(result, reduction, made, options, stream);
    tn_array_release(made);
    return status;
}
