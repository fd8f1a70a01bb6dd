/* Streams of CUDA, and waiting for them.
 *
 * The default stream of a device is the driver's legacy one (handle 0).
 * A few handles of ended streams are kept for new ones, because making a handle takes the driver
 * longer than all else that a short-lived stream does. Only those are kept that were idle and that
 * the program never saw. A wait without a time limit is the driver's own; one with a limit asks
 * again and again, busily for 10 ms, then with naps of 50 us. */
#include "backend/cuda/stream/stream.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/stream/records.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/stream/stream.h"
#include "core/stream/stream_life.h"

#include <tenorite/cuda.h>
#include <time.h>

enum { KEPT = 16 };

typedef struct kept_handle {
    CUstream handle;
    int number, priority;
    bool non_blocking;
} kept_handle;

static struct {
    tni_lock lock;
    int count;
    kept_handle list[KEPT];
} kept;

/* --- Life --- */

static CUstream take_kept(const tn_stream *stream) {
    CUstream handle = NULL;
    tni_lock_take(&kept.lock);
    for (int k = kept.count; k-- > 0 && !handle;) {
        const kept_handle *old = &kept.list[k];
        if (old->number != stream->device.number || old->priority != stream->priority ||
            old->non_blocking != stream->non_blocking)
            continue;
        handle = old->handle;
        kept.list[k] = kept.list[--kept.count];
    }
    tni_lock_give(&kept.lock);
    return handle;
}

static bool keep(const tn_stream *stream, const tni_cuda_queue *queue) {
    if (!stream->is_idle || atomic_load(&stream->has_left)) return false;
    tni_lock_take(&kept.lock);
    bool has_room = kept.count < KEPT;
    if (has_room)
        kept.list[kept.count++] =
            (kept_handle){queue->handle, queue->number, stream->priority, stream->non_blocking};
    tni_lock_give(&kept.lock);
    return has_room;
}

int tni_cuda_kept_streams(void) {
    tni_lock_take(&kept.lock);
    int count = kept.count;
    tni_lock_give(&kept.lock);
    return count;
}

static tn_status create(tn_stream *stream, CUstream *handle) {
    unsigned flags = stream->non_blocking ? CU_STREAM_NON_BLOCKING : 0;
    tni_cuda_scope scope;
    tn_status status = TN_OK;
    TNI_TRY(tni_cuda_enter(&scope, stream->device.number));
    *handle = take_kept(stream);
    if (!*handle) {
        status = TNI_DRIVER(cuStreamCreateWithPriority, handle, flags, stream->priority);
        if (status == TN_OK) tni_cuda_count_handle(1);
    }
    tni_cuda_leave(&scope);
    return status;
}

static void destroy(CUstream handle, int number) {
    tni_cuda_scope scope;
    if (tni_cuda_enter_quietly(&scope, number) != TN_OK) return;
    tni_driver.cuStreamDestroy_v2(handle);
    tni_cuda_count_handle(-1);
    tni_cuda_leave(&scope);
}

static void set_queue(tn_stream *stream, tni_cuda_queue *queue, CUstream handle, bool is_owned) {
    queue->handle = handle;
    queue->number = stream->device.number;
    queue->is_owned = is_owned;
    stream->implementation = queue;
    tni_cuda_queue_link(queue);
}

static tn_status make_queue(tn_stream *stream, CUstream handle, bool is_owned) {
    tni_cuda_queue *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    set_queue(stream, made, handle, is_owned);
    return TN_OK;
}

/* A default stream asks nothing of the driver, so that having one costs no context. */
tn_status tni_cuda_stream_init(tn_stream *stream) {
    CUstream handle = NULL;
    if (stream->is_default) {
        set_queue(stream, tni_cuda_default_queue(stream->device.number), NULL, false);
        return TN_OK;
    }
    TNI_TRY(create(stream, &handle));
    tn_status status = make_queue(stream, handle, true);
    if (status != TN_OK) destroy(handle, stream->device.number);
    return status;
}

/* The driver lets queued work run to its end. */
void tni_cuda_stream_deinit(tn_stream *stream) {
    tni_cuda_queue *queue = stream->implementation;
    if (!tni_cuda_is_forked()) {
        tni_cuda_queue_unlink(queue);
        tni_records_drop_stream(stream, stream->is_idle);
        if (queue->is_owned && !keep(stream, queue)) destroy(queue->handle, queue->number);
    }
    tni_free(queue);
}

tn_status tn_cuda_stream_wrap(tn_stream **result, uintptr_t handle, int number) {
    tn_stream *model = tn_stream_default((tn_device){TN_BACKEND_CUDA, (int16_t)number});
    if (!model) return TN_ERROR_DEVICE;
    tni_gate.end();
    if (handle <= 1) {
        *result = model;
        return TN_OK;
    }
    tn_stream *stream;
    TNI_TRY(tni_stream_make(&stream, model, false, 0));
    tn_status status = make_queue(stream, (CUstream)handle, false);
    atomic_store_explicit(&stream->has_left, true, memory_order_relaxed);
    if (status == TN_OK)
        *result = tni_stream_begin(stream);
    else
        tni_stream_unmake(stream);
    return status;
}

uintptr_t tni_cuda_stream_number(const tn_stream *stream) {
    tni_cuda_queue *queue = stream->implementation;
    tni_gate.end();
    return (uintptr_t)queue->handle;
}

/* --- Waiting --- */

/* The driver's own waits are busy, too: a nap of 50 us takes as long as a kernel, or two. */
static const int64_t busy_ns = 10000000;

static void nap(int64_t waited_ns) {
    if (waited_ns < busy_ns)
        tni_pause();
    else
        nanosleep(&(struct timespec){0, 50000}, NULL);
}

tn_status tni_cuda_poll(CUresult (*ask)(const void *context), const void *context,
                        const char *function, const tn_stream *stream, int64_t timeout_ns) {
    int64_t start = timeout_ns > 0 ? tni_now_ns() : 0;
    for (;;) {
        CUresult answer = ask(context);
        if (answer == CUDA_SUCCESS) return TN_OK;
        if (answer != CUDA_ERROR_NOT_READY) return tni_cuda_fail(answer, function, stream);
        int64_t waited = timeout_ns > 0 ? tni_now_ns() - start : 0;
        if (waited >= timeout_ns) TNI_FAIL(TN_TIMEOUT, "work on the device is still pending");
        nap(waited);
    }
}

static CUresult ask_stream(const void *handle) {
    return tni_driver.cuStreamQuery((CUstream)(uintptr_t)handle);
}

static tn_status check_stream(CUresult error, const char *function, const tn_stream *stream) {
    return error == CUDA_SUCCESS ? TN_OK : tni_cuda_fail(error, function, stream);
}

tn_status tni_cuda_stream_synchronize(tn_stream *stream, int64_t timeout_ns) {
    CUstream handle = tni_cuda_stream_handle(stream);
    if (timeout_ns < 0)
        TNI_CUDA_ON(stream->device.number, check_stream(tni_driver.cuStreamSynchronize(handle),
                                                        "cuStreamSynchronize", stream));
    else
        TNI_CUDA_ON(stream->device.number,
                    tni_cuda_poll(ask_stream, handle, "cuStreamQuery", stream, timeout_ns));
    return tni_records_check(stream->device.number);
}

/* In a callback nothing can be asked; what must be cleaned up there is handed to another thread
 * (callback.c). A stream of the program's own that was never used here need not even exist any
 * more. */
tn_status tni_cuda_stream_is_done(tn_stream *stream, bool *done) {
    const tni_cuda_queue *queue = stream->implementation;
    tni_cuda_scope scope;
    if (!queue->is_owned && !stream->is_default && atomic_load(&stream->is_ending) &&
        !atomic_load(&queue->was_used)) {
        *done = true;
        return TN_OK;
    }
    if (tni_cuda_in_callback()) {
        *done = false;
        return TN_OK;
    }
    TNI_TRY(tni_cuda_enter_quietly(&scope, stream->device.number));
    CUresult answer = tni_driver.cuStreamQuery(queue->handle);
    tni_cuda_leave(&scope);
    if (answer != CUDA_SUCCESS && answer != CUDA_ERROR_NOT_READY)
        return tni_cuda_fail(answer, "cuStreamQuery", stream);
    *done = answer == CUDA_SUCCESS;
    return TN_OK;
}

static CUresult ask_device(const void *context) {
    return tni_cuda_queues_ask(*(const int *)context);
}

static tn_status synchronize(int number, int64_t timeout_ns) {
    if (timeout_ns >= 0) /* then the wait below is short */
        TNI_TRY(tni_cuda_poll(ask_device, &number, "cuStreamQuery", NULL, timeout_ns));
    return tni_cuda_check(tni_driver.cuCtxSynchronize(), "cuCtxSynchronize");
}

tn_status tni_cuda_device_synchronize(int number, int64_t timeout_ns) {
    TNI_CUDA_ON(number, synchronize(number, timeout_ns));
    return tni_records_check(number);
}

/* --- Order and facts --- */

tn_status tn_cuda_stream_get_priority(int *priority, tn_stream *stream) {
    TNI_CUDA_ON(stream->device.number,
                TNI_DRIVER(cuStreamGetPriority, tni_cuda_stream_handle(stream), priority));
    return TN_OK;
}

tn_status tn_cuda_stream_get_flags(unsigned *flags, tn_stream *stream) {
    TNI_CUDA_ON(stream->device.number,
                TNI_DRIVER(cuStreamGetFlags, tni_cuda_stream_handle(stream), flags));
    return TN_OK;
}

tn_status tn_cuda_stream_is_capturing(bool *capturing, tn_stream *stream) {
    CUstreamCaptureStatus status;
    TNI_CUDA_ON(stream->device.number,
                TNI_DRIVER(cuStreamIsCapturing, tni_cuda_stream_handle(stream), &status));
    *capturing = status != CU_STREAM_CAPTURE_STATUS_NONE;
    return TN_OK;
}
