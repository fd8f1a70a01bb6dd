/* What take.c gives to other files. */
#ifndef TNI_CUDA_FORMS_TAKE_H
#define TNI_CUDA_FORMS_TAKE_H

#include "backend/cuda/forms/indexing.h"

/* One launch of take.cu. */
tn_status tni_cuda_move(const tni_indexing *form, const tni_move *move, const tni_bounds *bounds,
                        tn_stream *stream);
/* One launch that looks for indices out of bounds: of a strided i64 or other integer array. */
tn_status tni_cuda_check_indices(const char *data, tn_dtype dtype, int ndim, const int64_t *shape,
                                 const int64_t *strides, int64_t axis_size, int64_t axis,
                                 const tni_bounds *bounds, tn_stream *stream);

#endif
