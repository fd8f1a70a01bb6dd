/* Products of matrices and vectors, and decompositions of matrices, with NumPy's shapes, dtypes and
 * messages.
 *
 * In each product *result NULL on entry means that a new array is made; else it is written (out=)
 * and stays the caller's. All arrays are of one device. Inputs of two dtypes are promoted. Sums of
 * f16 and bf16 are kept in f32. A shape that does not fit is TN_ERROR_VALUE. */
#ifndef TENORITE_LINALG_H
#define TENORITE_LINALG_H

#include <tenorite/array.h>
#include <tenorite/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What may be said of a product; zero it for the defaults but for dtype (TN_DTYPE_NONE) and casting
 * (TN_CASTING_SAME_KIND). */
typedef struct tn_matmul_options {
    tn_dtype dtype;     /* of the computation, TN_DTYPE_NONE: promoted */
    tn_casting casting; /* for inputs to that dtype and from it to a given result */
    tn_order order;     /* of a result that is made here; K and A mean C */
} tn_matmul_options;
#define TN_MATMUL_DEFAULTS                                                                         \
    { TN_DTYPE_NONE, TN_CASTING_SAME_KIND, TN_ORDER_C }

/* NumPy's four products over the last axes, broadcast over the others. `options` may be NULL. A
 * given result may have more axes, any strides, another dtype (`casting`) and may overlap the
 * inputs.
 *   matmul  (n?,k),(k,m?)->(n?,m?)     vecdot  (n),(n)->()       the first conjugated
 *   matvec  (m,n),(n)->(m)             vecmat  (n),(n,m)->(m)    the first conjugated */
TN_API tn_status tn_matmul(tn_array **result, const tn_array *a, const tn_array *b,
                           const tn_matmul_options *options, tn_stream *stream);
TN_API tn_status tn_vecdot(tn_array **result, const tn_array *a, const tn_array *b,
                           const tn_matmul_options *options, tn_stream *stream);
TN_API tn_status tn_matvec(tn_array **result, const tn_array *a, const tn_array *b,
                           const tn_matmul_options *options, tn_stream *stream);
TN_API tn_status tn_vecmat(tn_array **result, const tn_array *a, const tn_array *b,
                           const tn_matmul_options *options, tn_stream *stream);

/* Sums over the last axis of a and the last but one (or only) axis of b; an operand of 0 dimensions
 * multiplies. A given result must have exactly the result's shape and dtype and be C-contiguous. */
TN_API tn_status tn_dot(tn_array **result, const tn_array *a, const tn_array *b, tn_stream *stream);
/* Sums over the last axis of both. A given result as for tn_dot. */
TN_API tn_status tn_inner(tn_array **result, const tn_array *a, const tn_array *b,
                          tn_stream *stream);
/* The sum of conj(a) b over all elements, both in C order: 0 dimensions. */
TN_API tn_status tn_vdot(tn_array **result, const tn_array *a, const tn_array *b,
                         tn_stream *stream);
/* a[i] b[j] over all elements of both in C order. A given result is as an element-wise output. */
TN_API tn_status tn_outer(tn_array **result, const tn_array *a, const tn_array *b,
                          tn_stream *stream);
/* Sums over `count` pairs of axes; the other axes of a, then those of b are left. Axes may be
 * negative. The result is a new one. */
TN_API tn_status tn_tensordot(tn_array **result, const tn_array *a, const tn_array *b, int count,
                              const int *a_axes, const int *b_axes, tn_stream *stream);
/* The sum along a diagonal of two axes; dtype TN_DTYPE_NONE: as tn_reduce's sum. */
TN_API tn_status tn_trace(tn_array **result, const tn_array *a, int64_t offset, int axis1,
                          int axis2, tn_dtype dtype, tn_stream *stream);

/* The norm of vectors along axes (of `options`, which may be NULL, only axes and keepdims count):
 * order 2 the root of the sum of squares, infinity the largest and -infinity the smallest absolute
 * value, 0 the number of elements that are not zero, another p sum(abs(x)**p)**(1/p). The result is
 * a new one of the real dtype, f64 for integers. Orders 0, 1, 2 and the infinities read the array
 * once and make no other. TN_ERROR_VALUE for order -infinity of nothing. */
TN_API tn_status tn_vector_norm(tn_array **result, const tn_array *array, double order,
                                const tn_reduce_options *options, tn_stream *stream);

/* --- Decompositions and solutions ---
 *
 * Of matrices in the last two axes, over all indexes of the axes before. Results are new arrays
 * of f32 or c64 if all inputs are of these, else of f64 or c128 (halves: TN_ERROR_TYPE), in order C
 * but for tn_linalg_lu and what solves with factors, whose matrices lie by columns. Inputs may have
 * any strides. An array of too few dimensions, or that is not square where it must be, is
 * TN_ERROR_LINALG, and so is a matrix that has no such decomposition or for which the algorithm
 * does not converge: on a queue or on CUDA that is raised by the next call that waits. The host
 * needs a LAPACK (TN_ERROR_RUNTIME says what to install). */

/* When the calling thread hears of matrices without decomposition: by the next call that waits (at
 * first), before the call returns, or never: their results then mean nothing. Returns what was set
 * before. */
typedef enum tn_linalg_failures {
    TN_LINALG_AT_WAIT,
    TN_LINALG_AT_ONCE,
    TN_LINALG_IGNORED
} tn_linalg_failures;
TN_API tn_linalg_failures tn_linalg_set_failures(tn_linalg_failures failures);

typedef enum tn_transposition {
    TN_TRANSPOSITION_NONE,
    TN_TRANSPOSITION_TRANSPOSED,
    TN_TRANSPOSITION_ADJOINT
} tn_transposition;

/* The factor L of a = L L*, or U of a = U* U. Only that triangle of a is read. */
TN_API tn_status tn_linalg_cholesky(tn_array **result, const tn_array *a, bool upper,
                                    tn_stream *stream);
/* x of a x = b. b is a vector if it has one dimension, else matrices; stacks broadcast. */
TN_API tn_status tn_linalg_solve(tn_array **result, const tn_array *a, const tn_array *b,
                                 tn_stream *stream);
TN_API tn_status tn_linalg_inv(tn_array **result, const tn_array *a, tn_stream *stream);
/* The determinant; 0 of a singular matrix, which is no failure. */
TN_API tn_status tn_linalg_det(tn_array **result, const tn_array *a, tn_stream *stream);
/* Its sign and the logarithm (of the real dtype) of its absolute value; of 0: 0 and -infinity. */
TN_API tn_status tn_linalg_slogdet(tn_array **sign, tn_array **logarithm, const tn_array *a,
                                   tn_stream *stream);
/* L (unit diagonal) and U of matrices with exchanged rows, in one array, and (i32, from 0) the row
 * that each row was exchanged with. A singular matrix is no failure. */
TN_API tn_status tn_linalg_lu(tn_array **lu, tn_array **pivots, const tn_array *a,
                              tn_stream *stream);
/* L (m x min(m, n)) and U (min(m, n) x n) of such an array, each for itself. */
TN_API tn_status tn_linalg_lu_parts(tn_array **l, tn_array **u, const tn_array *lu,
                                    tn_stream *stream);
/* Solves with what tn_linalg_lu gave. One lu may serve a stack of b. */
TN_API tn_status tn_linalg_lu_solve(tn_array **result, const tn_array *lu, const tn_array *pivots,
                                    const tn_array *b, tn_transposition transposition,
                                    tn_stream *stream);
/* places (..., rows) of i64: the row of the product of L and U at which each row of the matrix is,
 * for the pivots that tn_linalg_lu gave for it. */
TN_API tn_status tn_linalg_permutation(tn_array **places, const tn_array *pivots, int64_t rows,
                                       tn_stream *stream);
/* Solves with a factor that tn_linalg_cholesky gave; the other triangle is not read. */
TN_API tn_status tn_linalg_cholesky_solve(tn_array **result, const tn_array *factor,
                                          const tn_array *b, bool upper, tn_stream *stream);
typedef struct tn_triangular_options {
    tn_transposition transposition;
    bool is_upper; /* which triangle of a is read */
    bool is_unit;  /* the diagonal counts as ones and is not read */
} tn_triangular_options;
/* x of op(a) x = b for a triangle of a; b and stacks as for tn_linalg_solve. */
TN_API tn_status tn_linalg_triangular(tn_array **result, const tn_array *a, const tn_array *b,
                                      tn_triangular_options options, tn_stream *stream);
/* a = q r with q m x k and r k x n, k = min(m, n) or (complete) m. q NULL: r alone (k = min). */
TN_API tn_status tn_linalg_qr(tn_array **q, tn_array **r, const tn_array *a, bool complete,
                              tn_stream *stream);
/* LAPACK's reflectors, transposed as NumPy's mode "raw" has them, and their factors. */
TN_API tn_status tn_linalg_qr_raw(tn_array **h, tn_array **tau, const tn_array *a,
                                  tn_stream *stream);
/* Eigenvalues (ascending, real) of Hermitian matrices of which one triangle is read, and (v not
 * NULL) orthonormal eigenvectors as columns. */
TN_API tn_status tn_linalg_eigh(tn_array **w, tn_array **v, const tn_array *a, bool upper,
                                tn_stream *stream);
/* Eigenvalues and (v not NULL) eigenvectors of length 1 as columns; always complex. */
TN_API tn_status tn_linalg_eig(tn_array **w, tn_array **v, const tn_array *a, tn_stream *stream);
/* a = u s vh with singular values descending. u and vh are square if `full`, else m x k and k x n,
 * k = min(m, n). u and vh NULL: singular values alone. */
TN_API tn_status tn_linalg_svd(tn_array **u, tn_array **s, tn_array **vh, const tn_array *a,
                               bool full, tn_stream *stream);
/* x of the least |b - a x| (and the least |x|) for two matrices. Singular values up to rcond times
 * the largest count as 0; rcond below 0: the dtype's epsilon times max(m, n). `squares` receives
 * the squares of the residuals of each column where m > n and the rank (a 0-d i32) is n. */
TN_API tn_status tn_linalg_lstsq(tn_array **x, tn_array **squares, tn_array **rank, tn_array **s,
                                 const tn_array *a, const tn_array *b, double rcond,
                                 tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
