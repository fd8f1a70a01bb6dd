/* Images between their elements: splines through elements, and their values elsewhere.
 *
 * * Elements are the values at whole coordinates of a spline, a sum of shifted B-splines. Its
 * coefficients are found by a recursive filter along each axis (Unser, Aldroubi and Eden, B-spline
 * signal processing, IEEE Transactions on Signal Processing 41, 1993). * `*result` receives a new
 * array. `stream` NULL is the current one of the device. */
#ifndef TENORITE_IMAGE_MAP_H
#define TENORITE_IMAGE_MAP_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TN_SPLINE_ORDER = 5 };

/* How an image goes on beyond its edges. CONSTANT: a value, and nothing between it and the edge;
 * GRID_CONSTANT: elements of that value. REFLECT: about the edge of the last element, MIRROR: about
 * its centre. WRAP: the last element lies on the first, GRID_WRAP: beside it. */
typedef enum tn_spline_border {
    TN_BORDER_NEAREST,
    TN_BORDER_WRAP,
    TN_BORDER_REFLECT,
    TN_BORDER_MIRROR,
    TN_BORDER_CONSTANT,
    TN_BORDER_GRID_WRAP,
    TN_BORDER_GRID_CONSTANT,
    TN_BORDER_COUNT
} tn_spline_border;

/* The dtype in which splines through elements of a dtype are computed: f32 for bool, integers of
 * one and two bytes and floats of at most four, else f64; of complex numbers c64 and c128. */
TN_API tn_dtype tn_spline_dtype(tn_dtype dtype);

/* The coefficients along `count` axes of the spline of order 2 to 5 through the elements, in a
 * dtype of tn_spline_dtype(). TN_ERROR_VALUE for another order, border or axis. */
TN_API tn_status tn_array_spline(tn_array **result, const tn_array *array, int order,
                                 tn_spline_border border, int count, const int *axes,
                                 tn_dtype dtype, tn_stream *stream);

/* Where the elements of a result lie on an image, and what the image is between its elements. */
typedef struct tn_image_map {
    int order; /* of the spline, 0 to 5 */
    tn_spline_border border;
    bool filters;     /* the array has elements, else coefficients */
    double cval[2];   /* of CONSTANT and GRID_CONSTANT: real, imaginary */
    tn_dtype dtype;   /* of the result; real only if the array is */
    tn_array *output; /* that the result is written to, of its shape; NULL: a new one */
    int ndim;         /* of the result; of the matrix: its columns */
    const int64_t *shape;
    const double *matrix; /* rows: axes of the array; NULL: see zoom */
    const double *offset;
    uint64_t planes; /* a bit for each axis of the array whose row is copied, not interpolated */
    const double *zoom,
        *shift; /* without a matrix: along each axis (index + shift) * zoom + after */
    double after;
} tn_image_map;

/* The values of an image at matrix @ index + offset, or along each axis apart. An axis along which
 * places are whole and in range is copied where the array has elements. TN_ERROR_VALUE for an order
 * or border that is none and for a shape that does not fit, TN_ERROR_NOT_IMPLEMENTED for more than
 * 16 axes. */
TN_API tn_status tn_array_map(tn_array **result, const tn_array *array, const tn_image_map *map,
                              tn_stream *stream);

/* The values at coordinates, an array of shape (axes of the array, ...) of real numbers; of `map`
 * ndim, shape and all after it are not used. */
TN_API tn_status tn_array_map_coordinates(tn_array **result, const tn_array *array,
                                          const tn_array *coordinates, const tn_image_map *map,
                                          tn_stream *stream);

/* What a Fourier transform is multiplied with. */
typedef enum tn_fourier_filter {
    TN_FOURIER_GAUSSIAN,
    TN_FOURIER_UNIFORM,
    TN_FOURIER_ELLIPSOID,
    TN_FOURIER_SHIFT,
    TN_FOURIER_FILTERS
} tn_fourier_filter;

/* A Fourier transform times that of a Gaussian (sizes: its deviations), a box, an ellipse or
 * ellipsoid (of one to three axes), or of a shift by `sizes`, one for each axis. Along `axis` it is
 * the half of the transform of n real numbers, where n is not negative. f32, f64, c64 or c128 as
 * `dtype` says, complex for a shift. Into `output`, of the array's shape, where that is not NULL.
 * TN_ERROR_VALUE for an axis or a filter that is none, or more axes than an ellipsoid has. */
TN_API tn_status tn_array_fourier_filter(tn_array **result, const tn_array *array,
                                         tn_fourier_filter filter, const double *sizes, int64_t n,
                                         int axis, tn_dtype dtype, tn_array *output,
                                         tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
