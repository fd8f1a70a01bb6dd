/* Arrays seen in other shapes: without their axes of size 1, or broadcast. */
#ifndef TNI_VIEW_H
#define TNI_VIEW_H

#include <tenorite/array.h>

/* The axes of other sizes than 1; how many there are. */
int tni_array_squeezed(int64_t *shape, int64_t *strides, const tn_array *array);

/* Whether an array broadcasts to a shape; axes of size 1 that it has in front of it are dropped,
 * as in every assignment of NumPy's. */
bool tni_array_is_broadcastable(const tn_array *array, int ndim, const int64_t *shape);
/* The strides of an array in a shape of `ndim` axes to which it broadcasts. */
void tni_strides_broadcast(int64_t *strides, const tn_array *array, int ndim);
/* The read-only view of that shape; TN_ERROR_VALUE, without a message, if it does not broadcast. */
tn_status tni_array_spread(tn_array **result, const tn_array *array, int ndim,
                           const int64_t *shape);

#endif
