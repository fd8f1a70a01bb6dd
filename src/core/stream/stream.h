/* The structs after streams and events, shared by core and backends. */
#ifndef TNI_STREAM_H
#define TNI_STREAM_H

#include "core/base/thread.h"

#include <stdatomic.h>
#include <tenorite/device.h>

struct tni_backend;
struct tn_graph;

struct tn_stream {
    /* The first four: core/stream/stream_life.c. */
    atomic_uint_least64_t number;     /* of this stream alone */
    atomic_uint_least64_t references; /* not of a default stream */
    uint64_t awaited;
    struct tn_stream *next;
    atomic_bool is_ending;   /* the program has let go of it */
    atomic_bool has_left;    /* its handle is known outside: others may queue, mark, capture */
    bool is_idle;            /* the stream ends, and nothing is queued */
    struct tni_arena *arena; /* of the default pool; NULL: none. Guarded by that pool's lock */
    _Atomic(struct tn_graph *) capture; /* the graph that records the stream's work, or NULL */
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
    atomic_uint_least64_t capture; /* in which the event was recorded last; 0: in none */
};

/* NULL: the stream's work is done, not recorded. */
static inline struct tn_graph *tni_stream_capture(const tn_stream *stream) {
    return atomic_load_explicit(&stream->capture, memory_order_acquire);
}

/* Default streams have a number each that is known before they are made. */
enum { TNI_STREAM_SLOTS = TN_BACKEND_COUNT * TNI_MAX_DEVICES };
static inline int tni_stream_slot(tn_device device) {
    return device.backend * TNI_MAX_DEVICES + device.number;
}

static inline uint64_t tni_stream_number(const tn_stream *stream) {
    return atomic_load_explicit(&stream->number, memory_order_relaxed);
}

/* The stream meant by `stream`: itself, or the current one of `device` when NULL. A stream of
 * another device is TN_ERROR_VALUE naming both. */
tn_status tni_stream_resolve(tn_stream **result, tn_stream *stream, tn_device device);

/* tn_stream_synchronize() of a wait that the program has written, or knows of: no watcher is asked
 * (core/trace/trace.h). */
tn_status tni_stream_wait(tn_stream *stream, int64_t timeout_ns);

/* A stream that the program gave; NULL becomes the current one of the current device. */
static inline tn_status tni_stream_or_current(tn_stream **stream) {
    return *stream ? TN_OK : tni_stream_resolve(stream, NULL, tn_device_get_current());
}

#endif
