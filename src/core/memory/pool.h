/* The pool as buffers use it: with the block in hand, nothing has to be looked up. */
#ifndef TNI_POOL_H
#define TNI_POOL_H

#include "core/memory/arena.h"

/* A block of at least `bytes` (> 0) for a stream (not NULL). */
tn_status tni_pool_take(tni_block **block, tn_pool *pool, int64_t bytes, tn_stream *stream);
/* Takes it back, from any thread. The stream's later work may use the memory at once. */
void tni_pool_give(tni_block *block);

/* The pool behind an allocator that tn_pool_allocator() made; NULL for any other. */
tn_pool *tni_pool_of(const tn_allocator *allocator);

/* Adds what all pools hold. */
struct tn_statistics;
void tni_pools_count(struct tn_statistics *figures);

/* Bytes that all pools of page-locked memory hold (core/memory/pinned.c). */
int64_t tni_pinned_bytes(void);

/* A stream ends, with no work left: its free memory serves the default stream. Calls no backend. */
void tni_pool_drop_stream(tn_stream *stream);

/* Before a capture on a device, which can wait for no other stream: finds out which memory that ended streams
 * left is idle by now, and can serve it. Not while another stream of the device is captured. */
void tni_pools_find_idle(tn_device device);

/* Waits until a stream has done its work, without taking its failure away from who synchronizes. */
void tni_stream_drain(tn_stream *stream);

#endif
