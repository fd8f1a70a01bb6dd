/* A test double of cuBLAS. One handle, no threads: it notes each product and answers as it is set
 * to. */
#include "fake_cublas.h"

#include <stddef.h>

#define FN(name, params) FAKE_API int name params;
#include "backend/cuda/libraries/cublas.fn"

static fake_product last;
static long products;
static int math_mode, failure;

long fake_cublas_products(void) {
    return products;
}

fake_product fake_cublas_get(void) {
    return last;
}

void fake_cublas_fail(int status) {
    failure = status;
}

static int note(fake_product product) {
    last = product;
    last.math_mode = math_mode;
    products++;
    return failure;
}

int cublasCreate_v2(void **handle) {
    *handle = &last;
    return 0;
}
int cublasSetStream_v2(void *handle, CUstream stream) {
    (void)stream;
    return handle == NULL;
}
int cublasSetWorkspace_v2(void *handle, void *memory, size_t bytes) {
    (void)memory;
    return handle == NULL || bytes == 0;
}
int cublasSetMathMode(void *handle, int mode) {
    math_mode = mode;
    return handle == NULL;
}
int cublasSetPointerMode_v2(void *handle, int mode) {
    (void)mode;
    return handle == NULL;
}

int cublasGemmEx_64(void *handle, int of_a, int of_b, int64_t m, int64_t n, int64_t k,
                    const void *alpha, const void *a, int a_type, int64_t a_step, const void *b,
                    int b_type, int64_t b_step, const void *beta, void *c, int c_type,
                    int64_t c_step, int compute, int algorithm) {
    (void)handle, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)algorithm;
    return note((fake_product){"GemmEx", of_a, of_b, a_type, b_type, c_type, compute, m, n, k,
                               a_step, b_step, c_step, 1, 0});
}
int cublasGemmStridedBatchedEx_64(void *handle, int of_a, int of_b, int64_t m, int64_t n, int64_t k,
                                  const void *alpha, const void *a, int a_type, int64_t a_step,
                                  long long a_stride, const void *b, int b_type, int64_t b_step,
                                  long long b_stride, const void *beta, void *c, int c_type,
                                  int64_t c_step, long long c_stride, int64_t batch, int compute,
                                  int algorithm) {
    (void)handle, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)algorithm;
    (void)a_stride, (void)b_stride, (void)c_stride;
    return note((fake_product){"GemmStridedBatchedEx", of_a, of_b, a_type, b_type, c_type, compute,
                               m, n, k, a_step, b_step, c_step, batch, 0});
}

static int note_dot(const char *function, int64_t k, int x_type, int y_type, int type,
                    int compute) {
    return note((fake_product){.function = function,
                               .a_type = x_type,
                               .b_type = y_type,
                               .c_type = type,
                               .compute = compute,
                               .k = k,
                               .batch = 1});
}
/* A solution with a triangle, as a product of n x n and n x columns. */
#define TRSM(name, type)                                                                           \
    int name(void *handle, int side, int uplo, int trans, int diagonal, int64_t m, int64_t n,      \
             const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb) {                \
        (void)handle, (void)side, (void)uplo, (void)diagonal, (void)alpha, (void)a, (void)b;       \
        return note(                                                                               \
            (fake_product){"trsm", trans, 0, type, type, type, 0, m, n, m, lda, ldb, ldb, 1, 0});  \
    }
TRSM(cublasStrsm_v2_64, 0)
TRSM(cublasDtrsm_v2_64, 1)
TRSM(cublasCtrsm_v2_64, 4)
TRSM(cublasZtrsm_v2_64, 5)

int cublasDotEx_64(void *handle, int64_t n, const void *x, int x_type, int64_t x_step,
                   const void *y, int y_type, int64_t y_step, void *result, int result_type,
                   int compute) {
    (void)handle, (void)x, (void)x_step, (void)y, (void)y_step, (void)result;
    return note_dot("DotEx", n, x_type, y_type, result_type, compute);
}
int cublasDotcEx_64(void *handle, int64_t n, const void *x, int x_type, int64_t x_step,
                    const void *y, int y_type, int64_t y_step, void *result, int result_type,
                    int compute) {
    (void)handle, (void)x, (void)x_step, (void)y, (void)y_step, (void)result;
    return note_dot("DotcEx", n, x_type, y_type, result_type, compute);
}
