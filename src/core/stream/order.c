/* Order: waiting for streams, cleanups after their work, and streams that wait for each other.
 *
 * A stream that is captured has two kinds of work: what was queued before, which can be waited for,
 * and what is recorded, which happens when the graph is launched. */
#include "core/stream/order.h"

#include "backend/backend.h"
#include "core/base/error.h"
#include "core/base/wait.h"
#include "core/base/waiting.h"
#include "core/stream/capture.h"
#include "core/stream/event.h"

tn_status tni_stream_is_done(tn_stream *stream, bool *done) {
    tn_event *before = tni_stream_capture(stream) ? tni_capture_before(stream) : NULL;
    if (!before) return stream->backend->stream_is_done(stream, done);
    tn_status status = tni_event_is_done(before, done);
    tn_event_release(before);
    return status;
}

static bool is_drained(const void *context) {
    tn_stream *stream = (tn_stream *)(uintptr_t)context;
    bool done = true;
    return tni_stream_is_done(stream, &done) != TN_OK || done;
}

void tni_stream_drain(tn_stream *stream) {
    tni_drain(is_drained, stream);
}

tn_status tn_stream_add_cleanup(tn_stream *stream, void (*function)(void *context), void *context) {
    TNI_TRY(tni_stream_or_current(&stream));
    tni_look_stream(TNI_LOOK_STREAM_CALLBACK, stream);
    if (!stream->is_immediate) return tni_stream_add_cleanup(stream, function, context);
    function(context);
    return TN_OK;
}

tn_status tni_stream_add_cleanup(tn_stream *stream, void (*function)(void *context),
                                 void *context) {
    bool is_deferred = false;
    if (tni_stream_capture(stream))
        TNI_TRY(tni_capture_defer(&is_deferred, stream, function, context));
    return is_deferred ? TN_OK : stream->backend->stream_add_cleanup(stream, function, context);
}

/* --- Order between streams --- */

static void wait_in_queue(void *event) {
    tni_event_drain(event);
    tn_event_release(event);
}

/* An event that was recorded in a capture is no point in time that another backend could wait
 * for. */
static tn_status wait_for_other(tn_stream *stream, tn_event *event) {
    if (tni_stream_capture(stream) || atomic_load(&event->capture))
        TNI_FAIL(TN_ERROR_RUNTIME,
                 "an event of %s:%d and a stream of %s:%d, of which one is capturing a graph",
                 event->backend->name, event->device.number, stream->backend->name,
                 stream->device.number);
    if (stream->is_immediate) return tn_event_synchronize(event, -1);
    tn_status status =
        stream->backend->stream_add_callback(stream, wait_in_queue, tn_event_retain(event));
    if (status != TN_OK) tn_event_release(event);
    return status;
}

tn_status tn_stream_wait_event(tn_stream *stream, tn_event *event) {
    bool has_joined;
    TNI_TRY(tni_stream_or_current(&stream));
    tni_look_stream(TNI_LOOK_EVENT_WAIT, stream);
    if (stream->backend != event->backend) return wait_for_other(stream, event);
    TNI_TRY(tni_capture_join(&has_joined, stream, event));
    tn_status status = stream->backend->stream_wait_event(stream, event);
    if (status != TN_OK && has_joined) tni_capture_leave(stream);
    return status;
}

/* `later`, which is not captured, can wait only for what `earlier` had before its capture. */
static tn_status order_after_before(tn_stream *later, tn_stream *earlier) {
    bool done = true;
    tn_event *before = tni_capture_before(earlier);
    tn_status status = before ? tni_event_is_done(before, &done) : TN_OK;
    if (status == TN_OK && !done) status = tn_stream_wait_event(later, before);
    tn_event_release(before);
    return status;
}

tn_status tni_stream_order(tn_stream *later, tn_stream *earlier) {
    if (later == earlier || earlier->is_immediate) return TN_OK;
    const tn_graph *capture = tni_stream_capture(later), *other = tni_stream_capture(earlier);
    if (__builtin_expect(capture != other, 0))
        return capture ? TN_OK : order_after_before(later, earlier);
    if (later->is_immediate) return tni_stream_wait(earlier, -1);
    bool done = false;
    if (__builtin_expect(!capture, 1)) TNI_TRY(earlier->backend->stream_is_done(earlier, &done));
    if (done) return TN_OK;
    tn_event *event;
    TNI_TRY(tn_event_new(&event, earlier->device, false));
    tn_status status = tn_event_record(event, earlier);
    if (status == TN_OK) status = tn_stream_wait_event(later, event);
    tn_event_release(event);
    return status;
}
