/* What reductions.c gives to other files. */
#ifndef TNI_REDUCTIONS_H
#define TNI_REDUCTIONS_H

#include "core/reduce/reduce_internal.h"

/* Mean, var and std of complex elements where elements are left out or moments taken, and ptp. */
tn_status tni_reduce_composed(tn_array **result, const tni_reduce_request *request,
                              tn_stream *stream);
/* The array with the operation's identity where it was NaN: what an integer fold of floats needs,
 * which would convert NaN first. */
tn_status tni_without_nan(tn_array **result, const tn_array *array, tn_op op, tn_stream *stream);
/* Gives a finished array to the caller: as `*result` if that is NULL, else by writing it there.
 * Takes over the reference in any case. */
tn_status tni_reduce_deliver(tn_array **result, tn_array *made, tn_stream *stream);

#endif
