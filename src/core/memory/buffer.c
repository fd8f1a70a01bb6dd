/* Buffers: memory, which streams used it, and the way back.
 *
 * Invariant: work on `home` and on the streams in `users` is all the work that may touch the
 * memory. Both are numbers of streams, so a buffer keeps no stream alive; a stream that has ended
 * has no work.
 *
 * In `users` is each stream but home that used the buffer, until an access takes over: home's own,
 * or a write. Such an access waits for the users that it has seen and drops them, for a later
 * stream that waits for this one, or for home, waits for them too. Immediate streams are never
 * listed, for their work is done when the call returns. Streams that ended leave when the table
 * would grow.
 *
 * A read waits for home and for those that wrote (one at most, except in captures), so its cost
 * does not depend on how many streams read the buffer. Home's access of a buffer without users
 * takes no lock at all. When home has ended, the device's default stream takes its place, as it has
 * taken over the memory.
 *
 * A buffer that only its home stream used goes back to the allocator at once: the next owner of the
 * memory uses it on the same stream, after what is queued there. Else home is ordered after the
 * users first. Where home cannot wait without making the caller wait (the host's immediate stream,
 * unowned memory), the buffer is handed from callback to callback through the queues of its users
 * instead.
 *
 * A stream whose work is recorded (core/stream/capture.c) uses the memory only when the graph is
 * launched: core/memory/capture_uses.c notes what it touches.
 *
 * The structs come from a list of the calling thread. */
#include "core/memory/buffer.h"

#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/counts.h"
#include "core/base/thread.h"
#include "core/base/threadkeep.h"
#include "core/base/waiting.h"
#include "core/memory/allocator.h"
#include "core/memory/buffer_users.h"
#include "core/memory/capture_uses.h"
#include "core/memory/pool.h"
#include "core/memory/pool_take.h"
#include "core/stream/capture.h"
#include "core/stream/order.h"
#include "core/stream/stream_life.h"

#include <string.h>

enum { KEPT = TNI_KEPT(64), FEW = 8 };

/* --- The structs --- */

static void drop_kept(void) {
    while (tni_self.kept_buffers) {
        tn_buffer *buffer = tni_self.kept_buffers;
        tni_self.kept_buffers = buffer->data;
        tni_free(buffer);
    }
    tni_self.kept_buffer_count = 0;
    tni_self.keeps_buffers = false;
}

static inline tn_buffer *struct_new(void) {
    tn_buffer *buffer = tni_self.kept_buffers;
    if (__builtin_expect(!buffer, 0)) {
        tni_counts_begin();
        buffer = tni_malloc(sizeof *buffer);
        if (!buffer) return NULL;
        atomic_init(&buffer->waiting, NULL); /* as in each struct that is kept */
        atomic_init(&buffer->has_left, false);
        return buffer;
    }
    tni_self.kept_buffers = buffer->data;
    tni_self.kept_buffer_count--;
    return buffer;
}

static bool begin_keeping(void) {
    tni_counts_begin();
    return tni_self.keeps_buffers = tni_thread_keeps(drop_kept);
}

static void struct_free(tn_buffer *buffer) {
    tni_count(TNI_BUFFERS, -1);
    if ((!tni_self.keeps_buffers && !begin_keeping()) || tni_self.kept_buffer_count >= KEPT) {
        tni_free(buffer);
        return;
    }
    buffer->data = tni_self.kept_buffers;
    tni_self.kept_buffers = buffer;
    tni_self.kept_buffer_count++;
}

/* --- Making --- */

static void give_to_pool(void *block) {
    tni_pool_give(block);
}

/* A struct with everything but memory. */
static tn_status make(tn_buffer **result, int64_t bytes, tn_device device, tn_stream *home) {
    if (__builtin_expect(bytes < 0, 0))
        TNI_FAIL(TN_ERROR_VALUE, "a buffer cannot have %lld bytes", (long long)bytes);
    tn_buffer *buffer = struct_new();
    if (__builtin_expect(!buffer, 0)) return tni_fail_no_memory(sizeof *buffer);
    atomic_init(&buffer->references, 1);
    atomic_init(&buffer->users, NULL);
    buffer->device = device;
    buffer->data = NULL;
    buffer->bytes = bytes;
    atomic_init(&buffer->home, home ? tni_stream_number(home) : 0);
    buffer->allocator.allocate = NULL;
    buffer->release = NULL;
    tni_count(TNI_BUFFERS, 1);
    *result = buffer;
    return TN_OK;
}

static tn_status new_from_pool(tn_buffer **result, tn_pool *pool, int64_t bytes,
                               tn_stream *stream) {
    tn_buffer *buffer = NULL;
    tni_block *block;
    bool is_captured = tni_stream_capture(stream) != NULL;
    if (__builtin_expect(is_captured, 0) && (buffer = tni_capture_take(stream, pool, bytes))) {
        *result = buffer;
        return TN_OK;
    }
    TNI_TRY(make(&buffer, bytes, stream->device, stream));
    if (bytes > 0) {
        tn_status status = tni_pool_take(&block, pool, bytes, stream);
        if (__builtin_expect(status != TN_OK, 0)) {
            struct_free(buffer);
            return status;
        }
        buffer->data = block->address;
        buffer->release = give_to_pool;
        buffer->release_context = block;
    }
    if (__builtin_expect(is_captured, 0)) {
        tn_status status = tni_capture_note(stream, buffer, false, pool);
        if (status != TN_OK) {
            tn_buffer_release(buffer);
            return status;
        }
    }
    *result = buffer;
    return TN_OK;
}

/* Code outside of the library knows an address on this device from now on. */
static void share(tn_device device) {
    const tni_backend *backend = tni_backend_get(device.backend);
    if (backend && backend->share_memory) backend->share_memory();
}

/* Memory of a program's allocator goes back after the work of its stream. That allocator does not
 * know of other streams, so the stream must wait for them itself. */
static __attribute__((cold)) tn_status new_from_other(tn_buffer **result,
                                                      const tn_allocator *allocator, int64_t bytes,
                                                      tn_stream *stream) {
    tn_buffer *buffer = NULL;
    TNI_TRY(make(&buffer, bytes, stream->device, stream));
    if (bytes > 0) {
        void *address = NULL;
        tn_status status =
            allocator->allocate(allocator->context, &address, bytes, stream->device, stream);
        if (status != TN_OK) {
            struct_free(buffer);
            return status;
        }
        buffer->data = address;
        buffer->allocator = *allocator;
        if (allocator->free != tn_allocator_raw()->free) share(stream->device);
    }
    *result = buffer;
    return TN_OK;
}

tn_status tn_buffer_new(tn_buffer **result, int64_t bytes, tn_stream *stream) {
    tn_allocator allocator;
    TNI_TRY(tni_stream_or_current(&stream));
    tn_pool *pool = tni_allocator_pool(&allocator);
    if (__builtin_expect(pool != NULL, 1)) return new_from_pool(result, pool, bytes, stream);
    return new_from_other(result, &allocator, bytes, stream);
}

tn_status tn_buffer_new_from(tn_buffer **result, const tn_allocator *allocator, int64_t bytes,
                             tn_stream *stream) {
    TNI_TRY(tni_stream_or_current(&stream));
    tn_pool *pool = tni_pool_of(allocator);
    return pool ? new_from_pool(result, pool, bytes, stream)
                : new_from_other(result, allocator, bytes, stream);
}

tn_status tn_buffer_new_unowned(tn_buffer **result, void *address, int64_t bytes, tn_device device,
                                void (*release)(void *context), void *context) {
    tn_buffer *buffer = NULL;
    if (!tn_stream_default(device)) return TN_ERROR_DEVICE;
    TNI_TRY(make(&buffer, bytes, device, NULL));
    share(device);
    buffer->data = address;
    buffer->release = release;
    buffer->release_context = context;
    *result = buffer;
    return TN_OK;
}

/* --- Order --- */

/* The home stream, retained; NULL: no stream owns the memory. Where home has ended, its work is
 * done and the default stream has the pool's memory: it is home from now on. */
static tn_stream *find_home(tn_buffer *buffer) {
    uint64_t number = tni_buffer_home(buffer);
    tn_stream *home = tni_stream_find(number);
    if (home || number == 0) return home;
    home = tn_stream_default(buffer->device);
    uint64_t mark = number;
    while (!atomic_compare_exchange_weak(&buffer->home, &mark,
                                         tni_stream_number(home) | (mark & TNI_BUFFER_AWAITED)))
        if ((mark & ~TNI_BUFFER_AWAITED) != number) break;
    return home;
}

/* The users that an access must wait for. */
typedef struct crowd {
    tni_user *list, few[FEW];
    int count;
} crowd;

/* Notes a user (0: none), and lists those that `stream` must wait for, in one step. */
static tn_status note(crowd *seen, tn_buffer *buffer, uint64_t user, uint64_t stream, bool writes) {
    tn_status status = TN_OK;
    int room = FEW;
    seen->list = seen->few;
    for (;;) {
        tni_lock_take(tni_users_lock(buffer));
        if (user) status = tni_users_note(buffer, user, writes);
        seen->count = tni_users_list(seen->list, room, buffer, stream, writes);
        tni_lock_give(tni_users_lock(buffer));
        if (status == TN_OK && seen->count <= room) return TN_OK;
        if (seen->list != seen->few) tni_free(seen->list);
        seen->list = seen->few;
        TNI_TRY(status);
        room = 2 * seen->count; /* more may come meanwhile */
        tni_user *larger = tni_malloc((size_t)room * sizeof *larger);
        if (!larger) return tni_fail_no_memory((int64_t)room * (int64_t)sizeof *larger);
        seen->list = larger;
        user = 0;
    }
}

static tn_status order_after(tn_stream *stream, const crowd *seen) {
    tn_status status = TN_OK;
    for (int k = 0; k < seen->count && status == TN_OK; k++) {
        tn_stream *user = tni_stream_find(seen->list[k].stream);
        if (user) status = tni_stream_order(stream, user);
        tn_stream_release(user);
    }
    return status;
}

tn_status tni_buffer_access_ordered(const tn_buffer *of, tni_access access, tn_stream *stream) {
    crowd seen;
    tn_buffer *buffer = (tn_buffer *)(uintptr_t)of;
    bool writes = access != TNI_READ;
    if (__builtin_expect(tni_buffer_is_awaited(buffer), 0))
        TNI_TRY(
            tni_waiting_get()->look_at(writes ? TNI_LOOK_WRITE : TNI_LOOK_READ, buffer, writes));
    bool is_captured = tni_stream_capture(stream) != NULL;
    if (is_captured) TNI_TRY(tni_capture_note(stream, buffer, writes, NULL));
    tn_stream *home = find_home(buffer);
    bool is_guest = stream != home && !stream->is_immediate;
    uint64_t number = tni_stream_number(stream);
    tn_status status = note(&seen, buffer, is_guest ? number : 0, number, writes);
    if (status == TN_OK && home) status = tni_stream_order(stream, home);
    tn_stream_release(home);
    if (status == TN_OK) status = order_after(stream, &seen);
    /* Whether a later access is ordered after the earlier users by waiting for home and
     * `stream`. */
    bool takes_over = !is_captured && (writes || !is_guest);
    if (takes_over && status == TN_OK && seen.count > 0) {
        tni_lock_take(tni_users_lock(buffer));
        tni_users_drop(buffer, seen.list, seen.count);
        tni_lock_give(tni_users_lock(buffer));
    }
    if (seen.list != seen.few) tni_free(seen.list);
    return status;
}

tn_status tn_buffer_order(tn_buffer *buffer, tn_stream *stream) {
    void *address;
    TNI_TRY(tni_stream_resolve(&stream, stream, buffer->device));
    return tni_buffer_access(&address, buffer, TNI_WRITE, stream);
}

/* --- The end --- */

static void give_back(tn_buffer *buffer) {
    if (buffer->allocator.allocate) {
        tn_stream *home = find_home(buffer);
        buffer->allocator.free(buffer->allocator.context, buffer->data, buffer->bytes,
                               buffer->device, home);
        tn_stream_release(home);
    } else if (buffer->release) {
        buffer->release(buffer->release_context);
    }
    if (__builtin_expect(tni_buffer_is_awaited(buffer), 0)) tni_waiting_get()->forget(buffer);
    if (__builtin_expect(atomic_load_explicit(&buffer->has_left, memory_order_relaxed), 0))
        atomic_store_explicit(&buffer->has_left, false, memory_order_relaxed);
    struct_free(buffer);
}

static void settle(void *context);

/* Orders home (NULL: it cannot wait) after a user of a buffer that goes. False: the user's queue
 * goes on with the buffer. */
static bool settle_user(tn_buffer *buffer, tn_stream *home, tn_stream *user) {
    bool done = true; /* a stream that cannot answer (after fork) runs nothing */
    if (tni_stream_is_done(user, &done) != TN_OK || done) return true;
    if (home && tni_stream_order(home, user) == TN_OK) return true;
    if (tni_stream_add_cleanup(user, settle, buffer) == TN_OK) return false;
    tni_stream_drain(user);
    return true;
}

/* Gives the memory back after the work of all users, and goes on in their queues where it must.
 * Home's later work waits, and so does the work of the memory's next owner. */
static void settle(void *context) {
    tn_buffer *buffer = context;
    tn_stream *home = find_home(buffer), *user;
    bool can_wait = home && !home->is_immediate && !tni_stream_capture(home), goes_on = true;
    for (uint64_t number; goes_on && (number = tni_users_take(buffer));) {
        if (!(user = tni_stream_find(number))) continue;
        goes_on = settle_user(buffer, can_wait ? home : NULL, user);
        tn_stream_release(user); /* the buffer may be gone by now */
    }
    if (goes_on) give_back(buffer);
    tn_stream_release(home);
}

tn_buffer *tn_buffer_retain(tn_buffer *buffer) {
    return tni_buffer_retain(buffer);
}

void tn_buffer_release(tn_buffer *buffer) {
    if (!buffer) return;
    /* The only reference is the caller's: no other thread can count. */
    if (atomic_load_explicit(&buffer->references, memory_order_acquire) != 1) {
        if (__builtin_expect(tni_buffer_is_awaited(buffer), 0) &&
            tni_waiting_get()->release(buffer))
            return;
        if (atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1) return;
    }
    if (__builtin_expect(atomic_load_explicit(&buffer->users, memory_order_acquire) != NULL, 0))
        settle(buffer);
    else
        give_back(buffer);
}

int64_t tn_buffer_bytes(const tn_buffer *buffer) {
    return buffer->bytes;
}

tn_device tn_buffer_device(const tn_buffer *buffer) {
    return buffer->device;
}

/* --- Calls that wait --- */

bool tni_buffer_may_wait(const tn_buffer *buffer) {
    return (buffer->release == give_to_pool || buffer->bytes == 0) &&
           !atomic_load_explicit(&buffer->has_left, memory_order_relaxed);
}

static bool is_of_default_pool(const tn_buffer *buffer) {
    if (buffer->release != give_to_pool) return false;
    const tni_device_pool *owner = ((const tni_block *)buffer->release_context)->owner;
    return owner->is_default;
}

void tni_buffer_drop_memory(tn_buffer *buffer) {
    if (!is_of_default_pool(buffer) ||
        atomic_load_explicit(&buffer->users, memory_order_acquire) != NULL)
        return;
    tni_pool_give(buffer->release_context);
    buffer->data = NULL;
    buffer->release = NULL;
}

tn_status tni_buffer_take_memory(tn_buffer *buffer, tn_stream *stream) {
    tni_block *block;
    TNI_TRY(tni_pool_take(&block, tn_pool_default(), buffer->bytes, stream));
    buffer->data = block->address;
    buffer->release = give_to_pool;
    buffer->release_context = block;
    return TN_OK;
}

void *tn_buffer_address(const tn_buffer *of) {
    tn_buffer *buffer = (tn_buffer *)(uintptr_t)of;
    atomic_store_explicit(&buffer->has_left, true, memory_order_relaxed);
    if (__builtin_expect(tni_buffer_is_awaited(buffer), 0))
        (void)tni_waiting_get()->look_at(TNI_LOOK_ADDRESS, buffer, true);
    share(buffer->device);
    return buffer->data;
}
