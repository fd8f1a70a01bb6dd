/* Launching plans on the host's queues. */
#include "backend/host/stream/launch.h"

#include "backend/host/stream/capture.h"
#include "backend/host/stream/queue.h"

enum { FEW = 1024 }; /* elements: a few us of work, about what another thread costs */

tn_status tni_host_launch_queued(const tni_host_plan *plan, tn_stream *stream) {
    struct tn_graph *graph = tni_stream_capture(stream);
    if (__builtin_expect(graph != NULL, 0))
        return tni_host_record_task(graph, stream, plan->run, plan->params, plan->bytes);
    tni_queue *queue = stream->implementation;
    if (!plan->is_foreign && plan->elements <= FEW &&
        tni_queue_run(queue, plan->run, (void *)(uintptr_t)plan->params))
        return TN_OK;
    return tni_queue_submit(queue, plan->run, plan->params, plan->bytes, plan->is_foreign);
}
