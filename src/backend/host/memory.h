/* What memory.c gives to other files. */
#ifndef TNI_HOST_MEMORY_H
#define TNI_HOST_MEMORY_H

#include "backend/backend.h"

#include <tenorite/linalg.h>

/* Scratch memory of the calling thread, kept between calls: at least `bytes`, aligned to a page. NULL
 * when memory is out. Valid until the thread's next call with the same slot (0 .. 3). */
void *tni_scratch(int slot, size_t bytes);

/* memory.c */
tn_status tni_host_memory_allocate(void **address, int64_t bytes, int number);
void tni_host_memory_free(void *address, int64_t bytes, int number);
tn_status tni_host_pinned_allocate(void **address, int64_t bytes);
void tni_host_pinned_free(void *address, int64_t bytes);
tn_status tni_host_copy(void *to, const void *from, int64_t bytes, tni_direction direction,
                        tn_stream *stream);
tn_status tni_host_fill(void *to, int value, int64_t bytes, tn_stream *stream);

#endif
