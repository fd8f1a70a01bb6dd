/* The kernels that programs use most: made-up calls whose forms are asked for their programs.
 *
 * Decides: which operations, dtypes and layouts are worth compiling ahead. Element-wise operations on
 * contiguous arrays, binary ones with a scalar, too; some of them with a row, a column and a transposed
 * operand; conversions; reductions of everything, of rows and of columns; running sums.
 * Algorithm: the list is made once, as what differs between calls; a call is made up from it when its
 * program is wanted. */
#include "backend/cuda/usual.h"

#include "backend/cuda/form.h"
#include "backend/cuda/forms.h"
#include "core/elementwise.h"
#include "core/op.h"
#include "core/reduce.h"

#include <pthread.h>
#include <string.h>

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

enum { MANY = 1 << 22, ROWS = 4096, COLUMNS = 1024 }; /* of the made-up arrays */
enum { LIST_MAX = 4096 };

typedef enum layout { FLAT, SCALAR, ROW, COLUMN, TURNED, LAYOUTS } layout;
typedef enum kind { ELEMENTWISE, COPY, REDUCE, ARGREDUCE, SCAN } kind;

typedef struct usual {
    uint8_t kind, layout; /* of reductions: 0 everything, 1 rows, 2 columns */
    int8_t dtype, other;
    int16_t op; /* of reductions and scans: their number */
} usual;

static usual list[LIST_MAX];
static int list_length;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const tn_dtype dtypes[] = {TN_B8, TN_I32, TN_I64, TN_F16, TN_F32, TN_F64};
static const tn_dtype folded[] = {TN_I64, TN_F32, TN_F64};

static void add(kind kind, int layout, tn_dtype dtype, tn_dtype other, int op) {
    if (list_length == LIST_MAX) return;
    list[list_length++] =
        (usual){(uint8_t)kind, (uint8_t)layout, (int8_t)dtype, (int8_t)other, (int16_t)op};
}

static void add_elementwise(tn_op op, tn_dtype dtype) {
    static const tn_op common[] = {TN_OP_ADD, TN_OP_SUBTRACT, TN_OP_MULTIPLY, TN_OP_DIVIDE};
    add(ELEMENTWISE, FLAT, dtype, dtype, op);
    if (tn_op_inputs(op) != 2) return;
    add(ELEMENTWISE, SCALAR, dtype, dtype, op);
    for (int k = 0; k < LENGTH(common); k++)
        for (int layout = ROW; op == common[k] && dtype >= TN_F32 && layout < LAYOUTS; layout++)
            add(ELEMENTWISE, layout, dtype, dtype, op);
}

/* Whether it is not computed by the kernels of another: without NaN those that skip it are. */
static bool has_own_kernel(tn_reduction reduction, tn_dtype dtype) {
    const tni_reduction_fact *fact = tni_reduction_get(reduction);
    return fact->statistic != TNI_STATISTIC_PTP && !(fact->flags & TNI_SKIPS_NAN && dtype < TN_F16);
}

static void make_list(void) {
    for (int op = 0; op < TN_OP_COUNT; op++)
        for (int k = 0; k < LENGTH(dtypes); k++)
            if (tni_op_has_loop((tn_op)op, dtypes[k])) add_elementwise((tn_op)op, dtypes[k]);
    for (int k = 0; k < LENGTH(dtypes); k++)
        for (int to = 0; to < LENGTH(dtypes); to++) {
            add(COPY, FLAT, dtypes[k], dtypes[to], 0);
            if (k == to) add(COPY, SCALAR, dtypes[k], dtypes[to], 0);
            if (k == to) add(COPY, TURNED, dtypes[k], dtypes[to], 0);
        }
    for (int layout = 0; layout < 3; layout++)
        for (int k = 0; k < LENGTH(folded); k++) {
            for (int fold = 0; fold < TN_REDUCE_COUNT; fold++)
                if (has_own_kernel((tn_reduction)fold, folded[k]))
                    add(REDUCE, layout, folded[k], folded[k], fold);
            for (int fold = 0; fold < TN_ARGREDUCTION_COUNT; fold++)
                add(ARGREDUCE, layout, folded[k], folded[k], fold);
        }
    for (int k = 0; k < LENGTH(folded); k++)
        add(SCAN, 0, folded[k], folded[k], TN_SCAN_CUMSUM);
}

/* --- Calls --- */

/* Where nothing is: aligned, and apart from each other. */
static char *place(int number) {
    return (char *)((uintptr_t)(number + 1) << 32);
}

/* Argument k: contiguous, or with the layout if it is the second input (the first of a copy). */
static void lay_out(tni_argument *argument, layout layout, bool is_special, int ndim) {
    int64_t size = tn_dtype_size(argument->dtype);
    if (ndim == 1) {
        argument->strides[0] = size;
        return;
    }
    bool is_row = is_special && layout == ROW, is_column = is_special && layout == COLUMN;
    bool is_turned = is_special && layout == TURNED;
    argument->strides[0] = is_row ? 0 : is_column || is_turned ? size : size * COLUMNS;
    argument->strides[1] = is_column ? 0 : is_turned ? size * ROWS : size;
}

static tn_status run_elementwise(const void *call, tn_stream *stream) {
    return tni_cuda_elementwise(call, stream);
}
static tn_status run_reduce(const void *call, tn_stream *stream) {
    return tni_cuda_reduce(call, stream);
}
static tn_status run_argreduce(const void *call, tn_stream *stream) {
    return tni_cuda_argreduce(call, stream);
}
static tn_status run_scan(const void *call, tn_stream *stream) {
    return tni_cuda_scan(call, stream);
}

static void write_elementwise(tni_source *source, const usual *item) {
    tni_elementwise call;
    tni_loop_choice choice;
    bool is_copy = item->kind == COPY;
    tn_op op = is_copy ? TNI_OP_COPY : (tn_op)item->op;
    memset(&call, 0, sizeof call);
    if (is_copy)
        choice = (tni_loop_choice){
            op, (tn_dtype)item->dtype, {(tn_dtype)item->dtype, (tn_dtype)item->other}};
    else
        tni_op_choose_exact(&choice, op, (tn_dtype)item->dtype);
    call.op = choice.op;
    call.dtype = choice.dtype;
    call.input_count = is_copy ? 1 : tn_op_inputs(op);
    call.output_count = is_copy ? 1 : tn_op_outputs(op);
    call.ndim = item->layout >= ROW ? 2 : 1;
    call.size = MANY;
    call.shape[0] = call.ndim == 1 ? MANY : ROWS;
    call.shape[1] = COLUMNS;
    for (int k = 0; k < call.input_count + call.output_count; k++) {
        tni_argument *argument = &call.arguments[k];
        bool is_special = k == (is_copy ? 0 : 1);
        argument->dtype = argument->loop_dtype = choice.arguments[k];
        argument->data = item->layout == SCALAR && is_special ? NULL : place(k);
        lay_out(argument, (layout)item->layout, is_special, call.ndim);
    }
    tni_form_capture(source, run_elementwise, &call);
}

/* Kept and reduced axes of the three layouts. */
static void describe_axes(tni_reduce *call, int layout, int64_t item) {
    call->kept_ndim = layout > 0;
    call->reduced_ndim = 1;
    call->kept_size = call->kept_shape[0] = layout == 0 ? 1 : layout == 1 ? ROWS : COLUMNS;
    call->reduced_size = call->reduced_shape[0] = layout == 0 ? MANY : layout == 1 ? COLUMNS : ROWS;
    call->kept_input[0] = layout == 1 ? COLUMNS * item : item;
    call->kept_output[0] = 8;
    call->reduced_input[0] = layout == 2 ? COLUMNS * item : item;
}

static void write_reduce(tni_source *source, const usual *item) {
    const tni_reduction_fact *fact = tni_reduction_get((tn_reduction)item->op);
    tni_reduce call;
    memset(&call, 0, sizeof call);
    call.input_dtype = (tn_dtype)item->dtype;
    bool is_float = call.input_dtype >= TN_F16;
    call.op = fact->op;
    call.statistic = fact->statistic;
    call.flags = fact->flags;
    call.accumulator =
        call.statistic != TNI_STATISTIC_FOLD && !is_float ? TN_F64 : call.input_dtype;
    if (call.flags & TNI_COUNTS) call.accumulator = TN_I64;
    if (fact->op == TN_OP_LOGICAL_AND || fact->op == TN_OP_LOGICAL_OR) call.accumulator = TN_B8;
    call.output_dtype = call.accumulator;
    call.input = place(0);
    call.output = place(1);
    describe_axes(&call, item->layout, tn_dtype_size(call.input_dtype));
    tni_form_capture(source, run_reduce, &call);
}

static void write_argreduce(tni_source *source, const usual *item) {
    const tni_reduction_fact *fact = tni_argreduction_get((tn_argreduction)item->op);
    tni_reduce axes;
    tni_argreduce call;
    memset(&axes, 0, sizeof axes);
    memset(&call, 0, sizeof call);
    call.op = fact->op;
    call.input_dtype = (tn_dtype)item->dtype;
    call.input = place(0);
    call.output = place(1);
    describe_axes(&axes, item->layout, tn_dtype_size(call.input_dtype));
    call.kept_ndim = axes.kept_ndim;
    call.reduced_ndim = axes.reduced_ndim;
    call.kept_size = call.kept_shape[0] = axes.kept_size;
    call.reduced_size = call.reduced_shape[0] = axes.reduced_size;
    call.kept_input[0] = axes.kept_input[0];
    call.kept_output[0] = axes.kept_output[0];
    call.reduced_input[0] = axes.reduced_input[0];
    tni_form_capture(source, run_argreduce, &call);
}

static void write_scan(tni_source *source, const usual *item) {
    tni_scan call;
    memset(&call, 0, sizeof call);
    call.op = tni_scan_get((tn_scan_kind)item->op)->op;
    call.input_dtype = call.accumulator = call.output_dtype = (tn_dtype)item->dtype;
    call.input = place(0);
    call.output = place(1);
    call.length = MANY;
    call.input_stride = call.output_stride = tn_dtype_size(call.input_dtype);
    call.size = 1;
    tni_form_capture(source, run_scan, &call);
}

/* --- The list --- */

int tni_usual_count(void) {
    pthread_once(&once, make_list);
    return list_length;
}

void tni_usual_write(tni_source *source, int number) {
    pthread_once(&once, make_list);
    const usual *item = &list[number];
    switch ((kind)item->kind) {
    case ELEMENTWISE:
    case COPY: write_elementwise(source, item); break;
    case REDUCE: write_reduce(source, item); break;
    case ARGREDUCE: write_argreduce(source, item); break;
    case SCAN: write_scan(source, item); break;
    }
}
