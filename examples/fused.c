/* A chain of operations as one pass over memory, on Tenorite's C API alone.
 *
 *     y = sqrt(x * x + 1) * 2 - x
 *
 * is built once as an expression and evaluated with arrays of any shape; beside it the same four
 * operations run one by one. The results are the same to the last bit. Then a step of gradient
 * descent is fused: it writes the array in place, and its scalar is given with each evaluation.
 * Last, two kernels of the program's own text, where the host has a C++ compiler.
 *
 *     cc fused.c $(pkg-config --cflags --libs tenorite) -o fused && ./fused
 */
#include <tenorite/tenorite.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Every function that can fail returns a status; the message tells the rest. */
static void check(tn_status status, const char *call) {
    if (status == TN_OK) return;
    fprintf(stderr, "fused: %s\n       %s: %s\n", call, tn_status_name(status), tn_error_message());
    exit(EXIT_FAILURE);
}
#define CHECK(call) check(call, #call)

enum { COUNT = 4000000, ROUNDS = 5, STEPS = 40 };

static double now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* --- The chain --- */

static int apply(tn_expression *e, tn_op op, int a, int b) {
    int value;
    CHECK(tn_expression_apply(&value, e, op, (const int[]){a, b}, TN_DTYPE_NONE,
                              TN_CASTING_SAME_KIND));
    return value;
}

static tn_expression *build_chain(void) {
    tn_expression *e;
    int x, one, two;
    CHECK(tn_expression_new(&e));
    CHECK(tn_expression_input(&x, e, TN_F32));
    CHECK(tn_expression_constant(&one, e, tn_scalar_weak_int(1)));
    CHECK(tn_expression_constant(&two, e, tn_scalar_weak_int(2)));
    int square = apply(e, TN_OP_MULTIPLY, x, x);
    int root = apply(e, TN_OP_SQRT, apply(e, TN_OP_ADD, square, one), 0);
    CHECK(
        tn_expression_output(e, apply(e, TN_OP_SUBTRACT, apply(e, TN_OP_MULTIPLY, root, two), x)));
    return e;
}

static tn_array *run_one(tn_op op, tn_operand a, tn_operand b) {
    tn_array *result = NULL;
    CHECK(tn_elementwise(&result, op, (const tn_operand[]){a, b}, NULL, NULL));
    return result;
}

/* The same, an array for each operation. */
static tn_array *run_chain(const tn_array *x) {
    tn_operand of_x = tn_operand_array(x), one = tn_operand_scalar(tn_scalar_weak_int(1));
    tn_array *square = run_one(TN_OP_MULTIPLY, of_x, of_x);
    tn_array *sum = run_one(TN_OP_ADD, tn_operand_array(square), one);
    tn_array *root = run_one(TN_OP_SQRT, tn_operand_array(sum), one);
    tn_array *twice =
        run_one(TN_OP_MULTIPLY, tn_operand_array(root), tn_operand_scalar(tn_scalar_weak_int(2)));
    tn_array *result = run_one(TN_OP_SUBTRACT, tn_operand_array(twice), of_x);
    tn_array_release(square);
    tn_array_release(sum);
    tn_array_release(root);
    tn_array_release(twice);
    return result;
}

static void compare(const tn_array *x) {
    tn_expression *chain = build_chain();
    tn_operand operand = tn_operand_array(x);
    double fused_time = 1e9, single_time = 1e9;
    float *fused = malloc(COUNT * sizeof *fused), *single = malloc(COUNT * sizeof *single);
    if (!fused || !single) exit(EXIT_FAILURE);
    for (int round = 0; round < ROUNDS; round++) {
        tn_array *a;
        double start = now();
        CHECK(tn_expression_evaluate(&a, chain, &operand, NULL));
        double middle = now();
        tn_array *b = run_chain(x);
        double end = now();
        if (middle - start < fused_time) fused_time = middle - start;
        if (end - middle < single_time) single_time = end - middle;
        CHECK(tn_array_read(fused, NULL, a, NULL));
        CHECK(tn_array_read(single, NULL, b, NULL));
        tn_array_release(a);
        tn_array_release(b);
    }
    printf("fused %.2f ms, one by one %.2f ms\n", 1e3 * fused_time, 1e3 * single_time);
    if (memcmp(fused, single, COUNT * sizeof *fused)) {
        fprintf(stderr, "fused: the two differ\n");
        exit(EXIT_FAILURE);
    }
    printf("the same bits\n");
    free(fused);
    free(single);
    tn_expression_release(chain);
}

/* --- A step that writes in place --- */

/* x -= rate * (2 * x - 6): downhill on (x - 3) squared. */
static void descend(void) {
    int64_t shape[1] = {1000};
    tn_expression *e;
    tn_array *x;
    int value, rate, two, six;
    CHECK(tn_expression_new(&e));
    CHECK(tn_expression_input(&value, e, TN_F64));
    CHECK(tn_expression_parameter(&rate, e, TN_F64, true));
    CHECK(tn_expression_constant(&two, e, tn_scalar_weak_int(2)));
    CHECK(tn_expression_constant(&six, e, tn_scalar_weak_int(6)));
    int slope = apply(e, TN_OP_SUBTRACT, apply(e, TN_OP_MULTIPLY, value, two), six);
    int next = apply(e, TN_OP_SUBTRACT, value, apply(e, TN_OP_MULTIPLY, slope, rate));
    int stored;
    CHECK(tn_expression_store(&stored, e, value, next, TN_CASTING_SAME_KIND));
    CHECK(tn_array_new_zeros(&x, TN_F64, 1, shape, TN_ORDER_C, NULL));
    for (int step = 0; step < STEPS; step++) {
        tn_scalar now_rate = tn_scalar_weak_float(step < STEPS / 2 ? 0.25 : 0.1);
        tn_operand operands[2] = {tn_operand_array(x), tn_operand_scalar(now_rate)};
        CHECK(tn_expression_evaluate(NULL, e, operands, NULL));
    }
    tn_array *mean = NULL;
    tn_scalar result;
    CHECK(tn_reduce(&mean, TN_REDUCE_MEAN, x, NULL, NULL));
    CHECK(tn_array_item(&result, mean, NULL));
    printf("the minimum is at %.6f\n", result.value.f64);
    tn_array_release(mean);
    tn_array_release(x);
    tn_expression_release(e);
}

/* --- Kernels of own text --- */

/* What a kernel makes of x, as its first number; false: no compiler is installed. */
static bool run_kernel(double *number, tn_template *kernel, const tn_array *x, int axis_count) {
    tn_operand operand = tn_operand_array(x);
    tn_template_call call = {
        .count = 1, .operands = &operand, .size = -1, .axis_count = axis_count};
    tn_array *made = NULL, *first = NULL;
    tn_scalar result;
    tn_status status = tn_template_launch(&made, kernel, &call);
    if (status == TN_ERROR_COMPILE) return false;
    check(status, "tn_template_launch");
    CHECK(tn_reduce(&first, TN_REDUCE_MAX, made, NULL, NULL));
    CHECK(tn_array_item(&result, first, NULL));
    float value;
    memcpy(&value, &result.value, sizeof value);
    *number = value;
    tn_array_release(first);
    tn_array_release(made);
    return true;
}

static void run_texts(const tn_array *x) {
    const tn_elementwise_source chain = {.in_params = "T x",
                                         .out_params = "T y",
                                         .operation = "y = sqrt(x * x + 1) * 2 - x",
                                         .name = "chain"};
    const tn_reduction_source norm = {.in_params = "T x",
                                      .out_params = "T y",
                                      .map = "x * x",
                                      .reduce = "a + b",
                                      .post_map = "y = sqrt(a)",
                                      .identity = "0",
                                      .name = "norm"};
    tn_template *kernels[2];
    double largest, length;
    CHECK(tn_kernel_elementwise_new(&kernels[0], &chain));
    CHECK(tn_kernel_reduction_new(&kernels[1], &norm));
    if (run_kernel(&largest, kernels[0], x, 0) && run_kernel(&length, kernels[1], x, -1))
        printf("own kernels: at most %.1f, the norm %.0f\n", largest, length);
    else
        printf("%s\n", tn_error_message());
    tn_template_release(kernels[0]);
    tn_template_release(kernels[1]);
}

int main(void) {
    int64_t shape[1] = {COUNT};
    float *values = malloc(COUNT * sizeof *values);
    tn_array *x;
    if (!values) return EXIT_FAILURE;
    for (int k = 0; k < COUNT; k++)
        values[k] = (float)k / 1000 - 2000;
    CHECK(tn_array_new_from_host(&x, values, TN_F32, 1, shape, NULL, TN_ORDER_C, NULL));
    compare(x);
    descend();
    run_texts(x);
    tn_array_release(x);
    free(values);
    return EXIT_SUCCESS;
}
