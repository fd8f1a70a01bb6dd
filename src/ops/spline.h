/* B-splines between elements: where a place lies on an image, and the weights of the elements about
 * it. Borders have the numbers of tn_spline_border (include/tenorite/image_map.h).
 *
 * A spline of order n at a place is a sum over n + 1 elements, from `m_spline_first` on. Its pieces
 * are those of the central B-splines (Schoenberg, 1946). */
#ifndef TNI_OPS_SPLINE_H
#define TNI_OPS_SPLINE_H

#include "scalar.h"

enum {
    M_SPLINE_NEAREST,
    M_SPLINE_WRAP,
    M_SPLINE_REFLECT,
    M_SPLINE_MIRROR,
    M_SPLINE_CONSTANT,
    M_SPLINE_GRID_WRAP,
    M_SPLINE_GRID_CONSTANT
};

#define M_SPLINE_NOWHERE (-100.0)

/* The place on an axis of `size` elements that shows what is at `at`, outside of 0 .. size - 1,
 * with SciPy's roundings; M_SPLINE_NOWHERE where that is the value beyond all edges. */
TN_FN double m_spline_place(double at, tn_i64 size, int border) {
    const double last = (double)(size - 1), low = -8, high = (double)size + 8;
    const int is_before = at < 0;
    double place = at, period;
    if (at != at || border == M_SPLINE_CONSTANT) return M_SPLINE_NOWHERE;
    if (border == M_SPLINE_NEAREST) return at < low ? low : at > high ? high : at;
    if (border == M_SPLINE_GRID_CONSTANT) return at < low || at > high ? M_SPLINE_NOWHERE : at;
    if (size <= 1) return 0;
    switch (border) {
    case M_SPLINE_MIRROR:
        period = 2 * last;
        if (is_before) {
            place = period * trunc(-at / period) + at;
            place = place <= -last ? place + period : -place;
        } else {
            place = at - period * trunc(at / period);
            if (place >= (double)size) place = period - place;
        }
        break;
    case M_SPLINE_REFLECT:
        period = 2 * (double)size;
        if (is_before) {
            if (at < -period) place = period * trunc(-at / period) + at;
            place = place < (double)-size ? place + period : (place > -1e-15 ? 1e-15 : -place) - 1;
        } else {
            place = at - period * trunc(at / period);
            if (place >= (double)size) place = period - place - 1;
        }
        break;
    case M_SPLINE_WRAP:
        place = is_before ? at + last * (trunc(-at / last) + 1) : at - last * trunc(at / last);
        break;
    default:
        period = (double)size;
        place = is_before ? at + period * (trunc((-1 - at) / period) + 1)
                          : at - period * trunc(at / period);
    }
    return place > -1 && place <= (double)size ? place : M_SPLINE_NOWHERE;
}

/* The element that stands for element `at` of an axis; -1: none does. */
TN_FN tn_i64 m_spline_tap(tn_i64 at, tn_i64 size, int border) {
    tn_i64 period;
    if (at >= 0 && at < size) return at;
    if (border == M_SPLINE_GRID_CONSTANT) return -1;
    if (border == M_SPLINE_NEAREST) return at < 0 ? 0 : size - 1;
    if (size == 1) return 0;
    period = border == M_SPLINE_GRID_WRAP ? size
             : border == M_SPLINE_REFLECT ? 2 * size
                                          : 2 * size - 2;
    at %= period;
    at += at < 0 ? period : 0;
    if (at < size) return at;
    return border == M_SPLINE_REFLECT ? period - 1 - at : period - at;
}

/* The middle of the elements about a place: less order / 2 it is the first of them. */
TN_FN double m_spline_middle(double place, int order) {
    return floor(order & 1 ? place : place + 0.5);
}

/* w[0 .. order] of the elements from the first one on; x is the place less the middle. */
#define M_SPLINE_WEIGHTS(T, S)                                                                     \
    TN_FN void TN_LOCAL(spline_weights, S)(T * w, T x, int order) {                                \
        const T z = 1 - x, y = x * x;                                                              \
        T t;                                                                                       \
        switch (order) {                                                                           \
        case 0: w[0] = 1; return;                                                                  \
        case 1: w[0] = z; break;                                                                   \
        case 2:                                                                                    \
            t = (T)0.5 - x;                                                                        \
            w[0] = (T)0.5 * t * t;                                                                 \
            w[1] = (T)0.75 - y;                                                                    \
            break;                                                                                 \
        case 3:                                                                                    \
            w[0] = z * z * z / 6;                                                                  \
            w[1] = (y * (x - 2) * 3 + 4) / 6;                                                      \
            w[2] = (z * z * (z - 2) * 3 + 4) / 6;                                                  \
            break;                                                                                 \
        case 4:                                                                                    \
            t = (T)0.5 - x;                                                                        \
            t *= t;                                                                                \
            w[0] = t * t / 24;                                                                     \
            t = 1 + x;                                                                             \
            w[1] = (t * (t * (t * (5 - t) * 4 - 30) + 5) * 4 + 55) / 96;                           \
            w[2] = y * (y * (T)0.25 - (T)0.625) + (T)(115.0 / 192);                                \
            w[3] = (z * (z * (z * (5 - z) * 4 - 30) + 5) * 4 + 55) / 96;                           \
            break;                                                                                 \
        default:                                                                                   \
            t = z * z;                                                                             \
            w[0] = z * t * t / 120;                                                                \
            t = 1 + x;                                                                             \
            w[1] = t * (t * (t * (t * (t / 24 - (T)0.375) + (T)1.25) - (T)1.75) + (T)0.625) +      \
                   (T)0.425;                                                                       \
            w[2] = y * (y * ((T)0.25 - x / 12) - (T)0.5) + (T)0.55;                                \
            t = z * z;                                                                             \
            w[3] = t * (t * ((T)0.25 - z / 12) - (T)0.5) + (T)0.55;                                \
            t = 1 + z;                                                                             \
            w[4] = t * (t * (t * (t * (t / 24 - (T)0.375) + (T)1.25) - (T)1.75) + (T)0.625) +      \
                   (T)0.425;                                                                       \
        }                                                                                          \
        t = 1;                                                                                     \
        for (int k = 0; k < order; k++)                                                            \
            t -= w[k];                                                                             \
        w[order] = t;                                                                              \
    }
M_SPLINE_WEIGHTS(float, f32)
M_SPLINE_WEIGHTS(double, f64)
#undef M_SPLINE_WEIGHTS

/* What an integer of `bits` bits is made of: rounded away from zero and cut to its range; not a
 * number is 0. */
TN_FN double m_spline_rounded(double value, int bits, int is_signed) {
    const double most = (double)((tn_u64)1 << (bits - 1)) * (is_signed ? 1 : 2);
    if (value != value) return 0;
    value = value > 0 ? value + 0.5 : is_signed ? value - 0.5 : 0;
    if (value >= most) return most > 0x1p53 ? most * (1 - 0x1p-53) : most - 1;
    return is_signed && value <= -most ? -most : trunc(value);
}

#endif
