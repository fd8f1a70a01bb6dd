/* Matrix products through cuBLAS. */
#ifndef TNI_CUDA_BLAS_H
#define TNI_CUDA_BLAS_H

#include "forms/linalg.h"
#include "forms/matmul.h"

/* Whether the dtype is cuBLAS's and the layouts of all three matrices are. */
bool tni_cublas_takes(const tni_matmul *call);
tn_status tni_cublas_matmul(const tni_matmul *call, tn_stream *stream);

/* Divides by the diagonal, whatever is there. Matrices of a stack are solved one by one. */
tn_status tni_cublas_triangular(const tni_triangular *call, tn_stream *stream);

#endif
