/* Groups as they run: what no group needs is gone, parts that share nothing are apart, each thing
 * is computed where it is read. */
#ifndef TNI_KERNEL_EXPRESSION_REGROUP_H
#define TNI_KERNEL_EXPRESSION_REGROUP_H

#include "kernel/expression/places.h"

/* Of groups by levels, with the nodes that enter reductions: fills in `members`, `order`, which
 * values are kept and until when, and which groups store. */
void tni_regroup(tni_schedule *s);

#endif
