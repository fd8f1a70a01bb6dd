/* Pools: their life, limits and figures, and what becomes of the memory of ended streams.
 *
 * Lock order: the lock of streams' lives, pools_lock, then a device's. A pool that was released
 * lives until its last block came back. A child of fork gets every pool in a consistent state,
 * because the forking thread holds all these locks meanwhile. */
#include "core/memory/pool.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/thread.h"
#include "core/base/wait.h"
#include "core/base/waiting.h"
#include "core/memory/pool_trim.h"
#include "core/stream/order.h"
#include "core/stream/stream_life.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tenorite/statistics.h>

static tni_lock pools_lock;
static tn_pool *pools;
static tn_pool default_pool;

/* --- Fork --- */

static void for_each_device(void (*action)(tni_device_pool *)) {
    for (tn_pool *pool = pools; pool; pool = pool->next)
        for (int slot = 0; slot < TNI_POOL_SLOTS; slot++) {
            tni_device_pool *device = atomic_load(&pool->devices[slot]);
            if (device) action(device);
        }
}
static void take_lock(tni_device_pool *device) {
    tni_biased_lock_take(&device->lock);
}
static void give_lock(tni_device_pool *device) {
    tni_biased_lock_give(&device->lock);
}
static void before_fork(void) {
    tni_lock_take(&pools_lock);
    for_each_device(take_lock);
}
static void after_fork(void) {
    for_each_device(give_lock);
    tni_lock_give(&pools_lock);
}

/* --- Streams that end --- */

/* The free memory of an ended stream serves the default stream. */
static void pass_on(tn_stream *ended) {
    tn_stream *heir = tn_stream_default(ended->device);
    tni_lock_take(&pools_lock);
    for (tn_pool *pool = pools; pool; pool = pool->next) {
        tni_device_pool *device = tni_pool_find_device(pool, ended->device);
        if (!device) continue;
        tni_biased_lock_take(&device->lock);
        tni_device_pool_pass_on(device, ended, heir);
        tni_biased_lock_give(&device->lock);
    }
    tni_lock_give(&pools_lock);
}

/* --- Pools and their devices --- */

static void link_pool(tn_pool *pool) {
    tni_lock_take(&pools_lock);
    pool->next = pools;
    if (pools) pools->previous = pool;
    pools = pool;
    tni_lock_give(&pools_lock);
}

static void unlink_pool(tn_pool *pool) {
    tni_lock_take(&pools_lock);
    if (pool->previous)
        pool->previous->next = pool->next;
    else
        pools = pool->next;
    if (pool->next) pool->next->previous = pool->previous;
    tni_lock_give(&pools_lock);
}

static void begin(void) {
    static const tni_stream_watcher watcher = {pass_on, before_fork, after_fork};
    tni_stream_watch(&watcher);
    default_pool.source = *tn_allocator_raw();
    link_pool(&default_pool);
    atomic_store_explicit(&default_pool.references, 1, memory_order_release);
}

static pthread_once_t begun = PTHREAD_ONCE_INIT;

tn_pool *tn_pool_default(void) {
    if (!atomic_load_explicit(&default_pool.references, memory_order_acquire))
        pthread_once(&begun, begin);
    return &default_pool;
}

tn_status tn_pool_new(tn_pool **result, const tn_allocator *source) {
    pthread_once(&begun, begin);
    tn_pool *pool = tni_calloc(1, sizeof *pool);
    if (!pool) return tni_fail_no_memory(sizeof *pool);
    atomic_init(&pool->references, 1);
    pool->source = source ? *source : *tn_allocator_raw();
    link_pool(pool);
    *result = pool;
    return TN_OK;
}

tn_pool *tn_pool_retain(tn_pool *pool) {
    atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
    return pool;
}

/* A whole number, with nothing around it. */
static bool read_bytes(int64_t *bytes, const char *text) {
    char *end;
    errno = 0;
    *bytes = strtoll(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0;
}

static bool read_percentage(double *percentage, const char *text) {
    char *end;
    *percentage = strtod(text, &end);
    return isdigit((unsigned char)*text) && strcmp(end, "%") == 0 && *percentage <= 100;
}

/* The limit that TENORITE_GPU_MEMORY_LIMIT sets: bytes, or a share of the device as "80%"; 0: none.
 * A number as 0.5 may have been meant for either. */
static tn_status initial_limit(int64_t *limit, tn_device device) {
    const char *text = getenv("TENORITE_GPU_MEMORY_LIMIT");
    int64_t free_bytes, total_bytes;
    double percentage;
    *limit = 0;
    if (!text || !*text || read_bytes(limit, text)) return TN_OK;
    if (!read_percentage(&percentage, text))
        TNI_FAIL(TN_ERROR_VALUE,
                 "TENORITE_GPU_MEMORY_LIMIT must be a number of bytes, as 1000000000, or a "
                 "percentage, as 50%%, not '%s'",
                 text);
    TNI_TRY(tn_device_get_memory_info(device, &free_bytes, &total_bytes));
    *limit = (int64_t)((double)total_bytes * percentage / 100);
    return TN_OK;
}

tn_status tni_pool_make_device(tni_device_pool **result, tn_pool *pool, tn_device device) {
    tni_device_pool *there = tni_pool_find_device(pool, device), *made;
    if ((*result = there)) return TN_OK;
    if (!(made = tni_calloc(1, sizeof *made))) return tni_fail_no_memory(sizeof *made);
    made->pool = pool;
    made->device = device;
    made->is_default = pool == &default_pool;
    tn_status status = initial_limit(&made->limit, device);
    if (status != TN_OK) {
        tni_free(made);
        return status;
    }
    tni_lock_take(&pools_lock); /* a fork sees all devices or waits */
    if (!atomic_compare_exchange_strong(
            &pool->devices[device.backend * TNI_MAX_DEVICES + device.number], &there, made)) {
        tni_free(made);
        made = there;
    }
    tni_lock_give(&pools_lock);
    *result = made;
    return TN_OK;
}

/* --- Memory of ended streams --- */

/* Calls an action for the default stream's arena in each pool. */
static void for_default_arenas(tn_stream *stream, void (*action)(tni_arena *, uint64_t),
                               uint64_t request) {
    tni_lock_take(&pools_lock);
    for (tn_pool *pool = pools; pool; pool = pool->next) {
        tni_device_pool *device = tni_pool_find_device(pool, stream->device);
        if (!device) continue;
        tni_biased_lock_take(&device->lock);
        tni_arena *arena = tni_device_pool_find_arena(device, stream);
        if (arena) {
            tni_arena_merge(arena);
            action(arena, request);
        }
        tni_biased_lock_give(&device->lock);
    }
    tni_lock_give(&pools_lock);
}

void tni_pools_find_idle(tn_device device) {
    tn_stream *stream = tn_stream_default(device);
    uint64_t request = tni_arena_new_request();
    bool done = false;
    for_default_arenas(stream, tni_arena_mark_request, request);
    if (tni_stream_is_done(stream, &done) == TN_OK && done)
        for_default_arenas(stream, tni_arena_mark_idle, request);
}

/* --- The end of a pool --- */

static void destroy(void *context) {
    tn_pool *pool = context;
    for (int slot = 0; slot < TNI_POOL_SLOTS; slot++) {
        tni_device_pool *device = atomic_load(&pool->devices[slot]);
        if (device) tni_pool_trim_device(device, NULL);
    }
    unlink_pool(pool); /* before that, ends of streams must reach it */
    for (int slot = 0; slot < TNI_POOL_SLOTS; slot++) {
        tni_device_pool *device = atomic_load(&pool->devices[slot]);
        if (!device) continue;
        for (tni_arena *arena = device->arenas, *next; arena; arena = next) {
            next = arena->next;
            tni_free(arena);
        }
        for (tni_block *header = device->spare, *next; header; header = next) {
            next = header->left;
            tni_free(header);
        }
        tni_free(device);
    }
    tni_free(pool);
}

void tni_pool_destroy_if_empty(tn_pool *pool) {
    bool is_empty = false;
    tni_lock_take(&pools_lock);
    for (tn_pool *known = pools; known && !is_empty; known = known->next)
        is_empty = known == pool && atomic_load(&pool->references) == 0 && !pool->is_ending;
    for (int slot = 0; is_empty && slot < TNI_POOL_SLOTS; slot++) {
        tni_device_pool *device = atomic_load(&pool->devices[slot]);
        if (!device) continue;
        tni_biased_lock_take(&device->lock);
        is_empty = device->blocks_out == 0;
        tni_biased_lock_give(&device->lock);
    }
    if (is_empty) pool->is_ending = true;
    tni_lock_give(&pools_lock);
    if (!is_empty) return;
    if (!tni_self.works_off)
        destroy(pool);
    else
        (void)tni_call_elsewhere(destroy, pool); /* where that is not possible, it is lost */
}

void tn_pool_release(tn_pool *pool) {
    if (!pool || pool == &default_pool) return;
    if (atomic_fetch_sub_explicit(&pool->references, 1, memory_order_acq_rel) != 1) return;
    tni_lock_take(&pools_lock); /* the pool is not destroyed meanwhile */
    for (int slot = 0; slot < TNI_POOL_SLOTS; slot++) {
        tni_device_pool *device = atomic_load(&pool->devices[slot]);
        if (!device) continue;
        tni_biased_lock_take(&device->lock);
        device->is_released = true;
        tni_biased_lock_give(&device->lock);
    }
    tni_lock_give(&pools_lock);
    tni_pool_destroy_if_empty(pool);
}

/* --- Figures --- */

static void count_device(tn_statistics *figures, tni_device_pool *device) {
    tni_biased_lock_take(&device->lock);
    for (const tni_arena *arena = device->arenas; arena; arena = arena->next) {
        figures->arenas++;
        for (const tni_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
            figures->chunks++;
    }
    figures->used_bytes += device->used;
    figures->total_bytes += device->total;
    tni_biased_lock_give(&device->lock);
}

void tni_pools_count(tn_statistics *figures) {
    tni_lock_take(&pools_lock);
    for (tn_pool *pool = pools; pool; pool = pool->next)
        for (int slot = 0; slot < TNI_POOL_SLOTS; slot++) {
            tni_device_pool *device = atomic_load(&pool->devices[slot]);
            if (device) count_device(figures, device);
        }
    tni_lock_give(&pools_lock);
}

tn_status tn_pool_set_limit(tn_pool *pool, tn_device device, int64_t bytes) {
    tni_device_pool *part;
    if (bytes < 0)
        TNI_FAIL(TN_ERROR_VALUE, "memory limit size out of range: %lld", (long long)bytes);
    if (!tn_stream_default(device)) return TN_ERROR_DEVICE;
    tni_look_device(TNI_LOOK_POOL_TRIM, device);
    TNI_TRY(tni_pool_make_device(&part, pool, device));
    tni_biased_lock_take(&part->lock);
    part->limit = bytes;
    tni_biased_lock_give(&part->lock);
    return TN_OK;
}

tn_pool_statistics tn_pool_get_statistics(tn_pool *pool, tn_device device) {
    tni_device_pool *part;
    tn_pool_statistics figures = {0};
    tni_look_device(TNI_LOOK_POOL_FIGURES, device);
    if (!tn_stream_default(device) || tni_pool_make_device(&part, pool, device) != TN_OK)
        return figures;
    tni_biased_lock_take(&part->lock);
    for (tni_arena *arena = part->arenas; arena; arena = arena->next) {
        tni_arena_merge(arena);
        figures.free_blocks += tni_arena_count_free(arena);
    }
    figures.used_bytes = part->used;
    figures.free_bytes = part->total - part->used;
    figures.total_bytes = part->total;
    figures.peak_used_bytes = part->peak_used;
    figures.peak_total_bytes = part->peak_total;
    figures.limit_bytes = part->limit;
    figures.allocations = part->allocations;
    figures.source_allocations = part->source_allocations;
    tni_biased_lock_give(&part->lock);
    return figures;
}
