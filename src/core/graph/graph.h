/* Captures as core and backends see them, and the struct behind graphs. */
#ifndef TNI_GRAPH_H
#define TNI_GRAPH_H

#include "core/base/lock.h"
#include "core/stream/stream.h"

#include <tenorite/graph.h>
#include <tenorite/memory.h>

struct tni_capture_member;
struct tni_capture_use;
struct tni_capture_kept;
struct tni_capture_deferred;

struct tn_graph {
    atomic_int references; /* a capture that goes on is one */
    tn_device device;
    const struct tni_backend *backend;
    void *implementation; /* the backend's own */
    uint64_t id;          /* of the capture, never 0 */
    atomic_int callbacks; /* functions of the program that each launch calls */

    /* Written while it is recorded, under the lock of all captures; read only afterwards. */
    struct tn_graph *next_capture;
    struct tni_capture_member *members;
    struct tni_capture_use *uses;
    int member_count, member_capacity, use_count, use_capacity;
    struct tni_capture_kept *kept;
    struct tni_capture_deferred *deferred;

    tni_lock lock; /* of launches, so that `last` is the last one */
    uint64_t last; /* its stream's number; 0: never launched */
};

/* --- What happens on a stream that captures. Each looks again whether it does: another thread may have
 * ended the capture meanwhile, and then it is as if the stream had not captured. --- */

/* Notes that recorded work uses a buffer, which the graph holds from now on. `source`: where its memory is
 * from if it was made for this capture (below), else NULL. */
tn_status tni_capture_note(tn_stream *stream, tn_buffer *buffer, bool writes, const void *source);

/* A buffer made for this capture on this stream that nobody but the graph holds any more, retained; NULL
 * if there is none of `bytes` from `source`. */
tn_buffer *tni_capture_take(tn_stream *stream, const void *source, int64_t bytes);

/* The stream is about to wait for an event: if that was recorded in a capture, the stream takes part from
 * now on (`has_joined`); the other takes that back where the wait failed. */
tn_status tni_capture_join(bool *has_joined, tn_stream *stream, const tn_event *event);
void tni_capture_leave(tn_stream *stream);

/* The event behind the work that was queued before the stream was captured (retained); NULL: it is not
 * captured. */
tn_event *tni_capture_before(const tn_stream *stream);

/* Calls a cleanup when the capture has ended; `is_deferred` false: the stream captures nothing. */
tn_status tni_capture_defer(bool *is_deferred, tn_stream *stream, void (*function)(void *context),
                            void *context);

/* The capture that goes on and in which an event was recorded (borrowed); NULL: there is none. */
tn_graph *tni_capture_find(const tn_event *event);

/* TN_ERROR_RUNTIME if the stream is captured: the caller is about to copy from or to memory of the host, or
 * needs a result. */
tn_status tni_capture_check_host(const tn_stream *stream);
/* TN_ERROR_RUNTIME unless both streams take part in one capture, or neither in any. */
tn_status tni_capture_check_common(const tn_stream *a, const tn_stream *b);

#endif
