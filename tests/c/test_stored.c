/* Elements that are no numbers: of any size and at any address they are copied, taken, put, picked
 * by masks, joined and repeated as the bytes that they are, and nothing computes with them. */
#include "replay.h"

#include "core/array/array.h"
#include "core/array/stored.h"

#include <tenorite/tenorite.h>

enum { COUNT = 6, MOST = 1000 };
static const int64_t sizes[] = {1, 3, 5, 7, 8, 12, 16, 24, MOST};

static tn_dtype dtypes[MOST + 1]; /* by size */

/* COUNT elements, the k-th of bytes k + 1, beginning one byte after a multiple of 16. */
static tn_status make(tn_array **result, int64_t bytes) {
    const int64_t count = COUNT;
    tn_buffer *buffer;
    TNI_TRY(tn_buffer_new(&buffer, 1 + COUNT * bytes, tn_stream_default(tn_device_get_current())));
    for (int64_t k = 0; k < COUNT; k++)
        memset((char *)tn_buffer_address(buffer) + 1 + k * bytes, (int)k + 1, (size_t)bytes);
    tn_status status = tn_array_new_view(result, buffer, 1, dtypes[bytes], 1, &count, NULL);
    tn_buffer_release(buffer);
    return status;
}

/* Elements of these bytes, in order C. */
static void expect(const tn_array *array, int64_t count, const int *bytes) {
    static unsigned char read[COUNT * 2 * MOST];
    const int64_t size = tn_dtype_size(tn_array_dtype(array));
    assert_int_equal(tn_array_size(array), count);
    assert_int_equal(tn_array_read(read, NULL, array, NULL), TN_OK);
    for (int64_t k = 0; k < count; k++)
        for (int64_t at = 0; at < size; at++)
            assert_int_equal(read[k * size + at], bytes[k]);
}

static void test_moves(void **state) {
    (void)state;
    static const int64_t places[3] = {4, 0, -1}, three = 3;
    static const bool truths[COUNT] = {true, false, false, true, true, false};
    static const int64_t count = COUNT, counts[COUNT] = {0, 1, 2, 0, 0, 1};
    static const tn_index backwards = {TN_INDEX_SLICE, 0, 0, -2, false, false};
    tn_array *a = NULL, *view = NULL, *made = NULL, *indices = NULL, *mask = NULL, *times = NULL;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        REQUIRE_OK(make(&a, sizes[k]));
        REQUIRE_OK(
            tn_array_new_from_host(&indices, places, TN_I64, 1, &three, NULL, TN_ORDER_C, NULL));
        REQUIRE_OK(tn_array_new_from_host(&mask, truths, TN_B8, 1, &count, NULL, TN_ORDER_C, NULL));
        REQUIRE_OK(
            tn_array_new_from_host(&times, counts, TN_I64, 1, &count, NULL, TN_ORDER_C, NULL));
        REQUIRE_OK(tn_array_slice(&view, a, 1, &backwards));
        REQUIRE_OK(tn_array_astype(&made, view, tn_array_dtype(a), TN_ORDER_C, TN_CASTING_NO,
                                   TN_COPY_ALWAYS, NULL));
        expect(made, 3, (const int[]){6, 4, 2});
        tn_array_release(made);
        made = NULL;
        REQUIRE_OK(tn_array_take(&made, view, indices, 0, TN_INDEX_WRAP, NULL));
        expect(made, 3, (const int[]){4, 6, 2});
        REQUIRE_OK(tn_array_put(a, indices, 0, &(tn_operand){.array = made}, TN_INDEX_RAISE, NULL));
        expect(a, COUNT, (const int[]){6, 2, 3, 4, 4, 2});
        tn_array_release(made);
        made = NULL;
        REQUIRE_OK(tn_array_compress(&made, a, mask, 0, NULL));
        expect(made, 3, (const int[]){6, 4, 4});
        REQUIRE_OK(tn_array_expand(a, mask, 0, &(tn_operand){.array = view}, NULL));
        expect(a, COUNT, (const int[]){2, 2, 3, 4, 2, 2});
        const tn_array *parts[2] = {view, made};
        tn_array *joined = NULL;
        REQUIRE_OK(tn_array_concatenate(&joined, 2, parts, 0, TN_DTYPE_NONE, TN_CASTING_NO, NULL));
        tn_array_release(made);
        made = joined;
        expect(made, 6, (const int[]){2, 4, 2, 6, 4, 4});
        tn_array_release(made);
        made = NULL;
        REQUIRE_OK(tn_array_repeat_each(&made, a, 0, times, NULL));
        expect(made, 4, (const int[]){2, 3, 3, 2});
    cleanup:
        tn_array_release(times);
        tn_array_release(mask);
        tn_array_release(indices);
        tn_array_release(made);
        tn_array_release(view);
        tn_array_release(a);
        a = view = made = indices = mask = times = NULL;
        if (replay_was_seen) return;
    }
}

/* Nothing computes, and nothing but the same dtype casts. */
static void test_refused(void **state) {
    (void)state;
    tn_array *a = NULL, *made = NULL;
    tn_dtype other, bad = TN_DTYPE_NONE;
    REQUIRE_OK(make(&a, 8));
    REQUIRE_OK(tn_dtype_new(&other, "other", 8));
    assert_false(tn_dtype_has_type(other));
    REQUIRE_OK(tn_dtype_set_type(other, "other", "struct other {};"));
    REQUIRE_OK(tn_dtype_set_type(other, "another", "struct another {};"));
    assert_string_equal(tni_stored_find(other)->c_type, "other");
    REQUIRE_STATUS(tn_dtype_set_type(TN_F64, "other", "struct other {};"), TN_ERROR_VALUE);
    assert_false(tn_dtype_can_cast(other, tn_array_dtype(a), TN_CASTING_UNSAFE));
    assert_true(tn_dtype_can_cast(other, other, TN_CASTING_NO));
    assert_int_equal(tn_dtype_promote(other, TN_F64), TN_DTYPE_NONE);
    assert_int_equal(tn_dtype_kind(other), TN_KIND_STORED);
    assert_string_equal(tn_dtype_name(other), "other");
    REQUIRE_STATUS(tn_dtype_new(&bad, "bad", 0), TN_ERROR_VALUE);
    REQUIRE_STATUS(tn_unary(&made, TN_OP_NEGATIVE, a, NULL), TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_binary(&made, TN_OP_EQUAL, a, a, NULL), TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_reduce(&made, TN_REDUCE_SUM, a, NULL, NULL), TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_argreduce(&made, TN_ARGMAX, a, NULL, false, NULL), TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_array_sort(&made, a, &(tn_sort_options)TN_SORT_DEFAULTS, NULL),
                   TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_array_fill(a, tn_scalar_weak_int(1), NULL), TN_ERROR_TYPE);
    REQUIRE_STATUS(
        tn_array_astype(&made, a, TN_F64, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL),
        TN_ERROR_TYPE);
cleanup:
    tn_array_release(a);
}

/* A value of such a dtype is the address of its bytes, and becomes no other. */
static void test_values(void **state) {
    (void)state;
    static const char given[12] = "twelve byte";
    char read[16] = "";
    const tn_scalar scalar = {.dtype = dtypes[12], .value.stored = given};
    REQUIRE_OK(tn_scalar_convert(read, scalar, dtypes[12]));
    assert_memory_equal(read, given, sizeof given);
    REQUIRE_STATUS(tn_scalar_convert(read, scalar, dtypes[16]), TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_scalar_convert(read, scalar, TN_F64), TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_scalar_convert(read, tn_scalar_weak_int(1), dtypes[12]), TN_ERROR_TYPE);
cleanup:
    return;
}

/* Counts of times: NaT, the least, is kept by sums, later than all in maxima, equal to none. */
static void test_times(void **state) {
    (void)state;
    static const int64_t no_time = INT64_MIN, count = 4;
    static const struct {
        tn_op op;
        int64_t made[4];
    } cases[] = {
        {TN_OP_TIME_ADD, {8, INT64_MIN, INT64_MIN, 0}},
        {TN_OP_TIME_SUBTRACT, {-2, INT64_MIN, INT64_MIN, 8}},
        {TN_OP_TIME_DIVIDE, {0, 0, INT64_MIN, -1}},
        {TN_OP_TIME_FLOOR_DIVIDE, {0, 0, 0, -1}},
        {TN_OP_TIME_MAXIMUM, {5, INT64_MIN, INT64_MIN, 4}},
        {TN_OP_TIME_FMIN, {3, -7, 6, -4}},
    };
    const int64_t a[4] = {3, -7, no_time, 4}, b[4] = {5, no_time, 6, -4};
    int64_t read[4];
    tn_array *x = NULL, *y = NULL, *made = NULL, *sum = NULL;
    REQUIRE_OK(tn_array_new_from_host(&x, a, TN_I64, 1, &count, NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_array_new_from_host(&y, b, TN_I64, 1, &count, NULL, TN_ORDER_C, NULL));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        REQUIRE_OK(tn_binary(&made, cases[k].op, x, y, NULL));
        REQUIRE_OK(tn_array_read(read, NULL, made, NULL));
        assert_memory_equal(read, cases[k].made, sizeof read);
        tn_array_release(made);
        made = NULL;
    }
    REQUIRE_OK(tn_op_reduce(&sum, TN_OP_TIME_ADD, x, &(tn_reduce_options)TN_REDUCE_DEFAULTS, NULL));
    REQUIRE_OK(tn_array_read(read, NULL, sum, NULL));
    assert_true(read[0] == no_time);
cleanup:
    tn_array_release(sum);
    tn_array_release(made);
    tn_array_release(y);
    tn_array_release(x);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_moves), REPLAY(test_refused),
                                        REPLAY(test_values), REPLAY(test_times)};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (tn_dtype_new(&dtypes[sizes[k]], "stored", sizes[k])) return 1;
    return REPLAY_RUN("stored", tests);
}
