/* Calls that wait, on the host: what they compute when something looks, which looks there are, what
 * they keep, and what becomes of failures. */
#include "replay.h"

#include "core/base/waiting.h"

#include <tenorite/backlog.h>
#include <tenorite/cuda.h>
#include <tenorite/elementwise.h>
#include <tenorite/graph.h>
#include <tenorite/memory.h>
#include <tenorite/reduce.h>
#include <tenorite/statistics.h>
#include <tenorite/trace.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 64 };

static tn_status numbers(tn_array **result, float first) {
    float values[COUNT];
    int64_t shape[1] = {COUNT};
    for (int k = 0; k < COUNT; k++)
        values[k] = first + (float)k;
    return tn_array_new_from_host(result, values, TN_F32, 1, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status binary(tn_array **result, tn_op op, tn_operand a, tn_operand b) {
    tn_operand inputs[2] = {a, b};
    *result = NULL;
    return tn_elementwise(result, op, inputs, NULL, NULL);
}

static tn_status add(tn_array **result, const tn_array *a, const tn_array *b) {
    return binary(result, TN_OP_ADD, tn_operand_array(a), tn_operand_array(b));
}

static tn_status scale(tn_array **result, const tn_array *a, double by) {
    return binary(result, TN_OP_MULTIPLY, tn_operand_array(a),
                  tn_operand_scalar(tn_scalar_weak_float(by)));
}

static tn_status in_place(tn_array *a, tn_op op, double by) {
    tn_operand inputs[2] = {tn_operand_array(a), tn_operand_scalar(tn_scalar_weak_float(by))};
    return tn_elementwise(&a, op, inputs, NULL, NULL);
}

static int64_t waiting(void) {
    tn_backlog_figures figures;
    tn_backlog_get_figures(&figures);
    return figures.waiting;
}

/* Calls of the thread wait, of however few elements. */
static tn_status begin(void) {
    tn_backlog_use_in_process(false, 0);
    return tn_backlog_use(TN_WAITING_ON);
}

static void end(void) {
    assert_int_equal(tn_backlog_use(TN_WAITING_EAGER), TN_OK);
    assert_int_equal(waiting(), 0);
}

/* element k of the array is base + k * step */
static tn_status check(const tn_array *array, float base, float step) {
    float read[COUNT];
    tn_status status = tn_array_read(read, NULL, array, NULL);
    for (int k = 0; k < COUNT && !status; k++)
        assert_true(read[k] == base + (float)k * step);
    return status;
}

/* c = a + b; d = c * 2: nothing runs until d is read, and then both are there. */
static void test_two_calls(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    tn_backlog_figures before, after;
    REQUIRE_OK(numbers(&a, 0));
    REQUIRE_OK(numbers(&b, 100));
    REQUIRE_OK(begin());
    tn_backlog_get_figures(&before);
    REQUIRE_OK(add(&c, a, b));
    REQUIRE_OK(scale(&d, c, 2));
    tn_backlog_get_figures(&after);
    if (after.joined == before.joined + 2) { /* memory for it was there */
        assert_int_equal(after.runs, before.runs);
        assert_true(tn_array_is_due(c) && tn_array_is_due(d) && !tn_array_is_due(a));
    }
    REQUIRE_OK(check(d, 200, 4));
    assert_false(tn_array_is_due(c) || tn_array_is_due(d));
    REQUIRE_OK(check(c, 100, 2));
    REQUIRE_OK(check(a, 0, 1));
cleanup:
    end();
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
    tn_array_release(d);
}

/* What a waiting call reads keeps the value that it had at the call. */
static void test_written_while_wanted(void **state) {
    (void)state;
    tn_array *a = NULL, *c = NULL;
    REQUIRE_OK(numbers(&a, 0));
    REQUIRE_OK(begin());
    REQUIRE_OK(scale(&c, a, 3));
    REQUIRE_OK(in_place(a, TN_OP_ADD, 7)); /* waits, too */
    REQUIRE_OK(check(c, 0, 3));
    REQUIRE_OK(check(a, 7, 1));
cleanup:
    end();
    tn_array_release(a);
    tn_array_release(c);
}

/* --- Looks --- */

/* c = a + b waits on the stream of `on`; a look of this kind has to run it. */
typedef struct scene {
    tn_array *a, *b, *c;
    tn_stream *stream; /* the current one */
} scene;

static void *run_join(void *context) {
    scene *s = context;
    tn_array *made = NULL;
    tn_status status = begin();
    if (!status) status = add(&made, s->c, s->c);
    tn_array_release(made);
    end();
    return (void *)(intptr_t)status;
}

static void *run_thread_end(void *context) {
    scene *s = context;
    tn_status status = begin();
    tn_array_release(s->c);
    s->c = NULL;
    if (!status) status = add(&s->c, s->a, s->b);
    return (void *)(intptr_t)status;
}

static tn_status in_thread(void *(*body)(void *), scene *s) {
    pthread_t thread;
    void *status;
    if (pthread_create(&thread, NULL, body, s)) return TN_ERROR_MEMORY;
    pthread_join(thread, &status);
    return (tn_status)(intptr_t)status;
}

static tn_status look_join(scene *s) {
    return in_thread(run_join, s);
}
static tn_status look_thread_end(scene *s) {
    end();
    return in_thread(run_thread_end, s);
}
static tn_status look_read(scene *s) {
    float read[COUNT];
    return tn_array_read(read, NULL, s->c, NULL);
}
static tn_status look_write(scene *s) {
    float values[COUNT] = {0};
    return tn_array_write(s->a, values, NULL, NULL);
}
static tn_status look_address(scene *s) {
    return tn_array_address(s->c) ? TN_OK : TN_ERROR_RUNTIME;
}
static tn_status look_other_stream(scene *s) {
    tn_stream *other = NULL;
    tn_array *made = NULL;
    tn_status status = tn_stream_new(&other, tn_stream_device(s->stream), false, 0);
    if (status) return status;
    tn_operand inputs[2] = {tn_operand_array(s->a), tn_operand_array(s->b)};
    status = tn_elementwise(&made, TN_OP_ADD, inputs, NULL, other);
    if (!status) status = tn_stream_synchronize(other, -1);
    tn_array_release(made);
    tn_stream_release(other);
    return status;
}
static tn_status look_stream_wait(scene *s) {
    return tn_stream_synchronize(s->stream, -1);
}
static tn_status look_stream_query(scene *s) {
    bool done;
    return tn_stream_is_done(s->stream, &done);
}
static void nothing(void *context) {
    (void)context;
}
static tn_status look_stream_callback(scene *s) {
    return tn_stream_add_callback(s->stream, nothing, NULL);
}
static tn_status look_cleanup(scene *s) {
    return tn_stream_add_cleanup(s->stream, nothing, NULL);
}
static tn_status look_stream_handle(scene *s) {
    (void)tn_stream_handle(s->stream);
    return TN_OK;
}
static tn_status look_event(scene *s, bool waits) {
    tn_event *event = NULL;
    tn_status status = tn_event_new(&event, tn_stream_device(s->stream), false);
    if (status) return status;
    if (!waits)
        status = tn_event_record(event, s->stream);
    else
        status = tn_stream_wait_event(s->stream, event);
    tn_event_release(event);
    return status;
}
static tn_status look_event_record(scene *s) {
    return look_event(s, false);
}
static tn_status look_event_wait(scene *s) {
    return look_event(s, true);
}
/* A capture of a stream of its own begins, ends and is launched: c = a + b waits before each. */
static tn_status add_again(scene *s) {
    tn_array_release(s->c);
    s->c = NULL;
    return add(&s->c, s->a, s->b);
}
static tn_status look_capture(scene *s) {
    tn_stream *other = NULL;
    tn_graph *graph = NULL;
    tn_status status = tn_stream_new(&other, tn_stream_device(s->stream), false, 0);
    if (!status) status = tn_stream_begin_capture(other, TN_CAPTURE_RELAXED);
    if (!status) assert_int_equal(waiting(), 0);
    if (!status) status = add_again(s);
    if (!status) status = tn_stream_end_capture(&graph, other);
    if (!status) assert_int_equal(waiting(), 0);
    if (!status) status = add_again(s);
    if (!status) status = tn_graph_launch(graph, other);
    tn_graph_release(graph);
    tn_stream_release(other);
    return status;
}
static tn_status look_device_wait(scene *s) {
    return tn_device_synchronize(tn_stream_device(s->stream), -1);
}
static uint64_t function_of_driver(void) {
    return 7;
}
static tn_status look_driver_call(scene *s) {
    tn_cuda_arguments arguments = {{0}, {0}};
    uint64_t seven = 0;
    (void)s;
    tn_status status = tn_cuda_call(&seven, (uintptr_t)function_of_driver, &arguments, -1);
    if (!status) assert_int_equal(seven, 7);
    return status;
}
/* A reduction may have to read what is made, so that the backlog alone keeps it. Of all sizes one
 * is the first for which the pool has no block and no room. */
static tn_status look_pool_growth(scene *s) {
    tn_buffer *buffers[8] = {NULL};
    tn_array *large = NULL, *made = NULL;
    int64_t shape[1] = {16 << 20};
    tn_status status = tn_array_new(&large, TN_F32, 1, shape, TN_ORDER_C, NULL);
    if (!status) status = add(&made, large, large);
    tn_array_release(large);
    for (int k = 0; k < 8 && !status; k++)
        status = tn_buffer_new(&buffers[k], 48 << 20, NULL);
    for (int k = 0; k < 8; k++)
        tn_buffer_release(buffers[k]);
    tn_array_release(made);
    if (!status) tn_pool_trim(tn_pool_default(), tn_stream_device(s->stream), NULL);
    return status;
}
static tn_status look_pool_trim(scene *s) {
    tn_pool_trim(tn_pool_default(), tn_stream_device(s->stream), NULL);
    return TN_OK;
}
static tn_status look_pool_limit(scene *s) {
    return tn_pool_set_limit(tn_pool_default(), tn_stream_device(s->stream), 0);
}
/* The pool may not grow, so that all that the backlog keeps alone is a reason to run it. */
static tn_status look_limited_pool(scene *s) {
    const tn_device device = tn_stream_device(s->stream);
    tn_pool *pool = tn_pool_default();
    tn_array *large = NULL, *made = NULL;
    tn_buffer *buffer = NULL;
    int64_t shape[1] = {1 << 20};
    tn_status status = tn_array_new(&large, TN_F32, 1, shape, TN_ORDER_C, NULL);
    if (!status) status = add(&made, large, large);
    tn_backlog_use(TN_WAITING_DEFAULT); /* nothing joins or stops while the limit is set */
    tn_array_release(large);
    const int64_t before = waiting();
    if (!status) status = tn_buffer_new(&buffer, INT64_C(1) << 46, NULL);
    assert_true(status == TN_ERROR_MEMORY && before > 0 && waiting() == 0);
    tn_buffer_release(buffer);
    tn_array_release(made);
    tn_pool_trim(pool, device, NULL);
    return TN_OK;
}
static tn_status look_statistics(scene *s) {
    tn_statistics found;
    (void)s;
    tn_statistics_get(&found);
    return TN_OK;
}
static tn_status look_pool_figures(scene *s) {
    (void)tn_pool_get_statistics(tn_pool_default(), tn_stream_device(s->stream));
    return TN_OK;
}
static tn_status look_allocator(scene *s) {
    (void)s;
    return tn_allocator_set_thread(NULL);
}
static tn_status look_process_allocator(scene *s) {
    (void)s;
    const tn_allocator before = tn_allocator_get();
    return tn_allocator_set(&before);
}
static tn_status look_hook(scene *s) {
    static const tn_memory_hook hook = {NULL, NULL, NULL};
    (void)s;
    tn_status status = tn_memory_hook_add(&hook);
    if (!status) tn_memory_hook_remove(&hook);
    return status;
}
static tn_status look_range(scene *s) {
    (void)s;
    tn_cuda_range_push("a range");
    return TN_OK;
}
static tn_status look_range_pop(scene *s) {
    (void)s;
    tn_cuda_range_pop();
    return TN_OK;
}
static tn_status look_range_start(scene *s) {
    (void)s;
    (void)tn_cuda_range_start("a range");
    return TN_OK;
}
static tn_status look_range_end(scene *s) {
    (void)s;
    tn_cuda_range_end(0);
    return TN_OK;
}
static tn_status look_trace_start(scene *s) {
    (void)s;
    tn_status status = tn_trace_start(16, false);
    if (!status) assert_int_equal(waiting(), 0);
    return status ? status : tn_trace_stop();
}
static tn_status look_trace_stop(scene *s) {
    tn_status status = tn_trace_start(16, false);
    if (!status) status = add_again(s);
    return status ? status : tn_trace_stop();
}
/* Without a GPU these fail, but after the look. */
static tn_status look_profiler_start(scene *s) {
    (void)s;
    (void)tn_cuda_profiler_start();
    return TN_OK;
}
static tn_status look_profiler_stop(scene *s) {
    (void)s;
    (void)tn_cuda_profiler_stop();
    return TN_OK;
}
/* The child has all elements, though the backlog of another thread made them. */
static tn_status look_fork(scene *s) {
    int code = -1;
    pid_t child = fork();
    if (child == 0) {
        float read[COUNT];
        bool is_read = tn_array_read(read, NULL, s->c, NULL) == TN_OK;
        _exit(is_read && read[1] == 102 ? 0 : 1);
    }
    if (child < 0) return TN_ERROR_MEMORY;
    waitpid(child, &code, 0);
    assert_int_equal(code, 0);
    return TN_OK;
}
static tn_status look_full(scene *s) {
    tn_status status = TN_OK;
    for (int k = 0; k < 400 && !status; k++)
        status = in_place(s->c, TN_OP_ADD, 0);
    if (!status) status = tn_stream_run(NULL);
    return status;
}
static tn_status look_asked(scene *s) {
    return tn_stream_run(s->stream);
}
static tn_status look_stopped(scene *s) {
    (void)s;
    return tn_backlog_use(TN_WAITING_EAGER);
}

/* IDLE is one of GPUs alone: tests/c/cuda/test_cuda_backlog.c. */
static const struct {
    tni_look look;
    tn_status (*act)(scene *s);
    const char *name;
} actions[] = {
#define ACTION(look, act)                                                                          \
    { TNI_LOOK_##look, act, #act }
    ACTION(READ, look_read),
    ACTION(WRITE, look_write),
    ACTION(ADDRESS, look_address),
    ACTION(JOIN, look_join),
    ACTION(OTHER_STREAM, look_other_stream),
    ACTION(STREAM_WAIT, look_stream_wait),
    ACTION(STREAM_QUERY, look_stream_query),
    ACTION(STREAM_CALLBACK, look_stream_callback),
    ACTION(STREAM_CALLBACK, look_cleanup),
    ACTION(STREAM_HANDLE, look_stream_handle),
    ACTION(EVENT_RECORD, look_event_record),
    ACTION(EVENT_WAIT, look_event_wait),
    ACTION(CAPTURE, look_capture),
    ACTION(DEVICE_WAIT, look_device_wait),
    ACTION(DRIVER_CALL, look_driver_call),
    ACTION(POOL_GROWTH, look_pool_growth),
    ACTION(POOL_GROWTH, look_limited_pool),
    ACTION(POOL_TRIM, look_pool_trim),
    ACTION(POOL_TRIM, look_pool_limit),
    ACTION(POOL_FIGURES, look_pool_figures),
    ACTION(POOL_FIGURES, look_statistics),
    ACTION(ALLOCATOR, look_allocator),
    ACTION(ALLOCATOR, look_process_allocator),
    ACTION(HOOK, look_hook),
    ACTION(RANGE, look_range),
    ACTION(RANGE, look_range_pop),
    ACTION(RANGE, look_range_start),
    ACTION(RANGE, look_range_end),
    ACTION(RANGE, look_trace_start),
    ACTION(RANGE, look_trace_stop),
    ACTION(RANGE, look_profiler_start),
    ACTION(RANGE, look_profiler_stop),
    ACTION(FORK, look_fork),
    ACTION(THREAD_END, look_thread_end),
    ACTION(FULL, look_full),
    ACTION(ASKED, look_asked),
    ACTION(STOPPED, look_stopped),
};

/* Each look by itself runs what waits, and is the one that is counted. */
static void run_action(size_t k) {
    const tni_look look = actions[k].look;
    scene s = {NULL, NULL, NULL, tn_stream_get_current(tn_device_get_current())};
    assert_int_equal(numbers(&s.a, 0), TN_OK);
    assert_int_equal(numbers(&s.b, 100), TN_OK);
    assert_int_equal(begin(), TN_OK);
    assert_int_equal(add(&s.c, s.a, s.b), TN_OK);
    assert_true(tn_array_is_due(s.c));
    const int64_t before = tn_backlog_looks(look);
    tn_status status = actions[k].act(&s);
    if (status || tn_backlog_looks(look) == before)
        fail_msg("%s: %s", actions[k].name, status ? tn_error_message() : "no run");
    assert_int_equal(waiting(), 0);
    if (s.c && look != TNI_LOOK_WRITE) assert_int_equal(check(s.c, 100, 2), TN_OK);
    end();
    tn_array_release(s.a);
    tn_array_release(s.b);
    tn_array_release(s.c);
}

static void test_looks(void **state) {
    (void)state;
    bool has_action[TNI_LOOKS] = {[TNI_LOOK_IDLE] = true};
    for (size_t k = 0; k < sizeof actions / sizeof *actions; k++) {
        run_action(k);
        has_action[actions[k].look] = true;
    }
    for (int look = 0; look < TNI_LOOKS; look++)
        if (!has_action[look]) fail_msg("%s has no action", tn_backlog_look_name(look));
    assert_int_equal(tn_backlog_look_count(), TNI_LOOKS);
    assert_null(tn_backlog_look_name(TNI_LOOKS));
}

/* --- Memory --- */

/* What no one can look at is not computed, and its memory is free at once. */
static void test_dead_results(void **state) {
    (void)state;
    tn_array *a = NULL, *c = NULL, *d = NULL;
    tn_statistics first, last;
    tn_backlog_figures before, after;
    REQUIRE_OK(numbers(&a, 0));
    end();
    tn_statistics_get(&first);
    REQUIRE_OK(begin());
    tn_backlog_get_figures(&before);
    REQUIRE_OK(scale(&c, a, 2));
    REQUIRE_OK(scale(&d, c, 3));
    tn_array_release(c);
    c = NULL;
    tn_array_release(d);
    d = NULL;
    REQUIRE_OK(tn_stream_run(NULL));
    tn_backlog_get_figures(&after);
    assert_int_equal(after.graphs, before.graphs);
    assert_int_equal(after.single_calls - before.single_calls, 2 - (after.joined - before.joined));
    tn_statistics_get(&last);
    assert_int_equal(last.used_bytes, first.used_bytes);
    assert_int_equal(last.arrays, first.arrays);
    assert_int_equal(last.buffers, first.buffers);
    REQUIRE_OK(scale(&c, a, 2));
    REQUIRE_OK(scale(&d, c, 3));
    tn_array_release(c); /* d is computed without it */
    c = NULL;
    REQUIRE_OK(check(d, 0, 6));
cleanup:
    end();
    tn_array_release(a);
    tn_array_release(c);
    tn_array_release(d);
}

/* --- Failing allocations --- */

enum { MADE = 5 };

/* c = a + b; d = (c * 2)[1:]; c += 7; e = d's buffer * 3; the sums of d, and of a * 0.5 */
static tn_status compute(tn_array **made, const tn_array *a, const tn_array *b) {
    const tn_index rest[1] = {{TN_INDEX_SLICE, 1, 0, 1, true, false}};
    tn_array *twice = NULL, *half = NULL;
    tn_status status = add(&made[0], a, b);
    if (!status) status = scale(&twice, made[0], 2);
    if (!status) status = tn_array_slice(&made[1], twice, 1, rest);
    if (!status) status = in_place(made[0], TN_OP_ADD, 7);
    if (!status) status = scale(&made[2], twice, 3);
    if (!status) status = tn_reduce(&made[3], TN_REDUCE_SUM, made[1], NULL, NULL);
    if (!status) status = scale(&half, a, 0.5);
    if (!status) status = tn_reduce(&made[4], TN_REDUCE_SUM, half, NULL, NULL);
    tn_array_release(twice);
    tn_array_release(half);
    return status;
}

/* What an allocation that fails leaves of an array: all of it, or a failure that each look repeats.
 * The first read may lack memory of its own. */
static void check_or_lost(const tn_array *array, float base, float step) {
    float read[COUNT];
    (void)tn_array_read(read, NULL, array, NULL);
    const tn_status status = tn_array_read(read, NULL, array, NULL);
    for (int64_t k = 0; k < tn_array_size(array) && !status; k++)
        assert_true(read[k] == base + (float)k * step);
    if (!status) return;
    assert_int_equal(status, TN_ERROR_MEMORY);
    assert_int_equal(tn_array_read(read, NULL, array, NULL), TN_ERROR_MEMORY);
}

static void test_failing_allocations(void **state) {
    (void)state;
    static const float expected[MADE][2] = {{107, 2}, {204, 4}, {600, 12}, {20664, 0}, {1008, 0}};
    tn_array *a = NULL, *b = NULL, *made[MADE] = {NULL};
    tn_statistics first, last;
    REQUIRE_OK(numbers(&a, 0));
    REQUIRE_OK(numbers(&b, 100));
    tn_statistics_get(&first);
    REQUIRE_OK(begin());
    REQUIRE_OK(compute(made, a, b));
    for (int k = 0; k < MADE; k++)
        check_or_lost(made[k], expected[k][0], expected[k][1]);
    check_or_lost(a, 0, 1);
    check_or_lost(b, 100, 1);
cleanup:
    end();
    for (int k = 0; k < MADE; k++)
        tn_array_release(made[k]);
    if (b) {
        tn_statistics_get(&last);
        assert_int_equal(last.used_bytes, first.used_bytes);
        assert_int_equal(last.buffers, first.buffers);
        assert_int_equal(last.arrays, first.arrays);
    }
    tn_array_release(a);
    tn_array_release(b);
}

/* --- Threads --- */

enum { THREADS = 4, TURNS = 300 };

typedef struct place {
    pthread_mutex_t lock;
    tn_array *array;
} place;
static place places[THREADS];

static void put(int at, tn_array *array) {
    pthread_mutex_lock(&places[at].lock);
    tn_array *before = places[at].array;
    places[at].array = array;
    pthread_mutex_unlock(&places[at].lock);
    tn_array_release(before);
}

/* Half of an array of another thread and one; now and then it is looked at, or halved itself. As
 * any program has to, the thread holds a lock while it uses what others write. */
static tn_status use(tn_array **made, tn_array *other, unsigned random) {
    float read[COUNT] = {0};
    tn_status status = scale(made, other, 0.5);
    if (!status) status = in_place(*made, TN_OP_ADD, 1);
    if (!status && random >> 20 & 1) status = tn_array_read(read, NULL, other, NULL);
    assert_true(read[0] >= 0 && read[0] <= 8);
    if (!status && random >> 21 & 1) status = in_place(other, TN_OP_MULTIPLY, 0.5);
    return status;
}

static void *build(void *context) {
    const int own = (int)(intptr_t)context;
    unsigned random = (unsigned)own * 7919u + 17u;
    if (begin()) return NULL;
    for (int turn = 0; turn < TURNS; turn++) {
        random = random * 1664525u + 1013904223u;
        place *of = &places[(random >> 8) % THREADS];
        tn_array *made = NULL;
        pthread_mutex_lock(&of->lock);
        tn_status status = use(&made, of->array, random);
        pthread_mutex_unlock(&of->lock);
        assert_int_equal(status, TN_OK);
        put(own, made);
    }
    return NULL; /* the end of the thread runs what waits */
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) {
        pthread_mutex_init(&places[k].lock, NULL);
        int64_t shape[1] = {COUNT};
        assert_int_equal(tn_array_new(&places[k].array, TN_F32, 1, shape, TN_ORDER_C, NULL), TN_OK);
        assert_int_equal(tn_array_fill(places[k].array, tn_scalar_weak_int(k), NULL), TN_OK);
    }
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, build, (void *)(intptr_t)k), 0);
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(waiting(), 0);
    for (int k = 0; k < THREADS; k++) {
        float read[COUNT];
        assert_int_equal(tn_array_read(read, NULL, places[k].array, NULL), TN_OK);
        put(k, NULL);
    }
}

static const replay_test tests[] = {
    REPLAY(test_two_calls),    REPLAY(test_written_while_wanted), REPLAY_NOT(test_looks),
    REPLAY(test_dead_results), REPLAY(test_failing_allocations),  REPLAY_NOT(test_threads),
};

int main(void) {
    return REPLAY_RUN("backlog", tests);
}
