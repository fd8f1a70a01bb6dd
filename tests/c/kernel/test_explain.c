/* Explanations of evaluations: groups, what they cost, and why they begin. */
#include "replay.h"

#include <tenorite/create.h>
#include <tenorite/explain.h>

enum { ROWS = 40, COLUMNS = 500, COUNT = ROWS * COLUMNS };

static tn_status ones(tn_array **result) {
    int64_t shape[2] = {ROWS, COLUMNS};
    tn_status status = tn_array_new(result, TN_F32, 2, shape, TN_ORDER_C, NULL);
    return status ? status : tn_array_fill(*result, tn_scalar_weak_float(1), NULL);
}

static tn_status apply(int *value, tn_expression *e, tn_op op, int a, int b) {
    return tn_expression_apply(value, e, op, (const int[]){a, b}, TN_DTYPE_NONE,
                               TN_CASTING_SAME_KIND);
}

static tn_status sum_of_rows(int *value, tn_expression *e, int from, const int *axis) {
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axes = axis;
    options.axis_count = 1;
    options.keepdims = true;
    return tn_expression_reduce(value, e, TN_REDUCE_SUM, from, &options);
}

static void check_group(const tn_explanation *e, int number, tn_group_form form, int operations,
                        int64_t read, int64_t written, const char *why) {
    const tn_explained_group *group = tn_explanation_group(e, number);
    assert_non_null(group);
    assert_int_equal(group->form, form);
    assert_int_equal(group->operation_count, operations);
    assert_int_equal(group->launches, 1);
    assert_int_equal(group->bytes_read, read);
    assert_int_equal(group->bytes_written, written);
    assert_non_null(strstr(group->why, why));
}

/* (a - b) / sum(a - b along rows) is one group of rows, and along columns three. */
static void test_rows(void **state) {
    (void)state;
    static const int axes[2] = {1, 0};
    tn_array *a = NULL, *b = NULL;
    tn_expression *e = NULL;
    tn_explanation *told = NULL;
    REQUIRE_OK(ones(&a));
    REQUIRE_OK(ones(&b));
    tn_operand operands[2] = {tn_operand_array(a), tn_operand_array(b)};
    for (int k = 0; k < 2; k++) {
        int x, y, away, sum, share;
        REQUIRE_OK(tn_expression_new(&e));
        REQUIRE_OK(tn_expression_input(&x, e, TN_F32));
        REQUIRE_OK(tn_expression_input(&y, e, TN_F32));
        REQUIRE_OK(apply(&away, e, TN_OP_SUBTRACT, x, y));
        REQUIRE_OK(sum_of_rows(&sum, e, away, &axes[k]));
        REQUIRE_OK(apply(&share, e, TN_OP_DIVIDE, away, sum));
        REQUIRE_OK(tn_expression_output(e, share));
        REQUIRE_OK(tn_expression_explain(&told, e, operands, NULL));
        if (k == 0) {
            assert_int_equal(tn_explanation_group_count(told), 1);
            check_group(told, 0, TN_GROUP_ROWS, 3, 8 * COUNT, 4 * COUNT, "The graph begins here.");
            assert_string_equal(tn_explanation_group(told, 0)->operations[1].name, "sum");
        } else {
            assert_int_equal(tn_explanation_group_count(told), 3);
            check_group(told, 0, TN_GROUP_ELEMENTWISE, 1, 8 * COUNT, 4 * COUNT, "begins here");
            check_group(told, 1, TN_GROUP_FOLD, 1, 4 * COUNT, 4 * COLUMNS,
                        "others read what they make, too");
            check_group(told, 2, TN_GROUP_ELEMENTWISE, 1, 4 * COUNT + 4 * COLUMNS, 4 * COUNT,
                        "It reads the sum of group 2");
            assert_non_null(strstr(tn_explanation_group(told, 2)->why, "are not the fastest"));
        }
        assert_null(tn_explanation_group(told, tn_explanation_group_count(told)));
        assert_int_equal(tn_explanation_unfused_cost(told).launches, 3);
        assert_int_equal(tn_explanation_cost(told).launches, k == 0 ? 1 : 3);
        assert_non_null(strstr(tn_explanation_text(told), "divide float32"));
        tn_explanation_release(told);
        tn_expression_release(e);
        told = NULL;
        e = NULL;
    }
cleanup:
    tn_explanation_release(told);
    tn_expression_release(e);
    tn_array_release(a);
    tn_array_release(b);
}

/* What is stored to has its contents back, also where two operands are one array. */
static void test_stores(void **state) {
    (void)state;
    static const char *const whys[2] = {"The graph begins here.", "overlaps another one"};
    tn_array *a = NULL, *b = NULL;
    tn_expression *e = NULL;
    tn_explanation *told = NULL;
    static float read[COUNT];
    int x, y, sum, stored, twice;
    REQUIRE_OK(ones(&a));
    REQUIRE_OK(ones(&b));
    REQUIRE_OK(tn_expression_new(&e));
    REQUIRE_OK(tn_expression_input(&x, e, TN_F32));
    REQUIRE_OK(tn_expression_input(&y, e, TN_F32));
    REQUIRE_OK(apply(&sum, e, TN_OP_ADD, x, y));
    REQUIRE_OK(tn_expression_store(&stored, e, x, sum, TN_CASTING_SAME_KIND));
    REQUIRE_OK(apply(&twice, e, TN_OP_MULTIPLY, stored, sum));
    REQUIRE_OK(tn_expression_output(e, twice));
    for (int k = 0; k < 2; k++) {
        tn_operand operands[2] = {tn_operand_array(a), tn_operand_array(k ? a : b)};
        tn_status status = tn_expression_explain(&told, e, operands, NULL);
        if (status == TN_OK) {
            const int last = tn_explanation_group_count(told) - 1;
            assert_non_null(strstr(tn_explanation_group(told, last)->why, whys[k]));
            tn_explanation_release(told);
            told = NULL;
        }
        REQUIRE_OK(status);
        REQUIRE_OK(tn_array_read(read, NULL, a, NULL));
        for (int at = 0; at < COUNT; at++)
            assert_true(read[at] == 1);
    }
cleanup:
    tn_explanation_release(told);
    tn_expression_release(e);
    tn_array_release(a);
    tn_array_release(b);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(tn_group_form_name(TN_GROUP_ROWS), "rows");
    assert_string_equal(tn_group_form_name((tn_group_form)99), "?");
    tn_explanation_release(NULL);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_rows), REPLAY(test_stores), REPLAY(test_names)};
    return REPLAY_RUN("explain", tests);
}
