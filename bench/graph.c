/* Nanoseconds an operation of a graph, as JSON: to build it, and to schedule it, which is all that
 * an evaluation of empty arrays does. The operations are those of a program that mixes arrays of
 * four shapes, whose values are read again later. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/lock.h"

#include <tenorite/tenorite.h>

enum { SHAPES = 4, OPERATIONS = 100, OUTPUTS = 4, ROUNDS = 50, REPEATS = 200 };

static const int64_t shapes[SHAPES][3] = {{0, 5, 7}, {0, 5, 1}, {0, 1, 7}, {0, 1, 1}};

static void check(tn_status status) {
    if (status == TN_OK) return;
    fprintf(stderr, "%s\n", tn_error_message());
    exit(EXIT_FAILURE);
}

/* Each operation reads what the one before it made, or an array, and an early value. */
static tn_expression *build(void) {
    static const tn_op ops[] = {TN_OP_MULTIPLY, TN_OP_ADD, TN_OP_SUBTRACT, TN_OP_MAXIMUM};
    tn_expression *e;
    int values[SHAPES + OPERATIONS];
    check(tn_expression_new(&e));
    for (int k = 0; k < SHAPES; k++)
        check(tn_expression_input(&values[k], e, TN_F32));
    for (int k = 0; k < OPERATIONS; k++) {
        const int from[2] = {values[k % 4 ? k + SHAPES - 1 : k % SHAPES], values[k / 2]};
        check(tn_expression_apply(&values[k + SHAPES], e, ops[k % 4], from, TN_DTYPE_NONE,
                                  TN_CASTING_SAME_KIND));
    }
    for (int k = 0; k < OUTPUTS; k++)
        check(tn_expression_output(e, values[SHAPES + OPERATIONS - 1 - k]));
    return e;
}

static double time_building(void) {
    const int64_t start = tni_now_ns();
    for (int round = 0; round < ROUNDS; round++)
        tn_expression_release(build());
    return (double)(tni_now_ns() - start) / ROUNDS / OPERATIONS;
}

static double time_scheduling(const tn_expression *e, const tn_operand *operands) {
    const int64_t start = tni_now_ns();
    for (int round = 0; round < ROUNDS; round++) {
        tn_array *made[OUTPUTS];
        check(tn_expression_evaluate(made, e, operands, NULL));
        for (int k = 0; k < OUTPUTS; k++)
            tn_array_release(made[k]);
    }
    return (double)(tni_now_ns() - start) / ROUNDS / OPERATIONS;
}

int main(void) {
    tn_operand operands[SHAPES];
    double building = 1e9, scheduling = 1e9; /* of the shortest repeat */
    for (int k = 0; k < SHAPES; k++) {
        tn_array *made;
        check(tn_array_new(&made, TN_F32, 3, shapes[k], TN_ORDER_C, NULL));
        operands[k] = tn_operand_array(made);
    }
    tn_expression *e = build();
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        const double built = time_building(), scheduled = time_scheduling(e, operands);
        building = built < building ? built : building;
        scheduling = scheduled < scheduling ? scheduled : scheduling;
    }
    printf("{\"building\": %.1f, \"scheduling\": %.1f}\n", building, scheduling);
    tn_expression_release(e);
    for (int k = 0; k < SHAPES; k++)
        tn_array_release((tn_array *)(uintptr_t)operands[k].array);
    return EXIT_SUCCESS;
}
