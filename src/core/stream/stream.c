/* Streams in use: the current one of a thread, facts, and waiting. What streams do is the backend's
 * business; how they come and go, core/stream/stream_life.c's; their order, core/stream/order.c's.
 *
 * Invariant: a thread's own default stream is an ordinary stream that its table holds until the
 * thread ends. */
#include "core/stream/stream.h"

#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/thread.h"
#include "core/base/threadkeep.h"
#include "core/base/wait.h"
#include "core/base/waiting.h"
#include "core/stream/stream_life.h"
#include "core/trace/trace.h"

/* --- The thread's streams --- */

tn_stream *tn_stream_get_current(tn_device device) {
    if (tni_self.streams && (unsigned)device.backend < TN_BACKEND_COUNT &&
        (unsigned)device.number < TNI_MAX_DEVICES && tni_self.streams[tni_stream_slot(device)])
        return tni_self.streams[tni_stream_slot(device)];
    return tn_stream_default(device);
}

static void drop_streams(void) {
    tn_stream **streams = tni_self.streams;
    tni_self.streams = NULL;
    for (int slot = 0; streams && slot < 2 * TNI_STREAM_SLOTS; slot++)
        tn_stream_release(streams[slot]);
    tni_free(streams);
}

/* The thread's table: its current streams, then those of its own. */
static tn_status need_streams(void) {
    if (tni_self.streams) return TN_OK;
    tn_stream **streams = tni_calloc(2 * TNI_STREAM_SLOTS, sizeof *streams);
    if (!streams) return tni_fail_no_memory(2 * TNI_STREAM_SLOTS * sizeof *streams);
    if (!tni_thread_keeps(drop_streams)) {
        tni_free(streams);
        TNI_FAIL(TN_ERROR_RUNTIME, "out of thread-specific keys");
    }
    tni_self.streams = streams;
    return TN_OK;
}

tn_status tn_stream_set_current(tn_stream *stream) {
    if (!stream) TNI_FAIL(TN_ERROR_VALUE, "no stream was given");
    if (!tni_self.streams && stream->is_default) return TN_OK;
    TNI_TRY(need_streams());
    tn_stream **current = &tni_self.streams[tni_stream_slot(stream->device)];
    tn_stream *before = *current;
    *current = stream->is_default ? NULL : tn_stream_retain(stream);
    tn_stream_release(before);
    return TN_OK;
}

tn_stream *tn_stream_per_thread(tn_device device) {
    tn_stream *shared = tn_stream_default(device); /* checks the device */
    if (!shared || shared->is_immediate) return shared;
    if (need_streams() != TN_OK) return NULL;
    tn_stream **own = &tni_self.streams[TNI_STREAM_SLOTS + tni_stream_slot(device)];
    if (!*own && tn_stream_new(own, device, false, 0) != TN_OK) return NULL;
    return *own;
}

bool tn_stream_is_per_thread(const tn_stream *stream) {
    return tni_self.streams &&
           tni_self.streams[TNI_STREAM_SLOTS + tni_stream_slot(stream->device)] == stream;
}

tn_status tni_stream_resolve(tn_stream **result, tn_stream *stream, tn_device device) {
    if (!stream) {
        stream = tn_stream_get_current(device);
        if (!stream) TNI_TRY(tni_stream_default(&stream, device));
    } else if (!tn_device_is_equal(stream->device, device)) {
        TNI_FAIL(TN_ERROR_VALUE, "the stream is of device %s:%d, the call works on device %s:%d",
                 stream->backend->name, stream->device.number,
                 tn_backend_name((tn_backend)device.backend), device.number);
    }
    *result = stream;
    return TN_OK;
}

/* --- Streams --- */

tn_device tn_stream_device(const tn_stream *stream) {
    return stream->device;
}

bool tn_stream_is_default(const tn_stream *stream) {
    return stream->is_default;
}

/* All programs know the default streams' handles; what runs there has no mark but its arrays. */
uintptr_t tn_stream_handle(const tn_stream *of) {
    tn_stream *stream = (tn_stream *)(uintptr_t)of;
    if (!stream->is_default) atomic_store_explicit(&stream->has_left, true, memory_order_relaxed);
    tni_look_stream(TNI_LOOK_STREAM_HANDLE, stream);
    return stream->backend->stream_number(stream);
}

uintptr_t tn_stream_peek_handle(const tn_stream *stream) {
    return stream->backend->stream_number(stream);
}

static tn_status wait_slice(const void *stream, int64_t timeout_ns) {
    return ((const tn_stream *)stream)
        ->backend->stream_synchronize((tn_stream *)(uintptr_t)stream, timeout_ns);
}

tn_status tni_stream_wait(tn_stream *stream, int64_t timeout_ns) {
    if (stream->is_immediate) return TN_OK;
    int64_t begun = tni_trace_begin(TNI_TRACE_ON | TNI_LOG_WAIT);
    tn_status status = tni_wait(wait_slice, stream, timeout_ns);
    if (begun)
        tni_trace_end(&(tni_traced){.kind = TN_TRACE_WAIT,
                                    .begun = begun,
                                    .text = "wait for a stream",
                                    .number = tni_stream_number(stream),
                                    .device = stream->device});
    return status;
}

tn_status tn_stream_synchronize(tn_stream *stream, int64_t timeout_ns) {
    TNI_TRY(tni_stream_or_current(&stream));
    tni_look_stream(TNI_LOOK_STREAM_WAIT, stream);
    TNI_TRY(tni_wait_ask());
    return tni_stream_wait(stream, timeout_ns);
}

/* A stream that is captured can't be asked, which the backend says when it is waited for. */
tn_status tn_stream_is_done(tn_stream *stream, bool *done) {
    TNI_TRY(tni_stream_or_current(&stream));
    tni_look_stream(TNI_LOOK_STREAM_QUERY, stream);
    if (tni_stream_capture(stream)) TNI_TRY(stream->backend->stream_synchronize(stream, 0));
    if (stream->backend->raise_late) TNI_TRY(stream->backend->raise_late());
    return stream->backend->stream_is_done(stream, done);
}

tn_status tn_stream_add_callback(tn_stream *stream, void (*function)(void *context),
                                 void *context) {
    TNI_TRY(tni_stream_or_current(&stream));
    tni_look_all(TNI_LOOK_STREAM_CALLBACK); /* it may use what any stream made */
    return stream->backend->stream_add_callback(stream, function, context);
}
