/* Memory of devices and page-locked memory, and bytes copied and filled. */
#ifndef TNI_CUDA_MEMORY_MEMORY_H
#define TNI_CUDA_MEMORY_MEMORY_H

#include "backend/backend.h"
#include "backend/cuda/driver/driver_types.h"

/* Fills bytes, past the launches that wait for their kernels; tni_cuda_fill() of defer.h keeps the
 * order. */
tn_status tni_cuda_fill_now(void *to, int value, int64_t bytes, tn_stream *stream);

/* A copy in the context that is current. */
tn_status tni_cuda_copy_here(void *to, const void *from, size_t bytes, tni_direction direction,
                             CUstream stream);
/* The current device, or the first: any context serves where page-locked memory is asked for. */
int tni_cuda_any_number(void);
/* A failed allocation with its size, if the status says that memory is short; else the status as it
 * is. */
tn_status tni_cuda_fail_memory(tn_status status, int64_t bytes, int number);

#endif
