/* Captures as the host's streams, events and graphs see them. */
#ifndef TNI_HOST_STREAM_CAPTURE_H
#define TNI_HOST_STREAM_CAPTURE_H

#include "backend/host/table.h"

/* Records what is queued on a captured stream; `params` are copied. */
tn_status tni_host_record_task(struct tn_graph *graph, const tn_stream *stream,
                               tn_status (*work)(void *params), const void *params, size_t bytes);
/* Records a place in the stream's part of the capture, or the stream's waiting for a place of
 * `source`. */
tn_status tni_host_record_place(uint64_t *at, struct tn_graph *graph, const tn_stream *stream);
tn_status tni_host_record_wait(struct tn_graph *graph, const tn_stream *stream,
                               const tn_stream *source, uint64_t place);
/* Fails with this text; the capture can't be ended well any more. */
tn_status tni_host_break_capture(struct tn_graph *graph, tni_device_error error);

/* Work for a stream: runs all that was recorded. `params` point to the graph's `implementation`. */
tn_status tni_host_capture_run(void *params);
/* Gives back what was recorded. */
void tni_host_capture_free(struct tn_graph *graph);

#endif
