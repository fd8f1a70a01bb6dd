/* Threads that use arrays on streams which come and go, as programs do for days: what lives is the
 * same after many turns as after a few. What goes wrong between the threads shows under `make
 * tsan`. On the backend that TENORITE_BACKEND names; tools/soak has many more patterns. */
#include "replay.h"

#include <pthread.h>
#include <stdatomic.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

enum { THREADS = 3, FEW = 60, MANY = 240, LENGTH = 1000 };

/* A thread's things that stay; the weights are shared by all. */
typedef struct worker {
    tn_array *weights;
    tn_stream *stream;
    tn_event *event;
    tn_pool *pool;
    unsigned seed;
} worker;

static atomic_int failures, called;
/* Streams order what threads do with an array one after another; that they do is the program's
 * part. */
static pthread_mutex_t weights_lock = PTHREAD_MUTEX_INITIALIZER;

static void check(tn_status status) {
    if (status == TN_OK) return;
    if (atomic_fetch_add(&failures, 1) == 0) print_error("%s\n", tn_error_message());
}

/* --- What a turn does, on a stream that is let go of after it --- */

static void read_weights(worker *own, tn_stream *stream) {
    tn_array *sum = NULL;
    pthread_mutex_lock(&weights_lock);
    check(tn_binary(&sum, TN_OP_ADD, own->weights, own->weights, stream));
    pthread_mutex_unlock(&weights_lock);
    tn_array_release(sum);
}

static void write_weights(worker *own, tn_stream *stream) {
    pthread_mutex_lock(&weights_lock);
    check(tn_array_fill(own->weights, tn_scalar_weak_int(1), stream));
    pthread_mutex_unlock(&weights_lock);
}

static void record_kept_event(worker *own, tn_stream *stream) {
    read_weights(own, stream);
    check(tn_event_record(own->event, stream));
    check(tn_event_synchronize(own->event, -1));
}

static void wait_for_short_stream(worker *own, tn_stream *stream) {
    tn_event *event = NULL;
    check(tn_event_new(&event, tn_stream_device(stream), false));
    read_weights(own, stream);
    check(tn_event_record(event, stream));
    check(tn_stream_wait_event(own->stream, event));
    read_weights(own, own->stream);
    tn_event_release(event);
}

static void use_pool(worker *own, tn_stream *stream) {
    tn_allocator allocator = tn_pool_allocator(own->pool);
    tn_buffer *buffer = NULL;
    check(tn_buffer_new_from(&buffer, &allocator, 512 << rand_r(&own->seed) % 8, stream));
    check(tn_buffer_fill(buffer, 0, 1, 512, own->stream)); /* home is another's stream */
    tn_buffer_release(buffer);
}

static void count(void *context) {
    (void)context;
    atomic_fetch_add(&called, 1);
}

static void call_back(worker *own, tn_stream *stream) {
    read_weights(own, stream);
    check(tn_stream_add_callback(stream, count, NULL));
}

static void launch_graph(worker *own, tn_stream *stream) {
    tn_graph *graph = NULL;
    check(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    read_weights(own, stream);
    check(tn_stream_end_capture(&graph, stream));
    pthread_mutex_lock(&weights_lock);
    check(tn_graph_launch(graph, stream));
    pthread_mutex_unlock(&weights_lock);
    tn_graph_release(graph);
}

static void give_back(worker *own, tn_stream *stream) {
    tn_pool_trim(own->pool, tn_stream_device(stream), NULL);
    check(tn_stream_synchronize(stream, -1));
}

static void turn(worker *own) {
    static void (*const turns[])(worker *, tn_stream *) = {
        read_weights, write_weights, record_kept_event, wait_for_short_stream,
        use_pool,     call_back,     launch_graph,      give_back};
    tn_stream *stream = NULL;
    check(tn_stream_new(&stream, tn_device_get_current(), true, 0));
    if (!stream) return;
    turns[(unsigned)rand_r(&own->seed) % (sizeof turns / sizeof *turns)](own, stream);
    tn_stream_release(stream);
}

/* --- Counting --- */

static void *take_turns(void *context) {
    for (int k = 0; k < FEW; k++)
        turn(context);
    return NULL;
}

/* Fresh threads, each of which takes FEW turns with what its worker keeps. */
static void run(worker *workers, int turns) {
    for (int done = 0; done < turns; done += FEW) {
        pthread_t threads[THREADS];
        for (int k = 0; k < THREADS; k++)
            assert_int_equal(pthread_create(&threads[k], NULL, take_turns, &workers[k]), 0);
        for (int k = 0; k < THREADS; k++)
            pthread_join(threads[k], NULL);
    }
    assert_int_equal(failures, 0);
}

static bool is_same(const tn_statistics *now, const tn_statistics *before) {
    return now->streams <= before->streams && now->events <= before->events &&
           now->buffers <= before->buffers && now->arrays <= before->arrays &&
           now->graphs <= before->graphs && now->queued_calls == 0 &&
           now->used_bytes <= before->used_bytes;
}

/* What other threads end comes a little later. */
static tn_statistics at_rest(const tn_statistics *before) {
    tn_statistics now;
    for (int k = 0; k < 10000; k++) {
        assert_int_equal(tn_device_synchronize(tn_device_get_current(), -1), TN_OK);
        tn_statistics_get(&now);
        if (is_same(&now, before)) break;
        usleep(1000);
    }
    return now;
}

static void test_nothing_grows(void **state) {
    (void)state;
    worker workers[THREADS] = {{0}};
    tn_array *weights = NULL;
    tn_device device = tn_device_get_current();
    assert_int_equal(tn_array_new_zeros(&weights, TN_F32, 1, (int64_t[]){LENGTH}, TN_ORDER_C, NULL),
                     TN_OK);
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (worker){.weights = weights, .seed = (unsigned)k + 1};
        assert_int_equal(tn_stream_new(&workers[k].stream, device, true, 0), TN_OK);
        assert_int_equal(tn_event_new(&workers[k].event, device, false), TN_OK);
        assert_int_equal(tn_pool_new(&workers[k].pool, NULL), TN_OK);
    }
    tn_statistics first, few, many;
    tn_statistics_get(&first);
    run(workers, FEW);
    few = at_rest(&first);
    run(workers, MANY);
    many = at_rest(&first);
    assert_int_equal(many.streams, first.streams);
    assert_int_equal(many.events, first.events);
    assert_int_equal(many.graphs, first.graphs);
    assert_int_equal(many.arrays, first.arrays);
    assert_int_equal(many.buffers, first.buffers);
    assert_int_equal(many.used_bytes, first.used_bytes);
    assert_int_equal(many.queued_calls, 0);
    /* A worker in a function of the program leaves its place to another, and idle ones stay for a
     * second; growth would be one each turn. */
    assert_in_range(many.worker_threads, 0,
                    few.worker_threads + 2 * THREADS + sysconf(_SC_NPROCESSORS_ONLN));
    /* A turn now and then meets no idle chunk; growth would be one each. */
    assert_in_range(many.chunks, 0, few.chunks + MANY / 8);
    assert_in_range(many.driver_handles, 0, few.driver_handles + 64); /* idle events are kept */
    assert_in_range(called, 1, THREADS * (FEW + MANY));
    for (int k = 0; k < THREADS; k++) {
        tn_stream_release(workers[k].stream);
        tn_event_release(workers[k].event);
        tn_pool_release(workers[k].pool);
    }
    tn_array_release(weights);
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_nothing_grows)};
    return REPLAY_RUN("soak", tests);
}
