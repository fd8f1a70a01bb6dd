/* The users of a buffer: a hash table of streams' numbers, with open addressing, from the first
 * user on.
 *
 * Invariant: every stream that used the buffer beside home and may have work on it is in the
 * table; `writers` of them wrote, and `writer` is one of those, or 0 where it is not known which.
 * Streams that have ended leave the table when it is full, so it is never much larger than the
 * number of streams that live; it shrinks again when users are dropped. */
#include "core/memory/buffer_users.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/waiting.h"
#include "core/stream/stream_life.h"

#include <pthread.h>

enum { LOCKS = 16, LEAST = 4 };

struct tni_buffer_users {
    int count, capacity; /* a power of two; a quarter at least is empty */
    int writers;
    uint64_t writer;
    int taken; /* places that tni_users_take() has passed */
    tni_user places[];
};
typedef struct tni_buffer_users users;

static tni_lock locks[LOCKS];

static void before_fork(void) {
    tni_look_all(TNI_LOOK_FORK);
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

tni_lock *tni_users_lock(const tn_buffer *buffer) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return &locks[(uintptr_t)buffer / sizeof *buffer % LOCKS];
}

static users *users_of(const tn_buffer *buffer) {
    return atomic_load_explicit(&buffer->users, memory_order_relaxed);
}

static void set_users(tn_buffer *buffer, users *all) {
    atomic_store_explicit(&buffer->users, all, memory_order_release);
}

/* --- The table --- */

static int first_place(const users *all, uint64_t stream) {
    return (int)(stream * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (all->capacity - 1);
}

/* The place of a stream, or the empty one where it belongs. */
static tni_user *find(users *all, uint64_t stream) {
    int k = first_place(all, stream);
    while (all->places[k].stream && all->places[k].stream != stream)
        k = (k + 1) & (all->capacity - 1);
    return &all->places[k];
}

static void put(users *all, const tni_user *user) {
    *find(all, user->stream) = *user;
    all->count++;
    if (!user->wrote) return;
    all->writers++;
    all->writer = user->stream;
}

/* Empties a place, and moves up users after it that would not be found any more. */
static void empty(users *all, tni_user *place) {
    int mask = all->capacity - 1, hole = (int)(place - all->places);
    all->count--;
    if (place->wrote) all->writers--;
    if (place->stream == all->writer) all->writer = 0;
    for (int k = (hole + 1) & mask; all->places[k].stream; k = (k + 1) & mask) {
        int first = first_place(all, all->places[k].stream);
        if (((k - first) & mask) < ((k - hole) & mask)) continue;
        all->places[hole] = all->places[k];
        hole = k;
    }
    all->places[hole] = (tni_user){0};
}

static bool is_full(const users *all) {
    return 4 * (all->count + 1) > 3 * all->capacity;
}

/* Makes a table of the users that have not ended, at most half full. On failure all is as it
 * was. */
static tn_status renew(tn_buffer *buffer) {
    users *old = users_of(buffer);
    int living = 0, capacity = LEAST;
    for (int k = 0; old && k < old->capacity; k++)
        living += old->places[k].stream && tni_stream_is_living(old->places[k].stream);
    while (capacity < 2 * (living + 1))
        capacity *= 2;
    size_t bytes = sizeof *old + (size_t)capacity * sizeof(tni_user);
    users *made = tni_calloc(1, bytes);
    if (!made) return tni_fail_no_memory((int64_t)bytes);
    made->capacity = capacity;
    for (int k = 0; old && k < old->capacity; k++)
        if (old->places[k].stream && tni_stream_is_living(old->places[k].stream))
            put(made, &old->places[k]);
    set_users(buffer, made);
    tni_free(old);
    return TN_OK;
}

/* --- Users --- */

tn_status tni_users_note(tn_buffer *buffer, uint64_t stream, bool writes) {
    users *all = users_of(buffer);
    tni_user *user = all ? find(all, stream) : NULL;
    if (!user || !user->stream) {
        if (!all || is_full(all)) TNI_TRY(renew(buffer));
        all = users_of(buffer);
        put(all, &(tni_user){.stream = stream});
        user = find(all, stream);
    }
    user->uses++;
    if (writes && !user->wrote) {
        user->wrote = true;
        all->writers++;
        all->writer = stream;
    }
    return TN_OK;
}

int tni_users_list(tni_user *seen, int room, const tn_buffer *buffer, uint64_t stream, bool all) {
    users *known = users_of(buffer);
    int count = 0;
    if (!known || (!all && known->writers == 0)) return 0;
    if (!all && known->writers == 1 && known->writer) {
        if (known->writer == stream) return 0;
        if (room > 0) *seen = *find(known, known->writer);
        return 1;
    }
    for (int k = 0; k < known->capacity; k++) {
        const tni_user *user = &known->places[k];
        if (!user->stream || user->stream == stream || !(all || user->wrote)) continue;
        if (count < room) seen[count] = *user;
        count++;
    }
    return count;
}

void tni_users_drop(tn_buffer *buffer, const tni_user *seen, int count) {
    users *all = users_of(buffer);
    for (int k = 0; all && k < count; k++) {
        tni_user *user = find(all, seen[k].stream);
        if (user->stream && user->uses == seen[k].uses) empty(all, user);
    }
    if (all && all->capacity > LEAST && 8 * all->count < all->capacity) {
        (void)renew(buffer); /* where memory is out, it stays large */
        all = users_of(buffer);
    }
    if (!all || all->count > 0) return;
    set_users(buffer, NULL);
    tni_free(all);
}

uint64_t tni_users_take(tn_buffer *buffer) {
    users *all = users_of(buffer);
    while (all->taken < all->capacity) {
        uint64_t stream = all->places[all->taken++].stream;
        if (stream) return stream;
    }
    tni_free(all);
    return 0;
}
