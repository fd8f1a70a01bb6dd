/* The structs behind streams and events, shared by core and backends. */
#ifndef TNI_STREAM_H
#define TNI_STREAM_H

#include <stdatomic.h>
#include <tenorite/device.h>

struct tni_backend;
struct tn_graph;

struct tn_stream {
    atomic_int references;
    _Atomic(struct tn_graph *) capture; /* what its work is recorded into; core/graph.c */
    tn_device device;
    bool is_default;
    bool is_immediate; /* work is done when the call that queues it returns (the host's default) */
    bool non_blocking;
    int priority;
    const struct tni_backend *backend;
    void *implementation; /* the backend's own */
};

struct tn_event {
    atomic_int references;
    tn_device device;
    bool timing;
    const struct tni_backend *backend;
    void *implementation;
    atomic_uint_least64_t capture; /* in which it was recorded last; 0: in none */
};

/* NULL: the stream's work is done, not recorded. */
static inline struct tn_graph *tni_stream_capture(const tn_stream *stream) {
    return atomic_load_explicit(&stream->capture, memory_order_acquire);
}

/* The stream meant by `stream`: itself, or the current one of `device` when NULL. A stream of
 * another device is TN_ERROR_VALUE naming both. */
tn_status tni_stream_resolve(tn_stream **result, tn_stream *stream, tn_device device);

/* Later work of `later` waits for what `earlier` has now (both may be of any device). On an
 * immediate `later` the caller waits. Does nothing if they are the same or `earlier` is done, nor where
 * `later` alone is captured: its work waits when the graph is launched. */
tn_status tni_stream_order(tn_stream *later, tn_stream *earlier);

/* The backend's entries for any stream. One that is captured is done when the work is that was queued
 * before; a cleanup is put off to the end of the capture. */
tn_status tni_stream_is_done(tn_stream *stream, bool *done);
tn_status tni_stream_add_cleanup(tn_stream *stream, void (*function)(void *context), void *context);

/* The backend's entry, which leaves failures of earlier calls to others. */
tn_status tni_event_is_done(tn_event *event, bool *done);

/* Waits until an event is done or has failed, and leaves the failure to whom it is for. */
void tni_event_drain(tn_event *event);

#endif
