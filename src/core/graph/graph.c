/* Graphs: their end, how a capture begins and ends, and launches.
 *
 * Invariants: a graph ends only after its last launch. The memory of a buffer that only the graph
 * holds may have been used by work that was queued on the capturing streams before (pools hand
 * memory on in stream order); the first launch waits for that. What is recorded:
 * core/stream/capture.c, and of memory core/memory/capture_uses.c. */
#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/waiting.h"
#include "core/memory/buffer.h"
#include "core/memory/capture_uses.h"
#include "core/memory/pool.h"
#include "core/stream/event.h"
#include "core/stream/order.h"
#include "core/stream/stream_life.h"

typedef tni_capture_kept kept;
typedef tni_capture_use use;
typedef tni_capture_deferred deferred;

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

/* --- Beginning and ending --- */

static tn_status check_capture(tn_stream *stream, tn_capture_mode mode) {
    if (!stream->backend->capture_begin)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED,
                 "capturing a stream's work as a graph: %s:%d has no graphs", stream->backend->name,
                 stream->device.number);
    if ((unsigned)mode > TN_CAPTURE_RELAXED)
        TNI_FAIL(TN_ERROR_VALUE, "%d is no mode of a capture (0: global, 1: thread, 2: relaxed)",
                 (int)mode);
    if (stream->is_default) return tni_fail_device(TNI_DEVICE_CAPTURE_DEFAULT);
    return tni_stream_capture(stream) ? tni_fail_device(TNI_DEVICE_CAPTURE_AGAIN) : TN_OK;
}

tn_status tn_stream_begin_capture(tn_stream *stream, tn_capture_mode mode) {
    tn_event *before = NULL;
    TNI_TRY(tni_stream_or_current(&stream));
    TNI_TRY(check_capture(stream, mode));
    tni_look_device(TNI_LOOK_CAPTURE, stream->device);
    tn_graph *graph = tni_calloc(1, sizeof *graph);
    if (!graph) return tni_fail_no_memory(sizeof *graph);
    tni_count_seldom(TNI_GRAPHS, 1);
    atomic_init(&graph->references, 1);
    graph->device = stream->device;
    graph->backend = stream->backend;
    tn_status status;
    if (!tni_capture_is_under_way()) tni_pools_find_idle(stream->device);
    TNI_TRY_OWNING(tni_capture_mark_before(&before, stream));
    TNI_TRY_OWNING(tni_capture_add_member(graph, stream, before));
    before = NULL;
    TNI_TRY_OWNING(stream->backend->capture_begin(graph, stream, mode));
    tni_capture_begin(graph, stream);
    return TN_OK;
cleanup:
    tn_event_release(before);
    destroy(graph);
    return status;
}

/* Its streams are as any other from here on. */
static void stop_recording(tn_graph *graph) {
    tni_capture_end(graph);
    tni_capture_end_uses(graph);
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
    TNI_TRY(tni_stream_or_current(&stream));
    tn_graph *graph = tni_stream_capture(stream);
    if (!graph) return tni_fail_device(TNI_DEVICE_CAPTURE_NONE);
    tni_look_device(TNI_LOOK_CAPTURE, stream->device);
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

/* The launch has come: later ones are ordered after it. */
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
    tni_look_device(TNI_LOOK_CAPTURE, stream->device);
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
