/* Which allocator new buffers use, the raw one, and memory hooks.
 *
 * The process's allocator is read without a lock: what was set is an immutable copy that is kept for
 * ever (and found again when the same one is set again). A thread's own one wins. */
#include "core/memory/allocator.h"

#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/threadkeep.h"
#include "core/memory/hooks.h"
#include "core/memory/pool.h"
#include "core/memory/pool_take.h"

#include <string.h>

/* --- The raw allocator --- */

static tn_status raw_allocate(void *context, void **address, int64_t bytes, tn_device device,
                              tn_stream *stream) {
    (void)context;
    (void)stream;
    const tni_backend *backend = tni_backend_get((tn_backend)device.backend);
    if (!backend) TNI_FAIL(TN_ERROR_DEVICE, "there is no such backend here: %d", device.backend);
    if (bytes <= 0) TNI_FAIL(TN_ERROR_VALUE, "cannot allocate %lld bytes", (long long)bytes);
    return backend->memory_allocate(address, bytes, device.number);
}

typedef struct raw_block {
    void *address;
    int64_t bytes;
    tn_device device;
} raw_block;

static void free_now(const raw_block *block) {
    tni_backend_get((tn_backend)block->device.backend)
        ->memory_free(block->address, block->bytes, block->device.number);
}

static void free_in_queue(void *context) {
    free_now(context);
    tni_free(context);
}

/* Queued work of the stream may still use the memory: then it is freed behind that work. */
static void raw_free(void *context, void *address, int64_t bytes, tn_device device,
                     tn_stream *stream) {
    (void)context;
    raw_block block = {address, bytes, device}, *queued;
    bool done = true;
    if (!address) return;
    if (stream && !stream->is_immediate && tni_stream_is_done(stream, &done) == TN_OK && !done) {
        if ((queued = tni_malloc(sizeof *queued))) {
            *queued = block;
            if (tni_stream_add_cleanup(stream, free_in_queue, queued) == TN_OK) return;
            tni_free(queued);
        }
        tni_stream_drain(stream);
    }
    free_now(&block);
}

static const tn_allocator raw = {NULL, raw_allocate, raw_free};

const tn_allocator *tn_allocator_raw(void) {
    return &raw;
}

/* --- The current allocator --- */

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
    const tn_allocator *chosen = &raw;
    if (allocator) {
        TNI_TRY(check(allocator));
        chosen = keep(allocator);
        if (!chosen) return tni_fail_no_memory(sizeof(known));
    }
    atomic_store_explicit(&of_process, chosen, memory_order_release);
    return TN_OK;
}

tn_status tn_allocator_set_thread(const tn_allocator *allocator) {
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

/* --- Hooks --- */

typedef struct tni_hook {
    const tn_memory_hook *hook;
    struct tni_hook *next;
} tni_hook;

static void drop_hooks(void) {
    while (tni_self.hooks) {
        tni_hook *first = tni_self.hooks;
        tni_self.hooks = first->next;
        tni_free(first);
    }
}

tn_status tn_memory_hook_add(const tn_memory_hook *hook) {
    tni_hook **place = &tni_self.hooks;
    for (; *place; place = &(*place)->next)
        if ((*place)->hook == hook) TNI_FAIL(TN_ERROR_VALUE, "the hook is already added");
    if (!tni_thread_keeps(drop_hooks)) TNI_FAIL(TN_ERROR_RUNTIME, "out of thread-specific keys");
    tni_hook *entry = tni_malloc(sizeof *entry);
    if (!entry) return tni_fail_no_memory(sizeof *entry);
    *entry = (tni_hook){hook, NULL};
    *place = entry;
    return TN_OK;
}

void tn_memory_hook_remove(const tn_memory_hook *hook) {
    for (tni_hook **place = &tni_self.hooks, *entry; (entry = *place); place = &entry->next) {
        if (entry->hook != hook) continue;
        *place = entry->next;
        tni_free(entry);
        return;
    }
}

void tni_hooks_call(bool is_after, const char *event, tn_device device, int64_t bytes,
                    int64_t rounded_bytes, void *address) {
    for (tni_hook *entry = tni_self.hooks, *next; entry; entry = next) {
        const tn_memory_hook *hook = entry->hook;
        next = entry->next; /* a hook may remove itself */
        void (*function)(void *, const char *, tn_device, int64_t, int64_t, void *) =
            is_after ? hook->after : hook->before;
        if (function) function(hook->context, event, device, bytes, rounded_bytes, address);
    }
}
