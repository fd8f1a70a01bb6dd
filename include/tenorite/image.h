/* What is made of images: arrays of any number of axes whose elements have neighbours.
 *
 * `stream` NULL is the current one of the device. */
#ifndef TENORITE_IMAGE_H
#define TENORITE_IMAGE_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What stands beyond the ends of an axis with the elements abcd, with the numbers that SciPy gives
 * them: aaaa, the other end's (abcd again), dcba, dcb, one value. */
typedef enum tn_image_edge {
    TN_EDGE_NEAREST,
    TN_EDGE_WRAP,
    TN_EDGE_REFLECT,
    TN_EDGE_MIRROR,
    TN_EDGE_CONSTANT
} tn_image_edge;

/* What is computed of the elements in a window. */
typedef enum tn_window_op {
    TN_WINDOW_SUM,   /* of weight * element */
    TN_WINDOW_LEAST, /* of element - weight */
    TN_WINDOW_MOST,  /* of element + weight */
    TN_WINDOW_RANK   /* the element with so many before it in ascending order */
} tn_window_op;

enum { TN_WINDOW_VALUES = 64 };

/* A window over all axes of an image. At element i of an axis it holds the elements i - low to
 * i - low + size - 1. */
typedef struct tn_window {
    tn_window_op op;
    const int64_t *size, *low;  /* by axis; sizes are at least 1 */
    const tn_image_edge *edges; /* by axis */
    double beyond;              /* TN_EDGE_CONSTANT: the value */
    const tn_array *places;     /* i32 [count], of the box in order C; NULL: all of it */
    const tn_array *weights;    /* of the places, in order C; NULL: `values`, or none */
    const double *values;       /* the same for up to TN_WINDOW_VALUES places, in host memory */
    int64_t rank;               /* of TN_WINDOW_RANK: below the number of places */
    const tn_array *mask;       /* b8 of the image's shape: elsewhere elements stay; or NULL */
    bool is_wide; /* sums of f32 and the halves are of f64 also where the result is not wider */
} tn_window;

/* The window's result at each element, in the dtype of `output`, which has the shape of the input
 * and may share its memory. Sums are computed in f32 where both are f32 or halves, else in f64; the
 * other operations in the input's dtype, to which weights are converted. TN_ERROR_VALUE for windows
 * that are not such, TN_ERROR_TYPE for complex numbers. */
TN_API tn_status tn_image_filter(tn_array *output, const tn_array *input, const tn_window *window,
                                 tn_stream *stream);

/* A window over one axis. */
typedef struct tn_axis_window {
    int axis;
    int64_t size, low;
    tn_image_edge edge;
    const double *values; /* of a sum; NULL: all 1, and sums are divided by the size */
} tn_axis_window;

/* Windows over some axes, one after the other, as so many calls of tn_image_filter with results in
 * the output's dtype. No window: a copy. */
TN_API tn_status tn_image_filter_axes(tn_array *output, const tn_array *input, tn_window_op op,
                                      int count, const tn_axis_window *windows, double beyond,
                                      bool is_wide, tn_stream *stream);

/* Sets elements of `image` (b8) where the mask (b8 of its shape; NULL: everywhere) allows it and an
 * element of their window is set, as long as there are any. */
TN_API tn_status tn_image_propagate(tn_array *image, const tn_array *mask, const tn_window *window,
                                    tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
