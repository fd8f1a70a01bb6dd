/* What reductions, scans and averages share: NaN left out, and results delivered. */
#ifndef TNI_REDUCTIONS_H
#define TNI_REDUCTIONS_H

#include "core/reduce/reduce.h"

#include <tenorite/elementwise.h>
#include <tenorite/reduce.h>

/* The request for a reduction of an array of dtype `input`; its array is not set yet. `is_single`
 * false: several reductions make it, or one of an array without NaN. `options` may be NULL;
 * `output`, too: it is made. */
tn_status tni_reduction_decide(tni_reduce_request *request, bool *is_single, tn_reduction reduction,
                               tn_dtype input, const tn_reduce_options *options,
                               const tn_array *output);

/* The array with the operation's identity where it was NaN: what an integer fold of floats needs,
 * which would convert NaN first. */
tn_status tni_without_nan(tn_array **result, const tn_array *array, tn_op op, tn_stream *stream);

/* Gives a finished array to the caller: as `*result` if that is NULL, else by writing it there.
 * Takes over the reference in any case. */
tn_status tni_reduce_deliver(tn_array **result, tn_array *made, tn_stream *stream);

/* The parts of complex numbers as a last axis of size 2: a view. */
tn_status tni_parts_of(tn_array **result, const tn_array *array);

/* The reduced axes by number, from 0 on: another axis may come after them. */
tn_status tni_reduce_list_axes(int *axes, int *count, const tn_array *array,
                               const tn_reduce_options *options);

#endif
