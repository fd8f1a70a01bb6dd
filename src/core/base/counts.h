/* How many objects live. Each thread counts what it makes and drops, so counting costs an addition;
 * a question adds up all threads. The count of one thread may well be negative. */
#ifndef TNI_COUNTS_H
#define TNI_COUNTS_H

#include "core/base/thread.h"

/* Enters the calling thread into the list of those whose counts are added up. Must be called once
 * before the thread ends; later calls are cheap, and not free. */
void tni_counts_begin(void);

static inline void tni_count(tni_living what, int change) {
    atomic_int_least64_t *count = &tni_self.counts[what];
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + change,
                          memory_order_relaxed);
}

/* The sums over all threads. */
void tni_counts_add_up(int64_t counts[TNI_COUNTED]);

/* Counts objects that are made and dropped seldom. */
static inline void tni_count_seldom(tni_living what, int change) {
    tni_counts_begin();
    tni_count(what, change);
}

#endif
