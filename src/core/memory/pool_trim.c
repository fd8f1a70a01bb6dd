/* Whole free chunks go back to the source, after the work of their stream. */
#include "core/memory/pool_trim.h"

#include "core/base/alloc.h"
#include "core/base/thread.h"
#include "core/base/waiting.h"
#include "core/memory/hooks.h"
#include "core/memory/pool.h"
#include "core/stream/order.h"
#include "core/stream/stream_life.h"

static void free_chunk(tni_device_pool *device, tni_chunk *chunk, tn_stream *stream) {
    tn_allocator *source = &device->pool->source;
    if (chunk->outer) {
        tni_biased_lock_take(&device->lock);
        tni_arena_uncarve(chunk);
        tni_biased_lock_give(&device->lock);
        tni_free(chunk);
        return;
    }
    if (device->device.backend == TN_BACKEND_HOST)
        ASAN_UNPOISON_MEMORY_REGION(chunk->address, chunk->bytes);
    if (tni_has_hooks()) tni_hooks_trim(device->device, chunk->bytes, chunk->address);
    source->free(source->context, chunk->address, chunk->bytes, device->device, stream);
    tni_biased_lock_take(&device->lock);
    device->total -= chunk->bytes;
    tni_biased_lock_give(&device->lock);
    tni_free(chunk);
}

/* Whether this thread may wait for what is queued on the stream. */
static bool can_wait_for(const tn_stream *stream) {
    return !tni_self.works_off || stream->is_immediate;
}

/* Takes whole free chunks out of an arena of `stream` (NULL: any) that can be waited for, linked
 * through `next`, and retains the stream. NULL if no arena has any. Called with the lock held. */
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
        tni_biased_lock_take(&device->lock);
        tni_chunk *list = take_whole_chunks(device, stream, &owner);
        tni_biased_lock_give(&device->lock);
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
    tni_look_device(TNI_LOOK_POOL_TRIM, device);
    tni_device_pool *part = tn_stream_default(device) ? tni_pool_find_device(pool, device) : NULL;
    if (part) tni_pool_trim_device(part, stream);
}
