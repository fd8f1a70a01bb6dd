/* Rows in one launch of several passes over each. */
#ifndef TNI_CUDA_FORMS_FUSED_PASSES_H
#define TNI_CUDA_FORMS_FUSED_PASSES_H

#include "backend/cuda/forms/plan.h"
#include "forms/fused_rows.h"

/* False, and nothing is planned: a fold is of no rows, or several launches are faster. */
bool tni_plan_fused_passes(tni_plan *plan, const tni_fused_rows *call);

#endif
