/* Streams of the host. The default one is immediate: work runs in the caller. Every other one is a
 * queue (queue.c), which all workers (workers.c) serve.
 *
 * Decides: what needs no queue. On a stream where nothing is queued a cleanup is called at once, an
 * event is recorded at once (event.c), an event that is done is not waited for, and small work is
 * done at once in the caller (launch.c). Functions of the program run in workers all the same. */
#include "backend/host/stream/stream.h"

#include "backend/host/stream/capture.h"
#include "backend/host/stream/launch.h"
#include "backend/host/stream/queue.h"
#include "backend/host/stream/workers.h"
#include "backend/host/table.h"
#include "core/base/thread.h"

tn_status tni_host_stream_init(tn_stream *stream) {
    stream->is_immediate = stream->is_default;
    if (stream->is_immediate) return TN_OK;
    tni_queue *queue = stream->implementation = tni_queue_new(stream->device.number);
    return queue ? TN_OK : tni_fail_no_memory(sizeof *stream);
}

void tni_host_stream_deinit(tn_stream *stream) {
    if (stream->implementation) tni_queue_release(stream->implementation);
}

uintptr_t tni_host_stream_number(const tn_stream *stream) {
    return stream->is_default ? 0 : (uintptr_t)stream;
}

/* --- Functions of the program --- */

typedef struct callback {
    void (*function)(void *context);
    void *context;
} callback;

static tn_status call_back(void *params) {
    callback *callback = params;
    bool has_left = tni_workers_leave();
    callback->function(callback->context);
    if (has_left) tni_workers_return();
    return TN_OK;
}

tn_status tni_host_stream_add_callback(tn_stream *stream, void (*function)(void *), void *context) {
    callback callback = {function, context};
    tni_host_plan plan = {call_back, &callback, sizeof callback, .is_foreign = true};
    return tni_host_launch(&plan, stream);
}

bool tni_host_stream_is_idle(const tn_stream *stream) {
    tni_queue *queue = stream->implementation;
    return queue && !tni_stream_capture(stream) && !tni_queue_is_forked(queue) &&
           tni_queue_is_done(queue);
}

tn_status tni_host_stream_add_cleanup(tn_stream *stream, void (*function)(void *), void *context) {
    if (!tni_host_stream_is_idle(stream))
        return tni_host_stream_add_callback(stream, function, context);
    function(context);
    return TN_OK;
}

/* --- Waiting --- */

tn_status tni_host_stream_is_done(tn_stream *stream, bool *done) {
    tni_queue *queue = stream->implementation;
    bool answer = !queue || tni_queue_is_done(queue);
    if (!answer && tni_queue_is_forked(queue)) return tni_queue_synchronize(queue, 0, false, false);
    *done = answer;
    return TN_OK;
}

/* When a wait of `timeout_ns` ends on the monotonic clock; -1: never. */
static int64_t deadline_of(int64_t timeout_ns) {
    int64_t end;
    if (timeout_ns < 0 || __builtin_add_overflow(tni_now_ns(), timeout_ns, &end)) return -1;
    return end;
}

/* A task that was begun is run to its end, so only a wait without one takes part in the work. */
static bool may_help(int64_t timeout_ns) {
    return timeout_ns < 0 || (timeout_ns > 0 && tni_self.is_patient);
}

tn_status tni_host_stream_synchronize(tn_stream *stream, int64_t timeout_ns) {
    tni_queue *queue = stream->implementation;
    if (!queue) return TN_OK;
    if (tni_stream_capture(stream))
        return tni_host_break_capture(tni_stream_capture(stream), TNI_DEVICE_CAPTURE_WAIT);
    if (tni_queue_is_own(queue))
        TNI_FAIL(TN_ERROR_RUNTIME, "work on a stream waits for its own stream");
    return tni_queue_synchronize(queue, deadline_of(timeout_ns), may_help(timeout_ns), true);
}

/* Waits for all queues of a device, one after the other. The first failure is the caller's; later
 * ones stay for their own streams. */
static tn_status synchronize_all(int number, int64_t deadline_ns, bool helps, tn_status status,
                                 int *count) {
    *count = 0;
    for (tni_queue *queue = tni_queue_next(NULL, number); queue;
         queue = tni_queue_next(queue, number)) {
        bool reports = status == TN_OK;
        tn_status one = tni_queue_synchronize(queue, deadline_ns, helps, reports);
        if (reports) status = one;
        if (one == TN_TIMEOUT) {
            tni_queue_release(queue);
            return TN_TIMEOUT;
        }
        ++*count;
    }
    return status;
}

/* What is waited for may queue more on a stream that was passed already: a buffer that goes is
 * handed from queue to queue, and a stream that ends begins its end anew. So passes follow until
 * one in which no task queued another. A chain of such tasks meets a queue once, so that as many
 * passes as there are queues are enough, whatever other threads queue meanwhile. */
tn_status tni_host_device_synchronize(int number, int64_t timeout_ns) {
    int64_t deadline_ns = deadline_of(timeout_ns);
    tn_status status = TN_OK;
    for (int pass = 0, count = 1; pass <= count && status != TN_TIMEOUT; pass++) {
        uint64_t followers = tni_queue_followers();
        status = synchronize_all(number, deadline_ns, may_help(timeout_ns), status, &count);
        if (tni_queue_followers() == followers) break;
    }
    return status;
}
