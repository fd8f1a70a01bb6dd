/* The plan of a reduction that other forms share. */
#ifndef TNI_CUDA_FORMS_REDUCE_H
#define TNI_CUDA_FORMS_REDUCE_H

#include "backend/cuda/forms/plan.h"
#include "forms/kernel.h"

/* One reduction: `call` with the fold's kind apart, so that argument reductions come the same
 * way. */
tn_status tni_plan_fold(tni_plan *plan, const tni_reduce *call, int kind);

/* The same for texts of a program: one step, whose form and numbers are the frame. */
void tni_plan_program_fold(tni_plan *plan, const tni_kernel_fold *fold);
/* Planned and launched. */
tn_status tni_cuda_fold_by_program(const tni_kernel_fold *fold, tn_stream *stream);

#endif
