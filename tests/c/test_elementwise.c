/* The driver of element-wise operations: choice of loops, broadcasting, outputs, masks, overlap. */
#include "replay.h"

#include "core/rules/op.h"
#include <tenorite/cuda.h>
#include <tenorite/elementwise.h>

static tn_status floats(tn_array **result, int count, const float *values) {
    int64_t shape[1] = {count};
    return tn_array_new_from_host(result, values, TN_F32, 1, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status check_floats(const tn_array *array, int count, const float *expected) {
    float read[64];
    assert_int_equal(tn_array_dtype(array), TN_F32);
    assert_int_equal(tn_array_size(array), count);
    tn_status status = tn_array_read(read, NULL, array, NULL);
    for (int k = 0; k < count && !status; k++)
        assert_true(read[k] == expected[k]);
    return status;
}

static void test_choice(void **state) {
    (void)state;
    tn_dtype loop[TN_MAX_OPERANDS];
    tn_operand pair[2] = {tn_operand_scalar(tn_scalar_weak_int(1)),
                          tn_operand_scalar(tn_scalar_weak_float(1))};
    assert_int_equal(tn_op_resolve(loop, TN_OP_ADD, pair, TN_DTYPE_NONE, TN_CASTING_SAME_KIND),
                     TN_OK);
    assert_int_equal(loop[2], TN_F64);
    pair[0].scalar = tn_scalar_bool(true);
    pair[1].scalar = tn_scalar_bool(true);
    assert_int_equal(tn_op_resolve(loop, TN_OP_SUBTRACT, pair, TN_DTYPE_NONE, TN_CASTING_SAME_KIND),
                     TN_ERROR_TYPE);
    assert_non_null(strstr(tn_error_message(), "boolean subtract"));
    assert_int_equal(tn_op_resolve(loop, TN_OP_DIVIDE, pair, TN_DTYPE_NONE, TN_CASTING_SAME_KIND),
                     TN_OK);
    assert_int_equal(loop[2], TN_F64);
    assert_int_equal(tn_op_resolve(loop, TN_OP_POWER, pair, TN_DTYPE_NONE, TN_CASTING_SAME_KIND),
                     TN_OK);
    assert_int_equal(loop[2], TN_I8);
    pair[0].scalar = tn_scalar_weak_float(1);
    assert_int_equal(tn_op_resolve(loop, TN_OP_ADD, pair, TN_I32, TN_CASTING_SAME_KIND),
                     TN_ERROR_CASTING);
    assert_int_equal(tn_op_resolve(loop, TN_OP_BITWISE_AND, pair, TN_DTYPE_NONE, TN_CASTING_SAFE),
                     TN_ERROR_TYPE);
    assert_int_equal(tn_op_find("mod"), TN_OP_REMAINDER);
    assert_int_equal(tn_op_find("no such"), TN_OP_NONE);
    for (int op = 0; op < TN_OP_COUNT; op++)
        assert_non_null(tn_op_types(op, 0));
}

static void test_broadcast_and_scalars(void **state) {
    (void)state;
    tn_array *a = NULL, *column = NULL, *sum = NULL;
    int64_t down[2] = {2, 1};
    REQUIRE_OK(floats(&a, 3, (float[]){1, 2, 3}));
    REQUIRE_OK(floats(&column, 2, (float[]){10, 20}));
    tn_array *reshaped;
    REQUIRE_OK(tn_array_reshape(&reshaped, column, 2, down, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL));
    tn_status status = tn_binary(&sum, TN_OP_ADD, a, reshaped, NULL);
    tn_array_release(reshaped);
    REQUIRE_OK(status);
    REQUIRE_OK(check_floats(sum, 6, (float[]){11, 12, 13, 21, 22, 23}));
    tn_array_release(sum);
    sum = NULL;
    tn_operand inputs[2] = {tn_operand_array(a), tn_operand_scalar(tn_scalar_weak_int(2))};
    REQUIRE_OK(tn_elementwise(&sum, TN_OP_POWER, inputs, NULL, NULL));
    REQUIRE_OK(check_floats(sum, 3, (float[]){1, 4, 9}));
cleanup:
    tn_array_release(a);
    tn_array_release(column);
    tn_array_release(sum);
}

static void test_outputs(void **state) {
    (void)state;
    tn_array *a = NULL, *small = NULL, *mask = NULL;
    uint8_t truths[4] = {1, 0, 0, 1};
    int64_t four[1] = {4};
    tn_elementwise_options options = TN_ELEMENTWISE_DEFAULTS;
    REQUIRE_OK(floats(&a, 4, (float[]){1, 2, 3, 4}));
    REQUIRE_OK(floats(&small, 2, (float[]){0, 0}));
    REQUIRE_OK(tn_array_new_from_host(&mask, truths, TN_B8, 1, four, NULL, TN_ORDER_C, NULL));
    tn_operand inputs[2] = {tn_operand_array(a), tn_operand_array(a)};
    tn_array *out = a;
    options.where = mask;
    REQUIRE_OK(tn_elementwise(&out, TN_OP_ADD, inputs, &options, NULL));
    REQUIRE_OK(check_floats(a, 4, (float[]){2, 2, 3, 8}));
    out = small;
    assert_int_equal(tn_elementwise(&out, TN_OP_ADD, inputs, NULL, NULL), TN_ERROR_VALUE);
    REQUIRE_OK(check_floats(small, 2, (float[]){0, 0}));
    out = mask; /* f32 does not go into bool */
    assert_int_equal(tn_elementwise(&out, TN_OP_ADD, inputs, NULL, NULL), TN_ERROR_CASTING);
    out = a;
    tn_array_set_writeable(a, false);
    assert_int_equal(tn_elementwise(&out, TN_OP_ADD, inputs, NULL, NULL), TN_ERROR_VALUE);
    assert_string_equal(tn_error_message(), "output array is read-only");
cleanup:
    tn_array_release(a);
    tn_array_release(small);
    tn_array_release(mask);
}

static void test_overlap(void **state) {
    (void)state;
    tn_array *a = NULL, *head = NULL, *tail = NULL, *back = NULL;
    tn_index first = {.kind = TN_INDEX_SLICE, .stop = 4, .step = 1, .has_stop = true};
    tn_index last = {.kind = TN_INDEX_SLICE, .start = 1, .step = 1, .has_start = true};
    tn_index reversed = {.kind = TN_INDEX_SLICE, .step = -1};
    REQUIRE_OK(floats(&a, 5, (float[]){1, 2, 3, 4, 5}));
    REQUIRE_OK(tn_array_slice(&head, a, 1, &first));
    REQUIRE_OK(tn_array_slice(&tail, a, 1, &last));
    REQUIRE_OK(tn_array_slice(&back, a, 1, &reversed));
    tn_operand inputs[2] = {tn_operand_array(head), tn_operand_array(tail)};
    tn_array *out = tail;
    REQUIRE_OK(tn_elementwise(&out, TN_OP_ADD, inputs, NULL, NULL));
    REQUIRE_OK(check_floats(a, 5, (float[]){1, 3, 5, 7, 9}));
    inputs[0] = tn_operand_array(a);
    inputs[1] = tn_operand_array(back);
    out = a;
    REQUIRE_OK(tn_elementwise(&out, TN_OP_SUBTRACT, inputs, NULL, NULL));
    REQUIRE_OK(check_floats(a, 5, (float[]){-8, -4, 0, 4, 8}));
cleanup:
    tn_array_release(a);
    tn_array_release(head);
    tn_array_release(tail);
    tn_array_release(back);
}

/* Sizes on both sides of every cut: one row, tiles, threads, stages, streaming, transposition. */
static void test_large(void **state) {
    (void)state;
    static const int64_t rows[] = {1, 7, 300, 2100}, columns[] = {5, 64, 1000, 2500};
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            tn_array *a = NULL, *t = NULL, *wide = NULL, *sum = NULL;
            int64_t shape[2] = {rows[r], columns[c]}, size = rows[r] * columns[c];
            int32_t *values = malloc((size_t)size * sizeof *values);
            double *read = malloc((size_t)size * sizeof *read);
            for (int64_t k = 0; k < size; k++)
                values[k] = (int32_t)(k * 7 % 1000003);
            int64_t across[2] = {columns[c], rows[r]};
            assert_int_equal(
                tn_array_new_from_host(&a, values, TN_I32, 2, shape, NULL, TN_ORDER_C, NULL),
                TN_OK);
            assert_int_equal(tn_array_new(&wide, TN_F64, 2, across, TN_ORDER_C, NULL), TN_OK);
            assert_int_equal(tn_array_fill(wide, tn_scalar_weak_float(0.5), NULL), TN_OK);
            assert_int_equal(tn_array_transpose(&t, a, 0, NULL), TN_OK);
            assert_int_equal(tn_binary(&sum, TN_OP_ADD, wide, t, NULL), TN_OK);
            assert_int_equal(tn_array_read(read, NULL, sum, NULL), TN_OK);
            for (int64_t i = 0; i < across[0]; i++)
                for (int64_t j = 0; j < across[1]; j++)
                    assert_true(read[i * across[1] + j] == values[j * shape[1] + i] + 0.5);
            tn_array_release(a);
            tn_array_release(t);
            tn_array_release(wide);
            tn_array_release(sum);
            free(values);
            free(read);
        }
}

static void test_negative_powers(void **state) {
    (void)state;
    tn_array *a = NULL, *power = NULL;
    int64_t shape[1] = {3};
    int32_t values[3] = {2, 1, -1};
    REQUIRE_OK(tn_array_new_from_host(&a, values, TN_I32, 1, shape, NULL, TN_ORDER_C, NULL));
    tn_operand inputs[2] = {tn_operand_array(a), tn_operand_array(a)};
    REQUIRE_STATUS(tn_elementwise(&power, TN_OP_POWER, inputs, NULL, NULL), TN_ERROR_VALUE);
    assert_string_equal(tn_error_message(), "Integers to negative integer powers are not allowed.");
    assert_null(power);
cleanup:
    tn_array_release(a);
    tn_array_release(power);
}

int main(void) {
    /* tools/gpu runs it on cuda, too, and says where wheels lie. */
    setenv("TENORITE_BACKEND", "host", 0);
    const char *root = getenv("TENORITE_LIBRARY_ROOT");
    if (root) tn_cuda_add_library_root(root);
    static const replay_test tests[] = {
        REPLAY(test_choice),    REPLAY(test_broadcast_and_scalars),
        REPLAY(test_outputs),   REPLAY(test_overlap),
        REPLAY_NOT(test_large), REPLAY(test_negative_powers),
    };
    return REPLAY_RUN("elementwise", tests);
}
