/* The form "batch_norm" on CUDA: sums and result in one launch where a block takes its channels
 * alone, in two where several blocks share channels (kernels/neural/batch_norm.cu). */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "backend/cuda/launch/workspace.h"
#include "forms/neural.h"

enum {
    VECTOR = 16, /* bytes that a thread reads at once */
    LONE_BYTES =
        64 << 10,   /* of each map that a block alone may have, however few blocks there are */
    LONE_LANES = 8, /* of such a block, so that there are many */
    LANES_MAX = 32,
    STATES_BYTES = 256, /* of a number of each channel of a block */
    FEW_COUNTERS = TNI_WORKSPACE_COUNTERS / 2
};
/* Threads of a block, by the kernel's STEP. */
enum { LONE, SUMS, RESULT };
static const int threads_of[] = {[LONE] = 512, [SUMS] = 1024, [RESULT] = 256};

static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    tni_source_add(source, "typedef %s Stored;\ntypedef %s Working;\n", tni_body_stored(dtype),
                   tni_body_working(dtype));
    tni_body_add_load(source, "load_working", dtype, dtype);
    tni_body_add_store(source, "save_working", dtype, dtype);
}

static const tni_batch_norm_form form = TNI_FORM(batch_norm, write_body);

/* How blocks take a call. */
typedef struct geometry {
    int step, width, lanes, block, unroll;
    bool is_last;
    int64_t items, across, shares; /* of a channel; blocks across the channels, and of each */
} geometry;

/* The widest vectors that are aligned in all arrays, and whole. */
static int width_of(const tni_batch_norm *call) {
    const int item = (int)tn_dtype_size(call->dtype);
    const int64_t run = call->inner == 1 ? call->channels : call->inner;
    int bytes = tni_form_alignment(run * item, VECTOR);
    const void *const arrays[3] = {call->x, call->dy, call->result};
    for (int k = 0; k < 3; k++)
        bytes = tni_form_alignment((int64_t)(uintptr_t)arrays[k], bytes);
    return bytes / item;
}

/* As many lanes up to a limit as leave the fewest without a channel; the most of these. */
static int lanes_of(int64_t vectors, int limit) {
    int64_t best = INT64_MAX;
    int lanes = 1;
    for (int n = limit; n > 0; n /= 2) {
        const int64_t covered = tni_form_ceil(vectors, n) * n;
        if (covered >= best || (n < LONE_LANES && n < limit && best < INT64_MAX)) continue;
        best = covered;
        lanes = n;
    }
    return lanes;
}

static void set_lanes(geometry *g, const tni_batch_norm *call, int limit) {
    const int64_t vectors = call->channels / g->width;
    while (limit > 1 && limit / 2 >= vectors)
        limit /= 2;
    g->lanes = g->is_last ? lanes_of(vectors, limit) : 1;
    g->across = g->is_last ? tni_form_ceil(vectors, g->lanes) : call->channels;
}

/* Whether one launch is enough: what blocks read twice is little, or in the L2 cache. */
static bool is_lone(const geometry *g, const tni_batch_norm *call, const tni_target *target) {
    const int64_t bytes =
        g->items * g->lanes * g->width * (int64_t)tn_dtype_size(call->dtype) * (call->dy ? 2 : 1);
    const int64_t at_work = 2 * (int64_t)target->multiprocessors;
    if (g->across >= at_work || g->across > FEW_COUNTERS) return true;
    return bytes <= LONE_BYTES ||
           (g->across >= target->multiprocessors && bytes * g->across <= target->l2_bytes / 2);
}

static void choose(geometry *g, const tni_batch_norm *call, const tni_target *target) {
    const int working = call->dtype == TN_F64 ? 8 : 4;
    g->is_last = call->inner == 1;
    g->width = width_of(call);
    g->items = g->is_last ? call->outer : call->outer * (call->inner / g->width);
    g->unroll = call->dy ? 2 : 4;
    set_lanes(g, call, LONE_LANES);
    g->step = LONE;
    if (call->way != TNI_BATCH_NORM_GIVEN && is_lone(g, call, target)) return;
    set_lanes(g, call, (int)tni_form_min(STATES_BYTES / working / g->width, LANES_MAX));
    g->step = call->way == TNI_BATCH_NORM_GIVEN ? RESULT : SUMS;
}

/* Blocks of a step, so that there are so many for each multiprocessor at most. */
static void set_blocks(geometry *g, const tni_target *target, int step, int most) {
    g->step = step;
    g->block = threads_of[step];
    while (step == LONE && g->block > 128 && g->block / g->lanes >= 2 * g->items)
        g->block /= 2;
    const int64_t tiles = tni_form_ceil(g->items, (int64_t)g->block / g->lanes * g->unroll);
    const int64_t fill = (int64_t)most * target->multiprocessors / g->across;
    g->shares = step == LONE ? 1 : tni_form_min(tiles, fill < 1 ? 1 : fill);
}

static void add_step(tni_plan *plan, const tni_batch_norm *call, const geometry *g,
                     const void *partials) {
    const int64_t count = call->outer * call->inner;
    tni_form_key *key = TNI_STEP(
        plan, batch_norm, &form,
        MACROS(.BLOCK = (int16_t)g->block, .WAY = (int16_t)call->way, .STEP = (int16_t)g->step,
               .LAST = g->is_last, .LANES = (int16_t)g->lanes, .WIDTH = (int16_t)g->width,
               .UNROLL = (int16_t)g->unroll,
               .WIDE_INDEX = tni_form_is_wide(count * call->channels)),
        PARAMS(.x = call->x, .dy = call->dy, .result = call->result, .scale = call->scale,
               .bias = call->bias, .mean = call->mean, .inverse = call->inverse,
               .running_mean = call->running_mean, .running_variance = call->running_variance,
               .dscale = call->dscale, .dbias = call->dbias, .partials = partials,
               .counters = g->step == SUMS, .items = g->items, .channels = call->channels,
               .inner = call->inner, .shares = g->shares, .across = g->across,
               .segment = g->is_last ? 1 : call->inner / g->width, .epsilon = call->epsilon,
               .factor = call->factor,
               .unbiased = (double)count / (double)(count > 1 ? count - 1 : 1),
               .share = 1 / (double)count));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, g->across * g->shares, g->block);
}

tn_status tni_plan_batch_norm(tni_plan *plan, const tni_batch_norm *call) {
    geometry g = {.width = 1};
    choose(&g, call, plan->target);
    const char *partials = NULL;
    const int step = g.step;
    if (step != RESULT) {
        set_blocks(&g, plan->target, step, 1);
        if (step == SUMS) {
            const int64_t state = (call->dy ? 2 : 3) * (call->dtype == TN_F64 ? 8 : 4);
            partials = tni_plan_scratch(plan, g.shares * call->channels * state, -1);
        }
        add_step(plan, call, &g, partials);
    }
    if (step != LONE) {
        set_blocks(&g, plan->target, RESULT, 8);
        add_step(plan, call, &g, partials);
    }
    return TN_OK;
}
