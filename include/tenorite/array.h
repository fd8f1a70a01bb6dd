/* Arrays: reference-counted views (dtype, shape, byte strides, offset) of buffers. */
#ifndef TENORITE_ARRAY_H
#define TENORITE_ARRAY_H

#include <tenorite/dtype.h>
#include <tenorite/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TN_MAX_NDIM 64

typedef struct tn_array tn_array;

/* Memory order of a new array. K keeps the order of the operands, A is F if they are all Fortran
 * contiguous and C otherwise. */
typedef enum tn_order { TN_ORDER_C, TN_ORDER_F, TN_ORDER_A, TN_ORDER_K } tn_order;

/* Whether a function may, must or must not copy. */
typedef enum tn_copy { TN_COPY_IF_NEEDED, TN_COPY_ALWAYS, TN_COPY_NEVER } tn_copy;

/* --- Making arrays --- */

/* `stream` NULL: the current stream of the current device. Shapes with a negative size or more than
 * INT64_MAX bytes are TN_ERROR_VALUE. */

/* Undefined contents, order C or F. */
TN_API tn_status tn_array_new(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape,
                              tn_order order, tn_stream *stream);
TN_API tn_status tn_array_new_zeros(tn_array **result, tn_dtype dtype, int ndim,
                                    const int64_t *shape, tn_order order, tn_stream *stream);
/* Undefined contents in the order of `like` (K) with another dtype and, if `shape` is not NULL,
 * another shape. */
TN_API tn_status tn_array_new_like(tn_array **result, const tn_array *like, tn_dtype dtype,
                                   int ndim, const int64_t *shape, tn_order order,
                                   tn_stream *stream);
/* A view of a buffer from a byte offset; strides in bytes (NULL: C order). Every element must lie
 * inside the buffer, else TN_ERROR_VALUE. */
TN_API tn_status tn_array_new_view(tn_array **result, tn_buffer *buffer, int64_t offset_bytes,
                                   tn_dtype dtype, int ndim, const int64_t *shape,
                                   const int64_t *strides_bytes);
/* A copy of host memory of any strides (NULL: C order), in order C. */
TN_API tn_status tn_array_new_from_host(tn_array **result, const void *data, tn_dtype dtype,
                                        int ndim, const int64_t *shape,
                                        const int64_t *strides_bytes, tn_order order,
                                        tn_stream *stream);
/* A 0-d array of a scalar; a weak one gets its default dtype (i64, f64, c128). */
TN_API tn_status tn_array_new_scalar(tn_array **result, tn_scalar value, tn_dtype dtype,
                                     tn_stream *stream);

TN_API tn_array *tn_array_retain(tn_array *array);
TN_API void tn_array_release(tn_array *array); /* NULL is allowed */

/* --- Looking at arrays: cheap, no failure, nothing waits. --- */
TN_API tn_dtype tn_array_dtype(const tn_array *array);
TN_API int tn_array_ndim(const tn_array *array);
TN_API const int64_t *tn_array_shape(const tn_array *array);
TN_API const int64_t *tn_array_strides(const tn_array *array); /* bytes */
TN_API int64_t tn_array_size(const tn_array *array);           /* elements */
TN_API int64_t tn_array_bytes(const tn_array *array);          /* size x item size */
TN_API int64_t tn_array_offset(const tn_array *array);         /* bytes into the buffer */
TN_API tn_device tn_array_device(const tn_array *array);
TN_API tn_buffer *tn_array_buffer(const tn_array *array); /* borrowed */
TN_API bool tn_array_is_c_contiguous(const tn_array *array);
TN_API bool tn_array_is_f_contiguous(const tn_array *array);
TN_API bool tn_array_is_writeable(const tn_array *array);
TN_API void tn_array_set_writeable(tn_array *array, bool writeable);
/* The address of the first element, for other libraries; order accesses by streams yourself. */
TN_API void *tn_array_address(const tn_array *array);
/* Whether two arrays may share an element (bounds only, never false when they do). */
TN_API bool tn_array_may_overlap(const tn_array *a, const tn_array *b);

/* --- Views. The result shares the buffer. --- */

/* A view if strides allow, else a copy (TN_COPY_NEVER: TN_ERROR_VALUE). One size may be -1. Order
 * C, F or A. */
TN_API tn_status tn_array_reshape(tn_array **result, const tn_array *array, int ndim,
                                  const int64_t *shape, tn_order order, tn_copy copy,
                                  tn_stream *stream);
/* All elements in one dimension, in order C, F, A or K (that of memory): a view where they lie side
 * by side in that order and copy is not TN_COPY_ALWAYS, else a copy. */
TN_API tn_status tn_array_flatten(tn_array **result, const tn_array *array, tn_order order,
                                  tn_copy copy, tn_stream *stream);
/* Axes in the order `axes` (NULL: reversed); negative axes count from the end. */
TN_API tn_status tn_array_transpose(tn_array **result, const tn_array *array, int count,
                                    const int *axes);
TN_API tn_status tn_array_broadcast_to(tn_array **result, const tn_array *array, int ndim,
                                       const int64_t *shape);
/* Drops axes of size 1: those named, or all (axes NULL). */
TN_API tn_status tn_array_squeeze(tn_array **result, const tn_array *array, int count,
                                  const int *axes);
/* Inserts axes of size 1 at these places of the result. */
TN_API tn_status tn_array_expand_dims(tn_array **result, const tn_array *array, int count,
                                      const int *axes);
/* The same bytes as another dtype (last axis contiguous unless sizes are equal), as
 * ndarray.view. */
TN_API tn_status tn_array_view_as(tn_array **result, const tn_array *array, tn_dtype dtype);
/* The real or imaginary part of a complex array as a view; the real part of any other is itself. */
TN_API tn_status tn_array_part(tn_array **result, const tn_array *array, bool imaginary);
/* The diagonal of two axes, appended as the last axis (a view, read-only as in NumPy is the
 * caller's business). */
TN_API tn_status tn_array_diagonal(tn_array **result, const tn_array *array, int64_t offset,
                                   int axis1, int axis2);

/* One item of a basic index. */
typedef enum tn_index_kind {
    TN_INDEX_INTEGER,
    TN_INDEX_SLICE,
    TN_INDEX_NEWAXIS,
    TN_INDEX_ELLIPSIS
} tn_index_kind;
typedef struct tn_index {
    tn_index_kind kind;
    int64_t start, stop, step; /* integer: start */
    bool has_start, has_stop;  /* slice: absent bounds */
} tn_index;
/* array[items]: integers drop an axis, slices clip as Python's, at most one ellipsis. Errors are
 * NumPy's: TN_ERROR_INDEX for out of bounds and too many indices. */
TN_API tn_status tn_array_slice(tn_array **result, const tn_array *array, int count,
                                const tn_index *items);

/* --- Data. --- */

/* A copy (or, when nothing changes and copy allows, the same array) with a dtype and order. */
TN_API tn_status tn_array_astype(tn_array **result, const tn_array *array, tn_dtype dtype,
                                 tn_order order, tn_casting casting, tn_copy copy,
                                 tn_stream *stream);
/* to[...] = from, broadcast and converted (`casting`); overlapping arrays behave as if `from` were
 * copied first. Arrays of two devices are allowed here. */
TN_API tn_status tn_array_assign(tn_array *to, const tn_array *from, tn_casting casting,
                                 tn_stream *stream);
/* to[...] = value. */
TN_API tn_status tn_array_fill(tn_array *to, tn_scalar value, tn_stream *stream);
/* array[items] = from, of items as those of tn_array_slice; casting is unsafe. */
TN_API tn_status tn_array_assign_slice(tn_array *array, int count, const tn_index *items,
                                       const tn_array *from, tn_stream *stream);
/* array[items] = value, of items as those of tn_array_slice. */
TN_API tn_status tn_array_fill_slice(tn_array *array, int count, const tn_index *items,
                                     tn_scalar value, tn_stream *stream);
/* Copies all elements to host memory with these strides (NULL: C order); for when they are there
 * see tn_buffer_read. */
TN_API tn_status tn_array_read(void *host, const int64_t *strides_bytes, const tn_array *array,
                               tn_stream *stream);
/* Copies host memory of the array's dtype and shape into the array. Except in queues of the host,
 * and from page-locked memory, the host memory is the caller's again when the call returns. */
TN_API tn_status tn_array_write(tn_array *array, const void *host, const int64_t *strides_bytes,
                                tn_stream *stream);
/* The only element of a size-1 array; waits. */
TN_API tn_status tn_array_item(tn_scalar *result, const tn_array *array, tn_stream *stream);
/* The same array on another device (itself if it is there already and copy allows). */
TN_API tn_status tn_array_to_device(tn_array **result, const tn_array *array, tn_device device,
                                    tn_copy copy, tn_stream *stream);

/* --- Shapes. --- */

/* An axis in [-ndim, ndim) made non-negative, else TN_ERROR_AXIS. */
TN_API tn_status tn_axis_check(int *axis, int ndim);

/* The broadcast shape of several; `ndim` and `shape` (TN_MAX_NDIM long) are outputs. */
TN_API tn_status tn_shape_broadcast(int *ndim, int64_t *shape, int count, const int *ndims,
                                    const int64_t *const *shapes);

#ifdef __cplusplus
}
#endif
#endif
