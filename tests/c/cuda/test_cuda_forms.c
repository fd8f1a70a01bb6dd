/* Which device form the CUDA backend takes for element-wise calls, reductions and scans of which
 * shape, and with what grid: on the test double of the driver, with the real NVRTC, so the programs
 * are compiled, too. */
#include "core/rules/reduce_table.h"
#include "cuda_forms.h"
#include "forms/elementwise.h"

/* --- Element-wise --- */

/* A call whose dtypes are filled in, over this shape; strides in elements, an array for each
 * argument. */
static unsigned run(const char *form, tni_elementwise *call, int ndim, const int64_t *shape,
                    const int64_t *const *strides, int offset) {
    call->ndim = ndim;
    call->size = 1;
    for (int axis = 0; axis < ndim; axis++)
        call->size *= call->shape[axis] = shape[axis];
    for (int k = 0; k < call->input_count + call->output_count + call->masked; k++) {
        tni_argument *argument = &call->arguments[k];
        argument->data = somewhere + offset + k * 0x1000000;
        argument->loop_dtype = argument->dtype;
        for (int axis = 0; axis < ndim; axis++)
            argument->strides[axis] = tn_dtype_size(argument->dtype) * strides[k][axis];
    }
    check_ok(tni_cuda_elementwise(call, tn_stream_default(cuda0)));
    return check_form(form);
}

/* add of two f32 arrays into a third. */
static unsigned add(const char *form, int ndim, const int64_t *shape, const int64_t *a,
                    const int64_t *b, const int64_t *out, int offset) {
    tni_elementwise call = {.op = TN_OP_ADD, .dtype = TN_F32, .input_count = 2, .output_count = 1};
    for (int k = 0; k < 3; k++)
        call.arguments[k].dtype = TN_F32;
    return run(form, &call, ndim, shape, (const int64_t *[]){a, b, out}, offset);
}

static void test_elementwise(void **state) {
    (void)state;
    assert_int_equal(add("flat", 0, NULL, NULL, NULL, NULL, 0), 1);
    assert_int_equal(add("flat", 1, L(1 << 20), L(1), L(1), L(1), 0), (1 << 20) / (128 * 4));
    assert_int_equal(add("flat", 1, L(1000), L(1), L(1), L(1), 4),
                     2); /* off a vector's alignment */
    add("strided", 1, L(1000), L(2), L(1), L(1), 0);
    add("strided", 1, L(1000), L(-1), L(1), L(1), 0);
    add("rows", 2, L(1000, 256), L(256, 1), L(0, 1), L(256, 1), 0);
    add("rows", 2, L(1000, 256), L(256, 1), L(1, 0), L(256, 1), 0);
    add("strided", 2, L(1000, 16), L(16, 1), L(0, 1), L(16, 1), 0); /* too short a row */
    add("strided", 2, L(1000, 256), L(512, 1), L(256, 1), L(256, 1), 0);
    assert_int_equal(add("transpose", 2, L(128, 192), L(1, 128), L(192, 1), L(192, 1), 0), 2 * 3);
    add("transpose", 3, L(64, 32, 32), L(1, 64, 2048), L(1, 64, 2048), L(1024, 32, 1), 0);
    add("strided", 3, L(64, 16, 32), L(512, 1, 16), L(512, 1, 16), L(512, 32, 1), 0); /* small */
    add("transpose", 2, L(64, 32), L(32, 1), L(32, 1), L(1, 64), 0); /* an output by columns */
    add("strided", 3, L(4, 4, 4), L(1, 4, 16), L(1, 4, 16), L(16, 4, 1), 0);
}

/* Axes that do not collapse: in another order, and only every other element is there. */
static void test_many_axes(void **state) {
    (void)state;
    enum { AXES = 30 };
    int64_t shape[AXES], stretched[AXES], dense[AXES];
    for (int axis = 0; axis < AXES; axis++) {
        shape[axis] = 2;
        dense[axis] = INT64_C(1) << (AXES - 1 - axis);
        stretched[axis] = INT64_C(2) << ((axis * 7) % AXES);
    }
    assert_int_equal(add("strided", AXES, shape, stretched, dense, dense, 0),
                     (1 << AXES) / (2 * 256 * 4));
    assert_int_equal(add("strided", AXES, shape, stretched, stretched, dense, 0),
                     (1 << AXES) / (2 * 256 * 4));
}

/* add of f32 where a mask is true: the same forms as without it. */
static unsigned add_where(const char *form, int ndim, const int64_t *shape, const int64_t *a,
                          const int64_t *b, const int64_t *out, const int64_t *mask) {
    tni_elementwise call = {
        .op = TN_OP_ADD, .dtype = TN_F32, .input_count = 2, .output_count = 1, .masked = true};
    for (int k = 0; k < 4; k++)
        call.arguments[k].dtype = k < 3 ? TN_F32 : TN_B8;
    return run(form, &call, ndim, shape, (const int64_t *[]){a, b, out, mask}, 0);
}

static void test_masked(void **state) {
    (void)state;
    add_where("flat", 1, L(1 << 20), L(1), L(1), L(1), L(1));
    add_where("strided", 1, L(1000), L(1), L(1), L(1), L(2));
    add_where("rows", 2, L(1000, 256), L(256, 1), L(0, 1), L(256, 1), L(256, 1));
    add_where("rows", 2, L(1000, 256), L(256, 1), L(0, 1), L(256, 1), L(1, 0));
    /* A mask alone does not make it a call that reads a row again and again. */
    add_where("strided", 2, L(1000, 256), L(512, 1), L(512, 1), L(256, 1), L(0, 1));
    add_where("transpose", 2, L(128, 192), L(1, 128), L(192, 1), L(192, 1), L(192, 1));
    add_where("strided", 2, L(4, 192), L(1, 4), L(192, 1), L(192, 1), L(192, 1));
}

/* divmod, frexp and modf: two outputs, of dtypes of their own and of layouts of their own. */
static void test_two_outputs(void **state) {
    (void)state;
    static const struct {
        tn_op op;
        int inputs;
        tn_dtype dtypes[4]; /* inputs, then outputs */
    } cases[] = {
        {TN_OP_DIVMOD, 2, {TN_I32, TN_I32, TN_I32, TN_I32}},
        {TN_OP_DIVMOD, 2, {TN_F32, TN_F32, TN_F32, TN_F32}},
        {TN_OP_FREXP, 1, {TN_F64, TN_F64, TN_I32}},
        {TN_OP_MODF, 1, {TN_F16, TN_F16, TN_F16}},
    };
    static const struct {
        const char *form;
        int ndim;
        int64_t shape[2], input[2], first[2], second[2];
    } layouts[] = {
        {"flat", 1, {1 << 20}, {1}, {1}, {1}},
        {"strided", 1, {1000}, {1}, {1}, {2}},
        {"rows", 2, {1000, 256}, {0, 1}, {256, 1}, {256, 1}},
        {"rows", 2, {1000, 256}, {1, 0}, {256, 1}, {512, 1}},
        {"transpose", 2, {128, 192}, {1, 128}, {192, 1}, {192, 1}},
        {"transpose", 2, {192, 128}, {128, 1}, {1, 192}, {1, 192}}, /* outputs by columns */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
            tni_elementwise call = {
                .op = cases[c].op, .dtype = cases[c].dtypes[0], .output_count = 2};
            const int64_t *strides[4];
            call.input_count = cases[c].inputs;
            for (int at = 0; at < call.input_count + 2; at++) {
                int output = at - call.input_count;
                call.arguments[at].dtype = cases[c].dtypes[at];
                strides[at] = output < 0    ? layouts[k].input
                              : output == 0 ? layouts[k].first
                                            : layouts[k].second;
            }
            run(layouts[k].form, &call, layouts[k].ndim, layouts[k].shape, strides, 0);
        }
}

/* A scalar into an array: what filling is. */
static void test_fill(void **state) {
    (void)state;
    for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++) {
        tni_elementwise call = {
            .op = TNI_OP_COPY, .dtype = dtype, .input_count = 1, .output_count = 1};
        call.ndim = 1;
        call.size = call.shape[0] = 1 << 20;
        call.arguments[0] = (tni_argument){.dtype = dtype, .loop_dtype = dtype};
        call.arguments[1] = (tni_argument){.data = somewhere, .dtype = dtype, .loop_dtype = dtype};
        call.arguments[1].strides[0] = tn_dtype_size(dtype);
        check_ok(tni_cuda_elementwise(&call, tn_stream_default(cuda0)));
        unsigned blocks = check_form("flat");
        assert_true(blocks >= tn_dtype_size(dtype) && blocks <= 128 * tn_dtype_size(dtype));
        call.arguments[1].strides[0] *= 2;
        check_ok(tni_cuda_elementwise(&call, tn_stream_default(cuda0)));
        check_form("strided");
    }
}

static void test_conversions(void **state) {
    (void)state;
    for (int from = 0; from < TN_DTYPE_COUNT; from++) {
        tni_elementwise call = {
            .op = TNI_OP_COPY, .dtype = from, .input_count = 1, .output_count = 1};
        int to = (from * 4 + 1) % TN_DTYPE_COUNT;
        call.masked = from % 2;
        call.ndim = 1;
        call.size = call.shape[0] = 1000;
        call.arguments[0] = (tni_argument){.data = somewhere, .dtype = from, .loop_dtype = from};
        call.arguments[1] = (tni_argument){.data = somewhere, .dtype = to, .loop_dtype = to};
        call.arguments[2] = (tni_argument){.data = somewhere, .dtype = TN_B8, .loop_dtype = TN_B8};
        call.arguments[0].strides[0] = tn_dtype_size(from);
        call.arguments[1].strides[0] = tn_dtype_size(to);
        call.arguments[2].strides[0] = 1;
        check_ok(tni_cuda_elementwise(&call, tn_stream_default(cuda0)));
        check_form("flat");
    }
}

/* --- Reductions --- */

typedef struct axes {
    int ndim;
    int64_t shape[3], strides[3];
} axes;

static void describe_axes(tni_reduce *own, tn_op op, tn_dtype dtype, axes kept, axes reduced) {
    tni_reduce call = {.op = op, .output = somewhere, .input = somewhere};
    int64_t item = tn_dtype_size(dtype), out = item;
    call.is_ordered = tni_op_is_ordered(op);
    call.input_dtype = call.output_dtype = dtype;
    call.accumulator = tni_accumulator(op, dtype);
    call.kept_ndim = kept.ndim;
    call.reduced_ndim = reduced.ndim;
    call.kept_size = call.reduced_size = 1;
    for (int axis = kept.ndim - 1; axis >= 0; axis--) {
        call.kept_size *= call.kept_shape[axis] = kept.shape[axis];
        call.kept_input[axis] = item * kept.strides[axis];
        call.kept_output[axis] = out;
        out *= kept.shape[axis];
    }
    for (int axis = 0; axis < reduced.ndim; axis++) {
        call.reduced_size *= call.reduced_shape[axis] = reduced.shape[axis];
        call.reduced_input[axis] = item * reduced.strides[axis];
    }
    *own = call;
}

static unsigned reduce(const char *form, tn_op op, tn_dtype dtype, axes kept, axes reduced) {
    tni_reduce call;
    describe_axes(&call, op, dtype, kept, reduced);
    check_ok(tni_cuda_reduce(&call, tn_stream_default(cuda0)));
    return check_form(form);
}
#define NONE ((axes){0})
#define ONE(size, stride) ((axes){1, {size}, {stride}})
#define TWO(size, size2, stride, stride2) ((axes){2, {size, size2}, {stride, stride2}})

static void test_reductions(void **state) {
    (void)state;
    assert_int_equal(reduce("reduce_rows", TN_OP_ADD, TN_F32, NONE, ONE(100, 1)), 1);
    assert_true(reduce("reduce_rows", TN_OP_ADD, TN_F32, NONE, ONE(100000000, 1)) > 100);
    assert_int_equal(reduce("reduce_rows", TN_OP_ADD, TN_F32, ONE(100000, 1000), ONE(1000, 1)),
                     100000 / 8);
    assert_int_equal(reduce("reduce_short", TN_OP_ADD, TN_F32, ONE(10000000, 10), ONE(10, 1)),
                     (10000000 + 255) / 256);
    reduce("reduce_rows", TN_OP_ADD, TN_F32, ONE(1000000, 64), ONE(64, 1));
    assert_true(reduce("reduce_columns", TN_OP_ADD, TN_F32, ONE(1000, 1), ONE(100000, 1000)) > 100);
    assert_int_equal(
        reduce("reduce_columns", TN_OP_MAXIMUM, TN_F32, TWO(1000, 1000, 100000, 1), ONE(100, 1000)),
        8000);
    reduce("reduce_rows", TN_OP_ADD, TN_F32, ONE(10000000, 1), ONE(8, 10000000)); /* few rows */
    reduce("reduce_rows", TN_OP_ADD, TN_F32, ONE(100, 40), TWO(50, 40, 4000, 1));
    reduce("reduce_ordered", TN_OP_SUBTRACT, TN_F32, ONE(100, 40), ONE(40, 1));
    reduce("reduce_rows", TN_OP_LOGICAL_OR, TN_B8, NONE, ONE(1000000, 1));
    reduce("reduce_rows", TN_OP_MULTIPLY, TN_C128, NONE, ONE(1000000, 1));
    reduce("reduce_columns", TN_OP_ADD, TN_F16, ONE(1000, 1), ONE(10000, 1000));
}

/* A reduction whose statistic and flags are set, of what one step makes of an input of `from`; of
 * two with `second`, which lies `shift` bytes after a page. `step` works on `loop`. */
typedef struct mapped {
    tn_op step;
    tn_dtype from, loop, made, second; /* TN_DTYPE_NONE: the second operand is the first */
    int shift;
    tni_statistic statistic;
    int flags;
} mapped;

/* A step of the body, which makes its next value; returns that. */
static tni_value add_step(tni_body *body, tn_op op, tn_dtype loop, tn_dtype made, tni_value a,
                          tni_value b) {
    body->steps[body->step_count++] =
        (tni_expression_step){.op = (int16_t)op,
                              .dtype = (int8_t)loop,
                              .count = (int8_t)(op == TNI_OP_COPY ? 1 : tn_op_inputs(op)),
                              .made = 1,
                              .from = {a, b}};
    body->dtypes[tni_body_last(body)] = (int8_t)made;
    return tni_body_last(body);
}

static tni_value convert(tni_body *body, tni_value value, tn_dtype dtype) {
    tn_dtype own = (tn_dtype)body->dtypes[value];
    return own == dtype ? value : add_step(body, TNI_OP_COPY, own, dtype, value, 0);
}

static void reduce_body(const char *form, mapped m, axes kept, axes reduced) {
    tni_reduce call;
    bool has_two = m.second != TN_DTYPE_NONE;
    tni_body body = {.input_count = 1 + has_two, .ndim = 1};
    describe_axes(&call, TN_OP_ADD, m.made, kept, reduced);
    body.dtypes[0] = (int8_t)m.from;
    body.inputs[0] = somewhere;
    if (has_two) body.dtypes[1] = (int8_t)m.second;
    body.inputs[1] = somewhere + 4096 + m.shift;
    tni_value first = convert(&body, 0, m.loop);
    tni_value second = has_two ? convert(&body, 1, m.loop) : first;
    add_step(&body, m.step, m.loop, m.made, first, second);
    call.body = &body;
    call.statistic = m.statistic;
    call.flags = m.flags;
    if (m.flags & TNI_COUNTS) call.accumulator = call.output_dtype = TN_I64;
    check_ok(tni_cuda_reduce(&call, tn_stream_default(cuda0)));
    check_form(form);
}

static void test_bodies(void **state) {
    (void)state;
    for (tn_dtype from = 0; from < TN_DTYPE_COUNT; from++) {
        tn_dtype loop = from < TN_F16 ? TN_F64 : from, real = tn_dtype_real(loop);
        mapped m = {TN_OP_ABSOLUTE, from, loop, real, TN_DTYPE_NONE, 0, 0, 0};
        reduce_body("reduce_rows", m, NONE, ONE(100000, 1));
        reduce_body("reduce_short", m, ONE(100000, 3), ONE(3, 1));
        m.step = TN_OP_MULTIPLY;
        m.made = loop;
        reduce_body("reduce_columns", m, ONE(1000, 1), ONE(1000, 1000));
    }
}

/* Two inputs of one dtype or of two, of every size; vectors of both are aligned or not. */
static void test_bodies_of_two(void **state) {
    (void)state;
    for (tn_dtype from = 0; from < TN_DTYPE_COUNT; from++) {
        tn_dtype other = from % 2 ? from : (tn_dtype)((from * 5 + 3) % TN_DTYPE_COUNT);
        tn_dtype loop = tn_dtype_promote(from, other);
        mapped m = {TN_OP_MULTIPLY, from, loop, loop, other, 0, 0, 0};
        reduce_body("reduce_rows", m, NONE, ONE(100000, 1));
        reduce_body("reduce_columns", m, ONE(1000, 1), ONE(1000, 1000));
        m.shift = (int)tn_dtype_size(other);
        if (from % 3 == 0) {
            reduce_body("reduce_rows", m, NONE, ONE(100000, 1));
            reduce_body("reduce_short", m, ONE(100000, 3), ONE(3, 1));
        } else if (from % 3 == 1) {
            reduce_body("reduce_columns", m, ONE(1000, 1), ONE(1000, 1000));
            reduce_body("reduce_rows", m, TWO(10, 40, 6400, 160), TWO(20, 8, 1600000, 1));
        }
    }
}

/* Moments, means, NaN left out and counts of what a body makes. */
static void test_bodies_of_statistics(void **state) {
    (void)state;
    static const tni_statistic statistics[] = {TNI_STATISTIC_FOLD, TNI_STATISTIC_MEAN,
                                               TNI_STATISTIC_VAR, TNI_STATISTIC_STD};
    for (int k = 0; k < 4; k++)
        for (int flags = 0; flags <= TNI_SKIPS_NAN; flags += TNI_SKIPS_NAN) {
            mapped m = {TN_OP_SUBTRACT, TN_F32, TN_F64, TN_F64, TN_I16, 0, statistics[k], flags};
            reduce_body("reduce_rows", m, NONE, ONE(100000, 1));
            reduce_body("reduce_columns", m, ONE(1000, 1), ONE(1000, 1000));
            m = (mapped){TN_OP_ABSOLUTE, TN_C64, TN_C64,        TN_F32,
                         TN_DTYPE_NONE,  0,      statistics[k], flags};
            reduce_body("reduce_rows", m, ONE(10, 1000), ONE(1000, 1));
            reduce_body("reduce_short", m, ONE(10000, 3), ONE(3, 1));
        }
    mapped counts = {TN_OP_SUBTRACT, TN_C64, TN_C64, TN_C64, TN_C64, 0, 0, TNI_COUNTS};
    reduce_body("reduce_rows", counts, NONE, ONE(100000, 1));
}

/* Where a form without a loop would need more blocks than a grid has, another one goes. */
static void test_many_blocks(void **state) {
    (void)state;
    const int64_t many = INT64_C(1) << 31;
    add("transpose", 3, L(many - 1, 33, 32), L(0, 1, 33), L(0, 1, 33), L(1056, 32, 1), 0);
    add("strided", 3, L(many, 33, 32), L(0, 1, 33), L(0, 1, 33), L(1056, 32, 1), 0);
    reduce("reduce_columns", TN_OP_MAXIMUM, TN_I8, TWO(many - 1, 2, 0, 1), ONE(100, 2));
    reduce("reduce_rows", TN_OP_MAXIMUM, TN_I8, TWO(many, 2, 0, 1), ONE(100, 2));
}

/* --- Scans --- */

static unsigned scan(const char *form, tn_op op, int64_t length, int64_t step, int64_t lines,
                     int64_t line_step) {
    tni_scan call = {.op = op, .output = somewhere, .input = somewhere};
    call.input_dtype = call.accumulator = call.output_dtype = TN_F32;
    call.length = length;
    call.input_stride = call.output_stride = 4 * step;
    call.ndim = lines > 1;
    call.size = call.shape[0] = lines;
    call.input_strides[0] = call.output_strides[0] = 4 * line_step;
    check_ok(tni_cuda_scan(&call, tn_stream_default(cuda0)));
    return check_form(form);
}

static void test_scans(void **state) {
    (void)state;
    assert_int_equal(scan("scan_rows", TN_OP_ADD, 100, 1, 1, 0), 1);
    assert_int_equal(scan("scan_rows", TN_OP_ADD, 1 << 20, 1, 1, 0), (1 << 20) / 8192);
    assert_int_equal(scan("scan_short", TN_OP_ADD, 1000, 1, 100000, 1000), 100000 / 8);
    assert_int_equal(scan("scan_rows", TN_OP_ADD, 1000, 1, 100000, 1001), 100000);
    assert_int_equal(scan("scan_rows", TN_OP_ADD, 1000, 1, 100, 1000), 100);
    assert_int_equal(scan("scan_short", TN_OP_ADD, 10, 1, 10000, 10), 10000 / 256 + 1);
    assert_int_equal(scan("scan_columns", TN_OP_ADD, 1000, 1000, 1000, 1), 4 * 32);
    assert_int_equal(scan("scan_columns", TN_OP_ADD, 1 << 20, 10, 10, 1), (1 << 20) / (16 * 32));
    assert_int_equal(scan("scan_columns", TN_OP_ADD, 1000, 100000, 100000, 1), 100000 / 128 + 1);
    scan("scan_columns", TN_OP_SUBTRACT, 1000, 1, 1000, 1000);
    /* Products of floats go from left to right: a block a line, a thread where there are many. */
    assert_int_equal(scan("scan_product", TN_OP_MULTIPLY, 1000, 1, 100000, 1000), 100000);
    assert_int_equal(scan("scan_product", TN_OP_MULTIPLY, 1000, 1, 1, 0), 1);
    assert_true(scan("scan_product", TN_OP_MULTIPLY, 1 << 20, 1, 1, 0) > 100);
    scan("scan_columns", TN_OP_MULTIPLY, 1000, 100000, 100000, 1);
    scan("scan_columns", TN_OP_MULTIPLY, 10, 1, 10000, 10);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_elementwise),   REPLAY_NOT(test_many_axes),
        REPLAY_NOT(test_masked),        REPLAY_NOT(test_two_outputs),
        REPLAY_NOT(test_fill),          REPLAY_NOT(test_conversions),
        REPLAY_NOT(test_reductions),    REPLAY_NOT(test_bodies),
        REPLAY_NOT(test_bodies_of_two), REPLAY_NOT(test_bodies_of_statistics),
        REPLAY_NOT(test_many_blocks),   REPLAY_NOT(test_scans)};
    return RUN_WITH_NVRTC("cuda_forms", tests);
}
