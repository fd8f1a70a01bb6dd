/* Algorithm: the first runs of a graph take both ways in turn, and the least times decide, sooner
 * where they are far apart. Later runs look again now and then. A table forgets the older of two
 * graphs that have one place. Another one counts how often calls have run alone, though they had
 * waited. */
#include "kernel/backlog/faster.h"

#include "core/base/lock.h"

#include <limits.h>

enum { PLACES = 1024, TRIES = 4, FEW_TRIES = 2, AGAIN = 1024, CALLS = 4096 };

typedef struct way {
    int64_t best; /* ns */
    int tries;
} way;

static struct {
    uint64_t graph;
    way ways[2]; /* as one, call by call */
    int runs;
} known[PLACES];
static struct {
    _Atomic uint64_t call;
    atomic_int left; /* times that it has to run alone before it does not wait; below 0: how often
                        it then has not */
} alone[CALLS];
static tni_lock lock;
static atomic_bool is_off;

void tni_faster_use(bool is_used) {
    atomic_store(&is_off, !is_used);
}

static bool is_far_less(const way *a, const way *b) {
    return a->tries >= FEW_TRIES && b->tries >= FEW_TRIES && a->best < b->best / 3 * 2;
}

static bool decide(const way *as_one, const way *single) {
    if (is_far_less(as_one, single)) return false;
    if (is_far_less(single, as_one)) return true;
    if (as_one->tries < TRIES || single->tries < TRIES) return single->tries < as_one->tries;
    return single->best < as_one->best;
}

tni_timed tni_faster_begin(uint64_t graph) {
    tni_timed run = {graph, false, 0};
    if (atomic_load_explicit(&is_off, memory_order_relaxed)) return (tni_timed){0, false, 0};
    tni_lock_take(&lock);
    way *ways = known[graph % PLACES].ways;
    int *runs = &known[graph % PLACES].runs;
    if (known[graph % PLACES].graph != graph || *runs == AGAIN) {
        known[graph % PLACES].graph = graph;
        ways[0] = ways[1] = (way){INT64_MAX, 0};
        *runs = 0;
    }
    ++*runs;
    run.is_single = decide(&ways[0], &ways[1]);
    if (ways[run.is_single].tries == TRIES) run.graph = 0; /* it is decided */
    tni_lock_give(&lock);
    if (run.graph) run.begun = tni_now_ns();
    return run;
}

void tni_faster_end(const tni_timed *run) {
    if (!run->graph) return;
    const int64_t taken = tni_now_ns() - run->begun;
    tni_lock_take(&lock);
    way *of = &known[run->graph % PLACES].ways[run->is_single];
    if (known[run->graph % PLACES].graph == run->graph && of->tries < TRIES) {
        of->tries++;
        if (taken < of->best) of->best = taken;
    }
    tni_lock_give(&lock);
}

bool tni_faster_is_eager(uint64_t call) {
    if (atomic_load_explicit(&alone[call % CALLS].call, memory_order_relaxed) != call) return false;
    atomic_int *left = &alone[call % CALLS].left;
    const int now = atomic_load_explicit(left, memory_order_relaxed);
    if (now > 0) return false;
    atomic_store_explicit(left, now > -AGAIN ? now - 1 : 1, memory_order_relaxed);
    return true;
}

void tni_faster_note_alone(uint64_t call, int times) {
    _Atomic uint64_t *known_call = &alone[call % CALLS].call;
    atomic_int *left = &alone[call % CALLS].left;
    const bool is_known = atomic_load_explicit(known_call, memory_order_relaxed) == call;
    if (atomic_load_explicit(&is_off, memory_order_relaxed) || (!is_known && times == 0)) return;
    const int before = is_known ? atomic_load_explicit(left, memory_order_relaxed) : INT_MAX;
    const int now = times == 0 ? INT_MAX : before > times ? times - 1 : before - (before > 0);
    atomic_store_explicit(left, now, memory_order_relaxed);
    atomic_store_explicit(known_call, call, memory_order_relaxed);
}
