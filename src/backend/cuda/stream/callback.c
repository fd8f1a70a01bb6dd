/* Functions that streams call.
 *
 * A program's function runs in the driver's thread, and its stream waits for it. It may not use the
 * device: a call that needs the context would wait for the context's holder, which may be waiting
 * for all work of the device, this function included. tni_cuda_enter() refuses such calls here.
 * Cleaning up (giving memory back after a stream's work, and what that takes) does use the device,
 * but no work waits for it: the driver's thread only hands it to a thread of ours, the cleaner, and
 * the stream goes on. What a program's function sets free goes the same way. A function of a graph
 * is called by each launch, and counts as pending from then on.
 *
 * Giving memory back waits for the device with the context held. So it first waits, with nothing
 * held, until no program's function is pending, and keeps new ones from being queued meanwhile:
 * such a function may want a lock (an interpreter's) that the waiting thread has. */
#include "backend/cuda/stream/callback.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/base/threadstart.h"
#include "core/base/wait.h"
#include "core/memory/pool.h"
#include "core/stream/capture.h"
#include "core/stream/order.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

typedef struct job {
    struct job *next;
    void (*call)(void *context);
    void *context;
} job;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t added;
    job *first, **last;
    bool has_thread;
} cleaner = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, false};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* held while memory is given back */

/* --- The cleaner --- */

static void *clean(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&cleaner.lock);
        while (!cleaner.first)
            pthread_cond_wait(&cleaner.added, &cleaner.lock);
        job *next = cleaner.first;
        if (!(cleaner.first = next->next)) cleaner.last = &cleaner.first;
        pthread_mutex_unlock(&cleaner.lock);
        next->call(next->context);
        tni_free(next);
    }
    return NULL;
}

/* Called with the lock held. */
static tn_status start_cleaner(void) {
    int error = tni_thread_start(clean, NULL);
    if (error)
        TNI_FAIL(TN_ERROR_RUNTIME, "cannot start the thread that cleans up: %s", strerror(error));
    cleaner.last = &cleaner.first;
    cleaner.has_thread = true;
    return TN_OK;
}

static tn_status make_sure_of_cleaner(void) {
    pthread_mutex_lock(&cleaner.lock);
    tn_status status = cleaner.has_thread ? TN_OK : start_cleaner();
    pthread_mutex_unlock(&cleaner.lock);
    return status;
}

int tni_cuda_cleaner_count(void) {
    pthread_mutex_lock(&cleaner.lock);
    int count = cleaner.has_thread;
    pthread_mutex_unlock(&cleaner.lock);
    return count;
}

static void hand_over(void *context) {
    job *job = context;
    pthread_mutex_lock(&cleaner.lock);
    job->next = NULL;
    *cleaner.last = job;
    cleaner.last = &job->next;
    pthread_cond_signal(&cleaner.added);
    pthread_mutex_unlock(&cleaner.lock);
}

static tn_status make_job(job **result, void (*call)(void *), void *context) {
    job *made = tni_malloc(sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    *made = (job){NULL, call, context};
    *result = made;
    return TN_OK;
}

/* Queues a function after the launches that wait. It is called even if one of those fails: it
 * cleans up, or counts what is pending. */
static tn_status queue(tn_stream *stream, void (*run)(void *), job *job) {
    TNI_CUDA_QUIETLY_ON(stream->device.number,
                        TNI_DRIVER(cuLaunchHostFunc, tni_cuda_stream_handle(stream), run, job));
    return TN_OK;
}

/* A cleanup that was asked for in a callback, where it cannot be queued. */
typedef struct request {
    tn_stream *stream; /* retained */
    void (*function)(void *context);
    void *context;
} request;

static void grant(void *context) {
    request request = *(struct request *)context;
    tni_free(context);
    if (tni_stream_add_cleanup(request.stream, request.function, request.context) != TN_OK) {
        tni_stream_drain(request.stream);
        request.function(request.context);
    }
    tn_stream_release(request.stream);
}

static tn_status ask_cleaner(tn_stream *stream, void (*function)(void *), void *context) {
    job *made = NULL;
    request *request = tni_malloc(sizeof *request);
    if (!request) return tni_fail_no_memory(sizeof *request);
    tn_status status = make_job(&made, grant, request);
    if (status != TN_OK) {
        tni_free(request);
        return status;
    }
    *request = (struct request){tn_stream_retain(stream), function, context};
    hand_over(made);
    return TN_OK;
}

tn_status tni_cuda_stream_add_cleanup(tn_stream *stream, void (*function)(void *), void *context) {
    job *made = NULL;
    TNI_TRY(tni_cuda_open()); /* a parent's lock may be held for ever in a child of fork */
    TNI_TRY(make_sure_of_cleaner());
    if (tni_cuda_in_callback()) return ask_cleaner(stream, function, context);
    TNI_TRY(make_job(&made, function, context));
    tn_status status = queue(stream, hand_over, made);
    if (status != TN_OK) tni_free(made);
    return status;
}

/* --- Functions of the program --- */

static void finish_one(void) {
    if (atomic_fetch_sub(&tni_cuda_pending, 1) == 1) tni_futex_wake(&tni_cuda_pending, INT_MAX);
}

static void call(const job *job) {
    tni_self.works_off = true;
    tni_cuda_set_in_callback(true);
    job->call(job->context);
    tni_cuda_set_in_callback(false);
    tni_self.works_off = false;
}

static void call_now(void *context) {
    job job = *(struct job *)context;
    tni_free(context);
    call(&job);
    finish_one();
}

void tni_cuda_expect_callbacks(int count) {
    if (count == 0) return;
    tni_wait_lock(&gate);
    int before = atomic_fetch_add(&tni_cuda_pending, count);
    pthread_mutex_unlock(&gate);
    if (before + count == 0) tni_futex_wake(&tni_cuda_pending, INT_MAX);
}

/* Each launch of a graph calls it; the job is the graph's. */
static void call_again(void *context) {
    const job *job = context;
    call(job);
    finish_one();
}

static tn_status add_to_graph(tn_graph *graph, tn_stream *stream, void (*function)(void *),
                              void *context) {
    job *made = NULL;
    TNI_TRY(make_job(&made, function, context));
    tn_status status = tn_capture_keep(stream, tni_free, made);
    if (status != TN_OK) {
        tni_free(made);
        return status;
    }
    TNI_TRY(queue(stream, call_again, made));
    atomic_fetch_add(&graph->callbacks, 1);
    return TN_OK;
}

tn_status tni_cuda_stream_add_callback(tn_stream *stream, void (*function)(void *), void *context) {
    job *made = NULL;
    tn_graph *graph = tni_stream_capture(stream);
    TNI_TRY(tni_cuda_open()); /* a parent's lock may be held for ever in a child of fork */
    if (__builtin_expect(graph != NULL, 0)) return add_to_graph(graph, stream, function, context);
    TNI_TRY(make_job(&made, function, context));
    tni_wait_lock(&gate);
    atomic_fetch_add(&tni_cuda_pending, 1);
    pthread_mutex_unlock(&gate);
    tn_status status = queue(stream, call_now, made);
    if (status == TN_OK) return TN_OK;
    finish_one();
    tni_free(made);
    return status;
}

/* --- Giving back --- */

static tn_status wait_for_callbacks(const void *unused, int64_t timeout_ns) {
    (void)unused;
    int64_t end = tni_now_ns() + (timeout_ns < 0 ? INT64_C(1000000000) : timeout_ns);
    for (int count; (count = atomic_load(&tni_cuda_pending)) > 0;) {
        int64_t left = end - tni_now_ns();
        if (left <= 0 && timeout_ns >= 0) return TN_TIMEOUT;
        tni_futex_wait(&tni_cuda_pending, count, left > 0 ? left : 1000000);
    }
    return TN_OK;
}

static void call_alone(void (*function)(void *context, int number), void *context, int number) {
    for (;;) {
        tni_wait_out(wait_for_callbacks, NULL);
        tni_wait_lock(&gate);
        bool is_alone = atomic_load(&tni_cuda_pending) == 0;
        if (is_alone) function(context, number);
        pthread_mutex_unlock(&gate);
        if (is_alone) return;
    }
}

typedef struct put_off {
    void (*function)(void *context, int number);
    void *context;
    int number;
} put_off;

static void call_put_off(void *context) {
    put_off call = *(put_off *)context;
    tni_free(context);
    call_alone(call.function, call.context, call.number);
}

/* Where it cannot be put off for want of memory, what was to be given back is lost. */
static void put_off_call(void (*function)(void *context, int number), void *context, int number) {
    job *made = NULL;
    put_off *call = tni_malloc(sizeof *call);
    if (!call || make_sure_of_cleaner() != TN_OK || make_job(&made, call_put_off, call) != TN_OK) {
        tni_free(call);
        return;
    }
    *call = (put_off){function, context, number};
    hand_over(made);
}

void tni_cuda_give_back(void (*function)(void *context, int number), void *context, int number) {
    if (tni_cuda_in_callback())
        put_off_call(function, context, number);
    else
        call_alone(function, context, number);
}
