/* Expressions: graphs of operations, evaluated fused, against the same operations one by one. */
#include "replay.h"

#include <tenorite/expression.h>

static tn_status floats(tn_array **result, int count, const float *values) {
    int64_t shape[1] = {count};
    return tn_array_new_from_host(result, values, TN_F32, 1, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status check_floats(const tn_array *array, int count, const float *expected) {
    float read[64];
    assert_int_equal(tn_array_dtype(array), TN_F32);
    assert_int_equal(tn_array_size(array), count);
    tn_status status = tn_array_read(read, NULL, array, NULL);
    for (int k = 0; k < count && !status; k++)
        assert_true(read[k] == expected[k]);
    return status;
}

static tn_status apply(int *value, tn_expression *e, tn_op op, int a, int b) {
    return tn_expression_apply(value, e, op, (const int[]){a, b}, TN_DTYPE_NONE,
                               TN_CASTING_SAME_KIND);
}

/* 2 * (a + b) - a */
static tn_status build_chain(tn_expression *e, int *last) {
    int a, b, two, sum, product;
    tn_status status = tn_expression_input(&a, e, TN_F32);
    if (!status) status = tn_expression_input(&b, e, TN_F32);
    if (!status) status = tn_expression_constant(&two, e, tn_scalar_weak_int(2));
    if (!status) status = apply(&sum, e, TN_OP_ADD, a, b);
    if (!status) status = apply(&product, e, TN_OP_MULTIPLY, two, sum);
    return status ? status : apply(last, e, TN_OP_SUBTRACT, product, a);
}

static void test_chain(void **state) {
    (void)state;
    tn_expression *e = NULL, *same = NULL;
    tn_array *a = NULL, *b = NULL, *made[1] = {NULL};
    int last;
    REQUIRE_OK(floats(&a, 3, (float[]){1, 2, 3}));
    REQUIRE_OK(floats(&b, 3, (float[]){10, 20, 30}));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(build_chain(e, &last));
    REQUIRE_OK(tn_expression_output(e, last));
    assert_int_equal(tn_expression_dtype(e, last), TN_F32);
    assert_int_equal(tn_expression_operand_count(e), 2);
    tn_operand operands[2] = {tn_operand_array(a), tn_operand_array(b)};
    REQUIRE_OK(tn_expression_evaluate(made, e, operands, NULL));
    REQUIRE_OK(check_floats(made[0], 3, (float[]){21, 42, 63}));
    REQUIRE_OK(tn_expression_new(&same));
    REQUIRE_OK(build_chain(same, &last));
    assert_true(tn_expression_hash(same) != tn_expression_hash(e));
    REQUIRE_OK(tn_expression_output(same, last));
    assert_true(tn_expression_hash(same) == tn_expression_hash(e));
cleanup:
    tn_expression_release(e);
    tn_expression_release(same);
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(made[0]);
}

/* A row and a column: what is computed of the row alone is made once, the rest over both. */
static void test_shapes(void **state) {
    (void)state;
    tn_expression *e = NULL;
    tn_array *row = NULL, *flat = NULL, *column = NULL, *made[2] = {NULL, NULL};
    int a, b, square, sum, total;
    REQUIRE_OK(floats(&row, 3, (float[]){1, 2, 3}));
    REQUIRE_OK(floats(&flat, 2, (float[]){10, 20}));
    REQUIRE_OK(
        tn_array_reshape(&column, flat, 2, (int64_t[]){2, 1}, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(tn_expression_input(&a, e, TN_F32));
    REQUIRE_OK(tn_expression_input(&b, e, TN_F32));
    REQUIRE_OK(apply(&square, e, TN_OP_MULTIPLY, a, a));
    REQUIRE_OK(apply(&sum, e, TN_OP_ADD, square, b));
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = 1;
    options.axes = (int[]){0};
    REQUIRE_OK(tn_expression_reduce(&total, e, TN_REDUCE_SUM, sum, &options));
    REQUIRE_OK(tn_expression_output(e, sum));
    REQUIRE_OK(tn_expression_output(e, total));
    tn_operand operands[2] = {tn_operand_array(row), tn_operand_array(column)};
    REQUIRE_OK(tn_expression_evaluate(made, e, operands, NULL));
    assert_int_equal(tn_array_ndim(made[0]), 2);
    REQUIRE_OK(check_floats(made[0], 6, (float[]){11, 14, 19, 21, 24, 29}));
    REQUIRE_OK(check_floats(made[1], 3, (float[]){32, 38, 48}));
cleanup:
    tn_expression_release(e);
    tn_array_release(row);
    tn_array_release(flat);
    tn_array_release(column);
    tn_array_release(made[0]);
    tn_array_release(made[1]);
}

/* a += b; b = a + b: stored in place, or in the order of the graph where the two overlap. */
static tn_status build_stores(tn_expression *e) {
    int a, b, sum, stored, other;
    tn_status status = tn_expression_input(&a, e, TN_F32);
    if (!status) status = tn_expression_input(&b, e, TN_F32);
    if (!status) status = apply(&sum, e, TN_OP_ADD, a, b);
    if (!status) status = tn_expression_store(&stored, e, a, sum, TN_CASTING_SAME_KIND);
    if (!status) status = apply(&other, e, TN_OP_ADD, stored, b);
    return status ? status : tn_expression_store(&stored, e, b, other, TN_CASTING_SAME_KIND);
}

static void test_stores(void **state) {
    (void)state;
    tn_expression *e = NULL;
    tn_array *a = NULL, *b = NULL, *whole = NULL, *left = NULL, *right = NULL;
    REQUIRE_OK(floats(&a, 3, (float[]){1, 2, 3}));
    REQUIRE_OK(floats(&b, 3, (float[]){10, 20, 30}));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(build_stores(e));
    tn_operand operands[2] = {tn_operand_array(a), tn_operand_array(b)};
    REQUIRE_OK(tn_expression_evaluate(NULL, e, operands, NULL));
    REQUIRE_OK(check_floats(a, 3, (float[]){11, 22, 33}));
    REQUIRE_OK(check_floats(b, 3, (float[]){21, 42, 63}));
    REQUIRE_OK(floats(&whole, 4, (float[]){1, 2, 3, 4}));
    tn_index items[1] = {{TN_INDEX_SLICE, 0, 3, 1, true, true}};
    REQUIRE_OK(tn_array_slice(&left, whole, 1, items));
    items[0].start = 1;
    items[0].stop = 4;
    REQUIRE_OK(tn_array_slice(&right, whole, 1, items));
    operands[0] = tn_operand_array(left);
    operands[1] = tn_operand_array(right);
    /* left becomes 3 5 7, and with it right 5 7 4; then right is the sum of both. */
    REQUIRE_OK(tn_expression_evaluate(NULL, e, operands, NULL));
    REQUIRE_OK(check_floats(whole, 4, (float[]){3, 8, 12, 11}));
cleanup:
    tn_expression_release(e);
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(whole);
    tn_array_release(left);
    tn_array_release(right);
}

/* x - max(x, 1)[:, None], a.T of it, and x[0] += 1 through a view. */
static tn_status build_views(tn_expression *e) {
    tn_index column[2] = {{.kind = TN_INDEX_SLICE, .step = 1}, {.kind = TN_INDEX_NEWAXIS}};
    tn_index first[1] = {{.kind = TN_INDEX_INTEGER, .start = 0}};
    int x, one, most, shown, away, transposed, row, more, stored;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = 1;
    options.axes = (int[]){1};
    tn_status status = tn_expression_input(&x, e, TN_F32);
    if (!status) status = tn_expression_constant(&one, e, tn_scalar_weak_int(1));
    if (!status) status = tn_expression_reduce(&most, e, TN_REDUCE_MAX, x, &options);
    if (!status) status = tn_expression_slice(&shown, e, most, 2, column);
    if (!status) status = apply(&away, e, TN_OP_SUBTRACT, x, shown);
    if (!status) status = tn_expression_transpose(&transposed, e, away, 0, NULL);
    if (!status) status = tn_expression_slice(&row, e, x, 1, first);
    if (!status) status = apply(&more, e, TN_OP_ADD, row, one);
    if (!status) status = tn_expression_store(&stored, e, row, more, TN_CASTING_SAME_KIND);
    if (!status) status = tn_expression_output(e, transposed);
    return status ? status : tn_expression_output(e, stored);
}

static void test_views(void **state) {
    (void)state;
    tn_expression *e = NULL, *same = NULL;
    tn_array *flat = NULL, *x = NULL, *made[2] = {NULL};
    REQUIRE_OK(floats(&flat, 6, (float[]){1, 2, 3, 6, 5, 4}));
    REQUIRE_OK(
        tn_array_reshape(&x, flat, 2, (int64_t[]){2, 3}, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(build_views(e));
    REQUIRE_OK(tn_expression_new(&same));
    REQUIRE_OK(build_views(same));
    assert_true(tn_expression_hash(same) == tn_expression_hash(e));
    assert_int_equal(tn_expression_operand_count(e), 1);
    tn_operand operand = tn_operand_array(x);
    REQUIRE_OK(tn_expression_evaluate(made, e, &operand, NULL));
    assert_int_equal(tn_array_shape(made[0])[0], 3);
    REQUIRE_OK(check_floats(made[0], 6, (float[]){-2, 0, -1, -1, 0, -2}));
    REQUIRE_OK(check_floats(flat, 6, (float[]){2, 3, 4, 6, 5, 4}));
    assert_ptr_equal(tn_array_buffer(made[1]), tn_array_buffer(flat));
    REQUIRE_OK(check_floats(made[1], 3, (float[]){2, 3, 4}));
cleanup:
    tn_expression_release(e);
    tn_expression_release(same);
    tn_array_release(flat);
    tn_array_release(x);
    tn_array_release(made[0]);
    tn_array_release(made[1]);
}

/* y = x + x; y[0] = 7; y[1:] += y[:-1]; y, sum(y) */
static tn_status build_held(tn_expression *e) {
    tn_index first[1] = {{.kind = TN_INDEX_INTEGER, .start = 0}};
    tn_index later[1] = {{TN_INDEX_SLICE, 1, 0, 1, true, false}};
    tn_index earlier[1] = {{TN_INDEX_SLICE, 0, -1, 1, false, true}};
    int x, seven, sum, y, whole, held, part, other, more, total;
    tn_status status = tn_expression_input(&x, e, TN_F32);
    if (!status) status = tn_expression_constant(&seven, e, tn_scalar_weak_int(7));
    if (!status) status = apply(&sum, e, TN_OP_ADD, x, x);
    if (!status) status = tn_expression_hold(&held, e, sum);
    if (!status) status = tn_expression_store(&whole, e, held, sum, TN_CASTING_NO);
    if (!status) status = tn_expression_slice(&part, e, held, 1, first);
    if (!status) status = tn_expression_store(&y, e, part, seven, TN_CASTING_UNSAFE);
    if (!status) status = tn_expression_slice(&part, e, held, 1, later);
    if (!status) status = tn_expression_slice(&other, e, held, 1, earlier);
    if (!status) status = apply(&more, e, TN_OP_ADD, part, other);
    if (!status) status = tn_expression_store(&y, e, part, more, TN_CASTING_SAME_KIND);
    if (!status) status = tn_expression_reduce(&total, e, TN_REDUCE_SUM, whole, NULL);
    if (!status) status = tn_expression_output(e, whole);
    return status ? status : tn_expression_output(e, total);
}

static void test_held(void **state) {
    (void)state;
    tn_expression *e = NULL, *same = NULL;
    tn_array *x = NULL, *made[2] = {NULL};
    int value, input;
    REQUIRE_OK(floats(&x, 4, (float[]){1, 2, 3, 4}));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(build_held(e));
    REQUIRE_OK(tn_expression_new(&same));
    REQUIRE_OK(build_held(same));
    assert_true(tn_expression_hash(same) == tn_expression_hash(e));
    assert_int_equal(tn_expression_operand_count(e), 1);
    tn_operand operand = tn_operand_array(x);
    REQUIRE_OK(tn_expression_evaluate(made, e, &operand, NULL));
    REQUIRE_OK(check_floats(made[0], 4, (float[]){7, 11, 10, 14}));
    REQUIRE_OK(check_floats(made[1], 1, (float[]){42}));
    REQUIRE_OK(check_floats(x, 4, (float[]){1, 2, 3, 4}));
    REQUIRE_OK(tn_expression_input(&input, same, TN_F32));
    assert_int_equal(tn_expression_hold(&value, same, input), TN_ERROR_VALUE);
    assert_int_equal(tn_expression_hold(&value, same, 1000), TN_ERROR_VALUE);
cleanup:
    tn_expression_release(e);
    tn_expression_release(same);
    tn_array_release(x);
    tn_array_release(made[0]);
    tn_array_release(made[1]);
}

/* What can't be shown fails before anything is written. */
static void test_views_that_fail(void **state) {
    (void)state;
    tn_expression *e = NULL;
    tn_array *a = NULL, *made[1] = {NULL};
    int x, one, more, stored, shown;
    tn_index fourth[1] = {{.kind = TN_INDEX_INTEGER, .start = 3}};
    REQUIRE_OK(floats(&a, 3, (float[]){1, 2, 3}));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(tn_expression_input(&x, e, TN_F32));
    REQUIRE_OK(tn_expression_constant(&one, e, tn_scalar_weak_int(1)));
    assert_int_equal(tn_expression_slice(&shown, e, one, 1, fourth), TN_ERROR_VALUE);
    assert_int_equal(tn_expression_part(&shown, e, x, true), TN_ERROR_TYPE);
    REQUIRE_OK(apply(&more, e, TN_OP_ADD, x, one));
    REQUIRE_OK(tn_expression_store(&stored, e, x, more, TN_CASTING_SAME_KIND));
    REQUIRE_OK(tn_expression_slice(&shown, e, more, 1, fourth));
    REQUIRE_OK(tn_expression_output(e, shown));
    tn_operand operand = tn_operand_array(a);
    tn_status status = tn_expression_evaluate(made, e, &operand, NULL);
    assert_true(status == TN_ERROR_INDEX || status == TN_ERROR_MEMORY);
    REQUIRE_OK(check_floats(a, 3, (float[]){1, 2, 3}));
cleanup:
    tn_expression_release(e);
    tn_array_release(a);
}

/* More nodes than one call takes, and more values than it has arguments for. */
static void test_many(void **state) {
    (void)state;
    enum { NODES = 200, KEPT = 20 };
    tn_expression *e = NULL;
    tn_array *a = NULL, *made[KEPT] = {NULL};
    int value, input, values[NODES];
    REQUIRE_OK(floats(&a, 2, (float[]){1, 2}));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(tn_expression_input(&input, e, TN_F32));
    value = input;
    for (int k = 0; k < NODES; k++) {
        REQUIRE_OK(apply(&value, e, TN_OP_ADD, value, input));
        values[k] = value;
    }
    for (int k = 0; k < KEPT; k++)
        REQUIRE_OK(tn_expression_output(e, values[k * (NODES / KEPT)]));
    tn_operand operand = tn_operand_array(a);
    REQUIRE_OK(tn_expression_evaluate(made, e, &operand, NULL));
    for (int k = 0; k < KEPT; k++) {
        float times = (float)(k * (NODES / KEPT) + 2);
        REQUIRE_OK(check_floats(made[k], 2, (float[]){times, 2 * times}));
    }
cleanup:
    tn_expression_release(e);
    tn_array_release(a);
    for (int k = 0; k < KEPT; k++)
        tn_array_release(made[k]);
}

/* More operands than a call has arguments: products of each with itself, all made before their sum;
 * every third product is an output, too. */
static void test_wide(void **state) {
    (void)state;
    enum { INPUTS = 30, KEPT = INPUTS / 3 };
    tn_expression *e = NULL;
    tn_array *arrays[INPUTS] = {NULL}, *made[KEPT + 1] = {NULL};
    tn_operand operands[INPUTS];
    int values[INPUTS], sum;
    float total = 0;
    REQUIRE_OK(tn_expression_new(&e));
    for (int k = 0; k < INPUTS; k++) {
        REQUIRE_OK(floats(&arrays[k], 2, (float[]){(float)k, 1}));
        operands[k] = tn_operand_array(arrays[k]);
        REQUIRE_OK(tn_expression_input(&values[k], e, TN_F32));
        total += (float)(k * k);
    }
    for (int k = 0; k < INPUTS; k++) {
        REQUIRE_OK(apply(&values[k], e, TN_OP_MULTIPLY, values[k], values[k]));
        if (k % 3 == 0) REQUIRE_OK(tn_expression_output(e, values[k]));
    }
    sum = values[0];
    for (int k = 1; k < INPUTS; k++)
        REQUIRE_OK(apply(&sum, e, TN_OP_ADD, sum, values[k]));
    REQUIRE_OK(tn_expression_output(e, sum));
    REQUIRE_OK(tn_expression_evaluate(made, e, operands, NULL));
    for (int k = 0; k < KEPT; k++)
        REQUIRE_OK(check_floats(made[k], 2, (float[]){(float)(9 * k * k), 1}));
    REQUIRE_OK(check_floats(made[KEPT], 2, (float[]){total, INPUTS}));
cleanup:
    tn_expression_release(e);
    for (int k = 0; k < INPUTS; k++)
        tn_array_release(arrays[k]);
    for (int k = 0; k <= KEPT; k++)
        tn_array_release(made[k]);
}

/* x[...] = 2; the sum of it, and of x * x. */
static void test_stored_scalar(void **state) {
    (void)state;
    tn_expression *e = NULL;
    tn_array *x = NULL, *made[2] = {NULL};
    int input, two, stored, square, sums[2];
    REQUIRE_OK(floats(&x, 3, (float[]){1, 1, 1}));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(tn_expression_input(&input, e, TN_F32));
    REQUIRE_OK(tn_expression_constant(&two, e, tn_scalar_weak_int(2)));
    REQUIRE_OK(tn_expression_store(&stored, e, input, two, TN_CASTING_UNSAFE));
    REQUIRE_OK(apply(&square, e, TN_OP_MULTIPLY, stored, stored));
    REQUIRE_OK(tn_expression_reduce(&sums[0], e, TN_REDUCE_SUM, stored, NULL));
    REQUIRE_OK(tn_expression_reduce(&sums[1], e, TN_REDUCE_SUM, square, NULL));
    for (int k = 0; k < 2; k++)
        REQUIRE_OK(tn_expression_output(e, sums[k]));
    tn_operand operand = tn_operand_array(x);
    REQUIRE_OK(tn_expression_evaluate(made, e, &operand, NULL));
    REQUIRE_OK(check_floats(x, 3, (float[]){2, 2, 2}));
    REQUIRE_OK(check_floats(made[0], 1, (float[]){6}));
    REQUIRE_OK(check_floats(made[1], 1, (float[]){12}));
cleanup:
    tn_expression_release(e);
    tn_array_release(x);
    tn_array_release(made[0]);
    tn_array_release(made[1]);
}

static void test_failures(void **state) {
    (void)state;
    tn_expression *e = NULL;
    tn_array *a = NULL, *made[1] = {NULL};
    int input, number, sum, none = 99;
    REQUIRE_OK(floats(&a, 2, (float[]){1, 2}));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(tn_expression_input(&input, e, TN_I32));
    REQUIRE_OK(tn_expression_parameter(&number, e, TN_I64, true));
    assert_int_equal(apply(&none, e, TN_OP_ADD, number, number), TN_ERROR_VALUE);
    assert_int_equal(apply(&none, e, TN_OP_ADD, input, 77), TN_ERROR_VALUE);
    assert_int_equal(apply(&none, e, TN_OP_POWER, input, number), TN_ERROR_NOT_IMPLEMENTED);
    assert_int_equal(tn_expression_output(e, input), TN_ERROR_VALUE);
    assert_int_equal(tn_expression_store(&none, e, number, input, TN_CASTING_UNSAFE),
                     TN_ERROR_VALUE);
    assert_int_equal(none, 99);
    REQUIRE_OK(apply(&sum, e, TN_OP_ADD, input, number));
    REQUIRE_OK(tn_expression_output(e, sum));
    tn_operand operands[2] = {tn_operand_array(a), tn_operand_scalar(tn_scalar_weak_int(1))};
    assert_int_equal(tn_expression_evaluate(made, e, operands, NULL), TN_ERROR_TYPE);
    tn_array *whole;
    REQUIRE_OK(
        tn_array_astype(&whole, a, TN_I32, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL));
    tn_array_release(a);
    a = whole;
    operands[0] = tn_operand_array(a);
    operands[1] = tn_operand_scalar(tn_scalar_weak_int(INT64_C(1) << 40));
    assert_int_equal(tn_expression_evaluate(made, e, operands, NULL), TN_ERROR_OVERFLOW);
    assert_null(made[0]);
cleanup:
    tn_expression_release(e);
    tn_array_release(a);
}

/* x -= sum(x * x - 1); the chain enters the sum, the difference is written where it belongs, and a
 * maximum that nothing reads is not computed. Where memory is missing x is what it was. */
static tn_status build_passes(tn_expression *e, int *product) {
    int x, one, less, sum, away, dead, stored;
    tn_status status = tn_expression_input(&x, e, TN_F32);
    if (!status) status = tn_expression_constant(&one, e, tn_scalar_weak_int(1));
    if (!status) status = apply(product, e, TN_OP_MULTIPLY, x, x);
    if (!status) status = apply(&less, e, TN_OP_SUBTRACT, *product, one);
    if (!status) status = tn_expression_reduce(&sum, e, TN_REDUCE_SUM, less, NULL);
    if (!status) status = tn_expression_reduce(&dead, e, TN_REDUCE_MAX, *product, NULL);
    if (!status) status = apply(&away, e, TN_OP_SUBTRACT, x, sum);
    return status ? status : tn_expression_store(&stored, e, x, away, TN_CASTING_SAME_KIND);
}

static void test_passes(void **state) {
    (void)state;
    enum { COUNT = 9000 };
    tn_expression *e = NULL;
    tn_array *x = NULL;
    int64_t shape[1] = {COUNT};
    float read[COUNT];
    int product;
    REQUIRE_OK(tn_array_new(&x, TN_F32, 1, shape, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_fill(x, tn_scalar_weak_int(2), NULL));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(build_passes(e, &product));
    tn_operand operand = tn_operand_array(x);
    tn_status status = tn_expression_evaluate(NULL, e, &operand, NULL);
    REQUIRE_OK(tn_array_read(read, NULL, x, NULL));
    for (int k = 0; k < COUNT; k++)
        assert_true(read[k] == (status ? 2 : 2 - 3 * COUNT));
    REQUIRE_OK(status);
cleanup:
    tn_expression_release(e);
    tn_array_release(x);
}

/* where(x < y & x > one, clip(x * x, one, y), y), and its sum. */
static tn_status build_choices(tn_expression *e) {
    int x, y, one, less, more, both, product, within, chosen, sum;
    tn_status status = tn_expression_input(&x, e, TN_F32);
    if (!status) status = tn_expression_input(&y, e, TN_F32);
    if (!status) status = tn_expression_constant(&one, e, tn_scalar_weak_int(1));
    if (!status) status = apply(&less, e, TN_OP_LESS, x, y);
    if (!status) status = apply(&more, e, TN_OP_GREATER, x, one);
    if (!status) status = apply(&both, e, TN_OP_BITWISE_AND, less, more);
    if (!status) status = apply(&product, e, TN_OP_MULTIPLY, x, x);
    if (!status)
        status = tn_expression_apply(&within, e, TN_OP_CLIP, (const int[]){product, one, y},
                                     TN_DTYPE_NONE, TN_CASTING_SAME_KIND);
    if (!status)
        status = tn_expression_apply(&chosen, e, TN_OP_WHERE, (const int[]){both, within, y},
                                     TN_DTYPE_NONE, TN_CASTING_SAME_KIND);
    if (!status) status = tn_expression_reduce(&sum, e, TN_REDUCE_SUM, chosen, NULL);
    if (!status) status = tn_expression_output(e, chosen);
    return status ? status : tn_expression_output(e, sum);
}

static void test_choices(void **state) {
    (void)state;
    enum { COUNT = 9001 };
    tn_expression *e = NULL;
    tn_array *x = NULL, *y = NULL, *made[2] = {NULL, NULL};
    int64_t shape[1] = {COUNT};
    float read[COUNT];
    REQUIRE_OK(tn_array_new(&x, TN_F32, 1, shape, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_fill(x, tn_scalar_weak_int(2), NULL));
    REQUIRE_OK(tn_array_new(&y, TN_F32, 1, shape, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_fill(y, tn_scalar_weak_int(3), NULL));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(build_choices(e));
    tn_operand operands[2] = {tn_operand_array(x), tn_operand_array(y)};
    REQUIRE_OK(tn_expression_evaluate(made, e, operands, NULL));
    REQUIRE_OK(tn_array_read(read, NULL, made[0], NULL));
    for (int k = 0; k < COUNT; k++)
        assert_true(read[k] == 3);
    REQUIRE_OK(check_floats(made[1], 1, (float[]){3 * COUNT}));
cleanup:
    tn_expression_release(e);
    tn_array_release(x);
    tn_array_release(y);
    tn_array_release(made[0]);
    tn_array_release(made[1]);
}

/* softmax(x) of rows, and y -= it: one pass over rows. Where memory is missing y is what it was. */
static tn_status build_softmax(tn_expression *e) {
    int x, y, most, away, power, sum, share, less, stored;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = 1;
    options.axes = (int[]){-1};
    options.keepdims = true;
    tn_status status = tn_expression_input(&x, e, TN_F32);
    if (!status) status = tn_expression_input(&y, e, TN_F32);
    if (!status) status = tn_expression_reduce(&most, e, TN_REDUCE_MAX, x, &options);
    if (!status) status = apply(&away, e, TN_OP_SUBTRACT, x, most);
    if (!status) status = apply(&power, e, TN_OP_EXP, away, -1);
    if (!status) status = tn_expression_reduce(&sum, e, TN_REDUCE_SUM, power, &options);
    if (!status) status = apply(&share, e, TN_OP_DIVIDE, power, sum);
    if (!status) status = apply(&less, e, TN_OP_SUBTRACT, y, share);
    if (!status) status = tn_expression_store(&stored, e, y, less, TN_CASTING_SAME_KIND);
    return status ? status : tn_expression_output(e, share);
}

static void test_rows(void **state) {
    (void)state;
    enum { ROWS = 4, LENGTH = 512, COUNT = ROWS * LENGTH };
    tn_expression *e = NULL;
    tn_array *x = NULL, *y = NULL, *made[1] = {NULL};
    int64_t shape[5] = {1, 1, 1, ROWS, LENGTH}; /* no array of more than 4 axes is kept for later */
    float read[COUNT];
    REQUIRE_OK(tn_array_new(&x, TN_F32, 5, shape, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_fill(x, tn_scalar_weak_int(2), NULL));
    REQUIRE_OK(tn_array_new(&y, TN_F32, 5, shape, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_fill(y, tn_scalar_weak_int(1), NULL));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(build_softmax(e));
    tn_operand operands[2] = {tn_operand_array(x), tn_operand_array(y)};
    tn_status status = tn_expression_evaluate(made, e, operands, NULL);
    REQUIRE_OK(tn_array_read(read, NULL, y, NULL));
    for (int k = 0; k < COUNT; k++)
        assert_true(read[k] == (status ? 1 : 1 - 1.F / LENGTH));
    REQUIRE_OK(status);
    REQUIRE_OK(tn_array_read(read, NULL, made[0], NULL));
    for (int k = 0; k < COUNT; k++)
        assert_true(read[k] == 1.F / LENGTH);
cleanup:
    tn_expression_release(e);
    tn_array_release(x);
    tn_array_release(y);
    tn_array_release(made[0]);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_chain),  REPLAY(test_shapes),
                                        REPLAY(test_stores), REPLAY(test_many),
                                        REPLAY(test_wide),   REPLAY(test_stored_scalar),
                                        REPLAY(test_passes), REPLAY(test_failures),
                                        REPLAY(test_views),  REPLAY(test_views_that_fail),
                                        REPLAY(test_held),   REPLAY(test_choices),
                                        REPLAY(test_rows)};
    return REPLAY_RUN("expression", tests);
}
