/* The public tn_fft: against direct sums in long double, and what it refuses. */
#include "replay.h"

#include <math.h>
#include <tenorite/tenorite.h>

static const tn_device host = {TN_BACKEND_HOST, 0};

enum { LINES = 3, MOST = 70 };
static const int last_axis[] = {-1};

/* The sum itself of `given` elements and zeros to n; sign -1: forward. */
static void sum(double *result, const double *x, int given, int n, int sign) {
    for (int k = 0; k < n; k++) {
        long double real = 0, imaginary = 0;
        for (int j = 0; j < given && j < n; j++) {
            const long double angle = sign * 2 * 3.14159265358979323846264338327950288L *
                                      (long double)((int64_t)j * k % n) / n;
            real += x[2 * j] * cosl(angle) - x[2 * j + 1] * sinl(angle);
            imaginary += x[2 * j] * sinl(angle) + x[2 * j + 1] * cosl(angle);
        }
        result[2 * k] = (double)real;
        result[2 * k + 1] = (double)imaginary;
    }
}

static void make_values(double *values, int count, bool is_real) {
    for (int k = 0; k < count; k++) {
        values[2 * k] = sin(k * 1.7 + 1);
        values[2 * k + 1] = is_real ? 0 : cos(k * 2.3);
    }
}

static void check_near(const double *got, const double *wanted, int count) {
    for (int k = 0; k < count; k++)
        if (!(fabs(got[k] - wanted[k]) < 1e-12 * (10 + fabs(wanted[k]))))
            fail_msg("%d of %d: %g, not %g", k, count, got[k], wanted[k]);
}

static double scale_of(int n, bool is_backward, tn_fft_norm norm) {
    if (norm == TN_FFT_ORTHO) return 1 / sqrt(n);
    return (norm == TN_FFT_FORWARD) != is_backward ? 1.0 / n : 1;
}

/* Lines of `extent` elements to transforms of n; *result may be given. */
static tn_status transform(double *got, tn_dtype dtype, const double *values, int extent, int n,
                           tn_fft_kind kind, bool is_backward, tn_fft_norm norm) {
    tn_array *array = NULL, *made = NULL;
    tn_stream *stream = tn_stream_default(host);
    const int64_t shape[] = {LINES, extent}, lengths[] = {n};
    tn_status status = tn_array_new(&array, dtype, 2, shape, TN_ORDER_C, stream);
    if (status == TN_OK) status = tn_array_write(array, values, NULL, stream);
    if (status == TN_OK)
        status = tn_fft(&made, array, kind, is_backward, 1, last_axis, lengths, norm, stream);
    if (status == TN_OK) status = tn_array_read(got, NULL, made, stream);
    tn_array_release(made);
    tn_array_release(array);
    return status;
}

static void check_complex(int n, int extent, bool is_backward, tn_fft_norm norm) {
    static double values[2 * LINES * 2 * MOST], got[2 * LINES * MOST], wanted[2 * MOST];
    make_values(values, LINES * extent, false);
    if (transform(got, TN_C128, values, extent, n, TN_FFT_COMPLEX, is_backward, norm) != TN_OK)
        fail_msg("%s", tn_error_message());
    for (int line = 0; line < LINES; line++) {
        sum(wanted, values + 2 * line * extent, extent, n, is_backward ? 1 : -1);
        for (int k = 0; k < 2 * n; k++)
            wanted[k] *= scale_of(n, is_backward, norm);
        check_near(got + 2 * line * n, wanted, 2 * n);
    }
}

static void test_complex(void **state) {
    (void)state;
    for (int n = 1; n <= MOST; n++)
        for (int way = 0; way < 6; way++)
            check_complex(n, n, way % 2, (tn_fft_norm)(way / 2));
    check_complex(12, 5, false, TN_FFT_BACKWARD); /* followed by zeros */
    check_complex(7, 31, true, TN_FFT_ORTHO);     /* cut */
}

/* The half of a transform of real numbers, and back. */
static void test_real(void **state) {
    (void)state;
    static double values[LINES * MOST], pairs[2 * LINES * MOST], half[2 * LINES * MOST];
    static double wanted[2 * MOST], back[LINES * MOST];
    for (int n = 1; n <= MOST; n++) {
        const int count = n / 2 + 1;
        make_values(pairs, LINES * n, true);
        for (int k = 0; k < LINES * n; k++)
            values[k] = pairs[2 * k];
        assert_int_equal(transform(half, TN_F64, values, n, n, TN_FFT_REAL, false, TN_FFT_BACKWARD),
                         TN_OK);
        for (int line = 0; line < LINES; line++) {
            sum(wanted, pairs + 2 * line * n, n, n, -1);
            check_near(half + 2 * line * count, wanted, 2 * count);
        }
        assert_int_equal(
            transform(back, TN_C128, half, count, n, TN_FFT_HERMITIAN, true, TN_FFT_BACKWARD),
            TN_OK);
        check_near(back, values, LINES * n);
    }
}

/* Of several axes, in place, and of other dtypes; every allocation fails in turn. */
static void test_results(void **state) {
    static const struct {
        tn_dtype from, to, back;
    } dtypes[] = {{TN_F16, TN_C64, TN_F32},  {TN_BF16, TN_C64, TN_F32}, {TN_F32, TN_C64, TN_F32},
                  {TN_I32, TN_C128, TN_F64}, {TN_U8, TN_C128, TN_F64},  {TN_C64, TN_C64, TN_F32},
                  {TN_C128, TN_C128, TN_F64}};
    (void)state;
    const int64_t shape[] = {4, 6};
    const int axes[] = {0, 1};
    tn_stream *stream = tn_stream_default(host);
    tn_array *array = NULL, *made = NULL, *back = NULL;
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        REQUIRE_OK(tn_array_new_zeros(&array, dtypes[k].from, 2, shape, TN_ORDER_C, stream));
        REQUIRE_OK(
            tn_fft(&made, array, TN_FFT_COMPLEX, false, 2, axes, NULL, TN_FFT_BACKWARD, stream));
        assert_int_equal(tn_array_dtype(made), dtypes[k].to);
        REQUIRE_OK(
            tn_fft(&back, made, TN_FFT_HERMITIAN, true, 2, axes, NULL, TN_FFT_BACKWARD, stream));
        assert_int_equal(tn_array_dtype(back), dtypes[k].back);
        assert_int_equal(tn_array_shape(back)[1], 10);
        tn_array *same = made;
        REQUIRE_OK(
            tn_fft(&same, made, TN_FFT_COMPLEX, true, 2, axes, NULL, TN_FFT_BACKWARD, stream));
        assert_ptr_equal(same, made);
        tn_array_release(array);
        tn_array_release(made);
        tn_array_release(back);
        array = made = back = NULL;
    }
cleanup:
    tn_array_release(array);
    tn_array_release(made);
    tn_array_release(back);
    tn_fft_cache_clear(host);
}

static void check_refused(const tn_array *array, tn_fft_kind kind, int count, const int *axes,
                          const int64_t *lengths, tn_status expected, const char *text) {
    tn_array *made = NULL;
    assert_int_equal(tn_fft(&made, array, kind, false, count, axes, lengths, TN_FFT_BACKWARD, NULL),
                     expected);
    assert_null(made);
    if (!strstr(tn_error_message(), text)) fail_msg("%s", tn_error_message());
}

static void test_refused(void **state) {
    (void)state;
    const int64_t shape[] = {4, 6}, short_shape[] = {4, 5}, zero[] = {0};
    const int twice[] = {1, -1}, beyond[] = {2};
    tn_stream *stream = tn_stream_default(host);
    tn_array *array = NULL, *out = NULL;
    assert_int_equal(tn_array_new_zeros(&array, TN_C64, 2, shape, TN_ORDER_C, stream), TN_OK);
    check_refused(array, TN_FFT_REAL, 1, last_axis, NULL, TN_ERROR_TYPE, "real");
    check_refused(array, TN_FFT_COMPLEX, 1, last_axis, zero, TN_ERROR_VALUE, "(0)");
    check_refused(array, TN_FFT_COMPLEX, 2, twice, NULL, TN_ERROR_VALUE, "");
    check_refused(array, TN_FFT_HERMITIAN, 0, NULL, NULL, TN_ERROR_AXIS, "at least 1 axis");
    tn_array *made = NULL;
    assert_int_not_equal(
        tn_fft(&made, array, TN_FFT_COMPLEX, false, 1, beyond, NULL, TN_FFT_BACKWARD, NULL), TN_OK);
    assert_int_equal(tn_array_new_zeros(&out, TN_C64, 2, short_shape, TN_ORDER_C, stream), TN_OK);
    tn_array *given = out;
    assert_int_equal(
        tn_fft(&given, array, TN_FFT_COMPLEX, false, 1, last_axis, NULL, TN_FFT_BACKWARD, NULL),
        TN_ERROR_VALUE);
    assert_ptr_equal(given, out);
    tn_array_release(out);
    tn_array_release(array);
}

/* Element k of a sum of cosines or sines of n numbers, as SciPy has it. */
static double cosine_sum(const double *x, int n, int k, int type, bool is_sine) {
    const long double pi = 3.14159265358979323846264338327950288L, m = n;
    long double sum = 0;
    for (int j = 0; j < n; j++) {
        const bool is_first = j == 0, is_last = j == n - 1;
        long double weight = 2, angle;
        switch (type) {
        case 1: angle = is_sine ? (j + 1) * (k + 1) / (m + 1) : j * k / (m - 1); break;
        case 2: angle = (2 * j + 1) * (k + is_sine) / (2 * m); break;
        case 3: angle = (2 * k + 1) * (j + is_sine) / (2 * m); break;
        default: angle = (2 * k + 1) * (2 * j + 1) / (4 * m);
        }
        if (type == 3 && (is_sine ? is_last : is_first)) weight = 1;
        if (type == 1 && !is_sine && (is_first || is_last)) weight = 1;
        sum += weight * x[j] * (is_sine ? sinl(pi * angle) : cosl(pi * angle));
    }
    return (double)sum;
}

static void check_cosines(int n, const tn_fft_cosines *options) {
    static double values[LINES * MOST], pairs[2 * LINES * MOST], got[LINES * MOST], wanted[MOST];
    tn_array *array = NULL, *made = NULL;
    tn_stream *stream = tn_stream_default(host);
    const int64_t shape[] = {LINES, n};
    make_values(pairs, LINES * n, true);
    for (int k = 0; k < LINES * n; k++)
        values[k] = pairs[2 * k];
    assert_int_equal(tn_array_new(&array, TN_F64, 2, shape, TN_ORDER_C, stream), TN_OK);
    assert_int_equal(tn_array_write(array, values, NULL, stream), TN_OK);
    const tn_status status = tn_fft_cosine(&made, array, options, 1, last_axis, NULL, stream);
    if (status != TN_OK) fail_msg("%s", tn_error_message());
    assert_int_equal(tn_array_read(got, NULL, made, stream), TN_OK);
    for (int line = 0; line < LINES; line++) {
        for (int k = 0; k < n; k++)
            wanted[k] = cosine_sum(values + line * n, n, k, options->type, options->is_sine);
        check_near(got + line * n, wanted, n);
    }
    tn_array_release(made);
    tn_array_release(array);
}

static void test_cosines(void **state) {
    (void)state;
    for (int type = 1; type <= 4; type++)
        for (int is_sine = 0; is_sine < 2; is_sine++)
            for (int n = 2; n <= MOST; n++)
                check_cosines(n, &(tn_fft_cosines){.type = type, .is_sine = is_sine});
}

static void test_refused_cosines(void **state) {
    (void)state;
    tn_array *array = NULL, *made = NULL;
    tn_stream *stream = tn_stream_default(host);
    const int64_t shape[] = {1}, none[] = {0};
    tn_fft_cosines options = {.type = 1};
    assert_int_equal(tn_array_new_zeros(&array, TN_F32, 1, shape, TN_ORDER_C, stream), TN_OK);
    assert_int_equal(tn_fft_cosine(&made, array, &options, 1, last_axis, NULL, stream),
                     TN_ERROR_VALUE);
    options.type = 5;
    assert_int_equal(tn_fft_cosine(&made, array, &options, 1, last_axis, NULL, stream),
                     TN_ERROR_VALUE);
    options.type = 2;
    assert_int_equal(tn_fft_cosine(&made, array, &options, 1, last_axis, none, stream),
                     TN_ERROR_VALUE);
    assert_int_equal(tn_fft_cosine(&made, array, &options, 1, (const int[]){1}, NULL, stream),
                     TN_ERROR_AXIS);
    assert_null(made);
    tn_array_release(array);
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_complex), REPLAY_NOT(test_real),
                                        REPLAY(test_results),     REPLAY_NOT(test_refused),
                                        REPLAY_NOT(test_cosines), REPLAY_NOT(test_refused_cosines)};
    return REPLAY_RUN("fft", tests);
}
