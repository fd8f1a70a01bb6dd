/* The element-wise form on the host.
 *
 * Work is cut into tiles of rows (the last axis, the fastest of the output) and walked in memory order
 * by several threads. In each tile a loop of the table runs row by row. An argument is used where it
 * lies, or a piece of a row at a time in a small buffer of the thread, which stays in the L1 cache:
 *   - it is stored in another dtype: converted into (or out of) the stage;
 *   - it is an input that runs along another axis than the output (a transposed operand): a tile of
 *     several rows is transposed into the stage, so that every cache line is used whole;
 *   - it is the same in every row, and rows are short: repeated, so that they become one;
 *   - it is a large contiguous output: computed into the stage and written from there with stores that
 *     bypass the cache, which saves reading the lines first;
 *   - there is a mask: outputs are computed into the stage and moved where the mask says.
 * With nothing to stage, a piece is all of the tile's row. Elements that lie apart are brought together
 * on the way (steps.h), unless they are only moved. */
#include "backend/host/forms/steps.h"
#include "backend/host/forms/tiling.h"
#include "backend/host/scratch.h"
#include "backend/host/stream/stream.h"
#include "backend/host/table.h"
#include "backend/host/threads.h"
#include "core/array/array.h"

#include <stdatomic.h>
#include <string.h>

enum {
    SERIAL_ELEMENTS = 16384, /* below this, one thread */
    GRAIN_ELEMENTS = 4096
};

/* Elements are moved, not computed on. */
static bool is_move(const tni_elementwise *call) {
    return call->op == TNI_OP_COPY && call->arguments[0].dtype == call->arguments[1].dtype;
}

/* The answer is one for all elements, which the loop does not read. */
static bool is_blind(const tni_elementwise *call) {
    if (call->dtype >= TN_F16) return false;
    switch (call->op) {
    case TN_OP_ISFINITE:
    case TN_OP_ISINF:
    case TN_OP_ISNAN:
    case TN_OP_ISPOSINF:
    case TN_OP_ISNEGINF:
    case TN_OP_ISREAL:
    case TN_OP_ISCOMPLEX: return true;
    default: return false;
    }
}

/* --- One tile --- */

/* The tile's position: addresses of all arguments at its first element. */
typedef struct tile {
    char *data[TNI_MAX_ARGUMENTS];
    int64_t rows, columns;
} tile;

/* `count` elements, converted, then copies of what is there, each twice as long as the last, until
 * there are `bytes`. */
static void repeat(char *to, int64_t size, int64_t bytes, char *from, int64_t stride, int64_t count,
                   tni_loop convert) {
    convert((char *[]){from, to}, (int64_t[]){stride, size}, count);
    for (int64_t done = count * size; done < bytes; done *= 2)
        memcpy(to + done, to, (size_t)(done < bytes - done ? done : bytes - done));
}

/* Converts from one stride to another. */
static void convert(const tni_part *p, char *from, int64_t from_size, int64_t from_stride, char *to,
                    int64_t to_size, int64_t to_stride, int64_t count) {
    char *args[] = {from, to};
    int64_t strides[] = {from_stride, to_stride}, sizes[] = {from_size, to_size};
    if (tni_steps_are_apart(from_stride, from_size, 1, count) ||
        tni_steps_are_apart(to_stride, to_size, 1, count))
        tni_steps_run(p->convert, 1, 2, sizes, args, strides, count);
    else
        p->convert(args, strides, count);
}

/* Converts `count` columns of an input into its stage. */
static void load(const tni_part *p, char *data, int64_t row, int64_t column, char *stage,
                 int64_t count) {
    char *from = data + row * p->row + column * p->column;
    convert(p, from, p->size, p->column, stage, p->loop_size, p->loop_size, count);
}

/* Moves `count` columns of output k out of its stage. */
static void store(const tni_tiling *j, const tile *t, int k, int64_t row, int64_t column,
                  char *stage, int64_t count) {
    const tni_part *p = &j->parts[k], *mask = &j->parts[j->operands];
    char *to = t->data[k] + row * p->row + column * p->column;
    if (p->how == TNI_STREAMED) {
        tni_stream_copy(to, stage, (size_t)(count * p->size));
    } else if (!j->call.masked) {
        convert(p, stage, p->loop_size, p->loop_size, to, p->size, p->column, count);
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
static void load_transposed(const tni_tiling *j, const tile *t, int k, char *stages) {
    const tni_part *p = &j->parts[k];
    char *stage = stages + p->stage, *raw = p->convert ? stages + j->spare : stage;
    tni_transpose(&(tni_transposition){.to = raw,
                                       .from = t->data[k],
                                       .to_row = t->columns * p->size,
                                       .from_row = p->row,
                                       .from_column = p->column,
                                       .item_bytes = p->size,
                                       .rows = t->rows,
                                       .columns = t->columns});
    if (p->convert)
        p->convert((char *[]){raw, stage}, (int64_t[]){p->size, p->loop_size},
                   t->rows * t->columns);
}

/* --- Copies that need no loop --- */

/* The source lies as the result does, or was transposed into a stage. */
static bool is_plain_copy(const tni_tiling *j) {
    const tni_part *from = &j->parts[0];
    return j->call.op == TNI_OP_COPY && j->parts[1].how == TNI_STREAMED && !j->fills &&
           from->data && !from->convert &&
           j->call.arguments[0].dtype == j->call.arguments[1].dtype &&
           (from->how == TNI_TRANSPOSED || from->column == from->size);
}

static void turn_tile(const tni_tiling *j, const tile *t) {
    const tni_part *from = &j->parts[0], *to = &j->parts[1];
    tni_transpose(&(tni_transposition){.to = t->data[1],
                                       .from = t->data[0],
                                       .to_row = to->row,
                                       .from_row = from->row,
                                       .from_column = from->column,
                                       .item_bytes = to->size,
                                       .rows = t->rows,
                                       .columns = t->columns,
                                       .streams = j->streams});
}

static void copy_rows(const tni_tiling *j, const tile *t, const char *from, int64_t from_row) {
    int64_t bytes = t->columns * j->parts[0].size, rows = t->rows;
    if (j->parts[1].row == bytes && from_row == bytes) { /* one run */
        bytes *= rows;
        rows = 1;
    }
    for (int64_t row = 0; row < rows; row++)
        tni_stream_copy(t->data[1] + row * j->parts[1].row, from + row * from_row, (size_t)bytes);
}

/* The row is one value: converted once. A value of all rows is doubled until it is a piece, which is put
 * down repeatedly; so is one of a row that bypasses the caches. */
static void fill_rows(const tni_tiling *j, const tile *t, char *stage) {
    const tni_part *from = &j->parts[0], *to = &j->parts[1];
    const int64_t columns = t->columns;
    int64_t piece = (columns < j->piece ? columns : j->piece) * to->size;
    for (int64_t row = 0; row < t->rows; row++) {
        char *value = from->data ? t->data[0] + row * from->row
                                 : (char *)(uintptr_t)j->call.arguments[0].value;
        if (from->row != 0 && !j->streams) {
            j->loop((char *[]){value, stage}, (int64_t[]){0, to->size}, 1);
            to->convert((char *[]){stage, t->data[1] + row * to->row}, (int64_t[]){0, to->size},
                        columns);
            continue;
        }
        if (row == 0 || from->row != 0) repeat(stage, to->size, piece, value, 0, 1, j->loop);
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
    char *base[TNI_MAX_ARGUMENTS];
    int64_t down[TNI_MAX_ARGUMENTS], along[TNI_MAX_ARGUMENTS], strides[TNI_MAX_ARGUMENTS];
    int64_t sizes[TNI_MAX_ARGUMENTS];
    bool are_apart;
} places;

static void find_places(places *p, const tni_tiling *j, const tile *t, char *stages) {
    p->are_apart = false;
    for (int k = 0; k < j->operands; k++) {
        const tni_part *of = &j->parts[k];
        p->base[k] = stages + of->stage;
        p->strides[k] = of->loop_size;
        p->down[k] = p->along[k] = 0;
        if (!of->data) {
            p->base[k] = (char *)(uintptr_t)j->call.arguments[k].value;
            p->strides[k] = 0;
        } else if (of->how == TNI_DIRECT) {
            p->base[k] = t->data[k];
            p->down[k] = of->row;
            p->strides[k] = p->along[k] = of->column;
        } else if (of->how == TNI_TRANSPOSED) {
            load_transposed(j, t, k, stages);
            p->down[k] = t->columns * of->loop_size;
            p->along[k] = of->loop_size;
        } else if (of->how == TNI_REPEATED) {
            int64_t bytes = j->piece * of->loop_size;
            if (bytes > t->columns * t->rows * of->loop_size)
                bytes = t->columns * t->rows * of->loop_size;
            repeat(p->base[k], of->loop_size, bytes, t->data[k], of->column, t->columns,
                   of->convert);
        } else if (!tni_tiling_is_output(j, k) && of->column == 0) {
            p->strides[k] = 0;
        }
        p->sizes[k] = of->loop_size;
        if (is_blind(&j->call)) p->strides[0] = 0;
        p->are_apart |=
            tni_steps_are_apart(p->strides[k], of->loop_size, j->call.input_count, j->columns);
    }
    p->are_apart &= !is_move(&j->call);
}

/* Runs the loop over the tile, a piece of a row at a time. */
static void run_tile(const tni_tiling *j, const tile *t, char *stages) {
    const int operands = j->operands;
    places p;
    if (j->turns) {
        turn_tile(j, t);
        return;
    }
    find_places(&p, j, t, stages);
    if (j->fills || is_plain_copy(j)) {
        if (j->fills)
            fill_rows(j, t, p.base[1]);
        else
            copy_rows(j, t, p.base[0], p.down[0]);
        return;
    }
    int64_t rows = j->joins ? 1 : t->rows, columns = j->joins ? t->rows * t->columns : t->columns;
    for (int64_t row = 0; row < rows; row++) {
        char *at[TNI_MAX_ARGUMENTS];
        for (int k = 0; k < operands; k++)
            at[k] = p.base[k] + row * p.down[k];
        for (int64_t column = 0; column < columns; column += j->piece) {
            int64_t count = columns - column < j->piece ? columns - column : j->piece;
            for (int i = 0; i < j->loads; i++) {
                int k = j->load[i];
                bool constant = p.strides[k] == 0; /* converted once a row */
                if (!constant || column == 0)
                    load(&j->parts[k], t->data[k], row, column, at[k], constant ? 1 : count);
            }
            if (p.are_apart)
                tni_steps_run(j->loop, j->call.input_count, operands, p.sizes, at, p.strides,
                              count);
            else
                j->loop(at, p.strides, count);
            for (int i = 0; i < j->stores; i++)
                store(j, t, j->store[i], row, column, at[j->store[i]], count);
            for (int k = 0; k < operands; k++)
                at[k] += count * p.along[k];
        }
    }
}

/* --- All tiles --- */

typedef struct job {
    tni_tiling tiling;
    atomic_bool out_of_memory; /* a thread found none for its stages */
} job;

/* Tiles begin to end: outer axes, then tiles down and along the rows. */
static void run_tiles(void *context, int64_t begin, int64_t end) {
    job *job = context;
    const tni_tiling *j = &job->tiling;
    int64_t outer[TN_MAX_NDIM], left = begin;
    char *stages = NULL;
    if (j->staged) stages = tni_scratch(0, (size_t)j->stage_bytes);
    if (j->staged && !stages) {
        atomic_store(&job->out_of_memory, true);
        return;
    }
    tile t;
    int64_t column_tile = left % j->column_tiles;
    left /= j->column_tiles;
    int64_t row_tile = left % j->row_tiles;
    left /= j->row_tiles;
    char *base[TNI_MAX_ARGUMENTS];
    for (int k = 0; k < j->count; k++)
        base[k] = j->parts[k].data;
    for (int axis = j->outer_ndim - 1; axis >= 0; axis--) {
        outer[axis] = left % j->call.shape[axis];
        left /= j->call.shape[axis];
        for (int k = 0; k < j->count; k++)
            if (base[k]) base[k] += outer[axis] * j->call.arguments[k].strides[axis];
    }
    for (int64_t at = begin, run; at < end; at += run) {
        int64_t row = row_tile * j->tile_rows, column = column_tile * j->tile_columns;
        run = j->column_tiles - column_tile < end - at ? j->column_tiles - column_tile : end - at;
        if (!j->merges) run = 1;
        t.rows = j->rows - row < j->tile_rows ? j->rows - row : j->tile_rows;
        t.columns = run * j->tile_columns;
        if (t.columns > j->columns - column) t.columns = j->columns - column;
        for (int k = 0; k < j->count; k++)
            t.data[k] =
                base[k] ? base[k] + row * j->parts[k].row + column * j->parts[k].column : NULL;
        run_tile(j, &t, stages);
        column_tile += run;
        if (column_tile < j->column_tiles) continue;
        column_tile = 0;
        if (++row_tile < j->row_tiles) continue;
        row_tile = 0;
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

/* The loop over one row, its elements brought together where they lie apart. */
static void run_row(tni_loop loop, const tni_elementwise *call, int count, char **pointers,
                    int64_t *strides) {
    int64_t sizes[TNI_MAX_ARGUMENTS];
    bool are_apart = false;
    for (int k = 0; k < count; k++) {
        sizes[k] = tni_dtype_size(call->arguments[k].dtype);
        are_apart |= tni_steps_are_apart(strides[k], sizes[k], call->input_count, call->size);
    }
    if (are_apart && !is_move(call) && !is_blind(call))
        tni_steps_run(loop, call->input_count, count, sizes, pointers, strides, call->size);
    else
        loop(pointers, strides, call->size);
}

/* One row, nothing staged: the loop at once. */
static bool run_small(const tni_elementwise *call, int count) {
    if (call->ndim > 1 || call->masked || call->size > SERIAL_ELEMENTS) return false;
    char *pointers[TNI_MAX_ARGUMENTS];
    int64_t strides[TNI_MAX_ARGUMENTS];
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
    int64_t size = tni_dtype_size(call->arguments[count - 1].dtype);
    if (copies && strides[0] == 0 && strides[1] == size && call->size > 16)
        repeat(pointers[1], size, call->size * size, pointers[0], 0, 1, loop);
    else if (call->size < TNI_STEPS_LEAST)
        loop(pointers, strides, call->size);
    else
        run_row(loop, call, count, pointers, strides);
    return true;
}

static tn_status work(void *params) {
    const tni_elementwise *call = params;
    if (run_small(call, call->input_count + call->output_count)) return TN_OK;
    job j;
    atomic_init(&j.out_of_memory, false);
    TNI_TRY(tni_tiling_make(&j.tiling, call));
    const tni_tiling *t = &j.tiling;
    int64_t grain = GRAIN_ELEMENTS / (t->tile_rows * t->tile_columns);
    if (call->size <= SERIAL_ELEMENTS)
        run_tiles(&j, 0, t->tiles);
    else
        tni_parallel_short(t->tiles, grain, run_tiles, &j);
    if (atomic_load(&j.out_of_memory)) return tni_fail_no_memory(t->stage_bytes);
    return TN_OK;
}

tn_status tni_host_elementwise(const tni_elementwise *call, tn_stream *stream) {
    if (stream->is_immediate) return work((void *)(uintptr_t)call);
    return tni_host_submit_sized(stream, work, call, sizeof *call, call->size);
}
