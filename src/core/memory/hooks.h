/* Memory hooks of the calling thread, as the pool calls them. */
#ifndef TNI_HOOKS_H
#define TNI_HOOKS_H

#include "core/base/thread.h"
#include "core/trace/trace.h"

/* What the pool does with memory: it gets a chunk from its source, hands a block out, takes one
 * back. */
typedef enum tni_memory_event {
    TNI_MEMORY_ALLOC,
    TNI_MEMORY_MALLOC,
    TNI_MEMORY_FREE
} tni_memory_event;

/* Whether hooks, or a trace, want to know. A thread with hooks has no waiting calls: what it runs
 * belongs to another thread. */
static inline bool tni_has_hooks(void) {
    const unsigned wanted = TNI_TRACE_ON | TNI_LOG_POOL | TNI_LOG_UNREAD;
    return __builtin_expect((tni_self.hooks && !tni_self.runs_backlog) || tni_trace_look() & wanted,
                            0);
}

/* Calls the hooks before an event; what it gives is for the call after it. */
int64_t tni_hooks_before(tni_memory_event event, tn_device device, int64_t bytes,
                         int64_t rounded_bytes, void *address);
/* Calls them after it (address NULL: it has failed), and notes it in the trace. */
void tni_hooks_after(int64_t begun, tni_memory_event event, tn_device device, int64_t bytes,
                     int64_t rounded_bytes, void *address);
/* Notes that a chunk goes back to the source. */
void tni_hooks_trim(tn_device device, int64_t bytes, void *address);

#endif
