/* Graphs of the host. A launch of a graph is one task of its stream, which runs all tasks that were
 * recorded (capture.c). The task is foreign, because callbacks may be among them. */
#include "backend/host/stream/capture.h"
#include "backend/host/stream/launch.h"
#include "core/stream/capture.h"
#include "core/stream/order.h"
#include "core/stream/stream_life.h"

tn_status tni_host_graph_launch(tn_graph *graph, tn_stream *stream) {
    tn_stream *last = tni_stream_find(graph->last);
    tn_status status = last ? tni_stream_order(stream, last) : TN_OK;
    tn_stream_release(last);
    TNI_TRY(status);
    tni_host_plan plan = {tni_host_capture_run, &graph->implementation,
                          sizeof graph->implementation, .is_foreign = true};
    return tni_host_launch(&plan, stream);
}

tn_status tni_host_graph_upload(tn_graph *graph, tn_stream *stream) {
    (void)graph, (void)stream; /* it is where it runs */
    return TN_OK;
}

void tni_host_graph_deinit(tn_graph *graph) {
    tni_host_capture_free(graph);
}
