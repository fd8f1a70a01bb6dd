/* The form "tree_ball" on the host: rows are shared out. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/spatial/tree.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

enum { BLOCK = 1 << 12 };

typedef struct gathering {
    const tni_tree_ball *call;
    tn_tree_view view;
} gathering;

/* Blocks of one thread: the first one has room. */
static tni_tree_block *add_block(const tni_tree_ball *call, int64_t capacity) {
    tni_tree_gathered *to = call->gathered;
    const int64_t size = to->distances ? 2 : 1;
    tni_tree_block *block = tni_malloc(sizeof *block + (size_t)(capacity * size * 8));
    if (!block) {
        to->has_no_memory = true;
        return NULL;
    }
    block->capacity = capacity;
    block->count = 0;
    block->next = to->blocks;
    while (!atomic_compare_exchange_weak(&to->blocks, &block->next, block)) {}
    return block;
}

/* Numbers (and distances) of a row into a block; one that does not fit begins a new one. */
static tni_tree_block *gather_row(const tni_tree_ball *call, const tn_tree_view *t, int64_t i,
                                  double limit, tni_tree_block *block) {
    tni_tree_gathered *to = call->gathered;
    tn_tree_view view = *t;
    const int64_t after = call->only_after ? call->only_after[i] : -1;
    for (int64_t wanted = 0; block || (block = add_block(call, BLOCK));) {
        if (block->capacity - block->count < wanted &&
            !(block = add_block(call, wanted > BLOCK ? wanted : BLOCK)))
            break;
        tn_tree_found found = {.after = after, .most = block->capacity - block->count};
        found.numbers = block->numbers + block->count;
        if (to->distances)
            found.distances = (double *)(block->numbers + block->capacity) + block->count;
        TNI_HOST_TREE_USUAL(view, m_tree_ball(&view, &found, limit));
        wanted = call->counts[i] = found.count;
        if (found.count > found.most) continue;
        to->numbers[i] = found.numbers;
        if (to->distances) to->distances[i] = found.distances;
        block->count += found.count;
        return block;
    }
    return NULL;
}

static void gather_rows(void *context, int64_t begin, int64_t end) {
    const gathering *g = context;
    const tni_tree_ball *call = g->call;
    tn_tree_view view = g->view;
    tni_tree_block *block = NULL;
    for (int64_t t = begin; t < end && !call->gathered->has_no_memory; t++) {
        const int64_t i = tni_host_turn(call->turns, t, call->rows);
        if (i < 0) continue;
        view.x = call->x + i * call->tree.axes;
        const double limit = m_tree_power(call->radii[i], view.norm, call->p);
        block = gather_row(call, &view, i, limit, block);
    }
}

static void gather(void *context, int64_t begin, int64_t end) {
    const gathering *g = context;
    const tni_tree_ball *call = g->call;
    tn_tree_view view = g->view;
    for (int64_t t = begin; t < end; t++) {
        const int64_t i = tni_host_turn(call->turns, t, call->rows);
        if (i < 0) continue;
        const int64_t start = call->numbers ? call->starts[i] : 0;
        if (start < 0 || (call->numbers && start >= call->total)) continue;
        const double limit = m_tree_power(call->radii[i], view.norm, call->p);
        tn_tree_found found = {.after = call->only_after ? call->only_after[i] : -1,
                               .most = call->total - start,
                               .weights = call->weights};
        if (call->numbers) found.numbers = call->numbers + start;
        if (call->distances) found.distances = call->distances + start;
        view.x = call->x + i * call->tree.axes;
        TNI_HOST_TREE_USUAL(view, m_tree_ball(&view, &found, limit));
        if (call->counts) call->counts[i] = found.count;
        if (call->sums) call->sums[i] = found.sum;
    }
}

tn_status tni_host_run_tree_ball(void *parameters) {
    const tni_tree_ball *call = parameters;
    gathering g = {call, tni_host_tree_view(&call->tree, call->p)};
    tni_parallel_units(call->rows, 1000, call->gathered ? gather_rows : gather, &g);
    return TN_OK;
}

TNI_HOST_PLAN(tree_ball, call->rows * 100)
