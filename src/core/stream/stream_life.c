/* How streams come and go.
 *
 * Default streams are static and are never counted, so they may be used without a retain. All
 * others lie in blocks that are never freed, and a struct serves one stream after the other. Each
 * stream has a number that no other ever has, in which its place is coded. What outlives a call (a
 * buffer, a graph) notes the number and finds the stream by it when it needs it; so only the
 * program and calls under way keep a stream.
 *
 * `references` is one word: below, how many there are; above, how often the stream was found. A
 * reference makes the struct's stream stay the same one; where there are none, none can be made.
 * The end: the release that finds its reference to be the only one does not give it up before the
 * queue is empty; it hands it to a cleanup after the work. Meanwhile the stream may be found, and
 * later work of others be ordered after it, or the other way round. Then the word has changed, and
 * the end begins anew. So a stream ends with an empty queue, and no work uses the memory that it
 * had. In the same moment its arenas pass to the default stream (the pools watch for that):
 * `life_lock` makes both one step for tni_stream_find(), which finds no end before. The backend
 * is never called with the lock held. Where memory for the cleanup is out, in a queue that can't be
 * waited for, the next stream that is made ends the stream. */
#include "core/stream/stream_life.h"

#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/wait.h"
#include "core/base/waiting.h"
#include "core/stream/device.h"

#include <assert.h>
#include <pthread.h>

enum { PLACE_BITS = 20, PLACES = 1 << PLACE_BITS, BLOCK = 64 };

static const uint64_t found_once = UINT64_C(1) << 32;

/* Guards what follows, and the ends of streams. It is taken before the locks of watchers. */
static tni_lock life_lock;
static _Atomic(tn_stream *) blocks[PLACES / BLOCK];
static uint64_t place_count, serial;
static tn_stream *unused; /* linked through `next` */
static tn_stream *late;   /* likewise: their end is for the next stream that is made to try again */

static tni_lock defaults_lock;
static tn_stream defaults[TNI_STREAM_SLOTS];
static _Atomic(bool) ready[TNI_STREAM_SLOTS];

/* --- Watchers --- */

enum { MAX_WATCHERS = 4 };

static const tni_stream_watcher *watchers[MAX_WATCHERS]; /* guarded by life_lock */
static int watcher_count;

static void before_fork(void) {
    tni_look_all(TNI_LOOK_FORK);
    tni_lock_take(&defaults_lock);
    tni_lock_take(&life_lock);
    for (int k = 0; k < watcher_count; k++)
        watchers[k]->before_fork();
}
static void after_fork(void) {
    for (int k = watcher_count; k-- > 0;)
        watchers[k]->after_fork();
    tni_lock_give(&life_lock);
    tni_lock_give(&defaults_lock);
}
static void add_fork_handlers(void) {
    pthread_atfork(before_fork, after_fork, after_fork);
}
static void watch_forks(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_fork_handlers);
}

void tni_stream_watch(const tni_stream_watcher *watcher) {
    watch_forks();
    tni_lock_take(&life_lock);
    assert(watcher_count < MAX_WATCHERS);
    watchers[watcher_count++] = watcher;
    tni_lock_give(&life_lock);
}

/* --- Default streams --- */

static void set_facts(tn_stream *stream, tn_device device, const tni_backend *backend,
                      bool non_blocking, int priority) {
    stream->device = device;
    stream->backend = backend;
    stream->non_blocking = non_blocking;
    stream->priority = priority;
}

static tn_status make_default(tn_stream **result, tn_device device) {
    const tni_backend *backend = tni_backend_get((tn_backend)device.backend);
    TNI_TRY(tni_device_check(device));
    watch_forks();
    int slot = tni_stream_slot(device);
    tn_stream *stream = &defaults[slot];
    tn_status status = TN_OK;
    tni_lock_take(&defaults_lock);
    if (!atomic_load(&ready[slot])) {
        set_facts(stream, device, backend, false, 0);
        stream->is_default = true;
        atomic_init(&stream->number, (uint64_t)slot + 1);
        status = backend->stream_init(stream);
        if (status == TN_OK) atomic_store_explicit(&ready[slot], true, memory_order_release);
    }
    tni_lock_give(&defaults_lock);
    if (status == TN_OK) *result = stream;
    return status;
}

tn_stream *tn_stream_default(tn_device device) {
    if ((unsigned)device.backend < TN_BACKEND_COUNT && (unsigned)device.number < TNI_MAX_DEVICES &&
        atomic_load_explicit(&ready[tni_stream_slot(device)], memory_order_acquire))
        return &defaults[tni_stream_slot(device)];
    tn_stream *made = NULL;
    return make_default(&made, device) ? NULL : made;
}

tn_status tni_stream_default(tn_stream **result, tn_device device) {
    *result = NULL;
    return make_default(result, device);
}

/* --- Places --- */

static tn_stream *at(uint64_t place) {
    return &atomic_load_explicit(&blocks[place / BLOCK], memory_order_acquire)[place % BLOCK];
}

static uint64_t place_of(uint64_t number) {
    return number & (PLACES - 1);
}

/* A struct that no stream has, NULL: memory is out. Called with the lock held. */
static tn_stream *take_place(void) {
    tn_stream *stream = unused;
    if (stream) {
        unused = stream->next;
        return stream;
    }
    if (place_count == PLACES) return NULL;
    if (place_count % BLOCK == 0) {
        tn_stream *block = tni_calloc(BLOCK, sizeof *block);
        if (!block) return NULL;
        atomic_store_explicit(&blocks[place_count / BLOCK], block, memory_order_release);
    }
    stream = at(place_count);
    atomic_init(&stream->number, place_count++);
    return stream;
}

tn_status tni_stream_make(tn_stream **result, const tn_stream *model, bool non_blocking,
                          int priority) {
    tni_lock_take(&life_lock);
    tn_stream *stream = take_place();
    if (stream)
        atomic_store_explicit(&stream->number,
                              ++serial << PLACE_BITS | place_of(atomic_load(&stream->number)),
                              memory_order_release);
    tni_lock_give(&life_lock);
    if (!stream) return tni_fail_no_memory(BLOCK * sizeof *stream);
    set_facts(stream, model->device, model->backend, non_blocking, priority);
    stream->is_idle = false;
    stream->awaited = 0;
    stream->arena = NULL;
    atomic_store_explicit(&stream->is_ending, false, memory_order_relaxed);
    atomic_store_explicit(&stream->has_left, false, memory_order_relaxed);
    stream->implementation = NULL;
    *result = stream;
    return TN_OK;
}

void tni_stream_unmake(tn_stream *stream) {
    tni_lock_take(&life_lock);
    stream->next = unused;
    unused = stream;
    tni_lock_give(&life_lock);
}

tn_stream *tni_stream_begin(tn_stream *stream) {
    tni_count_seldom(TNI_STREAMS, 1);
    atomic_store_explicit(&stream->references, 1, memory_order_release);
    return stream;
}

static void end_late(void);

tn_status tn_stream_new(tn_stream **result, tn_device device, bool non_blocking, int priority) {
    tn_stream *model = tn_stream_default(device), *stream; /* checks the device */
    if (!model) return TN_ERROR_DEVICE;
    end_late();
    TNI_TRY(tni_stream_make(&stream, model, non_blocking, priority));
    tn_status status = stream->backend->stream_init(stream);
    if (status == TN_OK)
        *result = tni_stream_begin(stream);
    else
        tni_stream_unmake(stream);
    return status;
}

/* --- References --- */

static uint32_t count_of(uint64_t references) {
    return (uint32_t)references;
}

tn_stream *tn_stream_retain(tn_stream *stream) {
    if (!stream->is_default)
        atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
    return stream;
}

bool tni_stream_retain_living(tn_stream *stream) {
    if (stream->is_default) return true;
    uint64_t seen = atomic_load_explicit(&stream->references, memory_order_relaxed);
    while (count_of(seen) > 0)
        if (atomic_compare_exchange_weak_explicit(&stream->references, &seen, seen + found_once + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

/* A thread that finds another number here sees all that the ended stream's work has written. */
static bool has_number(const tn_stream *stream, uint64_t number) {
    return atomic_load_explicit(&stream->number, memory_order_acquire) == number;
}

tn_stream *tni_stream_find(uint64_t number) {
    if (number == 0) return NULL;
    if (number <= TNI_STREAM_SLOTS) return &defaults[number - 1];
    tn_stream *stream = at(place_of(number));
    if (!has_number(stream, number)) return NULL;
    if (tni_stream_retain_living(stream)) {
        if (has_number(stream, number)) return stream;
        tn_stream_release(stream); /* one that has the place now */
        return NULL;
    }
    tni_lock_take(&life_lock); /* its end may be under way */
    tni_lock_give(&life_lock);
    return NULL;
}

bool tni_stream_is_living(uint64_t number) {
    if (number <= TNI_STREAM_SLOTS) return true;
    tn_stream *stream = at(place_of(number));
    return count_of(atomic_load(&stream->references)) > 0 && has_number(stream, number);
}

/* --- The end --- */

/* Whether nothing is queued. A stream that can't answer (of a parent process, say) runs nothing. */
static bool is_over(const void *context) {
    tn_stream *stream = (tn_stream *)(uintptr_t)context;
    bool done = true;
    atomic_store(&stream->is_ending, true);
    tn_status status = stream->backend->stream_is_done(stream, &done);
    stream->is_idle = status == TN_OK && done;
    return status != TN_OK || done;
}

/* The only reference is the caller's if the word is still `seen`; then the stream ends here. */
static bool close_stream(tn_stream *stream, uint64_t *seen) {
    tni_lock_take(&life_lock);
    bool is_last = atomic_compare_exchange_strong(&stream->references, seen, 0);
    for (int k = 0; is_last && k < watcher_count; k++)
        watchers[k]->stream_ends(stream);
    tni_lock_give(&life_lock);
    if (!is_last) return false;
    stream->backend->stream_deinit(stream);
    tni_count_seldom(TNI_STREAMS, -1);
    tni_stream_unmake(stream);
    return true;
}

static void put_off(tn_stream *stream) {
    tni_lock_take(&life_lock);
    stream->next = late;
    late = stream;
    tni_lock_give(&life_lock);
}

static void release_in_queue(void *stream);

/* `is_after`: a cleanup calls, and all work is done that was queued when the word was `awaited`.
 * The caller may be the stream's own queue, so the queue is not waited for. */
static void release(tn_stream *stream, bool is_after) {
    uint64_t seen = atomic_load_explicit(&stream->references, memory_order_acquire);
    for (;;) {
        if (count_of(seen) > 1) {
            if (atomic_compare_exchange_weak(&stream->references, &seen, seen - 1)) return;
        } else if ((is_after && seen == stream->awaited) || is_over(stream)) {
            if (close_stream(stream, &seen)) return;
        } else {
            stream->awaited = seen;
            if (stream->backend->stream_add_cleanup(stream, release_in_queue, stream) == TN_OK)
                return;
            if (is_after) {
                put_off(stream);
                return;
            }
            tni_drain(is_over, stream);
        }
    }
}

static void release_in_queue(void *context) {
    tn_stream *stream = context;
    stream->is_idle = true;
    release(stream, true);
}

void tn_stream_release(tn_stream *stream) {
    if (stream && !stream->is_default) release(stream, false);
}

static void end_late(void) {
    tni_lock_take(&life_lock);
    tn_stream *stream = late;
    late = NULL;
    tni_lock_give(&life_lock);
    for (tn_stream *next; stream; stream = next) {
        next = stream->next;
        tn_stream_release(stream);
    }
}
