/* Convolutions and pooling through the public C functions, with failing allocations. More values
 * are compared with NumPy in tests/python/values/networks. */
#include "replay.h"

#include <tenorite/neural.h>

static tn_status floats(tn_array **result, int ndim, const int64_t *shape, const float *values) {
    return tn_array_new_from_host(result, values, TN_F32, ndim, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status check(const tn_array *array, int64_t count, const float *expected) {
    float read[32];
    assert_int_equal(tn_array_size(array), count);
    tn_status status = tn_array_read(read, NULL, array, NULL);
    for (int64_t k = 0; k < count && !status; k++)
        assert_true(read[k] == expected[k]);
    return status;
}

static const int64_t one[3] = {1, 1, 4}, taps[3] = {1, 1, 2};

/* A line of 4 by a filter of 2: forward, and the gradients of the sum of the results. */
static void test_line(void **state) {
    (void)state;
    static const int64_t y_shape[3] = {1, 1, 3};
    tn_array *x = NULL, *w = NULL, *y = NULL, *dx = NULL, *dw = NULL;
    tn_convolve_options options = TN_CONVOLVE_DEFAULTS;
    REQUIRE_OK(floats(&x, 3, one, (float[]){1, 2, 3, 4}));
    REQUIRE_OK(floats(&w, 3, taps, (float[]){1, 10}));
    REQUIRE_OK(floats(&y, 3, y_shape, (float[]){0, 0, 0}));
    REQUIRE_OK(tn_convolve_forward(y, x, w, NULL, NULL));
    REQUIRE_OK(check(y, 3, (float[]){21, 32, 43}));
    options.is_convolution = true;
    options.beta = 1;
    REQUIRE_OK(tn_convolve_forward(y, x, w, &options, NULL));
    REQUIRE_OK(check(y, 3, (float[]){33, 55, 77}));
    REQUIRE_OK(floats(&dx, 3, one, (float[]){0, 0, 0, 0}));
    REQUIRE_OK(floats(&dw, 3, taps, (float[]){0, 0}));
    REQUIRE_OK(tn_array_fill(y, tn_scalar_weak_float(1), NULL));
    REQUIRE_OK(tn_convolve_backward_data(dx, y, w, NULL, NULL));
    REQUIRE_OK(check(dx, 4, (float[]){1, 11, 11, 10}));
    REQUIRE_OK(tn_convolve_backward_filter(dw, x, y, NULL, NULL));
    REQUIRE_OK(check(dw, 2, (float[]){6, 9}));
    /* A result that overlaps an input. */
    REQUIRE_OK(tn_convolve_backward_data(dx, y, w, &options, NULL));
    REQUIRE_OK(check(dx, 4, (float[]){11, 22, 22, 11}));
cleanup:
    tn_array_release(dw);
    tn_array_release(dx);
    tn_array_release(y);
    tn_array_release(w);
    tn_array_release(x);
}

static void test_itself(void **state) {
    (void)state;
    static const int64_t filter[3] = {1, 1, 3}, pad = 1;
    tn_array *x = NULL, *w = NULL;
    tn_convolve_options options = TN_CONVOLVE_DEFAULTS;
    options.pads = &pad;
    REQUIRE_OK(floats(&x, 3, one, (float[]){1, 2, 3, 4}));
    REQUIRE_OK(floats(&w, 3, filter, (float[]){1, 1, 1}));
    REQUIRE_OK(tn_convolve_forward(x, x, w, &options, NULL));
    REQUIRE_OK(check(x, 4, (float[]){3, 6, 9, 7}));
cleanup:
    tn_array_release(w);
    tn_array_release(x);
}

static void test_refusals(void **state) {
    (void)state;
    static const int64_t y_shape[3] = {1, 1, 3}, zero = 0, negative = -1, flat = 4;
    tn_array *x = NULL, *w = NULL, *y = NULL, *line = NULL, *wide = NULL;
    tn_convolve_options options = TN_CONVOLVE_DEFAULTS;
    REQUIRE_OK(floats(&x, 3, one, (float[]){1, 2, 3, 4}));
    REQUIRE_OK(floats(&w, 3, taps, (float[]){1, 10}));
    REQUIRE_OK(floats(&y, 3, y_shape, (float[]){0, 0, 0}));
    REQUIRE_OK(floats(&line, 1, &flat, (float[]){1, 2, 3, 4}));
    REQUIRE_OK(
        tn_array_astype(&wide, y, TN_F64, TN_ORDER_C, TN_CASTING_SAFE, TN_COPY_ALWAYS, NULL));
    REQUIRE_STATUS(tn_convolve_forward(x, x, w, NULL, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_convolve_forward(y, line, w, NULL, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_convolve_forward(wide, x, w, NULL, NULL), TN_ERROR_TYPE);
    options.strides = &zero;
    REQUIRE_STATUS(tn_convolve_forward(y, x, w, &options, NULL), TN_ERROR_VALUE);
    options.strides = NULL;
    options.pads = &negative;
    REQUIRE_STATUS(tn_convolve_forward(y, x, w, &options, NULL), TN_ERROR_VALUE);
    options.pads = NULL;
    options.groups = 2;
    REQUIRE_STATUS(tn_convolve_forward(y, x, w, &options, NULL), TN_ERROR_VALUE);
    options.groups = 0;
    REQUIRE_STATUS(tn_convolve_forward(y, x, w, &options, NULL), TN_ERROR_VALUE);
    REQUIRE_OK(check(y, 3, (float[]){0, 0, 0}));
cleanup:
    tn_array_release(wide);
    tn_array_release(line);
    tn_array_release(y);
    tn_array_release(w);
    tn_array_release(x);
}

static void test_pooling(void **state) {
    (void)state;
    static const int64_t y_shape[3] = {1, 1, 2}, window = 3, pad = 1, stride = 2, all = 4;
    tn_array *x = NULL, *y = NULL, *dx = NULL;
    tn_pooling_options options = {.window = &window, .pads = &pad, .strides = &stride, .alpha = 1};
    REQUIRE_OK(floats(&x, 3, one, (float[]){1, 6, 6, 3}));
    REQUIRE_OK(floats(&y, 3, y_shape, (float[]){0, 0}));
    REQUIRE_OK(floats(&dx, 3, one, (float[]){0, 0, 0, 0}));
    REQUIRE_OK(tn_pooling_forward(y, x, &options, NULL));
    REQUIRE_OK(check(y, 2, (float[]){6, 6}));
    REQUIRE_OK(tn_pooling_backward(dx, x, y, &options, NULL));
    REQUIRE_OK(check(dx, 4, (float[]){0, 12, 0, 0}));
    options.kind = TN_POOLING_AVERAGE;
    REQUIRE_OK(tn_pooling_forward(y, x, &options, NULL));
    REQUIRE_OK(check(y, 2, (float[]){7.0f / 3, 5}));
    options.kind = TN_POOLING_AVERAGE_INSIDE;
    options.alpha = 2;
    REQUIRE_OK(tn_pooling_forward(y, x, &options, NULL));
    REQUIRE_OK(check(y, 2, (float[]){7, 10}));
    options.kind = TN_POOLING_AVERAGE; /* of windows 0..3 and 3..6, the maps end before 4 */
    options.window = &all;
    options.strides = &window;
    options.pads = NULL;
    REQUIRE_OK(tn_pooling_forward(y, x, &options, NULL));
    REQUIRE_OK(check(y, 2, (float[]){8, 6}));
    options.window = &pad;
    options.pads = &pad;
    options.strides = &stride;
    REQUIRE_STATUS(tn_pooling_forward(y, x, &options, NULL), TN_ERROR_VALUE);
    options.window = &all;
    options.strides = &all;
    options.pads = NULL;
    REQUIRE_STATUS(tn_pooling_forward(y, x, &options, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(dx);
    tn_array_release(y);
    tn_array_release(x);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_line), REPLAY(test_itself),
                                        REPLAY(test_refusals), REPLAY(test_pooling)};
    return REPLAY_RUN("neural", tests);
}
