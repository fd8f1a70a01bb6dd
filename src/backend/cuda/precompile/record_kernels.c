/* Records the programs of ordinary calls, which a package carries compiled and `cache.warm()`
 * compiles:
 *
 *     record_kernels RECORD DRIVER NVRTC
 *
 * The calls are made on DRIVER, the library that is the double of the driver and runs no kernel,
 * and NVRTC, NVRTC's double, writes the text of each program to the file RECORD. Calls are rules:
 * operations, dtypes and layouts, the likeliest first; a kernel that two of them want is recorded
 * once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenorite/tenorite.h>

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

enum { MANY = 1 << 20, ROWS = 1024, COLUMNS = 1024, FEW = 100 };

/* --- Arrays that a call uses, released after it --- */

static tn_array *kept[32];
static int kept_count;

static void must(tn_status status) {
    if (status == TN_OK) return;
    fprintf(stderr, "record_kernels: %s\n", tn_error_message());
    exit(1);
}

static tn_array *keep(tn_array *array) {
    return kept[kept_count++] = array;
}

static void release_all(void) {
    while (kept_count)
        tn_array_release(kept[--kept_count]);
}

/* rows 0: of one dimension. */
static tn_array *make(tn_dtype dtype, int64_t rows, int64_t columns) {
    tn_array *made = NULL;
    const int64_t shape[] = {rows, columns};
    must(tn_array_new(&made, dtype, rows ? 2 : 1, rows ? shape : shape + 1, TN_ORDER_C, NULL));
    return keep(made);
}

/* array[..., start:stop:step]; stop 0: to the end. */
static tn_array *slice(const tn_array *array, int64_t start, int64_t stop, int64_t step) {
    tn_array *made = NULL;
    const tn_index items[] = {{.kind = TN_INDEX_ELLIPSIS},
                              {TN_INDEX_SLICE, start, stop, step, true, stop != 0}};
    must(tn_array_slice(&made, array, 2, items));
    return keep(made);
}

static tn_array *transpose(const tn_array *array) {
    tn_array *made = NULL;
    must(tn_array_transpose(&made, array, 0, NULL));
    return keep(made);
}

static tn_operand scalar_of(tn_dtype dtype) {
    return tn_operand_scalar(dtype == TN_B8    ? tn_scalar_bool(true)
                             : dtype >= TN_F16 ? tn_scalar_weak_float(2.5)
                                               : tn_scalar_weak_int(3));
}

/* --- Layouts of element-wise calls: which inputs are scalars, and one that lies specially --- */

enum { PLAIN, STEPPED, PART, ROW, COLUMN, TRANSPOSED, SHIFTED, SINGLE };
enum { OUTPUT = 8 }; /* the first output is given, and it is what lies specially */

#define LAYOUTS                                                                                    \
    LAYOUT(FLAT, 0, MANY, 0, 0, PLAIN)                                                             \
    LAYOUT(SCALAR_SECOND, 0, MANY, 2, 0, PLAIN)                                                    \
    LAYOUT(SCALAR_FIRST, 0, MANY, 1, 0, PLAIN)                                                     \
    LAYOUT(SCALAR_THIRD, 0, MANY, 4, 0, PLAIN)                                                     \
    LAYOUT(SCALARS_AFTER_FIRST, 0, MANY, 14, 0, PLAIN)                                             \
    LAYOUT(SCALARS_AFTER_SECOND, 0, MANY, 12, 0, PLAIN)                                            \
    LAYOUT(ONE_SECOND, 0, MANY, 0, 1, SINGLE)                                                      \
    LAYOUT(STEP, 0, MANY, 0, 0, STEPPED)                                                           \
    LAYOUT(STEP_SCALAR, 0, MANY, 2, 0, STEPPED)                                                    \
    LAYOUT(TO_STEP, 0, MANY, 0, OUTPUT, STEPPED)                                                   \
    LAYOUT(SCALAR_TO_STEP, 0, MANY, 1, OUTPUT, STEPPED)                                            \
    LAYOUT(ODD_STEP, 0, MANY + 1, 0, 0, STEPPED)                                                   \
    LAYOUT(SCALAR_TO_ODD_STEP, 0, MANY + 1, 1, OUTPUT, STEPPED)                                    \
    LAYOUT(ROW_SECOND, ROWS, COLUMNS, 0, 1, ROW)                                                   \
    LAYOUT(COLUMN_SECOND, ROWS, COLUMNS, 0, 1, COLUMN)                                             \
    LAYOUT(SHORT_ROW, ROWS, FEW, 0, 1, ROW)                                                        \
    LAYOUT(SHORT_COLUMN, ROWS, FEW, 0, 1, COLUMN)                                                  \
    LAYOUT(TRANSPOSED_SECOND, ROWS, COLUMNS, 0, 1, TRANSPOSED)                                     \
    LAYOUT(TRANSPOSED_FIRST, ROWS, COLUMNS, 0, 0, TRANSPOSED)                                      \
    LAYOUT(SHIFT, 0, MANY, 0, 0, SHIFTED)                                                          \
    LAYOUT(PART_SCALAR, ROWS, COLUMNS, 2, 0, PART)                                                 \
    LAYOUT(OF_PART, ROWS, COLUMNS, 0, 0, PART)                                                     \
    LAYOUT(TO_PART, ROWS, COLUMNS, 0, OUTPUT, PART)                                                \
    LAYOUT(SCALAR_TO_PART, ROWS, COLUMNS, 1, OUTPUT, PART)                                         \
    LAYOUT(OF_ODD_PART, ROWS, COLUMNS - 1, 0, 0, PART)                                             \
    LAYOUT(SCALAR_TO_ODD_PART, ROWS, COLUMNS - 1, 1, OUTPUT, PART)

/* A set of layouts is the sum of these. */
enum {
#define LAYOUT(name, ...) bit_of_##name,
    LAYOUTS
#undef LAYOUT
#define LAYOUT(name, ...) name = 1 << bit_of_##name,
        LAYOUTS
#undef LAYOUT
};

typedef struct layout {
    int rows, columns, scalars, special, how;
} layout;
static const layout layouts[] = {
#define LAYOUT(name, ...) {__VA_ARGS__},
    LAYOUTS
#undef LAYOUT
};

static tn_array *lay_out(tn_dtype dtype, const layout *layout, int how) {
    const int64_t rows = layout->rows, columns = layout->columns;
    switch (how) {
    case STEPPED: return slice(make(dtype, rows, 2 * columns), 0, 0, 2);
    case PART: return slice(make(dtype, rows, 2 * COLUMNS), 0, columns, 1);
    case ROW: return make(dtype, 0, columns);
    case COLUMN: return make(dtype, rows, 1);
    case TRANSPOSED: return transpose(make(dtype, columns, rows));
    case SHIFTED: return slice(make(dtype, rows, columns + 1), 1, 0, 1);
    case SINGLE: return make(dtype, 0, 1);
    default: return make(dtype, rows, columns);
    }
}

/* Argument `k` of a call; a given output is OUTPUT. */
static tn_array *argument(tn_dtype dtype, const layout *layout, int k) {
    return lay_out(dtype, layout, k == layout->special ? layout->how : PLAIN);
}

static tn_operand operand(tn_dtype dtype, const layout *layout, int k) {
    return layout->scalars >> k & 1 ? scalar_of(dtype)
                                    : tn_operand_array(argument(dtype, layout, k));
}

/* --- Calls: `what` is an operation or the like, `layout` the number of a bit of the rule --- */

static void call_op(int what, const tn_dtype *dtypes, const layout *layout) {
    tn_op op = (tn_op)what;
    tn_operand inputs[TN_MAX_OPERANDS];
    tn_array *outputs[TN_MAX_OPERANDS] = {NULL};
    tn_dtype loop[TN_MAX_OPERANDS];
    const tn_elementwise_options options = TN_ELEMENTWISE_DEFAULTS;
    for (int k = 0; k < tn_op_inputs(op); k++)
        inputs[k] = operand(dtypes[k], layout, k);
    const tn_status status = tn_op_resolve(loop, op, inputs, TN_DTYPE_NONE, TN_CASTING_SAME_KIND);
    if (status && !tn_op_is_ufunc(op)) return; /* signs that are mixed are not those of scalars */
    must(status);
    if (layout->special == OUTPUT)
        outputs[0] = tn_array_retain(argument(loop[tn_op_inputs(op)], layout, OUTPUT));
    must(tn_elementwise(outputs, op, inputs, &options, NULL));
    for (int k = 0; k < tn_op_outputs(op); k++)
        keep(outputs[k]);
}

/* The dtypes of the inputs of the operation's own loop for the dtype; false: there is none. */
static bool find_loop(tn_dtype *dtypes, tn_op op, tn_dtype dtype) {
    const char *types;
    for (int loop = 0; (types = tn_op_types(op, loop)); loop++) {
        for (int k = 0; k < tn_op_inputs(op); k++)
            for (int d = 0; d < TN_DTYPE_COUNT; d++)
                if (tn_dtype_char((tn_dtype)d) == types[k]) dtypes[k] = (tn_dtype)d;
        if (dtypes[op == TN_OP_WHERE] == dtype) return true;
    }
    return false;
}

static void call_own(int what, tn_dtype dtype, int layout) {
    tn_dtype dtypes[TN_MAX_OPERANDS];
    if (find_loop(dtypes, (tn_op)what, dtype)) call_op(what, dtypes, &layouts[layout]);
}

/* Of one dtype, for which there may be no loop. */
static void call_any(int what, tn_dtype dtype, int layout) {
    const tn_dtype dtypes[] = {dtype, dtype, TN_F64, TN_F64};
    call_op(what, dtypes, &layouts[layout]);
}

/* The first operand beside doubles. */
static void call_mixed(int what, tn_dtype dtype, int layout) {
    const tn_dtype dtypes[] = {dtype, TN_F64};
    call_op(what, dtypes, &layouts[layout]);
}

static void call_copy(int what, tn_dtype dtype, int number) {
    const layout *layout = &layouts[number];
    tn_array *copy = NULL;
    (void)what;
    if (layout->special != OUTPUT && !layout->scalars)
        must(tn_array_astype(&copy, argument(dtype, layout, 0), dtype, TN_ORDER_C, TN_CASTING_SAFE,
                             TN_COPY_ALWAYS, NULL));
    else if (layout->scalars)
        must(tn_array_fill(argument(dtype, layout, OUTPUT), scalar_of(dtype).scalar, NULL));
    else
        must(tn_array_assign(argument(dtype, layout, OUTPUT), argument(dtype, layout, 0),
                             TN_CASTING_SAFE, NULL));
    keep(copy);
}

/* `what`: the dtype that is made. */
static void call_cast(int what, tn_dtype dtype, int layout) {
    tn_array *copy = NULL;
    must(tn_array_astype(&copy, argument(dtype, &layouts[layout], 0), (tn_dtype)what, TN_ORDER_C,
                         TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL));
    keep(copy);
}

/* --- Reductions and scans --- */

#define SHAPES                                                                                     \
    SHAPE(ALL, 0, MANY, 0)                                                                         \
    SHAPE(ALL_OF_FEW, 0, 1000, 0)                                                                  \
    SHAPE(LONG_ROWS, 4096, 1024, 1)                                                                \
    SHAPE(SQUARE_ROWS, 1000, 1000, 1)                                                              \
    SHAPE(SMALL_ROWS, 100, 100, 1)                                                                 \
    SHAPE(TINY_ROWS, 4, 4, 1)                                                                      \
    SHAPE(FEW_ROWS, 16, MANY / 4, 1)                                                               \
    SHAPE(SHORT_ROWS, 100000, 10, 1)                                                               \
    SHAPE(LONG_COLUMNS, 4096, 1024, 0)                                                             \
    SHAPE(SQUARE_COLUMNS, 1000, 1000, 0)                                                           \
    SHAPE(SMALL_COLUMNS, 100, 100, 0)                                                              \
    SHAPE(TINY_COLUMNS, 4, 4, 0)                                                                   \
    SHAPE(MANY_COLUMNS, 100, 100000, 0)

enum {
#define SHAPE(name, ...) number_of_##name,
    SHAPES
#undef SHAPE
#define SHAPE(name, ...) name = 1 << number_of_##name,
        SHAPES
#undef SHAPE
            LINES = ALL | ALL_OF_FEW,
    MAIN_SHAPES = LINES | LONG_ROWS | LONG_COLUMNS,
    EVERY_SHAPE = 2 * MANY_COLUMNS - 1
};

static const struct shape {
    int rows, columns, axis;
} shapes[] = {
#define SHAPE(name, ...) {__VA_ARGS__},
    SHAPES
#undef SHAPE
};

static tn_array *shaped(tn_dtype dtype, int shape) {
    return make(dtype, shapes[shape].rows, shapes[shape].columns);
}

static tn_reduce_options along(int shape) {
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = 1;
    options.axes = &shapes[shape].axis;
    return options;
}

static void call_reduce(int what, tn_dtype dtype, int shape) {
    const tn_reduce_options options = along(shape);
    tn_array *result = NULL;
    must(tn_reduce(&result, (tn_reduction)what, shaped(dtype, shape), &options, NULL));
    keep(result);
}

/* `what`: the order. */
static void call_norm(int what, tn_dtype dtype, int shape) {
    const tn_reduce_options options = along(shape);
    tn_array *result = NULL;
    must(tn_vector_norm(&result, shaped(dtype, shape), what, &options, NULL));
    keep(result);
}

/* The sum of what an operation makes of one array, or of two. */
static void call_sum(int what, tn_dtype dtype, int shape) {
    const tn_reduce_options options = along(shape);
    const tn_array *inputs[] = {shaped(dtype, shape), shaped(dtype, shape)};
    tn_array *result = NULL;
    must(tn_reduce_map(&result, TN_REDUCE_SUM, (tn_op)what, inputs, &options, NULL));
    keep(result);
}

static void call_argreduce(int what, tn_dtype dtype, int shape) {
    tn_array *result = NULL;
    must(tn_argreduce(&result, (tn_argreduction)what, shaped(dtype, shape), &shapes[shape].axis,
                      false, NULL));
    keep(result);
}

static void call_scan(int what, tn_dtype dtype, int shape) {
    tn_array *result = NULL;
    must(tn_scan(&result, (tn_scan_kind)what, shaped(dtype, shape), &shapes[shape].axis,
                 TN_DTYPE_NONE, false, NULL));
    keep(result);
}

/* --- Making, indexing, joining, products, sorting --- */

enum { RANGE = 1, LINSPACE = 2 };

static void call_range(int what, tn_dtype dtype, int layout) {
    const tn_scalar end = tn_scalar_weak_int(MANY), zero = tn_scalar_weak_int(0);
    double step[2];
    tn_array *result = NULL;
    (void)what;
    if (layout == 0)
        must(tn_array_new_range(&result, zero, end, tn_scalar_weak_int(1), dtype, NULL));
    else
        must(tn_array_new_linspace(&result, step, zero, end, MANY, true, dtype, NULL));
    keep(result);
}

enum { NONZERO = 1, NONZERO_2D = 2, MASK_READ = 4, MASK_WRITE = 8, MASK_ONE = 16, MASK_FILL = 32 };
enum { COUNTED = 2 }; /* what all kernels that count seem to have counted */

static void call_mask(int what, tn_dtype dtype, int layout) {
    tn_array *results[2] = {NULL, NULL}, *array = make(dtype, 0, MANY),
             *mask = make(TN_B8, 0, MANY);
    const tn_operand values =
        1 << layout == MASK_FILL
            ? scalar_of(dtype)
            : tn_operand_array(make(dtype, 0, 1 << layout == MASK_ONE ? 1 : COUNTED));
    (void)what;
    switch (1 << layout) {
    case NONZERO: must(tn_array_nonzero(results, mask, NULL)); break;
    case NONZERO_2D: must(tn_array_nonzero(results, make(dtype, ROWS, COLUMNS), NULL)); break;
    case MASK_READ: must(tn_array_compress(results, array, mask, 0, NULL)); break;
    default: must(tn_array_expand(array, mask, 0, &values, NULL));
    }
    keep(results[0]), keep(results[1]);
}

enum { TAKE = 1, TAKE_ROWS = 2, TAKE_COLUMNS = 4, TAKE_TO = 8 };
enum { PUT = 16, PUT_FEW = 32, PUT_ONE = 64, PUT_ONE_ROWS = 128 };

static void call_move(int what, tn_dtype dtype, int layout) {
    const int kind = 1 << layout, axis = kind == TAKE_COLUMNS;
    const bool is_matrix = kind & (TAKE_ROWS | TAKE_COLUMNS | PUT_ONE_ROWS);
    tn_array *result = kind == TAKE_TO ? tn_array_retain(make(dtype, 0, ROWS)) : NULL;
    tn_array *indices = make(TN_I64, 0, ROWS);
    tn_array *array = make(dtype, is_matrix ? ROWS : 0, is_matrix ? COLUMNS : ROWS);
    const tn_operand values =
        kind & (PUT_ONE | PUT_ONE_ROWS) ? scalar_of(dtype) : tn_operand_array(make(dtype, 0, ROWS));
    (void)what;
    if (kind == PUT_FEW) array = make(dtype, 0, 4 * MANY);
    if (kind < PUT)
        must(tn_array_take(&result, array, indices, axis, TN_INDEX_RAISE, NULL));
    else
        must(tn_array_put(array, indices, axis, &values, TN_INDEX_RAISE, NULL));
    keep(result);
}

enum { AT_MANY = 1, AT_FEW = 2 };

static void call_at(int what, tn_dtype dtype, int layout) {
    const tn_array *indices = make(TN_I64, 0, MANY);
    must(tn_op_at(make(dtype, 0, layout ? 1000 : MANY), (tn_op)what, 1, NULL, NULL, &indices,
                  make(dtype, 0, MANY), NULL));
}

enum { EVEN = 1, ODD = 2 };

static void call_join(int what, tn_dtype dtype, int layout) {
    const tn_array *parts[] = {make(dtype, 0, MANY + layout), make(dtype, 0, MANY + layout)};
    tn_array *result = NULL;
    (void)what;
    must(tn_array_concatenate(&result, 2, parts, 0, TN_DTYPE_NONE, TN_CASTING_SAME_KIND, NULL));
    keep(result);
}

static void call_matmul(int what, tn_dtype dtype, int layout) {
    tn_array *result = NULL, *a = make(dtype, 1024, 1024);
    (void)what, (void)layout;
    must(tn_matmul(&result, a, a, NULL, NULL));
    keep(result);
}

enum { LINE = 1, SORT_ROWS = 2, FEW_EACH = 4, SEARCH = 8 };

/* `what`: whether positions are wanted. */
static void call_sort(int what, tn_dtype dtype, int layout) {
    static const int columns[] = {4 * MANY, 1000, 10, MANY};
    const tn_sort_options options = TN_SORT_DEFAULTS;
    const bool is_line = 1 << layout & (LINE | SEARCH);
    tn_array *result = NULL, *array = make(dtype, is_line ? 0 : ROWS, columns[layout]);
    if (1 << layout == SEARCH)
        must(tn_array_searchsorted(&result, array, make(dtype, 0, MANY), false, NULL));
    else
        must((what ? tn_array_argsort : tn_array_sort)(&result, array, &options, NULL));
    keep(result);
}

/* --- Rules --- */

#define B8 (1 << TN_B8)
#define I32 (1 << TN_I32)
#define I64 (1 << TN_I64)
#define F16 (1 << TN_F16)
#define F32 (1 << TN_F32)
#define F64 (1 << TN_F64)
enum { FLOATS = F32 | F64, COMMON = I64 | FLOATS, ALL_DTYPES = B8 | I32 | F16 | COMMON };

static const tn_dtype dtypes[] = {TN_F32, TN_F64, TN_I64, TN_I32, TN_B8, TN_F16};

enum {
    BROADCASTS = ONE_SECOND | ROW_SECOND | COLUMN_SECOND | SHORT_ROW | SHORT_COLUMN,
    VIEWS = SHIFT | STEP | STEP_SCALAR | OF_PART | PART_SCALAR,
    TRANSPOSES = TRANSPOSED_FIRST | TRANSPOSED_SECOND,
    COPIES = FLAT | TRANSPOSED_SECOND | TRANSPOSED_FIRST | STEP | TO_STEP | OF_PART | TO_PART |
             ODD_STEP | OF_ODD_PART,
    FILLS = SCALAR_FIRST | SCALAR_TO_STEP | SCALAR_TO_PART | SCALAR_TO_ODD_STEP | SCALAR_TO_ODD_PART
};

/* What is done: operations, reductions or the like, or each below a number. */
enum { WHATS = 8, END = -1 };
#define EACH(count) (-1 - (count))
#define RULE(call, dtypes, layouts, ...) {call_##call, dtypes, layouts, {__VA_ARGS__, END}},
static const struct rule {
    void (*call)(int what, tn_dtype dtype, int layout);
    int dtypes, layouts, whats[WHATS];
} rules[] = {
    /* clang-format off */
    RULE(copy, ALL_DTYPES, COPIES | FILLS, 0)
    RULE(cast, ALL_DTYPES, FLAT, TN_F32, TN_F64, TN_I64, TN_I32, TN_B8, TN_F16)
    RULE(own, ALL_DTYPES, FLAT | SCALAR_SECOND, EACH(TN_OP_COUNT))
    RULE(own, COMMON, SCALAR_FIRST | BROADCASTS | VIEWS | TRANSPOSES, TN_OP_ADD, TN_OP_SUBTRACT,
         TN_OP_MULTIPLY, TN_OP_DIVIDE)
    RULE(own, COMMON, SCALAR_FIRST, TN_OP_MAXIMUM, TN_OP_MINIMUM, TN_OP_POWER, TN_OP_FLOOR_DIVIDE,
         TN_OP_REMAINDER)
    RULE(own, COMMON, ONE_SECOND, TN_OP_GREATER, TN_OP_LESS, TN_OP_EQUAL)
    RULE(own, COMMON, SCALAR_SECOND | SCALAR_THIRD | SCALARS_AFTER_FIRST, TN_OP_WHERE)
    RULE(own, COMMON, SCALARS_AFTER_FIRST, TN_OP_CLIP, TN_OP_TIME_CONVERT)
    RULE(own, FLOATS, SCALARS_AFTER_FIRST, TN_OP_NAN_TO_NUM)
    RULE(own, FLOATS, SCALARS_AFTER_SECOND, TN_OP_ISCLOSE, TN_OP_ISCLOSE_NAN)
    RULE(any, I64, SCALARS_AFTER_SECOND, TN_OP_ISCLOSE, TN_OP_ISCLOSE_NAN)
    RULE(any, I64 | I32, FLAT, TN_OP_DIVIDE, TN_OP_SQRT, TN_OP_EXP, TN_OP_LOG, TN_OP_SIN, TN_OP_COS)
    RULE(mixed, I64 | F32, FLAT, TN_OP_ADD, TN_OP_SUBTRACT, TN_OP_MULTIPLY, TN_OP_DIVIDE,
         TN_OP_POWER)
    RULE(mixed, I64, SCALAR_SECOND, TN_OP_ADD, TN_OP_SUBTRACT, TN_OP_MULTIPLY, TN_OP_DIVIDE,
         TN_OP_POWER)
    RULE(reduce, COMMON, EVERY_SHAPE, TN_REDUCE_SUM, TN_REDUCE_MEAN, TN_REDUCE_MAX, TN_REDUCE_MIN)
    RULE(reduce, B8, MAIN_SHAPES, TN_REDUCE_SUM, TN_REDUCE_ALL, TN_REDUCE_ANY,
         TN_REDUCE_COUNT_NONZERO)
    RULE(reduce, I32 | F16, LINES, TN_REDUCE_SUM, TN_REDUCE_MEAN, TN_REDUCE_MAX, TN_REDUCE_MIN)
    RULE(reduce, COMMON, MAIN_SHAPES, EACH(TN_REDUCE_COUNT))
    RULE(norm, FLOATS, MAIN_SHAPES, 1, 2)
    RULE(norm, I64 | I32, MAIN_SHAPES, 1, 2)
    RULE(sum, COMMON | I32, MAIN_SHAPES, TN_OP_MULTIPLY)
    RULE(argreduce, COMMON, MAIN_SHAPES | SQUARE_ROWS | SMALL_ROWS, TN_ARGMAX, TN_ARGMIN)
    RULE(argreduce, FLOATS, MAIN_SHAPES, TN_NANARGMAX, TN_NANARGMIN)
    RULE(scan, COMMON, EVERY_SHAPE & ~TINY_ROWS, TN_SCAN_CUMSUM)
    RULE(scan, B8 | I32, LINES, TN_SCAN_CUMSUM)
    RULE(scan, COMMON, LINES, TN_SCAN_CUMPROD)
    RULE(range, COMMON | I32, RANGE, 0)
    RULE(range, F64, LINSPACE, 0)
    RULE(mask, B8, NONZERO | NONZERO_2D, 0)
    RULE(mask, B8 | FLOATS, MASK_READ | MASK_WRITE | MASK_ONE | MASK_FILL, 0)
    RULE(move, B8 | FLOATS, 2 * PUT_ONE_ROWS - 1, 0)
    RULE(at, COMMON | I32, AT_MANY | AT_FEW, TN_OP_ADD)
    RULE(at, COMMON, AT_MANY, TN_OP_MAXIMUM, TN_OP_MINIMUM)
    RULE(join, B8 | F16 | FLOATS, EVEN | ODD, 0)
    RULE(matmul, I64 | I32, 1, 0)
    RULE(sort, COMMON, LINE | SORT_ROWS | FEW_EACH | SEARCH, false)
    RULE(sort, COMMON, LINE | FEW_EACH, true)
    /* clang-format on */
};

static void follow(const struct rule *rule, int what) {
    for (int d = 0; d < LENGTH(dtypes); d++)
        for (int layout = 0; rule->dtypes >> dtypes[d] & 1 && rule->layouts >> layout; layout++) {
            if (rule->layouts >> layout & 1) rule->call(what, dtypes[d], layout);
            release_all();
        }
}

/* --- Memory in which kernels that were not run have counted --- */

static tn_allocator pool;

static tn_status allocate(void *context, void **address, int64_t bytes, tn_device device,
                          tn_stream *stream) {
    const tn_status status = pool.allocate(context, address, bytes, device, stream);
    if (status == TN_OK) (void)tn_device_synchronize(device, -1); /* earlier work writes there */
    for (int64_t k = 0; status == TN_OK && k < bytes / 8 && k < MANY / 64; k++)
        ((int64_t *)*address)[k] = COUNTED;
    return status;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    remove(argv[1]);
    setenv("FAKE_NVRTC_RECORD", argv[1], 1);
    setenv("TENORITE_FAKE_CUDA", argv[2], 1);
    setenv("TENORITE_NVRTC_PATH", argv[3], 1);
    setenv("TENORITE_BACKEND", "cuda", 1);
    setenv("TENORITE_CACHE_DIR", "", 1);
    setenv("TENORITE_KERNEL_ARCHIVE", "", 1);
    setenv("TENORITE_COMPILE_THREADS", "0", 1);
    pool = tn_pool_allocator(tn_pool_default());
    must(tn_allocator_set(&(tn_allocator){pool.context, allocate, pool.free}));
    for (int k = 0; k < LENGTH(rules); k++) {
        const struct rule *rule = &rules[k];
        for (int j = 0; j < EACH(rule->whats[0]); j++)
            follow(rule, j);
        for (const int *what = rule->whats; *what >= 0; what++)
            follow(rule, *what);
    }
    return 0;
}
