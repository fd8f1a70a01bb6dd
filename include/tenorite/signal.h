/* Filters of signals: recursive ones, lines that are filtered at another rate, sums over windows.
 *
 * * `*result` receives a new array. `stream` NULL is the current one of the device. */
#ifndef TENORITE_SIGNAL_H
#define TENORITE_SIGNAL_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a recursive filter does beside filtering. */
typedef struct tn_recursion_options {
    int axis;
    bool is_reversed;        /* from the last element of a line to the first */
    const tn_array *initial; /* states before the first element; NULL: zeros */
} tn_recursion_options;

/* Lines of an array (f32, f64, c64, c128) through sections in cascade, each in the transposed
 * direct form II. `coefficients` are [sections, 2, order + 1], order at least 1: the numerator b
 * and the denominator a of each section, which are divided by a[0] in double precision; complex
 * ones need a complex array. States are [sections] with the array's shape, in which the axis is
 * `order` long; `*final` (or NULL) receives those after the last element. TN_ERROR_VALUE for
 * another shape of coefficients or states, TN_ERROR_TYPE for another dtype. */
TN_API tn_status tn_array_recursion(tn_array **result, tn_array **final,
                                    const tn_array *coefficients, const tn_array *array,
                                    const tn_recursion_options *options, tn_stream *stream);

/* At which places a line is filtered: it gets up - 1 zeros after each element, and the outputs are
 * those at first, first + down, ... of what the taps make of it. */
typedef struct tn_upfirdn_options {
    int axis;
    int64_t up, down, first, count;
} tn_upfirdn_options;

/* output[i] = sum over k of taps[k] * line[(first + i down - k) / up], of the k for which that is a
 * place of the line. Taps are real numbers in one dimension, the array is f32, f64, c64 or c128.
 * TN_ERROR_VALUE for no taps, up or down below 1 or not below 2**31, first or count below 0,
 * TN_ERROR_TYPE for other dtypes. */
TN_API tn_status tn_array_upfirdn(tn_array **result, const tn_array *taps, const tn_array *array,
                                  const tn_upfirdn_options *options, tn_stream *stream);

/* result[i] = sum over k of array[i + k - before] * window[k], in the common dtype of both, which
 * have equally many axes. before[axis] and after[axis] elements `fill` are thought around the array
 * (NULL: none). Sums of bools are "or". TN_ERROR_VALUE where the window does not fit. */
TN_API tn_status tn_array_windowed(tn_array **result, const tn_array *array, const tn_array *window,
                                   const int64_t *before, const int64_t *after,
                                   const tn_scalar *fill, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
