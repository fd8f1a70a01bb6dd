/* Inside of a pool: what pool.c (life, trimming, figures) and pool_take.c (memory out and back) share.
 *
 * One lock per pool and device guards the arenas and the figures, which are therefore exact. It is
 * never held while the source, a stream or a hook is called. */
#ifndef TNI_POOL_H
#define TNI_POOL_H

#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/memory/arena.h"
#include "core/stream/stream.h"

enum { TNI_POOL_SLOTS = TN_BACKEND_COUNT * TNI_MAX_DEVICES, TNI_POOL_BUCKETS = 256 };

typedef struct tni_device_pool {
    tni_lock lock;
    tn_pool *pool;
    tn_device device;
    bool is_default;   /* of the default pool */
    tni_arena *arenas; /* the last used one first, but of that pool */
    tni_block *spare;  /* headers */
    int64_t used, peak_used, total, peak_total, limit; /* bytes; total counts what is on its way */
    int64_t allocations, source_allocations;
    int64_t blocks_out;
    bool is_released; /* the pool has no owner any more */
    tni_block
        *by_address[TNI_POOL_BUCKETS]; /* blocks given out through the tn_allocator interface */
} tni_device_pool;

struct tn_pool {
    atomic_int references;
    tn_allocator source;
    _Atomic(tni_device_pool *) devices[TNI_POOL_SLOTS];
    tn_pool *previous, *next; /* all pools; guarded by pools_lock */
    bool is_ending;           /* so is this: somebody is destroying it */
};

/* A device's part of the pool, made if it is missing; NULL for a device of no pool yet. */
tn_status tni_pool_make_device(tni_device_pool **result, tn_pool *pool, tn_device device);
static inline tni_device_pool *tni_pool_find_device(tn_pool *pool, tn_device device) {
    return atomic_load_explicit(&pool->devices[device.backend * TNI_MAX_DEVICES + device.number],
                                memory_order_acquire);
}

/* The arena of a stream, NULL if there is none; a stream knows that of the default pool. With the lock held. */
tni_arena *tni_pool_search_arena(tni_device_pool *device, const tn_stream *stream);
static inline tni_arena *tni_pool_find_arena(tni_device_pool *device, const tn_stream *stream) {
    if (device->is_default) return stream->arena;
    tni_arena *first = device->arenas;
    return first && first->stream == stream ? first : tni_pool_search_arena(device, stream);
}

/* Adds one, all zero, for a stream that has none. With the lock held. */
void tni_pool_add_arena(tni_device_pool *device, tni_arena *arena, tn_stream *stream);

/* Gives whole free chunks of a stream (NULL: of all) back to the source. */
void tni_pool_trim_device(tni_device_pool *device, const tn_stream *stream);

/* Destroys a released pool if nothing of it is out. `pool` may be gone already. */
void tni_pool_destroy_if_empty(tn_pool *pool);

/* In a build with ASan, memory of immediate streams that is not handed out is poisoned. (On any other
 * stream, queued work may use memory that was given back.) */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)0)
#endif

/* Adds what all pools hold. */
struct tn_statistics;
void tni_pools_count(struct tn_statistics *figures);

/* A stream ends, with no work left: its free memory serves the default stream. Calls no backend. */
void tni_pool_drop_stream(tn_stream *stream);

/* Before a capture on a device, which can wait for no other stream: finds out which memory that ended streams
 * left is idle by now, and can serve it. Not while another stream of the device is captured. */
void tni_pools_find_idle(tn_device device);

#endif
