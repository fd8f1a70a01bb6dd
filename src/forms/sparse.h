/* The forms of the family "sparse": matrices by compressed rows.
 *
 * A matrix has `rows` rows and `columns` columns. Row r has the elements starts[r] to before
 * starts[r + 1] of `indices` (columns) and `values`, which are `count` long. Indexes are i32, or
 * i64 if `is_wide`. Arrays are packed and aligned. A form checks the structure as it reads it: a
 * start or an index out of range is TN_ERROR_VALUE, never an access elsewhere. Rows may be
 * unsorted and hold duplicates unless a form says otherwise.
 *
 * Sums of integers wrap, those of bools are "or". How the sum of a row is grouped depends on the
 * length of the row alone (CUDA: on the structure alone). */
#ifndef TNI_FORMS_SPARSE_H
#define TNI_FORMS_SPARSE_H

#include <tenorite/dtype.h>

#include <stdbool.h>
#include <stdint.h>

#define TNI_CSR_BROKEN                                                                             \
    "the structure of a sparse matrix is broken: indptr must ascend from 0 to no more than the "   \
    "number of elements, and indices must be in range"

typedef struct tni_csr {
    int64_t rows, columns, count;
    const void *starts, *indices, *values;
} tni_csr;

/* output[rows, width] (packed) = a @ dense[columns, width], or (is_transposed)
 * output[columns, width] = transposed a @ dense[rows, width]. Strides of dense in elements.
 * `dense` NULL: a column of ones, so that elements are summed. */
typedef struct tni_csr_multiply {
    tn_dtype dtype;
    bool is_wide, is_transposed;
    tni_csr a;
    int64_t width, dense_row, dense_column;
    const void *dense;
    void *output;
} tni_csr_multiply;

/* to[r, c] += a[r, c]; strides in elements. */
typedef struct tni_csr_scatter {
    tn_dtype dtype;
    bool is_wide;
    tni_csr a;
    int64_t to_row, to_column;
    void *to;
} tni_csr_scatter;

/* What is wrong with a structure, as bits in *flags. */
enum {
    TNI_CSR_BAD = 1,       /* a start or an index is out of range */
    TNI_CSR_UNSORTED = 2,  /* an index is less than the one before it in its row */
    TNI_CSR_DUPLICATES = 4 /* two neighbours in a row are equal */
};

/* Elements sorted by their major index, which is below `lines`; equal ones keep their order.
 * `minor` NULL: the minor index of an element is its row in `rows` rows that begin at `starts`.
 * `flags` (or NULL): minor indexes, given and below `columns`, are sorted within each line too, and
 * *flags becomes what tni_csr_inspect says of the result. Duplicates may be summed already: the
 * result has as many elements as its last start says. */
typedef struct tni_csr_group {
    int64_t item;   /* bytes of a value: 1, 2, 4, 8 or 16 */
    tn_dtype dtype; /* for sums */
    bool is_wide;
    int64_t lines, columns, rows, count;
    const void *major, *minor, *starts, *values;
    void *to_starts, *to_indices, *to_values;
    int64_t *flags;
} tni_csr_group;

typedef struct tni_csr_inspect {
    bool is_wide;
    tni_csr a; /* no values */
    int64_t *flags;
} tni_csr_inspect;

/* In place: every row sorted by index; equal ones keep their order. */
typedef struct tni_csr_sort {
    int64_t item;
    bool is_wide;
    tni_csr a;
    void *indices, *values;
} tni_csr_sort;

/* What forms make whose size depends on the elements. First they count: ends[rows + 1] becomes the
 * starts of the result. Then, `starts` given, they write the elements to `indices` and `values`,
 * which are `count` long. */
typedef struct tni_csr_made {
    int64_t *ends;
    const int64_t *starts; /* NULL: count */
    int64_t count;
    void *indices, *values;
} tni_csr_made;

/* Neighbours of equal index are summed. */
typedef struct tni_csr_unite {
    tn_dtype dtype;
    bool is_wide;
    tni_csr a;
    tni_csr_made to;
} tni_csr_unite;

/* The product a @ b. Its rows are not sorted. A backend that `takes_room` is asked first, `room`
 * not being there, for the terms in the rows before each, and of long rows alone (rows + 1 of
 * each); then there is room for as many. */
typedef struct tni_csr_product {
    tn_dtype dtype;
    bool is_wide;
    tni_csr a, b;
    struct {
        bool is_there;
        int64_t *terms, *long_terms;
        int64_t long_count;
        void *indices, *values;
    } room;
    tni_csr_made to;
} tni_csr_product;

/* op(a, b) for elements that either matrix has, those that it lacks being 0; results that are 0
 * are left out. Rows are sorted without duplicates. In one go: to.ends become the starts of the
 * result, which to.indices and to.values begin with; these have place for the elements of both. */
typedef struct tni_csr_merge {
    int op;
    tn_dtype dtype, result_dtype;
    bool is_wide;
    tni_csr a, b;
    tni_csr_made to;
} tni_csr_merge;

/* `rows` rows of a: row r is row chosen[r], or (NULL) first + r step. */
typedef struct tni_csr_rows {
    int64_t item; /* bytes of a value */
    bool is_wide;
    tni_csr a;
    int64_t rows, first, step;
    const int64_t *chosen;
    tni_csr_made to;
} tni_csr_rows;

/* Steps of conjugate gradients on a x = b, of f32 or f64, all vectors packed. r is b - a x, p the
 * direction of the step before, q room; `inverse` (or NULL) what a diagonal matrix near the inverse
 * of a has. Ends after `steps`, or before one where the length of r is at most `limit`. */
typedef struct tni_csr_conjugate {
    tn_dtype dtype;
    bool is_wide;
    tni_csr a; /* square */
    int64_t steps;
    double limit;
    const void *inverse;
    void *x, *r, *p, *q;
    double *numbers; /* TNI_CONJUGATE_NUMBERS */
} tni_csr_conjugate;

/* What is kept between calls. */
enum {
    TNI_CONJUGATE_PRODUCT, /* of r and of r times `inverse` */
    TNI_CONJUGATE_SQUARE,  /* of the length of r */
    TNI_CONJUGATE_FACTOR,  /* of p in the next direction: at first 0 */
    TNI_CONJUGATE_DONE,    /* steps so far */
    TNI_CONJUGATE_NUMBERS
};

#endif
