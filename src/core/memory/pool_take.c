/* Memory out of a pool and back: the way of a block.
 *
 * The usual way is short: the device's lock, the stream's arena, its bin or tree. When nothing
 * fits, these follow in this order, until one serves (take_slowly()):
 *   1. a chunk, or a part of one, that an ended stream left to the default stream;
 *   2. growth: a small request asks the source for a chunk that many share, a large one for its
 *      own size;
 *   3. the stream's whole free chunks go back to the source, and then 1 and 2 again;
 *   4. the same with those of all streams;
 *   5. the same after the program's reclaim function. */
#include "core/memory/pool_take.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/waiting.h"
#include "core/memory/hooks.h"
#include "core/memory/pool.h"
#include "core/memory/pool_trim.h"
#include "core/stream/order.h"

#include <stdio.h>

typedef tni_device_pool device_pool;

static struct {
    tni_lock lock;
    void (*function)(void *context);
    void *context;
} reclaim;

static int64_t round_up(int64_t bytes) {
    return (bytes + TNI_UNIT - 1) & -(int64_t)TNI_UNIT;
}

/* --- Growth --- */

static tn_status fail_limit(device_pool *device, int64_t bytes) {
    char where[48];
    snprintf(where, sizeof where, "%s:%d", tn_backend_name((tn_backend)device->device.backend),
             device->device.number);
    tni_biased_lock_take(&device->lock);
    int64_t used = device->used, cached = device->total - used, limit = device->limit;
    tni_biased_lock_give(&device->lock);
    return tni_fail_memory(bytes, used, cached, limit, where);
}

/* Memory for a chunk, counted in `total` from before the source is asked. */
static tn_status ask_source(device_pool *device, tni_chunk *chunk, tn_stream *stream) {
    tn_allocator *source = &device->pool->source;
    void *address = NULL;
    tni_biased_lock_take(&device->lock);
    /* What waits had its memory when it was called, and may have given it back since. */
    bool fits = device->limit == 0 || tni_self.runs_backlog ||
                chunk->bytes <= device->limit - device->total;
    if (fits) device->total += chunk->bytes;
    tni_biased_lock_give(&device->lock);
    if (!fits) return fail_limit(device, chunk->bytes);
    bool has_hooks = tni_has_hooks();
    int64_t begun = 0;
    if (has_hooks)
        begun =
            tni_hooks_before(TNI_MEMORY_ALLOC, device->device, chunk->bytes, chunk->bytes, NULL);
    tn_status status =
        source->allocate(source->context, &address, chunk->bytes, device->device, stream);
    if (has_hooks)
        tni_hooks_after(begun, TNI_MEMORY_ALLOC, device->device, chunk->bytes, chunk->bytes,
                        address);
    tni_biased_lock_take(&device->lock);
    if (status != TN_OK)
        device->total -= chunk->bytes;
    else if (device->total > device->peak_total)
        device->peak_total = device->total;
    tni_biased_lock_give(&device->lock);
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

/* A header: the one that a chunk left after when it went, or a new one. */
static tni_block *make_header(device_pool *device) {
    tni_biased_lock_take(&device->lock);
    tni_block *header = device->spare;
    if (header) device->spare = header->left;
    tni_biased_lock_give(&device->lock);
    return header ? header : tni_malloc(sizeof *header);
}

/* For a request of `bytes`. */
static tn_status make_parts(parts *parts, device_pool *device, int64_t bytes) {
    parts->chunk = tni_calloc(1, sizeof *parts->chunk);
    parts->header = make_header(device);
    parts->arena = tni_calloc(1, sizeof *parts->arena);
    if (parts->chunk && parts->header && parts->arena) {
        parts->header->owner = device;
        parts->chunk->is_shared = bytes < TNI_SMALL_BYTES;
        return TN_OK;
    }
    free_parts(parts);
    return tni_fail_no_memory(sizeof(tni_chunk) + sizeof(tni_block) + sizeof(tni_arena));
}

static void count_out(device_pool *device, const tni_block *block) {
    device->blocks_out++;
    device->allocations++;
    device->used += block->bytes;
    if (device->used > device->peak_used) device->peak_used = device->used;
}

/* The arena of a stream; where it has none `new_arena`, which becomes NULL. With the lock held. */
static tni_arena *have_arena(device_pool *device, tni_arena **new_arena, tn_stream *stream) {
    tni_arena *arena = tni_device_pool_find_arena(device, stream);
    if (arena) return arena;
    arena = *new_arena;
    *new_arena = NULL;
    tni_device_pool_add_arena(device, arena, stream);
    return arena;
}

/* The block, from a chunk that is new in the stream's arena; NULL without a header. With the lock
 * held. */
static tni_block *add_chunk(device_pool *device, parts *parts, int64_t bytes, tn_stream *stream) {
    tni_arena *arena = have_arena(device, &parts->arena, stream);
    tni_arena_add(arena, parts->chunk, parts->header);
    tni_block *block = tni_arena_take(arena, bytes);
    if (block) count_out(device, block);
    return block;
}

/* Adds a chunk that holds at least `bytes` and takes the block from it. */
static tn_status grow(tni_block **block, device_pool *device, int64_t bytes, tn_stream *stream) {
    parts parts;
    bool is_small = bytes < TNI_SMALL_BYTES;
    TNI_TRY(make_parts(&parts, device, bytes));
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
    if (stream->is_immediate) ASAN_POISON_MEMORY_REGION(parts.chunk->address, parts.chunk->bytes);
    tni_biased_lock_take(&device->lock);
    device->source_allocations++;
    *block = add_chunk(device, &parts, bytes, stream);
    tni_biased_lock_give(&device->lock);
    tni_free(parts.arena);
    return *block ? TN_OK : tni_fail_no_memory(sizeof(tni_block));
}

/* --- Chunks of ended streams --- */

/* A request that a chunk of an ended stream may serve. */
typedef struct reuse_request {
    device_pool *device;
    int64_t bytes;
    tn_stream *stream;
    tn_stream *default_stream; /* it has those chunks meanwhile, and may use them */
    tni_arena *new_arena;      /* for a stream that has none yet */
    uint64_t number; /* 0: the stream need not be ordered after the default stream so far */
} reuse_request;

/* The arena and the chunk that serve, NULL if none does. With the lock held. */
static tni_chunk *find_chunk(tni_arena **from, const reuse_request *request) {
    *from = tni_device_pool_find_arena(request->device, request->default_stream);
    if (!*from) return NULL;
    tni_arena_merge(*from);
    return tni_arena_find_inherited(*from, request->bytes);
}

/* With the lock held. Whether the stream must first be ordered after the default stream. */
static bool move_chunk(tni_block **block, reuse_request *request) {
    tni_arena *from;
    tni_chunk *chunk = find_chunk(&from, request);
    if (!chunk) return false;
    if (!chunk->is_idle && (request->number == 0 || chunk->request != request->number)) {
        bool may_wait = request->number == 0 && !tni_stream_capture(request->stream);
        if (may_wait) chunk->request = request->number = tni_arena_new_request();
        return may_wait;
    }
    ASAN_UNPOISON_MEMORY_REGION(chunk->address, chunk->bytes);
    tni_arena *to = have_arena(request->device, &request->new_arena, request->stream);
    tni_arena_move_chunk(to, from, chunk);
    if ((*block = tni_arena_take(to, request->bytes))) count_out(request->device, *block);
    return false;
}

/* A chunk of a stream that has ended, for another than the default stream. Where the default stream
 * has used the chunk since, its work comes first; if it uses the chunk again meanwhile, this is
 * given up. NULL in *block: there is none. */
static tn_status reuse(tni_block **block, device_pool *device, int64_t bytes, tn_stream *stream) {
    reuse_request request = {device, bytes, stream, tn_stream_default(stream->device), NULL, 0};
    bool must_wait = true;
    tn_status status = TN_OK;
    if (stream == request.default_stream) return TN_OK;
    request.new_arena = tni_calloc(1, sizeof *request.new_arena);
    if (!request.new_arena) return TN_OK;
    for (int round = 0; round < 2 && must_wait && status == TN_OK; round++) {
        tni_biased_lock_take(&device->lock);
        must_wait = move_chunk(block, &request);
        tni_biased_lock_give(&device->lock);
        if (must_wait) status = tni_stream_order(stream, request.default_stream);
    }
    tni_free(request.new_arena);
    return status;
}

/* A part of a chunk of which something lives on, for a small request of another stream than the
 * default one. The default stream's work on that part comes first. */
static tn_status carve(tni_block **block, device_pool *device, int64_t bytes, tn_stream *stream) {
    tn_stream *default_stream = tn_stream_default(stream->device);
    parts parts;
    if (stream == default_stream || bytes >= TNI_SMALL_BYTES || tni_stream_capture(stream))
        return TN_OK;
    tni_biased_lock_take(&device->lock);
    tni_arena *from = tni_device_pool_find_arena(device, default_stream);
    tni_biased_lock_give(&device->lock);
    if (!from) return TN_OK;
    TNI_TRY(make_parts(&parts, device, bytes));
    tni_biased_lock_take(&device->lock);
    bool is_carved = tni_arena_carve(from, bytes, parts.chunk);
    tni_biased_lock_give(&device->lock);
    if (!is_carved) {
        free_parts(&parts);
        return TN_OK;
    }
    tn_status status = tni_stream_order(stream, default_stream);
    tni_biased_lock_take(&device->lock);
    if (status == TN_OK)
        *block = add_chunk(device, &parts, bytes, stream);
    else
        tni_arena_uncarve(parts.chunk);
    tni_biased_lock_give(&device->lock);
    if (status != TN_OK)
        free_parts(&parts);
    else
        tni_free(parts.arena);
    return status;
}

/* --- The steps --- */

static tn_status take_once(tni_block **block, device_pool *device, int64_t bytes,
                           const tn_stream *stream) {
    *block = NULL;
    tni_biased_lock_take(&device->lock);
    tni_arena *arena = tni_device_pool_find_arena(device, stream);
    if (arena && (*block = tni_arena_take(arena, bytes))) count_out(device, *block);
    tni_biased_lock_give(&device->lock);
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

static __attribute__((cold)) tn_status take_slowly(tni_block **block, device_pool *device,
                                                   int64_t bytes, tn_stream *stream) {
    enum { GROW, TRIM_STREAM, TRIM_ALL, RECLAIM, GIVE_UP };
    if (tni_may_wait()) tni_waiting_get()->look_at_memory(bytes);
    for (int step = GROW; step < GIVE_UP; step++) {
        if (step == TRIM_STREAM && tni_may_wait()) tni_waiting_get()->look_at_memory(0);
        if (step == TRIM_ALL) tni_look_device(TNI_LOOK_POOL_GROWTH, device->device);
        if (step == RECLAIM) call_reclaim();
        if (step != GROW) tni_pool_trim_device(device, step == TRIM_STREAM ? stream : NULL);
        if (take_once(block, device, bytes, stream) == TN_OK) return TN_OK;
        TNI_TRY(reuse(block, device, bytes, stream));
        if (!*block) TNI_TRY(carve(block, device, bytes, stream));
        if (*block) return TN_OK;
        tn_status status = grow(block, device, bytes, stream);
        if (status != TN_ERROR_MEMORY) return status;
    }
    return fail_limit(device, bytes);
}

/* --- Taking and giving --- */

static tn_status take(tni_block **block, tn_pool *pool, int64_t bytes, tn_stream *stream) {
    device_pool *device = tni_pool_find_device(pool, stream->device);
    if (__builtin_expect(!device, 0)) TNI_TRY(tni_pool_make_device(&device, pool, stream->device));
    if (take_once(block, device, round_up(bytes), stream) != TN_OK)
        TNI_TRY(take_slowly(block, device, round_up(bytes), stream));
    if (device->device.backend == TN_BACKEND_HOST)
        ASAN_UNPOISON_MEMORY_REGION((*block)->address, bytes);
    return TN_OK;
}

/* More than any pool can have: its size cannot even be rounded up. */
static tn_status fail_huge(tn_pool *pool, int64_t bytes, const tn_stream *stream) {
    device_pool *device = tni_pool_find_device(pool, stream->device);
    if (!device) TNI_TRY(tni_pool_make_device(&device, pool, stream->device));
    return fail_limit(device, bytes);
}

static __attribute__((cold, noinline)) tn_status take_hooked(tni_block **block, tn_pool *pool,
                                                             int64_t bytes, tn_stream *stream) {
    int64_t rounded = round_up(bytes);
    int64_t begun = tni_hooks_before(TNI_MEMORY_MALLOC, stream->device, bytes, rounded, NULL);
    tn_status status = take(block, pool, bytes, stream);
    if (status == TN_OK) rounded = (*block)->bytes;
    tni_hooks_after(begun, TNI_MEMORY_MALLOC, stream->device, bytes, rounded,
                    status == TN_OK ? (*block)->address : NULL);
    return status;
}

tn_status tni_pool_take(tni_block **block, tn_pool *pool, int64_t bytes, tn_stream *stream) {
    if (bytes <= 0) TNI_FAIL(TN_ERROR_VALUE, "cannot allocate %lld bytes", (long long)bytes);
    if (__builtin_expect(bytes > INT64_MAX - TNI_UNIT, 0)) return fail_huge(pool, bytes, stream);
    return tni_has_hooks() ? take_hooked(block, pool, bytes, stream)
                           : take(block, pool, bytes, stream);
}

int64_t tni_pool_spare_bytes(tn_device of) {
    device_pool *device = tni_pool_find_device(tn_pool_default(), of);
    if (!device) return 0;
    tni_biased_lock_take(&device->lock);
    const int64_t spare = device->total - device->used;
    tni_biased_lock_give(&device->lock);
    return spare;
}

static inline void give(tni_block *block) {
    device_pool *device = block->owner;
    tn_pool *pool = device->pool;
    tni_biased_lock_take(&device->lock);
    tni_arena *arena = block->chunk->arena;
    if (arena->stream->is_immediate) ASAN_POISON_MEMORY_REGION(block->address, block->bytes);
    device->used -= block->bytes;
    tni_arena_give(arena, block);
    bool is_last = --device->blocks_out == 0 && device->is_released;
    tni_biased_lock_give(&device->lock);
    if (is_last) tni_pool_destroy_if_empty(pool);
}

static __attribute__((cold, noinline)) void give_hooked(tni_block *block) {
    int64_t bytes = block->bytes;
    void *address = block->address;
    tn_device device = ((device_pool *)block->owner)->device;
    int64_t begun = tni_hooks_before(TNI_MEMORY_FREE, device, bytes, bytes, address);
    give(block);
    tni_hooks_after(begun, TNI_MEMORY_FREE, device, bytes, bytes, address);
}

void tni_pool_give(tni_block *block) {
    if (tni_has_hooks())
        give_hooked(block);
    else
        give(block);
}

/* --- The pool as a tn_allocator: blocks are found by address --- */

static tni_block **bucket_of(device_pool *device, const void *address) {
    return &device->by_address[(uintptr_t)address / TNI_UNIT % TNI_POOL_BUCKETS];
}

static tn_status allocate(void *context, void **address, int64_t bytes, tn_device device,
                          tn_stream *stream) {
    tni_block *block;
    if (!stream) TNI_TRY(tni_stream_resolve(&stream, NULL, device));
    TNI_TRY(tni_pool_take(&block, context, bytes, stream));
    device_pool *part = block->owner;
    tni_biased_lock_take(&part->lock);
    block->same_bucket = *bucket_of(part, block->address);
    *bucket_of(part, block->address) = block;
    tni_biased_lock_give(&part->lock);
    *address = block->address;
    return TN_OK;
}

static void free_address(void *context, void *address, int64_t bytes, tn_device device,
                         tn_stream *stream) {
    (void)bytes;
    (void)stream;
    device_pool *part = address ? tni_pool_find_device(context, device) : NULL;
    if (!part) return;
    tni_biased_lock_take(&part->lock);
    tni_block **place = bucket_of(part, address), *block;
    while ((block = *place) && block->address != (char *)address)
        place = &block->same_bucket;
    if (block) *place = block->same_bucket;
    tni_biased_lock_give(&part->lock);
    if (block) tni_pool_give(block);
}

tn_allocator tn_pool_allocator(tn_pool *pool) {
    return (tn_allocator){pool, allocate, free_address};
}

tn_pool *tni_pool_of(const tn_allocator *allocator) {
    return allocator->allocate == allocate ? allocator->context : NULL;
}
