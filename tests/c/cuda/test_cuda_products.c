/* Which products of matrices the CUDA backend leaves to cuBLAS, and how it asks; and the launches
 * of its own tiles for the others. */
#include "cuda_forms.h"
#include "fake_cublas.h"
#include "forms/matmul.h"

/* out (m x n) = a b, all contiguous by rows, in batches if `batch` is above 1. */
static tni_matmul product(tn_dtype dtype, int64_t m, int64_t n, int64_t k, int64_t batch) {
    int64_t item = tn_dtype_size(dtype);
    tni_matmul call = {.dtype = dtype, .m = m, .n = n, .k = k, .batch_count = batch};
    call.out = (tni_matrix){somewhere, n * item, item, {m * n * item}};
    call.a = (tni_matrix){somewhere + 0x10000000, k * item, item, {m * k * item}};
    call.b = (tni_matrix){somewhere + 0x20000000, n * item, item, {k * n * item}};
    call.batch_ndim = batch > 1;
    call.batch_shape[0] = batch;
    return call;
}

static void turn(tni_matrix *matrix, int64_t rows, int64_t item) {
    matrix->row_stride = item;
    matrix->column_stride = rows * item;
}

/* --- cuBLAS --- */

static fake_product ask(const tni_matmul *call) {
    long before = fake_cublas_products(), launches = fake_cuda_launches();
    check_ok(tni_cuda_matmul(call, tn_stream_default(cuda0)));
    assert_int_equal(fake_cublas_products(), before + 1);
    assert_int_equal(fake_cuda_launches(), launches); /* nothing was copied */
    return fake_cublas_get();
}

/* cudaDataType_t and cublasComputeType_t: CUBLAS_COMPUTE_32F, _64F, and _32F_FAST_TF32. */
enum { IN_32F = 68, IN_64F = 70, IN_TF32 = 77, EXACT_HALVES = 16 };
static const struct {
    tn_dtype dtype;
    int type, compute, asked; /* `asked`: where TF32 is allowed */
} taken[] = {
    {TN_F16, 2, IN_32F, IN_32F}, {TN_BF16, 14, IN_32F, IN_32F}, {TN_F32, 0, IN_32F, IN_TF32},
    {TN_F64, 1, IN_64F, IN_64F}, {TN_C64, 4, IN_32F, IN_TF32},  {TN_C128, 5, IN_64F, IN_64F},
};

/* Halves are summed in f32 and no sum of parts is rounded to a half; TF32 is used only when asked
 * for. */
static void check_compute(bool is_tf32) {
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        for (int64_t batch = 1; batch <= 7; batch += 6) {
            tni_matmul call = product(taken[k].dtype, 30, 40, 50, batch);
            fake_product got = ask(&call);
            assert_string_equal(got.function, batch > 1 ? "GemmStridedBatchedEx" : "GemmEx");
            assert_int_equal(got.compute, is_tf32 ? taken[k].asked : taken[k].compute);
            assert_int_equal(got.math_mode, EXACT_HALVES);
            assert_int_equal(got.a_type, taken[k].type);
            assert_int_equal(got.b_type, taken[k].type);
            assert_int_equal(got.c_type, taken[k].type);
            assert_int_equal(got.batch, batch);
        }
}

static void test_compute_types(void **state) {
    (void)state;
    unsetenv("TENORITE_TF32");
    check_compute(false);
    setenv("TENORITE_TF32", "1", 1);
    check_compute(true);
    setenv("TENORITE_TF32", "0", 1);
    check_compute(false);
    unsetenv("TENORITE_TF32");
}

/* Transposes are flags, not copies. For cuBLAS, which has matrices by columns, ours by rows is b'
 * a'. */
static void test_transposes(void **state) {
    (void)state;
    tni_matmul call = product(TN_F32, 30, 40, 50, 1);
    fake_product got = ask(&call);
    assert_int_equal(got.m, 40);
    assert_int_equal(got.n, 30);
    assert_int_equal(got.k, 50);
    assert_int_equal(got.of_a, 0);
    assert_int_equal(got.of_b, 0);
    assert_int_equal(got.a_step, 40);
    assert_int_equal(got.b_step, 50);
    assert_int_equal(got.c_step, 40);
    turn(&call.a, 30, 4);
    got = ask(&call);
    assert_int_equal(got.of_a, 0);
    assert_int_equal(got.of_b, 1);
    assert_int_equal(got.b_step, 30);
    turn(&call.out, 30, 4); /* by columns: as it is */
    got = ask(&call);
    assert_int_equal(got.m, 30);
    assert_int_equal(got.n, 40);
    assert_int_equal(got.of_a, 0);
    assert_int_equal(got.of_b, 1);
    assert_int_equal(got.a_step, 30);
}

static void test_dots(void **state) {
    (void)state;
    tni_matmul call = product(TN_BF16, 1, 1, 1000, 1);
    fake_product got = ask(&call);
    assert_string_equal(got.function, "DotEx");
    assert_int_equal(got.k, 1000);
    assert_int_equal(got.a_type, 14);
    assert_int_equal(got.compute, 0); /* summed in f32 */
    call = product(TN_C128, 1, 1, 1000, 1);
    call.conjugate = true;
    got = ask(&call);
    assert_string_equal(got.function, "DotcEx");
    assert_int_equal(got.compute, 5);
}

/* --- Tiles --- */

static unsigned tiles(const char *forms, const tni_matmul *call) {
    long before = fake_cuda_launches(), products = fake_cublas_products();
    check_ok(tni_cuda_matmul(call, tn_stream_default(cuda0)));
    assert_int_equal(fake_cublas_products(), products);
    return check_forms(forms, before);
}

static void test_tiles(void **state) {
    (void)state;
    for (tn_dtype dtype = 0; dtype < TN_F16; dtype++) {
        tni_matmul large = product(dtype, 100, 200, 300, 1), small = product(dtype, 40, 200, 30, 1);
        tni_matmul batch = product(dtype, 20, 30, 40, 11);
        assert_int_equal(tiles("matmul", &large), 2 * 4);  /* tiles of 64 x 64 */
        assert_int_equal(tiles("matmul", &small), 3 * 13); /* of 16 x 16 */
        assert_int_equal(tiles("matmul", &batch), 2 * 2 * 11);
    }
}

/* A launch's word of parameters. */
static int64_t param(int64_t launch, int number) {
    fake_launch seen;
    int64_t word;
    assert_true(fake_cuda_get_launch(&seen, launch));
    memcpy(&word, seen.params + 8 * number, sizeof word);
    return word;
}

/* Few results of long sums: a batch of parts, what is left of them, and the sum of all. */
static void test_parts(void **state) {
    (void)state;
    tni_matmul whole = product(TN_I32, 20, 30, 10 * 2048, 1);
    tni_matmul rest = product(TN_I32, 20, 30, 10 * 2048 + 5, 1);
    tni_matmul wide = product(TN_I32, 200, 300, 10 * 2048, 1);
    tiles("matmul reduce_columns", &whole);
    tiles("matmul matmul reduce_columns", &rest);
    /* The parts lie in memory of the launches, one after the other, and the sum reads all. */
    int64_t last = fake_cuda_launches() - 1, parts = param(last - 2, 0);
    assert_int_equal(parts >> 48, 0);
    assert_int_equal(param(last - 1, 0), parts + 10 * 20 * 30 * 4);
    assert_int_equal(param(last, 6), parts);
    assert_int_equal(tiles("matmul", &wide), 4 * 5);
}

/* What cuBLAS does not take: no unit stride, a stride backwards, a conjugate that is no dot
 * product. */
static void test_layouts(void **state) {
    (void)state;
    tni_matmul call = product(TN_F32, 12, 13, 14, 1);
    call.a.column_stride = 8;
    call.a.row_stride = 8 * 14;
    assert_int_equal(tiles("matmul", &call), 1);
    call = product(TN_BF16, 12, 13, 14, 1);
    call.b.row_stride = -call.b.row_stride;
    assert_int_equal(tiles("matmul", &call), 1);
    call = product(TN_C128, 1, 1, 14, 20);
    call.conjugate = true;
    assert_int_equal(tiles("matmul", &call), 20);
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_compute_types), REPLAY_NOT(test_transposes),
                                        REPLAY_NOT(test_dots),          REPLAY_NOT(test_tiles),
                                        REPLAY_NOT(test_parts),         REPLAY_NOT(test_layouts)};
    return RUN_WITH_NVRTC("cuda_products", tests);
}
