/* Captures of the host: tasks that are kept instead of queued, in the order in which they came.
 *
 * Decides: that the host refuses what a GPU refuses, so that a program that captures here captures
 * there. Waiting for a captured stream, or making it wait for work that is not captured, breaks the
 * capture; each stream that was drawn in must be waited for by another before the end.
 *
 * Invariant: the order in which tasks were recorded keeps every order that streams and events asked
 * for. So a launch runs them one after the other (graph.c).
 *
 * Events that are recorded meanwhile are places in a branch, a stream's part of the capture. */
#include "backend/host/stream/capture.h"

#include "backend/host/table.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"

#include "core/stream/capture.h"

#include <string.h>

typedef struct node {
    struct node *next;
    tn_status (*work)(void *params);
    size_t bytes;
    _Alignas(16) char params[];
} node;

typedef struct branch {
    const tn_stream *stream;
    uint64_t recorded, joined; /* how much there is, and how much others have waited for */
} branch;

typedef struct recording {
    tni_lock lock;
    const tn_stream *origin;
    bool is_broken;
    node *first, **last;
    branch *branches;
    int count, capacity;
    size_t bytes_max; /* of the parameters of a task */
} recording;

tn_status tni_host_capture_begin(tn_graph *graph, tn_stream *stream, int mode) {
    (void)mode; /* nothing here can do harm to a capture */
    recording *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    made->origin = stream;
    made->last = &made->first;
    graph->implementation = made;
    return TN_OK;
}

void tni_host_capture_free(tn_graph *graph) {
    recording *gone = graph->implementation;
    for (node *each = gone->first, *next; each; each = next) {
        next = each->next;
        tni_free(each);
    }
    tni_free(gone->branches);
    tni_free(gone);
}

/* --- Recording --- */

/* The stream's branch, made if there is none. Called with the lock held. */
static branch *find_branch(recording *recording, const tn_stream *stream) {
    for (int k = 0; k < recording->count; k++)
        if (recording->branches[k].stream == stream) return &recording->branches[k];
    if (recording->count == recording->capacity) {
        int capacity = recording->capacity ? 2 * recording->capacity : 4;
        branch *larger =
            tni_realloc(recording->branches, (size_t)capacity * sizeof *recording->branches);
        if (!larger) return NULL;
        recording->branches = larger;
        recording->capacity = capacity;
    }
    recording->branches[recording->count] = (branch){stream, 0, 0};
    return &recording->branches[recording->count++];
}

/* One more step of a stream, with a task or without. */
static tn_status add(uint64_t *at, tn_graph *graph, const tn_stream *stream, node *task) {
    recording *recording = graph->implementation;
    tni_lock_take(&recording->lock);
    branch *branch = recording->is_broken ? NULL : find_branch(recording, stream);
    tn_status status = recording->is_broken ? tni_fail_device(TNI_DEVICE_CAPTURE_BROKEN)
                       : !branch            ? tni_fail_no_memory(sizeof *branch)
                                            : TN_OK;
    if (status == TN_OK) {
        *at = ++branch->recorded;
        if (task) {
            *recording->last = task;
            recording->last = &task->next;
            if (task->bytes > recording->bytes_max) recording->bytes_max = task->bytes;
        }
    }
    tni_lock_give(&recording->lock);
    return status;
}

tn_status tni_host_record_task(tn_graph *graph, const tn_stream *stream,
                               tn_status (*work)(void *params), const void *params, size_t bytes) {
    uint64_t at;
    node *made = tni_malloc(sizeof *made + bytes);
    if (!made) return tni_fail_no_memory((int64_t)(sizeof *made + bytes));
    made->next = NULL;
    made->work = work;
    made->bytes = bytes;
    memcpy(made->params, params, bytes);
    tn_status status = add(&at, graph, stream, made);
    if (status != TN_OK) tni_free(made);
    return status;
}

tn_status tni_host_record_place(uint64_t *at, tn_graph *graph, const tn_stream *stream) {
    return add(at, graph, stream, NULL);
}

tn_status tni_host_record_wait(tn_graph *graph, const tn_stream *stream, const tn_stream *source,
                               uint64_t place) {
    recording *recording = graph->implementation;
    uint64_t at;
    TNI_TRY(add(&at, graph, stream, NULL));
    tni_lock_take(&recording->lock);
    branch *branch = stream == source ? NULL : find_branch(recording, source);
    if (branch && branch->joined < place) branch->joined = place;
    tni_lock_give(&recording->lock);
    return TN_OK;
}

tn_status tni_host_break_capture(tn_graph *graph, tni_device_error error) {
    recording *recording = graph->implementation;
    tni_lock_take(&recording->lock);
    recording->is_broken = true;
    tni_lock_give(&recording->lock);
    return tni_fail_device(error);
}

/* --- The end --- */

tn_status tni_host_capture_end(tn_graph *graph, tn_stream *stream, bool *ended) {
    recording *recording = graph->implementation;
    *ended = recording->origin == stream;
    if (!*ended) return tni_fail_device(TNI_DEVICE_CAPTURE_UNMATCHED);
    if (recording->is_broken) return tni_fail_device(TNI_DEVICE_CAPTURE_BROKEN);
    for (int k = 0; k < recording->count; k++) {
        const branch *branch = &recording->branches[k];
        if (branch->stream != stream && branch->joined < branch->recorded)
            return tni_fail_device(TNI_DEVICE_CAPTURE_UNJOINED);
    }
    return TN_OK;
}

/* --- Running --- */

/* Tasks may write to their parameters, so each run has a copy. The first failure is the
 * launch's. */
tn_status tni_host_capture_run(void *params) {
    const struct recording *recording = *(struct recording **)params;
    tn_status first = TN_OK;
    char *copy = tni_malloc(recording->bytes_max);
    if (!copy) return tni_fail_no_memory((int64_t)recording->bytes_max);
    for (const node *node = recording->first; node && first == TN_OK; node = node->next) {
        memcpy(copy, node->params, node->bytes);
        first = node->work(copy);
    }
    tni_free(copy);
    return first;
}
