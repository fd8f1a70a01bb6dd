/* Running folds on CUDA: which device form a shape takes.
 *
 *   short     rows of a few hundred elements, many: a block takes some, a team of lanes each
 *   rows      neighbours along the axis are neighbours in memory: a block a row, or, where rows are
 *             few and long, a block a tile, with a look back over the tiles before it
 *   columns   the axis strides: a thread a line, or, where lines are few, a block a tile of some
 *             lines, with a look back along each
 *   ordered   the operation must go from left to right: a thread a line
 *   product   products of floats, in that order, too: many threads a line (scan_product.c) */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "backend/cuda/forms/reduce/scan_product.h"
#include "core/rules/reduce_table.h"

#include <string.h>

enum {
    BLOCK = 256,
    LINE_BLOCK = 128,
    LINE_ROWS = 8,
    GROUP = 32,      /* tiles of a group, groups of a section of the look-back: along rows */
    LINE_GROUP = 16, /* and along columns */
    LINE_LANES = 32  /* columns of a tile at most */
};

static const tni_scan_rows_form rows_form = TNI_FORM(scan_rows, tni_fold_write);
static const tni_scan_columns_form columns_form = TNI_FORM(scan_columns, tni_fold_write);
static const tni_scan_short_form short_form = TNI_FORM(scan_short, tni_fold_write);

/* A call with what is chosen for it, on its way into a plan. */
typedef struct problem {
    const tni_scan *call;
    int input_size, output_size;
    bool wide;
    tni_plan *plan;
} problem;

/* Of a fold and its flag in the memory of a look-back: up to 16 bytes are read and written at
 * once. */
static int place_bytes(const tni_scan *call) {
    int size = (int)tn_dtype_size(call->accumulator);
    return size <= 4 ? 8 : size <= 8 ? 16 : size + 16;
}

/* What every step has. */
#define SCAN_MACROS(p) .KEPT_NDIM = (p)->call->ndim, .WIDE_INDEX = (p)->wide
#define SCAN_PARAMS(call)                                                                          \
    .input = (call)->input, .output = (call)->output, .length = (call)->length,                    \
    .input_step = (call)->input_stride, .output_step = (call)->output_stride,                      \
    .kept = TNI_SHAPE_2((call)->shape, (call)->input_strides, (call)->output_strides)

static void set_fold(tni_form_key *key, const tni_scan *call) {
    tni_fold_key fold = {.kind = TNI_FOLD_VALUE, .skips_nan = (call->flags & TNI_SKIPS_NAN) != 0};
    tni_fold_set(key, &fold, call->op, call->input_dtype, call->accumulator, call->output_dtype);
}

/* --- Looking back --- */

/* The look-back's arrays, zero before the launch: places of tiles, of groups and of sections. */
typedef struct look {
    int64_t tiles, groups, sections; /* of one line */
    const char *tiles_at, *groups_at, *sections_at;
} look;

static void look_init(look *l, problem *p, int64_t tiles, int group) {
    const int64_t line = p->call->size * place_bytes(p->call);
    l->tiles = tni_form_ceil(tiles, group) * group;
    l->sections = tni_form_ceil(tiles, group * group);
    l->groups = l->sections * group;
    l->tiles_at = tni_plan_scratch(p->plan, (l->tiles + l->groups + l->sections) * line, 0);
    l->groups_at = l->tiles_at + l->tiles * line;
    l->sections_at = l->groups_at + l->groups * line;
}

/* --- Lines whose neighbours lie side by side --- */

/* A thread a line. */
static void plan_lines(problem *p, bool is_ordered) {
    tni_form_key *key = TNI_STEP(
        p->plan, scan_columns, &columns_form,
        MACROS(.BLOCK = LINE_BLOCK, .LOOK = 0, .GROUP = LINE_GROUP, .ORDERED = is_ordered,
               .LANES = 0, .ROWS = LINE_ROWS, .PLACE_BYTES = place_bytes(p->call), SCAN_MACROS(p)),
        PARAMS(SCAN_PARAMS(p->call), .lines = p->call->size, .line_blocks = 0, .tiles = NULL,
               .groups = NULL, .sections = NULL));
    set_fold(key, p->call);
    tni_plan_grid(p->plan, tni_form_ceil(p->call->size, LINE_BLOCK), LINE_BLOCK);
}

static void plan_columns(problem *p) {
    const tni_scan *call = p->call;
    int64_t threads = (int64_t)p->plan->target->multiprocessors * 1024;
    if (call->length <= LINE_ROWS || 2 * call->size > threads) {
        plan_lines(p, false);
        return;
    }
    int size = (int)tn_dtype_size(call->accumulator), rows = size <= 4 ? 32 : size <= 8 ? 16 : 8;
    int lanes = 1;
    while (lanes < call->size && lanes < LINE_LANES)
        lanes *= 2;
    int64_t blocks = tni_form_ceil(call->size, lanes);
    int64_t tiles = tni_form_ceil(call->length, BLOCK / lanes * rows);
    look l;
    look_init(&l, p, tiles, LINE_GROUP);
    tni_form_key *key = TNI_STEP(
        p->plan, scan_columns, &columns_form,
        MACROS(.BLOCK = BLOCK, .LOOK = 1, .GROUP = LINE_GROUP, .ORDERED = 0, .LANES = lanes,
               .ROWS = rows, .PLACE_BYTES = place_bytes(call), SCAN_MACROS(p)),
        PARAMS(SCAN_PARAMS(call), .lines = call->size, .line_blocks = blocks, .tiles = l.tiles_at,
               .groups = l.groups_at, .sections = l.sections_at));
    set_fold(key, call);
    tni_plan_grid(p->plan, blocks * tiles, BLOCK);
}

/* --- Contiguous rows --- */

/* Elements of one access, at addresses and steps of which `bits` has all the bits. */
static int widest(int64_t bits, int size) {
    int width = 16 / size < 4 ? 16 / size : 4;
    while (width > 1 && tni_form_alignment(bits, 16) < width * size)
        width /= 2;
    return width;
}

static int choose_width(const char *data, int size, int64_t stride, int ndim,
                        const int64_t *strides) {
    int64_t bits = (int64_t)(uintptr_t)data;
    if (stride != size) return 1;
    for (int axis = 0; axis < ndim; axis++)
        bits |= strides[axis];
    return widest(bits, size);
}

static void plan_rows(problem *p) {
    const tni_scan *call = p->call;
    int widest = p->output_size > p->input_size ? p->output_size : p->input_size;
    int count = widest > 8 ? 8 : widest > 4 ? 16 : 32, block = BLOCK;
    int64_t tiles = tni_form_ceil(call->length, BLOCK * count);
    bool looks = tiles > 1 && call->size < 4 * p->plan->target->multiprocessors;
    if (!looks) {
        count = call->length <= BLOCK * 4 ? 4 : tni_form_min(count, 16);
        while (block > 32 && block / 2 * count >= call->length)
            block /= 2;
    }
    int width = choose_width(call->input, p->input_size, call->input_stride, call->ndim,
                             call->input_strides);
    int output_width = choose_width(call->output, p->output_size, call->output_stride, call->ndim,
                                    call->output_strides);
    look l = {0};
    if (looks) look_init(&l, p, tiles, GROUP);
    tni_form_key *key = TNI_STEP(
        p->plan, scan_rows, &rows_form,
        MACROS(.BLOCK = block, .COUNT = count, .LOOK = looks, .GROUP = GROUP, .WIDTH = width,
               .OUTPUT_WIDTH = output_width, .PLACE_BYTES = place_bytes(call), SCAN_MACROS(p)),
        PARAMS(SCAN_PARAMS(call), .rows = call->size, .tile_count = tiles, .tiles = l.tiles_at,
               .groups = l.groups_at, .sections = l.sections_at, .tile_places = l.tiles,
               .group_places = l.groups, .section_places = l.sections));
    set_fold(key, call);
    tni_plan_grid(p->plan, looks ? call->size * tiles : call->size, block);
}

/* --- Short rows --- */

/* Elements that a lane takes at most: what fits into the shared memory of a block without a
 * permission. */
static int short_chunk(const problem *p) {
    int64_t size = tn_dtype_size(p->call->accumulator);
    return size <= 4 ? 33 : size <= 8 ? 17 : 9;
}

static bool is_packed(const problem *p) {
    const tni_scan *call = p->call;
    return call->ndim == 1 && call->input_stride == p->input_size &&
           call->output_stride == p->output_size &&
           call->input_strides[0] == call->length * p->input_size &&
           call->output_strides[0] == call->length * p->output_size;
}

/* Rows of one element or more, of which there are enough for all multiprocessors. */
static bool is_short(const problem *p) {
    const tni_scan *call = p->call;
    int64_t enough = (int64_t)p->plan->target->multiprocessors * BLOCK;
    if (call->length <= 32) return call->size > 1;
    return call->length <= 32 * short_chunk(p) && is_packed(p) &&
           call->size * tni_form_ceil(call->length, short_chunk(p)) >= enough;
}

/* Where every tile begins at a multiple of it. */
static int tile_width(const void *data, int size, int64_t elements) {
    return widest((int64_t)(uintptr_t)data | elements * size, size);
}

static void plan_short(problem *p) {
    const tni_scan *call = p->call;
    int chunk = short_chunk(p), team = 1, packed = is_packed(p);
    while (team * chunk < call->length)
        team *= 2;
    int64_t share = tni_form_ceil(call->length, team) | 1;
    /* As many rows as fit, if that leaves some blocks for every multiprocessor. */
    int64_t teams = BLOCK / team, rounds = chunk / share;
    int64_t fair = call->size / (teams * 4 * p->plan->target->multiprocessors);
    int64_t rows = teams * tni_form_min(rounds, fair > 1 ? fair : 1),
            elements = rows * call->length;
    int width = packed ? tile_width(call->input, p->input_size, elements) : 1;
    int output_width = packed ? tile_width(call->output, p->output_size, elements) : 1;
    tni_form_key *key = TNI_STEP(
        p->plan, scan_short, &short_form,
        MACROS(.BLOCK = BLOCK, .TEAM = team, .CHUNK = chunk, .PACKED = packed, .WIDTH = width,
               .OUTPUT_WIDTH = output_width, SCAN_MACROS(p)),
        PARAMS(SCAN_PARAMS(call), .rows = call->size, .tile_rows = rows, .row = call->length));
    set_fold(key, call);
    tni_plan_grid(p->plan, tni_form_ceil(call->size, rows), BLOCK);
}

/* --- The choice --- */

static int64_t magnitude(int64_t a) {
    return a < 0 ? -a : a;
}

tn_status tni_plan_scan(tni_plan *plan, const tni_scan *call) {
    problem p = {.call = call, .plan = plan};
    p.input_size = (int)tn_dtype_size(call->input_dtype);
    p.output_size = (int)tn_dtype_size(call->output_dtype);
    p.wide = tni_form_is_wide(call->size);
    bool by_columns = call->ndim > 0 && magnitude(call->input_strides[call->ndim - 1]) <
                                            magnitude(call->input_stride);
    if (tni_op_is_ordered(call->op)) {
        plan_lines(&p, true);
    } else if (tni_scan_keeps_order(call)) {
        bool has_many = by_columns && call->size >= 64 * plan->target->multiprocessors;
        if (has_many || (call->length <= 64 && call->size > 1))
            plan_lines(&p, true);
        else
            tni_plan_scan_product(plan, call);
    } else if (by_columns) {
        plan_columns(&p);
    } else if (is_short(&p)) {
        plan_short(&p);
    } else {
        plan_rows(&p);
    }
    return TN_OK;
}
