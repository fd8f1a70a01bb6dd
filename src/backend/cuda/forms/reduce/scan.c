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

enum { OWN_NUMBERS = 6 };
/* clang-format off */
/* Behind the form's own: begin_step sets them. */
#define COMMON "KEPT_NDIM", "WIDE_INDEX", "PLACE_BYTES"
/* clang-format on */
static const tni_form rows_form = {
    "scan_rows",
    {"BLOCK", "COUNT", "LOOK", "GROUP", "WIDTH", "OUTPUT_WIDTH", COMMON},
    tni_fold_write,
    20};
static const tni_form columns_form = {
    "scan_columns",
    {"BLOCK", "LOOK", "GROUP", "ORDERED", "LANES", "ROWS", COMMON},
    tni_fold_write,
    21};
static const tni_form short_form = {
    "scan_short",
    {"BLOCK", "TEAM", "CHUNK", "PACKED", "WIDTH", "OUTPUT_WIDTH", COMMON},
    tni_fold_write,
    23};

/* A call with what is chosen for it, on its way into a plan. */
typedef struct problem {
    const tni_scan *call;
    int input_size, output_size;
    bool wide;
    tni_plan *plan;
} problem;

static void put_lines(problem *p) {
    tni_params_pointer(p->plan, p->call->input);
    tni_params_pointer(p->plan, p->call->output);
    tni_params_i64(p->plan, p->call->size);
    tni_params_i64(p->plan, p->call->length);
    tni_params_i64(p->plan, p->call->input_stride);
    tni_params_i64(p->plan, p->call->output_stride);
}

static void put_kept(problem *p) {
    const int64_t *strides[2] = {p->call->input_strides, p->call->output_strides};
    tni_params_shape(p->plan, p->call->ndim, p->call->shape, 2, strides, p->wide);
}

/* Of a fold and its flag in the memory of a look-back: up to 16 bytes are read and written at
 * once. */
static int place_bytes(const tni_scan *call) {
    int size = (int)tn_dtype_size(call->accumulator);
    return size <= 4 ? 8 : size <= 8 ? 16 : size + 16;
}

static void begin_step(problem *p, const tni_form *form, const int16_t numbers[TNI_FORM_MACROS]) {
    const tni_scan *call = p->call;
    tni_fold_key fold = {.kind = TNI_FOLD_VALUE, .skips_nan = (call->flags & TNI_SKIPS_NAN) != 0};
    tni_form_key *key = tni_plan_step(p->plan, form, numbers);
    key->numbers[OWN_NUMBERS] = (int16_t)call->ndim;
    key->numbers[OWN_NUMBERS + 1] = p->wide;
    key->numbers[OWN_NUMBERS + 2] = (int16_t)place_bytes(call);
    tni_fold_set(key, &fold, call->op, call->input_dtype, call->accumulator, call->output_dtype);
}

/* --- Looking back --- */

/* The look-back's arrays, zero before the launch: places of tiles, of groups and of sections. */
typedef struct look {
    int64_t place_bytes, tiles, groups, sections; /* the last three of one line */
    const char *memory;
} look;

static void look_init(look *l, problem *p, int64_t tiles, int group) {
    l->place_bytes = place_bytes(p->call);
    l->tiles = tni_form_ceil(tiles, group) * group;
    l->sections = tni_form_ceil(tiles, group * group);
    l->groups = l->sections * group;
    int64_t places = p->call->size * (l->tiles + l->groups + l->sections);
    l->memory = tni_plan_scratch(p->plan, places * l->place_bytes, 0);
}

static void put_places(problem *p, const look *l) {
    const char *tiles = l->memory;
    const char *groups = tiles + p->call->size * l->tiles * l->place_bytes;
    tni_params_pointer(p->plan, tiles);
    tni_params_pointer(p->plan, groups);
    tni_params_pointer(p->plan, groups + p->call->size * l->groups * l->place_bytes);
}

/* --- Lines whose neighbours lie side by side --- */

/* A thread a line. */
static void plan_lines(problem *p, bool is_ordered) {
    const int16_t numbers[TNI_FORM_MACROS] = {LINE_BLOCK, 0, LINE_GROUP, is_ordered, 0, LINE_ROWS};
    begin_step(p, &columns_form, numbers);
    put_lines(p);
    put_kept(p);
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
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, 1, LINE_GROUP, 0, lanes, rows};
    begin_step(p, &columns_form, numbers);
    look l = {0};
    look_init(&l, p, tiles, LINE_GROUP);
    put_lines(p);
    tni_params_i64(p->plan, blocks);
    put_places(p, &l);
    put_kept(p);
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
    const int16_t numbers[TNI_FORM_MACROS] = {block, count, looks, GROUP, width, output_width};
    begin_step(p, &rows_form, numbers);
    look l = {0};
    if (looks) look_init(&l, p, tiles, GROUP);
    put_lines(p);
    tni_params_i64(p->plan, tiles);
    put_places(p, &l);
    tni_params_i64(p->plan, l.tiles);
    tni_params_i64(p->plan, l.groups);
    tni_params_i64(p->plan, l.sections);
    put_kept(p);
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
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, team, chunk, packed, width, output_width};
    begin_step(p, &short_form, numbers);
    put_lines(p);
    tni_params_i64(p->plan, rows);
    tni_params_axis(p->plan, call->length, false);
    put_kept(p);
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
