/* Dtypes, promotion, casting, and the conversion of scalars. */
#include "replay.h"

#include "core/array/scalar.h"
#include <math.h>
#include <tenorite/dtype.h>

static void test_facts(void **state) {
    (void)state;
    static const int sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16};
    for (int k = 0; k < TN_DTYPE_COUNT; k++) {
        assert_int_equal(tn_dtype_size(k), sizes[k]);
        assert_int_equal(tn_dtype_find(tn_dtype_name(k)), k);
        assert_int_equal(tn_dtype_find(tn_dtype_suffix(k)), k);
    }
    assert_int_equal(tn_dtype_find("object"), TN_DTYPE_NONE);
    assert_int_equal(tn_dtype_find(NULL), TN_DTYPE_NONE);
    assert_int_equal(tn_dtype_size(TN_DTYPE_NONE), 0);
    assert_string_equal(tn_dtype_name((tn_dtype)99), "invalid");
    assert_int_equal(tn_dtype_real(TN_C128), TN_F64);
    assert_int_equal(tn_dtype_real(TN_I8), TN_I8);
}

static void test_promotion(void **state) {
    (void)state;
    static const tn_dtype table[][3] = {
        {TN_I8, TN_U8, TN_I16},    {TN_I64, TN_U64, TN_F64},  {TN_I8, TN_F16, TN_F16},
        {TN_I16, TN_F16, TN_F32},  {TN_I32, TN_F32, TN_F64},  {TN_F16, TN_BF16, TN_F32},
        {TN_BF16, TN_F32, TN_F32}, {TN_F64, TN_C64, TN_C128}, {TN_I64, TN_C64, TN_C128},
        {TN_B8, TN_U16, TN_U16},   {TN_F16, TN_C64, TN_C64},  {TN_U32, TN_I32, TN_I64},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        assert_int_equal(tn_dtype_promote(table[k][0], table[k][1]), table[k][2]);
        assert_int_equal(tn_dtype_promote(table[k][1], table[k][0]), table[k][2]);
    }
    for (int a = 0; a < TN_DTYPE_COUNT; a++)
        for (int b = 0; b < TN_DTYPE_COUNT; b++) {
            tn_dtype both = tn_dtype_promote(a, b);
            assert_int_equal(both, tn_dtype_promote(b, a));
            assert_true(tn_dtype_can_cast(a, both, TN_CASTING_SAFE));
            assert_int_equal(tn_dtype_promote(both, a), both);
        }
}

static void test_casting(void **state) {
    (void)state;
    assert_true(tn_dtype_can_cast(TN_F64, TN_F32, TN_CASTING_SAME_KIND));
    assert_false(tn_dtype_can_cast(TN_F64, TN_I64, TN_CASTING_SAME_KIND));
    assert_false(tn_dtype_can_cast(TN_I8, TN_U8, TN_CASTING_SAME_KIND));
    assert_true(tn_dtype_can_cast(TN_U8, TN_I8, TN_CASTING_SAME_KIND));
    assert_false(tn_dtype_can_cast(TN_C64, TN_F64, TN_CASTING_SAME_KIND));
    assert_true(tn_dtype_can_cast(TN_C64, TN_B8, TN_CASTING_UNSAFE));
    assert_false(tn_dtype_can_cast(TN_I8, TN_I16, TN_CASTING_EQUIV));
    assert_false(tn_dtype_can_cast(TN_DTYPE_NONE, TN_I16, TN_CASTING_UNSAFE));
}

static void test_scalar_range(void **state) {
    (void)state;
    unsigned char bytes[16];
    static const struct {
        int64_t value;
        tn_dtype dtype;
        bool fits;
    } cases[] = {
        {127, TN_I8, true},        {128, TN_I8, false},       {-128, TN_I8, true},
        {-129, TN_I8, false},      {255, TN_U8, true},        {256, TN_U8, false},
        {-1, TN_U8, false},        {-1, TN_U64, false},       {65535, TN_U16, true},
        {-1, TN_I64, true},        {INT64_MIN, TN_I64, true}, {300, TN_F16, true},
        {INT64_MAX, TN_U64, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tn_scalar scalar = tn_scalar_weak_int(cases[k].value);
        assert_int_equal(tn_scalar_convert(bytes, scalar, cases[k].dtype),
                         cases[k].fits ? TN_OK : TN_ERROR_OVERFLOW);
        assert_int_equal(tni_scalar_fits(&scalar, cases[k].dtype), cases[k].fits);
    }
    assert_int_equal(tn_scalar_convert(bytes, tn_scalar_weak_int(-1), TN_U8), TN_ERROR_OVERFLOW);
    assert_string_equal(tn_error_message(), "Python integer -1 out of bounds for uint8");
    tn_scalar huge = {TN_U64, true, false, {.u64 = UINT64_MAX}};
    assert_int_equal(tn_scalar_convert(bytes, huge, TN_I64), TN_ERROR_OVERFLOW);
    assert_int_equal(tn_scalar_convert(bytes, huge, TN_U64), TN_OK);
    assert_int_equal(tn_scalar_convert(bytes, huge, TN_DTYPE_NONE), TN_ERROR_TYPE);
}

static void test_scalar_values(void **state) {
    (void)state;
    float f;
    double d[2];
    uint16_t half;
    assert_int_equal(tn_scalar_convert(&f, tn_scalar_weak_float(0.1), TN_F32), TN_OK);
    assert_true(f == 0.1f);
    assert_int_equal(tn_scalar_convert(d, tn_scalar_weak_float(0.1), TN_C128), TN_OK);
    assert_true(d[0] == 0.1 && d[1] == 0);
    assert_int_equal(tn_scalar_convert(&half, tn_scalar_weak_float(1.5), TN_F16), TN_OK);
    assert_int_equal(half, 0x3e00);
    assert_int_equal(tn_scalar_convert(&half, tn_scalar_weak_float(1.5), TN_BF16), TN_OK);
    assert_int_equal(half, 0x3fc0);
    assert_int_equal(tn_scalar_convert(d, tn_scalar_weak_complex(3, 4), TN_F64), TN_OK);
    assert_true(d[0] == 3);
    uint8_t truth;
    assert_int_equal(tn_scalar_convert(&truth, tn_scalar_weak_float(NAN), TN_B8), TN_OK);
    assert_int_equal(truth, 1);
    tn_scalar big = {TN_U64, false, false, {.u64 = UINT64_C(1) << 63}};
    assert_int_equal(tn_scalar_convert(d, big, TN_F64), TN_OK);
    assert_true(d[0] == 9223372036854775808.0);
    for (int from = 0; from < TN_DTYPE_COUNT; from++) /* 1 is 1 everywhere */
        for (int to = 0; to < TN_DTYPE_COUNT; to++) {
            tn_scalar one = {from, false, false, {0}}, back = {to, false, false, {0}};
            double value[2];
            assert_int_equal(tn_scalar_convert(&one.value, tn_scalar_weak_int(1), from), TN_OK);
            assert_int_equal(tn_scalar_convert(&back.value, one, to), TN_OK);
            assert_int_equal(tn_scalar_convert(value, back, TN_C128), TN_OK);
            assert_true(value[0] == 1 && value[1] == 0);
        }
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_facts),        REPLAY(test_promotion),     REPLAY(test_casting),
        REPLAY(test_scalar_range), REPLAY(test_scalar_values),
    };
    return REPLAY_RUN("dtype", tests);
}
