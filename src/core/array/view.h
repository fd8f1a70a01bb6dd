/* The shape of an array without its axes of size 1. */
#ifndef TNI_VIEW_H
#define TNI_VIEW_H

#include <tenorite/array.h>

/* The axes of other sizes than 1; how many there are. */
int tni_array_squeezed(int64_t *shape, int64_t *strides, const tn_array *array);

#endif
