/* Indexing by arrays: every item size and layout against the definition, in sizes on both sides of
 * every choice that the host makes; what is refused leaves everything as it was; the same on a
 * stream. */
#include "replay.h"

#include "core/array/array.h"

#include <tenorite/tenorite.h>

enum { LARGE = 50000 };

/* --- Helpers --- */

static int64_t at(const tn_array *array, int64_t i) {
    int64_t value = 0;
    const char *data = tn_array_address(array);
    memcpy(&value, data + i * tn_array_strides(array)[tn_array_ndim(array) - 1],
           (size_t)(tn_dtype_size(array->dtype) < 8 ? tn_dtype_size(array->dtype) : 8));
    return value;
}

static tn_status ramp(tn_array **result, int64_t first, int64_t step, int64_t count,
                      tn_dtype dtype) {
    return tn_array_new_ramp(result, tn_scalar_weak_int(first), tn_scalar_weak_int(first + step),
                             count, dtype, NULL);
}

/* A C array of i64 as an array. */
static tn_status from(tn_array **result, int64_t count, const int64_t *values) {
    return tn_array_new_from_host(result, values, TN_I64, 1, &count, NULL, TN_ORDER_C, NULL);
}

/* true where i % period == 0. */
static tn_status comb(tn_array **result, int64_t count, int64_t period) {
    TNI_TRY(tn_array_new(result, TN_B8, 1, &count, TN_ORDER_C, NULL));
    bool *data = tn_array_address(*result);
    for (int64_t i = 0; i < count; i++)
        data[i] = i % period == 0;
    return TN_OK;
}

static tn_operand number(int64_t value) {
    return tn_operand_scalar(tn_scalar_weak_int(value));
}

/* Every second element, backwards. */
static tn_status backwards(tn_array **result, const tn_array *array) {
    tn_index index = {TN_INDEX_SLICE, 0, 0, -2, false, false};
    return tn_array_slice(result, array, 1, &index);
}

/* Integers whose size is that of an item class. */
static const tn_dtype sized[] = {TN_U8, TN_U16, TN_U32, TN_U64};

/* --- Taking and putting --- */

static void test_take(void **state) {
    (void)state;
    tn_array *a = NULL, *indices = NULL, *b = NULL, *view = NULL;
    for (int k = 0; k < 4; k++) {
        REQUIRE_OK(ramp(&a, 0, 1, 100, sized[k]));
        REQUIRE_OK(from(&indices, 4, (const int64_t[]){7, -1, 0, 7}));
        REQUIRE_OK(tn_array_take(&b, a, indices, 0, TN_INDEX_RAISE, NULL));
        assert_int_equal(tn_array_size(b), 4);
        assert_int_equal(at(b, 0), 7);
        assert_int_equal(at(b, 1), 99);
        assert_int_equal(at(b, 2), 0);
        assert_int_equal(at(b, 3), 7);
        tn_array_release(b);
        b = NULL;
        REQUIRE_OK(backwards(&view, a));
        REQUIRE_OK(tn_array_take(&b, view, indices, 0, TN_INDEX_RAISE, NULL));
        assert_int_equal(at(b, 0), 99 - 14);
        assert_int_equal(at(b, 1), 1);
        tn_array_release(a);
        tn_array_release(b);
        tn_array_release(view);
        tn_array_release(indices);
        a = b = view = indices = NULL;
    }
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(view);
    tn_array_release(indices);
}

static void test_take_modes(void **state) {
    (void)state;
    tn_array *a = NULL, *indices = NULL, *b = NULL;
    REQUIRE_OK(ramp(&a, 0, 1, 5, TN_I32));
    REQUIRE_OK(from(&indices, 3, (const int64_t[]){7, -8, 2}));
    REQUIRE_STATUS(tn_array_take(&b, a, indices, 0, TN_INDEX_RAISE, NULL), TN_ERROR_INDEX);
    assert_string_equal(tn_error_message(), "index 7 is out of bounds for axis 0 with size 5");
    assert_null(b);
    REQUIRE_OK(tn_array_take(&b, a, indices, 0, TN_INDEX_WRAP, NULL));
    assert_int_equal(at(b, 0), 2);
    assert_int_equal(at(b, 1), 2);
    REQUIRE_OK(tn_array_take(&b, a, indices, 0, TN_INDEX_CLIP, NULL)); /* into the same array */
    assert_int_equal(at(b, 0), 4);
    assert_int_equal(at(b, 1), 0);
    REQUIRE_STATUS(tn_array_take(&b, a, indices, 1, TN_INDEX_CLIP, NULL), TN_ERROR_AXIS);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(indices);
}

/* A matrix in both orders, taken along both axes: rows are runs in one and items in the other. */
static void test_take_matrix(void **state) {
    (void)state;
    tn_array *a = NULL, *f = NULL, *indices = NULL, *b = NULL;
    const int64_t shape[2] = {40, 30}, minus = 40 * 30;
    REQUIRE_OK(ramp(&f, 0, 1, minus, TN_I64));
    REQUIRE_OK(tn_array_reshape(&a, f, 2, shape, TN_ORDER_C, TN_COPY_NEVER, NULL));
    tn_array_release(f);
    f = NULL;
    REQUIRE_OK(tn_array_astype(&f, a, TN_I64, TN_ORDER_F, TN_CASTING_NO, TN_COPY_ALWAYS, NULL));
    REQUIRE_OK(from(&indices, 3, (const int64_t[]){3, -2, 3}));
    for (int axis = 0; axis < 2; axis++)
        for (int order = 0; order < 2; order++) {
            REQUIRE_OK(tn_array_take(&b, order ? f : a, indices, axis, TN_INDEX_RAISE, NULL));
            assert_int_equal(tn_array_shape(b)[axis], 3);
            assert_int_equal(tn_array_shape(b)[1 - axis], shape[1 - axis]);
            const int64_t *data = tn_array_address(b);
            for (int64_t i = 0; i < tn_array_shape(b)[0]; i++)
                for (int64_t j = 0; j < tn_array_shape(b)[1]; j++) {
                    int64_t k = (axis ? j : i) == 1 ? shape[axis] - 2 : 3;
                    int64_t expected = axis ? i * 30 + k : k * 30 + j;
                    assert_int_equal(data[i * tn_array_shape(b)[1] + j], expected);
                }
            tn_array_release(b);
            b = NULL;
        }
cleanup:
    tn_array_release(a);
    tn_array_release(f);
    tn_array_release(b);
    tn_array_release(indices);
}

/* a[{0, -1}, :, {1, -2}] of a cube, whose elements are their places. */
static void test_several(void **state) {
    (void)state;
    tn_array *flat = NULL, *a = NULL, *transposed = NULL, *first = NULL, *second = NULL, *b = NULL;
    const int64_t shape[3] = {3, 4, 5};
    const int axes[2] = {0, 2}, back[3] = {2, 1, 0}, wrong[2] = {2, 0}, shown[2] = {7, 8};
    tn_operand minus = number(-5);
    REQUIRE_OK(ramp(&flat, 0, 1, 60, TN_I64));
    REQUIRE_OK(tn_array_reshape(&a, flat, 3, shape, TN_ORDER_C, TN_COPY_NEVER, NULL));
    REQUIRE_OK(tn_array_transpose(&transposed, a, 3, back));
    REQUIRE_OK(from(&first, 2, (const int64_t[]){0, -1}));
    REQUIRE_OK(from(&second, 2, (const int64_t[]){1, -2}));
    for (int order = 0; order < 2; order++) {
        const tn_array *indices[2] = {order ? second : first, order ? first : second};
        REQUIRE_OK(
            tn_array_take_several(&b, order ? transposed : a, 2, axes, NULL, indices, 0, NULL));
        assert_int_equal(tn_array_ndim(b), 2);
        assert_int_equal(tn_array_shape(b)[1], 4);
        for (int64_t j = 0; j < 4; j++) {
            assert_int_equal(((int64_t *)tn_array_address(b))[j], j * 5 + 1);
            assert_int_equal(((int64_t *)tn_array_address(b))[4 + j], 40 + j * 5 + 3);
        }
        tn_array_release(b);
        b = NULL;
    }
    const tn_array *indices[2] = {first, second};
    REQUIRE_OK(tn_array_put_several(a, 2, axes, NULL, indices, 1, &minus, NULL));
    for (int64_t i = 0; i < 60; i++) {
        bool is_named = (i < 20 && i % 5 == 1) || (i >= 40 && i % 5 == 3);
        assert_int_equal(at(flat, i), is_named ? -5 : i);
    }
    REQUIRE_STATUS(tn_array_take_several(&b, a, 2, wrong, NULL, indices, 0, NULL), TN_ERROR_AXIS);
    REQUIRE_STATUS(tn_array_take_several(&b, a, 2, axes, NULL, indices, 2, NULL), TN_ERROR_VALUE);
    ((int64_t *)tn_array_address(second))[1] = 5;
    REQUIRE_STATUS(tn_array_put_several(a, 2, axes, shown, indices, 0, &minus, NULL),
                   TN_ERROR_INDEX);
    assert_string_equal(tn_error_message(), "index 5 is out of bounds for axis 8 with size 5");
cleanup:
    tn_array_release(flat);
    tn_array_release(a);
    tn_array_release(transposed);
    tn_array_release(first);
    tn_array_release(second);
    tn_array_release(b);
}

static void test_put(void **state) {
    (void)state;
    tn_array *a = NULL, *indices = NULL, *values = NULL;
    tn_operand one = number(-5);
    REQUIRE_OK(ramp(&a, 0, 1, 100, TN_I16));
    REQUIRE_OK(from(&indices, 4, (const int64_t[]){7, -1, 0, 7}));
    REQUIRE_OK(ramp(&values, 10, 1, 4, TN_F32)); /* converted */
    REQUIRE_OK(tn_array_put(a, indices, 0, &one, TN_INDEX_RAISE, NULL));
    assert_int_equal((int16_t)at(a, 7), -5);
    assert_int_equal((int16_t)at(a, 99), -5);
    tn_operand many = tn_operand_array(values);
    REQUIRE_OK(tn_array_put(a, indices, 0, &many, TN_INDEX_RAISE, NULL));
    assert_int_equal(at(a, 7), 13); /* the last one wins */
    assert_int_equal(at(a, 99), 11);
    assert_int_equal(at(a, 0), 12);
    assert_int_equal(at(a, 1), 1);
    tn_operand wide = number(1 << 20);
    REQUIRE_STATUS(tn_array_put(a, indices, 0, &wide, TN_INDEX_RAISE, NULL), TN_ERROR_OVERFLOW);
    tn_array_release(indices);
    indices = NULL;
    REQUIRE_OK(from(&indices, 4, (const int64_t[]){1, 2, 3, 100}));
    REQUIRE_STATUS(tn_array_put(a, indices, 0, &one, TN_INDEX_RAISE, NULL), TN_ERROR_INDEX);
    assert_int_equal(at(a, 1), 1); /* nothing was written */
    REQUIRE_OK(tn_array_put_flat(a, indices, &one, TN_INDEX_WRAP, NULL));
    assert_int_equal((int16_t)at(a, 0), -5);
    tn_array_set_writeable(a, false);
    REQUIRE_STATUS(tn_array_put(a, indices, 0, &one, TN_INDEX_WRAP, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(a);
    tn_array_release(values);
    tn_array_release(indices);
}

/* Two values repeated over five places of a matrix that is not contiguous. */
static void test_put_flat(void **state) {
    (void)state;
    tn_array *a = NULL, *m = NULL, *f = NULL, *indices = NULL, *values = NULL;
    const int64_t shape[2] = {3, 4};
    REQUIRE_OK(ramp(&a, 0, 0, 12, TN_I64));
    REQUIRE_OK(tn_array_reshape(&m, a, 2, shape, TN_ORDER_C, TN_COPY_NEVER, NULL));
    REQUIRE_OK(tn_array_astype(&f, m, TN_I64, TN_ORDER_F, TN_CASTING_NO, TN_COPY_ALWAYS, NULL));
    REQUIRE_OK(from(&indices, 5, (const int64_t[]){0, 1, 5, 11, -2}));
    REQUIRE_OK(from(&values, 2, (const int64_t[]){8, 9}));
    tn_operand operand = tn_operand_array(values);
    REQUIRE_OK(tn_array_put_flat(f, indices, &operand, TN_INDEX_RAISE, NULL));
    const int64_t *data = tn_array_address(f);
    assert_int_equal(data[0], 8);     /* [0, 0] */
    assert_int_equal(data[3], 9);     /* [0, 1] */
    assert_int_equal(data[1 + 3], 8); /* [1, 1] */
    assert_int_equal(data[2 + 9], 9); /* [2, 3] */
    assert_int_equal(data[2 + 6], 8); /* [2, 2] */
    assert_int_equal(data[2], 0);
cleanup:
    tn_array_release(a);
    tn_array_release(m);
    tn_array_release(f);
    tn_array_release(indices);
    tn_array_release(values);
}

/* --- Masks --- */

static void check_compressed(const tn_array *b, int64_t count, int64_t period, int64_t first,
                             int64_t step) {
    assert_int_equal(tn_array_size(b), (count + period - 1) / period);
    int64_t bits = 8 * tn_dtype_size(b->dtype);
    int64_t mask = bits < 64 ? (INT64_C(1) << bits) - 1 : -1;
    for (int64_t i = 0; i < tn_array_size(b); i++)
        assert_int_equal(at(b, i), (first + step * period * i) & mask);
}

static void test_compress(void **state) {
    (void)state;
    tn_array *a = NULL, *view = NULL, *mask = NULL, *b = NULL;
    const int64_t counts[] = {0, 1, 63, 64, 65, 4096, 4097, LARGE}, periods[] = {1, 2, 3, 100};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (int p = 0; p < 4; p++)
            for (int k = 0; k < 4; k++) {
                REQUIRE_OK(ramp(&a, 3, 1, 2 * counts[n], sized[k]));
                REQUIRE_OK(backwards(&view, a));
                REQUIRE_OK(comb(&mask, counts[n], periods[p]));
                REQUIRE_OK(tn_array_compress(&b, view, mask, 0, NULL));
                check_compressed(b, counts[n], periods[p], 2 + 2 * counts[n], -2);
                tn_array_release(a);
                tn_array_release(b);
                a = b = NULL;
                REQUIRE_OK(ramp(&a, 3, 1, counts[n], sized[k]));
                REQUIRE_OK(tn_array_compress(&b, a, mask, 0, NULL));
                check_compressed(b, counts[n], periods[p], 3, 1);
                tn_array_release(a);
                tn_array_release(b);
                tn_array_release(view);
                tn_array_release(mask);
                a = b = view = mask = NULL;
            }
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(view);
    tn_array_release(mask);
}

static void test_expand(void **state) {
    (void)state;
    tn_array *a = NULL, *mask = NULL, *values = NULL;
    tn_operand one = number(7);
    for (int k = 0; k < 4; k++) {
        REQUIRE_OK(ramp(&a, 0, 0, LARGE, sized[k]));
        REQUIRE_OK(comb(&mask, LARGE, 3));
        REQUIRE_OK(tn_array_expand(a, mask, 0, &one, NULL));
        for (int64_t i = 0; i < LARGE; i++)
            assert_int_equal(at(a, i), i % 3 == 0 ? 7 : 0);
        REQUIRE_OK(ramp(&values, 0, 1, (LARGE + 2) / 3, TN_I64));
        tn_operand many = tn_operand_array(values);
        REQUIRE_OK(tn_array_expand(a, mask, 0, &many, NULL));
        int64_t bits = 8 * tn_dtype_size(sized[k]), low = bits < 64 ? (INT64_C(1) << bits) - 1 : -1;
        for (int64_t i = 0; i < LARGE; i++)
            assert_int_equal(at(a, i), i % 3 == 0 ? (i / 3) & low : 0);
        tn_array_release(a);
        tn_array_release(mask);
        a = mask = NULL;
        REQUIRE_OK(ramp(&a, 0, 0, 10, sized[k]));
        REQUIRE_OK(comb(&mask, 10, 3));
        REQUIRE_STATUS(tn_array_expand(a, mask, 0, &many, NULL), TN_ERROR_VALUE);
        for (int64_t i = 0; i < 10; i++)
            assert_int_equal(at(a, i), 0);
        tn_array_release(a);
        tn_array_release(mask);
        tn_array_release(values);
        a = mask = values = NULL;
    }
cleanup:
    tn_array_release(a);
    tn_array_release(mask);
    tn_array_release(values);
}

/* A mask of rows, of a matrix and of nothing. */
static void test_masks_of_fewer_axes(void **state) {
    (void)state;
    tn_array *flat = NULL, *a = NULL, *mask = NULL, *b = NULL, *truth = NULL;
    const int64_t shape[2] = {6, 5};
    tn_operand one = number(-1);
    REQUIRE_OK(ramp(&flat, 0, 1, 30, TN_I64));
    REQUIRE_OK(tn_array_reshape(&a, flat, 2, shape, TN_ORDER_C, TN_COPY_NEVER, NULL));
    REQUIRE_OK(comb(&mask, 6, 2));
    REQUIRE_OK(tn_array_compress(&b, a, mask, 0, NULL));
    assert_int_equal(tn_array_shape(b)[0], 3);
    assert_int_equal(((int64_t *)tn_array_address(b))[7], 12);
    REQUIRE_STATUS(tn_array_compress(&b, a, mask, 1, NULL), TN_ERROR_INDEX);
    assert_string_equal(tn_error_message(),
                        "boolean index did not match indexed array along axis 1; size of axis is 5 "
                        "but size of corresponding boolean axis is 6");
    REQUIRE_OK(tn_array_expand(a, mask, 0, &one, NULL));
    assert_int_equal(at(flat, 0), -1);
    assert_int_equal(at(flat, 5), 5);
    REQUIRE_OK(tn_array_new_scalar(&truth, tn_scalar_bool(true), TN_B8, NULL));
    tn_array_release(b);
    b = NULL;
    REQUIRE_OK(tn_array_compress(&b, a, truth, 1, NULL));
    assert_int_equal(tn_array_ndim(b), 3);
    assert_int_equal(tn_array_shape(b)[1], 1);
cleanup:
    tn_array_release(flat);
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(mask);
    tn_array_release(truth);
}

static void test_nonzero(void **state) {
    (void)state;
    tn_array *mask = NULL, *m = NULL, *b = NULL, *found[2] = {NULL, NULL};
    const int64_t shape[2] = {LARGE / 10, 10};
    REQUIRE_OK(comb(&mask, LARGE, 7));
    REQUIRE_OK(tn_array_reshape(&m, mask, 2, shape, TN_ORDER_C, TN_COPY_NEVER, NULL));
    REQUIRE_OK(tn_array_nonzero(found, m, NULL));
    REQUIRE_OK(tn_array_argwhere(&b, m, NULL));
    assert_int_equal(tn_array_shape(b)[1], 2);
    for (int64_t i = 0; i < (LARGE + 6) / 7; i++) {
        assert_int_equal(at(found[0], i), i * 7 / 10);
        assert_int_equal(at(found[1], i), i * 7 % 10);
        assert_int_equal(((int64_t *)tn_array_address(b))[2 * i], i * 7 / 10);
        assert_int_equal(((int64_t *)tn_array_address(b))[2 * i + 1], i * 7 % 10);
    }
    tn_array_release(b);
    b = NULL;
    REQUIRE_OK(tn_array_flatnonzero(&b, m, NULL));
    assert_int_equal(tn_array_size(b), (LARGE + 6) / 7);
    assert_int_equal(at(b, 2), 14);
    tn_array_release(b);
    b = NULL;
    REQUIRE_OK(tn_array_new_scalar(&b, tn_scalar_weak_int(3), TN_I64, NULL));
    REQUIRE_STATUS(tn_array_nonzero(found, b, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(mask);
    tn_array_release(m);
    tn_array_release(b);
    tn_array_release(found[0]);
    tn_array_release(found[1]);
}

/* --- On a stream: in order, and a bad index is reported by the wait --- */

static void test_stream(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_array *a = NULL, *indices = NULL, *b = NULL, *mask = NULL, *c = NULL;
    tn_operand one = number(0);
    REQUIRE_OK(tn_stream_new(&stream, tn_device_get_current(), true, 0));
    REQUIRE_OK(ramp(&a, 0, 1, LARGE, TN_I64));
    REQUIRE_OK(ramp(&indices, LARGE - 1, -1, LARGE, TN_I64));
    REQUIRE_OK(tn_array_take(&b, a, indices, 0, TN_INDEX_RAISE, stream));
    REQUIRE_OK(comb(&mask, LARGE, 2));
    REQUIRE_OK(tn_array_expand(b, mask, 0, &one, stream));
    REQUIRE_OK(tn_array_compress(&c, b, mask, 0, stream));
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    assert_int_equal(tn_array_size(c), LARGE / 2);
    assert_int_equal(at(c, 5), 0);
    assert_int_equal(at(b, 1), LARGE - 2);
    tn_array_release(b);
    b = NULL;
    ((int64_t *)tn_array_address(indices))[9] = LARGE;
    REQUIRE_OK(tn_array_take(&b, a, indices, 0, TN_INDEX_RAISE, stream));
    REQUIRE_STATUS(tn_stream_synchronize(stream, -1), TN_ERROR_INDEX);
    assert_non_null(strstr(tn_error_message(), "index 50000 is out of bounds for axis 0"));
cleanup:
    if (stream) tn_stream_synchronize(stream, -1);
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
    tn_array_release(mask);
    tn_array_release(indices);
    tn_stream_release(stream);
}

/* More elements than a block holds, of which each keeps its own memory. */
static void check_blocks(const tn_array *array, tn_stream *stream) {
    enum { TAKEN = 66 };
    tn_array *block = NULL, *one[TAKEN] = {NULL};
    int64_t used = 0;
    bool is_whole = true;
    for (int k = 0; is_whole && k < TAKEN; k++)
        is_whole = tn_array_element_of_block(&one[k], &block, &used, array, k % 6, stream) == TN_OK;
    if (is_whole && (!stream || tn_stream_synchronize(stream, -1) == TN_OK)) {
        for (int k = 6; k < TAKEN; k++)
            assert_int_equal(*(int64_t *)tn_array_address(one[k]),
                             *(int64_t *)tn_array_address(one[k % 6]));
        assert_ptr_not_equal(tn_array_address(one[0]), tn_array_address(one[6]));
        assert_true(!block || used == TAKEN - 64);
    }
    for (int k = 0; k < TAKEN; k++)
        tn_array_release(one[k]);
    tn_array_release(block);
}

/* One element, by its place and by an index, at once and on a stream. */
static void test_elements(void **state) {
    (void)state;
    tn_stream *stream = NULL, *none = NULL;
    tn_array *a = NULL, *b = NULL, *one = NULL;
    const tn_index items[2] = {{.kind = TN_INDEX_INTEGER, .start = 1},
                               {.kind = TN_INDEX_INTEGER, .start = -1}};
    REQUIRE_OK(tn_stream_new(&stream, tn_device_get_current(), true, 0));
    for (int k = 0; k < 2; k++) {
        tn_stream *used = k ? stream : none;
        REQUIRE_OK(ramp(&a, 0, 1, 6, TN_I64));
        REQUIRE_OK(
            tn_array_reshape(&b, a, 2, (const int64_t[]){3, 2}, TN_ORDER_C, TN_COPY_NEVER, used));
        tn_array_release(a);
        REQUIRE_OK(tn_array_transpose(&a, b, 2, NULL)); /* 0 2 4, 1 3 5 */
        REQUIRE_OK(tn_array_set_element(a, 1, tn_scalar_weak_int(20), used));
        REQUIRE_OK(tn_array_fill_slice(a, 2, items, tn_scalar_weak_int(50), used));
        REQUIRE_OK(tn_array_element(&one, a, 5, used));
        REQUIRE_OK(tn_stream_synchronize(stream, -1));
        const int64_t *data = tn_array_address(b);
        assert_int_equal(data[2], 20);
        assert_int_equal(data[5], 50);
        assert_int_equal(*(int64_t *)tn_array_address(one), 50);
        check_blocks(a, used);
        REQUIRE_OK(tn_array_fill_slice(a, 1, items, tn_scalar_weak_int(7), used));
        REQUIRE_OK(tn_stream_synchronize(stream, -1));
        assert_int_equal(data[1] + data[3] + data[5], 21);
        REQUIRE_STATUS(tn_array_set_element(a, 6, tn_scalar_weak_int(1), used), TN_ERROR_INDEX);
        tn_array_set_writeable(a, false);
        REQUIRE_STATUS(tn_array_set_element(a, 0, tn_scalar_weak_int(1), used), TN_ERROR_VALUE);
        tn_array_release(a);
        tn_array_release(b);
        tn_array_release(one);
        a = b = one = NULL;
    }
cleanup:
    if (stream) tn_stream_synchronize(stream, -1);
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(one);
    tn_stream_release(stream);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_take),        REPLAY(test_take_modes),
        REPLAY(test_take_matrix), REPLAY(test_put),
        REPLAY(test_put_flat),    REPLAY_NOT(test_compress),
        REPLAY(test_expand),      REPLAY(test_masks_of_fewer_axes),
        REPLAY(test_nonzero),     REPLAY_NOT(test_stream),
        REPLAY(test_several),     REPLAY_NOT(test_elements),
    };
    return REPLAY_RUN("index", tests);
}
