/* What the drivers of images share. */
#ifndef TNI_NEIGHBOURS_H
#define TNI_NEIGHBOURS_H

#include "core/array/array.h"
#include "forms/measure.h"

/* The steps of a structure: those that lead back in order C, or (is_both) all but the one to the
 * element itself. The caller frees them (tni_free), also none. */
tn_status tni_neighbours_read(tni_neighbour **steps, int *count, const bool *structure, int ndim,
                              bool is_both);
/* Whether an element is not 0, as bools in order C. */
tn_status tni_image_mask(tn_array **mask, const tn_array *array, tn_stream *stream);
/* The shape of an image that has axes and elements; one without axes has one of one element. */
int tni_image_shape(int64_t *shape, const tn_array *array);

#endif
