/* Functions of the program that a stream calls.
 *
 * The driver calls from a thread of its own in which nothing of CUDA may be used. Our callers do use
 * it there: they release buffers, order streams and queue further callbacks. So the driver's thread
 * hands the call to a thread of ours, the caller, and waits for it; the stream goes on behind it.
 * What waits for the whole device (giving memory back) would then wait for itself, so it is put off to
 * a second thread, the sweeper, which no stream waits for. Both start with their first job. */
#include "backend/cuda/cuda.h"
#include "core/alloc.h"
#include "core/lock.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

typedef struct job {
    struct job *next;
    void (*call)(void *context);              /* a callback, or */
    void (*sweep)(void *context, int number); /* something put off */
    void *context;
    int number;
    atomic_int is_done; /* a futex word */
} job;

typedef struct worker {
    pthread_mutex_t lock;
    pthread_cond_t added;
    job *first, **last;
    bool has_thread;
} worker;

static worker caller = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, false};
static worker sweeper = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, false};
static _Thread_local bool in_callback;

bool tni_cuda_in_callback(void) {
    return in_callback;
}

static void run(job *job) {
    if (job->sweep) {
        job->sweep(job->context, job->number);
        tni_free(job);
        return;
    }
    in_callback = true;
    job->call(job->context);
    in_callback = false;
    atomic_store_explicit(&job->is_done, 1, memory_order_release);
    tni_futex_wake(&job->is_done, 1); /* the job is the waiter's, and may be gone by now */
}

static void *work_off(void *context) {
    worker *worker = context;
    for (;;) {
        pthread_mutex_lock(&worker->lock);
        while (!worker->first)
            pthread_cond_wait(&worker->added, &worker->lock);
        job *next = worker->first;
        if (!(worker->first = next->next)) worker->last = &worker->first;
        pthread_mutex_unlock(&worker->lock);
        run(next);
    }
    return NULL;
}

/* Signals are left to the program's threads. Called with the lock held. */
static tn_status start(worker *worker) {
    pthread_t thread;
    pthread_attr_t detached;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, &detached, work_off, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
    if (error)
        TNI_FAIL(TN_ERROR_RUNTIME, "cannot start the thread of callbacks: %s", strerror(error));
    worker->last = &worker->first;
    worker->has_thread = true;
    return TN_OK;
}

static tn_status make_sure_of(worker *worker) {
    pthread_mutex_lock(&worker->lock);
    tn_status status = worker->has_thread ? TN_OK : start(worker);
    pthread_mutex_unlock(&worker->lock);
    return status;
}

static void post(worker *worker, job *job) {
    pthread_mutex_lock(&worker->lock);
    job->next = NULL;
    *worker->last = job;
    worker->last = &job->next;
    pthread_cond_signal(&worker->added);
    pthread_mutex_unlock(&worker->lock);
}

/* In the driver's thread. */
static void hand_over(void *context) {
    job *job = context;
    post(&caller, job);
    while (!atomic_load_explicit(&job->is_done, memory_order_acquire))
        tni_futex_wait(&job->is_done, 0, -1);
    tni_free(job);
}

tn_status tni_cuda_stream_add_callback(tn_stream *stream, void (*function)(void *), void *context) {
    tni_cuda_scope scope;
    TNI_TRY(make_sure_of(&caller));
    TNI_TRY(tni_cuda_enter(&scope, stream->device.number));
    job *made = tni_calloc(1, sizeof *made);
    tn_status status = made ? TN_OK : tni_fail_no_memory(sizeof *made);
    if (made) {
        made->call = function;
        made->context = context;
        status = TNI_DRIVER(cuLaunchHostFunc, tni_cuda_stream_handle(stream), hand_over, made);
        if (status != TN_OK) tni_free(made);
    }
    tni_cuda_leave(&scope);
    return status;
}

/* Where it cannot be put off for want of memory, what was to be given back is lost. */
void tni_cuda_after_callback(void (*function)(void *context, int number), void *context,
                             int number) {
    job *made = tni_calloc(1, sizeof *made);
    if (!made) return;
    if (make_sure_of(&sweeper) != TN_OK) {
        tni_free(made);
        return;
    }
    made->sweep = function;
    made->context = context;
    made->number = number;
    post(&sweeper, made);
}
