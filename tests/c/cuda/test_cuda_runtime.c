/* The CUDA backend on the test double of the driver: devices, streams, events, copies, the pools,
 * indices out of bounds, forks. */
#include "replay.h"

#include "backend/cuda/launch/workspace.h"
#include "bad_index.h"
#include "core/array/array.h"
#include "fake_cuda.h"

#include <limits.h>
#include <pthread.h>
#include <sys/wait.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0}, cuda1 = {TN_BACKEND_CUDA, 1};

/* The pools keep memory and the thread keeps structs, so only the driver's side is looked at. */
static void check_clean(void) {
    fake_cuda_hold(false);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_string_equal(fake_cuda_complaint(), "");
}

static void test_devices(void **state) {
    (void)state;
    tn_cuda_disable_peer_access(0, 1); /* a replay may have left it enabled */
    char text[64];
    int value;
    bool can;
    int64_t free_bytes, total_bytes;
    assert_int_equal(tn_backend_primary(), TN_BACKEND_CUDA);
    assert_int_equal(tn_device_count(TN_BACKEND_CUDA), 2);
    REQUIRE_OK(tn_device_get_name(cuda1, text, sizeof text));
    assert_string_equal(text, "Test double 1");
    REQUIRE_OK(tn_device_get_level(cuda1, text, sizeof text));
    assert_string_equal(text, "sm_90");
    REQUIRE_OK(tn_cuda_get_compute_capability(&value, 0));
    assert_int_equal(value, 90);
    REQUIRE_OK(tn_cuda_get_pci_bus_id(text, sizeof text, 1));
    REQUIRE_OK(tn_cuda_find_pci_bus_id(&value, text));
    assert_int_equal(value, 1);
    REQUIRE_OK(tn_device_get_memory_info(cuda0, &free_bytes, &total_bytes));
    assert_int_equal(total_bytes, 256 << 20);
    REQUIRE_OK(tn_cuda_can_access_peer(&can, 0, 1));
    assert_true(can);
    REQUIRE_OK(tn_cuda_enable_peer_access(0, 1));
    REQUIRE_STATUS(tn_cuda_enable_peer_access(0, 1), TN_ERROR_DEVICE);
    assert_int_equal(tn_cuda_last_error(), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    REQUIRE_OK(tn_cuda_disable_peer_access(0, 1));
    REQUIRE_STATUS(tn_cuda_disable_peer_access(0, 1), TN_ERROR_DEVICE);
    assert_int_equal(tn_cuda_last_error(), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    REQUIRE_STATUS(tn_device_set_current((tn_device){TN_BACKEND_CUDA, 2}), TN_ERROR_DEVICE);
    REQUIRE_OK(tn_cuda_driver_version(&value));
    assert_int_equal(value, fake_cuda_version());
cleanup:
    return;
}

/* The current device and the thread's context go together, but for a context that is no primary
 * one. */
static void test_contexts(void **state) {
    (void)state;
    static int64_t foreign[16]; /* which the double takes for a context of device 0 */
    uintptr_t first = 0, second = 0, got = 0;
    int number;
    REQUIRE_OK(tn_device_set_current(cuda0));
    REQUIRE_OK(tn_cuda_context_get(&first));
    REQUIRE_OK(tn_device_set_current(cuda1));
    REQUIRE_OK(tn_cuda_context_get(&second));
    assert_true(first && second && first != second);
    REQUIRE_OK(tn_cuda_context_push(first));
    assert_int_equal(tn_device_get_current().number, 0);
    REQUIRE_OK(tn_cuda_context_get_device(&number));
    assert_int_equal(number, 0);
    REQUIRE_OK(tn_cuda_context_pop(&got));
    assert_true(got == first && tn_device_get_current().number == 1);
    REQUIRE_OK(tn_cuda_context_set(first));
    assert_int_equal(tn_device_get_current().number, 0);
    REQUIRE_OK(tn_cuda_context_of_stream(&got, 0, 1));
    assert_true(got == second);
    REQUIRE_OK(tn_device_set_current(cuda1));
    REQUIRE_OK(tn_cuda_context_set((uintptr_t)foreign));
    REQUIRE_OK(tn_device_synchronize(cuda1, -1)); /* what the library does leaves it current */
    REQUIRE_OK(tn_cuda_context_get(&got));
    assert_true(got == (uintptr_t)foreign && tn_device_get_current().number == 1);
cleanup:
    tn_cuda_context_set(0);
    tn_device_set_current(cuda0);
    check_clean();
}

static void test_round_trip(void **state) {
    (void)state;
    enum { BYTES = 100000 };
    static unsigned char from[BYTES], to[BYTES];
    tn_buffer *a = NULL, *b = NULL;
    tn_stream *stream = NULL;
    for (int k = 0; k < BYTES; k++)
        from[k] = (unsigned char)(k * 7);
    memset(to, 0, sizeof to);
    REQUIRE_OK(tn_stream_new(&stream, cuda1, false, 0));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, tn_stream_default(cuda0)));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, stream));
    REQUIRE_OK(tn_buffer_write(a, 0, from, BYTES, NULL));
    REQUIRE_OK(tn_buffer_copy(b, 0, a, 0, BYTES, stream)); /* between devices */
    REQUIRE_OK(tn_buffer_fill(b, 10, 9, 5, stream));
    REQUIRE_OK(tn_buffer_read(to, b, 0, BYTES, stream));
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    memset(from + 10, 9, 5);
    assert_memory_equal(from, to, BYTES);
cleanup:
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_stream_release(stream);
    check_clean();
}

/* (Not replayed: what cannot be ordered for want of memory is waited for, and the streams are
 * held.) Work on two streams: the reader waits for the writer, and the memory of a released buffer
 * is not used again before all are done with it. */
static void test_order(void **state) {
    (void)state;
    enum { BYTES = 1 << 16 };
    static unsigned char to[BYTES];
    tn_buffer *a = NULL, *b = NULL, *c = NULL;
    tn_stream *writer = NULL, *reader = NULL;
    bool done = true;
    REQUIRE_OK(tn_stream_new(&writer, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&reader, cuda0, true, 0));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, writer));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, reader));
    fake_cuda_hold(true);
    REQUIRE_OK(tn_buffer_fill(a, 0, 7, BYTES, writer));
    REQUIRE_OK(tn_stream_is_done(writer, &done));
    assert_false(done);
    REQUIRE_STATUS(tn_stream_synchronize(writer, 2000000), TN_TIMEOUT);
    REQUIRE_OK(tn_buffer_copy(b, 0, a, 0, BYTES, reader));
    tn_buffer_release(a); /* still to be read */
    a = NULL;
    REQUIRE_OK(tn_buffer_new(&c, BYTES, writer)); /* the same memory */
    REQUIRE_OK(tn_buffer_fill(c, 0, 1, BYTES, writer));
    fake_cuda_hold(false);
    REQUIRE_OK(tn_buffer_read(to, b, 0, BYTES, reader));
    REQUIRE_OK(tn_stream_synchronize(reader, -1));
    for (int k = 0; k < BYTES; k++)
        assert_int_equal(to[k], 7);
    REQUIRE_OK(tn_device_synchronize(cuda0, 1000000000));
cleanup:
    fake_cuda_hold(false);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_buffer_release(c);
    tn_stream_release(writer);
    tn_stream_release(reader);
    check_clean();
}

/* After a stream of another library: by an event, or, where that can't be, by waiting for it. */
static void test_wait_handle(void **state) {
    (void)state;
    tn_stream *stream = NULL, *other = NULL;
    bool done = true;
    long events = fake_cuda_events();
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&other, cuda0, true, 0));
    uintptr_t handle = tn_stream_handle(other);
    long calls = fake_cuda_calls("cuEventRecord");
    REQUIRE_OK(tn_cuda_stream_wait_handle(other, handle));
    REQUIRE_OK(tn_cuda_stream_wait_handle(tn_stream_default(cuda0), 0));
    REQUIRE_OK(tn_cuda_stream_wait_handle(tn_stream_default(cuda0), 1));
    assert_int_equal(fake_cuda_calls("cuEventRecord"), calls); /* its own */
    fake_cuda_hold(true);
    REQUIRE_OK(tn_cuda_memset(0, 0, 0, true, handle, 0));
    REQUIRE_OK(tn_cuda_stream_wait_handle(stream, handle));
    assert_int_equal(fake_cuda_calls("cuEventRecord"), calls + 1);
    REQUIRE_OK(tn_stream_is_done(stream, &done));
    assert_false(done);
    fake_cuda_hold(false);
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    calls = fake_cuda_calls("cuStreamSynchronize");
    fake_cuda_fail("cuEventRecord", 1, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE_OK(tn_cuda_stream_wait_handle(stream, handle));
    assert_int_equal(fake_cuda_calls("cuStreamSynchronize"), calls + 1);
    fake_cuda_fail("cuEventRecord", 1, CUDA_ERROR_INVALID_VALUE);
    REQUIRE_STATUS(tn_cuda_stream_wait_handle(stream, handle), TN_ERROR_DEVICE);
    fake_cuda_fail(NULL, 0, 0);
    assert_int_equal(fake_cuda_events(), events); /* none is left */
    REQUIRE_STATUS(
        tn_cuda_stream_wait_handle(tn_stream_default((tn_device){TN_BACKEND_HOST, 0}), 1),
        TN_ERROR_VALUE);
cleanup:
    fake_cuda_fail(NULL, 0, 0);
    fake_cuda_hold(false);
    tn_stream_release(stream);
    tn_stream_release(other);
    check_clean();
}

static void test_events(void **state) {
    (void)state;
    tn_event *start = NULL, *stop = NULL, *plain = NULL, *shared = NULL, *opened = NULL;
    tn_stream *stream = NULL;
    unsigned char handle[64];
    double milliseconds = -1;
    bool done;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, -1));
    REQUIRE_OK(tn_event_new(&start, cuda0, true));
    REQUIRE_OK(tn_event_new(&stop, cuda0, true));
    REQUIRE_OK(tn_event_new(&plain, cuda0, false));
    REQUIRE_OK(tn_event_is_done(plain, &done));
    assert_true(done);
    REQUIRE_STATUS(tn_event_elapsed_ms(&milliseconds, start, stop), TN_ERROR_DEVICE);
    assert_int_equal(tn_cuda_last_error(), CUDA_ERROR_INVALID_HANDLE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorInvalidResourceHandle"));
    fake_cuda_hold(true);
    REQUIRE_OK(tn_event_record(start, stream));
    REQUIRE_OK(tn_event_record(stop, stream));
    REQUIRE_OK(tn_event_is_done(stop, &done));
    assert_false(done);
    REQUIRE_STATUS(tn_event_synchronize(stop, 1000000), TN_TIMEOUT);
    fake_cuda_hold(false);
    REQUIRE_OK(tn_event_synchronize(stop, -1));
    REQUIRE_OK(tn_event_elapsed_ms(&milliseconds, start, stop));
    assert_true(milliseconds >= 0 && milliseconds < 60000);
    REQUIRE_OK(tn_cuda_event_new(
        &shared, TN_CUDA_EVENT_INTERPROCESS | TN_CUDA_EVENT_NO_TIMING | TN_CUDA_EVENT_BLOCKING, 0));
    REQUIRE_OK(tn_cuda_event_export(handle, shared));
    REQUIRE_OK(tn_cuda_event_import(&opened, handle, 0));
    REQUIRE_OK(tn_event_synchronize(opened, -1));
cleanup:
    fake_cuda_hold(false);
    tn_event_release(start);
    tn_event_release(stop);
    tn_event_release(plain);
    tn_event_release(shared);
    tn_event_release(opened);
    tn_stream_release(stream);
    check_clean();
}

typedef struct thread_result {
    tn_stream *stream; /* only compared */
    tn_buffer *buffer;
    tn_status status;
} thread_result;

static void *use_own_stream(void *context) {
    thread_result *result = context;
    tn_stream *own = tn_stream_per_thread(cuda0);
    result->stream = own;
    result->status = own ? tn_buffer_new(&result->buffer, 4096, own) : TN_ERROR_MEMORY;
    if (result->status == TN_OK) result->status = tn_buffer_fill(result->buffer, 0, 5, 4096, own);
    if (result->status == TN_OK) result->status = tn_stream_set_current(own);
    return NULL;
}

/* Each thread has its own, ordered with the default stream; it goes with the thread, and what was
 * made on it stays. */
static void test_per_thread(void **state) {
    (void)state;
    tn_stream *own = NULL, *other = NULL;
    tn_buffer *buffer = NULL;
    thread_result seen = {0};
    pthread_t thread;
    long before = LONG_MAX;
    unsigned char byte = 0;
    bool done = true;
    REQUIRE_POINTER(own = tn_stream_per_thread(cuda0));
    REQUIRE_POINTER(other = tn_stream_per_thread(cuda1));
    assert_ptr_equal(tn_stream_per_thread(cuda0), own);
    assert_ptr_not_equal(own, other);
    assert_false(tn_stream_is_default(own));
    assert_true(tn_stream_is_per_thread(own) && tn_stream_is_per_thread(other));
    assert_false(tn_stream_is_per_thread(tn_stream_default(cuda0)));
    REQUIRE_OK(tn_buffer_new(&buffer, 512, tn_stream_default(cuda0)));
    REQUIRE_OK(tn_buffer_fill(buffer, 0, 1, 512, NULL));
    fake_cuda_hold(true);
    tn_status status = tn_buffer_fill(buffer, 0, 2, 512, own);
    if (status == TN_OK) status = tn_stream_is_done(tn_stream_default(cuda0), &done);
    fake_cuda_hold(false);
    REQUIRE_OK(status);
    REQUIRE_OK(tn_buffer_read(&byte, buffer, 0, 1, NULL)); /* the default stream waits for `own` */
    assert_int_equal(byte, 2);
    before = fake_cuda_streams() + 1; /* that the thread left may be kept for others */
    assert_int_equal(pthread_create(&thread, NULL, use_own_stream, &seen), 0);
    pthread_join(thread, NULL);
    REQUIRE_OK(seen.status);
    assert_ptr_not_equal(seen.stream, own);
    tn_statistics all;
    do
        tn_statistics_get(&all);
    while (all.streams > 2 &&
           usleep(1000) == 0); /* its work was done; the buffer keeps no stream */
    REQUIRE_OK(tn_buffer_read(&byte, seen.buffer, 4095, 1, own));
    REQUIRE_OK(tn_stream_synchronize(own, -1));
    assert_int_equal(byte, 5);
    tn_buffer_release(seen.buffer);
    seen.buffer = NULL;
    REQUIRE_OK(tn_stream_synchronize(own, -1));
cleanup:
    tn_buffer_release(buffer);
    tn_buffer_release(seen.buffer);
    for (int k = 0; fake_cuda_streams() > before && k < 5000; k++) /* closed after its work */
        usleep(1000);
    assert_true(fake_cuda_streams() <= before);
    check_clean();
}

static void count_call(void *context) {
    atomic_fetch_add((atomic_int *)context, 1);
}

static void release_buffer(void *context) {
    tn_buffer_release(context);
}

/* A callback may release what it has; what would use the device is put off. */
static void test_callbacks(void **state) {
    (void)state;
    atomic_int count = 0;
    tn_stream *stream = NULL, *other = NULL;
    tn_buffer *buffer = NULL;
    long blocks = fake_cuda_blocks();
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&other, cuda0, true, 0));
    REQUIRE_OK(tn_buffer_new_from(&buffer, tn_allocator_raw(), 4096, stream));
    REQUIRE_OK(tn_buffer_fill(buffer, 0, 1, 4096, other));
    fake_cuda_hold(true);
    REQUIRE_OK(tn_stream_add_callback(stream, count_call, &count));
    REQUIRE_OK(tn_stream_add_callback(stream, release_buffer, buffer));
    buffer = NULL;
    REQUIRE_OK(tn_stream_add_callback(stream, count_call, &count));
    fake_cuda_hold(false);
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    assert_int_equal(atomic_load(&count), 2);
    while (fake_cuda_blocks() > blocks)
        usleep(1000);
cleanup:
    fake_cuda_hold(false);
    if (stream) tn_stream_synchronize(stream, -1);
    tn_buffer_release(buffer);
    tn_stream_release(stream);
    tn_stream_release(other);
    check_clean();
}

static void release_event(void *event) {
    tn_event_release(event);
}

/* What the driver must destroy is destroyed later. */
static void test_released_in_callbacks(void **state) {
    (void)state;
    tn_event *event;
    tn_buffer *buffer;
    tn_stream *stream;
    int64_t used = 1;
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    long events = fake_cuda_events();
    assert_int_equal(tn_event_new(&event, cuda0, true), TN_OK);
    assert_int_equal(tn_buffer_new_from(&buffer, tn_cuda_allocator_async(), 1 << 20, stream),
                     TN_OK);
    assert_int_equal(tn_stream_add_callback(stream, release_event, event), TN_OK);
    assert_int_equal(tn_stream_add_callback(stream, release_buffer, buffer), TN_OK);
    tn_stream_release(stream);
    for (int k = 0; k < 10000 && (used > 0 || fake_cuda_events() > events); k++) {
        usleep(1000);
        assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
        assert_int_equal(tn_cuda_pool_get(&used, TN_CUDA_POOL_USED, 0, 0), TN_OK);
    }
    assert_int_equal(used, 0);
    assert_int_equal(fake_cuda_events(), events);
    check_clean();
}

static void trim_pool(void *pool) {
    tn_pool_trim(pool, cuda0, NULL);
}
static void release_pool(void *pool) {
    tn_pool_release(pool);
}
static void release_pinned(void *pool) {
    tn_pinned_pool_release(pool);
}

/* A pool waits for streams before it gives memory back, which a stream's function can't. */
static void test_pools_in_callbacks(void **state) {
    (void)state;
    tn_stream *stream, *other;
    tn_pool *pool;
    tn_pinned_pool *pinned;
    tn_buffer *buffer;
    tn_event *event;
    void *block;
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    assert_int_equal(tn_stream_new(&other, cuda0, true, 0), TN_OK);
    assert_int_equal(tn_event_new(&event, cuda0, false), TN_OK);
    long blocks = fake_cuda_blocks();
    assert_int_equal(tn_pool_new(&pool, NULL), TN_OK);
    assert_int_equal(tn_pinned_pool_new(&pinned, NULL), TN_OK);
    tn_allocator allocator = tn_pool_allocator(pool);
    assert_int_equal(tn_buffer_new_from(&buffer, &allocator, 1 << 20, stream), TN_OK);
    assert_int_equal(tn_pinned_pool_allocate(pinned, &block, 1000), TN_OK);
    tn_buffer_release(buffer);
    fake_cuda_hold(true);
    assert_int_equal(tn_stream_add_callback(stream, trim_pool, pool), TN_OK);
    assert_int_equal(tn_stream_add_callback(stream, release_pool, pool), TN_OK);
    assert_int_equal(tn_event_record(event, other), TN_OK);
    tn_pinned_pool_free(pinned, block, event);
    assert_int_equal(tn_stream_add_callback(stream, release_pinned, pinned), TN_OK);
    fake_cuda_hold(false);
    assert_int_equal(tn_stream_synchronize(stream, INT64_C(60000000000)), TN_OK);
    for (int k = 0; k < 10000 && fake_cuda_blocks() > blocks; k++)
        usleep(1000);
    assert_int_equal(fake_cuda_blocks(), blocks);
    tn_event_release(event);
    tn_stream_release(stream);
    tn_stream_release(other);
    check_clean();
}

/* --- Memory --- */

static void test_pool(void **state) {
    (void)state;
    tn_pool *pool = NULL;
    tn_buffer *list[8] = {NULL};
    tn_allocator allocator;
    long before = fake_cuda_blocks();
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    allocator = tn_pool_allocator(pool);
    for (int k = 0; k < 8; k++)
        REQUIRE_OK(tn_buffer_new_from(&list[k], &allocator, 1000 << k, tn_stream_default(cuda0)));
    assert_true(fake_cuda_blocks() > before);
    assert_int_equal(tn_pool_get_statistics(pool, cuda0).used_bytes % 512, 0);
cleanup:
    for (int k = 0; k < 8; k++)
        tn_buffer_release(list[k]);
    if (pool) tn_pool_trim(pool, cuda0, NULL);
    tn_pool_release(pool);
    assert_int_equal(fake_cuda_blocks(), before);
    check_clean();
}

/* The pool gives its free memory back and tries again before it fails, and the message has
 * figures. */
static void test_out_of_memory(void **state) {
    (void)state;
    tn_pool *pool = NULL;
    tn_buffer *a = NULL, *b = NULL, *c = NULL;
    tn_allocator allocator;
    int64_t requested, used;
    fake_cuda_set_memory((size_t)64 << 20);
    tn_pool_trim(tn_pool_default(), cuda0, NULL);
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    allocator = tn_pool_allocator(pool);
    REQUIRE_OK(tn_buffer_new_from(&a, &allocator, 40 << 20, tn_stream_default(cuda0)));
    tn_buffer_release(a);
    a = NULL;
    REQUIRE_OK(tn_buffer_new_from(&b, &allocator, 50 << 20, tn_stream_default(cuda0)));
    assert_int_equal(tn_buffer_new_from(&c, &allocator, 30 << 20, tn_stream_default(cuda0)),
                     TN_ERROR_MEMORY);
    tn_error_memory(&requested, &used, NULL, NULL);
    if (replay_failing != 0 && requested != 30 << 20) { /* a struct of the pool's, not the block */
        replay_was_seen = true;
        goto cleanup;
    }
    assert_int_equal(requested, 30 << 20);
    assert_int_equal(used, 50 << 20);
    assert_non_null(strstr(tn_error_message(), "cuda:0"));
cleanup:
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_buffer_release(c);
    tn_pool_release(pool);
    fake_cuda_set_memory((size_t)256 << 20);
    check_clean();
}

static void test_allocators(void **state) {
    (void)state;
    tn_buffer *a = NULL, *b = NULL;
    int64_t used = -1;
    unsigned char byte = 0;
    REQUIRE_OK(
        tn_buffer_new_from(&a, tn_cuda_allocator_managed(), 1 << 20, tn_stream_default(cuda0)));
    REQUIRE_OK(
        tn_buffer_new_from(&b, tn_cuda_allocator_async(), 1 << 20, tn_stream_default(cuda0)));
    REQUIRE_OK(tn_cuda_pool_get(&used, TN_CUDA_POOL_USED, 0, 0));
    assert_int_equal(used, 1 << 20);
    REQUIRE_OK(tn_buffer_fill(b, 0, 3, 1 << 20, NULL));
    REQUIRE_OK(tn_buffer_copy(a, 0, b, 0, 1 << 20, NULL));
    REQUIRE_OK(tn_buffer_read(&byte, a, 12345, 1, NULL));
    assert_int_equal(byte, 3);
    tn_buffer_release(b);
    b = NULL;
    REQUIRE_OK(tn_device_synchronize(cuda0, -1));
    REQUIRE_OK(tn_cuda_pool_get(&used, TN_CUDA_POOL_USED, 0, 0));
    assert_int_equal(used, 0);
cleanup:
    tn_buffer_release(a);
    tn_buffer_release(b);
    check_clean();
}

static void test_raw_memory(void **state) {
    (void)state;
    uintptr_t a = 0, b = 0, pinned = 0, imported = 0;
    tn_cuda_pointer facts;
    unsigned char handle[64], host[64];
    REQUIRE_OK(tn_cuda_malloc(&a, 64, 0));
    REQUIRE_OK(tn_cuda_malloc(&b, 64, 1));
    REQUIRE_OK(tn_cuda_malloc_host(&pinned, 64, 0));
    REQUIRE_OK(tn_cuda_memset(a, 5, 64, false, 0, 0));
    REQUIRE_OK(tn_cuda_memcpy_peer(b, 1, a, 0, 64, false, 0));
    REQUIRE_OK(tn_cuda_memcpy(pinned, b, 64, 2, false, 0, 1));
    REQUIRE_OK(tn_cuda_memcpy((uintptr_t)host, pinned, 64, 0, false, 0, 0));
    for (int k = 0; k < 64; k++)
        assert_int_equal(host[k], 5);
    REQUIRE_STATUS(tn_cuda_memcpy(a, b, 64, 7, false, 0, 0), TN_ERROR_DEVICE);
    REQUIRE_STATUS(tn_cuda_memcpy(a + 32, (uintptr_t)host, 64, 1, false, 0, 0), TN_ERROR_DEVICE);
    REQUIRE_OK(tn_cuda_get_pointer(&facts, b));
    assert_int_equal(facts.kind, 2);
    assert_int_equal(facts.number, 1);
    REQUIRE_OK(tn_cuda_get_pointer(&facts, pinned));
    assert_int_equal(facts.kind, 1);
    REQUIRE_OK(tn_cuda_get_pointer(&facts, (uintptr_t)host));
    assert_int_equal(facts.kind, 0);
    REQUIRE_OK(tn_cuda_host_register((uintptr_t)host, 64, 0));
    assert_int_equal(tn_cuda_host_register((uintptr_t)host, 64, 0), TN_ERROR_DEVICE);
    REQUIRE_OK(tn_cuda_host_unregister((uintptr_t)host));
    REQUIRE_OK(tn_cuda_memory_export(handle, a, 0));
    REQUIRE_STATUS(tn_cuda_memory_import(&imported, handle, 0), TN_ERROR_DEVICE); /* its own */
    assert_int_equal(tn_cuda_memory_close(a, 0), TN_ERROR_DEVICE);
cleanup:
    if (a) tn_cuda_free(a, 0);
    if (b) tn_cuda_free(b, 1);
    if (pinned) tn_cuda_free_host(pinned);
    check_clean();
}

/* With the functions of CUDA 12.2 and later, and with those before. */
static void test_managed(void **state) {
    (void)state;
    uintptr_t a = 0;
    bool is_old = fake_cuda_version() < 12020;
    const char *prefetch = is_old ? "cuMemPrefetchAsync" : "cuMemPrefetchAsync_v2";
    const char *advise = is_old ? "cuMemAdvise" : "cuMemAdvise_v2";
    long prefetched = fake_cuda_calls(prefetch), advised = fake_cuda_calls(advise);
    REQUIRE_OK(tn_cuda_malloc_managed(&a, 4096, 0));
    REQUIRE_OK(tn_cuda_prefetch(a, 4096, 1, 0, 0));
    REQUIRE_OK(tn_cuda_prefetch(a, 4096, -1, 0, 0)); /* to the host */
    REQUIRE_OK(tn_cuda_advise(a, 4096, 1, -1, 0));
    assert_int_equal(fake_cuda_calls(prefetch), prefetched + 2);
    assert_int_equal(fake_cuda_calls(advise), advised + 1);
    REQUIRE_STATUS(tn_cuda_prefetch(a, 1 << 20, 0, 0, 0), TN_ERROR_DEVICE);
cleanup:
    if (a) tn_cuda_free(a, 0);
    check_clean();
}

static void test_pinned_pool(void **state) {
    (void)state;
    tn_pinned_pool *pool = NULL;
    tn_event *event = NULL;
    tn_stream *stream = NULL;
    void *a = NULL, *b = NULL;
    REQUIRE_OK(tn_pinned_pool_new(&pool, NULL));
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_event_new(&event, cuda0, false));
    REQUIRE_OK(tn_pinned_pool_allocate(pool, &a, 1000));
    fake_cuda_hold(true);
    REQUIRE_OK(tn_event_record(event, stream));
    tn_pinned_pool_free(pool, a, event);
    REQUIRE_OK(tn_pinned_pool_allocate(pool, &b, 1000)); /* `a` is in use yet */
    assert_ptr_not_equal(a, b);
    fake_cuda_hold(false);
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    tn_pinned_pool_free(pool, b, NULL);
    b = NULL;
    a = NULL;
cleanup:
    fake_cuda_hold(false);
    if (b) tn_pinned_pool_free(pool, b, NULL);
    if (a && pool && !event) tn_pinned_pool_free(pool, a, NULL);
    tn_pinned_pool_release(pool);
    tn_event_release(event);
    tn_stream_release(stream);
    check_clean();
}

/* --- Indices out of bounds --- */

/* A kernel's bad index is reported to the first that waits: a wait for `b` waits for what `b`
 * waited for. */
static void test_bad_index(void **state) {
    (void)state;
    tn_stream *a = NULL, *b = NULL;
    tn_event *event = NULL;
    tni_bounds bounds, later;
    REQUIRE_OK(tn_stream_new(&a, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&b, cuda0, true, 0));
    REQUIRE_OK(tn_event_new(&event, cuda0, false));
    REQUIRE_OK(tni_bounds_begin(&bounds, a));
    REQUIRE_OK(tn_event_record(event, a));
    REQUIRE_OK(tn_stream_wait_event(b, event));
    REQUIRE_OK(tn_stream_synchronize(b, -1));
    assert_true(report_bad_index(&bounds, TN_FAILURE_INDEX, 7, 2, 5));
    assert_false(report_bad_index(&bounds, TN_FAILURE_INDEX, 9, 2, 5));
    REQUIRE_OK(tn_device_synchronize(cuda1, -1)); /* another device's business */
    REQUIRE_STATUS(tn_stream_synchronize(b, -1), TN_ERROR_INDEX);
    assert_string_equal(tn_error_message(), "index 7 is out of bounds for axis 2 with size 5");
    REQUIRE_OK(tn_stream_synchronize(a, -1));
    assert_true(report_bad_index(&bounds, TN_FAILURE_INDEX, 8, 2,
                                 5)); /* without a call that prepares for it */
    REQUIRE_STATUS(tn_event_synchronize(event, -1), TN_ERROR_INDEX);
    REQUIRE_OK(tni_bounds_begin(&later, b));
    REQUIRE_OK(tn_stream_synchronize(b, -1));
    assert_true(report_bad_index(&later, TN_FAILURE_SEGMENT, 5, TN_OP_ADD, 3));
    assert_true(report_bad_index(&bounds, TN_FAILURE_INDEX, 9, 0, 4));
    tn_stream_release(a); /* with a record that was not read */
    a = NULL;
    int raised = 0;
    for (int k = 0; k < 3; k++) {
        if (tn_device_synchronize(cuda0, -1) == TN_OK) continue;
        raised++;
        assert_true(
            strcmp(tn_error_message(), "index 5 out-of-bounds in add.reduceat [0, 3)") == 0 ||
            strcmp(tn_error_message(), "index 9 is out of bounds for axis 0 with size 4") == 0);
    }
    assert_int_equal(raised, 2);
cleanup:
    tn_event_release(event);
    tn_stream_release(a);
    tn_stream_release(b);
    check_clean();
}

static void test_fork(void **state) {
    (void)state;
    tn_buffer *buffer = NULL;
    int answer;
    assert_int_equal(tn_buffer_new(&buffer, 100, tn_stream_default(cuda0)), TN_OK);
    pid_t child = fork();
    if (child == 0) {
        tn_buffer *other = NULL;
        int64_t bytes;
        bool good = tn_device_get_memory_info(cuda0, &bytes, &bytes) == TN_ERROR_FORKED &&
                    strstr(tn_error_message(), "before fork") &&
                    tn_buffer_write(buffer, 0, "x", 1, NULL) == TN_ERROR_FORKED &&
                    tn_buffer_new_from(&other, tn_allocator_raw(), 100, tn_stream_default(cuda0)) ==
                        TN_ERROR_FORKED;
        tn_buffer_release(buffer);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &answer, 0), child);
    tn_buffer_release(buffer);
    assert_true(WIFEXITED(answer) && WEXITSTATUS(answer) == 0);
}

static void *release_it(void *buffer) {
    tn_buffer_release(buffer);
    return NULL;
}

/* Giving memory back waits for the device, with a lock held that no child waits for. */
static void test_fork_under_free(void **state) {
    (void)state;
    tn_buffer *idle, *busy;
    tn_stream *stream;
    pthread_t thread;
    int answer;
#ifdef __SANITIZE_THREAD__
    skip(); /* TSan takes the parent's threads for leaks of the child */
#endif
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    assert_int_equal(tn_buffer_new_from(&idle, tn_allocator_raw(), 4096, tn_stream_default(cuda0)),
                     TN_OK);
    assert_int_equal(tn_buffer_new_from(&busy, tn_allocator_raw(), 4096, stream), TN_OK);
    fake_cuda_hold(true);
    assert_int_equal(tn_buffer_fill(busy, 0, 1, 4096, stream), TN_OK);
    long calls = fake_cuda_calls("cuMemFree_v2");
    assert_int_equal(pthread_create(&thread, NULL, release_it, idle), 0);
    while (fake_cuda_calls("cuMemFree_v2") == calls)
        usleep(1000);
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        _exit(tn_stream_add_callback(stream, release_buffer, NULL) != TN_ERROR_FORKED ||
              tn_stream_add_cleanup(stream, release_buffer, NULL) != TN_ERROR_FORKED);
    }
    assert_int_equal(waitpid(child, &answer, 0), child);
    fake_cuda_hold(false);
    pthread_join(thread, NULL);
    tn_buffer_release(busy);
    tn_stream_release(stream);
    assert_true(WIFEXITED(answer) && WEXITSTATUS(answer) == 0);
    check_clean();
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_devices),
                                        REPLAY(test_contexts),
                                        REPLAY(test_round_trip),
                                        REPLAY(test_wait_handle),
                                        REPLAY_NOT(test_order),
                                        REPLAY(test_events),
                                        REPLAY_NOT(test_callbacks),
                                        REPLAY_NOT(test_released_in_callbacks),
                                        REPLAY_NOT(test_pools_in_callbacks),
                                        REPLAY_NOT(test_fork_under_free),
                                        REPLAY(test_pool),
                                        REPLAY(test_out_of_memory),
                                        REPLAY(test_allocators),
                                        REPLAY(test_raw_memory),
                                        REPLAY(test_managed),
                                        REPLAY(test_pinned_pool),
                                        REPLAY(test_bad_index),
                                        REPLAY_NOT(test_fork),
                                        REPLAY(test_per_thread)};
    return REPLAY_RUN("cuda_runtime", tests);
}
