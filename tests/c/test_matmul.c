/* Products of matrices: every dtype and layout against the definition, in sizes on both sides of
 * every choice that the host makes; batches, results that are given, and what is refused. */
#include "replay.h"

#include "core/array/array.h"

#include <tenorite/tenorite.h>

/* --- A reference --- */

/* The integer at a place of operand `salt`; sums of 300 products of these are exact in every dtype
 * that sums in float, and rounded once by the others. */
static int64_t element(int64_t salt, int64_t i, int64_t j) {
    return (i * 7 + j * 5 + salt * 3 + i * j) % 4 - 1;
}

static bool is_complex(tn_dtype dtype) {
    return tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
}

/* The element as stored: of bool the truth, of unsigned integers wrapped, of complex (e, 1 - e). */
static tn_status put(void *to, tn_dtype dtype, double real, double imag) {
    if (dtype == TN_B8) return tn_scalar_convert(to, tn_scalar_bool(real != 0), dtype);
    if (is_complex(dtype)) return tn_scalar_convert(to, tn_scalar_weak_complex(real, imag), dtype);
    if (tn_dtype_kind(dtype) == TN_KIND_FLOAT)
        return tn_scalar_convert(to, tn_scalar_weak_float(real), dtype);
    int64_t wrapped = (int64_t)real;
    memcpy(to, &wrapped, (size_t)tn_dtype_size(dtype)); /* little endian, modulo 2**bits */
    return TN_OK;
}

/* The layouts: how a matrix of rows x columns lies in a larger array. */
typedef enum layout { C, F, STEP, BACK, ROW, LAYOUTS } layout;

/* A matrix in a layout. ROW repeats one row by a stride of 0. */
static tn_status make(tn_array **result, tn_dtype dtype, int64_t salt, int64_t rows,
                      int64_t columns, layout layout) {
    int64_t size = tn_dtype_size(dtype), shape[2] = {rows, columns}, offset = 0;
    int64_t strides[2] = {columns * size, size};
    if (layout == F) strides[0] = size, strides[1] = rows * size;
    if (layout == STEP) strides[0] = 6 * columns * size, strides[1] = 2 * size;
    if (layout == BACK) strides[0] = -columns * size, offset = (rows - 1) * columns * size;
    if (layout == ROW) strides[0] = 0;
    tn_buffer *buffer;
    TNI_TRY(tn_buffer_new(&buffer, 6 * rows * columns * size + 16, NULL));
    char *data = tn_buffer_address(buffer);
    tn_status status = TN_OK;
    for (int64_t i = 0; i < rows && !status; i++)
        for (int64_t j = 0; j < columns && !status; j++) {
            int64_t e = element(salt, layout == ROW ? 0 : i, j);
            status = put(data + offset + i * strides[0] + j * strides[1], dtype, (double)e,
                         (double)(1 - e));
        }
    if (!status) status = tn_array_new_view(result, buffer, offset, dtype, 2, shape, strides);
    tn_buffer_release(buffer);
    return status;
}

/* What a @ b has at a place, as stored. */
static tn_status expect(void *to, tn_dtype dtype, int64_t i, int64_t j, int64_t k, bool a_row,
                        bool b_row) {
    double real = 0, imag = 0;
    for (int64_t p = 0; p < k; p++) {
        double x = (double)element(1, a_row ? 0 : i, p), y = (double)element(2, b_row ? 0 : p, j);
        if (dtype == TN_B8)
            real += x != 0 && y != 0;
        else if (is_complex(dtype)) {
            real += x * y - (1 - x) * (1 - y);
            imag += x * (1 - y) + (1 - x) * y;
        } else
            real += x * y;
    }
    return put(to, dtype, real, imag);
}

/* Compares a product with the definition, element for element, byte for byte. */
static void check(const tn_array *c, int64_t k, bool a_row, bool b_row) {
    tn_dtype dtype = tn_array_dtype(c);
    const int64_t *shape = tn_array_shape(c), *strides = tn_array_strides(c);
    size_t size = (size_t)tn_dtype_size(dtype);
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++) {
            unsigned char wanted[16];
            const char *got = (const char *)tn_array_address(c) + i * strides[0] + j * strides[1];
            assert_int_equal(expect(wanted, dtype, i, j, k, a_row, b_row), TN_OK);
            if (memcmp(got, wanted, size) == 0) continue;
            print_error("%s %lld x %lld x %lld at [%lld, %lld]\n", tn_dtype_name(dtype),
                        (long long)shape[0], (long long)shape[1], (long long)k, (long long)i,
                        (long long)j);
            assert_memory_equal(got, wanted, size);
        }
}

static void multiply(tn_dtype dtype, int64_t m, int64_t n, int64_t k, layout of_a, layout of_b) {
    tn_array *a = NULL, *b = NULL, *c = NULL;
    REQUIRE_OK(make(&a, dtype, 1, m, k, of_a));
    REQUIRE_OK(make(&b, dtype, 2, k, n, of_b));
    REQUIRE_OK(tn_matmul(&c, a, b, NULL, NULL));
    check(c, k, of_a == ROW, of_b == ROW);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
}

/* --- Tests --- */

static const int64_t sizes[][3] = {
    {1, 1, 1},   {2, 3, 4},    {1, 5, 1},    {5, 1, 3},   {1, 1, 300},    {1, 70, 65},
    {70, 1, 65}, {12, 32, 10}, {13, 33, 17}, {25, 9, 70}, {100, 130, 40}, {40, 20, 290},
};

static void test_dtypes(void **state) {
    (void)state;
    for (tn_dtype dtype = 0; dtype < TN_DTYPE_COUNT; dtype++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            multiply(dtype, sizes[s][0], sizes[s][1], sizes[s][2], C, C);
}

static void test_layouts(void **state) {
    (void)state;
    static const tn_dtype dtypes[] = {TN_B8, TN_I8, TN_I32, TN_F16, TN_F32, TN_C128};
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++)
        for (layout a = C; a < LAYOUTS; a++)
            for (layout b = C; b < LAYOUTS; b++)
                for (size_t s = 1; s < sizeof sizes / sizeof sizes[0]; s++)
                    if (sizes[s][2] < 100)
                        multiply(dtypes[d], sizes[s][0], sizes[s][1], sizes[s][2], a, b);
}

/* More than one strip of the result and more than one step of the depth, in several threads;
 * results so small that the depth is shared out. */
static void test_large(void **state) {
    (void)state;
    multiply(TN_I16, 1030, 70, 600, C, F);
    multiply(TN_F16, 70, 1100, 300, F, C);
    multiply(TN_C64, 200, 150, 280, C, C);
    multiply(TN_F16, 5, 7, 20000, F, C);
    multiply(TN_C128, 9, 3, 17000, C, F);
    multiply(TN_U8, 40, 130, 16500, BACK, STEP);
    multiply(TN_BF16, 1, 1, 70000, C, STEP);
    multiply(TN_C64, 1, 1, 70000, STEP, C);
    multiply(TN_I64, 600, 1, 3000, F, C);
}

/* A matrix times its own transpose, of which only one half is computed. */
static void square(tn_dtype dtype, int64_t m, int64_t k, layout layout, tn_order order) {
    const tn_matmul_options options = {TN_DTYPE_NONE, TN_CASTING_SAME_KIND, order};
    tn_array *a = NULL, *transposed = NULL, *c = NULL;
    REQUIRE_OK(make(&a, dtype, 1, m, k, layout));
    REQUIRE_OK(tn_array_transpose(&transposed, a, 2, NULL));
    REQUIRE_OK(tn_matmul(&c, a, transposed, &options, NULL));
    const int64_t *strides = tn_array_strides(c);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            double real = 0, imag = 0;
            unsigned char wanted[16];
            for (int64_t p = 0; p < k; p++) {
                double x = (double)element(1, i, p), y = (double)element(1, j, p);
                real += is_complex(dtype) ? x * y - (1 - x) * (1 - y) : x * y;
                imag += x * (1 - y) + (1 - x) * y;
            }
            assert_int_equal(put(wanted, dtype, real, imag), TN_OK);
            const char *got = (const char *)tn_array_address(c) + i * strides[0] + j * strides[1];
            assert_memory_equal(got, wanted, (size_t)tn_dtype_size(dtype));
        }
cleanup:
    tn_array_release(a);
    tn_array_release(transposed);
    tn_array_release(c);
}

static void test_squares(void **state) {
    (void)state;
    static const tn_dtype dtypes[] = {TN_I8, TN_I64, TN_BF16, TN_F32, TN_C64};
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++)
        for (layout layout = C; layout < ROW; layout++)
            for (tn_order order = TN_ORDER_C; order <= TN_ORDER_F; order++)
                square(dtypes[d], 130, 45, layout, order);
    square(TN_F32, 1100, 9, C, TN_ORDER_C);
    square(TN_F16, 1050, 270, F, TN_ORDER_F);
}

static void test_replay(void **state) {
    (void)state;
    multiply(TN_F64, 40, 50, 60, STEP, BACK);
}

/* A stack of matrices in a C-contiguous array, matrix s with salt + s. */
static tn_status make_stack(tn_array **result, tn_dtype dtype, int64_t salt, int64_t count,
                            int64_t rows, int64_t columns) {
    int64_t shape[3] = {count, rows, columns}, size = tn_dtype_size(dtype);
    TNI_TRY(tn_array_new(result, dtype, 3, shape, TN_ORDER_C, NULL));
    char *to = tn_array_address(*result);
    for (int64_t s = 0; s < count; s++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++, to += size)
                TNI_TRY(put(to, dtype, (double)element(salt + s, i, j), 0));
    return TN_OK;
}

static void check_stack(const tn_array *c, int64_t k, bool a_moves, bool b_moves) {
    const int64_t *shape = tn_array_shape(c);
    const double *got = tn_array_address(c);
    for (int64_t s = 0; s < shape[0]; s++)
        for (int64_t i = 0; i < shape[1]; i++)
            for (int64_t j = 0; j < shape[2]; j++) {
                double wanted = 0;
                for (int64_t p = 0; p < k; p++)
                    wanted += (double)(element(1 + (a_moves ? s : 0), i, p) *
                                       element(2 + (b_moves ? s : 0), p, j));
                assert_true(*got++ == wanted);
            }
}

static void test_batches(void **state) {
    (void)state;
    static const int64_t shapes[][4] = {{3, 2, 2, 2},     {100, 3, 3, 3},  {7, 10, 11, 12},
                                        {40, 40, 40, 40}, {2, 90, 90, 90}, {5, 1, 6, 4},
                                        {5, 6, 1, 4},     {9, 1, 1, 8}};
    tn_array *a = NULL, *b = NULL, *c = NULL, *one = NULL;
    for (size_t t = 0; t < sizeof shapes / sizeof shapes[0]; t++) {
        int64_t count = shapes[t][0], m = shapes[t][1], n = shapes[t][2], k = shapes[t][3];
        REQUIRE_OK(make_stack(&a, TN_F64, 1, count, m, k));
        REQUIRE_OK(make_stack(&b, TN_F64, 2, count, k, n));
        REQUIRE_OK(tn_matmul(&c, a, b, NULL, NULL));
        check_stack(c, k, true, true);
        tn_array_release(c);
        c = NULL;
        REQUIRE_OK(make_stack(&one, TN_F64, 2, 1, k, n));
        REQUIRE_OK(tn_matmul(&c, a, one, NULL, NULL));
        check_stack(c, k, true, false);
        tn_array_release(c);
        tn_array_release(one);
        c = one = NULL;
        REQUIRE_OK(make_stack(&one, TN_F64, 1, 1, m, k));
        REQUIRE_OK(tn_matmul(&c, one, b, NULL, NULL));
        check_stack(c, k, false, true);
        tn_array_release(a);
        tn_array_release(b);
        tn_array_release(c);
        tn_array_release(one);
        a = b = c = one = NULL;
    }
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
    tn_array_release(one);
}

/* A result that is given: of another dtype and order, and one of the operands itself. */
static void test_given_result(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *c = NULL;
    REQUIRE_OK(make(&a, TN_F64, 1, 30, 30, C));
    REQUIRE_OK(make(&b, TN_F64, 2, 30, 30, C));
    REQUIRE_OK(make(&c, TN_F32, 3, 30, 30, STEP));
    tn_array *out = c;
    REQUIRE_OK(tn_matmul(&out, a, b, NULL, NULL));
    assert_ptr_equal(out, c);
    check(c, 30, false, false);
    out = b;
    REQUIRE_OK(tn_matmul(&out, a, b, NULL, NULL));
    check(b, 30, false, false);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
}

static void test_refusals(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *scalar = NULL, *c = NULL, *transposed = NULL;
    int64_t none[2] = {4, 0};
    REQUIRE_OK(make(&a, TN_F64, 1, 2, 3, C));
    REQUIRE_OK(make(&b, TN_I32, 2, 4, 5, C));
    REQUIRE_OK(tn_array_new_scalar(&scalar, tn_scalar_weak_float(2), TN_F64, NULL));
    REQUIRE_STATUS(tn_matmul(&c, a, b, NULL, NULL), TN_ERROR_VALUE);
    assert_string_equal(
        tn_error_message(),
        "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
        "signature (n?,k),(k,m?)->(n?,m?) (size 4 is different from 3)");
    REQUIRE_STATUS(tn_dot(&c, a, b, NULL), TN_ERROR_VALUE);
    assert_string_equal(tn_error_message(),
                        "shapes (2,3) and (4,5) not aligned: 3 (dim 1) != 4 (dim 0)");
    REQUIRE_STATUS(tn_matmul(&c, a, scalar, NULL, NULL), TN_ERROR_VALUE);
    const tn_matmul_options options = {TN_I32, TN_CASTING_SAME_KIND, TN_ORDER_C};
    REQUIRE_OK(tn_array_transpose(&transposed, a, 2, NULL));
    REQUIRE_STATUS(tn_matmul(&c, a, transposed, &options, NULL), TN_ERROR_CASTING);
    assert_null(c);
    tn_array_release(a);
    a = NULL;
    REQUIRE_OK(tn_array_new(&a, TN_F64, 2, none, TN_ORDER_C, NULL));
    tn_array_release(transposed);
    transposed = NULL;
    REQUIRE_OK(tn_array_transpose(&transposed, a, 2, NULL));
    REQUIRE_OK(tn_matmul(&c, a, transposed, NULL, NULL)); /* a sum of nothing */
    for (int k = 0; k < 16; k++)
        assert_true(((const double *)tn_array_address(c))[k] == 0);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
    tn_array_release(scalar);
    tn_array_release(transposed);
}

static void test_tensordot(void **state) {
    (void)state;
    tn_array *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    static const int a_axes[2] = {2, -2}, b_axes[2] = {0, 1};
    REQUIRE_OK(make_stack(&a, TN_F64, 1, 4, 3, 5)); /* (4, 3, 5) */
    REQUIRE_OK(make_stack(&b, TN_F64, 2, 5, 3, 2)); /* (5, 3, 2) */
    REQUIRE_OK(tn_tensordot(&c, a, b, 2, a_axes, b_axes, NULL));
    assert_int_equal(tn_array_ndim(c), 2);
    const double *got = tn_array_address(c);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 2; j++) {
            double wanted = 0;
            for (int64_t p = 0; p < 3; p++)
                for (int64_t q = 0; q < 5; q++)
                    wanted += (double)(element(1 + i, p, q) * element(2 + q, p, j));
            assert_true(*got++ == wanted);
        }
    REQUIRE_STATUS(tn_tensordot(&d, a, b, 1, a_axes, b_axes + 1, NULL), TN_ERROR_VALUE);
    REQUIRE_OK(tn_vdot(&d, b, b, NULL));
    assert_int_equal(tn_array_ndim(d), 0);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
    tn_array_release(d);
}

static void test_stream(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_array *a = NULL, *b = NULL, *c = NULL;
    REQUIRE_OK(tn_stream_new(&stream, tn_device_get_current(), true, 0));
    REQUIRE_OK(make(&a, TN_I64, 1, 60, 60, C));
    REQUIRE_OK(make(&b, TN_I64, 2, 60, 60, F));
    REQUIRE_OK(tn_matmul(&c, a, b, NULL, stream));
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    check(c, 60, false, false);
cleanup:
    tn_array_release(a);
    tn_array_release(b);
    tn_array_release(c);
    tn_stream_release(stream);
}

static void test_library_path(void **state) {
    (void)state;
    REQUIRE_STATUS(tn_library_set_path("no such", "x"), TN_ERROR_VALUE);
    assert_null(tn_library_get_path("no such"));
cleanup:
    return;
}

int main(void) {
    /* What is replayed first, before anything is cached. */
    static const replay_test tests[] = {
        REPLAY(test_replay),      REPLAY(test_batches),     REPLAY(test_given_result),
        REPLAY(test_refusals),    REPLAY(test_tensordot),   REPLAY(test_library_path),
        REPLAY_NOT(test_dtypes),  REPLAY_NOT(test_layouts), REPLAY_NOT(test_large),
        REPLAY_NOT(test_squares), REPLAY_NOT(test_stream),
    };
    return REPLAY_RUN("matmul", tests);
}
