/* Copies as events of a trace. */
#include "backend/backend.h"

void tni_trace_copy_end(int64_t begun, const char *name, int64_t bytes, tni_direction direction,
                        const tn_stream *stream) {
    if (begun)
        tni_trace_end(&(tni_traced){.kind = TN_TRACE_COPY,
                                    .begun = begun,
                                    .text = name,
                                    .bytes = bytes,
                                    .number = tni_stream_number(stream),
                                    .device = stream->device,
                                    .direction = (uint8_t)direction});
}

tn_status tni_trace_copy(void *to, const void *from, int64_t bytes, tni_direction direction,
                         tn_stream *stream) {
    int64_t begun = tni_trace_begin(TNI_TRACE_ON);
    tn_status status = stream->backend->copy(to, from, bytes, direction, stream);
    tni_trace_copy_end(begun, "copy", bytes, direction, stream);
    return status;
}
