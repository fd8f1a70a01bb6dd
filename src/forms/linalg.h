/* The forms of the family "linalg": decompositions of matrices, and what is solved with them.
 *
 * A stack is `count` matrices one after the other, each by columns without gaps: element (i, j)
 * of a matrix of m rows lies at i + j m. No size is 0, addresses are aligned, and areas lie apart.
 * The dtype is f32, f64, c64 or c128; "real" is its real dtype. Forms work in place where they say
 * so.
 *
 * `failure`: the text of TN_ERROR_LINALG for a matrix that has no decomposition or for which the
 * algorithm does not converge; NULL: such matrices are no error. Results of a matrix that failed
 * mean nothing (but see tni_lu); the other matrices have theirs. */
#ifndef TNI_FORMS_LINALG_H
#define TNI_FORMS_LINALG_H

#include <tenorite/dtype.h>

#include <stdbool.h>
#include <stdint.h>

/* What is done to a matrix before it is used. */
typedef enum tni_transposition { TNI_PLAIN, TNI_TRANSPOSED, TNI_ADJOINT } tni_transposition;

/* In place: the factor L, or U if `upper`, of a = L L* = U* U, from the triangle that it takes. The
 * other triangle is left as it was. */
typedef struct tni_cholesky {
    tn_dtype dtype;
    bool upper;
    int64_t count, n;
    char *a;
    const char *failure;
} tni_cholesky;

/* In place: L (unit diagonal) and U of row-permuted a (m x n). pivots[count, min(m, n)]: from 1,
 * the row that each row was exchanged with. A pivot of 0 is a failure, after which the factors are
 * still those of the matrix. */
typedef struct tni_lu {
    tn_dtype dtype;
    int64_t count, m, n;
    char *a;
    int64_t *pivots;
    const char *failure;
    bool is_transposed; /* a comes by rows (m = n); the factors lie by columns; not on CUDA */
} tni_lu;

/* In place: solves with the matrices (n x n) that tni_lu factored; b is n x columns. */
typedef struct tni_lu_solve {
    tn_dtype dtype;
    tni_transposition transposition;
    int64_t count, n, columns;
    const char *lu;
    const int64_t *pivots;
    char *b;
    bool is_transposed; /* the solution lies by rows (columns = n); not on CUDA */
} tni_lu_solve;

/* places[count, m]: the row (from 0) of the factors' product at which each row of the matrix is,
 * for the `least` exchanges of rows that tni_lu made. */
typedef struct tni_permutation {
    int64_t count, m, least;
    const int64_t *pivots;
    int64_t *places;
} tni_permutation;

/* In place: solves with the triangle that tni_cholesky made of a; b is n x columns. */
typedef struct tni_cholesky_solve {
    tn_dtype dtype;
    bool upper;
    int64_t count, n, columns;
    const char *a;
    char *b;
} tni_cholesky_solve;

/* Of matrices (n x n) that tni_lu factored: the determinant in `sign`, or (logarithm not NULL) its
 * sign (of the dtype) and the logarithm of its absolute value (real). 0 has the logarithm -inf. */
typedef struct tni_determinant {
    tn_dtype dtype;
    int64_t count, n;
    const char *lu;
    const int64_t *pivots;
    char *sign, *logarithm;
} tni_determinant;

/* In place: solves with a triangle of a; b is n x columns. A zero on the diagonal is a failure. */
typedef struct tni_triangular {
    tn_dtype dtype;
    tni_transposition transposition;
    bool upper, unit; /* unit: the diagonal is not read */
    int64_t count, n, columns;
    const char *a;
    char *b;
    const char *failure;
} tni_triangular;

/* In place: makes the elements below (keeps_upper) or above the diagonal zero; m x n. */
typedef struct tni_triangle {
    int64_t item; /* bytes of an element */
    bool keeps_upper;
    int64_t count, m, n;
    char *a;
} tni_triangle;

/* In place: R in the upper triangle of a (m x n), below it the reflectors whose factors are
 * tau[count, min(m, n)]. If q is not NULL: its first `columns` columns (min(m, n) or m). */
typedef struct tni_qr {
    tn_dtype dtype;
    int64_t count, m, n, columns;
    char *a, *tau, *q;
} tni_qr;

/* Eigenvalues w[count, n] (real, ascending) of Hermitian matrices, of which one triangle is read.
 * a becomes the eigenvectors, or (vectors false) is lost. */
typedef struct tni_eigh {
    tn_dtype dtype;
    bool upper, vectors;
    int64_t count, n;
    char *a, *w;
    const char *failure;
} tni_eigh;

/* Eigenvalues w[count, n] and (v not NULL) right eigenvectors, both complex. a is lost. */
typedef struct tni_eig {
    tn_dtype dtype;
    int64_t count, n;
    char *a, *w, *v;
    const char *failure;
} tni_eig;

/* Singular values s[count, min(m, n)] (real, descending), and (u not NULL) the vectors: u is m x m
 * and vh n x n if `full`, else m x min(m, n) and min(m, n) x n. a is lost. */
typedef struct tni_svd {
    tn_dtype dtype;
    bool full;
    int64_t count, m, n;
    char *a, *s, *u, *vh;
    const char *failure;
} tni_svd;

/* Least squares by singular values: those not above rcond times the largest count as 0. b, of
 * max(m, n) rows, becomes the solution in its first n rows; where m > n and the rank is n the
 * squares of the other rows add up to those of the residual. a is lost. */
typedef struct tni_lstsq {
    tn_dtype dtype;
    int64_t count, m, n, columns;
    double rcond;
    char *a, *b, *s;
    int32_t *rank;
    const char *failure;
} tni_lstsq;

#endif
