/* The cache of plans: a list by last use, the newest first, searched from there. */
#include "backend/fft_plans.h"

#include "core/base/forklock.h"
#include "core/stream/stream.h"

#include <string.h>

enum { DEFAULT_PLANS = 16 };

typedef struct cache {
    bool is_set; /* the limits are others than the default */
    tni_fft_plan *newest, *oldest;
    int64_t hits, misses, plans, bytes, most_plans, most_bytes;
} cache;

static tni_fork_lock lock = TNI_FORK_LOCK;
static cache caches[2 * TNI_MAX_DEVICES];

/* Under the lock. */
static cache *cache_of(tn_device device) {
    cache *c = &caches[tni_stream_slot(device)];
    if (!c->is_set) {
        c->is_set = true;
        c->most_plans = DEFAULT_PLANS;
        c->most_bytes = -1;
    }
    return c;
}

void tni_fft_plan_release(tni_fft_plan *plan) {
    if (plan && atomic_fetch_sub(&plan->users, 1) == 1) plan->destroy(plan);
}

static void take_out(cache *c, tni_fft_plan *plan) {
    *(plan->newer ? &plan->newer->older : &c->newest) = plan->older;
    *(plan->older ? &plan->older->newer : &c->oldest) = plan->newer;
    plan->newer = plan->older = NULL;
    c->plans--;
    c->bytes -= plan->bytes;
}

static void put_in(cache *c, tni_fft_plan *plan) {
    plan->older = c->newest;
    plan->newer = NULL;
    *(c->newest ? &c->newest->newer : &c->oldest) = plan;
    c->newest = plan;
    c->plans++;
    c->bytes += plan->bytes;
}

/* Takes out the oldest plans until the limits hold; returns them as a list by `older`. */
static tni_fft_plan *shrink(cache *c, int64_t plans, int64_t bytes) {
    tni_fft_plan *dropped = NULL;
    while (c->oldest && ((plans >= 0 && c->plans > plans) || (bytes >= 0 && c->bytes > bytes))) {
        tni_fft_plan *plan = c->oldest;
        take_out(c, plan);
        plan->older = dropped;
        dropped = plan;
    }
    return dropped;
}

/* Outside the lock: destroying a plan may call a library. */
static void release_all(tni_fft_plan *dropped) {
    while (dropped) {
        tni_fft_plan *next = dropped->older;
        dropped->older = NULL;
        tni_fft_plan_release(dropped);
        dropped = next;
    }
}

tni_fft_plan *tni_fft_cache_find(tn_device device, const tni_fft_key *key) {
    tni_fork_lock_take(&lock);
    cache *c = cache_of(device);
    tni_fft_plan *plan = c->newest;
    while (plan && memcmp(&plan->key, key, sizeof *key))
        plan = plan->older;
    if (plan) {
        c->hits++;
        atomic_fetch_add(&plan->users, 1);
        if (plan != c->newest) {
            take_out(c, plan);
            put_in(c, plan);
        }
    } else {
        c->misses++;
    }
    tni_fork_lock_give(&lock);
    return plan;
}

void tni_fft_cache_add(tn_device device, tni_fft_plan *plan) {
    tni_fork_lock_take(&lock);
    cache *c = cache_of(device);
    atomic_fetch_add(&plan->users, 1);
    put_in(c, plan);
    tni_fft_plan *dropped = shrink(c, c->most_plans, c->most_bytes);
    tni_fork_lock_give(&lock);
    release_all(dropped);
}

void tn_fft_cache_get(tn_device device, tn_fft_cache_facts *facts) {
    tni_fork_lock_take(&lock);
    const cache *c = cache_of(device);
    *facts =
        (tn_fft_cache_facts){c->plans, c->bytes, c->most_plans, c->most_bytes, c->hits, c->misses};
    tni_fork_lock_give(&lock);
}

void tn_fft_cache_limit(tn_device device, int64_t plans, int64_t bytes) {
    tni_fork_lock_take(&lock);
    cache *c = cache_of(device);
    c->most_plans = plans;
    c->most_bytes = bytes;
    tni_fft_plan *dropped = shrink(c, plans, bytes);
    tni_fork_lock_give(&lock);
    release_all(dropped);
}

void tn_fft_cache_clear(tn_device device) {
    tni_fork_lock_take(&lock);
    cache *c = cache_of(device);
    tni_fft_plan *dropped = shrink(c, 0, 0);
    c->hits = c->misses = 0;
    tni_fork_lock_give(&lock);
    release_all(dropped);
}
