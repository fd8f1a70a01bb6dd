/* Graphs of CUDA: the driver records what is queued on a stream, and launches it as one.
 *
 * Decides: that calls of this library never spoil a capture. The driver refuses, while a capture
 * goes on that is not relaxed, what could (allocating, asking an event); what this library does
 * then is harmless, so it does that with the calling thread's mode relaxed (tni_cuda_enter). The
 * driver makes a launchable graph at once, because then the cost lies where the program expects
 * it. */
#include "backend/cuda/table.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/launch/defer.h"
#include "backend/cuda/stream/callback.h"
#include "backend/cuda/stream/records.h"
#include "backend/cuda/stream/timing.h"
#include "core/base/alloc.h"
#include "core/stream/capture.h"
#include "core/trace/trace.h"

#include <tenorite/cuda.h>

typedef struct recording {
    CUgraph graph;
    CUgraphExec launchable;
    bool is_strict;
} recording;

/* --- Recording --- */

tn_status tni_cuda_capture_begin(tn_graph *graph, tn_stream *stream, int mode) {
    static const CUstreamCaptureMode modes[] = {
        [TN_CAPTURE_GLOBAL] = CU_STREAM_CAPTURE_MODE_GLOBAL,
        [TN_CAPTURE_THREAD_LOCAL] = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
        [TN_CAPTURE_RELAXED] = CU_STREAM_CAPTURE_MODE_RELAXED};
    recording *made = tni_calloc(1, sizeof *made);
    tni_cuda_scope scope;
    if (!made) return tni_fail_no_memory(sizeof *made);
    made->is_strict = mode != TN_CAPTURE_RELAXED;
    tn_status status = tni_cuda_enter(&scope, stream->device.number);
    if (status == TN_OK) {
        /* Before it begins: from then on another thread's allocation would end it. */
        atomic_fetch_add(&tni_cuda_strict_captures, made->is_strict);
        status = TNI_DRIVER(cuStreamBeginCapture_v2, tni_cuda_stream_handle(stream), modes[mode]);
        if (status != TN_OK) atomic_fetch_sub(&tni_cuda_strict_captures, made->is_strict);
        tni_cuda_leave(&scope);
    }
    if (status == TN_OK)
        graph->implementation = made;
    else
        tni_free(made);
    return status;
}

static tn_status end(recording *recording, CUstream stream, bool *ended) {
    CUstreamCaptureStatus now = CU_STREAM_CAPTURE_STATUS_NONE;
    tn_status status = TNI_DRIVER(cuStreamEndCapture, stream, &recording->graph);
    if (status != TN_OK)
        *ended = tni_driver.cuStreamIsCapturing(stream, &now) != CUDA_SUCCESS ||
                 now == CU_STREAM_CAPTURE_STATUS_NONE;
    if (status != TN_OK) return status;
    tni_cuda_count_handle(1);
    TNI_TRY(TNI_DRIVER(cuGraphInstantiateWithFlags, &recording->launchable, recording->graph, 0));
    tni_cuda_count_handle(1);
    return TN_OK;
}

/* Where the device can't be used any more, there is no capture either. */
static bool is_lost(int number) {
    tni_cuda_device *device;
    return tni_cuda_is_forked() ||
           (tni_cuda_device_get(&device, number) == TN_OK && atomic_load(&tni_cuda_broken[number]));
}

/* A launch that failed while it waited is missing in the graph; the capture ends all the same. */
tn_status tni_cuda_capture_end(tn_graph *graph, tn_stream *stream, bool *ended) {
    recording *recording = graph->implementation;
    tni_cuda_scope scope;
    tn_status status = tni_cuda_enter_quietly(&scope, stream->device.number);
    *ended = status == TN_OK || is_lost(stream->device.number);
    if (status == TN_OK) {
        status = end(recording, tni_cuda_stream_handle(stream), ended);
        tni_cuda_leave(&scope);
    }
    if (*ended && recording->is_strict) {
        atomic_fetch_sub(&tni_cuda_strict_captures, 1);
        recording->is_strict = false;
    }
    return status == TN_OK ? tni_defer_raise() : status;
}

static void destroy(void *context, int number) {
    recording *recording = context;
    tni_cuda_scope scope;
    if (!tni_cuda_is_forked() && tni_cuda_enter_quietly(&scope, number) == TN_OK) {
        tni_cuda_count_handle(-(recording->launchable != NULL) - (recording->graph != NULL));
        if (recording->launchable) tni_driver.cuGraphExecDestroy(recording->launchable);
        if (recording->graph) tni_driver.cuGraphDestroy(recording->graph);
        tni_cuda_leave(&scope);
    }
    tni_free(recording);
}

void tni_cuda_graph_deinit(tn_graph *graph) {
    if (!tni_cuda_is_forked()) tni_records_drop_graph(graph);
    if (tni_cuda_in_callback() && !tni_cuda_is_forked())
        tni_cuda_give_back(destroy, graph->implementation, graph->device.number);
    else
        destroy(graph->implementation, graph->device.number);
}

/* --- Launching --- */

tn_status tni_cuda_graph_launch(tn_graph *graph, tn_stream *stream) {
    const recording *recording = graph->implementation;
    int callbacks = atomic_load(&graph->callbacks);
    tni_cuda_scope scope;
    TNI_TRY(tni_cuda_enter(&scope, graph->device.number));
    tni_cuda_expect_callbacks(callbacks);
    tni_cuda_stream_note(stream, "a graph", 0, (unsigned[3]){0}, (unsigned[3]){0});
    tni_cuda_timing *timing =
        tni_trace_begin(TNI_TRACE_ON) ? tni_cuda_timing_begin(stream, NULL) : NULL;
    tn_status status =
        TNI_DRIVER(cuGraphLaunch, recording->launchable, tni_cuda_stream_handle(stream));
    tni_cuda_timing_end(timing, stream);
    if (status != TN_OK) tni_cuda_expect_callbacks(-callbacks);
    tni_cuda_leave(&scope);
    return status;
}

tn_status tni_cuda_graph_upload(tn_graph *graph, tn_stream *stream) {
    const recording *recording = graph->implementation;
    TNI_CUDA_ON(graph->device.number,
                TNI_DRIVER(cuGraphUpload, recording->launchable, tni_cuda_stream_handle(stream)));
    return TN_OK;
}

/* --- Facts --- */

void tn_cuda_graph_get_handles(uintptr_t *graph, uintptr_t *launchable, const tn_graph *of) {
    const recording *recording = of->implementation;
    bool is_here = of->device.backend == TN_BACKEND_CUDA;
    if (is_here) tni_defer_end();
    *graph = is_here ? (uintptr_t)recording->graph : (uintptr_t)of;
    *launchable = is_here ? (uintptr_t)recording->launchable : (uintptr_t)of + 1;
}

tn_status tn_cuda_graph_print(const tn_graph *graph, const char *path, unsigned flags) {
    const recording *recording = graph->implementation;
    if (graph->device.backend != TN_BACKEND_CUDA)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "describing a graph of the host");
    if (!tni_driver.cuGraphDebugDotPrint)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED,
                 "this needs a newer driver, which has cuGraphDebugDotPrint");
    TNI_CUDA_ON(graph->device.number,
                TNI_DRIVER(cuGraphDebugDotPrint, recording->graph, path, flags));
    return TN_OK;
}
