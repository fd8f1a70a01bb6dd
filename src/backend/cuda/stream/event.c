/* Events of CUDA. Events without flags, with which the library orders streams, are kept in a list
 * per device and used again: making one costs more than all else that ordering does. An event that
 * was recorded may be recorded anew while a stream still waits for the earlier record, because a
 * wait means the record that was the last when it was queued. */
#include "backend/cuda/table.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/stream/callback.h"
#include "backend/cuda/stream/records.h"
#include "backend/cuda/stream/stream.h"
#include "core/base/alloc.h"
#include "core/base/counts.h"
#include "core/base/lock.h"
#include "core/stream/stream.h"

#include <string.h>
#include <tenorite/cuda.h>

enum { KEPT = 64 };

static struct {
    tni_lock lock;
    int count;
    CUevent list[KEPT];
} kept[TNI_MAX_DEVICES];

static CUevent handle_of(const tn_event *event) {
    return event->implementation;
}

static CUevent take_kept(int number) {
    tni_lock_take(&kept[number].lock);
    CUevent event = kept[number].count ? kept[number].list[--kept[number].count] : NULL;
    tni_lock_give(&kept[number].lock);
    return event;
}

static bool keep(int number, CUevent event) {
    tni_lock_take(&kept[number].lock);
    bool has_room = kept[number].count < KEPT;
    if (has_room) kept[number].list[kept[number].count++] = event;
    tni_lock_give(&kept[number].lock);
    return has_room;
}

static tn_status create(tn_event *event, unsigned flags) {
    CUevent handle;
    TNI_CUDA_QUIETLY_ON(event->device.number, TNI_DRIVER(cuEventCreate, &handle, flags));
    event->implementation = handle;
    tni_cuda_count_handle(1);
    return TN_OK;
}

/* A kept event's old record must not count as one of the new event: while it is pending, the new
 * one would not be done. That event is of no use yet. */
static bool is_over(CUevent event, int number) {
    tni_cuda_scope scope;
    if (tni_cuda_enter_quietly(&scope, number) != TN_OK) return false;
    CUresult answer = tni_driver.cuEventQuery(event);
    tni_cuda_leave(&scope);
    return answer == CUDA_SUCCESS;
}

static void destroy(void *event, int number) {
    tni_cuda_scope scope;
    if (tni_cuda_enter_quietly(&scope, number) != TN_OK) return;
    tni_driver.cuEventDestroy_v2(event);
    tni_cuda_count_handle(-1);
    tni_cuda_leave(&scope);
}

tn_status tni_cuda_event_init(tn_event *event) {
    TNI_TRY(tni_cuda_open());
    if (event->timing || tni_cuda_in_callback()) return create(event, 0);
    CUevent old = take_kept(event->device.number);
    if (old && is_over(old, event->device.number)) {
        event->implementation = old;
        return TN_OK;
    }
    if (old && !keep(event->device.number, old)) destroy(old, event->device.number);
    return create(event, CU_EVENT_DISABLE_TIMING);
}

/* Events with flags are made with `timing` set, whatever the flags say: those are never kept, nor
 * those that were recorded in a capture, which can't be asked. */
void tni_cuda_event_deinit(tn_event *event) {
    int number = event->device.number;
    if (tni_cuda_is_forked() || !event->implementation) return;
    bool is_plain = !event->timing && !atomic_load(&event->capture);
    if (is_plain && keep(number, handle_of(event))) return;
    if (tni_cuda_in_callback())
        tni_cuda_give_back(destroy, event->implementation, number);
    else
        destroy(event->implementation, number);
}

tn_status tni_cuda_event_record(tn_event *event, tn_stream *stream) {
    TNI_CUDA_QUIETLY_ON(event->device.number, TNI_DRIVER(cuEventRecord, handle_of(event),
                                                         tni_cuda_stream_handle(stream)));
    return TN_OK;
}

/* In a callback nothing can be asked, as of streams. */
tn_status tni_cuda_event_is_done(tn_event *event, bool *done) {
    tni_cuda_scope scope;
    if (tni_cuda_in_callback()) {
        *done = false;
        return TN_OK;
    }
    TNI_TRY(tni_cuda_enter_quietly(&scope, event->device.number));
    CUresult answer = tni_driver.cuEventQuery(handle_of(event));
    tni_cuda_leave(&scope);
    if (answer != CUDA_SUCCESS && answer != CUDA_ERROR_NOT_READY)
        return tni_cuda_fail(answer, "cuEventQuery", NULL);
    *done = answer == CUDA_SUCCESS;
    return TN_OK;
}

static CUresult ask_event(const void *handle) {
    return tni_driver.cuEventQuery((CUevent)(uintptr_t)handle);
}

tn_status tni_cuda_event_synchronize(tn_event *event, int64_t timeout_ns) {
    CUevent handle = handle_of(event);
    if (timeout_ns < 0)
        TNI_CUDA_ON(event->device.number, TNI_DRIVER(cuEventSynchronize, handle));
    else
        TNI_CUDA_ON(event->device.number,
                    tni_cuda_poll(ask_event, handle, "cuEventQuery", NULL, timeout_ns));
    return tni_records_check(event->device.number);
}

tn_status tni_cuda_event_elapsed_ms(double *milliseconds, tn_event *start, tn_event *stop) {
    float elapsed;
    TNI_CUDA_ON(start->device.number,
                TNI_DRIVER(cuEventElapsedTime, &elapsed, handle_of(start), handle_of(stop)));
    *milliseconds = (double)elapsed;
    return TN_OK;
}

tn_status tni_cuda_stream_wait_event(tn_stream *stream, tn_event *event) {
    TNI_CUDA_QUIETLY_ON(
        stream->device.number,
        TNI_DRIVER(cuStreamWaitEvent, tni_cuda_stream_handle(stream), handle_of(event), 0));
    return TN_OK;
}

/* What is recorded can't wait for work that is not: then the caller does. The event is not kept for
 * others, as the other stream may be in a capture that we don't know of. */
static tn_status wait_for(CUstream stream, CUstream other, bool is_capturing) {
    CUevent event;
    if (is_capturing) return TNI_DRIVER(cuStreamSynchronize, other);
    TNI_TRY(TNI_DRIVER(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING));
    CUresult answer = tni_driver.cuEventRecord(event, other);
    tn_status status;
    if (answer == CUDA_ERROR_INVALID_HANDLE) /* the event is not of that stream's device */
        status = TNI_DRIVER(cuStreamSynchronize, other);
    else if (answer != CUDA_SUCCESS)
        status = tni_cuda_check(answer, "cuEventRecord");
    else
        status = TNI_DRIVER(cuStreamWaitEvent, stream, event, 0);
    tni_driver.cuEventDestroy_v2(event);
    return status;
}

tn_status tn_cuda_stream_wait_handle(tn_stream *stream, uintptr_t handle) {
    if (stream->device.backend != TN_BACKEND_CUDA)
        TNI_FAIL(TN_ERROR_VALUE, "a stream of the host waits for none of a GPU");
    CUstream own = tni_cuda_stream_handle(stream);
    if ((uintptr_t)own == handle || (!own && handle == 1)) return TN_OK;
    TNI_CUDA_ON(stream->device.number,
                wait_for(own, (CUstream)handle, tn_stream_is_capturing(stream)));
    return TN_OK;
}

/* --- Events with flags --- */

/* A struct around nothing yet. */
static tn_status make_struct(tn_event **result, int number) {
    tn_stream *model = tn_stream_default((tn_device){TN_BACKEND_CUDA, (int16_t)number});
    if (!model) return TN_ERROR_DEVICE;
    tn_event *event = tni_calloc(1, sizeof *event);
    if (!event) return tni_fail_no_memory(sizeof *event);
    atomic_init(&event->references, 1);
    event->device = model->device;
    event->backend = model->backend;
    *result = event;
    return TN_OK;
}

/* The struct is an event from here on, and counted. */
static void finish(tn_event **result, tn_event *event) {
    tni_count_seldom(TNI_EVENTS, 1);
    *result = event;
}

tn_status tn_cuda_event_new(tn_event **result, int flags, int number) {
    tn_event *event = NULL;
    if (!(flags & ~TN_CUDA_EVENT_NO_TIMING))
        return tn_event_new(result, (tn_device){TN_BACKEND_CUDA, (int16_t)number},
                            !(flags & TN_CUDA_EVENT_NO_TIMING));
    TNI_TRY(make_struct(&event, number));
    event->timing = true; /* never kept; the driver knows whether it has a time */
    tn_status status = create(event, (unsigned)flags);
    if (status != TN_OK)
        tni_free(event);
    else
        finish(result, event);
    return status;
}

uintptr_t tn_cuda_event_handle(const tn_event *event) {
    bool is_cuda = event->device.backend == TN_BACKEND_CUDA;
    return is_cuda ? (uintptr_t)handle_of(event) : (uintptr_t)event;
}

tn_status tn_cuda_event_export(unsigned char handle[64], tn_event *event) {
    CUipcEventHandle exported;
    TNI_CUDA_ON(event->device.number, TNI_DRIVER(cuIpcGetEventHandle, &exported, handle_of(event)));
    memcpy(handle, exported.reserved, 64);
    return TN_OK;
}

tn_status tn_cuda_event_import(tn_event **result, const unsigned char handle[64], int number) {
    tn_event *event = NULL;
    CUevent imported = NULL;
    CUipcEventHandle given;
    memcpy(given.reserved, handle, 64);
    TNI_CUDA_ON(number, TNI_DRIVER(cuIpcOpenEventHandle, &imported, given));
    tn_status status = make_struct(&event, number);
    if (status != TN_OK) {
        tni_driver.cuEventDestroy_v2(imported);
        return status;
    }
    event->timing = true; /* never kept */
    tni_cuda_count_handle(1);
    event->implementation = imported;
    finish(result, event);
    return TN_OK;
}
