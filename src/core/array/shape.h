/* Arithmetic on shapes, strides and axes. */
#ifndef TNI_SHAPE_H
#define TNI_SHAPE_H

#include <tenorite/array.h>

/* Strides of a fresh array, in bytes: C or F order. */
void tni_strides_make(int64_t *strides, int ndim, const int64_t *shape, int64_t item_bytes,
                      tn_order order);
tn_status tni_fail_too_big(void);
/* Elements of a shape; TN_ERROR_VALUE when negative or when the bytes overflow int64_t. */
tn_status tni_shape_size(int64_t *size, int ndim, const int64_t *shape, int64_t item_bytes);
/* Several axes as a bit set. Each is checked as by tn_axis_check(), and for repeats. */
tn_status tni_axes_check(uint64_t *set, int count, const int *axes, int ndim);

#endif
