/* Captures: which streams' work is recorded into which graph, and the struct after a graph.
 *
 * A capture is a graph that is being recorded; its streams are the members. */
#ifndef TNI_CAPTURE_H
#define TNI_CAPTURE_H

#include "core/base/lock.h"
#include "core/stream/stream.h"

#include <tenorite/graph.h>

struct tni_capture_use; /* core/memory/capture_uses.h */

typedef struct tni_capture_member {
    tn_stream *stream; /* retained; NULL when the capture has ended */
    uint64_t number;   /* of the stream */
    tn_event *before;  /* after what was queued before it took part; NULL after the first launch */
} tni_capture_member;

/* A thing that the program gave to the graph, and the function that lets go of it. */
typedef struct tni_capture_kept {
    struct tni_capture_kept *next;
    void (*release)(void *context);
    void *context;
} tni_capture_kept;

/* A cleanup that is put off to the end of the capture. */
typedef struct tni_capture_deferred {
    struct tni_capture_deferred *next;
    tn_stream *stream; /* a member */
    void (*function)(void *context);
    void *context;
} tni_capture_deferred;

struct tn_graph {
    atomic_int references; /* a capture that goes on is one */
    tn_device device;
    const struct tni_backend *backend;
    void *implementation; /* the backend's own */
    uint64_t id;          /* of the capture, never 0 */
    atomic_int callbacks; /* functions of the program that each launch calls */

    /* Written while it is recorded, under the lock of all captures; read only afterwards. */
    struct tn_graph *next_capture;
    tni_capture_member *members;
    struct tni_capture_use *uses;
    int member_count, member_capacity, use_count, use_capacity;
    tni_capture_kept *kept;
    tni_capture_deferred *deferred;

    tni_lock lock; /* of launches, so that `last` is the last one */
    uint64_t last; /* its stream's number; 0: never launched */
};

/* --- The life of a capture --- */

/* Guards `capture` of streams, and graphs while they are recorded. */
extern tni_lock tni_captures_lock;

bool tni_capture_is_under_way(void);
/* An event after what a stream has queued now. */
tn_status tni_capture_mark_before(tn_event **result, tn_stream *stream);
/* Adds a stream that does not capture yet; `before` becomes the graph's. */
tn_status tni_capture_add_member(tn_graph *graph, tn_stream *stream, tn_event *before);
/* From now on the stream's work is recorded into the graph. */
void tni_capture_begin(tn_graph *graph, tn_stream *stream);
/* The graph's streams are like any other from now on. */
void tni_capture_end(tn_graph *graph);
/* Room for one more item in a list of a graph. */
tn_status tni_capture_need_room(void **list, int count, int *capacity, size_t item_bytes);

/* --- What happens on a stream that captures --- */

/* Each function looks again whether the stream captures: another thread may have ended the capture
 * meanwhile, and then it is as if the stream had not captured. */

/* The stream is about to wait for an event: if the event was recorded in a capture, the stream
 * takes part from now on (`has_joined`). tni_capture_leave() takes it out again where the wait
 * failed. */
tn_status tni_capture_join(bool *has_joined, tn_stream *stream, const tn_event *event);
void tni_capture_leave(tn_stream *stream);

/* The event after the work that was queued before the stream was captured (retained); NULL: it is
 * not captured. */
tn_event *tni_capture_before(const tn_stream *stream);

/* Calls a cleanup when the capture has ended; `is_deferred` false: the stream captures nothing. */
tn_status tni_capture_defer(bool *is_deferred, tn_stream *stream, void (*function)(void *context),
                            void *context);

/* The capture that goes on and in which an event was recorded (borrowed); NULL: there is none. */
tn_graph *tni_capture_find(const tn_event *event);

/* TN_ERROR_RUNTIME if the stream is captured: the caller is about to copy from or to memory of the
 * host, or needs a result. */
tn_status tni_capture_check_host(const tn_stream *stream);
/* TN_ERROR_RUNTIME unless both streams take part in one capture, or neither in any. */
tn_status tni_capture_check_common(const tn_stream *a, const tn_stream *b);

#endif
