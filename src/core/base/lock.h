/* Locks of one word, and the futex under them.
 *
 * A free lock is taken and given back with one atomic instruction each, needs no initialization
 * beyond zero and owns nothing, so it fits into any struct and a child of fork may simply set
 * it. */
#ifndef TNI_LOCK_H
#define TNI_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct tni_lock {
    atomic_int state; /* 0: free, 1: held, 2: held, and a thread may sleep */
} tni_lock;

/* Sleeps while *word is `value`, until woken or `timeout_ns` has passed (negative: no limit). May
 * return early: the caller looks again. */
void tni_futex_wait(atomic_int *word, int value, int64_t timeout_ns);
/* Wakes at most `count` sleepers. */
void tni_futex_wake(atomic_int *word, int count);

/* Nanoseconds of a clock that never goes back. */
int64_t tni_now_ns(void);

/* The busy case of tni_lock_take(). */
void tni_lock_wait(tni_lock *lock);

static inline void tni_lock_take(tni_lock *lock) {
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        tni_lock_wait(lock);
}

static inline void tni_lock_give(tni_lock *lock) {
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        tni_futex_wake(&lock->state, 1);
}

/* Tells the processor that this is a waiting loop. */
static inline void tni_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
