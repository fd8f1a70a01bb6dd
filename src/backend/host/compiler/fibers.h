/* Stacks that a thread of the system changes between. */
#ifndef TNI_HOST_COMPILER_FIBERS_H
#define TNI_HOST_COMPILER_FIBERS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tni_fiber {
    void *stack; /* where it goes on; the thread's own fiber has nothing else */
    char *memory, *top;
    void (*body)(void *context);
    void *context;
    void *sanitizer; /* what the thread sanitizer calls it */
} tni_fiber;

/* A stack of its own; `number` keeps the first lines of many stacks apart in the cache. False:
 * there is no memory. */
bool tni_fiber_init(tni_fiber *fiber, unsigned number);
void tni_fiber_deinit(tni_fiber *fiber);

/* The fiber's next switch begins body(context), which must never return. */
void tni_fiber_prepare(tni_fiber *fiber, void (*body)(void *context), void *context);

/* Leaves `from`, which runs, and goes on where `to` was left. Both belong to the calling thread. */
void tni_fiber_switch(tni_fiber *from, tni_fiber *to);

#endif
