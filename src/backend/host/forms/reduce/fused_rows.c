/* The form "fused_rows" on the host: an interpreter of blocks of rows, without a compiler.
 *
 * Algorithm: a block is as many whole rows as stay in a core's caches with all their values. Within
 * it each step runs over all rows before the next one does: a fold as the reduction of the block
 * (reduce.c), whose trees are those of the whole array since a row's tree depends on its length
 * alone; any other as one compiled loop (operations.h), once where its operands follow each other
 * from row to row, else row by row. Threads share the blocks. */
#include "forms/fused_rows.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/operations.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/reduce/reduce.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/array/array.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum {
    BLOCK_BYTES = 32 << 10, /* of one value in a block of several rows */
    ROW_BYTES = 128 << 10,  /* of one value of a row, at most */
    LENGTH_LEAST = 4,       /* of many rows that are worth a call of a loop each */
    BLOCK_ROWS = 64,
    ROW_SLOT_BYTES = BLOCK_ROWS * 16,
    SERIAL_ELEMENTS = 16384, /* of all steps; below this, one thread */
    SHARES = 4               /* blocks a thread, at least */
};

/* How an operation runs over a block. */
typedef enum way { FOLD, AT_ONCE, BY_ROWS, OF_ROWS } way;

typedef struct interpreter {
    const tni_fused_rows *call;
    bool streams;              /* outputs of elements bypass the caches */
    int64_t block, blocks;     /* rows of one, and how many */
    int64_t slot_bytes, bytes; /* of one slot of elements; of all slots */
    int slot_count;            /* of elements; the slots of rows come after these */
    uint16_t slots[TNI_EXPRESSION_VALUES];
    int8_t direct[TNI_EXPRESSION_VALUES]; /* the output that the value is computed into, or -1 */
    uint8_t ways[TNI_EXPRESSION_STEPS];   /* of operations */
    tni_operations operations;
    atomic_int status;
} interpreter;

/* Where a value has the rows of a block: from one element to the next, and from row to row. */
typedef struct place {
    char *at;
    int64_t stride, row;
} place;

/* --- What pays --- */

static int64_t widest_of(const tni_fused_rows *call) {
    int64_t widest = 1;
    for (int value = 0; value < call->graph.value_count; value++) {
        int64_t size = tni_dtype_size((tn_dtype)call->graph.dtypes[value]);
        if (!call->is_row[value] && size > widest) widest = size;
    }
    return widest;
}

/* Many short rows cost a call of a loop each, few long ones leave threads without work. */
static bool pays(const tni_fused_rows *call) {
    const tni_expression *graph = &call->graph;
    for (int o = 0; o < graph->output_count; o++)
        if (graph->outputs[o] < graph->input_count) return false;
    if (graph->shape[1] * widest_of(call) > ROW_BYTES) return false;
    return graph->size <= SERIAL_ELEMENTS ||
           (graph->shape[1] >= LENGTH_LEAST && graph->shape[0] >= tni_thread_count());
}

/* --- Planning --- */

static void choose_block(interpreter *p) {
    const tni_expression *graph = &p->call->graph;
    const int64_t rows = graph->shape[0], row_bytes = graph->shape[1] * widest_of(p->call);
    int64_t bytes = 0;
    for (int k = 0; k < graph->input_count + graph->output_count; k++)
        if (graph->arguments[k].data && graph->arguments[k].strides[0])
            bytes += rows * graph->arguments[k].strides[0];
    p->streams = bytes >= TNI_STREAM_BYTES;
    p->block = BLOCK_BYTES / row_bytes;
    if (graph->size > SERIAL_ELEMENTS) {
        int64_t share = rows / ((int64_t)SHARES * tni_thread_count());
        if (p->block > share) p->block = share;
    }
    if (p->block > BLOCK_ROWS) p->block = BLOCK_ROWS;
    if (p->block > rows) p->block = rows;
    if (p->block < 1) p->block = 1;
    p->blocks = (rows + p->block - 1) / p->block;
    p->slot_bytes = (p->block * row_bytes + 63) & ~INT64_C(63);
}

/* Whether an output is where an input is, which later steps may read. */
static bool is_read(const tni_expression *graph, int output) {
    for (int k = 0; k < graph->input_count; k++)
        if (graph->arguments[k].data == graph->arguments[graph->input_count + output].data)
            return true;
    return false;
}

/* Values that are computed straight into an output. */
static void choose_direct(interpreter *p) {
    const tni_expression *graph = &p->call->graph;
    memset(p->direct, -1, sizeof p->direct);
    for (int o = graph->output_count - 1; o >= 0; o--)
        if ((!p->streams || p->call->is_row[graph->outputs[o]]) && !is_read(graph, o))
            p->direct[graph->outputs[o]] = (int8_t)o;
}

static void choose_slots(interpreter *p, const tni_steps *steps) {
    const tni_expression *graph = &p->call->graph;
    int16_t last_use[TNI_EXPRESSION_VALUES];
    bool placed[TNI_EXPRESSION_VALUES];
    int of_rows = 0;
    tni_operations_find_uses(last_use, graph->value_count, &p->operations);
    for (int value = 0; value < graph->value_count; value++)
        placed[value] = p->direct[value] >= 0 || p->call->is_row[value];
    memset(p->slots, 0xff, sizeof p->slots); /* TNI_NO_SLOT */
    p->slot_count =
        tni_operations_choose_slots(p->slots, 0, last_use, &p->operations, steps, placed);
    for (int value = graph->input_count; value < graph->value_count; value++)
        if (p->call->is_row[value] && p->direct[value] < 0) p->slots[value] = (uint16_t)of_rows++;
    p->bytes = p->slot_count * p->slot_bytes + of_rows * (int64_t)ROW_SLOT_BYTES;
}

/* Whether a value's rows follow each other, or it is one number. */
static bool is_even(const interpreter *p, int value) {
    const tni_expression *graph = &p->call->graph;
    if (value >= graph->input_count) return !p->call->is_row[value];
    const tni_argument *argument = &graph->arguments[value];
    return !argument->data || (argument->strides[0] == 0) == (argument->strides[1] == 0);
}

static way way_of(const interpreter *p, const tni_operation *operation) {
    if (!operation->loop) return FOLD;
    if (p->call->is_row[operation->value]) return OF_ROWS;
    for (int k = 0; k < operation->count; k++)
        if (!is_even(p, operation->from[k])) return BY_ROWS;
    return AT_ONCE;
}

static tn_status plan(interpreter *p, const tni_fused_rows *call) {
    const tni_expression *graph = &call->graph;
    const tni_steps steps = tni_expression_steps(graph);
    p->call = call;
    atomic_init(&p->status, TN_OK);
    TNI_TRY(tni_operations_find(&p->operations, &steps));
    tni_operations_join(&p->operations, &steps);
    choose_block(p);
    choose_direct(p);
    choose_slots(p, &steps);
    for (int k = 0; k < p->operations.count; k++)
        p->ways[k] = (uint8_t)way_of(p, &p->operations.list[k]);
    return TN_OK;
}

/* --- One block --- */

/* Of an argument, from row `first` on. */
static place argument_place(const tni_argument *argument, int64_t first) {
    if (!argument->data) return (place){(char *)(uintptr_t)argument->value, 0, 0};
    return (place){argument->data + first * argument->strides[0], argument->strides[1],
                   argument->strides[0]};
}

static void find_places(const interpreter *p, place *places, char *slots, int64_t first) {
    const tni_expression *graph = &p->call->graph;
    char *of_rows = slots + p->slot_count * p->slot_bytes;
    for (int k = 0; k < graph->input_count; k++)
        places[k] = argument_place(&graph->arguments[k], first);
    for (int value = graph->input_count; value < graph->value_count; value++) {
        int64_t size = tni_dtype_size((tn_dtype)graph->dtypes[value]);
        if (p->direct[value] >= 0)
            places[value] =
                argument_place(&graph->arguments[graph->input_count + p->direct[value]], first);
        else if (p->slots[value] == TNI_NO_SLOT)
            continue; /* within a pair */
        else if (p->call->is_row[value])
            places[value] = (place){of_rows + p->slots[value] * (int64_t)ROW_SLOT_BYTES, 0, size};
        else
            places[value] =
                (place){slots + p->slots[value] * p->slot_bytes, size, size * graph->shape[1]};
    }
}

/* `count` times n elements: of one row after the other, or of rows. */
static void run_loop(const tni_operation *operation, const place *places, int64_t count, int64_t n,
                     bool of_rows) {
    char *at[TNI_EXPRESSION_FROM + 2] = {NULL};
    int64_t by[TNI_EXPRESSION_FROM + 2] = {0}, row[TNI_EXPRESSION_FROM + 2] = {0};
    const int arguments = operation->count + operation->made;
    for (int j = 0; j < arguments; j++) {
        const place *of = &places[j < operation->count ? operation->from[j]
                                                       : operation->value + j - operation->count];
        at[j] = of->at;
        by[j] = of_rows ? of->row : of->stride;
        row[j] = of->row;
    }
    for (; count > 0; count--) {
        operation->loop(at, by, n);
        for (int j = 0; j < arguments; j++)
            at[j] += row[j];
    }
}

/* A fold as the call of the form "reduce", but for where it is. */
static void begin_fold(tni_reduce *call, const interpreter *p, int number) {
    const tni_row_fold *fold = &p->call->folds[number];
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
    call->reduced_size = call->reduced_shape[0] = p->call->graph.shape[1];
    call->reduced_input[0] = tni_dtype_size(fold->input);
    call->kept_input[0] = call->reduced_size * call->reduced_input[0];
    call->kept_output[0] = tni_dtype_size(fold->output);
}

static tn_status run_fold(tni_reduce *call, const place *from, const place *to, int64_t rows) {
    call->input = from->at;
    call->output = to->at;
    call->kept_size = call->kept_shape[0] = rows;
    return tni_host_reduce_run(call);
}

static tn_status run_block(const interpreter *p, tni_reduce *folds, char *slots, int64_t first,
                           int64_t rows) {
    const tni_expression *graph = &p->call->graph;
    const int64_t length = graph->shape[1];
    place places[TNI_EXPRESSION_VALUES];
    find_places(p, places, slots, first);
    for (int k = 0; k < p->operations.count; k++) {
        const tni_operation *operation = &p->operations.list[k];
        switch ((way)p->ways[k]) {
        case FOLD:
            TNI_TRY(
                run_fold(folds++, &places[operation->from[0]], &places[operation->value], rows));
            break;
        case AT_ONCE: run_loop(operation, places, 1, rows * length, false); break;
        case BY_ROWS: run_loop(operation, places, rows, length, false); break;
        case OF_ROWS: run_loop(operation, places, 1, rows, true); break;
        }
    }
    for (int o = 0; o < graph->output_count; o++) {
        const int value = graph->outputs[o];
        const tni_argument *output = &graph->arguments[graph->input_count + o];
        if (p->direct[value] == o) continue;
        size_t bytes = (size_t)(rows * output->strides[0]);
        if (p->streams)
            tni_stream_copy(output->data + first * output->strides[0], places[value].at, bytes);
        else
            memcpy(output->data + first * output->strides[0], places[value].at, bytes);
    }
    return TN_OK;
}

/* --- All blocks --- */

static int64_t rows_of(const interpreter *p, int64_t block) {
    int64_t left = p->call->graph.shape[0] - block * p->block;
    return left < p->block ? left : p->block;
}

static void run_blocks(void *context, int64_t begin, int64_t end) {
    interpreter *p = context;
    tni_reduce folds[TNI_ROW_FOLDS];
    char *slots = tni_scratch(TNI_SLOT_ROWS, (size_t)p->bytes);
    tn_status status = slots || !p->bytes ? TN_OK : TN_ERROR_MEMORY;
    for (int k = 0; k < p->call->fold_count; k++)
        begin_fold(&folds[k], p, k);
    for (int64_t at = begin; at < end && status == TN_OK; at++) {
        status = run_block(p, folds, slots, at * p->block, rows_of(p, at));
    }
    if (p->streams) tni_stream_finish();
    if (status != TN_OK) atomic_store(&p->status, (int)status);
}

static tn_status compute(void *params) {
    const tni_fused_rows *call = params;
    interpreter p;
    TNI_TRY(plan(&p, call));
    if (call->graph.size * call->graph.step_count <= SERIAL_ELEMENTS)
        run_blocks(&p, 0, p.blocks);
    else
        tni_parallel_units(p.blocks, p.block * call->graph.shape[1] * call->graph.step_count / 8,
                           run_blocks, &p);
    /* What can fail is memory alone: the stages of folds, and the slots. */
    return atomic_load(&p.status) == TN_OK ? TN_OK : tni_fail_no_memory(p.bytes);
}

tn_status tni_host_run_fused_rows(void *params) {
    const tni_fused_rows *call = params;
    *call->fits = pays(call);
    return *call->fits ? compute(params) : TN_OK;
}

/* Whether the call fits is known now: its copy does not ask again. */
tni_host_plan tni_host_plan_fused_rows(const tni_fused_rows *call) {
    const tni_expression *graph = &call->graph;
    size_t bytes = offsetof(tni_fused_rows, graph.arguments) +
                   (size_t)(graph->input_count + graph->output_count) * sizeof *graph->arguments;
    *call->fits = pays(call);
    return (tni_host_plan){*call->fits ? compute : NULL, call, bytes, .elements = graph->size};
}
