/* The forms of the family "sparse" that factor square matrices. Only the host has them: core brings
 * matrices and right sides of other devices to it. Both wait for nothing and keep nothing. */
#ifndef TNI_FORMS_FACTORS_H
#define TNI_FORMS_FACTORS_H

#include "forms/sparse.h"

/* Triangles by columns, of n columns: those of column k begin at starts[k]. Rows are numbers of
 * pivots. No part has the diagonal. */
typedef struct tni_factor_part {
    int64_t *starts;
    int32_t *rows;
    void *values;
} tni_factor_part;

/* a[rows, columns] = L U: L has ones on the diagonal, U has `diagonal`. The pivot of number k is in
 * row row_of[k] and column column_of[k] of a. What is here was made by tni_malloc. */
typedef struct tni_factors {
    int64_t n;
    tni_factor_part lower, upper;
    void *diagonal;
    int32_t *row_of, *column_of;
} tni_factors;

typedef enum tni_factor_order {
    TNI_ORDER_CHOSEN,  /* of the two next ones what suits the matrix */
    TNI_ORDER_SUM,     /* minimum degree in the graph of a + transposed a */
    TNI_ORDER_PRODUCT, /* minimum degree in the graph of transposed a x a */
    TNI_ORDER_NATURAL  /* as the columns are */
} tni_factor_order;

/* Factors a matrix, whose columns lie as a csr's rows do. A pivot on the diagonal is taken if its
 * magnitude is at least `threshold` times the largest; negative: what suits the matrix. With
 * `drop` at least 0 the factors are incomplete: see host/forms/sparse/lu/incomplete.c. */
typedef struct tni_csr_factor {
    tn_dtype dtype;
    bool is_wide;
    tni_csr a;
    tni_factor_order order;
    double threshold, drop, fill;
    int64_t most;    /* elements of the factors; more are TN_ERROR_OVERFLOW */
    tni_factors *to; /* all 0 before, and after a failure */
} tni_csr_factor;

/* In place: solves with the factored matrix, with the transposed one, or (both flags) with its
 * adjoint; b is n x columns by rows, packed. */
typedef struct tni_csr_factor_solve {
    tn_dtype dtype;
    bool is_transposed, is_adjoint;
    const tni_factors *factors;
    int64_t columns;
    void *b;
} tni_csr_factor_solve;

#endif
