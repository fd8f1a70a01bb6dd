/* The list of all queues. A queue outlives its stream until its tasks are done: the stream counts
 * it, its turn (queue.c) counts it, and a thread that waits for all queues of a device counts it.
 *
 * A child of fork begins with an empty list. A queue that was made before the fork is known by its
 * count of forks. */
#include "backend/host/stream/queues.h"

#include "backend/host/stream/forks.h"
#include "core/base/lock.h"
#include "core/base/waiting.h"

#include <pthread.h>

static tni_lock lock; /* taken alone */
static tni_queue_entry *first;

/* --- Fork --- */

static void before_fork(void) {
    tni_look_all(TNI_LOOK_FORK);
    tni_lock_take(&lock);
}
static void after_fork_parent(void) {
    tni_lock_give(&lock);
}
static void after_fork_child(void) {
    first = NULL;
    tni_host_forks_add();
    tni_lock_give(&lock);
}
static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

bool tni_queues_are_forked(const tni_queue_entry *entry) {
    return entry->forks != tni_host_forks();
}

/* --- Life --- */

void tni_queues_add(tni_queue_entry *entry, int number) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    atomic_init(&entry->references, 1);
    entry->number = number;
    entry->forks = tni_host_forks();
    tni_lock_take(&lock);
    entry->next = first;
    if (first) first->previous = entry;
    first = entry;
    tni_lock_give(&lock);
}

bool tni_queues_release(tni_queue_entry *entry) {
    if (tni_queues_are_forked(entry)) return true;
    if (atomic_fetch_sub_explicit(&entry->references, 1, memory_order_acq_rel) != 1) return false;
    tni_lock_take(&lock);
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        first = entry->next;
    if (entry->next) entry->next->previous = entry->previous;
    tni_lock_give(&lock);
    return true;
}

/* A reference to a queue that may be about to go; false if it is. */
static bool retain_living(tni_queue_entry *entry) {
    int references = atomic_load(&entry->references);
    while (references > 0)
        if (atomic_compare_exchange_weak(&entry->references, &references, references + 1))
            return true;
    return false;
}

tni_queue_entry *tni_queues_next(tni_queue_entry *before, int number, const tni_queue_entry *own) {
    tni_lock_take(&lock);
    tni_queue_entry *next = before ? before->next : first;
    while (next && (next->number != number || next == own || !retain_living(next)))
        next = next->next;
    tni_lock_give(&lock);
    return next;
}

int64_t tni_host_queued_count(void) {
    int64_t count = 0;
    tni_lock_take(&lock);
    for (tni_queue_entry *entry = first; entry; entry = entry->next) {
        uint64_t completed = atomic_load(&entry->completed);
        count += (int64_t)(atomic_load(&entry->submitted) - completed);
    }
    tni_lock_give(&lock);
    return count;
}
