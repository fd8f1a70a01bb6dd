/* The thread that gives an idle GPU what waits for it. */
#ifndef TNI_KERNEL_BACKLOG_IDLE_H
#define TNI_KERNEL_BACKLOG_IDLE_H

#include "kernel/backlog/backlog.h"

#include "core/stream/stream.h"

enum { TNI_IDLE_NONE, TNI_IDLE_ASLEEP, TNI_IDLE_AWAKE };
extern atomic_int tni_idle_state; /* of the thread; a futex word */

/* tn_backlog_set_patience() */
void tni_idle_set_patience(int64_t nanoseconds);

/* Starts the thread, or wakes it. */
void tni_idle_wake(void);

/* A backlog that was empty has a call. The count must be seen by a thread that falls asleep now, so
 * it was stored before. */
static inline void tni_idle_note(const tn_stream *stream) {
    if (stream->device.backend == TN_BACKEND_HOST) return;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&tni_idle_state, memory_order_relaxed) != TNI_IDLE_AWAKE)
        tni_idle_wake();
}

/* The thread is not there in a child of fork; the next call there starts it again. */
void tni_idle_forget(void);

#endif
