/* Element-wise operations (ufuncs): every operation of the table through one function, and the
 * methods accumulate, reduceat, outer and at of binary ones (reduce is in reduce.h). */
#ifndef TENORITE_ELEMENTWISE_H
#define TENORITE_ELEMENTWISE_H

#include <tenorite/array.h>
#include <tenorite/operations.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TN_MAX_OPERANDS 8 /* inputs and outputs of one operation together, the mask not counted */

/* An input: an array, or (array NULL) a scalar. */
typedef struct tn_operand {
    const tn_array *array;
    tn_scalar scalar;
} tn_operand;

/* What may be said of a call; zero it (casting: TN_CASTING_SAME_KIND) for the defaults. */
typedef struct tn_elementwise_options {
    tn_array *where;    /* b8 mask, broadcast; elements where it is false are not written */
    tn_dtype dtype;     /* the loop's dtype, TN_DTYPE_NONE: from the inputs */
    tn_casting casting; /* for inputs to the loop and the loop to given outputs */
    tn_order order;     /* of outputs that are made here */
} tn_elementwise_options;
#define TN_ELEMENTWISE_DEFAULTS                                                                    \
    { NULL, TN_DTYPE_NONE, TN_CASTING_SAME_KIND, TN_ORDER_K }

/* Facts of an operation. `name` finds aliases too (TN_OP_NONE if there is none). */
TN_API tn_op tn_op_find(const char *name);
TN_API const char *tn_op_name(tn_op op);
TN_API const char *tn_op_doc(tn_op op);
TN_API int tn_op_inputs(tn_op op);
TN_API int tn_op_outputs(tn_op op);
/* Whether NumPy offers it as a ufunc (others serve functions such as isclose). */
TN_API bool tn_op_is_ufunc(tn_op op);
/* The value that an empty reduction gives; false if there is none. */
TN_API bool tn_op_identity(tn_op op, tn_scalar *identity);
/* The i-th loop as NumPy's types text ("ff->f"); NULL past the last. */
TN_API const char *tn_op_types(tn_op op, int index);
/* The dtypes of inputs in the loop and of outputs that a call with these operands has. `loop`
 * receives tn_op_inputs + tn_op_outputs dtypes. */
TN_API tn_status tn_op_resolve(tn_dtype *loop, tn_op op, const tn_operand *inputs, tn_dtype dtype,
                               tn_casting casting);

/* The dtype of several operands under NEP 50. */
TN_API tn_status tn_result_type(tn_dtype *result, int count, const tn_operand *operands);

/* outputs[k] = op(inputs...). outputs[k] NULL on entry: a new array is made; else it is written and
 * must have the broadcast shape or broadcast the inputs to it as NumPy does. Outputs may overlap
 * inputs: the result is as if inputs were copied first. All arrays must be on one device.
 * TN_ERROR_TYPE for dtypes without a loop, TN_ERROR_CASTING, TN_ERROR_VALUE for shapes. */
TN_API tn_status tn_elementwise(tn_array **outputs, tn_op op, const tn_operand *inputs,
                                const tn_elementwise_options *options, tn_stream *stream);

/* Shorthands for C programs: arrays in, a new array out, default options. */
TN_API tn_status tn_unary(tn_array **result, tn_op op, const tn_array *a, tn_stream *stream);
TN_API tn_status tn_binary(tn_array **result, tn_op op, const tn_array *a, const tn_array *b,
                           tn_stream *stream);

static inline tn_operand tn_operand_array(const tn_array *array) {
    tn_operand operand = {array, {TN_DTYPE_NONE, false, false, {0}}};
    return operand;
}
static inline tn_operand tn_operand_scalar(tn_scalar scalar) {
    tn_operand operand = {NULL, scalar};
    return operand;
}

#ifdef __cplusplus
}
#endif
#endif
