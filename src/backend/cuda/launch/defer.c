/* Launches that wait for their kernels to be compiled.
 *
 * Decides: a program that begins with many operations does not wait for each kernel in turn. A
 * form's kernel that is in no cache is compiled by another thread. Its launch, and all launches of
 * forms after it, wait in one queue in the order in which they were asked for; so does what fills
 * bytes meanwhile.
 * Invariant: nothing else reaches the driver before the queue is empty, because tni_cuda_enter()
 * empties it; only memory is allocated and modules are loaded past it. So the program sees no
 * difference but the time. A program that was given an address or a handle of ours, or gave us one,
 * might use the driver without us: from then on nothing waits any more.
 * Algorithm: a thread that has compiled a kernel hands on what can be launched
 * (compile/workers.c). */
#include "backend/cuda/launch/defer.h"

#include "backend/cuda/compile/workers.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/launch/launch.h"
#include "backend/cuda/memory/memory.h"
#include "core/base/alloc.h"
#include "core/base/wait.h"

#include <tenorite/cuda.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

/* The first failure that no call has reported, and how many came after it. */
static struct {
    tn_status status;
    int error; /* the driver's */
    int later;
    char message[1024];
} failure;

/* What waited in the parent of a fork can't be launched in the child. */
static void after_fork_child(void) {
    pthread_mutex_init(&launches_lock, NULL);
    first = NULL;
    last = &first;
    failure.status = TN_OK;
    atomic_store(&tni_deferred, 0);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, after_fork_child);
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
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    (void)tni_cuda_stream_handle(made->stream); /* is in use from now on */
    tni_wait_lock(&launches_lock);
    *last = made;
    last = &made->next;
    atomic_fetch_add(&tni_deferred, 1);
    launch_all(false); /* its kernel may be there by now, and no other thread would look */
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

static tn_status defer_fill(void *to, int value, int64_t bytes, tn_stream *stream) {
    const filling filling = {to, value, bytes};
    launch *made = new_launch(&filling, sizeof filling, stream);
    if (!made) return tni_fail_no_memory((int64_t)(sizeof *made + sizeof filling));
    enqueue(made);
    return TN_OK;
}

tn_status tni_cuda_fill(void *to, int value, int64_t bytes, tn_stream *stream) {
    if (__builtin_expect(atomic_load_explicit(&tni_deferred, memory_order_relaxed), 0))
        return defer_fill(to, value, bytes, stream);
    return tni_cuda_fill_now(to, value, bytes, stream);
}

void tni_defer_wait(void) {
    if (is_flushing || tni_cuda_in_callback() || atomic_load(&tni_deferred) == 0) return;
    tni_wait_lock(&launches_lock);
    launch_all(true);
    pthread_mutex_unlock(&launches_lock);
}

void tni_defer_end(void) {
    tni_cuda_workers_end();
    tni_defer_wait(); /* an earlier end in a function that a stream calls has left launches */
}

/* With the lock held: the failure becomes the caller's. Room is left for the count, whatever the
 * compiler had to say. */
static tn_status hand_over_failure(void) {
    tn_status status = failure.status;
    if (status == TN_OK) return TN_OK;
    if (status == TN_ERROR_DEVICE || status == TN_ERROR_MEMORY)
        tni_cuda_set_last_error(failure.error);
    failure.status = TN_OK;
    atomic_fetch_sub(&tni_deferred, 1);
    if (failure.later == 0) return tni_fail(status, "%s", failure.message);
    return tni_fail(status, "%.900s (%d of the launches after it failed, too)", failure.message,
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

void tni_defer_hand_on(bool waits) {
    if (waits)
        tni_wait_lock(&launches_lock);
    else if (pthread_mutex_trylock(&launches_lock) != 0)
        return;
    launch_all(false);
    pthread_mutex_unlock(&launches_lock);
}

int tni_defer_count(void) {
    return atomic_load_explicit(&tni_deferred, memory_order_relaxed);
}
