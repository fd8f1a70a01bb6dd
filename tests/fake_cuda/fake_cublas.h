/* The test double of cuBLAS, as tests see it: it computes nothing, and tells what it was asked
 * for. */
#ifndef TESTS_FAKE_CUBLAS_H
#define TESTS_FAKE_CUBLAS_H

#include "fake_cuda.h"

#include <stdint.h>

/* The last product; numbers are cuBLAS' own. A dot product has only k. */
typedef struct fake_product {
    const char *function;
    int of_a, of_b, a_type, b_type, c_type, compute;
    int64_t m, n, k, a_step, b_step, c_step, batch;
    int math_mode; /* of the handle */
} fake_product;
/* The status of products from now on (0: they go well). */
FAKE_API void fake_cublas_fail(int status);
FAKE_API long fake_cublas_products(void);
FAKE_API fake_product fake_cublas_get(void);

#endif
