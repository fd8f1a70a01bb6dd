/* The extent of values, for other drivers. */
#ifndef TNI_EXTENT_H
#define TNI_EXTENT_H

#include "core/array/array.h"

/* The least and the largest of the values of a row that has some and is not complex; 8 bytes
 * each, as tni_extent_dtype() has them. Waits. */
tn_status tni_extent_read(void *ends, const tn_array *array, tn_stream *stream);

#endif
