/* Streams of CUDA, and waiting for them.
 *
 * The default stream of a device is the driver's legacy one (handle 0). All streams that exist are in
 * a list, so that waiting for a device can be interrupted and a failure can name what ran.
 * A few handles of streams that have ended are kept for the next, for making one takes the driver longer than
 * all else that a short-lived stream does: such as were idle and that the program never saw.
 * A wait without a time limit is the driver's own; one with a limit asks again and again, busily for
 * 10 ms, then with naps of 50 us.
 * Each stream keeps its last launches in a ring that is written without a lock: a message may mix two
 * launches when another thread writes at that moment, which is better than a lock in each launch. */
#include "backend/cuda/stream/stream.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/forms/program.h"
#include "backend/cuda/launch/defer.h"
#include "backend/cuda/launch/workspace.h"
#include "backend/cuda/stream/callback.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/stream/stream.h"
#include "core/stream/stream_life.h"

#include <pthread.h>
#include <stdio.h>
#include <tenorite/cuda.h>
#include <time.h>

enum { NOTES = 8, NOTES_SHOWN = 4, KEPT = 16 };

typedef struct note {
    _Atomic(const char *) name;
    atomic_uint shape[6]; /* of the grid and of a block */
} note;

typedef struct queue {
    CUstream handle;
    int number; /* of the device */
    bool is_owned;
    atomic_bool was_used, was_shown; /* the latter: its handle, to the program */
    struct queue *previous, *next;   /* guarded by queues_lock */
    atomic_uint noted;               /* launches so far */
    note notes[NOTES];
} queue;

static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static queue *queues;
static queue default_queues[TNI_MAX_DEVICES]; /* made without an allocation that could fail */
atomic_int tni_cuda_handles;

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

/* The child of a fork inherits streams that it can only forget. */
static void after_fork_child(void) {
    pthread_mutex_init(&queues_lock, NULL);
    queues = NULL;
    atomic_store(&kept.lock.state, 0);
    kept.count = 0;
}
static void watch_forks(void) {
    pthread_atfork(NULL, NULL, after_fork_child);
}

/* --- Life --- */

/* A default stream is made under a lock of core, with which nobody may wait for the interpreter. */
static void link_queue(queue *queue) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (queue->is_owned)
        tni_wait_lock(&queues_lock);
    else
        pthread_mutex_lock(&queues_lock);
    queue->next = queues;
    if (queues) queues->previous = queue;
    queues = queue;
    pthread_mutex_unlock(&queues_lock);
}

static void unlink_queue(queue *queue) {
    tni_wait_lock(&queues_lock);
    if (queue->previous)
        queue->previous->next = queue->next;
    else if (queues == queue)
        queues = queue->next;
    if (queue->next) queue->next->previous = queue->previous;
    pthread_mutex_unlock(&queues_lock);
}

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

static bool keep(const tn_stream *stream, const queue *queue) {
    if (!stream->is_idle || atomic_load(&queue->was_shown)) return false;
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

static void set_queue(tn_stream *stream, queue *queue, CUstream handle, bool is_owned) {
    queue->handle = handle;
    queue->number = stream->device.number;
    queue->is_owned = is_owned;
    stream->implementation = queue;
    link_queue(queue);
}

static tn_status make_queue(tn_stream *stream, CUstream handle, bool is_owned) {
    queue *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    set_queue(stream, made, handle, is_owned);
    return TN_OK;
}

/* A default stream asks nothing of the driver, so that having one costs no context. */
tn_status tni_cuda_stream_init(tn_stream *stream) {
    CUstream handle = NULL;
    if (stream->is_default) {
        set_queue(stream, &default_queues[stream->device.number], NULL, false);
        return TN_OK;
    }
    TNI_TRY(create(stream, &handle));
    tn_status status = make_queue(stream, handle, true);
    if (status != TN_OK) destroy(handle, stream->device.number);
    return status;
}

/* The driver lets queued work run to its end. */
void tni_cuda_stream_deinit(tn_stream *stream) {
    queue *queue = stream->implementation;
    if (!tni_cuda_is_forked()) {
        unlink_queue(queue);
        tni_workspace_drop_stream(stream, stream->is_idle);
        if (queue->is_owned && !keep(stream, queue)) destroy(queue->handle, queue->number);
    }
    tni_free(queue);
}

tn_status tn_cuda_stream_wrap(tn_stream **result, uintptr_t handle, int number) {
    tn_stream *model = tn_stream_default((tn_device){TN_BACKEND_CUDA, (int16_t)number});
    if (!model) return TN_ERROR_DEVICE;
    tni_defer_end();
    if (handle <= 1) {
        *result = model;
        return TN_OK;
    }
    tn_stream *stream;
    TNI_TRY(tni_stream_make(&stream, model, false, 0));
    tn_status status = make_queue(stream, (CUstream)handle, false);
    if (status == TN_OK)
        *result = tni_stream_begin(stream);
    else
        tni_stream_unmake(stream);
    return status;
}

/* For use of the stream, which is noted. */
CUstream tni_cuda_stream_handle(const tn_stream *stream) {
    queue *queue = stream->implementation;
    if (!atomic_load_explicit(&queue->was_used, memory_order_relaxed))
        atomic_store_explicit(&queue->was_used, true, memory_order_relaxed);
    return queue->handle;
}

uintptr_t tni_cuda_stream_number(const tn_stream *stream) {
    queue *queue = stream->implementation;
    tni_defer_end();
    atomic_store_explicit(&queue->was_shown, true, memory_order_relaxed);
    return (uintptr_t)queue->handle;
}

/* --- What ran --- */

/* A graph and a library's call have no grid: its sizes are 0. */
void tni_cuda_stream_note(tn_stream *stream, const char *name, const unsigned grid[3],
                          const unsigned block[3]) {
    queue *queue = stream->implementation;
    unsigned number = atomic_load_explicit(&queue->noted, memory_order_relaxed);
    note *note = &queue->notes[number % NOTES];
    for (int k = 0; k < 3; k++) {
        atomic_store_explicit(&note->shape[k], grid[k], memory_order_relaxed);
        atomic_store_explicit(&note->shape[k + 3], block[k], memory_order_relaxed);
    }
    atomic_store_explicit(&note->name, name, memory_order_relaxed);
    atomic_store_explicit(&queue->noted, number + 1, memory_order_relaxed);
}

static size_t describe_queue(char *text, size_t size, const queue *queue) {
    unsigned count = atomic_load(&queue->noted);
    size_t used = 0;
    for (unsigned k = 1; k <= NOTES_SHOWN && k <= count && used + 1 < size; k++) {
        const note *note = &queue->notes[(count - k) % NOTES];
        unsigned s[6];
        for (int i = 0; i < 6; i++)
            s[i] = atomic_load(&note->shape[i]);
        int written = s[0] ? snprintf(text + used, size - used, "%s%s (%u,%u,%u)x(%u,%u,%u)",
                                      k > 1 ? ", " : "", atomic_load(&note->name), s[0], s[1], s[2],
                                      s[3], s[4], s[5])
                           : snprintf(text + used, size - used, "%s%s", k > 1 ? ", " : "",
                                      atomic_load(&note->name));
        used += (size_t)written;
    }
    return used < size ? used : size - 1;
}

void tni_cuda_stream_describe(char *text, size_t size, const tn_stream *stream, int number) {
    text[0] = '\0';
    if (stream && atomic_load(&((const queue *)stream->implementation)->noted)) {
        describe_queue(text, size, stream->implementation);
        return;
    }
    size_t used = 0;
    tni_wait_lock(&queues_lock);
    for (queue *queue = queues; queue && used + 16 < size; queue = queue->next) {
        if (queue->number != number || !atomic_load(&queue->noted)) continue;
        if (used) used += (size_t)snprintf(text + used, size - used, "; ");
        used += describe_queue(text + used, size - used, queue);
    }
    pthread_mutex_unlock(&queues_lock);
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
    return tni_bounds_check(stream->device.number);
}

/* In a callback nothing can be asked; whoever cleans up then hands that over (callback.c). Somebody
 * else's stream that was never used here need not even exist. */
tn_status tni_cuda_stream_is_done(tn_stream *stream, bool *done) {
    const queue *queue = stream->implementation;
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

/* All streams of a device that are known here, and the default one. */
static CUresult ask_device(const void *context) {
    int number = *(const int *)context;
    CUresult answer = tni_driver.cuStreamQuery(NULL);
    tni_wait_lock(&queues_lock);
    for (queue *queue = queues; queue && answer == CUDA_SUCCESS; queue = queue->next)
        if (queue->number == number && queue->handle && atomic_load(&queue->was_used))
            answer = tni_driver.cuStreamQuery(queue->handle);
    pthread_mutex_unlock(&queues_lock);
    return answer;
}

static tn_status synchronize(int number, int64_t timeout_ns) {
    if (timeout_ns >= 0) /* then the wait below is short */
        TNI_TRY(tni_cuda_poll(ask_device, &number, "cuStreamQuery", NULL, timeout_ns));
    return tni_cuda_check(tni_driver.cuCtxSynchronize(), "cuCtxSynchronize");
}

tn_status tni_cuda_device_synchronize(int number, int64_t timeout_ns) {
    TNI_CUDA_ON(number, synchronize(number, timeout_ns));
    return tni_bounds_check(number);
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
