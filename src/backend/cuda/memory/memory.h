/* What memory.c gives to other files. */
#ifndef TNI_CUDA_MEMORY_MEMORY_H
#define TNI_CUDA_MEMORY_MEMORY_H

#include "backend/backend.h"

#include <tenorite/linalg.h>

tn_status tni_cuda_memory_allocate(void **address, int64_t bytes, int number);
void tni_cuda_memory_free(void *address, int64_t bytes, int number);
tn_status tni_cuda_pinned_allocate(void **address, int64_t bytes);
void tni_cuda_pinned_free(void *address, int64_t bytes);
bool tni_cuda_is_page_locked(const void *address, int number);
tn_status tni_cuda_copy(void *to, const void *from, int64_t bytes, tni_direction direction,
                        tn_stream *stream);
tn_status tni_cuda_fill(void *to, int value, int64_t bytes, tn_stream *stream);
/* The same, past the launches that wait for their kernels (defer.h). */
tn_status tni_cuda_fill_now(void *to, int value, int64_t bytes, tn_stream *stream);

#endif
