/* All operands of an evaluation. */
#ifndef TNI_KERNEL_EXPRESSION_INPUTS_H
#define TNI_KERNEL_EXPRESSION_INPUTS_H

#include "kernel/expression/places.h"

/* The operands that are given, arrays for values that are held, and views of both. `operands` has
 * room for all; what is made is released by tni_inputs_close(). */
tn_status tni_inputs_open(tn_operand *operands, tni_schedule *s, const tn_operand *given);
void tni_inputs_close(const tn_operand *operands, const tn_expression *e);

#endif
