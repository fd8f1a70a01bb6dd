/* Graphs: the work of streams, recorded once and launched as one. */
#ifndef TENORITE_GRAPH_H
#define TENORITE_GRAPH_H

#include <tenorite/device.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_graph tn_graph;

/* Which threads may meanwhile call the driver in ways that a capture could suffer from: none, all
 * but the one that captures, all. The library's own calls are harmless in each mode. */
typedef enum tn_capture_mode {
    TN_CAPTURE_GLOBAL,
    TN_CAPTURE_THREAD_LOCAL,
    TN_CAPTURE_RELAXED
} tn_capture_mode;

/* From now on work on the stream is recorded and not done. A stream that waits for an event that
 * was recorded on it takes part, until the capture ends; before that it must be waited for in the
 * same way. Memory that recorded work uses stays the graph's until the graph ends, memory made
 * meanwhile included; its contents are undefined before the first launch. Waiting for such a stream
 * and copies with host memory fail, but with page-locked memory of a GPU. The default stream can't
 * be captured, and, as CUDA has it, not be used while a stream is that is ordered with it (one that
 * is not non_blocking). */
TN_API tn_status tn_stream_begin_capture(tn_stream *stream, tn_capture_mode mode);

/* Ends what was begun on this stream. If the capture was spoiled by an earlier call, it ends with
 * that failure and no graph. */
TN_API tn_status tn_stream_end_capture(tn_graph **result, tn_stream *stream);

/* Whether the stream takes part in a capture that was begun here. */
TN_API bool tn_stream_is_capturing(const tn_stream *stream);

/* The graph that the stream is recorded into calls release(context) when it ends. */
TN_API tn_status tn_capture_keep(tn_stream *stream, void (*release)(void *context), void *context);

TN_API tn_graph *tn_graph_retain(tn_graph *graph);
/* Releases; what was launched runs to its end. NULL is allowed. */
TN_API void tn_graph_release(tn_graph *graph);
TN_API tn_device tn_graph_device(const tn_graph *graph);

/* Queues all work of the graph on a stream of its device (NULL: the current one), ordered with
 * other streams that use the same buffers, and after the graph's earlier launches. */
TN_API tn_status tn_graph_launch(tn_graph *graph, tn_stream *stream);

/* Queues what the first launch would have to do before it runs. */
TN_API tn_status tn_graph_upload(tn_graph *graph, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
