/* Running folds on CUDA: which device form a shape takes.
 *
 *   short     rows of a few hundred elements, many: a block takes some, a team of lanes each
 *   rows      neighbours along the axis are neighbours in memory: a block a row, or, where rows are
 *             few and long, a block a tile, with a look back over the tiles before it
 *   columns   the axis strides: a thread a line, or, where lines are few, a block a tile of some
 *             lines, with a look back along each
 *   ordered   the operation must go from left to right: a thread a line
 *   product   products of floats, in that order, too: many threads a line (scan_product.c) */
#include "backend/cuda/forms/fold.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/scan_product.h"
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

/* clang-format off */
#define COMMON "KEPT_NDIM", "WIDE_INDEX", "PLACE_BYTES" /* the numbers that get_kernel adds */
#define BY_COLUMNS "scan_columns", {"BLOCK", "LOOK", "GROUP", "ORDERED", "LANES", "ROWS", COMMON}
/* clang-format on */
static const tni_form rows_form = {
    "scan_rows",
    {"BLOCK", "COUNT", "LOOK", "GROUP", "WIDTH", "OUTPUT_WIDTH", COMMON},
    tni_fold_write,
    20};
static const tni_form columns_form = {BY_COLUMNS, tni_fold_write, 21};
static const tni_form ordered_form = {BY_COLUMNS, tni_fold_write_ordered, 22};
static const tni_form short_form = {
    "scan_short",
    {"BLOCK", "TEAM", "CHUNK", "PACKED", "WIDTH", "OUTPUT_WIDTH", COMMON},
    tni_fold_write,
    23};

typedef struct plan {
    const tni_scan *call;
    int input_size, output_size;
    bool wide;
    tni_form_key key;
    tni_form_params params;
    tn_stream *stream;
} plan;

static void put_lines(plan *p) {
    tni_form_put_pointer(&p->params, p->call->input);
    tni_form_put_pointer(&p->params, p->call->output);
    tni_form_put_i64(&p->params, p->call->size);
    tni_form_put_i64(&p->params, p->call->length);
    tni_form_put_i64(&p->params, p->call->input_stride);
    tni_form_put_i64(&p->params, p->call->output_stride);
}

static void put_kept(plan *p) {
    const int64_t *strides[2] = {p->call->input_strides, p->call->output_strides};
    tni_form_put_shape(&p->params, p->call->ndim, p->call->shape, 2, strides, p->wide);
}

/* Of a fold and its flag in the memory of a look-back: up to 16 bytes are read and written at
 * once. */
static int place_bytes(const tni_scan *call) {
    int size = (int)tn_dtype_size(call->accumulator);
    return size <= 4 ? 8 : size <= 8 ? 16 : size + 16;
}

static tn_status get_kernel(tni_cuda_kernel **kernel, plan *p, const tni_form *form,
                            const int *numbers, int count) {
    const tni_scan *call = p->call;
    tni_fold_key fold = {.kind = TNI_FOLD_VALUE, .skips_nan = (call->flags & TNI_SKIPS_NAN) != 0};
    tni_fold_set(&p->key, &fold, call->op, call->input_dtype, call->accumulator,
                 call->output_dtype);
    const int common[] = {call->ndim, p->wide, place_bytes(call)};
    for (int k = 0; k < count + 3; k++)
        p->key.numbers[k] = (int16_t)(k < count ? numbers[k] : common[k - count]);
    return tni_form_get(kernel, form, &p->key, p->stream);
}

/* --- Looking back --- */

/* The look-back's arrays, zero before the launch: places of tiles, of groups and of sections. */
typedef struct look {
    int64_t place_bytes, tiles, groups, sections; /* the last three of one line */
    tni_form_scratch memory;
} look;

static tn_status look_init(look *l, const plan *p, int64_t tiles, int group) {
    l->place_bytes = place_bytes(p->call);
    l->tiles = tni_form_ceil(tiles, group) * group;
    l->sections = tni_form_ceil(tiles, group * group);
    l->groups = l->sections * group;
    int64_t places = p->call->size * (l->tiles + l->groups + l->sections);
    return tni_form_scratch_init(&l->memory, places * l->place_bytes, 0, p->stream);
}

static void put_places(plan *p, const look *l) {
    char *tiles = l->memory.address;
    char *groups = tiles + p->call->size * l->tiles * l->place_bytes;
    tni_form_put_pointer(&p->params, tiles);
    tni_form_put_pointer(&p->params, groups);
    tni_form_put_pointer(&p->params, groups + p->call->size * l->groups * l->place_bytes);
}

/* --- Lines whose neighbours lie side by side --- */

/* A thread a line. */
static tn_status run_lines(plan *p, bool is_ordered) {
    tni_cuda_kernel *kernel;
    int numbers[] = {LINE_BLOCK, 0, LINE_GROUP, is_ordered, 0, LINE_ROWS};
    TNI_TRY(get_kernel(&kernel, p, is_ordered ? &ordered_form : &columns_form, numbers, 6));
    put_lines(p);
    put_kept(p);
    return tni_form_launch(kernel, tni_form_ceil(p->call->size, LINE_BLOCK), LINE_BLOCK, &p->params,
                           p->stream);
}

static tn_status run_columns(plan *p) {
    const tni_scan *call = p->call;
    tni_cuda_kernel *kernel;
    int64_t threads = (int64_t)tni_form_multiprocessors(p->stream) * 1024;
    if (call->length <= LINE_ROWS || 2 * call->size > threads) return run_lines(p, false);
    int size = (int)tn_dtype_size(call->accumulator), rows = size <= 4 ? 32 : size <= 8 ? 16 : 8;
    int lanes = 1;
    while (lanes < call->size && lanes < LINE_LANES)
        lanes *= 2;
    int64_t blocks = tni_form_ceil(call->size, lanes);
    int64_t tiles = tni_form_ceil(call->length, BLOCK / lanes * rows);
    int numbers[] = {BLOCK, 1, LINE_GROUP, 0, lanes, rows};
    TNI_TRY(get_kernel(&kernel, p, &columns_form, numbers, 6));
    look l = {0};
    TNI_TRY(look_init(&l, p, tiles, LINE_GROUP));
    put_lines(p);
    tni_form_put_i64(&p->params, blocks);
    put_places(p, &l);
    put_kept(p);
    tn_status status = tni_form_launch(kernel, blocks * tiles, BLOCK, &p->params, p->stream);
    tni_form_scratch_deinit(&l.memory);
    return status;
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

static tn_status run_rows(plan *p) {
    const tni_scan *call = p->call;
    tni_cuda_kernel *kernel;
    int widest = p->output_size > p->input_size ? p->output_size : p->input_size;
    int count = widest > 8 ? 8 : widest > 4 ? 16 : 32, block = BLOCK;
    int64_t tiles = tni_form_ceil(call->length, BLOCK * count);
    bool looks = tiles > 1 && call->size < 4 * tni_form_multiprocessors(p->stream);
    if (!looks) {
        count = call->length <= BLOCK * 4 ? 4 : tni_form_min(count, 16);
        while (block > 32 && block / 2 * count >= call->length)
            block /= 2;
    }
    int width = choose_width(call->input, p->input_size, call->input_stride, call->ndim,
                             call->input_strides);
    int output_width = choose_width(call->output, p->output_size, call->output_stride, call->ndim,
                                    call->output_strides);
    int numbers[] = {block, count, looks, GROUP, width, output_width};
    TNI_TRY(get_kernel(&kernel, p, &rows_form, numbers, 6));
    look l = {0};
    if (looks) TNI_TRY(look_init(&l, p, tiles, GROUP));
    put_lines(p);
    tni_form_put_i64(&p->params, tiles);
    put_places(p, &l);
    tni_form_put_i64(&p->params, l.tiles);
    tni_form_put_i64(&p->params, l.groups);
    tni_form_put_i64(&p->params, l.sections);
    put_kept(p);
    tn_status status = tni_form_launch(kernel, looks ? call->size * tiles : call->size, block,
                                       &p->params, p->stream);
    tni_form_scratch_deinit(&l.memory);
    return status;
}

/* --- Short rows --- */

/* Elements that a lane takes at most: what fits into the shared memory of a block without a
 * permission. */
static int short_chunk(const plan *p) {
    int64_t size = tn_dtype_size(p->call->accumulator);
    return size <= 4 ? 33 : size <= 8 ? 17 : 9;
}

static bool is_packed(const plan *p) {
    const tni_scan *call = p->call;
    return call->ndim == 1 && call->input_stride == p->input_size &&
           call->output_stride == p->output_size &&
           call->input_strides[0] == call->length * p->input_size &&
           call->output_strides[0] == call->length * p->output_size;
}

/* Rows of one element or more, of which there are enough for all multiprocessors. */
static bool is_short(const plan *p) {
    const tni_scan *call = p->call;
    int64_t enough = (int64_t)tni_form_multiprocessors(p->stream) * BLOCK;
    if (call->length <= 32) return call->size > 1;
    return call->length <= 32 * short_chunk(p) && is_packed(p) &&
           call->size * tni_form_ceil(call->length, short_chunk(p)) >= enough;
}

/* Where every tile begins at a multiple of it. */
static int tile_width(const void *data, int size, int64_t elements) {
    return widest((int64_t)(uintptr_t)data | elements * size, size);
}

static tn_status run_short(plan *p) {
    const tni_scan *call = p->call;
    tni_cuda_kernel *kernel;
    int chunk = short_chunk(p), team = 1, packed = is_packed(p);
    while (team * chunk < call->length)
        team *= 2;
    int64_t share = tni_form_ceil(call->length, team) | 1;
    /* As many rows as fit, if that leaves some blocks for every multiprocessor. */
    int64_t teams = BLOCK / team, rounds = chunk / share;
    int64_t fair = call->size / (teams * 4 * tni_form_multiprocessors(p->stream));
    int64_t rows = teams * tni_form_min(rounds, fair > 1 ? fair : 1),
            elements = rows * call->length;
    int width = packed ? tile_width(call->input, p->input_size, elements) : 1;
    int output_width = packed ? tile_width(call->output, p->output_size, elements) : 1;
    int numbers[] = {BLOCK, team, chunk, packed, width, output_width};
    TNI_TRY(get_kernel(&kernel, p, &short_form, numbers, 6));
    put_lines(p);
    tni_form_put_i64(&p->params, rows);
    tni_form_put_axis(&p->params, call->length, false);
    put_kept(p);
    return tni_form_launch(kernel, tni_form_ceil(call->size, rows), BLOCK, &p->params, p->stream);
}

/* --- The choice --- */

static int64_t magnitude(int64_t a) {
    return a < 0 ? -a : a;
}

tn_status tni_cuda_scan(const tni_scan *call, tn_stream *stream) {
    plan p;
    p.call = call;
    p.stream = stream;
    p.input_size = (int)tn_dtype_size(call->input_dtype);
    p.output_size = (int)tn_dtype_size(call->output_dtype);
    p.wide = tni_form_is_wide(call->size);
    memset(&p.key, 0, sizeof p.key);
    tni_form_begin(&p.params);
    if (tni_op_is_ordered(call->op)) return run_lines(&p, true);
    bool by_columns = call->ndim > 0 && magnitude(call->input_strides[call->ndim - 1]) <
                                            magnitude(call->input_stride);
    if (tni_scan_keeps_order(call)) {
        bool has_many = by_columns && call->size >= 64 * tni_form_multiprocessors(stream);
        bool is_short = call->length <= 64 && call->size > 1;
        return has_many || is_short ? run_lines(&p, true) : tni_cuda_scan_product(call, stream);
    }
    if (by_columns) return run_columns(&p);
    return is_short(&p) ? run_short(&p) : run_rows(&p);
}
