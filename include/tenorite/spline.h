/* Splines: B-splines, piecewise polynomials and values on grids, of one or several variables.
 *
 * All is computed in f64, or c128 where the coefficients are complex. `*result` receives a new
 * array. `stream` NULL is the current one of the device. */
#ifndef TENORITE_SPLINE_H
#define TENORITE_SPLINE_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the coefficients of an interval are factors of. */
typedef enum tn_spline_basis {
    TN_SPLINE_KNOTS,     /* B-splines of degree terms - 1: one coefficient a B-spline */
    TN_SPLINE_POWERS,    /* powers of x less the interval's start, the highest first */
    TN_SPLINE_BERNSTEIN, /* Bernstein's polynomials of the interval */
    TN_SPLINE_LINEAR,    /* values at the knots, and lines between them */
    TN_SPLINE_NEAREST    /* the value at the nearer knot; in the middle that at the lower one */
} tn_spline_basis;

/* What stands beyond the first and the last interval. NaN gives NaN. */
typedef enum tn_spline_outside {
    TN_SPLINE_EXTRAPOLATE, /* what the interval beside it says */
    TN_SPLINE_FILL,        /* a value */
    TN_SPLINE_PERIODIC,
    TN_SPLINE_CLAMP /* the value at the end */
} tn_spline_outside;

/* A variable. */
typedef struct tn_spline_axis {
    const tn_array
        *knots;         /* real, one axis; of powers and Bernstein's polynomials also descending */
    int64_t terms;      /* coefficients of an interval; not read of values at knots */
    int64_t derivative; /* of B-splines and powers */
} tn_spline_axis;

/* The coefficients have, for B-splines and values at knots, an axis for each variable; for powers
 * and Bernstein's polynomials an axis of terms for each variable, then one of intervals for each;
 * after them any others, which the result has, too. */
typedef struct tn_spline {
    tn_spline_basis basis;
    tn_spline_outside outside;
    double fill[2]; /* real and imaginary part */
    int ndim;       /* variables, 8 at most */
    const tn_spline_axis *axes;
    const tn_array *coefficients;
} tn_spline;

/* The values at `x`, whose last axis holds the variables if they are several. `is_outside` (may be
 * NULL) receives bools, one a variable: whether an x lies beyond its knots or is NaN.
 * TN_ERROR_VALUE for shapes that do not fit and for fewer knots than an interval needs,
 * TN_ERROR_TYPE for complex x or knots, TN_ERROR_NOT_IMPLEMENTED for more than 8 variables or 128
 * terms in all. */
TN_API tn_status tn_spline_evaluate(tn_array **result, tn_array **is_outside,
                                    const tn_spline *spline, const tn_array *x, tn_stream *stream);

/* The factors of the coefficients at `x` (f64), side by side on a last axis, and of each variable
 * the number of the first coefficient (i64), as x. `coefficients` is not read. */
TN_API tn_status tn_spline_weights(tn_array **weights, tn_array **places, const tn_spline *spline,
                                   const tn_array *x, tn_stream *stream);

/* Solves a system whose matrix has `lower` diagonals below its main one and `upper` above it: row i
 * of `rows` (n x (lower + upper + 1), real) holds the elements of columns i - lower to i + upper;
 * those beyond the matrix are not read. `b` is n x anything. Rows are exchanged for the largest
 * pivot. TN_ERROR_LINALG with the text `failure`, which stays, for a pivot of 0 (on CUDA from the
 * next call that waits), TN_ERROR_VALUE for shapes that do not fit. */
TN_API tn_status tn_spline_solve_banded(tn_array **result, const tn_array *rows, int64_t lower,
                                        int64_t upper, const tn_array *b, const char *failure,
                                        tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
