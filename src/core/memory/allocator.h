/* The allocator that a new buffer uses. */
#ifndef TNI_ALLOCATOR_H
#define TNI_ALLOCATOR_H

#include <tenorite/linalg.h>

#include <tenorite/memory.h>

/* The pool of the current allocator. NULL if it is not a pool: then `allocator` receives it. */
tn_pool *tni_allocator_pool(tn_allocator *allocator);

void tni_hooks_call(bool is_after, const char *event, tn_device device, int64_t bytes,
                    int64_t rounded_bytes, void *address);

#endif
