/* Which of four device texts an element-wise call takes, of one operation or of many.
 *
 *   flat        one dimension, everything contiguous
 *   rows        two, where an argument is the same in every row or along a row
 *   transpose   some inputs run along another axis than the outputs
 *   strided     the rest
 *
 * Algorithm: each argument is said to be a vector, a constant or strided along the last axis; the
 * width of a thread's group is the most that every argument's alignment and the last axis allow.
 * Elements that may lie off their own alignment are read byte by byte, in the strided form. */
#include "backend/cuda/forms/walk.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256, FLAT_BLOCK = 128, MAX_BLOCKS = 1 << 28 };
/* Elements of a matrix that a block of the strided form reads whole, through its cache. */
enum { SMALL_MATRIX = 1024 };
enum { CONSTANT, VECTOR, STRIDED }; /* INNER_... of elements.cuh */

/* --- The program --- */

static void write_list(tni_source *source, const char *name, const tni_walk *walk, int first,
                       int end, bool scalars, bool transposed) {
    char list[TNI_WALK_ARGUMENTS * sizeof " DO(99)"] = "";
    size_t length = 0;
    for (int k = first; k < end; k++)
        if (walk->arguments[k].is_scalar == scalars &&
            (walk->arguments[k].transposed > 0) == transposed)
            length += (size_t)snprintf(list + length, sizeof list - length, " DO(%d)", k);
    tni_source_define(source, name, "(DO)%s", list);
}

static void define_of(tni_source *source, const char *name, int argument, int value) {
    char text[24];
    snprintf(text, sizeof text, "%s_%d", name, argument);
    tni_source_define(source, text, " %d", value);
}

void tni_walk_write(tni_source *source, const tni_walk *walk) {
    int operands = walk->inputs + walk->outputs, count = operands + walk->masked;
    tni_source_define(source, "MASKED", " %d", walk->masked);
    for (int k = 0; k < count; k++) {
        const tni_walk_argument *argument = &walk->arguments[k];
        tn_dtype dtype = argument->is_scalar ? argument->loop_dtype : argument->dtype;
        source->dtypes |= 1u << dtype;
        tni_source_add(source, "typedef %s Stored%d;\n", tni_body_stored(dtype), k);
        define_of(source, "INNER", k, argument->inner);
        define_of(source, "OUTER", k, argument->is_outer);
        if (argument->transposed) define_of(source, "READ", k, argument->transposed);
    }
    write_list(source, "EACH_INPUT", walk, 0, walk->inputs, false, false);
    write_list(source, "EACH_SCALAR", walk, 0, walk->inputs, true, false);
    write_list(source, "EACH_TRANSPOSED", walk, 0, walk->inputs, false, true);
    write_list(source, "EACH_OUTPUT", walk, walk->inputs, operands, false, false);
    write_list(source, "EACH_MASK", walk, operands, count, false, false);
    tni_source_add(source, "struct Element {");
    for (int k = 0; k < operands; k++)
        tni_source_add(source, " Stored%d a%d;", k, k);
    tni_source_add(source, " };\n");
}

/* --- The choice --- */

/* A call with what is chosen for it, on its way into a plan. */
typedef struct problem {
    const tni_walk_call *call;
    int count; /* arguments */
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    int64_t strides[TNI_WALK_ARGUMENTS][TN_MAX_NDIM];
    int sizes[TNI_WALK_ARGUMENTS];
    const void *data[TNI_WALK_ARGUMENTS], *values[TNI_WALK_ARGUMENTS];
    int smallest, largest; /* bytes of an element of an argument in memory */
    tni_walk walk;
    tni_plan *plan;
} problem;

static bool is_array(const problem *p, int k) {
    return !p->walk.arguments[k].is_scalar;
}

static void describe_argument(problem *p, int k) {
    const tni_argument *argument = &p->call->arguments[k];
    tni_walk_argument *key = &p->walk.arguments[k];
    int size = (int)tn_dtype_size(argument->dtype);
    key->dtype = (int8_t)argument->dtype;
    key->loop_dtype = (int8_t)argument->loop_dtype;
    key->is_scalar = !argument->data;
    p->data[k] = argument->data;
    p->values[k] = argument->value;
    p->sizes[k] = size;
    for (int axis = 0; axis < p->ndim; axis++)
        p->strides[k][axis] = argument->data && p->call->ndim ? argument->strides[axis] : 0;
    /* A copy is a body that does nothing: its output converts from the input's dtype. */
    if (p->call->copies) key->loop_dtype = (int8_t)p->call->arguments[0].loop_dtype;
    if (key->is_scalar) return;
    if (p->call->ndim == 0) p->strides[k][0] = size;
    int64_t inner = p->strides[k][p->ndim - 1];
    key->inner = inner == 0 ? CONSTANT : inner == size ? VECTOR : STRIDED;
    if (size < p->smallest) p->smallest = size;
    if (size > p->largest) p->largest = size;
}

static void describe(problem *p, const tni_walk_call *call) {
    p->call = call;
    p->count = call->inputs + call->outputs + call->masked;
    p->ndim = call->ndim ? call->ndim : 1;
    p->shape[0] = 1;
    for (int axis = 0; axis < call->ndim; axis++)
        p->shape[axis] = call->shape[axis];
    p->smallest = 16;
    p->largest = 1;
    p->walk.inputs = (uint8_t)call->inputs;
    p->walk.outputs = (uint8_t)call->outputs;
    p->walk.masked = call->masked;
    for (int k = 0; k < p->count; k++)
        describe_argument(p, k);
}

/* Elements of a thread's group: 16 bytes of the largest argument, so that a warp's accesses are
 * whole lines; 32 where only inputs are so large, to fill those of small outputs. */
static int widest(const problem *p) {
    int width = 16 / p->smallest, limit = 32;
    for (int k = p->call->inputs; k < p->count; k++)
        if (p->sizes[k] == p->largest) limit = 16;
    while (width * p->largest > limit)
        width /= 2;
    return width < 1 ? 1 : width;
}

/* Whether groups of `width` lie aligned in every argument that is a vector along the last axis. */
static bool is_width_aligned(const problem *p, int width) {
    if (p->shape[p->ndim - 1] % width) return false;
    for (int k = 0; k < p->count; k++) {
        if (!is_array(p, k) || p->walk.arguments[k].inner != VECTOR) continue;
        int64_t bits = (int64_t)(uintptr_t)p->data[k];
        int bytes = width * p->sizes[k] > 16 ? 16 : width * p->sizes[k];
        for (int axis = 0; axis < p->ndim - 1; axis++)
            bits |= p->strides[k][axis];
        if (tni_form_alignment(bits, 16) < bytes) return false;
    }
    return true;
}

static int choose_width(const problem *p) {
    int width = widest(p);
    while (width > 1 && !is_width_aligned(p, width))
        width /= 2;
    return width;
}

/* Groups in flight: as many as make 64 bytes of inputs. */
static int choose_unroll(const problem *p, int width) {
    int bytes = 0, least = width * p->largest <= 16 ? 2 : 1;
    for (int k = 0; k < p->call->inputs; k++)
        if (is_array(p, k)) bytes += width * p->sizes[k];
    int unroll = 4;
    while (unroll > least && unroll * bytes > 64)
        unroll /= 2;
    return unroll;
}

static void set_key(problem *p, tni_form_key *key) {
    p->plan->steps[p->plan->step_count - 1].body = p->call->body;
    p->call->set_key(key, &p->walk, p->call->call);
}

/* --- flat --- */

static bool is_flat(const problem *p) {
    if (p->ndim != 1) return false;
    for (int k = 0; k < p->count; k++)
        if (is_array(p, k) && p->walk.arguments[k].inner != VECTOR) return false;
    return true;
}

static bool reads_array(const problem *p) {
    for (int k = 0; k < p->call->inputs; k++)
        if (is_array(p, k)) return true;
    return false;
}

static void plan_flat(problem *p) {
    int width = widest(p);
    int64_t bits = 0;
    for (int k = 0; k < p->count; k++)
        if (is_array(p, k)) bits |= (int64_t)(uintptr_t)p->data[k];
    if (tni_form_alignment(bits, 16) < 16) /* views that begin anywhere */
        while (width > 1 && tni_form_alignment(bits, 16) < tni_form_min(width * p->largest, 16))
            width /= 2;
    /* Small pieces of work are handed out best: a whole vector a thread. What reads nothing stores
     * more. */
    bool is_whole = width * p->largest >= 16 && reads_array(p);
    int unroll = is_whole ? 1 : choose_unroll(p, width);
    tni_form_key *key =
        TNI_STEP(p->plan, flat, &p->call->forms->flat,
                 MACROS(.BLOCK = FLAT_BLOCK, .WIDTH = width, .UNROLL = unroll, .WIDE_INDEX = 0,
                        .ARGUMENTS = p->count),
                 PARAMS(.count = p->call->size, .data = p->data, .values = p->values));
    set_key(p, key);
    int64_t tiles = tni_form_ceil(p->call->size, (int64_t)FLAT_BLOCK * width * unroll);
    tni_plan_grid(p->plan, tiles, FLAT_BLOCK);
}

/* --- rows --- */

static bool is_rows(const problem *p) {
    if (p->ndim != 2 || p->shape[1] < 64 || p->shape[0] < 8) return false;
    bool repeats = false;
    for (int k = 0; k < p->count; k++) {
        if (!is_array(p, k)) continue;
        bool is_outer = p->strides[k][0] != 0;
        if (p->walk.arguments[k].inner == STRIDED) return false;
        if (k == p->call->inputs + p->call->outputs) continue; /* the mask */
        repeats |= !is_outer || p->walk.arguments[k].inner == CONSTANT;
    }
    return repeats;
}

static void plan_rows(problem *p) {
    int width = choose_width(p), lanes = 32;
    int64_t groups = p->shape[1] / width;
    while (lanes < BLOCK && lanes < groups)
        lanes *= 2;
    /* A strip that would be mostly empty is made narrower. */
    while (lanes > 32 && tni_form_ceil(groups, lanes) * lanes > groups + groups / 4)
        lanes /= 2;
    int unroll = p->largest * width >= 32 ? 2 : 4;
    int64_t row_strides[TNI_WALK_ARGUMENTS];
    for (int k = 0; k < p->count; k++) {
        row_strides[k] = p->strides[k][0];
        p->walk.arguments[k].is_outer = is_array(p, k) && row_strides[k] != 0;
    }
    int64_t strips = tni_form_ceil(groups, lanes);
    int64_t steps = tni_form_ceil(p->shape[0], (int64_t)(BLOCK / lanes) * unroll);
    /* One step a block: the machine hands out small pieces best, and what is the same in every row
     * comes from the cache. */
    int64_t row_blocks = tni_form_min(steps, MAX_BLOCKS / strips + 1);
    tni_form_key *key =
        TNI_STEP(p->plan, rows, &p->call->forms->rows,
                 MACROS(.BLOCK = BLOCK, .WIDTH = width, .UNROLL = unroll, .LANES = lanes,
                        .WIDE_INDEX = 0, .ARGUMENTS = p->count),
                 PARAMS(.rows = p->shape[0], .columns = p->shape[1], .row_blocks = row_blocks,
                        .data = p->data, .values = p->values, .row_strides = row_strides));
    set_key(p, key);
    tni_plan_grid(p->plan, strips * row_blocks, BLOCK);
}

/* --- strided --- */

static void plan_strided(problem *p) {
    int width = choose_width(p), last = p->ndim - 1;
    int unroll = choose_unroll(p, width);
    int64_t inner_strides[TNI_WALK_ARGUMENTS], groups = p->call->size / width;
    const int64_t *strides[TNI_WALK_ARGUMENTS];
    p->shape[last] /= width;
    for (int k = 0; k < p->count; k++) {
        inner_strides[k] = p->strides[k][last];
        p->strides[k][last] *= width;
        strides[k] = p->strides[k];
    }
    tni_form_key *key =
        TNI_STEP(p->plan, strided, &p->call->forms->strided,
                 MACROS(.BLOCK = BLOCK, .WIDTH = width, .UNROLL = unroll, .NDIM = p->ndim,
                        .WIDE_INDEX = tni_form_is_wide(groups), .ARGUMENTS = p->count),
                 PARAMS(.count = groups, .data = p->data, .values = p->values,
                        .strides = inner_strides, .shape = TNI_SHAPE_ANY(p->shape, strides)));
    set_key(p, key);
    int64_t blocks = tni_form_ceil(groups, (int64_t)BLOCK * unroll);
    tni_plan_grid(p->plan, blocks, BLOCK);
}

/* --- transpose --- */

/* Makes axis `axis` the one at `place`; the order of axes means nothing. */
static void swap_axes(problem *p, int axis, int place) {
    int64_t size = p->shape[axis];
    p->shape[axis] = p->shape[place];
    p->shape[place] = size;
    for (int k = 0; k < p->count; k++) {
        int64_t stride = p->strides[k][axis];
        p->strides[k][axis] = p->strides[k][place];
        p->strides[k][place] = stride;
    }
}

static void classify(problem *p) {
    for (int k = 0; k < p->count; k++) {
        int64_t inner = p->strides[k][p->ndim - 1];
        if (is_array(p, k))
            p->walk.arguments[k].inner = inner == 0             ? CONSTANT
                                         : inner == p->sizes[k] ? VECTOR
                                                                : STRIDED;
    }
}

/* The last axis becomes the first output's own. */
static void align_to_output(problem *p) {
    int output = p->call->inputs, last = p->ndim - 1;
    for (int axis = 0; axis < last; axis++)
        if (p->strides[output][last] != p->sizes[output] &&
            p->strides[output][axis] == p->sizes[output] && p->shape[axis] > 1)
            swap_axes(p, axis, last);
    classify(p);
}

/* An axis, not the last, along which an input has neighbours that it has not along the last. */
static int find_transposed_axis(const problem *p) {
    int last = p->ndim - 1;
    if (p->shape[last] < 8) return -1;
    for (int k = 0; k < p->call->inputs; k++) {
        if (!is_array(p, k) || p->walk.arguments[k].inner != STRIDED) continue;
        for (int axis = 0; axis < last; axis++)
            if (p->strides[k][axis] == p->sizes[k] && p->shape[axis] >= 8) return axis;
    }
    return -1;
}

/* Elements of one load of a transposed input. */
static int choose_read(const problem *p, int k, int tile) {
    int64_t bits = (int64_t)(uintptr_t)p->data[k];
    int rows = p->ndim - 2, read = 16 / p->sizes[k];
    for (int axis = 0; axis < p->ndim; axis++)
        if (axis != rows) bits |= p->strides[k][axis];
    while (read > 1 && (p->shape[rows] % read || tile * tile / read < BLOCK ||
                        tni_form_alignment(bits, 16) < read * p->sizes[k]))
        read /= 2;
    return read;
}

static void plan_transpose(problem *p) {
    int rows = p->ndim - 2, columns = p->ndim - 1, transposed_bytes = 0;
    for (int k = 0; k < p->call->inputs; k++)
        if (is_array(p, k) && p->walk.arguments[k].inner == STRIDED &&
            p->strides[k][rows] == p->sizes[k])
            transposed_bytes += p->sizes[k];
    int tile = transposed_bytes <= 8 ? 64 : 32;
    int64_t row_tiles = tni_form_ceil(p->shape[rows], tile);
    int64_t column_tiles = tni_form_ceil(p->shape[columns], tile), outer = 1;
    for (int axis = 0; axis < rows; axis++)
        outer *= p->shape[axis];
    /* A grid has no more blocks, but that form loops. */
    if (outer > INT_MAX / (row_tiles * column_tiles)) {
        plan_strided(p);
        return;
    }
    for (int k = 0; k < p->call->inputs; k++)
        if (is_array(p, k) && p->walk.arguments[k].inner == STRIDED &&
            p->strides[k][rows] == p->sizes[k])
            p->walk.arguments[k].transposed = (uint8_t)choose_read(p, k, tile);
    int width = choose_width(p);
    while (width > 1 && tile * tile / width < BLOCK)
        width /= 2;
    const int64_t *strides[TNI_WALK_ARGUMENTS];
    int64_t row_strides[TNI_WALK_ARGUMENTS], column_strides[TNI_WALK_ARGUMENTS];
    for (int k = 0; k < p->count; k++) {
        row_strides[k] = p->strides[k][rows];
        column_strides[k] = p->strides[k][columns];
        strides[k] = p->strides[k];
    }
    tni_form_key *key = TNI_STEP(
        p->plan, transpose, &p->call->forms->transpose,
        MACROS(.BLOCK = BLOCK, .WIDTH = width, .TILE = tile, .OUTER_NDIM = rows,
               .WIDE_INDEX = tni_form_is_wide(outer), .ARGUMENTS = p->count),
        PARAMS(.rows = p->shape[rows], .columns = p->shape[columns], .row_tiles = row_tiles,
               .column_tiles = column_tiles, .data = p->data, .values = p->values,
               .row_strides = row_strides, .column_strides = column_strides,
               .outer = TNI_SHAPE_ANY(p->shape, strides)));
    set_key(p, key);
    tni_plan_grid(p->plan, row_tiles * column_tiles * outer, BLOCK);
}

void tni_plan_walk(tni_plan *plan, const tni_walk_call *call) {
    problem p;
    if (call->size == 0) return;
    p.plan = plan;
    memset(&p.walk, 0, sizeof p.walk);
    describe(&p, call);
    if (is_flat(&p)) {
        plan_flat(&p);
        return;
    }
    if (is_rows(&p)) {
        plan_rows(&p);
        return;
    }
    align_to_output(&p);
    int transposed = p.ndim > 1 ? find_transposed_axis(&p) : -1;
    if (transposed < 0) {
        plan_strided(&p);
        return;
    }
    swap_axes(&p, transposed, p.ndim - 2);
    if (p.shape[p.ndim - 2] * p.shape[p.ndim - 1] <= SMALL_MATRIX)
        plan_strided(&p);
    else
        plan_transpose(&p);
}
