/* The forms of the family "signal": filters of lines, and sums over windows. Arrays are packed;
 * an output overlaps no input. Lines are the middle axis of [outer][length][inner]. */
#ifndef TNI_FORMS_SIGNAL_H
#define TNI_FORMS_SIGNAL_H

#include <tenorite/array.h>

#include <stdbool.h>

/* Recursive filters: sections in cascade, of which each is a rational function of the same order
 * in the transposed direct form II (Oppenheim and Schafer, Discrete-Time Signal Processing, 6.3.4):
 *
 *     y = b[0] x + z[0];  z[k] = z[k + 1] + b[k + 1] x - a[k + 1] y, z[order] being 0
 *
 * Coefficients are f64, or c128 where dtype is complex, and are divided by a[0] first. All sizes
 * are at least 1, sections at most 8, and 1 of orders above 2. The output may be the input. */
typedef struct tni_recursion {
    tn_dtype dtype;   /* of input, output and states: f32, f64, c64, c128 */
    bool is_reversed; /* from the last element of a line to the first */
    int64_t sections, order;
    int64_t outer, length, inner;
    const char *coefficients; /* [sections][2][order + 1]: b, then a */
    const char *input;
    char *output;
    const char *initial; /* states [sections][outer][order][inner]; NULL: zeros */
    char *final;         /* the same after the last element; NULL: not wanted */
} tni_recursion;

/* Lines with up - 1 zeros after each element, filtered by taps, of which each down-th is kept:
 *
 *     output[i] = sum over k of taps[k] * line[(first + i down - k) / up]
 *
 * of the k for which that is a whole number and a place of the line. Of f32 and f64. All sizes are
 * at least 1, and first is not negative. */
typedef struct tni_upfirdn {
    tn_dtype dtype;
    int64_t outer, length, inner, count; /* output: [outer][count][inner] */
    int64_t tap_count, up, down, first;
    const char *taps, *input;
    char *output;
} tni_upfirdn;

/* output[i] = sum over k of array[i + k] * window[k], i and k having `ndim` axes; only where all of
 * the window lies on the array. Dtypes are those of tni_correlate, all sizes at least 1. */
typedef struct tni_windowed {
    tn_dtype dtype;
    int ndim;
    int64_t shape[TN_MAX_NDIM], window_shape[TN_MAX_NDIM];
    const char *array, *window;
    char *output;
} tni_windowed;

#endif
