/* The events of a trace: a ring, or a list that ends.
 *
 * Decides: an event gets the next number by one atomic addition; its place is the number modulo the
 * capacity, in chunks that are made when they are first needed.
 * Invariant: the memory is there as long as a thread is between tni_record_room() and
 * tni_record_ready(). Each such thread is counted in `writers`, and looks at the flag only after it
 * has been: the end of a trace clears the flag and waits until no writer is left. An event is whole
 * when `ready` has its number; BEING_WRITTEN there makes the place one writer's. */
#define _GNU_SOURCE
#include "core/trace/record.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/lock.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHUNK = 8192 };
#define BEING_WRITTEN UINT64_MAX

typedef struct chunk {
    tni_event events[CHUNK];
} chunk;

static pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER; /* starting, ending, reading */
static _Atomic(chunk *) *chunks;
static uint64_t capacity;
static bool is_ring, is_on, is_kept;
static int64_t start_ns;
static atomic_uint_least64_t next_number, lost;
static atomic_uint_least64_t missed; /* that never had a number */
static atomic_int writers;

tni_trace_thread tni_trace_threads[TNI_TRACE_THREADS];
static _Thread_local int32_t own_id;

/* --- Threads --- */

static int32_t enter_thread(void) {
    int id = (int)syscall(SYS_gettid);
    own_id = id;
    for (int at = 0; at < TNI_TRACE_THREADS; at++) {
        tni_trace_thread *thread = &tni_trace_threads[at];
        int expected = 0;
        if (atomic_load(&thread->id) == id) return id; /* the number of a thread that has ended */
        if (!atomic_compare_exchange_strong(&thread->id, &expected, id)) continue;
        if (prctl(PR_GET_NAME, thread->name)) /* 16 bytes at most */
            snprintf(thread->name, sizeof thread->name, "thread");
        break;
    }
    return id;
}

int32_t tni_trace_thread_id(void) {
    return own_id ? own_id : enter_thread();
}

/* --- Events --- */

static tni_event *place_of(uint64_t number) {
    uint64_t at = number % capacity;
    _Atomic(chunk *) *place = &chunks[at / CHUNK];
    chunk *found = atomic_load_explicit(place, memory_order_acquire);
    if (!found) {
        chunk *made = tni_calloc(1, sizeof *made);
        if (!made) return NULL;
        if (atomic_compare_exchange_strong(place, &found, made))
            found = made;
        else
            tni_free(made);
    }
    return &found->events[at % CHUNK];
}

/* Whether the place became the caller's; false: a ring has come round, and it has a later event. */
static bool claim(tni_event *event, uint64_t number) {
    uint64_t seen = atomic_load_explicit(&event->ready, memory_order_relaxed);
    for (;;) {
        if (seen == BEING_WRITTEN) {
            tni_pause();
            seen = atomic_load_explicit(&event->ready, memory_order_relaxed);
        } else if (seen > number) {
            return false;
        } else if (atomic_compare_exchange_weak_explicit(&event->ready, &seen, BEING_WRITTEN,
                                                         memory_order_acquire,
                                                         memory_order_relaxed)) {
            return true;
        }
    }
}

tni_event *tni_record_room(uint64_t *number) {
    atomic_fetch_add(&writers, 1);
    if (__atomic_load_n(&tni_trace_flags, __ATOMIC_SEQ_CST) & TNI_TRACE_ON) {
        *number = atomic_fetch_add_explicit(&next_number, 1, memory_order_relaxed);
        tni_event *event = is_ring || *number < capacity ? place_of(*number) : NULL;
        if (event && claim(event, *number)) return event;
        if (!event) atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
    }
    atomic_fetch_sub(&writers, 1);
    return NULL;
}

void tni_record_ready(tni_event *event, uint64_t number) {
    atomic_store_explicit(&event->ready, number + 1, memory_order_release);
    atomic_fetch_sub(&writers, 1);
}

void tni_record_lose(int64_t events) {
    atomic_fetch_add_explicit(&missed, (uint64_t)events, memory_order_relaxed);
}

void tni_record_each(uint64_t first, void (*visit)(void *context, const tni_event *event),
                     void *context) {
    pthread_mutex_lock(&changes);
    uint64_t end = atomic_load(&next_number), begin = first;
    if (is_ring && end > capacity && end - capacity > begin) begin = end - capacity;
    if (!is_ring && end > capacity) end = capacity;
    for (uint64_t number = begin; chunks && number < end; number++) {
        uint64_t at = number % capacity;
        chunk *found = atomic_load_explicit(&chunks[at / CHUNK], memory_order_acquire);
        if (!found) continue;
        tni_event *event = &found->events[at % CHUNK];
        if (atomic_load_explicit(&event->ready, memory_order_acquire) == number + 1)
            visit(context, event);
    }
    pthread_mutex_unlock(&changes);
}

/* --- From start to end --- */

static void forget_in_child(void) {
    pthread_mutex_init(&changes, NULL);
    atomic_store(&writers, 0);
    is_on = false;
    own_id = 0;
    __atomic_and_fetch(&tni_trace_flags, ~(unsigned)TNI_TRACE_ON, __ATOMIC_SEQ_CST);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, forget_in_child);
}

/* With the lock held, and no trace under way. */
static void drop_chunks(void) {
    for (uint64_t at = 0; chunks && at * CHUNK < capacity; at++)
        tni_free(atomic_load(&chunks[at]));
    tni_free(chunks);
    chunks = NULL;
    is_kept = false;
}

static tn_status start(int64_t most, bool keeps_last) {
    if (is_on) TNI_FAIL(TN_ERROR_RUNTIME, "a trace is under way already");
    drop_chunks();
    capacity = (uint64_t)most;
    size_t count = (size_t)((most + CHUNK - 1) / CHUNK);
    chunks = tni_calloc(count, sizeof *chunks);
    if (!chunks) return tni_fail_no_memory((int64_t)(count * sizeof *chunks));
    is_ring = keeps_last;
    is_on = true;
    atomic_store(&next_number, 0);
    atomic_store(&lost, 0);
    atomic_store(&missed, 0);
    start_ns = tni_now_ns();
    return TN_OK;
}

tn_status tni_record_start(int64_t most_events, bool keeps_last) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (most_events < 1 || most_events > INT64_C(1) << 32)
        TNI_FAIL(TN_ERROR_VALUE, "a trace keeps 1 to 2^32 events, not %lld",
                 (long long)most_events);
    pthread_once(&once, watch_forks);
    tni_trace_thread_id(); /* the thread that starts it has the first track */
    pthread_mutex_lock(&changes);
    tn_status status = start(most_events, keeps_last);
    pthread_mutex_unlock(&changes);
    return status;
}

static tn_status stop(void) {
    if (!is_on) TNI_FAIL(TN_ERROR_RUNTIME, "no trace is under way");
    __atomic_and_fetch(&tni_trace_flags, ~(unsigned)TNI_TRACE_ON, __ATOMIC_SEQ_CST);
    while (atomic_load(&writers))
        tni_pause();
    is_on = false;
    is_kept = true;
    return TN_OK;
}

tn_status tni_record_stop(void) {
    pthread_mutex_lock(&changes);
    tn_status status = stop();
    pthread_mutex_unlock(&changes);
    return status;
}

void tn_trace_clear(void) {
    pthread_mutex_lock(&changes);
    if (!is_on) drop_chunks();
    pthread_mutex_unlock(&changes);
}

tn_trace_counts tn_trace_get_counts(void) {
    pthread_mutex_lock(&changes);
    tn_trace_counts counts = {.is_on = is_on};
    uint64_t recorded = is_on || is_kept ? atomic_load(&next_number) : 0;
    counts.recorded = (int64_t)recorded;
    if (recorded) counts.dropped = (int64_t)atomic_load(&lost);
    if (is_ring && recorded > capacity) counts.dropped += (int64_t)(recorded - capacity);
    if (is_on || is_kept) {
        counts.recorded += (int64_t)atomic_load(&missed);
        counts.dropped += (int64_t)atomic_load(&missed);
    }
    pthread_mutex_unlock(&changes);
    return counts;
}

int64_t tni_record_start_ns(void) {
    return start_ns;
}

bool tni_record_is_kept(void) {
    pthread_mutex_lock(&changes);
    bool answer = is_kept;
    pthread_mutex_unlock(&changes);
    return answer;
}
