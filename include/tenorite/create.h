/* New arrays from a rule. Empty and zero-filled ones, and copies of host memory, are in array.h. */
#ifndef TENORITE_CREATE_H
#define TENORITE_CREATE_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An array filled with one value, order C or F. A weak integer that does not fit is
 * TN_ERROR_OVERFLOW. */
TN_API tn_status tn_array_new_full(tn_array **result, tn_dtype dtype, int ndim,
                                   const int64_t *shape, tn_scalar value, tn_order order,
                                   tn_stream *stream);

/* start, start + step, ... while before `stop`: ceil((stop - start) / step) elements. dtype
 * TN_DTYPE_NONE: that of the three under promotion. As in NumPy the first two elements are
 * converted to the dtype and their difference there is the step. A step of 0 and a length that
 * overflows are TN_ERROR_VALUE. */
TN_API tn_status tn_array_new_range(tn_array **result, tn_scalar start, tn_scalar stop,
                                    tn_scalar step, tn_dtype dtype, tn_stream *stream);

/* The same where start, the second element and the count are known. */
TN_API tn_status tn_array_new_ramp(tn_array **result, tn_scalar first, tn_scalar second,
                                   int64_t count, tn_dtype dtype, tn_stream *stream);

/* `count` evenly spaced values from start to stop (included if `endpoint`), computed as f64, or as
 * c128 if one is complex, then converted (integers: rounded down). `step` (may be NULL) receives
 * the spacing, two doubles; NaN if there is none. dtype TN_DTYPE_NONE: f64 or c128. */
TN_API tn_status tn_array_new_linspace(tn_array **result, double step[2], tn_scalar start,
                                       tn_scalar stop, int64_t count, bool endpoint, tn_dtype dtype,
                                       tn_stream *stream);

/* Zeros with ones on the diagonal that starts `offset` columns right of the first. */
TN_API tn_status tn_array_new_eye(tn_array **result, int64_t rows, int64_t columns, int64_t offset,
                                  tn_dtype dtype, tn_order order, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
