/* Streams of the host. The default one is immediate: work runs in the caller. Every other one is a
 * queue with a worker thread, which starts with the first work.
 *
 * Tasks run strictly in order. `submitted` and `completed` count them; a stream is done when they
 * are equal, and a wait is for `completed` to reach what `submitted` was. The first failure of a task
 * is kept, with its message, until a wait reports it; later tasks run all the same.
 * A queue outlives its stream until its tasks are done: it is counted by the stream, by its running
 * worker and by whoever waits for all queues of a device.
 * In a child of fork there is no worker: a queue that was made before answers TN_ERROR_FORKED,
 * except that a queue without work left is done. */
#include "backend/host/graph.h"
#include "backend/host/table.h"
#include "core/lock.h"
#include "core/thread.h"
#include "core/threadstart.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct task {
    struct task *next;
    tn_status (*work)(void *params);
    _Alignas(16) char params[];
} task;

typedef struct failure {
    tn_status status;
    int64_t requested, used, cached, limit;
    char message[1024];
} failure;

typedef struct queue {
    int references; /* guarded by queues_lock */
    int number;     /* of the device */
    unsigned forks;
    struct queue *previous, *next; /* all queues; guarded by queues_lock */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t added, advanced;
    task *first, **last;
    bool has_worker, is_sleeping, is_closing;
    int waiters;
    atomic_uint_fast64_t submitted, completed; /* written under the lock, read anywhere */
    failure failure;
} queue;

static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static queue *queues;
static atomic_uint forks;
static const int64_t spin_ns = 10000;
static _Thread_local queue *own; /* the queue whose worker this thread is */

/* --- Fork --- */

static void before_fork(void) {
    pthread_mutex_lock(&queues_lock);
}
static void after_fork_parent(void) {
    pthread_mutex_unlock(&queues_lock);
}
static void after_fork_child(void) {
    queues = NULL;
    own = NULL;
    atomic_fetch_add(&forks, 1);
    pthread_mutex_unlock(&queues_lock);
}
static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

unsigned tni_host_forks(void) {
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

static bool is_forked(const queue *queue) {
    return queue->forks != tni_host_forks();
}

static tn_status fail_forked(const queue *queue) {
    return tni_fail(
        TN_ERROR_FORKED,
        "the stream %p was made before fork; its work stays in the parent process, make "
        "a new stream in the child",
        (const void *)queue);
}

/* --- Life of a queue --- */

static queue *queue_new(int number) {
    queue *made = tni_calloc(1, sizeof *made);
    if (!made) return NULL;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->added, NULL);
    pthread_cond_init(&made->advanced, &monotonic);
    pthread_condattr_destroy(&monotonic);
    made->references = 1;
    made->number = number;
    made->forks = tni_host_forks();
    made->last = &made->first;
    pthread_mutex_lock(&queues_lock);
    made->next = queues;
    if (queues) queues->previous = made;
    queues = made;
    pthread_mutex_unlock(&queues_lock);
    return made;
}

static void queue_retain(queue *queue) {
    pthread_mutex_lock(&queues_lock);
    queue->references++;
    pthread_mutex_unlock(&queues_lock);
}

static void queue_release(queue *gone) {
    pthread_mutex_lock(&queues_lock);
    bool is_last = --gone->references == 0;
    if (is_last) {
        if (gone->previous)
            gone->previous->next = gone->next;
        else
            queues = gone->next;
        if (gone->next) gone->next->previous = gone->previous;
    }
    pthread_mutex_unlock(&queues_lock);
    if (!is_last) return;
    pthread_cond_destroy(&gone->added);
    pthread_cond_destroy(&gone->advanced);
    pthread_mutex_destroy(&gone->lock);
    tni_free(gone);
}

tn_status tni_host_stream_init(tn_stream *stream) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    stream->is_immediate = stream->is_default;
    if (stream->is_immediate) return TN_OK;
    pthread_once(&once, watch_forks);
    stream->implementation = queue_new(stream->device.number);
    return stream->implementation ? TN_OK : tni_fail_no_memory(sizeof(queue));
}

void tni_host_stream_deinit(tn_stream *stream) {
    queue *queue = stream->implementation;
    if (!queue) return;
    if (is_forked(queue)) {
        tni_free(queue); /* its locks may be held by threads of the parent */
        return;
    }
    pthread_mutex_lock(&queue->lock);
    queue->is_closing = true;
    pthread_cond_signal(&queue->added);
    pthread_mutex_unlock(&queue->lock);
    queue_release(queue);
}

uintptr_t tni_host_stream_handle(const tn_stream *stream) {
    return stream->is_default ? 0 : (uintptr_t)stream;
}

/* --- The worker --- */

static void keep_failure(queue *queue, tn_status status) {
    failure *failure = &queue->failure;
    if (failure->status != TN_OK) return;
    failure->status = status;
    tn_error_memory(&failure->requested, &failure->used, &failure->cached, &failure->limit);
    snprintf(failure->message, sizeof failure->message, "%s", tn_error_message());
}

/* Makes the kept failure the caller's. */
static tn_status report_failure(queue *queue) {
    failure *failure = &queue->failure;
    tn_status status = failure->status;
    if (status == TN_OK) return TN_OK;
    if (status == TN_ERROR_MEMORY)
        tni_fail_memory(failure->requested, failure->used, failure->cached, failure->limit, "");
    tn_error_set(failure->message);
    memset(failure, 0, sizeof *failure);
    return status;
}

/* Looks for a moment whether `count` passes `bound`: sleeping and waking cost more than most tasks. */
static void spin(atomic_uint_fast64_t *count, uint64_t bound) {
    for (int64_t end = tni_now_ns() + spin_ns; tni_now_ns() < end;)
        for (int turn = 0; turn < 32; turn++) {
            if (atomic_load_explicit(count, memory_order_relaxed) > bound) return;
            tni_pause();
        }
}

/* The next task; NULL when the stream is closed and nothing is left. Called with the lock held. */
static task *queue_take(queue *queue) {
    if (!queue->first && !queue->is_closing) {
        uint64_t done = atomic_load(&queue->completed);
        pthread_mutex_unlock(&queue->lock);
        spin(&queue->submitted, done);
        pthread_mutex_lock(&queue->lock);
    }
    while (!queue->first && !queue->is_closing) {
        queue->is_sleeping = true;
        pthread_cond_wait(&queue->added, &queue->lock);
        queue->is_sleeping = false;
    }
    task *next = queue->first;
    if (next && !(queue->first = next->next)) queue->last = &queue->first;
    return next;
}

static void *work_off(void *context) {
    queue *queue = own = context;
    task *task;
    tni_self.works_off = true;
    pthread_mutex_lock(&queue->lock);
    while ((task = queue_take(queue))) {
        pthread_mutex_unlock(&queue->lock);
        tn_status status = task->work(task->params);
        tni_free(task);
        pthread_mutex_lock(&queue->lock);
        if (status != TN_OK) keep_failure(queue, status);
        atomic_fetch_add_explicit(&queue->completed, 1, memory_order_release);
        if (queue->waiters) pthread_cond_broadcast(&queue->advanced);
    }
    pthread_mutex_unlock(&queue->lock);
    queue_release(queue);
    return NULL;
}

static tn_status start_worker(queue *queue) {
    queue_retain(queue);
    int error = tni_thread_start(work_off, queue);
    if (error == 0) return TN_OK;
    queue_release(queue);
    return tni_fail(TN_ERROR_RUNTIME, "cannot start the thread of a stream: %s", strerror(error));
}

tn_status tni_host_submit(tn_stream *stream, tn_status (*work)(void *params), const void *params,
                          size_t bytes) {
    if (stream->is_immediate) return work((void *)(uintptr_t)params);
    if (__builtin_expect(tni_stream_capture(stream) != NULL, 0))
        return tni_host_record_task(tni_stream_capture(stream), stream, work, params, bytes);
    queue *queue = stream->implementation;
    if (is_forked(queue)) return fail_forked(queue);
    task *task = tni_malloc(sizeof *task + bytes);
    if (!task) return tni_fail_no_memory((int64_t)(sizeof *task + bytes));
    task->next = NULL;
    task->work = work;
    memcpy(task->params, params, bytes);
    tn_status status = TN_OK;
    pthread_mutex_lock(&queue->lock);
    if (!queue->has_worker) {
        status = start_worker(queue);
        queue->has_worker = status == TN_OK;
    }
    if (status == TN_OK) {
        *queue->last = task;
        queue->last = &task->next;
        atomic_fetch_add_explicit(&queue->submitted, 1, memory_order_relaxed);
        if (queue->is_sleeping) pthread_cond_signal(&queue->added);
    }
    pthread_mutex_unlock(&queue->lock);
    if (status != TN_OK) tni_free(task);
    return status;
}

typedef struct callback {
    void (*function)(void *context);
    void *context;
} callback;

static tn_status call_back(void *params) {
    callback *callback = params;
    callback->function(callback->context);
    return TN_OK;
}

tn_status tni_host_stream_add_callback(tn_stream *stream, void (*function)(void *), void *context) {
    callback callback = {function, context};
    return tni_host_submit(stream, call_back, &callback, sizeof callback);
}

/* --- Waiting --- */

static bool is_done(queue *queue) {
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    return atomic_load_explicit(&queue->completed, memory_order_acquire) >= submitted;
}

tn_status tni_host_stream_is_done(tn_stream *stream, bool *done) {
    queue *queue = stream->implementation;
    if (!queue) {
        *done = true;
        return TN_OK;
    }
    bool answer = is_done(queue);
    if (!answer && is_forked(queue)) return fail_forked(queue);
    *done = answer;
    return TN_OK;
}

/* When a wait of `timeout_ns` ends on the monotonic clock; -1: never. */
static int64_t deadline_of(int64_t timeout_ns) {
    int64_t end;
    if (timeout_ns < 0 || __builtin_add_overflow(tni_now_ns(), timeout_ns, &end)) return -1;
    return end;
}

/* Waits for all work that is queued now. With `report`, a kept failure becomes the caller's. */
static tn_status wait_for(queue *queue, int64_t deadline_ns, bool report) {
    struct timespec end = {deadline_ns / 1000000000, deadline_ns % 1000000000};
    tn_status status = TN_OK;
    uint64_t target = atomic_load(&queue->submitted);
    if (atomic_load(&queue->completed) < target &&
        (deadline_ns < 0 || deadline_ns - tni_now_ns() > spin_ns))
        spin(&queue->completed, target - 1);
    pthread_mutex_lock(&queue->lock);
    queue->waiters++;
    while (atomic_load(&queue->completed) < target) {
        int error = 0;
        if (deadline_ns < 0)
            pthread_cond_wait(&queue->advanced, &queue->lock);
        else
            error = pthread_cond_timedwait(&queue->advanced, &queue->lock, &end);
        if (error == ETIMEDOUT && atomic_load(&queue->completed) < target) {
            status = TN_TIMEOUT;
            break;
        }
    }
    queue->waiters--;
    if (status == TN_OK && report) status = report_failure(queue);
    pthread_mutex_unlock(&queue->lock);
    return status == TN_TIMEOUT ? tni_fail(status, "the stream is still busy") : status;
}

tn_status tni_host_stream_synchronize(tn_stream *stream, int64_t timeout_ns) {
    queue *queue = stream->implementation;
    if (!queue) return TN_OK;
    if (tni_stream_capture(stream))
        return tni_host_break_capture(tni_stream_capture(stream),
                                      "cudaErrorStreamCaptureUnsupported: operation not permitted "
                                      "when stream is capturing");
    if (is_forked(queue)) return is_done(queue) ? TN_OK : fail_forked(queue);
    if (queue == own) TNI_FAIL(TN_ERROR_RUNTIME, "work on a stream waits for its own stream");
    return wait_for(queue, deadline_of(timeout_ns), true);
}

/* The next queue of a device after `before` (NULL: the first), retained; `before` is released. */
static queue *next_queue(queue *before, int number) {
    pthread_mutex_lock(&queues_lock);
    queue *next = before ? before->next : queues;
    while (next && (next->number != number || next == own))
        next = next->next;
    if (next) next->references++;
    pthread_mutex_unlock(&queues_lock);
    if (before) queue_release(before);
    return next;
}

tn_status tni_host_device_synchronize(int number, int64_t timeout_ns) {
    int64_t deadline_ns = deadline_of(timeout_ns);
    tn_status status = TN_OK;
    for (queue *queue = next_queue(NULL, number); queue; queue = next_queue(queue, number)) {
        bool report = status == TN_OK; /* later failures stay for their own streams */
        tn_status one = wait_for(queue, deadline_ns, report);
        if (report) status = one;
        if (one == TN_TIMEOUT) {
            queue_release(queue);
            return TN_TIMEOUT;
        }
    }
    return status;
}
