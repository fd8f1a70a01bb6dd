/* Streams of the double: queues with a thread each, and events.
 *
 * A task may have to wait for other streams: one of the default stream for all blocking streams of
 * its context, one of a blocking stream for the default one, and a wait for an event for the stream
 * that recorded it. Such a dependence is a stream and how much of it must be completed. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPENDENCES = 64 };

typedef struct dependence {
    CUstream stream;
    uint64_t number;
} dependence;

typedef struct fake_task {
    struct fake_task *next;
    int count;
    dependence on[DEPENDENCES];
    void (*run)(void *params);
    _Alignas(16) char params[];
} task;

struct CUevent_st {
    CUevent next; /* all events */
    unsigned flags;
    bool is_recorded;
    dependence at;
    uint64_t capture;        /* in which it was recorded; 0: in none */
    fake_progress *progress; /* NULL: it is of this process alone */
    CUipcEventHandle handle;
    struct timespec *time; /* written when the stream gets there */
};

static struct CUstream_st defaults[FAKE_DEVICES];
static CUstream streams;
static CUevent events;
static long stream_count, event_count;
static bool is_held;
static long queue_length = -1; /* not asked for yet */
static _Thread_local bool in_host_function;

bool fake_in_host_function(void) {
    return in_host_function;
}

/* --- Running --- */

static bool is_blocking(const struct CUstream_st *stream) {
    return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

static bool is_ready(const task *task) {
    for (int k = 0; k < task->count; k++)
        if (task->on[k].stream->completed < task->on[k].number) return false;
    return !is_held;
}

/* A stream that was destroyed stays in memory: tasks may still name it. */
static void *work_off(void *context) {
    CUstream stream = context;
    pthread_mutex_lock(&fake_lock);
    for (;;) {
        while (!stream->first ? !stream->is_closing : !is_ready(stream->first))
            pthread_cond_wait(&fake_changed, &fake_lock);
        task *next = stream->first;
        if (!next) break;
        pthread_mutex_unlock(&fake_lock);
        next->run(next->params);
        pthread_mutex_lock(&fake_lock);
        if (!(stream->first = next->next)) stream->last = &stream->first;
        stream->completed++;
        free(next);
        pthread_cond_broadcast(&fake_changed);
    }
    stream->has_thread = false;
    pthread_mutex_unlock(&fake_lock);
    return NULL;
}

static void start(CUstream stream) {
    pthread_t thread;
    pthread_attr_t detached;
    if (stream->has_thread) return;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &detached, work_off, stream)) abort();
    pthread_attr_destroy(&detached);
    stream->has_thread = true;
}

CUstream fake_find_stream(CUstream handle) {
    CUcontext current = fake_current();
    if (handle && handle != (CUstream)1 && handle != (CUstream)2) return handle;
    if (!current) return NULL;
    CUstream stream = &defaults[current->device];
    if (!stream->context) {
        stream->context = current;
        stream->last = &stream->first;
    }
    return stream;
}

static void depend(task *task, CUstream stream, uint64_t number) {
    if (stream->completed >= number) return;
    if (task->count == DEPENDENCES) abort();
    task->on[task->count++] = (dependence){stream, number};
}

/* Called with the lock held. */
static void add_legacy_dependences(task *task, CUstream stream) {
    CUstream legacy = &defaults[stream->context->device];
    if (stream == legacy) {
        for (CUstream other = streams; other; other = other->next)
            if (other->context == stream->context && is_blocking(other))
                depend(task, other, other->submitted);
    } else if (is_blocking(stream)) {
        depend(task, legacy, legacy->submitted);
    }
}

/* Called with the lock held. */
static void wait_for_room(const struct CUstream_st *stream) {
    const char *text = queue_length < 0 ? getenv("FAKE_CUDA_QUEUE") : NULL;
    if (queue_length < 0) queue_length = text ? atol(text) : 0;
    while (queue_length > 0 && !stream->capture && !stream->context->broken &&
           stream->submitted - stream->completed >= (uint64_t)queue_length)
        pthread_cond_wait(&fake_changed, &fake_lock);
}

void fake_cuda_set_queue(long length) {
    pthread_mutex_lock(&fake_lock);
    queue_length = length;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
}

static CUresult submit(CUstream handle, void (*run)(void *params), const void *params, size_t bytes,
                       const dependence *on) {
    pthread_mutex_lock(&fake_lock);
    CUstream stream = fake_find_stream(handle);
    if (stream) wait_for_room(stream);
    if (!stream || stream->is_closing) {
        pthread_mutex_unlock(&fake_lock);
        if (stream) fake_complain("work on a stream that was destroyed");
        return CUDA_ERROR_INVALID_HANDLE;
    }
    CUresult refused = CUDA_SUCCESS;
    if (stream->capture)
        refused = fake_capture_task(stream, run, params, bytes);
    else if (stream == &defaults[stream->context->device])
        refused = fake_check_legacy(stream->context);
    if (refused || stream->capture) {
        pthread_mutex_unlock(&fake_lock);
        return refused;
    }
    task *made = calloc(1, sizeof *made + bytes);
    made->run = run;
    if (bytes) memcpy(made->params, params, bytes);
    add_legacy_dependences(made, stream);
    if (on) depend(made, on->stream, on->number);
    *stream->last = made;
    stream->last = &made->next;
    stream->submitted++;
    start(stream);
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

CUresult fake_submit(CUstream stream, void (*run)(void *params), const void *params, size_t bytes) {
    return submit(stream, run, params, bytes, NULL);
}

CUresult fake_submit_after(CUstream stream, void (*run)(void *params), const void *params,
                           size_t bytes, CUstream after, uint64_t number) {
    dependence on = {after, number};
    return submit(stream, run, params, bytes, after ? &on : NULL);
}

CUstream fake_streams(void) {
    return streams;
}

void fake_cuda_hold(bool held) {
    pthread_mutex_lock(&fake_lock);
    is_held = held;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
}

/* --- Streams --- */

CUresult fake_cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    if (!fake_current()) return CUDA_ERROR_INVALID_CONTEXT;
    CUstream made = calloc(1, sizeof *made);
    made->context = fake_current();
    made->flags = flags;
    made->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
    made->last = &made->first;
    pthread_mutex_lock(&fake_lock);
    made->next = streams;
    streams = made;
    stream_count++;
    pthread_mutex_unlock(&fake_lock);
    *stream = made;
    return CUDA_SUCCESS;
}

CUresult fake_cuStreamDestroy_v2(CUstream stream) {
    pthread_mutex_lock(&fake_lock);
    bool was_closing = stream->is_closing;
    stream->is_closing = true;
    if (!was_closing) stream_count--;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
    if (was_closing) fake_complain("a stream was destroyed twice");
    return was_closing ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

/* Whether a stream may be asked or waited for. Called with the lock held. */
static CUresult check_question(CUstream stream) {
    if (stream->capture) return fake_break_capture(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    bool is_legacy = stream == &defaults[stream->context->device];
    return is_legacy ? fake_check_legacy(stream->context) : CUDA_SUCCESS;
}

/* Waits with the lock held. */
static CUresult wait_for(CUstream stream, uint64_t number) {
    while (stream->completed < number && !stream->context->broken)
        pthread_cond_wait(&fake_changed, &fake_lock);
    return stream->context->broken;
}

CUresult fake_wait_stream(CUstream handle) {
    pthread_mutex_lock(&fake_lock);
    CUstream stream = fake_find_stream(handle);
    CUresult result = stream->capture ? CUDA_SUCCESS : wait_for(stream, stream->submitted);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

CUresult fake_cuStreamSynchronize(CUstream handle) {
    pthread_mutex_lock(&fake_lock);
    CUstream stream = fake_find_stream(handle);
    CUresult result = stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    if (stream) result = check_question(stream);
    if (stream && !result) result = wait_for(stream, stream->submitted);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

CUresult fake_cuStreamQuery(CUstream handle) {
    pthread_mutex_lock(&fake_lock);
    CUstream stream = fake_find_stream(handle);
    CUresult result = CUDA_ERROR_INVALID_CONTEXT;
    CUresult refused = stream ? check_question(stream) : CUDA_SUCCESS;
    if (stream)
        result = refused                                 ? refused
                 : stream->context->broken               ? stream->context->broken
                 : stream->completed < stream->submitted ? CUDA_ERROR_NOT_READY
                                                         : CUDA_SUCCESS;
    pthread_mutex_unlock(&fake_lock);
    return result;
}

CUresult fake_wait_device(int device) {
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&fake_lock);
    if (defaults[device].context) result = wait_for(&defaults[device], defaults[device].submitted);
    for (CUstream stream = streams; stream && !result; stream = stream->next)
        if (stream->context->device == device) result = wait_for(stream, stream->submitted);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

CUresult fake_cuStreamGetPriority(CUstream handle, int *priority) {
    CUstream stream = fake_find_stream(handle);
    *priority = stream->priority;
    return CUDA_SUCCESS;
}

CUresult fake_cuStreamGetFlags(CUstream handle, unsigned *flags) {
    CUstream stream = fake_find_stream(handle);
    *flags = stream->flags;
    return CUDA_SUCCESS;
}

CUresult fake_cuStreamGetCtx(CUstream handle, CUcontext *context) {
    CUstream stream = fake_find_stream(handle);
    *context = stream->context;
    return CUDA_SUCCESS;
}

typedef struct host_call {
    CUhostFn function;
    void *context;
} host_call;

static void call_host(void *params) {
    host_call *call = params;
    in_host_function = true;
    call->function(call->context);
    in_host_function = false;
}

CUresult fake_cuLaunchHostFunc(CUstream stream, CUhostFn function, void *context) {
    host_call call = {function, context};
    return fake_submit(stream, call_host, &call, sizeof call);
}

/* --- Events --- */

CUresult fake_cuEventCreate(CUevent *event, unsigned flags) {
    if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    CUevent made = calloc(1, sizeof *made);
    made->flags = flags;
    if (flags & CU_EVENT_INTERPROCESS) made->progress = fake_progress_new(&made->handle);
    pthread_mutex_lock(&fake_lock);
    made->next = events;
    events = made;
    event_count++;
    pthread_mutex_unlock(&fake_lock);
    *event = made;
    return CUDA_SUCCESS;
}

static void take_time(void *params) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&fake_lock);
    **(struct timespec **)params = now;
    pthread_mutex_unlock(&fake_lock);
}

static void advance(void *params) {
    fake_progress_advance(*(fake_progress **)params);
}

static void wait_for_progress(void *params) {
    fake_progress_wait(*(fake_progress **)params);
}

/* The times of earlier records are never freed: a task may still write one. */
CUresult fake_cuEventDestroy_v2(CUevent event) {
    pthread_mutex_lock(&fake_lock);
    CUevent *place = &events;
    while (*place && *place != event)
        place = &(*place)->next;
    bool known = *place != NULL;
    if (known) *place = event->next;
    event_count -= known;
    pthread_mutex_unlock(&fake_lock);
    if (known)
        free(event);
    else
        fake_complain("an event was destroyed that is not there");
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult fake_cuEventRecord(CUevent event, CUstream handle) {
    static struct timespec times[1 << 16];
    static unsigned used;
    pthread_mutex_lock(&fake_lock);
    struct timespec *time = &times[used++ % (1 << 16)];
    pthread_mutex_unlock(&fake_lock);
    CUresult result = fake_submit(handle, take_time, &time, sizeof time);
    if (!result && event->progress) {
        atomic_fetch_add(&event->progress->recorded, 1);
        result = fake_submit(handle, advance, &event->progress, sizeof event->progress);
    }
    if (result) return result;
    pthread_mutex_lock(&fake_lock);
    CUstream stream = fake_find_stream(handle);
    event->capture = fake_capture_id(stream);
    event->is_recorded = true;
    event->at = (dependence){stream, event->capture ? stream->recorded : stream->submitted};
    event->time = time;
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

static bool is_pending(CUevent event) {
    if (event->progress)
        return atomic_load(&event->progress->completed) < atomic_load(&event->progress->recorded);
    return event->is_recorded && event->at.stream->completed < event->at.number;
}

/* An event of a capture is no point in time. Called with the lock held. */
static CUresult check_event(CUevent event) {
    if (!event->capture) return CUDA_SUCCESS;
    CUstream stream = event->at.stream;
    if (fake_capture_id(stream) == event->capture)
        return fake_break_capture(stream, CUDA_ERROR_CAPTURED_EVENT);
    return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult fake_cuEventQuery(CUevent event) {
    pthread_mutex_lock(&fake_lock);
    CUresult result = check_event(event);
    if (!result && is_pending(event)) result = CUDA_ERROR_NOT_READY;
    pthread_mutex_unlock(&fake_lock);
    return result;
}

CUresult fake_cuEventSynchronize(CUevent event) {
    pthread_mutex_lock(&fake_lock);
    CUresult result = check_event(event);
    if (event->progress) {
        pthread_mutex_unlock(&fake_lock);
        fake_progress_wait(event->progress);
        return result;
    }
    if (!result && event->is_recorded) result = wait_for(event->at.stream, event->at.number);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

CUresult fake_cuEventElapsedTime(float *milliseconds, CUevent start, CUevent stop) {
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&fake_lock);
    if (!start->is_recorded || !stop->is_recorded ||
        ((start->flags | stop->flags) & CU_EVENT_DISABLE_TIMING))
        result = CUDA_ERROR_INVALID_HANDLE;
    else if (is_pending(start) || is_pending(stop))
        result = CUDA_ERROR_NOT_READY;
    else
        *milliseconds = (float)((double)(stop->time->tv_sec - start->time->tv_sec) * 1e3 +
                                (double)(stop->time->tv_nsec - start->time->tv_nsec) * 1e-6);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

static void do_nothing(void *params) {
    (void)params;
}

CUresult fake_cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags) {
    (void)flags;
    pthread_mutex_lock(&fake_lock);
    CUstream stream = fake_find_stream(handle);
    if (event->capture || stream->capture) {
        CUresult result = CUDA_SUCCESS;
        if (event->capture)
            result = fake_capture_wait(stream, event->capture, event->at.stream, event->at.number);
        else if (event->is_recorded)
            result = fake_break_capture(stream, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
        pthread_mutex_unlock(&fake_lock);
        return result;
    }
    dependence on = event->at;
    bool pending = is_pending(event);
    pthread_mutex_unlock(&fake_lock);
    if (event->progress)
        return fake_submit(handle, wait_for_progress, &event->progress, sizeof event->progress);
    return submit(stream, do_nothing, NULL, 0, pending ? &on : NULL);
}

/* --- Events of several processes --- */

CUresult fake_cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event) {
    if (!event->progress) return CUDA_ERROR_INVALID_VALUE;
    *handle = event->handle;
    return CUDA_SUCCESS;
}

CUresult fake_cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle) {
    fake_progress *progress = fake_progress_open(handle);
    if (!progress) return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = fake_cuEventCreate(event, CU_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS) (*event)->progress = progress;
    return result;
}

long fake_cuda_streams(void) {
    pthread_mutex_lock(&fake_lock);
    long count = stream_count;
    pthread_mutex_unlock(&fake_lock);
    return count;
}

long fake_cuda_events(void) {
    pthread_mutex_lock(&fake_lock);
    long count = event_count;
    pthread_mutex_unlock(&fake_lock);
    return count;
}
