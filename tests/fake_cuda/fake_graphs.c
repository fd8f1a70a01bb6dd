/* Captures and graphs of the double. What is queued on a captured stream becomes a node of a graph;
 * a launch runs the nodes in the order in which they were recorded.
 *
 * Refused as the driver refuses it, and the capture is broken by it: asking or waiting for a
 * captured stream, its device or an event of it; the legacy stream beside a captured stream that is
 * ordered with it; waiting for work that is not captured; and, unless a capture is relaxed or the
 * thread says so, calls that may do harm. A stream that was drawn in must be waited for by others
 * before the capture ends. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
    struct node *next;
    void (*run)(void *params);
    _Alignas(16) char params[];
} node;

struct CUgraph_st {
    CUgraph next; /* captures that go on */
    CUgraph next_known;
    uint64_t id;
    CUstream origin;
    CUstreamCaptureMode mode;
    pthread_t thread;
    bool is_broken;
    int references, count;
    node *first, **last;
};

struct CUgraphExec_st {
    CUgraphExec next_known;
    CUgraph graph;
    CUstream last_stream; /* of the last launch, and its number there */
    uint64_t last_number;
    int pending;
};

static CUgraph captures;
/* All that exist, so that one whose end a test made fail is lost and yet no leak. */
static CUgraph graphs;
static CUgraphExec launchables;
static uint64_t last_id;
static long graph_count;
static _Thread_local CUstreamCaptureMode own_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

long fake_cuda_graphs(void) {
    pthread_mutex_lock(&fake_lock);
    long count = graph_count;
    pthread_mutex_unlock(&fake_lock);
    return count;
}

/* --- Rules. Called with the lock held. --- */

static bool is_blocking(const struct CUstream_st *stream) {
    return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

uint64_t fake_capture_id(const struct CUstream_st *stream) {
    return stream->capture ? stream->capture->id : 0;
}

CUresult fake_break_capture(CUstream stream, CUresult error) {
    stream->capture->is_broken = true;
    return error;
}

/* Whether some captured stream is within `context`; of those with `blocking` only such. */
static CUresult break_within(CUcontext context, bool blocking, CUresult error) {
    CUresult result = CUDA_SUCCESS;
    for (CUstream stream = fake_streams(); stream; stream = stream->next)
        if (stream->capture && stream->context == context && (!blocking || is_blocking(stream)))
            result = fake_break_capture(stream, error);
    return result;
}

CUresult fake_check_legacy(CUcontext context) {
    return break_within(context, true, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

CUresult fake_check_context(CUcontext context) {
    return break_within(context, false, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult fake_check_unsafe(void) {
    CUresult result = CUDA_SUCCESS;
    for (CUgraph graph = captures; graph; graph = graph->next) {
        bool is_own = pthread_equal(graph->thread, pthread_self());
        bool matters = graph->mode == CU_STREAM_CAPTURE_MODE_GLOBAL
                           ? is_own || own_mode == CU_STREAM_CAPTURE_MODE_GLOBAL
                           : graph->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && is_own;
        if (!matters || own_mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
        graph->is_broken = true;
        result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return result;
}

CUresult fake_capture_task(CUstream stream, void (*run)(void *params), const void *params,
                           size_t bytes) {
    CUgraph graph = stream->capture;
    if (graph->is_broken) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    node *made = calloc(1, sizeof *made + bytes);
    made->run = run;
    if (bytes) memcpy(made->params, params, bytes);
    *graph->last = made;
    graph->last = &made->next;
    graph->count++;
    stream->recorded++;
    return CUDA_SUCCESS;
}

/* The stream waits for an event that was recorded as number `at` of `source`, in the capture
 * `id`. */
CUresult fake_capture_wait(CUstream stream, uint64_t id, CUstream source, uint64_t at) {
    CUgraph graph = captures;
    while (graph && graph->id != id)
        graph = graph->next;
    if (!graph) return CUDA_ERROR_CAPTURED_EVENT;
    if (graph->is_broken) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!stream->capture) {
        stream->capture = graph;
        stream->recorded = stream->joined = 0;
    } else if (stream->capture != graph) {
        return fake_break_capture(stream, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
    if (stream != source && source->joined < at) source->joined = at;
    stream->recorded++;
    return CUDA_SUCCESS;
}

/* --- Capturing --- */

CUresult fake_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    CUstreamCaptureMode before = own_mode;
    if (*mode < 0 || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    own_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

CUresult fake_cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
    if (!stream || stream == (CUstream)1) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    pthread_mutex_lock(&fake_lock);
    bool was_captured = stream->capture != NULL;
    if (!was_captured) {
        CUgraph made = calloc(1, sizeof *made);
        made->id = ++last_id;
        made->origin = stream;
        made->mode = mode;
        made->thread = pthread_self();
        made->references = 1;
        made->last = &made->first;
        made->next = captures;
        captures = made;
        made->next_known = graphs;
        graphs = made;
        graph_count++;
        stream->capture = made;
        stream->recorded = stream->joined = 0;
    }
    pthread_mutex_unlock(&fake_lock);
    return was_captured ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

static void drop(CUgraph graph) {
    if (--graph->references > 0) return;
    CUgraph *place = &graphs;
    while (*place != graph)
        place = &(*place)->next_known;
    *place = graph->next_known;
    for (node *each = graph->first, *next; each; each = next) {
        next = each->next;
        free(each);
    }
    free(graph);
    graph_count--;
}

/* All its streams leave; false if one that was drawn in was not waited for. */
static bool stop(CUgraph graph) {
    bool is_joined = true;
    CUgraph *place = &captures;
    while (*place != graph)
        place = &(*place)->next;
    *place = graph->next;
    for (CUstream stream = fake_streams(); stream; stream = stream->next) {
        if (stream->capture != graph) continue;
        is_joined = is_joined && (stream == graph->origin || stream->joined >= stream->recorded);
        stream->capture = NULL;
    }
    return is_joined;
}

static CUresult end(CUstream stream, CUgraph *result) {
    CUgraph graph = stream->capture;
    if (!graph) return CUDA_ERROR_ILLEGAL_STATE;
    if (graph->origin != stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    if (graph->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        !pthread_equal(graph->thread, pthread_self()))
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    bool is_broken = graph->is_broken, is_joined = stop(graph);
    if (!is_broken && is_joined) {
        *result = graph;
        return CUDA_SUCCESS;
    }
    drop(graph);
    return is_broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

CUresult fake_cuStreamEndCapture(CUstream stream, CUgraph *graph) {
    *graph = NULL;
    pthread_mutex_lock(&fake_lock);
    CUresult result = end(fake_find_stream(stream), graph);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

CUresult fake_cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
    pthread_mutex_lock(&fake_lock);
    CUstream stream = fake_find_stream(handle);
    CUresult result = CUDA_SUCCESS;
    if (stream != handle)
        result = fake_check_legacy(stream->context);
    else
        *status = !stream->capture             ? CU_STREAM_CAPTURE_STATUS_NONE
                  : stream->capture->is_broken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                               : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (stream != handle && result == CUDA_SUCCESS) *status = CU_STREAM_CAPTURE_STATUS_NONE;
    pthread_mutex_unlock(&fake_lock);
    return result;
}

/* --- Graphs --- */

CUresult fake_cuGraphInstantiateWithFlags(CUgraphExec *launchable, CUgraph graph,
                                          unsigned long long flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    CUgraphExec made = calloc(1, sizeof *made);
    made->graph = graph;
    pthread_mutex_lock(&fake_lock);
    graph->references++;
    made->next_known = launchables;
    launchables = made;
    graph_count++;
    pthread_mutex_unlock(&fake_lock);
    *launchable = made;
    return CUDA_SUCCESS;
}

static void run_nodes(void *params) {
    CUgraphExec launchable = *(CUgraphExec *)params;
    for (node *node = launchable->graph->first; node; node = node->next)
        node->run(node->params);
    pthread_mutex_lock(&fake_lock);
    launchable->pending--;
    pthread_mutex_unlock(&fake_lock);
}

CUresult fake_cuGraphLaunch(CUgraphExec launchable, CUstream stream) {
    pthread_mutex_lock(&fake_lock);
    CUstream after = launchable->last_stream;
    uint64_t number = launchable->last_number;
    launchable->pending++;
    pthread_mutex_unlock(&fake_lock);
    CUresult result =
        fake_submit_after(stream, run_nodes, &launchable, sizeof launchable, after, number);
    pthread_mutex_lock(&fake_lock);
    if (result) {
        launchable->pending--;
    } else {
        launchable->last_stream = fake_find_stream(stream);
        launchable->last_number = launchable->last_stream->submitted;
    }
    pthread_mutex_unlock(&fake_lock);
    return result;
}

CUresult fake_cuGraphUpload(CUgraphExec launchable, CUstream stream) {
    (void)launchable;
    return fake_find_stream(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult fake_cuGraphExecDestroy(CUgraphExec launchable) {
    pthread_mutex_lock(&fake_lock);
    bool is_pending = launchable->pending > 0;
    CUgraphExec *place = &launchables;
    while (*place != launchable)
        place = &(*place)->next_known;
    *place = launchable->next_known;
    drop(launchable->graph);
    graph_count--;
    pthread_mutex_unlock(&fake_lock);
    if (is_pending)
        fake_complain("a graph was destroyed that still runs");
    else
        free(launchable);
    return CUDA_SUCCESS;
}

CUresult fake_cuGraphDestroy(CUgraph graph) {
    pthread_mutex_lock(&fake_lock);
    drop(graph);
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

CUresult fake_cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
    (void)flags;
    FILE *file = fopen(path, "w");
    if (!file) return CUDA_ERROR_INVALID_VALUE;
    fprintf(file, "digraph dot { \"%d nodes\" }\n", graph->count);
    fclose(file);
    return CUDA_SUCCESS;
}
