/* Fourier transforms of the CUDA backend on the double of cuFFT: layouts, plans, streams, threads,
 * captures and failures.
 *
 * The double of the driver runs no kernels. So the form is compiled here once more, with loops of
 * the test in the place of its moves; the host's transform of the same call is the oracle. Calls
 * through the library itself are those that need no moves. */
#define tni_plan_fft tests_plan_fft
#define tni_cuda_move tests_move
#define tni_cuda_clear tests_clear
#define tni_cuda_scale tests_scale
#include "backend/cuda/forms/fft/fft.c"
#undef tni_plan_fft

#include "capture.h"
#include "core/memory/buffer.h"
#include "cuda_forms.h"
#include "fake_cufft.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

tn_status tni_host_run_fft(void *call);

enum { BYTES = 1 << 20, CALLS = 500 };

/* --- Moves as loops --- */

static int64_t offset_of(const int64_t *strides, int ndim, const int64_t *shape, int64_t number) {
    int64_t offset = 0;
    for (int k = ndim - 1; k >= 0; k--) {
        offset += number % shape[k] * strides[k];
        number /= shape[k];
    }
    return offset;
}

static int64_t count_of(int ndim, const int64_t *shape) {
    int64_t count = 1;
    for (int k = 0; k < ndim; k++)
        count *= shape[k];
    return count;
}

static bool is_wide(tn_dtype dtype) {
    return dtype == TN_F64 || dtype == TN_C128;
}

static double get(const char *at, tn_dtype dtype, int part) {
    if (part == 1 && (dtype == TN_F32 || dtype == TN_F64)) return 0;
    return is_wide(dtype) ? ((const double *)(const void *)at)[part]
                          : (double)((const float *)(const void *)at)[part];
}

static void put(char *at, tn_dtype dtype, int part, double value) {
    if (part == 1 && (dtype == TN_F32 || dtype == TN_F64)) return;
    if (is_wide(dtype))
        ((double *)(void *)at)[part] = value;
    else
        ((float *)(void *)at)[part] = (float)value;
}

/* to = from (NULL: zeros) with a factor of each part, when the stream is there. */
static tn_status move_all(const tni_place *to, const tni_place *from, int ndim,
                          const int64_t *shape, double real, double imaginary, tn_stream *stream) {
    const int64_t count = count_of(ndim, shape);
    TNI_TRY(tn_stream_synchronize(stream, -1));
    for (int64_t k = 0; k < count; k++) {
        char *at = to->data + offset_of(to->strides, ndim, shape, k);
        const char *source = from ? from->data + offset_of(from->strides, ndim, shape, k) : NULL;
        put(at, to->dtype, 0, source ? real * get(source, from->dtype, 0) : 0);
        put(at, to->dtype, 1, source ? imaginary * get(source, from->dtype, 1) : 0);
    }
    return TN_OK;
}
tn_status tests_move(const tni_place *to, const tni_place *from, int ndim, const int64_t *shape,
                     bool conjugates, tn_stream *stream) {
    return move_all(to, from, ndim, shape, 1, conjugates ? -1 : 1, stream);
}
tn_status tests_clear(const tni_place *to, int ndim, const int64_t *shape, tn_stream *stream) {
    return move_all(to, NULL, ndim, shape, 0, 0, stream);
}
tn_status tests_scale(const tni_place *to, const tni_place *from, int ndim, const int64_t *shape,
                      double factor, tn_stream *stream) {
    return move_all(to, from, ndim, shape, factor, factor, stream);
}

/* --- Calls made up --- */

static unsigned seed = 1;
static int below(int limit) {
    return (int)(rand_r(&seed) % (unsigned)limit);
}

/* Strides of axes in any order, with gaps and backwards; the place of the first element. */
static char *lay(int64_t *strides, char *at, int ndim, const int64_t *shape, int64_t item) {
    const bool is_plain = below(2);
    bool is_done[TN_MAX_NDIM] = {false};
    int64_t step = item;
    if (!is_plain && below(3) == 0) at += item;
    for (int k = ndim - 1; k >= 0; k--) {
        int axis = k;
        while (!is_plain && (is_done[axis] || below(2)))
            axis = (axis + 1) % ndim;
        is_done[axis] = true;
        strides[axis] = step;
        step *= shape[axis];
        if (!is_plain && below(3) == 0) step += item * below(3);
        if (is_plain || below(5)) continue;
        at += strides[axis] * (shape[axis] - 1);
        strides[axis] = -strides[axis];
    }
    return at;
}

static void make_call(tni_fft *call, char *input, char *output) {
    int64_t given[TN_MAX_NDIM], made[TN_MAX_NDIM], in[TN_MAX_NDIM], out[TN_MAX_NDIM];
    const bool is_double = below(2);
    const int64_t part = is_double ? 8 : 4;
    bool is_padded = false;
    call->dtype = is_double ? TN_C128 : TN_C64;
    call->kind = (tni_fft_kind)below(4);
    call->type = 0;
    call->is_weighed = false;
    call->is_backward = below(2);
    call->is_input_free = below(2);
    call->scale = below(2) ? 1 : 0.25;
    call->ndim = 1 + below(5);
    call->batch_count = call->kind == TNI_FFT_HERMITIAN ? call->ndim - 1 : below(call->ndim);
    for (int k = 0; k < call->ndim; k++) {
        const bool is_last = k == call->ndim - 1;
        const int64_t n = 1 + below(k < call->batch_count ? 5 : 7);
        const int64_t needed = is_last && call->kind == TNI_FFT_HERMITIAN ? n / 2 + 1 : n;
        given[k] = k >= call->batch_count && below(8) == 0 ? 1 + below((int)needed) : needed;
        is_padded |= given[k] < needed;
        made[k] = is_last && call->kind == TNI_FFT_REAL ? n / 2 + 1 : n;
        call->dims[k].length = n;
        call->dims[k].given = given[k];
    }
    const bool from_real = call->kind == TNI_FFT_REAL || call->kind == TNI_FFT_WHOLE;
    call->input = lay(in, input, call->ndim, given, from_real ? part : 2 * part);
    call->output =
        lay(out, output, call->ndim, made, call->kind == TNI_FFT_HERMITIAN ? part : 2 * part);
    const bool in_place = call->kind == TNI_FFT_COMPLEX && !is_padded && below(4) == 0;
    if (in_place) call->output = (char *)(uintptr_t)call->input;
    for (int k = 0; k < call->ndim; k++) {
        call->dims[k].input_stride = in[k];
        call->dims[k].output_stride = in_place ? in[k] : out[k];
    }
}

static void fill(char *at, bool is_double) {
    for (int k = 0; k < BYTES / (is_double ? 8 : 4); k++)
        put(at + (is_double ? 8 : 4) * (int64_t)k, is_double ? TN_F64 : TN_F32, 0,
            (double)(below(2001) - 1000) / 512);
}

static void compare(const char *got, const char *wanted, bool is_double, const tni_fft *call) {
    const tn_dtype dtype = is_double ? TN_F64 : TN_F32;
    const int64_t part = is_double ? 8 : 4;
    for (int64_t k = 0; k < BYTES / part; k++) {
        const double a = get(got + k * part, dtype, 0), b = get(wanted + k * part, dtype, 0);
        if (!(fabs(a - b) <= (is_double ? 1e-12 : 1e-4) * (10 + fabs(b))))
            fail_msg("kind %d, %d axes, %d of them batches, backward %d: part %d is %g, not %g",
                     call->kind, call->ndim, call->batch_count, call->is_backward, (int)k, a, b);
    }
}

/* Any call gives what the host gives, in the output's elements and in the gaps between them. */
static void test_calls(void **state) {
    (void)state;
    tn_stream *stream = tn_stream_default(cuda0);
    tn_buffer *buffers[2] = {NULL, NULL};
    void *input, *output;
    static char expected[BYTES], before[BYTES];
    for (int k = 0; k < 2; k++)
        check_ok(tn_buffer_new(&buffers[k], BYTES, stream));
    check_ok(tni_buffer_access(&input, buffers[0], TNI_WRITE, stream));
    check_ok(tni_buffer_access(&output, buffers[1], TNI_WRITE, stream));
    check_ok(tn_stream_synchronize(stream, -1));
    const long before_all = fake_cufft_transforms();
    for (int k = 0; k < CALLS; k++) {
        tni_fft call, by_host;
        make_call(&call, input, output);
        const bool is_double = call.dtype == TN_C128;
        char *result = (uintptr_t)call.output - (uintptr_t)output < BYTES ? output : input;
        fill(input, is_double);
        fill(output, is_double);
        memcpy(expected, result, BYTES);
        memcpy(before, input, BYTES);
        by_host = call;
        by_host.output = expected + (call.output - result);
        if (result == input) by_host.input = by_host.output;
        check_ok(tni_host_run_fft(&by_host));
        check_ok(run(&call, stream));
        check_ok(tn_stream_synchronize(stream, -1));
        compare(result, expected, is_double, &call);
        if (!call.is_input_free && result != input) assert_memory_equal(input, before, BYTES);
        assert_string_equal(fake_cufft_complaint(), "");
    }
    assert_true(fake_cufft_transforms() - before_all > CALLS);
    for (int k = 0; k < 2; k++)
        tn_buffer_release(buffers[k]);
    check_ok(tn_stream_synchronize(stream, -1));
    assert_string_equal(fake_cuda_complaint(), "");
}

/* --- Through the library --- */

enum { LENGTH = 15, LINES = 4, COUNT = LENGTH * LINES };

static void make_signal(double *values, int number) {
    for (int k = 0; k < 2 * COUNT; k++)
        values[k] = sin(k * (number + 1)) + 0.1 * number;
}

/* The sum itself, of each line. */
static void check_sums(const double *got, const double *signal) {
    for (int line = 0; line < LINES; line++)
        for (int k = 0; k < LENGTH; k++) {
            double real = 0, imaginary = 0;
            for (int j = 0; j < LENGTH; j++) {
                const double angle = -2 * M_PI * (j * k % LENGTH) / LENGTH;
                const double *x = signal + 2 * (line * LENGTH + j);
                real += x[0] * cos(angle) - x[1] * sin(angle);
                imaginary += x[0] * sin(angle) + x[1] * cos(angle);
            }
            assert_true(fabs(got[2 * (line * LENGTH + k)] - real) < 1e-9);
            assert_true(fabs(got[2 * (line * LENGTH + k) + 1] - imaginary) < 1e-9);
        }
}

static tn_status transform_lines(tn_array **result, const tn_array *array, tn_stream *stream) {
    return tn_fft(result, array, TN_FFT_COMPLEX, false, 1, (const int[]){-1}, NULL, TN_FFT_BACKWARD,
                  stream);
}

static void test_missing(void **state) {
    (void)state;
    tn_array *array = NULL, *result = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("TENORITE_CUFFT_PATH"));
    check_ok(
        tn_array_new(&array, TN_C128, 2, L(LINES, LENGTH), TN_ORDER_C, tn_stream_default(cuda0)));
    setenv("TENORITE_CUFFT_PATH", "/nowhere/libcufft.so.12", 1);
    assert_int_equal(transform_lines(&result, array, NULL), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "nvidia-cufft"));
    setenv("TENORITE_CUFFT_PATH", path, 1);
    check_ok(transform_lines(&result, array, NULL));
    tn_array_release(result);
    tn_array_release(array);
}

static void test_lines(void **state) {
    (void)state;
    tn_stream *stream = tn_stream_default(cuda0);
    tn_array *array = NULL, *result = NULL;
    double signal[2 * COUNT], got[2 * COUNT];
    make_signal(signal, 0);
    REQUIRE_OK(tn_array_new(&array, TN_C128, 2, L(LINES, LENGTH), TN_ORDER_C, stream));
    REQUIRE_OK(tn_array_write(array, signal, NULL, stream));
    REQUIRE_OK(transform_lines(&result, array, stream));
    REQUIRE_OK(tn_array_read(got, NULL, result, stream));
    check_sums(got, signal);
    const fake_transforms last = fake_cufft_get();
    assert_int_equal(last.rank, 1);
    assert_int_equal(last.n[0], LENGTH);
    assert_int_equal(last.batch, LINES);
    assert_true(last.is_plain);
    assert_string_equal(fake_cufft_complaint(), "");
cleanup:
    tn_array_release(result);
    tn_array_release(array);
    tn_fft_cache_clear(cuda0);
    assert_int_equal(fake_cufft_plans(), 0);
}

/* --- Plans --- */

static void transform_length(int64_t length) {
    tn_array *array = NULL, *result = NULL;
    check_ok(tn_array_new(&array, TN_C64, 1, &length, TN_ORDER_C, tn_stream_default(cuda0)));
    check_ok(transform_lines(&result, array, NULL));
    tn_array_release(result);
    tn_array_release(array);
}

static void check_cache(int64_t plans, int64_t hits, int64_t misses) {
    tn_fft_cache_facts facts;
    tn_fft_cache_get(cuda0, &facts);
    assert_int_equal(facts.plans, plans);
    assert_int_equal(facts.hits, hits);
    assert_int_equal(facts.misses, misses);
    assert_int_equal(fake_cufft_plans(), plans);
}

/* The plans used last stay, as many as may; work areas count as their bytes. */
static void test_limits(void **state) {
    (void)state;
    tn_fft_cache_clear(cuda0);
    for (int64_t length = 8; length < 28; length++)
        transform_length(length);
    check_cache(16, 0, 20);
    transform_length(27);
    check_cache(16, 1, 20);
    tn_fft_cache_limit(cuda0, 2, -1);
    check_cache(2, 1, 20);
    transform_length(26);
    check_cache(2, 2, 20);
    tn_fft_cache_limit(cuda0, -1, 500); /* an area of an odd length has 512 bytes */
    transform_length(25);
    check_cache(0, 2, 21);
    transform_length(24);
    check_cache(1, 2, 22);
    tn_fft_cache_limit(cuda0, 0, -1);
    transform_length(24);
    check_cache(0, 2, 23);
    tn_fft_cache_limit(cuda0, 16, -1);
    tn_fft_cache_clear(cuda0);
    check_cache(0, 0, 0);
}

static void test_failures(void **state) {
    (void)state;
    const int64_t length = 64;
    tn_array *array = NULL, *result = NULL;
    tn_fft_cache_clear(cuda0);
    check_ok(tn_array_new(&array, TN_C64, 1, &length, TN_ORDER_C, tn_stream_default(cuda0)));
    fake_cufft_fail(1, 8);
    assert_int_equal(transform_lines(&result, array, NULL), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "CUFFT_INVALID_SIZE"));
    fake_cufft_fail(1, 99);
    assert_int_equal(transform_lines(&result, array, NULL), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "status 99"));
    assert_null(result);
    check_cache(0, 0, 2);
    fake_cufft_fail(1, 2); /* out of memory, and not any more when the pool has given back */
    check_ok(transform_lines(&result, array, NULL));
    check_cache(1, 0, 3);
    tn_array_release(result);
    tn_array_release(array);
}

/* --- Streams --- */

static void *transform_often(void *context) {
    const int number = *(const int *)context;
    tn_stream *stream = NULL;
    tn_array *array = NULL, *result = NULL;
    double signal[2 * COUNT], got[2 * COUNT];
    make_signal(signal, number);
    check_ok(tn_stream_new(&stream, cuda0, true, 0));
    check_ok(tn_array_new(&array, TN_C128, 2, L(LINES, LENGTH), TN_ORDER_C, stream));
    check_ok(tn_array_write(array, signal, NULL, stream));
    for (int k = 0; k < 50; k++) {
        check_ok(transform_lines(&result, array, stream));
        check_ok(tn_array_read(got, NULL, result, stream));
        check_sums(got, signal);
        tn_array_release(result);
        result = NULL;
        if (k % 10 == number) tn_fft_cache_clear(cuda0);
    }
    tn_array_release(array);
    tn_stream_release(stream);
    return NULL;
}

/* Threads share one plan, each with a stream and work areas of its own. */
static void test_threads(void **state) {
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int k = 0; k < THREADS; k++) {
        numbers[k] = k;
        assert_int_equal(pthread_create(&threads[k], NULL, transform_often, &numbers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    tn_fft_cache_clear(cuda0);
    assert_int_equal(fake_cufft_plans(), 0);
    assert_string_equal(fake_cufft_complaint(), "");
    assert_string_equal(fake_cuda_complaint(), "");
}

/* A graph has its plan and its work area, whatever becomes of the cache. */
static void test_capture(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_array *array = NULL, *result = NULL;
    tn_graph *graph = NULL;
    double signal[2 * COUNT], got[2 * COUNT];
    make_signal(signal, 3);
    tn_fft_cache_clear(cuda0);
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_array_new(&array, TN_C128, 2, L(LINES, LENGTH), TN_ORDER_C, stream));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(transform_lines(&result, array, stream));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    tn_fft_cache_clear(cuda0);
    assert_int_equal(fake_cufft_plans(), 1);
    for (int k = 0; k < 2; k++) {
        REQUIRE_OK(tn_array_write(array, signal, NULL, stream));
        REQUIRE_OK(tn_graph_launch(graph, stream));
        REQUIRE_OK(tn_array_read(got, NULL, result, stream));
        check_sums(got, signal);
        make_signal(signal, 4);
    }
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_array_release(result);
    tn_array_release(array);
    tn_stream_release(stream);
    tn_fft_cache_clear(cuda0);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    /* What a graph keeps goes in a thread of the driver's own, a moment after the graph. */
    for (int k = 0; k < 2000 && fake_cufft_plans() > 0; k++)
        usleep(5000);
    assert_int_equal(fake_cufft_plans(), 0);
    assert_string_equal(fake_cufft_complaint(), "");
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_missing),  REPLAY_NOT(test_calls),
                                        REPLAY(test_lines),        REPLAY_NOT(test_limits),
                                        REPLAY_NOT(test_failures), REPLAY_NOT(test_threads),
                                        REPLAY(test_capture)};
    return REPLAY_RUN("cuda_fft", tests);
}
