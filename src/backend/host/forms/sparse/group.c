/* Elements grouped by one of their indexes: coordinates become rows, rows become columns.
 *
 * Each thread counts and then moves a range of the elements, whose places are kept for it, so that
 * the order of equal ones stays. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { RANGES = 16, RANGE = 1 << 15, BLOCK = 1 << 12, SLOT_TALLIES = 2 };

typedef struct grouping {
    const tni_csr_group *call;
    const tni_sparse_index_loops *loops;
    const tni_sparse_move_loops *moves;
    int64_t begin, end; /* of the elements */
    int64_t ranges, range;
    int64_t *tallies; /* [ranges, lines] */
    atomic_bool is_bad;
} grouping;

static int64_t last_of(const grouping *g, int64_t k) {
    const int64_t last = g->begin + (k + 1) * g->range;
    return last < g->end ? last : g->end;
}

static void tally(void *context, int64_t begin, int64_t end) {
    grouping *g = context;
    const tni_csr_group *call = g->call;
    const int64_t bytes = call->is_wide ? 8 : 4;
    _Alignas(64) char held[BLOCK * 8]; /* a copy, which nothing changes after the check */
    for (int64_t k = begin; k < end; k++) {
        int64_t *tallies = g->tallies + k * call->lines;
        const int64_t last = last_of(g, k);
        memset(tallies, 0, (size_t)call->lines * sizeof *tallies);
        for (int64_t at = g->begin + k * g->range; at < last; at += BLOCK) {
            const int64_t n = last - at < BLOCK ? last - at : BLOCK;
            memcpy(held, (const char *)call->major + at * bytes, (size_t)(n * bytes));
            if (!g->loops->inside(held, n, call->lines)) {
                atomic_store(&g->is_bad, true);
                return;
            }
            g->loops->tally(held, 0, n, tallies);
        }
    }
}

static void move(void *context, int64_t begin, int64_t end) {
    grouping *g = context;
    const tni_csr_group *call = g->call;
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = g->begin + k * g->range;
        const int64_t row = call->minor ? 0 : g->loops->find(call->starts, call->rows, at + 1) - 1;
        g->moves->group(call, at, last_of(g, k), row, g->tallies + k * call->lines);
    }
}

/* Counts become places, and the places of the first range the starts. */
static void place(const grouping *g) {
    const tni_csr_group *call = g->call;
    int64_t sum = 0;
    for (int64_t line = 0; line < call->lines; line++) {
        if (call->is_wide)
            ((int64_t *)call->to_starts)[line] = sum;
        else
            ((int32_t *)call->to_starts)[line] = (int32_t)sum;
        for (int64_t k = 0; k < g->ranges; k++) {
            int64_t *tally = &g->tallies[k * call->lines + line];
            const int64_t n = *tally;
            *tally = sum;
            sum += n;
        }
    }
    if (call->is_wide)
        ((int64_t *)call->to_starts)[call->lines] = sum;
    else
        ((int32_t *)call->to_starts)[call->lines] = (int32_t)sum;
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

tn_status tni_host_run_csr_group(void *parameters) {
    const tni_csr_group *call = parameters;
    grouping g = {.call = call, .loops = tni_sparse_index(call->is_wide)};
    atomic_init(&g.is_bad, false);
    g.moves = tni_sparse_moves(call->is_wide, call->item);
    if (!find_ends(&g)) return tni_sparse_fail();
    int64_t least = call->lines / 2 > RANGE ? call->lines / 2 : RANGE;
    g.ranges = call->count / least;
    const int threads = tni_thread_count();
    g.ranges = g.ranges < 1 ? 1 : g.ranges < RANGES ? g.ranges : RANGES;
    g.ranges = g.ranges < threads ? g.ranges : threads;
    g.range = (call->count + g.ranges - 1) / g.ranges;
    const int64_t bytes = g.ranges * call->lines * (int64_t)sizeof *g.tallies;
    g.tallies = tni_scratch(SLOT_TALLIES, (size_t)bytes + 64);
    if (!g.tallies) return tni_fail_no_memory(bytes);
    tni_parallel(g.ranges, 1, tally, &g);
    if (atomic_load(&g.is_bad)) return tni_sparse_fail();
    place(&g);
    tni_parallel(g.ranges, 1, move, &g);
    return TN_OK;
}

tni_host_plan tni_host_plan_csr_group(const tni_csr_group *call) {
    return (tni_host_plan){tni_host_run_csr_group, call, sizeof *call,
                           .elements = call->count + call->lines + call->rows};
}
