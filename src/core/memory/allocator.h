/* The allocator that a new buffer uses. */
#ifndef TNI_ALLOCATOR_H
#define TNI_ALLOCATOR_H

#include <tenorite/memory.h>

/* The pool of the current allocator. NULL if it is not a pool: then `allocator` receives it. */
tn_pool *tni_allocator_pool(tn_allocator *allocator);

#endif
