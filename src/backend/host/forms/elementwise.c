/* The element-wise form on the host.
 *
 * Work is cut into tiles of rows (the last axis, the fastest of the output) and walked in memory
 * order by several threads. In each tile a loop of the table runs row by row. An argument is used
 * where it lies, or a piece of a row at a time in a small buffer of the thread, which stays in the
 * L1 cache:
 *   - it is stored in another dtype: converted into (or out of) the stage;
 *   - its elements lie at any address: moved into (or out of) the stage;
 *   - it is an input that runs along another axis than the output (a transposed operand): a tile of
 *     several rows is transposed into the stage, so that every cache line is used whole;
 *   - it is the same in every row, and rows are short: repeated, so that they become one;
 *   - it is a large contiguous output: computed into the stage and written from there with stores
 *     that bypass the cache, which saves reading the lines first;
 *   - there is a mask: outputs are computed into the stage and moved where the mask says.
 * With nothing to stage, a piece is all of the tile's row. Elements that lie apart are brought
 * together on the way (steps.h), unless they are only moved. Copies whose rows are short go in
 * boxes instead (short_rows.c). */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/short_rows.h"
#include "backend/host/forms/steps.h"
#include "backend/host/forms/tile.h"
#include "backend/host/scratch.h"
#include "backend/host/table.h"
#include "backend/host/threads.h"
#include "core/array/array.h"

#include <stdatomic.h>
#include <string.h>

enum {
    SERIAL_ELEMENTS = 16384, /* below this, one thread */
    GRAIN_ELEMENTS = 4096
};

/* --- All tiles --- */

typedef struct job {
    tni_tiling tiling;
    atomic_bool out_of_memory; /* a thread found none for its stages */
} job;

/* Tiles begin to end: outer axes, then tiles down and along the rows. */
static void run_tiles(void *context, int64_t begin, int64_t end) {
    job *job = context;
    const tni_tiling *tiling = &job->tiling;
    int64_t outer[TN_MAX_NDIM], left = begin;
    char *stages = NULL;
    if (tiling->is_staged) stages = tni_scratch(0, (size_t)tiling->stage_bytes);
    if (tiling->is_staged && !stages) {
        atomic_store(&job->out_of_memory, true);
        return;
    }
    tni_tile t;
    int64_t column_tile = left % tiling->column_tiles;
    left /= tiling->column_tiles;
    int64_t row_tile = left % tiling->row_tiles;
    left /= tiling->row_tiles;
    char *base[TNI_MAX_ARGUMENTS];
    for (int k = 0; k < tiling->count; k++)
        base[k] = tiling->parts[k].data;
    for (int axis = tiling->outer_ndim - 1; axis >= 0; axis--) {
        outer[axis] = left % tiling->call.shape[axis];
        left /= tiling->call.shape[axis];
        for (int k = 0; k < tiling->count; k++)
            if (base[k]) base[k] += outer[axis] * tiling->call.arguments[k].strides[axis];
    }
    for (int64_t at = begin, run; at < end; at += run) {
        int64_t row = row_tile * tiling->tile_rows, column = column_tile * tiling->tile_columns;
        run = tiling->column_tiles - column_tile < end - at ? tiling->column_tiles - column_tile
                                                            : end - at;
        if (!tiling->merges_tiles) run = 1;
        t.rows = tiling->rows - row < tiling->tile_rows ? tiling->rows - row : tiling->tile_rows;
        t.columns = run * tiling->tile_columns;
        if (t.columns > tiling->columns - column) t.columns = tiling->columns - column;
        for (int k = 0; k < tiling->count; k++)
            t.data[k] =
                base[k] ? base[k] + row * tiling->parts[k].row + column * tiling->parts[k].column
                        : NULL;
        tni_tile_run(tiling, &t, stages);
        column_tile += run;
        if (column_tile < tiling->column_tiles) continue;
        column_tile = 0;
        if (++row_tile < tiling->row_tiles) continue;
        row_tile = 0;
        for (int axis = tiling->outer_ndim - 1; axis >= 0; axis--) {
            bool carry = ++outer[axis] == tiling->call.shape[axis];
            int64_t steps = carry ? 1 - tiling->call.shape[axis] : 1;
            for (int k = 0; k < tiling->count; k++)
                if (base[k]) base[k] += steps * tiling->call.arguments[k].strides[axis];
            if (!carry) break;
            outer[axis] = 0;
        }
    }
    if (tiling->bypasses_cache) tni_stream_finish();
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
    if (are_apart && !tni_call_is_move(call) && !tni_call_is_blind(call))
        tni_steps_run(loop, call->input_count, count, sizes, pointers, strides, call->size);
    else
        loop(pointers, strides, call->size);
}

/* One row, nothing staged: the loop at once. */
static bool run_small(const tni_elementwise *call, int count) {
    if (call->ndim > 1 || call->masked || call->is_unaligned || call->size > SERIAL_ELEMENTS)
        return false;
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
        tni_tile_repeat(pointers[1], size, call->size * size, pointers[0], 0, 1, loop);
    else if (call->size < TNI_STEPS_LEAST)
        loop(pointers, strides, call->size);
    else
        run_row(loop, call, count, pointers, strides);
    return true;
}

tn_status tni_host_run_elementwise(void *params) {
    const tni_elementwise *call = params;
    if (run_small(call, call->input_count + call->output_count)) return TN_OK;
    bool is_done;
    TNI_TRY(tni_short_rows_copy(call, &is_done));
    if (is_done) return TN_OK;
    job job;
    atomic_init(&job.out_of_memory, false);
    TNI_TRY(tni_tiling_make(&job.tiling, call));
    const tni_tiling *t = &job.tiling;
    int64_t grain = GRAIN_ELEMENTS / (t->tile_rows * t->tile_columns);
    if (call->size <= SERIAL_ELEMENTS)
        run_tiles(&job, 0, t->tiles);
    else
        tni_parallel_short(t->tiles, grain, run_tiles, &job);
    if (atomic_load(&job.out_of_memory)) return tni_fail_no_memory(t->stage_bytes);
    return TN_OK;
}

TNI_HOST_PLAN(elementwise, call->size)
