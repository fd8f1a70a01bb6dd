/* What buffer.c gives to other files. */
#ifndef TNI_BUFFER_H
#define TNI_BUFFER_H

#include "core/array/array.h"

/* The same for a whole buffer. */
tn_status tni_buffer_access(void **address, const tn_buffer *buffer, tni_access access,
                            tn_stream *stream);

#endif
