/* Buffers: memory, who used it on which stream, and the way back.
 *
 * Invariant: work on `home` and on the streams in `users` is all the work that may touch the memory.
 * Immediate streams are never listed, for their work is done when the call returns; a stream is
 * dropped once home, or a writer that stays in the list, is ordered after it.
 * A buffer that only its home stream used goes back to the allocator at once: whoever gets the memory
 * next uses it on the same stream, behind what is queued there. Else home is ordered after the users
 * first. Where home cannot wait without making the caller wait (the host's immediate stream, unowned
 * memory), the buffer is handed from callback to callback through the queues of its users instead.
 * A stream whose work is recorded (core/graph.c) uses the memory only when the graph is launched: what
 * it touches is noted there.
 *
 * The structs come from a list of the calling thread. */
#include "backend/backend.h"
#include "core/allocator.h"
#include "core/array.h"
#include "core/counts.h"
#include "core/graph.h"
#include "core/lock.h"
#include "core/pool.h"
#include "core/thread.h"
#include "core/threadkeep.h"

#include <pthread.h>
#include <string.h>

enum { KEPT = 64, LOCKS = 16, USERS_AT_ONCE = 8 };

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
        return tni_malloc(sizeof *buffer);
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
    buffer->home = home ? tn_stream_retain(home) : NULL;
    buffer->allocator.allocate = NULL;
    buffer->release = NULL;
    tni_count(TNI_BUFFERS, 1);
    *result = buffer;
    return TN_OK;
}

static void unmake(tn_buffer *buffer) {
    tn_stream *home = buffer->home;
    struct_free(buffer);
    tn_stream_release(home);
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
            unmake(buffer);
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

/* Somebody else knows an address on this device. */
static void share(tn_device device) {
    const tni_backend *backend = tni_backend_get(device.backend);
    if (backend && backend->share_memory) backend->share_memory();
}

/* Memory that is somebody else's goes back to him behind the work of its stream, which must not wait anywhere
 * that he does not know of. */
static tn_status new_from_other(tn_buffer **result, const tn_allocator *allocator, int64_t bytes,
                                tn_stream *stream) {
    tn_buffer *buffer = NULL;
    TNI_TRY(make(&buffer, bytes, stream->device, stream));
    if (bytes > 0) {
        void *address = NULL;
        tn_status status =
            allocator->allocate(allocator->context, &address, bytes, stream->device, stream);
        if (status != TN_OK) {
            unmake(buffer);
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
    if (!stream) TNI_TRY(tni_stream_resolve(&stream, NULL, tn_device_get_current()));
    tn_pool *pool = tni_allocator_pool(&allocator);
    if (__builtin_expect(pool != NULL, 1)) return new_from_pool(result, pool, bytes, stream);
    return new_from_other(result, &allocator, bytes, stream);
}

tn_status tn_buffer_new_from(tn_buffer **result, const tn_allocator *allocator, int64_t bytes,
                             tn_stream *stream) {
    if (!stream) TNI_TRY(tni_stream_resolve(&stream, NULL, tn_device_get_current()));
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

/* --- The users of a buffer --- */

typedef struct user {
    tn_stream *stream; /* retained */
    bool wrote;
    unsigned uses; /* tells whether it was used again meanwhile */
} user;

struct tni_buffer_users {
    int count, capacity;
    user list[];
};
typedef struct tni_buffer_users users;

/* `users` of a buffer and what it points to are guarded by one of these. */
static tni_lock locks[LOCKS];

static void before_fork(void) {
    for (int k = 0; k < LOCKS; k++)
        tni_lock_take(&locks[k]);
}
static void after_fork(void) {
    for (int k = 0; k < LOCKS; k++)
        tni_lock_give(&locks[k]);
}
static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, after_fork);
}

static tni_lock *lock_of(const tn_buffer *buffer) {
    return &locks[(uintptr_t)buffer / sizeof *buffer % LOCKS];
}

static user *find_user(users *all, const tn_stream *stream) {
    for (int k = 0; all && k < all->count; k++)
        if (all->list[k].stream == stream) return &all->list[k];
    return NULL;
}

/* Notes that `stream` uses the buffer from now on. Called with the lock held. */
static tn_status note_user(tn_buffer *buffer, tn_stream *stream, bool writes) {
    users *all = atomic_load_explicit(&buffer->users, memory_order_relaxed);
    user *entry = find_user(all, stream);
    if (!entry) {
        if (!all || all->count == all->capacity) {
            int capacity = all ? 2 * all->capacity : 2;
            size_t bytes = sizeof *all + (size_t)capacity * sizeof(user);
            users *larger = tni_realloc(all, bytes);
            if (!larger) return tni_fail_no_memory((int64_t)bytes);
            if (!all) larger->count = 0;
            all = larger;
            all->capacity = capacity;
            atomic_store_explicit(&buffer->users, all, memory_order_release);
        }
        entry = &all->list[all->count++];
        *entry = (user){tn_stream_retain(stream), false, 0};
    }
    entry->wrote |= writes;
    entry->uses++;
    return TN_OK;
}

/* Drops the users in `seen` that were not active since; their references become the caller's, in
 * addition to those of `seen`. Called with the lock held; returns how many. */
static int drop_users(tn_buffer *buffer, const user *seen, int count, tn_stream **dropped) {
    users *all = atomic_load_explicit(&buffer->users, memory_order_relaxed);
    int dropped_count = 0;
    for (int k = 0; k < count; k++) {
        user *entry = find_user(all, seen[k].stream);
        if (!entry || entry->uses != seen[k].uses) continue;
        dropped[dropped_count++] = entry->stream;
        *entry = all->list[--all->count];
    }
    if (all && all->count == 0) {
        atomic_store_explicit(&buffer->users, NULL, memory_order_release);
        tni_free(all);
    }
    return dropped_count;
}

/* Copies up to USERS_AT_ONCE users, from number `from` on, that `stream` must wait for. */
static int see_users(user *seen, tn_buffer *buffer, const tn_stream *stream, bool writes,
                     int *from) {
    int count = 0;
    tni_lock_take(lock_of(buffer));
    users *all = atomic_load_explicit(&buffer->users, memory_order_relaxed);
    for (; all && *from < all->count && count < USERS_AT_ONCE; ++*from) {
        const user *entry = &all->list[*from];
        if (entry->stream == stream || (!writes && !entry->wrote)) continue;
        seen[count] = *entry;
        tn_stream_retain(seen[count++].stream);
    }
    tni_lock_give(lock_of(buffer));
    return count;
}

/* The access of a stream that is not alone with the buffer, or captured. */
static tn_status order_access(tn_buffer *buffer, bool writes, tn_stream *stream) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool is_captured = tni_stream_capture(stream) != NULL;
    /* Whether who comes later is ordered after the earlier users by waiting for home and `stream`. */
    bool takes_over = !is_captured && (writes || stream == buffer->home || stream->is_immediate);
    tn_status status = is_captured ? tni_capture_note(stream, buffer, writes, NULL) : TN_OK;
    pthread_once(&once, watch_forks);
    if (status == TN_OK && stream != buffer->home && !stream->is_immediate) {
        tni_lock_take(lock_of(buffer));
        status = note_user(buffer, stream, writes);
        tni_lock_give(lock_of(buffer));
    }
    if (status == TN_OK && buffer->home) status = tni_stream_order(stream, buffer->home);
    for (int from = 0; status == TN_OK;) {
        user seen[USERS_AT_ONCE];
        tn_stream *dropped[USERS_AT_ONCE];
        int count = see_users(seen, buffer, stream, writes, &from), dropped_count = 0;
        if (count == 0) break;
        for (int k = 0; k < count && status == TN_OK; k++)
            status = tni_stream_order(stream, seen[k].stream);
        if (takes_over && status == TN_OK) {
            tni_lock_take(lock_of(buffer));
            dropped_count = drop_users(buffer, seen, count, dropped);
            tni_lock_give(lock_of(buffer));
            from = dropped_count ? 0 : from;
        }
        for (int k = 0; k < count; k++)
            tn_stream_release(seen[k].stream);
        for (int k = 0; k < dropped_count; k++)
            tn_stream_release(dropped[k]);
    }
    return status;
}

tn_status tni_buffer_access(void **address, const tn_buffer *buffer, tni_access access,
                            tn_stream *stream) {
    *address = buffer->data;
    if (__builtin_expect(stream == buffer->home, 1) &&
        __builtin_expect(!atomic_load_explicit(&buffer->users, memory_order_acquire), 1) &&
        __builtin_expect(!tni_stream_capture(stream), 1))
        return TN_OK;
    return order_access((tn_buffer *)(uintptr_t)buffer, access != TNI_READ, stream);
}

tn_status tn_buffer_order(tn_buffer *buffer, tn_stream *stream) {
    void *address;
    TNI_TRY(tni_stream_resolve(&stream, stream, buffer->device));
    return tni_buffer_access(&address, buffer, TNI_WRITE, stream);
}

/* --- The end --- */

static void give_back(tn_buffer *buffer) {
    if (buffer->allocator.allocate)
        buffer->allocator.free(buffer->allocator.context, buffer->data, buffer->bytes,
                               buffer->device, buffer->home);
    else if (buffer->release)
        buffer->release(buffer->release_context);
    unmake(buffer);
}

/* Gives the memory back behind the work of all users; goes on in their queues where it must. */
static void settle(void *context) {
    tn_buffer *buffer = context;
    users *all = atomic_load_explicit(&buffer->users, memory_order_acquire);
    bool can_wait =
        buffer->home && !buffer->home->is_immediate && !tni_stream_capture(buffer->home);
    while (all->count > 0) {
        tn_stream *stream = all->list[--all->count].stream;
        bool done = true; /* a stream that cannot answer (after fork) runs nothing */
        if (tni_stream_is_done(stream, &done) == TN_OK && !done) {
            if (can_wait && tni_stream_order(buffer->home, stream) == TN_OK) {
                /* home's later work waits, and so does whoever gets the memory next */
            } else if (tni_stream_add_cleanup(stream, settle, buffer) == TN_OK) {
                tn_stream_release(stream); /* the buffer may be gone by now */
                return;
            } else {
                tni_stream_drain(stream);
            }
        }
        tn_stream_release(stream);
    }
    tni_free(all);
    give_back(buffer);
}

tn_buffer *tn_buffer_retain(tn_buffer *buffer) {
    atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
    return buffer;
}

void tn_buffer_release(tn_buffer *buffer) {
    if (!buffer) return;
    /* The only reference is ours: nobody can be counting. */
    if (atomic_load_explicit(&buffer->references, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1)
        return;
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

void *tn_buffer_address(const tn_buffer *buffer) {
    share(buffer->device);
    return buffer->data;
}
