/* What waiting calls came to, of all threads. */
#ifndef TNI_KERNEL_BACKLOG_FIGURES_H
#define TNI_KERNEL_BACKLOG_FIGURES_H

#include "core/base/waiting.h"
#include "kernel/backlog/backlog.h"

typedef struct tni_backlog_counters {
    atomic_int_least64_t joined, runs, graphs, programs, single_calls, dropped, lost;
    atomic_int_least64_t launches, bytes, single_launches, single_bytes;
    atomic_int_least64_t looks[TNI_LOOKS];
} tni_backlog_counters;
extern tni_backlog_counters tni_backlog_counted;

static inline void tni_backlog_add(atomic_int_least64_t *counter, int64_t change) {
    atomic_fetch_add_explicit(counter, change, memory_order_relaxed);
}

/* What a call's arrays cost by themselves is added to one cost or two. */
void tni_figures_add_call(tn_explained_cost *to, const tni_waiting_call *call);
/* A run that is over is added to the counters. */
void tni_figures_add_run(const tn_backlog_run *run);

/* What a call is: "add of float32 and a scalar". */
enum { TNI_CALL_TEXT = 160 };
const char *tni_call_name(const tni_waiting_call *call);
const char *tni_call_text(char text[TNI_CALL_TEXT], const tni_waiting_call *call);

#endif
