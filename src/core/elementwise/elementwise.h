/* Element-wise work as the rest of core asks for it: operations, and copies between layouts. */
#ifndef TNI_ELEMENTWISE_H
#define TNI_ELEMENTWISE_H

#include "core/array/array.h"
#include "forms/elementwise.h"

#include <tenorite/elementwise.h>

/* to[...] = convert(from), same shape, no overlap, any strides and alignment, one device. Passes
 * the door itself. */
tn_status tni_copy_elements(tn_array *to, const tn_array *from, tn_stream *stream);

/* Refuses exponents that are negative integers (core/reduce/exponents.h). */
typedef tn_status tni_exponents_checker(const tn_operand *exponent, tn_dtype loop,
                                        tn_stream *stream);

/* tn_elementwise(), with the check of exponents given: NULL for operations that are no powers. */
tn_status tni_elementwise_run(tn_array **outputs, tn_op op, const tn_operand *inputs,
                              const tn_elementwise_options *options, tni_exponents_checker *checker,
                              tn_stream *stream);

/* New arrays for operations of one or two inputs that are no powers. */
tn_status tni_unary(tn_array **result, tn_op op, const tn_array *a, tn_stream *stream);
tn_status tni_binary(tn_array **result, tn_op op, const tn_array *a, const tn_array *b,
                     tn_stream *stream);

/* A call that waited: what tni_waiting_table.join_elementwise() was given. */
tn_status tni_elementwise_again(const tni_elementwise *call, const tn_array *const *arrays,
                                tn_stream *stream);

/* A mask is a bool array, else TN_ERROR_CASTING. */
tn_status tni_mask_check(const tn_array *mask);

#endif
