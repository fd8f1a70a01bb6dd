/* Arrays, their views, and the movement of their elements. */
#include "replay.h"

#include "core/array/array.h"
#include "core/array/layout.h"

/* 0, 1, 2, ... as i32. */
static tn_status ramp(tn_array **result, int ndim, const int64_t *shape) {
    int32_t values[256];
    for (int k = 0; k < 256; k++)
        values[k] = k;
    return tn_array_new_from_host(result, values, TN_I32, ndim, shape, NULL, TN_ORDER_C, NULL);
}

static tn_status check_values(const tn_array *array, int count, const int32_t *expected) {
    int32_t read[256];
    assert_int_equal(tn_array_size(array), count);
    tn_status status = tn_array_read(read, NULL, array, NULL);
    for (int k = 0; k < count && !status; k++)
        assert_int_equal(read[k], expected[k]);
    return status;
}

static void test_new(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL;
    int64_t shape[3] = {2, 3, 4}, negative[1] = {-1}, huge[2] = {INT64_MAX, 2};
    REQUIRE_OK(tn_array_new(&a, TN_F64, 3, shape, TN_ORDER_F, NULL));
    assert_int_equal(tn_array_strides(a)[0], 8);
    assert_int_equal(tn_array_strides(a)[2], 48);
    assert_true(tn_array_is_f_contiguous(a) && !tn_array_is_c_contiguous(a));
    assert_int_equal(tn_array_bytes(a), 192);
    REQUIRE_OK(tn_array_new_like(&b, a, TN_I8, 0, NULL, TN_ORDER_K, NULL));
    assert_int_equal(tn_array_strides(b)[2], 6);
    assert_int_equal(tn_array_new(&b, TN_F32, 1, negative, TN_ORDER_C, NULL), TN_ERROR_VALUE);
    assert_string_equal(tn_error_message(), "negative dimensions are not allowed");
    assert_int_equal(tn_array_new(&b, TN_F32, 2, huge, TN_ORDER_C, NULL), TN_ERROR_VALUE);
    assert_int_equal(tn_array_new(&b, (tn_dtype)77, 2, shape, TN_ORDER_C, NULL), TN_ERROR_TYPE);
    assert_int_equal(tn_array_new(&b, TN_F32, 65, shape, TN_ORDER_C, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
}

static void test_view_bounds(void **state) {
    (void)state;
    tn_buffer *buffer = NULL;
    tn_array *view = NULL;
    int64_t four[1] = {4}, back[1] = {-8}, forth[1] = {8}, wild[1] = {INT64_MAX / 2};
    REQUIRE_OK(tn_buffer_new(&buffer, 32, NULL));
    REQUIRE_OK(tn_array_new_view(&view, buffer, 24, TN_F64, 1, four, back));
    assert_int_equal(tn_array_offset(view), 24);
    tn_array_release(view);
    view = NULL;
    assert_int_equal(tn_array_new_view(&view, buffer, 16, TN_F64, 1, four, back), TN_ERROR_VALUE);
    assert_int_equal(tn_array_new_view(&view, buffer, 8, TN_F64, 1, four, forth), TN_ERROR_VALUE);
    assert_int_equal(tn_array_new_view(&view, buffer, -8, TN_F64, 1, four, forth), TN_ERROR_VALUE);
    assert_int_equal(tn_array_new_view(&view, buffer, 0, TN_F64, 1, four, wild), TN_ERROR_VALUE);
cleanup:
    tn_buffer_release(buffer);
    tn_array_release(view);
}

static void test_reshape(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *t = NULL, *c = NULL;
    int64_t shape[2] = {3, 4}, guess[2] = {-1, 6}, bad[2] = {5, -1}, two[2] = {-1, -1};
    int64_t whole[1] = {12};
    REQUIRE_OK(ramp(&a, 2, shape));
    REQUIRE_OK(tn_array_reshape(&b, a, 2, guess, TN_ORDER_C, TN_COPY_NEVER, NULL));
    assert_int_equal(tn_array_shape(b)[0], 2);
    assert_ptr_equal(tn_array_buffer(b), tn_array_buffer(a));
    REQUIRE_OK(tn_array_transpose(&t, a, 0, NULL));
    assert_int_equal(tn_array_reshape(&c, t, 1, whole, TN_ORDER_C, TN_COPY_NEVER, NULL),
                     TN_ERROR_VALUE);
    REQUIRE_OK(tn_array_reshape(&c, t, 1, whole, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL));
    static const int32_t expected[12] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11};
    REQUIRE_OK(check_values(c, 12, expected));
    assert_int_equal(tn_array_reshape(&c, a, 2, bad, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL),
                     TN_ERROR_VALUE);
    assert_string_equal(tn_error_message(), "cannot reshape array of size 12 into shape (5,-1)");
    assert_int_equal(tn_array_reshape(&c, a, 2, two, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL),
                     TN_ERROR_VALUE);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(t);
    tn_array_release(c);
}

static void test_flatten(void **state) {
    (void)state;
    tn_array *a = NULL, *t = NULL, *flat = NULL, *copy = NULL, *wide = NULL, *narrow = NULL;
    int64_t shape[2] = {2, 3}, row[2] = {1, 3};
    int32_t memory[6] = {0, 1, 2, 3, 4, 5}, columns[6] = {0, 3, 1, 4, 2, 5};
    int32_t repeated[6] = {0, 1, 2, 0, 1, 2};
    REQUIRE_OK(ramp(&a, 2, shape));
    REQUIRE_OK(tn_array_transpose(&t, a, 2, NULL));
    REQUIRE_OK(tn_array_flatten(&flat, t, TN_ORDER_K, TN_COPY_IF_NEEDED, NULL));
    assert_ptr_equal(tn_array_buffer(flat), tn_array_buffer(a));
    REQUIRE_OK(check_values(flat, 6, memory));
    REQUIRE_OK(tn_array_flatten(&copy, t, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL));
    assert_ptr_not_equal(tn_array_buffer(copy), tn_array_buffer(a));
    REQUIRE_OK(check_values(copy, 6, columns));
    tn_array_release(copy);
    copy = NULL;
    REQUIRE_OK(ramp(&narrow, 2, row));
    REQUIRE_OK(tn_array_broadcast_to(&wide, narrow, 2, shape));
    REQUIRE_OK(tn_array_flatten(&copy, wide, TN_ORDER_K, TN_COPY_IF_NEEDED, NULL));
    REQUIRE_OK(check_values(copy, 6, repeated));
cleanup:
    tn_array_release(a);
    tn_array_release(t);
    tn_array_release(flat);
    tn_array_release(copy);
    tn_array_release(wide);
    tn_array_release(narrow);
}

static void test_slice(void **state) {
    (void)state;
    tn_array *a = NULL, *v = NULL;
    int64_t shape[2] = {3, 4};
    REQUIRE_OK(ramp(&a, 2, shape));
    tn_index rows_back = {.kind = TN_INDEX_SLICE, .step = -2};
    tn_index middle = {.kind = TN_INDEX_SLICE,
                       .start = 1,
                       .stop = -1,
                       .step = 1,
                       .has_start = true,
                       .has_stop = true};
    tn_index both[2] = {rows_back, middle};
    REQUIRE_OK(tn_array_slice(&v, a, 2, both));
    static const int32_t expected[4] = {9, 10, 1, 2};
    REQUIRE_OK(check_values(v, 4, expected));
    tn_array_release(v);
    v = NULL;
    tn_index mixed[3] = {{.kind = TN_INDEX_NEWAXIS},
                         {.kind = TN_INDEX_ELLIPSIS},
                         {.kind = TN_INDEX_INTEGER, .start = -1}};
    REQUIRE_OK(tn_array_slice(&v, a, 3, mixed));
    static const int32_t last[3] = {3, 7, 11};
    REQUIRE_OK(check_values(v, 3, last));
    assert_int_equal(tn_array_ndim(v), 2);
    tn_index out[1] = {{.kind = TN_INDEX_INTEGER, .start = 3}};
    assert_int_equal(tn_array_slice(&v, a, 1, out), TN_ERROR_INDEX);
    assert_string_equal(tn_error_message(), "index 3 is out of bounds for axis 0 with size 3");
    tn_index zero_step[1] = {{.kind = TN_INDEX_SLICE, .step = 0}};
    assert_int_equal(tn_array_slice(&v, a, 1, zero_step), TN_ERROR_VALUE);
    tn_index many[3] = {middle, middle, middle};
    assert_int_equal(tn_array_slice(&v, a, 3, many), TN_ERROR_INDEX);
cleanup:
    tn_array_release(a);
    tn_array_release(v);
}

static void test_assign(void **state) {
    (void)state;
    tn_array *a = NULL, *to = NULL, *from = NULL, *flipped = NULL;
    int64_t shape[1] = {5}, three[1] = {3};
    tn_index head = {.kind = TN_INDEX_SLICE, .stop = 4, .step = 1, .has_stop = true};
    tn_index tail = {.kind = TN_INDEX_SLICE, .start = 1, .step = 1, .has_start = true};
    tn_index back = {.kind = TN_INDEX_SLICE, .step = -1};
    REQUIRE_OK(ramp(&a, 1, shape));
    REQUIRE_OK(tn_array_slice(&from, a, 1, &head));
    REQUIRE_OK(tn_array_slice(&to, a, 1, &tail));
    REQUIRE_OK(tn_array_assign(to, from, TN_CASTING_SAME_KIND, NULL)); /* overlap: as if copied */
    static const int32_t shifted[5] = {0, 0, 1, 2, 3};
    REQUIRE_OK(check_values(a, 5, shifted));
    REQUIRE_OK(tn_array_slice(&flipped, a, 1, &back));
    REQUIRE_OK(tn_array_assign(a, flipped, TN_CASTING_SAME_KIND, NULL));
    static const int32_t reversed[5] = {3, 2, 1, 0, 0};
    REQUIRE_OK(check_values(a, 5, reversed));
    tn_array_release(from);
    from = NULL;
    REQUIRE_OK(ramp(&from, 1, three));
    assert_int_equal(tn_array_assign(a, from, TN_CASTING_SAME_KIND, NULL), TN_ERROR_VALUE);
    assert_string_equal(tn_error_message(),
                        "could not broadcast input array from shape (3,) into shape (5,)");
    REQUIRE_OK(check_values(a, 5, reversed));
    tn_array_set_writeable(a, false);
    assert_int_equal(tn_array_fill(a, tn_scalar_weak_int(1), NULL), TN_ERROR_VALUE);
    REQUIRE_OK(check_values(a, 5, reversed));
cleanup:
    tn_array_release(a);
    tn_array_release(to);
    tn_array_release(from);
    tn_array_release(flipped);
}

static void test_astype(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *same = NULL;
    tn_scalar item;
    int64_t shape[2] = {2, 3};
    REQUIRE_OK(ramp(&a, 2, shape));
    REQUIRE_OK(tn_array_astype(&b, a, TN_F64, TN_ORDER_F, TN_CASTING_SAFE, TN_COPY_ALWAYS, NULL));
    assert_true(tn_array_is_f_contiguous(b));
    REQUIRE_OK(
        tn_array_astype(&same, a, TN_I32, TN_ORDER_K, TN_CASTING_SAFE, TN_COPY_IF_NEEDED, NULL));
    assert_ptr_equal(same, a);
    assert_int_equal(
        tn_array_astype(&b, b, TN_I32, TN_ORDER_K, TN_CASTING_SAFE, TN_COPY_ALWAYS, NULL),
        TN_ERROR_TYPE);
    tn_index last[2] = {{.kind = TN_INDEX_INTEGER, .start = 1},
                        {.kind = TN_INDEX_INTEGER, .start = 2}};
    tn_array *element;
    REQUIRE_OK(tn_array_slice(&element, b, 2, last));
    tn_status read = tn_array_item(&item, element, NULL);
    tn_array_release(element);
    REQUIRE_OK(read);
    assert_true(item.value.f64 == 5);
    assert_int_equal(tn_array_item(&item, a, NULL), TN_ERROR_VALUE);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(same);
}

static void test_devices(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL;
    tn_device here = tn_device_get_current(), other = {TN_BACKEND_HOST, 1};
    int64_t shape[1] = {4};
    if (tn_device_count(TN_BACKEND_HOST) < 2) return;
    REQUIRE_OK(ramp(&a, 1, shape));
    REQUIRE_OK(tn_array_to_device(&b, a, other, TN_COPY_IF_NEEDED, NULL));
    assert_true(tn_device_is_equal(tn_array_device(b), other));
    static const int32_t expected[4] = {0, 1, 2, 3};
    REQUIRE_OK(check_values(b, 4, expected));
    assert_true(tn_device_is_equal(tn_device_get_current(), here));
    const tn_array *both[2] = {a, b};
    assert_int_equal(tni_device_common(&here, 2, both), TN_ERROR_VALUE);
    assert_non_null(strstr(tn_error_message(), "host device 0 and host device 1"));
cleanup:
    tn_array_release(a);
    tn_array_release(b);
}

static void test_layout(void **state) {
    (void)state;
    int64_t shape[4] = {2, 1, 3, 4}, a[4] = {96, 96, 32, 8}, b[4] = {48, 0, 16, 4};
    int64_t *strides[2] = {a, b}, offsets[2] = {0, 0};
    assert_int_equal(tni_layout_collapse(4, shape, 2, strides, offsets, true), 1);
    assert_int_equal(shape[0], 24);
    assert_int_equal(a[0], 8);
    int64_t back_shape[2] = {3, 4}, back[2] = {8, -24};
    int64_t *one[1] = {back};
    offsets[0] = 0;
    assert_int_equal(tni_layout_collapse(2, back_shape, 1, one, offsets, true), 1);
    assert_int_equal(offsets[0], -72); /* walked forwards from its lowest address */
    assert_int_equal(back[0], 8);
}

static void test_broadcast(void **state) {
    (void)state;
    int64_t a[2] = {3, 1}, b[3] = {2, 1, 4}, c[1] = {5}, shape[TN_MAX_NDIM];
    const int64_t *shapes[3] = {a, b, c};
    int ndims[3] = {2, 3, 1}, ndim;
    assert_int_equal(tn_shape_broadcast(&ndim, shape, 2, ndims, shapes), TN_OK);
    assert_int_equal(ndim, 3);
    assert_true(shape[0] == 2 && shape[1] == 3 && shape[2] == 4);
    assert_int_equal(tn_shape_broadcast(&ndim, shape, 3, ndims, shapes), TN_ERROR_VALUE);
    assert_string_equal(tn_error_message(),
                        "operands could not be broadcast together with shapes (3,1) (2,1,4) (5,) ");
}

enum { MEMORY = 96 };

/* Marks the bytes that a view's elements take. */
static void mark(const tn_array *view, bool *taken) {
    int64_t size = tn_dtype_size(tn_array_dtype(view)), counts[2] = {1, 1}, steps[2] = {0, 0};
    for (int axis = 0; axis < tn_array_ndim(view); axis++) {
        counts[axis] = tn_array_shape(view)[axis];
        steps[axis] = tn_array_strides(view)[axis];
    }
    for (int64_t i = 0; i < counts[0]; i++)
        for (int64_t j = 0; j < counts[1]; j++)
            for (int64_t k = 0; k < size; k++)
                taken[tn_array_offset(view) + i * steps[0] + j * steps[1] + k] = true;
}

/* Two views of chance: arrays that share a byte may meet, and many that share none may not. */
static void test_gaps(void **state) {
    (void)state;
    static const tn_dtype dtypes[3] = {TN_I8, TN_I16, TN_I32};
    tn_buffer *buffer = NULL;
    tn_array *views[2] = {NULL, NULL};
    uint32_t random = 29;
    int apart = 0, found = 0;
    REQUIRE_OK(tn_buffer_new(&buffer, MEMORY, NULL));
    for (int round = 0; round < 3000; round++) {
        bool taken[2][MEMORY] = {{false}}, shared = false;
        for (int v = 0; v < 2; v++) {
            tn_status status = TN_ERROR_VALUE;
            while (status == TN_ERROR_VALUE) { /* until a view lies within the buffer */
                uint32_t parts[7];
                for (int k = 0; k < 7; k++)
                    parts[k] = (random = random * 1664525 + 1013904223) >> 16;
                int64_t shape[2] = {1 + parts[0] % 4, 1 + parts[1] % 5};
                int64_t strides[2] = {(int64_t)(parts[2] % 49) - 24, (int64_t)(parts[3] % 25) - 12};
                status = tn_array_new_view(&views[v], buffer, parts[4] % MEMORY,
                                           dtypes[parts[5] % 3], 1 + parts[6] % 2, shape, strides);
            }
            REQUIRE_OK(status);
            mark(views[v], taken[v]);
        }
        for (int k = 0; k < MEMORY; k++)
            shared |= taken[0][k] && taken[1][k];
        bool bounds_meet = tn_array_may_overlap(views[0], views[1]);
        assert_true(!shared || tni_array_may_meet(views[0], views[1]));
        apart += !shared && bounds_meet;
        found += bounds_meet && !tni_array_may_meet(views[0], views[1]);
        for (int v = 0; v < 2; v++) {
            tn_array_release(views[v]);
            views[v] = NULL;
        }
    }
    assert_true(found > 50 && apart > found);
cleanup:
    for (int v = 0; v < 2; v++)
        tn_array_release(views[v]);
    tn_buffer_release(buffer);
}

int main(void) {
    setenv("TENORITE_HOST_DEVICES", "2", 1);
    setenv("TENORITE_BACKEND", "host", 1);
    static const replay_test tests[] = {
        REPLAY(test_new),     REPLAY(test_view_bounds), REPLAY(test_reshape),
        REPLAY(test_slice),   REPLAY(test_assign),      REPLAY(test_astype),
        REPLAY(test_layout),  REPLAY(test_broadcast),   REPLAY(test_devices),
        REPLAY(test_flatten), REPLAY(test_gaps),
    };
    return REPLAY_RUN("array", tests);
}
