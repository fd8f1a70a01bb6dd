/* The words that all calls look at. One word of flags stands for all readers of events: a trace,
 * and the lines of TENORITE_LOG. */
#ifndef TNI_TRACE_FLAGS_H
#define TNI_TRACE_FLAGS_H

#include <stdatomic.h>
#include <tenorite/trace.h>

enum {
    TNI_TRACE_ON = 1,
    TNI_LOG_COMPILE = 2,
    TNI_LOG_CACHE = 4,
    TNI_LOG_WAIT = 8,
    TNI_LOG_POOL = 16,
    TNI_LOG_PROGRESS = 32,
    TNI_LOG_SLOW = 64, /* compilations of more than a second */
    TNI_LOG_UNREAD = 128,
};
extern unsigned tni_trace_flags __attribute__((visibility("hidden")));

/* The word as it is now: others may change it at any time. */
static inline unsigned tni_trace_look(void) {
    return __atomic_load_n(&tni_trace_flags, __ATOMIC_RELAXED);
}

/* Whether a trace is under way. */
static inline bool tni_is_traced(void) {
    return __builtin_expect(tni_trace_look() & TNI_TRACE_ON, 0);
}

/* Of the work that this thread is about to queue: the number of its name (0: it is not traced) and
 * of its place, and the low bits of its stream's. */
typedef struct tni_trace_label {
    uint32_t name, place, stream;
} tni_trace_label;
extern _Thread_local tni_trace_label tni_trace_work __attribute__((tls_model("initial-exec")));

/* What is asked before a wait that the program has not written. */
extern _Atomic(tn_status (*)(void)) tni_wait_watcher __attribute__((visibility("hidden")));
static inline tn_status tni_wait_ask(void) {
    tn_status (*watcher)(void) = atomic_load_explicit(&tni_wait_watcher, memory_order_acquire);
    return __builtin_expect(watcher != NULL, 0) ? watcher() : TN_OK;
}

/* Called when a trace is to end, before it does: what is still on its way comes now. Lower files
 * know no backend, which sets this. */
extern _Atomic(void (*)(bool is_beginning)) tni_trace_gather __attribute__((visibility("hidden")));

/* Called around work of a stream that is being queued while a trace is under way, `tni_trace_work`
 * being about it. A backend sets this. */
struct tn_stream;
extern _Atomic(void (*)(const struct tn_stream *stream, bool is_beginning)) tni_trace_around
    __attribute__((visibility("hidden")));
static inline void tni_trace_report(const struct tn_stream *stream, bool is_beginning) {
    void (*around)(const struct tn_stream *, bool) =
        atomic_load_explicit(&tni_trace_around, memory_order_acquire);
    if (around) around(stream, is_beginning);
}

#endif
