/* Copies of elements that keep their dtype, aligned or not. */
#ifndef TNI_COPY_H
#define TNI_COPY_H

#include <tenorite/array.h>

/* to[...] = from, same dtype and shape, no overlap, any strides, one device. Passes the door
 * itself. */
tn_status tni_copy_same(tn_array *to, const tn_array *from, tn_stream *stream);

#endif
