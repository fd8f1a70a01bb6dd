/* What a stream keeps for its forms: counters that kernels leave at zero, locks, and the record of the first
 * index out of bounds.
 *
 * Decides: when a bad index becomes an IndexError: at the first wait of any kind for work of the device once
 * a kernel has told of it, because what is waited for may have waited for that kernel itself. The record lies
 * in pinned memory, which the kernel writes and the host reads without a call to the driver; the words that
 * kernels read often lie on the device. Workspaces are made at a stream's first need and live for ever in a
 * list, which only grows at its front; the list's lock is taken when a stream's is looked up, unless it is
 * the one that this thread used last, and when a record is read that is set. A wait only looks whether one is.
 * Invariant: work of one stream runs in order, so its kernels never share counters at one time. A graph runs
 * on any stream, so each of its streams has a workspace of the graph's own. */
#include "backend/cuda/launch/workspace.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/forms/program.h"
#include "backend/cuda/memory/memory.h"
#include "core/base/alloc.h"
#include "core/stream/capture.h"

#include <pthread.h>
#include <string.h>

/* As in kernels/bounds.cuh, which says who writes it when. */
typedef struct record {
    _Atomic(int64_t) is_set;
    volatile int64_t axis, index, size;
    _Atomic(uint64_t) epoch;
} record;

typedef struct workspace {
    struct workspace *next;
    _Atomic(const tn_stream *) stream; /* NULL: it ended */
    _Atomic(const tn_graph *) graph;   /* that was recorded on the stream; NULL: none */
    bool is_idle; /* with nothing running: another of the device may take over */
    int number;
    char *device;   /* failed_call (8 bytes), is_taken (8), counters, locks */
    record *record; /* NULL: nobody looks into it */
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
    atomic_store(&made->record->epoch, 1); /* nobody has written in it */
    made->number = number;
    atomic_store(&made->stream, stream);
    atomic_store(&made->graph, graph);
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

static bool is_of(const workspace *workspace, const tn_stream *stream, const tn_graph *graph) {
    return atomic_load_explicit(&workspace->stream, memory_order_relaxed) == stream &&
           atomic_load_explicit(&workspace->graph, memory_order_relaxed) == graph;
}

static tn_status find(workspace **result, tn_stream *stream) {
    const tn_graph *graph = tni_stream_capture(stream);
    if (last.stream == stream && is_of(last.workspace, stream, graph)) {
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
    TNI_TRY(tni_cuda_open()); /* in a child of fork nobody gives back what others hold */
    tni_wait_lock(&lock);
    workspace *found = atomic_load(&workspaces);
    while (found && !is_of(found, stream, graph))
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

/* An axis below 0 is that of a reduceat, and tells of which operation. */
static tn_status fail(int64_t axis, int64_t index, int64_t size) {
    if (axis < 0)
        TNI_FAIL(TN_ERROR_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)",
                 (long long)index, tn_op_name((tn_op)(-1 - axis)), (long long)size);
    TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for axis %lld with size %lld",
             (long long)index, (long long)axis, (long long)size);
}

static bool has_record(const workspace *workspace, int number) {
    return workspace->number == number &&
           atomic_load_explicit(&workspace->record->is_set, memory_order_acquire);
}

/* Takes a record, so that the next bad index is kept again: unset before the epoch that allows that. None may
 * be left, where another thread took it. */
static tn_status raise(int number) {
    tni_wait_lock(&lock);
    workspace *found = atomic_load(&workspaces);
    while (found && !has_record(found, number))
        found = found->next;
    int64_t axis = 0, index = 0, size = 0;
    if (found) {
        axis = found->record->axis;
        index = found->record->index;
        size = found->record->size;
        atomic_store(&found->record->is_set, 0);
        atomic_fetch_add(&found->record->epoch, 1);
    }
    pthread_mutex_unlock(&lock);
    return found ? fail(axis, index, size) : TN_OK;
}

tn_status tni_bounds_check(int number) {
    for (const workspace *each = atomic_load_explicit(&workspaces, memory_order_acquire); each;
         each = each->next)
        if (__builtin_expect(has_record(each, number), 0)) return raise(number);
    return TN_OK;
}

/* What a kernel told of stays to be raised. Memory that running work may still touch is never handed on. */
void tni_workspace_drop_stream(const tn_stream *stream, bool is_done) {
    tni_wait_lock(&lock);
    for (workspace *each = atomic_load(&workspaces); each; each = each->next) {
        if (atomic_load(&each->stream) != stream) continue;
        atomic_store(&each->stream, NULL);
        each->is_idle = is_done && !atomic_load(&each->graph);
    }
    pthread_mutex_unlock(&lock);
}

void tni_workspace_drop_graph(const tn_graph *graph) {
    tni_wait_lock(&lock);
    for (workspace *each = atomic_load(&workspaces); each; each = each->next) {
        if (atomic_load(&each->graph) != graph) continue;
        atomic_store(&each->graph, NULL);
        atomic_store(&each->stream, NULL);
        each->is_idle = true;
    }
    pthread_mutex_unlock(&lock);
}
