/* What the drivers of the family share: their arrays as forms take them. */
#ifndef TNI_SAMPLES_H
#define TNI_SAMPLES_H

#include "core/array/array.h"

#include <tenorite/samples.h>

/* Weights as doubles side by side, or NULL for none. TN_ERROR_VALUE if they are not as many as
 * the values, TN_ERROR_TYPE for complex ones. */
tn_status tni_samples_weights(tn_array **result, const tn_array *weights, const tn_array *array,
                              tn_stream *stream);
/* TN_ERROR_VALUE unless the array has one dimension, in NumPy's words. */
tn_status tni_samples_check_row(const tn_array *array);

/* How elements that are multiplied and summed lie in memory: the halves as float32. */
tn_dtype tni_samples_stored(tn_dtype dtype);
/* The dtype of the form for such elements: integers wrap alike with and without a sign. */
tn_dtype tni_samples_working(tn_dtype dtype);

#endif
