/* Algorithm: rows that are a leaf each go to the fold's loop at once. Others are a call of the form
 * "reduce". A chain that folds makes a leaf at a time; leaves are merged as in reduce_rows.c. */
#include "backend/host/forms/reduce/row_folds.h"

#include "backend/host/forms/reduce/reduce.h"

#include <string.h>

enum {
    ROWS = 64,         /* results that are finished at once */
    LEAVES = 64,       /* of a row that a chain folds, at most: one batch */
    RESULT_BYTES = 32, /* of a moment */
    FLOAT_BYTES = 8
};
_Static_assert(sizeof(tni_moment) <= RESULT_BYTES, "results have room");

void tni_row_fold_begin(tni_row_folding *f, const tni_row_fold *fold, int64_t length) {
    tni_reduce *call = &f->call;
    call->op = fold->op;
    call->statistic = fold->statistic;
    call->flags = 0;
    call->is_ordered = call->is_unaligned = false;
    call->input_dtype = fold->input;
    call->accumulator = fold->accumulator;
    call->output_dtype = fold->output;
    call->correction = fold->correction;
    call->has_initial = fold->statistic != TNI_STATISTIC_VAR &&
                        fold->statistic != TNI_STATISTIC_STD &&
                        tni_op_identity_value(call->initial, fold->op, fold->accumulator);
    call->mask = NULL;
    call->body = NULL;
    call->kept_ndim = call->reduced_ndim = 1;
    call->reduced_size = call->reduced_shape[0] = length;
    f->is_leaf = tni_folding_plan(&f->folding, call) && !f->folding.staged && f->folding.stop < 0 &&
                 length <= f->folding.leaf;
}

/* Results of rows, which are `values`, become elements of the output. */
static void finish(const tni_row_folding *f, char *values, const tni_row_place *to, int64_t rows) {
    if (values != to->at) tni_folding_finish(&f->folding, values, rows, to->at, to->row);
}

/* Where results are made: where they belong, or in a buffer. */
static char *values_of(const tni_row_folding *f, const tni_row_place *to, char *buffer) {
    return f->folding.is_final && to->row == f->folding.work ? to->at : buffer;
}

static void fold_leaves(const tni_row_folding *f, tni_row_place from, tni_row_place to,
                        int64_t rows) {
    _Alignas(64) char buffer[ROWS * RESULT_BYTES];
    for (int64_t now; rows > 0; rows -= now) {
        now = rows < ROWS ? rows : ROWS;
        char *values = values_of(f, &to, buffer);
        f->folding.fold->rows(values, from.at, now, from.row, f->call.reduced_size,
                              f->folding.initial);
        finish(f, values, &to, now);
        from.at += now * from.row;
        to.at += now * to.row;
    }
}

tn_status tni_row_fold_run(tni_row_folding *f, const tni_row_place *from, const tni_row_place *to,
                           int64_t rows) {
    tni_reduce *call = &f->call;
    if (f->is_leaf && from->stride == f->folding.item &&
        from->row >= call->reduced_size * from->stride) {
        fold_leaves(f, *from, *to, rows);
        return TN_OK;
    }
    call->input = from->at;
    call->output = to->at;
    call->kept_input[0] = from->row;
    call->reduced_input[0] = from->stride;
    call->kept_output[0] = to->row;
    call->kept_size = call->kept_shape[0] = rows;
    return tni_host_reduce_run(call);
}

/* --- In chains --- */

uint8_t tni_row_fold_in_chain(const tni_row_fold *fold, int64_t length) {
    const bool is_plain =
        fold->statistic == TNI_STATISTIC_FOLD || fold->statistic == TNI_STATISTIC_MEAN;
    const bool is_float = fold->input == TN_F32 || fold->input == TN_F64;
    return is_plain && is_float && fold->accumulator == fold->input && length >= TNI_SHORT_ROW &&
                   length <= (int64_t)LEAVES * TNI_LEAF
               ? tni_operation_fold(fold->op)
               : 0;
}

/* A fold of what a chain makes. */
typedef struct folded {
    const tni_row_folding *row;
    tni_row_place to;
    int argument;
    tni_lanes nothing, lanes;
    _Alignas(64) char few[TNI_SHORT_ROW * FLOAT_BYTES]; /* of a leaf that is too short for lanes */
    _Alignas(64) char parts[LEAVES * FLOAT_BYTES], values[ROWS * FLOAT_BYTES];
} folded;

/* A chain with the places of its arguments, now. */
typedef struct chain {
    const tni_operation *operation;
    int arguments, folds;
    char *at[TNI_OPERATION_ARGUMENTS];
    int64_t by[TNI_OPERATION_ARGUMENTS], row[TNI_OPERATION_ARGUMENTS];
    folded folded[TNI_OPERATION_FOLDS];
} chain;

static void set_up(chain *c, const tni_operation *operation, const tni_row_place *places,
                   tni_row_folding *folds, const uint8_t *number) {
    c->operation = operation;
    c->arguments = operation->count + operation->made;
    c->folds = 0;
    for (int j = 0; j < c->arguments; j++) {
        const bool is_made = j >= operation->count;
        const tni_value value = is_made ? operation->to[j - operation->count] : operation->from[j];
        if (is_made && number[value] != TNI_NO_FOLD) {
            folded *f = &c->folded[c->folds++];
            f->row = &folds[number[value]];
            f->to = places[value];
            f->argument = j;
            c->row[j] = 0;
            tni_fold_begin_lanes(&f->row->folding, &f->nothing);
            continue;
        }
        c->at[j] = places[value].at;
        c->by[j] = places[value].stride;
        c->row[j] = places[value].row;
    }
}

static void begin_leaf(chain *c, bool is_short) {
    for (int k = 0; k < c->folds; k++) {
        folded *f = &c->folded[k];
        c->at[f->argument] = is_short ? f->few : f->lanes.running;
        c->by[f->argument] = is_short ? f->row->folding.x : TNI_FOLDED;
        if (!is_short) memcpy(f->lanes.running, f->nothing.running, TNI_LANE_BYTES);
    }
}

/* The next n elements become a part of each fold. */
static void fold_leaf(chain *c, int64_t leaf, int64_t n) {
    const bool is_short = n < TNI_SHORT_ROW;
    begin_leaf(c, is_short);
    tni_operation_run(c->operation, c->at, c->by, n);
    for (int k = 0; k < c->folds; k++) {
        folded *f = &c->folded[k];
        const tni_fold *fold = f->row->folding.fold;
        char *part = f->parts + leaf * fold->work_bytes;
        if (is_short)
            fold->rows(part, f->few, 1, 0, n, NULL);
        else
            fold->close(part, &f->lanes, n);
        c->by[f->argument] = 0;
    }
    for (int j = 0; j < c->arguments; j++)
        c->at[j] += n * c->by[j];
}

/* A row's parts become its value. */
static void close_row(folded *f, int64_t row, int64_t leaves) {
    const tni_folding *folding = &f->row->folding;
    char *value = f->values + row * folding->work;
    tni_fold_batch(folding, value, f->parts, leaves);
    tni_fold_begin(folding, value);
}

static void fold_row(chain *c, int64_t row, int64_t length) {
    int64_t leaf = 0, done = 0;
    for (int64_t n; done < length; done += n, leaf++) {
        n = length - done < TNI_LEAF ? length - done : TNI_LEAF;
        fold_leaf(c, leaf, n);
    }
    for (int k = 0; k < c->folds; k++)
        close_row(&c->folded[k], row, leaf);
    for (int j = 0; j < c->arguments; j++)
        c->at[j] += c->row[j] - length * c->by[j];
}

void tni_row_folds_in_chain(const tni_operation *operation, const tni_row_place *places,
                            tni_row_folding *folds, const uint8_t *number, int64_t rows,
                            int64_t length) {
    chain c;
    set_up(&c, operation, places, folds, number);
    for (int64_t now; rows > 0; rows -= now) {
        now = rows < ROWS ? rows : ROWS;
        for (int64_t row = 0; row < now; row++)
            fold_row(&c, row, length);
        for (int k = 0; k < c.folds; k++) {
            folded *f = &c.folded[k];
            tni_folding_finish(&f->row->folding, f->values, now, f->to.at, f->to.row);
            f->to.at += now * f->to.row;
        }
    }
}
