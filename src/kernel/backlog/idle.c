/* Algorithm: the thread naps. A backlog whose first call was there before the last nap runs if its
 * stream has nothing to do: so a call waits for two naps and a question at most. When nothing has
 * waited for a while the thread sleeps until a call finds it so. A graph that it cuts off is one by
 * chance, for which no program is begun (seen.h).
 *
 * A round holds the lock `rounds`, so that at the end of the process none is under way in the
 * driver. The thread asks the backend without the backlog's lock, since the answer may have to wait
 * for a compiler. It takes no lock of the program's: what it does needs no hook. */
#include "kernel/backlog/idle.h"

#include "backend/backend.h"
#include "core/base/lock.h"
#include "core/base/threadstart.h"
#include "core/base/wait.h"
#include "core/stream/capture.h"
#include "kernel/backlog/list.h"
#include "kernel/backlog/run.h"

#include <stdlib.h>
#include <sys/prctl.h>

enum { PATIENCE_NS = 100000, QUIET_ROUNDS = 25, SLACK_NS = 1000 };

atomic_int tni_idle_state;

static atomic_int_least64_t nap_ns = PATIENCE_NS * 2 / 5; /* 0: the thread has nothing to do */
static pthread_mutex_t rounds = PTHREAD_MUTEX_INITIALIZER;
static bool is_ending; /* guarded by `rounds` */

/* --- A round --- */

/* The stream of a backlog whose first call was there in the round before, retained; NULL: it has
 * to wait. */
static tn_stream *find_patient(uint64_t *first, tni_backlog *b) {
    tn_stream *stream = NULL;
    if (pthread_mutex_trylock(&b->lock) != 0) return NULL; /* a call joins, or it runs */
    if (b->stream && atomic_load_explicit(&b->has_device, memory_order_relaxed)) {
        if (b->seen == b->first + 1) stream = tn_stream_retain(b->stream);
        *first = b->first;
        b->seen = b->first + 1;
    }
    pthread_mutex_unlock(&b->lock);
    return stream;
}

static void give(tni_backlog *b) {
    uint64_t first = 0;
    bool is_idle = false;
    tn_stream *stream = find_patient(&first, b);
    if (!stream) return;
    if (stream->backend->stream_is_done(stream, &is_idle) == TN_OK && is_idle) {
        pthread_mutex_lock(&b->lock);
        if (b->stream == stream && b->first == first)
            tni_backlog_run(b, tni_backlog_count(b), TNI_LOOK_IDLE);
        pthread_mutex_unlock(&b->lock);
    }
    tn_stream_release(stream);
}

static bool waits_for_device(tni_backlog *b) {
    return tni_backlog_count(b) > 0 && atomic_load_explicit(&b->has_device, memory_order_relaxed);
}

/* Whether anything waits. While a graph is captured a question may be refused, and spoil it. */
static bool go_round(void) {
    bool waits = false;
    const bool may_ask = !tni_capture_is_under_way();
    for (tni_backlog *b = tni_backlogs_first(); b; b = b->next) {
        if (!waits_for_device(b)) continue;
        waits = true;
        if (may_ask) give(b);
    }
    return waits;
}

/* --- The thread --- */

static void fall_asleep(void) {
    atomic_store(&tni_idle_state, TNI_IDLE_ASLEEP);
    atomic_thread_fence(memory_order_seq_cst);
    for (tni_backlog *b = tni_backlogs_first(); b; b = b->next)
        if (waits_for_device(b)) tni_idle_wake();
    while (atomic_load(&tni_idle_state) == TNI_IDLE_ASLEEP)
        tni_futex_wait(&tni_idle_state, TNI_IDLE_ASLEEP, -1);
}

static void *serve(void *unused) {
    (void)unused;
    int quiet = 0;
    prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS);
    for (;;) {
        const int64_t nap = atomic_load_explicit(&nap_ns, memory_order_relaxed);
        pthread_mutex_lock(&rounds);
        const bool ends = is_ending;
        quiet = !ends && nap && go_round() ? 0 : quiet + 1;
        pthread_mutex_unlock(&rounds);
        if (ends) return NULL;
        tni_futex_wait(&tni_idle_state, TNI_IDLE_AWAKE, nap ? nap : PATIENCE_NS);
        if (quiet == QUIET_ROUNDS) {
            fall_asleep();
            quiet = 0;
        }
    }
}

/* The driver must not be taken apart under the thread. */
static void end(void) {
    tni_wait_lock(&rounds);
    is_ending = true;
    pthread_mutex_unlock(&rounds);
}

static void watch_exit(void) {
    atexit(end);
}

void tni_idle_wake(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_load_explicit(&nap_ns, memory_order_relaxed) == 0) return;
    const int before = atomic_exchange(&tni_idle_state, TNI_IDLE_AWAKE);
    if (before == TNI_IDLE_ASLEEP) tni_futex_wake(&tni_idle_state, 1);
    if (before != TNI_IDLE_NONE) return;
    pthread_once(&once, watch_exit);
    if (tni_thread_start(serve, NULL) != 0) atomic_store(&tni_idle_state, TNI_IDLE_NONE);
}

void tni_idle_set_patience(int64_t nanoseconds) {
    atomic_store(&nap_ns, (nanoseconds < 0 ? PATIENCE_NS : nanoseconds) * 2 / 5);
}

void tni_idle_forget(void) {
    pthread_mutex_init(&rounds, NULL);
    atomic_store(&tni_idle_state, TNI_IDLE_NONE);
}
