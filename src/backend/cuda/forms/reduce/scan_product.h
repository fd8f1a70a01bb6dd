/* Running products that must be those of multiplying from left to right. */
#ifndef TNI_CUDA_SCAN_PRODUCT_H
#define TNI_CUDA_SCAN_PRODUCT_H

#include "backend/cuda/forms/plan.h"
#include "core/rules/reduce_table.h"

/* Whether a running fold that could be computed in any grouping may not be: a product of floats on
 * its way can leave the range of the type, and then stays there. */
bool tni_scan_keeps_order(const tni_scan *call);

void tni_plan_scan_product(tni_plan *plan, const tni_scan *call);

#endif
