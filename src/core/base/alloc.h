/* The library's own small allocations, which tests can make fail. */
#ifndef TNI_ALLOC_H
#define TNI_ALLOC_H

#include <stddef.h>

/* As malloc, calloc, realloc and free. NULL when memory is out, or when a test wants it; the caller
 * reports it with tni_fail_no_memory(). */
void *tni_malloc(size_t bytes);
void *tni_calloc(size_t count, size_t bytes);
void *tni_realloc(void *memory, size_t bytes);
void tni_free(void *memory);

/* For tests: the n-th allocation from now on fails (1: the next one), in any thread; 0: none.
 * tni_alloc_fail_pending() says whether that allocation has not come yet. */
void tni_alloc_fail_at(long n);
int tni_alloc_fail_pending(void);

#endif
