/* The figures of the process: objects of core, what backends count, and the memory of all pools. */
#include "backend/backend.h"
#include "core/base/counts.h"
#include "core/base/waiting.h"
#include "core/memory/pinned.h"
#include "core/memory/pool.h"

#include <tenorite/statistics.h>

void tn_statistics_get(tn_statistics *result) {
    int64_t counts[TNI_COUNTED];
    tni_backend_counts of_backends = {0};
    tni_look_all(TNI_LOOK_POOL_FIGURES);
    tni_counts_add_up(counts);
    for (int k = 0; k < TN_BACKEND_COUNT; k++) {
        const tni_backend *backend = tni_backend_get((tn_backend)k);
        if (backend && backend->count) backend->count(&of_backends);
    }
    *result = (tn_statistics){
        .arrays = counts[TNI_ARRAYS],
        .buffers = counts[TNI_BUFFERS],
        .streams = counts[TNI_STREAMS],
        .events = counts[TNI_EVENTS],
        .graphs = counts[TNI_GRAPHS],
        .queued_calls = of_backends.queued_calls,
        .worker_threads = of_backends.worker_threads,
        .kernels = of_backends.kernels,
        .driver_handles = of_backends.driver_handles,
        .pinned_bytes = tni_pinned_bytes(),
    };
    tni_pools_count(result);
}
