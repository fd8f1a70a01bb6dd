/* Waits, with the program's hook around those that last. A hook may take locks of the program, so
 * only such locks of the library are held here as all threads take with tni_wait_lock(): a thread
 * that waits for such a lock has given up what the hook takes back. */
#include "core/base/wait.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/base/threadstart.h"

#include <time.h>

static const int64_t slice_ns = 50000000;
static _Atomic(const tn_wait_hook *) chosen;
static _Atomic(tn_status (*)(void)) watch;

void tni_wait_watch(tn_status (*look)(void)) {
    atomic_store(&watch, look);
}

void tn_wait_set_hook(const tn_wait_hook *hook) {
    atomic_store(&chosen, hook);
}

static bool is_interrupted(const tn_wait_hook *hook, void *token) {
    const bool before = tni_self.is_interrupted;
    tni_self.is_interrupted = tni_self.runs_backlog;
    const bool stops = hook->poll(token);
    tni_self.is_interrupted = before;
    return stops;
}

tn_status tni_wait(tn_status (*slice)(const void *context, int64_t timeout_ns), const void *context,
                   int64_t timeout_ns) {
    const tn_wait_hook *hook = atomic_load(&chosen);
    if (!hook) return slice(context, timeout_ns);
    tn_status status = slice(context, 0);
    if (status != TN_TIMEOUT || timeout_ns == 0) return status;
    int64_t end = -1;
    if (timeout_ns > 0 && __builtin_add_overflow(tni_now_ns(), timeout_ns, &end)) end = -1;
    void *token = hook->begin();
    for (;;) {
        int64_t left = end < 0 ? slice_ns : end - tni_now_ns();
        tni_self.is_patient = end < 0;
        status = slice(context, left < 0 ? 0 : left < slice_ns ? left : slice_ns);
        tni_self.is_patient = false;
        if (status != TN_TIMEOUT || left <= 0) break;
        tn_status (*look)(void) = atomic_load_explicit(&watch, memory_order_relaxed);
        if (look && (status = look()) != TN_OK) break;
        status = TN_TIMEOUT;
        const bool may_stop = !tni_self.runs_backlog || tni_self.run_may_stop;
        if (hook->poll && may_stop && is_interrupted(hook, token)) {
            status = tni_fail(TN_ERROR_CALLBACK, "the wait was interrupted");
            break;
        }
    }
    hook->end(token);
    return status;
}

void tni_wait_out(tn_status (*slice)(const void *context, int64_t timeout_ns),
                  const void *context) {
    const tn_wait_hook *hook = atomic_load(&chosen);
    if (slice(context, 0) != TN_TIMEOUT) return;
    void *token = hook ? hook->begin() : NULL;
    slice(context, -1);
    if (hook) hook->end(token);
}

tni_break tni_break_begin(void) {
    const tn_wait_hook *hook = atomic_load(&chosen);
    return (tni_break){hook, hook ? hook->begin() : NULL};
}

void tni_break_end(tni_break pause) {
    if (pause.hook) pause.hook->end(pause.token);
}

void tni_wait_lock(pthread_mutex_t *lock) {
    if (pthread_mutex_trylock(lock) == 0) return;
    tni_break pause = tni_break_begin();
    pthread_mutex_lock(lock);
    tni_break_end(pause);
}

typedef struct errand {
    void (*function)(void *context);
    void *context;
} errand;

static void *run_errand(void *context) {
    errand errand = *(struct errand *)context;
    tni_free(context);
    errand.function(errand.context);
    return NULL;
}

bool tni_call_elsewhere(void (*function)(void *context), void *context) {
    errand *made = tni_malloc(sizeof *made);
    if (!made) return false;
    *made = (errand){function, context};
    if (tni_thread_start(run_errand, made) == 0) return true;
    tni_free(made);
    return false;
}

typedef struct question {
    bool (*is_done)(const void *context);
    const void *context;
} question;

static tn_status ask_slice(const void *context, int64_t timeout_ns) {
    const question *question = context;
    const int64_t nap_ns = 20000;
    for (int64_t slept_ns = 0; !question->is_done(question->context); slept_ns += nap_ns) {
        if (timeout_ns >= 0 && slept_ns >= timeout_ns) return TN_TIMEOUT;
        nanosleep(&(struct timespec){0, nap_ns}, NULL);
    }
    return TN_OK;
}

void tni_drain(bool (*is_done)(const void *context), const void *context) {
    question question = {is_done, context};
    tni_wait_out(ask_slice, &question);
}
