/* The forms of the family "image" that interpolate, and filters of Fourier transforms. Arrays lie
 * in order C, and an output overlaps no input, unless it is said otherwise. Complex numbers are two
 * real ones beside each other. */
#ifndef TNI_FORMS_IMAGE_MAP_H
#define TNI_FORMS_IMAGE_MAP_H

#include <tenorite/image_map.h>

#include <stdbool.h>

enum {
    TNI_MAP_AXES = 16,
    TNI_MAP_INNER = 16, /* numbers beside each other at most that share a place */
    TNI_SPLINE_SHORT = 24,
    TNI_SPLINE_PAD = 12 /* elements beyond an edge for which a border has no formula */
};

/* A border under which the filter knows how lines go on. */
typedef enum tni_spline_fold { TNI_FOLD_MIRROR, TNI_FOLD_REFLECT, TNI_FOLD_WRAP } tni_spline_fold;

static inline tni_spline_fold tni_spline_fold_of(tn_spline_border border) {
    return border == TN_BORDER_GRID_WRAP                                ? TNI_FOLD_WRAP
           : border == TN_BORDER_NEAREST || border == TN_BORDER_REFLECT ? TNI_FOLD_REFLECT
                                                                        : TNI_FOLD_MIRROR;
}

/* The coefficients of the B-splines of an order through lines along the middle one of three axes,
 * of f32 or f64. `pad` numbers are put before and after each line first: those at its ends, or
 * (is_constant) outside[], of which inner index k has outside[k % parts].
 *
 * For each pole z the line, which goes on as `fold` says, is filtered forwards, y[k] = x[k] +
 * z y[k - 1], and backwards, c[k] = z c[k + 1] + (1 - z)^2 y[k]. What is so far away that the
 * dtype's rounding hides it (tni_spline_halo) is left out, so that pieces of a line are independent
 * of each other.
 *
 * A line of fewer than TNI_SPLINE_SHORT numbers, pad included, may be filtered without numbers
 * beyond its ends: what stands before y[0] is a sum over a period. */
typedef struct tni_image_spline {
    tn_dtype dtype;
    int order;
    tni_spline_fold fold;
    const char *input; /* outer x length x inner */
    char *output;      /* outer x (length + 2 pad) x inner */
    int64_t outer, length, inner, pad;
    bool is_constant;
    int parts;
    double outside[2];
} tni_image_spline;

/* The poles of the filter of an order, the largest first; gives how many. */
static inline int tni_spline_poles(int order, double poles[2]) {
    static const double all[][2] = {{-0.17157287525380990240, 0},
                                    {-0.26794919243112270647, 0},
                                    {-0.36134122590022017709, -0.013725429297339121361},
                                    {-0.43057534709997379191, -0.043096288203264653823}};
    poles[0] = all[order - 2][0];
    poles[1] = all[order - 2][1];
    return order < 4 ? 1 : 2;
}

/* Numbers beyond an end of a piece that change it by more than rounding. */
static inline int tni_spline_halo(int order, tn_dtype dtype) {
    static const int singles[] = {10, 14, 18, 22}, doubles[] = {22, 30, 39, 48};
    return dtype == TN_F32 ? singles[order - 2] : doubles[order - 2];
}

/* The number of a line of `length` ones that stands at `at`, also beyond its ends. */
static inline int64_t tni_spline_folded(int64_t at, int64_t length, tni_spline_fold fold) {
    if (at >= 0 && at < length) return at;
    if (length == 1) return 0;
    if (at < 0 && at > -length && fold == TNI_FOLD_MIRROR) return -at;
    if (at < 0 && at >= -length && fold == TNI_FOLD_REFLECT) return -1 - at;
    const int64_t period = fold == TNI_FOLD_MIRROR    ? 2 * length - 2
                           : fold == TNI_FOLD_REFLECT ? 2 * length
                                                      : length;
    at %= period;
    at += at < 0 ? period : 0;
    return at < length ? at : fold == TNI_FOLD_MIRROR ? period - at : period - 1 - at;
}

/* Where the places of outputs are from. */
typedef enum tni_map_places {
    TNI_MAP_AT,     /* coordinates, one row for each mapped axis */
    TNI_MAP_AFFINE, /* matrix @ index + offset */
    TNI_MAP_APART   /* (index + shift) * zoom + after, along each mapped axis by itself */
} tni_map_places;

/* output[index] = the spline's value at a place of the input, of which some axes are mapped and
 * others copied. `inner` numbers beside each other share a place; they follow all axes. Computed in
 * `dtype`, places in f64. Where a place is not a number, or lies beyond the edges of CONSTANT, the
 * output is outside[k % parts]. Outputs are rounded to integers away from zero and cut to their
 * range, and a bool is whether an integer so cut off is not 0. */
typedef struct tni_image_map {
    tn_dtype dtype;  /* f32 or f64: of the coefficients */
    tn_dtype output; /* of the result: any real one */
    const char *input;
    char *result;
    int order;
    tn_spline_border border;
    int inner, parts;
    double outside[2];
    double pad; /* is added to places */
    int mapped;
    int64_t sizes[TNI_MAP_AXES], steps[TNI_MAP_AXES]; /* of the input's axes, steps in numbers */
    int axes;                                         /* of the result; `at`: one */
    int64_t shape[TNI_MAP_AXES];
    int64_t walk[TNI_MAP_AXES]; /* of a copied axis the step in the input, else 0 */
    int64_t count;              /* the product of `shape`, at least 1 */
    tni_map_places places;
    const char *coordinates; /* f64, or (is_single) f32 */
    bool is_single;
    double matrix[TNI_MAP_AXES * TNI_MAP_AXES]; /* [mapped][axes] */
    double offset[TNI_MAP_AXES];                /* of affine places; of others the shift */
    double zoom[TNI_MAP_AXES];
    double after;
    int of[TNI_MAP_AXES]; /* the result's axis of a mapped one */
} tni_image_map;

/* output = input * the factor of an element's frequencies. Along axis k those are j / n[k], for j
 * from 0 up to n[k] / 2 and then from its negative, or (is_half) for all j from 0. */
typedef struct tni_image_fourier {
    tn_fourier_filter filter;
    tn_dtype dtype; /* f32, f64, c64 or c128: of both arrays */
    const char *input;
    char *output; /* may be the input */
    int axes;
    int64_t shape[TNI_MAP_AXES];
    double n[TNI_MAP_AXES], sizes[TNI_MAP_AXES];
    bool is_half[TNI_MAP_AXES];
    int64_t count; /* at least 1 */
} tni_image_fourier;

#endif
