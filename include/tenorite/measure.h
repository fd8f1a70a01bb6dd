/* What is measured in images: parts that are connected, distances to the background. An image is
 * an array of any number of axes; `structure` is 3 ** ndim flags in order C, which say of each step
 * of -1, 0 or 1 along each axis whether it leads to a neighbour.
 *
 * `*result` receives a new array. `stream` NULL is the current one of the device. */
#ifndef TENORITE_MEASURE_H
#define TENORITE_MEASURE_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Labels 1, 2, ... of the connected parts of what is not 0, in the order of their first elements; 0
 * elsewhere. i32, or i64 where the array has 2 ** 31 - 2 elements or more. `*count` is how many
 * parts there are. Waits. TN_ERROR_TYPE for complex elements, TN_ERROR_VALUE for a structure that
 * does not equal its mirror image. */
TN_API tn_status tn_array_label(tn_array **labels, int64_t *count, const tn_array *array,
                                const bool *structure, tn_stream *stream);

/* The box of each label from 1 to `count`: (count, ndim, 2) of i64. How far before the end of an
 * axis it begins (its size less the first index), and the index after its last; both 0 where no
 * element has the label. TN_ERROR_TYPE for labels that are no integers or bools. */
TN_API tn_status tn_array_label_boxes(tn_array **boxes, const tn_array *labels, int64_t count,
                                      tn_stream *stream);

/* The elements that have each value, of integers: `*groups` (count, 2) are the values in their
 * order, those of u64 by their bits, and how many elements have it or one before it; `*indices`
 * (ndim, size) are the elements group by group, in order C; of an array without axes (1, 1). Both
 * are i64. The host's arrays only, else TN_ERROR_VALUE. Waits. TN_ERROR_TYPE for other dtypes. */
TN_API tn_status tn_array_value_indices(tn_array **groups, tn_array **indices,
                                        const tn_array *array, tn_stream *stream);

/* How far two elements are apart: the root of the sum of squares, the sum, the largest of the
 * distances along each axis. */
typedef enum tn_distance_metric {
    TN_DISTANCE_EUCLIDEAN,
    TN_DISTANCE_TAXICAB,
    TN_DISTANCE_CHESSBOARD
} tn_distance_metric;

/* What is nearest where no element is 0: index 0 of each axis, but -1 of the first, to which
 * distances are measured; or index 0 of each axis, which is infinitely far; or the element itself,
 * with a distance of -1. */
typedef enum tn_distance_none {
    TN_DISTANCE_BEFORE,
    TN_DISTANCE_FIRST,
    TN_DISTANCE_ITSELF
} tn_distance_none;

/* How far each element is from the nearest 0 (f64), and the index of that along each axis: i32, of
 * an axis more, the first, with an element for each axis. Either may be NULL. `sampling` (NULL: 1)
 * is how far elements lie apart along each axis. The time is that of a few passes over the elements
 * for each axis, whatever the distances are. TN_ERROR_VALUE for an axis of 2 ** 31 - 1 elements or
 * more. */
TN_API tn_status tn_array_distance(tn_array **distances, tn_array **indices, const tn_array *array,
                                   tn_distance_metric metric, const double *sampling,
                                   tn_distance_none none, tn_stream *stream);

/* The number of steps of a structure from each element to a 0 (i32; -1: none is reached), and the
 * place of that in order C (i64; NULL: not wanted). Steps are followed in one walk through all
 * elements and one back, which the host does for every device. Waits. */
TN_API tn_status tn_array_chamfer(tn_array **distances, tn_array **nearest, const tn_array *array,
                                  const bool *structure, tn_stream *stream);

/* Labels that flow from markers (integers; those below 0 last) over an image of u8 or u16: each
 * element has the label of the marker from which a path leads to it whose highest step is lowest.
 * i64, of the image's shape. The host computes it for every device. Waits. TN_ERROR_TYPE for other
 * dtypes, TN_ERROR_VALUE for markers of another shape. */
TN_API tn_status tn_array_watershed(tn_array **result, const tn_array *image,
                                    const tn_array *markers, const bool *structure,
                                    tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
