/* What the CUDA backend asks cuSOLVER for, and its own launches around it; the double of cuSOLVER
 * computes nothing. */
#include "cuda_forms.h"
#include "fake_cublas.h"
#include "fake_cusolver.h"
#include "forms/linalg.h"

static const struct {
    tn_dtype dtype;
    int type; /* cudaDataType */
} dtypes[] = {{TN_F32, 0}, {TN_F64, 1}, {TN_C64, 4}, {TN_C128, 5}};
enum { DTYPES = 4 };

static tn_stream *stream(void) {
    return tn_stream_default(cuda0);
}

/* The calls of cuSOLVER since there were `before`, and the last of them. */
static void check_calls(const char *function, long before, long calls, int64_t m, int64_t n,
                        int type) {
    fake_decomposition last = fake_cusolver_get();
    assert_int_equal(fake_cusolver_count(), before + calls);
    assert_string_equal(last.function, function);
    assert_int_equal(last.m, m);
    assert_int_equal(last.n, n);
    assert_int_equal(last.type, type);
}

/* Each matrix is a call; what failed is looked for once, unless no caller wants to know. */
static void test_cholesky(void **state) {
    (void)state;
    for (int k = 0; k < DTYPES; k++) {
        tni_cholesky call = {dtypes[k].dtype, false, 3, 40, somewhere, "not positive definite"};
        long before = fake_cusolver_count(), launches = fake_cuda_launches();
        check_ok(tni_cuda_cholesky(&call, stream()));
        check_calls("cusolverDnXpotrf", before, 3, 40, 40, dtypes[k].type);
        check_forms("failures", launches);
        assert_ptr_equal(fake_cusolver_get().a,
                         somewhere + 2 * 1600 * tn_dtype_size(dtypes[k].dtype));
        call.failure = NULL;
        launches = fake_cuda_launches();
        check_ok(tni_cuda_cholesky(&call, stream()));
        assert_int_equal(fake_cuda_launches(), launches);
    }
}

static void test_lu(void **state) {
    (void)state;
    int64_t *pivots = (int64_t *)(void *)(somewhere + 0x100000);
    tni_lu lu = {TN_F64, 2, 7, 4, somewhere, pivots, NULL, false};
    long before = fake_cusolver_count();
    check_ok(tni_cuda_lu(&lu, stream()));
    check_calls("cusolverDnXgetrf", before, 2, 7, 4, 1);
    tni_lu_solve solve = {TN_C64, TNI_ADJOINT,          2,    4, 9, somewhere,
                          pivots, somewhere + 0x200000, false};
    before = fake_cusolver_count();
    check_ok(tni_cuda_lu_solve(&solve, stream()));
    check_calls("cusolverDnXgetrs", before, 2, 4, 9, 4);
}

static void test_permutation(void **state) {
    (void)state;
    int64_t *pivots = (int64_t *)(void *)somewhere;
    tni_permutation call = {1000, 9, 7, pivots, (int64_t *)(void *)(somewhere + 0x100000)};
    long launches = fake_cuda_launches();
    check_ok(tni_cuda_permutation(&call, stream()));
    assert_int_equal(check_forms("permutation", launches), 4);
}

static void test_cholesky_solve(void **state) {
    (void)state;
    tni_cholesky_solve call = {TN_C128, true, 3, 4, 9, somewhere, somewhere + 0x200000};
    long before = fake_cusolver_count();
    check_ok(tni_cuda_cholesky_solve(&call, stream()));
    check_calls("cusolverDnXpotrs", before, 3, 4, 9, 5);
}

/* The diagonal is looked at first, unless it counts as ones or failures are ignored. */
static void test_triangular(void **state) {
    (void)state;
    for (int k = 0; k < DTYPES; k++) {
        tni_triangular call = {dtypes[k].dtype, TNI_ADJOINT,          true,      false, 3, 4, 9,
                               somewhere,       somewhere + 0x200000, "singular"};
        long before = fake_cublas_products(), launches = fake_cuda_launches();
        check_ok(tni_cuda_triangular(&call, stream()));
        fake_product last = fake_cublas_get();
        assert_int_equal(fake_cublas_products(), before + 3);
        assert_string_equal(last.function, "trsm");
        assert_int_equal(last.of_a, 2);
        assert_int_equal(last.a_type, dtypes[k].type);
        assert_int_equal(last.m, 4);
        assert_int_equal(last.n, 9);
        check_forms("diagonal_zeros", launches);
        for (int ignored = 0; ignored < 2; ignored++) {
            call.unit = !ignored;
            call.failure = ignored ? NULL : "singular";
            launches = fake_cuda_launches();
            check_ok(tni_cuda_triangular(&call, stream()));
            assert_int_equal(fake_cuda_launches(), launches);
        }
    }
}

/* Q begins with a copy of the factored columns. */
static void test_qr(void **state) {
    static const char *const names[] = {"cusolverDnSorgqr", "cusolverDnDorgqr", "cusolverDnCungqr",
                                        "cusolverDnZungqr"};
    (void)state;
    for (int k = 0; k < DTYPES; k++) {
        tni_qr call = {dtypes[k].dtype,     1, 80, 30, 80, somewhere, somewhere + 0x100000,
                       somewhere + 0x200000};
        long before = fake_cusolver_count(), launches = fake_cuda_launches();
        check_ok(tni_cuda_qr(&call, stream()));
        check_calls(names[k], before, 2, 80, 80, dtypes[k].type);
        assert_int_equal(fake_cuda_launches(), launches + 1);
        call.q = NULL;
        before = fake_cusolver_count();
        check_ok(tni_cuda_qr(&call, stream()));
        check_calls("cusolverDnXgeqrf", before, 1, 80, 30, dtypes[k].type);
    }
}

static void test_eigh(void **state) {
    (void)state;
    tni_eigh call = {TN_C128, true, true, 4, 6, somewhere, somewhere + 0x100000, "no"};
    long before = fake_cusolver_count(), launches = fake_cuda_launches();
    check_ok(tni_cuda_eigh(&call, stream()));
    check_calls("cusolverDnXsyevd", before, 4, 6, 6, 5);
    check_forms("failures not_numbers", launches);
}

/* Vectors of real matrices are unpacked by a kernel of ours. */
static void test_eig(void **state) {
    (void)state;
    for (int k = 0; k < DTYPES; k++) {
        tni_eig call = {dtypes[k].dtype,      3,   6, somewhere, somewhere + 0x100000,
                        somewhere + 0x200000, NULL};
        long before = fake_cusolver_count(), launches = fake_cuda_launches();
        check_ok(tni_cuda_eig(&call, stream()));
        check_calls("cusolverDnXgeev", before, 3, 6, 6, dtypes[k].type);
        if (k < 2)
            check_forms("eigenvectors", launches);
        else
            assert_int_equal(fake_cuda_launches(), launches);
        call.failure = "no";
        call.v = NULL;
        launches = fake_cuda_launches();
        check_ok(tni_cuda_eig(&call, stream()));
        check_forms("failures", launches);
    }
}

/* A matrix of more columns than rows is decomposed as its adjoint. */
static void test_svd(void **state) {
    (void)state;
    tni_svd call = {TN_F64,
                    false,
                    2,
                    90,
                    40,
                    somewhere,
                    somewhere + 0x100000,
                    somewhere + 0x200000,
                    somewhere + 0x300000,
                    NULL};
    long before = fake_cusolver_count(), launches = fake_cuda_launches();
    check_ok(tni_cuda_svd(&call, stream()));
    check_calls("cusolverDnXgesvd", before, 2, 90, 40, 1);
    assert_int_equal(fake_cuda_launches(), launches);
    call.m = 40;
    call.n = 90;
    before = fake_cusolver_count();
    check_ok(tni_cuda_svd(&call, stream()));
    check_calls("cusolverDnXgesvd", before, 2, 90, 40, 1);
    assert_int_equal(fake_cuda_launches(), launches + 3);
    call.u = call.vh = NULL;
    launches = fake_cuda_launches();
    check_ok(tni_cuda_svd(&call, stream()));
    assert_int_equal(fake_cuda_launches(), launches + 1);
    call.failure = "no";
    launches = fake_cuda_launches();
    check_ok(tni_cuda_svd(&call, stream())); /* the infos, and values that are no numbers */
    assert_int_equal(check_forms("not_numbers", launches + 2), 1);
    assert_int_equal(fake_cuda_launches(), launches + 3);
}

/* With vectors by a polar decomposition, between two copies; where that had to move a matrix, by
 * rotations after all. */
static void test_polar_svd(void **state) {
    (void)state;
    char *const s = somewhere + 0x400000, *const u = s + 0x100000, *const vh = u + 0x200000;
    tni_svd call = {TN_C128, true, 2, 200, 130, somewhere, s, u, vh, "no"};
    long before = fake_cusolver_count(), launches = fake_cuda_launches();
    check_ok(tni_cuda_svd(&call, stream()));
    check_calls("cusolverDnXgesvdp", before, 2, 200, 130, 5);
    assert_ptr_not_equal(fake_cusolver_get().a, somewhere + 200 * 130 * 16);
    assert_int_equal(fake_cuda_launches(), launches + 4); /* and two for what failed */
    fake_cusolver_move(1e-20);
    before = fake_cusolver_count();
    check_ok(tni_cuda_svd(&call, stream()));
    check_calls("cusolverDnXgesvd", before, 3, 200, 130, 5);
    assert_ptr_equal(fake_cusolver_get().a, somewhere + 200 * 130 * 16);
    fake_cusolver_move(-6); /* as cuSOLVER answers to some matrices of less than full rank */
    before = fake_cusolver_count();
    check_ok(tni_cuda_svd(&call, stream()));
    check_calls("cusolverDnXgesvd", before, 2, 200, 130, 5);
    fake_cusolver_move(-3);
    assert_int_equal(tni_cuda_svd(&call, stream()), TN_ERROR_DEVICE);
    fake_cusolver_move(0);
    call.u = call.vh = NULL;
    before = fake_cusolver_count();
    check_ok(tni_cuda_svd(&call, stream()));
    check_calls("cusolverDnXgesvd", before, 2, 200, 130, 5);
}

/* Small real matrices are one launch, whether failures are reported or not. */
static void test_small_matrices(void **state) {
    char *const b = somewhere + 0x100000, *const c = somewhere + 0x200000;
    int64_t *const pivots = (int64_t *)(void *)(somewhere + 0x300000);
    (void)state;
    for (int k = 0; k < 2; k++) {
        const tn_dtype dtype = dtypes[k].dtype;
        const tni_cholesky cholesky = {dtype, true, 1000, 16, somewhere, "no"};
        const tni_lu lu = {dtype, 1000, 8, 8, somewhere, pivots, "no", false};
        const tni_lu_solve solve = {dtype, TNI_PLAIN, 1000, 8, 3, somewhere, pivots, b, false};
        const tni_qr qr = {dtype, 1000, 16, 5, 16, somewhere, b, c};
        const tni_eigh eigh = {dtype, false, true, 1000, 8, somewhere, b, NULL};
        const tni_svd svd = {dtype, false, 1000, 8, 16, somewhere, b, c, c + 0x100000, "no"};
        const long before = fake_cusolver_count(), launches = fake_cuda_launches();
        check_ok(tni_cuda_cholesky(&cholesky, stream()));
        check_ok(tni_cuda_lu(&lu, stream()));
        check_ok(tni_cuda_lu_solve(&solve, stream()));
        check_ok(tni_cuda_qr(&qr, stream()));
        check_ok(tni_cuda_eigh(&eigh, stream()));
        check_ok(tni_cuda_svd(&svd, stream()));
        static const int blocks[] = {250, 125, 125, 250, 125, 250};
        for (int form = 0; form < 6; form++)
            assert_int_equal(check_launch("group_matrices", launches + form), blocks[form]);
        assert_int_equal(fake_cuda_launches(), launches + 6);
        assert_int_equal(fake_cusolver_count(), before);
    }
}

static void test_own_kernels(void **state) {
    (void)state;
    long launches = fake_cuda_launches();
    tni_triangle triangle = {16, true, 3, 50, 40, somewhere};
    check_ok(tni_cuda_triangle(&triangle, stream()));
    assert_int_equal(check_forms("triangle", launches), (3 * 50 * 40 + 255) / 256);
    for (int k = 0; k < DTYPES; k++) {
        tni_determinant call = {dtypes[k].dtype,
                                100,
                                4,
                                somewhere,
                                (const int64_t *)(void *)(somewhere + 0x100000),
                                somewhere + 0x200000,
                                k % 2 ? somewhere + 0x300000 : NULL};
        launches = fake_cuda_launches();
        check_ok(tni_cuda_determinant(&call, stream()));
        assert_int_equal(check_forms("determinant", launches), 1); /* a lane a matrix */
        call.n = 40;
        launches = fake_cuda_launches();
        check_ok(tni_cuda_determinant(&call, stream()));
        assert_int_equal(check_forms("determinant", launches), 13); /* a warp */
    }
}

static void test_failure(void **state) {
    (void)state;
    tni_eigh call = {TN_F32, true, true, 4, 60, somewhere, somewhere + 0x100000, "no"};
    fake_cusolver_fail(6);
    assert_int_equal(tni_cuda_eigh(&call, stream()), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cuSOLVER failed: cusolverDnXsyevd (status 6)"));
    fake_cusolver_fail(0);
    check_ok(tni_cuda_eigh(&call, stream()));
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_cholesky),
                                        REPLAY_NOT(test_lu),
                                        REPLAY_NOT(test_qr),
                                        REPLAY_NOT(test_eigh),
                                        REPLAY_NOT(test_svd),
                                        REPLAY_NOT(test_polar_svd),
                                        REPLAY_NOT(test_small_matrices),
                                        REPLAY_NOT(test_eig),
                                        REPLAY_NOT(test_own_kernels),
                                        REPLAY_NOT(test_failure),
                                        REPLAY_NOT(test_permutation),
                                        REPLAY_NOT(test_cholesky_solve),
                                        REPLAY_NOT(test_triangular)};
    return RUN_WITH_NVRTC("cuda_linalg", tests);
}
