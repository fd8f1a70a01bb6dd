/* Made-up calls, which are planned for the programs of their launches. Nothing lies at their
 * addresses; forms choose by alignments, sizes and strides alone. */
#include "backend/cuda/precompile/wheel_calls.h"

#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/index/indexing.h"
#include "backend/cuda/forms/plan.h"
#include "backend/cuda/precompile/wheel_kernels.h"
#include "core/rules/op.h"
#include "core/rules/reduce_table.h"
#include "forms/arange.h"
#include "forms/elementwise.h"
#include "forms/indexing.h"
#include "forms/join.h"
#include "forms/mask.h"
#include "forms/matmul.h"
#include "forms/sort.h"

#include <string.h>

enum { MANY = 1 << 22, ROWS = 4096, COLUMNS = 1024, OUTPUT = -1 };

/* Addresses where nothing lies: aligned, and apart from each other. */
static char *place(int number) {
    return (char *)((uintptr_t)(number + 1) << 32);
}

/* A device of the middle size, since grids do not count here. */
static const tni_target target = {.arch = 90, .multiprocessors = 132};

/* The program of the plan's launch of this number, if it has as many. */
static void write_program(tni_source *source, const tni_plan *plan, int number) {
    for (int k = 0; k < plan->step_count; k++) {
        const tni_step *step = &plan->steps[k];
        if (!step->key.form || number-- > 0) continue;
        const tni_program program = {&step->key, step->body};
        tni_program_write(source, &program);
        return;
    }
}

#define WRITER(name)                                                                               \
    static void write_plan_##name(tni_source *source, const struct tni_##name *call, int number) { \
        tni_plan plan;                                                                             \
        tni_plan_init(&plan, &target);                                                             \
        if (tni_plan_##name(&plan, call) == TN_OK) write_program(source, &plan, number);           \
    }
WRITER(elementwise)
WRITER(reduce)
WRITER(argreduce)
WRITER(scan)
WRITER(ufunc_at)
WRITER(take)
WRITER(put)
WRITER(compress)
WRITER(expand)
WRITER(nonzero)
WRITER(arange)
WRITER(join)
WRITER(matmul)
WRITER(sort)
WRITER(searchsorted)

/* --- Element-wise --- */

static const struct {
    int ndim, columns; /* of the call; one dimension: elements beside the many */
    unsigned scalars;  /* a bit for each argument */
    int special;       /* the argument with these strides (elements); OUTPUT: the first output */
    int strides[2];
} layouts[TNI_USUAL_LAYOUTS] = {
    [TNI_FLAT] = {1, 0, 0, 0, {1}},
    [TNI_SCALAR_SECOND] = {1, 0, 2, 0, {1}},
    [TNI_SCALAR_FIRST] = {1, 0, 1, 1, {1}},
    [TNI_SCALAR_THIRD] = {1, 0, 4, 0, {1}},
    [TNI_SCALARS_BEHIND_FIRST] = {1, 0, 14, 0, {1}},
    [TNI_SCALARS_BEHIND_SECOND] = {1, 0, 12, 0, {1}},
    [TNI_SINGLE] = {1, 0, 0, 1, {0}},
    [TNI_STEPPED] = {1, 0, 0, 0, {2}},
    [TNI_STEPPED_SCALAR] = {1, 0, 2, 0, {2}},
    [TNI_TO_STEPPED] = {1, 0, 0, OUTPUT, {2}},
    [TNI_SCALAR_TO_STEPPED] = {1, 0, 1, OUTPUT, {2}},
    [TNI_ODD_STEPPED] = {1, 1, 0, 0, {2}},
    [TNI_SCALAR_TO_ODD_STEPPED] = {1, 1, 1, OUTPUT, {2}},
    [TNI_ROW] = {2, COLUMNS, 0, 1, {0, 1}},
    [TNI_COLUMN] = {2, COLUMNS, 0, 1, {1, 0}},
    [TNI_SHORT_ROW] = {2, 100, 0, 1, {0, 1}},
    [TNI_SHORT_COLUMN] = {2, 100, 0, 1, {1, 0}},
    [TNI_TURNED] = {2, COLUMNS, 0, 1, {1, ROWS}},
    [TNI_TURNED_FIRST] = {2, COLUMNS, 0, 0, {1, ROWS}},
    [TNI_SHIFTED] = {1, 0, 0, 0, {1}},
    [TNI_PART_SCALAR] = {2, COLUMNS, 2, 0, {2 * COLUMNS, 1}},
    [TNI_PART] = {2, COLUMNS, 0, 0, {2 * COLUMNS, 1}},
    [TNI_TO_PART] = {2, COLUMNS, 0, OUTPUT, {2 * COLUMNS, 1}},
    [TNI_SCALAR_TO_PART] = {2, COLUMNS, 1, OUTPUT, {2 * COLUMNS, 1}},
    [TNI_ODD_PART] = {2, COLUMNS - 1, 0, 0, {2 * COLUMNS, 1}},
    [TNI_SCALAR_TO_ODD_PART] = {2, COLUMNS - 1, 1, OUTPUT, {2 * COLUMNS, 1}},
};

static void lay_out(tni_elementwise *call, int layout) {
    int special = layouts[layout].special;
    if (special == OUTPUT) special = call->input_count;
    if (special >= call->input_count && layouts[layout].special != OUTPUT) special = 0;
    call->ndim = layouts[layout].ndim;
    call->shape[0] = call->ndim == 1 ? MANY + layouts[layout].columns : ROWS;
    call->shape[1] = layouts[layout].columns;
    call->size = call->shape[0] * (call->ndim == 1 ? 1 : call->shape[1]);
    for (int k = 0; k < call->input_count + call->output_count; k++) {
        tni_argument *argument = &call->arguments[k];
        bool is_scalar = k < call->input_count && layouts[layout].scalars >> k & 1;
        argument->data = is_scalar ? NULL : place(k);
        if (is_scalar) argument->dtype = argument->loop_dtype;
        if (layout == TNI_SHIFTED && k == special) argument->data += tn_dtype_size(argument->dtype);
        argument->strides[0] = call->ndim == 1 ? 1 : call->shape[1];
        argument->strides[1] = 1;
        for (int axis = 0; axis < call->ndim; axis++) {
            if (k == special) argument->strides[axis] = layouts[layout].strides[axis];
            argument->strides[axis] *= tn_dtype_size(argument->dtype);
        }
    }
}

static void write_elementwise(tni_source *source, const tni_usual *usual) {
    tni_elementwise call;
    tni_loop_choice choice;
    bool is_copy = usual->kind == TNI_USUAL_COPY;
    tn_op op = is_copy ? TNI_OP_COPY : (tn_op)usual->op;
    tn_dtype dtype = (tn_dtype)usual->dtype, other = (tn_dtype)usual->other;
    memset(&call, 0, sizeof call);
    if (is_copy)
        choice = (tni_loop_choice){op, dtype, {(int8_t)dtype, (int8_t)other}};
    else
        tni_op_choose_exact(&choice, op, dtype);
    call.op = choice.op;
    call.dtype = choice.dtype;
    call.input_count = is_copy ? 1 : tn_op_inputs(op);
    call.output_count = is_copy ? 1 : tn_op_outputs(op);
    for (int k = 0; k < call.input_count + call.output_count; k++)
        call.arguments[k].dtype = call.arguments[k].loop_dtype = choice.arguments[k];
    if (usual->kind == TNI_USUAL_ELEMENTWISE && other != dtype) call.arguments[0].dtype = other;
    for (int k = 0; usual->kind == TNI_USUAL_STORED && k < call.input_count; k++)
        call.arguments[k].dtype = other;
    lay_out(&call, usual->layout);
    write_plan_elementwise(source, &call, usual->number);
}

/* --- Reductions and scans --- */

static const struct {
    int64_t kept, reduced;
    bool by_columns;
} shapes[TNI_USUAL_SHAPES] = {
    [TNI_ALL] = {1, MANY, false},
    [TNI_ALL_OF_FEW] = {1, 1000, false},
    [TNI_LONG_ROWS] = {ROWS, COLUMNS, false},
    [TNI_SQUARE_ROWS] = {1000, 1000, false},
    [TNI_SMALL_ROWS] = {100, 100, false},
    [TNI_TINY_ROWS] = {4, 4, false},
    [TNI_FEW_ROWS] = {16, 1 << 20, false},
    [TNI_SHORT_ROWS] = {100000, 10, false},
    [TNI_LONG_COLUMNS] = {COLUMNS, ROWS, true},
    [TNI_SQUARE_COLUMNS] = {1000, 1000, true},
    [TNI_SMALL_COLUMNS] = {100, 100, true},
    [TNI_TINY_COLUMNS] = {4, 4, true},
    [TNI_MANY_COLUMNS] = {100000, 100, true},
};

/* Kept and reduced axes. */
static void describe_axes(tni_reduce *call, int shape) {
    int64_t kept = shapes[shape].kept, reduced = shapes[shape].reduced;
    int64_t item = tn_dtype_size(call->input_dtype);
    bool by_columns = shapes[shape].by_columns;
    call->kept_ndim = kept > 1;
    call->reduced_ndim = 1;
    call->kept_size = call->kept_shape[0] = kept;
    call->reduced_size = call->reduced_shape[0] = reduced;
    call->kept_input[0] = by_columns ? item : reduced * item;
    call->kept_output[0] = 8;
    call->reduced_input[0] = by_columns ? kept * item : item;
    call->input = place(0);
    call->output = place(1);
}

/* The dtypes of a fold, as core/reduce/reduce.c chooses them. */
static void choose_dtypes(tni_reduce *call, const char *name) {
    tn_dtype input = call->input_dtype, loop = input;
    bool is_half = input == TN_F16 || input == TN_BF16;
    if (call->statistic == TNI_STATISTIC_FOLD) {
        if (call->flags & TNI_COUNTS)
            loop = TN_I64;
        else if (tni_reduce_dtype(&loop, call->op, input, TN_DTYPE_NONE, TN_DTYPE_NONE, name))
            loop = input;
        call->accumulator = tni_accumulator(call->op, loop);
    } else {
        loop = input < TN_F16 ? TN_F64 : input;
        call->accumulator = is_half ? TN_F32 : loop;
    }
    call->output_dtype = loop;
}

static void write_reduce(tni_source *source, const tni_usual *usual) {
    const tni_reduction_fact *fact = tni_reduction_get((tn_reduction)usual->op);
    tni_reduce call;
    memset(&call, 0, sizeof call);
    call.input_dtype = (tn_dtype)usual->dtype;
    call.op = fact->op;
    call.statistic = fact->statistic;
    call.flags = fact->flags;
    choose_dtypes(&call, fact->name);
    describe_axes(&call, usual->layout);
    write_plan_reduce(source, &call, usual->number);
}

/* The sum of what an operation makes of one input, or of two (TNI_USUAL_DOT), as norms and products
 * of vectors ask for it. */
static void write_body(tni_source *source, const tni_usual *usual) {
    int inputs = usual->kind == TNI_USUAL_DOT ? 2 : 1, count = tn_op_inputs((tn_op)usual->op);
    tni_body body = {.input_count = inputs, .step_count = 1};
    tni_loop_choice choice;
    tni_reduce call;
    memset(&call, 0, sizeof call);
    tni_op_choose_exact(&choice, (tn_op)usual->op, (tn_dtype)usual->dtype);
    body.steps[0] = (tni_body_step){choice.op,
                                    (tn_dtype)usual->dtype,
                                    choice.arguments[count],
                                    (int8_t)count,
                                    {0, (int8_t)(inputs - 1)}};
    for (int k = 0; k < inputs; k++) {
        body.dtypes[k] = (tn_dtype)usual->other;
        body.inputs[k] = place(2 * k);
    }
    call.body = &body;
    call.op = TN_OP_ADD;
    call.input_dtype = call.output_dtype = body.steps[0].result;
    call.accumulator = tni_accumulator(call.op, call.input_dtype);
    describe_axes(&call, usual->layout);
    write_plan_reduce(source, &call, usual->number);
}

static void write_argreduce(tni_source *source, const tni_usual *usual) {
    tni_reduce axes;
    tni_argreduce call;
    memset(&axes, 0, sizeof axes);
    memset(&call, 0, sizeof call);
    call.op = tni_argreduction_get((tn_argreduction)usual->op)->op;
    axes.input_dtype = call.input_dtype = (tn_dtype)usual->dtype;
    describe_axes(&axes, usual->layout);
    call.input = axes.input;
    call.output = axes.output;
    call.kept_ndim = axes.kept_ndim;
    call.reduced_ndim = axes.reduced_ndim;
    call.kept_size = call.kept_shape[0] = axes.kept_size;
    call.reduced_size = call.reduced_shape[0] = axes.reduced_size;
    call.kept_input[0] = axes.kept_input[0];
    call.kept_output[0] = axes.kept_output[0];
    call.reduced_input[0] = axes.reduced_input[0];
    write_plan_argreduce(source, &call, usual->number);
}

static void write_scan(tni_source *source, const tni_usual *usual) {
    tni_reduce axes;
    tni_scan call;
    memset(&axes, 0, sizeof axes);
    memset(&call, 0, sizeof call);
    axes.op = call.op = tni_scan_get((tn_scan_kind)usual->op)->op;
    axes.input_dtype = call.input_dtype = (tn_dtype)usual->dtype;
    choose_dtypes(&axes, "scan");
    describe_axes(&axes, usual->layout);
    call.accumulator = axes.accumulator;
    call.output_dtype = axes.output_dtype;
    call.input = axes.input;
    call.output = axes.output;
    int64_t item = tn_dtype_size(call.input_dtype), made = tn_dtype_size(call.output_dtype);
    call.length = axes.reduced_size;
    call.input_stride = axes.reduced_input[0];
    call.output_stride = call.input_stride / item * made;
    call.ndim = axes.kept_ndim;
    call.size = call.shape[0] = axes.kept_size;
    call.input_strides[0] = axes.kept_input[0];
    call.output_strides[0] = axes.kept_input[0] / item * made;
    write_plan_scan(source, &call, usual->number);
}

/* --- Making, indexing, products --- */

static void write_range(tni_source *source, const tni_usual *usual) {
    tni_arange call;
    memset(&call, 0, sizeof call);
    call.dtype = (tn_dtype)usual->dtype;
    call.to = place(0);
    call.count = MANY;
    call.is_linspace = usual->layout;
    write_plan_arange(source, &call, usual->number);
}

static void write_count(tni_source *source, const tni_usual *usual) {
    tni_nonzero call;
    memset(&call, 0, sizeof call);
    call.mask = (tni_mask){(unsigned char *)place(0), MANY, (int64_t *)(void *)place(1)};
    call.is_counting = usual->layout == TNI_MASK_COUNT;
    call.ndim = usual->layout == TNI_MASK_NONZERO_2D ? 2 : 1;
    call.shape[0] = call.ndim == 2 ? ROWS : MANY;
    call.shape[1] = COLUMNS;
    write_plan_nonzero(source, &call, usual->number);
}

static void write_mask(tni_source *source, const tni_usual *usual) {
    tni_compress read;
    tni_expand write;
    if (usual->layout <= TNI_MASK_NONZERO_2D) {
        write_count(source, usual);
        return;
    }
    memset(&read, 0, sizeof read);
    memset(&write, 0, sizeof write);
    read.mask = (tni_mask){(unsigned char *)place(0), MANY, (int64_t *)(void *)place(1)};
    read.item_bytes = write.item_bytes = tn_dtype_size((tn_dtype)usual->dtype);
    read.from = read.to = write.to = place(2);
    read.ndim = write.ndim = 1;
    read.shape[0] = write.shape[0] = MANY;
    read.strides[0] = write.strides[0] = write.values_stride = read.item_bytes;
    write.mask = read.mask;
    write.values = usual->layout == TNI_MASK_WRITE_ONE ? NULL : place(3);
    if (usual->layout == TNI_MASK_WRITE_UNCOUNTED) write.mask.offsets = NULL;
    if (usual->layout == TNI_MASK_READ)
        write_plan_compress(source, &read, usual->number);
    else
        write_plan_expand(source, &write, usual->number);
}

/* One axis that is indexed in an array of this many elements, with an axis before or after it. */
static void describe_move(tni_indexing *form, const tni_usual *usual) {
    int64_t item = tn_dtype_size((tn_dtype)usual->dtype);
    memset(form, 0, sizeof *form);
    form->item_bytes = item;
    form->array = place(0);
    form->dense = place(1);
    form->indices = place(2);
    form->index_dtype = TN_I64;
    form->index_stride = 8;
    form->mode = TN_INDEX_RAISE;
    form->axis_size = usual->layout == TNI_MOVE_PUT_FEW ? MANY : ROWS;
    form->index_count = ROWS;
    form->axis_stride = form->dense_stride = item;
    bool by_rows = usual->layout == TNI_MOVE_TAKE_ROWS || usual->layout == TNI_MOVE_PUT_ONE_ROWS;
    if (!by_rows && usual->layout != TNI_MOVE_TAKE_COLUMNS) return;
    form->ndim = 1;
    form->outer_ndim = !by_rows;
    form->shape[0] = COLUMNS;
    form->array_strides[0] = form->dense_strides[0] = by_rows ? item : item * ROWS;
    if (by_rows) form->axis_stride = form->dense_stride = item * COLUMNS;
}

static void write_move(tni_source *source, const tni_usual *usual) {
    tni_take take;
    tni_put put;
    memset(&take, 0, sizeof take);
    memset(&put, 0, sizeof put);
    describe_move(&take.form, usual);
    put.form = take.form;
    take.is_fresh = usual->layout != TNI_MOVE_CHECK;
    if (usual->layout >= TNI_MOVE_PUT_ONE) {
        put.form.dense = NULL;
        put.form.dense_stride = put.form.dense_strides[0] = 0;
    }
    if (usual->layout <= TNI_MOVE_CHECK)
        write_plan_take(source, &take, usual->number);
    else
        write_plan_put(source, &put, usual->number);
}

static void write_at(tni_source *source, const tni_usual *usual) {
    tni_ufunc_at call;
    tni_loop_choice choice;
    memset(&call, 0, sizeof call);
    tni_op_choose_exact(&choice, (tn_op)usual->op, (tn_dtype)usual->dtype);
    call.op = choice.op;
    call.dtype = choice.dtype;
    for (int k = 0; k < 3; k++)
        call.arguments[k] = choice.arguments[k];
    call.is_binary = true;
    call.array_dtype = choice.arguments[0];
    call.operand_dtype = choice.arguments[1];
    call.array = place(0);
    call.operand = place(1);
    call.index_count = 1;
    call.indices[0].data = place(2);
    call.indices[0].size = usual->layout ? 1000 : MANY;
    call.indices[0].stride = tn_dtype_size(call.array_dtype);
    call.indices[0].strides[0] = 8;
    call.ndim = 1;
    call.size = call.shape[0] = MANY;
    call.operand_strides[0] = tn_dtype_size(call.operand_dtype);
    write_plan_ufunc_at(source, &call, usual->number);
}

static void write_join(tni_source *source, const tni_usual *usual) {
    tni_join call;
    memset(&call, 0, sizeof call);
    int64_t count = usual->layout ? MANY + 1 : MANY;
    call.rows = 1;
    call.count = 2;
    call.to = place(0);
    for (int k = 0; k < call.count; k++) {
        call.parts[k].from = place(1 + k);
        call.parts[k].run_bytes = count * tn_dtype_size((tn_dtype)usual->dtype);
        call.row_bytes += call.parts[k].run_bytes;
    }
    write_plan_join(source, &call, usual->number);
}

static void write_matmul(tni_source *source, const tni_usual *usual) {
    tni_matmul call;
    int64_t item = tn_dtype_size((tn_dtype)usual->dtype);
    memset(&call, 0, sizeof call);
    call.dtype = (tn_dtype)usual->dtype;
    call.batch_count = 1;
    call.m = call.n = call.k = COLUMNS;
    call.out.data = place(0);
    call.a.data = place(1);
    call.b.data = place(2);
    call.out.row_stride = call.a.row_stride = call.b.row_stride = COLUMNS * item;
    call.out.column_stride = call.a.column_stride = call.b.column_stride = item;
    write_plan_matmul(source, &call, usual->number);
}

static void write_search(tni_source *source, const tni_usual *usual) {
    tni_searchsorted call;
    memset(&call, 0, sizeof call);
    call.dtype = (tn_dtype)usual->dtype;
    call.output = place(0);
    call.sorted = place(1);
    call.values = place(2);
    call.length = call.size = call.shape[0] = MANY;
    call.ndim = 1;
    call.sorted_stride = call.value_strides[0] = tn_dtype_size(call.dtype);
    call.output_strides[0] = sizeof(int64_t);
    write_plan_searchsorted(source, &call, usual->number);
}

static void write_sort(tni_source *source, const tni_usual *usual) {
    static const int64_t lengths[] = {[TNI_SORT_LINE] = MANY,
                                      [TNI_SORT_ROWS] = 1000,
                                      [TNI_SORT_SMALL_ROWS] = 10,
                                      [TNI_SORT_LINE_POSITIONS] = MANY,
                                      [TNI_SORT_SMALL_ROWS_POSITIONS] = 10};
    tni_sort call;
    if (usual->layout == TNI_SORT_SEARCH) {
        write_search(source, usual);
        return;
    }
    memset(&call, 0, sizeof call);
    call.dtype = (tn_dtype)usual->dtype;
    call.gives_positions = usual->layout >= TNI_SORT_LINE_POSITIONS;
    call.output = place(0);
    call.input = place(1);
    call.length = lengths[usual->layout];
    call.input_stride = tn_dtype_size(call.dtype);
    call.output_stride = call.gives_positions ? (int64_t)sizeof(int64_t) : call.input_stride;
    call.size = call.shape[0] = call.length == MANY ? 1 : ROWS;
    call.ndim = call.size > 1;
    call.input_strides[0] = call.length * call.input_stride;
    call.output_strides[0] = call.length * call.output_stride;
    write_plan_sort(source, &call, usual->number);
}

void tni_usual_write_call(tni_source *source, const tni_usual *usual) {
    static void (*const writers[])(tni_source *, const tni_usual *) = {
        [TNI_USUAL_ELEMENTWISE] = write_elementwise,
        [TNI_USUAL_STORED] = write_elementwise,
        [TNI_USUAL_COPY] = write_elementwise,
        [TNI_USUAL_REDUCE] = write_reduce,
        [TNI_USUAL_NORM] = write_body,
        [TNI_USUAL_DOT] = write_body,
        [TNI_USUAL_ARGREDUCE] = write_argreduce,
        [TNI_USUAL_SCAN] = write_scan,
        [TNI_USUAL_RANGE] = write_range,
        [TNI_USUAL_MASK] = write_mask,
        [TNI_USUAL_MOVE] = write_move,
        [TNI_USUAL_AT] = write_at,
        [TNI_USUAL_JOIN] = write_join,
        [TNI_USUAL_MATMUL] = write_matmul,
        [TNI_USUAL_SORT] = write_sort,
    };
    writers[usual->kind](source, usual);
}
