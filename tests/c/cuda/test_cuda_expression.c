/* Expressions on CUDA: their programs compile with the real NVRTC, and a graph is one launch; on
 * the test double of the driver. */
#include "cuda_forms.h"

#include "forms/expression.h"

/* Arrays on the double's device: what they hold does not matter. */
static tn_array *array_of(tn_dtype dtype, int ndim, const int64_t *shape) {
    tn_array *made = NULL;
    check_ok(tn_array_new(&made, dtype, ndim, shape, TN_ORDER_C, tn_stream_default(cuda0)));
    return made;
}

static bool apply(int *values, tn_expression *e, tn_op op, int a) {
    int inputs[TN_MAX_OPERANDS];
    for (int k = 0; k < tn_op_inputs(op); k++)
        inputs[k] = a;
    return tn_expression_apply(values, e, op, inputs, TN_DTYPE_NONE, TN_CASTING_SAME_KIND) == TN_OK;
}

/* Operations from `first` on that the dtype has and one launch takes, each as part of a sum: all of
 * f16, whose values round at each step, and some of each other dtype. Returns the next
 * operation. */
static int run_operations(tn_dtype dtype, int first) {
    enum { MOST = 12 };
    tn_expression *e;
    int input, total = -1, count = 0, op = first;
    check_ok(tn_expression_new(&e));
    check_ok(tn_expression_input(&input, e, dtype));
    for (; op < TN_OP_COUNT && count < MOST; op++) {
        int values[2], part;
        if (dtype != TN_F16 && op % 8 != (int)dtype % 8) continue;
        if (!apply(values, e, (tn_op)op, input)) continue;
        for (int k = 0; k < tn_op_outputs((tn_op)op); k++) {
            check_ok(tn_expression_cast(&part, e, values[k], TN_F32, TN_CASTING_UNSAFE));
            if (total < 0)
                total = part;
            else
                check_ok(tn_expression_apply(&total, e, TN_OP_ADD, (int[]){total, part},
                                             TN_DTYPE_NONE, TN_CASTING_SAME_KIND));
        }
        count++;
    }
    if (count > 0 && total != input) {
        tn_array *a = array_of(dtype, 1, L(1000)), *made;
        long before = fake_cuda_launches();
        tn_operand operand = tn_operand_array(a);
        check_ok(tn_expression_output(e, total));
        check_ok(tn_expression_evaluate(&made, e, &operand, tn_stream_default(cuda0)));
        check_forms("flat", before);
        tn_array_release(made);
        tn_array_release(a);
    }
    tn_expression_release(e);
    return op;
}

static void test_operations(void **state) {
    (void)state;
    for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++)
        for (int op = 0; op < TN_OP_COUNT;)
            op = run_operations((tn_dtype)dtype, op);
}

/* sqrt(a * b + s) with a and b of these shapes. */
static void run_shapes(const char *form, int ndim, const int64_t *a_shape, const int64_t *b_shape,
                       bool turns) {
    tn_expression *e;
    int a, b, s, value;
    check_ok(tn_expression_new(&e));
    check_ok(tn_expression_input(&a, e, TN_F32));
    check_ok(tn_expression_input(&b, e, TN_F16));
    check_ok(tn_expression_parameter(&s, e, TN_F64, true));
    check_ok(tn_expression_apply(&value, e, TN_OP_MULTIPLY, (int[]){a, b}, TN_DTYPE_NONE,
                                 TN_CASTING_SAME_KIND));
    check_ok(tn_expression_apply(&value, e, TN_OP_ADD, (int[]){value, s}, TN_DTYPE_NONE,
                                 TN_CASTING_SAME_KIND));
    check_ok(
        tn_expression_apply(&value, e, TN_OP_SQRT, &value, TN_DTYPE_NONE, TN_CASTING_SAME_KIND));
    check_ok(tn_expression_output(e, value));
    tn_array *arrays[2] = {array_of(TN_F32, ndim, a_shape), array_of(TN_F16, ndim, b_shape)}, *made;
    if (turns) {
        tn_array *transposed;
        check_ok(tn_array_transpose(&transposed, arrays[1], 0, NULL));
        tn_array_release(arrays[1]);
        arrays[1] = transposed;
    }
    tn_operand operands[3] = {tn_operand_array(arrays[0]), tn_operand_array(arrays[1]),
                              tn_operand_scalar(tn_scalar_weak_float(2.5))};
    for (int k = 0; k < 2; k++) {
        check_ok(tn_expression_evaluate(&made, e, operands, tn_stream_default(cuda0)));
        check_form(form);
        tn_array_release(made);
    }
    tn_array_release(arrays[0]);
    tn_array_release(arrays[1]);
    tn_expression_release(e);
}

static void test_shapes(void **state) {
    (void)state;
    run_shapes("flat", 1, L(1000), L(1000), false);
    run_shapes("rows", 2, L(1000, 256), L(1, 256), false);
    run_shapes("strided", 2, L(100, 16), L(1, 16), false);
    run_shapes("transpose", 2, L(64, 128), L(128, 64), true);
}

/* x[...] = what; sum(x), max(x * 2 + 1) of an array of this size: what is stored is a scalar, or a
 * row, which is made as large as x for what reads it. */
static void run_stored(bool is_row, int64_t rows) {
    tn_expression *e;
    int x, what, stored, twice, values[2];
    tn_array *made[2],
        *arrays[2] = {array_of(TN_F32, 2, L(rows, 512)), array_of(TN_F32, 2, L(1, 512))};
    check_ok(tn_expression_new(&e));
    check_ok(tn_expression_input(&x, e, TN_F32));
    if (is_row)
        check_ok(tn_expression_input(&what, e, TN_F32));
    else
        check_ok(tn_expression_constant(&what, e, tn_scalar_weak_float(2.5)));
    check_ok(tn_expression_store(&stored, e, x, what, TN_CASTING_UNSAFE));
    check_ok(tn_expression_reduce(&values[0], e, TN_REDUCE_SUM, stored, NULL));
    check_ok(tn_expression_apply(&twice, e, TN_OP_MULTIPLY, (int[]){stored, stored}, TN_DTYPE_NONE,
                                 TN_CASTING_SAME_KIND));
    check_ok(tn_expression_reduce(&values[1], e, TN_REDUCE_MAX, twice, NULL));
    for (int k = 0; k < 2; k++)
        check_ok(tn_expression_output(e, values[k]));
    tn_operand operands[2] = {tn_operand_array(arrays[0]), tn_operand_array(arrays[1])};
    check_ok(tn_expression_evaluate(made, e, operands, tn_stream_default(cuda0)));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(tn_array_ndim(made[k]), 0);
        tn_array_release(made[k]);
        tn_array_release(arrays[k]);
    }
    tn_expression_release(e);
}

static void test_stored(void **state) {
    (void)state;
    for (int is_row = 0; is_row < 2; is_row++) {
        run_stored(is_row, 3);
        run_stored(is_row, 1000);
    }
}

/* --- Memory that is missing --- */

/* Axes: more than arrays have that are kept for later. */
enum { AXES = 5, ROWS = 1000, LENGTH = 1000, MADE = 6 };

static tn_status apply_two(int *value, tn_expression *e, tn_op op, int a, int b) {
    return tn_expression_apply(value, e, op, (int[]){a, b}, TN_DTYPE_NONE, TN_CASTING_SAME_KIND);
}

/* softmax(x) of rows with what it is made of, and y -= it: one pass. Also the sum of its squares,
 * with which it is several. */
static tn_status build_softmax(tn_expression *e, bool has_total) {
    int x, y, most, away, power, sum, share, less, stored, square, total;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = 1;
    options.axes = (int[]){-1};
    options.keepdims = true;
    tn_status status = tn_expression_input(&x, e, TN_F32);
    if (!status) status = tn_expression_input(&y, e, TN_F32);
    if (!status) status = tn_expression_reduce(&most, e, TN_REDUCE_MAX, x, &options);
    if (!status) status = apply_two(&away, e, TN_OP_SUBTRACT, x, most);
    if (!status) status = apply_two(&power, e, TN_OP_EXP, away, away);
    if (!status) status = tn_expression_reduce(&sum, e, TN_REDUCE_SUM, power, &options);
    if (!status) status = apply_two(&share, e, TN_OP_DIVIDE, power, sum);
    if (!status) status = apply_two(&less, e, TN_OP_SUBTRACT, y, share);
    if (!status) status = tn_expression_store(&stored, e, y, less, TN_CASTING_SAME_KIND);
    const int made[] = {share, power, sum, away, most};
    for (int k = 0; k < MADE - 1 && !status; k++)
        status = tn_expression_output(e, made[k]);
    if (status || !has_total) return status;
    status = apply_two(&square, e, TN_OP_MULTIPLY, share, share);
    if (!status) status = tn_expression_reduce(&total, e, TN_REDUCE_SUM, square, NULL);
    return status ? status : tn_expression_output(e, total);
}

static int64_t used(void) {
    return tn_pool_get_statistics(tn_pool_default(), cuda0).used_bytes;
}

/* What an evaluation that lacks memory leaves: nothing. */
static void check_left(tn_array *const *made, int64_t before) {
    for (int k = 0; k < MADE; k++)
        assert_null(made[k]);
    assert_int_equal(used(), before);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_string_equal(fake_cuda_complaint(), "");
}

/* Each allocation of an evaluation fails in turn: then it says so, or runs by other calls, and the
 * next one has what it needs. `inside` counts those of the evaluation. */
static void evaluate_failing(bool has_total, const char *forms, int *inside) {
    tn_expression *e = NULL;
    tn_array *x = NULL, *y = NULL, *made[MADE] = {NULL};
    const int64_t *shape = L(1, 1, 1, ROWS, LENGTH);
    tn_stream *stream = tn_stream_default(cuda0);
    REQUIRE_OK(tn_array_new(&x, TN_F32, AXES, shape, TN_ORDER_C, stream));
    REQUIRE_OK(tn_array_new(&y, TN_F32, AXES, shape, TN_ORDER_C, stream));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(build_softmax(e, has_total));
    const tn_operand operands[2] = {tn_operand_array(x), tn_operand_array(y)};
    const int64_t used_before = used();
    const bool was_pending = tni_alloc_fail_pending();
    long before = fake_cuda_launches();
    tn_status status = tn_expression_evaluate(made, e, operands, stream);
    const bool has_failed = was_pending && !tni_alloc_fail_pending();
    *inside += has_failed;
    if (status) {
        assert_int_equal(status, TN_ERROR_MEMORY);
        assert_true(has_failed && strlen(tn_error_message()) > 0);
        check_left(made, used_before);
        assert_true(has_total || fake_cuda_launches() == before); /* one pass: all or nothing */
        before = fake_cuda_launches();
        check_ok(tn_expression_evaluate(made, e, operands, stream));
    }
    if (status || !has_failed)
        check_forms(forms, before);
    else
        assert_true(fake_cuda_launches() > before);
    if (tni_alloc_fail_pending()) assert_true(*inside > 8); /* the last run */
cleanup:
    tn_expression_release(e);
    tn_array_release(x);
    tn_array_release(y);
    for (int k = 0; k < MADE; k++)
        tn_array_release(made[k]);
    tn_pool_trim(tn_pool_default(), cuda0, NULL);
}

static void test_failing_rows(void **state) {
    (void)state;
    static int inside;
    evaluate_failing(false, "fused_rows", &inside);
}

static void test_failing_passes(void **state) {
    (void)state;
    static int inside;
    evaluate_failing(true, "reduce_rows rows reduce_rows rows reduce_rows", &inside);
}

/* A pool that may grow by more and more, until the evaluation has what it needs. */
static void test_full_pool(void **state) {
    (void)state;
    for (int has_total = 0; has_total < 2; has_total++) {
        const int64_t *shape = L(1, 1, 1, ROWS, LENGTH), step = 1 << 20;
        tn_array *made[MADE] = {NULL};
        const tn_operand operands[2] = {tn_operand_array(array_of(TN_F32, AXES, shape)),
                                        tn_operand_array(array_of(TN_F32, AXES, shape))};
        tn_expression *e;
        check_ok(tn_expression_new(&e));
        check_ok(build_softmax(e, has_total));
        tn_status status = TN_ERROR_MEMORY;
        int failures = 0;
        for (int64_t limit = used(); status; limit += step, failures++) {
            const int64_t before = used();
            tn_pool_trim(tn_pool_default(), cuda0, NULL);
            check_ok(tn_pool_set_limit(tn_pool_default(), cuda0, limit));
            status = tn_expression_evaluate(made, e, operands, tn_stream_default(cuda0));
            if (!status) break;
            assert_int_equal(status, TN_ERROR_MEMORY);
            assert_non_null(strstr(tn_error_message(), "limit"));
            check_left(made, before);
        }
        assert_true(failures > 1);
        check_ok(tn_pool_set_limit(tn_pool_default(), cuda0, 0));
        for (int k = 0; k < MADE; k++)
            tn_array_release(made[k]);
        for (int k = 0; k < 2; k++)
            tn_array_release((tn_array *)(uintptr_t)operands[k].array);
        tn_expression_release(e);
    }
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_shapes),     REPLAY_NOT(test_stored),
                                        REPLAY_NOT(test_operations), REPLAY(test_failing_rows),
                                        REPLAY(test_failing_passes), REPLAY_NOT(test_full_pool)};
    return RUN_WITH_NVRTC("cuda expression", tests);
}
