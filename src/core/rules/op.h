/* Facts of operations and the choice of their loops. */
#ifndef TNI_OP_H
#define TNI_OP_H

#include "core/base/error.h"

#include <tenorite/elementwise.h>

enum { TNI_OP_REORDERABLE = 1, TNI_OP_CHECK_NEGATIVE_POWER = 2 };

/* Whether an operation may reduce, accumulate and so on: ufuncs, and what stands for one. */
bool tni_op_has_methods(tn_op op);

/* Flags of an operation, as ops.def gives them. */
int tni_op_flags(tn_op op);
bool tni_op_is_comparison(tn_op op);

/* Whether the operation has a loop for exactly this dtype T. */
bool tni_op_has_loop(tn_op op, tn_dtype dtype);

/* The loop that a call takes: which operation (comparisons of i64 with u64 and ldexp with 64-bit
 * exponents have loops under other names), its T, and the dtype of every input and output. */
typedef struct tni_loop_choice {
    tn_op op;
    tn_dtype dtype;
    int8_t arguments[TN_MAX_OPERANDS]; /* dtypes */
} tni_loop_choice;

/* The choice for these operands; `dtype` and `casting` as in tn_elementwise_options. Does not check
 * outputs. TN_ERROR_TYPE or TN_ERROR_CASTING in NumPy's words. */
tn_status tni_op_choose(tni_loop_choice *choice, tn_op op, const tn_operand *inputs, tn_dtype dtype,
                        tn_casting casting);

/* The choice where the loop's T is known and has a body. */
void tni_op_choose_exact(tni_loop_choice *choice, tn_op op, tn_dtype dtype);

#endif
