/* The words that all look at, and what others set for this room. */
#include "core/trace/flags.h"

unsigned tni_trace_flags = TNI_LOG_UNREAD;
_Thread_local tni_trace_label tni_trace_work;
_Atomic(tn_status (*)(void)) tni_wait_watcher;
_Atomic(void (*)(bool)) tni_trace_gather;
_Atomic(void (*)(const struct tn_stream *, bool)) tni_trace_around;

const unsigned *tn_trace_flag(void) {
    return &tni_trace_flags;
}

void tn_wait_set_watcher(tn_status (*watcher)(void)) {
    atomic_store(&tni_wait_watcher, watcher);
}
