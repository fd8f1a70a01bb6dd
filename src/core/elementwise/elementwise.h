/* Element-wise work of the core itself: copies between layouts and checks. */
#ifndef TNI_ELEMENTWISE_H
#define TNI_ELEMENTWISE_H

#include "core/array/array.h"
#include "forms/elementwise.h"

#include <tenorite/elementwise.h>

/* to[...] = convert(from), same shape, no overlap, any strides, one device: the copy of all layouts.
 * Ordered access is this function's business. */
tn_status tni_copy_elements(tn_array *to, const tn_array *from, tn_stream *stream);

/* A mask is a bool array, else TN_ERROR_CASTING. */
tn_status tni_mask_check(const tn_array *mask);

#endif
