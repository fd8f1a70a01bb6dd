/* What take and put share on CUDA. */
#ifndef TNI_CUDA_INDEXING_H
#define TNI_CUDA_INDEXING_H

#include "backend/cuda/forms/program.h"
#include "forms/indexing.h"

/* What the writer does with the elements. */
typedef struct tni_move {
    bool is_put, is_checked, has_value;
    int owners;             /* OWNERS of take.cu */
    const char *owner_data; /* and where they lie */
    int64_t owner_mask;
    unsigned char value[16];
} tni_move;

/* One launch of take.cu. */
tn_status tni_cuda_move(const tni_indexing *form, const tni_move *move, const tni_bounds *bounds,
                        tn_stream *stream);

/* One launch that looks for indices out of bounds: of a strided i64 or other integer array. */
tn_status tni_cuda_check_indices(const char *data, tn_dtype dtype, int ndim, const int64_t *shape,
                                 const int64_t *strides, int64_t axis_size, int64_t axis,
                                 const tni_bounds *bounds, tn_stream *stream);

#endif
