/* Histograms, correlations and interpolation through the public C functions, with failing
 * allocations. Values are compared with NumPy in reductions/test_histograms.py and
 * fft/test_signals.py of tests/python/values. */
#include "replay.h"

#include <math.h>

#include "backend/host/threads.h"
#include <tenorite/samples.h>

static tn_status doubles(tn_array **result, int64_t n, const double *values) {
    return tn_array_new_from_host(result, values, TN_F64, 1, &n, NULL, TN_ORDER_C, NULL);
}

static tn_status integers(tn_array **result, int64_t n, const int32_t *values) {
    return tn_array_new_from_host(result, values, TN_I32, 1, &n, NULL, TN_ORDER_C, NULL);
}

static tn_status check(const tn_array *array, tn_dtype dtype, int64_t count,
                       const double *expected) {
    double read[16];
    tn_array *wide = NULL;
    assert_int_equal(tn_array_size(array), count);
    assert_int_equal(tn_array_dtype(array), dtype);
    tn_status status =
        tn_array_astype(&wide, array, TN_F64, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL);
    if (!status) status = tn_array_read(read, NULL, wide, NULL);
    tn_array_release(wide);
    for (int64_t k = 0; k < count && !status; k++)
        assert_true(isnan(expected[k]) ? isnan(read[k]) : read[k] == expected[k]);
    return status;
}

static void test_extent(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *empty = NULL;
    tn_scalar least, largest;
    REQUIRE_OK(doubles(&a, 4, (double[]){3, -2, 7, 0}));
    REQUIRE_OK(tn_array_extent(&least, &largest, a, NULL));
    assert_true(least.value.f64 == -2 && largest.value.f64 == 7 && least.dtype == TN_F64);
    REQUIRE_OK(integers(&b, 3, (int32_t[]){-5, 4, 2}));
    REQUIRE_OK(tn_array_extent(&least, &largest, b, NULL));
    assert_true(least.value.i64 == -5 && largest.value.i64 == 4 && least.dtype == TN_I64);
    REQUIRE_OK(integers(&empty, 0, (int32_t[]){0}));
    REQUIRE_STATUS(tn_array_extent(&least, &largest, empty, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(empty);
    tn_array_release(b);
    tn_array_release(a);
}

/* Of an array in order C, and of one that is not. */
static void test_repeat(void **state) {
    (void)state;
    static const int64_t counts_of[3] = {2, 0, 1}, below[3] = {1, -1, 0}, three = 3, two = 2;
    static const int64_t shape[2] = {2, 3};
    tn_array *a = NULL, *b = NULL, *transposed = NULL, *counts = NULL, *made = NULL, *bad = NULL;
    REQUIRE_OK(doubles(&a, 6, (double[]){1, 2, 3, 4, 5, 6}));
    REQUIRE_OK(tn_array_reshape(&b, a, 2, shape, TN_ORDER_C, TN_COPY_NEVER, NULL));
    REQUIRE_OK(tn_array_transpose(&transposed, b, 2, NULL));
    REQUIRE_OK(
        tn_array_new_from_host(&counts, counts_of, TN_I64, 1, &three, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_repeat_each(&made, b, 1, counts, NULL));
    REQUIRE_OK(check(made, TN_F64, 6, (double[]){1, 1, 3, 4, 4, 6}));
    tn_array_release(made);
    made = NULL;
    REQUIRE_OK(tn_array_repeat_each(&made, transposed, 0, counts, NULL));
    REQUIRE_OK(check(made, TN_F64, 6, (double[]){1, 4, 1, 4, 3, 6}));
    REQUIRE_OK(tn_array_new_from_host(&bad, below, TN_I64, 1, &three, NULL, TN_ORDER_C, NULL));
    REQUIRE_STATUS(tn_array_repeat_each(&made, b, 1, bad, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_repeat_each(&made, transposed, 0, bad, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_repeat_each(&made, b, 2, bad, NULL), TN_ERROR_AXIS);
    tn_array_release(bad);
    bad = NULL;
    REQUIRE_OK(tn_array_new_from_host(&bad, counts_of, TN_I64, 1, &two, NULL, TN_ORDER_C, NULL));
    REQUIRE_STATUS(tn_array_repeat_each(&made, b, 1, bad, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(bad);
    tn_array_release(made);
    tn_array_release(counts);
    tn_array_release(transposed);
    tn_array_release(b);
    tn_array_release(a);
}

static void test_bincount(void **state) {
    (void)state;
    tn_array *a = NULL, *weights = NULL, *counts = NULL, *sums = NULL, *none = NULL;
    REQUIRE_OK(integers(&a, 4, (int32_t[]){1, 3, 1, 0}));
    REQUIRE_OK(doubles(&weights, 4, (double[]){0.5, 2, 1, -1}));
    REQUIRE_OK(tn_array_bincount(&counts, a, NULL, 5, NULL));
    REQUIRE_OK(check(counts, TN_I64, 5, (double[]){1, 2, 0, 1, 0}));
    REQUIRE_OK(tn_array_bincount(&sums, a, weights, 0, NULL));
    REQUIRE_OK(check(sums, TN_F64, 4, (double[]){-1, 1.5, 0, 2}));
    REQUIRE_STATUS(tn_array_bincount(&none, a, NULL, -1, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_bincount(&none, weights, NULL, 0, NULL), TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_array_bincount(&none, a, counts, 0, NULL), TN_ERROR_VALUE);
    assert_null(none);
cleanup:
    tn_array_release(sums);
    tn_array_release(counts);
    tn_array_release(weights);
    tn_array_release(a);
}

/* A row of several pieces; each bin of the result has as many values, or as much weight. */
static void test_histogram(void **state) {
    (void)state;
    enum { N = 120000, BINS = 6 };
    static double values[N];
    tn_array *a = NULL, *edges = NULL, *counts = NULL, *sums = NULL, *searched = NULL, *none = NULL;
    const tn_even_bins even = {0, 1};
    for (int k = 0; k < N; k++)
        values[k] = k % BINS + 0.5;
    tni_thread_set_count(3);
    REQUIRE_OK(doubles(&a, N, values));
    REQUIRE_OK(doubles(&edges, BINS + 1, (double[]){0, 1, 2, 3, 4, 5, 6}));
    REQUIRE_OK(tn_array_histogram(&counts, a, edges, &even, NULL, NULL));
    REQUIRE_OK(check(counts, TN_I64, BINS, (double[]){20000, 20000, 20000, 20000, 20000, 20000}));
    REQUIRE_OK(tn_array_histogram(&searched, a, edges, NULL, NULL, NULL));
    REQUIRE_OK(check(searched, TN_I64, BINS, (double[]){20000, 20000, 20000, 20000, 20000, 20000}));
    REQUIRE_OK(tn_array_histogram(&sums, a, edges, &even, a, NULL));
    REQUIRE_OK(check(sums, TN_F64, BINS, (double[]){10000, 30000, 50000, 70000, 90000, 110000}));
    REQUIRE_STATUS(tn_array_histogram(&none, a, counts, NULL, edges, NULL), TN_ERROR_VALUE);
    assert_null(none);
cleanup:
    tni_thread_set_count(0);
    tn_array_release(searched);
    tn_array_release(sums);
    tn_array_release(counts);
    tn_array_release(edges);
    tn_array_release(a);
}

static void test_correlate(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *full = NULL, *same = NULL, *swapped = NULL, *none = NULL;
    REQUIRE_OK(doubles(&a, 4, (double[]){1, 2, 3, 4}));
    REQUIRE_OK(integers(&b, 3, (int32_t[]){1, 0, -2}));
    REQUIRE_OK(tn_array_correlate(&full, a, b, TN_CORRELATE_FULL, NULL));
    REQUIRE_OK(check(full, TN_F64, 6, (double[]){-2, -4, -5, -6, 3, 4}));
    REQUIRE_OK(tn_array_correlate(&same, a, b, TN_CORRELATE_SAME, NULL));
    REQUIRE_OK(check(same, TN_F64, 4, (double[]){-4, -5, -6, 3}));
    REQUIRE_OK(tn_array_correlate(&swapped, b, a, TN_CORRELATE_VALID, NULL));
    REQUIRE_OK(check(swapped, TN_F64, 2, (double[]){-6, -5}));
    REQUIRE_OK(
        tn_array_reshape(&none, a, 2, (int64_t[]){2, 2}, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL));
    tn_array *other = NULL;
    REQUIRE_STATUS(tn_array_correlate(&other, none, b, TN_CORRELATE_FULL, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(none);
    tn_array_release(swapped);
    tn_array_release(same);
    tn_array_release(full);
    tn_array_release(b);
    tn_array_release(a);
}

static void test_interpolate(void **state) {
    (void)state;
    tn_array *x = NULL, *xp = NULL, *fp = NULL, *y = NULL, *ended = NULL, *none = NULL;
    const tn_scalar left = tn_scalar_weak_float(-1), right = tn_scalar_weak_int(9);
    REQUIRE_OK(doubles(&x, 6, (double[]){0, 1, 1.5, 3, 4, NAN}));
    REQUIRE_OK(integers(&xp, 3, (int32_t[]){1, 2, 3}));
    REQUIRE_OK(doubles(&fp, 3, (double[]){3, 2, 0}));
    REQUIRE_OK(tn_array_interpolate(&y, x, xp, fp, NULL, NULL, NULL));
    REQUIRE_OK(check(y, TN_F64, 6, (double[]){3, 3, 2.5, 0, 0, NAN}));
    REQUIRE_OK(tn_array_interpolate(&ended, x, xp, fp, &left, &right, NULL));
    REQUIRE_OK(check(ended, TN_F64, 6, (double[]){-1, 3, 2.5, 0, 9, NAN}));
    REQUIRE_STATUS(tn_array_interpolate(&none, x, xp, x, NULL, NULL, NULL), TN_ERROR_VALUE);
    assert_null(none);
cleanup:
    tn_array_release(ended);
    tn_array_release(y);
    tn_array_release(fp);
    tn_array_release(xp);
    tn_array_release(x);
}

static void test_bits(void **state) {
    (void)state;
    tn_array *flags = NULL, *packed = NULL, *back = NULL, *some = NULL, *none = NULL;
    const int last = -1, second = 1;
    const int64_t five = 5, too_many = -33;
    REQUIRE_OK(integers(&flags, 10, (int32_t[]){1, 0, 0, 0, 0, 0, 0, 7, -1, 0}));
    REQUIRE_OK(tn_array_packbits(&packed, flags, &last, false, NULL));
    REQUIRE_OK(check(packed, TN_U8, 2, (double[]){129, 128}));
    REQUIRE_OK(tn_array_unpackbits(&back, packed, NULL, NULL, true, NULL));
    REQUIRE_OK(check(back, TN_U8, 16, (double[]){1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}));
    REQUIRE_OK(tn_array_unpackbits(&some, packed, NULL, &five, false, NULL));
    REQUIRE_OK(check(some, TN_U8, 5, (double[]){1, 0, 0, 0, 0}));
    REQUIRE_STATUS(tn_array_unpackbits(&none, packed, NULL, &too_many, false, NULL),
                   TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_packbits(&none, flags, &second, false, NULL), TN_ERROR_AXIS);
    REQUIRE_STATUS(tn_array_unpackbits(&none, flags, NULL, NULL, false, NULL), TN_ERROR_TYPE);
    assert_null(none);
cleanup:
    tn_array_release(some);
    tn_array_release(back);
    tn_array_release(packed);
    tn_array_release(flags);
}

/* Parts of values that are passed whole, a peak that is none, and which are apart. */
static void test_peaks(void **state) {
    (void)state;
    enum { COUNT = 3 * TN_PEAK_PART };
    static const int64_t three = 3, at[3] = {300, 301, -1}, ranks[3] = {1, 0, 2},
                         bad[3] = {0, 1, 3};
    static const int64_t ascending[3] = {4, 6, 20};
    double values[COUNT] = {0}, parts[2][3] = {{-1, 0, 0}, {0, 2, 0}};
    tn_array *x = NULL, *lows = NULL, *highs = NULL, *peaks = NULL, *made[3] = {NULL, NULL, NULL};
    tn_array *widths[4] = {NULL, NULL, NULL, NULL}, *order = NULL, *wrong = NULL, *kept = NULL,
             *ends = NULL;
    bool flags[3];
    values[300] = 2;
    values[301] = 1;
    values[7] = -1;
    REQUIRE_OK(doubles(&x, COUNT, values));
    REQUIRE_OK(doubles(&lows, 3, parts[0]));
    REQUIRE_OK(doubles(&highs, 3, parts[1]));
    REQUIRE_OK(tn_array_new_from_host(&peaks, at, TN_I64, 1, &three, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_peak_bases(&made[0], &made[1], &made[2], x, lows, highs, peaks, -1, NULL));
    REQUIRE_OK(check(made[0], TN_F64, 3, (double[]){2, 0, 0}));
    REQUIRE_OK(check(made[1], TN_I64, 3, (double[]){7, 301, -1}));
    REQUIRE_OK(check(made[2], TN_I64, 3, (double[]){302, 302, -1}));
    REQUIRE_OK(tn_array_peak_widths(widths, x, lows, peaks, made[0], made[1], made[2], 0.5, NULL));
    REQUIRE_OK(check(widths[0], TN_F64, 3, (double[]){1.5, 0, 0}));
    REQUIRE_STATUS(
        tn_array_peak_bases(&made[0], &made[1], &made[2], peaks, lows, highs, peaks, -1, NULL),
        TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_array_peak_widths(widths, x, highs, peaks, lows, made[1], lows, 0.5, NULL),
                   TN_ERROR_TYPE);
    REQUIRE_OK(tn_array_new_from_host(&order, ranks, TN_I64, 1, &three, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_new_from_host(&wrong, bad, TN_I64, 1, &three, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_peak_ends(&ends, x, peaks, NULL));
    REQUIRE_OK(check(ends, TN_I64, 3, (double[]){300, 301, -1}));
    REQUIRE_STATUS(tn_array_peak_ends(&ends, peaks, peaks, NULL), TN_ERROR_TYPE);
    tn_array_release(peaks);
    peaks = NULL;
    REQUIRE_OK(
        tn_array_new_from_host(&peaks, ascending, TN_I64, 1, &three, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_peaks_apart(&kept, peaks, order, 3, NULL));
    REQUIRE_OK(tn_array_read(flags, NULL, kept, NULL));
    assert_true(flags[0] && !flags[1] && flags[2]);
    REQUIRE_STATUS(tn_array_peaks_apart(&kept, peaks, wrong, 3, NULL), TN_ERROR_INDEX);
    REQUIRE_STATUS(tn_array_peaks_apart(&kept, peaks, x, 3, NULL), TN_ERROR_TYPE);
cleanup:
    tn_array_release(ends);
    tn_array_release(kept);
    tn_array_release(wrong);
    tn_array_release(order);
    for (int k = 0; k < 4; k++)
        tn_array_release(widths[k]);
    for (int k = 0; k < 3; k++)
        tn_array_release(made[k]);
    tn_array_release(peaks);
    tn_array_release(highs);
    tn_array_release(lows);
    tn_array_release(x);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_extent),    REPLAY(test_repeat),
                                        REPLAY(test_bincount),  REPLAY(test_histogram),
                                        REPLAY(test_correlate), REPLAY(test_interpolate),
                                        REPLAY(test_bits),      REPLAY(test_peaks)};
    return REPLAY_RUN("samples", tests);
}
