/* Filters of signals through the public C functions, with failing allocations. Values are compared
 * with SciPy in tests/python/values/signal. */
#include "replay.h"

#include <tenorite/signal.h>

static tn_status doubles(tn_array **result, int ndim, const int64_t *shape, const double *values) {
    return tn_array_new_from_host(result, values, TN_F64, ndim, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status check(const tn_array *array, int64_t count, const double *expected) {
    double read[16];
    assert_int_equal(tn_array_size(array), count);
    assert_int_equal(tn_array_dtype(array), TN_F64);
    tn_status status = tn_array_read(read, NULL, array, NULL);
    for (int64_t k = 0; k < count && !status; k++)
        assert_true(read[k] == expected[k]);
    return status;
}

/* y[n] = x[n] + y[n - 1] / 2, a[0] being 2; from the end, and with a state. */
static void test_recursion(void **state) {
    (void)state;
    static const int64_t three[3] = {1, 2, 2}, four = 4, states[2] = {1, 1};
    tn_array *filter = NULL, *x = NULL, *initial = NULL, *y = NULL, *final = NULL, *bad = NULL;
    tn_recursion_options options = {.axis = -1};
    REQUIRE_OK(doubles(&filter, 3, three, (double[]){2, 0, 2, -1}));
    REQUIRE_OK(doubles(&x, 1, &four, (double[]){8, 0, 4, 0}));
    REQUIRE_OK(tn_array_recursion(&y, &final, filter, x, &options, NULL));
    REQUIRE_OK(check(y, 4, (double[]){8, 4, 6, 3}));
    REQUIRE_OK(check(final, 1, (double[]){1.5}));
    tn_array_release(y);
    tn_array_release(final);
    y = final = NULL;
    REQUIRE_OK(doubles(&initial, 2, states, (double[]){16}));
    options.is_reversed = true;
    options.initial = initial;
    REQUIRE_OK(tn_array_recursion(&y, NULL, filter, x, &options, NULL));
    REQUIRE_OK(check(y, 4, (double[]){11, 6, 12, 16}));
    REQUIRE_STATUS(tn_array_recursion(&bad, NULL, x, x, &options, NULL), TN_ERROR_VALUE);
    options.initial = x;
    REQUIRE_STATUS(tn_array_recursion(&bad, NULL, filter, x, &options, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(final);
    tn_array_release(y);
    tn_array_release(initial);
    tn_array_release(x);
    tn_array_release(filter);
}

/* A high order and many lines need memory of their own. */
static void test_long_recursion(void **state) {
    (void)state;
    enum { ORDER = 200, LINES = 5 };
    static double coefficients[2 * (ORDER + 1)];
    static const int64_t three[3] = {1, 2, ORDER + 1}, shape[2] = {LINES, 2};
    tn_array *filter = NULL, *x = NULL, *y = NULL;
    const tn_recursion_options options = {.axis = 1};
    coefficients[1] = coefficients[ORDER + 1] = 1;
    REQUIRE_OK(doubles(&filter, 3, three, coefficients));
    REQUIRE_OK(doubles(&x, 2, shape, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    REQUIRE_OK(tn_array_recursion(&y, NULL, filter, x, &options, NULL));
    REQUIRE_OK(check(y, 2 * LINES, (double[]){0, 1, 0, 3, 0, 5, 0, 7, 0, 9}));
cleanup:
    tn_array_release(y);
    tn_array_release(x);
    tn_array_release(filter);
}

static void test_upfirdn(void **state) {
    (void)state;
    static const int64_t three = 3, two = 2;
    tn_array *taps = NULL, *x = NULL, *y = NULL, *bad = NULL;
    tn_upfirdn_options options = {.axis = 0, .up = 2, .down = 1, .first = 0, .count = 6};
    REQUIRE_OK(doubles(&taps, 1, &two, (double[]){1, 10}));
    REQUIRE_OK(doubles(&x, 1, &three, (double[]){1, 2, 3}));
    REQUIRE_OK(tn_array_upfirdn(&y, taps, x, &options, NULL));
    REQUIRE_OK(check(y, 6, (double[]){1, 10, 2, 20, 3, 30}));
    options.up = 0;
    REQUIRE_STATUS(tn_array_upfirdn(&bad, taps, x, &options, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(y);
    tn_array_release(x);
    tn_array_release(taps);
}

static void test_windowed(void **state) {
    (void)state;
    static const int64_t square[2] = {2, 2}, before[2] = {0, 1}, after[2] = {0, 0};
    tn_array *a = NULL, *window = NULL, *made = NULL, *bad = NULL;
    const tn_scalar fill = {.dtype = TN_F64, .value.f64 = 5};
    REQUIRE_OK(doubles(&a, 2, square, (double[]){1, 2, 3, 4}));
    REQUIRE_OK(doubles(&window, 2, square, (double[]){1, 10, 100, 1000}));
    REQUIRE_OK(tn_array_windowed(&made, a, window, before, after, &fill, NULL));
    REQUIRE_OK(check(made, 2, (double[]){3515, 4321}));
    REQUIRE_STATUS(tn_array_windowed(&bad, made, window, NULL, NULL, NULL, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(made);
    tn_array_release(window);
    tn_array_release(a);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_recursion), REPLAY(test_long_recursion),
                                        REPLAY(test_upfirdn), REPLAY(test_windowed)};
    return REPLAY_RUN("signal", tests);
}
