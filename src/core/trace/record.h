/* The events that a trace keeps. */
#ifndef TNI_TRACE_RECORD_H
#define TNI_TRACE_RECORD_H

#include "core/trace/trace.h"

typedef struct tni_event {
    atomic_uint_least64_t ready; /* its number + 1 when it is whole */
    int64_t begin_ns, end_ns;
    int64_t bytes;
    uint64_t number; /* of a stream; an address */
    uint32_t name, place;
    int32_t thread; /* as the system numbers it */
    tn_device device;
    uint8_t kind, depth, direction, shape_bytes;
    char shapes[36];
} tni_event;

/* Depth of an event: of calls around it, and whether it belongs on a stream's track. */
enum { TNI_EVENT_DEPTH = 127, TNI_EVENT_OF_STREAM = 128 };

/* A trace begins (its flag is the caller's to set), and ends, when no event is being noted. */
tn_status tni_record_start(int64_t most_events, bool keeps_last);
tn_status tni_record_stop(void);

/* Room for an event and its number; NULL: none is traced, or there is no room. What is given is
 * handed back by tni_record_ready() in any case, and soon: a trace that ends waits for it. */
tni_event *tni_record_room(uint64_t *number);
void tni_record_ready(tni_event *event, uint64_t number);
/* Counts events that could not be noted. */
void tni_record_lose(int64_t events);

/* Calls `visit` for each event that is kept, in the order in which they were noted, from `first`
 * on. No trace may be under way, unless the caller takes what comes meanwhile as missing. */
void tni_record_each(uint64_t first, void (*visit)(void *context, const tni_event *event),
                     void *context);
/* Nanoseconds at which the trace began; whether there is one that has ended. */
int64_t tni_record_start_ns(void);
bool tni_record_is_kept(void);

/* Threads that have noted something, and what each is called. */
enum { TNI_TRACE_THREADS = 1024 };
typedef struct tni_trace_thread {
    atomic_int id; /* 0: no entry */
    char name[20];
} tni_trace_thread;
extern tni_trace_thread tni_trace_threads[TNI_TRACE_THREADS];
int32_t tni_trace_thread_id(void);

#endif
