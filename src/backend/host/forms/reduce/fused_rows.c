/* The form "fused_rows" on the host: an interpreter of blocks of rows, without a compiler.
 *
 * Algorithm: a block is as many whole rows as stay in a core's caches with all their values. Within
 * it each step runs over all rows before the next one does: a fold as the reduction of the block
 * (reduce.c), whose trees are those of the whole array since a row's tree depends on its length
 * alone; any other as one compiled loop (operations.h), once where its operands follow each other
 * from row to row, else row by row. Arrays whose rows are not packed are gathered into a slot
 * first, and scattered from one last. Threads share the blocks. */
#include "forms/fused_rows.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/operations.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/reduce/row_folds.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/array/array.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum {
    BLOCK_BYTES = 32 << 10, /* of one value in a block of several rows */
    ALONE_BYTES = 3 << 10,  /* a row so long is a block: its values stay in the L1 cache */
    ROW_BYTES = 128 << 10,  /* of one value of a row, at most */
    LENGTH_LEAST = 4,       /* of many rows that are worth a call of a loop each */
    BLOCK_ROWS = 64,
    ROW_SLOT_BYTES = BLOCK_ROWS * 16,
    SERIAL_ELEMENTS = 16384, /* of all steps; below this, one thread */
    SHARES = 4,              /* blocks a thread, at least */
    STREAM_ALIGNMENT = 64,
    LINE_BYTES = 64,
    CHAINED_ELEMENTS = 1024 /* below this, looking for chains costs more than they save */
};

/* How an operation runs over a block. IN_CHAIN: row by row, with folds of what it makes. */
typedef enum way { FOLD, AT_ONCE, BY_ROWS, OF_ROWS, IN_CHAIN } way;

/* How an argument lies: bytes from one element of a row to the next, and from row to row. */
typedef struct lying {
    int64_t stride, row;
    bool is_apart; /* it does not lie so, and has a slot */
} lying;

typedef struct interpreter {
    const tni_fused_rows *call;
    bool streams;              /* outputs of elements bypass the caches */
    int64_t block, blocks;     /* rows of one, and how many */
    int64_t slot_bytes, bytes; /* of one slot of elements; of all slots */
    int slot_count;            /* of elements; the slots of rows come after these */
    uint16_t slots[TNI_EXPRESSION_VALUES];
    lying lies[TNI_EXPRESSION_ARGUMENTS];
    int8_t direct[TNI_EXPRESSION_VALUES];  /* the output that the value is computed into, or -1 */
    uint8_t ways[TNI_EXPRESSION_STEPS];    /* of operations */
    uint8_t number[TNI_EXPRESSION_VALUES]; /* of the fold that makes a value */
    tni_operations operations;
    atomic_int status;
} interpreter;

typedef tni_row_place place;

/* --- What pays --- */

static int64_t widest_of(const tni_fused_rows *call) {
    int64_t widest = 1;
    for (int value = 0; value < call->graph.value_count; value++) {
        int64_t size = tni_dtype_size((tn_dtype)call->graph.dtypes[value]);
        if (!call->is_row[value] && size > widest) widest = size;
    }
    return widest;
}

/* Whether a reduction of the input by itself folds its rows in their order: by columns, or from the
 * other end, it would be another tree. */
static bool folds_by_rows(const tni_fused_rows *call, int input) {
    const int64_t *strides = call->graph.arguments[input].strides;
    int64_t run;
    if (!tni_rows_merge(&run, call->graph.ndim - call->kept_ndim,
                        &call->graph.shape[call->kept_ndim], &strides[call->kept_ndim]) ||
        run <= 0)
        return false;
    for (int axis = 0; axis < call->kept_ndim; axis++)
        if (strides[axis] != 0 && tni_magnitude(strides[axis]) < run) return false;
    return true;
}

/* Many short rows cost a call of a loop each, few long ones leave threads without work. */
static bool pays(const tni_fused_rows *call) {
    const tni_expression *graph = &call->graph;
    for (int o = 0; o < graph->output_count; o++)
        if (graph->outputs[o] < graph->input_count) return false;
    for (int k = 0; k < graph->step_count; k++)
        if (graph->steps[k].op == (int)TNI_OP_FOLD &&
            graph->steps[k].from[0] < graph->input_count &&
            !folds_by_rows(call, graph->steps[k].from[0]))
            return false;
    if (call->length * widest_of(call) > ROW_BYTES) return false;
    return graph->size <= SERIAL_ELEMENTS ||
           (call->length >= LENGTH_LEAST && call->rows >= tni_thread_count());
}

/* --- Planning --- */

static bool is_row_argument(const tni_fused_rows *call, int k) {
    const tni_expression *graph = &call->graph;
    return call->is_row[k < graph->input_count ? k : graph->outputs[k - graph->input_count]];
}

static lying find_lying(const tni_fused_rows *call, int k) {
    const tni_expression *graph = &call->graph;
    const tni_argument *argument = &graph->arguments[k];
    const int64_t size = tni_dtype_size(argument->dtype);
    const int kept = call->kept_ndim;
    const bool is_row = is_row_argument(call, k);
    lying made = {0, 0, false};
    if (!argument->data) return made;
    bool is_even = tni_rows_merge(&made.row, kept, graph->shape, argument->strides) &
                   tni_rows_merge(&made.stride, graph->ndim - kept, &graph->shape[kept],
                                  &argument->strides[kept]);
    /* What has one element a row is walked by loops that know packed arrays and numbers alone. */
    if (is_even && (made.stride == 0 || made.stride == size) &&
        (!is_row || made.row == 0 || made.row == size))
        return made;
    made.stride = is_row ? 0 : size;
    made.row = made.stride ? size * call->length : size;
    made.is_apart = true;
    return made;
}

static void choose_block(interpreter *p) {
    const tni_expression *graph = &p->call->graph;
    const int64_t rows = p->call->rows, row_bytes = p->call->length * widest_of(p->call);
    int64_t bytes = 0;
    for (int k = 0; k < graph->input_count + graph->output_count; k++)
        if (graph->arguments[k].data && p->lies[k].row > 0) bytes += rows * p->lies[k].row;
    p->streams = bytes >= TNI_STREAM_BYTES;
    p->block = row_bytes >= ALONE_BYTES ? 1 : BLOCK_BYTES / row_bytes;
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

/* Whether the value of an output may go past the caches as it is computed: a chain makes it that
 * folds nothing, and nothing reads it there. */
static bool may_stream(const interpreter *p, int output, const int16_t *last_use) {
    const tni_expression *graph = &p->call->graph;
    const tni_value value = graph->outputs[output];
    const int64_t size = tni_dtype_size((tn_dtype)graph->dtypes[value]);
    const int at = graph->input_count + output;
    if (last_use[value] >= 0 || (uintptr_t)graph->arguments[at].data % (uintptr_t)size != 0 ||
        p->lies[at].row % size != 0)
        return false;
    for (int k = 0; k < p->operations.count; k++) {
        const tni_operation *operation = &p->operations.list[k];
        for (int j = 0; j < operation->made; j++)
            if (operation->to[j] == value) return operation->chain && !operation->folds;
    }
    return false;
}

/* Values that are computed straight into an output. */
static void choose_direct(interpreter *p, const int16_t *last_use) {
    const tni_expression *graph = &p->call->graph;
    memset(p->direct, -1, sizeof p->direct);
    for (int o = graph->output_count - 1; o >= 0; o--)
        if (!is_read(graph, o) && !p->lies[graph->input_count + o].is_apart &&
            (!p->streams || p->call->is_row[graph->outputs[o]] || may_stream(p, o, last_use)))
            p->direct[graph->outputs[o]] = (int8_t)o;
}

static void choose_slots(interpreter *p, const tni_steps *steps, int16_t *last_use) {
    const tni_expression *graph = &p->call->graph;
    bool placed[TNI_EXPRESSION_VALUES];
    int of_rows = 0, of_elements = 0;
    for (int value = 0; value < graph->value_count; value++)
        placed[value] = p->direct[value] >= 0 || p->call->is_row[value];
    memset(p->slots, 0xff, sizeof p->slots); /* TNI_NO_SLOT */
    for (int k = 0; k < graph->input_count; k++)
        if (p->lies[k].is_apart && !p->call->is_row[k]) p->slots[k] = (uint16_t)of_elements++;
    p->slot_count =
        tni_operations_choose_slots(p->slots, of_elements, last_use, &p->operations, steps, placed);
    for (int value = 0; value < graph->value_count; value++)
        if (p->call->is_row[value] &&
            (value < graph->input_count ? p->lies[value].is_apart : p->direct[value] < 0))
            p->slots[value] = (uint16_t)of_rows++;
    p->bytes = p->slot_count * p->slot_bytes + of_rows * (int64_t)ROW_SLOT_BYTES;
}

/* Whether a value's rows follow each other, or it is one number. */
static bool is_even(const interpreter *p, int value) {
    const int output = p->direct[value];
    const int at = value < p->call->graph.input_count ? value : p->call->graph.input_count + output;
    if (value >= p->call->graph.input_count && (output < 0 || p->call->is_row[value]))
        return !p->call->is_row[value];
    const lying *lies = &p->lies[at];
    return lies->row == lies->stride * p->call->length;
}

static way way_of(const interpreter *p, const tni_operation *operation) {
    if (!operation->loop && !operation->chain) return FOLD;
    if (operation->folds) return IN_CHAIN;
    if (p->call->is_row[operation->to[0]]) return OF_ROWS;
    for (int k = 0; k < operation->count; k++)
        if (!is_even(p, operation->from[k])) return BY_ROWS;
    for (int k = 0; k < operation->made; k++)
        if (!is_even(p, operation->to[k])) return BY_ROWS;
    return AT_ONCE;
}

/* Which step makes a value of rows by which fold, and what of it a chain may do. */
static void number_folds(interpreter *p, uint8_t *in_chain) {
    const tni_fused_rows *call = p->call;
    memset(p->number, TNI_NO_FOLD, sizeof p->number);
    for (int k = 0; k < p->operations.count; k++)
        if (call->graph.steps[k].op == (int)TNI_OP_FOLD)
            p->number[*p->operations.list[k].to] = (uint8_t)call->graph.steps[k].dtype;
    for (int k = 0; k < call->fold_count; k++)
        in_chain[k] = tni_row_fold_in_chain(&call->folds[k], call->length);
}

static tn_status plan(interpreter *p, const tni_fused_rows *call) {
    const tni_expression *graph = &call->graph;
    const tni_steps steps = tni_expression_steps(graph);
    uint8_t in_chain[TNI_ROW_FOLDS];
    int16_t last_use[TNI_EXPRESSION_VALUES];
    p->call = call;
    atomic_init(&p->status, TN_OK);
    for (int k = 0; k < graph->input_count + graph->output_count; k++)
        p->lies[k] = find_lying(call, k);
    choose_block(p);
    TNI_TRY(tni_operations_find(&p->operations, &steps));
    number_folds(p, in_chain);
    const tni_join how = {.kinds = call->is_row, .folds = in_chain, .streams = p->streams};
    if (graph->size >= CHAINED_ELEMENTS) tni_operations_join(&p->operations, &steps, &how);
    tni_operations_find_uses(last_use, graph->value_count, &p->operations);
    choose_direct(p, last_use);
    choose_slots(p, &steps, last_use);
    for (int k = 0; k < p->operations.count; k++)
        p->ways[k] = (uint8_t)way_of(p, &p->operations.list[k]);
    return TN_OK;
}

/* --- One block --- */

/* Of an argument that lies so, from row `first` on. */
static place argument_place(const interpreter *p, int k, int64_t first) {
    const tni_argument *argument = &p->call->graph.arguments[k];
    if (!argument->data) return (place){(char *)(uintptr_t)argument->value, 0, 0, false};
    return (place){argument->data + first * p->lies[k].row, p->lies[k].stride, p->lies[k].row,
                   false};
}

static place output_place(const interpreter *p, int value, int64_t first) {
    place made = argument_place(p, p->call->graph.input_count + p->direct[value], first);
    made.streams = p->streams && !p->call->is_row[value];
    return made;
}

/* In its slot. */
static place slot_place(const interpreter *p, int value, char *slots) {
    int64_t size = tni_dtype_size((tn_dtype)p->call->graph.dtypes[value]);
    if (p->call->is_row[value])
        return (place){slots + p->slot_count * p->slot_bytes +
                           p->slots[value] * (int64_t)ROW_SLOT_BYTES,
                       0, size, false};
    return (place){slots + p->slots[value] * p->slot_bytes, size, size * p->call->length, false};
}

static void find_places(const interpreter *p, place *places, char *slots, int64_t first) {
    const tni_expression *graph = &p->call->graph;
    for (int value = 0; value < graph->value_count; value++) {
        const int output = value < graph->input_count ? -1 : p->direct[value];
        if (value < graph->input_count && !p->lies[value].is_apart)
            places[value] = argument_place(p, value, first);
        else if (output >= 0)
            places[value] = output_place(p, value, first);
        else if (p->slots[value] != TNI_NO_SLOT) /* else it is within a chain */
            places[value] = slot_place(p, value, slots);
    }
}

/* Elements of rows `first` and later, between an array that lies in any way and what is packed;
 * along the rows, or across them where they lie so. */
static void move(const interpreter *p, int k, const place *packed, int64_t first, int64_t rows,
                 bool gathers) {
    const tni_expression *graph = &p->call->graph;
    const tni_argument *argument = &graph->arguments[k];
    const int kept = p->call->kept_ndim, reduced = graph->ndim - kept - 1, last = kept + reduced;
    const bool is_row = packed->stride == 0;
    const int64_t size = tni_dtype_size(argument->dtype), run = is_row ? 1 : graph->shape[last];
    const int64_t runs = is_row ? 1 : p->call->length / run;
    const tni_loop copy = tni_cast_find(argument->dtype, argument->dtype);
    tni_walk row, within;
    tni_walk_start(&row, kept - 1, graph->shape, argument->strides, NULL,
                   first / graph->shape[kept - 1]);
    for (int64_t done = 0, now, at = first % graph->shape[kept - 1]; done < rows; done += now) {
        now = graph->shape[kept - 1] - at < rows - done ? graph->shape[kept - 1] - at : rows - done;
        const int64_t step = argument->strides[kept - 1];
        const bool is_across =
            run == 1 || (tni_magnitude(step) < tni_magnitude(argument->strides[last]) && now >= 8);
        tni_walk_start(&within, reduced, &graph->shape[kept], &argument->strides[kept], NULL, 0);
        for (int64_t k_run = 0; k_run < runs; k_run++) {
            char *array = argument->data + row.offsets[0] + at * step + within.offsets[0];
            char *slot = packed->at + done * packed->row + k_run * run * size;
            const int64_t outer = is_across ? run : now, n = is_across ? now : run;
            const int64_t by_array = is_across ? step : argument->strides[last];
            const int64_t by_slot = is_across ? packed->row : size;
            for (int64_t j = 0; j < outer; j++) {
                char *from = array + j * (is_across ? argument->strides[last] : step);
                char *to = slot + j * (is_across ? size : packed->row);
                char *places[2] = {gathers ? from : to, gathers ? to : from};
                int64_t by[2] = {gathers ? by_array : by_slot, gathers ? by_slot : by_array};
                copy(places, by, n);
            }
            if (k_run + 1 < runs) tni_walk_next(&within);
        }
        at = 0;
        if (done + now < rows) tni_walk_next(&row);
    }
}

/* The arguments of an operation: where they are, and from one element, and row, to the next. */
typedef struct arguments {
    int count, streamed; /* the first that goes past the caches, or count */
    char *at[TNI_OPERATION_ARGUMENTS];
    int64_t by[TNI_OPERATION_ARGUMENTS], row[TNI_OPERATION_ARGUMENTS];
} arguments;

static void find_arguments(arguments *a, const tni_operation *operation, const place *places,
                           bool of_rows) {
    a->at[0] = NULL, a->by[0] = 0;
    a->count = a->streamed = operation->count + operation->made;
    for (int j = a->count - 1; j >= 0; j--) {
        const place *of = &places[j < operation->count ? operation->from[j]
                                                       : operation->to[j - operation->count]];
        a->at[j] = of->at;
        a->by[j] = of_rows ? of->row : of->stride;
        a->row[j] = of->row;
        if (of->streams) a->streamed = j;
    }
}

/* Elements up to a place where a vector may begin, then all others, past the caches. */
static void run_streamed(const tni_operation *operation, const arguments *a, const place *places,
                         int64_t n) {
    arguments now;
    const int64_t size = a->by[a->streamed];
    int64_t head = (int64_t)(-(uintptr_t)a->at[a->streamed] % STREAM_ALIGNMENT) / size;
    if (head > n) head = n;
    if (head > 0) tni_operation_run(operation, a->at, a->by, head);
    for (int j = 0; j < a->count; j++) {
        now.at[j] = a->at[j] + head * a->by[j];
        now.by[j] = a->by[j];
        if (j >= operation->count && places[operation->to[j - operation->count]].streams &&
            (uintptr_t)now.at[j] % STREAM_ALIGNMENT == 0)
            now.by[j] = TNI_STREAMED;
    }
    if (head < n) tni_operation_run(operation, now.at, now.by, n - head);
}

/* `count` times n elements: of one row after the other, or of rows. */
static void run_loop(const tni_operation *operation, const place *places, int64_t count, int64_t n,
                     bool of_rows) {
    arguments a;
    find_arguments(&a, operation, places, of_rows);
    for (; count > 0; count--) {
        if (a.streamed < a.count)
            run_streamed(operation, &a, places, n);
        else
            tni_operation_run(operation, a.at, a.by, n);
        for (int j = 0; j < a.count; j++)
            a.at[j] += a.row[j];
    }
}

/* Asks for a part of what the block from row `first` on reads, before it is its turn: as many parts
 * as there are operations. Rows that are a block each are too short for the processor to see. */
static void fetch(const interpreter *p, int64_t first, int64_t rows, int part) {
    const tni_fused_rows *call = p->call;
    for (int k = 0; k < call->graph.input_count; k++) {
        const lying *lies = &p->lies[k];
        const int64_t bytes = rows * lies->row;
        if (!call->graph.arguments[k].data || lies->is_apart || lies->stride == 0) continue;
        const char *from = call->graph.arguments[k].data + first * lies->row;
        const int64_t begin = bytes * part / p->operations.count;
        const int64_t end = bytes * (part + 1) / p->operations.count;
        for (int64_t at = begin & -LINE_BYTES; at < end; at += LINE_BYTES)
            __builtin_prefetch(from + at);
    }
}

static void copy_bytes(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

static void write_output(const interpreter *p, int o, const place *from, int64_t first,
                         int64_t rows) {
    const int k = p->call->graph.input_count + o;
    const lying *lies = &p->lies[k];
    const bool is_row = p->call->is_row[p->call->graph.outputs[o]];
    const int64_t size = tni_dtype_size(p->call->graph.arguments[k].dtype);
    int64_t bytes = is_row ? size : size * p->call->length;
    if (lies->is_apart) {
        move(p, k, from, first, rows, false);
        return;
    }
    if (lies->row == bytes && from->row == bytes) { /* all at once */
        bytes *= rows;
        rows = 1;
    }
    char *to = p->call->graph.arguments[k].data + first * lies->row;
    for (int64_t row = 0; row < rows; row++)
        (p->streams && !is_row ? tni_stream_copy : copy_bytes)(
            to + row * lies->row, from->at + row * from->row, (size_t)bytes);
}

static tn_status run_block(const interpreter *p, tni_row_folding *folds, char *slots, int64_t first,
                           int64_t rows) {
    const tni_expression *graph = &p->call->graph;
    const int64_t length = p->call->length;
    place places[TNI_EXPRESSION_VALUES];
    find_places(p, places, slots, first);
    for (int k = 0; k < graph->input_count; k++)
        if (p->lies[k].is_apart) move(p, k, &places[k], first, rows, true);
    for (int k = 0; k < p->operations.count; k++) {
        const tni_operation *operation = &p->operations.list[k];
        if (p->streams && first + rows < p->call->rows) fetch(p, first + rows, rows, k);
        switch ((way)p->ways[k]) {
        case FOLD:
            TNI_TRY(tni_row_fold_run(&folds[p->number[*operation->to]], &places[operation->from[0]],
                                     &places[*operation->to], rows));
            break;
        case IN_CHAIN:
            tni_row_folds_in_chain(operation, places, folds, p->number, rows, length);
            break;
        case AT_ONCE: run_loop(operation, places, 1, rows * length, false); break;
        case BY_ROWS: run_loop(operation, places, rows, length, false); break;
        case OF_ROWS: run_loop(operation, places, 1, rows, true); break;
        }
    }
    for (int o = 0; o < graph->output_count; o++)
        if (p->direct[graph->outputs[o]] != o)
            write_output(p, o, &places[graph->outputs[o]], first, rows);
    return TN_OK;
}

/* --- All blocks --- */

static int64_t rows_of(const interpreter *p, int64_t block) {
    int64_t left = p->call->rows - block * p->block;
    return left < p->block ? left : p->block;
}

static void run_blocks(void *context, int64_t begin, int64_t end) {
    interpreter *p = context;
    tni_row_folding folds[TNI_ROW_FOLDS];
    char *slots = tni_scratch(TNI_SLOT_ROWS, (size_t)p->bytes);
    tn_status status = slots || !p->bytes ? TN_OK : TN_ERROR_MEMORY;
    for (int k = 0; k < p->call->fold_count; k++)
        tni_row_fold_begin(&folds[k], &p->call->folds[k], p->call->length);
    for (int64_t at = begin; at < end && status == TN_OK; at++)
        status = run_block(p, folds, slots, at * p->block, rows_of(p, at));
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
        tni_parallel_units(p.blocks, p.block * call->length * call->graph.step_count / 8,
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
