/* Launching plans on the host's queues. */
#include "backend/host/stream/launch.h"

#include "backend/host/stream/capture.h"
#include "backend/host/stream/queue.h"
#include "core/base/alloc.h"

#include <string.h>

enum { FEW = 1024 }; /* elements: a few us of work, about what another thread costs */

static tn_status queue(const tni_host_plan *plan, tn_stream *stream) {
    struct tn_graph *graph = tni_stream_capture(stream);
    if (__builtin_expect(graph != NULL, 0))
        return tni_host_record_task(graph, stream, plan->run, plan->params, plan->bytes);
    return tni_queue_submit(stream->implementation, plan->run, plan->params, plan->bytes,
                            plan->is_foreign);
}

/* The parameters and what they point to as one copy. */
static tn_status queue_more(const tni_host_plan *plan, tn_stream *stream) {
    tni_host_plan joined = *plan;
    joined.bytes = plan->bytes + plan->more_bytes;
    char *copy = tni_malloc(joined.bytes);
    if (!copy) return tni_fail_no_memory((int64_t)joined.bytes);
    memcpy(copy, plan->params, plan->bytes);
    memcpy(copy + plan->bytes, plan->more, plan->more_bytes);
    joined.params = copy;
    joined.run = plan->run_copy;
    tn_status status = queue(&joined, stream);
    tni_free(copy);
    return status;
}

tn_status tni_host_launch_queued(const tni_host_plan *plan, tn_stream *stream) {
    if (!plan->run) return TN_OK;
    if (!plan->is_foreign && plan->elements <= FEW && !tni_stream_capture(stream) &&
        tni_queue_run(stream->implementation, plan->run, (void *)(uintptr_t)plan->params))
        return TN_OK;
    return plan->more ? queue_more(plan, stream) : queue(plan, stream);
}
