/* Launches that wait for their kernels to be compiled.
 *
 * Decides: that a program which begins with many operations does not wait for each kernel in turn. A form's
 * kernel that is in no cache is compiled by another thread. Its launch, and all launches of forms after it,
 * wait in one queue in the order in which they were asked for; so does what fills bytes meanwhile.
 * Invariant: nothing else reaches the driver before the queue is empty, for tni_cuda_enter() empties it; only
 * memory is allocated and modules are loaded past it. So nobody can tell, but by the time it takes. Whoever
 * was given an address or a handle of ours might use the driver without us: from then on, and from when
 * somebody gave us one, nothing waits any more.
 * Algorithm: threads are made for work and end when there is none. One that has compiled hands on what can be
 * launched. NVRTC parses one program at a time, so there are few, and each takes its share of what waits as
 * one program. TENORITE_COMPILE_THREADS bounds them; 0: the caller compiles. */
#include "backend/cuda/launch/defer.h"

#include "backend/cuda/driver/errors.h"
#include "backend/cuda/memory/memory.h"
#include "backend/cuda/stream/callback.h"
#include "backend/cuda/stream/stream.h"
#include "core/base/alloc.h"
#include "core/base/threadstart.h"
#include "core/base/wait.h"

#include <tenorite/cuda.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 6 };

atomic_int tni_deferred;

typedef struct filling {
    void *to;
    int value;
    int64_t bytes;
} filling;

typedef struct launch {
    struct launch *next;
    tni_cuda_kernel *kernel; /* NULL: the parameters are a `filling` */
    tn_stream *stream;       /* its end empties the queue */
    unsigned grid[3], block[3];
    _Alignas(16) unsigned char params[];
} launch;

static launch *first, **last = &first;
static pthread_mutex_t launches_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool is_flushing;

/* The first failure that nobody has heard of, and how many came after it. */
static struct {
    tn_status status;
    int error; /* the driver's */
    int later;
    char message[1024];
} failure;

typedef struct job {
    struct job *next;
    tni_deferred_work work;
    void *context;
} job;

static job *first_job, **last_job = &first_job;
static int waiting, threads, leaving, threads_max; /* `waiting`: jobs */
static bool is_ending;
static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t thread_ended = PTHREAD_COND_INITIALIZER;
static atomic_bool has_ended;

/* --- Shares of the work --- */

/* Jobs of one kind that a thread does together. */
typedef struct share {
    tni_deferred_work work;
    void *contexts[TNI_DEFER_CONTEXTS];
    int count;
} share;

static void take_job(share *share) {
    job *job = first_job;
    share->work = job->work;
    share->contexts[share->count++] = job->context;
    if (!(first_job = job->next)) last_job = &first_job;
    waiting--;
    tni_free(job);
}

/* With the lock held: a job, and as many more of its kind as make `most`. False: there is none. */
static bool take_share(share *share, int most) {
    share->count = 0;
    if (first_job) take_job(share);
    while (first_job && first_job->work == share->work && share->count < most &&
           share->count < TNI_DEFER_CONTEXTS)
        take_job(share);
    return share->count > 0;
}

/* --- Whether --- */

/* What waited in the parent of a fork can't be done in the child. */
static void after_fork_child(void) {
    pthread_mutex_init(&launches_lock, NULL);
    pthread_mutex_init(&jobs_lock, NULL);
    first = NULL;
    last = &first;
    first_job = NULL;
    last_job = &first_job;
    failure.status = TN_OK;
    waiting = threads = leaving = 0;
    atomic_store(&tni_deferred, 0);
    atomic_store(&has_ended, true);
}

/* NVRTC must not be taken apart under a thread that compiles, nor the driver under one that launches; the
 * latter may want the queue, whose holder waits for work that will not begin any more. At a C program's end
 * handlers run in the opposite order of their registration, NVRTC's own among them, so ours is registered
 * when NVRTC has compiled once; Python calls it before all of them. */
void tn_cuda_end_compiling(void) {
    pthread_mutex_lock(&jobs_lock);
    is_ending = true;
    while (threads > 0)
        pthread_cond_wait(&thread_ended, &jobs_lock);
    for (share share; take_share(&share, TNI_DEFER_CONTEXTS);)
        share.work(share.contexts, share.count, true);
    while (leaving > 0)
        pthread_cond_wait(&thread_ended, &jobs_lock);
    pthread_mutex_unlock(&jobs_lock);
    atomic_store(&has_ended, true);
}

static void init(void) {
    const char *wanted = getenv("TENORITE_COMPILE_THREADS");
    char *end;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long count = wanted ? strtol(wanted, &end, 10) : cores < 2 ? 0 : cores;
    if (wanted && (end == wanted || *end)) count = 0;
    threads_max = count > THREADS_MAX ? THREADS_MAX : count < 0 ? 0 : (int)count;
    if (threads_max == 0) atomic_store(&has_ended, true);
    pthread_atfork(NULL, NULL, after_fork_child);
}

static void watch_exit(void) {
    atexit(tn_cuda_end_compiling);
}

bool tni_defer_is_on(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_load_explicit(&has_ended, memory_order_relaxed)) return false;
    pthread_once(&once, init);
    return !atomic_load(&has_ended);
}

/* --- Launching --- */

static void note_failure(tn_status status) {
    if (failure.status != TN_OK) {
        failure.later++;
        return;
    }
    atomic_fetch_add(&tni_deferred, 1);
    failure.status = status;
    failure.error = tn_cuda_last_error();
    failure.later = 0;
    snprintf(failure.message, sizeof failure.message, "%s", tn_error_message());
}

static tn_status launch_now(launch *launch) {
    void *params[1] = {launch->params};
    if (!launch->kernel) {
        const filling *filling = params[0];
        return tni_cuda_fill_now(filling->to, filling->value, filling->bytes, launch->stream);
    }
    TNI_TRY(tni_cuda_kernel_finish(launch->kernel));
    return tni_cuda_launch(launch->kernel, launch->grid, launch->block, 0, params, launch->stream);
}

static bool is_due(const launch *launch) {
    return !launch->kernel || tni_cuda_kernel_is_compiled(launch->kernel);
}

/* With the lock held. `waits`: for kernels, too. */
static void launch_all(bool waits) {
    is_flushing = true;
    while (first && (waits || is_due(first))) {
        launch *launch = first;
        tn_status status = launch_now(launch);
        if (status != TN_OK) note_failure(status);
        first = launch->next;
        if (!first) last = &first;
        tni_free(launch);
        atomic_fetch_sub(&tni_deferred, 1);
    }
    is_flushing = false;
}

static void enqueue(launch *made) {
    (void)tni_cuda_stream_handle(made->stream); /* is in use from now on */
    tni_wait_lock(&launches_lock);
    *last = made;
    last = &made->next;
    atomic_fetch_add(&tni_deferred, 1);
    launch_all(false); /* its kernel may be there by now, and nobody else would look */
    pthread_mutex_unlock(&launches_lock);
}

static launch *new_launch(const void *params, size_t bytes, tn_stream *stream) {
    launch *made = tni_calloc(1, sizeof *made + bytes);
    if (!made) return NULL;
    made->stream = stream;
    memcpy(made->params, params, bytes);
    return made;
}

tn_status tni_defer_launch(tni_cuda_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                           const void *params, size_t bytes, tn_stream *stream) {
    launch *made = new_launch(params, bytes, stream);
    if (!made) return tni_fail_no_memory((int64_t)(sizeof *made + bytes));
    made->kernel = kernel;
    memcpy(made->grid, grid, sizeof made->grid);
    memcpy(made->block, block, sizeof made->block);
    enqueue(made);
    return TN_OK;
}

tn_status tni_defer_fill(void *to, int value, int64_t bytes, tn_stream *stream) {
    const filling filling = {to, value, bytes};
    launch *made = new_launch(&filling, sizeof filling, stream);
    if (!made) return tni_fail_no_memory((int64_t)(sizeof *made + sizeof filling));
    enqueue(made);
    return TN_OK;
}

void tni_defer_wait(void) {
    if (is_flushing || tni_cuda_in_callback() || atomic_load(&tni_deferred) == 0) return;
    tni_wait_lock(&launches_lock);
    launch_all(true);
    pthread_mutex_unlock(&launches_lock);
}

void tni_defer_end(void) {
    if (!atomic_load_explicit(&has_ended, memory_order_relaxed)) atomic_store(&has_ended, true);
    tni_defer_wait(); /* who ended it before may have left launches: a function that a stream calls */
}

/* With the lock held: the failure becomes the caller's. Room is left for the count, whatever the compiler
 * had to say. */
static tn_status hand_over_failure(void) {
    tn_status status = failure.status;
    if (status == TN_OK) return TN_OK;
    if (status == TN_ERROR_DEVICE || status == TN_ERROR_MEMORY)
        tni_cuda_set_last_error(failure.error);
    failure.status = TN_OK;
    atomic_fetch_sub(&tni_deferred, 1);
    if (failure.later == 0) return tni_fail(status, "%s", failure.message);
    return tni_fail(status, "%.900s (%d of the launches behind it failed, too)", failure.message,
                    failure.later);
}

tn_status tni_defer_flush(void) {
    if (is_flushing || tni_cuda_in_callback()) return TN_OK;
    tni_wait_lock(&launches_lock);
    launch_all(true);
    tn_status status = hand_over_failure();
    pthread_mutex_unlock(&launches_lock);
    return status;
}

tn_status tni_defer_raise(void) {
    return atomic_load_explicit(&tni_deferred, memory_order_relaxed) ? tni_defer_flush() : TN_OK;
}

/* --- Threads --- */

/* A thread with work never waits for the queue, whose holder may wait for that work; one that has none left
 * looks once more, and is no thread to count on any more then. */
static void *work_off(void *unused) {
    (void)unused;
    pthread_mutex_lock(&jobs_lock);
    for (share share;
         !is_ending && take_share(&share, (waiting + threads_max - 1) / threads_max);) {
        pthread_mutex_unlock(&jobs_lock);
        share.work(share.contexts, share.count, false);
        if (pthread_mutex_trylock(&launches_lock) == 0) {
            launch_all(false);
            pthread_mutex_unlock(&launches_lock);
        }
        pthread_mutex_lock(&jobs_lock);
    }
    threads--;
    leaving++;
    pthread_cond_broadcast(&thread_ended);
    pthread_mutex_unlock(&jobs_lock);
    tni_wait_lock(&launches_lock);
    launch_all(false);
    pthread_mutex_unlock(&launches_lock);
    pthread_mutex_lock(&jobs_lock);
    leaving--;
    pthread_cond_broadcast(&thread_ended);
    pthread_mutex_unlock(&jobs_lock);
    return NULL;
}

/* With the lock held: one more thread, if that is allowed. Whether there is any. */
static bool has_thread(void) {
    if (threads == threads_max) return true;
    if (tni_thread_start(work_off, NULL) == 0) threads++;
    return threads > 0;
}

int tni_defer_count(void) {
    return atomic_load_explicit(&tni_deferred, memory_order_relaxed);
}

int tni_defer_thread_count(void) {
    pthread_mutex_lock(&jobs_lock);
    int count = threads + leaving;
    pthread_mutex_unlock(&jobs_lock);
    return count;
}

bool tni_defer_work(tni_deferred_work work, void *context) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    job *made = tni_malloc(sizeof *made);
    if (!made) return false;
    pthread_once(&once, watch_exit);
    *made = (job){NULL, work, context};
    pthread_mutex_lock(&jobs_lock);
    bool is_taken = !is_ending && has_thread();
    if (is_taken) {
        *last_job = made;
        last_job = &made->next;
        waiting++;
    }
    pthread_mutex_unlock(&jobs_lock);
    if (!is_taken) tni_free(made);
    return is_taken;
}
