/* Forms of the family "image" that measure: parts that are connected, and distances to the
 * background. Arrays are dense in order C; an output overlaps no input. Every axis has an
 * element. */
#ifndef TNI_FORMS_MEASURE_H
#define TNI_FORMS_MEASURE_H

#include <tenorite/measure.h>

/* A step to a neighbour: -1, 0 or 1 along each axis. */
typedef struct tni_neighbour {
    int8_t at[TN_MAX_NDIM];
} tni_neighbour;

static inline int64_t tni_image_elements(int ndim, const int64_t *shape) {
    int64_t elements = 1;
    for (int axis = 0; axis < ndim; axis++)
        elements *= shape[axis];
    return elements;
}

/* Labels of what is connected.
 *
 * Elements other than 0 that are neighbours belong together. `structure` says of the 3 ** ndim
 * steps to neighbours (-1, 0 and 1 along each axis, order C) which count; it equals its mirror
 * image. Labels are 1, 2, ... in the order of each part's first element; 0 is the background. */
typedef struct tni_label {
    const char *mask; /* of b8 */
    int ndim;         /* at least 1 */
    int64_t shape[TN_MAX_NDIM];
    const tni_neighbour *steps; /* those that lead back in order C */
    int step_count;
    bool is_wide; /* labels are i64, else i32 */
    char *labels;
    int64_t *count; /* receives how many parts there are */
} tni_label;

/* The box of each label: how far before the end of an axis it begins (its size less the first
 * index), and the index after its last; both 0 for a label that is nowhere. */
typedef struct tni_label_boxes {
    const char *labels; /* i32 or i64; what is not in [1, count] is left out */
    bool is_wide;
    int ndim; /* at least 1 */
    int64_t shape[TN_MAX_NDIM];
    int64_t count;  /* at least 1 */
    int64_t *boxes; /* (count, ndim, 2) */
} tni_label_boxes;

/* The elements group by group of equal values. */
typedef struct tni_value_indices {
    const int64_t *elements;
    bool is_unsigned; /* values are ordered as u64 */
    int ndim;         /* at least 1 */
    int64_t shape[TN_MAX_NDIM];
    int64_t *indices; /* (ndim, size) */
    int64_t **groups; /* receives (count, 2), which the caller frees (tni_free) */
    int64_t *count;   /* receives how many values there are */
} tni_value_indices;

/* The distance of each element from the nearest 0, and where that is.
 *
 * Of several that are as near, it is one with the least index along the last axis, of those along
 * the axis before, and so on. Sums are made from the first axis to the last. */
typedef struct tni_distance {
    const char *mask; /* of b8 */
    tn_distance_metric metric;
    int ndim; /* at least 1 */
    int64_t shape[TN_MAX_NDIM];
    double sampling[TN_MAX_NDIM];
    tn_distance_none none;
    double *distances;
    int32_t *indices; /* (ndim, ...); NULL: not wanted */
} tni_distance;

/* Distances in steps of a structure, found by a walk through all elements and one back: -1 where
 * no 0 is reached. */
typedef struct tni_chamfer {
    const char *mask;
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    const tni_neighbour *steps;
    int step_count;
    int32_t *distances;
    int64_t *nearest; /* the place in order C of the 0 that was reached; NULL: not wanted */
} tni_chamfer;

/* Markers that flow over an image, along the path whose highest step is lowest. */
typedef struct tni_watershed {
    const uint16_t *image;
    int64_t *labels; /* markers; receives the labels */
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    const tni_neighbour *steps; /* all of them, both ways */
    int step_count;
} tni_watershed;

#endif
