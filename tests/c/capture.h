/* What the tests of captures share, on the host and on the test double of CUDA. */
#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H

#include <tenorite/tenorite.h>

/* Ends a capture that a test left, so that the stream can go. */
static inline void leave(tn_stream *stream) {
    tn_graph *graph = NULL;
    if (stream && tn_stream_is_capturing(stream) && tn_stream_end_capture(&graph, stream) == TN_OK)
        tn_graph_release(graph);
}

/* The first byte, on the default stream of the buffer's device. */
static inline tn_status read_byte(unsigned char *byte, const tn_buffer *buffer) {
    return tn_buffer_read(byte, buffer, 0, 1, tn_stream_default(tn_buffer_device(buffer)));
}

#endif
