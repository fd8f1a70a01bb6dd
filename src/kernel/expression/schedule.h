/* Which nodes of a graph run together, for the shapes of one evaluation, and in which order. */
#ifndef TNI_KERNEL_EXPRESSION_SCHEDULE_H
#define TNI_KERNEL_EXPRESSION_SCHEDULE_H

#include "kernel/expression/places.h"

/* Fills in shapes, and what is needed; `places` are zeroed, `operands` checked, `overlapping` set.
 */
tn_status tni_schedule_look(tni_schedule *s);
/* Then groups and their order. */
tn_status tni_schedule_make(tni_schedule *s);

#endif
