/* The host's pool of threads. */
#include "emulated.h"
#include "replay.h"

#include "backend/host/scratch.h"
#include "backend/host/table.h"
#include "backend/host/threads.h"
#include "core/base/biased_lock.h"
#include "core/base/lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT_MAX = 100000 };

typedef struct visit {
    int64_t count, grain;
    atomic_int ranges, bad;
    unsigned char *seen; /* how often each place was covered */
    int64_t delay_ns;
} visit;

static void cover(void *context, int64_t begin, int64_t end) {
    visit *visit = context;
    if (begin < 0 || end > visit->count || begin >= end || begin % visit->grain ||
        (end != visit->count && end % visit->grain))
        atomic_fetch_add(&visit->bad, 1);
    else
        for (int64_t at = begin; at < end; at++)
            visit->seen[at]++;
    atomic_fetch_add(&visit->ranges, 1);
    if (visit->delay_ns) nanosleep(&(struct timespec){0, visit->delay_ns}, NULL);
}

static void check_cover(int64_t count, int64_t grain, int64_t delay_ns) {
    visit visit = {.count = count, .grain = grain, .delay_ns = delay_ns};
    visit.seen = calloc((size_t)count + 1, 1);
    tni_parallel(count, grain, cover, &visit);
    assert_int_equal(visit.bad, 0);
    for (int64_t at = 0; at < count; at++)
        assert_int_equal(visit.seen[at], 1);
    if (count == 0) assert_int_equal(visit.ranges, 0);
    if (count > 0 && count <= grain) assert_int_equal(visit.ranges, 1);
    free(visit.seen);
}

static void test_ranges(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 3, 7, 64, 65, 1000, 4096, COUNT_MAX};
    static const int64_t grains[] = {1, 2, 3, 64, 1000, COUNT_MAX * 2};
    for (int threads = 1; threads <= 5; threads++) {
        tni_thread_set_count(threads);
        assert_int_equal(tni_thread_count(), threads);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t g = 0; g < sizeof grains / sizeof *grains; g++)
                check_cover(counts[c], grains[g], 0);
    }
    tni_thread_set_count(4);
    check_cover(40, 1, 300000); /* everybody sleeps and wakes in between */
    tni_thread_set_count(0);
    assert_in_range(tni_thread_count(), 1, 256);
}

static void many_short(void *context, int64_t begin, int64_t end) {
    atomic_fetch_add((atomic_llong *)context, end - begin);
}

static void test_many_regions(void **state) {
    (void)state;
    atomic_llong sum = 0;
    tni_thread_set_count(3);
    for (int turn = 0; turn < 20000; turn++)
        tni_parallel(5, 1, many_short, &sum);
    assert_int_equal(sum, 5 * 20000);
    for (int turn = 0; turn < 200; turn++) { /* workers asleep */
        nanosleep(&(struct timespec){0, 100000}, NULL);
        tni_parallel(5, 1, many_short, &sum);
    }
    assert_int_equal(sum, 5 * 20200);
    tni_thread_set_count(0);
}

/* What the caller and the others did of a region. */
typedef struct division {
    pthread_t caller;
    atomic_int others;
    int64_t piece_ns, others_ns; /* how long a piece takes */
} division;

static void divide(void *context, int64_t begin, int64_t end) {
    division *d = context;
    bool is_caller = pthread_equal(pthread_self(), d->caller);
    int64_t stop = tni_now_ns() + (end - begin) * d->piece_ns;
    if (!is_caller) atomic_fetch_add(&d->others, 1);
    if (!is_caller && d->others_ns) nanosleep(&(struct timespec){0, d->others_ns}, NULL);
    while (tni_now_ns() < stop) {}
}

/* Workers that hold the caller up are not asked again at once. */
static void test_slow_workers(void **state) {
    (void)state;
    int shared = 0;
    tni_thread_set_count(2);
    for (int turn = 0; turn < 100; turn++) {
        division d = {.caller = pthread_self(), .piece_ns = 20000, .others_ns = 2000000};
        tni_parallel(16, 1, divide, &d);
        shared += d.others > 0;
    }
    assert_in_range(shared, 0, 30);
    tni_thread_set_count(0);
}

/* Work of less than a microsecond stays with the caller. */
static void test_short_work(void **state) {
    (void)state;
    int shared = 0;
    tni_thread_set_count(2);
    for (int turn = 0; turn < 1000; turn++) {
        division d = {.caller = pthread_self()};
        tni_parallel_short(8, 1, divide, &d);
        shared += d.others > 0;
    }
    assert_in_range(shared, 0, 500);
    tni_thread_set_count(0);
}

/* So do units that are shorter than was said. */
static void test_short_units(void **state) {
    (void)state;
    int shared = 0;
    tni_thread_set_count(2);
    for (int turn = 0; turn < 1000; turn++) {
        division d = {.caller = pthread_self()};
        tni_parallel_units(8, 10000, divide, &d);
        shared += d.others > 0;
    }
    assert_in_range(shared, 0, 500);
    tni_thread_set_count(0);
}

/* Of a few long units the first is not tried alone. */
static void test_long_units(void **state) {
    (void)state;
    int shared = 0;
    tni_thread_set_count(2);
    for (int turn = 0; turn < 20 && !shared; turn++) {
        division d = {.caller = pthread_self(), .piece_ns = 20000000};
        tni_parallel_units(2, 20000000, divide, &d);
        shared += d.others > 0;
    }
    assert_true(shared > 0);
    tni_thread_set_count(0);
}

static void nest(void *context, int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at++)
        tni_parallel(100, 10, many_short, context);
}

static void test_nested(void **state) {
    (void)state;
    atomic_llong sum = 0;
    tni_thread_set_count(4);
    tni_parallel(50, 1, nest, &sum);
    assert_int_equal(sum, 5000);
    tni_thread_set_count(0);
}

static void *call_often(void *context) {
    for (int turn = 0; turn < 2000; turn++)
        tni_parallel(64, 4, many_short, context);
    return NULL;
}

static void test_several_callers(void **state) {
    (void)state;
    atomic_llong sum = 0;
    pthread_t threads[4];
    tni_thread_set_count(3);
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, call_often, &sum), 0);
    for (int k = 0; k < 4; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(sum, 4 * 2000 * 64);
    tni_thread_set_count(0);
}

static void test_fork(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* TSan allows no threads after a fork */
#endif
    skip_emulated();
    atomic_llong sum = 0;
    tni_thread_set_count(3);
    tni_parallel(100, 1, many_short, &sum);
    pid_t child = fork();
    if (child == 0) {
        for (int turn = 0; turn < 100; turn++)
            tni_parallel(100, 1, many_short, &sum);
        _exit(sum == 10100 ? 0 : 1);
    }
    int result;
    waitpid(child, &result, 0);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    tni_parallel(100, 1, many_short, &sum);
    assert_int_equal(sum, 200);
    tni_thread_set_count(0);
}

static void *use_scratch(void *unused) {
    for (int slot = 0; slot < 4; slot++) {
        char *memory = tni_scratch(slot, 1000);
        if (!memory) return unused; /* the allocation that fails */
        assert_int_equal((uintptr_t)memory % 64, 0);
        memset(memory, slot, 1000);
    }
    return unused;
}

static void test_scratch(void **state) {
    (void)state;
    char *first, *second, *other;
    pthread_t thread;
    REQUIRE_POINTER(first = tni_scratch(0, 100));
    assert_int_equal((uintptr_t)first % 64, 0);
    memset(first, 1, 100);
    REQUIRE_POINTER(other = tni_scratch(1, 100));
    assert_ptr_not_equal(first, other);
    assert_ptr_equal(tni_scratch(0, 50), first); /* kept */
    REQUIRE_POINTER(second = tni_scratch(0, 1 << 20));
    memset(second, 2, 1 << 20);
    assert_int_equal(pthread_create(&thread, NULL, use_scratch, NULL), 0);
    pthread_join(thread, NULL);
cleanup:;
}

/* --- Locks with a favourite --- */

enum { LOCK_TURNS = 20000, LOCK_THREADS = 3, LOCKS = 50 };

typedef struct guarded {
    tni_biased_lock lock;
    int64_t count, twice; /* guarded by the lock */
    atomic_bool is_seen;  /* the favourite has begun */
    atomic_int wrong;
} guarded;

static void *add_up(void *context) {
    guarded *of = context;
    for (int turn = 0; turn < LOCK_TURNS / LOCKS; turn++) {
        tni_biased_lock_take(&of->lock);
        if (of->twice != 2 * of->count) atomic_fetch_add(&of->wrong, 1);
        of->count++;
        of->twice += 2;
        tni_biased_lock_give(&of->lock);
        atomic_store(&of->is_seen, true);
    }
    return NULL;
}

/* Others come while the favourite is at it. */
static void test_biased_lock(void **state) {
    (void)state;
    for (int round = 0; round < LOCKS; round++) {
        guarded of = {.count = 0};
        pthread_t threads[LOCK_THREADS];
        assert_int_equal(pthread_create(&threads[0], NULL, add_up, &of), 0);
        while (round % 2 && !atomic_load(&of.is_seen))
            tni_pause();
        for (int k = 1; k < LOCK_THREADS; k++)
            assert_int_equal(pthread_create(&threads[k], NULL, add_up, &of), 0);
        for (int k = 0; k < LOCK_THREADS; k++)
            pthread_join(threads[k], NULL);
        assert_int_equal(of.wrong, 0);
        assert_int_equal(of.count, LOCK_THREADS * (LOCK_TURNS / LOCKS));
    }
}

/* A child that was forked while its only thread held the lock goes on with it. */
static void test_biased_lock_fork(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* TSan allows no threads after a fork */
#endif
    skip_emulated();
    guarded of = {.count = 0};
    for (int turn = 0; turn < 2; turn++) {
        tni_biased_lock_take(&of.lock);
        if (turn == 0) tni_biased_lock_give(&of.lock);
    }
    pid_t child = fork();
    tni_biased_lock_give(&of.lock);
    if (child == 0) {
        pthread_t thread;
        bool good = pthread_create(&thread, NULL, add_up, &of) == 0;
        add_up(&of);
        if (good) pthread_join(thread, NULL);
        _exit(good && of.count == 2 * (LOCK_TURNS / LOCKS) && !of.wrong ? 0 : 1);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_ranges),      REPLAY_NOT(test_slow_workers),
        REPLAY_NOT(test_short_work),  REPLAY_NOT(test_short_units),
        REPLAY_NOT(test_long_units),  REPLAY_NOT(test_many_regions),
        REPLAY_NOT(test_nested),      REPLAY_NOT(test_several_callers),
        REPLAY_NOT(test_fork),        REPLAY(test_scratch),
        REPLAY_NOT(test_biased_lock), REPLAY_NOT(test_biased_lock_fork),
    };
    return REPLAY_RUN("threads", tests);
}
