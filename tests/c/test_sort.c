/* Sorting and searching through the public C functions, with failing allocations. Values are
 * compared with NumPy in tests/python/values/reductions/test_sort.py. */
#include "replay.h"

#include <math.h>

#include "backend/host/threads.h"
#include <tenorite/sort.h>

static tn_status doubles(tn_array **result, int64_t n, const double *values) {
    return tn_array_new_from_host(result, values, TN_F64, 1, &n, NULL, TN_ORDER_C, NULL);
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
        assert_true(isnan(expected[k]) ? isnan(read[k]) : read[k] == expected[k]);
    return status;
}

static void test_elements_and_positions(void **state) {
    (void)state;
    tn_array *a = NULL, *sorted = NULL, *positions = NULL;
    REQUIRE_OK(doubles(&a, 5, (double[]){3, NAN, -1, 3, 0}));
    REQUIRE_OK(tn_array_sort(&sorted, a, NULL, NULL));
    REQUIRE_OK(check(sorted, 5, (double[]){-1, 0, 3, 3, NAN}));
    REQUIRE_OK(tn_array_argsort(&positions, a, NULL, NULL));
    REQUIRE_OK(check(positions, 5, (double[]){2, 4, 0, 3, 1}));
    tn_sort_options options = TN_SORT_DEFAULTS;
    options.is_descending = true;
    REQUIRE_OK(tn_array_argsort(&positions, a, &options, NULL));
    REQUIRE_OK(check(positions, 5, (double[]){1, 0, 3, 4, 2}));
    REQUIRE_OK(tn_array_sort(&a, a, NULL, NULL));
    REQUIRE_OK(check(a, 5, (double[]){-1, 0, 3, 3, NAN}));
cleanup:
    tn_array_release(positions);
    tn_array_release(sorted);
    tn_array_release(a);
}

/* A row long enough for several threads, of each kind of item, and some of its ranks. */
static void test_long_rows(void **state) {
    (void)state;
    enum { N = 100000 };
    tn_array *steps = NULL, *a = NULL, *sorted = NULL, *item = NULL;
    static double values[N];
    for (int k = 0; k < N; k++)
        values[k] = (double)((int64_t)k * 7919 % N);
    const tn_rank_range ranges[2] = {{99, 101}, {N - 1, N}};
    tn_sort_options options = TN_SORT_DEFAULTS;
    tni_thread_set_count(3);
    REQUIRE_OK(doubles(&steps, N, values));
    for (int dtype = TN_I32; dtype <= TN_C128; dtype++) {
        if (dtype == TN_F16 || dtype == TN_BF16) continue;
        REQUIRE_OK(tn_array_astype(&a, steps, (tn_dtype)dtype, TN_ORDER_C, TN_CASTING_UNSAFE,
                                   TN_COPY_ALWAYS, NULL));
        for (int some = 0; some < 2; some++) {
            options.range_count = some ? 2 : 0;
            options.ranges = some ? ranges : NULL;
            REQUIRE_OK(tn_array_sort(&sorted, a, &options, NULL));
            const tn_index at = {.kind = TN_INDEX_INTEGER, .start = 100};
            REQUIRE_OK(tn_array_slice(&item, sorted, 1, &at));
            REQUIRE_OK(check(item, 1, (double[]){100}));
            tn_array_release(item);
            tn_array_release(sorted);
            item = sorted = NULL;
        }
        tn_array_release(a);
        a = NULL;
    }
cleanup:
    tni_thread_set_count(0);
    tn_array_release(item);
    tn_array_release(sorted);
    tn_array_release(a);
    tn_array_release(steps);
}

static void test_axes(void **state) {
    (void)state;
    enum { ROWS = 300, COLUMNS = 2 };
    static double values[ROWS * COLUMNS];
    const int64_t shape[2] = {ROWS, COLUMNS};
    for (int k = 0; k < ROWS * COLUMNS; k++)
        values[k] = ROWS * COLUMNS - k;
    tn_array *a = NULL, *first = NULL;
    tn_sort_options options = TN_SORT_DEFAULTS;
    options.axis = 0;
    REQUIRE_OK(tn_array_new_from_host(&a, values, TN_F64, 2, shape, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_sort(&a, a, &options, NULL));
    REQUIRE_OK(tn_array_slice(&first, a, 1, &(tn_index){.kind = TN_INDEX_INTEGER, .start = 0}));
    REQUIRE_OK(check(first, 2, (double[]){2, 1}));
cleanup:
    tn_array_release(first);
    tn_array_release(a);
}

static void test_errors(void **state) {
    (void)state;
    tn_array *a = NULL, *other = NULL, *none = NULL;
    tn_sort_options options = TN_SORT_DEFAULTS;
    const tn_rank_range beyond = {2, 4};
    REQUIRE_OK(doubles(&a, 3, (double[]){3, 1, 2}));
    REQUIRE_OK(doubles(&other, 2, (double[]){3, 1}));
    options.axis = 1;
    REQUIRE_STATUS(tn_array_sort(&none, a, &options, NULL), TN_ERROR_AXIS);
    options.axis = 0;
    options.range_count = 1;
    options.ranges = &beyond;
    REQUIRE_STATUS(tn_array_sort(&none, a, &options, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_sort(&other, a, NULL, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_argsort(&a, a, NULL, NULL), TN_ERROR_TYPE);
    tn_array_set_writeable(a, false);
    REQUIRE_STATUS(tn_array_sort(&a, a, NULL, NULL), TN_ERROR_VALUE);
    REQUIRE_OK(check(a, 3, (double[]){3, 1, 2}));
cleanup:
    tn_array_release(other);
    tn_array_release(a);
}

static void test_searches(void **state) {
    (void)state;
    tn_array *a = NULL, *values = NULL, *found = NULL, *table = NULL;
    REQUIRE_OK(doubles(&a, 4, (double[]){1, 2, 2, NAN}));
    REQUIRE_OK(doubles(&values, 3, (double[]){2, NAN, -5}));
    REQUIRE_OK(tn_array_searchsorted(&found, a, values, false, NULL));
    REQUIRE_OK(check(found, 3, (double[]){1, 3, 0}));
    REQUIRE_OK(tn_array_searchsorted(&found, a, values, true, NULL));
    REQUIRE_OK(check(found, 3, (double[]){3, 4, 0}));
    REQUIRE_OK(tn_array_reshape(&table, a, 2, (int64_t[]){2, 2}, TN_ORDER_C, TN_COPY_NEVER, NULL));
    tn_array *none = NULL;
    REQUIRE_STATUS(tn_array_searchsorted(&none, table, values, true, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_searchsorted(&values, a, values, true, NULL), TN_ERROR_TYPE);
cleanup:
    tn_array_release(table);
    tn_array_release(found);
    tn_array_release(values);
    tn_array_release(a);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_elements_and_positions), REPLAY(test_long_rows),
                                        REPLAY(test_axes), REPLAY(test_errors),
                                        REPLAY(test_searches)};
    return REPLAY_RUN("sort", tests);
}
