/* What a stream keeps for its forms on the device: counters that kernels leave at zero, locks, and
 * the words that say whether a bad index was met.
 *
 * An area is made at a stream's first need. Words that kernels read often lie on the device; the
 * record of a bad index is pinned memory (stream/records.c). The area that this thread used last is
 * found without a lock.
 * Invariant: work of one stream runs in order, so its kernels never share counters at one time. A
 * graph runs on any stream, so each of its streams has an area of the graph's own. */
#include "backend/cuda/launch/workspace.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/launch/defer.h"
#include "backend/cuda/memory/memory.h"
#include "backend/cuda/stream/records.h"
#include "core/base/alloc.h"
#include "core/stream/stream.h"

#include <string.h>

static _Thread_local struct {
    const tn_stream *stream;
    tni_area *area;
} last;

/* failed_call (8 bytes), is_taken (8), then counters and locks. */
enum {
    COUNTERS_AT = 64,
    LOCKS_AT = COUNTERS_AT + 4 * TNI_WORKSPACE_COUNTERS,
    DEVICE_BYTES = LOCKS_AT + 4 * TNI_WORKSPACE_LOCKS
};

/* Takes over the area of a stream or graph that ended, which may have left a failure, or makes one.
 * In a graph the zeros are recorded, so that each launch begins with them. Called with the list's
 * lock held. */
static tn_status make(tni_area **result, tni_area *first, tn_stream *stream,
                      const struct tn_graph *graph) {
    for (tni_area *each = first; each; each = each->next) {
        if (!each->is_idle || each->number != stream->device.number ||
            atomic_load(&each->record->is_set))
            continue;
        TNI_TRY(tni_cuda_fill(each->device, 0, graph ? DEVICE_BYTES : COUNTERS_AT, stream));
        each->is_idle = false;
        atomic_store(&each->stream, stream);
        atomic_store(&each->graph, graph);
        *result = each;
        return TN_OK;
    }
    tni_area *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    void *address = NULL, *pinned = NULL;
    int number = stream->device.number;
    tn_status status;
    TNI_TRY_OWNING(tni_cuda_memory_allocate(&address, DEVICE_BYTES, number));
    TNI_TRY_OWNING(tni_cuda_pinned_allocate(&pinned, sizeof(tni_failure_record)));
    TNI_TRY_OWNING(tni_cuda_fill(address, 0, DEVICE_BYTES, stream));
    memset(pinned, 0, sizeof(tni_failure_record));
    made->device = address;
    made->record = pinned;
    atomic_store(&made->record->epoch, 1); /* that no kernel has written in */
    made->number = number;
    atomic_store(&made->stream, stream);
    atomic_store(&made->graph, graph);
    tni_areas_add(made);
    *result = made;
    return TN_OK;
cleanup:
    if (pinned) tni_cuda_pinned_free(pinned, sizeof(tni_failure_record));
    if (address) tni_cuda_memory_free(address, DEVICE_BYTES, number);
    tni_free(made);
    return status;
}

static bool is_of(const tni_area *area, const tn_stream *stream, const struct tn_graph *graph) {
    return atomic_load_explicit(&area->stream, memory_order_relaxed) == stream &&
           atomic_load_explicit(&area->graph, memory_order_relaxed) == graph;
}

static tn_status find(tni_area **result, tn_stream *stream) {
    const struct tn_graph *graph = tni_stream_capture(stream);
    if (last.stream == stream && is_of(last.area, stream, graph)) {
        *result = last.area;
        return TN_OK;
    }
    tn_status status = TN_OK;
    TNI_TRY(tni_cuda_open()); /* a parent's lock may be held for ever in a child of fork */
    tni_area *first = tni_areas_lock(), *found = first;
    while (found && !is_of(found, stream, graph))
        found = found->next;
    if (!found) status = make(&found, first, stream, graph);
    tni_areas_unlock();
    TNI_TRY(status);
    last.stream = stream;
    last.area = found;
    *result = found;
    return TN_OK;
}

tn_status tni_workspace_get(tni_workspace *result, tn_stream *stream) {
    tni_area *area;
    TNI_TRY(find(&area, stream));
    result->counters = (unsigned *)(void *)(area->device + COUNTERS_AT);
    result->locks = (unsigned *)(void *)(area->device + LOCKS_AT);
    return TN_OK;
}

tn_status tni_bounds_begin(tni_bounds *bounds, tn_stream *stream) {
    tni_area *area;
    TNI_TRY(find(&area, stream));
    bounds->words[0] = (uintptr_t)area->device;
    bounds->words[1] = (uintptr_t)(area->device + 8);
    bounds->words[2] = (uintptr_t)area->record;
    bounds->words[3] = atomic_fetch_add(&area->calls, 1) + 1;
    return TN_OK;
}
