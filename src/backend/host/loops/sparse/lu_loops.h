/* Inner loops of factors of sparse matrices: what one instruction-set level offers, for one dtype.
 *
 * The columns of L lie in blocks. A block has the pivots first .. first + width and the rows
 * list[0 .. height), of which the first `width` are those of its pivots; column i of the block has
 * values from list[i] on, at values + i x height. The value of a pivot's own row counts as 1. */
#ifndef TNI_SPARSE_LU_LOOPS_H
#define TNI_SPARSE_LU_LOOPS_H

#include <stdint.h>

typedef struct tni_lu_block {
    int64_t list, values; /* where its rows and its values begin */
    int32_t first, width, height;
} tni_lu_block;

/* A column that is eliminated: x has its values, by rows of the matrix. */
typedef struct tni_lu_sweep {
    const tni_lu_block *blocks;
    const int32_t *lists;
    const void *values;
    const int32_t *path, *entry; /* blocks in their order, and the first pivot of each */
    int64_t count;
    void *x, *room; /* room: two values for each row */
    /* What it has of U: numbers of pivots, and values. Place for all of them. */
    int32_t *to_rows;
    void *to_values;
    int64_t written;
} tni_lu_sweep;

/* Triangles for a solution, as in forms/factors.h. */
typedef struct tni_lu_triangle {
    int64_t n;
    const int64_t *starts;
    const int32_t *rows;
    const void *values, *diagonal; /* diagonal NULL: ones */
} tni_lu_triangle;

typedef struct tni_lu_loops {
    /* Subtracts from x what the blocks of the path have, and sets to 0 what goes to U. */
    void (*eliminate)(tni_lu_sweep *sweep);
    /* Magnitudes: of the largest of n values x[rows], whose place is written; of one. */
    double (*largest)(const void *x, const int32_t *rows, int64_t n, int64_t *place);
    double (*magnitude)(const void *x, int64_t row);
    /* to[k] = x[rows[k]] / x[pivot]; then those of x are 0, and to_pivot is what the pivot was. */
    void (*divide)(void *to, void *to_pivot, void *x, const int32_t *rows, int64_t n,
                   int64_t pivot);
    void (*scatter)(void *x, const int32_t *rows, const void *values, int64_t n);
    /* to[k] = x[rows[k]], which become 0. */
    void (*gather)(void *to, void *x, const int32_t *rows, int64_t n);
    void (*exchange)(void *values, int64_t a, int64_t b);
    void (*put)(void *x, int64_t row, double value);
    /* In place, for `columns` right sides by rows. Lower triangles go down, upper ones up. */
    void (*solve)(const tni_lu_triangle *t, int is_upper, void *b, int64_t columns);
    /* The same with the transposed triangle, or its adjoint. */
    void (*solve_transposed)(const tni_lu_triangle *t, int is_upper, int is_adjoint, void *b,
                             int64_t columns);
} tni_lu_loops;

#endif
