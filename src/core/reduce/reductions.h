/* What reductions, scans and averages share: NaN left out, and results delivered. */
#ifndef TNI_REDUCTIONS_H
#define TNI_REDUCTIONS_H

#include <tenorite/elementwise.h>
#include <tenorite/reduce.h>

/* The array with the operation's identity where it was NaN: what an integer fold of floats needs,
 * which would convert NaN first. */
tn_status tni_without_nan(tn_array **result, const tn_array *array, tn_op op, tn_stream *stream);

/* Gives a finished array to the caller: as `*result` if that is NULL, else by writing it there.
 * Takes over the reference in any case. */
tn_status tni_reduce_deliver(tn_array **result, tn_array *made, tn_stream *stream);

/* The parts of complex numbers as a last axis of size 2: a view. */
tn_status tni_parts_of(tn_array **result, const tn_array *array);

/* The reduced axes by number, from 0 on: another axis may come behind them. */
tn_status tni_reduce_list_axes(int *axes, int *count, const tn_array *array,
                               const tn_reduce_options *options);

#endif
