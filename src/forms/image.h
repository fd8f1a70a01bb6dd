/* The forms of the family "image": elements computed of their neighbours.
 *
 * Core brings the axes in an order that suits both backends: the last one has the smallest stride
 * of the input, and axes that the window does not extend over come first, so far as they can.
 * Neighbouring ones of these are one. There are two axes at least. Elements of the output share no
 * memory with those of the input. */
#ifndef TNI_FORMS_IMAGE_H
#define TNI_FORMS_IMAGE_H

#include <tenorite/image.h>

#include <string.h>

typedef struct tni_image {
    tn_dtype stored, working, result; /* of the input, of the computation, of the output */
    int ndim;
    const char *input;
    char *output;
    int64_t shape[TN_MAX_NDIM];
    int64_t input_strides[TN_MAX_NDIM], output_strides[TN_MAX_NDIM]; /* bytes */
    /* At element i of an axis the window holds the elements i - low to i - low + size - 1. */
    int64_t size[TN_MAX_NDIM], low[TN_MAX_NDIM];
    int64_t order[TN_MAX_NDIM]; /* places from one element of the box to the next of this axis */
    int8_t edges[TN_MAX_NDIM];  /* enum tn_image_edge */
    double beyond;              /* which the working dtype has */
} tni_image;

/* The window's result at each element. */
typedef struct tni_stencil {
    tni_image image;
    tn_window_op op;
    int64_t count; /* of places */
    int64_t rank;
    const int32_t *places; /* place k is k in the order of the box if NULL, else this number */
    const char *weights;   /* of the working dtype; NULL: `values` if has_values, else none */
    bool has_values;
    int symmetry; /* sums of one axis: values are mirrored (1), with the other sign (-1), or not */
    double values[TN_WINDOW_VALUES];
    const char *mask; /* b8; NULL: none */
    int64_t mask_strides[TN_MAX_NDIM];
} tni_stencil;

/* A fold over a window of one axis, of the last two: the least, the largest, or the sum over
 * `divisor`. */
typedef struct tni_slide {
    tni_image image;
    tn_window_op op;
    double divisor;
} tni_slide;

/* Sets bytes of an image, of order C, where `allowed` (NULL: everywhere) has one and an element of
 * its window is set, until none is left. `fresh` has the bytes that were not set before the last
 * look at all windows: only their neighbours may still be to be set. */
typedef struct tni_propagate {
    int ndim;
    int64_t shape[TN_MAX_NDIM], size[TN_MAX_NDIM], low[TN_MAX_NDIM];
    int64_t count;         /* of places */
    const int32_t *places; /* numbers in the order of the box; NULL: all */
    char *image;
    const char *allowed, *fresh;
} tni_propagate;

/* Whether a window extends over several axes. Of such a sum the weights up to DBL_EPSILON do not
 * count, as in SciPy. */
static inline bool tni_image_has_axes(const tni_image *image) {
    int axes = 0;
    for (int k = 0; k < image->ndim; k++)
        axes += image->size[k] > 1;
    return axes > 1;
}

/* A value as an element of b8, an integer dtype, f32 or f64. */
static inline void tni_image_value(void *to, tn_dtype dtype, double value) {
    const float single = (float)value;
    const int64_t whole = value >= -0x1p63 && value < 0x1p63 ? (int64_t)value
                          : value > 0                        ? INT64_MAX
                                                             : INT64_MIN;
    const tn_kind kind = tn_dtype_kind(dtype);
    const void *from = kind != TN_KIND_FLOAT ? &whole : dtype == TN_F64 ? (void *)&value : &single;
    memcpy(to, from, (size_t)tn_dtype_size(dtype)); /* the lowest bytes come first */
}

/* The index within [0, size) that an index beyond the ends of an axis means; -1: none. */
static inline int64_t tni_image_index(int64_t index, int64_t size, int edge) {
    if ((uint64_t)index < (uint64_t)size) return index;
    const int64_t period = edge == TN_EDGE_REFLECT  ? 2 * size
                           : edge == TN_EDGE_MIRROR ? 2 * size - 2
                                                    : size;
    if (edge == TN_EDGE_CONSTANT) return -1;
    if (edge == TN_EDGE_NEAREST) return index < 0 ? 0 : size - 1;
    if (period <= 0) return 0;
    index %= period;
    if (index < 0) index += period;
    if (index < size) return index;
    return edge == TN_EDGE_REFLECT ? period - 1 - index : period - index;
}

#endif
