/* Inside of pools: a pool is a source of memory and a part for each device (device_pool.h). */
#ifndef TNI_POOL_H
#define TNI_POOL_H

#include "core/base/thread.h"
#include "core/memory/device_pool.h"

enum { TNI_POOL_SLOTS = TN_BACKEND_COUNT * TNI_MAX_DEVICES };

struct tn_pool {
    atomic_int references;
    tn_allocator source;
    _Atomic(tni_device_pool *) devices[TNI_POOL_SLOTS];
    tn_pool *previous, *next; /* all pools; guarded by pools_lock */
    bool is_ending;           /* being destroyed; guarded by pools_lock, too */
};

/* A device's part of the pool, made if it is missing; tni_pool_find_device() gives NULL where it is
 * missing. */
tn_status tni_pool_make_device(tni_device_pool **result, tn_pool *pool, tn_device device);
static inline tni_device_pool *tni_pool_find_device(tn_pool *pool, tn_device device) {
    return atomic_load_explicit(&pool->devices[device.backend * TNI_MAX_DEVICES + device.number],
                                memory_order_acquire);
}

/* Destroys a released pool if nothing of it is out. `pool` may be gone already. */
void tni_pool_destroy_if_empty(tn_pool *pool);

/* Adds what all pools hold. */
struct tn_statistics;
void tni_pools_count(struct tn_statistics *figures);

/* Before a capture on a device, which can wait for no other stream: finds out which memory that
 * ended streams left is idle by now, and can serve it. Not while another stream of the device is
 * captured. */
void tni_pools_find_idle(tn_device device);

#endif
