/* Copies of bytes, and what a trace notes of them. */
#ifndef TNI_BACKEND_COPY_H
#define TNI_BACKEND_COPY_H

#include "core/stream/stream.h"

typedef enum tni_direction {
    TNI_DEVICE_TO_DEVICE, /* within one device, or between two of one backend */
    TNI_HOST_TO_DEVICE,
    TNI_DEVICE_TO_HOST
} tni_direction;

/* The copy of the stream's backend, as an event. */
__attribute__((cold)) tn_status tni_trace_copy(void *to, const void *from, int64_t bytes,
                                               tni_direction direction, tn_stream *stream);

/* The event of a copy that was made otherwise: between the two it is made. Begun 0: nothing is
 * traced. */
__attribute__((cold)) int64_t tni_trace_copy_begin(const tn_stream *stream);
__attribute__((cold)) void tni_trace_copy_end(int64_t begun, const char *name, int64_t bytes,
                                              tni_direction direction, const tn_stream *stream);

#endif
