/* Reductions, scans and the methods of operations through the public C functions; what core hands
 * to a backend for each shape. Values are compared with NumPy in
 * tests/python/values/reductions/test_reduce.py. */
#include "replay.h"

#include <math.h>

#include "backend/host/table.h"
#include "backend/host/threads.h"
#include "core/rules/reduce_table.h"
#include <tenorite/elementwise.h>
#include <tenorite/reduce.h>

static tn_status floats(tn_array **result, int ndim, const int64_t *shape, const float *values) {
    return tn_array_new_from_host(result, values, TN_F32, ndim, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status ramp(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape) {
    int64_t values[4096], size = 1;
    for (int k = 0; k < ndim; k++)
        size *= shape[k];
    for (int64_t k = 0; k < size; k++)
        values[k] = k % 97;
    tn_array *made = NULL;
    tn_status status =
        tn_array_new_from_host(&made, values, TN_I64, ndim, shape, NULL, TN_ORDER_C, NULL);
    if (status) return status;
    status =
        tn_array_astype(result, made, dtype, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL);
    tn_array_release(made);
    return status;
}

static tn_status check(const tn_array *array, int count, const double *expected) {
    double read[64];
    tn_array *wide = NULL;
    assert_int_equal(tn_array_size(array), count);
    tn_status status =
        tn_array_astype(&wide, array, TN_F64, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL);
    if (status) return status;
    status = tn_array_read(read, NULL, wide, NULL);
    tn_array_release(wide);
    for (int k = 0; k < count && !status; k++)
        if (!(isnan(expected[k]) && isnan(read[k])))
            assert_true(fabs(read[k] - expected[k]) <= 1e-5);
    return status;
}

static tn_status reduce_axis(tn_array **result, tn_reduction reduction, const tn_array *array,
                             int axis) {
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = 1;
    options.axes = &axis;
    return tn_reduce(result, reduction, array, &options, NULL);
}

static void test_each_reduction(void **state) {
    (void)state;
    static const double expected[TN_REDUCE_COUNT][2] = {
        [TN_REDUCE_SUM] = {6, 15},
        [TN_REDUCE_PROD] = {6, 120},
        [TN_REDUCE_MAX] = {3, 6},
        [TN_REDUCE_MIN] = {1, 4},
        [TN_REDUCE_ALL] = {1, 1},
        [TN_REDUCE_ANY] = {1, 1},
        [TN_REDUCE_MEAN] = {2, 5},
        [TN_REDUCE_VAR] = {2. / 3, 2. / 3},
        [TN_REDUCE_STD] = {0.8164966, 0.8164966},
        [TN_REDUCE_PTP] = {2, 2},
        [TN_REDUCE_COUNT_NONZERO] = {3, 3},
        [TN_REDUCE_NANSUM] = {6, 15},
        [TN_REDUCE_NANPROD] = {6, 120},
        [TN_REDUCE_NANMAX] = {3, 6},
        [TN_REDUCE_NANMIN] = {1, 4},
        [TN_REDUCE_NANMEAN] = {2, 5},
        [TN_REDUCE_NANVAR] = {2. / 3, 2. / 3},
        [TN_REDUCE_NANSTD] = {0.8164966, 0.8164966},
    };
    tn_array *a = NULL, *result = NULL;
    int64_t shape[2] = {2, 3};
    REQUIRE_OK(floats(&a, 2, shape, (float[]){1, 2, 3, 4, 5, 6}));
    for (int k = 0; k < TN_REDUCE_COUNT; k++) {
        REQUIRE_OK(reduce_axis(&result, (tn_reduction)k, a, -1));
        REQUIRE_OK(check(result, 2, expected[k]));
        assert_true(tn_reduction_name((tn_reduction)k)[0] && tn_reduction_doc((tn_reduction)k)[0]);
        tn_array_release(result);
        result = NULL;
    }
cleanup:
    tn_array_release(a);
    tn_array_release(result);
}

static void test_dtypes(void **state) {
    (void)state;
    tn_array *a = NULL, *result = NULL;
    int64_t shape[2] = {40, 30};
    for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++) {
        REQUIRE_OK(ramp(&a, (tn_dtype)dtype, 2, shape));
        for (int axis = 0; axis < 2; axis++) {
            REQUIRE_OK(reduce_axis(&result, TN_REDUCE_SUM, a, axis));
            tn_dtype expected = dtype == TN_B8 ? TN_I64 : (tn_dtype)dtype;
            if (tn_dtype_kind(expected) == TN_KIND_SIGNED) expected = TN_I64;
            if (tn_dtype_kind(expected) == TN_KIND_UNSIGNED) expected = TN_U64;
            assert_int_equal(tn_array_dtype(result), expected);
            tn_array_release(result);
            result = NULL;
            REQUIRE_OK(reduce_axis(&result, TN_REDUCE_VAR, a, axis));
            assert_int_equal(tn_array_dtype(result),
                             dtype < TN_F16 ? TN_F64 : tn_dtype_real((tn_dtype)dtype));
            tn_array_release(result);
            result = NULL;
        }
        tn_array_release(a);
        a = NULL;
    }
cleanup:
    tn_array_release(a);
    tn_array_release(result);
}

static void test_options(void **state) {
    (void)state;
    tn_array *a = NULL, *mask = NULL, *result = NULL;
    int64_t shape[2] = {2, 3};
    uint8_t truths[3] = {1, 0, 1};
    int axes[2] = {1, 0};
    tn_scalar initial = tn_scalar_weak_int(100);
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    REQUIRE_OK(floats(&a, 2, shape, (float[]){1, 2, 3, 4, 5, 6}));
    REQUIRE_OK(tn_array_new_from_host(&mask, truths, TN_B8, 1, shape + 1, NULL, TN_ORDER_C, NULL));
    options.axes = axes;
    options.axis_count = 1;
    options.keepdims = true;
    options.where = mask;
    options.initial = &initial;
    REQUIRE_OK(tn_reduce(&result, TN_REDUCE_SUM, a, &options, NULL));
    assert_int_equal(tn_array_ndim(result), 2);
    REQUIRE_OK(check(result, 2, (double[]){104, 110}));
    REQUIRE_OK(tn_reduce(&result, TN_REDUCE_MAX, a, &options, NULL)); /* into the same */
    REQUIRE_OK(check(result, 2, (double[]){100, 100}));
    options.initial = NULL;
    REQUIRE_STATUS(tn_reduce(&result, TN_REDUCE_MAX, a, &options, NULL), TN_ERROR_VALUE);
    options.where = NULL;
    options.axis_count = 2;
    axes[1] = -1;
    REQUIRE_STATUS(tn_reduce(&result, TN_REDUCE_MAX, a, &options, NULL), TN_ERROR_VALUE);
    axes[1] = 2;
    REQUIRE_STATUS(tn_reduce(&result, TN_REDUCE_MAX, a, &options, NULL), TN_ERROR_AXIS);
    REQUIRE_OK(check(result, 2, (double[]){100, 100})); /* untouched by failures */
cleanup:
    tn_array_release(a);
    tn_array_release(mask);
    tn_array_release(result);
}

static void test_empty(void **state) {
    (void)state;
    tn_array *a = NULL, *result = NULL;
    int64_t shape[2] = {0, 2};
    REQUIRE_OK(tn_array_new(&a, TN_F32, 2, shape, TN_ORDER_C, NULL));
    REQUIRE_OK(reduce_axis(&result, TN_REDUCE_SUM, a, 0));
    REQUIRE_OK(check(result, 2, (double[]){0, 0}));
    REQUIRE_OK(reduce_axis(&result, TN_REDUCE_MEAN, a, 0));
    REQUIRE_OK(check(result, 2, (double[]){NAN, NAN}));
    REQUIRE_STATUS(reduce_axis(&result, TN_REDUCE_MAX, a, 0), TN_ERROR_VALUE);
    assert_non_null(strstr(tn_error_message(), "maximum which has no identity"));
    tn_array_release(result);
    result = NULL;
    int axis = 0;
    REQUIRE_STATUS(tn_argreduce(&result, TN_ARGMAX, a, &axis, false, NULL), TN_ERROR_VALUE);
    REQUIRE_OK(tn_scan(&result, TN_SCAN_CUMSUM, a, NULL, TN_DTYPE_NONE, true, NULL));
    REQUIRE_OK(check(result, 1, (double[]){0}));
cleanup:
    tn_array_release(a);
    tn_array_release(result);
}

/* Sums of one array over every axis and in several layouts agree, whatever path they take. */
static void test_shapes_agree(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {
        {3, 40, 30}, {2, 3, 600}, {600, 3, 2}, {1, 4000, 1}, {13, 17, 18}};
    tn_array *a = NULL, *transposed = NULL, *one = NULL, *two = NULL;
    double totals[3];
    for (int k = 0; k < 5; k++) {
        REQUIRE_OK(ramp(&a, TN_F64, 3, shapes[k]));
        REQUIRE_OK(tn_array_transpose(&transposed, a, 3, (int[]){2, 0, 1}));
        for (int axis = 0; axis < 3; axis++) {
            tn_scalar value;
            REQUIRE_OK(reduce_axis(&one, TN_REDUCE_SUM, axis == 1 ? transposed : a, axis));
            REQUIRE_OK(tn_reduce(&two, TN_REDUCE_SUM, one, NULL, NULL));
            REQUIRE_OK(tn_array_item(&value, two, NULL));
            memcpy(&totals[axis], value.value.bytes, sizeof totals[axis]);
            tn_array_release(one);
            tn_array_release(two);
            one = two = NULL;
        }
        assert_true(totals[0] == totals[1] && totals[1] == totals[2]); /* integers: exact */
        tn_array_release(a);
        tn_array_release(transposed);
        a = transposed = NULL;
    }
cleanup:
    tn_array_release(a);
    tn_array_release(transposed);
    tn_array_release(one);
    tn_array_release(two);
}

static void test_positions(void **state) {
    (void)state;
    tn_array *a = NULL, *result = NULL;
    int64_t shape[2] = {2, 3};
    int axis = 1;
    REQUIRE_OK(floats(&a, 2, shape, (float[]){1, NAN, 3, 7, 5, 7}));
    REQUIRE_OK(tn_argreduce(&result, TN_ARGMAX, a, &axis, false, NULL));
    assert_int_equal(tn_array_dtype(result), TN_I64);
    REQUIRE_OK(check(result, 2, (double[]){1, 0}));
    REQUIRE_OK(tn_argreduce(&result, TN_NANARGMAX, a, &axis, false, NULL));
    REQUIRE_OK(check(result, 2, (double[]){2, 0}));
    tn_array_release(result);
    result = NULL;
    REQUIRE_OK(tn_argreduce(&result, TN_NANARGMIN, a, NULL, true, NULL));
    REQUIRE_OK(check(result, 1, (double[]){0}));
cleanup:
    tn_array_release(a);
    tn_array_release(result);
}

static void test_scans(void **state) {
    (void)state;
    tn_array *a = NULL, *result = NULL;
    int64_t shape[2] = {2, 3};
    int axis = 0;
    REQUIRE_OK(floats(&a, 2, shape, (float[]){1, NAN, 3, 4, 5, 6}));
    REQUIRE_OK(tn_scan(&result, TN_SCAN_NANCUMSUM, a, NULL, TN_DTYPE_NONE, true, NULL));
    REQUIRE_OK(check(result, 7, (double[]){0, 1, 1, 4, 8, 13, 19}));
    tn_array_release(result);
    result = NULL;
    REQUIRE_OK(tn_scan(&result, TN_SCAN_CUMPROD, a, &axis, TN_F64, false, NULL));
    REQUIRE_OK(check(result, 6, (double[]){1, NAN, 3, 4, NAN, 18}));
    tn_array_release(result);
    result = NULL;
    REQUIRE_OK(tn_op_accumulate(&result, TN_OP_SUBTRACT, a, 1, TN_DTYPE_NONE, NULL));
    REQUIRE_OK(check(result, 6, (double[]){1, NAN, NAN, 4, -1, -7}));
    REQUIRE_OK(tn_scan(&a, TN_SCAN_CUMSUM, a, &axis, TN_DTYPE_NONE, false, NULL)); /* in place */
    REQUIRE_OK(check(a, 6, (double[]){1, NAN, 3, 5, NAN, 9}));
cleanup:
    tn_array_release(a);
    tn_array_release(result);
}

static void test_diff_and_average(void **state) {
    (void)state;
    tn_array *a = NULL, *weights = NULL, *result = NULL, *sum = NULL;
    int64_t shape[1] = {4};
    REQUIRE_OK(floats(&a, 1, shape, (float[]){1, 2, 4, 8}));
    REQUIRE_OK(floats(&weights, 1, shape, (float[]){1, 0, 0, 1}));
    REQUIRE_OK(tn_diff(&result, a, 2, -1, NULL, weights, NULL));
    REQUIRE_OK(check(result, 6, (double[]){1, 2, -11, 6, 1, 1}));
    tn_array_release(result);
    result = NULL;
    REQUIRE_OK(tn_average(&result, &sum, a, weights, NULL, NULL));
    REQUIRE_OK(check(result, 1, (double[]){4.5}));
    REQUIRE_OK(check(sum, 1, (double[]){2}));
cleanup:
    tn_array_release(a);
    tn_array_release(weights);
    tn_array_release(result);
    tn_array_release(sum);
}

static void test_methods(void **state) {
    (void)state;
    tn_array *a = NULL, *places = NULL, *result = NULL;
    int64_t shape[1] = {5}, indices[3] = {0, 3, 1}, again[3] = {1, 1, -1}, three[1] = {3};
    REQUIRE_OK(floats(&a, 1, shape, (float[]){1, 2, 3, 4, 5}));
    REQUIRE_OK(tn_array_new_from_host(&places, indices, TN_I64, 1, three, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_op_reduceat(&result, TN_OP_ADD, a, places, 0, TN_DTYPE_NONE, NULL));
    REQUIRE_OK(check(result, 3, (double[]){6, 4, 14}));
    REQUIRE_OK(tn_op_reduceat(&result, TN_OP_DIVIDE, a, places, 0, TN_DTYPE_NONE, NULL));
    REQUIRE_OK(check(result, 3, (double[]){1. / 6, 4, 2. / 60}));
    tn_array_release(result);
    result = NULL;
    REQUIRE_OK(tn_op_reduce(&result, TN_OP_SUBTRACT, a, NULL, NULL));
    REQUIRE_OK(check(result, 1, (double[]){-13}));
    REQUIRE_STATUS(tn_op_reduce(&result, TN_OP_DIVMOD, a, NULL, NULL), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_op_reduce(&result, TN_OP_SQRT, a, NULL, NULL), TN_ERROR_VALUE);
    tn_array_release(places);
    places = NULL;
    REQUIRE_OK(tn_array_new_from_host(&places, again, TN_I64, 1, three, NULL, TN_ORDER_C, NULL));
    tn_array *const list[1] = {places};
    REQUIRE_OK(tn_op_at(a, TN_OP_MULTIPLY, 1, NULL, NULL, (const tn_array *const *)list, a, NULL) ==
                       TN_ERROR_VALUE
                   ? TN_OK
                   : TN_ERROR_RUNTIME); /* five operands for three places */
    REQUIRE_OK(
        tn_op_at(a, TN_OP_NEGATIVE, 1, NULL, NULL, (const tn_array *const *)list, NULL, NULL));
    REQUIRE_OK(check(a, 5, (double[]){1, 2, 3, 4, -5}));
    REQUIRE_OK(tn_op_at(a, TN_OP_ADD, 1, NULL, NULL, (const tn_array *const *)list, places, NULL));
    REQUIRE_OK(check(a, 5, (double[]){1, 4, 3, 4, -6}));
cleanup:
    tn_array_release(a);
    tn_array_release(places);
    tn_array_release(result);
}

static void test_bad_indices(void **state) {
    (void)state;
    tn_array *a = NULL, *places = NULL, *result = NULL, *one = NULL;
    int64_t shape[1] = {3}, wrong[2] = {1, 3}, two[1] = {2};
    REQUIRE_OK(floats(&a, 1, shape, (float[]){1, 2, 3}));
    REQUIRE_OK(tn_array_new_scalar(&one, tn_scalar_weak_int(1), TN_DTYPE_NONE, NULL));
    REQUIRE_OK(tn_array_new_from_host(&places, wrong, TN_I64, 1, two, NULL, TN_ORDER_C, NULL));
    REQUIRE_STATUS(tn_op_reduceat(&result, TN_OP_ADD, a, places, 0, TN_DTYPE_NONE, NULL),
                   TN_ERROR_INDEX);
    assert_string_equal(tn_error_message(), "index 3 out-of-bounds in add.reduceat [0, 3)");
    const tn_array *const list[1] = {places};
    REQUIRE_STATUS(tn_op_at(a, TN_OP_ADD, 1, NULL, NULL, list, one, NULL), TN_ERROR_INDEX);
    assert_string_equal(tn_error_message(), "index 3 is out of bounds for axis 0 with size 3");
    REQUIRE_STATUS(tn_op_at(a, TN_OP_ADD, 1, NULL, (const int[]){2}, list, one, NULL),
                   TN_ERROR_INDEX);
    assert_string_equal(tn_error_message(), "index 3 is out of bounds for axis 2 with size 3");
    REQUIRE_OK(check(a, 3, (double[]){1, 2, 3}));
cleanup:
    tn_array_release(a);
    tn_array_release(one);
    tn_array_release(places);
    tn_array_release(result);
}

/* On a stream of its own a reduction is queued; its result and failure come with the wait. */
static void test_streams(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_array *a = NULL, *result = NULL;
    int64_t shape[2] = {100, 40};
    REQUIRE_OK(tn_stream_new(&stream, tn_device_get_current(), false, 0));
    REQUIRE_OK(ramp(&a, TN_I32, 2, shape));
    for (int axis = 0; axis < 2; axis++) {
        tn_reduce_options options = TN_REDUCE_DEFAULTS;
        tn_scalar total;
        options.axis_count = 1;
        options.axes = &axis;
        tn_array *sums = NULL;
        REQUIRE_OK(tn_reduce(&sums, TN_REDUCE_SUM, a, &options, stream));
        tn_status status = tn_reduce(&result, TN_REDUCE_SUM, sums, NULL, stream);
        tn_array_release(sums);
        REQUIRE_OK(status);
        REQUIRE_OK(tn_array_item(&total, result, stream));
        int64_t expected = 0;
        for (int k = 0; k < 4000; k++)
            expected += k % 97;
        assert_int_equal(total.value.i64, expected);
        tn_array_release(result);
        result = NULL;
    }
cleanup:
    tn_array_release(a);
    tn_array_release(result);
    tn_stream_release(stream);
}

/* The same bits from one thread and from several, by every road that several take. */
static void test_threads_agree(void **state) {
    (void)state;
    enum { SIZE = 600000 };
    static const int64_t shapes[][2] = {
        {1, SIZE}, {SIZE, 1}, {3000, 200}, {200, 3000}, {SIZE / 3, 3}};
    static float values[SIZE];
    tn_array *a = NULL, *results[2][5] = {{NULL}};
    int axis;
    for (int k = 0; k < SIZE; k++)
        values[k] = (float)((k * 7919) % 10007) / 997;
    for (int k = 0; k < 10; k++) {
        axis = k % 2;
        REQUIRE_OK(floats(&a, 2, shapes[k / 2], values));
        for (int several = 0; several < 2; several++) {
            tn_array **to = results[several];
            tni_thread_set_count(several ? 4 : 1);
            REQUIRE_OK(reduce_axis(&to[0], TN_REDUCE_SUM, a, axis));
            REQUIRE_OK(reduce_axis(&to[1], TN_REDUCE_VAR, a, axis));
            REQUIRE_OK(tn_argreduce(&to[2], TN_ARGMAX, a, &axis, false, NULL));
            REQUIRE_OK(tn_scan(&to[3], TN_SCAN_CUMSUM, a, &axis, TN_DTYPE_NONE, false, NULL));
            REQUIRE_OK(tn_op_accumulate(&to[4], TN_OP_MAXIMUM, a, axis, TN_DTYPE_NONE, NULL));
        }
        for (int r = 0; r < 5; r++) {
            assert_int_equal(tn_array_bytes(results[0][r]), tn_array_bytes(results[1][r]));
            assert_memory_equal(tn_array_address(results[0][r]), tn_array_address(results[1][r]),
                                (size_t)tn_array_bytes(results[0][r]));
            tn_array_release(results[0][r]);
            tn_array_release(results[1][r]);
            results[0][r] = results[1][r] = NULL;
        }
        tn_array_release(a);
        a = NULL;
    }
cleanup:
    tni_thread_set_count(0);
    tn_array_release(a);
    for (int r = 0; r < 5; r++) {
        tn_array_release(results[0][r]);
        tn_array_release(results[1][r]);
    }
}

static void test_facts(void **state) {
    (void)state;
    tn_dtype loop;
    assert_int_equal(
        tni_reduce_dtype(&loop, TN_OP_ADD, TN_I8, TN_DTYPE_NONE, TN_DTYPE_NONE, "reduce"), TN_OK);
    assert_int_equal(loop, TN_I64);
    assert_int_equal(tni_reduce_dtype(&loop, TN_OP_ADD, TN_I8, TN_DTYPE_NONE, TN_U8, "reduce"),
                     TN_OK);
    assert_int_equal(loop, TN_I16);
    assert_int_equal(
        tni_reduce_dtype(&loop, TN_OP_LOGICAL_AND, TN_F32, TN_DTYPE_NONE, TN_DTYPE_NONE, "reduce"),
        TN_OK);
    assert_int_equal(loop, TN_B8);
    assert_int_equal(
        tni_reduce_dtype(&loop, TN_OP_GREATER, TN_F32, TN_DTYPE_NONE, TN_DTYPE_NONE, "reduce"),
        TN_ERROR_TYPE);
    assert_int_equal(tni_accumulator(TN_OP_ADD, TN_F16), TN_F32);
    assert_int_equal(tni_accumulator(TN_OP_SUBTRACT, TN_F16), TN_F16);
    assert_true(tni_op_is_ordered(TN_OP_DIVIDE) && !tni_op_is_ordered(TN_OP_BITWISE_XOR));
    unsigned char all[4];
    assert_true(tni_op_identity_value(all, TN_OP_BITWISE_AND, TN_U32));
    assert_true(all[0] == 255 && all[3] == 255);
    assert_false(tni_op_identity_value(all, TN_OP_MAXIMUM, TN_U32));
    assert_string_equal(tn_reduction_name(TN_REDUCE_COUNT), "");
    assert_string_equal(tn_scan_name(TN_SCAN_NANCUMPROD), "nancumprod");
    assert_string_equal(tn_argreduction_name(TN_NANARGMIN), "nanargmin");
}

/* --- Reductions of what an operation makes --- */

static tn_status same_bytes(const tn_array *a, const tn_array *b) {
    char bytes[2][4096];
    size_t size = (size_t)tn_array_size(a) * (size_t)tn_dtype_size(tn_array_dtype(a));
    assert_int_equal(tn_array_dtype(a), tn_array_dtype(b));
    assert_int_equal(tn_array_size(a), tn_array_size(b));
    assert_true(size <= sizeof bytes[0]);
    tn_status status = tn_array_read(bytes[0], NULL, a, NULL);
    if (!status) status = tn_array_read(bytes[1], NULL, b, NULL);
    if (!status) assert_memory_equal(bytes[0], bytes[1], size);
    return status;
}

/* The map's reduction has the bits of the two calls, on this stream. */
static tn_status check_map(tn_reduction reduction, tn_op op, const tn_array *const *inputs,
                           const int *axis, tn_stream *stream) {
    tn_array *made = NULL, *wanted = NULL, *got = NULL;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    tn_operand operands[2] = {tn_operand_array(inputs[0])};
    if (tn_op_inputs(op) == 2) operands[1] = tn_operand_array(inputs[1]);
    if (axis) {
        options.axis_count = 1;
        options.axes = axis;
    }
    tn_status status = tn_elementwise(&made, op, operands, NULL, stream);
    if (!status) status = tn_reduce(&wanted, reduction, made, &options, stream);
    if (!status) status = tn_reduce_map(&got, reduction, op, inputs, &options, stream);
    if (!status && stream) status = tn_stream_synchronize(stream, -1);
    if (!status) status = same_bytes(got, wanted);
    tn_array_release(made);
    tn_array_release(wanted);
    tn_array_release(got);
    return status;
}

static tn_status check_maps(const tn_array *const *inputs, tn_stream *stream) {
    static const tn_reduction reductions[] = {
        TN_REDUCE_SUM,    TN_REDUCE_MEAN, TN_REDUCE_VAR,    TN_REDUCE_STD, TN_REDUCE_COUNT_NONZERO,
        TN_REDUCE_NANMAX, TN_REDUCE_ANY,  TN_REDUCE_NANVAR, TN_REDUCE_PTP};
    static const tn_op ops[] = {TN_OP_MULTIPLY, TN_OP_SUBTRACT, TN_OP_ABSOLUTE, TN_OP_LESS};
    const int axes[] = {0, 1};
    for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++)
        for (int op = 0; op < 4; op++)
            for (int axis = -1; axis < 2; axis++) {
                bool is_truth = tn_array_dtype(inputs[0]) == TN_B8;
                bool subtracts_truths =
                    (is_truth && ops[op] == TN_OP_SUBTRACT) ||
                    (reductions[k] == TN_REDUCE_PTP && (is_truth || ops[op] == TN_OP_LESS));
                if (subtracts_truths) continue;
                tn_status status = check_map(reductions[k], ops[op], inputs,
                                             axis < 0 ? NULL : &axes[axis], stream);
                if (status) return status;
            }
    return TN_OK;
}

static tn_status maps_of(tn_dtype dtype, tn_dtype other, tn_stream *stream) {
    static const int64_t shape[2] = {40, 60}, transposed[2] = {60, 40};
    tn_array *a = NULL, *b = NULL, *c = NULL;
    tn_status status = ramp(&a, dtype, 2, shape);
    if (!status) status = ramp(&b, other, 2, shape);
    if (!status) status = ramp(&c, other, 2, transposed);
    tn_array *across = NULL;
    if (!status) status = tn_array_transpose(&across, c, 0, NULL);
    if (!status) status = check_maps((const tn_array *[]){a, b}, stream);
    if (!status) status = check_maps((const tn_array *[]){a, across}, stream);
    tn_array_release(across);
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
    return status;
}

static void test_maps(void **state) {
    (void)state;
    static const tn_dtype pairs[][2] = {{TN_F64, TN_F64}, {TN_F32, TN_I16}, {TN_C64, TN_C64},
                                        {TN_I8, TN_I8},   {TN_B8, TN_B8},   {TN_F16, TN_F16}};
    tn_stream *stream = NULL;
    tn_array *result = NULL, *one = NULL;
    REQUIRE_OK(tn_stream_new(&stream, tn_device_get_current(), false, 0));
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        REQUIRE_OK(maps_of(pairs[k][0], pairs[k][1], NULL));
        REQUIRE_OK(maps_of(pairs[k][0], pairs[k][1], stream));
    }
    REQUIRE_OK(ramp(&one, TN_F64, 0, NULL));
    const tn_array *inputs[2] = {one, one};
    assert_int_equal(tn_reduce_map(&result, TN_REDUCE_SUM, TN_OP_WHERE, inputs, NULL, NULL),
                     TN_ERROR_VALUE);
    assert_int_equal(tn_reduce_map(&result, TN_REDUCE_SUM, TN_OP_DIVMOD, inputs, NULL, NULL),
                     TN_ERROR_VALUE);
    assert_null(result);
cleanup:
    tn_stream_release(stream);
    tn_array_release(one);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_each_reduction), REPLAY(test_dtypes),
        REPLAY(test_options),        REPLAY(test_empty),
        REPLAY(test_shapes_agree),   REPLAY(test_positions),
        REPLAY(test_scans),          REPLAY(test_diff_and_average),
        REPLAY(test_methods),        REPLAY(test_bad_indices),
        REPLAY_NOT(test_streams),    REPLAY_NOT(test_maps),
        REPLAY_NOT(test_facts),      REPLAY_NOT(test_threads_agree),
    };
    return REPLAY_RUN("reduce", tests);
}
