/* A pool's part for one device: its arenas, one per stream, and its figures.
 *
 * One lock per pool and device guards the arenas and the figures, which are therefore exact. It is
 * never held while the source, a stream or a hook is called. */
#ifndef TNI_DEVICE_POOL_H
#define TNI_DEVICE_POOL_H

#include "core/base/biased_lock.h"
#include "core/memory/arena.h"
#include "core/stream/stream.h"

enum { TNI_POOL_BUCKETS = 256 };

typedef struct tni_device_pool {
    tni_biased_lock lock;
    tn_pool *pool;
    tn_device device;
    bool is_default;   /* of the default pool */
    tni_arena *arenas; /* the last used one first (not in the default pool) */
    tni_block *spare;  /* headers */
    /* Bytes; `total` includes what the source is being asked for. */
    int64_t used, peak_used, total, peak_total, limit;
    int64_t allocations, source_allocations;
    int64_t blocks_out;
    bool is_released; /* the pool has no owner any more */
    /* Blocks that were given out through the tn_allocator interface. */
    tni_block *by_address[TNI_POOL_BUCKETS];
} tni_device_pool;

/* --- With the lock held --- */

/* The arena of a stream, NULL if there is none; a stream knows its arena of the default pool. */
tni_arena *tni_device_pool_search_arena(tni_device_pool *device, const tn_stream *stream);
static inline tni_arena *tni_device_pool_find_arena(tni_device_pool *device,
                                                    const tn_stream *stream) {
    if (device->is_default) return stream->arena;
    tni_arena *first = device->arenas;
    return first && first->stream == stream ? first : tni_device_pool_search_arena(device, stream);
}

/* Adds an arena, all zero, for a stream that has none. */
void tni_device_pool_add_arena(tni_device_pool *device, tni_arena *arena, tn_stream *stream);

/* A stream ends: its arena passes to another stream, or becomes part of that stream's arena. */
void tni_device_pool_pass_on(tni_device_pool *device, const tn_stream *ended, tn_stream *heir);

/* In a build with ASan, memory of immediate streams that is not handed out is poisoned. (On any
 * other stream, queued work may use memory that was given back.) */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)0)
#endif

#endif
