/* The pool of threads that loops are shared out to. */
#ifndef TNI_HOST_THREADS_H
#define TNI_HOST_THREADS_H

#include <tenorite/status.h>

#include <stdint.h>

/* The pool is started by the first large loop, sized by affinity, cgroup
 * quota and TENORITE_NUM_THREADS; workers sleep on a futex and never spin longer than ~20 us.
 * task(context, begin, end) is called on disjoint ranges that cover [0, count), each range but the
 * last a multiple of `grain` (below 1: of 1); small counts (<= grain) and nested calls run in the
 * caller. Returns when all ranges are done. Any thread may call. A child of fork makes a new pool
 * on demand. */
void tni_parallel(int64_t count, int64_t grain,
                  void (*task)(void *context, int64_t begin, int64_t end), void *context);
/* The same for work that may be too short to share: `grain` is about a microsecond of it. The
 * caller runs the first grain, and others join only if that says that the rest is worth it. */
void tni_parallel_short(int64_t count, int64_t grain,
                        void (*task)(void *context, int64_t begin, int64_t end), void *context);
/* The same for units of which each takes about `ns` nanoseconds, as far as the form can tell. Short
 * ones are tried together and long ones if there are many; few long ones are shared at once. */
void tni_parallel_units(int64_t count, int64_t ns,
                        void (*task)(void *context, int64_t begin, int64_t end), void *context);
/* Threads that tni_parallel uses, the caller's included; >= 1. Starts nothing. */
int tni_thread_count(void);
/* Sets it (0: automatic again). */
void tni_thread_set_count(int count);

#endif
