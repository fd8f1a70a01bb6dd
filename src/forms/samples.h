/* The forms of the family "samples": what is made of a row of values. All arrays are of one
 * dimension and lie side by side unless a stride (bytes) is given. An output overlaps no input. */
#ifndef TNI_FORMS_SAMPLES_H
#define TNI_FORMS_SAMPLES_H

#include <tenorite/array.h>
#include <tenorite/samples.h>

#include <stdbool.h>

/* result[0] is the least value and result[1] the largest, both NaN where a value is NaN. In f64
 * for floats, u64 for unsigned and i64 for other integers (tni_extent_dtype). `count` is at least
 * 1; complex numbers have no extent. */
typedef struct tni_extent {
    tn_dtype dtype;
    const char *values;
    int64_t count, stride;
    char *result;
} tni_extent;

static inline tn_dtype tni_extent_dtype(tn_dtype dtype) {
    tn_kind kind = tn_dtype_kind(dtype);
    return kind == TN_KIND_FLOAT ? TN_F64 : kind == TN_KIND_UNSIGNED ? TN_U64 : TN_I64;
}

/* How many values fall into each bin, or (weights) the sum of their weights.
 *
 * With edges, bin b holds what is edges[b] or more and below edges[b + 1], the last bin what
 * equals its upper edge, too. Without, integer b falls into bin b. What is in no bin, NaN
 * included, is not counted. */
typedef struct tni_histogram {
    tn_dtype dtype;   /* of the values */
    tn_dtype working; /* of comparisons: i64, u64, f32 or f64; i64 without edges */
    const char *values;
    int64_t count, stride;
    const double *weights; /* NULL: every value counts 1 */
    const char *edges;     /* `bins` + 1, ascending; NULL: none */
    bool is_even;          /* (value - first) * scale is close to the bin */
    double first, scale;
    int64_t bins; /* at least 1 */
    char *result; /* i64, or f64 with weights: all of it is written */
} tni_histogram;

/* output[i] = sum over k of array[i + k - lead] * window[k], of the k for which the array has
 * that element.
 *
 * Of b8 (or of ands), integers without a sign (they wrap), f32, f64, c64 and c128. count,
 * length and taps are at least 1, and no output is without a k. */
typedef struct tni_correlate {
    tn_dtype dtype;
    char *output;
    const char *array, *window;
    int64_t count, length, taps, lead;
} tni_correlate;

/* output[i] = the value at x[i] of the line through the points (xp, fp), which ascend: `left`
 * before the first, `right` after the last, NaN at NaN. `points` is at least 1. */
typedef struct tni_interpolate {
    bool is_complex;          /* fp and output are c128, else f64 */
    bool has_left, has_right; /* else the first and the last value of fp */
    const double *x, *xp, *fp;
    double *output;
    int64_t count, points;
    double left[2], right[2];
} tni_interpolate;

/* Of values in parts of so many: the least and the largest of the first `parts` ones, which are
 * whole. A walk over a part whose largest value is not above what it may meet is one step. */
typedef struct tni_peak_values {
    const double *values, *lows, *highs;
    int64_t count, parts;
} tni_peak_values;

/* Of each peak, from which one walks to both sides until a value is above it or is NaN, or `reach`
 * values on: the lowest value of each side, the first of equal ones, is a base. The prominence is
 * the peak's height above the higher base. count and number are at least 1. */
typedef struct tni_peak_bases {
    tni_peak_values of;
    const int64_t *peaks;
    int64_t number, reach;
    double *prominences; /* 0 of a peak that is not within the values */
    int64_t *left, *right;
} tni_peak_bases;

/* Of each peak, from which one walks to both sides until a value is not above the height
 * value - prominence * relative, and no further than the bases: where a line between the last two
 * values has that height. */
typedef struct tni_peak_widths {
    tni_peak_values of; /* `highs` is not read */
    const int64_t *peaks, *left, *right;
    const double *prominences;
    int64_t number;
    double relative;
    double *widths, *heights, *left_places, *right_places;
} tni_peak_widths;

/* Of each place, the last one up to which all values equal the one there. */
typedef struct tni_peak_ends {
    const double *values;
    const int64_t *places;
    int64_t count, number;
    int64_t *ends;
} tni_peak_ends;

/* Rows of flags and rows of bytes whose bits are the flags: (length + 7) / 8 bytes a row. The first
 * flag is the highest bit of the first byte, or (is_little) the lowest.
 *
 * * packbits: input has rows of `length` bytes, of which any but 0 is a set bit; the bits after
 * the last one are 0. unpackbits: output has rows of `length` bytes, 0 or 1, and input rows of
 * `bytes` ones; flags after the last bit are 0. rows and length are at least 1. */
typedef struct tni_packbits {
    const char *input;
    char *output;
    int64_t rows, length;
    bool is_little;
} tni_packbits;

typedef struct tni_unpackbits {
    const char *input;
    char *output;
    int64_t rows, bytes, length;
    bool is_little;
} tni_unpackbits;

#endif
