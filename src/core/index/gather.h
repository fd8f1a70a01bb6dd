/* Several arrays of integers that index together. */
#ifndef TNI_GATHER_H
#define TNI_GATHER_H

#include <tenorite/array.h>

/* The shape of integer arrays that index together (TN_MAX_NDIM long). TN_ERROR_INDEX for other
 * dtypes, and for shapes that do not broadcast. */
tn_status tni_index_together(int *ndim, int64_t *shape, int count, const tn_array *const *indices);

#endif
