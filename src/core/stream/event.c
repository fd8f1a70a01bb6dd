/* Events: points in the work of a stream. */
#include "core/stream/event.h"

#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/wait.h"
#include "core/base/waiting.h"
#include "core/stream/capture.h"
#include "core/trace/trace.h"

tn_status tn_event_new(tn_event **result, tn_device device, bool timing) {
    tn_stream *model = tn_stream_default(device); /* checks the device */
    if (!model) return TN_ERROR_DEVICE;
    tn_event *event = tni_calloc(1, sizeof *event);
    if (!event) return tni_fail_no_memory(sizeof *event);
    atomic_init(&event->references, 1);
    event->device = device;
    event->timing = timing;
    event->backend = model->backend;
    tn_status status = event->backend->event_init(event);
    if (status != TN_OK) {
        tni_free(event);
        return status;
    }
    tni_count_seldom(TNI_EVENTS, 1);
    *result = event;
    return TN_OK;
}

tn_event *tn_event_retain(tn_event *event) {
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
    return event;
}

void tn_event_release(tn_event *event) {
    if (!event || atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) != 1)
        return;
    event->backend->event_deinit(event);
    tni_count_seldom(TNI_EVENTS, -1);
    tni_free(event);
}

tn_status tn_event_record(tn_event *event, tn_stream *stream) {
    TNI_TRY(tni_stream_resolve(&stream, stream, event->device));
    tni_look_stream(TNI_LOOK_EVENT_RECORD, stream);
    TNI_TRY(event->backend->event_record(event, stream));
    const tn_graph *capture = tni_stream_capture(stream);
    atomic_store(&event->capture, capture ? capture->id : 0);
    return TN_OK;
}

tn_status tn_event_is_done(tn_event *event, bool *done) {
    if (event->backend->raise_late) TNI_TRY(event->backend->raise_late());
    return tni_event_is_done(event, done);
}

tn_status tni_event_is_done(tn_event *event, bool *done) {
    return event->backend->event_is_done(event, done);
}

static tn_status wait_slice(const void *event, int64_t timeout_ns) {
    return ((const tn_event *)event)
        ->backend->event_synchronize((tn_event *)(uintptr_t)event, timeout_ns);
}

tn_status tn_event_synchronize(tn_event *event, int64_t timeout_ns) {
    int64_t begun = tni_trace_begin(TNI_TRACE_ON | TNI_LOG_WAIT);
    tn_status status = tni_wait(wait_slice, event, timeout_ns);
    if (begun)
        tni_trace_end(&(tni_traced){.kind = TN_TRACE_WAIT,
                                    .begun = begun,
                                    .text = "wait for an event",
                                    .device = event->device});
    return status;
}

static bool is_over(const void *event) {
    bool done = true;
    return tni_event_is_done((tn_event *)(uintptr_t)event, &done) != TN_OK || done;
}

void tni_event_drain(tn_event *event) {
    tni_drain(is_over, event);
}

tn_status tn_event_elapsed_ms(double *milliseconds, tn_event *start, tn_event *stop) {
    if (start->backend != stop->backend)
        TNI_FAIL(TN_ERROR_VALUE, "the events are of two backends: %s and %s", start->backend->name,
                 stop->backend->name);
    if (!start->timing || !stop->timing) return tni_fail_device(TNI_DEVICE_NOT_TIMED);
    return start->backend->event_elapsed_ms(milliseconds, start, stop);
}
