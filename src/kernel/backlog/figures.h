/* What waiting calls came to, of all threads. */
#ifndef TNI_KERNEL_BACKLOG_FIGURES_H
#define TNI_KERNEL_BACKLOG_FIGURES_H

#include "core/base/waiting.h"

#include <tenorite/backlog.h>

typedef struct tni_backlog_counters {
    atomic_int_least64_t joined, runs, graphs, single_calls, dropped, lost, bytes, single_bytes;
    atomic_int_least64_t looks[TNI_LOOKS];
} tni_backlog_counters;
extern tni_backlog_counters tni_backlog_counted;

static inline void tni_backlog_add(atomic_int_least64_t *counter, int64_t change) {
    atomic_fetch_add_explicit(counter, change, memory_order_relaxed);
}

#endif
