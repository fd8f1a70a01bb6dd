/* Joining arrays. */
#ifndef TENORITE_JOIN_H
#define TENORITE_JOIN_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays one after the other along an existing axis; all other sizes must be equal. *result NULL on
 * entry: a new array of `dtype` (TN_DTYPE_NONE: promoted); else it is written and must have the
 * result's shape; it may overlap the inputs. `casting` rules conversions. */
TN_API tn_status tn_array_concatenate(tn_array **result, int64_t count,
                                      const tn_array *const *arrays, int axis, tn_dtype dtype,
                                      tn_casting casting, tn_stream *stream);

/* Arrays of one shape side by side along a new axis. */
TN_API tn_status tn_array_stack(tn_array **result, int64_t count, const tn_array *const *arrays,
                                int axis, tn_dtype dtype, tn_casting casting, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
