/* Launches that take and put, and the check of indices that others share. */
#ifndef TNI_CUDA_FORMS_TAKE_H
#define TNI_CUDA_FORMS_TAKE_H

#include "backend/cuda/forms/index/indexing.h"

/* One launch of take.cu. */
tn_status tni_plan_move(tni_plan *plan, const tni_indexing *form, const tni_move *move);
/* One launch that looks for indices out of bounds: of a strided i64 or other integer array. Of
 * segments (a reduceat's) `axis` is the operation. */
void tni_plan_check(tni_plan *plan, const char *data, tn_dtype dtype, int ndim,
                    const int64_t *shape, const int64_t *strides, int64_t axis_size, int64_t axis,
                    bool are_segments);

#endif
