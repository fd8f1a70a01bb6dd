/* Labels, boxes, distances and the watershed through the public C functions, with failing
 * allocations. Values are compared with SciPy in tests/python/values/images. */
#include "replay.h"

#include <math.h>
#include <string.h>

#include <tenorite/measure.h>

enum { ROWS = 3, COLUMNS = 4, ELEMENTS = ROWS * COLUMNS };

static const int64_t shape[2] = {ROWS, COLUMNS};
static const bool cross[9] = {0, 1, 0, 1, 1, 1, 0, 1, 0}, lame[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};

static tn_status image(tn_array **result, tn_dtype dtype, const void *values) {
    return tn_array_new_from_host(result, values, dtype, 2, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status check(const tn_array *array, tn_dtype dtype, int64_t count,
                       const double *expected) {
    double read[3 * ELEMENTS];
    tn_array *wide = NULL;
    assert_int_equal(tn_array_size(array), count);
    assert_int_equal(tn_array_dtype(array), dtype);
    tn_status status =
        tn_array_astype(&wide, array, TN_F64, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL);
    if (!status) status = tn_array_read(read, NULL, wide, NULL);
    tn_array_release(wide);
    for (int64_t k = 0; k < count && !status; k++)
        assert_true(fabs(read[k] - expected[k]) < 1e-12);
    return status;
}

static const int16_t parts[ELEMENTS] = {5, 5, 0, 1, 0, 0, 0, 1, 7, 0, 1, 1};

static void test_label(void **state) {
    (void)state;
    tn_array *a = NULL, *labels = NULL, *boxes = NULL, *floats = NULL;
    int64_t count = 0;
    REQUIRE_OK(image(&a, TN_I16, parts));
    REQUIRE_OK(tn_array_label(&labels, &count, a, cross, NULL));
    assert_int_equal(count, 3);
    REQUIRE_OK(check(labels, TN_I32, ELEMENTS, (double[]){1, 1, 0, 2, 0, 0, 0, 2, 3, 0, 2, 2}));
    REQUIRE_OK(tn_array_label_boxes(&boxes, labels, 4, NULL));
    REQUIRE_OK(
        check(boxes, TN_I64, 16, (double[]){3, 1, 4, 2, 3, 3, 2, 4, 1, 3, 4, 1, 0, 0, 0, 0}));
    REQUIRE_STATUS(tn_array_label_boxes(&floats, labels, -1, NULL), TN_ERROR_VALUE);
    tn_array_release(boxes);
    boxes = NULL;
    REQUIRE_STATUS(tn_array_label(&boxes, &count, a, lame, NULL), TN_ERROR_VALUE);
    REQUIRE_OK(
        tn_array_astype(&floats, a, TN_C64, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL));
    REQUIRE_STATUS(tn_array_label(&boxes, &count, floats, cross, NULL), TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_array_label_boxes(&boxes, floats, 2, NULL), TN_ERROR_TYPE);
cleanup:
    tn_array_release(floats);
    tn_array_release(boxes);
    tn_array_release(labels);
    tn_array_release(a);
}

static void test_value_indices(void **state) {
    (void)state;
    tn_array *a = NULL, *groups = NULL, *indices = NULL, *floats = NULL;
    REQUIRE_OK(image(&a, TN_I16, parts));
    REQUIRE_OK(tn_array_value_indices(&groups, &indices, a, NULL));
    REQUIRE_OK(check(groups, TN_I64, 8, (double[]){0, 5, 1, 9, 5, 11, 7, 12}));
    REQUIRE_OK(
        check(indices, TN_I64, 2 * ELEMENTS, (double[]){0, 1, 1, 1, 2, 0, 1, 2, 2, 0, 0, 2,    //
                                                        2, 0, 1, 2, 1, 3, 3, 2, 3, 0, 1, 0})); //
    REQUIRE_OK(
        tn_array_astype(&floats, a, TN_F32, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL));
    REQUIRE_STATUS(tn_array_value_indices(&groups, &indices, floats, NULL), TN_ERROR_TYPE);
cleanup:
    tn_array_release(floats);
    tn_array_release(indices);
    tn_array_release(groups);
    tn_array_release(a);
}

static void test_distance(void **state) {
    (void)state;
    static const uint8_t flags[ELEMENTS] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
    tn_array *a = NULL, *far = NULL, *at = NULL, *none = NULL;
    REQUIRE_OK(image(&a, TN_B8, flags));
    REQUIRE_OK(
        tn_array_distance(&far, &at, a, TN_DISTANCE_EUCLIDEAN, NULL, TN_DISTANCE_BEFORE, NULL));
    REQUIRE_OK(
        check(far, TN_F64, ELEMENTS, (double[]){0, 1, 2, 2, 1, sqrt(2), sqrt(2), 1, 2, 2, 1, 0}));
    assert_int_equal(tn_array_dtype(at), TN_I32);
    assert_int_equal(tn_array_size(at), 2 * ELEMENTS);
    tn_array_release(far);
    far = NULL;
    REQUIRE_OK(tn_array_distance(&far, NULL, a, TN_DISTANCE_TAXICAB, (double[]){2, 1},
                                 TN_DISTANCE_FIRST, NULL));
    REQUIRE_OK(check(far, TN_F64, ELEMENTS, (double[]){0, 1, 2, 3, 2, 3, 3, 2, 3, 2, 1, 0}));
    tn_array_release(far);
    far = NULL;
    REQUIRE_OK(tn_array_chamfer(&far, &none, a, cross, NULL));
    REQUIRE_OK(check(far, TN_I32, ELEMENTS, (double[]){0, 1, 2, 2, 1, 2, 2, 1, 2, 2, 1, 0}));
cleanup:
    tn_array_release(none);
    tn_array_release(at);
    tn_array_release(far);
    tn_array_release(a);
}

static void test_watershed(void **state) {
    (void)state;
    static const uint8_t heights[ELEMENTS] = {1, 9, 1, 1, 1, 9, 1, 1, 1, 9, 1, 1};
    static const int64_t at[ELEMENTS] = {4, 0, 0, 7};
    tn_array *a = NULL, *markers = NULL, *made = NULL, *bad = NULL;
    REQUIRE_OK(image(&a, TN_U8, heights));
    REQUIRE_OK(image(&markers, TN_I64, at));
    REQUIRE_OK(tn_array_watershed(&made, a, markers, cross, NULL));
    assert_int_equal(tn_array_dtype(made), TN_I64);
    REQUIRE_STATUS(tn_array_watershed(&bad, markers, markers, cross, NULL), TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_array_watershed(&bad, a, a, cross, NULL), TN_ERROR_TYPE);
cleanup:
    tn_array_release(bad);
    tn_array_release(made);
    tn_array_release(markers);
    tn_array_release(a);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_label), REPLAY(test_value_indices),
                                        REPLAY(test_distance), REPLAY(test_watershed)};
    return REPLAY_RUN("measure", tests);
}
