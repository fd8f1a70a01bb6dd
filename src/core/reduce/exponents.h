/* Negative exponents of integers, refused before a call writes anything. Both functions wait for
 * the stream where elements of arrays decide. */
#ifndef TNI_EXPONENTS_H
#define TNI_EXPONENTS_H

#include <tenorite/elementwise.h>

/* TN_ERROR_VALUE if an exponent of an element-wise power in a signed loop is negative. */
tn_status tni_exponents_check(const tn_operand *exponent, tn_dtype loop, tn_stream *stream);

/* The same for folds along an axis with any operation. The first element along the axis is a base,
 * unless the fold has an initial value. */
tn_status tni_exponents_check_fold(tn_op op, tn_dtype loop, const tn_array *array, int axis,
                                   bool has_initial, tn_stream *stream);

#endif
