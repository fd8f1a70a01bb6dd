/* Arrays from rules, and joining: against the definition, with everything that is refused. */
#include "replay.h"

#include "core/array/array.h"

#include <math.h>
#include <tenorite/tenorite.h>

static double real_at(const tn_array *array, int64_t i) {
    tn_scalar scalar = {.dtype = array->dtype};
    double parts[2];
    const char *data = tn_array_address(array);
    memcpy(scalar.value.bytes, data + i * tn_array_strides(array)[array->ndim - 1],
           (size_t)tn_dtype_size(array->dtype));
    assert_int_equal(tn_scalar_convert(parts, scalar, TN_C128), TN_OK);
    return parts[0];
}

static void test_ramp(void **state) {
    (void)state;
    tn_array *a = NULL;
    for (int dtype = TN_I8; dtype < TN_DTYPE_COUNT; dtype++) {
        REQUIRE_OK(tn_array_new_ramp(&a, tn_scalar_weak_int(3), tn_scalar_weak_int(5), 60,
                                     (tn_dtype)dtype, NULL));
        for (int64_t i = 0; i < 60; i++)
            assert_true(real_at(a, i) == (double)(3 + 2 * i));
        tn_array_release(a);
        a = NULL;
    }
    REQUIRE_OK(tn_array_new_ramp(&a, tn_scalar_weak_int(0), tn_scalar_weak_int(1), 2, TN_B8, NULL));
    assert_true(real_at(a, 0) == 0 && real_at(a, 1) == 1);
    tn_array_release(a);
    a = NULL;
    REQUIRE_STATUS(
        tn_array_new_ramp(&a, tn_scalar_weak_int(0), tn_scalar_weak_int(1), 3, TN_B8, NULL),
        TN_ERROR_TYPE);
    REQUIRE_STATUS(
        tn_array_new_ramp(&a, tn_scalar_weak_int(300), tn_scalar_weak_int(1), 3, TN_I8, NULL),
        TN_ERROR_OVERFLOW);
    /* Large enough for several threads and for stores that bypass the caches. */
    REQUIRE_OK(
        tn_array_new_ramp(&a, tn_scalar_weak_int(0), tn_scalar_weak_int(1), 3000001, TN_I64, NULL));
    for (int64_t i = 0; i < 3000001; i += 7)
        assert_true(((int64_t *)tn_array_address(a))[i] == i);
cleanup:
    tn_array_release(a);
}

static tn_status range(tn_array **result, double start, double stop, double step) {
    return tn_array_new_range(result, tn_scalar_weak_float(start), tn_scalar_weak_float(stop),
                              tn_scalar_weak_float(step), TN_DTYPE_NONE, NULL);
}

static void test_range(void **state) {
    (void)state;
    tn_array *a = NULL;
    REQUIRE_OK(tn_array_new_range(&a, tn_scalar_weak_int(10), tn_scalar_weak_int(0),
                                  tn_scalar_weak_int(-3), TN_DTYPE_NONE, NULL));
    assert_int_equal(tn_array_dtype(a), TN_I64);
    assert_int_equal(tn_array_size(a), 4);
    assert_true(real_at(a, 3) == 1);
    tn_array_release(a);
    a = NULL;
    REQUIRE_OK(range(&a, 0, 1, 0.1));
    assert_int_equal(tn_array_dtype(a), TN_F64);
    assert_int_equal(tn_array_size(a), 10);
    assert_true(real_at(a, 3) == 0.1 * 3);
    tn_array_release(a);
    a = NULL;
    REQUIRE_OK(tn_array_new_range(&a, tn_scalar_weak_int(INT64_MIN), tn_scalar_weak_int(INT64_MAX),
                                  tn_scalar_weak_int(INT64_MAX), TN_DTYPE_NONE, NULL));
    assert_int_equal(tn_array_size(a), 3); /* the span is wider than 64 bits */
    tn_array_release(a);
    a = NULL;
    REQUIRE_STATUS(range(&a, 0, 1, 0), TN_ERROR_VALUE);
    REQUIRE_STATUS(range(&a, 0, INFINITY, 1), TN_ERROR_VALUE);
    REQUIRE_STATUS(range(&a, 0, NAN, 1), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_new_range(&a, tn_scalar_weak_int(0), tn_scalar_weak_int(1),
                                      tn_scalar_weak_int(0), TN_DTYPE_NONE, NULL),
                   TN_ERROR_VALUE);
cleanup:
    tn_array_release(a);
}

static void test_linspace(void **state) {
    (void)state;
    tn_array *a = NULL;
    double step[2];
    REQUIRE_OK(tn_array_new_linspace(&a, step, tn_scalar_weak_int(0), tn_scalar_weak_int(1), 11,
                                     true, TN_DTYPE_NONE, NULL));
    assert_true(step[0] == 0.1 && real_at(a, 10) == 1 && real_at(a, 3) == 0.1 * 3);
    tn_array_release(a);
    a = NULL;
    REQUIRE_OK(tn_array_new_linspace(&a, step, tn_scalar_weak_int(0), tn_scalar_weak_int(-10), 4,
                                     false, TN_I32, NULL));
    assert_true(step[0] == -2.5 && real_at(a, 1) == -3 && real_at(a, 3) == -8);
    tn_array_release(a);
    a = NULL;
    REQUIRE_OK(tn_array_new_linspace(&a, step, tn_scalar_weak_int(5), tn_scalar_weak_int(6), 1,
                                     true, TN_DTYPE_NONE, NULL));
    assert_true(isnan(step[0]) && real_at(a, 0) == 5);
    REQUIRE_STATUS(tn_array_new_linspace(&a, NULL, tn_scalar_weak_int(5), tn_scalar_weak_int(6), -1,
                                         true, TN_DTYPE_NONE, NULL),
                   TN_ERROR_VALUE);
cleanup:
    tn_array_release(a);
}

static void test_fills(void **state) {
    (void)state;
    tn_array *a = NULL;
    const int64_t shape[2] = {2, 3};
    REQUIRE_OK(tn_array_new_full(&a, TN_I16, 2, shape, tn_scalar_weak_int(-7), TN_ORDER_F, NULL));
    assert_true(tn_array_is_f_contiguous(a) && ((int16_t *)tn_array_address(a))[5] == -7);
    tn_array_release(a);
    a = NULL;
    REQUIRE_STATUS(
        tn_array_new_full(&a, TN_I8, 2, shape, tn_scalar_weak_int(300), TN_ORDER_C, NULL),
        TN_ERROR_OVERFLOW);
    for (int64_t offset = -4; offset <= 4; offset++) {
        REQUIRE_OK(tn_array_new_eye(&a, 3, 4, offset, TN_F32, TN_ORDER_C, NULL));
        const float *data = tn_array_address(a);
        for (int64_t i = 0; i < 3; i++)
            for (int64_t j = 0; j < 4; j++)
                assert_true(data[4 * i + j] == (j - i == offset ? 1.0f : 0.0f));
        tn_array_release(a);
        a = NULL;
    }
    REQUIRE_STATUS(tn_array_new_eye(&a, -1, 4, 0, TN_F32, TN_ORDER_C, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(a);
}

/* --- Joining --- */

static void test_concatenate(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *c = NULL, *m = NULL, *joined = NULL;
    const int64_t shape[2] = {3, 2};
    REQUIRE_OK(
        tn_array_new_ramp(&a, tn_scalar_weak_int(0), tn_scalar_weak_int(1), 6, TN_I32, NULL));
    REQUIRE_OK(
        tn_array_new_ramp(&b, tn_scalar_weak_int(6), tn_scalar_weak_int(7), 60000, TN_F64, NULL));
    const tn_array *pair[2] = {a, b};
    REQUIRE_OK(
        tn_array_concatenate(&joined, 2, pair, 0, TN_DTYPE_NONE, TN_CASTING_SAME_KIND, NULL));
    assert_int_equal(tn_array_dtype(joined), TN_F64);
    for (int64_t i = 0; i < 60006; i++)
        assert_true(real_at(joined, i) == (double)i);
    tn_array_release(joined);
    joined = NULL;
    REQUIRE_STATUS(tn_array_concatenate(&joined, 2, pair, 0, TN_I32, TN_CASTING_SAME_KIND, NULL),
                   TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_array_concatenate(&joined, 2, pair, 1, TN_DTYPE_NONE, TN_CASTING_SAFE, NULL),
                   TN_ERROR_AXIS);
    REQUIRE_STATUS(tn_array_concatenate(&joined, 0, pair, 0, TN_DTYPE_NONE, TN_CASTING_SAFE, NULL),
                   TN_ERROR_VALUE);
    REQUIRE_OK(tn_array_reshape(&m, a, 2, shape, TN_ORDER_C, TN_COPY_NEVER, NULL));
    REQUIRE_OK(tn_array_transpose(&c, m, 0, NULL));
    const tn_array *wrong[2] = {m, c};
    REQUIRE_STATUS(tn_array_concatenate(&joined, 2, wrong, 0, TN_DTYPE_NONE, TN_CASTING_SAFE, NULL),
                   TN_ERROR_VALUE);
    assert_string_equal(
        tn_error_message(),
        "all the input array dimensions except for the concatenation axis must match "
        "exactly, but along dimension 1, the array at index 0 has size 2 and the "
        "array at index 1 has size 3");
    const tn_array *twice[2] = {c, c};
    REQUIRE_OK(tn_array_concatenate(&joined, 2, twice, -1, TN_DTYPE_NONE, TN_CASTING_SAFE, NULL));
    assert_int_equal(tn_array_shape(joined)[1], 6);
    assert_true(tn_array_is_f_contiguous(joined)); /* as both are */
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
    tn_array_release(m);
    tn_array_release(joined);
}

static void test_stack(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *joined = NULL;
    REQUIRE_OK(
        tn_array_new_ramp(&a, tn_scalar_weak_int(0), tn_scalar_weak_int(1), 3, TN_I64, NULL));
    REQUIRE_OK(
        tn_array_new_ramp(&b, tn_scalar_weak_int(0), tn_scalar_weak_int(1), 4, TN_I64, NULL));
    const tn_array *three[3] = {a, a, a}, *wrong[2] = {a, b};
    for (int axis = -2; axis < 2; axis++) {
        REQUIRE_OK(tn_array_stack(&joined, 3, three, axis, TN_DTYPE_NONE, TN_CASTING_SAFE, NULL));
        const int64_t *data = tn_array_address(joined);
        for (int64_t i = 0; i < 9; i++)
            assert_int_equal(data[i], axis & 1 ? i / 3 : i % 3);
        tn_array_release(joined);
        joined = NULL;
    }
    REQUIRE_STATUS(tn_array_stack(&joined, 2, wrong, 0, TN_DTYPE_NONE, TN_CASTING_SAFE, NULL),
                   TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_array_stack(&joined, 3, three, 2, TN_DTYPE_NONE, TN_CASTING_SAFE, NULL),
                   TN_ERROR_AXIS);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(joined);
}

/* An output that holds its own inputs, in the other order. */
static void test_join_into(void **state) {
    (void)state;
    tn_array *a = NULL, *low = NULL, *high = NULL, *joined = NULL;
    tn_index first = {TN_INDEX_SLICE, 0, 4, 1, false, true};
    tn_index last = {TN_INDEX_SLICE, 4, 0, 1, true, false};
    REQUIRE_OK(
        tn_array_new_ramp(&a, tn_scalar_weak_int(0), tn_scalar_weak_int(1), 8, TN_I64, NULL));
    REQUIRE_OK(tn_array_slice(&low, a, 1, &first));
    REQUIRE_OK(tn_array_slice(&high, a, 1, &last));
    const tn_array *swapped[2] = {high, low};
    joined = tn_array_retain(a);
    REQUIRE_OK(tn_array_concatenate(&joined, 2, swapped, 0, TN_DTYPE_NONE, TN_CASTING_SAFE, NULL));
    for (int64_t i = 0; i < 8; i++)
        assert_true(real_at(a, i) == (double)((i + 4) % 8));
    tn_array_release(joined);
    joined = tn_array_retain(low);
    REQUIRE_STATUS(
        tn_array_concatenate(&joined, 2, swapped, 0, TN_DTYPE_NONE, TN_CASTING_SAFE, NULL),
        TN_ERROR_VALUE);
cleanup:
    tn_array_release(a);
    tn_array_release(low);
    tn_array_release(high);
    tn_array_release(joined);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_ramp),        REPLAY(test_range), REPLAY(test_linspace),  REPLAY(test_fills),
        REPLAY(test_concatenate), REPLAY(test_stack), REPLAY(test_join_into),
    };
    return REPLAY_RUN("create", tests);
}
