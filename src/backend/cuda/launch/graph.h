/* Graphs of CUDA: recorded, launched, destroyed. */
#ifndef TNI_CUDA_LAUNCH_GRAPH_H
#define TNI_CUDA_LAUNCH_GRAPH_H

#include <stdbool.h>
#include <tenorite/device.h>

struct tn_graph;

tn_status tni_cuda_capture_begin(struct tn_graph *graph, tn_stream *stream, int mode);
tn_status tni_cuda_capture_end(struct tn_graph *graph, tn_stream *stream, bool *ended);
tn_status tni_cuda_graph_launch(struct tn_graph *graph, tn_stream *stream);
tn_status tni_cuda_graph_upload(struct tn_graph *graph, tn_stream *stream);
void tni_cuda_graph_deinit(struct tn_graph *graph);

#endif
