/* Products of matrices through a BLAS that is loaded when the first is wanted. */
#ifndef TNI_HOST_BLAS_H
#define TNI_HOST_BLAS_H

#include "backend/host/loops/matmul/matmul_loops.h"

#include <tenorite/status.h>

#include <tenorite/dtype.h>

/* Multiplications below which our own loops are faster than a call. */
#define TNI_BLAS_WORK 16384

/* out = a b (m x k times k x n) if there is a BLAS that is faster than our loops, has the dtype and
 * takes these strides; false: nothing was done. */
bool tni_blas_multiply(tn_dtype dtype, int64_t m, int64_t n, int64_t k, tni_matmul_view out,
                       tni_matmul_view a, tni_matmul_view b);

/* Between these two, calls use the thread that makes them and no other. Pairs may nest and overlap
 * in several threads. */
void tni_blas_begin_single(void);
void tni_blas_end_single(void);

/* The path of what was loaded, or NULL. Loads. */
const char *tni_blas_path(void);
/* A function of that library ("dgetrf_", without the library's own prefix and suffix), or NULL, and
 * the bits of its integers. Both load. */
void *tni_blas_symbol(const char *name);
int tni_blas_integer_bits(void);

#endif
