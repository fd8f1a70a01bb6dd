/* Splines through the public C functions, with failing allocations. Values are compared with
 * SciPy's in tests/python/values/interpolate. */
#include "replay.h"

#include <math.h>

#include <tenorite/spline.h>

static tn_status doubles(tn_array **result, int ndim, const int64_t *shape, const double *values) {
    return tn_array_new_from_host(result, values, TN_F64, ndim, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status check(const tn_array *array, int64_t count, const double *expected) {
    double read[16];
    assert_int_equal(tn_array_size(array), count);
    assert_int_equal(tn_array_dtype(array), TN_F64);
    const tn_status status = tn_array_read(read, NULL, array, NULL);
    for (int64_t k = 0; k < count && !status; k++)
        assert_true(isnan(expected[k]) ? isnan(read[k]) : fabs(read[k] - expected[k]) < 1e-12);
    return status;
}

/* x squared in pieces, its factors, and what does not fit. */
static void test_evaluate(void **state) {
    (void)state;
    tn_array *knots = NULL, *c = NULL, *x = NULL, *y = NULL, *is_outside = NULL;
    tn_array *weights = NULL, *places = NULL, *none = NULL;
    bool flag = false;
    REQUIRE_OK(doubles(&knots, 1, (int64_t[]){3}, (double[]){0, 1, 3}));
    REQUIRE_OK(doubles(&c, 2, (int64_t[]){3, 2}, (double[]){1, 1, 0, 2, 0, 1}));
    REQUIRE_OK(doubles(&x, 1, (int64_t[]){4}, (double[]){-1, 0.5, 2, NAN}));
    tn_spline_axis axis = {knots, 3, 0};
    tn_spline spline = {TN_SPLINE_POWERS, TN_SPLINE_FILL, {7, 0}, 1, &axis, c};
    REQUIRE_OK(tn_spline_evaluate(&y, &is_outside, &spline, x, NULL));
    REQUIRE_OK(check(y, 4, (double[]){7, 0.25, 4, NAN}));
    REQUIRE_OK(tn_array_read(&flag, NULL, is_outside, NULL));
    assert_true(flag);
    spline.outside = TN_SPLINE_CLAMP;
    REQUIRE_OK(tn_spline_weights(&weights, &places, &spline, x, NULL));
    assert_int_equal(tn_array_size(weights), 12);
    axis.terms = 2;
    REQUIRE_STATUS(tn_spline_evaluate(&none, NULL, &spline, x, NULL), TN_ERROR_VALUE);
    axis.terms = 200;
    REQUIRE_STATUS(tn_spline_evaluate(&none, NULL, &spline, x, NULL), TN_ERROR_NOT_IMPLEMENTED);
    assert_null(none);
cleanup:
    tn_array_release(places);
    tn_array_release(weights);
    tn_array_release(is_outside);
    tn_array_release(y);
    tn_array_release(x);
    tn_array_release(c);
    tn_array_release(knots);
}

/* A system that needs an exchange of rows, and one that has no solution. */
static void test_banded(void **state) {
    (void)state;
    tn_array *rows = NULL, *zeros = NULL, *b = NULL, *x = NULL, *none = NULL;
    static const int64_t shape[2] = {3, 3}, three = 3;
    REQUIRE_OK(doubles(&rows, 2, shape, (double[]){9, 0, 1, 2, 1, 0, 0, 4, 9}));
    REQUIRE_OK(tn_array_new_zeros(&zeros, TN_F64, 2, shape, TN_ORDER_C, NULL));
    REQUIRE_OK(doubles(&b, 1, &three, (double[]){5, 7, 8}));
    REQUIRE_OK(tn_spline_solve_banded(&x, rows, 1, 1, b, "singular", NULL));
    REQUIRE_OK(check(x, 3, (double[]){1, 5, 2}));
    REQUIRE_STATUS(tn_spline_solve_banded(&none, zeros, 1, 1, b, "singular", NULL),
                   TN_ERROR_LINALG);
    REQUIRE_STATUS(tn_spline_solve_banded(&none, rows, 2, 1, b, "singular", NULL), TN_ERROR_VALUE);
    assert_null(none);
cleanup:
    tn_array_release(x);
    tn_array_release(b);
    tn_array_release(zeros);
    tn_array_release(rows);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_evaluate), REPLAY(test_banded)};
    return REPLAY_RUN("spline", tests);
}
