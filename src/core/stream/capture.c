/* Captures: which streams take part in which, and what waits for their end.
 *
 * Decides: a stream that waits for an event of a capture takes part from then on. Work that other
 * streams must wait for is what a stream had queued before it took part: `before` of each member
 * is the event after that.
 * Invariant: `capture` of a stream is the graph in whose members the stream is, under
 * `tni_captures_lock`. */
#include "core/stream/capture.h"

#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/waiting.h"
#include "core/stream/event.h"

#include <pthread.h>

typedef tni_capture_member member;
typedef tni_capture_kept kept;
typedef tni_capture_deferred deferred;

tni_lock tni_captures_lock;
static tn_graph *captures; /* those that go on, linked through `next_capture` */
static uint64_t last_id;

static void before_fork(void) {
    tni_look_all(TNI_LOOK_FORK);
    tni_lock_take(&tni_captures_lock);
}
static void after_fork(void) {
    tni_lock_give(&tni_captures_lock);
}
static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, after_fork);
}

/* --- Taking part --- */

tn_status tni_capture_need_room(void **list, int count, int *capacity, size_t item_bytes) {
    if (count < *capacity) return TN_OK;
    int larger = *capacity ? 2 * *capacity : 8;
    void *moved = tni_realloc(*list, (size_t)larger * item_bytes);
    if (!moved) return tni_fail_no_memory((int64_t)((size_t)larger * item_bytes));
    *list = moved;
    *capacity = larger;
    return TN_OK;
}

static member *find_member(const tn_graph *graph, const tn_stream *stream) {
    for (int k = 0; graph && k < graph->member_count; k++)
        if (graph->members[k].stream == stream) return &graph->members[k];
    return NULL;
}

tn_status tni_capture_add_member(tn_graph *graph, tn_stream *stream, tn_event *before) {
    TNI_TRY(tni_capture_need_room((void **)&graph->members, graph->member_count,
                                  &graph->member_capacity, sizeof(member)));
    graph->members[graph->member_count++] =
        (member){tn_stream_retain(stream), tni_stream_number(stream), before};
    return TN_OK;
}

tn_status tni_capture_mark_before(tn_event **result, tn_stream *stream) {
    tn_event *event;
    TNI_TRY(tn_event_new(&event, stream->device, false));
    tn_status status = tn_event_record(event, stream);
    if (status == TN_OK)
        *result = event;
    else
        tn_event_release(event);
    return status;
}

/* Called with the lock held. */
static tn_graph *find_capture(uint64_t id) {
    tn_graph *graph = captures;
    while (graph && graph->id != id)
        graph = graph->next_capture;
    return graph;
}

tn_graph *tni_capture_find(const tn_event *event) {
    tni_lock_take(&tni_captures_lock);
    tn_graph *graph = find_capture(atomic_load(&event->capture));
    tni_lock_give(&tni_captures_lock);
    return graph;
}

tn_status tni_capture_join(bool *has_joined, tn_stream *stream, const tn_event *event) {
    uint64_t id = atomic_load(&event->capture);
    tn_event *before = NULL;
    *has_joined = false;
    if (id == 0 || tni_stream_capture(stream)) return TN_OK;
    TNI_TRY(tni_capture_mark_before(&before, stream));
    tn_status status = TN_OK;
    tni_lock_take(&tni_captures_lock);
    tn_graph *graph = find_capture(id);
    if (graph) status = tni_capture_add_member(graph, stream, before);
    if (graph && status == TN_OK) {
        atomic_store_explicit(&stream->capture, graph, memory_order_release);
        *has_joined = true;
    }
    tni_lock_give(&tni_captures_lock);
    if (!*has_joined) tn_event_release(before);
    return status;
}

void tni_capture_leave(tn_stream *stream) {
    member gone = {NULL, 0, NULL};
    tni_lock_take(&tni_captures_lock);
    tn_graph *graph = tni_stream_capture(stream);
    member *found = find_member(graph, stream);
    if (found) {
        gone = *found;
        *found = graph->members[--graph->member_count];
        atomic_store_explicit(&stream->capture, NULL, memory_order_release);
    }
    tni_lock_give(&tni_captures_lock);
    tn_event_release(gone.before);
    tn_stream_release(gone.stream);
}

/* --- Beginning and ending --- */

bool tni_capture_is_under_way(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    tni_lock_take(&tni_captures_lock);
    bool found = captures != NULL;
    tni_lock_give(&tni_captures_lock);
    return found;
}

void tni_capture_begin(tn_graph *graph, tn_stream *stream) {
    tni_lock_take(&tni_captures_lock);
    graph->id = ++last_id;
    graph->next_capture = captures;
    captures = graph;
    atomic_store_explicit(&stream->capture, graph, memory_order_release);
    tni_lock_give(&tni_captures_lock);
}

void tni_capture_end(tn_graph *graph) {
    tni_lock_take(&tni_captures_lock);
    tn_graph **place = &captures;
    while (*place != graph)
        place = &(*place)->next_capture;
    *place = graph->next_capture;
    for (int k = 0; k < graph->member_count; k++)
        atomic_store_explicit(&graph->members[k].stream->capture, NULL, memory_order_release);
    tni_lock_give(&tni_captures_lock);
}

/* --- Questions, and what is left to the end --- */

tn_event *tni_capture_before(const tn_stream *stream) {
    tni_lock_take(&tni_captures_lock);
    member *found = find_member(tni_stream_capture(stream), stream);
    tn_event *before = found ? tn_event_retain(found->before) : NULL;
    tni_lock_give(&tni_captures_lock);
    return before;
}

bool tn_stream_is_capturing(const tn_stream *stream) {
    return tni_stream_capture(stream) != NULL;
}

tn_status tni_capture_check_host(const tn_stream *stream) {
    if (__builtin_expect(!tni_stream_capture(stream), 1)) return TN_OK;
    return tni_fail(TN_ERROR_RUNTIME,
                    "the stream is capturing a graph, in which copies from and to the host need "
                    "page-locked memory of a GPU; what has to wait for a result can't be captured "
                    "at all");
}

tn_status tni_capture_check_common(const tn_stream *a, const tn_stream *b) {
    if (tni_stream_capture(a) == tni_stream_capture(b)) return TN_OK;
    return tni_fail(TN_ERROR_RUNTIME,
                    "one stream is capturing a graph, and the copy needs another (of %s:%d and "
                    "%s:%d), which takes part only when it waits for an event of the first",
                    a->backend->name, a->device.number, b->backend->name, b->device.number);
}

tn_status tn_capture_keep(tn_stream *stream, void (*release)(void *context), void *context) {
    kept *entry = tni_malloc(sizeof *entry);
    if (!entry) return tni_fail_no_memory(sizeof *entry);
    tni_lock_take(&tni_captures_lock);
    tn_graph *graph = tni_stream_capture(stream);
    if (graph) {
        *entry = (kept){graph->kept, release, context};
        graph->kept = entry;
    }
    tni_lock_give(&tni_captures_lock);
    if (graph) return TN_OK;
    tni_free(entry);
    return tni_fail(TN_ERROR_VALUE, "the stream captures no graph that could keep something");
}

tn_status tni_capture_defer(bool *is_deferred, tn_stream *stream, void (*function)(void *context),
                            void *context) {
    *is_deferred = false;
    deferred *entry = tni_malloc(sizeof *entry);
    if (!entry) return tni_fail_no_memory(sizeof *entry);
    tni_lock_take(&tni_captures_lock);
    tn_graph *graph = tni_stream_capture(stream);
    if (graph) {
        *entry = (deferred){graph->deferred, stream, function, context};
        graph->deferred = entry;
        *is_deferred = true;
    }
    tni_lock_give(&tni_captures_lock);
    if (!*is_deferred) tni_free(entry);
    return TN_OK;
}
