/* Threads that compile.
 *
 * Algorithm: threads are made for work and end when there is none. NVRTC parses one program at a
 * time, so there are few, and each takes its share of what waits as one program.
 * TENORITE_COMPILE_THREADS bounds them; 0: the caller compiles. */
#include "backend/cuda/compile/workers.h"

#include "core/base/alloc.h"
#include "core/base/threadstart.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <tenorite/cuda.h>
#include <unistd.h>

enum { THREADS_MAX = 6 };

typedef struct job {
    struct job *next;
    tni_worker_function work;
    void (*hand_on)(bool waits);
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
    tni_worker_function work;
    void (*hand_on)(bool waits);
    void *contexts[TNI_WORKER_CONTEXTS];
    int count;
} share;

static void take_job(share *share) {
    job *job = first_job;
    share->work = job->work;
    share->hand_on = job->hand_on;
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
           share->count < TNI_WORKER_CONTEXTS)
        take_job(share);
    return share->count > 0;
}

/* --- Whether there are any --- */

/* Jobs of a fork's parent can't be done in the child. */
static void after_fork_child(void) {
    pthread_mutex_init(&jobs_lock, NULL);
    first_job = NULL;
    last_job = &first_job;
    waiting = threads = leaving = 0;
    atomic_store(&has_ended, true);
}

/* NVRTC must not be taken apart under a thread that compiles, nor the driver under one that
 * launches; the latter may want the queue of launches, whose holder waits for work that will not
 * begin any more. At a C program's end handlers run in the opposite order of their registration,
 * NVRTC's own among them, so ours is registered when NVRTC has compiled once; Python calls it
 * before all of them. */
void tn_cuda_end_compiling(void) {
    pthread_mutex_lock(&jobs_lock);
    is_ending = true;
    while (threads > 0)
        pthread_cond_wait(&thread_ended, &jobs_lock);
    for (share share; take_share(&share, TNI_WORKER_CONTEXTS);)
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

bool tni_cuda_workers_are_on(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_load_explicit(&has_ended, memory_order_relaxed)) return false;
    pthread_once(&once, init);
    return !atomic_load(&has_ended);
}

void tni_cuda_workers_end(void) {
    if (!atomic_load_explicit(&has_ended, memory_order_relaxed)) atomic_store(&has_ended, true);
}

/* --- Threads --- */

/* While a thread has work it hands results on without waiting: the holder of what it would wait for
 * may wait for that work. A thread that has none left hands on once more with a wait; it is not
 * counted any more then. */
static void *work_off(void *unused) {
    (void)unused;
    void (*hand_on)(bool waits) = NULL;
    pthread_mutex_lock(&jobs_lock);
    for (share share;
         !is_ending && take_share(&share, (waiting + threads_max - 1) / threads_max);) {
        pthread_mutex_unlock(&jobs_lock);
        share.work(share.contexts, share.count, false);
        hand_on = share.hand_on;
        hand_on(false);
        pthread_mutex_lock(&jobs_lock);
    }
    threads--;
    leaving++;
    pthread_cond_broadcast(&thread_ended);
    pthread_mutex_unlock(&jobs_lock);
    if (hand_on) hand_on(true);
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

int tni_cuda_workers_count(void) {
    pthread_mutex_lock(&jobs_lock);
    int count = threads + leaving;
    pthread_mutex_unlock(&jobs_lock);
    return count;
}

bool tni_cuda_workers_add(tni_worker_function work, void (*hand_on)(bool waits), void *context) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    job *made = tni_malloc(sizeof *made);
    if (!made) return false;
    pthread_once(&once, watch_exit);
    *made = (job){NULL, work, hand_on, context};
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
