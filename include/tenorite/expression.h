/* Expressions: graphs of operations that run fused, in one pass over memory or few.
 *
 * A program builds a graph once, of operations of the table, and evaluates it with arrays as often
 * as it likes. The result is that of the same calls one by one, bit for bit on the host: dtypes
 * follow the same rules, and arrays that are written in place are written in the same order.
 *
 * Values are numbers from 0 on, in the order in which they are added. A value is an array that is
 * given with each evaluation, a scalar, or what an operation makes of earlier values. Shapes are
 * found by each evaluation, so one graph serves arrays of all shapes that broadcast together. */
#ifndef TENORITE_EXPRESSION_H
#define TENORITE_EXPRESSION_H

#include <tenorite/elementwise.h>
#include <tenorite/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_expression tn_expression;

enum { TN_EXPRESSION_OPERANDS = 64, TN_EXPRESSION_OUTPUTS = 32, TN_EXPRESSION_AXES = 8 };

TN_API tn_status tn_expression_new(tn_expression **result);
TN_API tn_expression *tn_expression_retain(tn_expression *expression);
TN_API void tn_expression_release(tn_expression *expression); /* NULL is allowed */

/* --- Building. No thread may evaluate the expression meanwhile. A value that is no earlier one is
 * TN_ERROR_VALUE; too many of a kind are TN_ERROR_NOT_IMPLEMENTED. --- */

/* The next operand is an array of this dtype. */
TN_API tn_status tn_expression_input(int *value, tn_expression *expression, tn_dtype dtype);
/* The next operand is a scalar of this dtype; of a weak one that is i64, u64, f64 or c128. */
TN_API tn_status tn_expression_parameter(int *value, tn_expression *expression, tn_dtype dtype,
                                         bool weak);
/* A scalar that is part of the graph. */
TN_API tn_status tn_expression_constant(int *value, tn_expression *expression, tn_scalar scalar);

/* values[k] = op(inputs...), tn_op_outputs(op) of them, with the dtypes and failures of
 * tn_elementwise(). `dtype` and `casting` as in tn_elementwise_options. At least one input is no
 * scalar. Powers that look at their exponents first are TN_ERROR_NOT_IMPLEMENTED. */
TN_API tn_status tn_expression_apply(int *values, tn_expression *expression, tn_op op,
                                     const int *inputs, tn_dtype dtype, tn_casting casting);
/* A value as another dtype, which lies as tn_array_astype() makes it in order K; of an input, or
 * what is stored to one, as the same too: a copy. */
TN_API tn_status tn_expression_cast(int *value, tn_expression *expression, int from, tn_dtype dtype,
                                    tn_casting casting);
/* A reduction. Of the options axes, keepdims, dtype and correction may be given. */
TN_API tn_status tn_expression_reduce(int *value, tn_expression *expression, tn_reduction reduction,
                                      int from, const tn_reduce_options *options);
/* to[...] = from, where `to` is a tn_expression_input(). The result is the array's contents from
 * here on; the input's value itself stays what it was before. `from` has the shape of `to` or
 * broadcasts to it. */
TN_API tn_status tn_expression_store(int *value, tn_expression *expression, int to, int from,
                                     tn_casting casting);
/* Views, as the functions of arrays with these names make them. A view of an input, or of what is
 * stored to one, is an input of its own that shows the same memory: what is stored to one of them
 * is seen by the others from there on, and a tn_expression_store() may go to it. A view of what is
 * computed shows that value; an evaluation makes it in memory, unless it is one number for each row
 * whose elements are computed in one pass with it, or few steps make it of arrays that are given.
 * Reshaping to C order never copies: TN_ERROR_VALUE of an evaluation where that would be needed. */
TN_API tn_status tn_expression_slice(int *value, tn_expression *expression, int from, int count,
                                     const tn_index *items);
TN_API tn_status tn_expression_transpose(int *value, tn_expression *expression, int from, int count,
                                         const int *axes);
TN_API tn_status tn_expression_squeeze(int *value, tn_expression *expression, int from, int count,
                                       const int *axes);
TN_API tn_status tn_expression_reshape(int *value, tn_expression *expression, int from, int ndim,
                                       const int64_t *shape);
TN_API tn_status tn_expression_broadcast_to(int *value, tn_expression *expression, int from,
                                            int ndim, const int64_t *shape);
TN_API tn_status tn_expression_part(int *value, tn_expression *expression, int from,
                                    bool imaginary);
/* A computed value as an input, for stores to parts of it: each evaluation makes its array. What it
 * holds before the first tn_expression_store() to it is not said. No view: TN_ERROR_VALUE. */
TN_API tn_status tn_expression_hold(int *value, tn_expression *expression, int from);
/* What `to`, which the expression computes, is from here on: the value `from` in its dtype, lying
 * as `to`, as after to[...] = from. `takes`: nothing else uses `from`, which may become that value.
 * An evaluation is TN_ERROR_VALUE unless both have one shape. */
TN_API tn_status tn_expression_assign(int *value, tn_expression *expression, int to, int from,
                                      tn_casting casting, bool takes);
/* The next output: what an operation, a cast or a reduction makes. Each output is an array of its
 * own, those of one value too; that of a view shows the memory of what it is a view of. */
TN_API tn_status tn_expression_output(tn_expression *expression, int value);

/* --- Looking at graphs. --- */

TN_API tn_dtype tn_expression_dtype(const tn_expression *expression, int value);
TN_API int tn_expression_operand_count(const tn_expression *expression);
TN_API int tn_expression_output_count(const tn_expression *expression);
/* The same for graphs that were built by the same calls. Kept while building: costs nothing. */
TN_API uint64_t tn_expression_hash(const tn_expression *expression);

/* --- Evaluation. Any thread; an expression that is complete is read only. --- */

/* Evaluates with the operands in their order; each output is a new array. Arrays that are stored
 * to may overlap others: what was added before such a store runs before it, what comes after it
 * runs after. Reductions that no output and no store needs are not computed.
 * `stream` NULL: the current one of the arrays' device. TN_ERROR_TYPE for an operand of another
 * dtype, TN_ERROR_VALUE for shapes, TN_ERROR_OVERFLOW for a weak integer that does not fit,
 * TN_ERROR_NOT_IMPLEMENTED where the whole has more than 16 shapes. */
TN_API tn_status tn_expression_evaluate(tn_array **outputs, const tn_expression *expression,
                                        const tn_operand *operands, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
