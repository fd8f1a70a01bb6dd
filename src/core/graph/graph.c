/* Captures and graphs: who takes part, what memory they use, and launches.
 *
 * Decides: that recorded work uses memory when the graph is launched, not when it is recorded. So nothing
 * is waited for while recording; the door (core/memory/buffer.c) only notes buffers here, and a launch goes
 * through the door with each of them, for its own stream.
 * Invariants: the graph holds every buffer that recorded work touches, so no memory goes to others before
 * the graph ends, and a graph ends only behind its last launch. A buffer that nobody else holds when the
 * capture ends can never be reached again: launches need not order it, for the driver orders launches of
 * one graph. Its memory may have been used by work that was queued on the capturing streams before (pools
 * hand memory on in stream order); the first launch waits for that.
 * Algorithm: while recording, a buffer that was made for the capture and let go serves the next
 * request of its size on the same stream; so a loop needs no more memory in a graph than outside. */
#include "core/graph/graph.h"

#include "backend/backend.h"
#include "core/array/array.h"
#include "core/base/counts.h"
#include "core/memory/buffer.h"
#include "core/memory/pool.h"
#include "core/stream/event.h"
#include "core/stream/stream_life.h"

#include <pthread.h>

typedef struct tni_capture_member {
    tn_stream *stream; /* retained; NULL when the capture has ended */
    uint64_t number;   /* of the stream */
    tn_event *before;  /* behind what was queued before it took part; NULL after the first launch */
} member;

typedef struct tni_capture_use {
    tn_buffer *buffer; /* retained */
    const void *source;
    bool wrote;
    bool is_private; /* nobody else could reach it when the capture ended */
} use;

typedef struct tni_capture_kept {
    struct tni_capture_kept *next;
    void (*release)(void *context);
    void *context;
} kept;

typedef struct tni_capture_deferred {
    struct tni_capture_deferred *next;
    tn_stream *stream; /* a member */
    void (*function)(void *context);
    void *context;
} deferred;

static tni_lock captures_lock; /* guards `capture` of streams, and graphs while they are recorded */
static tn_graph *captures;
static uint64_t last_id;

static void before_fork(void) {
    tni_lock_take(&captures_lock);
}
static void after_fork(void) {
    tni_lock_give(&captures_lock);
}
static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, after_fork);
}

/* --- The end of a graph --- */

static void destroy(tn_graph *graph) {
    if (graph->implementation) graph->backend->graph_deinit(graph);
    for (kept *entry = graph->kept, *next; entry; entry = next) {
        next = entry->next;
        entry->release(entry->context);
        tni_free(entry);
    }
    for (int k = 0; k < graph->use_count; k++)
        tn_buffer_release(graph->uses[k].buffer);
    for (int k = 0; k < graph->member_count; k++) {
        tn_event_release(graph->members[k].before);
        tn_stream_release(graph->members[k].stream);
    }
    tni_free(graph->uses);
    tni_free(graph->members);
    tni_free(graph);
    tni_count_seldom(TNI_GRAPHS, -1);
}

static void destroy_from_queue(void *graph) {
    destroy(graph);
}

tn_graph *tn_graph_retain(tn_graph *graph) {
    atomic_fetch_add_explicit(&graph->references, 1, memory_order_relaxed);
    return graph;
}

void tn_graph_release(tn_graph *graph) {
    if (!graph || atomic_fetch_sub_explicit(&graph->references, 1, memory_order_acq_rel) != 1)
        return;
    tn_stream *last = tni_stream_find(graph->last);
    bool done = true; /* a stream that can't answer (of a parent process, say) runs nothing */
    if (last && tni_stream_is_done(last, &done) == TN_OK && !done) {
        done = tni_stream_add_cleanup(last, destroy_from_queue, graph) != TN_OK;
        if (done) tni_stream_drain(last);
    }
    if (done) destroy(graph);
    tn_stream_release(last);
}

tn_device tn_graph_device(const tn_graph *graph) {
    return graph->device;
}

/* --- Who takes part --- */

static tn_status need_room(void **list, int count, int *capacity, size_t item_bytes) {
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

/* The stream does not capture yet; `before` becomes the graph's. */
static tn_status add_member(tn_graph *graph, tn_stream *stream, tn_event *before) {
    TNI_TRY(need_room((void **)&graph->members, graph->member_count, &graph->member_capacity,
                      sizeof(member)));
    graph->members[graph->member_count++] =
        (member){tn_stream_retain(stream), tni_stream_number(stream), before};
    return TN_OK;
}

static tn_status mark_before(tn_event **result, tn_stream *stream) {
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
    tni_lock_take(&captures_lock);
    tn_graph *graph = find_capture(atomic_load(&event->capture));
    tni_lock_give(&captures_lock);
    return graph;
}

tn_status tni_capture_join(bool *has_joined, tn_stream *stream, const tn_event *event) {
    uint64_t id = atomic_load(&event->capture);
    tn_event *before = NULL;
    *has_joined = false;
    if (id == 0 || tni_stream_capture(stream)) return TN_OK;
    TNI_TRY(mark_before(&before, stream));
    tn_status status = TN_OK;
    tni_lock_take(&captures_lock);
    tn_graph *graph = find_capture(id);
    if (graph) status = add_member(graph, stream, before);
    if (graph && status == TN_OK) {
        atomic_store_explicit(&stream->capture, graph, memory_order_release);
        *has_joined = true;
    }
    tni_lock_give(&captures_lock);
    if (!*has_joined) tn_event_release(before);
    return status;
}

void tni_capture_leave(tn_stream *stream) {
    member gone = {NULL, 0, NULL};
    tni_lock_take(&captures_lock);
    tn_graph *graph = tni_stream_capture(stream);
    member *found = find_member(graph, stream);
    if (found) {
        gone = *found;
        *found = graph->members[--graph->member_count];
        atomic_store_explicit(&stream->capture, NULL, memory_order_release);
    }
    tni_lock_give(&captures_lock);
    tn_event_release(gone.before);
    tn_stream_release(gone.stream);
}

tn_event *tni_capture_before(const tn_stream *stream) {
    tni_lock_take(&captures_lock);
    member *found = find_member(tni_stream_capture(stream), stream);
    tn_event *before = found ? tn_event_retain(found->before) : NULL;
    tni_lock_give(&captures_lock);
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

/* --- What recorded work uses --- */

static use *find_use(const tn_graph *graph, const tn_buffer *buffer) {
    for (int k = graph->use_count; k-- > 0;)
        if (graph->uses[k].buffer == buffer) return &graph->uses[k];
    return NULL;
}

tn_status tni_capture_note(tn_stream *stream, tn_buffer *buffer, bool writes, const void *source) {
    tn_status status = TN_OK;
    tni_lock_take(&captures_lock);
    tn_graph *graph = tni_stream_capture(stream);
    use *known = graph ? find_use(graph, buffer) : NULL;
    if (known) {
        known->wrote |= writes;
    } else if (graph) {
        status =
            need_room((void **)&graph->uses, graph->use_count, &graph->use_capacity, sizeof(use));
        if (status == TN_OK)
            graph->uses[graph->use_count++] =
                (use){tn_buffer_retain(buffer), source, writes, false};
    }
    tni_lock_give(&captures_lock);
    return status;
}

static bool is_only_mine(const tn_buffer *buffer) {
    return atomic_load_explicit(&buffer->references, memory_order_acquire) == 1;
}

tn_buffer *tni_capture_take(tn_stream *stream, const void *source, int64_t bytes) {
    tn_buffer *found = NULL;
    tni_lock_take(&captures_lock);
    const tn_graph *graph = tni_stream_capture(stream);
    for (int k = graph ? graph->use_count : 0; k-- > 0 && !found;) {
        const use *use = &graph->uses[k];
        if (use->source == source && tni_buffer_home(use->buffer) == tni_stream_number(stream) &&
            use->buffer->bytes == bytes && is_only_mine(use->buffer))
            found = tn_buffer_retain(use->buffer);
    }
    tni_lock_give(&captures_lock);
    return found;
}

tn_status tn_capture_keep(tn_stream *stream, void (*release)(void *context), void *context) {
    kept *entry = tni_malloc(sizeof *entry);
    if (!entry) return tni_fail_no_memory(sizeof *entry);
    tni_lock_take(&captures_lock);
    tn_graph *graph = tni_stream_capture(stream);
    if (graph) {
        *entry = (kept){graph->kept, release, context};
        graph->kept = entry;
    }
    tni_lock_give(&captures_lock);
    if (graph) return TN_OK;
    tni_free(entry);
    return tni_fail(TN_ERROR_VALUE, "the stream captures no graph that could keep something");
}

tn_status tni_capture_defer(bool *is_deferred, tn_stream *stream, void (*function)(void *context),
                            void *context) {
    *is_deferred = false;
    deferred *entry = tni_malloc(sizeof *entry);
    if (!entry) return tni_fail_no_memory(sizeof *entry);
    tni_lock_take(&captures_lock);
    tn_graph *graph = tni_stream_capture(stream);
    if (graph) {
        *entry = (deferred){graph->deferred, stream, function, context};
        graph->deferred = entry;
        *is_deferred = true;
    }
    tni_lock_give(&captures_lock);
    if (!*is_deferred) tni_free(entry);
    return TN_OK;
}

/* --- Beginning and ending --- */

static tn_status check_capture(tn_stream *stream, tn_capture_mode mode) {
    if (!stream->backend->capture_begin)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED,
                 "capturing a stream's work as a graph: %s:%d has no graphs", stream->backend->name,
                 stream->device.number);
    if ((unsigned)mode > TN_CAPTURE_RELAXED)
        TNI_FAIL(TN_ERROR_VALUE, "%d is no mode of a capture (0: global, 1: thread, 2: relaxed)",
                 (int)mode);
    if (stream->is_default)
        TNI_FAIL(TN_ERROR_DEVICE, "cudaErrorStreamCaptureUnsupported: cannot capture on the "
                                  "default (legacy) stream");
    if (tni_stream_capture(stream))
        TNI_FAIL(TN_ERROR_DEVICE, "cudaErrorIllegalState: the stream is capturing already");
    return TN_OK;
}

static bool is_capture_under_way(void) {
    tni_lock_take(&captures_lock);
    bool found = captures != NULL;
    tni_lock_give(&captures_lock);
    return found;
}

tn_status tn_stream_begin_capture(tn_stream *stream, tn_capture_mode mode) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    tn_event *before = NULL;
    if (!stream) TNI_TRY(tni_stream_resolve(&stream, NULL, tn_device_get_current()));
    TNI_TRY(check_capture(stream, mode));
    pthread_once(&once, watch_forks);
    tn_graph *graph = tni_calloc(1, sizeof *graph);
    if (!graph) return tni_fail_no_memory(sizeof *graph);
    tni_count_seldom(TNI_GRAPHS, 1);
    atomic_init(&graph->references, 1);
    graph->device = stream->device;
    graph->backend = stream->backend;
    tn_status status;
    if (!is_capture_under_way()) tni_pools_find_idle(stream->device);
    TNI_TRY_OWNING(mark_before(&before, stream));
    TNI_TRY_OWNING(add_member(graph, stream, before));
    before = NULL;
    TNI_TRY_OWNING(stream->backend->capture_begin(graph, stream, mode));
    tni_lock_take(&captures_lock);
    graph->id = ++last_id;
    graph->next_capture = captures;
    captures = graph;
    atomic_store_explicit(&stream->capture, graph, memory_order_release);
    tni_lock_give(&captures_lock);
    return TN_OK;
cleanup:
    tn_event_release(before);
    destroy(graph);
    return status;
}

/* Its streams are as any other from here on. */
static void stop_recording(tn_graph *graph) {
    tni_lock_take(&captures_lock);
    tn_graph **place = &captures;
    while (*place != graph)
        place = &(*place)->next_capture;
    *place = graph->next_capture;
    for (int k = 0; k < graph->member_count; k++)
        atomic_store_explicit(&graph->members[k].stream->capture, NULL, memory_order_release);
    for (int k = 0; k < graph->use_count; k++)
        graph->uses[k].is_private = is_only_mine(graph->uses[k].buffer);
    tni_lock_give(&captures_lock);
    for (deferred *entry = graph->deferred, *next; entry; entry = next) {
        next = entry->next;
        if (tni_stream_add_cleanup(entry->stream, entry->function, entry->context) != TN_OK) {
            tni_stream_drain(entry->stream);
            entry->function(entry->context);
        }
        tni_free(entry);
    }
    graph->deferred = NULL;
    for (int k = 0; k < graph->member_count; k++) {
        tn_stream_release(graph->members[k].stream);
        graph->members[k].stream = NULL;
    }
}

tn_status tn_stream_end_capture(tn_graph **result, tn_stream *stream) {
    bool ended = false;
    if (!stream) TNI_TRY(tni_stream_resolve(&stream, NULL, tn_device_get_current()));
    tn_graph *graph = tni_stream_capture(stream);
    if (!graph) TNI_FAIL(TN_ERROR_DEVICE, "cudaErrorIllegalState: the stream is not capturing");
    tn_status status = stream->backend->capture_end(graph, stream, &ended);
    if (!ended) return status;
    stop_recording(graph);
    if (status == TN_OK)
        *result = graph;
    else
        tn_graph_release(graph);
    return status;
}

/* --- Launching --- */

static tn_status wait_for_before(const tn_graph *graph, tn_stream *stream) {
    for (int k = 0; k < graph->member_count; k++) {
        bool done;
        if (graph->members[k].number == tni_stream_number(stream)) continue;
        TNI_TRY(tni_event_is_done(graph->members[k].before, &done));
        if (!done) TNI_TRY(tn_stream_wait_event(stream, graph->members[k].before));
    }
    return TN_OK;
}

/* The launch has come: later ones are ordered behind it. */
static void note_launch(tn_graph *graph, const tn_stream *stream) {
    for (int k = 0; !graph->last && k < graph->member_count; k++) {
        tn_event_release(graph->members[k].before);
        graph->members[k].before = NULL;
    }
    graph->last = tni_stream_number(stream);
}

tn_status tn_graph_launch(tn_graph *graph, tn_stream *stream) {
    void *unused;
    TNI_TRY(tni_stream_resolve(&stream, stream, graph->device));
    if (tni_stream_capture(stream))
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED,
                 "launching a graph on a stream that is capturing another");
    for (int k = 0; k < graph->use_count; k++) {
        const use *use = &graph->uses[k];
        if (!use->is_private)
            TNI_TRY(tni_buffer_access(&unused, use->buffer, use->wrote ? TNI_READ_WRITE : TNI_READ,
                                      stream));
    }
    tni_lock_take(&graph->lock);
    tn_status status = graph->last ? TN_OK : wait_for_before(graph, stream);
    if (status == TN_OK) status = graph->backend->graph_launch(graph, stream);
    if (status == TN_OK) note_launch(graph, stream);
    tni_lock_give(&graph->lock);
    return status;
}

tn_status tn_graph_upload(tn_graph *graph, tn_stream *stream) {
    TNI_TRY(tni_stream_resolve(&stream, stream, graph->device));
    return graph->backend->graph_upload(graph, stream);
}
