/* Sparse matrices by compressed rows.
 *
 * A matrix is three packed or strided arrays of one axis and of one device: row r has the elements
 * indptr[r] to before indptr[r + 1] of `indices` (its columns) and `data`. Indexes are i32 or i64,
 * both alike; data has any dtype but the halves. A structure that is broken (indptr that descends
 * or leads out of the arrays, an index out of range) is TN_ERROR_VALUE, by whatever call reads it,
 * and so are arrays that do not fit the shape. Rows may be unsorted and may hold duplicates, which
 * count as their sum, unless a function says otherwise.
 *
 * On CUDA the next call that waits reports a broken structure. */
#ifndef TENORITE_SPARSE_H
#define TENORITE_SPARSE_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Borrowed arrays. */
typedef struct tn_csr {
    int64_t rows, columns;
    const tn_array *data, *indices, *indptr;
} tn_csr;

/* New arrays, which are the caller's. Indexes are as those of the inputs, or i64 where there are
 * too many elements for i32. */
typedef struct tn_csr_arrays {
    tn_array *data, *indices, *indptr;
} tn_csr_arrays;

/* The parts of tn_csr_inspect's answer. */
enum {
    TN_CSR_BROKEN = 1,    /* nothing more is known then */
    TN_CSR_UNSORTED = 2,  /* a row's columns descend somewhere */
    TN_CSR_DUPLICATES = 4 /* a row has two elements of one column beside each other */
};

/* What is to be said of the structure; waits. */
TN_API tn_status tn_csr_inspect(int *findings, const tn_csr *a, tn_stream *stream);

/* a @ dense, or (is_transposed) transposed a @ dense: of one axis or two, any strides. The result
 * is a new array of the common dtype. `dense` NULL: the sums of the rows or (is_transposed) of the
 * columns, one axis of a's dtype. */
TN_API tn_status tn_csr_multiply(tn_array **result, const tn_csr *a, bool is_transposed,
                                 const tn_array *dense, tn_stream *stream);
/* Adds a to a writeable array of its shape and dtype. */
TN_API tn_status tn_csr_scatter(tn_array *to, const tn_csr *a, tn_stream *stream);

/* The rows of elements with coordinates, of which `row` are below `rows`; those of one row keep
 * their order and are not summed. */
TN_API tn_status tn_csr_group(tn_csr_arrays *result, int64_t rows, const tn_array *data,
                              const tn_array *row, const tn_array *column, tn_stream *stream);
/* The same with sorted rows whose duplicates are summed; `column` are below `columns`. Waits. */
TN_API tn_status tn_csr_compress(tn_csr_arrays *result, int64_t rows, int64_t columns,
                                 const tn_array *data, const tn_array *row, const tn_array *column,
                                 tn_stream *stream);
/* The transposed matrix (the same one by columns). Its rows are sorted. */
TN_API tn_status tn_csr_transpose(tn_csr_arrays *result, const tn_csr *a, tn_stream *stream);

/* Sorts every row in place; both arrays are packed, writeable and the matrix' own. */
TN_API tn_status tn_csr_sort(const tn_csr *a, tn_stream *stream);
/* Sums neighbours of equal column: of sorted rows all duplicates. */
TN_API tn_status tn_csr_unite(tn_csr_arrays *result, const tn_csr *a, tn_stream *stream);

/* The product a @ b of the common dtype. Its rows are not sorted. Waits. */
TN_API tn_status tn_csr_product(tn_csr_arrays *result, const tn_csr *a, const tn_csr *b,
                                tn_stream *stream);
/* op(a, b) of elements that either matrix has, the other's being 0; results that are 0 are left
 * out. Both have one shape and the dtype that the operation computes in (of result_dtype), their
 * rows are sorted without duplicates. Waits. */
TN_API tn_status tn_csr_merge(tn_csr_arrays *result, int op, tn_dtype result_dtype, const tn_csr *a,
                              const tn_csr *b, tn_stream *stream);
/* Rows of a: those that `chosen` (i64, one axis) numbers, or (NULL) first, first + step, ..., so
 * many. Waits. */
TN_API tn_status tn_csr_rows(tn_csr_arrays *result, const tn_csr *a, const tn_array *chosen,
                             int64_t first, int64_t step, int64_t rows, tn_stream *stream);

/* Steps of conjugate gradients on a x = b, for a square, symmetric and positive definite matrix of
 * f32 or f64: at most `steps`, ended where the length of the residual is at most `limit`. x, the
 * residual r = b - a x, the direction p (zeros at first) and `numbers` go on in the next call; all
 * are packed, writeable, of a's dtype and different memory. `inverse` (or NULL) is the diagonal of
 * a matrix near the inverse of a. numbers: four of f64, at first the products of r with r times
 * `inverse`, and of r with itself, and two times 0; then the fourth is how many steps were made,
 * and the second the square of the residual's length. CUDA lacks it. */
TN_API tn_status tn_csr_conjugate(const tn_csr *a, const tn_array *inverse, tn_array *x,
                                  tn_array *r, tn_array *p, tn_array *numbers, double limit,
                                  int64_t steps, tn_stream *stream);

/* --- Factors of square matrices ---
 *
 * a[rows, columns] = L U, L with ones on the diagonal. The work is the host's: arrays of other
 * devices are brought there, and solutions back. All these functions wait. */

typedef struct tn_sparse_lu tn_sparse_lu;

/* How columns are ordered, so that the factors have few elements. */
typedef enum tn_sparse_order {
    TN_SPARSE_ORDER_CHOSEN, /* by sum if pivots are likely to be on the diagonal, else by product */
    TN_SPARSE_ORDER_SUM,    /* minimum degree in the graph of a + transposed a */
    TN_SPARSE_ORDER_PRODUCT, /* minimum degree in the graph of transposed a x a */
    TN_SPARSE_ORDER_NATURAL
} tn_sparse_order;

typedef struct tn_sparse_lu_options {
    tn_sparse_order order;
    /* 0 to 1: an element on the diagonal is the pivot if its magnitude is at least this times the
     * largest of its column; negative: 0.1 where the order relies on the diagonal, else 1. */
    double diagonal_threshold;
    /* 0 or more: the factors are incomplete. Elements below it, relative to their column, are
     * dropped, and then the smallest, down to `fill` times the elements that a column of the
     * matrix has on average. A pivot of 0 is replaced. Negative: complete factors. */
    double drop_tolerance, fill;
    /* Factors of more elements are given up, which is TN_ERROR_OVERFLOW; 0: no limit. */
    int64_t most_elements;
} tn_sparse_lu_options;

/* Factors a square matrix that is given by columns: column k has the elements indptr[k] to before
 * indptr[k + 1] of `indices` (its rows) and `data`. Duplicates are summed; dtypes but f32, f64, c64
 * and c128 become f64. TN_ERROR_RUNTIME "Factor is exactly singular" where a pivot is 0,
 * TN_ERROR_VALUE if the matrix is not square or its structure is broken. */
TN_API tn_status tn_sparse_lu_new(tn_sparse_lu **result, const tn_csr *by_columns,
                                  const tn_sparse_lu_options *options, tn_stream *stream);
TN_API void tn_sparse_lu_release(tn_sparse_lu *lu);
/* n, and how many elements L and U have without the diagonal. */
TN_API void tn_sparse_lu_size(const tn_sparse_lu *lu, int64_t *n, int64_t *lower, int64_t *upper);
TN_API tn_dtype tn_sparse_lu_dtype(const tn_sparse_lu *lu);

typedef enum tn_sparse_solve {
    TN_SPARSE_SOLVE_PLAIN,
    TN_SPARSE_SOLVE_TRANSPOSED,
    TN_SPARSE_SOLVE_ADJOINT
} tn_sparse_solve;

/* x of a x = b (or of transposed a, or of its adjoint): b has n rows, one axis or two. The result
 * is a new array on b's device of the factors' dtype, complex if b is. */
TN_API tn_status tn_sparse_lu_solve(tn_array **result, const tn_sparse_lu *lu, tn_sparse_solve how,
                                    const tn_array *b, tn_stream *stream);
/* L and U by columns with their diagonals, of i64 indexes, columns not sorted; arrays of the
 * device that the matrix was on. */
TN_API tn_status tn_sparse_lu_factors(tn_csr_arrays *lower, tn_csr_arrays *upper,
                                      const tn_sparse_lu *lu);
/* Where each row, and each column, of a is in the product L U: arrays of i32 on its
 * device. */
TN_API tn_status tn_sparse_lu_places(tn_array **rows, tn_array **columns, const tn_sparse_lu *lu);

#ifdef __cplusplus
}
#endif
#endif
