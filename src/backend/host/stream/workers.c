/* The workers: threads that the queues of all streams share.
 *
 * What they do comes as turns, the right to work off one queue. A turn is in one place at a time:
 * in the list here, with the thread that works it off, or with a record that its queue waits for
 * (record.c).
 *
 * Decides: how many threads there are. As many as tni_parallel() uses (at least 2) serve at a time;
 * one in a function that may block does not count. A turn that finds fewer awake starts one at
 * once. Where those that are awake are blocked, one more thread watches: each millisecond that a
 * turn waits for nothing but blocked workers, it serves itself and leaves another to watch. So a
 * thousand short callbacks that all wait for an interpreter's lock start few threads, and a
 * thousand long ones hold up nothing for long.
 *
 * A worker that finds nothing to do looks about for 10 us (one worker at a time), then sleeps.
 * After a second of sleep it ends. The worker that fell asleep last is woken first, so that surplus
 * ones do end.
 *
 * Invariant: while turns are listed that no searching worker will find, as many serve as may, or
 * one watches. While there is any turn, a worker lives.
 *
 * Order of locks: a queue's, then `lock` here. No lock is taken under this one. */
#include "backend/host/stream/workers.h"

#include "backend/host/table.h"
#include "backend/host/threads.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/base/threadstart.h"

#include <string.h>
#include <time.h>

typedef struct sleeper {
    struct sleeper *next;
    atomic_int is_called; /* a futex word; written under the lock */
} sleeper;

enum { LISTED_MAX = 64 };
static const int64_t spin_ns = 10000, watch_ns = 1000000, idle_ns = 1000000000;

static struct {
    tni_lock lock;             /* guards what follows */
    _Atomic(tni_turn *) first; /* read without it, too */
    tni_turn *last;
    sleeper *sleepers;
    int listed;                       /* turns */
    int alive;                        /* workers: the watching one, those that sleep, those awake */
    int sleeping, searching, blocked; /* of them; the last two are awake */
    bool is_watched;
    atomic_int turns;
} set;

static _Thread_local enum { NO_WORKER, SERVING, BLOCKED } role;

static int limit(void) {
    int count = tni_thread_count();
    return count < 2 ? 2 : count;
}

static int count_awake(void) {
    return set.alive - set.sleeping - set.is_watched;
}

/* --- The list --- */

static void list(tni_turn *turn) {
    tni_turn *first = atomic_load_explicit(&set.first, memory_order_relaxed);
    turn->is_listed = true;
    turn->next = NULL;
    turn->previous = first ? set.last : NULL;
    if (first)
        set.last->next = turn;
    else
        atomic_store_explicit(&set.first, turn, memory_order_relaxed);
    set.last = turn;
    set.listed++;
}

static void unlist(tni_turn *turn) {
    turn->is_listed = false;
    if (turn->previous)
        turn->previous->next = turn->next;
    else
        atomic_store_explicit(&set.first, turn->next, memory_order_relaxed);
    if (turn->next)
        turn->next->previous = turn->previous;
    else
        set.last = turn->previous;
    set.listed--;
}

bool tni_workers_are_short(void) {
    return atomic_load_explicit(&set.first, memory_order_relaxed) != NULL;
}

/* --- Calling for workers --- */

static void *serve(void *is_watch);

/* Makes the invariant true after a turn was listed or a worker was blocked. Called with the lock
 * held, gives it back. False where a worker was wanted at once and could not be started. */
static bool summon(void) {
    sleeper *woken = NULL;
    bool starts = false, watches = false;
    int awake = count_awake();
    if (set.listed > set.searching && awake - set.blocked < limit()) {
        if ((woken = set.sleepers)) {
            set.sleepers = woken->next;
            set.sleeping--;
            atomic_store_explicit(&woken->is_called, 1, memory_order_relaxed);
        } else if (awake < limit()) {
            starts = true;
        } else {
            watches = !set.is_watched;
            set.is_watched = true;
        }
    }
    set.alive += starts || watches;
    set.searching += starts || woken;
    tni_lock_give(&set.lock);
    if (woken) tni_futex_wake(&woken->is_called, 1); /* if it is gone, nothing sleeps there */
    if ((!starts && !watches) || tni_thread_start(serve, watches ? &set : NULL) == 0) return true;
    tni_lock_take(&set.lock);
    set.alive--;
    set.searching -= starts;
    if (watches) set.is_watched = false;
    tni_lock_give(&set.lock);
    return watches;
}

/* Whether no worker is there that would find what is listed. Called with the lock held. */
static bool is_deserted(void) {
    return set.alive - set.blocked - set.is_watched <= 0;
}

tn_status tni_workers_add(tni_turn *turn) {
    tni_lock_take(&set.lock);
    list(turn);
    atomic_fetch_add_explicit(&set.turns, 1, memory_order_relaxed);
    if (__builtin_expect(summon(), 1)) return TN_OK;
    tni_lock_take(&set.lock);
    bool is_lost = turn->is_listed && is_deserted();
    if (is_lost) {
        unlist(turn);
        atomic_fetch_sub_explicit(&set.turns, 1, memory_order_relaxed);
    }
    tni_lock_give(&set.lock);
    return is_lost ? tni_fail(TN_ERROR_RUNTIME, "cannot start a thread for the work of streams")
                   : TN_OK;
}

tn_status tni_workers_begin(void) {
    tni_lock_take(&set.lock);
    bool starts = is_deserted();
    set.alive += starts;
    set.searching += starts;
    atomic_fetch_add_explicit(&set.turns, 1, memory_order_relaxed);
    tni_lock_give(&set.lock);
    if (!starts || tni_thread_start(serve, NULL) == 0) return TN_OK;
    tni_lock_take(&set.lock);
    set.alive--;
    set.searching--;
    tni_lock_give(&set.lock);
    tni_workers_end();
    TNI_FAIL(TN_ERROR_RUNTIME, "cannot start a thread for the work of streams");
}

void tni_workers_give(tni_turn *turn) {
    tni_lock_take(&set.lock);
    list(turn);
    (void)summon(); /* without one more it waits for those that are there */
}

bool tni_workers_take(tni_turn *turn) {
    tni_lock_take(&set.lock);
    bool is_listed = turn->is_listed;
    if (is_listed) unlist(turn);
    tni_lock_give(&set.lock);
    return is_listed;
}

tni_turn *tni_workers_take_excess(void) {
    tni_lock_take(&set.lock);
    tni_turn *turn = atomic_load_explicit(&set.first, memory_order_relaxed);
    if (set.listed > LISTED_MAX)
        unlist(turn);
    else
        turn = NULL;
    tni_lock_give(&set.lock);
    return turn;
}

void tni_workers_hold(void) {
    atomic_fetch_add_explicit(&set.turns, 1, memory_order_relaxed);
}

void tni_workers_end(void) {
    atomic_fetch_sub_explicit(&set.turns, 1, memory_order_relaxed);
}

/* --- Workers. A worker that searches holds the lock between these functions. --- */

/* The first listed turn; NULL if there is none, or enough others serve. */
static tni_turn *find_turn(void) {
    tni_turn *turn = atomic_load_explicit(&set.first, memory_order_relaxed);
    if (!turn || count_awake() - set.blocked > limit()) return NULL;
    unlist(turn);
    set.searching--;
    return turn;
}

/* Looks about, then sleeps; false if nothing came for so long that the worker is to end. */
static bool wait_for_turn(void) {
    if (set.searching == 1 && !set.listed) {
        tni_lock_give(&set.lock);
        for (int64_t end = tni_now_ns() + spin_ns; !tni_workers_are_short() && tni_now_ns() < end;)
            for (int turn = 0; turn < 32 && !tni_workers_are_short(); turn++)
                tni_pause();
        tni_lock_take(&set.lock);
        if (set.listed) return true;
    }
    sleeper self = {.next = set.sleepers}, **place = &set.sleepers;
    set.sleepers = &self;
    set.sleeping++;
    set.searching--;
    int64_t end = tni_now_ns() + idle_ns;
    for (int64_t left = idle_ns; left > 0 && !atomic_load(&self.is_called);
         left = end - tni_now_ns()) {
        tni_lock_give(&set.lock);
        tni_futex_wait(&self.is_called, 0, left);
        tni_lock_take(&set.lock);
    }
    if (atomic_load(&self.is_called)) return true; /* the caller counts for us */
    while (*place != &self)
        place = &(*place)->next;
    *place = self.next;
    set.sleeping--;
    set.searching++;
    return set.listed || (set.alive == 1 && atomic_load(&set.turns));
}

/* After a nap it is a worker as any other. */
static void watch(void) {
    tni_lock_give(&set.lock);
    nanosleep(&(struct timespec){0, watch_ns}, NULL);
    tni_lock_take(&set.lock);
    set.is_watched = false;
    set.searching++;
}

static void *serve(void *is_watch) {
    role = SERVING;
    tni_self.works_off = true;
    tni_lock_take(&set.lock);
    if (is_watch) watch();
    do {
        for (tni_turn *turn; (turn = find_turn());) {
            (void)summon(); /* for what else is listed */
            turn->work(turn);
            if (role == NO_WORKER) return NULL; /* it went through a fork, and is all there is */
            tni_lock_take(&set.lock);
            set.searching++;
        }
    } while (wait_for_turn());
    set.searching--;
    set.alive--;
    tni_lock_give(&set.lock);
    return NULL;
}

bool tni_workers_leave(void) {
    if (role != SERVING) return false;
    role = BLOCKED;
    tni_lock_take(&set.lock);
    set.blocked++;
    (void)summon();
    return true;
}

void tni_workers_return(void) {
    if (role != BLOCKED) return; /* in a child of fork, which has no workers */
    role = SERVING;
    tni_lock_take(&set.lock);
    set.blocked--;
    tni_lock_give(&set.lock);
}

void tni_workers_forget(void) {
    memset(&set, 0, sizeof set);
    role = NO_WORKER;
}

int tni_host_worker_count(void) {
    tni_lock_take(&set.lock);
    int count = set.alive;
    tni_lock_give(&set.lock);
    return count;
}
