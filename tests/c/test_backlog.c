/* Calls that wait, on the host: what they compute when something looks, which looks there are, what
 * they keep, and what becomes of failures. */
#include "replay.h"

#include "core/base/waiting.h"

#include <tenorite/backlog.h>
#include <tenorite/elementwise.h>
#include <tenorite/memory.h>
#include <tenorite/reduce.h>
#include <tenorite/statistics.h>

enum { COUNT = 64 };

static tn_status numbers(tn_array **result, float first) {
    float values[COUNT];
    int64_t shape[1] = {COUNT};
    for (int k = 0; k < COUNT; k++)
        values[k] = first + (float)k;
    return tn_array_new_from_host(result, values, TN_F32, 1, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status binary(tn_array **result, tn_op op, tn_operand a, tn_operand b) {
    tn_operand inputs[2] = {a, b};
    *result = NULL;
    return tn_elementwise(result, op, inputs, NULL, NULL);
}

static tn_status add(tn_array **result, const tn_array *a, const tn_array *b) {
    return binary(result, TN_OP_ADD, tn_operand_array(a), tn_operand_array(b));
}

static tn_status scale(tn_array **result, const tn_array *a, double by) {
    return binary(result, TN_OP_MULTIPLY, tn_operand_array(a),
                  tn_operand_scalar(tn_scalar_weak_float(by)));
}

static tn_status in_place(tn_array *a, tn_op op, double by) {
    tn_operand inputs[2] = {tn_operand_array(a), tn_operand_scalar(tn_scalar_weak_float(by))};
    return tn_elementwise(&a, op, inputs, NULL, NULL);
}

static int64_t waiting(void) {
    tn_backlog_figures figures;
    tn_backlog_get_figures(&figures);
    return figures.waiting;
}

/* Calls of the thread wait, of however few elements. */
static tn_status begin(void) {
    tn_backlog_use_in_process(false, 0);
    return tn_backlog_use(TN_WAITING_ON);
}

static void end(void) {
    assert_int_equal(tn_backlog_use(TN_WAITING_EAGER), TN_OK);
    assert_int_equal(waiting(), 0);
}

/* element k of the array is base + k * step */
static tn_status check(const tn_array *array, float base, float step) {
    float read[COUNT];
    tn_status status = tn_array_read(read, NULL, array, NULL);
    for (int k = 0; k < COUNT && !status; k++)
        assert_true(read[k] == base + (float)k * step);
    return status;
}

/* c = a + b; d = c * 2: nothing runs until d is read, and then both are there. */
static void test_two_calls(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    tn_backlog_figures before, after;
    REQUIRE_OK(numbers(&a, 0));
    REQUIRE_OK(numbers(&b, 100));
    REQUIRE_OK(begin());
    tn_backlog_get_figures(&before);
    REQUIRE_OK(add(&c, a, b));
    REQUIRE_OK(scale(&d, c, 2));
    tn_backlog_get_figures(&after);
    if (after.joined == before.joined + 2) { /* memory for it was there */
        assert_int_equal(after.runs, before.runs);
        assert_true(tn_array_is_due(c) && tn_array_is_due(d) && !tn_array_is_due(a));
    }
    REQUIRE_OK(check(d, 200, 4));
    assert_false(tn_array_is_due(c) || tn_array_is_due(d));
    REQUIRE_OK(check(c, 100, 2));
    REQUIRE_OK(check(a, 0, 1));
cleanup:
    end();
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
    tn_array_release(d);
}

/* What a waiting call reads keeps the value that it had at the call. */
static void test_written_while_wanted(void **state) {
    (void)state;
    tn_array *a = NULL, *c = NULL;
    REQUIRE_OK(numbers(&a, 0));
    REQUIRE_OK(begin());
    REQUIRE_OK(scale(&c, a, 3));
    REQUIRE_OK(in_place(a, TN_OP_ADD, 7)); /* waits, too */
    REQUIRE_OK(check(c, 0, 3));
    REQUIRE_OK(check(a, 7, 1));
cleanup:
    end();
    tn_array_release(a);
    tn_array_release(c);
}

static const replay_test tests[] = {REPLAY(test_two_calls), REPLAY(test_written_while_wanted)};

int main(void) {
    return REPLAY_RUN("backlog", tests);
}
