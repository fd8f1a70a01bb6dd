/* The pool as buffers use it: with the block in hand, nothing has to be looked up. */
#ifndef TNI_POOL_TAKE_H
#define TNI_POOL_TAKE_H

#include "core/memory/arena.h"

/* A block of at least `bytes` (> 0) for a stream (not NULL). */
tn_status tni_pool_take(tni_block **block, tn_pool *pool, int64_t bytes, tn_stream *stream);
/* The bytes that the default pool holds for a device and has not handed out. */
int64_t tni_pool_spare_bytes(tn_device device);
/* Takes a block back, from any thread. The stream's later work may use the memory at once. */
void tni_pool_give(tni_block *block);

/* The pool of an allocator that tn_pool_allocator() made; NULL for any other. */
tn_pool *tni_pool_of(const tn_allocator *allocator);

#endif
