/* Queues of the host and the workers that they share: how many threads there are, what holds up
 * what, and what is done at once. */
#include "emulated.h"
#include "replay.h"

#include "backend/host/stream/launch.h"
#include "backend/host/stream/queue.h"
#include "backend/host/stream/queues.h"
#include "backend/host/stream/workers.h"
#include "backend/host/table.h"
#include "core/base/lock.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tenorite/tenorite.h>

static const tn_device host = {TN_BACKEND_HOST, 0};
static const int64_t long_ns = 60000000000;
enum { LIMIT = 2 }; /* of workers that serve, with TENORITE_NUM_THREADS=1 */

static void nap(int64_t ns) {
    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

/* --- Work --- */

typedef struct gate {
    atomic_int open, entered;
} gate;

static void wait_at_gate(void *context) {
    gate *gate = context;
    atomic_fetch_add(&gate->entered, 1);
    while (!atomic_load(&gate->open))
        nap(100000);
}

/* As a task of ours: it holds a worker. */
static tn_status hold_at_gate(void *params) {
    wait_at_gate(*(void **)params);
    return TN_OK;
}

static void count_up(void *context) {
    atomic_fetch_add((atomic_int *)context, 1);
}

static tn_status add_one(void *params) {
    count_up(*(void **)params);
    return TN_OK;
}

static void note_thread(void *context) {
    *(pthread_t *)context = pthread_self();
}

static tn_status note_thread_of_task(void *params) {
    note_thread(*(void **)params);
    return TN_OK;
}

static tn_status submit(tn_stream *stream, tn_status (*work)(void *params), const void *context) {
    return tni_host_launch(&(tni_host_plan){work, &context, sizeof context, .elements = INT64_MAX},
                           stream);
}

/* Numbers that must come in order. */
typedef struct sequence {
    atomic_int next, wrong;
} sequence;
typedef struct step {
    sequence *sequence;
    int number;
} step;

static tn_status take_step(void *params) {
    const step *step = params;
    int next = atomic_load_explicit(&step->sequence->next, memory_order_relaxed);
    if (next != step->number) atomic_fetch_add(&step->sequence->wrong, 1);
    atomic_store_explicit(&step->sequence->next, next + 1, memory_order_relaxed);
    return TN_OK;
}

/* --- What tests look at --- */

static int count_threads(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (tasks && readdir(tasks))
        count++;
    if (tasks) closedir(tasks);
    return count - 2; /* . and .. */
}

/* Waits, and takes no part in the work. */
static bool comes_true(bool (*is_true)(const void *context), const void *context) {
    for (int64_t end = tni_now_ns() + long_ns; tni_now_ns() < end; nap(200000))
        if (is_true(context)) return true;
    return false;
}

static bool is_done(const void *stream) {
    bool done = false;
    return tn_stream_is_done((tn_stream *)(uintptr_t)stream, &done) == TN_OK && done;
}

static bool is_idle(const void *unused) {
    (void)unused;
    return tni_host_worker_count() == 0 && tni_host_queued_count() == 0;
}

typedef struct entries {
    const gate *gate;
    int count;
} entries;
static bool have_entered(const void *context) {
    const entries *entries = context;
    return atomic_load(&entries->gate->entered) == entries->count;
}

/* Makes streams and holds all workers but `left` until the gate opens. */
static void hold_workers(tn_stream **streams, int left, gate *gate) {
    for (int k = 0; k < LIMIT - left; k++) {
        assert_int_equal(tn_stream_new(&streams[k], host, true, 0), TN_OK);
        assert_int_equal(submit(streams[k], hold_at_gate, gate), TN_OK);
    }
    assert_true(comes_true(have_entered, &(entries){gate, LIMIT - left}));
}

static void let_go(tn_stream **streams, int left, gate *gate) {
    gate->open = 1;
    for (int k = 0; k < LIMIT - left; k++) {
        assert_true(comes_true(is_done, streams[k]));
        tn_stream_release(streams[k]);
    }
}

/* --- How many threads --- */

static void test_thousands_of_streams(void **state) {
    (void)state;
    enum { STREAMS = 5000, STEPS = 20 };
    tn_stream **streams = calloc(STREAMS, sizeof *streams);
    sequence *sequences = calloc(STREAMS, sizeof *sequences);
    for (int k = 0; k < STREAMS; k++)
        assert_int_equal(tn_stream_new(&streams[k], host, true, 0), TN_OK);
    step first = {&sequences[0], 0};
    assert_int_equal(
        tni_host_launch(&(tni_host_plan){take_step, &first, sizeof first, .elements = INT64_MAX},
                        streams[0]),
        TN_OK);
    int before = count_threads() - tni_host_worker_count(), most = 0; /* a sanitizer's, too */
    assert_int_equal(tn_stream_synchronize(streams[0], -1), TN_OK);
    sequences[0].next = 0;
    for (int number = 0; number < STEPS; number++) {
        for (int k = 0; k < STREAMS; k++) {
            step step = {&sequences[k], number};
            assert_int_equal(tni_host_launch(&(tni_host_plan){take_step, &step, sizeof step,
                                                              .elements = INT64_MAX},
                                             streams[k]),
                             TN_OK);
        }
        int now = count_threads();
        if (now > most) most = now;
    }
    assert_true(most <= before + 2 * LIMIT); /* one that ends is seen a little longer */
    for (int k = 0; k < STREAMS; k++) {
        if (k % 2) assert_int_equal(tn_stream_synchronize(streams[k], -1), TN_OK);
        tn_stream_release(streams[k]);
    }
    assert_int_equal(tn_device_synchronize(host, -1), TN_OK);
    for (int k = 0; k < STREAMS; k++) {
        assert_int_equal(sequences[k].next, STEPS);
        assert_int_equal(sequences[k].wrong, 0);
    }
    assert_int_equal(tni_host_queued_count(), 0);
    free(sequences);
    free(streams);
}

static void test_callbacks_hold_up_nothing(void **state) {
    (void)state;
    enum { LONG = LIMIT + 10 };
    tn_stream *streams[LONG], *other;
    gate gate = {0};
    atomic_int count = 0;
    for (int k = 0; k < LONG; k++) {
        assert_int_equal(tn_stream_new(&streams[k], host, true, 0), TN_OK);
        assert_int_equal(tn_stream_add_callback(streams[k], wait_at_gate, &gate), TN_OK);
        assert_int_equal(submit(streams[k], add_one, &count), TN_OK);
    }
    assert_int_equal(tn_stream_new(&other, host, true, 0), TN_OK);
    assert_int_equal(submit(other, add_one, &count), TN_OK);
    assert_int_equal(tn_stream_add_callback(other, count_up, &count), TN_OK);
    assert_true(comes_true(is_done, other));
    assert_int_equal(count, 2);
    assert_true(comes_true(have_entered, &(entries){&gate, LONG}));
    assert_true(tni_host_worker_count() >= LONG);
    assert_int_equal(tni_host_queued_count(), 2 * LONG);
    gate.open = 1;
    for (int k = 0; k < LONG; k++) {
        assert_int_equal(tn_stream_synchronize(streams[k], long_ns), TN_OK);
        tn_stream_release(streams[k]);
    }
    assert_int_equal(count, 2 + LONG);
    tn_stream_release(other);
}

/* A thousand short callbacks that wait for one lock start no thousand threads. */
static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;
static void take_lock(void *context) {
    pthread_mutex_lock(&common);
    count_up(context);
    pthread_mutex_unlock(&common);
}

static void test_short_callbacks_start_few_threads(void **state) {
    (void)state;
    enum { STREAMS = 1000 };
    static tn_stream *streams[STREAMS];
    atomic_int count = 0;
    assert_true(comes_true(is_idle, NULL)); /* no workers are left of other tests */
    pthread_mutex_lock(&common);
    int64_t begun_ns = tni_now_ns();
    for (int k = 0; k < STREAMS; k++) {
        assert_int_equal(tn_stream_new(&streams[k], host, true, 0), TN_OK);
        assert_int_equal(tn_stream_add_callback(streams[k], take_lock, &count), TN_OK);
    }
    int workers = tni_host_worker_count();
    int64_t passed_ms = (tni_now_ns() - begun_ns) / 1000000;
    pthread_mutex_unlock(&common);
    assert_true(workers <= LIMIT + 2 + passed_ms); /* at most one each millisecond */
    for (int k = 0; k < STREAMS; k++) {
        assert_int_equal(tn_stream_synchronize(streams[k], -1), TN_OK);
        tn_stream_release(streams[k]);
    }
    assert_int_equal(count, STREAMS);
}

static void test_idle_workers_end(void **state) {
    (void)state;
    tn_stream *stream;
    atomic_int count = 0;
    assert_int_equal(tn_stream_new(&stream, host, true, 0), TN_OK);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(tn_stream_add_callback(stream, count_up, &count), TN_OK);
        assert_true(tni_host_worker_count() > 0);
        assert_int_equal(tn_stream_synchronize(stream, -1), TN_OK);
        assert_true(comes_true(is_idle, NULL));
    }
    assert_int_equal(count, 2);
    tn_stream_release(stream);
}

/* --- What holds up what --- */

/* Stream k waits for k - 1 and k / 2; all wait for a gate. One worker is left. */
static void test_web_of_events(void **state) {
    (void)state;
    enum { STREAMS = 1000, ROUNDS = 3 };
    static tn_stream *streams[STREAMS];
    static tn_event *events[STREAMS];
    tn_stream *held[LIMIT], *first;
    tn_event *opened;
    gate all = {0}, begin = {0};
    sequence sequence = {0};
    hold_workers(held, 1, &all);
    assert_int_equal(tn_stream_new(&first, host, true, 0), TN_OK);
    assert_int_equal(tn_event_new(&opened, host, true), TN_OK);
    assert_int_equal(tn_stream_add_callback(first, wait_at_gate, &begin), TN_OK);
    assert_int_equal(tn_event_record(opened, first), TN_OK);
    for (int k = 0; k < STREAMS; k++) {
        assert_int_equal(tn_stream_new(&streams[k], host, true, 0), TN_OK);
        assert_int_equal(tn_event_new(&events[k], host, false), TN_OK);
        assert_int_equal(tn_stream_wait_event(streams[k], opened), TN_OK);
    }
    for (int round = 0, number = 0; round < ROUNDS; round++)
        for (int k = 0; k < STREAMS; k++, number++) {
            int before = (k + STREAMS - 1) % STREAMS;
            if (number > 0) {
                assert_int_equal(tn_stream_wait_event(streams[k], events[before]), TN_OK);
                assert_int_equal(tn_stream_wait_event(streams[k], events[k / 2]), TN_OK);
            }
            step step = {&sequence, number};
            assert_int_equal(tni_host_launch(&(tni_host_plan){take_step, &step, sizeof step,
                                                              .elements = INT64_MAX},
                                             streams[k]),
                             TN_OK);
            assert_int_equal(tn_event_record(events[k], streams[k]), TN_OK);
        }
    assert_int_equal(sequence.next, 0);
    begin.open = 1;
    for (int k = 0; k < STREAMS; k++) {
        assert_true(comes_true(is_done, streams[k]));
        tn_stream_release(streams[k]);
        tn_event_release(events[k]);
    }
    assert_int_equal(sequence.next, ROUNDS * STREAMS);
    assert_int_equal(sequence.wrong, 0);
    assert_int_equal(all.open, 0);
    let_go(held, 1, &all);
    tn_stream_release(first);
    tn_event_release(opened);
}

static tn_status last_20_us(void *params) {
    for (int64_t end = tni_now_ns() + 20000; tni_now_ns() < end;)
        tni_pause();
    return add_one(params);
}

/* Streams with much to do don't keep the workers to themselves. */
static void test_workers_are_shared(void **state) {
    (void)state;
    enum { BUSY = 2 * LIMIT, TASKS = 20000 };
    tn_stream *busy[BUSY], *other;
    atomic_int count = 0, own_count = 0;
    for (int k = 0; k < BUSY; k++) {
        assert_int_equal(tn_stream_new(&busy[k], host, true, 0), TN_OK);
        for (int number = 0; number < TASKS; number++)
            assert_int_equal(submit(busy[k], last_20_us, &count), TN_OK);
    }
    assert_int_equal(tn_stream_new(&other, host, true, 0), TN_OK);
    assert_int_equal(submit(other, add_one, &own_count), TN_OK);
    assert_true(comes_true(is_done, other));
    assert_int_equal(own_count, 1);
    assert_true(count < BUSY * TASKS);
    for (int k = 0; k < BUSY; k++) {
        assert_int_equal(tn_stream_synchronize(busy[k], -1), TN_OK);
        tn_stream_release(busy[k]);
    }
    assert_int_equal(count, BUSY * TASKS);
    tn_stream_release(other);
}

/* What waits for ever for a stream that no worker has begun does the work. */
static void test_waiter_works(void **state) {
    (void)state;
    tn_stream *held[LIMIT], *stream;
    gate gate = {0};
    pthread_t task_thread = 0, callback_thread = 0;
    atomic_int count = 0;
    hold_workers(held, 0, &gate);
    assert_int_equal(tn_stream_new(&stream, host, true, 0), TN_OK);
    assert_int_equal(submit(stream, note_thread_of_task, &task_thread), TN_OK);
    assert_int_equal(tn_stream_synchronize(stream, 1000000), TN_TIMEOUT); /* it can't be kept */
    assert_int_equal(tn_stream_synchronize(stream, -1), TN_OK);
    assert_true(pthread_equal(task_thread, pthread_self()));
    assert_int_equal(submit(stream, add_one, &count), TN_OK);
    assert_int_equal(tn_stream_add_callback(stream, note_thread, &callback_thread), TN_OK);
    assert_int_equal(submit(stream, add_one, &count), TN_OK);
    let_go(held, 0, &gate);
    assert_int_equal(tn_stream_synchronize(stream, -1), TN_OK);
    assert_false(pthread_equal(callback_thread, pthread_self()));
    assert_int_equal(count, 2);
    tn_stream_release(stream);
}

/* --- What is done at once --- */

static void test_idle_stream_is_done_at_once(void **state) {
    (void)state;
    enum { TURNS = 10000 };
    tn_stream *stream, *other;
    tn_event *start, *stop;
    assert_int_equal(tn_stream_new(&stream, host, true, 0), TN_OK);
    assert_int_equal(tn_stream_new(&other, host, true, 0), TN_OK);
    assert_int_equal(tn_event_new(&start, host, true), TN_OK);
    assert_int_equal(tn_event_new(&stop, host, true), TN_OK);
    for (int turn = 0; turn < TURNS; turn++) {
        double milliseconds = -1;
        bool done = false;
        pthread_t thread = 0;
        assert_int_equal(tn_event_record(start, stream), TN_OK);
        assert_int_equal(tn_event_record(stop, stream), TN_OK);
        assert_int_equal(tn_event_is_done(stop, &done), TN_OK);
        assert_true(done);
        assert_int_equal(tn_event_elapsed_ms(&milliseconds, start, stop), TN_OK);
        assert_true(milliseconds >= 0);
        assert_int_equal(tn_stream_wait_event(other, stop), TN_OK);
        assert_int_equal(tn_stream_add_cleanup(stream, note_thread, &thread), TN_OK);
        assert_true(pthread_equal(thread, pthread_self()));
        assert_int_equal(tni_host_queued_count(), 0);
    }
    tn_event_release(start);
    tn_event_release(stop);
    tn_stream_release(stream);
    tn_stream_release(other);
}

/* Small work, too, if nothing is queued before it; a failure waits to be reported. */
static tn_status fail_small(void *unused) {
    (void)unused;
    return tni_fail(TN_ERROR_VALUE, "small work failed");
}

static void test_small_work_is_done_at_once(void **state) {
    (void)state;
    tn_stream *stream;
    gate gate = {0};
    atomic_int count = 0, *counted = &count;
    assert_int_equal(tn_stream_new(&stream, host, true, 0), TN_OK);
    assert_int_equal(
        tni_host_launch(&(tni_host_plan){add_one, &counted, sizeof counted, .elements = 10},
                        stream),
        TN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tni_host_launch(&(tni_host_plan){fail_small, "", 1, .elements = 10}, stream),
                     TN_OK);
    assert_int_equal(tn_stream_synchronize(stream, -1), TN_ERROR_VALUE);
    assert_int_equal(tn_stream_synchronize(stream, -1), TN_OK);
    assert_int_equal(tn_stream_add_callback(stream, wait_at_gate, &gate), TN_OK);
    assert_int_equal(
        tni_host_launch(&(tni_host_plan){add_one, &counted, sizeof counted, .elements = 10},
                        stream),
        TN_OK);
    assert_int_equal(count, 1);
    gate.open = 1;
    assert_int_equal(tn_stream_synchronize(stream, -1), TN_OK);
    assert_int_equal(count, 2);
    tn_stream_release(stream);
}

/* Every form says how much work it is: few elements on an idle stream start no worker. */
static void test_small_forms_need_no_worker(void **state) {
    (void)state;
    enum { RESULTS = 12 };
    tn_stream *stream;
    tn_array *at[RESULTS] = {NULL};
    int axis = 0;
    bool done = false;
    assert_true(comes_true(is_idle, NULL)); /* no workers are left of other tests */
    assert_int_equal(tn_stream_new(&stream, host, true, 0), TN_OK);
    tn_scalar zero = tn_scalar_weak_int(0), one = tn_scalar_weak_int(1);
    assert_int_equal(tn_array_new_ramp(&at[0], zero, one, 10, TN_I64, stream), TN_OK);
    assert_int_equal(tn_array_take(&at[1], at[0], at[0], 0, TN_INDEX_RAISE, stream), TN_OK);
    tn_operand ten = tn_operand_scalar(tn_scalar_weak_int(10));
    assert_int_equal(tn_array_put(at[1], at[0], 0, &ten, TN_INDEX_RAISE, stream), TN_OK);
    assert_int_equal(tn_scan(&at[2], TN_SCAN_CUMSUM, at[1], &axis, TN_DTYPE_NONE, false, stream),
                     TN_OK);
    assert_int_equal(tn_array_nonzero(&at[3], at[0], stream), TN_OK);
    assert_int_equal(tn_array_astype(&at[4], at[0], TN_B8, TN_ORDER_C, TN_CASTING_UNSAFE,
                                     TN_COPY_ALWAYS, stream),
                     TN_OK);
    assert_int_equal(tn_array_compress(&at[5], at[0], at[4], 0, stream), TN_OK);
    assert_int_equal(tn_array_expand(at[1], at[4], 0, &ten, stream), TN_OK);
    assert_int_equal(tn_dot(&at[6], at[0], at[2], stream), TN_OK);
    assert_int_equal(tn_op_reduceat(&at[7], TN_OP_ADD, at[0], at[0], 0, TN_DTYPE_NONE, stream),
                     TN_OK);
    const tn_array *indices = at[0];
    assert_int_equal(tn_op_at(at[1], TN_OP_ADD, 1, NULL, NULL, &indices, at[0], stream), TN_OK);
    assert_int_equal(tn_argreduce(&at[8], TN_ARGMAX, at[0], &axis, false, stream), TN_OK);
    assert_int_equal(tn_stream_is_done(stream, &done), TN_OK);
    assert_true(done);
    assert_int_equal(tni_host_worker_count(), 0);
    for (int k = 0; k < RESULTS; k++)
        tn_array_release(at[k]);
    tn_stream_release(stream);
}

/* Work on ever-new streams does not pile up: what queues it takes part. No worker is left here. */
static void test_work_does_not_pile_up(void **state) {
    (void)state;
    enum { STREAMS = 1000 };
    static tn_stream *streams[STREAMS];
    tn_stream *held[LIMIT];
    gate gate = {0};
    atomic_int count = 0;
    hold_workers(held, 0, &gate);
    for (int k = 0; k < STREAMS; k++) {
        assert_int_equal(tn_stream_new(&streams[k], host, true, 0), TN_OK);
        assert_int_equal(submit(streams[k], add_one, &count), TN_OK);
    }
    assert_true(tni_host_queued_count() <= LIMIT + STREAMS / 2);
    assert_true(count >= STREAMS / 2);
    let_go(held, 0, &gate);
    for (int k = 0; k < STREAMS; k++) {
        assert_int_equal(tn_stream_synchronize(streams[k], -1), TN_OK);
        tn_stream_release(streams[k]);
    }
    assert_int_equal(count, STREAMS);
}

static void test_callback_has_another_thread(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    pthread_t thread = pthread_self();
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_stream_add_callback(stream, note_thread, &thread));
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    assert_false(pthread_equal(thread, pthread_self()));
cleanup:
    if (stream) tn_stream_synchronize(stream, -1);
    tn_stream_release(stream);
}

/* A stream that only waits is done when the event is, and its end does not wait. */
static void test_parked(void **state) {
    (void)state;
    tn_stream *first = NULL, *second = NULL, *third = NULL;
    tn_event *event = NULL;
    gate gate = {0};
    atomic_int count = 0;
    bool done = true;
    REQUIRE_OK(tn_stream_new(&first, host, true, 0));
    REQUIRE_OK(tn_stream_new(&second, host, true, 0));
    REQUIRE_OK(tn_stream_new(&third, host, true, 0));
    REQUIRE_OK(tn_event_new(&event, host, true));
    REQUIRE_OK(tn_stream_add_callback(first, wait_at_gate, &gate));
    REQUIRE_OK(tn_event_record(event, first));
    REQUIRE_OK(tn_stream_wait_event(second, event));
    REQUIRE_OK(tn_stream_wait_event(third, event));
    REQUIRE_OK(submit(third, add_one, &count));
    REQUIRE_OK(tn_stream_is_done(second, &done));
    assert_false(done);
    REQUIRE_STATUS(tn_stream_synchronize(second, 1000000), TN_TIMEOUT);
    assert_int_equal(tni_host_queued_count(), 5);
    gate.open = 1;
    REQUIRE_OK(tn_event_synchronize(event, -1));
    assert_true(comes_true(is_done, second));
    assert_true(comes_true(is_done, third));
    assert_int_equal(count, 1);
cleanup:
    gate.open = 1;
    for (int k = 0; k < 3; k++) {
        tn_stream *each = k == 0 ? first : k == 1 ? second : third;
        if (each) tn_stream_synchronize(each, -1);
        tn_stream_release(each);
    }
    tn_event_release(event);
}

/* --- Fork and threads --- */

static int run_child(tn_event *pending, tn_stream *parked) {
    atomic_int count = 0;
    tn_stream *own, *other;
    bool is_right = tni_host_worker_count() == 0 && tni_host_queued_count() == 0 &&
                    tn_stream_synchronize(parked, -1) == TN_ERROR_FORKED &&
                    tn_stream_new(&own, host, true, 0) == TN_OK &&
                    tn_stream_new(&other, host, true, 0) == TN_OK &&
                    tn_stream_wait_event(own, pending) == TN_OK &&
                    tn_stream_synchronize(own, -1) == TN_ERROR_FORKED &&
                    submit(own, add_one, &count) == TN_OK &&
                    tn_stream_add_callback(own, count_up, &count) == TN_OK &&
                    tn_event_record(pending, own) == TN_OK &&
                    tn_stream_wait_event(other, pending) == TN_OK &&
                    submit(other, add_one, &count) == TN_OK &&
                    tn_stream_synchronize(other, -1) == TN_OK && count == 3;
    tn_stream_release(parked);
    return is_right ? 0 : 1;
}

static void test_fork_with_queued_tasks(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* TSan allows no threads after a fork */
#endif
    skip_emulated();
    tn_stream *busy, *parked;
    tn_event *event;
    gate gate = {0};
    atomic_int count = 0;
    assert_int_equal(tn_stream_new(&busy, host, true, 0), TN_OK);
    assert_int_equal(tn_stream_new(&parked, host, true, 0), TN_OK);
    assert_int_equal(tn_event_new(&event, host, true), TN_OK);
    assert_int_equal(tn_stream_add_callback(busy, wait_at_gate, &gate), TN_OK);
    assert_int_equal(submit(busy, add_one, &count), TN_OK);
    assert_int_equal(tn_event_record(event, busy), TN_OK);
    assert_int_equal(tn_stream_wait_event(parked, event), TN_OK);
    assert_int_equal(submit(parked, add_one, &count), TN_OK);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(run_child(event, parked));
    }
    int result;
    waitpid(child, &result, 0);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    assert_int_equal(count, 0);
    gate.open = 1;
    assert_int_equal(tn_stream_synchronize(parked, -1), TN_OK);
    assert_int_equal(count, 2);
    tn_stream_release(busy);
    tn_stream_release(parked);
    tn_event_release(event);
}

/* Threads do what they like to streams and events that they share. */
enum { SHARED = 24, THREADS = 4, TURNS = 4000 };
static struct shared {
    pthread_mutex_t lock; /* so that steps are queued in the order of their numbers */
    tn_stream *stream;
    tn_event *event;
    sequence sequence;
    int steps;
} shared[SHARED];

static unsigned draw(unsigned *seed) {
    return (*seed = *seed * 1664525 + 1013904223) >> 8;
}

static bool add_step(struct shared *one) {
    pthread_mutex_lock(&one->lock);
    step step = {&one->sequence, one->steps++};
    tn_status status = tni_host_launch(
        &(tni_host_plan){take_step, &step, sizeof step, .elements = INT64_MAX}, one->stream);
    pthread_mutex_unlock(&one->lock);
    return status == TN_OK;
}

static bool use_fresh_stream(struct shared *one, atomic_int *count) {
    tn_stream *fresh;
    if (tn_stream_new(&fresh, host, true, 0) != TN_OK) return false;
    bool is_good = tn_stream_wait_event(fresh, one->event) == TN_OK &&
                   submit(fresh, add_one, count) == TN_OK &&
                   tn_event_record(one->event, fresh) == TN_OK &&
                   tn_stream_add_cleanup(fresh, count_up, count) == TN_OK;
    tn_stream_release(fresh);
    return is_good;
}

static atomic_int callbacks, fresh_streams, expected_callbacks, expected_fresh;

static void *play(void *context) {
    unsigned seed = (unsigned)(uintptr_t)context;
    bool is_good = true;
    for (int turn = 0; turn < TURNS && is_good; turn++) {
        struct shared *one = &shared[draw(&seed) % SHARED], *other = &shared[draw(&seed) % SHARED];
        switch (draw(&seed) % 12) {
        case 0:
            is_good = tn_stream_add_callback(one->stream, count_up, &callbacks) == TN_OK;
            atomic_fetch_add(&expected_callbacks, 1);
            break;
        case 1: is_good = tn_stream_synchronize(one->stream, -1) == TN_OK; break;
        case 2: is_good = tn_event_synchronize(one->event, -1) == TN_OK; break;
        case 3:
            is_good = use_fresh_stream(one, &fresh_streams);
            atomic_fetch_add(&expected_fresh, 2);
            break;
        case 4:
            if (turn % 50 == 0) is_good = tn_device_synchronize(host, -1) == TN_OK;
            break;
        case 5:
        case 6: is_good = tn_event_record(one->event, one->stream) == TN_OK; break;
        case 7:
        case 8: is_good = tn_stream_wait_event(one->stream, other->event) == TN_OK; break;
        default: is_good = add_step(one);
        }
    }
    return is_good ? context : NULL;
}

static void test_random_use(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    for (int k = 0; k < SHARED; k++) {
        pthread_mutex_init(&shared[k].lock, NULL);
        assert_int_equal(tn_stream_new(&shared[k].stream, host, true, 0), TN_OK);
        assert_int_equal(tn_event_new(&shared[k].event, host, true), TN_OK);
    }
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, play, (void *)(uintptr_t)(k + 1)), 0);
    for (int k = 0; k < THREADS; k++) {
        void *result;
        pthread_join(threads[k], &result);
        assert_non_null(result);
    }
    assert_int_equal(tn_device_synchronize(host, -1), TN_OK);
    for (int k = 0; k < SHARED; k++) {
        assert_int_equal(shared[k].sequence.next, shared[k].steps);
        assert_int_equal(shared[k].sequence.wrong, 0);
        tn_stream_release(shared[k].stream);
        tn_event_release(shared[k].event);
    }
    assert_int_equal(callbacks, expected_callbacks);
    assert_int_equal(fresh_streams, expected_fresh);
    assert_int_equal(tni_host_queued_count(), 0);
}

/* --- Waiting for a device --- */

typedef struct follower {
    tn_stream *stream;
    atomic_int *count;
} follower;

static tn_status add_one_late(void *params) {
    nap(30000000);
    return add_one(params);
}

static tn_status queue_follower(void *params) {
    const follower *follower = params;
    return submit(follower->stream, add_one_late, follower->count);
}

static void *open_late(void *context) {
    nap(20000000);
    atomic_store(&((gate *)context)->open, 1);
    return NULL;
}

/* A task queues another on a stream that the wait has passed: the newest stream is waited for
 * first. */
static void test_device_waits_for_followers(void **state) {
    (void)state;
    tn_stream *older = NULL, *newer = NULL;
    gate gate = {0};
    atomic_int count = 0;
    pthread_t opener;
    REQUIRE_OK(tn_stream_new(&older, host, true, 0));
    REQUIRE_OK(tn_stream_new(&newer, host, true, 0));
    REQUIRE_OK(submit(older, hold_at_gate, &gate));
    follower follower = {newer, &count};
    REQUIRE_OK(tni_host_launch(
        &(tni_host_plan){queue_follower, &follower, sizeof follower, .elements = INT64_MAX},
        older));
    while (!atomic_load(&gate.entered))
        nap(100000);
    assert_int_equal(pthread_create(&opener, NULL, open_late, &gate), 0);
    tn_status status = tn_device_synchronize(host, long_ns);
    int seen = atomic_load(&count);
    pthread_join(opener, NULL);
    REQUIRE_OK(status);
    assert_int_equal(seen, 1);
cleanup:
    atomic_store(&gate.open, 1);
    tn_device_synchronize(host, -1);
    tn_stream_release(older);
    tn_stream_release(newer);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_thousands_of_streams),
        REPLAY_NOT(test_callbacks_hold_up_nothing),
        REPLAY_NOT(test_short_callbacks_start_few_threads),
        REPLAY_NOT(test_idle_workers_end),
        REPLAY_NOT(test_web_of_events),
        REPLAY_NOT(test_workers_are_shared),
        REPLAY_NOT(test_waiter_works),
        REPLAY_NOT(test_idle_stream_is_done_at_once),
        REPLAY_NOT(test_small_work_is_done_at_once),
        REPLAY_NOT(test_small_forms_need_no_worker),
        REPLAY_NOT(test_work_does_not_pile_up),
        REPLAY(test_callback_has_another_thread),
        REPLAY(test_parked),
        REPLAY_NOT(test_device_waits_for_followers),
        REPLAY_NOT(test_fork_with_queued_tasks),
        REPLAY_NOT(test_random_use),
    };
    setenv("TENORITE_BACKEND", "host", 1);
    setenv("TENORITE_NUM_THREADS", "1", 1);
    return REPLAY_RUN("queues", tests);
}
