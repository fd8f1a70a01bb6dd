/* What reduce.c gives to other files. */
#ifndef TNI_REDUCE_H
#define TNI_REDUCE_H

#include "core/reduce/reduce_internal.h"

tn_status tni_reduce_run(tn_array **result, const tni_reduce_request *request, tn_stream *stream);
/* The reduced axes as a bit set. `scalar_axis`: axis 0 of a 0-d array is let pass. */
tn_status tni_reduce_axes(uint64_t *reduced, const tn_array *array,
                          const tn_reduce_options *options, bool scalar_axis);
/* The result's shape; returns its ndim. */
int tni_reduce_shape(int64_t *shape, const tn_array *array, uint64_t reduced, bool keepdims);
/* Whether an output that was given may be written as the result of `name`. */
tn_status tni_reduce_check_output(const tn_array *output, int ndim, const int64_t *shape,
                                  const char *name, bool keepdims);

#endif
