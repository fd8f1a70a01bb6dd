/* Pools: their life, limits, figures, and giving memory back to the source.
 *
 * Lock order: pools_lock, then a device's. A pool that was released lives until its last block came
 * back. A child of fork gets every pool in a consistent state, because the forking thread holds all
 * locks meanwhile. */
#include "core/memory/pool.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/thread.h"
#include "core/base/wait.h"
#include "core/memory/pool_take.h"
#include "core/stream/device.h"
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
    tni_lock_take(&device->lock);
}
static void give_lock(tni_device_pool *device) {
    tni_lock_give(&device->lock);
}
static void before_fork(void) {
    tni_lock_take(&pools_lock);
    for_each_device(take_lock);
}
static void after_fork(void) {
    for_each_device(give_lock);
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
    pthread_atfork(before_fork, after_fork, after_fork);
    atomic_init(&default_pool.references, 1);
    default_pool.source = *tn_allocator_raw();
    link_pool(&default_pool);
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

/* The limit that TENORITE_GPU_MEMORY_LIMIT sets: bytes, or a share of the device as "80%"; 0: none. A number
 * as 0.5 may have been meant for either. */
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

static void link_arena(tni_device_pool *device, tni_arena *arena) {
    arena->previous = NULL;
    arena->next = device->arenas;
    if (arena->next) arena->next->previous = arena;
    device->arenas = arena;
}

static void unlink_arena(tni_device_pool *device, tni_arena *arena) {
    if (arena->previous)
        arena->previous->next = arena->next;
    else
        device->arenas = arena->next;
    if (arena->next) arena->next->previous = arena->previous;
}

/* The one that is found comes first from now on. */
tni_arena *tni_pool_search_arena(tni_device_pool *device, const tn_stream *stream) {
    tni_arena *arena = device->arenas;
    while (arena && arena->stream != stream)
        arena = arena->next;
    if (arena) {
        unlink_arena(device, arena);
        link_arena(device, arena);
    }
    return arena;
}

static void own_arena(tni_device_pool *device, tni_arena *arena, tn_stream *stream) {
    arena->stream = stream;
    if (device->is_default) stream->arena = arena;
}

void tni_pool_add_arena(tni_device_pool *device, tni_arena *arena, tn_stream *stream) {
    own_arena(device, arena, stream);
    arena->spare = &device->spare;
    link_arena(device, arena);
}

/* --- Giving chunks back to the source --- */

static void free_chunk(tni_device_pool *device, tni_chunk *chunk, tn_stream *stream) {
    tn_allocator *source = &device->pool->source;
    if (chunk->outer) {
        tni_lock_take(&device->lock);
        tni_arena_uncarve(chunk);
        tni_lock_give(&device->lock);
        tni_free(chunk);
        return;
    }
    if (device->device.backend == TN_BACKEND_HOST)
        ASAN_UNPOISON_MEMORY_REGION(chunk->address, chunk->bytes);
    source->free(source->context, chunk->address, chunk->bytes, device->device, stream);
    tni_lock_take(&device->lock);
    device->total -= chunk->bytes;
    tni_lock_give(&device->lock);
    tni_free(chunk);
}

/* Whether this thread may wait for what is queued on the stream. */
static bool can_wait_for(const tn_stream *stream) {
    return !tni_self.works_off || stream->is_immediate;
}

/* Takes whole free chunks out of an arena of `stream` (NULL: any) that can be waited for, linked through
 * `next`, and retains the stream. NULL if no arena has any. Called with the lock held. */
static tni_chunk *take_whole_chunks(tni_device_pool *device, const tn_stream *stream,
                                    tn_stream **owner) {
    tni_chunk *list = NULL, *chunk;
    for (tni_arena *arena = device->arenas; arena && !list; arena = arena->next) {
        if ((stream && arena->stream != stream) || !can_wait_for(arena->stream)) continue;
        tni_arena_merge(arena);
        if (!tni_arena_find_whole(arena) || !tni_stream_retain_living(arena->stream)) continue;
        *owner = arena->stream;
        while ((chunk = tni_arena_find_whole(arena))) {
            tni_arena_remove(arena, chunk);
            chunk->next = list;
            list = chunk;
        }
    }
    return list;
}

void tni_pool_trim_device(tni_device_pool *device, const tn_stream *stream) {
    for (;;) {
        tn_stream *owner = NULL;
        tni_lock_take(&device->lock);
        tni_chunk *list = take_whole_chunks(device, stream, &owner);
        tni_lock_give(&device->lock);
        if (!list) return;
        tni_stream_drain(owner);
        for (tni_chunk *chunk = list, *next; chunk; chunk = next) {
            next = chunk->next;
            free_chunk(device, chunk, owner);
        }
        tn_stream_release(owner);
    }
}

void tn_pool_trim(tn_pool *pool, tn_device device, tn_stream *stream) {
    tni_device_pool *part = tn_stream_default(device) ? tni_pool_find_device(pool, device) : NULL;
    if (part) tni_pool_trim_device(part, stream);
}

void tni_pool_drop_stream(tn_stream *stream) {
    tn_stream *heir = tn_stream_default(stream->device);
    tni_lock_take(&pools_lock);
    for (tn_pool *pool = pools; pool; pool = pool->next) {
        tni_device_pool *device = tni_pool_find_device(pool, stream->device);
        if (!device) continue;
        tni_lock_take(&device->lock);
        tni_arena *from = tni_pool_find_arena(device, stream);
        if (from) {
            tni_arena *to = tni_pool_find_arena(device, heir);
            tni_arena_merge(from);
            tni_arena_dissolve(from);
            tni_arena_end(from);
            if (to) {
                tni_arena_move(to, from);
                unlink_arena(device, from);
                tni_free(from);
            } else {
                own_arena(device, from, heir);
            }
        }
        tni_lock_give(&device->lock);
    }
    tni_lock_give(&pools_lock);
}

static void for_heirs(tn_stream *heir, void (*action)(tni_arena *, uint64_t), uint64_t claim) {
    tni_lock_take(&pools_lock);
    for (tn_pool *pool = pools; pool; pool = pool->next) {
        tni_device_pool *device = tni_pool_find_device(pool, heir->device);
        if (!device) continue;
        tni_lock_take(&device->lock);
        tni_arena *arena = tni_pool_find_arena(device, heir);
        if (arena) {
            tni_arena_merge(arena);
            action(arena, claim);
        }
        tni_lock_give(&device->lock);
    }
    tni_lock_give(&pools_lock);
}

void tni_pools_find_idle(tn_device device) {
    tn_stream *heir = tn_stream_default(device);
    uint64_t claim = tni_pool_make_claim();
    bool done = false;
    for_heirs(heir, tni_arena_claim, claim);
    if (tni_stream_is_done(heir, &done) == TN_OK && done)
        for_heirs(heir, tni_arena_mark_idle, claim);
}

/* --- The end of a pool --- */

static void destroy(void *context) {
    tn_pool *pool = context;
    for (int slot = 0; slot < TNI_POOL_SLOTS; slot++) {
        tni_device_pool *device = atomic_load(&pool->devices[slot]);
        if (device) tni_pool_trim_device(device, NULL);
    }
    unlink_pool(pool); /* so far it hears of streams that end */
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
        tni_lock_take(&device->lock);
        is_empty = device->blocks_out == 0;
        tni_lock_give(&device->lock);
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
    tni_lock_take(&pools_lock); /* nobody destroys the pool meanwhile */
    for (int slot = 0; slot < TNI_POOL_SLOTS; slot++) {
        tni_device_pool *device = atomic_load(&pool->devices[slot]);
        if (!device) continue;
        tni_lock_take(&device->lock);
        device->is_released = true;
        tni_lock_give(&device->lock);
    }
    tni_lock_give(&pools_lock);
    tni_pool_destroy_if_empty(pool);
}

/* --- Figures --- */

static void count_device(tn_statistics *figures, tni_device_pool *device) {
    tni_lock_take(&device->lock);
    for (const tni_arena *arena = device->arenas; arena; arena = arena->next) {
        figures->arenas++;
        for (const tni_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
            figures->chunks++;
    }
    figures->used_bytes += device->used;
    figures->total_bytes += device->total;
    tni_lock_give(&device->lock);
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
    TNI_TRY(tni_pool_make_device(&part, pool, device));
    tni_lock_take(&part->lock);
    part->limit = bytes;
    tni_lock_give(&part->lock);
    return TN_OK;
}

tn_pool_statistics tn_pool_get_statistics(tn_pool *pool, tn_device device) {
    tni_device_pool *part;
    tn_pool_statistics figures = {0};
    if (!tn_stream_default(device) || tni_pool_make_device(&part, pool, device) != TN_OK)
        return figures;
    tni_lock_take(&part->lock);
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
    tni_lock_give(&part->lock);
    return figures;
}
