/* Small graphs of the host whose single calls cost less than to look at the graph. */
#ifndef TNI_KERNEL_EXPRESSION_FEW_H
#define TNI_KERNEL_EXPRESSION_FEW_H

#include "kernel/expression/places.h"

/* Whether a graph, whose operands are checked, is so small and simple. */
bool tni_few_is(const tni_schedule *s);

/* Computes its nodes one after the other. */
tn_status tni_few_evaluate(tn_array **outputs, tni_schedule *s);

#endif
