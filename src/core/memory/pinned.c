/* The pool of page-locked host memory. Sizes are rounded up to a power of two, at least 512 bytes;
 * freed blocks wait in a list per size. A block that a copy may still use comes back with an event
 * and is handed out again only once that is done. Blocks in use are found by address. */
#include "core/memory/pinned.h"

#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/base/wait.h"
#include "core/base/waiting.h"
#include "core/memory/pool.h"
#include "core/stream/event.h"
#include "core/stream/order.h"

#include <pthread.h>
#include <tenorite/memory.h>

enum { SIZES = 63, BUCKETS = 256 };

typedef struct pinned_block {
    struct pinned_block *next;
    void *address;
    int exponent;    /* of the size, a power of two */
    tn_event *event; /* pending use, for free blocks */
} pinned_block;

struct tn_pinned_pool {
    tni_lock lock;
    bool is_released;
    tn_pinned_source source;
    int64_t used_count;
    atomic_int_least64_t bytes; /* held from the source */
    pinned_block *used[BUCKETS];
    pinned_block *free[SIZES];
    tn_pinned_pool *next_pool;
};

static tni_lock pools_lock;
static tn_pinned_pool *pools;
static tn_pinned_pool default_pool;

static void before_fork(void) {
    tni_look_all(TNI_LOOK_FORK);
    tni_lock_take(&pools_lock);
    for (tn_pinned_pool *pool = pools; pool; pool = pool->next_pool)
        tni_lock_take(&pool->lock);
}
static void after_fork(void) {
    for (tn_pinned_pool *pool = pools; pool; pool = pool->next_pool)
        tni_lock_give(&pool->lock);
    tni_lock_give(&pools_lock);
}

static tn_status ask_backend(void *context, void **address, int64_t bytes) {
    const tni_backend *backend = context;
    if (!backend) TNI_FAIL(TN_ERROR_DEVICE, "the primary backend is not there");
    return backend->pinned_allocate(address, bytes);
}
static void free_to_backend(void *context, void *address, int64_t bytes) {
    ((const tni_backend *)context)->pinned_free(address, bytes);
}

static void open_pool(tn_pinned_pool *pool, const tn_pinned_source *source) {
    const tni_backend *primary = tni_backend_get(tn_backend_primary());
    pool->source =
        source ? *source
               : (tn_pinned_source){(void *)(uintptr_t)primary, ask_backend, free_to_backend};
    tni_lock_take(&pools_lock);
    pool->next_pool = pools;
    pools = pool;
    tni_lock_give(&pools_lock);
}

static void begin(void) {
    pthread_atfork(before_fork, after_fork, after_fork);
    open_pool(&default_pool, NULL);
}
static pthread_once_t begun = PTHREAD_ONCE_INIT;

tn_pinned_pool *tn_pinned_pool_default(void) {
    pthread_once(&begun, begin);
    return &default_pool;
}

tn_status tn_pinned_pool_new(tn_pinned_pool **result, const tn_pinned_source *source) {
    if (source && (!source->allocate || !source->free))
        TNI_FAIL(TN_ERROR_VALUE, "a source needs both functions, allocate and free");
    pthread_once(&begun, begin);
    tn_pinned_pool *pool = tni_calloc(1, sizeof *pool);
    if (!pool) return tni_fail_no_memory(sizeof *pool);
    open_pool(pool, source);
    *result = pool;
    return TN_OK;
}

static bool is_free_now(const pinned_block *block) {
    bool done = true;
    return !block->event || (tni_event_is_done(block->event, &done) == TN_OK && done);
}

/* Takes a list of free blocks out of the pool, or puts it back. The driver is asked about blocks
 * only while they are out: the driver may wait, and a thread that needs the lock must not wait with
 * it. */
static pinned_block *take_list(tn_pinned_pool *pool, int size) {
    tni_lock_take(&pool->lock);
    pinned_block *list = pool->free[size];
    pool->free[size] = NULL;
    tni_lock_give(&pool->lock);
    return list;
}

static void put_list(tn_pinned_pool *pool, int size, pinned_block *list) {
    if (!list) return;
    pinned_block *last = list;
    while (last->next)
        last = last->next;
    tni_lock_take(&pool->lock);
    last->next = pool->free[size];
    pool->free[size] = list;
    tni_lock_give(&pool->lock);
}

/* Takes out the free blocks whose last use is over, or all, linked through `next`. */
static pinned_block *take_blocks(tn_pinned_pool *pool, bool all) {
    pinned_block *taken = NULL;
    for (int size = 0; size < SIZES; size++) {
        pinned_block *list = take_list(pool, size), **place = &list, *block;
        while ((block = *place)) {
            if (!all && !is_free_now(block)) {
                place = &block->next;
                continue;
            }
            *place = block->next;
            block->next = taken;
            taken = block;
        }
        put_list(pool, size, list);
    }
    return taken;
}

static void free_blocks(tn_pinned_pool *pool, pinned_block *list) {
    const tn_pinned_source *source = &pool->source;
    for (pinned_block *next; list; list = next) {
        next = list->next;
        if (list->event) tni_event_drain(list->event);
        tn_event_release(list->event);
        source->free(source->context, list->address, (int64_t)1 << list->exponent);
        atomic_fetch_sub(&pool->bytes, (int64_t)1 << list->exponent);
        tni_free(list);
    }
}

void tn_pinned_pool_trim(tn_pinned_pool *pool) {
    free_blocks(pool, take_blocks(pool, false));
}

static void destroy_now(void *context) {
    tn_pinned_pool *pool = context;
    tni_lock_take(&pools_lock);
    tn_pinned_pool **place = &pools;
    while (*place != pool)
        place = &(*place)->next_pool;
    *place = pool->next_pool;
    tni_lock_give(&pools_lock);
    free_blocks(pool, take_blocks(pool, true));
    tni_free(pool);
}

/* Called with no block in use and no owner. */
static void destroy(tn_pinned_pool *pool) {
    if (!tni_self.works_off)
        destroy_now(pool);
    else
        (void)tni_call_elsewhere(destroy_now, pool); /* where that is not possible, it is lost */
}

void tn_pinned_pool_release(tn_pinned_pool *pool) {
    if (!pool || pool == &default_pool) return;
    tni_lock_take(&pool->lock);
    pool->is_released = true;
    bool is_last = pool->used_count == 0;
    tni_lock_give(&pool->lock);
    if (is_last) destroy(pool);
}

/* A free block of the size whose last use is over. */
static pinned_block *take_free(tn_pinned_pool *pool, int exponent) {
    pinned_block *list = take_list(pool, exponent), **place = &list, *block;
    while ((block = *place) && !is_free_now(block))
        place = &block->next;
    if (block) *place = block->next;
    put_list(pool, exponent, list);
    return block;
}

static pinned_block **bucket_of(tn_pinned_pool *pool, const void *address) {
    return &pool->used[((uintptr_t)address >> 9 ^ (uintptr_t)address >> 17) % BUCKETS];
}

static tn_status make_block(pinned_block **result, tn_pinned_pool *pool, int exponent) {
    const tn_pinned_source *source = &pool->source;
    pinned_block *block = tni_calloc(1, sizeof *block);
    if (!block) return tni_fail_no_memory(sizeof *block);
    block->exponent = exponent;
    tn_status status = source->allocate(source->context, &block->address, (int64_t)1 << exponent);
    if (status != TN_OK) {
        tni_free(block);
        return status;
    }
    atomic_fetch_add(&pool->bytes, (int64_t)1 << exponent);
    *result = block;
    return TN_OK;
}

tn_status tn_pinned_pool_allocate(tn_pinned_pool *pool, void **address, int64_t bytes) {
    if (bytes <= 0 || bytes > (int64_t)1 << (SIZES - 1))
        TNI_FAIL(TN_ERROR_VALUE, "cannot allocate %lld bytes of pinned memory", (long long)bytes);
    int exponent = bytes <= 512 ? 9 : 64 - __builtin_clzll((unsigned long long)bytes - 1);
    pinned_block *block = take_free(pool, exponent);
    if (!block) {
        tn_status status = make_block(&block, pool, exponent);
        if (status == TN_ERROR_MEMORY) {
            tn_pinned_pool_trim(pool);
            status = make_block(&block, pool, exponent);
        }
        TNI_TRY(status);
    }
    tn_event_release(block->event);
    block->event = NULL;
    tni_lock_take(&pool->lock);
    block->next = *bucket_of(pool, block->address);
    *bucket_of(pool, block->address) = block;
    pool->used_count++;
    tni_lock_give(&pool->lock);
    *address = block->address;
    return TN_OK;
}

void tn_pinned_pool_free(tn_pinned_pool *pool, void *address, tn_event *event) {
    bool is_last = false;
    if (!address) return;
    tni_lock_take(&pool->lock);
    pinned_block **place = bucket_of(pool, address), *block;
    while ((block = *place) && block->address != address)
        place = &block->next;
    if (block) {
        *place = block->next;
        block->event = event ? tn_event_retain(event) : NULL;
        block->next = pool->free[block->exponent];
        pool->free[block->exponent] = block;
        is_last = --pool->used_count == 0 && pool->is_released;
    }
    tni_lock_give(&pool->lock);
    if (is_last) destroy(pool);
}

tn_status tn_pinned_pool_free_after(tn_pinned_pool *pool, void *address, tn_stream *stream) {
    tn_event *event = NULL;
    bool done = true;
    TNI_TRY(tni_stream_or_current(&stream));
    TNI_TRY(tni_stream_is_done(stream, &done));
    if (!done && !tni_stream_capture(stream)) { /* a graph keeps what it uses */
        TNI_TRY(tn_event_new(&event, stream->device, false));
        tn_status status = tn_event_record(event, stream);
        if (status != TN_OK) {
            tn_event_release(event);
            return status;
        }
    }
    tn_pinned_pool_free(pool, address, event);
    tn_event_release(event);
    return TN_OK;
}

int64_t tn_pinned_pool_free_blocks(tn_pinned_pool *pool) {
    int64_t count = 0;
    tni_lock_take(&pool->lock);
    for (int size = 0; size < SIZES; size++)
        for (pinned_block *block = pool->free[size]; block; block = block->next)
            count++;
    tni_lock_give(&pool->lock);
    return count;
}

int64_t tni_pinned_bytes(void) {
    int64_t bytes = 0;
    tni_lock_take(&pools_lock);
    for (tn_pinned_pool *pool = pools; pool; pool = pool->next_pool)
        bytes += atomic_load(&pool->bytes);
    tni_lock_give(&pools_lock);
    return bytes;
}
