/* What is made of rows of values: histograms, correlations, interpolation, packed bits.
 *
 * * Arrays have one dimension, where nothing else is said. `*result` receives a new array. `stream`
 * NULL is the current one of the device. */
#ifndef TENORITE_SAMPLES_H
#define TENORITE_SAMPLES_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The least and the largest of real values; both are NaN where a value is. Of bool and signed
 * integers as i64, of unsigned ones as u64, of floats as f64. TN_ERROR_VALUE for no values,
 * TN_ERROR_TYPE for complex ones. Waits. */
TN_API tn_status tn_array_extent(tn_scalar *least, tn_scalar *largest, const tn_array *array,
                                 tn_stream *stream);

/* How often each of 0, 1, 2, ... is in an array of integers (i64), or (weights not NULL) the sum
 * of the weights beside it (f64): as many elements as the largest value needs, and at least
 * `minlength`. Waits. TN_ERROR_VALUE for negative values or length and for weights of another
 * length, TN_ERROR_TYPE for dtypes that are not cast safely. */
TN_API tn_status tn_array_bincount(tn_array **result, const tn_array *array,
                                   const tn_array *weights, int64_t minlength, tn_stream *stream);

/* The slices along an axis, each as often as `counts` (i64, one axis) says, in order C. Waits.
 * TN_ERROR_VALUE for negative counts and for another number of them. */
TN_API tn_status tn_array_repeat_each(tn_array **result, const tn_array *array, int axis,
                                      const tn_array *counts, tn_stream *stream);

/* Where bins lie evenly: (value - first) * scale is about the number of the bin. */
typedef struct tn_even_bins {
    double first, scale;
} tn_even_bins;

/* How many values lie in each bin between ascending edges (i64), or (weights not NULL) the sum of
 * their weights (f64). The last bin includes its upper edge. Values and edges are compared in
 * their common dtype, or (even not NULL) in that of the edges. TN_ERROR_VALUE for fewer than two
 * edges and for weights of another length, TN_ERROR_TYPE for complex values. */
TN_API tn_status tn_array_histogram(tn_array **result, const tn_array *array, const tn_array *edges,
                                    const tn_even_bins *even, const tn_array *weights,
                                    tn_stream *stream);

/* Which places of a window take part: those where all of it lies on the array, those that give as
 * many outputs as the longer of both, all that touch it. */
typedef enum tn_correlate_mode {
    TN_CORRELATE_VALID,
    TN_CORRELATE_SAME,
    TN_CORRELATE_FULL
} tn_correlate_mode;

/* Sums of products of an array with a window that slides along it (not conjugated), in the common
 * dtype of both. If the window is longer than the array they change places and the result is
 * reversed. TN_ERROR_VALUE for one that is empty or has another number of axes. */
TN_API tn_status tn_array_correlate(tn_array **result, const tn_array *array,
                                    const tn_array *window, tn_correlate_mode mode,
                                    tn_stream *stream);

/* The values at `x` (any shape) of the line through the points (xp, fp), f64 or c128 as fp is: xp
 * ascends. `left` and `right` stand before the first and after the last point (NULL: its value).
 * TN_ERROR_VALUE for no points, or for xp and fp of two lengths or of several dimensions,
 * TN_ERROR_TYPE for complex x or xp. */
TN_API tn_status tn_array_interpolate(tn_array **result, const tn_array *x, const tn_array *xp,
                                      const tn_array *fp, const tn_scalar *left,
                                      const tn_scalar *right, tn_stream *stream);

/* --- Peaks: of `values` (f64), where `peaks` (i64) lie. --- */

/* Values in parts of so many. `lows` and `highs` have the least and the largest of each whole part,
 * NaN where one is, or are empty: then every value is looked at. */
enum { TN_PEAK_PART = 256 };

/* How far each peak stands out (f64): its height above the higher of two bases, which are the
 * lowest values (i64, the nearest of equal ones) before and after it, as far as nothing is higher
 * and no further than `reach` (negative: anywhere). A peak that is not within the values stands out
 * 0. TN_ERROR_VALUE for arrays of several dimensions, TN_ERROR_TYPE for other dtypes. */
TN_API tn_status tn_array_peak_bases(tn_array **prominences, tn_array **left, tn_array **right,
                                     const tn_array *values, const tn_array *lows,
                                     const tn_array *highs, const tn_array *peaks, int64_t reach,
                                     tn_stream *stream);
/* How wide each peak is (f64, all four): between the places, to the left and to the right, where
 * lines through the values cross the height that is `relative` prominences below it, and no further
 * than its bases; that height; both places. Zeros where a peak is not between bases within the
 * values. Errors as of tn_array_peak_bases(). */
TN_API tn_status tn_array_peak_widths(tn_array *results[4], const tn_array *values,
                                      const tn_array *lows, const tn_array *peaks,
                                      const tn_array *prominences, const tn_array *left,
                                      const tn_array *right, double relative, tn_stream *stream);
/* The last place (i64) up to which all values equal the one at each of `places` (i64); a place that
 * is not within the values is its own end. Errors as of tn_array_peak_bases(). */
TN_API tn_status tn_array_peak_ends(tn_array **ends, const tn_array *values, const tn_array *places,
                                    tn_stream *stream);
/* Which peaks (i64, ascending) are kept (b8) if none may have one of higher rank nearer than
 * `distance`: `order` (i64) has the numbers of peaks, of ascending rank. Computed on the host, one
 * after the other, whatever the device. Waits. */
TN_API tn_status tn_array_peaks_apart(tn_array **kept, const tn_array *peaks, const tn_array *order,
                                      int64_t distance, tn_stream *stream);

/* --- Flags and bits: arrays of any shape, along an axis (NULL: all elements in order C). --- */

/* Elements of bool or integers as bits of bytes (u8), eight a byte, those that are not 0 set. The
 * first is the highest bit, or (is_little) the lowest. TN_ERROR_TYPE for other dtypes. */
TN_API tn_status tn_array_packbits(tn_array **result, const tn_array *array, const int *axis,
                                   bool is_little, tn_stream *stream);
/* The bits of bytes (u8) as elements 0 and 1 (u8). count (NULL: all bits) is how many there are in
 * the result, zeros after the last one; a negative one leaves so many out. TN_ERROR_TYPE for other
 * dtypes, TN_ERROR_VALUE for a count that leaves out more than there are. */
TN_API tn_status tn_array_unpackbits(tn_array **result, const tn_array *array, const int *axis,
                                     const int64_t *count, bool is_little, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
