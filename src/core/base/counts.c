/* How many objects live, counted by each thread for itself.
 *
 * Invariant: the threads in the list and `ended` together have counted every object. A thread
 * enters the list when its lists of kept structs are empty for the first time, so the fast ways of
 * making and dropping objects ask nothing; at its end its counts go to `ended`. A child of fork has
 * one thread: what the others of the parent had counted goes to `ended`, too. */
#include "core/base/counts.h"

#include "core/base/lock.h"
#include "core/base/threadkeep.h"
#include "core/base/waiting.h"

#include <pthread.h>
#include <string.h>

static tni_lock lock;
static tni_thread *threads;
static int64_t ended[TNI_COUNTED];

/* The thread's counts go to `ended`, and it leaves the list. Called with the lock held. */
static void join_ended(tni_thread *thread) {
    for (int what = 0; what < TNI_COUNTED; what++)
        ended[what] += atomic_exchange_explicit(&thread->counts[what], 0, memory_order_relaxed);
    if (thread->previous_thread)
        thread->previous_thread->next_thread = thread->next_thread;
    else
        threads = thread->next_thread;
    if (thread->next_thread) thread->next_thread->previous_thread = thread->previous_thread;
    thread->next_thread = thread->previous_thread = NULL;
}

static void leave(void) {
    tni_lock_take(&lock);
    join_ended(&tni_self);
    tni_lock_give(&lock);
    tni_self.is_counted = false;
}

static void before_fork(void) {
    tni_look_all(TNI_LOOK_FORK);
    tni_lock_take(&lock);
}
static void after_fork_parent(void) {
    tni_lock_give(&lock);
}
static void after_fork_child(void) {
    for (tni_thread *thread = threads, *next; thread; thread = next) {
        next = thread->next_thread;
        if (thread != &tni_self) join_ended(thread);
    }
    tni_lock_give(&lock);
}
static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

void tni_counts_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (__builtin_expect(tni_self.is_counted, 1) || !tni_thread_keeps(leave)) return;
    pthread_once(&once, watch_forks);
    tni_self.is_counted = true;
    tni_lock_take(&lock);
    tni_self.next_thread = threads;
    if (threads) threads->previous_thread = &tni_self;
    threads = &tni_self;
    tni_lock_give(&lock);
}

void tni_counts_add_up(int64_t counts[TNI_COUNTED]) {
    tni_lock_take(&lock);
    memcpy(counts, ended, sizeof ended);
    for (tni_thread *thread = threads; thread; thread = thread->next_thread)
        for (int what = 0; what < TNI_COUNTED; what++)
            counts[what] += atomic_load_explicit(&thread->counts[what], memory_order_relaxed);
    tni_lock_give(&lock);
}
