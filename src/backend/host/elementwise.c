/* The element-wise form on the host.
 *
 * Work is cut into tiles of rows (the last axis, the fastest of the output) and walked in memory order
 * by several threads. In each tile a loop of the table runs row by row. An argument is used where it
 * lies, or staged in a small buffer of the thread that stays in the L1 cache:
 *   - it is stored in another dtype: converted into (or out of) the stage;
 *   - it is an input that runs along another axis than the output (a transposed operand): a tile of
 *     several rows is transposed into the stage, so that every cache line is used whole;
 *   - it is a large contiguous output: computed into the stage and written from there with stores that
 *     bypass the cache, which saves reading the lines first;
 *   - there is a mask: outputs are computed into the stage and moved where the mask says.
 * With nothing to stage, a tile is a whole row. */
#include "core/elementwise.h"
#include "backend/host/host.h"
#include "backend/host/loops.h"
#include "backend/host/stage.h"

#include <stdatomic.h>
#include <string.h>

enum {
    SERIAL_ELEMENTS = 16384,    /* below this, one thread */
    STAGE_ELEMENTS = 2048,      /* of a one-row tile with stages */
    TRANSPOSE_ROW_BYTES = 1024, /* of a tile with a transposed operand, along the source */
    TRANSPOSE_COLUMNS = 256,
    ROW_ELEMENTS = 65536, /* of a tile without stages */
    MAX_ARGUMENTS = TN_MAX_OPERANDS + 1
};
static const int64_t STREAM_BYTES = INT64_C(16) << 20; /* outputs from here on bypass the cache */

typedef enum how { DIRECT, CONVERTED, TRANSPOSED, STREAMED } how;

typedef struct job {
    tni_elementwise call;
    tni_loop loop;
    tni_loop converts[MAX_ARGUMENTS]; /* storage -> loop for inputs, loop -> storage for outputs */
    tni_loop choose;                  /* with a mask: the move of output k */
    how how[MAX_ARGUMENTS];
    int count, outer_ndim;
    bool staged;
    atomic_bool out_of_memory; /* a thread found none for its stage */
    int64_t rows, columns;     /* of the two fastest axes (rows 1 below two axes) */
    int64_t tile_rows, tile_columns;
    bool down; /* tiles follow each other down the rows, as a transposed operand lies in memory */
    int64_t fast_tiles, slow_tiles;
    int64_t stage_bytes; /* of one argument's stage */
} job;

static bool is_output(const job *j, int k) {
    return k >= j->call.input_count && k < j->call.input_count + j->call.output_count;
}

/* --- Deciding --- */

static bool is_transposed(const job *j, int k) {
    int ndim = j->call.ndim;
    if (ndim < 2 || is_output(j, k)) return false;
    const int64_t *strides = j->call.arguments[k].strides;
    int64_t inner = strides[ndim - 1], outer = strides[ndim - 2];
    if (inner < 0) inner = -inner;
    if (outer < 0) outer = -outer;
    return outer != 0 && outer < inner && inner >= 64 && j->rows >= 8 && j->columns >= 8;
}

static how decide(const job *j, int k) {
    const tni_argument *argument = &j->call.arguments[k];
    int64_t size = tn_dtype_size(argument->dtype);
    if (!argument->data) return DIRECT;
    if (is_transposed(j, k)) return TRANSPOSED;
    if (argument->dtype != argument->loop_dtype && j->call.op != TNI_OP_COPY) return CONVERTED;
    if (!is_output(j, k)) return DIRECT;
    if (j->call.masked) return CONVERTED;
    bool whole_rows = j->call.ndim > 0 && argument->strides[j->call.ndim - 1] == size &&
                      (j->call.ndim == 1 || j->columns * size >= 1024);
    return whole_rows && j->call.size * size >= STREAM_BYTES ? STREAMED : DIRECT;
}

/* A short last axis makes short rows: let the longer of the two fastest axes be the row. */
static void lengthen_rows(tni_elementwise *call, int count) {
    int last = call->ndim - 1;
    if (last < 1 || call->shape[last] >= 16 || call->shape[last - 1] < 4 * call->shape[last])
        return;
    int64_t size = call->shape[last];
    call->shape[last] = call->shape[last - 1];
    call->shape[last - 1] = size;
    for (int k = 0; k < count; k++) {
        int64_t *strides = call->arguments[k].strides, stride = strides[last];
        strides[last] = strides[last - 1];
        strides[last - 1] = stride;
    }
}

static void plan_tiles(job *j) {
    const tni_elementwise *call = &j->call;
    j->columns = call->ndim > 0 ? call->shape[call->ndim - 1] : 1;
    j->rows = call->ndim > 1 ? call->shape[call->ndim - 2] : 1;
    j->outer_ndim = call->ndim > 2 ? call->ndim - 2 : 0;
    bool transposed = false;
    int64_t widest = 1, narrowest = 16;
    for (int k = 0; k < j->count; k++) {
        int64_t bytes = tn_dtype_size(call->arguments[k].loop_dtype);
        j->how[k] = decide(j, k);
        j->staged |= j->how[k] != DIRECT;
        transposed |= j->how[k] == TRANSPOSED;
        if (j->how[k] == TRANSPOSED && tn_dtype_size(call->arguments[k].dtype) < narrowest)
            narrowest = tn_dtype_size(call->arguments[k].dtype);
        if (bytes > widest) widest = bytes;
        bytes = tn_dtype_size(call->arguments[k].dtype);
        if (bytes > widest) widest = bytes;
    }
    j->tile_rows = transposed ? TRANSPOSE_ROW_BYTES / narrowest : 1;
    j->tile_columns = transposed ? TRANSPOSE_COLUMNS : j->staged ? STAGE_ELEMENTS : ROW_ELEMENTS;
    if (j->tile_rows > j->rows) j->tile_rows = j->rows;
    if (j->tile_columns > j->columns) j->tile_columns = j->columns;
    int64_t row_tiles = (j->rows + j->tile_rows - 1) / j->tile_rows;
    int64_t column_tiles = (j->columns + j->tile_columns - 1) / j->tile_columns;
    j->down = transposed;
    j->fast_tiles = j->down ? row_tiles : column_tiles;
    j->slow_tiles = j->down ? column_tiles : row_tiles;
    j->stage_bytes = (j->tile_rows * j->tile_columns * widest + 63) & ~INT64_C(63);
}

static tn_status find_loops(job *j) {
    const tni_elementwise *call = &j->call;
    if (call->op == TNI_OP_COPY)
        j->loop = tni_cast_find(call->arguments[0].loop_dtype, call->arguments[1].loop_dtype);
    else
        j->loop = tni_loop_find(call->op, call->dtype);
    if (!j->loop)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "%s of %s has no loop on host", tn_op_name(call->op),
                 tn_dtype_name(call->dtype));
    for (int k = 0; k < j->count; k++) {
        const tni_argument *argument = &call->arguments[k];
        bool output = is_output(j, k);
        j->converts[k] = tni_cast_find(output ? argument->loop_dtype : argument->dtype,
                                       output ? argument->dtype : argument->loop_dtype);
    }
    return TN_OK;
}

/* --- One tile --- */

/* The tile's position: pointers of all arguments at its first element. */
typedef struct tile {
    char *data[MAX_ARGUMENTS];
    int64_t rows, columns;
} tile;

static int64_t row_stride(const job *j, int k) {
    return j->call.ndim > 1 ? j->call.arguments[k].strides[j->call.ndim - 2] : 0;
}

static int64_t column_stride(const job *j, int k) {
    return j->call.ndim > 0 ? j->call.arguments[k].strides[j->call.ndim - 1] : 0;
}

/* Moves row `row` of output k out of its stage. */
static void unload(const job *j, const tile *t, int k, int64_t row, char *stage) {
    const tni_argument *argument = &j->call.arguments[k];
    char *to = t->data[k] + row * row_stride(j, k);
    int64_t size = tn_dtype_size(argument->dtype), loop_size = tn_dtype_size(argument->loop_dtype);
    if (j->call.masked) {
        int mask = j->count - 1;
        char *from = stage;
        if (argument->dtype != argument->loop_dtype) { /* convert in place behind the stage */
            from = stage + j->stage_bytes;
            char *arguments[2] = {stage, from};
            int64_t strides[2] = {loop_size, size};
            j->converts[k](arguments, strides, t->columns);
        }
        char *arguments[4] = {t->data[mask] + row * row_stride(j, mask), from, to, to};
        int64_t strides[4] = {column_stride(j, mask), size, column_stride(j, k),
                              column_stride(j, k)};
        tni_loop_find(TN_OP_WHERE, argument->dtype)(arguments, strides, t->columns);
    } else if (j->how[k] == STREAMED) {
        tni_stream_copy(to, stage, (size_t)(t->columns * size));
    } else {
        char *arguments[2] = {stage, to};
        int64_t strides[2] = {loop_size, column_stride(j, k)};
        j->converts[k](arguments, strides, t->columns);
    }
}

/* Transposes an input's tile into its stage, converted if need be. */
static void load_transposed(const job *j, const tile *t, int k, char *stage, char *spare) {
    const tni_argument *argument = &j->call.arguments[k];
    bool convert = argument->dtype != argument->loop_dtype;
    int64_t size = tn_dtype_size(argument->dtype), loop_size = tn_dtype_size(argument->loop_dtype);
    char *raw = convert ? spare : stage;
    tni_transpose_tile(raw, t->data[k], size, t->rows, t->columns, row_stride(j, k),
                       column_stride(j, k));
    if (!convert) return;
    char *arguments[2] = {raw, stage};
    int64_t strides[2] = {size, loop_size};
    j->converts[k](arguments, strides, t->rows * t->columns);
}

static bool is_transposed_copy(const job *j) {
    return j->call.op == TNI_OP_COPY && j->how[0] == TRANSPOSED && j->how[1] == STREAMED &&
           j->call.arguments[0].dtype == j->call.arguments[1].dtype;
}

static void run_tile(const job *j, const tile *t, char *stages) {
    char *spare = stages + j->stage_bytes * 2 * j->count;
    char *pointers[MAX_ARGUMENTS];
    int64_t strides[MAX_ARGUMENTS];
    for (int k = 0; k < j->count; k++)
        if (j->how[k] == TRANSPOSED)
            load_transposed(j, t, k, stages + j->stage_bytes * 2 * k, spare);
    int operands = j->call.input_count + j->call.output_count;
    for (int64_t row = 0; row < t->rows; row++) {
        for (int k = 0; k < operands; k++) {
            const tni_argument *argument = &j->call.arguments[k];
            char *stage = stages + j->stage_bytes * 2 * k;
            char *at = argument->data ? t->data[k] + row * row_stride(j, k) : NULL;
            int64_t loop_size = tn_dtype_size(argument->loop_dtype);
            pointers[k] = stage;
            strides[k] = loop_size;
            if (!argument->data) {
                pointers[k] = (char *)argument->value;
                strides[k] = 0;
            } else if (j->how[k] == DIRECT) {
                pointers[k] = at;
                strides[k] = column_stride(j, k);
            } else if (j->how[k] == TRANSPOSED) {
                pointers[k] = stage + row * t->columns * loop_size;
            } else if (!is_output(j, k)) {
                bool constant = column_stride(j, k) == 0;
                char *arguments[2] = {at, stage};
                int64_t from_to[2] = {column_stride(j, k), loop_size};
                j->converts[k](arguments, from_to, constant ? 1 : t->columns);
                if (constant) strides[k] = 0;
            }
        }
        if (is_transposed_copy(j)) { /* the stage is the result */
            tni_stream_copy(t->data[1] + row * row_stride(j, 1), pointers[0],
                            (size_t)(t->columns * strides[0]));
            continue;
        }
        j->loop(pointers, strides, t->columns);
        for (int k = j->call.input_count; k < operands; k++)
            if (j->how[k] != DIRECT) unload(j, t, k, row, stages + j->stage_bytes * 2 * k);
    }
}

/* --- All tiles --- */

/* Tiles begin to end: outer axes, then the slow and the fast direction of the two fastest axes. */
static void run_tiles(void *context, int64_t begin, int64_t end) {
    job *j = context;
    int64_t outer[TN_MAX_NDIM], left = begin;
    char *stages = NULL;
    if (j->staged) stages = tni_scratch(0, (size_t)(j->stage_bytes * (2 * j->count + 1)));
    if (j->staged && !stages) {
        atomic_store(&j->out_of_memory, true);
        return;
    }
    tile t;
    int64_t fast_tile = left % j->fast_tiles;
    left /= j->fast_tiles;
    int64_t slow_tile = left % j->slow_tiles;
    left /= j->slow_tiles;
    char *base[MAX_ARGUMENTS];
    for (int k = 0; k < j->count; k++)
        base[k] = j->call.arguments[k].data;
    for (int axis = j->outer_ndim - 1; axis >= 0; axis--) {
        outer[axis] = left % j->call.shape[axis];
        left /= j->call.shape[axis];
        for (int k = 0; k < j->count; k++)
            if (base[k]) base[k] += outer[axis] * j->call.arguments[k].strides[axis];
    }
    for (int64_t at = begin; at < end; at++) {
        int64_t row = (j->down ? fast_tile : slow_tile) * j->tile_rows;
        int64_t column = (j->down ? slow_tile : fast_tile) * j->tile_columns;
        t.rows = j->rows - row < j->tile_rows ? j->rows - row : j->tile_rows;
        t.columns = j->columns - column < j->tile_columns ? j->columns - column : j->tile_columns;
        for (int k = 0; k < j->count; k++)
            t.data[k] =
                base[k] ? base[k] + row * row_stride(j, k) + column * column_stride(j, k) : NULL;
        run_tile(j, &t, stages);
        if (++fast_tile < j->fast_tiles) continue;
        fast_tile = 0;
        if (++slow_tile < j->slow_tiles) continue;
        slow_tile = 0;
        for (int axis = j->outer_ndim - 1; axis >= 0; axis--) {
            bool carry = ++outer[axis] == j->call.shape[axis];
            int64_t steps = carry ? 1 - j->call.shape[axis] : 1;
            for (int k = 0; k < j->count; k++)
                if (base[k]) base[k] += steps * j->call.arguments[k].strides[axis];
            if (!carry) break;
            outer[axis] = 0;
        }
    }
}

/* One row, nothing staged: the loop at once. */
static bool run_small(const tni_elementwise *call, int count) {
    if (call->ndim > 1 || call->masked || call->size > SERIAL_ELEMENTS) return false;
    char *pointers[MAX_ARGUMENTS];
    int64_t strides[MAX_ARGUMENTS];
    for (int k = 0; k < count; k++) {
        const tni_argument *argument = &call->arguments[k];
        if (argument->dtype != argument->loop_dtype) return false;
        pointers[k] = argument->data ? argument->data : (char *)argument->value;
        strides[k] = argument->data && call->ndim ? argument->strides[0] : 0;
    }
    tni_loop loop = call->op == TNI_OP_COPY ? tni_cast_find(call->arguments[0].loop_dtype,
                                                            call->arguments[1].loop_dtype)
                                            : tni_loop_find(call->op, call->dtype);
    if (!loop) return false;
    loop(pointers, strides, call->size);
    return true;
}

static tn_status work(void *params) {
    tni_elementwise *call = params;
    int count = call->input_count + call->output_count + call->masked;
    if (run_small(call, count)) return TN_OK;
    job j;
    j.call = *call;
    j.count = count;
    j.staged = false;
    atomic_init(&j.out_of_memory, false);
    lengthen_rows(&j.call, count);
    TNI_TRY(find_loops(&j));
    plan_tiles(&j);
    int64_t tiles = j.fast_tiles * j.slow_tiles;
    for (int axis = 0; axis < j.outer_ndim; axis++)
        tiles *= j.call.shape[axis];
    int64_t tile_elements = j.tile_rows * j.tile_columns;
    int64_t grain = SERIAL_ELEMENTS / tile_elements > 0 ? SERIAL_ELEMENTS / tile_elements : 1;
    if (j.call.size <= SERIAL_ELEMENTS)
        run_tiles(&j, 0, tiles);
    else
        tni_parallel(tiles, grain, run_tiles, &j);
    if (atomic_load(&j.out_of_memory)) return tni_fail_no_memory(j.stage_bytes * (2 * j.count + 1));
    return TN_OK;
}

tn_status tni_host_elementwise(const tni_elementwise *call, tn_stream *stream) {
    if (stream->is_immediate) return work((void *)(uintptr_t)call);
    return tni_host_submit(stream, work, call, sizeof *call);
}
