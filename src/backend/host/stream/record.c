/* A record goes from pending to raised, once. What waits for it sleeps on `state`, which tells
 * whether something does, or is parked: a queue gives up its turn to the record, which the raising
 * thread takes over. A record holds no queue and no stream: those that wait are held by their
 * turns. */
#include "backend/host/stream/record.h"

#include "backend/host/stream/forks.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <limits.h>

enum { PENDING, PENDING_FOR_SLEEPERS, RAISED };

tni_record *tni_record_new(int references) {
    tni_record *made = tni_calloc(1, sizeof *made);
    if (!made) return NULL;
    atomic_init(&made->references, references);
    made->forks = tni_host_forks();
    return made;
}

void tni_record_retain(tni_record *record) {
    atomic_fetch_add_explicit(&record->references, 1, memory_order_relaxed);
}

void tni_record_release(tni_record *record) {
    if (record && atomic_fetch_sub_explicit(&record->references, 1, memory_order_acq_rel) == 1)
        tni_free(record);
}

bool tni_record_is_raised(const tni_record *record) {
    return !record || atomic_load_explicit(&record->state, memory_order_acquire) == RAISED;
}

bool tni_record_is_lost(const tni_record *record) {
    return !tni_record_is_raised(record) && record->forks != tni_host_forks();
}

void tni_record_raise(tni_record *record) {
    record->time_ns = tni_now_ns();
    tni_lock_take(&record->lock);
    int before = atomic_exchange_explicit(&record->state, RAISED, memory_order_acq_rel);
    tni_parked *parked = record->parked;
    record->parked = NULL;
    tni_lock_give(&record->lock);
    if (before == PENDING_FOR_SLEEPERS) tni_futex_wake(&record->state, INT_MAX);
    for (tni_parked *next; parked; parked = next) {
        next = parked->next;
        parked->resume(parked);
    }
}

tn_status tni_record_wait(tni_record *record, int64_t timeout_ns) {
    int64_t end = -1;
    if (timeout_ns >= 0 && __builtin_add_overflow(tni_now_ns(), timeout_ns, &end)) end = -1;
    while (!tni_record_is_raised(record)) {
        if (tni_record_is_lost(record))
            TNI_FAIL(TN_ERROR_FORKED,
                     "an event was recorded before fork; the work that it stands for "
                     "stays in the parent process");
        int64_t left = end < 0 ? -1 : end - tni_now_ns();
        if (end >= 0 && left <= 0) TNI_FAIL(TN_TIMEOUT, "the event is still pending");
        int pending = PENDING;
        if (atomic_compare_exchange_strong(&record->state, &pending, PENDING_FOR_SLEEPERS) ||
            pending == PENDING_FOR_SLEEPERS)
            tni_futex_wait(&record->state, PENDING_FOR_SLEEPERS, left);
    }
    return TN_OK;
}

bool tni_record_park(tni_record *record, tni_parked *parked) {
    tni_lock_take(&record->lock);
    bool is_parked = !tni_record_is_raised(record);
    if (is_parked) {
        parked->next = record->parked;
        record->parked = parked;
    }
    tni_lock_give(&record->lock);
    return is_parked;
}
