/* Sorting and searching.
 *
 * The order of elements is NumPy's: NaN is the largest value, -0 equals 0, complex numbers compare
 * by their real and then their imaginary part, those with a NaN after all others. `*result` NULL
 * on entry means that a new array is made, in the memory order of the input; else that array is
 * written and stays the caller's. It may be the input, or overlap it. `stream` NULL is the current
 * one of the device. */
#ifndef TENORITE_SORT_H
#define TENORITE_SORT_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ranks from `first` to before `end`: of n elements along an axis the smallest has rank 0, the
 * largest n - 1. */
typedef struct tn_rank_range {
    int64_t first, end;
} tn_rank_range;

/* How to sort. Start from TN_SORT_DEFAULTS, which sorts along the last axis. With ranges only the
 * elements of those ranks are sure to stand where they belong: no element before them is larger,
 * none after them smaller. */
typedef struct tn_sort_options {
    int axis;           /* a negative one counts from the end */
    bool is_descending; /* the largest first, so NaN first */
    bool is_stable; /* elements that are equal keep their order; that matters to -0 and 0 alone */
    int64_t range_count;
    const tn_rank_range *ranges; /* NULL: all ranks */
} tn_sort_options;
#define TN_SORT_DEFAULTS                                                                           \
    { -1, false, false, 0, NULL }

/* The elements along an axis in order. A given result has the shape and dtype of the array.
 * TN_ERROR_AXIS, TN_ERROR_VALUE for a range beyond the axis and for a result that is read-only or
 * of another shape, TN_ERROR_TYPE for one of another dtype. */
TN_API tn_status tn_array_sort(tn_array **result, const tn_array *array,
                               const tn_sort_options *options, tn_stream *stream);

/* The positions (i64) along an axis of its elements in order; those of equal elements ascend.
 * Errors as above. */
TN_API tn_status tn_array_argsort(tn_array **result, const tn_array *array,
                                  const tn_sort_options *options, tn_stream *stream);

/* How many elements of `sorted`, one axis in order, are less than each value, or (is_right) less or
 * equal: i64 in the shape of `values`. Both are compared in their common dtype. TN_ERROR_VALUE if
 * `sorted` has another number of axes. */
TN_API tn_status tn_array_searchsorted(tn_array **result, const tn_array *sorted,
                                       const tn_array *values, bool is_right, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
