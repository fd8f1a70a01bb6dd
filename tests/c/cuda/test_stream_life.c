/* Streams that come and go beside what lives on: nothing but the program keeps a stream, whichever
 * arrays, events, pools and graphs it has met. On the host, and on the test double of CUDA. */
#include "replay.h"

#include "core/base/error.h"
#include "core/memory/buffer.h"
#include "core/memory/buffer_users.h"
#include "core/stream/order.h"
#include "core/stream/stream_life.h"
#include "fake_cuda.h"

#include <pthread.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

enum { BYTES = 4096, MANY = 10000, SOME = 500, KEPT_HANDLES = 16 };
static const tn_device devices[] = {{TN_BACKEND_HOST, 0}, {TN_BACKEND_CUDA, 0}};

static tn_statistics now(void) {
    tn_statistics all;
    tn_statistics_get(&all);
    return all;
}

/* Streams end after their work, those of a GPU by a thread that cleans up. */
static void wait_for_end(int64_t streams) {
    for (int k = 0; k < 2; k++) {
        tn_status status = tn_device_synchronize(devices[k], -1);
        assert_true(status == TN_OK ||
                    (status == TN_ERROR_MEMORY && replay_failing)); /* of a task */
    }
    for (int turn = 0; now().streams > streams && turn < 4000; turn++) {
        tn_stream *next; /* where memory was out, it is for the next stream to try again */
        usleep(500);
        if (tn_stream_new(&next, devices[0], true, 0) == TN_OK) tn_stream_release(next);
    }
    assert_int_equal(now().streams, streams);
    assert_string_equal(fake_cuda_complaint(), "");
}

static int count_users(const tn_buffer *buffer) {
    tni_lock_take(tni_users_lock(buffer));
    int count = tni_users_list(NULL, 0, buffer, 0, true);
    tni_lock_give(tni_users_lock(buffer));
    return count;
}

/* --- What lives on --- */

/* One stream's life: it reads or writes what lives on, with memory of its own. */
static tn_status visit(tn_buffer *shared, bool writes, bool waits, const tn_allocator *allocator) {
    tn_stream *stream = NULL;
    tn_buffer *own = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_stream_new(&stream, tn_buffer_device(shared), true, 0));
    TNI_TRY_OWNING(tn_buffer_new_from(&own, allocator, BYTES, stream));
    TNI_TRY_OWNING(writes ? tn_buffer_copy(shared, 0, own, 0, BYTES, stream)
                          : tn_buffer_copy(own, 0, shared, 0, BYTES, stream));
    if (waits) status = tn_stream_synchronize(stream, -1);
cleanup:
    tn_buffer_release(own);
    tn_stream_release(stream);
    return status;
}

/* Streams that end one after the other: at a quarter all is as at the end. */
static void check_visits(tn_device device, int streams, int writes_every, tn_pool *pool) {
    tn_buffer *shared = NULL;
    tn_allocator allocator = tn_pool_allocator(pool);
    tn_statistics before = now(), quarter = before, end;
    assert_int_equal(tn_buffer_new(&shared, BYTES, tn_stream_default(device)), TN_OK);
    for (int k = 0; k < streams; k++) {
        bool writes = writes_every && k % writes_every == 0;
        assert_int_equal(visit(shared, writes, true, &allocator), TN_OK);
        if (k == streams / 4) quarter = now();
    }
    assert_true(count_users(shared) <= 4);
    end = now();
    assert_int_equal(end.streams, before.streams);
    assert_int_equal(end.arenas, quarter.arenas);
    assert_int_equal(end.chunks, quarter.chunks);
    assert_int_equal(end.total_bytes, quarter.total_bytes);
    assert_int_equal(end.events, quarter.events);
    assert_int_equal(end.driver_handles, quarter.driver_handles);
    tn_buffer_release(shared);
    wait_for_end(before.streams);
    assert_int_equal(now().used_bytes, before.used_bytes);
    assert_true(fake_cuda_streams() <= KEPT_HANDLES);
}

static void test_reads(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        check_visits(devices[k], MANY, 0, tn_pool_default());
}

static void test_writes(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        check_visits(devices[k], SOME, 3, tn_pool_default());
}

static void test_own_pool(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        tn_pool *pool = NULL;
        int64_t before = now().total_bytes;
        assert_int_equal(tn_pool_new(&pool, NULL), TN_OK);
        check_visits(devices[k], SOME, 5, pool);
        tn_pool_release(pool);
        tn_pool_trim(tn_pool_default(), devices[k], NULL);
        assert_true(now().total_bytes <= before);
    }
}

/* No call waits: streams end when their work does. */
static void test_hurry(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        tn_buffer *shared = NULL;
        tn_allocator allocator = tn_pool_allocator(tn_pool_default());
        int64_t before = now().streams;
        REQUIRE_OK(tn_buffer_new(&shared, BYTES, tn_stream_default(devices[k])));
        for (int turn = 0; turn < 20; turn++)
            REQUIRE_OK(visit(shared, turn % 4 == 0, false, &allocator));
    cleanup:
        tn_buffer_release(shared);
        wait_for_end(before);
    }
}

/* --- What streams leave --- */

/* A buffer serves when its stream has ended, and then the default stream is its home. */
static void test_results(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        tn_stream *stream = NULL, *other = NULL;
        tn_buffer *result = NULL;
        unsigned char byte = 0;
        int64_t before = now().streams, used = now().used_bytes;
        REQUIRE_OK(tn_stream_new(&stream, devices[k], true, 0));
        REQUIRE_OK(tn_buffer_new(&result, BYTES, stream));
        REQUIRE_OK(tn_buffer_fill(result, 0, 7, BYTES, stream));
        tn_stream_release(stream);
        stream = NULL;
        REQUIRE_OK(tn_stream_new(&other, devices[k], true, 0));
        REQUIRE_OK(tn_buffer_read(&byte, result, 9, 1, other)); /* after what may still be queued */
        REQUIRE_OK(tn_stream_synchronize(other, -1));
        assert_int_equal(byte, 7);
        wait_for_end(before + 1);
        REQUIRE_OK(tn_buffer_fill(result, 0, 8, BYTES, other));
        assert_int_equal(tni_buffer_home(result), tni_stream_number(tn_stream_default(devices[k])));
        REQUIRE_OK(tn_buffer_read(&byte, result, 9, 1, tn_stream_default(devices[k])));
        assert_int_equal(byte, 8);
    cleanup:
        tn_buffer_release(result);
        tn_stream_release(stream);
        tn_stream_release(other);
        wait_for_end(before);
        assert_int_equal(now().used_bytes, used);
    }
}

/* Small results of many streams lie side by side, and their memory serves again when they have
 * gone. */
static void test_small_results(void **state) {
    (void)state;
    enum { RESULTS = 400 };
    static tn_buffer *results[RESULTS];
    for (int k = 0; k < 2; k++) {
        tn_statistics before = now();
        for (int r = 0; r < RESULTS; r++) {
            tn_stream *stream;
            assert_int_equal(tn_stream_new(&stream, devices[k], true, 0), TN_OK);
            assert_int_equal(tn_buffer_new(&results[r], BYTES, stream), TN_OK);
            assert_int_equal(tn_buffer_fill(results[r], 0, r % 251, BYTES, stream), TN_OK);
            assert_int_equal(tn_stream_synchronize(stream, -1), TN_OK);
            tn_stream_release(stream);
        }
        assert_true(now().chunks <= before.chunks + 2);
        assert_true(now().total_bytes <= before.total_bytes + (4 << 20));
        for (int r = 0; r < RESULTS; r++) {
            unsigned char byte;
            assert_int_equal(tn_buffer_read(&byte, results[r], 5, 1, tn_stream_default(devices[k])),
                             TN_OK);
            assert_int_equal(byte, r % 251);
            tn_buffer_release(results[r]);
        }
        wait_for_end(before.streams);
        assert_int_equal(now().used_bytes, before.used_bytes);
        tn_pool_trim(tn_pool_default(), devices[k], NULL);
        assert_true(now().total_bytes <= before.total_bytes);
    }
}

static void test_events(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        tn_stream *stream = NULL, *other = NULL;
        tn_event *event = NULL;
        bool done = false;
        int64_t before = now().streams;
        REQUIRE_OK(tn_event_new(&event, devices[k], true));
        REQUIRE_OK(tn_stream_new(&stream, devices[k], true, 0));
        REQUIRE_OK(tn_event_record(event, stream));
        tn_stream_release(stream);
        stream = NULL;
        wait_for_end(before);
        REQUIRE_OK(tn_stream_new(&other, devices[k], true, 0));
        REQUIRE_OK(tn_stream_wait_event(other, event));
        REQUIRE_OK(tn_stream_synchronize(other, -1));
        REQUIRE_OK(tn_event_is_done(event, &done));
        assert_true(done);
    cleanup:
        tn_event_release(event);
        tn_stream_release(stream);
        tn_stream_release(other);
        wait_for_end(before);
    }
}

/* A graph keeps neither the streams that were captured nor those on which it was launched. */
static void test_graphs(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        tn_stream *stream = NULL;
        tn_graph *graph = NULL;
        tn_buffer *buffer = NULL;
        unsigned char byte = 0;
        int64_t before = now().streams;
        REQUIRE_OK(tn_buffer_new(&buffer, BYTES, tn_stream_default(devices[k])));
        REQUIRE_OK(tn_stream_new(&stream, devices[k], true, 0));
        REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
        REQUIRE_OK(tn_buffer_fill(buffer, 0, 5, BYTES, stream));
        REQUIRE_OK(tn_stream_end_capture(&graph, stream));
        tn_stream_release(stream);
        stream = NULL;
        wait_for_end(before);
        for (int turn = 0; turn < 10; turn++) {
            REQUIRE_OK(tn_stream_new(&stream, devices[k], true, 0));
            REQUIRE_OK(tn_graph_launch(graph, stream));
            tn_stream_release(stream);
            stream = NULL;
        }
        REQUIRE_OK(tn_buffer_read(&byte, buffer, 1, 1, tn_stream_default(devices[k])));
        assert_int_equal(byte, 5);
        wait_for_end(before);
    cleanup:
        if (stream && tn_stream_is_capturing(stream)) tn_stream_end_capture(&graph, stream);
        tn_graph_release(graph);
        tn_buffer_release(buffer);
        tn_stream_release(stream);
        wait_for_end(before);
    }
}

static _Atomic(tn_stream *) freed_on;

static tn_status allocate(void *context, void **address, int64_t bytes, tn_device device,
                          tn_stream *stream) {
    (void)context;
    return tn_allocator_raw()->allocate(NULL, address, bytes, device, stream);
}
static void give_back(void *context, void *address, int64_t bytes, tn_device device,
                      tn_stream *stream) {
    (void)context;
    freed_on = stream;
    tn_allocator_raw()->free(NULL, address, bytes, device, stream);
}

/* An allocator gets the default stream where its own has ended. */
static void test_allocator(void **state) {
    (void)state;
    const tn_allocator own = {NULL, allocate, give_back};
    for (int k = 0; k < 2; k++) {
        tn_stream *stream = NULL;
        tn_buffer *buffer = NULL;
        int64_t before = now().streams;
        REQUIRE_OK(tn_stream_new(&stream, devices[k], true, 0));
        REQUIRE_OK(tn_buffer_new_from(&buffer, &own, BYTES, stream));
        tn_buffer_release(buffer);
        assert_ptr_equal(freed_on, stream);
        buffer = NULL;
        REQUIRE_OK(tn_buffer_new_from(&buffer, &own, BYTES, stream));
        tn_stream_release(stream);
        stream = NULL;
        wait_for_end(before);
        tn_buffer_release(buffer);
        assert_ptr_equal(freed_on, tn_stream_default(devices[k]));
        buffer = NULL;
    cleanup:
        tn_buffer_release(buffer);
        tn_stream_release(stream);
        wait_for_end(before);
    }
}

/* --- Numbers --- */

static void test_numbers(void **state) {
    (void)state;
    tn_stream *stream = NULL, *later = NULL;
    REQUIRE_OK(tn_stream_new(&stream, devices[0], true, 0));
    uint64_t number = tni_stream_number(stream);
    assert_ptr_equal(tni_stream_find(number), stream);
    tn_stream_release(stream); /* the program's */
    assert_true(tni_stream_is_living(number));
    tn_stream_release(stream); /* the one found */
    assert_false(tni_stream_is_living(number));
    assert_null(tni_stream_find(number));
    REQUIRE_OK(tn_stream_new(&later, devices[0], true, 0));
    assert_ptr_equal(later, stream); /* the struct serves again, under another number */
    stream = NULL;
    assert_int_not_equal(tni_stream_number(later), number);
    assert_null(tni_stream_find(number));
    tn_stream *usual = tn_stream_default(devices[0]);
    assert_ptr_equal(tni_stream_find(tni_stream_number(usual)), usual);
    assert_null(tni_stream_find(0));
cleanup:
    tn_stream_release(later);
}

/* A stream that the program let go is found until its work is done, and then ends. */
static void hold(void *gate) {
    while (!atomic_load((atomic_int *)gate))
        usleep(100);
}

static void test_busy(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        atomic_int gate = 0;
        tn_stream *stream = NULL, *reader = NULL;
        tn_buffer *buffer = NULL;
        bool done = true;
        int64_t before = now().streams;
        REQUIRE_OK(tn_stream_new(&stream, devices[k], true, 0));
        REQUIRE_OK(tn_stream_new(&reader, devices[k], true, 0));
        REQUIRE_OK(tn_buffer_new(&buffer, BYTES, stream));
        REQUIRE_OK(tn_stream_add_callback(stream, hold, &gate));
        REQUIRE_OK(tn_buffer_fill(buffer, 0, 1, BYTES, stream));
        tn_stream_release(stream);
        stream = NULL;
        REQUIRE_OK(tn_buffer_order(buffer, reader));
        REQUIRE_OK(tn_stream_is_done(reader, &done));
        assert_false(done);
    cleanup:
        gate = 1;
        tn_stream_release(stream);
        tn_buffer_release(buffer);
        tn_stream_release(reader);
        wait_for_end(before);
    }
}

/* --- Many users --- */

/* However many streams have read a buffer, those that ended leave, and no read looks at the
 * others. */
static void test_table(void **state) {
    (void)state;
    enum { READERS = 300 };
    static tn_stream *readers[READERS];
    tn_buffer *buffer = NULL;
    tni_user seen[1];
    void *address;
    memset(readers, 0, sizeof readers);
    REQUIRE_OK(tn_buffer_new(&buffer, BYTES, tn_stream_default(devices[0])));
    for (int k = 0; k < READERS; k++) {
        REQUIRE_OK(tn_stream_new(&readers[k], devices[0], true, 0));
        REQUIRE_OK(tni_buffer_access(&address, buffer, TNI_READ, readers[k]));
        REQUIRE_OK(tni_buffer_access(&address, buffer, TNI_READ, readers[k / 2]));
    }
    assert_int_equal(count_users(buffer), READERS);
    assert_int_equal(tni_users_list(seen, 1, buffer, 0, false), 0);
    for (int k = 1; k < READERS; k++) {
        tn_stream_release(readers[k]);
        readers[k] = NULL;
    }
    for (int k = 1; k < READERS; k++) { /* the table is swept when it is full */
        REQUIRE_OK(tn_stream_new(&readers[k], devices[0], true, 0));
        REQUIRE_OK(tni_buffer_access(&address, buffer, TNI_READ, readers[k]));
        tn_stream_release(readers[k]);
        readers[k] = NULL;
    }
    assert_true(count_users(buffer) < READERS);
    REQUIRE_OK(tni_buffer_access(&address, buffer, TNI_WRITE, readers[0]));
    assert_int_equal(count_users(buffer), 1);
    assert_int_equal(tni_users_list(seen, 1, buffer, 0, false), 1);
    assert_int_equal(seen->stream, tni_stream_number(readers[0]));
    REQUIRE_OK(tni_buffer_access(&address, buffer, TNI_READ, tn_stream_default(devices[0])));
    assert_null(atomic_load(&buffer->users)); /* home takes over */
cleanup:
    for (int k = 0; k < READERS; k++)
        tn_stream_release(readers[k]);
    tn_buffer_release(buffer);
}

/* --- Threads --- */

enum { THREADS = 4, TURNS = 600, SHOWN = 8 };
static _Atomic(uint64_t) shown[SHOWN]; /* numbers of streams that may have ended */
static tn_buffer *common;

/* Makes streams and lets them go; finds those of others and works after them. */
static void *race(void *context) {
    tn_device device = *(const tn_device *)context;
    unsigned seed = (unsigned)(uintptr_t)&device;
    for (int turn = 0; turn < TURNS; turn++) {
        tn_stream *own = NULL, *other;
        tn_buffer *buffer = NULL;
        void *address;
        if (tn_stream_new(&own, device, true, 0) != TN_OK) return NULL;
        atomic_store(&shown[rand_r(&seed) % SHOWN], tni_stream_number(own));
        tni_buffer_access(&address, common, turn % 16 ? TNI_READ : TNI_WRITE, own);
        if (tn_buffer_new(&buffer, BYTES, own) == TN_OK) tn_buffer_fill(buffer, 0, 1, BYTES, own);
        if ((other = tni_stream_find(atomic_load(&shown[rand_r(&seed) % SHOWN])))) {
            tni_stream_order(own, other);
            if (buffer) tni_buffer_access(&address, buffer, TNI_READ, other);
            tn_stream_release(other);
        }
        tn_stream_release(own);
        tn_buffer_release(buffer);
    }
    return context;
}

static void test_threads(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        pthread_t threads[THREADS];
        void *result;
        tn_statistics before = now();
        assert_int_equal(tn_buffer_new(&common, BYTES, tn_stream_default(devices[k])), TN_OK);
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(
                pthread_create(&threads[t], NULL, race, (void *)(uintptr_t)&devices[k]), 0);
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(threads[t], &result), 0);
            assert_non_null(result);
        }
        tn_buffer_release(common);
        wait_for_end(before.streams);
        assert_int_equal(now().used_bytes, before.used_bytes);
        assert_int_equal(now().buffers, before.buffers);
        assert_true(fake_cuda_streams() <= KEPT_HANDLES);
    }
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_numbers),
        REPLAY(test_results),
        REPLAY(test_events),
        REPLAY(test_graphs),
        REPLAY(test_allocator),
        REPLAY_NOT(test_busy),
        REPLAY(test_hurry),
        REPLAY_NOT(test_table),
        REPLAY_NOT(test_reads),
        REPLAY_NOT(test_writes),
        REPLAY_NOT(test_own_pool),
        REPLAY_NOT(test_threads),
        REPLAY_NOT(test_small_results),
    };
    return REPLAY_RUN("stream_life", tests);
}
