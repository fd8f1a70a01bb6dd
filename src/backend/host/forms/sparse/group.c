/* Elements grouped by one of their indexes: coordinates become rows, rows become columns.
 *
 * Each thread counts and then moves a range of the elements, whose places are kept for it, so that
 * the order of equal ones stays. Where lines are many, their places would be all over the memory:
 * the elements go to buckets of lines first, and those of a bucket to their lines in the cache,
 * where they are sorted as well. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <string.h>

enum {
    RANGES = 16,
    RANGE = 1 << 15,
    BLOCK = 1 << 12,
    BUCKETS = 512,         /* at most */
    FEW_LINES = 1 << 12,   /* that need no buckets */
    KEPT_BYTES = 64 << 20, /* of items in scratch space */
    ROOM = 32,             /* bytes that sorting needs for an element */
    SLOT_CURSORS = 0,
    SLOT_ROOM = 1,
    SLOT_TALLIES = 2,
    SLOT_ITEMS = 3
};

typedef struct grouping {
    const tni_csr_group *call;
    const tni_sparse_index_loops *loops;
    const tni_sparse_move_loops *moves;
    int64_t begin, end; /* of the elements */
    int64_t ranges, range;
    int shift;        /* of a line to its bucket; 0: there are none, or of a line each */
    int64_t buckets;  /* or lines */
    int64_t *tallies; /* [ranges, buckets] */
    char *items;
    int64_t starts[BUCKETS + 1]; /* of the buckets' items */
    _Atomic int64_t flags;
    atomic_bool is_bad, lacks_memory;
} grouping;

static int64_t last_of(const grouping *g, int64_t k) {
    const int64_t last = g->begin + (k + 1) * g->range;
    return last < g->end ? last : g->end;
}

/* Whether indexes from `at` on are below `bound`. */
static bool is_inside(const grouping *g, const void *indexes, int64_t at, int64_t n,
                      int64_t bound) {
    return g->loops->inside((const char *)indexes + at * (g->call->is_wide ? 8 : 4), n, bound);
}

static void tally(void *context, int64_t begin, int64_t end) {
    grouping *g = context;
    const tni_csr_group *call = g->call;
    const int64_t bytes = call->is_wide ? 8 : 4;
    _Alignas(64) char held[BLOCK * 8]; /* a copy, which nothing changes after the check */
    for (int64_t k = begin; k < end; k++) {
        int64_t *tallies = g->tallies + k * g->buckets;
        const int64_t last = last_of(g, k);
        memset(tallies, 0, (size_t)g->buckets * sizeof *tallies);
        for (int64_t at = g->begin + k * g->range; at < last; at += BLOCK) {
            const int64_t n = last - at < BLOCK ? last - at : BLOCK;
            memcpy(held, (const char *)call->major + at * bytes, (size_t)(n * bytes));
            if (!g->loops->inside(held, n, call->lines) ||
                (call->flags && !is_inside(g, call->minor, at, n, call->columns))) {
                atomic_store(&g->is_bad, true);
                return;
            }
            g->loops->tally(held, 0, n, g->shift, tallies);
        }
    }
}

static void move(void *context, int64_t begin, int64_t end) {
    grouping *g = context;
    const tni_csr_group *call = g->call;
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = g->begin + k * g->range, last = last_of(g, k);
        const int64_t row = call->minor ? 0 : g->loops->find(call->starts, call->rows, at + 1) - 1;
        int64_t *cursors = g->tallies + k * g->buckets;
        if (g->items)
            g->moves->spread(call, at, last, row, g->shift, cursors, g->items);
        else
            g->moves->group(call, at, last, row, cursors);
    }
}

static void set_start(const tni_csr_group *call, int64_t line, int64_t start) {
    if (call->is_wide)
        ((int64_t *)call->to_starts)[line] = start;
    else
        ((int32_t *)call->to_starts)[line] = (int32_t)start;
}

/* Counts become places, and the places of the first range the starts: of lines, or of buckets and
 * of the first line in each. */
static void place(grouping *g) {
    int64_t sum = 0;
    for (int64_t bucket = 0; bucket < g->buckets; bucket++) {
        set_start(g->call, bucket << g->shift, sum);
        if (g->items) g->starts[bucket] = sum;
        for (int64_t k = 0; k < g->ranges; k++) {
            int64_t *tally = &g->tallies[k * g->buckets + bucket];
            const int64_t n = *tally;
            *tally = sum;
            sum += n;
        }
    }
    if (g->items) g->starts[g->buckets] = sum;
    set_start(g->call, g->call->lines, sum);
}

/* Sorts lines that have their elements, a few thousand of these at a time. */
static void sort_lines(void *context, int64_t begin, int64_t end) {
    grouping *g = context;
    const tni_csr_group *call = g->call;
    const tni_csr made = {call->lines,     call->columns,    call->count,
                          call->to_starts, call->to_indices, NULL};
    const tni_csr_sort sort = {call->item, call->is_wide, made, call->to_indices, call->to_values};
    const int64_t bytes = call->is_wide ? 8 : 4;
    int64_t found = 0;
    while (begin < end) {
        const char *starts = (const char *)call->to_starts + begin * bytes;
        const int64_t from = g->loops->at(starts, 0);
        int64_t next = begin + g->loops->find(starts, end - begin, from + BLOCK);
        next = next > end ? end : next == begin ? begin + 1 : next;
        const int64_t n = g->loops->at(made.starts, next) - from;
        void *room = tni_scratch(SLOT_ROOM, (size_t)n * ROOM + 64);
        if (!room) {
            atomic_store(&g->lacks_memory, true);
            return;
        }
        g->moves->sort(&sort, begin, next, room);
        found |= g->loops->order(&made, begin, next);
        begin = next;
    }
    if (found) atomic_fetch_or(&g->flags, found);
}

static void settle(void *context, int64_t begin, int64_t end) {
    grouping *g = context;
    const tni_csr_group *call = g->call;
    for (int64_t k = begin; k < end; k++) {
        const int64_t first = k << g->shift, next = (k + 1) << g->shift;
        const int64_t last = next < call->lines ? next : call->lines;
        int64_t *cursors = tni_scratch(SLOT_CURSORS, (size_t)(last - first) * sizeof *cursors);
        if (!cursors) {
            atomic_store(&g->lacks_memory, true);
            return;
        }
        g->moves->settle(call, g->items + g->starts[k] * g->moves->item,
                         g->starts[k + 1] - g->starts[k], first, last, g->starts[k], cursors);
        if (call->flags) sort_lines(g, first, last);
    }
}

/* Which elements there are. */
static bool find_ends(grouping *g) {
    const tni_csr_group *call = g->call;
    g->begin = 0;
    g->end = call->count;
    if (call->minor) return true;
    if (!g->loops->ascends(call->starts, call->rows, call->count)) return false;
    g->begin = g->loops->at(call->starts, 0);
    g->end = g->loops->at(call->starts, call->rows);
    return g->end - g->begin == call->count;
}

/* How elements are shared out. */
static tn_status share(grouping *g) {
    const tni_csr_group *call = g->call;
    const int64_t threads = tni_thread_count();
    g->buckets = call->lines;
    if (call->lines > FEW_LINES && call->count >= RANGE && call->count >= call->lines / 8) {
        while (g->buckets > BUCKETS)
            g->buckets = ((call->lines - 1) >> ++g->shift) + 1;
    }
    int64_t least = g->buckets / 2 > RANGE ? g->buckets / 2 : RANGE;
    g->ranges = call->count / least;
    g->ranges = g->ranges < 1 ? 1 : g->ranges < RANGES ? g->ranges : RANGES;
    g->ranges = g->ranges < threads ? g->ranges : threads;
    g->range = (call->count + g->ranges - 1) / g->ranges;
    const int64_t bytes = g->ranges * g->buckets * (int64_t)sizeof *g->tallies;
    g->tallies = tni_scratch(SLOT_TALLIES, (size_t)bytes + 64);
    return g->tallies ? TN_OK : tni_fail_no_memory(bytes);
}

static tn_status run(grouping *g) {
    tni_parallel(g->ranges, 1, tally, g);
    if (atomic_load(&g->is_bad)) return tni_sparse_fail();
    place(g);
    tni_parallel(g->ranges, 1, move, g);
    if (g->items)
        tni_parallel(g->buckets, 1, settle, g);
    else if (g->call->flags)
        tni_parallel(g->call->lines, 1 + (g->call->lines << 10) / (g->call->count + 1), sort_lines,
                     g);
    if (atomic_load(&g->lacks_memory)) return tni_sparse_told(TN_ERROR_MEMORY);
    if (g->call->flags) *g->call->flags = atomic_load(&g->flags);
    return TN_OK;
}

tn_status tni_host_run_csr_group(void *parameters) {
    const tni_csr_group *call = parameters;
    grouping g = {.call = call, .loops = tni_sparse_index(call->is_wide)};
    void *owned = NULL;
    atomic_init(&g.is_bad, false);
    g.moves = tni_sparse_moves(call->is_wide, call->item);
    if (!find_ends(&g)) return tni_sparse_fail();
    TNI_TRY(share(&g));
    if (g.shift) {
        const size_t bytes = (size_t)(call->count * g.moves->item);
        g.items =
            bytes <= KEPT_BYTES ? tni_scratch(SLOT_ITEMS, bytes) : (owned = tni_malloc(bytes));
        if (!g.items) return tni_fail_no_memory((int64_t)bytes);
    }
    const tn_status status = run(&g);
    tni_free(owned);
    return status;
}

tni_host_plan tni_host_plan_csr_group(const tni_csr_group *call) {
    return (tni_host_plan){tni_host_run_csr_group, call, sizeof *call,
                           .elements = call->count + call->lines + call->rows};
}
