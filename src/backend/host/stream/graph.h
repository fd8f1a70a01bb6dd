/* Captures as the host's streams and events see them. */
#ifndef TNI_HOST_GRAPH_H
#define TNI_HOST_GRAPH_H

#include "backend/host/host.h"

struct tn_graph;

/* What is queued on a captured stream; `params` are copied. */
tn_status tni_host_record_task(struct tn_graph *graph, const tn_stream *stream,
                               tn_status (*work)(void *params), const void *params, size_t bytes);
/* A place in the stream's part of the capture, and waiting for one of `source`. */
tn_status tni_host_record_place(uint64_t *at, struct tn_graph *graph, const tn_stream *stream);
tn_status tni_host_record_wait(struct tn_graph *graph, const tn_stream *stream,
                               const tn_stream *source, uint64_t place);
/* Fails with this text; the capture can't be ended well any more. */
tn_status tni_host_break_capture(struct tn_graph *graph, tni_device_error error);

/* graph.c */
tn_status tni_host_capture_begin(struct tn_graph *graph, tn_stream *stream, int mode);
tn_status tni_host_capture_end(struct tn_graph *graph, tn_stream *stream, bool *ended);
tn_status tni_host_graph_launch(struct tn_graph *graph, tn_stream *stream);
tn_status tni_host_graph_upload(struct tn_graph *graph, tn_stream *stream);
void tni_host_graph_deinit(struct tn_graph *graph);

#endif
