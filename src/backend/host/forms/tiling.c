/* Decides how tiles are cut and which arguments go through stages (elementwise.c says why).
 *
 * First the axes: short rows become one where all arguments allow that; else the two fastest axes
 * are chosen, the last for the rows. Then each argument, the size of a tile and of a stage. */
#include "backend/host/forms/tiling.h"

#include "core/base/error.h"

#include <stddef.h>
#include <stdlib.h>
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
    LONG_ROW = 16,        /* elements of a row that needs no longer one */
    LINE_BYTES = 64
};

bool tni_call_is_move(const tni_elementwise *call) {
    return call->op == TNI_OP_COPY && call->arguments[0].dtype == call->arguments[1].dtype;
}

bool tni_call_is_blind(const tni_elementwise *call) {
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

static bool is_transposed(const tni_tiling *tiling, int k) {
    if (tiling->call.ndim < 2 || tni_tiling_is_output(tiling, k)) return false;
    int64_t inner = tiling->parts[k].column, outer = tiling->parts[k].row;
    if (inner < 0) inner = -inner;
    if (outer < 0) outer = -outer;
    return outer != 0 && outer < inner && inner >= 64 && tiling->rows >= 8 && tiling->columns >= 8;
}

/* Whether results bypass the caches: they and what is read are more than these hold. */
static bool is_large(const tni_tiling *tiling) {
    int64_t bytes = 0;
    for (int k = 0; k < tiling->operands; k++) {
        int64_t elements = tiling->parts[k].data ? 1 : 0;
        for (int axis = 0; axis < tiling->call.ndim; axis++)
            if (tiling->call.arguments[k].strides[axis] != 0) elements *= tiling->call.shape[axis];
        bytes += elements * tiling->parts[k].size;
    }
    return bytes >= TNI_STREAM_BYTES;
}

/* Whether every row of the result is one value, written many times. */
static bool is_fill(const tni_tiling *tiling) {
    const tni_part *from = &tiling->parts[0];
    return tiling->call.op == TNI_OP_COPY && !from->is_unaligned &&
           (!from->data || from->column == 0);
}

static bool is_copy_of(const tni_tiling *tiling, tni_way how) {
    return tiling->call.op == TNI_OP_COPY && tiling->parts[0].how == how;
}

static tni_way decide(const tni_tiling *tiling, int k, bool is_large) {
    const tni_argument *argument = &tiling->call.arguments[k];
    const tni_part *p = &tiling->parts[k];
    if (!p->data || k == tiling->operands) return TNI_DIRECT;
    if (tiling->merges_rows && p->row == 0 && p->column != 0) return TNI_REPEATED;
    if (is_transposed(tiling, k)) return TNI_TRANSPOSED;
    if (argument->dtype != argument->loop_dtype && tiling->call.op != TNI_OP_COPY)
        return TNI_CONVERTED;
    tni_way as_it_lies = p->is_unaligned ? TNI_CONVERTED : TNI_DIRECT;
    if (!tni_tiling_is_output(tiling, k)) return as_it_lies;
    if (tiling->call.masked) return TNI_CONVERTED;
    bool is_run = tiling->merges_rows || tiling->columns * p->size >= RUN_BYTES ||
                  (is_copy_of(tiling, TNI_TRANSPOSED) && p->row == tiling->columns * p->size);
    return p->column == p->size && (is_large ? is_run : is_fill(tiling)) ? TNI_STREAMED
                                                                         : as_it_lies;
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
    if (last < 1 || call->masked || call->is_unaligned || call->op == TNI_OP_COPY) return false;
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

/* Exchanges the last axis for the one along which the results lie in memory: blocks of transposed
 * inputs are faster than results whose elements lie far apart. */
static void follow_results(tni_elementwise *call, int count) {
    const int last = call->ndim - 1, first = call->input_count;
    const int64_t *steps = call->arguments[first].strides;
    const int64_t size = tn_dtype_size(call->arguments[first].dtype);
    if (call->output_count == 0 || llabs(steps[last]) <= size) return;
    int axis = last - 1;
    while (axis >= 0 && (steps[axis] != size || call->shape[axis] < LONG_ROW))
        axis--;
    for (int k = first + 1; axis >= 0 && k < first + call->output_count; k++)
        if (call->arguments[k].strides[axis] != tn_dtype_size(call->arguments[k].dtype)) return;
    if (axis >= 0) exchange_axes(call, count, axis, last);
}

/* Chooses the two fastest axes. A short last axis makes short rows: the longer of the two is the
 * row. The other is one along which an input lies in memory, if it does not along the row. */
static void choose_axes(tni_elementwise *call, int count) {
    int last = call->ndim - 1;
    if (last < 1) return;
    follow_results(call, count);
    if (call->shape[last] < LONG_ROW && call->shape[last - 1] >= 4 * call->shape[last])
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

/* Whether the copy of a transposed array can put its blocks where they belong at once. Large
 * results must bypass the caches, for their lines are far apart; so they must begin on lines. */
static bool is_turn(const tni_tiling *tiling) {
    const tni_elementwise *call = &tiling->call;
    const tni_part *from = &tiling->parts[0], *to = &tiling->parts[1];
    if (call->op != TNI_OP_COPY || call->masked || from->how != TNI_TRANSPOSED) return false;
    if (call->arguments[0].dtype != call->arguments[1].dtype) return false;
    if (llabs(from->row) != from->size || to->column != to->size) return false;
    if (call->size * to->size < TURN_BYTES) return true;
    uint64_t places = (uint64_t)(uintptr_t)to->data;
    for (int axis = 0; axis < call->ndim - 1; axis++)
        places |= (uint64_t)call->arguments[1].strides[axis];
    return to->size >= 4 && places % LINE_BYTES == 0;
}

/* Whether an argument's elements lie elsewhere than at multiples of their size, or of a complex
 * one's part. */
static bool is_unaligned(const tni_elementwise *call, const tni_argument *argument) {
    bool is_complex = tn_dtype_kind(argument->dtype) == TN_KIND_COMPLEX;
    uint64_t places = (uint64_t)(uintptr_t)argument->data;
    for (int axis = 0; axis < call->ndim; axis++)
        places |= (uint64_t)argument->strides[axis];
    return places & (uint64_t)((tn_dtype_size(argument->dtype) >> is_complex) - 1);
}

/* What the arguments are, and how each is reached. */
static void decide_parts(tni_tiling *tiling) {
    const tni_elementwise *call = &tiling->call;
    int last = call->ndim - 1;
    tiling->columns = last >= 0 ? call->shape[last] : 1;
    tiling->rows = last >= 1 ? call->shape[last - 1] : 1;
    tiling->outer_ndim = last >= 1 ? last - 1 : 0;
    for (int k = 0; k < tiling->count; k++) {
        const tni_argument *argument = &call->arguments[k];
        tiling->parts[k] = (tni_part){.data = argument->data,
                                      .row = last >= 1 ? argument->strides[last - 1] : 0,
                                      .column = last >= 0 ? argument->strides[last] : 0,
                                      .size = tn_dtype_size(argument->dtype),
                                      .loop_size = tn_dtype_size(argument->loop_dtype)};
    }
    for (int k = 0; call->is_unaligned && k < tiling->operands; k++)
        tiling->parts[k].is_unaligned = is_unaligned(call, &call->arguments[k]);
    bool large = is_large(tiling);
    tiling->repeats_value = false;
    for (int k = 0; k < tiling->count; k++) {
        tni_part *p = &tiling->parts[k];
        p->how = decide(tiling, k, large);
        tiling->is_staged |= p->how != TNI_DIRECT;
        tiling->bypasses_cache |= p->how == TNI_STREAMED && large;
        tiling->repeats_value |= p->how == TNI_STREAMED && is_fill(tiling);
        if (p->how == TNI_CONVERTED && !tni_tiling_is_output(tiling, k))
            tiling->load[tiling->loads++] = k;
        if (p->how != TNI_DIRECT && tni_tiling_is_output(tiling, k))
            tiling->store[tiling->stores++] = k;
    }
    tiling->transposes_in_place = is_turn(tiling);
    if (!tiling->transposes_in_place) return;
    tiling->is_staged = false;
    tiling->bypasses_cache = tiling->call.size * tiling->parts[1].size >= TURN_BYTES;
    tiling->parts[0].how = tiling->parts[1].how = TNI_DIRECT;
}

static void decide_tiles(tni_tiling *tiling) {
    int64_t widest = 1, narrowest = 0;
    for (int k = 0; k < tiling->operands; k++) {
        const tni_part *p = &tiling->parts[k];
        if (p->how == TNI_TRANSPOSED && (!narrowest || p->size < narrowest)) narrowest = p->size;
        if (p->size > widest) widest = p->size;
        if (p->loop_size > widest) widest = p->loop_size;
    }
    bool transposed = narrowest != 0;
    tiling->tile_columns = tiling->transposes_in_place ? TURN_COLUMNS
                           : transposed                ? TRANSPOSE_COLUMN_BYTES / widest
                                                       : ROW_ELEMENTS;
    if (tiling->tile_columns > tiling->columns) tiling->tile_columns = tiling->columns;
    tiling->tile_rows = tiling->transposes_in_place ? TURN_ROW_BYTES / widest
                        : transposed                ? TRANSPOSE_ROW_BYTES / narrowest
                                     : (ROWS_ELEMENTS - 1) / (tiling->tile_columns + 1) + 1;
    if (tiling->tile_rows > tiling->rows) tiling->tile_rows = tiling->rows;
    tiling->piece = !tiling->is_staged ? tiling->columns
                    : transposed       ? tiling->tile_columns
                                       : STAGE_BYTES / widest;
    if (tiling->merges_rows)
        tiling->piece = STAGE_BYTES / widest / tiling->columns * tiling->columns;
    tiling->merges_tiles = !transposed && !tiling->transposes_in_place;
    tiling->row_tiles = (tiling->rows + tiling->tile_rows - 1) / tiling->tile_rows;
    tiling->column_tiles = (tiling->columns + tiling->tile_columns - 1) / tiling->tile_columns;
}

/* A stage holds a piece of a row, or a transposed tile; an output's with a mask the same once more,
 * converted. */
static void decide_stages(tni_tiling *tiling) {
    int64_t spare = 0;
    for (int k = 0; k < tiling->operands; k++) {
        tni_part *p = &tiling->parts[k];
        int64_t bytes = tiling->piece * p->loop_size;
        if (p->how == TNI_DIRECT) continue;
        if (p->how == TNI_TRANSPOSED) {
            bytes = tiling->tile_rows * tiling->tile_columns * p->loop_size;
            int64_t raw = tiling->tile_rows * tiling->tile_columns * p->size;
            if (p->convert && raw > spare) spare = raw;
        } else if (tni_tiling_is_output(tiling, k) && tiling->call.masked) {
            bytes += tiling->piece * p->size;
        }
        if (p->move && tiling->piece * p->size > spare) spare = tiling->piece * p->size;
        p->stage = tiling->stage_bytes;
        tiling->stage_bytes += (bytes + 63) & ~INT64_C(63);
    }
    tiling->spare = tiling->stage_bytes;
    tiling->stage_bytes += spare;
}

static tn_status find_loops(tni_tiling *tiling) {
    const tni_elementwise *call = &tiling->call;
    if (call->op == TNI_OP_COPY)
        tiling->loop = tni_cast_find(call->arguments[0].loop_dtype, call->arguments[1].loop_dtype);
    else
        tiling->loop = tni_loop_find(call->op, call->dtype);
    if (!tiling->loop)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "%s of %s has no loop on host", tn_op_name(call->op),
                 tn_dtype_name(call->dtype));
    for (int k = 0; k < tiling->operands; k++) {
        tn_dtype stored = call->arguments[k].dtype, used = call->arguments[k].loop_dtype;
        tni_part *p = &tiling->parts[k];
        bool output = tni_tiling_is_output(tiling, k);
        if ((stored != used && p->how != TNI_DIRECT) || p->how == TNI_REPEATED)
            p->convert = tni_cast_find(output ? used : stored, output ? stored : used);
        if (p->is_unaligned && p->how == TNI_CONVERTED) {
            tni_loop move = tni_cast_find(stored, stored);
            if (stored == used && !(output && call->masked))
                p->convert = move;
            else
                p->move = move;
        }
        if (output && tiling->repeats_value)
            p->convert = tni_cast_find(stored, stored); /* spreads the value */
        if (output && call->masked) p->choose = tni_loop_find(TN_OP_WHERE, stored);
    }
    return TN_OK;
}

tn_status tni_tiling_make(tni_tiling *tiling, const tni_elementwise *call) {
    tiling->operands = call->input_count + call->output_count;
    tiling->count = tiling->operands + call->masked;
    memcpy(&tiling->call, call,
           offsetof(tni_elementwise, arguments) + (size_t)tiling->count * sizeof *call->arguments);
    tiling->is_staged = tiling->bypasses_cache = false;
    tiling->loads = tiling->stores = 0;
    tiling->stage_bytes = 0;
    tiling->merges_rows = can_join(&tiling->call, tiling->count);
    if (!tiling->merges_rows) choose_axes(&tiling->call, tiling->count);
    decide_parts(tiling);
    TNI_TRY(find_loops(tiling));
    decide_tiles(tiling);
    decide_stages(tiling);
    tiling->tiles = tiling->row_tiles * tiling->column_tiles;
    for (int axis = 0; axis < tiling->outer_ndim; axis++)
        tiling->tiles *= tiling->call.shape[axis];
    return TN_OK;
}
