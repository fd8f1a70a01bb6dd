/* Buffers: the door, what may be freed when, copies, allocators, pinned memory. */
#include "replay.h"

#include "backend/host/stream/launch.h"
#include "backend/host/table.h"
#include "core/array/array.h"
#include "core/base/waiting.h"
#include "core/memory/buffer.h"

#include <pthread.h>
#include <time.h>

static const tn_device host = {TN_BACKEND_HOST, 0}, host1 = {TN_BACKEND_HOST, 1};
static const int64_t long_ns = 20000000000, short_ns = 3000000;

static bool is_undisturbed(void) {
    return replay_failing == 0 || tni_alloc_fail_pending();
}

static void nap(int64_t ns) {
    nanosleep(&(struct timespec){0, ns}, NULL);
}

typedef struct gate {
    atomic_int open;
} gate;
static void wait_at_gate(void *context) {
    while (!atomic_load(&((gate *)context)->open))
        nap(100000);
}

static void count_up(void *context) {
    atomic_fetch_add((atomic_int *)context, 1);
}

static int64_t used_bytes(void) {
    return tn_pool_get_statistics(tn_pool_default(), host).used_bytes;
}

/* --- Life --- */

static void test_new_and_release(void **state) {
    (void)state;
    tn_buffer *buffer = NULL, *empty = NULL, *other = NULL;
    int64_t before = used_bytes();
    REQUIRE_OK(tn_buffer_new(&buffer, 100, NULL));
    REQUIRE_OK(tn_buffer_new(&empty, 0, NULL));
    REQUIRE_OK(tn_buffer_new(&other, 100, tn_stream_default(host1)));
    assert_int_equal(used_bytes(), before + 512);
    assert_int_equal(tn_buffer_bytes(buffer), 100);
    assert_true(tn_device_is_equal(tn_buffer_device(buffer), host));
    assert_true(tn_device_is_equal(tn_buffer_device(other), host1));
    assert_int_equal((uintptr_t)tn_buffer_address(buffer) % 512 % 64, 0);
    assert_null(tn_buffer_address(empty));
    assert_int_equal(tn_buffer_bytes(empty), 0);
    memset(tn_buffer_address(buffer), 1, 100);
    tn_buffer_release(tn_buffer_retain(buffer));
    assert_int_equal(used_bytes(), before + 512);
    tn_buffer *unmade = NULL;
    REQUIRE_STATUS(tn_buffer_new(&unmade, -1, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_buffer_new(&unmade, INT64_MAX, NULL), TN_ERROR_MEMORY);
    assert_int_equal(tn_buffer_new(&unmade, (int64_t)1 << 60, NULL), TN_ERROR_MEMORY);
    assert_null(unmade);
cleanup:
    tn_buffer_release(buffer);
    tn_buffer_release(empty);
    tn_buffer_release(other);
    tn_buffer_release(NULL);
    assert_int_equal(used_bytes(), before);
}

static void test_unowned(void **state) {
    (void)state;
    tn_buffer *buffer = NULL;
    char memory[64];
    atomic_int released = 0;
    REQUIRE_OK(tn_buffer_new_unowned(&buffer, memory, sizeof memory, host, count_up, &released));
    assert_ptr_equal(tn_buffer_address(buffer), memory);
    REQUIRE_OK(tn_buffer_fill(buffer, 0, 7, 64, NULL));
    assert_int_equal(memory[63], 7);
    assert_int_equal(released, 0);
    tn_buffer_release(buffer);
    buffer = NULL;
    assert_int_equal(released, 1);
    REQUIRE_OK(tn_buffer_new_unowned(&buffer, memory, sizeof memory, host, NULL, NULL));
    tn_buffer_release(buffer);
    buffer = NULL;
    REQUIRE_STATUS(
        tn_buffer_new_unowned(&buffer, memory, 1, (tn_device){TN_BACKEND_HOST, 9}, NULL, NULL),
        TN_ERROR_DEVICE);
    REQUIRE_STATUS(tn_buffer_new_unowned(&buffer, memory, -1, host, NULL, NULL), TN_ERROR_VALUE);
cleanup:
    tn_buffer_release(buffer);
}

static void *make_and_drop(void *unused) {
    static char done;
    (void)unused;
    tn_buffer *buffers[100];
    for (int turn = 0; turn < 100; turn++) {
        for (int k = 0; k < 100; k++)
            if (tn_buffer_new(&buffers[k], 100 * k, NULL) != TN_OK) return NULL;
        for (int k = 0; k < 100; k++)
            tn_buffer_release(buffers[k]);
    }
    return &done;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    int64_t before = used_bytes();
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, make_and_drop, NULL), 0);
    for (int k = 0; k < 4; k++) {
        void *result;
        pthread_join(threads[k], &result);
        assert_non_null(result);
    }
    assert_int_equal(used_bytes(), before);
}

/* --- The door --- */

/* Whether work queued now on `later` would wait for `earlier`, which a closed gate holds up. */
static bool waits(tn_stream *later, gate *gate, atomic_int *count) {
    if (tn_stream_add_callback(later, count_up, count) != TN_OK) return false;
    bool held = tn_stream_synchronize(later, short_ns) == TN_TIMEOUT && *count == 0;
    gate->open = 1;
    return held && tn_stream_synchronize(later, long_ns) == TN_OK && *count == 1;
}

typedef struct door {
    tn_stream *home, *other, *third;
    tn_buffer *buffer;
    gate gate;
    atomic_int count;
} door;

static tn_status door_open(door *door) {
    TNI_TRY(tn_stream_new(&door->home, host, true, 0));
    TNI_TRY(tn_stream_new(&door->other, host, true, 0));
    TNI_TRY(tn_stream_new(&door->third, host, true, 0));
    return tn_buffer_new(&door->buffer, 1000, door->home);
}

static void door_close(door *door) {
    door->gate.open = 1;
    tn_buffer_release(door->buffer);
    tn_stream *streams[] = {door->home, door->other, door->third};
    for (int k = 0; k < 3; k++) {
        if (streams[k]) tn_stream_synchronize(streams[k], -1);
        tn_stream_release(streams[k]);
    }
}

static char other_memory[64];

static tn_status give_other_memory(tni_look look, tn_buffer *buffer, bool writes) {
    assert_true(look == TNI_LOOK_READ && !writes);
    atomic_fetch_and(&buffer->home, ~TNI_BUFFER_AWAITED);
    buffer->data = other_memory;
    return TN_OK;
}

/* The door's address is the one after the look, which may run what gives the buffer its memory. */
static void test_address_after_look(void **state) {
    (void)state;
    static const tni_waiting_table table = {.look_at = give_other_memory};
    const tni_waiting_table *before = tni_waiting_get();
    char memory[64];
    tn_buffer *buffer = NULL;
    void *address = NULL;
    REQUIRE_OK(tn_buffer_new_unowned(&buffer, memory, sizeof memory, host, NULL, NULL));
    atomic_fetch_or(&buffer->home, TNI_BUFFER_AWAITED);
    atomic_store(&tni_waiting, &table);
    tn_status status = tni_buffer_access(&address, buffer, TNI_READ, tn_stream_default(host));
    atomic_store(&tni_waiting, before);
    REQUIRE_OK(status);
    assert_ptr_equal(address, other_memory);
cleanup:
    tn_buffer_release(buffer);
}

static void test_home_is_free(void **state) {
    (void)state;
    door door = {0};
    void *address = NULL;
    REQUIRE_OK(door_open(&door));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_WRITE, door.home));
    assert_ptr_equal(address, tn_buffer_address(door.buffer));
    assert_null(atomic_load(&door.buffer->users));
cleanup:
    door_close(&door);
}

/* A read on another stream comes after home's work. */
static void test_read_after_home(void **state) {
    (void)state;
    door door = {0};
    void *address;
    REQUIRE_OK(door_open(&door));
    REQUIRE_OK(tn_stream_add_callback(door.home, wait_at_gate, &door.gate));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, door.other));
    assert_true(waits(door.other, &door.gate, &door.count) || !is_undisturbed());
cleanup:
    door_close(&door);
}

/* A write at home comes after another stream's read; after it, the list is empty again. */
static void test_home_writes_after_read(void **state) {
    (void)state;
    door door = {0};
    void *address;
    REQUIRE_OK(door_open(&door));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, door.other));
    REQUIRE_OK(tn_stream_add_callback(door.other, wait_at_gate, &door.gate));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, door.home));
    bool done;
    REQUIRE_OK(tn_stream_is_done(door.home, &done));
    assert_true(done); /* reads need no order */
    assert_non_null(atomic_load(&door.buffer->users));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ_WRITE, door.home));
    assert_null(atomic_load(&door.buffer->users));
    assert_true(waits(door.home, &door.gate, &door.count) || !is_undisturbed());
cleanup:
    door_close(&door);
}

/* A read on a third stream comes after a write on the second, not after a read. */
static void test_third_stream(void **state) {
    (void)state;
    door door = {0};
    void *address;
    bool done;
    REQUIRE_OK(door_open(&door));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, door.other));
    REQUIRE_OK(tn_stream_add_callback(door.other, wait_at_gate, &door.gate));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, door.third));
    REQUIRE_OK(tn_stream_is_done(door.third, &done));
    assert_true(done);
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_WRITE, door.other));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, door.third));
    assert_true(waits(door.third, &door.gate, &door.count) || !is_undisturbed());
cleanup:
    door_close(&door);
}

/* Through a writer in the middle, the third stream is ordered after the first. */
static void test_chain(void **state) {
    (void)state;
    door door = {0};
    void *address;
    REQUIRE_OK(door_open(&door));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_WRITE, door.third));
    REQUIRE_OK(tn_stream_add_callback(door.third, wait_at_gate, &door.gate));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_WRITE, door.other));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, door.home));
    assert_true(waits(door.home, &door.gate, &door.count) || !is_undisturbed());
cleanup:
    door_close(&door);
}

/* For work that core does not see: it comes after home's, and home's next access after it. */
static void test_order(void **state) {
    (void)state;
    door door = {0};
    gate gate = {0};
    void *address;
    REQUIRE_OK(door_open(&door));
    REQUIRE_STATUS(tn_buffer_order(door.buffer, tn_stream_default(host1)), TN_ERROR_VALUE);
    REQUIRE_OK(tn_stream_add_callback(door.home, wait_at_gate, &door.gate));
    REQUIRE_OK(tn_buffer_order(door.buffer, door.other));
    assert_true(waits(door.other, &door.gate, &door.count) || !is_undisturbed());
    door.gate.open = 1;
    REQUIRE_OK(tn_stream_synchronize(door.other, long_ns));
    door.count = 0;
    REQUIRE_OK(tn_stream_add_callback(door.other, wait_at_gate, &gate));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, door.home));
    assert_true(waits(door.home, &gate, &door.count) || !is_undisturbed());
cleanup:
    gate.open = 1;
    door_close(&door);
}

/* The immediate stream waits in the call. */
static void test_immediate_waits(void **state) {
    (void)state;
    door door = {0};
    void *address;
    REQUIRE_OK(door_open(&door));
    for (int k = 0; k < 3; k++) {
        tn_stream *stream = k == 0 ? door.home : k == 1 ? door.other : door.third;
        REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_WRITE, stream));
        REQUIRE_OK(tn_stream_add_callback(stream, count_up, &door.count));
    }
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, tn_stream_default(host)));
    assert_int_equal(door.count, 3);
    assert_null(atomic_load(&door.buffer->users)); /* all is done */
cleanup:
    door_close(&door);
}

static void test_many_users(void **state) {
    (void)state;
    enum { STREAMS = 20 };
    tn_stream *streams[STREAMS] = {0};
    tn_buffer *buffer = NULL;
    void *address;
    atomic_int count = 0;
    REQUIRE_OK(tn_buffer_new(&buffer, 1000, NULL));
    for (int k = 0; k < STREAMS; k++)
        REQUIRE_OK(tn_stream_new(&streams[k], host, true, 0));
    for (int turn = 0; turn < 3; turn++) {
        for (int k = 0; k < STREAMS; k++) {
            REQUIRE_OK(tni_buffer_access(&address, buffer, TNI_READ, streams[k]));
            REQUIRE_OK(tn_stream_add_callback(streams[k], count_up, &count));
        }
        REQUIRE_OK(tni_buffer_access(&address, buffer, TNI_WRITE, tn_stream_default(host)));
        assert_int_equal(count, STREAMS * (turn + 1));
        assert_null(atomic_load(&buffer->users));
    }
cleanup:
    for (int k = 0; k < STREAMS; k++) {
        if (streams[k]) tn_stream_synchronize(streams[k], -1);
        tn_stream_release(streams[k]);
    }
    tn_buffer_release(buffer);
}

/* --- The end, while streams are busy --- */

/* Home is immediate and two queues are busy: the memory comes back after both; no call waits. */
static void test_release_after_users(void **state) {
    (void)state;
    tn_stream *streams[2] = {0};
    tn_buffer *buffer = NULL;
    gate gates[2] = {0};
    void *address;
    int64_t before = used_bytes();
    REQUIRE_OK(tn_stream_new(&streams[0], host, true, 0));
    REQUIRE_OK(tn_stream_new(&streams[1], host, true, 0));
    REQUIRE_OK(tn_buffer_new(&buffer, 1000, NULL));
    for (int k = 0; k < 2; k++) {
        REQUIRE_OK(tni_buffer_access(&address, buffer, TNI_READ, streams[k]));
        REQUIRE_OK(tn_stream_add_callback(streams[k], wait_at_gate, &gates[k]));
    }
    if (is_undisturbed()) {
        tni_alloc_fail_at(0); /* a queue without memory for the callback makes the release wait */
        tn_buffer_release(buffer);
        buffer = NULL;
        assert_int_equal(used_bytes(), before + 1024);
        gates[1].open = 1;
        nap(short_ns);
        assert_int_equal(used_bytes(), before + 1024);
        gates[0].open = 1;
        REQUIRE_OK(tn_device_synchronize(host, long_ns));
        assert_int_equal(used_bytes(), before);
        tni_alloc_fail_at(1000000);
    }
cleanup:
    gates[0].open = gates[1].open = 1;
    tn_buffer_release(buffer);
    tn_device_synchronize(host, -1);
    for (int k = 0; k < 2; k++)
        tn_stream_release(streams[k]);
    assert_int_equal(used_bytes(), before);
}

/* Home is a queue: the memory comes back at once, and home's next work waits for the user. */
static void test_release_orders_home(void **state) {
    (void)state;
    door door = {0};
    void *address;
    REQUIRE_OK(door_open(&door));
    REQUIRE_OK(tni_buffer_access(&address, door.buffer, TNI_READ, door.other));
    REQUIRE_OK(tn_stream_add_callback(door.other, wait_at_gate, &door.gate));
    if (is_undisturbed()) {
        tni_alloc_fail_at(0);
        tn_buffer_release(door.buffer);
        door.buffer = NULL;
        tn_buffer *next = NULL;
        REQUIRE_OK(tn_buffer_new(&next, 1000, door.home));
        assert_ptr_equal(tn_buffer_address(next), address); /* reused in stream order */
        tn_buffer_release(next);
        assert_true(waits(door.home, &door.gate, &door.count));
        tni_alloc_fail_at(1000000);
    }
cleanup:
    door_close(&door);
}

static void test_unowned_after_users(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_buffer *buffer = NULL;
    gate gate = {0};
    char memory[16];
    void *address;
    atomic_int released = 0;
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_buffer_new_unowned(&buffer, memory, 16, host, count_up, &released));
    REQUIRE_OK(tni_buffer_access(&address, buffer, TNI_WRITE, stream));
    REQUIRE_OK(tn_stream_add_callback(stream, wait_at_gate, &gate));
    if (is_undisturbed()) {
        tni_alloc_fail_at(0);
        tn_buffer_release(buffer);
        buffer = NULL;
        assert_int_equal(released, 0);
        gate.open = 1;
        REQUIRE_OK(tn_stream_synchronize(stream, long_ns));
        assert_int_equal(released, 1);
        tni_alloc_fail_at(1000000);
    }
cleanup:
    gate.open = 1;
    tn_buffer_release(buffer);
    if (stream) tn_stream_synchronize(stream, -1);
    tn_stream_release(stream);
}

/* --- Everything at once --- */

/* Threads use shared buffers on shared streams, drop them and make others. The tasks touch the
 * memory without any lock: a missing order between streams, or memory that is reused too early, is
 * a wrong value here and a race for TSan. */
enum { STREAMS = 5, BUFFERS = 6, BUFFER_INTS = 200, MIX_TURNS = 3000 };
static struct {
    pthread_mutex_t lock;            /* held from the door to the submission, as a program must */
    tn_stream *streams[STREAMS + 1]; /* the last is the default one */
    tn_buffer *buffers[BUFFERS];
    int expected[BUFFERS];
} mix;
static atomic_int mix_wrong, mix_failed;

typedef struct touch {
    int *data;
    int expected, next; /* next -1: only read */
} touch;

static tn_status touch_memory(void *params) {
    const touch *touch = params;
    for (int k = 0; k < BUFFER_INTS; k++) {
        if (touch->data[k] != touch->expected) atomic_fetch_add(&mix_wrong, 1);
        if (touch->next >= 0) touch->data[k] = touch->next;
    }
    return TN_OK;
}

static tn_status fresh_memory(void *params) {
    const touch *touch = params;
    for (int k = 0; k < BUFFER_INTS; k++)
        touch->data[k] = touch->next;
    return TN_OK;
}

static tn_status touch_one(int at, tn_stream *stream, bool writes) {
    void *address;
    tn_buffer *buffer = mix.buffers[at];
    TNI_TRY(tni_buffer_access(&address, buffer, writes ? TNI_READ_WRITE : TNI_READ, stream));
    touch touch = {address, mix.expected[at], writes ? mix.expected[at] + 1 : -1};
    TNI_TRY(tni_host_launch(
        &(tni_host_plan){touch_memory, &touch, sizeof touch, .elements = INT64_MAX}, stream));
    mix.expected[at] += writes;
    return TN_OK;
}

static tn_status replace_one(int at, tn_stream *stream) {
    void *address;
    tn_buffer_release(mix.buffers[at]);
    mix.buffers[at] = NULL;
    TNI_TRY(tn_buffer_new(&mix.buffers[at], BUFFER_INTS * sizeof(int), stream));
    TNI_TRY(tni_buffer_access(&address, mix.buffers[at], TNI_WRITE, stream));
    touch touch = {address, 0, mix.expected[at] = 1000000 * at};
    return tni_host_launch(
        &(tni_host_plan){fresh_memory, &touch, sizeof touch, .elements = INT64_MAX}, stream);
}

static void *mix_up(void *context) {
    unsigned seed = (unsigned)(uintptr_t)context;
    for (int turn = 0; turn < MIX_TURNS; turn++) {
        int at = rand_r(&seed) % BUFFERS;
        tn_stream *stream = mix.streams[rand_r(&seed) % (STREAMS + 1)];
        int what = rand_r(&seed) % 10;
        pthread_mutex_lock(&mix.lock);
        if (mix.buffers[at] && what < 8) {
            if (touch_one(at, stream, what < 3)) atomic_fetch_add(&mix_failed, 1);
        } else {
            if (replace_one(at, stream)) atomic_fetch_add(&mix_failed, 1);
        }
        pthread_mutex_unlock(&mix.lock);
    }
    return NULL;
}

static void test_mix(void **state) {
    (void)state;
    int64_t before = used_bytes();
    pthread_t threads[4];
    pthread_mutex_init(&mix.lock, NULL);
    for (int k = 0; k < STREAMS; k++)
        assert_int_equal(tn_stream_new(&mix.streams[k], host, true, 0), TN_OK);
    mix.streams[STREAMS] = tn_stream_default(host);
    for (uintptr_t k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, mix_up, (void *)(k + 1)), 0);
    for (int k = 0; k < 4; k++)
        pthread_join(threads[k], NULL);
    for (int at = 0; at < BUFFERS; at++)
        tn_buffer_release(mix.buffers[at]);
    for (int k = 0; k < STREAMS; k++)
        tn_stream_release(mix.streams[k]);
    assert_int_equal(tn_device_synchronize(host, -1), TN_OK);
    assert_int_equal(mix_failed, 0);
    assert_int_equal(mix_wrong, 0);
    assert_int_equal(used_bytes(), before);
    pthread_mutex_destroy(&mix.lock);
}

/* --- Bytes --- */

static void test_copies(void **state) {
    (void)state;
    enum { BYTES = 3 << 20 };
    tn_buffer *a = NULL, *b = NULL;
    tn_stream *stream = NULL;
    unsigned char *from = malloc(BYTES), *to = calloc(1, BYTES);
    for (int k = 0; k < BYTES; k++)
        from[k] = (unsigned char)(k * 7 + k / 251);
    REQUIRE_OK(tn_buffer_new(&a, BYTES, NULL));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, tn_stream_default(host1)));
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_buffer_write(a, 0, from, BYTES, NULL));
    REQUIRE_OK(tn_buffer_copy(b, 0, a, 0, BYTES, NULL)); /* to another device */
    REQUIRE_OK(tn_buffer_read(to, b, 0, BYTES, NULL));
    assert_memory_equal(from, to, BYTES);
    REQUIRE_OK(tn_buffer_fill(b, 10, 0xee, BYTES - 20, NULL));
    REQUIRE_OK(tn_buffer_read(to, b, 0, BYTES, NULL));
    assert_memory_equal(from, to, 10);
    assert_int_equal(to[10], 0xee);
    assert_int_equal(to[BYTES - 11], 0xee);
    assert_memory_equal(from + BYTES - 10, to + BYTES - 10, 10);
    REQUIRE_OK(tn_buffer_copy(a, 5, a, 0, 1000, NULL)); /* overlapping */
    REQUIRE_OK(tn_buffer_read(to, a, 5, 1000, NULL));
    assert_memory_equal(from, to, 1000);
    /* The same on a queue, and back on the default stream, which waits. */
    REQUIRE_OK(tn_buffer_fill(a, 0, 1, BYTES, stream));
    REQUIRE_OK(tn_buffer_copy(b, 1, a, 1, BYTES - 1, stream));
    REQUIRE_OK(tn_buffer_read(to, b, 0, BYTES, NULL));
    assert_int_equal(to[0], from[0]);
    for (int k = 1; k < BYTES; k += 1001)
        assert_int_equal(to[k], 1);
    REQUIRE_OK(tn_buffer_copy(b, 0, a, 0, 0, NULL));
cleanup:
    tn_device_synchronize(host, -1);
    tn_stream_release(stream);
    tn_buffer_release(a);
    tn_buffer_release(b);
    free(from);
    free(to);
}

static void test_bad_ranges(void **state) {
    (void)state;
    tn_buffer *a = NULL;
    tn_stream *wrong = NULL;
    char memory[100];
    REQUIRE_OK(tn_buffer_new(&a, 100, NULL));
    REQUIRE_OK(tn_stream_new(&wrong, host1, true, 0));
    REQUIRE_STATUS(tn_buffer_read(memory, a, 1, 100, NULL), TN_ERROR_VALUE);
    assert_non_null(
        strstr(tn_error_message(), "100 bytes from offset 1 are outside a buffer of 100"));
    REQUIRE_STATUS(tn_buffer_read(memory, a, -1, 10, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_buffer_write(a, 0, memory, -1, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_buffer_write(a, INT64_MAX, memory, INT64_MAX, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_buffer_fill(a, 101, 0, 0, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_buffer_copy(a, 0, a, 50, 51, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_buffer_copy(a, 50, a, 0, 51, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_buffer_fill(a, 0, 0, 10, wrong), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_buffer_copy(a, 0, a, 50, 10, wrong), TN_ERROR_VALUE);
cleanup:
    tn_buffer_release(a);
    tn_stream_release(wrong);
}

/* --- Allocators --- */

typedef struct counted {
    atomic_int allocated, freed;
    tn_stream *stream;
} counted;

static tn_status counted_allocate(void *context, void **address, int64_t bytes, tn_device device,
                                  tn_stream *stream) {
    counted *counted = context;
    if (bytes == 13) return tni_fail(TN_ERROR_CALLBACK, "not 13");
    tn_status status = tn_allocator_raw()->allocate(NULL, address, bytes, device, stream);
    counted->allocated += status == TN_OK;
    counted->stream = stream;
    return status;
}

static void counted_free(void *context, void *address, int64_t bytes, tn_device device,
                         tn_stream *stream) {
    counted *counted = context;
    counted->freed++;
    assert_ptr_equal(stream, counted->stream);
    tn_allocator_raw()->free(NULL, address, bytes, device, stream);
}

static void test_allocators(void **state) {
    (void)state;
    counted one = {0}, two = {0};
    tn_allocator first = {&one, counted_allocate, counted_free};
    tn_allocator second = {&two, counted_allocate, counted_free};
    tn_buffer *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    int64_t before = used_bytes();
    assert_ptr_equal(tn_allocator_get().context, tn_pool_default());
    REQUIRE_OK(tn_allocator_set(&first));
    REQUIRE_OK(tn_buffer_new(&a, 100, NULL));
    REQUIRE_OK(tn_allocator_set_thread(&second));
    assert_ptr_equal(tn_allocator_get().context, &two);
    REQUIRE_OK(tn_buffer_new(&b, 100, NULL));
    REQUIRE_STATUS(tn_buffer_new(&c, 13, NULL), TN_ERROR_CALLBACK);
    assert_string_equal(tn_error_message(), "not 13");
    REQUIRE_OK(tn_allocator_set_thread(NULL));
    assert_ptr_equal(tn_allocator_get().context, &one);
    REQUIRE_OK(tn_allocator_set(NULL));
    REQUIRE_OK(tn_buffer_new(&c, 3 << 20, NULL)); /* the device itself */
    memset(tn_buffer_address(c), 1, 3 << 20);
    assert_int_equal(used_bytes(), before);
    REQUIRE_OK(tn_buffer_new_from(&d, &second, 100, NULL));
    assert_int_equal(one.allocated, 1);
    assert_int_equal(two.allocated, 2);
    tn_allocator broken = {NULL, NULL, NULL};
    REQUIRE_STATUS(tn_allocator_set(&broken), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_allocator_set_thread(&broken), TN_ERROR_VALUE);
cleanup:
    tn_allocator_set_thread(NULL);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_buffer_release(c);
    tn_buffer_release(d);
    assert_int_equal(one.allocated, one.freed);
    assert_int_equal(two.allocated, two.freed);
    tn_allocator pool = tn_pool_allocator(tn_pool_default());
    while (tn_allocator_set(&pool) != TN_OK) {} /* fails once where this is the n-th allocation */
}

/* Raw memory of a busy queue is freed after its work. */
static void test_raw_free_in_queue(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_buffer *buffer = NULL;
    gate gate = {0};
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_buffer_new_from(&buffer, tn_allocator_raw(), 100000, stream));
    REQUIRE_OK(tn_stream_add_callback(stream, wait_at_gate, &gate));
    REQUIRE_OK(tn_buffer_fill(buffer, 0, 1, 100000, stream));
    if (is_undisturbed()) {
        tni_alloc_fail_at(0);
        tn_buffer_release(buffer); /* ASan watches the fill */
        buffer = NULL;
        tni_alloc_fail_at(1000000);
    }
cleanup:
    gate.open = 1;
    if (stream) tn_stream_synchronize(stream, -1);
    tn_buffer_release(buffer);
    tn_stream_release(stream);
}

/* --- Pinned memory --- */

static void test_pinned(void **state) {
    (void)state;
    tn_pinned_pool *pool = NULL;
    void *a = NULL, *b = NULL, *c = NULL;
    tn_event *event = NULL;
    tn_stream *stream = NULL;
    gate gate = {0};
    REQUIRE_OK(tn_pinned_pool_new(&pool, NULL));
    REQUIRE_STATUS(tn_pinned_pool_allocate(pool, &a, 0), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_pinned_pool_allocate(pool, &a, -5), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_pinned_pool_allocate(pool, &a, INT64_MAX), TN_ERROR_VALUE);
    assert_int_equal(tn_pinned_pool_allocate(pool, &a, (int64_t)1 << 55), TN_ERROR_MEMORY);
    REQUIRE_OK(tn_pinned_pool_allocate(pool, &a, 1));
    REQUIRE_OK(tn_pinned_pool_allocate(pool, &b, 5000));
    memset(b, 1, 8192);
    tn_pinned_pool_free(pool, b, NULL);
    b = NULL;
    assert_int_equal(tn_pinned_pool_free_blocks(pool), 1);
    REQUIRE_OK(tn_pinned_pool_allocate(pool, &b, 4097)); /* the same power of two */
    assert_int_equal(tn_pinned_pool_free_blocks(pool), 0);
    /* A block that a copy still uses is not handed out. */
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tn_event_new(&event, host, false));
    REQUIRE_OK(tn_stream_add_callback(stream, wait_at_gate, &gate));
    REQUIRE_OK(tn_event_record(event, stream));
    void *busy = b;
    tn_pinned_pool_free(pool, b, event);
    b = NULL;
    REQUIRE_OK(tn_pinned_pool_allocate(pool, &b, 8192));
    assert_ptr_not_equal(b, busy);
    gate.open = 1;
    REQUIRE_OK(tn_event_synchronize(event, long_ns));
    REQUIRE_OK(tn_pinned_pool_allocate(pool, &c, 8000));
    assert_ptr_equal(c, busy);
    tn_pinned_pool_free(pool, &gate, NULL); /* not the pool's: nothing happens */
    tn_pinned_pool_free(pool, NULL, NULL);
    tn_pinned_pool_free(pool, c, NULL);
    c = NULL;
    tn_pinned_pool_trim(pool);
    assert_int_equal(tn_pinned_pool_free_blocks(pool), 0);
cleanup:
    gate.open = 1;
    if (pool) { /* it lives until its memory came back */
        if (c) tn_pinned_pool_free(pool, c, event);
        tn_pinned_pool_release(pool);
        if (a && b) tn_pinned_pool_free(pool, b, NULL);
        if (a) tn_pinned_pool_free(pool, a, NULL);
    }
    tn_event_release(event);
    if (stream) tn_stream_synchronize(stream, -1);
    tn_stream_release(stream);
    tn_pinned_pool_release(tn_pinned_pool_default()); /* allowed, changes nothing */
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_new_and_release),
        REPLAY(test_order),
        REPLAY(test_unowned),
        REPLAY_NOT(test_threads),
        REPLAY(test_address_after_look),
        REPLAY(test_home_is_free),
        REPLAY(test_read_after_home),
        REPLAY(test_home_writes_after_read),
        REPLAY(test_third_stream),
        REPLAY(test_chain),
        REPLAY(test_immediate_waits),
        REPLAY(test_many_users),
        REPLAY(test_release_after_users),
        REPLAY(test_release_orders_home),
        REPLAY(test_unowned_after_users),
        REPLAY_NOT(test_mix),
        REPLAY(test_copies),
        REPLAY(test_bad_ranges),
        REPLAY(test_allocators),
        REPLAY(test_raw_free_in_queue),
        REPLAY(test_pinned),
    };
    setenv("TENORITE_BACKEND", "host", 1);
    setenv("TENORITE_HOST_DEVICES", "2", 1);
    return REPLAY_RUN("buffer", tests);
}
