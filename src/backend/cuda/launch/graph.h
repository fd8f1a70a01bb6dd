/* What graph.c gives to other files. */
#ifndef TNI_CUDA_LAUNCH_GRAPH_H
#define TNI_CUDA_LAUNCH_GRAPH_H

#include "backend/cuda/driver/device.h"

struct tn_graph;

/* Captures during which the driver refuses what might spoil them, unless a thread says that it knows what
 * it does: the two below. */
extern atomic_int tni_cuda_strict_captures;
void tni_cuda_relax(tni_cuda_scope *scope);
void tni_cuda_unrelax(tni_cuda_scope *scope);
tn_status tni_cuda_capture_begin(struct tn_graph *graph, tn_stream *stream, int mode);
tn_status tni_cuda_capture_end(struct tn_graph *graph, tn_stream *stream, bool *ended);
tn_status tni_cuda_graph_launch(struct tn_graph *graph, tn_stream *stream);
tn_status tni_cuda_graph_upload(struct tn_graph *graph, tn_stream *stream);
void tni_cuda_graph_deinit(struct tn_graph *graph);

#endif
