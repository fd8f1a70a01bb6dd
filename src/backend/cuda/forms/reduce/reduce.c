/* Reductions on CUDA: which device form a shape takes.
 *
 *   ordered   the operation must go from left to right: one thread a result
 *   short     contiguous rows of a few elements: many rows a block, through shared memory
 *   columns   neighbours in memory belong to different results: threads stand side by side on them
 *   rows      the rest: a team of threads a result, from one thread to several blocks
 *
 * Several blocks share a result where there are too few results to fill the machine; how many
 * depends on sizes and the device alone, so results repeat from run to run. */
#include "backend/cuda/forms/reduce/reduce.h"

#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "backend/cuda/launch/user_kernels.h"
#include "backend/cuda/launch/workspace.h"
#include "backend/cuda/table.h"
#include "core/rules/reduce_table.h"
#include "core/stream/stream.h"

#include <limits.h>
#include <string.h>

enum {
    BLOCK = 256,
    BLOCKS_PER_MULTIPROCESSOR = 8, /* that fill the machine */
    SHORT_BYTES = 256,             /* of a short row */
    SHORT_SHARED = 40 << 10,
    COLUMNS_SHARED = 40 << 10,
    VALUES_BYTES = 128, /* of a thread's elements at once */
    FEW_COUNTERS = TNI_WORKSPACE_COUNTERS / 2
};

/* A call with what is chosen for it, on its way into a plan. */
typedef struct problem {
    const tni_reduce *call;
    int kind;
    int item;                       /* bytes of an element of the input */
    int widest;                     /* of the inputs' of a program */
    const tni_kernel_fold *program; /* NULL: an operation of the table */
    int value_bytes, state_bytes;   /* at most, as far as they matter */
    int reduced_ndim;
    int64_t reduced_shape[TN_MAX_NDIM], reduced_input[TN_MAX_NDIM];
    int64_t kept_step, reduced_step; /* of the innermost axes; 0: there is none */
    struct {                         /* as FoldFacts of fold.cuh */
        int64_t length;
        double correction;
        int64_t has_initial, total;
        unsigned char initial[16]; /* as kernels work on it: a half is a float there */
        /* Of a body: addresses, or scalars; after them where the strided ones lie. */
        unsigned char inputs[TNI_BODY_INPUTS + (TNI_FOLD_WORDS + 1) / 2][16];
    } facts;
    tni_fold_key fold;
    tni_plan *plan;
} problem;

static const tni_reduce_rows_form rows_form = TNI_FORM(reduce_rows, tni_fold_write);
static const tni_reduce_columns_form columns_form = TNI_FORM(reduce_columns, tni_fold_write);
static const tni_reduce_short_form short_form = TNI_FORM(reduce_short, tni_fold_write);
static const tni_reduce_ordered_form ordered_form = TNI_FORM(reduce_ordered, tni_fold_write);

static int64_t magnitude(int64_t a) {
    return a < 0 ? -a : a;
}

static int power_of_two(int64_t at_least, int limit) {
    int power = 1;
    while (power < limit && power < at_least)
        power *= 2;
    return power;
}

static tni_bytes facts_of(const problem *p) {
    if (p->program) return TNI_BYTES(p->program->arguments, p->program->bytes);
    return TNI_BYTES(&p->facts, offsetof(problem, facts.inputs[p->fold.input_count]) -
                                    offsetof(problem, facts) +
                                    sizeof(int64_t) * (size_t)tni_fold_words(&p->fold));
}

static void set_fold(const problem *p, tni_form_key *key) {
    const tni_reduce *call = p->call;
    tni_fold_set(key, &p->fold, call->op, call->input_dtype, call->accumulator, call->output_dtype);
    if (call->body)
        p->plan->steps[p->plan->step_count - 1].body =
            (tni_form_body){tni_fold_write_body, call->body};
}

/* The partial states of `shares` blocks a result, where several share it. */
static const char *partials_of(problem *p, int64_t shares) {
    return shares > 1 ? tni_plan_scratch(p->plan, p->call->kept_size * shares * p->state_bytes, -1)
                      : NULL;
}

/* Strides of the mask count where there is one. */
#define STRIDES_OF(p)                                                                              \
    const int64_t *const kept[3] = {(p)->call->kept_input, (p)->call->kept_output,                 \
                                    (p)->call->kept_mask},                                         \
                         *const reduced[2] = {(p)->reduced_input, (p)->call->reduced_mask}
#define OPERANDS(p) .input = (p)->call->input, .mask = (p)->call->mask, .output = (p)->call->output

/* --- rows --- */

/* Whether the inputs that a program loads together are all aligned for such vectors, or none. */
static bool are_aligned_alike(const tni_kernel_fold *program, int width) {
    uintptr_t first = program->together ? (uintptr_t)program->inputs[0] : 0;
    for (int k = 1; k < program->together; k++) {
        uintptr_t size = (uintptr_t)program->sizes[k];
        uintptr_t shift =
            (uintptr_t)program->inputs[k] - first / (uintptr_t)program->sizes[0] * size;
        if (shift % ((uintptr_t)width * size)) return false;
    }
    return true;
}

/* Elements of one load. */
static int widest_vector(const problem *p) {
    int width = 16 / p->widest;
    while (width > 1 && (width * p->value_bytes > VALUES_BYTES ||
                         (p->program && !are_aligned_alike(p->program, width))))
        width /= 2;
    return width;
}

/* Which inputs of a body are loaded as vectors of `width` elements. */
static void set_aligned(problem *p, int width) {
    const tni_body *body = p->call->body;
    for (int k = 0; body && k < body->input_count; k++) {
        uintptr_t bytes = (uintptr_t)width * (uintptr_t)tn_dtype_size((tn_dtype)body->dtypes[k]);
        if (!(p->fold.strided >> k & 1) && (uintptr_t)body->inputs[k] % bytes == 0)
            p->fold.aligned |= UINT32_C(1) << k;
    }
}

/* Of one load of a row. */
static int row_width(const problem *p) {
    const tni_reduce *call = p->call;
    if (call->mask || p->reduced_step != p->item) return 1;
    int width = widest_vector(p);
    if (p->reduced_ndim == 1) return width; /* rows may begin anywhere */
    int64_t bits = (int64_t)(uintptr_t)call->input;
    for (int axis = 0; axis < call->kept_ndim; axis++)
        bits |= call->kept_input[axis];
    for (int axis = 0; axis < p->reduced_ndim - 1; axis++)
        bits |= p->reduced_input[axis];
    while (width > 1 && (p->reduced_shape[p->reduced_ndim - 1] % width ||
                         tni_form_alignment(bits, 16) < width * p->item))
        width /= 2;
    return width;
}

/* Threads of a row, loads of a thread at once, and blocks that share a row. */
static void choose_teams(tni_row_geometry *g, const tni_target *target, int kind, int item,
                         int value_bytes, int64_t rows, int64_t length, bool thread_per_row) {
    const int width = g->width;
    int64_t vectors = tni_form_ceil(length, width);
    int64_t full = (int64_t)target->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    g->unroll = kind == TNI_FOLD_VAR || kind == TNI_FOLD_STD ? 4 : 8;
    while (g->unroll > 1 && (g->unroll * width > 32 || g->unroll * width * item > 64 ||
                             g->unroll * width * value_bytes > VALUES_BYTES))
        g->unroll /= 2;
    g->team = thread_per_row      ? 1
              : vectors > 32 * 16 ? BLOCK
                                  : power_of_two(tni_form_ceil(vectors, 4), 32);
    /* Few results with long rows: larger teams, then several blocks. */
    if (!thread_per_row && rows * g->team < full * BLOCK / 4 && vectors > 64) g->team = BLOCK;
    if (rows == 1) g->team = BLOCK; /* one kernel for all sizes */
    while (rows > 1 && g->unroll > 1 && (int64_t)g->team * g->unroll > vectors)
        g->unroll /= 2;
    int64_t tiles = tni_form_ceil(vectors, (int64_t)g->team * g->unroll);
    g->shares = 1;
    if (g->team == BLOCK && rows <= full / 2 && tiles > 1)
        g->shares = tni_form_min(tiles, tni_form_ceil(full, rows));
}

static void plan_rows(problem *p, bool thread_per_row) {
    const tni_reduce *call = p->call;
    tni_row_geometry g = {.width = thread_per_row ? 1 : row_width(p)};
    choose_teams(&g, p->plan->target, p->kind, p->item, p->value_bytes, call->kept_size,
                 call->reduced_size, thread_per_row);
    const int width = g.width, team = g.team, last = p->reduced_ndim - 1;
    const int64_t shares = g.shares, vectors = tni_form_ceil(call->reduced_size, width);
    bool wide = tni_form_is_wide(call->kept_size) || (last > 0 && tni_form_is_wide(vectors));
    p->fold.exits = p->fold.exits && team == BLOCK;
    p->reduced_shape[last] = tni_form_ceil(p->reduced_shape[last], width);
    p->reduced_input[last] *= width;
    set_aligned(p, width);
    STRIDES_OF(p);
    tni_form_key *key = TNI_STEP(
        p->plan, reduce_rows, &rows_form,
        MACROS(.BLOCK = BLOCK, .TEAM = team, .SPLIT = shares > 1, .WIDTH = width,
               .UNROLL = g.unroll, .KEPT_NDIM = call->kept_ndim, .REDUCED_NDIM = p->reduced_ndim,
               .WIDE_INDEX = wide, .MASKED = call->mask != NULL),
        PARAMS(OPERANDS(p), .facts = facts_of(p), .partials = partials_of(p, shares),
               .counters = shares > 1, .rows = call->kept_size, .length = call->reduced_size,
               .shares = shares, .step = p->reduced_step,
               .mask_step = call->mask && call->reduced_ndim ? call->reduced_mask[last] : 0,
               .kept = TNI_SHAPE_ANY(call->kept_shape, kept),
               .reduced = TNI_SHAPE_ANY(p->reduced_shape, reduced)));
    set_fold(p, key);
    int64_t blocks =
        shares > 1 ? call->kept_size * shares : tni_form_ceil(call->kept_size, BLOCK / team);
    tni_plan_grid(p->plan, blocks, BLOCK);
}

/* --- columns --- */

static int column_width(const problem *p) {
    const tni_reduce *call = p->call;
    int last = call->kept_ndim - 1, width = widest_vector(p);
    if (call->kept_input[last] != p->item) return 1;
    if (width > 4) width = 4;
    bool is_large = p->program ? p->state_bytes > 16 : p->kind >= TNI_FOLD_VAR;
    if (is_large && width > 2) width = 2;
    while (width > 1 && width * p->state_bytes * BLOCK > COLUMNS_SHARED)
        width /= 2;
    int64_t bits = (int64_t)(uintptr_t)call->input;
    for (int axis = 0; axis < last; axis++)
        bits |= call->kept_input[axis];
    for (int axis = 0; axis < p->reduced_ndim; axis++)
        bits |= p->reduced_input[axis];
    while (width > 1 &&
           (call->kept_shape[last] % width || tni_form_alignment(bits, 16) < width * p->item))
        width /= 2;
    return width;
}

/* Threads side by side, for so many vectors: as few as make as many blocks as 32 would, rounded up
 * so that an eighth of them rests at most and kernels are not many. */
static int column_lanes(int64_t vectors) {
    int lanes = (int)tni_form_ceil(vectors, tni_form_ceil(vectors, 32));
    int step = lanes > 16 ? 4 : lanes > 8 ? 2 : 1;
    return (int)tni_form_ceil(lanes, step) * step;
}

static void plan_columns(problem *p) {
    const tni_reduce *call = p->call;
    int outer_ndim = call->kept_ndim - 1, last = p->reduced_ndim - 1, width = column_width(p);
    /* With 3 all of a multiprocessor's blocks have their registers. */
    int unroll = p->kind <= TNI_FOLD_MEAN || p->program ? 3 : 4;
    if (unroll * width * p->value_bytes > VALUES_BYTES) unroll = 1;
    int64_t columns = call->kept_shape[outer_ndim], outer = call->kept_size / columns;
    int lanes = column_lanes(tni_form_ceil(columns, width)), depth = BLOCK / lanes;
    int64_t across = tni_form_ceil(columns, (int64_t)lanes * width), places = across * outer;
    if (places > INT_MAX) { /* a grid has no more blocks, but rows loop */
        plan_rows(p, true);
        return;
    }
    int64_t tiles = tni_form_ceil(call->reduced_size, (int64_t)depth * unroll), shares = 1;
    int64_t full = (int64_t)p->plan->target->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    if (places <= full / 2 && places <= FEW_COUNTERS && tiles > 1)
        shares = tni_form_min(tiles, tni_form_ceil(full, places));
    bool wide =
        tni_form_is_wide(outer) || (p->reduced_ndim > 1 && tni_form_is_wide(call->reduced_size));
    const int64_t column_steps[3] = {call->kept_input[outer_ndim], call->kept_output[outer_ndim],
                                     call->kept_mask[outer_ndim]};
    const int64_t row_steps[2] = {p->reduced_input[last],
                                  call->mask && call->reduced_ndim ? call->reduced_mask[last] : 0};
    p->fold.exits = 0;
    set_aligned(p, width);
    STRIDES_OF(p);
    tni_form_key *key =
        TNI_STEP(p->plan, reduce_columns, &columns_form,
                 MACROS(.BLOCK = BLOCK, .LANES = lanes, .SPLIT = shares > 1, .WIDTH = width,
                        .UNROLL = unroll, .OUTER_NDIM = outer_ndim, .REDUCED_NDIM = p->reduced_ndim,
                        .WIDE_INDEX = wide, .MASKED = call->mask != NULL),
                 PARAMS(OPERANDS(p), .facts = facts_of(p), .partials = partials_of(p, shares),
                        .counters = shares > 1, .columns = columns, .outer_count = outer,
                        .length = call->reduced_size, .shares = shares, .blocks = across,
                        .column_steps = column_steps, .row_steps = row_steps,
                        .outer = TNI_SHAPE_ANY(call->kept_shape, kept),
                        .reduced = TNI_SHAPE_ANY(p->reduced_shape, reduced)));
    set_fold(p, key);
    tni_plan_grid(p->plan, places * shares, BLOCK);
}

/* --- short rows --- */

static bool are_short_rows(int64_t rows, int64_t length, int item) {
    int64_t bytes = length * item;
    bool conflicts = bytes % 32 == 0 && bytes > 32; /* threads of a warp would meet in few banks */
    return bytes <= SHORT_BYTES && rows >= 1024 && !conflicts;
}

static bool is_short(const problem *p) {
    const tni_reduce *call = p->call;
    return !call->mask && !p->program && p->reduced_ndim == 1 && p->reduced_step == p->item &&
           call->kept_ndim == 1 && call->kept_input[0] == call->reduced_size * p->item &&
           are_short_rows(call->kept_size, call->reduced_size, p->item) &&
           tni_form_alignment((int64_t)(uintptr_t)call->input, 16) == 16;
}

/* Elements of a short row that are folded at once. */
static int short_group(int64_t length) {
    int group = power_of_two(length, 16);
    return group > length ? group / 2 : group;
}

void tni_fold_find_geometry(tni_row_geometry *geometry, const tni_target *target, int kind,
                            int item, int64_t rows, int64_t length, bool is_permuted) {
    *geometry = (tni_row_geometry){.width = 1, .team = 1, .shares = 1};
    geometry->is_short = !is_permuted && are_short_rows(rows, length, item);
    if (geometry->is_short) {
        geometry->unroll = short_group(length);
        return;
    }
    geometry->width = 16 / item;
    geometry->skips = geometry->width > 1 && length % geometry->width != 0;
    choose_teams(geometry, target, kind, item, 1, rows, length, false);
}

static void plan_short(problem *p) {
    const tni_reduce *call = p->call;
    int length = (int)call->reduced_size, rows = BLOCK;
    while (rows * length * p->item > SHORT_SHARED)
        rows /= 2;
    p->fold.exits = 0;
    tni_form_key *key =
        TNI_STEP(p->plan, reduce_short, &short_form,
                 MACROS(.BLOCK = BLOCK, .ROWS = rows, .LENGTH = length,
                        .GROUP = short_group(length), .WIDE_INDEX = 0),
                 PARAMS(.facts = facts_of(p), .input = call->input, .output = call->output,
                        .rows = call->kept_size, .output_step = call->kept_output[0]));
    set_fold(p, key);
    tni_plan_grid(p->plan, tni_form_ceil(call->kept_size, rows), BLOCK);
}

/* --- strict order --- */

static void plan_ordered(problem *p) {
    const tni_reduce *call = p->call;
    bool wide = tni_form_is_wide(call->kept_size) || tni_form_is_wide(call->reduced_size);
    STRIDES_OF(p);
    tni_form_key *key = TNI_STEP(
        p->plan, reduce_ordered, &ordered_form,
        MACROS(.BLOCK = BLOCK, .KEPT_NDIM = call->kept_ndim, .REDUCED_NDIM = p->reduced_ndim,
               .WIDE_INDEX = wide, .MASKED = call->mask != NULL),
        PARAMS(OPERANDS(p), .initial = TNI_BYTES(p->facts.initial, sizeof p->facts.initial),
               .rows = call->kept_size, .length = call->reduced_size,
               .has_initial = call->has_initial, .kept = TNI_SHAPE_ANY(call->kept_shape, kept),
               .reduced = TNI_SHAPE_ANY(p->reduced_shape, reduced)));
    set_fold(p, key);
    tni_plan_grid(p->plan, tni_form_ceil(call->kept_size, BLOCK), BLOCK);
}

/* --- The choice --- */

static tn_status set_initial(problem *p) {
    const tni_reduce *call = p->call;
    bool is_half = call->accumulator == TN_F16 || call->accumulator == TN_BF16;
    memcpy(p->facts.initial, call->initial, sizeof p->facts.initial);
    if (!call->has_initial || !is_half) return TN_OK;
    tn_scalar half = {call->accumulator, false, false, {0}};
    memcpy(half.value.bytes, call->initial, 2);
    return tn_scalar_convert(p->facts.initial, half, TN_F32);
}

/* Inputs of a body as FoldFacts has them. */
static void describe_body(problem *p) {
    const tni_body *body = p->call->body;
    tni_fold_set_body(&p->fold, body);
    p->facts.total = p->call->kept_size * p->call->reduced_size;
    for (int k = 0; k < body->input_count; k++)
        if (body->inputs[k])
            memcpy(p->facts.inputs[k], &body->inputs[k], sizeof body->inputs[k]);
        else
            memcpy(p->facts.inputs[k], body->values[k], sizeof body->values[k]);
    if (!p->fold.strided || body->ndim > TNI_FOLD_AXES) return;
    unsigned char *lies = p->facts.inputs[body->input_count];
    const size_t bytes = sizeof(int64_t) * (size_t)body->ndim;
    memset(lies, 0, sizeof(int64_t) * (size_t)tni_fold_words(&p->fold));
    memcpy(lies, body->shape, bytes);
    for (int k = 0; k < body->input_count; k++)
        if (p->fold.strided >> k & 1) memcpy(lies += bytes, body->strides[k], bytes);
}

static tn_status describe(problem *p, const tni_reduce *call, int kind) {
    p->call = call;
    p->kind = kind;
    p->item = p->widest = (int)tn_dtype_size(call->input_dtype);
    p->facts.length = call->reduced_size;
    p->facts.correction = call->correction;
    p->facts.has_initial = call->has_initial;
    p->facts.total = 0;
    p->program = NULL;
    p->value_bytes = 1;
    p->state_bytes = TNI_FOLD_STATE_BYTES;
    p->reduced_ndim = call->reduced_ndim;
    memcpy(p->reduced_shape, call->reduced_shape, sizeof p->reduced_shape);
    memcpy(p->reduced_input, call->reduced_input, sizeof p->reduced_input);
    if (p->reduced_ndim == 0) { /* one element */
        p->reduced_ndim = 1;
        p->reduced_shape[0] = 1;
        p->reduced_input[0] = call->mask ? 0 : p->item;
    }
    p->reduced_step = p->reduced_input[p->reduced_ndim - 1];
    p->kept_step = call->kept_ndim ? call->kept_input[call->kept_ndim - 1] : 0;
    memset(&p->fold, 0, sizeof p->fold);
    p->fold.kind = (uint8_t)kind;
    p->fold.skips_nan = (call->flags & TNI_SKIPS_NAN) != 0;
    p->fold.counts = (call->flags & TNI_COUNTS) != 0;
    p->fold.root = (call->flags & TNI_ROOT) != 0;
    p->fold.masked = call->mask != NULL;
    if (call->body) describe_body(p);
    if (call->body) p->plan->may_refuse = call->body->may_refuse;
    if (call->body) p->plan->asked = call->body->asked;
    p->fold.exits = kind == TNI_FOLD_VALUE && call->accumulator == TN_B8 &&
                    (call->op == TN_OP_LOGICAL_AND || call->op == TN_OP_LOGICAL_OR);
    return set_initial(p);
}

/* Whether neighbours in memory belong to different results. */
static bool is_by_columns(const problem *p) {
    return p->call->kept_ndim > 0 && p->kept_step != 0 &&
           magnitude(p->kept_step) < magnitude(p->reduced_step);
}

static void choose_form(problem *p) {
    const tni_reduce *call = p->call;
    int64_t many = (int64_t)p->plan->target->multiprocessors * 2048;
    if (call->is_ordered)
        plan_ordered(p);
    else if (is_short(p))
        plan_short(p);
    else if (!is_by_columns(p))
        plan_rows(p, false);
    else if (call->kept_size >= many && call->reduced_size <= 64)
        plan_rows(p, true);
    else
        plan_columns(p);
}

bool tni_fold_find_geometry_of(tni_row_geometry *geometry, const tni_target *target, int kind,
                               const tni_reduce *call) {
    problem p;
    if (describe(&p, call, kind) || is_by_columns(&p)) return false;
    *geometry = (tni_row_geometry){.width = 1, .team = 1, .shares = 1};
    geometry->is_short = is_short(&p);
    if (geometry->is_short) {
        geometry->unroll = short_group(call->reduced_size);
        return true;
    }
    geometry->width = row_width(&p);
    geometry->skips = geometry->width > 1 && p.reduced_ndim == 1;
    choose_teams(geometry, target, kind, p.item, 1, call->kept_size, call->reduced_size, false);
    return true;
}

tn_status tni_plan_fold(tni_plan *plan, const tni_reduce *call, int kind) {
    problem p;
    tni_reduce own;
    if (call->kept_size == 0) return TN_OK;
    if (kind == TNI_FOLD_VALUE && !call->is_ordered)
        kind = tni_fold_kind(call->op, call->accumulator);
    p.plan = plan;
    if (call->body) { /* addresses are numbers of elements, times the size of one */
        own = *call;
        own.input = NULL;
        call = &own;
    }
    TNI_TRY(describe(&p, call, kind));
    if (p.fold.strided && p.fold.axes > TNI_FOLD_AXES)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "a fold of arrays that lie along %d axes", p.fold.axes);
    choose_form(&p);
    return TN_OK;
}

int tni_fold_kind_of(tni_statistic statistic) {
    static const int kinds[] = {[TNI_STATISTIC_FOLD] = TNI_FOLD_VALUE,
                                [TNI_STATISTIC_MEAN] = TNI_FOLD_MEAN,
                                [TNI_STATISTIC_VAR] = TNI_FOLD_VAR,
                                [TNI_STATISTIC_STD] = TNI_FOLD_STD};
    return kinds[statistic];
}

tn_status tni_plan_reduce(tni_plan *plan, const tni_reduce *call) {
    return tni_plan_fold(plan, call, tni_fold_kind_of(call->statistic));
}

/* --- Texts of a program --- */

/* One step, whose form and numbers are the frame. */
static void plan_program(tni_plan *plan, const tni_kernel_fold *fold) {
    problem p;
    p.plan = plan;
    describe(&p, &fold->call, TNI_FOLD_USER);
    p.program = fold;
    p.value_bytes = fold->value_bytes;
    p.state_bytes = fold->state_bytes;
    for (int k = 0; k < fold->together; k++)
        if (fold->sizes[k] > p.widest) p.widest = fold->sizes[k];
    choose_form(&p);
}

typedef struct program_launch {
    void *function;
    tni_kernel_launch launch;
} program_launch;

static tn_status run_program(const void *context, tn_stream *stream) {
    const program_launch *l = context;
    return tni_cuda_kernels_launch(l->function, &l->launch, stream);
}

tn_status tni_cuda_fold_by_program(const tni_kernel_fold *fold, tn_stream *stream) {
    static const unsigned offset = 0;
    tni_plan plan;
    tni_cuda_device *device;
    program_launch l;
    if (fold->bytes > TNI_PLAN_BYTES / 2)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "a reduction with %zu bytes of arguments", fold->bytes);
    TNI_TRY(tni_cuda_device_get(&device, stream->device.number));
    tni_plan_init(&plan, &device->target);
    plan_program(&plan, fold);
    tni_step *step = &plan.steps[0];
    const tni_form *form = step->key.form;
    tni_fold_frame frame = {form->file, 0, form->macros, step->key.macros};
    while (frame.count < TNI_FORM_MACROS && frame.macros[frame.count])
        frame.count++;
    TNI_TRY(fold->find(&l.function, &frame, fold->context));
    l.launch = (tni_kernel_launch){.grid = {step->blocks, 1, 1},
                                   .block = {step->threads, 1, 1},
                                   .count = 1,
                                   .offsets = &offset,
                                   .sizes = &step->params_bytes,
                                   .kinds = "s",
                                   .data = (char *)plan.params + step->params_at,
                                   .bytes = step->params_bytes};
    step->key.form = NULL;
    step->run = run_program;
    step->call = &l;
    return tni_plan_launch(&plan, stream);
}
