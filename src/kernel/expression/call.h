/* Calls of the form "expression". */
#ifndef TNI_KERNEL_EXPRESSION_CALL_H
#define TNI_KERNEL_EXPRESSION_CALL_H

#include "kernel/expression/places.h"

/* Queues what a group computes; makes arrays of the values that others read, and writes those that
 * the group stores. */
tn_status tni_call_group(tni_schedule *s, int group);

/* Queues the nodes that enter a reduction, and makes an array of what it reads. */
tn_status tni_call_folded(tn_array **result, tni_schedule *s, int group);

#endif
