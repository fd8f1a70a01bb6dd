/* The form "histogram", for the drivers of bincount and histogram. */
#ifndef TNI_HISTOGRAM_H
#define TNI_HISTOGRAM_H

#include "core/array/array.h"
#include "forms/samples.h"

/* Completes and queues a call of which dtype, working, bins and how bins lie are set: a new
 * result of the values, `edges` and `weights` (packed; NULL: none). */
tn_status tni_histogram_run(tn_array **result, tni_histogram *call, const tn_array *array,
                            const tn_array *edges, const tn_array *weights, tn_stream *stream);

#endif
