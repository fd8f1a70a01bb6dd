/* All locks that were ever taken, in a list that a child of fork walks. */
#include "core/base/forklock.h"

static _Atomic(tni_fork_lock *) locks;

/* In the child, where no thread holds a lock. */
static void renew(void) {
    for (tni_fork_lock *lock = atomic_load(&locks); lock; lock = lock->next)
        pthread_mutex_init(&lock->mutex, NULL);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, renew);
}

/* Called before the lock is taken for the first time. */
static void enlist(tni_fork_lock *lock) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (atomic_exchange(&lock->is_listed, true)) return;
    lock->next = atomic_load(&locks);
    while (!atomic_compare_exchange_weak(&locks, &lock->next, lock))
        continue;
}

void tni_fork_lock_take(tni_fork_lock *lock) {
    if (!atomic_load_explicit(&lock->is_listed, memory_order_relaxed)) enlist(lock);
    pthread_mutex_lock(&lock->mutex);
}

void tni_fork_lock_give(tni_fork_lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
}
