/* The form "expression": a graph of operations over one collapsed shape, in one pass.
 *
 * Values 0 .. input_count - 1 are the inputs' elements; each step makes the next one or two. Every
 * operand of a step has the dtype that the step reads: conversions are steps of their own. Outputs
 * are values; one that is stored over an input coincides with it exactly, else it overlaps none.
 * All elements of a step's result are made of the inputs as they were before the call. */
#ifndef TNI_FORMS_EXPRESSION_H
#define TNI_FORMS_EXPRESSION_H

#include "forms/elementwise.h"

enum {
    TNI_EXPRESSION_ARRAYS = 32, /* inputs and outputs */
    TNI_EXPRESSION_SCALARS = 32,
    TNI_EXPRESSION_ARGUMENTS = 64, /* all of them */
    TNI_EXPRESSION_STEPS = 256,
    TNI_EXPRESSION_VALUES = TNI_EXPRESSION_ARGUMENTS + 2 * TNI_EXPRESSION_STEPS,
    TNI_EXPRESSION_FROM = 4
};

typedef uint16_t tni_value; /* the number of a value */

/* An operation of the table, or TNI_OP_COPY: a conversion. */
typedef struct tni_expression_step {
    int16_t op;
    int8_t dtype; /* the loop's T (COPY: the dtype read) */
    int8_t count, made;
    tni_value from[TNI_EXPRESSION_FROM];
} tni_expression_step;

/* Steps with their dtypes, which make the values from number `value` on. */
typedef struct tni_steps {
    const tni_expression_step *steps;
    int count, value;
    const int8_t *dtypes;     /* of all values */
    const tni_value *outputs; /* values that others read too */
    int output_count;
} tni_steps;

/* Programs that are asked for: of a call that has this, where the backend compiles ahead
 * (forms.def), nothing is launched. A program that is missing is counted, and with `begins` it is
 * begun to be compiled; one that can't be made refuses the call. */
typedef struct tni_asked {
    bool begins;
    int begun, missing;
} tni_asked;

typedef struct tni_expression {
    int input_count, output_count, step_count, value_count;
    int ndim;
    tni_asked *asked;   /* NULL: the call is done */
    uint64_t constants; /* scalars by bits that are the same in each call of this graph */
    int64_t size;
    tni_expression_step steps[TNI_EXPRESSION_STEPS];
    int8_t dtypes[TNI_EXPRESSION_VALUES];
    tni_value outputs[TNI_EXPRESSION_ARGUMENTS];
    int64_t shape[TN_MAX_NDIM];
    /* Inputs, then outputs; loop_dtype is dtype. Last, so that only those there are are copied. */
    tni_argument arguments[TNI_EXPRESSION_ARGUMENTS];
} tni_expression;

static inline tni_steps tni_expression_steps(const tni_expression *call) {
    return (tni_steps){call->steps,  call->step_count, call->input_count,
                       call->dtypes, call->outputs,    call->output_count};
}

#endif
