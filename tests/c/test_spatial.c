/* Distances, trees of points and triangles through the public C functions, with failing
 * allocations. Values are compared with SciPy in tests/python/values/spatial. */
#include "replay.h"

#include <tenorite/spatial.h>

#include <math.h>

static tn_status points_of(tn_array **result, int64_t rows, int64_t columns, const double *values) {
    const int64_t shape[2] = {rows, columns};
    return tn_array_new_from_host(result, values, TN_F64, 2, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status numbers_of(tn_array **result, int64_t n, const int64_t *values) {
    return tn_array_new_from_host(result, values, TN_I64, 1, &n, NULL, TN_ORDER_C, NULL);
}

static const double square[10] = {0, 0, 3, 0, 0, 4, 3, 4, 3, 4};
static const int64_t in_order[5] = {0, 1, 2, 3, 4};

static void test_distances(void **state) {
    (void)state;
    tn_array *a = NULL, *made = NULL, *pairs = NULL, *row = NULL;
    double read[25];
    REQUIRE_OK(points_of(&a, 5, 2, square));
    REQUIRE_OK(tn_array_distances(&made, a, a, TN_METRIC_EUCLIDEAN, 2, NULL, NULL));
    REQUIRE_OK(tn_array_read(read, NULL, made, NULL));
    assert_true(read[0] == 0 && read[1] == 3 && read[2] == 4 && read[3] == 5 && read[19] == 0);
    REQUIRE_OK(tn_array_distances(&pairs, a, NULL, TN_METRIC_CITYBLOCK, 2, NULL, NULL));
    assert_int_equal(tn_array_size(pairs), 10);
    REQUIRE_STATUS(tn_array_distances(&made, a, NULL, TN_METRIC_COSINE, 2, NULL, NULL),
                   TN_ERROR_VALUE);
    REQUIRE_OK(numbers_of(&row, 5, in_order));
    REQUIRE_STATUS(tn_array_distances(&pairs, row, NULL, TN_METRIC_COSINE, 2, NULL, NULL),
                   TN_ERROR_TYPE);
cleanup:
    tn_array_release(row);
    tn_array_release(pairs);
    tn_array_release(made);
    tn_array_release(a);
}

static void test_tree(void **state) {
    (void)state;
    tn_array *points = NULL, *boxes = NULL, *order = NULL, *radii = NULL, *flat = NULL;
    tn_array *made[2] = {NULL, NULL}, *counts = NULL, *sums = NULL, *found = NULL, *starts = NULL;
    const tn_tree_options options = {.p = 2, .bound = 1e300, .k = 2};
    const double lengths[5] = {3, 3, 3, 3, 3};
    tn_array *all[3] = {NULL, NULL, NULL};
    int64_t numbers[10], five = 5;
    REQUIRE_OK(points_of(&points, 5, 2, square));
    REQUIRE_OK(numbers_of(&order, 5, in_order));
    REQUIRE_OK(tn_tree_boxes(&boxes, points, 1, NULL));
    REQUIRE_STATUS(tn_tree_boxes(&boxes, points, 3, NULL), TN_ERROR_VALUE);
    const tn_tree tree = {points, boxes, order, NULL, 1};
    REQUIRE_OK(tn_tree_query(&made[0], &made[1], &tree, points, &options, NULL));
    REQUIRE_OK(tn_array_read(numbers, NULL, made[1], NULL));
    assert_true(numbers[0] == 0 && numbers[1] == 1 && numbers[6] == 3 && numbers[7] == 4);
    REQUIRE_OK(tn_array_new_from_host(&radii, lengths, TN_F64, 1, &five, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_tree_count(&counts, &tree, points, radii, NULL, &options, NULL));
    REQUIRE_OK(tn_array_read(numbers, NULL, counts, NULL));
    assert_true(numbers[0] == 2 && numbers[2] == 3 && numbers[3] == 3);
    REQUIRE_OK(tn_tree_weigh(&sums, &tree, points, radii, radii, &options, NULL));
    REQUIRE_OK(numbers_of(&starts, 5, (int64_t[]){0, 2, 4, 7, 10}));
    REQUIRE_OK(
        tn_tree_collect(&found, NULL, &tree, points, radii, NULL, starts, 13, &options, NULL));
    REQUIRE_OK(
        tn_tree_gather(&all[0], &all[1], &all[2], &tree, points, radii, NULL, &options, NULL));
    assert_true(tn_array_size(all[0]) == 5 && tn_array_size(all[1]) == 13);
    assert_int_equal(tn_array_size(all[2]), 13);
    REQUIRE_OK(points_of(&flat, 2, 5, square));
    REQUIRE_STATUS(tn_tree_query(&made[0], &made[1], &tree, flat, &options, NULL), TN_ERROR_VALUE);
cleanup:
    for (int k = 0; k < 3; k++)
        tn_array_release(all[k]);
    tn_array_release(flat);
    tn_array_release(starts);
    tn_array_release(found);
    tn_array_release(sums);
    tn_array_release(counts);
    tn_array_release(made[1]);
    tn_array_release(made[0]);
    tn_array_release(radii);
    tn_array_release(boxes);
    tn_array_release(order);
    tn_array_release(points);
}

static void test_triangles(void **state) {
    (void)state;
    tn_array *points = NULL, *turns = NULL, *made[3] = {NULL, NULL, NULL}, *found = NULL;
    tn_array *hull = NULL, *line = NULL, *none[3] = {NULL, NULL, NULL}, *keys = NULL;
    int32_t read[6];
    REQUIRE_OK(points_of(&points, 5, 2, square));
    REQUIRE_OK(numbers_of(&turns, 5, in_order));
    REQUIRE_OK(tn_array_triangulate(&made[0], &made[1], &made[2], points, turns, NULL));
    assert_int_equal(tn_array_size(made[0]), 6);
    REQUIRE_OK(tn_array_read(read, NULL, made[2], NULL));
    assert_true(read[0] == 4 && read[2] == 3);
    REQUIRE_OK(tn_array_locate(&found, points, points, made[0], made[1], NULL, 1e-12, false, NULL));
    REQUIRE_OK(tn_array_hull(&hull, points, turns, NULL));
    REQUIRE_OK(points_of(&line, 5, 2, (double[]){0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
    REQUIRE_STATUS(tn_array_triangulate(&none[0], &none[1], &none[2], line, turns, NULL),
                   TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_hull(&none[0], line, turns, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_hilbert(&keys, points, 4, NULL), TN_ERROR_TYPE);
cleanup:
    tn_array_release(line);
    tn_array_release(hull);
    tn_array_release(found);
    for (int k = 0; k < 3; k++)
        tn_array_release(made[k]);
    tn_array_release(turns);
    tn_array_release(points);
}

/* A plane through the corners of a square: its slopes are those of the plane everywhere. */
static void test_surfaces(void **state) {
    (void)state;
    const double corners[8] = {0, 0, 3, 0, 0, 4, 3, 4}, plane[8] = {1, 0, 7, 0, 13, 0, 19, 0};
    const double fill[2] = {-5, -6};
    const int32_t triangles[6] = {0, 1, 2, 3, 2, 1}, beyond[6] = {1, -1, -1, 0, -1, -1};
    const int32_t places[4] = {0, 1, -1, 9};
    const int64_t rows = 4, shape[2] = {2, 3};
    tn_array *points = NULL, *values = NULL, *made[2] = {NULL, NULL}, *found = NULL, *slopes = NULL;
    tn_array *result[2] = {NULL, NULL}, *none = NULL;
    double read[16];
    int64_t left = -1;
    REQUIRE_OK(points_of(&points, 4, 2, corners));
    REQUIRE_OK(points_of(&values, 4, 2, plane));
    REQUIRE_OK(
        tn_array_new_from_host(&made[0], triangles, TN_I32, 2, shape, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_new_from_host(&made[1], beyond, TN_I32, 2, shape, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_new_from_host(&found, places, TN_I32, 1, &rows, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_triangle_slopes(&slopes, &left, points, made[0], made[1], values, 1e-12,
                                        400, NULL));
    assert_true(left == 0);
    REQUIRE_OK(tn_array_read(read, NULL, slopes, NULL));
    for (int k = 0; k < 16; k++)
        assert_true(fabs(read[k] - (k % 4 == 0 ? 2 : k % 4 == 1 ? 3 : 0)) < 1e-9);
    for (int k = 0; k < 2; k++) {
        REQUIRE_OK(tn_array_triangle_values(&result[k], points, found, points, made[0], made[1],
                                            values, k ? slopes : NULL, fill, NULL));
        REQUIRE_OK(tn_array_read(read, NULL, result[k], NULL));
        assert_true(fabs(read[0] - 1) + fabs(read[2] - 7) + fabs(read[3]) < 1e-9);
        assert_true(read[4] == -5 && read[5] == -6 && read[6] == -5);
    }
    REQUIRE_STATUS(tn_array_triangle_values(&none, points, found, points, made[0], made[1], values,
                                            values, fill, NULL),
                   TN_ERROR_VALUE);
    REQUIRE_STATUS(
        tn_array_triangle_slopes(&none, &left, points, found, made[1], values, 1e-12, 400, NULL),
        TN_ERROR_VALUE);
cleanup:
    for (int k = 0; k < 2; k++) {
        tn_array_release(result[k]);
        tn_array_release(made[k]);
    }
    tn_array_release(slopes);
    tn_array_release(found);
    tn_array_release(values);
    tn_array_release(points);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_distances), REPLAY(test_tree),
                                        REPLAY(test_triangles), REPLAY(test_surfaces)};
    return REPLAY_RUN("spatial", tests);
}
