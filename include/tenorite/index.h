/* Indexing by arrays: of integers along one axis, and of booleans. Basic indexing (integers,
 * slices) is tn_array_slice. */
#ifndef TENORITE_INDEX_H
#define TENORITE_INDEX_H

#include <tenorite/elementwise.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an integer index out of [-size, size) does: fails with TN_ERROR_INDEX, is taken modulo the
 * size, or becomes the nearest valid index (negative ones become 0). */
typedef enum tn_index_mode { TN_INDEX_RAISE, TN_INDEX_WRAP, TN_INDEX_CLIP } tn_index_mode;

/* array[..., indices, ...] with `indices` (any integer dtype, any shape) at `axis`: its shape takes
 * the place of that axis. *result NULL on entry: a new array in order C; else it is written
 * (converted if `same_kind` allows) and must have the result's shape; it may overlap the others. On
 * a stream that does not run at once an index out of bounds is reported by the next wait. */
TN_API tn_status tn_array_take(tn_array **result, const tn_array *array, const tn_array *indices,
                               int axis, tn_index_mode mode, tn_stream *stream);

/* to[..., indices, ...] = values, broadcast and converted. Of equal indices the last wins. Nothing
 * is written if an index is out of bounds. The arrays may overlap. */
TN_API tn_status tn_array_put(tn_array *to, const tn_array *indices, int axis,
                              const tn_operand *values, tn_index_mode mode, tn_stream *stream);

/* A copy without axes of the element at a place in order C, of 0 <= place < size. */
TN_API tn_status tn_array_element(tn_array **result, const tn_array *array, int64_t place,
                                  tn_stream *stream);
/* The same for many elements one after the other, which share blocks of memory where the stream
 * runs at once. `*block` is NULL at first; the caller releases the last one. `*used` counts the
 * elements that the block holds. */
TN_API tn_status tn_array_element_of_block(tn_array **result, tn_array **block, int64_t *used,
                                           const tn_array *array, int64_t place, tn_stream *stream);
/* array.flat[place] = value, of 0 <= place < size. */
TN_API tn_status tn_array_set_element(tn_array *array, int64_t place, tn_scalar value,
                                      tn_stream *stream);

/* to.flat[indices] = values in order C, repeated as often as needed; nothing if there are none. */
TN_API tn_status tn_array_put_flat(tn_array *to, const tn_array *indices, const tn_operand *values,
                                   tn_index_mode mode, tn_stream *stream);

/* array[..., mask, ...]: the axes from `axis` on that `mask` (bool, their sizes) covers become one,
 * of the elements where it is true in order C. An axis of `mask` of size zero fits any. Waits for
 * their number. */
TN_API tn_status tn_array_compress(tn_array **result, const tn_array *array, const tn_array *mask,
                                   int axis, tn_stream *stream);

/* to[..., mask, ...] = values, broadcast and converted. Waits only if values is not one value. */
TN_API tn_status tn_array_expand(tn_array *to, const tn_array *mask, int axis,
                                 const tn_operand *values, tn_stream *stream);

/* array[..., i0, ..., i1, ...]: `count` arrays of integers at ascending `axes`. They broadcast
 * together, and their axes stand at `place` among the axes that are left; else as tn_array_take and
 * tn_array_put with TN_INDEX_RAISE. Messages name the axes `shown` (NULL: `axes`). */
TN_API tn_status tn_array_take_several(tn_array **result, const tn_array *array, int count,
                                       const int *axes, const int *shown,
                                       const tn_array *const *indices, int place,
                                       tn_stream *stream);
TN_API tn_status tn_array_put_several(tn_array *to, int count, const int *axes, const int *shown,
                                      const tn_array *const *indices, int place,
                                      const tn_operand *values, tn_stream *stream);

/* The coordinates of the elements that are not zero, in order C: ndim new arrays of i64. Waits for
 * their number. A 0-d array is TN_ERROR_VALUE. */
TN_API tn_status tn_array_nonzero(tn_array **results, const tn_array *array, tn_stream *stream);

/* The same as one array of shape (number, ndim); and as indexes into the flattened array. */
TN_API tn_status tn_array_argwhere(tn_array **result, const tn_array *array, tn_stream *stream);
TN_API tn_status tn_array_flatnonzero(tn_array **result, const tn_array *array, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
