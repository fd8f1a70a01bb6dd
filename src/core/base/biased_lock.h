/* A lock that costs its favourite thread, as a rule the only one that takes it, no atomic
 * instruction.
 *
 * The favourite is the first thread that takes the lock, until another one does. It notes that it
 * is inside, and then looks whether it is the favourite still; another one ends that, and then
 * looks whether the favourite is inside. Between the two steps of either a barrier is needed, or
 * both could miss what the other has written. The other thread lets the system make both of them
 * (membarrier), once in the life of the lock. Where the system has no such call there is no
 * favourite.
 *
 * As tni_lock it needs no initialization beyond zero and owns nothing, and a child of fork may go
 * on with it. */
#ifndef TNI_BIASED_LOCK_H
#define TNI_BIASED_LOCK_H

#include "core/base/lock.h"
#include "core/base/thread.h"

typedef struct tni_biased_lock {
    tni_lock lock;         /* of all other threads */
    atomic_int favourite;  /* its number (tni_self.number); 0: so far none, -1: none any more */
    atomic_bool is_inside; /* the favourite holds the lock, or looks whether it may */
    bool is_favourites;    /* of the holder: it is the favourite */
} tni_biased_lock;

/* The case of any other thread. */
void tni_biased_lock_take_slowly(tni_biased_lock *lock);

static inline void tni_biased_lock_take(tni_biased_lock *lock) {
    const int number = tni_self.number;
    if (__builtin_expect(
            number && atomic_load_explicit(&lock->favourite, memory_order_relaxed) == number, 1)) {
        atomic_store_explicit(&lock->is_inside, true, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        if (__builtin_expect(atomic_load_explicit(&lock->favourite, memory_order_acquire) == number,
                             1)) {
            lock->is_favourites = true;
            return;
        }
        atomic_store_explicit(&lock->is_inside, false, memory_order_release);
    }
    tni_biased_lock_take_slowly(lock);
}

static inline void tni_biased_lock_give(tni_biased_lock *lock) {
    if (__builtin_expect(lock->is_favourites, 1))
        atomic_store_explicit(&lock->is_inside, false, memory_order_release);
    else
        tni_lock_give(&lock->lock);
}

#endif
