/* The form "matmul": out = a b for a batch of matrices.
 *
 * Everything is of one dtype. Strides are bytes and may be anything on a and b (0: broadcast,
 * negative, or no unit stride at all), and anything that gives each element of out its own place on
 * out. Where m, n or k is 1 the strides of that axis say nothing. out overlaps neither input. Batch
 * axes are collapsed; no size is 0 (core fills with zeros where k is), and none of batch_shape is
 * 1.
 *
 * Sums of f16 and bf16 are kept in f32 and rounded once. Integers wrap; b8 is OR of AND.
 * `conjugate`: a is conjugated; only where m == n == 1 and the dtype is complex. core guarantees
 * for f16 and the dtypes after it, unless m n k < TNI_MATMUL_SMALL: a matrix of more than one row
 * and column has a positive unit stride along one axis and, along the other, a positive stride of
 * at least the first one's extent: what a BLAS takes as it is. Every element lies at a multiple of
 * its size. */
#ifndef TNI_FORMS_MATMUL_H
#define TNI_FORMS_MATMUL_H

#include <tenorite/array.h>

/* Below this many multiplications a matrix product is left with any strides. */
#define TNI_MATMUL_SMALL 4096

typedef struct tni_matrix {
    char *data;
    int64_t row_stride, column_stride;
    int64_t batch_strides[TN_MAX_NDIM];
} tni_matrix;

typedef struct tni_matmul {
    tn_dtype dtype;
    bool conjugate;
    int batch_ndim;
    int64_t batch_count; /* product of batch_shape */
    int64_t m, n, k;     /* a is m x k, b is k x n, out is m x n */
    int64_t batch_shape[TN_MAX_NDIM];
    tni_matrix out, a, b;
} tni_matmul;

#endif
