/* Events of the host.
 *
 * Each recording makes a record (record.c). The stream raises it when it gets there, at once if
 * nothing is queued there. The event points to its last record. A wait holds the record that was
 * last when the wait began, so recording again disturbs no wait. A recording on a captured stream
 * (capture.c) is a place in the capture, and nothing to wait for. */

#include "backend/host/stream/capture.h"
#include "backend/host/stream/forks.h"
#include "backend/host/stream/launch.h"
#include "backend/host/stream/queue.h"
#include "backend/host/stream/record.h"
#include "backend/host/stream/stream.h"
#include "backend/host/table.h"
#include "core/base/alloc.h"
#include "core/stream/capture.h"

typedef struct point {
    tni_lock lock;
    atomic_uint forks;
    tni_record *last;
    const tn_stream *stream; /* of the last record if that was captured, and the place there */
    uint64_t place;
} point;

/* Takes the lock. In a child of fork it is free at first, whatever thread of the parent held it. */
static void take(point *point) {
    unsigned now = tni_host_forks();
    if (atomic_load_explicit(&point->forks, memory_order_relaxed) != now) {
        atomic_store(&point->lock.state, 0);
        atomic_store(&point->forks, now);
    }
    tni_lock_take(&point->lock);
}

/* The event's last record, retained; NULL if there is none. */
static tni_record *last_record(tn_event *event) {
    point *point = event->implementation;
    take(point);
    tni_record *last = point->last;
    if (last) tni_record_retain(last);
    tni_lock_give(&point->lock);
    return last;
}

tn_status tni_host_event_init(tn_event *event) {
    point *point = event->implementation = tni_calloc(1, sizeof *point);
    if (!point) return tni_fail_no_memory(sizeof *point);
    atomic_init(&point->forks, tni_host_forks());
    return TN_OK;
}

void tni_host_event_deinit(tn_event *event) {
    point *point = event->implementation;
    tni_record_release(point->last);
    tni_free(point);
}

static tn_status raise_flag(void *params) {
    tni_record *record = *(void **)params;
    tni_record_raise(record);
    tni_record_release(record);
    return TN_OK;
}

/* The last record becomes this one (taken over). */
static void set_last(point *point, tni_record *made, const tn_stream *stream, uint64_t place) {
    take(point);
    tni_record *before = point->last;
    point->last = made;
    point->stream = stream;
    point->place = place;
    tni_lock_give(&point->lock);
    tni_record_release(before);
}

static tn_status record_captured(tn_event *event, tn_stream *stream) {
    uint64_t place;
    TNI_TRY(tni_host_record_place(&place, tni_stream_capture(stream), stream));
    set_last(event->implementation, NULL, stream, place);
    return TN_OK;
}

/* Core knows in which capture an event was recorded last. */
static tn_status check_plain(const tn_event *event) {
    if (!atomic_load(&event->capture)) return TN_OK;
    const point *point = event->implementation;
    tn_graph *graph = tni_capture_find(event);
    return graph && point->stream ? tni_host_break_capture(graph, TNI_DEVICE_CAPTURED_EVENT)
                                  : tni_fail_device(TNI_DEVICE_CAPTURED_EVENT);
}

tn_status tni_host_event_record(tn_event *event, tn_stream *stream) {
    if (tni_stream_capture(stream)) return record_captured(event, stream);
    tni_record *made = tni_record_new(2); /* the event has it, and the task */
    if (!made) return tni_fail_no_memory(sizeof *made);
    tn_status status = TN_OK;
    if (tni_host_stream_is_idle(stream))
        raise_flag(&made);
    else
        status = tni_host_launch(&(tni_host_plan){raise_flag, &made, sizeof made, .elements = 1},
                                 stream);
    if (status != TN_OK) {
        tni_free(made);
        return status;
    }
    set_last(event->implementation, made, NULL, 0);
    return TN_OK;
}

tn_status tni_host_event_is_done(tn_event *event, bool *done) {
    TNI_TRY(check_plain(event));
    tni_record *last = last_record(event);
    *done = tni_record_is_raised(last);
    tni_record_release(last);
    return TN_OK;
}

tn_status tni_host_event_synchronize(tn_event *event, int64_t timeout_ns) {
    TNI_TRY(check_plain(event));
    tni_record *last = last_record(event);
    tn_status status = tni_record_wait(last, timeout_ns);
    tni_record_release(last);
    return status;
}

tn_status tni_host_event_elapsed_ms(double *milliseconds, tn_event *start, tn_event *stop) {
    tni_record *first = last_record(start), *second = last_record(stop);
    tn_status status = TN_OK;
    if (!first || !second)
        status = tni_fail_device(TNI_DEVICE_NOT_RECORDED);
    else if (!tni_record_is_raised(first) || !tni_record_is_raised(second))
        status = tni_fail_device(TNI_DEVICE_NOT_READY);
    else
        *milliseconds = (double)(second->time_ns - first->time_ns) * 1e-6;
    tni_record_release(first);
    tni_record_release(second);
    return status;
}

/* One of both is captured. A stream that waits for a captured event takes part in its capture by
 * now, if that goes on. */
static tn_status wait_captured(tn_stream *stream, tn_event *event) {
    const point *point = event->implementation;
    tn_graph *graph = tni_stream_capture(stream);
    if (!graph) return check_plain(event);
    if (atomic_load(&event->capture) == graph->id)
        return tni_host_record_wait(graph, stream, point->stream, point->place);
    if (!point->last && !point->stream) return TN_OK; /* never recorded */
    return tni_host_break_capture(graph, TNI_DEVICE_CAPTURE_ISOLATION);
}

tn_status tni_host_stream_wait_event(tn_stream *stream, tn_event *event) {
    if (tni_stream_capture(stream) || atomic_load(&event->capture))
        return wait_captured(stream, event);
    tni_record *last = last_record(event);
    tn_status status = TN_OK;
    if (!tni_record_is_raised(last))
        status = stream->is_immediate ? tni_record_wait(last, -1)
                                      : tni_queue_submit_wait(stream->implementation, last);
    tni_record_release(last);
    return status;
}
