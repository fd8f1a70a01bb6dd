/* Reductions, scans, and the methods reduce, accumulate, reduceat and at of operations.
 *
 * Everywhere: `*result` NULL on entry means that a new array is made; else that array is written
 * and stays the caller's. It may overlap the input. `stream` NULL is the current one of the
 * device. */
#ifndef TENORITE_REDUCE_H
#define TENORITE_REDUCE_H

#include <tenorite/array.h>
#include <tenorite/operations.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the table src/ops/reduce.def. */
typedef enum tn_reduction {
    TN_REDUCE_SUM,
    TN_REDUCE_PROD,
    TN_REDUCE_MAX,
    TN_REDUCE_MIN,
    TN_REDUCE_ALL,
    TN_REDUCE_ANY,
    TN_REDUCE_MEAN,
    TN_REDUCE_VAR,
    TN_REDUCE_STD,
    TN_REDUCE_PTP,
    TN_REDUCE_COUNT_NONZERO,
    TN_REDUCE_NANSUM,
    TN_REDUCE_NANPROD,
    TN_REDUCE_NANMAX,
    TN_REDUCE_NANMIN,
    TN_REDUCE_NANMEAN,
    TN_REDUCE_NANVAR,
    TN_REDUCE_NANSTD,
    TN_REDUCE_COUNT
} tn_reduction;

typedef enum tn_argreduction {
    TN_ARGMAX,
    TN_ARGMIN,
    TN_NANARGMAX,
    TN_NANARGMIN,
    TN_ARGREDUCTION_COUNT
} tn_argreduction;

typedef enum tn_scan_kind {
    TN_SCAN_CUMSUM,
    TN_SCAN_CUMPROD,
    TN_SCAN_NANCUMSUM,
    TN_SCAN_NANCUMPROD,
    TN_SCAN_COUNT
} tn_scan_kind;

enum { TN_AXES_ALL = -1 };

/* What may be said of a reduction. Start from TN_REDUCE_DEFAULTS, which reduces over all axes. */
typedef struct tn_reduce_options {
    int axis_count;           /* TN_AXES_ALL: every axis; 0: none, each element by itself */
    const int *axes;          /* negative ones count from the end */
    bool keepdims;            /* reduced axes stay, with size 1 */
    bool without_identity;    /* an empty reduction fails even if the operation has an identity */
    tn_dtype dtype;           /* of the computation and of a new result; TN_DTYPE_NONE: NumPy's */
    const tn_array *where;    /* b8 mask that broadcasts to the array: elements that take part */
    const tn_scalar *initial; /* the value that the fold begins with */
    double correction;        /* of var and std: the divisor is the count less this */
} tn_reduce_options;
#define TN_REDUCE_DEFAULTS                                                                         \
    { TN_AXES_ALL, NULL, false, false, TN_DTYPE_NONE, NULL, NULL, 0.0 }

/* The names in Python and their docs ("sum"); "" for an invalid one. */
TN_API const char *tn_reduction_name(tn_reduction reduction);
TN_API const char *tn_reduction_doc(tn_reduction reduction);
TN_API const char *tn_argreduction_name(tn_argreduction reduction);
TN_API const char *tn_argreduction_doc(tn_argreduction reduction);
TN_API const char *tn_scan_name(tn_scan_kind scan);
TN_API const char *tn_scan_doc(tn_scan_kind scan);

/* A reduction; `options` NULL: the defaults. Sums and products of small integers and of bool are
 * i64 or u64, means of integers f64; halves accumulate in f32. A given result is written by an
 * unsafe cast, as in NumPy. TN_ERROR_VALUE for an empty reduction without identity and for shapes,
 * TN_ERROR_AXIS, TN_ERROR_TYPE. */
TN_API tn_status tn_reduce(tn_array **result, tn_reduction reduction, const tn_array *array,
                           const tn_reduce_options *options, tn_stream *stream);

/* The reduction of op(inputs...), as tn_elementwise() followed by tn_reduce(), in one pass where
 * the backend can: the variance of a product reads both operands once. `op` has one or two inputs,
 * which broadcast together, and one output; the dtypes are those of the two calls. */
TN_API tn_status tn_reduce_map(tn_array **result, tn_reduction reduction, tn_op op,
                               const tn_array *const *inputs, const tn_reduce_options *options,
                               tn_stream *stream);

/* The i64 index of an extreme along one axis, or (axis NULL) in the flattened array. The first of
 * equals wins; NaN is an extreme, unless the reduction skips it: then an all-NaN slice is
 * TN_ERROR_VALUE, and the call waits to know. */
TN_API tn_status tn_argreduce(tn_array **result, tn_argreduction reduction, const tn_array *array,
                              const int *axis, bool keepdims, tn_stream *stream);

/* Running sums or products along one axis, or (axis NULL) of the flattened array. With
 * `include_initial` the result is one longer and begins with the identity. */
TN_API tn_status tn_scan(tn_array **result, tn_scan_kind scan, const tn_array *array,
                         const int *axis, tn_dtype dtype, bool include_initial, tn_stream *stream);

/* The `order`-th difference along an axis; not_equal for bool. `prepend` and `append` (NULL: none)
 * are joined to the array first; 0-d ones count as one element along the axis. */
TN_API tn_status tn_diff(tn_array **result, const tn_array *array, int64_t order, int axis,
                         const tn_array *prepend, const tn_array *append, tn_stream *stream);

/* The weighted average over axes (of `options` only axes and keepdims count); weights NULL: the
 * mean. `*weight_sum` (weight_sum NULL: not wanted) is a new array of the result's shape. Weights
 * that sum to zero are TN_ERROR_RUNTIME; the call waits to know. */
TN_API tn_status tn_average(tn_array **result, tn_array **weight_sum, const tn_array *array,
                            const tn_array *weights, const tn_reduce_options *options,
                            tn_stream *stream);

/* op.reduce of a binary operation with one output: folds over axes. One that is not reorderable
 * folds from left to right and takes one axis. */
TN_API tn_status tn_op_reduce(tn_array **result, tn_op op, const tn_array *array,
                              const tn_reduce_options *options, tn_stream *stream);

/* op.accumulate: all running results along an axis. */
TN_API tn_status tn_op_accumulate(tn_array **result, tn_op op, const tn_array *array, int axis,
                                  tn_dtype dtype, tn_stream *stream);

/* op.reduceat: for each i the fold of array[indices[i] : indices[i + 1]] along an axis, of the
 * single element indices[i] where that is empty. `indices` is a 1-d array of integers; one out of
 * bounds is TN_ERROR_INDEX. */
TN_API tn_status tn_op_reduceat(tn_array **result, tn_op op, const tn_array *array,
                                const tn_array *indices, int axis, tn_dtype dtype,
                                tn_stream *stream);

/* op.at: array[indices] = op(array[indices], operand), element by element in order, so an index
 * that comes twice counts twice. `indices` are integer arrays that broadcast together, one for each
 * of the axes `axes` (NULL: the first `count`), in ascending order of axes; the other axes are
 * taken whole. `operand` (for binary operations, else NULL) broadcasts to the shape of
 * array[indices]. An index out of bounds is TN_ERROR_INDEX and nothing is written; the message
 * names the axes `shown` (NULL: `axes`). */
TN_API tn_status tn_op_at(tn_array *array, tn_op op, int count, const int *axes, const int *shown,
                          const tn_array *const *indices, const tn_array *operand,
                          tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
