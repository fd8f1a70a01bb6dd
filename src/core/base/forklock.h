/* Mutexes that a child of fork finds free, whichever thread held them in the parent.
 *
 * Decides: a mutex frees itself in the child, from its first use on. A thread that held it does not
 * live there, so what it guards must be of use half-done: lists that grow by one store, answers
 * that are looked for again. What must be whole is locked before the fork instead
 * (core/stream/stream_life.h). */
#ifndef TNI_FORKLOCK_H
#define TNI_FORKLOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct tni_fork_lock {
    pthread_mutex_t mutex;
    atomic_bool is_listed;
    struct tni_fork_lock *next;
} tni_fork_lock;

/* Of static storage: such a lock is never taken off the list. */
#define TNI_FORK_LOCK                                                                              \
    { .mutex = PTHREAD_MUTEX_INITIALIZER }

void tni_fork_lock_take(tni_fork_lock *lock);
void tni_fork_lock_give(tni_fork_lock *lock);

#endif
