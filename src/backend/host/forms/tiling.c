/* Decides how tiles are cut and which arguments go through stages (elementwise.c says why).
 *
 * First the axes: short rows become one where all arguments allow that; else the two fastest axes are
 * chosen, the last for the rows. Then each argument, the size of a tile and of a stage. */
#include "backend/host/forms/tiling.h"

#include "core/base/error.h"

#include <stddef.h>
#include <string.h>

enum {
    ROW_ELEMENTS = 4096,       /* of a tile of one row */
    ROWS_ELEMENTS = 4096,      /* about those of a tile of several */
    STAGE_BYTES = 2048,        /* of a piece of a row that goes through stages */
    RUN_BYTES = 512,           /* of rows that are worth stores past the caches */
    TRANSPOSE_ROW_BYTES = 256, /* of a tile with a transposed operand, along the source */
    TRANSPOSE_COLUMN_BYTES = 1024,
    TURN_ROW_BYTES = 2048, /* the same of one that is transposed into its place */
    TURN_COLUMNS = 64,
    TURN_BYTES = 1 << 20, /* such results bypass the caches from here on */
    LINE_BYTES = 64
};

static bool is_transposed(const tni_tiling *j, int k) {
    if (j->call.ndim < 2 || tni_tiling_is_output(j, k)) return false;
    int64_t inner = j->parts[k].column, outer = j->parts[k].row;
    if (inner < 0) inner = -inner;
    if (outer < 0) outer = -outer;
    return outer != 0 && outer < inner && inner >= 64 && j->rows >= 8 && j->columns >= 8;
}

/* Whether results bypass the caches: they and what is read are more than these hold. */
static bool is_large(const tni_tiling *j) {
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
static bool is_fill(const tni_tiling *j) {
    return j->call.op == TNI_OP_COPY && (!j->parts[0].data || j->parts[0].column == 0);
}

static bool is_copy_of(const tni_tiling *j, tni_way how) {
    return j->call.op == TNI_OP_COPY && j->parts[0].how == how;
}

static tni_way decide(const tni_tiling *j, int k, bool is_large) {
    const tni_argument *argument = &j->call.arguments[k];
    const tni_part *p = &j->parts[k];
    if (!p->data || k == j->operands) return TNI_DIRECT;
    if (j->joins && p->row == 0 && p->column != 0) return TNI_REPEATED;
    if (is_transposed(j, k)) return TNI_TRANSPOSED;
    if (argument->dtype != argument->loop_dtype && j->call.op != TNI_OP_COPY) return TNI_CONVERTED;
    if (!tni_tiling_is_output(j, k)) return TNI_DIRECT;
    if (j->call.masked) return TNI_CONVERTED;
    bool is_run = j->joins || j->columns * p->size >= RUN_BYTES ||
                  (is_copy_of(j, TNI_TRANSPOSED) && p->row == j->columns * p->size);
    return p->column == p->size && (is_large ? is_run : is_fill(j)) ? TNI_STREAMED : TNI_DIRECT;
}

static void exchange(int64_t *values, int i, int j) {
    int64_t value = values[i];
    values[i] = values[j];
    values[j] = value;
}

static void exchange_axes(tni_elementwise *call, int count, int i, int j) {
    exchange(call->shape, i, j);
    for (int k = 0; k < count; k++)
        exchange(call->arguments[k].strides, i, j);
}

/* Whether short rows can be one: each argument goes on from one to the next, or begins again. */
static bool can_join(const tni_elementwise *call, int count) {
    int last = call->ndim - 1;
    int64_t widest = 1;
    if (last < 1 || call->masked || call->op == TNI_OP_COPY) return false;
    for (int k = 0; k < count; k++) {
        const tni_argument *argument = &call->arguments[k];
        int64_t size = tn_dtype_size(argument->dtype), used = tn_dtype_size(argument->loop_dtype);
        int64_t column = argument->strides[last], row = argument->strides[last - 1];
        if (used > widest) widest = used;
        if (size > widest) widest = size;
        if (!argument->data || (row == 0 && k < call->input_count)) continue;
        if (column != size || row != size * call->shape[last]) return false;
    }
    return call->shape[last] * widest <= STAGE_BYTES / 2;
}

/* Chooses the two fastest axes. A short last axis makes short rows: the longer of the two is the row.
 * The other is one along which an input lies in memory, if it does not along the row. */
static void choose_axes(tni_elementwise *call, int count) {
    int last = call->ndim - 1;
    if (last < 1) return;
    if (call->shape[last] < 16 && call->shape[last - 1] >= 4 * call->shape[last])
        exchange_axes(call, count, last, last - 1);
    for (int k = 0; k < call->input_count; k++) {
        const tni_argument *input = &call->arguments[k];
        int64_t size = tn_dtype_size(input->dtype);
        if (!input->data || input->strides[last] == size || input->strides[last - 1] == size)
            continue;
        for (int axis = last - 2; axis >= 0; axis--)
            if (input->strides[axis] == size && call->shape[axis] >= 8) {
                exchange_axes(call, count, axis, last - 1);
                return;
            }
    }
}

/* Whether the copy of a transposed array can put its blocks where they belong at once. Large results
 * must bypass the caches, for their lines are far apart; so they must begin on lines. */
static bool is_turn(const tni_tiling *j) {
    const tni_elementwise *call = &j->call;
    const tni_part *from = &j->parts[0], *to = &j->parts[1];
    if (call->op != TNI_OP_COPY || call->masked || from->how != TNI_TRANSPOSED) return false;
    if (call->arguments[0].dtype != call->arguments[1].dtype) return false;
    if (from->row != from->size || to->column != to->size) return false;
    if (call->size * to->size < TURN_BYTES) return true;
    uint64_t places = (uint64_t)(uintptr_t)to->data;
    for (int axis = 0; axis < call->ndim - 1; axis++)
        places |= (uint64_t)call->arguments[1].strides[axis];
    return to->size >= 4 && places % LINE_BYTES == 0;
}

/* What the arguments are, and how each is reached. */
static void plan_parts(tni_tiling *j) {
    const tni_elementwise *call = &j->call;
    int last = call->ndim - 1;
    j->columns = last >= 0 ? call->shape[last] : 1;
    j->rows = last >= 1 ? call->shape[last - 1] : 1;
    j->outer_ndim = last >= 1 ? last - 1 : 0;
    for (int k = 0; k < j->count; k++) {
        const tni_argument *argument = &call->arguments[k];
        j->parts[k] = (tni_part){.data = argument->data,
                                 .row = last >= 1 ? argument->strides[last - 1] : 0,
                                 .column = last >= 0 ? argument->strides[last] : 0,
                                 .size = tn_dtype_size(argument->dtype),
                                 .loop_size = tn_dtype_size(argument->loop_dtype)};
    }
    bool large = is_large(j);
    j->fills = false;
    for (int k = 0; k < j->count; k++) {
        tni_part *p = &j->parts[k];
        p->how = decide(j, k, large);
        j->staged |= p->how != TNI_DIRECT;
        j->streams |= p->how == TNI_STREAMED && large;
        j->fills |= p->how == TNI_STREAMED && is_fill(j);
        if (p->how == TNI_CONVERTED && !tni_tiling_is_output(j, k)) j->load[j->loads++] = k;
        if (p->how != TNI_DIRECT && tni_tiling_is_output(j, k)) j->store[j->stores++] = k;
    }
    j->turns = is_turn(j);
    if (!j->turns) return;
    j->staged = false;
    j->streams = j->call.size * j->parts[1].size >= TURN_BYTES;
    j->parts[0].how = j->parts[1].how = TNI_DIRECT;
}

static void plan_tiles(tni_tiling *j) {
    int64_t widest = 1, narrowest = 0;
    for (int k = 0; k < j->operands; k++) {
        const tni_part *p = &j->parts[k];
        if (p->how == TNI_TRANSPOSED && (!narrowest || p->size < narrowest)) narrowest = p->size;
        if (p->size > widest) widest = p->size;
        if (p->loop_size > widest) widest = p->loop_size;
    }
    bool transposed = narrowest != 0;
    j->tile_columns = j->turns     ? TURN_COLUMNS
                      : transposed ? TRANSPOSE_COLUMN_BYTES / widest
                                   : ROW_ELEMENTS;
    if (j->tile_columns > j->columns) j->tile_columns = j->columns;
    j->tile_rows = j->turns     ? TURN_ROW_BYTES / widest
                   : transposed ? TRANSPOSE_ROW_BYTES / narrowest
                                : (ROWS_ELEMENTS - 1) / (j->tile_columns + 1) + 1;
    if (j->tile_rows > j->rows) j->tile_rows = j->rows;
    j->piece = !j->staged ? j->columns : transposed ? j->tile_columns : STAGE_BYTES / widest;
    if (j->joins) j->piece = STAGE_BYTES / widest / j->columns * j->columns;
    j->merges = !transposed && !j->turns;
    j->row_tiles = (j->rows + j->tile_rows - 1) / j->tile_rows;
    j->column_tiles = (j->columns + j->tile_columns - 1) / j->tile_columns;
}

/* A stage holds a piece of a row, or a transposed tile; an output's with a mask the same once more,
 * converted. */
static void plan_stages(tni_tiling *j) {
    int64_t spare = 0;
    for (int k = 0; k < j->operands; k++) {
        tni_part *p = &j->parts[k];
        int64_t bytes = j->piece * p->loop_size;
        if (p->how == TNI_DIRECT) continue;
        if (p->how == TNI_TRANSPOSED) {
            bytes = j->tile_rows * j->tile_columns * p->loop_size;
            int64_t raw = j->tile_rows * j->tile_columns * p->size;
            if (p->convert && raw > spare) spare = raw;
        } else if (tni_tiling_is_output(j, k) && j->call.masked) {
            bytes += j->piece * p->size;
        }
        p->stage = j->stage_bytes;
        j->stage_bytes += (bytes + 63) & ~INT64_C(63);
    }
    j->spare = j->stage_bytes;
    j->stage_bytes += spare;
}

static tn_status find_loops(tni_tiling *j) {
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
        tni_part *p = &j->parts[k];
        bool output = tni_tiling_is_output(j, k);
        if ((stored != used && p->how != TNI_DIRECT) || p->how == TNI_REPEATED)
            p->convert = tni_cast_find(output ? used : stored, output ? stored : used);
        if (output && j->fills) p->convert = tni_cast_find(stored, stored); /* spreads the value */
        if (output && call->masked) p->choose = tni_loop_find(TN_OP_WHERE, stored);
    }
    return TN_OK;
}

tn_status tni_tiling_make(tni_tiling *j, const tni_elementwise *call) {
    j->operands = call->input_count + call->output_count;
    j->count = j->operands + call->masked;
    memcpy(&j->call, call,
           offsetof(tni_elementwise, arguments) + (size_t)j->count * sizeof *call->arguments);
    j->staged = j->streams = false;
    j->loads = j->stores = 0;
    j->stage_bytes = 0;
    j->joins = can_join(&j->call, j->count);
    if (!j->joins) choose_axes(&j->call, j->count);
    plan_parts(j);
    TNI_TRY(find_loops(j));
    plan_tiles(j);
    plan_stages(j);
    j->tiles = j->row_tiles * j->column_tiles;
    for (int axis = 0; axis < j->outer_ndim; axis++)
        j->tiles *= j->call.shape[axis];
    return TN_OK;
}
