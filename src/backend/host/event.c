/* Events of the host. Each record makes a `record`, a flag that the stream raises when it gets there
 * (with the time, if the event takes it); the event points to its last one. A waiter holds the record
 * that was last when it began to wait, so recording again disturbs nobody. A record on a captured stream
 * (graph.c) is a place in the capture, and nothing to wait for. */
#include "backend/host/graph.h"
#include "backend/host/table.h"
#include "core/graph.h"
#include "core/lock.h"

#include <limits.h>

typedef struct record {
    atomic_int references;
    atomic_int is_done; /* a futex word */
    unsigned forks;
    int64_t time_ns;
} record;

typedef struct point {
    tni_lock lock;
    atomic_uint forks;
    record *last;
    const tn_stream *stream; /* of the last record if that was captured, and the place there */
    uint64_t place;
} point;

static void record_release(record *record) {
    if (record && atomic_fetch_sub_explicit(&record->references, 1, memory_order_acq_rel) == 1)
        tni_free(record);
}

static void record_finish(record *record) {
    record->time_ns = tni_now_ns();
    atomic_store_explicit(&record->is_done, 1, memory_order_release);
    tni_futex_wake(&record->is_done, INT_MAX);
}

static bool is_done(record *record) {
    return !record || atomic_load_explicit(&record->is_done, memory_order_acquire);
}

static tn_status record_wait(record *record, int64_t timeout_ns) {
    int64_t end = -1;
    if (timeout_ns >= 0 && __builtin_add_overflow(tni_now_ns(), timeout_ns, &end)) end = -1;
    while (!is_done(record)) {
        if (record->forks != tni_host_forks())
            TNI_FAIL(TN_ERROR_FORKED,
                     "an event was recorded before fork; the work that it stands for "
                     "stays in the parent process");
        int64_t left = end < 0 ? -1 : end - tni_now_ns();
        if (end >= 0 && left <= 0) TNI_FAIL(TN_TIMEOUT, "the event is still pending");
        tni_futex_wait(&record->is_done, 0, left);
    }
    return TN_OK;
}

/* Takes the lock; one that a thread of the parent process held at a fork is nobody's. */
static void take(point *point) {
    unsigned now = tni_host_forks();
    if (atomic_load_explicit(&point->forks, memory_order_relaxed) != now) {
        atomic_store(&point->lock.state, 0);
        atomic_store(&point->forks, now);
    }
    tni_lock_take(&point->lock);
}

/* The event's last record, retained; NULL if there is none. */
static record *last_record(tn_event *event) {
    point *point = event->implementation;
    take(point);
    record *last = point->last;
    if (last) atomic_fetch_add_explicit(&last->references, 1, memory_order_relaxed);
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
    record_release(point->last);
    tni_free(point);
}

static tn_status raise_flag(void *params) {
    record *record = *(void **)params;
    record_finish(record);
    record_release(record);
    return TN_OK;
}

/* The last record becomes this one (taken over). */
static void set_last(point *point, record *made, const tn_stream *stream, uint64_t place) {
    take(point);
    record *before = point->last;
    point->last = made;
    point->stream = stream;
    point->place = place;
    tni_lock_give(&point->lock);
    record_release(before);
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
    const char *error = "cudaErrorCapturedEvent: operation not permitted on an event last recorded "
                        "in a capturing stream";
    tn_graph *graph = tni_capture_find(event);
    return graph && point->stream ? tni_host_break_capture(graph, error)
                                  : tni_fail(TN_ERROR_DEVICE, "%s", error);
}

tn_status tni_host_event_record(tn_event *event, tn_stream *stream) {
    if (tni_stream_capture(stream)) return record_captured(event, stream);
    record *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    made->forks = tni_host_forks();
    atomic_init(&made->references, 2); /* the event and the task */
    tn_status status = tni_host_submit(stream, raise_flag, &made, sizeof made);
    if (status != TN_OK) {
        tni_free(made);
        return status;
    }
    set_last(event->implementation, made, NULL, 0);
    return TN_OK;
}

tn_status tni_host_event_is_done(tn_event *event, bool *done) {
    TNI_TRY(check_plain(event));
    record *last = last_record(event);
    *done = is_done(last);
    record_release(last);
    return TN_OK;
}

tn_status tni_host_event_synchronize(tn_event *event, int64_t timeout_ns) {
    TNI_TRY(check_plain(event));
    record *last = last_record(event);
    tn_status status = record_wait(last, timeout_ns);
    record_release(last);
    return status;
}

tn_status tni_host_event_elapsed_ms(double *milliseconds, tn_event *start, tn_event *stop) {
    record *first = last_record(start), *second = last_record(stop);
    tn_status status = TN_OK;
    if (!first || !second)
        status = tni_fail(TN_ERROR_DEVICE,
                          "cudaErrorInvalidResourceHandle: an event was never recorded");
    else if (!is_done(first) || !is_done(second))
        status = tni_fail(TN_ERROR_DEVICE, "cudaErrorNotReady: an event is still pending");
    else
        *milliseconds = (double)(second->time_ns - first->time_ns) * 1e-6;
    record_release(first);
    record_release(second);
    return status;
}

static tn_status wait_in_queue(void *params) {
    record *record = *(void **)params;
    tn_status status = record_wait(record, -1);
    record_release(record);
    return status;
}

/* One of both is captured. A stream that waits for a captured event takes part in its capture by now, if
 * that goes on. */
static tn_status wait_captured(tn_stream *stream, tn_event *event) {
    const point *point = event->implementation;
    tn_graph *graph = tni_stream_capture(stream);
    if (!graph) return check_plain(event);
    if (atomic_load(&event->capture) == graph->id)
        return tni_host_record_wait(graph, stream, point->stream, point->place);
    if (!point->last && !point->stream) return TN_OK; /* never recorded */
    return tni_host_break_capture(graph, "cudaErrorStreamCaptureIsolation: dependency created on "
                                         "uncaptured work in another stream");
}

tn_status tni_host_stream_wait_event(tn_stream *stream, tn_event *event) {
    if (tni_stream_capture(stream) || atomic_load(&event->capture))
        return wait_captured(stream, event);
    record *last = last_record(event);
    if (is_done(last)) {
        record_release(last);
        return TN_OK;
    }
    tn_status status = tni_host_submit(stream, wait_in_queue, &last, sizeof last);
    if (status != TN_OK && !stream->is_immediate) record_release(last);
    return status;
}
