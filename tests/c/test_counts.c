/* The figures of the process: every object is counted, whichever thread makes and drops it. */
#include "replay.h"

#include <pthread.h>
#include <sys/wait.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

static const tn_device host = {TN_BACKEND_HOST, 0};

static tn_statistics now(void) {
    tn_statistics all;
    tn_statistics_get(&all);
    return all;
}

static void test_objects(void **state) {
    (void)state;
    const int64_t shape[] = {3, 1, 1, 1, 1, 2};
    tn_array *array = NULL, *deep = NULL;
    tn_stream *stream = NULL;
    tn_event *event = NULL;
    tn_graph *graph = NULL;
    tn_statistics before = now();
    REQUIRE_OK(tn_array_new(&array, TN_F32, 1, shape, TN_ORDER_C, tn_stream_default(host)));
    REQUIRE_OK(tn_array_new(&deep, TN_F32, 6, shape, TN_ORDER_C, tn_stream_default(host)));
    REQUIRE_OK(tn_stream_new(&stream, host, false, 0));
    REQUIRE_OK(tn_event_new(&event, host, false));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_GLOBAL));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    tn_statistics with = now();
    assert_int_equal(with.arrays - before.arrays, 2);
    assert_int_equal(with.buffers - before.buffers, 2);
    assert_int_equal(with.streams - before.streams, 1);
    assert_true(with.events > before.events); /* and one of the graph */
    assert_int_equal(with.graphs - before.graphs, 1);
    assert_int_equal(with.used_bytes - before.used_bytes, 1024);
    assert_true(with.total_bytes >= with.used_bytes);
    assert_true(with.arenas > 0 && with.chunks > 0);
cleanup:
    tn_array_release(array);
    tn_array_release(deep);
    tn_event_release(event);
    tn_graph_release(graph);
    if (stream) tn_stream_synchronize(stream, -1); /* it lives until its work is done */
    tn_stream_release(stream);
    tn_statistics after = now();
    assert_int_equal(after.arrays, before.arrays);
    assert_int_equal(after.buffers, before.buffers);
    assert_int_equal(after.streams, before.streams);
    assert_int_equal(after.events, before.events);
    assert_int_equal(after.graphs, before.graphs);
    assert_int_equal(after.used_bytes, before.used_bytes);
}

static void test_pinned(void **state) {
    (void)state;
    tn_pinned_pool *pool = NULL;
    void *block = NULL;
    int64_t before = now().pinned_bytes;
    REQUIRE_OK(tn_pinned_pool_new(&pool, NULL));
    REQUIRE_OK(tn_pinned_pool_allocate(pool, &block, 5000));
    assert_int_equal(now().pinned_bytes - before, 8192);
    tn_pinned_pool_free(pool, block, NULL);
    block = NULL;
    assert_int_equal(now().pinned_bytes - before, 8192); /* kept */
    tn_pinned_pool_trim(pool);
    assert_int_equal(now().pinned_bytes, before);
cleanup:
    if (block) tn_pinned_pool_free(pool, block, NULL);
    tn_pinned_pool_release(pool);
}

enum { MANY = 200 };
static tn_array *made[MANY];

static void *make_many(void *unused) {
    for (int k = 0; k < MANY; k++)
        if (tn_array_new(&made[k], TN_I8, 0, NULL, TN_ORDER_C, tn_stream_default(host)) != TN_OK)
            return NULL;
    return unused;
}

static void *drop_many(void *unused) {
    for (int k = 0; k < MANY; k++)
        tn_array_release(made[k]);
    return unused;
}

static void run(void *(*body)(void *unused)) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, body, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_threads(void **state) {
    (void)state;
    tn_statistics before = now();
    run(make_many); /* and that thread has ended */
    assert_int_equal(now().arrays - before.arrays, MANY);
    assert_int_equal(now().buffers - before.buffers, MANY);
    run(drop_many);
    assert_int_equal(now().arrays, before.arrays);
    assert_int_equal(now().buffers, before.buffers);
}

/* The child counts what threads of the parent have made. */
static void *count_in_child(void *result) {
    tn_statistics before = now();
    make_many(NULL);
    pid_t child = fork();
    if (child == 0) {
        bool is_right = now().arrays == before.arrays + MANY;
        drop_many(NULL);
        _exit(is_right && now().arrays == before.arrays ? 0 : 1);
    }
    waitpid(child, result, 0);
    drop_many(NULL);
    return NULL;
}

static void test_fork(void **state) {
    (void)state;
    pthread_t thread;
    int status = -1;
    make_many(NULL); /* by a thread that the child has not */
    tn_array *kept[MANY];
    memcpy(kept, made, sizeof kept);
    assert_int_equal(pthread_create(&thread, NULL, count_in_child, &status), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(status, 0);
    memcpy(made, kept, sizeof kept);
    drop_many(NULL);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_objects), REPLAY(test_pinned),
                                        REPLAY_NOT(test_threads), REPLAY_NOT(test_fork)};
    return REPLAY_RUN("counts", tests);
}
