/* The best-fit pool: one arena per device and stream, limits, statistics, trimming, and what happens
 * when memory is out.
 *
 * One lock per pool and device guards the arenas and the figures, which are therefore exact. It is
 * never held while the source, a stream or a hook is called. Lock order: pools_lock, then a device's.
 * A small request asks the source for a chunk that many share, a large one for exactly its size.
 * When that fails: the stream's whole free chunks go back to the source, then those of all streams,
 * then the reclaim function is called; after each the request is tried again.
 * A pool that was released lives until its last block came back. */
#include "core/pool.h"

#include "backend/backend.h"
#include "core/alloc.h"
#include "core/error.h"
#include "core/hooks.h"
#include "core/lock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)0)
#endif

enum { SLOTS = TN_BACKEND_COUNT * TNI_MAX_DEVICES, BUCKETS = 256 };

typedef struct device_pool {
    tni_lock lock;
    tn_pool *pool;
    tn_device device;
    tni_arena *arenas;                                 /* the last used one first */
    tni_block *spare;                                  /* headers */
    int64_t used, peak_used, total, peak_total, limit; /* bytes; total counts what is on its way */
    int64_t allocations, source_allocations;
    int64_t blocks_out;
    bool is_released;               /* the pool has no owner any more */
    tni_block *by_address[BUCKETS]; /* blocks given out through the tn_allocator interface */
} device_pool;

struct tn_pool {
    atomic_int references;
    tn_allocator source;
    _Atomic(device_pool *) devices[SLOTS];
    tn_pool *previous, *next; /* all pools; guarded by pools_lock */
};

static tni_lock pools_lock;
static tn_pool *pools;
static tn_pool default_pool;

static struct {
    tni_lock lock;
    void (*function)(void *context);
    void *context;
} reclaim;

static int64_t round_up(int64_t bytes) {
    return (bytes + TNI_UNIT - 1) & -(int64_t)TNI_UNIT;
}

/* --- Fork: the child gets every pool in a consistent state --- */

static void for_each_device(void (*action)(device_pool *)) {
    for (tn_pool *pool = pools; pool; pool = pool->next)
        for (int slot = 0; slot < SLOTS; slot++) {
            device_pool *device = atomic_load(&pool->devices[slot]);
            if (device) action(device);
        }
}
static void take_lock(device_pool *device) {
    tni_lock_take(&device->lock);
}
static void give_lock(device_pool *device) {
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

/* The limit that TENORITE_GPU_MEMORY_LIMIT sets: bytes, or a share of the device as "80%". */
static tn_status initial_limit(int64_t *limit, tn_device device) {
    const char *text = getenv("TENORITE_GPU_MEMORY_LIMIT");
    *limit = 0;
    if (!text || !*text) return TN_OK;
    char *end;
    double number = strtod(text, &end);
    int64_t free_bytes, total_bytes;
    if (strcmp(end, "%") == 0 && number >= 0 && number <= 100) {
        TNI_TRY(tn_device_get_memory_info(device, &free_bytes, &total_bytes));
        *limit = (int64_t)((double)total_bytes * number / 100);
        return TN_OK;
    }
    if (*end != '\0' || !(number >= 0 && number < 9e18))
        TNI_FAIL(TN_ERROR_VALUE,
                 "TENORITE_GPU_MEMORY_LIMIT must be a number of bytes or a percentage, not '%s'",
                 text);
    *limit = (int64_t)number;
    return TN_OK;
}

static tn_status make_device(device_pool **result, tn_pool *pool, tn_device device, int slot) {
    device_pool *made = tni_calloc(1, sizeof *made), *there = NULL;
    if (!made) return tni_fail_no_memory(sizeof *made);
    made->pool = pool;
    made->device = device;
    tn_status status = initial_limit(&made->limit, device);
    if (status != TN_OK) {
        tni_free(made);
        return status;
    }
    tni_lock_take(&pools_lock); /* a fork sees all devices or waits */
    if (!atomic_compare_exchange_strong(&pool->devices[slot], &there, made)) {
        tni_free(made);
        made = there;
    }
    tni_lock_give(&pools_lock);
    *result = made;
    return TN_OK;
}

/* A device's part of the pool; made if `make`, else NULL when there is none. */
static tn_status find_device(device_pool **result, tn_pool *pool, tn_device device, bool make) {
    int slot = device.backend * TNI_MAX_DEVICES + device.number;
    *result = atomic_load_explicit(&pool->devices[slot], memory_order_acquire);
    return *result || !make ? TN_OK : make_device(result, pool, device, slot);
}

/* The arena of a stream, NULL if there is none. */
static tni_arena *find_arena(device_pool *device, const tn_stream *stream) {
    tni_arena *first = device->arenas;
    if (first && first->stream == stream) return first;
    for (tni_arena **place = &device->arenas, *arena; (arena = *place); place = &arena->next) {
        if (arena->stream != stream) continue;
        *place = arena->next;
        arena->next = device->arenas;
        device->arenas = arena;
        return arena;
    }
    return NULL;
}

/* --- Giving chunks back to the source --- */

static void free_chunk(device_pool *device, tni_chunk *chunk, tn_stream *stream) {
    tn_allocator *source = &device->pool->source;
    ASAN_UNPOISON_MEMORY_REGION(chunk->address, chunk->bytes);
    source->free(source->context, chunk->address, chunk->bytes, device->device, stream);
    tni_lock_take(&device->lock);
    device->total -= chunk->bytes;
    tni_lock_give(&device->lock);
    tni_free(chunk);
}

/* A reference to a stream that may be about to go; false if it does. */
static bool retain_living(tn_stream *stream) {
    if (stream->is_default) return true;
    int references = atomic_load(&stream->references);
    while (references > 0)
        if (atomic_compare_exchange_weak(&stream->references, &references, references + 1))
            return true;
    return false;
}

/* Takes whole free chunks out of an arena of `stream` (NULL: any), linked through `next`, and retains
 * the stream. NULL if no arena has any. Called with the lock held. */
static tni_chunk *take_whole_chunks(device_pool *device, const tn_stream *stream,
                                    tn_stream **owner) {
    tni_chunk *list = NULL, *chunk;
    for (tni_arena *arena = device->arenas; arena && !list; arena = arena->next) {
        if (stream && arena->stream != stream) continue;
        tni_arena_merge(arena);
        if (!tni_arena_find_whole(arena) || !retain_living(arena->stream)) continue;
        *owner = arena->stream;
        while ((chunk = tni_arena_find_whole(arena))) {
            tni_arena_remove(arena, chunk);
            chunk->next = list;
            list = chunk;
        }
    }
    return list;
}

static void trim(device_pool *device, const tn_stream *stream) {
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
    device_pool *part;
    if (find_device(&part, pool, device, false) == TN_OK && part) trim(part, stream);
}

void tni_pool_drop_stream(tn_stream *stream) {
    tn_stream *heir = tn_stream_default(stream->device);
    tni_lock_take(&pools_lock);
    for (tn_pool *pool = pools; pool; pool = pool->next) {
        device_pool *device;
        find_device(&device, pool, stream->device, false);
        if (!device) continue;
        tni_lock_take(&device->lock);
        tni_arena *from = find_arena(device, stream);
        if (from) { /* it is the first now */
            tni_arena *to = find_arena(device, heir);
            tni_arena_merge(from);
            if (to) {
                tni_arena_move(to, from);
                device->arenas->next = from->next; /* `to` was moved in front of it */
                tni_free(from);
            } else {
                from->stream = heir;
            }
        }
        tni_lock_give(&device->lock);
    }
    tni_lock_give(&pools_lock);
}

/* --- The end of a pool --- */

static void destroy(tn_pool *pool) {
    for (int slot = 0; slot < SLOTS; slot++) {
        device_pool *device = atomic_load(&pool->devices[slot]);
        if (!device) continue;
        trim(device, NULL);
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

/* Destroys a released pool if nothing of it is out. `pool` may be gone already. */
static void destroy_if_empty(tn_pool *pool) {
    bool is_empty = false;
    tni_lock_take(&pools_lock);
    for (tn_pool *known = pools; known && !is_empty; known = known->next)
        is_empty = known == pool && atomic_load(&pool->references) == 0;
    for (int slot = 0; is_empty && slot < SLOTS; slot++) {
        device_pool *device = atomic_load(&pool->devices[slot]);
        if (!device) continue;
        tni_lock_take(&device->lock);
        is_empty = device->blocks_out == 0;
        tni_lock_give(&device->lock);
    }
    if (is_empty) {
        if (pool->previous)
            pool->previous->next = pool->next;
        else
            pools = pool->next;
        if (pool->next) pool->next->previous = pool->previous;
    }
    tni_lock_give(&pools_lock);
    if (is_empty) destroy(pool);
}

void tn_pool_release(tn_pool *pool) {
    if (!pool || pool == &default_pool) return;
    if (atomic_fetch_sub_explicit(&pool->references, 1, memory_order_acq_rel) != 1) return;
    tni_lock_take(&pools_lock); /* nobody destroys the pool meanwhile */
    for (int slot = 0; slot < SLOTS; slot++) {
        device_pool *device = atomic_load(&pool->devices[slot]);
        if (!device) continue;
        tni_lock_take(&device->lock);
        device->is_released = true;
        tni_lock_give(&device->lock);
    }
    tni_lock_give(&pools_lock);
    destroy_if_empty(pool);
}

/* --- Growth --- */

static tn_status fail_limit(device_pool *device, int64_t bytes) {
    char where[48];
    snprintf(where, sizeof where, "%s:%d", tn_backend_name((tn_backend)device->device.backend),
             device->device.number);
    tni_lock_take(&device->lock);
    int64_t used = device->used, cached = device->total - used, limit = device->limit;
    tni_lock_give(&device->lock);
    return tni_fail_memory(bytes, used, cached, limit, where);
}

/* Memory for a chunk, counted in `total` from before the source is asked. */
static tn_status ask_source(device_pool *device, tni_chunk *chunk, tn_stream *stream) {
    tn_allocator *source = &device->pool->source;
    void *address = NULL;
    tni_lock_take(&device->lock);
    bool fits = device->limit == 0 || chunk->bytes <= device->limit - device->total;
    if (fits) device->total += chunk->bytes;
    tni_lock_give(&device->lock);
    if (!fits) return fail_limit(device, chunk->bytes);
    if (tni_has_hooks())
        tni_hooks_call(false, "alloc", device->device, chunk->bytes, chunk->bytes, NULL);
    tn_status status =
        source->allocate(source->context, &address, chunk->bytes, device->device, stream);
    if (tni_has_hooks())
        tni_hooks_call(true, "alloc", device->device, chunk->bytes, chunk->bytes, address);
    tni_lock_take(&device->lock);
    if (status != TN_OK)
        device->total -= chunk->bytes;
    else if (device->total > device->peak_total)
        device->peak_total = device->total;
    tni_lock_give(&device->lock);
    chunk->address = address;
    return status;
}

/* The parts of a chunk that come from the C heap. */
typedef struct parts {
    tni_chunk *chunk;
    tni_block *header;
    tni_arena *arena;
} parts;

static void free_parts(parts *parts) {
    tni_free(parts->chunk);
    tni_free(parts->header);
    tni_free(parts->arena);
}

static tn_status make_parts(parts *parts) {
    parts->chunk = tni_calloc(1, sizeof *parts->chunk);
    parts->header = tni_malloc(sizeof *parts->header);
    parts->arena = tni_calloc(1, sizeof *parts->arena);
    if (parts->chunk && parts->header && parts->arena) return TN_OK;
    free_parts(parts);
    return tni_fail_no_memory(sizeof(tni_chunk) + sizeof(tni_block) + sizeof(tni_arena));
}

static void count_out(device_pool *device, const tni_block *block) {
    device->blocks_out++;
    device->allocations++;
    device->used += block->bytes;
    if (device->used > device->peak_used) device->peak_used = device->used;
}

/* Adds a chunk that holds at least `bytes` and takes the block from it. */
static tn_status grow(tni_block **block, device_pool *device, int64_t bytes, tn_stream *stream) {
    parts parts;
    TNI_TRY(make_parts(&parts));
    bool is_small = bytes < TNI_SMALL_BYTES;
    parts.chunk->owner = device;
    parts.chunk->is_shared = is_small;
    parts.chunk->bytes = is_small ? TNI_SHARED_BYTES : bytes;
    tn_status status = ask_source(device, parts.chunk, stream);
    if (status == TN_ERROR_MEMORY && is_small) {
        parts.chunk->bytes = bytes;
        status = ask_source(device, parts.chunk, stream);
    }
    if (status != TN_OK) {
        free_parts(&parts);
        return status;
    }
    if (device->device.backend == TN_BACKEND_HOST)
        ASAN_POISON_MEMORY_REGION(parts.chunk->address, parts.chunk->bytes);
    tni_lock_take(&device->lock);
    tni_arena *arena = find_arena(device, stream);
    if (!arena) {
        arena = parts.arena;
        parts.arena = NULL;
        arena->stream = stream;
        arena->spare = &device->spare;
        arena->next = device->arenas;
        device->arenas = arena;
    }
    tni_arena_add(arena, parts.chunk, parts.header);
    device->source_allocations++;
    *block = tni_arena_take(arena, bytes);
    if (*block) count_out(device, *block);
    tni_lock_give(&device->lock);
    tni_free(parts.arena);
    return *block ? TN_OK : tni_fail_no_memory(sizeof(tni_block));
}

static tn_status take_once(tni_block **block, device_pool *device, int64_t bytes,
                           const tn_stream *stream) {
    *block = NULL;
    tni_lock_take(&device->lock);
    tni_arena *arena = find_arena(device, stream);
    if (arena && (*block = tni_arena_take(arena, bytes))) count_out(device, *block);
    tni_lock_give(&device->lock);
    return *block ? TN_OK : TN_ERROR_MEMORY;
}

void tn_pool_set_reclaim(void (*function)(void *context), void *context) {
    tni_lock_take(&reclaim.lock);
    reclaim.function = function;
    reclaim.context = context;
    tni_lock_give(&reclaim.lock);
}

static void call_reclaim(void) {
    tni_lock_take(&reclaim.lock);
    void (*function)(void *) = reclaim.function;
    void *context = reclaim.context;
    tni_lock_give(&reclaim.lock);
    if (function) function(context);
}

static tn_status take_slowly(tni_block **block, device_pool *device, int64_t bytes,
                             tn_stream *stream) {
    enum { GROW, TRIM_STREAM, TRIM_ALL, RECLAIM, GIVE_UP };
    for (int step = GROW; step < GIVE_UP; step++) {
        if (step == RECLAIM) call_reclaim();
        if (step != GROW) trim(device, step == TRIM_STREAM ? stream : NULL);
        if (take_once(block, device, bytes, stream) == TN_OK) return TN_OK;
        tn_status status = grow(block, device, bytes, stream);
        if (status != TN_ERROR_MEMORY) return status;
    }
    return fail_limit(device, bytes);
}

/* --- Taking and giving --- */

static tn_status take(tni_block **block, tn_pool *pool, int64_t bytes, tn_stream *stream) {
    device_pool *device;
    TNI_TRY(find_device(&device, pool, stream->device, true));
    if (take_once(block, device, round_up(bytes), stream) != TN_OK)
        TNI_TRY(take_slowly(block, device, round_up(bytes), stream));
    if (device->device.backend == TN_BACKEND_HOST)
        ASAN_UNPOISON_MEMORY_REGION((*block)->address, bytes);
    return TN_OK;
}

tn_status tni_pool_take(tni_block **block, tn_pool *pool, int64_t bytes, tn_stream *stream) {
    if (bytes <= 0 || bytes > INT64_MAX - TNI_UNIT)
        TNI_FAIL(TN_ERROR_VALUE, "cannot allocate %lld bytes", (long long)bytes);
    if (!tni_has_hooks()) return take(block, pool, bytes, stream);
    tni_hooks_call(false, "malloc", stream->device, bytes, round_up(bytes), NULL);
    tn_status status = take(block, pool, bytes, stream);
    tni_hooks_call(true, "malloc", stream->device, bytes, round_up(bytes),
                   status == TN_OK ? (*block)->address : NULL);
    return status;
}

static void give(tni_block *block) {
    device_pool *device = block->chunk->owner;
    tn_pool *pool = device->pool;
    if (device->device.backend == TN_BACKEND_HOST)
        ASAN_POISON_MEMORY_REGION(block->address, block->bytes);
    tni_lock_take(&device->lock);
    device->used -= block->bytes;
    tni_arena_give(block->chunk->arena, block);
    bool is_last = --device->blocks_out == 0 && device->is_released;
    tni_lock_give(&device->lock);
    if (is_last) destroy_if_empty(pool);
}

void tni_pool_give(tni_block *block) {
    if (!tni_has_hooks()) {
        give(block);
        return;
    }
    int64_t bytes = block->bytes;
    void *address = block->address;
    tn_device device = ((device_pool *)block->chunk->owner)->device;
    tni_hooks_call(false, "free", device, bytes, bytes, address);
    give(block);
    tni_hooks_call(true, "free", device, bytes, bytes, address);
}

/* --- The pool as a tn_allocator: blocks are found by address --- */

static tni_block **bucket_of(device_pool *device, const void *address) {
    return &device->by_address[(uintptr_t)address / TNI_UNIT % BUCKETS];
}

static tn_status allocate(void *context, void **address, int64_t bytes, tn_device device,
                          tn_stream *stream) {
    tni_block *block;
    if (stream == NULL) TNI_TRY(tni_stream_resolve(&stream, NULL, device));
    TNI_TRY(tni_pool_take(&block, context, bytes, stream));
    device_pool *part = block->chunk->owner;
    tni_lock_take(&part->lock);
    block->same_bucket = *bucket_of(part, block->address);
    *bucket_of(part, block->address) = block;
    tni_lock_give(&part->lock);
    *address = block->address;
    return TN_OK;
}

static void free_address(void *context, void *address, int64_t bytes, tn_device device,
                         tn_stream *stream) {
    (void)bytes;
    (void)stream;
    device_pool *part;
    if (!address || find_device(&part, context, device, false) != TN_OK || !part) return;
    tni_lock_take(&part->lock);
    tni_block **place = bucket_of(part, address), *block;
    while ((block = *place) && block->address != (char *)address)
        place = &block->same_bucket;
    if (block) *place = block->same_bucket;
    tni_lock_give(&part->lock);
    if (block) tni_pool_give(block);
}

tn_allocator tn_pool_allocator(tn_pool *pool) {
    return (tn_allocator){pool, allocate, free_address};
}

tn_pool *tni_pool_of(const tn_allocator *allocator) {
    return allocator->allocate == allocate ? allocator->context : NULL;
}

/* --- Figures --- */

tn_status tn_pool_set_limit(tn_pool *pool, tn_device device, int64_t bytes) {
    device_pool *part;
    if (bytes < 0)
        TNI_FAIL(TN_ERROR_VALUE, "memory limit size out of range: %lld", (long long)bytes);
    if (!tn_stream_default(device)) return TN_ERROR_DEVICE;
    TNI_TRY(find_device(&part, pool, device, true));
    tni_lock_take(&part->lock);
    part->limit = bytes;
    tni_lock_give(&part->lock);
    return TN_OK;
}

tn_pool_statistics tn_pool_get_statistics(tn_pool *pool, tn_device device) {
    device_pool *part;
    tn_pool_statistics figures = {0};
    if (!tn_stream_default(device) || find_device(&part, pool, device, true) != TN_OK)
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
