/* Pooling forward of maps whose channels lie beside each other, and windows of maps. */
#ifndef TNI_HOST_POOLING_ROWS_H
#define TNI_HOST_POOLING_ROWS_H

#include "forms/neural.h"

#include <tenorite/status.h>

#include <stdbool.h>

/* Of a place: the elements of its window along each axis, from begin on; how many there are, and
 * with the pads. */
typedef struct tni_host_window {
    int64_t begin[TN_SPATIAL_MAX], count[TN_SPATIAL_MAX], taps, padded;
} tni_host_window;

void tni_host_window_find(tni_host_window *w, const tni_pooling *call, const int64_t *place);
/* Offsets of the elements of a window from its first one, in order C, by strides in bytes; in
 * elements of `element` bytes. */
void tni_host_window_list(int64_t *offsets, const tni_host_window *w, int ndim,
                          const int64_t *strides, int64_t element);

/* Whether tni_host_pooling_rows() takes a call: its elements need no conversion, either. */
bool tni_host_pools_rows(const tni_pooling *call);
tn_status tni_host_pooling_rows(const tni_pooling *call);

#endif
