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
    BUCKET = 1 << 13,      /* elements of one whose lines are sorted */
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
    const tni_sparse_value_loops *values; /* for sorted lines */
    int64_t begin, end;                   /* of the elements */
    int64_t ranges, range;
    bool has_buckets;
    int shift;        /* of a line to its bucket, or 0 */
    int64_t buckets;  /* or lines */
    int64_t *tallies; /* [ranges, buckets] */
    char *items;
    int64_t starts[BUCKETS + 1]; /* of the buckets' items */
    tni_sparse_turns turns;      /* of the buckets, for sorted lines */
    atomic_bool is_bad, lacks_memory;
} grouping;

static int64_t last_of(const grouping *g, int64_t k) {
    const int64_t last = g->begin + (k + 1) * g->range;
    return last < g->end ? last : g->end;
}

/* The line after the last one of a bucket, and the bucket's items. */
static int64_t end_of(const grouping *g, int64_t k) {
    const int64_t next = (k + 1) << g->shift;
    return next < g->call->lines ? next : g->call->lines;
}

static const char *items_of(const grouping *g, int64_t k) {
    return g->items + g->starts[k] * g->moves->item;
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

/* Moves the elements of buckets to their lines. */
static void settle(void *context, int64_t begin, int64_t end) {
    grouping *g = context;
    for (int64_t k = begin; k < end; k++) {
        const int64_t first = k << g->shift, last = end_of(g, k);
        int64_t *cursors = tni_scratch(SLOT_CURSORS, (size_t)(last - first) * sizeof *cursors);
        if (!cursors) {
            atomic_store(&g->lacks_memory, true);
            return;
        }
        g->moves->settle(g->call, items_of(g, k), g->starts[k + 1] - g->starts[k], first, last,
                         g->starts[k], cursors);
    }
}

/* --- Sorted lines --- */

/* The lines of a bucket in memory of a thread. `call` and `made` say where that is; starts count
 * from 0 there. */
typedef struct bucket {
    int64_t first, end; /* lines */
    tni_csr_group call;
    tni_csr made;
    int64_t *counts; /* a line's, and one more; `ends` of the lines once duplicates are summed */
    bool is_united;
    void *owned;
} bucket;

static bool take_bucket(bucket *b, const grouping *g, int64_t k) {
    const tni_csr_group *call = g->call;
    const int64_t n = g->starts[k + 1] - g->starts[k], bytes = call->is_wide ? 8 : 4;
    b->first = k << g->shift;
    b->end = end_of(g, k);
    const int64_t lines = b->end - b->first, counts = ((lines + 1) * 8 + 63) & -64;
    const int64_t values = (n * call->item + 63) & -64, indices = (n * bytes + 63) & -64;
    const size_t all = (size_t)(counts + values + indices + (lines + 1) * bytes) + 64;
    b->owned = all <= KEPT_BYTES ? NULL : tni_malloc(all);
    char *room = all <= KEPT_BYTES ? tni_scratch(SLOT_CURSORS, all) : b->owned;
    if (!room) return false;
    b->is_united = false;
    b->counts = (int64_t *)(void *)room;
    b->call = *call;
    b->call.to_values = room + counts;
    b->call.to_indices = room + counts + values;
    char *starts = room + counts + values + indices;
    b->call.to_starts = (void *)((uintptr_t)starts - (uintptr_t)(b->first * bytes));
    b->made = (tni_csr){call->lines,       call->columns,      n,
                        b->call.to_starts, b->call.to_indices, b->call.to_values};
    return true;
}

/* Sorts a few thousand elements at a time. Returns whether some are there twice. */
static bool sort_lines(grouping *g, const bucket *b) {
    const tni_csr_group *call = &b->call;
    const tni_csr_sort sort = {call->item, call->is_wide, b->made, call->to_indices,
                               call->to_values};
    const int64_t bytes = call->is_wide ? 8 : 4;
    int64_t found = 0;
    for (int64_t line = b->first; line < b->end;) {
        const char *starts = (const char *)call->to_starts + line * bytes;
        const int64_t from = g->loops->at(starts, 0);
        int64_t next = line + g->loops->find(starts, b->end - line, from + BLOCK);
        next = next > b->end ? b->end : next == line ? line + 1 : next;
        const int64_t n = g->loops->at(b->made.starts, next) - from;
        void *room = tni_scratch(SLOT_ROOM, (size_t)n * ROOM + 64);
        if (!room) {
            atomic_store(&g->lacks_memory, true);
            return false;
        }
        g->moves->sort(&sort, line, next, room);
        found |= g->loops->order(&b->made, line, next);
        line = next;
    }
    return (found & TNI_CSR_DUPLICATES) != 0;
}

/* Sums what is there twice, in place. Returns how many elements are left. */
static int64_t unite(const grouping *g, bucket *b) {
    const int64_t lines = b->end - b->first;
    const tni_csr_unite call = {
        b->call.dtype,
        b->call.is_wide,
        b->made,
        {NULL, b->counts - b->first, b->made.count, b->call.to_indices, b->call.to_values}};
    g->loops->count_united(&b->made, b->first, b->end, b->counts + 1 - b->first);
    tni_sparse_add_up(b->counts, lines);
    g->values->unite(&call, b->first, b->end);
    b->is_united = true;
    return b->counts[lines];
}

/* The lines of a bucket, sorted and united. Returns how many elements they have. */
static int64_t make_lines(grouping *g, bucket *b, int64_t k) {
    set_start(&b->call, b->first, 0);
    const int64_t n =
        g->moves->settle(&b->call, items_of(g, k), b->made.count, b->first, b->end, 0, b->counts);
    set_start(&b->call, b->end, n);
    return sort_lines(g, b) ? unite(g, b) : n;
}

static void put_lines(const grouping *g, const bucket *b, int64_t place, int64_t n) {
    const int64_t bytes = b->call.is_wide ? 8 : 4;
    for (int64_t line = b->first; line < b->end; line++)
        set_start(g->call, line,
                  place + (b->is_united ? b->counts[line - b->first]
                                        : g->loops->at(b->made.starts, line)));
    if (b->end == g->call->lines) set_start(g->call, b->end, place + n);
    if (n == 0) return;
    memcpy((char *)g->call->to_indices + place * bytes, b->call.to_indices, (size_t)(n * bytes));
    memcpy((char *)g->call->to_values + place * g->call->item, b->call.to_values,
           (size_t)(n * g->call->item));
}

static void make_buckets(void *context, int64_t begin, int64_t end) {
    (void)begin, (void)end;
    grouping *g = context;
    for (int k; (k = tni_sparse_next(&g->turns)) >= 0;) {
        bucket b;
        if (!take_bucket(&b, g, k)) {
            atomic_store(&g->lacks_memory, true);
            tni_sparse_place(&g->turns, k, 0);
            continue;
        }
        const int64_t n = make_lines(g, &b, k);
        put_lines(g, &b, tni_sparse_place(&g->turns, k, n), n);
        tni_free(b.owned);
    }
}

/* --- All --- */

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

/* How many buckets there are to be, or 0 for none. */
static int64_t wanted_buckets(const tni_csr_group *call) {
    const int64_t wanted = call->count / BUCKET < BUCKETS ? call->count / BUCKET + 1 : BUCKETS;
    if (call->flags) return wanted;
    const bool is_large = call->count >= RANGE && call->count >= call->lines / 8;
    return is_large && call->lines > FEW_LINES ? BUCKETS : 0;
}

/* How elements are shared out. */
static tn_status share(grouping *g) {
    const tni_csr_group *call = g->call;
    const int64_t threads = tni_thread_count(), wanted = wanted_buckets(call);
    g->has_buckets = wanted != 0;
    g->buckets = call->lines;
    while (wanted && g->buckets > wanted)
        g->buckets = ((call->lines - 1) >> ++g->shift) + 1;
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
    if (g->call->flags)
        tni_sparse_take_turns(&g->turns, (int)g->buckets, make_buckets, g);
    else if (g->items)
        tni_parallel(g->buckets, 1, settle, g);
    if (atomic_load(&g->lacks_memory)) return tni_sparse_report(TN_ERROR_MEMORY);
    if (g->call->flags) *g->call->flags = 0;
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
    if (call->flags) TNI_TRY(tni_sparse_values(&g.values, call->dtype, call->is_wide));
    if (g.has_buckets) {
        const size_t bytes = (size_t)(call->count * g.moves->item) + 64;
        g.items =
            bytes <= KEPT_BYTES ? tni_scratch(SLOT_ITEMS, bytes) : (owned = tni_malloc(bytes));
        if (!g.items) return tni_fail_no_memory((int64_t)bytes);
    }
    const tn_status status = run(&g);
    tni_free(owned);
    return status;
}

TNI_HOST_PLAN(csr_group, call->count + call->lines + call->rows)
