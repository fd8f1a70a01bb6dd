/* The common parts of taking and putting by integer indices. */
#ifndef TNI_INDEX_H
#define TNI_INDEX_H

#include "core/array/array.h"
#include "forms/indexing.h"

#include <tenorite/index.h>

/* Checks that the dtype can index, and gives `indices` itself or a copy whose elements lie at one
 * stride: a new reference. */
tn_status tni_index_flatten(tn_array **result, const tn_array *indices, tn_stream *stream);

/* The stride from one element to the next in order C, if there is one. */
bool tni_index_stride(int64_t *stride, int ndim, const int64_t *shape, const int64_t *strides);

/* Shape of array[..., indices, ...] (TN_MAX_NDIM long). */
tn_status tni_index_shape(int *ndim, int64_t *shape, const tn_array *array, int axis,
                          int index_ndim, const int64_t *index_shape);

/* The fate of an index out of bounds. */
typedef struct tni_index_rule {
    tn_index_mode mode;
    int shown_axis; /* the axis that the message names; -1: the axis of the call */
} tni_index_rule;

/* Fills in all but addresses. dense_strides are those of the dense array's axes, of which
 * `index_ndim` from `axis` on belong to the indices and have the one stride dense_stride. */
void tni_indexing_make(tni_indexing *form, const tn_array *array, int axis, const tn_array *indices,
                       int index_ndim, const int64_t *dense_strides, int64_t dense_stride,
                       tni_index_rule rule);

/* `from` as an array that can be stored into elements of `to` (of shape `shape`) without reading
 * what was written: of to's dtype, not overlapping it, broadcast. The message for shapes that do
 * not is the caller's: TN_ERROR_VALUE comes without one. New reference. */
tn_status tni_index_values(tn_array **result, const tn_array *from, const tn_array *to, int ndim,
                           const int64_t *shape, tn_stream *stream);

#endif
