/* What memory.c gives to other files. */
#ifndef TNI_CUDA_MEMORY_MEMORY_H
#define TNI_CUDA_MEMORY_MEMORY_H

#include "backend/backend.h"
#include "backend/cuda/table.h"

#include <tenorite/linalg.h>

/* As tni_cuda_fill(), past the launches that wait for their kernels (defer.h). */
tn_status tni_cuda_fill_now(void *to, int value, int64_t bytes, tn_stream *stream);

#endif
