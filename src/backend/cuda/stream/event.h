/* Events: made, recorded, waited for. */
#ifndef TNI_CUDA_STREAM_EVENT_H
#define TNI_CUDA_STREAM_EVENT_H

#include <tenorite/linalg.h>

tn_status tni_cuda_stream_wait_event(tn_stream *stream, tn_event *event);
tn_status tni_cuda_event_init(tn_event *event);
void tni_cuda_event_deinit(tn_event *event);
tn_status tni_cuda_event_record(tn_event *event, tn_stream *stream);
tn_status tni_cuda_event_is_done(tn_event *event, bool *done);
tn_status tni_cuda_event_synchronize(tn_event *event, int64_t timeout_ns);
tn_status tni_cuda_event_elapsed_ms(double *milliseconds, tn_event *start, tn_event *stop);

#endif
