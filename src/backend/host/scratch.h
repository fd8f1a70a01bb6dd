/* Scratch space of threads. */
#ifndef TNI_HOST_SCRATCH_H
#define TNI_HOST_SCRATCH_H

#include <tenorite/status.h>

#include <stddef.h>

/* Memory of the calling thread, kept between calls: at least `bytes`, aligned to a page. NULL when
 * memory is out. Valid until the thread's next call with the same slot (0 .. 4). */
void *tni_scratch(int slot, size_t bytes);

#endif
