/* The pool: best fit, splitting and coalescing, figures, limits, trimming, lifetimes. */
#include "replay.h"

#include "core/memory/pool_take.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <tenorite/device.h>
#include <time.h>
#include <unistd.h>

static const tn_device host = {TN_BACKEND_HOST, 0};

/* --- A source that counts, and fails past `room` bytes --- */

typedef struct counter {
    atomic_llong held, peak, calls, room;
    tn_status failure; /* of a call that finds no room */
} counter;

static tn_status counted_allocate(void *context, void **address, int64_t bytes, tn_device device,
                                  tn_stream *stream) {
    counter *counter = context;
    atomic_fetch_add(&counter->calls, 1);
    if (atomic_load(&counter->held) + bytes > atomic_load(&counter->room)) {
        tn_error_set("no room");
        return counter->failure;
    }
    const tn_allocator *raw = tn_allocator_raw();
    tn_status status = raw->allocate(raw->context, address, bytes, device, stream);
    if (status == TN_OK) atomic_fetch_add(&counter->held, bytes);
    if (counter->held > counter->peak) atomic_store(&counter->peak, counter->held);
    return status;
}

static void counted_free(void *context, void *address, int64_t bytes, tn_device device,
                         tn_stream *stream) {
    counter *counter = context;
    const tn_allocator *raw = tn_allocator_raw();
    raw->free(raw->context, address, bytes, device, stream);
    atomic_fetch_sub(&counter->held, bytes);
}

#define COUNTER                                                                                    \
    { .room = INT64_MAX / 2, .failure = TN_ERROR_MEMORY }

static tn_status new_counted(tn_pool **pool, counter *counter) {
    tn_allocator source = {counter, counted_allocate, counted_free};
    return tn_pool_new(pool, &source);
}

static tn_status take(tni_block **block, tn_pool *pool, int64_t bytes) {
    return tni_pool_take(block, pool, bytes, tn_stream_default(host));
}

static void give(tni_block *block) {
    if (block) tni_pool_give(block);
}

static tn_pool_statistics figures(tn_pool *pool) {
    return tn_pool_get_statistics(pool, host);
}

enum { MIB = 1 << 20 };

/* No allocation failed so far: where one did, the pool may have asked its source once more. */
static bool is_undisturbed(void) {
    return replay_failing == 0 || tni_alloc_fail_pending();
}

/* --- Blocks --- */

static void test_small_blocks_share_a_chunk(void **state) {
    (void)state;
    counter counter = COUNTER;
    tn_pool *pool = NULL;
    tni_block *a = NULL, *b = NULL, *c = NULL;
    REQUIRE_OK(new_counted(&pool, &counter));
    REQUIRE_OK(take(&a, pool, 1));
    REQUIRE_OK(take(&b, pool, 513));
    REQUIRE_OK(take(&c, pool, 100000));
    if (!is_undisturbed()) goto cleanup;
    assert_int_equal(counter.calls, 1);
    assert_int_equal(counter.held, TNI_SHARED_BYTES);
    assert_ptr_equal(b->address, a->address + 512);
    assert_ptr_equal(c->address, b->address + 1024);
    assert_int_equal((uintptr_t)a->address % 512, 0);
    assert_int_equal(figures(pool).used_bytes, 512 + 1024 + 100352);
    assert_int_equal(figures(pool).total_bytes, TNI_SHARED_BYTES);
    assert_int_equal(figures(pool).free_bytes, TNI_SHARED_BYTES - figures(pool).used_bytes);
    assert_int_equal(figures(pool).free_blocks, 1);
    assert_int_equal(figures(pool).source_allocations, 1);
    assert_int_equal(figures(pool).allocations, 3);
    memset(a->address, 1, 1);
    memset(b->address, 1, 513);
    memset(c->address, 1, 100000);
cleanup:
    give(c);
    give(a);
    give(b);
    if (pool) {
        assert_int_equal(figures(pool).used_bytes, 0);
        assert_int_equal(figures(pool).free_blocks, counter.held / TNI_SHARED_BYTES); /* merged */
        tn_pool_trim(pool, host, NULL);
        assert_int_equal(figures(pool).total_bytes, 0);
    }
    tn_pool_release(pool);
    assert_int_equal(counter.held, 0);
}

static void test_large_blocks_are_exact(void **state) {
    (void)state;
    counter counter = COUNTER;
    tn_pool *pool = NULL;
    tni_block *a = NULL, *b = NULL;
    REQUIRE_OK(new_counted(&pool, &counter));
    REQUIRE_OK(take(&a, pool, 5 * MIB + 1));
    assert_int_equal(counter.held, 5 * MIB + 512);
    give(a);
    a = NULL;
    REQUIRE_OK(take(&a, pool, 3 * MIB)); /* cut from it */
    REQUIRE_OK(take(&b, pool, 2 * MIB));
    assert_ptr_equal(b->address, a->address + 3 * MIB);
    assert_int_equal(counter.calls, 1);
    assert_int_equal(figures(pool).free_blocks, 1);
    assert_int_equal(figures(pool).free_bytes, 512);
cleanup:
    give(a);
    give(b);
    tn_pool_release(pool);
    assert_int_equal(counter.held, 0);
}

static void test_best_fit(void **state) {
    (void)state;
    counter counter = COUNTER;
    tn_pool *pool = NULL;
    static const int sizes[] = {9, 3, 7, 5};
    tni_block *blocks[4] = {0}, *found = NULL;
    REQUIRE_OK(new_counted(&pool, &counter));
    for (int k = 0; k < 4; k++)
        REQUIRE_OK(take(&blocks[k], pool, (int64_t)sizes[k] * MIB));
    char *five = blocks[3]->address, *seven = blocks[2]->address;
    for (int k = 0; k < 4; k++) {
        give(blocks[k]);
        blocks[k] = NULL;
    }
    assert_int_equal(figures(pool).free_blocks, 4);
    REQUIRE_OK(take(&found, pool, 4 * MIB));
    assert_ptr_equal(found->address, five);
    REQUIRE_OK(take(&blocks[0], pool, 6 * MIB));
    assert_ptr_equal(blocks[0]->address, seven);
    assert_int_equal(figures(pool).free_blocks, 4); /* 9, 3 and the rests of 5 and 7 */
cleanup:
    give(found);
    for (int k = 0; k < 4; k++)
        give(blocks[k]);
    tn_pool_release(pool);
    assert_int_equal(counter.held, 0);
}

static void test_coalescing(void **state) {
    (void)state;
    tn_pool *pool = NULL;
    tni_block *whole = NULL, *parts[8] = {0};
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    REQUIRE_OK(take(&whole, pool, 16 * MIB));
    give(whole);
    whole = NULL;
    for (int k = 0; k < 8; k++)
        REQUIRE_OK(take(&parts[k], pool, 2 * MIB));
    assert_int_equal(figures(pool).free_blocks, 0);
    static const int order[] = {1, 5, 3, 2, 7, 4, 0, 6}; /* left, right, both, none free */
    static const int free_after[] = {1, 2, 3, 2, 3, 2, 2, 1};
    for (int k = 0; k < 8; k++) {
        give(parts[order[k]]);
        parts[order[k]] = NULL;
        assert_int_equal(figures(pool).free_blocks, free_after[k]);
    }
    REQUIRE_OK(take(&whole, pool, 16 * MIB));
    assert_int_equal(figures(pool).source_allocations, 1);
cleanup:
    give(whole);
    for (int k = 0; k < 8; k++)
        give(parts[k]);
    tn_pool_release(pool);
}

static void test_bins(void **state) {
    (void)state;
    tn_pool *pool = NULL;
    tni_block *a = NULL, *b = NULL;
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    REQUIRE_OK(take(&a, pool, 1000));
    REQUIRE_OK(take(&b, pool, 1000));
    char *place = a->address;
    give(a);
    assert_int_equal(figures(pool).used_bytes, 1024); /* b alone: what lies in a bin is free */
    assert_int_equal(figures(pool).free_blocks, 2);
    a = NULL;
    REQUIRE_OK(take(&a, pool, 600));
    assert_ptr_equal(a->address, place);
cleanup:
    give(a);
    give(b);
    tn_pool_release(pool);
}

static void test_bad_sizes(void **state) {
    (void)state;
    tn_pool *pool = NULL;
    tni_block *block = NULL;
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    REQUIRE_STATUS(take(&block, pool, 0), TN_ERROR_VALUE);
    REQUIRE_STATUS(take(&block, pool, -1), TN_ERROR_VALUE);
    REQUIRE_STATUS(take(&block, pool, INT64_MIN), TN_ERROR_VALUE);
    REQUIRE_STATUS(take(&block, pool, INT64_MAX), TN_ERROR_MEMORY);
    /* More than the machine has is refused, not tried. */
    REQUIRE_STATUS(take(&block, pool, (int64_t)1 << 60), TN_ERROR_MEMORY);
    assert_int_equal(figures(pool).total_bytes, 0);
cleanup:
    assert_null(block);
    tn_pool_release(pool);
}

/* --- When memory is out --- */

static void test_limit(void **state) {
    (void)state;
    tn_pool *pool = NULL;
    tni_block *a = NULL, *b = NULL;
    int64_t requested, used, cached, limit;
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    REQUIRE_STATUS(tn_pool_set_limit(pool, host, -1), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_pool_set_limit(pool, (tn_device){TN_BACKEND_HOST, 50}, 1), TN_ERROR_DEVICE);
    REQUIRE_OK(tn_pool_set_limit(pool, host, 10 * MIB));
    assert_int_equal(figures(pool).limit_bytes, 10 * MIB);
    REQUIRE_OK(take(&a, pool, 8 * MIB));
    assert_int_equal(take(&b, pool, 3 * MIB), TN_ERROR_MEMORY);
    if (is_undisturbed()) {
        tn_error_memory(&requested, &used, &cached, &limit);
        assert_int_equal(requested, 3 * MIB);
        assert_int_equal(used, 8 * MIB);
        assert_int_equal(cached, 0);
        assert_int_equal(limit, 10 * MIB);
        assert_non_null(strstr(tn_error_message(), "host:0"));
    }
    REQUIRE_OK(take(&b, pool, 2 * MIB));
    give(b);
    give(a);
    a = b = NULL;
    REQUIRE_OK(take(&b, pool, 9 * MIB)); /* both chunks are trimmed for it */
    assert_int_equal(figures(pool).total_bytes, 9 * MIB);
    give(b);
    b = NULL;
    tn_pool_trim(pool, host, NULL);
    REQUIRE_OK(tn_pool_set_limit(pool, host, 4096)); /* less than a shared chunk */
    REQUIRE_OK(take(&a, pool, 2048));
    assert_int_equal(figures(pool).total_bytes, 2048);
    REQUIRE_OK(take(&b, pool, 2048));
    give(b);
    b = NULL;
    REQUIRE_OK(tn_pool_set_limit(pool, host, 0));
    REQUIRE_OK(take(&b, pool, 20 * MIB));
cleanup:
    give(a);
    give(b);
    tn_pool_release(pool);
}

static tni_block *reclaimable;
static int reclaims;
static void reclaim(void *context) {
    assert_int_equal(*(int *)context, 17);
    reclaims++;
    give(reclaimable);
    reclaimable = NULL;
}

static void test_source_is_out(void **state) {
    (void)state;
    int mark = 17;
    counter counter = COUNTER;
    tn_pool *pool = NULL;
    tni_block *a = NULL, *b = NULL;
    tn_stream *stream = NULL;
    reclaims = 0;
    REQUIRE_OK(new_counted(&pool, &counter));
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    counter.room = 10 * MIB;
    /* Another stream's free memory is trimmed. */
    REQUIRE_OK(tni_pool_take(&a, pool, 8 * MIB, stream));
    give(a);
    a = NULL;
    REQUIRE_OK(take(&a, pool, 4 * MIB));
    assert_int_equal(counter.held, 4 * MIB);
    /* Then what the reclaim function gives back. */
    REQUIRE_OK(take(&reclaimable, pool, 6 * MIB));
    tn_pool_set_reclaim(reclaim, &mark);
    REQUIRE_OK(take(&b, pool, 5 * MIB));
    assert_int_equal(reclaims, 1);
    give(b);
    b = NULL;
    assert_int_equal(take(&b, pool, 7 * MIB), TN_ERROR_MEMORY);
    /* A failure of another kind is nothing that trimming would help. */
    counter.failure = TN_ERROR_CALLBACK;
    reclaims = 0;
    REQUIRE_STATUS(take(&b, pool, 7 * MIB), TN_ERROR_CALLBACK);
    assert_string_equal(tn_error_message(), "no room");
    assert_int_equal(reclaims, 0);
cleanup:
    tn_pool_set_reclaim(NULL, NULL);
    give(a);
    give(b);
    give(reclaimable);
    reclaimable = NULL;
    tn_stream_release(stream);
    tn_pool_release(pool);
    assert_int_equal(counter.held, 0);
}

static void test_environment_limit(void **state) {
    (void)state;
    tn_pool *pools[3] = {0};
    int64_t free_bytes, total_bytes;
    for (int k = 0; k < 3; k++)
        REQUIRE_OK(tn_pool_new(&pools[k], NULL));
    REQUIRE_OK(tn_device_get_memory_info(host, &free_bytes, &total_bytes));
    setenv("TENORITE_GPU_MEMORY_LIMIT", "12345678", 1);
    REQUIRE_OK(tn_pool_set_limit(pools[0], (tn_device){TN_BACKEND_HOST, 1}, 5));
    int64_t limit = figures(pools[0]).limit_bytes;
    if (is_undisturbed()) assert_int_equal(limit, 12345678);
    setenv("TENORITE_GPU_MEMORY_LIMIT", "50%", 1);
    limit = figures(pools[1]).limit_bytes;
    if (is_undisturbed()) assert_int_equal(limit, total_bytes / 2);
    setenv("TENORITE_GPU_MEMORY_LIMIT", "much", 1);
    tni_block *block = NULL;
    REQUIRE_STATUS(take(&block, pools[2], 1), TN_ERROR_VALUE);
    assert_non_null(strstr(tn_error_message(), "'much'"));
cleanup:
    unsetenv("TENORITE_GPU_MEMORY_LIMIT");
    for (int k = 0; k < 3; k++)
        tn_pool_release(pools[k]);
}

/* --- Streams --- */

static void test_arenas(void **state) {
    (void)state;
    tn_pool *pool = NULL;
    tni_block *a = NULL, *b = NULL;
    tn_stream *stream = NULL;
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(take(&a, pool, 3 * MIB));
    give(a);
    a = NULL;
    REQUIRE_OK(tni_pool_take(&b, pool, 3 * MIB, stream)); /* not the default stream's */
    assert_int_equal(figures(pool).total_bytes, 6 * MIB);
    tn_pool_trim(pool, host, stream);
    assert_int_equal(figures(pool).total_bytes, 6 * MIB);
    give(b);
    b = NULL;
    tn_pool_trim(pool, host, tn_stream_default(host));
    assert_int_equal(figures(pool).total_bytes, 3 * MIB);
    /* A stream's memory serves the default stream when the stream is gone. */
    tn_stream_release(stream);
    stream = NULL;
    REQUIRE_OK(take(&a, pool, 3 * MIB));
    assert_int_equal(figures(pool).total_bytes, 3 * MIB);
cleanup:
    give(a);
    give(b);
    tn_stream_release(stream);
    tn_pool_release(pool);
}

/* Streams come and go, and the pool does not grow. */
static void test_inheritance(void **state) {
    (void)state;
    static const int64_t sizes[] = {100, 5 * MIB};
    tn_pool *pool = NULL;
    tni_block *a = NULL, *kept[2] = {NULL};
    tn_stream *stream = NULL;
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    for (int size = 0; size < 2; size++)
        for (int k = 0; k < 5; k++) {
            REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
            REQUIRE_OK(tni_pool_take(&a, pool, sizes[size], stream));
            memset(a->address, k, (size_t)sizes[size]);
            if (k % 2) give(a); /* or its stream goes first */
            tn_stream_release(stream);
            if (k % 2 == 0) give(a);
            a = NULL, stream = NULL;
            assert_int_equal(figures(pool).total_bytes, size == 0 ? 2 * MIB : 7 * MIB);
        }
    /* Memory in use serves no other; what the default stream has used since serves after it. */
    REQUIRE_OK(take(&kept[0], pool, 4 * MIB));
    assert_int_equal(figures(pool).total_bytes, 7 * MIB);
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tni_pool_take(&a, pool, 3 * MIB, stream));
    assert_int_equal(figures(pool).total_bytes, 10 * MIB);
    give(kept[0]);
    kept[0] = NULL;
    REQUIRE_OK(tni_pool_take(&kept[1], pool, 5 * MIB, stream));
    assert_int_equal(figures(pool).total_bytes, 10 * MIB);
cleanup:
    give(a);
    give(kept[0]);
    give(kept[1]);
    tn_stream_release(stream);
    tn_pool_release(pool);
}

static void sleep_a_little(void *flag) {
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    atomic_store((atomic_int *)flag, 1);
}

static void test_trim_waits_for_the_stream(void **state) {
    (void)state;
    atomic_int done = 0;
    tn_pool *pool = NULL;
    tni_block *a = NULL;
    tn_stream *stream = NULL;
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    REQUIRE_OK(tni_pool_take(&a, pool, 3 * MIB, stream));
    REQUIRE_OK(tn_stream_add_callback(stream, sleep_a_little, &done));
    give(a);
    a = NULL;
    assert_int_equal(done, 0);
    tn_pool_trim(pool, host, NULL);
    assert_int_equal(done, 1);
cleanup:
    give(a);
    if (stream) tn_stream_synchronize(stream, -1);
    tn_stream_release(stream);
    tn_pool_release(pool);
}

/* --- Life, allocator, hooks --- */

static void test_pool_outlives_its_release(void **state) {
    (void)state;
    counter counter = COUNTER;
    tn_pool *pool = NULL;
    tni_block *a = NULL, *b = NULL;
    REQUIRE_OK(new_counted(&pool, &counter));
    tn_pool_retain(pool);
    tn_pool_release(pool);
    REQUIRE_OK(take(&a, pool, 100));
    REQUIRE_OK(take(&b, pool, 3 * MIB));
cleanup:
    tn_pool_release(pool);
    if (b) assert_true(counter.held > 0);
    give(a);
    give(b);
    assert_int_equal(counter.held, 0);
}

static void nap(void *unused) {
    (void)unused;
    usleep(100000);
}
static void trim(void *pool) {
    tn_pool_trim(pool, host, NULL);
}

/* A pool waits for streams before it gives memory back; one that works off a stream can't. */
static void test_end_in_a_stream(void **state) {
    (void)state;
    tn_pool *pool;
    tn_buffer *kept, *used;
    tn_stream *stream;
    assert_int_equal(tn_stream_new(&stream, host, true, 0), TN_OK);
    assert_int_equal(tn_pool_new(&pool, NULL), TN_OK);
    tn_allocator allocator = tn_pool_allocator(pool);
    assert_int_equal(tn_buffer_new_from(&kept, &allocator, 1 << 20, stream), TN_OK);
    assert_int_equal(tn_buffer_new_from(&used, &allocator, 1 << 20, tn_stream_default(host)),
                     TN_OK);
    tn_buffer_release(kept);
    assert_int_equal(tn_stream_add_callback(stream, trim, pool), TN_OK);
    assert_int_equal(tn_stream_add_callback(stream, nap, NULL), TN_OK);
    assert_int_equal(tn_buffer_fill(used, 0, 1, 1 << 20, stream), TN_OK);
    tn_buffer_release(used); /* comes back in the stream's own thread */
    tn_pool_release(pool);
    assert_int_equal(tn_stream_synchronize(stream, INT64_C(60000000000)), TN_OK);
    tn_stream_release(stream);
}

static void test_as_allocator(void **state) {
    (void)state;
    tn_pool *pool = NULL;
    void *addresses[300] = {0};
    tn_stream *stream = tn_stream_default(host);
    tn_allocator allocator = {0};
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    allocator = tn_pool_allocator(pool);
    assert_ptr_equal(tni_pool_of(&allocator), pool);
    assert_null(tni_pool_of(tn_allocator_raw()));
    for (int k = 0; k < 300; k++)
        REQUIRE_OK(
            allocator.allocate(allocator.context, &addresses[k], 700 * (k + 1), host, stream));
    int local;
    allocator.free(allocator.context, &local, 1, host,
                   stream); /* not the pool's: nothing happens */
    allocator.free(allocator.context, NULL, 1, host, stream);
cleanup:
    for (int k = 0; k < 300; k++)
        if (addresses[k])
            allocator.free(allocator.context, addresses[k], 700 * (k + 1), host, stream);
    if (pool) assert_int_equal(figures(pool).used_bytes, 0);
    tn_pool_release(pool);
}

typedef struct log {
    char text[1000];
} log;

static void note(void *context, const char *event, const char *when, int64_t bytes,
                 int64_t rounded_bytes, void *address) {
    log *log = context;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s %s %lld %lld %d; ", when, event,
             (long long)bytes, (long long)rounded_bytes, address != NULL);
}
static void note_before(void *context, const char *event, tn_device device, int64_t bytes,
                        int64_t rounded_bytes, void *address) {
    assert_int_equal(device.number, 0);
    note(context, event, "before", bytes, rounded_bytes, address);
}
static void note_after(void *context, const char *event, tn_device device, int64_t bytes,
                       int64_t rounded_bytes, void *address) {
    assert_int_equal(device.number, 0);
    note(context, event, "after", bytes, rounded_bytes, address);
}

static void test_hooks(void **state) {
    (void)state;
    tn_pool *pool = NULL;
    tni_block *a = NULL;
    log seen = {""}, half = {""};
    tn_memory_hook first = {&seen, note_before, note_after}, second = {&half, NULL, note_after};
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    REQUIRE_OK(tn_memory_hook_add(&first));
    REQUIRE_OK(tn_memory_hook_add(&second));
    REQUIRE_STATUS(tn_memory_hook_add(&first), TN_ERROR_VALUE);
    REQUIRE_OK(take(&a, pool, 3 * MIB - 1));
    tn_memory_hook_remove(&second);
    give(a);
    a = NULL;
    assert_string_equal(seen.text, "before malloc 3145727 3145728 0; "
                                   "before alloc 3145728 3145728 0; "
                                   "after alloc 3145728 3145728 1; "
                                   "after malloc 3145727 3145728 1; "
                                   "before free 3145728 3145728 1; "
                                   "after free 3145728 3145728 1; ");
    assert_string_equal(half.text, "after alloc 3145728 3145728 1; "
                                   "after malloc 3145727 3145728 1; ");
    seen.text[0] = '\0';
    REQUIRE_OK(take(&a, pool, 3 * MIB)); /* from the pool alone */
    assert_null(strstr(seen.text, "alloc 3145728 3145728 1; after alloc"));
    tn_memory_hook_remove(&first);
    tn_memory_hook_remove(&first);
    seen.text[0] = '\0';
cleanup:
    tn_memory_hook_remove(&second);
    tn_memory_hook_remove(&first);
    give(a);
    tn_pool_release(pool);
}

/* --- Threads, forks, randomness --- */

enum { SHARED = 64, TURNS = 20000 };
static _Atomic(tni_block *) shared[SHARED];

static void *shuffle(void *context) {
    tn_pool *pool = context;
    unsigned seed = (unsigned)(uintptr_t)&seed;
    for (int turn = 0; turn < TURNS; turn++) {
        tni_block *block = NULL;
        if (take(&block, pool, 64 + rand_r(&seed) % 70000) != TN_OK) return NULL;
        memset(block->address, 1, 64);
        give(atomic_exchange(&shared[rand_r(&seed) % SHARED], block)); /* often another thread's */
        if (turn % 1000 == 0) {
            figures(pool);
            tn_pool_trim(pool, host, NULL);
        }
    }
    return context;
}

static void test_threads(void **state) {
    (void)state;
    counter counter = COUNTER;
    tn_pool *pool;
    pthread_t threads[4];
    assert_int_equal(new_counted(&pool, &counter), TN_OK);
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, shuffle, pool), 0);
    for (int k = 0; k < 4; k++) {
        void *result;
        pthread_join(threads[k], &result);
        assert_non_null(result);
    }
    assert_int_equal(figures(pool).allocations, 4 * TURNS);
    for (int k = 0; k < SHARED; k++)
        give(atomic_exchange(&shared[k], NULL));
    assert_int_equal(figures(pool).used_bytes, 0);
    tn_pool_release(pool);
    assert_int_equal(counter.held, 0);
}

static void test_fork(void **state) {
    (void)state;
    tn_pool *pool;
    pthread_t thread;
#ifdef __SANITIZE_THREAD__
    skip(); /* TSan takes the parent's threads for leaks of the child */
#endif
    assert_int_equal(tn_pool_new(&pool, NULL), TN_OK);
    assert_int_equal(pthread_create(&thread, NULL, shuffle, pool), 0);
    for (int turn = 0; turn < 20; turn++) { /* one of these finds the thread inside the pool */
        pid_t child = fork();
        if (child == 0) {
            tni_block *block;
            alarm(20);
            for (int k = 0; k < 100; k++) {
                if (take(&block, pool, 1000 * (k + 1)) != TN_OK) _exit(1);
                give(block);
            }
            _exit(0);
        }
        int result;
        waitpid(child, &result, 0);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    }
    pthread_join(thread, NULL);
    for (int k = 0; k < SHARED; k++)
        give(atomic_exchange(&shared[k], NULL));
    tn_pool_release(pool);
}

/* Every block keeps its bytes, whatever happens around it. */
static void test_random_blocks(void **state) {
    (void)state;
    enum { BLOCKS = 200 };
    tn_pool *pool;
    tni_block *blocks[BLOCKS] = {0};
    int64_t sizes[BLOCKS], used = 0;
    unsigned seed = 1;
    assert_int_equal(tn_pool_new(&pool, NULL), TN_OK);
    for (int turn = 0; turn < 30000; turn++) {
        int k = rand_r(&seed) % BLOCKS;
        if (blocks[k]) {
            for (int64_t at = 0; at < sizes[k]; at += 4096)
                assert_int_equal(blocks[k]->address[at], (char)k);
            assert_int_equal(blocks[k]->address[sizes[k] - 1], (char)k);
            used -= (sizes[k] + 511) / 512 * 512;
            give(blocks[k]);
            blocks[k] = NULL;
            continue;
        }
        int exponent = rand_r(&seed) % 22;
        sizes[k] = 1 + rand_r(&seed) % (1 << exponent);
        assert_int_equal(take(&blocks[k], pool, sizes[k]), TN_OK);
        for (int64_t at = 0; at < sizes[k]; at += 4096)
            blocks[k]->address[at] = (char)k;
        blocks[k]->address[sizes[k] - 1] = (char)k;
        used += (sizes[k] + 511) / 512 * 512;
        assert_int_equal(figures(pool).used_bytes, used);
    }
    for (int k = 0; k < BLOCKS; k++)
        give(blocks[k]);
    tn_pool_statistics end = figures(pool);
    assert_int_equal(end.used_bytes, 0);
    assert_int_equal(end.free_bytes, end.total_bytes);
    assert_int_equal(end.free_blocks, end.source_allocations); /* every chunk is whole again */
    tn_pool_release(pool);
}

/* --- Fragmentation: the sizes of a training loop --- */

typedef struct training {
    tn_pool *pool;
    int64_t batch;
    int failures;
} training;

static tni_block *want(training *run, int64_t bytes) {
    tni_block *block = NULL;
    run->failures += take(&block, run->pool, bytes) != TN_OK;
    return block;
}

enum { LAYERS = 24, WIDTH = 512, STEPS = 60 };

/* One step of a network with LAYERS layers of changing width: activations live from the forward to
 * the backward pass, gradients until the update, and small temporaries in between. */
static void train_step(training *run) {
    tni_block *activations[LAYERS][3], *gradients[LAYERS], *back, *temporary;
    for (int layer = 0; layer < LAYERS; layer++) {
        int64_t width = WIDTH * (1 + layer % 5), rows = run->batch * 4;
        activations[layer][0] = want(run, rows * width);     /* before */
        activations[layer][1] = want(run, rows * width);     /* after the function */
        activations[layer][2] = want(run, rows * width / 4); /* a mask */
        temporary = want(run, rows * (1 + layer % 3));       /* sums of rows */
        give(want(run, 4));                                  /* a 0-d array */
        give(temporary);
    }
    tni_block *loss = want(run, 4);
    back = want(run, run->batch * 4 * WIDTH);
    for (int layer = LAYERS - 1; layer >= 0; layer--) {
        int64_t width = WIDTH * (1 + layer % 5), below = WIDTH * (1 + (layer + 4) % 5);
        gradients[layer] = want(run, width * below * 4);
        tni_block *next = want(run, run->batch * 4 * below);
        give(want(run, run->batch * 4 * width));
        give(back);
        back = next;
        for (int k = 0; k < 3; k++)
            give(activations[layer][k]);
    }
    give(back);
    for (int layer = 0; layer < LAYERS; layer++) { /* the update makes temporaries, too */
        int64_t bytes = (int64_t)WIDTH * (1 + layer % 5) * WIDTH * (1 + (layer + 4) % 5) * 4;
        tni_block *a = want(run, bytes), *b = want(run, bytes);
        give(a);
        give(b);
        give(gradients[layer]);
    }
    give(loss);
}

static void test_fragmentation(void **state) {
    (void)state;
    training run = {.batch = 128};
    tni_block *weights[LAYERS][3], *biases[LAYERS][3];
    unsigned seed = 7;
    tn_pool *pool;
    /* The memory is never touched: only sizes matter. */
    assert_int_equal(tn_pool_new(&pool, NULL), TN_OK);
    run.pool = pool;
    for (int layer = 0; layer < LAYERS; layer++)
        for (int k = 0; k < 3; k++) { /* values and the two moments of the optimizer */
            int64_t width = WIDTH * (1 + layer % 5), below = WIDTH * (1 + (layer + 4) % 5);
            weights[layer][k] = want(&run, width * below * 4);
            biases[layer][k] = want(&run, width * 4);
        }
    for (int step = 0; step < STEPS; step++) {
        /* The batch varies, as sequence lengths do; an evaluation now and then has a larger one. */
        run.batch = step % 10 == 9 ? 192 : 96 + (int64_t)(rand_r(&seed) % 64);
        train_step(&run);
    }
    for (int layer = 0; layer < LAYERS; layer++)
        for (int k = 0; k < 3; k++) {
            give(weights[layer][k]);
            give(biases[layer][k]);
        }
    tn_pool_statistics end = figures(pool);
    double ratio = (double)end.peak_total_bytes / (double)end.peak_used_bytes;
    print_message("training loop: peak used %.1f MiB, peak held %.1f MiB, ratio %.3f, %lld source "
                  "allocations of %lld\n",
                  (double)end.peak_used_bytes / MIB, (double)end.peak_total_bytes / MIB, ratio,
                  (long long)end.source_allocations, (long long)end.allocations);
    assert_int_equal(run.failures, 0);
    assert_int_equal(end.used_bytes, 0);
    assert_true(ratio <= 1.2);
    tn_pool_release(pool);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_small_blocks_share_a_chunk),
        REPLAY(test_large_blocks_are_exact),
        REPLAY(test_best_fit),
        REPLAY(test_coalescing),
        REPLAY(test_bins),
        REPLAY(test_bad_sizes),
        REPLAY(test_limit),
        REPLAY(test_source_is_out),
        REPLAY(test_environment_limit),
        REPLAY(test_arenas),
        REPLAY_NOT(test_inheritance),
        REPLAY(test_trim_waits_for_the_stream),
        REPLAY(test_pool_outlives_its_release),
        REPLAY_NOT(test_end_in_a_stream),
        REPLAY(test_as_allocator),
        REPLAY(test_hooks),
        REPLAY_NOT(test_threads),
        REPLAY_NOT(test_fork),
        REPLAY_NOT(test_random_blocks),
        REPLAY_NOT(test_fragmentation),
    };
    setenv("TENORITE_BACKEND", "host", 1);
    setenv("TENORITE_HOST_DEVICES", "3", 1);
    return REPLAY_RUN("pool", tests);
}
