/* The plan of a reduction that other forms share. */
#ifndef TNI_CUDA_FORMS_REDUCE_H
#define TNI_CUDA_FORMS_REDUCE_H

#include "backend/cuda/forms/plan.h"
#include "forms/reduce.h"

/* One reduction: `call` with the fold's kind apart, so that argument reductions come the same
 * way. */
tn_status tni_plan_fold(tni_plan *plan, const tni_reduce *call, int kind);

#endif
