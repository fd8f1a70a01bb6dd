/* Factors of small real matrices without LAPACK, whose calls cost more than the work there. */
#ifndef TNI_HOST_LINALG_SMALL_H
#define TNI_HOST_LINALG_SMALL_H

#include "backend/host/loops/small/small_loops.h"

#include <tenorite/dtype.h>

#include <stdbool.h>
#include <stdint.h>

enum { TNI_SMALL_MAX = 24 };

static inline bool tni_linalg_is_small(tn_dtype dtype, int64_t n) {
    return n <= TNI_SMALL_MAX && (dtype == TN_F32 || dtype == TN_F64);
}

/* What does many of them at a time, in f32 or (is_wide) f64. */
const tni_small_loops *tni_linalg_small_loops(bool is_wide);

/* In place, with pivots from 1. False, and a as it was, for a matrix that may be singular: where
 * rounding decides, LAPACK's rounding does, so that the same matrices are singular as in NumPy. */
bool tni_small_lu_f32(float *a, int64_t *pivots, int n);
bool tni_small_lu_f64(double *a, int64_t *pivots, int n);
/* In place: solves with what the functions above made, or (transposed) with its transpose. */
void tni_small_lu_solve_f32(const float *lu, const int64_t *pivots, float *b, int64_t columns,
                            int n, bool transposed);
void tni_small_lu_solve_f64(const double *lu, const int64_t *pivots, double *b, int64_t columns,
                            int n, bool transposed);
/* In place, one triangle. False, and a as it was, for a matrix that is not positive definite or not
 * finite. */
bool tni_small_cholesky_f32(float *a, bool upper, int n);
bool tni_small_cholesky_f64(double *a, bool upper, int n);

#endif
