/* The form "expression" on the host: an interpreter of blocks, without a compiler.
 *
 * Algorithm: the shape is walked in blocks whose values stay in the L1 cache. Within a block each
 * step is one compiled loop of the table, over contiguous values or ones that are the same for all
 * elements (operations.h). Values live in slots.
 * Where rows are long a block is a piece of a row, and inputs that are contiguous along it are read
 * where they lie; where they are short a block spans rows, and inputs that do not lie contiguous
 * over all of them are gathered first, once for all blocks where they repeat themselves within one.
 * Other outputs are scattered after the last step, and so are those whose array an input still
 * reads. Large outputs bypass the caches.
 * Results do not depend on blocks and threads: those of the loops do not. */
#include "forms/expression.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/operations.h"
#include "backend/host/scratch.h"
#include "backend/host/table.h"
#include "backend/host/threads.h"
#include "core/array/array.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum {
    SLOTS_BYTES = 24 << 10, /* of all slots of a thread */
    SLOT_BYTES = 4 << 10,
    STREAMED_ARRAYS = 6, /* so many from memory are better read in pieces that are longer: */
    LONGER = 4,
    FEW_STEPS = 16, /* of which pieces are twice as long: more chain well (chain_loops.c), and then
                       compute so fast that all they read must be in the L1 cache */
    ROW_ELEMENTS = 256,      /* rows at least so long are walked one by one */
    SERIAL_ELEMENTS = 16384, /* of all steps; below this, one thread */
    GRAIN_ELEMENTS = 8192,
    STREAM_ALIGNMENT = 64,
    SHARES = 8,             /* blocks a thread, at least, where they are long */
    CHAINED_ELEMENTS = 1024 /* below this, looking for chains costs more than they save */
};

/* How a block reaches an argument: where it lies, or through a slot. */
typedef enum way { DIRECT, GATHERED, SCATTERED } way;

typedef struct interpreter {
    const tni_expression *call;
    int count;    /* arguments */
    bool by_rows; /* a block is a piece of a row */
    bool streams; /* outputs bypass the caches */
    int64_t columns, rows, pieces, block;
    int64_t slot_bytes, slot_most, slots_most; /* of one slot; the most of one, of all */
    int slot_count;
    uint16_t slots[TNI_EXPRESSION_VALUES]; /* of values that have one, else TNI_NO_SLOT */
    uint8_t ways[TNI_EXPRESSION_ARGUMENTS];
    bool repeats[TNI_EXPRESSION_ARGUMENTS]; /* it is gathered once for all blocks */
    int64_t period;                         /* of all that repeat, in elements; a block has some */
    int8_t direct[TNI_EXPRESSION_VALUES];   /* the output that the value is computed into, or -1 */
    int16_t last_use[TNI_EXPRESSION_VALUES];
    tni_operations operations;
    tni_loop moves[TNI_EXPRESSION_ARGUMENTS];
    atomic_bool out_of_memory;
} interpreter;

/* --- Planning --- */

static int64_t stride_of(const tni_expression *call, int k, int axis) {
    return call->arguments[k].data && call->ndim ? call->arguments[k].strides[axis] : 0;
}

/* Whether the argument's elements follow each other in the order of the walk. */
static bool is_contiguous(const tni_expression *call, int k) {
    int64_t expected = tni_dtype_size(call->arguments[k].dtype);
    for (int axis = call->ndim - 1; axis >= 0; axis--) {
        if (stride_of(call, k, axis) != expected) return false;
        expected *= call->shape[axis];
    }
    return true;
}

static bool is_one_value(const tni_expression *call, int k) {
    for (int axis = 0; axis < call->ndim; axis++)
        if (stride_of(call, k, axis)) return false;
    return true;
}

static way choose_way(const interpreter *p, int k) {
    const tni_expression *call = p->call;
    bool is_output = k >= call->input_count;
    way other = is_output ? SCATTERED : GATHERED;
    if (!is_output && is_one_value(call, k)) return DIRECT;
    if (!p->by_rows) return is_contiguous(call, k) ? DIRECT : other;
    int64_t stride = stride_of(call, k, call->ndim - 1);
    if (stride == 0 && !is_output) return DIRECT;
    return stride == tni_dtype_size(call->arguments[k].dtype) ? DIRECT : other;
}

/* Whether a step may write an output where it lies: no input there is read by a later step, nor by
 * this one if it makes two values. */
static bool may_write(const interpreter *p, int output, int step) {
    const tni_expression *call = p->call;
    const char *data = call->arguments[output].data;
    for (int k = 0; k < call->input_count; k++)
        if (call->arguments[k].data == data &&
            p->last_use[k] >= step + (p->operations.list[step].made == 1))
            return false;
    return true;
}

/* After how many elements of the walk an input repeats itself. */
static int64_t period_of(const tni_expression *call, int k) {
    int64_t period = 1;
    int axis = 0;
    while (axis < call->ndim && !stride_of(call, k, axis))
        axis++;
    for (; axis < call->ndim; axis++)
        period *= call->shape[axis];
    return period;
}

/* Inputs that are the same in each block, whose slots no other value has. A longer period is a
 * multiple of a shorter one. */
static void choose_repeats(interpreter *p) {
    const tni_expression *call = p->call;
    p->period = 1;
    for (int k = 0; k < call->input_count; k++) {
        const int64_t period = period_of(call, k);
        p->repeats[k] = p->ways[k] == GATHERED && period <= p->block && period < call->size;
        if (!p->repeats[k]) continue;
        p->last_use[k] = INT16_MAX;
        if (period > p->period) p->period = period;
    }
}

static void cut_pieces(interpreter *p) {
    if (p->block > p->columns) p->block = p->columns;
    p->block -= p->block % p->period;
    p->pieces = (p->columns + p->block - 1) / p->block;
}

/* Whether a step may write an output past the caches as it computes it: nothing reads it there. */
static bool may_stream(const interpreter *p, int output, int step) {
    const tni_expression *call = p->call;
    const char *data = call->arguments[call->input_count + output].data;
    return p->operations.list[step].chain && p->last_use[call->outputs[output]] < 0 &&
           (uintptr_t)data % STREAM_ALIGNMENT == 0;
}

/* Values that are computed straight into an output. */
static void choose_direct(interpreter *p) {
    const tni_expression *call = p->call;
    for (int value = 0; value < call->value_count; value++)
        p->direct[value] = -1;
    for (int k = 0; k < p->operations.count; k++)
        for (int made = 0; made < p->operations.list[k].made; made++) {
            int value = p->operations.list[k].to[made];
            for (int o = 0; o < call->output_count && p->direct[value] < 0; o++) {
                int at = call->input_count + o;
                if (call->outputs[o] == value && p->ways[at] == DIRECT &&
                    (!p->streams || may_stream(p, o, k)) && may_write(p, at, k))
                    p->direct[value] = (int8_t)o;
            }
        }
}

static void choose_slots(interpreter *p, const tni_steps *steps) {
    const tni_expression *call = p->call;
    bool placed[TNI_EXPRESSION_VALUES];
    int count = 0;
    memset(p->slots, 0xff, sizeof p->slots); /* TNI_NO_SLOT */
    for (int k = 0; k < call->input_count; k++)
        if (p->ways[k] == GATHERED) p->slots[k] = (uint16_t)count++;
    for (int value = 0; value < call->value_count; value++)
        placed[value] = p->direct[value] >= 0;
    p->slot_count =
        tni_operations_choose_slots(p->slots, count, p->last_use, &p->operations, steps, placed);
}

static void choose_blocks(interpreter *p) {
    const tni_expression *call = p->call;
    int64_t widest = 1, bytes = 0;
    for (int value = 0; value < call->value_count; value++) {
        int64_t size = tni_dtype_size((tn_dtype)call->dtypes[value]);
        if (size > widest) widest = size;
    }
    for (int k = 0; k < p->count; k++)
        if (!is_one_value(call, k)) bytes += call->size * tni_dtype_size(call->arguments[k].dtype);
    p->streams = bytes >= TNI_STREAM_BYTES;
    const int64_t longer = p->streams && p->count >= STREAMED_ARRAYS ? LONGER
                           : call->step_count < FEW_STEPS            ? 2
                                                                     : 1;
    p->slot_most = longer * SLOT_BYTES;
    p->slots_most = longer * SLOTS_BYTES;
    p->slot_bytes = p->slots_most / (call->step_count + call->input_count);
    if (p->slot_bytes < 1024) p->slot_bytes = 1024;
    if (p->slot_bytes > p->slot_most) p->slot_bytes = p->slot_most;
    p->by_rows = call->ndim > 1 && call->shape[call->ndim - 1] >= ROW_ELEMENTS;
    p->columns = p->by_rows || call->ndim == 1 ? call->shape[call->ndim - 1] : call->size;
    p->rows = call->size / p->columns;
    p->block = p->slot_bytes / widest;
    if (p->block > p->columns) p->block = p->columns;
}

/* Few slots make longer blocks, which cost fewer calls; none make blocks as long as threads let. */
static void lengthen_blocks(interpreter *p) {
    int64_t room = p->slots_most / (p->slot_count ? p->slot_count : 1) & ~INT64_C(63);
    int64_t most = p->slot_most;
    if (p->slot_count == 0) {
        most = p->call->size / ((int64_t)SHARES * tni_thread_count()) & ~INT64_C(63);
        most = most < p->slot_most ? p->slot_most : most > SLOTS_BYTES ? SLOTS_BYTES : most;
    }
    if (room > most) room = most;
    if (room <= p->slot_bytes) return;
    p->block = p->block < p->columns ? p->block * room / p->slot_bytes : p->block;
    p->slot_bytes = room;
}

static tn_status plan(interpreter *p, const tni_expression *call) {
    p->call = call;
    p->count = call->input_count + call->output_count;
    atomic_init(&p->out_of_memory, false);
    choose_blocks(p);
    for (int k = 0; k < p->count; k++)
        p->ways[k] = (uint8_t)choose_way(p, k);
    const tni_steps steps = tni_expression_steps(call);
    TNI_TRY(tni_operations_find(&p->operations, &steps));
    for (int k = 0; k < p->count; k++)
        p->moves[k] = tni_cast_find(call->arguments[k].dtype, call->arguments[k].dtype);
    const tni_join how = {.streams = p->streams};
    if (call->size >= CHAINED_ELEMENTS) tni_operations_join(&p->operations, &steps, &how);
    tni_operations_find_uses(p->last_use, call->value_count, &p->operations);
    choose_repeats(p);
    choose_direct(p);
    choose_slots(p, &steps);
    lengthen_blocks(p);
    cut_pieces(p);
    return TN_OK;
}

/* --- One block --- */

/* Goes on along an axis, and where that ends to the next element of the axes before it. */
static void advance(char **at, int64_t *index, const tni_expression *call, int k, int axis,
                    int64_t by) {
    for (; axis >= 0; axis--, by = 1) {
        *at += by * stride_of(call, k, axis);
        index[axis] += by;
        if (index[axis] < call->shape[axis] || axis == 0) return;
        *at -= index[axis] * stride_of(call, k, axis);
        index[axis] = 0;
    }
}

/* n elements of the argument at `at`, moved to or from a slot. */
static void move_line(const interpreter *p, int k, char *at, int64_t stride, char *slot,
                      int64_t slot_stride, int64_t n) {
    if (p->ways[k] == GATHERED)
        p->moves[k]((char *[]){at, slot}, (int64_t[]){stride, slot_stride}, n);
    else
        p->moves[k]((char *[]){slot, at}, (int64_t[]){slot_stride, stride}, n);
}

/* The argument's elements from number `first` on of the walk, moved to or from a slot where they
 * are contiguous: row by row, or column by column where rows are short and many. */
static void move_elements(const interpreter *p, int k, int64_t first, int64_t n, char *slot) {
    const tni_expression *call = p->call;
    const int last = call->ndim - 1;
    const int64_t size = tni_dtype_size(call->arguments[k].dtype), columns = call->shape[last];
    const int64_t stride = stride_of(call, k, last);
    int64_t index[TN_MAX_NDIM];
    char *at = call->arguments[k].data;
    for (int axis = last; axis >= 0; axis--) {
        index[axis] = axis ? first % call->shape[axis] : first;
        first /= call->shape[axis];
        at += index[axis] * stride_of(call, k, axis);
    }
    for (int64_t now; n > 0; n -= now, slot += now * size) {
        int64_t rows = last > 0 && index[last] == 0 ? n / columns : 0;
        if (rows > 0 && rows > call->shape[last - 1] - index[last - 1])
            rows = call->shape[last - 1] - index[last - 1];
        if (rows > columns) {
            for (int64_t c = 0; c < columns; c++)
                move_line(p, k, at + c * stride, stride_of(call, k, last - 1), slot + c * size,
                          columns * size, rows);
            now = rows * columns;
            advance(&at, index, call, k, last - 1, rows);
            continue;
        }
        now = columns - index[last];
        if (now > n) now = n;
        move_line(p, k, at, stride, slot, size, now);
        at -= index[last] * stride;
        index[last] = 0;
        advance(&at, index, call, k, last - 1, 1);
    }
}

/* Where an argument that is used in place has element number `first`. */
static char *place_of(const interpreter *p, int k, int64_t first) {
    const tni_expression *call = p->call;
    char *at = call->arguments[k].data;
    if (!at) return (char *)(uintptr_t)call->arguments[k].value;
    for (int axis = call->ndim - 1; axis >= 0; axis--) {
        at += (axis ? first % call->shape[axis] : first) * call->arguments[k].strides[axis];
        first /= call->shape[axis];
    }
    return at;
}

static void run_block(const interpreter *p, char *slots, int64_t first, int64_t n) {
    const tni_expression *call = p->call;
    char *values[TNI_EXPRESSION_VALUES];
    int64_t strides[TNI_EXPRESSION_VALUES];
    for (int value = 0; value < call->value_count; value++) {
        strides[value] = tni_dtype_size((tn_dtype)call->dtypes[value]);
        if (p->slots[value] != TNI_NO_SLOT)
            values[value] = slots + p->slots[value] * p->slot_bytes;
        else if (p->direct[value] >= 0)
            values[value] = place_of(p, call->input_count + p->direct[value], first);
        if (p->direct[value] >= 0 && p->streams && (uintptr_t)values[value] % STREAM_ALIGNMENT == 0)
            strides[value] = TNI_STREAMED;
    }
    for (int k = 0; k < call->input_count; k++) {
        if (p->ways[k] == GATHERED) {
            if (!p->repeats[k]) move_elements(p, k, first, n, values[k]);
            continue;
        }
        values[k] = place_of(p, k, first);
        if (stride_of(call, k, call->ndim - 1) == 0) strides[k] = 0;
    }
    tni_operations_run(&p->operations, values, strides, n);
    for (int o = 0; o < call->output_count; o++) {
        int k = call->input_count + o, value = call->outputs[o];
        const int64_t size = tni_dtype_size((tn_dtype)call->dtypes[value]);
        if (p->direct[value] == o) continue;
        if (p->ways[k] == SCATTERED)
            move_elements(p, k, first, n, values[value]);
        else if (p->streams)
            tni_stream_copy(place_of(p, k, first), values[value], (size_t)(n * size));
        else
            memcpy(place_of(p, k, first), values[value], (size_t)(n * size));
    }
}

/* --- All blocks --- */

static void run_blocks(void *context, int64_t begin, int64_t end) {
    interpreter *p = context;
    char *slots = tni_scratch(0, (size_t)(p->slot_count * p->slot_bytes));
    if (!slots && p->slot_count) {
        atomic_store(&p->out_of_memory, true);
        return;
    }
    for (int k = 0; k < p->call->input_count; k++)
        if (p->repeats[k]) move_elements(p, k, 0, p->block, slots + p->slots[k] * p->slot_bytes);
    for (int64_t at = begin; at < end; at++) {
        int64_t row = at / p->pieces, column = at % p->pieces * p->block;
        int64_t n = p->columns - column < p->block ? p->columns - column : p->block;
        run_block(p, slots, row * p->columns + column, n);
    }
    if (p->streams) tni_stream_finish();
}

tn_status tni_host_run_expression(void *params) {
    const tni_expression *call = params;
    interpreter p;
    TNI_TRY(plan(&p, call));
    int64_t blocks = p.rows * p.pieces, work = p.block * call->step_count;
    if (call->size * call->step_count <= SERIAL_ELEMENTS)
        run_blocks(&p, 0, blocks);
    else
        tni_parallel_short(blocks, GRAIN_ELEMENTS / work, run_blocks, &p);
    if (atomic_load(&p.out_of_memory)) return tni_fail_no_memory(p.slot_count * p.slot_bytes);
    return TN_OK;
}

tni_host_plan tni_host_plan_expression(const tni_expression *call) {
    size_t bytes = offsetof(tni_expression, arguments) +
                   (size_t)(call->input_count + call->output_count) * sizeof *call->arguments;
    return (tni_host_plan){tni_host_run_expression, call, bytes, .elements = call->size};
}
