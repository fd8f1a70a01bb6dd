/* Captures and graphs on the host's streams. The CUDA backend's are in test_cuda_graph.c. */
#include "replay.h"

#include "capture.h"

#include <stdatomic.h>
#include <tenorite/tenorite.h>

enum { BYTES = 4096 };
static const tn_device host0 = {TN_BACKEND_HOST, 0};

static void test_capture(void **state) {
    (void)state;
    tn_stream *stream = NULL, *other = NULL;
    tn_buffer *a = NULL, *b = NULL, *made = NULL;
    tn_graph *graph = NULL;
    unsigned char byte = 0;
    REQUIRE_OK(tn_stream_new(&stream, host0, false, 0));
    REQUIRE_OK(tn_stream_new(&other, host0, false, 0));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, tn_stream_default(host0)));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, other));
    REQUIRE_OK(tn_buffer_fill(a, 0, 1, BYTES, tn_stream_default(host0)));
    REQUIRE_OK(tn_buffer_fill(b, 0, 2, BYTES, other));
    REQUIRE_STATUS(tn_stream_begin_capture(tn_stream_default(host0), TN_CAPTURE_RELAXED),
                   TN_ERROR_DEVICE);
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_GLOBAL));
    REQUIRE_OK(tn_buffer_new(&made, BYTES, stream));
    REQUIRE_OK(tn_buffer_copy(made, 0, a, 0, BYTES, stream));
    REQUIRE_OK(tn_buffer_copy(b, 0, made, 0, BYTES, stream));
    REQUIRE_OK(tn_buffer_fill(a, 0, 9, BYTES, stream));
    tn_buffer_release(made);
    made = NULL;
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    REQUIRE_OK(read_byte(&byte, b));
    assert_int_equal(byte, 2); /* nothing ran */
    REQUIRE_OK(tn_graph_upload(graph, stream));
    REQUIRE_OK(tn_graph_launch(graph, stream));
    REQUIRE_OK(read_byte(&byte, b));
    assert_int_equal(byte, 1);
    REQUIRE_OK(tn_graph_launch(graph, NULL)); /* at once */
    REQUIRE_OK(read_byte(&byte, b));
    assert_int_equal(byte, 9);
    REQUIRE_OK(tn_buffer_fill(a, 0, 5, BYTES, stream));
    REQUIRE_OK(tn_graph_launch(graph, other));
    tn_graph_release(graph); /* runs to its end */
    graph = NULL;
    REQUIRE_OK(read_byte(&byte, b));
    assert_int_equal(byte, 5);
cleanup:
    leave(stream);
    if (stream) tn_stream_synchronize(stream, -1);
    if (other) tn_stream_synchronize(other, -1);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_buffer_release(made);
    tn_stream_release(stream);
    tn_stream_release(other);
}

static void test_branches(void **state) {
    (void)state;
    tn_stream *stream = NULL, *branch = NULL;
    tn_event *forked = NULL, *joined = NULL;
    tn_buffer *a = NULL, *b = NULL;
    tn_graph *graph = NULL;
    unsigned char byte = 0;
    bool done;
    REQUIRE_OK(tn_stream_new(&stream, host0, false, 0));
    REQUIRE_OK(tn_stream_new(&branch, host0, false, 0));
    REQUIRE_OK(tn_event_new(&forked, host0, false));
    REQUIRE_OK(tn_event_new(&joined, host0, false));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, tn_stream_default(host0)));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, tn_stream_default(host0)));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_buffer_fill(a, 0, 3, BYTES, stream));
    REQUIRE_OK(tn_event_record(forked, stream));
    REQUIRE_OK(tn_stream_wait_event(branch, forked));
    REQUIRE_OK(tn_buffer_copy(b, 0, a, 0, BYTES, branch));
    REQUIRE_OK(tn_event_record(joined, branch));
    REQUIRE_STATUS(tn_stream_end_capture(&graph, branch), TN_ERROR_DEVICE);
    assert_true(tn_stream_is_capturing(branch));
    REQUIRE_OK(tn_stream_wait_event(stream, joined));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    assert_false(tn_stream_is_capturing(branch));
    REQUIRE_OK(tn_graph_launch(graph, branch));
    REQUIRE_OK(read_byte(&byte, b));
    assert_int_equal(byte, 3);
    tn_graph_release(graph);
    graph = NULL;
    REQUIRE_STATUS(tn_event_is_done(joined, &done), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorCapturedEvent"));
    /* No call waits for the branch. */
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_event_record(forked, stream));
    REQUIRE_OK(tn_stream_wait_event(branch, forked));
    REQUIRE_STATUS(tn_stream_end_capture(&graph, stream), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorStreamCaptureUnjoined"));
    assert_false(tn_stream_is_capturing(stream) || tn_stream_is_capturing(branch));
    /* Work that is not captured can't be waited for. */
    REQUIRE_OK(tn_event_record(forked, branch));
    REQUIRE_OK(tn_event_synchronize(forked, -1));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_STATUS(tn_stream_wait_event(stream, forked), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorStreamCaptureIsolation"));
    REQUIRE_STATUS(tn_buffer_fill(a, 0, 3, BYTES, stream), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorStreamCaptureInvalidated"));
cleanup:
    leave(stream);
    if (branch) tn_stream_synchronize(branch, -1);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_event_release(forked);
    tn_event_release(joined);
    tn_stream_release(stream);
    tn_stream_release(branch);
}

static void count_call(void *context) {
    atomic_fetch_add((atomic_int *)context, 1);
}

static void test_refusals(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_buffer *a = NULL;
    tn_graph *graph = NULL;
    atomic_int calls = 0, released = 0;
    unsigned char bytes[64];
    bool done;
    REQUIRE_OK(tn_stream_new(&stream, host0, false, 0));
    REQUIRE_OK(tn_buffer_new(&a, 64, stream));
    REQUIRE_STATUS(tn_stream_end_capture(&graph, stream), TN_ERROR_DEVICE);
    REQUIRE_STATUS(tn_stream_begin_capture(stream, (tn_capture_mode)7), TN_ERROR_VALUE);
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_STATUS(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED), TN_ERROR_DEVICE);
    REQUIRE_STATUS(tn_buffer_read(bytes, a, 0, 64, stream), TN_ERROR_RUNTIME);
    REQUIRE_STATUS(tn_buffer_write(a, 0, bytes, 64, stream), TN_ERROR_RUNTIME);
    REQUIRE_OK(tn_stream_add_callback(stream, count_call, &calls));
    REQUIRE_OK(tn_capture_keep(stream, count_call, &released));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    for (int k = 0; k < 3; k++)
        REQUIRE_OK(tn_graph_launch(graph, stream));
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    assert_int_equal(atomic_load(&calls), 3);
    assert_int_equal(atomic_load(&released), 0);
    tn_graph_release(graph);
    graph = NULL;
    assert_int_equal(atomic_load(&released), 1);
    for (int k = 0; k < 2; k++) { /* waiting and asking spoil it */
        REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
        REQUIRE_STATUS(k ? tn_stream_is_done(stream, &done) : tn_stream_synchronize(stream, -1),
                       TN_ERROR_DEVICE);
        assert_non_null(strstr(tn_error_message(), "cudaErrorStreamCaptureUnsupported"));
        REQUIRE_STATUS(tn_stream_end_capture(&graph, stream), TN_ERROR_DEVICE);
        REQUIRE_OK(tn_stream_synchronize(stream, -1));
    }
cleanup:
    leave(stream);
    if (stream) tn_stream_synchronize(stream, -1); /* what is queued writes to `calls` */
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_stream_release(stream);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_capture), REPLAY(test_branches),
                                        REPLAY(test_refusals)};
    return REPLAY_RUN("graph", tests);
}
