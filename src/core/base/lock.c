/* Waiting: a futex where the system has one, a short sleep elsewhere. */
#include "core/base/lock.h"

#include <time.h>

enum { TURNS = 100 }; /* of a thread that waits awake before it sleeps */

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void tni_futex_wait(atomic_int *word, int value, int64_t timeout_ns) {
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout_ns < 0 ? NULL : &limit, NULL, 0);
}

void tni_futex_wake(atomic_int *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}
#else
void tni_futex_wait(atomic_int *word, int value, int64_t timeout_ns) {
    const int64_t nap_ns = 20000;
    if (atomic_load(word) != value) return;
    struct timespec nap = {0, timeout_ns >= 0 && timeout_ns < nap_ns ? timeout_ns : nap_ns};
    nanosleep(&nap, NULL);
}

void tni_futex_wake(atomic_int *word, int count) {
    (void)word;
    (void)count;
}
#endif

int64_t tni_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void tni_lock_wait(tni_lock *lock) {
    for (int turn = 0; turn < TURNS; turn++) {
        int expected = 0;
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_weak_explicit(&lock->state, &expected, 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return;
        tni_pause();
    }
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        tni_futex_wait(&lock->state, 2, -1);
}
