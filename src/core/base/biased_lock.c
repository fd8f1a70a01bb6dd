/* Who is a lock's favourite, and the end of that. */
#include "core/base/biased_lock.h"

#include <sched.h>

#ifdef __linux__
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool ask_system(int command) {
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* Whether barriers can be made from now on. */
static bool can_make_barriers(void) {
    return ask_system(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/* A barrier in every thread of the process. */
static void make_barriers(void) {
    if (ask_system(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
    (void)can_make_barriers(); /* a child of fork may have to ask again */
    (void)ask_system(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
#else
static bool can_make_barriers(void) {
    return false;
}
static void make_barriers(void) {}
#endif

enum { NONE_YET = 0, NONE_ANY_MORE = -1 };

/* A number that no other thread ever has. */
static int own_number(void) {
    static atomic_int last;
    if (!tni_self.number)
        tni_self.number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return tni_self.number;
}

void tni_biased_lock_take_slowly(tni_biased_lock *lock) {
    tni_lock_take(&lock->lock);
    const int favourite = atomic_load_explicit(&lock->favourite, memory_order_relaxed);
    if (favourite == NONE_YET) {
        const int next = can_make_barriers() ? own_number() : NONE_ANY_MORE;
        atomic_store_explicit(&lock->favourite, next, memory_order_relaxed);
    } else if (favourite != NONE_ANY_MORE) {
        atomic_store_explicit(&lock->favourite, NONE_ANY_MORE, memory_order_release);
        make_barriers();
        while (atomic_load_explicit(&lock->is_inside, memory_order_acquire))
            sched_yield();
    }
    lock->is_favourites = false;
}
