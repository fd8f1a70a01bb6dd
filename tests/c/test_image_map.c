/* Splines through images and filters of Fourier transforms through the public C functions, with
 * failing allocations. Values are compared with SciPy in values/images of tests/python. */
#include "replay.h"

#include <math.h>

#include <tenorite/image_map.h>

static tn_status doubles(tn_array **result, int ndim, const int64_t *shape, const double *values) {
    return tn_array_new_from_host(result, values, TN_F64, ndim, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status check(const tn_array *array, int64_t count, const double *expected) {
    double read[16];
    tn_array *wide = NULL;
    assert_int_equal(tn_array_size(array), count);
    tn_status status =
        tn_array_astype(&wide, array, TN_F64, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL);
    if (!status) status = tn_array_read(read, NULL, wide, NULL);
    tn_array_release(wide);
    for (int64_t k = 0; k < count && !status; k++)
        assert_true(fabs(read[k] - expected[k]) < 1e-9);
    return status;
}

/* Of a line 1 2 3 that goes on as a mirror, the coefficients c have (c[k - 1] + 6 c[k] +
 * c[k + 1]) / 8 = k + 1. */
static void test_spline(void **state) {
    (void)state;
    static const int64_t three = 3;
    static const int first = 0, second = 1;
    tn_array *a = NULL, *c = NULL, *none = NULL;
    REQUIRE_OK(doubles(&a, 1, &three, (double[]){1, 2, 3}));
    REQUIRE_OK(tn_array_spline(&c, a, 2, TN_BORDER_MIRROR, 1, &first, TN_F64, NULL));
    REQUIRE_OK(check(c, 3, (double[]){2. / 3, 2, 10. / 3}));
    REQUIRE_STATUS(tn_array_spline(&none, a, 6, TN_BORDER_MIRROR, 1, &first, TN_F64, NULL),
                   TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_spline(&none, a, 3, TN_BORDER_COUNT, 1, &first, TN_F64, NULL),
                   TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_spline(&none, a, 3, TN_BORDER_MIRROR, 1, &first, TN_I64, NULL),
                   TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_spline(&none, a, 3, TN_BORDER_MIRROR, 1, &second, TN_F64, NULL),
                   TN_ERROR_AXIS);
    assert_null(none);
cleanup:
    tn_array_release(c);
    tn_array_release(a);
}

static void test_map(void **state) {
    (void)state;
    static const int64_t shape[2] = {2, 3}, transposed[2] = {3, 2}, places[2] = {2, 2};
    tn_array *a = NULL, *b = NULL, *c = NULL, *at = NULL, *d = NULL, *none = NULL;
    tn_image_map map = {.order = 1,
                        .border = TN_BORDER_CONSTANT,
                        .filters = true,
                        .cval = {9},
                        .dtype = TN_I32,
                        .ndim = 2,
                        .shape = transposed,
                        .matrix = (double[]){0, 1, 1, 0},
                        .offset = (double[]){0, 0}};
    REQUIRE_OK(doubles(&a, 2, shape, (double[]){1, 2, 3, 4, 5, 6}));
    REQUIRE_OK(tn_array_map(&b, a, &map, NULL));
    REQUIRE_OK(check(b, 6, (double[]){1, 4, 2, 5, 3, 6}));
    map.matrix = NULL;
    map.zoom = (double[]){1, 1};
    map.shift = (double[]){0.5, 0};
    map.dtype = TN_F64;
    map.shape = shape;
    REQUIRE_OK(tn_array_map(&c, a, &map, NULL));
    REQUIRE_OK(check(c, 6, (double[]){2.5, 3.5, 4.5, 9, 9, 9}));
    REQUIRE_OK(doubles(&at, 2, places, (double[]){0, 1, 0.5, 3}));
    map.order = 3;
    REQUIRE_OK(tn_array_map_coordinates(&d, a, at, &map, NULL));
    assert_int_equal(tn_array_size(d), 2);
    map.order = -1;
    REQUIRE_STATUS(tn_array_map(&none, a, &map, NULL), TN_ERROR_VALUE);
    map.order = 1;
    map.ndim = 1;
    REQUIRE_STATUS(tn_array_map(&none, a, &map, NULL), TN_ERROR_VALUE);
    map.output = a;
    REQUIRE_STATUS(tn_array_map_coordinates(&none, a, at, &map, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_map_coordinates(&none, at, b, &map, NULL), TN_ERROR_VALUE);
    assert_null(none);
cleanup:
    tn_array_release(d);
    tn_array_release(at);
    tn_array_release(c);
    tn_array_release(b);
    tn_array_release(a);
}

static void test_fourier_filter(void **state) {
    (void)state;
    static const int64_t four = 4;
    const double half = 0.5, two = 2;
    tn_array *a = NULL, *b = NULL, *none = NULL;
    REQUIRE_OK(doubles(&a, 1, &four, (double[]){1, 1, 1, 1}));
    REQUIRE_OK(tn_array_fourier_filter(&b, a, TN_FOURIER_UNIFORM, &two, -1, 0, TN_F64, NULL, NULL));
    REQUIRE_OK(check(b, 4, (double[]){1, 2 / 3.14159265358979, 0, 2 / 3.14159265358979}));
    REQUIRE_STATUS(
        tn_array_fourier_filter(&none, a, TN_FOURIER_SHIFT, &half, -1, 0, TN_F64, NULL, NULL),
        TN_ERROR_VALUE);
    REQUIRE_STATUS(
        tn_array_fourier_filter(&none, a, TN_FOURIER_FILTERS, &half, -1, 0, TN_F64, NULL, NULL),
        TN_ERROR_VALUE);
    REQUIRE_STATUS(
        tn_array_fourier_filter(&none, a, TN_FOURIER_GAUSSIAN, &half, -1, 1, TN_F64, NULL, NULL),
        TN_ERROR_AXIS);
    assert_null(none);
cleanup:
    tn_array_release(b);
    tn_array_release(a);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_spline), REPLAY(test_map),
                                        REPLAY(test_fourier_filter)};
    return REPLAY_RUN("image_map", tests);
}
