/* Devices, streams and events on the host. */
#include "emulated.h"
#include "replay.h"

#include "backend/host/stream/launch.h"
#include "backend/host/table.h"
#include "core/memory/pool.h"
#include "core/memory/pool_take.h"
#include "core/stream/order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const tn_device host = {TN_BACKEND_HOST, 0}, host1 = {TN_BACKEND_HOST, 1};
static const int64_t long_ns = 20000000000;

static void nap(int64_t ns) {
    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

/* --- Work for queues --- */

static tn_status fail_with_text(void *params) {
    return tni_fail(TN_ERROR_VALUE, "%s went wrong", (const char *)params);
}

static tn_status fail_for_memory(void *unused) {
    (void)unused;
    return tni_fail_memory(1000, 20, 30, 4000, "host:0");
}

typedef struct gate {
    atomic_int open, entered;
} gate;

static void wait_at_gate(void *context) {
    gate *gate = context;
    atomic_store(&gate->entered, 1);
    while (!atomic_load(&gate->open))
        nap(100000);
}

static void count_up(void *context) {
    atomic_fetch_add((atomic_int *)context, 1);
}

typedef struct sequence {
    int numbers[1000], count;
} sequence;
typedef struct step {
    sequence *sequence;
    int number;
} step;

static tn_status note_step(void *params) {
    step *step = params;
    step->sequence->numbers[step->sequence->count++] = step->number;
    return TN_OK;
}

/* --- Devices --- */

static void test_devices(void **state) {
    (void)state;
    int64_t free_bytes = 0, total_bytes = 0;
    char name[200] = "", tiny[4] = "xyz";
    assert_int_equal(tn_backend_primary(), TN_BACKEND_HOST);
    assert_string_equal(tn_backend_name(TN_BACKEND_HOST), "host");
    assert_string_equal(tn_backend_name(TN_BACKEND_CUDA), "cuda");
    assert_string_equal(tn_backend_name((tn_backend)7), "invalid");
    assert_int_equal(tn_device_count(TN_BACKEND_HOST), 3);
    assert_int_equal(tn_device_count((tn_backend)7), 0);
    assert_true(tn_device_is_equal(tn_device_get_current(), host));
    REQUIRE_OK(tn_device_set_current(host1));
    assert_true(tn_device_is_equal(tn_device_get_current(), host1));
    REQUIRE_STATUS(tn_device_set_current((tn_device){TN_BACKEND_HOST, 3}), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "invalid device ordinal"));
    REQUIRE_STATUS(tn_device_set_current((tn_device){TN_BACKEND_HOST, -1}), TN_ERROR_DEVICE);
    REQUIRE_STATUS(tn_device_set_current((tn_device){9, 0}), TN_ERROR_DEVICE);
    assert_true(tn_device_is_equal(tn_device_get_current(), host1));
    REQUIRE_OK(tn_device_get_memory_info(host1, &free_bytes, &total_bytes));
    assert_true(free_bytes > 0 && free_bytes <= total_bytes);
    REQUIRE_OK(tn_device_get_name(host, name, sizeof name));
    assert_true(strlen(name) > 0);
    REQUIRE_OK(tn_device_get_name(host, tiny, sizeof tiny));
    assert_true(strlen(tiny) < 4);
    REQUIRE_STATUS(tn_device_get_name(host, tiny, 0), TN_ERROR_VALUE);
    REQUIRE_OK(tn_device_get_level(host, name, sizeof name));
    assert_true(strcmp(name, "generic") == 0 || (name[0] == 'v' && strlen(name) == 2));
    REQUIRE_STATUS(tn_device_get_level(host, tiny, 0), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_device_synchronize((tn_device){TN_BACKEND_HOST, 3}, -1), TN_ERROR_DEVICE);
    REQUIRE_OK(tn_device_synchronize(host, -1));
cleanup:
    tn_device_set_current(host);
}

static void *see_defaults(void *unused) {
    (void)unused;
    bool is_right = tn_device_is_equal(tn_device_get_current(), host) &&
                    tn_stream_get_current(host) == tn_stream_default(host);
    return (void *)(uintptr_t)is_right;
}

static void test_current_is_per_thread(void **state) {
    (void)state;
    tn_stream *stream = NULL, *resolved = NULL;
    pthread_t thread;
    void *is_right;
    REQUIRE_OK(tn_stream_new(&stream, host1, false, 0));
    REQUIRE_OK(tn_device_set_current(host1));
    REQUIRE_OK(tn_stream_set_current(stream));
    assert_ptr_equal(tn_stream_get_current(host1), stream);
    assert_ptr_equal(tn_stream_get_current(host), tn_stream_default(host));
    REQUIRE_OK(tni_stream_resolve(&resolved, NULL, host1));
    assert_ptr_equal(resolved, stream);
    REQUIRE_STATUS(tni_stream_resolve(&resolved, stream, host), TN_ERROR_VALUE);
    assert_non_null(strstr(tn_error_message(), "host:1"));
    assert_non_null(strstr(tn_error_message(), "host:0"));
    assert_int_equal(pthread_create(&thread, NULL, see_defaults, NULL), 0);
    pthread_join(thread, &is_right);
    assert_non_null(is_right);
    tn_stream_release(stream); /* the thread still holds it */
    stream = NULL;
    REQUIRE_OK(tn_stream_synchronize(tn_stream_get_current(host1), -1));
    REQUIRE_OK(tn_stream_set_current(tn_stream_default(host1)));
    assert_ptr_equal(tn_stream_get_current(host1), tn_stream_default(host1));
    REQUIRE_STATUS(tn_stream_set_current(NULL), TN_ERROR_VALUE);
cleanup:
    tn_stream_set_current(tn_stream_default(host1));
    tn_device_set_current(host);
    tn_stream_release(stream);
}

/* --- Streams --- */

static void test_default_is_immediate(void **state) {
    (void)state;
    tn_stream *stream = tn_stream_default(host);
    atomic_int count = 0;
    bool done = false;
    assert_ptr_equal(stream, tn_stream_default(host));
    assert_ptr_not_equal(stream, tn_stream_default(host1));
    assert_null(tn_stream_default((tn_device){TN_BACKEND_HOST, 3}));
    assert_null(tn_stream_default((tn_device){9, 0}));
    assert_true(tn_stream_is_default(stream));
    assert_int_equal(tn_stream_handle(stream), 0);
    REQUIRE_OK(tn_stream_add_callback(stream, count_up, &count));
    assert_int_equal(count, 1);
    REQUIRE_OK(tn_stream_is_done(stream, &done));
    assert_true(done);
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    REQUIRE_STATUS(
        tni_host_launch(&(tni_host_plan){fail_with_text, "it", 3, .elements = 1}, stream),
        TN_ERROR_VALUE);
    REQUIRE_OK(tn_stream_synchronize(NULL, -1)); /* reported already */
    tn_stream_release(tn_stream_retain(stream));
    tn_stream_release(stream);
    tn_stream_release(NULL);
cleanup:;
}

static void test_queue_is_in_order(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    sequence sequence = {.count = 0};
    REQUIRE_OK(tn_stream_new(&stream, host1, true, 0));
    assert_false(tn_stream_is_default(stream));
    assert_true(tn_device_is_equal(tn_stream_device(stream), host1));
    assert_true(tn_stream_handle(stream) != 0);
    for (int number = 0; number < 50; number++) {
        step step = {&sequence, number};
        REQUIRE_OK(tni_host_launch(
            &(tni_host_plan){note_step, &step, sizeof step, .elements = INT64_MAX}, stream));
    }
    REQUIRE_OK(tn_stream_synchronize(stream, long_ns));
    assert_int_equal(sequence.count, 50);
    for (int number = 0; number < 50; number++)
        assert_int_equal(sequence.numbers[number], number);
cleanup:
    if (stream) tn_stream_synchronize(stream, -1); /* `sequence` is on our stack */
    tn_stream_release(stream);
}

static void test_timeout(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_event *event = NULL;
    gate gate = {0};
    bool done = true;
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_event_new(&event, host, false));
    REQUIRE_OK(tn_stream_add_callback(stream, wait_at_gate, &gate));
    REQUIRE_OK(tn_event_record(event, stream));
    REQUIRE_STATUS(tn_stream_synchronize(stream, 0), TN_TIMEOUT);
    REQUIRE_STATUS(tn_stream_synchronize(stream, 2000000), TN_TIMEOUT);
    REQUIRE_STATUS(tn_device_synchronize(host, 2000000), TN_TIMEOUT);
    REQUIRE_STATUS(tn_event_synchronize(event, 0), TN_TIMEOUT);
    REQUIRE_STATUS(tn_event_synchronize(event, 2000000), TN_TIMEOUT);
    REQUIRE_OK(tn_stream_is_done(stream, &done));
    assert_false(done);
    REQUIRE_OK(tn_event_is_done(event, &done));
    assert_false(done);
    gate.open = 1;
    REQUIRE_OK(tn_event_synchronize(event, long_ns));
    REQUIRE_OK(tn_stream_synchronize(stream, INT64_MAX));
    REQUIRE_OK(tn_stream_is_done(stream, &done));
    assert_true(done);
cleanup:
    gate.open = 1;
    if (stream) tn_stream_synchronize(stream, -1);
    tn_event_release(event);
    tn_stream_release(stream);
}

static void test_failure_is_reported_once(void **state) {
    (void)state;
    tn_stream *stream = NULL, *other = NULL;
    atomic_int count = 0;
    int64_t requested = 0, limit = 0;
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_stream_new(&other, host, true, 0));
    REQUIRE_OK(tni_host_launch(&(tni_host_plan){fail_with_text, "first", 6, .elements = INT64_MAX},
                               stream));
    REQUIRE_OK(tni_host_launch(&(tni_host_plan){fail_with_text, "second", 7, .elements = INT64_MAX},
                               stream));
    REQUIRE_OK(tn_stream_add_callback(stream, count_up, &count));
    REQUIRE_STATUS(tn_stream_synchronize(stream, -1), TN_ERROR_VALUE);
    assert_string_equal(tn_error_message(), "first went wrong");
    assert_int_equal(count, 1); /* later work ran */
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    /* The figures come along. */
    REQUIRE_OK(
        tni_host_launch(&(tni_host_plan){fail_for_memory, "", 1, .elements = INT64_MAX}, stream));
    assert_int_equal(tn_stream_synchronize(stream, -1), TN_ERROR_MEMORY);
    tn_error_memory(&requested, NULL, NULL, &limit);
    assert_int_equal(requested, 1000);
    assert_int_equal(limit, 4000);
    assert_non_null(strstr(tn_error_message(), "host:0"));
    /* A wait for the device reports one and leaves the others. */
    REQUIRE_OK(tni_host_launch(&(tni_host_plan){fail_with_text, "this", 5, .elements = INT64_MAX},
                               stream));
    REQUIRE_OK(tni_host_launch(&(tni_host_plan){fail_with_text, "other", 6, .elements = INT64_MAX},
                               other));
    REQUIRE_STATUS(tn_device_synchronize(host, -1), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_device_synchronize(host, -1), TN_ERROR_VALUE);
    REQUIRE_OK(tn_device_synchronize(host, -1));
    /* An immediate stream that is ordered after it waits, so it reports. */
    REQUIRE_OK(tni_host_launch(&(tni_host_plan){fail_with_text, "it", 3, .elements = 1}, stream));
    REQUIRE_STATUS(tni_stream_order(tn_stream_default(host), stream), TN_ERROR_VALUE);
    REQUIRE_OK(tni_stream_order(tn_stream_default(host), stream));
cleanup:
    if (stream) tn_stream_synchronize(stream, -1);
    tn_stream_release(stream);
    tn_stream_release(other);
}

static void synchronize_own(void *stream) {
    tn_status status = tn_stream_synchronize(stream, -1);
    if (status != TN_ERROR_RUNTIME) abort();
    if (tn_device_synchronize(host, -1) != TN_OK) abort(); /* waits for the others only */
}

static void test_own_stream_is_no_deadlock(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_stream_add_callback(stream, synchronize_own, stream));
    REQUIRE_OK(tn_stream_synchronize(stream, long_ns));
cleanup:
    if (stream) tn_stream_synchronize(stream, -1);
    tn_stream_release(stream);
}

static void test_release_does_not_wait(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    gate gate = {0};
    atomic_int count = 0;
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_stream_add_callback(stream, wait_at_gate, &gate));
    for (int k = 0; k < 10; k++)
        REQUIRE_OK(tn_stream_add_callback(stream, count_up, &count));
    if (replay_failing == 0 || tni_alloc_fail_pending()) {
        tni_alloc_fail_at(0); /* where the queue can't take its own end, a release does wait */
        tn_stream_release(stream);
        stream = NULL;
        assert_int_equal(count, 0);
        gate.open = 1;
        REQUIRE_OK(tn_device_synchronize(host, long_ns)); /* finds the queue without a stream */
        assert_int_equal(count, 10);
        tni_alloc_fail_at(1000000);
    }
cleanup:
    gate.open = 1;
    if (stream) tn_stream_synchronize(stream, -1);
    tn_stream_release(stream);
}

static void release_last(void *stream) {
    tn_stream_release(stream);
}

static void test_release_in_own_queue(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    gate gate = {0};
    bool is_queued = false;
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_stream_add_callback(stream, wait_at_gate, &gate));
    tn_stream_retain(stream);
    is_queued = true;
    tn_status status = tn_stream_add_callback(stream, release_last, stream);
    if (status != TN_OK) {
        is_queued = false;
        tn_stream_release(stream);
    }
    REQUIRE_OK(status);
cleanup:
    if (is_queued) tni_alloc_fail_at(tni_alloc_fail_pending() ? 1000000 : 0);
    gate.open = 1;
    tn_stream_release(stream);
    tn_device_synchronize(host, -1);
}

/* --- Events --- */

static void test_events_order_streams(void **state) {
    (void)state;
    tn_stream *first = NULL, *second = NULL;
    tn_event *event = NULL;
    gate gate = {0};
    atomic_int count = 0;
    bool done = false;
    REQUIRE_OK(tn_stream_new(&first, host, true, 0));
    REQUIRE_OK(tn_stream_new(&second, host1, true, 0)); /* of another device */
    REQUIRE_OK(tn_event_new(&event, host, true));
    REQUIRE_OK(tn_event_is_done(event, &done)); /* never recorded: done */
    assert_true(done);
    REQUIRE_OK(tn_stream_wait_event(second, event));
    REQUIRE_OK(tn_event_synchronize(event, -1));
    REQUIRE_STATUS(tn_event_record(event, second), TN_ERROR_VALUE);
    REQUIRE_OK(tn_stream_add_callback(first, wait_at_gate, &gate));
    REQUIRE_OK(tn_event_record(event, first));
    REQUIRE_OK(tn_stream_wait_event(second, event));
    REQUIRE_OK(tn_stream_add_callback(second, count_up, &count));
    /* Recording again does not disturb a wait for the last record. */
    REQUIRE_OK(tn_event_record(event, tn_stream_default(host)));
    REQUIRE_OK(tn_event_is_done(event, &done));
    assert_true(done);
    REQUIRE_STATUS(tn_stream_synchronize(second, 3000000), TN_TIMEOUT);
    assert_int_equal(count, 0);
    gate.open = 1;
    REQUIRE_OK(tn_stream_synchronize(second, long_ns));
    assert_int_equal(count, 1);
cleanup:
    gate.open = 1;
    if (first) tn_stream_synchronize(first, -1);
    if (second) tn_stream_synchronize(second, -1);
    tn_event_release(event);
    tn_event_release(NULL);
    tn_stream_release(first);
    tn_stream_release(second);
}

static void test_stream_order(void **state) {
    (void)state;
    tn_stream *streams[3] = {0};
    gate gate = {0};
    atomic_int count = 0;
    for (int k = 0; k < 3; k++)
        REQUIRE_OK(tn_stream_new(&streams[k], host, true, 0));
    REQUIRE_OK(tni_stream_order(streams[1], streams[0])); /* idle: nothing */
    REQUIRE_OK(tni_stream_order(streams[1], streams[1]));
    REQUIRE_OK(tni_stream_order(streams[1], tn_stream_default(host)));
    REQUIRE_OK(tn_stream_add_callback(streams[0], wait_at_gate, &gate));
    REQUIRE_OK(tni_stream_order(streams[1], streams[0]));
    REQUIRE_OK(tni_stream_order(streams[2], streams[1]));
    REQUIRE_OK(tn_stream_add_callback(streams[2], count_up, &count));
    REQUIRE_STATUS(tn_stream_synchronize(streams[2], 3000000), TN_TIMEOUT);
    gate.open = 1;
    REQUIRE_OK(tni_stream_order(tn_stream_default(host), streams[2])); /* waits here */
    assert_int_equal(count, 1);
cleanup:
    gate.open = 1;
    for (int k = 0; k < 3; k++) {
        if (streams[k]) tn_stream_synchronize(streams[k], -1);
        tn_stream_release(streams[k]);
    }
}

static void test_elapsed(void **state) {
    (void)state;
    tn_event *start = NULL, *stop = NULL, *without = NULL;
    tn_stream *stream = NULL;
    gate gate = {0};
    double milliseconds = -1;
    REQUIRE_OK(tn_event_new(&start, host, true));
    REQUIRE_OK(tn_event_new(&stop, host, true));
    REQUIRE_OK(tn_event_new(&without, host, false));
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_STATUS(tn_event_elapsed_ms(&milliseconds, start, stop), TN_ERROR_DEVICE);
    REQUIRE_OK(tn_event_record(start, NULL));
    REQUIRE_STATUS(tn_event_elapsed_ms(&milliseconds, start, stop), TN_ERROR_DEVICE);
    REQUIRE_OK(tn_stream_add_callback(stream, wait_at_gate, &gate));
    REQUIRE_OK(tn_event_record(stop, stream));
    REQUIRE_STATUS(tn_event_elapsed_ms(&milliseconds, start, stop), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorNotReady"));
    nap(3000000);
    gate.open = 1;
    REQUIRE_OK(tn_event_synchronize(stop, long_ns));
    REQUIRE_OK(tn_event_elapsed_ms(&milliseconds, start, stop));
    assert_true(milliseconds >= 3 && milliseconds < 20000);
    REQUIRE_OK(tn_event_record(without, NULL));
    REQUIRE_STATUS(tn_event_elapsed_ms(&milliseconds, start, without), TN_ERROR_DEVICE);
cleanup:
    gate.open = 1;
    if (stream) tn_stream_synchronize(stream, -1);
    if (start) tn_event_release(tn_event_retain(start));
    tn_event_release(start);
    tn_event_release(stop);
    tn_event_release(without);
    tn_stream_release(stream);
}

/* --- The wait hook --- */

static atomic_int begun, polled, ended;
static void *hook_begin(void) {
    begun++;
    return &begun;
}
static bool hook_poll(void *token) {
    assert_ptr_equal(token, &begun);
    return ++polled == 2;
}
static void hook_end(void *token) {
    assert_ptr_equal(token, &begun);
    ended++;
}

static void test_wait_hook(void **state) {
    (void)state;
    static const tn_wait_hook hook = {hook_begin, hook_poll, hook_end};
    tn_stream *stream = NULL;
    gate gate = {0};
    begun = polled = ended = 0;
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    tn_wait_set_hook(&hook);
    REQUIRE_OK(tn_stream_synchronize(stream, -1)); /* nothing to wait for */
    assert_int_equal(begun, 0);
    REQUIRE_OK(tn_stream_add_callback(stream, wait_at_gate, &gate));
    REQUIRE_STATUS(tn_stream_synchronize(stream, 0), TN_TIMEOUT);
    assert_int_equal(begun, 0);
    REQUIRE_STATUS(tn_stream_synchronize(stream, 1000000), TN_TIMEOUT);
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 1);
    REQUIRE_STATUS(tn_stream_synchronize(stream, -1), TN_ERROR_CALLBACK);
    assert_int_equal(polled, 2);
    assert_int_equal(ended, 2);
    polled = 0; /* a wait inside another call ends the same way */
    REQUIRE_STATUS(tni_stream_order(tn_stream_default(host), stream), TN_ERROR_CALLBACK);
    polled = 2; /* a hook that never ends a wait */
cleanup:
    tn_wait_set_hook(NULL);
    gate.open = 1;
    if (stream) tn_stream_synchronize(stream, -1);
    tn_stream_release(stream);
}

/* --- Fork and threads --- */

static void test_fork(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* TSan allows no threads after a fork */
#endif
    skip_emulated();
    tn_stream *busy, *idle;
    tn_event *event;
    gate gate = {0};
    bool done = false;
    assert_int_equal(tn_stream_new(&busy, host, true, 0), TN_OK);
    assert_int_equal(tn_stream_new(&idle, host, true, 0), TN_OK);
    assert_int_equal(tn_event_new(&event, host, true), TN_OK);
    assert_int_equal(tn_stream_add_callback(busy, wait_at_gate, &gate), TN_OK);
    assert_int_equal(tn_event_record(event, busy), TN_OK);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        atomic_int count = 0;
        tn_stream *own;
        tni_block *block;
        bool is_right = tn_stream_synchronize(busy, -1) == TN_ERROR_FORKED &&
                        strstr(tn_error_message(), "before fork") &&
                        tn_stream_is_done(busy, &done) == TN_ERROR_FORKED &&
                        tn_stream_add_callback(busy, count_up, &count) == TN_ERROR_FORKED &&
                        tn_stream_add_callback(idle, count_up, &count) == TN_ERROR_FORKED &&
                        tn_stream_synchronize(idle, -1) == TN_OK &&
                        tn_event_synchronize(event, -1) == TN_ERROR_FORKED &&
                        tn_event_record(event, NULL) == TN_OK &&
                        tn_event_synchronize(event, -1) == TN_OK &&
                        tn_device_synchronize(host, -1) == TN_OK &&
                        tn_stream_new(&own, host, true, 0) == TN_OK &&
                        tn_stream_add_callback(own, count_up, &count) == TN_OK &&
                        tn_stream_synchronize(own, -1) == TN_OK && count == 1 &&
                        tni_pool_take(&block, tn_pool_default(), 3 << 20, own) == TN_OK;
        tn_stream_release(busy);
        tn_stream_release(idle);
        tn_event_release(event);
        _exit(is_right ? 0 : 1);
    }
    int result;
    waitpid(child, &result, 0);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    gate.open = 1;
    assert_int_equal(tn_stream_synchronize(busy, -1), TN_OK);
    tn_stream_release(busy);
    tn_stream_release(idle);
    tn_event_release(event);
}

/* Threads that share streams and events, and make and drop their own. */
static tn_stream *common;
static tn_event *common_event;

static void *use_streams(void *context) {
    for (int turn = 0; turn < 200; turn++) {
        tn_stream *own;
        if (tn_stream_new(&own, host, true, 0) != TN_OK) return NULL;
        tn_stream_set_current(own);
        tn_stream_add_callback(own, count_up, context);
        tni_stream_order(common, own);
        tn_stream_add_callback(common, count_up, context);
        tn_event_record(common_event, common);
        tn_stream_wait_event(own, common_event);
        if (turn % 10 == 0) tn_event_synchronize(common_event, -1);
        if (turn % 20 == 0) tn_device_synchronize(host, -1);
        tn_stream_add_callback(own, count_up, context);
        tn_stream_release(own);
    }
    return context;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    atomic_int count = 0;
    assert_int_equal(tn_stream_new(&common, host, true, 0), TN_OK);
    assert_int_equal(tn_event_new(&common_event, host, true), TN_OK);
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, use_streams, &count), 0);
    for (int k = 0; k < 4; k++) {
        void *result;
        pthread_join(threads[k], &result);
        assert_non_null(result);
    }
    assert_int_equal(tn_device_synchronize(host, -1), TN_OK);
    assert_int_equal(count, 4 * 200 * 3);
    tn_event_release(common_event);
    tn_stream_release(common);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_devices),
        REPLAY(test_current_is_per_thread),
        REPLAY(test_default_is_immediate),
        REPLAY(test_queue_is_in_order),
        REPLAY(test_timeout),
        REPLAY(test_failure_is_reported_once),
        REPLAY(test_own_stream_is_no_deadlock),
        REPLAY(test_release_does_not_wait),
        REPLAY(test_release_in_own_queue),
        REPLAY(test_events_order_streams),
        REPLAY(test_stream_order),
        REPLAY(test_elapsed),
        REPLAY_NOT(test_wait_hook),
        REPLAY_NOT(test_fork),
        REPLAY_NOT(test_threads),
    };
    setenv("TENORITE_BACKEND", "host", 1);
    setenv("TENORITE_HOST_DEVICES", "3", 1);
    return REPLAY_RUN("stream", tests);
}
