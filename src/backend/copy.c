/* Copies as events of a trace. */
#include "backend/backend.h"

int64_t tni_trace_copy_begin(const tn_stream *stream) {
    int64_t begun = tni_trace_begin(TNI_TRACE_ON);
    if (!begun) return 0;
    tni_trace_work = (tni_trace_label){0, tni_trace_place(), (uint32_t)tni_stream_number(stream)};
    tni_trace_report(stream, true);
    return begun;
}

void tni_trace_copy_end(int64_t begun, const char *name, int64_t bytes, tni_direction direction,
                        const tn_stream *stream) {
    if (!begun) return;
    tni_trace_report(stream, false);
    tni_trace_end(&(tni_traced){.kind = TN_TRACE_COPY,
                                .begun = begun,
                                .text = name,
                                .place = tni_trace_work.place,
                                .bytes = bytes,
                                .number = tni_stream_number(stream),
                                .device = stream->device,
                                .direction = (uint8_t)direction});
    tni_trace_work = (tni_trace_label){0, 0, 0};
}

tn_status tni_trace_copy(void *to, const void *from, int64_t bytes, tni_direction direction,
                         tn_stream *stream) {
    int64_t begun = tni_trace_copy_begin(stream);
    tn_status status = stream->backend->copy(to, from, bytes, direction, stream);
    tni_trace_copy_end(begun, "copy", bytes, direction, stream);
    return status;
}
