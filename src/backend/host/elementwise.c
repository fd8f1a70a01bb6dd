/* The element-wise form on the host.
 *
 * Work is cut into tiles of rows (the last axis, the fastest of the output) and walked in memory order
 * by several threads. In each tile a loop of the table runs row by row. An argument is used where it
 * lies, or a piece of a row at a time in a small buffer of the thread, which stays in the L1 cache:
 *   - it is stored in another dtype: converted into (or out of) the stage;
 *   - it is an input that runs along another axis than the output (a transposed operand): a tile of
 *     several rows is transposed into the stage, so that every cache line is used whole;
 *   - it is a large contiguous output: computed into the stage and written from there with stores that
 *     bypass the cache, which saves reading the lines first;
 *   - there is a mask: outputs are computed into the stage and moved where the mask says.
 * With nothing to stage, a piece is all of the tile's row. */
#include "core/elementwise.h"
#include "backend/host/host.h"
#include "backend/host/loops.h"
#include "backend/host/stage.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum {
    SERIAL_ELEMENTS = 16384,    /* below this, one thread */
    ROW_ELEMENTS = 16384,       /* of a tile of one row */
    ROWS_ELEMENTS = 4096,       /* about those of a tile of several */
    STAGE_BYTES = 2048,         /* of a piece of a row that goes through stages */
    TRANSPOSE_ROW_BYTES = 1024, /* of a tile with a transposed operand, along the source */
    TRANSPOSE_COLUMNS = 256,
    MAX_ARGUMENTS = TN_MAX_OPERANDS + 1
};

typedef enum how { DIRECT, CONVERTED, TRANSPOSED, STREAMED } how;

/* An argument as tiles use it. */
typedef struct part {
    how how;
    char *data;          /* NULL: the scalar in `value` */
    int64_t row, column; /* strides of the two fastest axes */
    int64_t size, loop_size;
    int64_t stage;    /* where its stage lies among a thread's */
    tni_loop convert; /* storage -> loop for inputs, loop -> storage for outputs */
    tni_loop choose;  /* with a mask, of an output: the move */
} part;

typedef struct job {
    tni_elementwise call; /* of its arguments only those that are there */
    tni_loop loop;
    part parts[MAX_ARGUMENTS];
    int count, operands, outer_ndim; /* operands: all arguments but the mask */
    int loads, stores;               /* inputs converted, outputs staged: */
    int load[MAX_ARGUMENTS], store[MAX_ARGUMENTS];
    bool staged, streams, fills;
    atomic_bool out_of_memory; /* a thread found none for its stages */
    int64_t rows, columns;     /* of the two fastest axes (rows 1 below two axes) */
    int64_t tile_rows, tile_columns;
    int64_t piece; /* columns that go through the stages at a time */
    bool down; /* tiles follow each other down the rows, as a transposed operand lies in memory */
    int64_t fast_tiles, slow_tiles;
    int64_t stage_bytes, spare; /* of all stages; where what was transposed waits to be converted */
} job;

static bool is_output(const job *j, int k) {
    return k >= j->call.input_count && k < j->operands;
}

/* --- Deciding --- */

static bool is_transposed(const job *j, int k) {
    if (j->call.ndim < 2 || is_output(j, k)) return false;
    int64_t inner = j->parts[k].column, outer = j->parts[k].row;
    if (inner < 0) inner = -inner;
    if (outer < 0) outer = -outer;
    return outer != 0 && outer < inner && inner >= 64 && j->rows >= 8 && j->columns >= 8;
}

/* Whether results bypass the caches: they and what is read are more than these hold. */
static bool is_large(const job *j) {
    int64_t bytes = 0;
    for (int k = 0; k < j->operands; k++) {
        int64_t elements = j->parts[k].data ? 1 : 0;
        for (int axis = 0; axis < j->call.ndim; axis++)
            if (j->call.arguments[k].strides[axis] != 0) elements *= j->call.shape[axis];
        bytes += elements * j->parts[k].size;
    }
    return bytes >= TNI_STREAM_BYTES;
}

/* Whether every row of the result is one value, written many times. */
static bool is_fill(const job *j) {
    return j->call.op == TNI_OP_COPY && (!j->parts[0].data || j->parts[0].column == 0);
}

static how decide(const job *j, int k, bool is_large) {
    const tni_argument *argument = &j->call.arguments[k];
    const part *p = &j->parts[k];
    if (!p->data || k == j->operands) return DIRECT;
    if (is_transposed(j, k)) return TRANSPOSED;
    if (argument->dtype != argument->loop_dtype && j->call.op != TNI_OP_COPY) return CONVERTED;
    if (!is_output(j, k)) return DIRECT;
    if (j->call.masked) return CONVERTED;
    bool whole_rows = p->column == p->size && j->columns * p->size >= 1024;
    return whole_rows && (is_large || is_fill(j)) ? STREAMED : DIRECT;
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

/* What the arguments are, and how each is reached. */
static void plan_parts(job *j) {
    const tni_elementwise *call = &j->call;
    int last = call->ndim - 1;
    j->columns = last >= 0 ? call->shape[last] : 1;
    j->rows = last >= 1 ? call->shape[last - 1] : 1;
    j->outer_ndim = last >= 1 ? last - 1 : 0;
    for (int k = 0; k < j->count; k++) {
        const tni_argument *argument = &call->arguments[k];
        j->parts[k] = (part){.data = argument->data,
                             .row = last >= 1 ? argument->strides[last - 1] : 0,
                             .column = last >= 0 ? argument->strides[last] : 0,
                             .size = tn_dtype_size(argument->dtype),
                             .loop_size = tn_dtype_size(argument->loop_dtype)};
    }
    bool large = is_large(j);
    j->fills = false;
    for (int k = 0; k < j->count; k++) {
        part *p = &j->parts[k];
        p->how = decide(j, k, large);
        j->staged |= p->how != DIRECT;
        j->streams |= p->how == STREAMED && large;
        j->fills |= p->how == STREAMED && is_fill(j);
        if (p->how == CONVERTED && !is_output(j, k)) j->load[j->loads++] = k;
        if (p->how != DIRECT && is_output(j, k)) j->store[j->stores++] = k;
    }
}

static void plan_tiles(job *j) {
    int64_t widest = 1, narrowest = 0;
    for (int k = 0; k < j->operands; k++) {
        const part *p = &j->parts[k];
        if (p->how == TRANSPOSED && (!narrowest || p->size < narrowest)) narrowest = p->size;
        if (p->size > widest) widest = p->size;
        if (p->loop_size > widest) widest = p->loop_size;
    }
    bool transposed = narrowest != 0;
    j->tile_columns = transposed ? TRANSPOSE_COLUMNS : ROW_ELEMENTS;
    if (j->tile_columns > j->columns) j->tile_columns = j->columns;
    j->tile_rows = transposed ? TRANSPOSE_ROW_BYTES / narrowest
                              : (ROWS_ELEMENTS - 1) / (j->tile_columns + 1) + 1;
    if (j->tile_rows > j->rows) j->tile_rows = j->rows;
    j->piece = j->staged && !transposed ? STAGE_BYTES / widest : j->tile_columns;
    int64_t row_tiles = (j->rows + j->tile_rows - 1) / j->tile_rows;
    int64_t column_tiles = (j->columns + j->tile_columns - 1) / j->tile_columns;
    j->down = transposed;
    j->fast_tiles = j->down ? row_tiles : column_tiles;
    j->slow_tiles = j->down ? column_tiles : row_tiles;
}

/* A stage holds a piece of a row, or a transposed tile; an output's with a mask the same once more,
 * converted. */
static void plan_stages(job *j) {
    int64_t spare = 0;
    for (int k = 0; k < j->operands; k++) {
        part *p = &j->parts[k];
        int64_t bytes = j->piece * p->loop_size;
        if (p->how == DIRECT) continue;
        if (p->how == TRANSPOSED) {
            bytes = j->tile_rows * j->tile_columns * p->loop_size;
            int64_t raw = j->tile_rows * j->tile_columns * p->size;
            if (p->convert && raw > spare) spare = raw;
        } else if (is_output(j, k) && j->call.masked) {
            bytes += j->piece * p->size;
        }
        p->stage = j->stage_bytes;
        j->stage_bytes += (bytes + 63) & ~INT64_C(63);
    }
    j->spare = j->stage_bytes;
    j->stage_bytes += spare;
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
    for (int k = 0; k < j->operands; k++) {
        tn_dtype stored = call->arguments[k].dtype, used = call->arguments[k].loop_dtype;
        part *p = &j->parts[k];
        bool output = is_output(j, k);
        if (stored != used && p->how != DIRECT)
            p->convert = tni_cast_find(output ? used : stored, output ? stored : used);
        if (output && call->masked) p->choose = tni_loop_find(TN_OP_WHERE, stored);
    }
    return TN_OK;
}

/* --- One tile --- */

/* The tile's position: addresses of all arguments at its first element. */
typedef struct tile {
    char *data[MAX_ARGUMENTS];
    int64_t rows, columns;
} tile;

/* Converts `count` columns of an input into its stage. */
static void load(const part *p, char *data, int64_t row, int64_t column, char *stage,
                 int64_t count) {
    char *from = data + row * p->row + column * p->column;
    p->convert((char *[]){from, stage}, (int64_t[]){p->column, p->loop_size}, count);
}

/* Moves `count` columns of output k out of its stage. */
static void store(const job *j, const tile *t, int k, int64_t row, int64_t column, char *stage,
                  int64_t count) {
    const part *p = &j->parts[k], *mask = &j->parts[j->operands];
    char *to = t->data[k] + row * p->row + column * p->column;
    if (p->how == STREAMED) {
        tni_stream_copy(to, stage, (size_t)(count * p->size));
    } else if (!j->call.masked) {
        p->convert((char *[]){stage, to}, (int64_t[]){p->loop_size, p->column}, count);
    } else {
        char *of_mask = t->data[j->operands] + row * mask->row + column * mask->column;
        char *from = stage;
        if (p->convert) {
            from = stage + j->piece * p->loop_size;
            p->convert((char *[]){stage, from}, (int64_t[]){p->loop_size, p->size}, count);
        }
        p->choose((char *[]){of_mask, from, to, to},
                  (int64_t[]){mask->column, p->size, p->column, p->column}, count);
    }
}

/* Transposes an input's tile into its stage, converted if need be. */
static void load_transposed(const job *j, const tile *t, int k, char *stages) {
    const part *p = &j->parts[k];
    char *stage = stages + p->stage, *raw = p->convert ? stages + j->spare : stage;
    tni_transpose_tile(raw, t->data[k], p->size, t->rows, t->columns, p->row, p->column);
    if (p->convert)
        p->convert((char *[]){raw, stage}, (int64_t[]){p->size, p->loop_size},
                   t->rows * t->columns);
}

/* --- Copies that need no loop --- */

/* `bytes` of one value, converted, each copy twice as long as the last. */
static void fill(char *to, char *value, tni_loop convert, int64_t size, int64_t bytes) {
    convert((char *[]){value, to}, (int64_t[]){0, size}, 1);
    for (int64_t done = size; done < bytes; done *= 2)
        memcpy(to + done, to, (size_t)(done < bytes - done ? done : bytes - done));
}

/* The source lies as the result does, or was transposed into a stage. */
static bool is_plain_copy(const job *j) {
    const part *from = &j->parts[0];
    return j->call.op == TNI_OP_COPY && j->parts[1].how == STREAMED && !j->fills && from->data &&
           !from->convert && j->call.arguments[0].dtype == j->call.arguments[1].dtype &&
           (from->how == TRANSPOSED || from->column == from->size);
}

static void copy_rows(const job *j, const tile *t, const char *from, int64_t from_row) {
    int64_t bytes = t->columns * j->parts[0].size;
    for (int64_t row = 0; row < t->rows; row++)
        tni_stream_copy(t->data[1] + row * j->parts[1].row, from + row * from_row, (size_t)bytes);
}

/* The row is one value: converted once, doubled until it is a piece, which is put down repeatedly. */
static void fill_rows(const job *j, const tile *t, char *stage) {
    const part *from = &j->parts[0], *to = &j->parts[1];
    const int64_t columns = t->columns;
    int64_t piece = (columns < j->piece ? columns : j->piece) * to->size;
    for (int64_t row = 0; row < t->rows; row++) {
        char *value = from->data ? t->data[0] + row * from->row
                                 : (char *)(uintptr_t)j->call.arguments[0].value;
        if (row == 0 || from->row != 0) fill(stage, value, j->loop, to->size, piece);
        char *at = t->data[1] + row * to->row;
        for (int64_t left = columns * to->size, bytes; left > 0; left -= bytes, at += bytes) {
            bytes = left < piece ? left : piece;
            if (j->streams)
                tni_stream_copy(at, stage, (size_t)bytes);
            else
                memcpy(at, stage, (size_t)bytes);
        }
    }
}

/* Where the loop finds each operand: at base + row * down + column * along. */
typedef struct places {
    char *base[MAX_ARGUMENTS];
    int64_t down[MAX_ARGUMENTS], along[MAX_ARGUMENTS], strides[MAX_ARGUMENTS];
} places;

static void find_places(places *p, const job *j, const tile *t, char *stages) {
    for (int k = 0; k < j->operands; k++) {
        const part *of = &j->parts[k];
        p->base[k] = stages + of->stage;
        p->strides[k] = of->loop_size;
        p->down[k] = p->along[k] = 0;
        if (!of->data) {
            p->base[k] = (char *)(uintptr_t)j->call.arguments[k].value;
            p->strides[k] = 0;
        } else if (of->how == DIRECT) {
            p->base[k] = t->data[k];
            p->down[k] = of->row;
            p->strides[k] = p->along[k] = of->column;
        } else if (of->how == TRANSPOSED) {
            load_transposed(j, t, k, stages);
            p->down[k] = t->columns * of->loop_size;
            p->along[k] = of->loop_size;
        } else if (!is_output(j, k) && of->column == 0) {
            p->strides[k] = 0;
        }
    }
}

/* Runs the loop over the tile, a piece of a row at a time. */
static void run_tile(const job *j, const tile *t, char *stages) {
    const int operands = j->operands;
    places p;
    find_places(&p, j, t, stages);
    if (j->fills || is_plain_copy(j)) {
        if (j->fills)
            fill_rows(j, t, p.base[1]);
        else
            copy_rows(j, t, p.base[0], p.down[0]);
        return;
    }
    for (int64_t row = 0; row < t->rows; row++) {
        char *at[MAX_ARGUMENTS];
        for (int k = 0; k < operands; k++)
            at[k] = p.base[k] + row * p.down[k];
        for (int64_t column = 0; column < t->columns; column += j->piece) {
            int64_t count = t->columns - column < j->piece ? t->columns - column : j->piece;
            for (int i = 0; i < j->loads; i++) {
                int k = j->load[i];
                bool constant = p.strides[k] == 0; /* converted once a row */
                if (!constant || column == 0)
                    load(&j->parts[k], t->data[k], row, column, at[k], constant ? 1 : count);
            }
            j->loop(at, p.strides, count);
            for (int i = 0; i < j->stores; i++)
                store(j, t, j->store[i], row, column, at[j->store[i]], count);
            for (int k = 0; k < operands; k++)
                at[k] += count * p.along[k];
        }
    }
}

/* --- All tiles --- */

/* Tiles begin to end: outer axes, then the slow and the fast direction of the two fastest axes. */
static void run_tiles(void *context, int64_t begin, int64_t end) {
    job *j = context;
    int64_t outer[TN_MAX_NDIM], left = begin;
    char *stages = NULL;
    if (j->staged) stages = tni_scratch(0, (size_t)j->stage_bytes);
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
        base[k] = j->parts[k].data;
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
                base[k] ? base[k] + row * j->parts[k].row + column * j->parts[k].column : NULL;
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
    if (j->streams) tni_stream_finish();
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
    bool copies = call->op == TNI_OP_COPY;
    tni_loop loop =
        copies ? tni_cast_find(call->arguments[0].loop_dtype, call->arguments[1].loop_dtype)
               : tni_loop_find(call->op, call->dtype);
    if (!loop) return false;
    int64_t size = tn_dtype_size(call->arguments[count - 1].dtype);
    if (copies && strides[0] == 0 && strides[1] == size && call->size > 16)
        fill(pointers[1], pointers[0], loop, size, call->size * size);
    else
        loop(pointers, strides, call->size);
    return true;
}

static tn_status work(void *params) {
    const tni_elementwise *call = params;
    int operands = call->input_count + call->output_count, count = operands + call->masked;
    if (run_small(call, count)) return TN_OK;
    job j;
    memcpy(&j.call, call,
           offsetof(tni_elementwise, arguments) + (size_t)count * sizeof *call->arguments);
    j.count = count;
    j.operands = operands;
    j.staged = j.streams = false;
    j.loads = j.stores = 0;
    j.stage_bytes = 0;
    atomic_init(&j.out_of_memory, false);
    lengthen_rows(&j.call, count);
    plan_parts(&j);
    TNI_TRY(find_loops(&j));
    plan_tiles(&j);
    plan_stages(&j);
    int64_t tiles = j.fast_tiles * j.slow_tiles;
    for (int axis = 0; axis < j.outer_ndim; axis++)
        tiles *= j.call.shape[axis];
    int64_t tile_elements = j.tile_rows * j.tile_columns;
    int64_t grain = SERIAL_ELEMENTS / tile_elements > 0 ? SERIAL_ELEMENTS / tile_elements : 1;
    if (j.call.size <= SERIAL_ELEMENTS)
        run_tiles(&j, 0, tiles);
    else
        tni_parallel(tiles, grain, run_tiles, &j);
    if (atomic_load(&j.out_of_memory)) return tni_fail_no_memory(j.stage_bytes);
    return TN_OK;
}

tn_status tni_host_elementwise(const tni_elementwise *call, tn_stream *stream) {
    if (stream->is_immediate) return work((void *)(uintptr_t)call);
    return tni_host_submit(stream, work, call, sizeof *call);
}
