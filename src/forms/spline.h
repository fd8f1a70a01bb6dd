/* The forms of the family "spline". All arrays are packed. */
#ifndef TNI_FORMS_SPLINE_H
#define TNI_FORMS_SPLINE_H

#include <tenorite/spline.h>

#include <stdbool.h>

enum {
    TNI_SPLINE_AXES = 8,   /* at most */
    TNI_SPLINE_TERMS = 128 /* of all axes together */
};

/* A variable. Interval j lies between knots[j] and knots[j + 1], which descend if the last of them
 * is below the first; that of x is the last one whose
 * start x has reached, 0 where that is none. B-splines read the degree's number of knots before and
 * after all intervals. */
typedef struct tni_spline_axis {
    const double *knots;
    int64_t intervals;  /* 0: one knot, of values at knots */
    int64_t terms;      /* coefficients of an interval */
    int64_t derivative; /* of powers: terms are without those that it takes away */
    int64_t step, tap;  /* from interval to interval, from term to term, in doubles */
} tni_spline_axis;

/* output[i] = sum over the terms of all variables of a coefficient times the product of its
 * factors. Without coefficients: output[i] are the factors, variable by variable, and places[i] the
 * intervals. Of is_outside[axis] is 1 if some x is not within its knots, else 0. */
typedef struct tni_spline {
    tn_spline_basis basis;
    tn_spline_outside outside;
    int ndim;
    int parts;      /* 2 of complex coefficients */
    double fill[2]; /* where an x is beyond the knots, if outside is FILL */
    tni_spline_axis axes[TNI_SPLINE_AXES];
    const double *coefficients, *x; /* x: count x ndim */
    double *output;                 /* count x width */
    int64_t *places;                /* count x ndim */
    char *is_outside;               /* or NULL */
    int64_t count, width;           /* width in doubles */
} tni_spline;

/* Row i of `matrix`: elements of the columns i - lower to i + upper + lower, those of the last
 * `lower` columns and those beyond the matrix 0, and one more that is not read. The matrix is
 * destroyed, and b (n x width) becomes the solution. */
typedef struct tni_banded {
    double *matrix, *b;
    int64_t n, lower, upper, width;
    const char *failure; /* the text of TN_ERROR_LINALG for a pivot of 0 */
} tni_banded;

static inline int64_t tni_banded_columns(int64_t lower, int64_t upper) {
    return 2 * lower + upper + 2;
}

#endif
