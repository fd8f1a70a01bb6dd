/* Which allocator new buffers use.
 *
 * The process's allocator is read without a lock: what was set is an immutable copy that is kept
 * for ever (and found again when the same one is set again). A thread's own one wins. */
#include "core/memory/allocator.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/waiting.h"
#include "core/memory/pool.h"
#include "core/memory/pool_take.h"

#include <string.h>

typedef struct known {
    tn_allocator allocator;
    struct known *next;
} known;

static tni_lock known_lock;
static known *all_known;
static _Atomic(const tn_allocator *) of_process; /* NULL: the default pool's */

static const tn_allocator *keep(const tn_allocator *allocator) {
    known *entry;
    tni_lock_take(&known_lock);
    for (entry = all_known; entry; entry = entry->next)
        if (memcmp(&entry->allocator, allocator, sizeof *allocator) == 0) break;
    if (!entry && (entry = tni_malloc(sizeof *entry))) {
        *entry = (known){*allocator, all_known};
        all_known = entry;
    }
    tni_lock_give(&known_lock);
    return entry ? &entry->allocator : NULL;
}

static tn_status check(const tn_allocator *allocator) {
    if (allocator->allocate && allocator->free) return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "an allocator needs both functions, allocate and free");
}

tn_status tn_allocator_set(const tn_allocator *allocator) {
    const tn_allocator *chosen = tn_allocator_raw();
    tni_look_all(TNI_LOOK_ALLOCATOR);
    if (allocator) {
        TNI_TRY(check(allocator));
        chosen = keep(allocator);
        if (!chosen) return tni_fail_no_memory(sizeof(known));
    }
    atomic_store_explicit(&of_process, chosen, memory_order_release);
    return TN_OK;
}

tn_status tn_allocator_set_thread(const tn_allocator *allocator) {
    tni_look_all(TNI_LOOK_ALLOCATOR);
    if (allocator) {
        TNI_TRY(check(allocator));
        tni_self.allocator = *allocator;
    }
    tni_self.has_allocator = allocator != NULL;
    return TN_OK;
}

tn_allocator tn_allocator_get(void) {
    if (tni_self.has_allocator) return tni_self.allocator;
    const tn_allocator *chosen = atomic_load_explicit(&of_process, memory_order_acquire);
    return chosen ? *chosen : tn_pool_allocator(tn_pool_default());
}

tn_pool *tni_allocator_pool(tn_allocator *allocator) {
    if (__builtin_expect(!tni_self.has_allocator, 1)) {
        const tn_allocator *chosen = atomic_load_explicit(&of_process, memory_order_acquire);
        if (__builtin_expect(!chosen, 1)) return tn_pool_default();
    }
    *allocator = tn_allocator_get();
    return tni_pool_of(allocator);
}
