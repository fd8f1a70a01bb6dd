/* What a stream keeps for its forms: counters that kernels leave at zero, locks, and the record of the first
 * index out of bounds.
 *
 * Decides: when a bad index becomes an IndexError. The record lies in pinned memory, which the kernel
 * writes and the host reads without a call to the driver; the words that kernels read often lie on the
 * device. Workspaces are made at a stream's first need and live in a list; the list's lock is taken when a
 * stream's is looked up, unless it is the one that this thread used last.
 * Invariant: work of one stream runs in order, so its kernels never share counters at one time. A graph runs
 * on any stream, so each of its streams has a workspace of the graph's own. */
#include "backend/cuda/form.h"

#include "core/alloc.h"
#include "core/graph.h"

#include <pthread.h>
#include <string.h>

typedef struct record {
    volatile int64_t is_set, axis, index, size;
} record;

typedef struct workspace {
    struct workspace *next;
    const tn_stream *stream; /* NULL: it ended */
    const tn_graph *graph;   /* that is recorded on the stream, later launched there; NULL: none */
    bool is_idle;            /* with nothing running: another of the device may take over */
    int number;
    char *device; /* failed_call (8 bytes), is_taken (8), counters, locks */
    record *record;
    atomic_uint_least64_t calls;
} workspace;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(workspace *) workspaces;
static _Thread_local struct {
    const tn_stream *stream;
    workspace *workspace;
} last;

enum {
    COUNTERS_AT = 64,
    LOCKS_AT = COUNTERS_AT + 4 * TNI_WORKSPACE_COUNTERS,
    DEVICE_BYTES = LOCKS_AT + 4 * TNI_WORKSPACE_LOCKS
};

/* A new one, or that of a stream or graph that ended, which may have left a failure; in the list. In a
 * graph the zeros are part of it, so that each launch begins with them. Called with the lock held. */
static tn_status make(workspace **result, tn_stream *stream, const tn_graph *graph) {
    for (workspace *each = atomic_load(&workspaces); each; each = each->next) {
        if (!each->is_idle || each->number != stream->device.number) continue;
        TNI_TRY(tni_cuda_fill(each->device, 0, graph ? DEVICE_BYTES : COUNTERS_AT, stream));
        each->is_idle = false;
        each->stream = stream;
        each->graph = graph;
        *result = each;
        return TN_OK;
    }
    workspace *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    void *address = NULL, *pinned = NULL;
    int number = stream->device.number;
    tn_status status;
    TNI_TRY_OWNING(tni_cuda_memory_allocate(&address, DEVICE_BYTES, number));
    TNI_TRY_OWNING(tni_cuda_pinned_allocate(&pinned, sizeof(record)));
    TNI_TRY_OWNING(tni_cuda_fill(address, 0, DEVICE_BYTES, stream));
    memset(pinned, 0, sizeof(record));
    made->device = address;
    made->record = pinned;
    made->number = number;
    made->stream = stream;
    made->graph = graph;
    made->next = atomic_load(&workspaces);
    atomic_store(&workspaces, made);
    *result = made;
    return TN_OK;
cleanup:
    if (pinned) tni_cuda_pinned_free(pinned, sizeof(record));
    if (address) tni_cuda_memory_free(address, DEVICE_BYTES, number);
    tni_free(made);
    return status;
}

static tn_status find(workspace **result, tn_stream *stream) {
    const tn_graph *graph = tni_stream_capture(stream);
    if (last.stream == stream && last.workspace->stream == stream &&
        last.workspace->graph == graph) {
        *result = last.workspace;
        return TN_OK;
    }
    if (tni_form_is_captured()) { /* nobody looks into it */
        static char somewhere;
        static workspace nothing = {.device = &somewhere};
        *result = &nothing;
        return TN_OK;
    }
    tn_status status = TN_OK;
    tni_wait_lock(&lock);
    workspace *found = atomic_load(&workspaces);
    while (found && (found->stream != stream || found->graph != graph))
        found = found->next;
    if (!found) status = make(&found, stream, graph);
    pthread_mutex_unlock(&lock);
    TNI_TRY(status);
    last.stream = stream;
    last.workspace = found;
    *result = found;
    return TN_OK;
}

tn_status tni_workspace_get(tni_workspace *result, tn_stream *stream) {
    workspace *workspace;
    TNI_TRY(find(&workspace, stream));
    result->counters = (unsigned *)(void *)(workspace->device + COUNTERS_AT);
    result->locks = (unsigned *)(void *)(workspace->device + LOCKS_AT);
    return TN_OK;
}

tn_status tni_bounds_begin(tni_bounds *bounds, tn_stream *stream) {
    workspace *workspace;
    TNI_TRY(find(&workspace, stream));
    bounds->words[0] = (uintptr_t)workspace->device;
    bounds->words[1] = (uintptr_t)(workspace->device + 8);
    bounds->words[2] = (uintptr_t)workspace->record;
    bounds->words[3] = atomic_fetch_add(&workspace->calls, 1) + 1;
    return TN_OK;
}

/* Takes the record, so that the next bad index is kept again. */
static tn_status raise(workspace *workspace) {
    record seen = *workspace->record;
    tn_stream *stream = (tn_stream *)(uintptr_t)workspace->stream;
    workspace->record->is_set = 0;
    if (stream) TNI_TRY(tni_cuda_fill(workspace->device + 8, 0, 8, stream));
    if (seen.axis < 0)
        TNI_FAIL(TN_ERROR_INDEX, "index %lld out-of-bounds in reduceat [0, %lld)",
                 (long long)seen.index, (long long)seen.size);
    TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for axis %lld with size %lld",
             (long long)seen.index, (long long)seen.axis, (long long)seen.size);
}

tn_status tni_cuda_stream_check(const tn_stream *stream, int number) {
    for (workspace *each = atomic_load(&workspaces); each; each = each->next) {
        if (each->number != number || (stream && each->stream != stream) || !each->record->is_set)
            continue;
        /* Taking the record is work on the stream, which would become part of a graph. */
        if (!each->stream || !tni_stream_capture(each->stream)) return raise(each);
    }
    return TN_OK;
}

/* Memory that running work may still touch is never handed on. */
void tni_cuda_stream_forget(const tn_stream *stream, bool is_done) {
    tni_wait_lock(&lock);
    for (workspace *each = atomic_load(&workspaces); each; each = each->next) {
        if (each->stream != stream) continue;
        each->stream = NULL;
        each->is_idle = is_done && !each->graph;
        each->record->is_set = 0;
    }
    pthread_mutex_unlock(&lock);
}

void tni_workspace_launch_graph(const tn_graph *graph, const tn_stream *stream) {
    tni_wait_lock(&lock);
    for (workspace *each = atomic_load(&workspaces); each; each = each->next)
        if (each->graph == graph) each->stream = stream;
    pthread_mutex_unlock(&lock);
}

void tni_workspace_drop_graph(const tn_graph *graph) {
    tni_wait_lock(&lock);
    for (workspace *each = atomic_load(&workspaces); each; each = each->next) {
        if (each->graph != graph) continue;
        each->graph = NULL;
        each->stream = NULL;
        each->is_idle = true;
        each->record->is_set = 0;
    }
    pthread_mutex_unlock(&lock);
}
