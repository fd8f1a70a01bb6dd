/* Captures and graphs of the CUDA backend on the test double: what is recorded, what memory a graph
 * keeps, how launches are ordered, and what can't be captured. */
#include "replay.h"

#include "backend/cuda/launch/workspace.h"
#include "bad_index.h"
#include "capture.h"
#include "core/array/array.h"
#include "core/stream/capture.h"
#include "fake_cuda.h"

#include <pthread.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

enum { BYTES = 4096 };
static const tn_device cuda0 = {TN_BACKEND_CUDA, 0}, cuda1 = {TN_BACKEND_CUDA, 1};

/* The last one may end in the cleaner's thread. */
static void wait_for_graphs(long count) {
    for (int k = 0; fake_cuda_graphs() > count && k < 10000; k++)
        usleep(1000);
    assert_int_equal(fake_cuda_graphs(), count);
}

static void check_clean(void) {
    fake_cuda_hold(false);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    wait_for_graphs(0);
    assert_string_equal(fake_cuda_complaint(), "");
}

/* --- Recording and launching --- */

/* An old driver can't describe a graph. */
static void test_print(void **state) {
    (void)state;
    char path[] = "/tmp/tenorite-graph-XXXXXX";
    tn_stream *stream = NULL;
    tn_buffer *a = NULL;
    tn_graph *graph = NULL;
    int file = mkstemp(path);
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, stream));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_buffer_fill(a, 0, 1, BYTES, stream));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    bool is_old = fake_cuda_version() < 12020;
    REQUIRE_STATUS(tn_cuda_graph_print(graph, path, 0), is_old ? TN_ERROR_NOT_IMPLEMENTED : TN_OK);
    if (is_old) assert_non_null(strstr(tn_error_message(), "cuGraphDebugDotPrint"));
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_stream_release(stream);
    close(file);
    unlink(path);
    check_clean();
}

static void test_capture(void **state) {
    (void)state;
    tn_stream *stream = NULL, *other = NULL;
    tn_buffer *a = NULL, *b = NULL;
    tn_graph *graph = NULL;
    unsigned char byte = 0;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&other, cuda0, true, 0));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, tn_stream_default(cuda0)));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, other));
    REQUIRE_OK(tn_buffer_fill(a, 0, 1, BYTES, tn_stream_default(cuda0)));
    REQUIRE_OK(tn_buffer_fill(b, 0, 2, BYTES, other));
    assert_false(tn_stream_is_capturing(stream));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    assert_true(tn_stream_is_capturing(stream));
    REQUIRE_OK(tn_buffer_copy(b, 0, a, 0, BYTES, stream));
    REQUIRE_OK(tn_buffer_fill(a, 0, 9, BYTES, stream));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    assert_false(tn_stream_is_capturing(stream));
    assert_true(tn_device_is_equal(tn_graph_device(graph), cuda0));
    REQUIRE_OK(read_byte(&byte, b));
    assert_int_equal(byte, 2); /* nothing ran */
    REQUIRE_OK(tn_graph_upload(graph, stream));
    REQUIRE_OK(tn_graph_launch(graph, stream));
    REQUIRE_OK(read_byte(&byte, b)); /* waits for the graph */
    assert_int_equal(byte, 1);
    REQUIRE_OK(tn_buffer_fill(a, 0, 5, BYTES, tn_stream_default(cuda0)));
    REQUIRE_OK(tn_graph_launch(graph, other)); /* waits for the fill */
    REQUIRE_OK(read_byte(&byte, b));
    assert_int_equal(byte, 5);
    REQUIRE_OK(read_byte(&byte, a));
    assert_int_equal(byte, 9);
    tn_buffer_release(a);
    a = NULL; /* the graph has it */
    REQUIRE_OK(tn_graph_launch(graph, NULL));
    REQUIRE_OK(read_byte(&byte, b));
    assert_int_equal(byte, 9);
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_stream_release(stream);
    tn_stream_release(other);
    check_clean();
}

/* (Not replayed: streams are held.) A launch waits for what was queued before the capture, as the
 * memory may be in use by that, and for readers of buffers that the program let go of since. */
static void test_order(void **state) {
    (void)state;
    tn_stream *stream = NULL, *other = NULL;
    tn_buffer *before = NULL, *made = NULL, *out = NULL, *copy = NULL;
    tn_graph *graph = NULL;
    unsigned char byte = 0;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&other, cuda0, true, 0));
    REQUIRE_OK(tn_buffer_new(&copy, BYTES, other));
    REQUIRE_OK(tn_buffer_new(&before, BYTES, stream));
    fake_cuda_hold(true);
    REQUIRE_OK(tn_buffer_fill(before, 0, 7, BYTES, stream));
    REQUIRE_OK(tn_buffer_copy(copy, 0, before, 0, BYTES, stream));
    const void *address = tn_buffer_address(before);
    tn_buffer_release(before); /* used on `stream` only: the next one there gets the memory */
    before = NULL;
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_buffer_new(&made, BYTES, stream));
    assert_ptr_equal(tn_buffer_address(made), address);
    REQUIRE_OK(tn_buffer_fill(made, 0, 8, BYTES, stream));
    tn_buffer_release(made);
    made = NULL;
    REQUIRE_OK(tn_buffer_new(&out, 2 * BYTES, stream));
    REQUIRE_OK(tn_buffer_fill(out, 0, 3, BYTES, stream));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    REQUIRE_OK(tn_graph_launch(graph, other));
    fake_cuda_hold(false);
    REQUIRE_OK(read_byte(&byte, copy));
    assert_int_equal(byte, 7); /* not 8: the fill of the graph came later */
    REQUIRE_OK(read_byte(&byte, out));
    assert_int_equal(byte, 3);
    fake_cuda_hold(true);
    REQUIRE_OK(tn_buffer_fill(out, 0, 4, BYTES, stream));
    REQUIRE_OK(tn_buffer_copy(copy, 0, out, 0, BYTES, stream));
    tn_buffer_release(out);
    out = NULL;
    REQUIRE_OK(tn_graph_launch(graph, other)); /* fills it with 3 */
    fake_cuda_hold(false);
    REQUIRE_OK(read_byte(&byte, copy));
    assert_int_equal(byte, 4);
cleanup:
    fake_cuda_hold(false);
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(before);
    tn_buffer_release(made);
    tn_buffer_release(out);
    tn_buffer_release(copy);
    tn_stream_release(stream);
    tn_stream_release(other);
    check_clean();
}

/* --- Memory --- */

/* What a capture lets go of serves it again, and no other work before the graph ends. */
static void test_memory(void **state) {
    (void)state;
    enum { MANY = 64 };
    tn_stream *stream = NULL;
    tn_buffer *list[MANY] = {NULL}, *kept = NULL;
    tn_graph *graph = NULL;
    tn_pool *pool = NULL;
    tn_allocator allocator;
    const void *seen[2] = {NULL, NULL};
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_pool_new(&pool, NULL));
    allocator = tn_pool_allocator(pool);
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_buffer_new_from(&kept, &allocator, BYTES, stream));
    REQUIRE_OK(tn_buffer_fill(kept, 0, 1, BYTES, stream));
    for (int k = 0; k < 10; k++) {
        REQUIRE_OK(tn_buffer_new_from(&list[0], &allocator, BYTES, stream));
        REQUIRE_OK(tn_buffer_copy(list[0], 0, kept, 0, BYTES, stream));
        if (k == 0) seen[0] = tn_buffer_address(list[0]);
        assert_ptr_equal(tn_buffer_address(list[0]), seen[0]);
        tn_buffer_release(list[0]);
        list[0] = NULL;
    }
    seen[1] = tn_buffer_address(kept);
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    tn_buffer_release(kept);
    kept = NULL;
    assert_int_equal(tn_pool_get_statistics(pool, cuda0).used_bytes, 2 * BYTES);
    for (int k = 0; k < MANY; k++) {
        REQUIRE_OK(tn_buffer_new_from(&list[k], &allocator, BYTES, stream));
        assert_ptr_not_equal(tn_buffer_address(list[k]), seen[0]);
        assert_ptr_not_equal(tn_buffer_address(list[k]), seen[1]);
    }
    REQUIRE_OK(tn_graph_launch(graph, stream));
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    tn_graph_release(graph);
    graph = NULL;
    assert_int_equal(tn_pool_get_statistics(pool, cuda0).used_bytes, MANY * BYTES);
cleanup:
    leave(stream);
    tn_graph_release(graph);
    for (int k = 0; k < MANY; k++)
        tn_buffer_release(list[k]);
    tn_buffer_release(kept);
    tn_pool_release(pool);
    tn_stream_release(stream);
    check_clean();
}

/* (Not replayed: streams are held.) Memory that the capture does not touch goes after what was
 * queued before it, and nothing of that becomes part of the graph. */
static void test_release_meanwhile(void **state) {
    (void)state;
    tn_stream *stream = NULL, *other = NULL;
    tn_buffer *a = NULL, *b = NULL;
    tn_graph *graph = NULL;
    long blocks = fake_cuda_blocks();
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&other, cuda0, true, 0));
    REQUIRE_OK(tn_buffer_new_from(&a, tn_allocator_raw(), BYTES, stream));
    REQUIRE_OK(tn_buffer_new_from(&b, tn_allocator_raw(), BYTES, stream));
    fake_cuda_hold(true);
    REQUIRE_OK(tn_buffer_fill(a, 0, 1, BYTES, stream));
    REQUIRE_OK(tn_buffer_fill(b, 0, 1, BYTES, other));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    tn_buffer_release(a);
    tn_buffer_release(b);
    a = b = NULL;
    assert_int_equal(fake_cuda_blocks(), blocks + 2);
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    fake_cuda_hold(false);
    while (fake_cuda_blocks() > blocks)
        usleep(1000);
    REQUIRE_OK(tn_graph_launch(graph, stream));
    REQUIRE_OK(tn_graph_launch(graph, stream));
cleanup:
    fake_cuda_hold(false);
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_stream_release(stream);
    tn_stream_release(other);
    check_clean();
}

/* (Not replayed: streams are held.) A graph that still runs when it is released runs to its end. */
static void test_release_running(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_buffer *a = NULL, *b = NULL;
    tn_graph *graph = NULL;
    unsigned char byte = 0;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, stream));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, stream));
    REQUIRE_OK(tn_buffer_fill(a, 0, 6, BYTES, stream));
    REQUIRE_OK(tn_buffer_copy(b, 0, a, 0, BYTES, stream));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    fake_cuda_hold(true);
    REQUIRE_OK(tn_graph_launch(graph, stream));
    tn_graph_release(graph);
    tn_buffer_release(a);
    graph = NULL;
    a = NULL;
    assert_true(fake_cuda_graphs() > 0);
    fake_cuda_hold(false);
    wait_for_graphs(0);
    REQUIRE_OK(read_byte(&byte, b));
    assert_int_equal(byte, 6);
cleanup:
    fake_cuda_hold(false);
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_stream_release(stream);
    check_clean();
}

/* --- Several streams --- */

static void test_fork_join(void **state) {
    (void)state;
    tn_stream *stream = NULL, *branch = NULL;
    tn_event *forked = NULL, *joined = NULL;
    tn_buffer *a = NULL, *b = NULL, *c = NULL;
    tn_graph *graph = NULL;
    unsigned char byte = 0;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&branch, cuda0, true, 0));
    REQUIRE_OK(tn_event_new(&forked, cuda0, false));
    REQUIRE_OK(tn_event_new(&joined, cuda0, false));
    REQUIRE_OK(tn_buffer_new(&c, BYTES, tn_stream_default(cuda0)));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, stream));
    REQUIRE_OK(tn_buffer_fill(a, 0, 3, BYTES, stream));
    REQUIRE_OK(tn_event_record(forked, stream));
    REQUIRE_OK(tn_stream_wait_event(branch, forked));
    assert_true(tn_stream_is_capturing(branch));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, branch));
    REQUIRE_OK(tn_buffer_copy(b, 0, a, 0, BYTES, branch));
    REQUIRE_OK(tn_buffer_fill(a, 0, 1, BYTES, stream)); /* ordered after the branch's copy */
    REQUIRE_OK(tn_event_record(joined, branch));
    REQUIRE_OK(tn_stream_wait_event(stream, joined));
    REQUIRE_OK(tn_buffer_copy(c, 0, b, 0, BYTES, stream));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    assert_false(tn_stream_is_capturing(branch));
    REQUIRE_OK(tn_stream_synchronize(branch, -1));
    REQUIRE_OK(tn_graph_launch(graph, branch));
    REQUIRE_OK(read_byte(&byte, c));
    assert_int_equal(byte, 3);
    tn_graph_release(graph);
    graph = NULL;
    /* A branch that no call waits for. */
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_event_record(forked, stream));
    REQUIRE_OK(tn_stream_wait_event(branch, forked));
    REQUIRE_STATUS(tn_stream_end_capture(&graph, branch), TN_ERROR_DEVICE); /* not begun there */
    assert_true(tn_stream_is_capturing(stream) && tn_stream_is_capturing(branch));
    REQUIRE_STATUS(tn_stream_end_capture(&graph, stream), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorStreamCaptureUnjoined"));
    assert_false(tn_stream_is_capturing(stream) || tn_stream_is_capturing(branch));
    REQUIRE_OK(tn_stream_synchronize(branch, -1));
    /* Work that is not captured can't be waited for. */
    REQUIRE_OK(tn_event_record(forked, branch));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_STATUS(tn_stream_wait_event(stream, forked), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorStreamCaptureIsolation"));
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_buffer_release(c);
    tn_event_release(forked);
    tn_event_release(joined);
    tn_stream_release(stream);
    tn_stream_release(branch);
    check_clean();
}

/* (Not replayed: streams are held.) Work beside a capture is ordered as ever. */
static void test_work_beside(void **state) {
    (void)state;
    tn_stream *stream = NULL, *other = NULL;
    tn_buffer *a = NULL, *b = NULL;
    tn_graph *graph = NULL;
    unsigned char byte = 0;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&other, cuda0, true, 0));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, stream));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, other));
    fake_cuda_hold(true);
    REQUIRE_OK(tn_buffer_fill(a, 0, 4, BYTES, stream));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_buffer_fill(a, 0, 5, BYTES, stream));
    REQUIRE_OK(tn_buffer_copy(b, 0, a, 0, BYTES, other)); /* waits for the first fill */
    fake_cuda_hold(false);
    REQUIRE_OK(tn_buffer_read(&byte, b, 0, 1, other));
    REQUIRE_OK(tn_stream_synchronize(other, -1));
    assert_int_equal(byte, 4);
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    REQUIRE_OK(tn_graph_launch(graph, other));
    REQUIRE_OK(read_byte(&byte, a));
    assert_int_equal(byte, 5);
cleanup:
    fake_cuda_hold(false);
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_stream_release(stream);
    tn_stream_release(other);
    check_clean();
}

/* --- Functions of the program --- */

static void count_call(void *context) {
    atomic_fetch_add((atomic_int *)context, 1);
}

static void test_callbacks(void **state) {
    (void)state;
    atomic_int calls = 0, released = 0;
    tn_stream *stream = NULL;
    tn_graph *graph = NULL;
    uintptr_t memory = 0;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_STATUS(tn_capture_keep(stream, count_call, &released), TN_ERROR_VALUE);
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_capture_keep(stream, count_call, &released));
    REQUIRE_OK(tn_stream_add_callback(stream, count_call, &calls));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    assert_int_equal(atomic_load(&calls), 0);
    for (int k = 0; k < 3; k++)
        REQUIRE_OK(tn_graph_launch(graph, stream));
    REQUIRE_OK(tn_cuda_malloc(&memory, BYTES, 0));
    tn_cuda_free(memory, 0);
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    assert_int_equal(atomic_load(&calls), 3);
    assert_int_equal(atomic_load(&released), 0);
    tn_graph_release(graph);
    graph = NULL;
    assert_int_equal(atomic_load(&released), 1);
    tn_pool_trim(tn_pool_default(), cuda0, NULL); /* nothing is taken for pending */
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_stream_release(stream);
    check_clean();
}

/* --- Failures --- */

static void release_graph(void *graph) {
    tn_graph_release(graph);
}

/* One that was never launched has no stream that could end it later. */
static void test_release_in_callback(void **state) {
    (void)state;
    tn_stream *stream;
    tn_graph *graph;
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    assert_int_equal(tn_stream_begin_capture(stream, TN_CAPTURE_GLOBAL), TN_OK);
    assert_int_equal(tn_stream_end_capture(&graph, stream), TN_OK);
    assert_int_equal(tn_stream_add_callback(stream, release_graph, graph), TN_OK);
    tn_stream_release(stream);
    check_clean();
}

/* These are refused before the driver hears of them, and the capture goes on. */
static void test_refused_early(void **state) {
    (void)state;
    tn_stream *stream = NULL, *host = NULL, *far = NULL;
    tn_event *event = NULL;
    tn_buffer *a = NULL, *b = NULL;
    tn_graph *graph = NULL;
    unsigned char bytes[BYTES];
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&far, cuda1, true, 0));
    REQUIRE_OK(tn_stream_new(&host, (tn_device){TN_BACKEND_HOST, 0}, true, 0));
    REQUIRE_OK(tn_buffer_new(&a, BYTES, stream));
    REQUIRE_OK(tn_buffer_new(&b, BYTES, far));
    REQUIRE_OK(tn_event_new(&event, (tn_device){TN_BACKEND_HOST, 0}, false));
    REQUIRE_STATUS(tn_stream_begin_capture(stream, (tn_capture_mode)3), TN_ERROR_VALUE);
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_STATUS(tn_buffer_write(a, 0, bytes, BYTES, stream), TN_ERROR_RUNTIME);
    REQUIRE_STATUS(tn_buffer_read(bytes, a, 0, BYTES, stream), TN_ERROR_RUNTIME);
    assert_non_null(strstr(tn_error_message(), "is capturing a graph"));
    REQUIRE_OK(tn_event_record(event, host));
    REQUIRE_STATUS(tn_stream_wait_event(stream, event), TN_ERROR_RUNTIME);
    REQUIRE_OK(tn_stream_set_current(stream));
    tn_status status = tn_buffer_copy(b, 0, a, 0, BYTES, NULL); /* runs on the other device */
    tn_stream_set_current(tn_stream_default(cuda0));
    REQUIRE_STATUS(status, TN_ERROR_RUNTIME);
    REQUIRE_STATUS(tn_buffer_new_from(&b, tn_cuda_allocator_async(), BYTES, stream),
                   TN_ERROR_NOT_IMPLEMENTED);
    REQUIRE_OK(tn_buffer_fill(a, 0, 1, BYTES, stream));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    REQUIRE_STATUS(tn_graph_launch(graph, far), TN_ERROR_VALUE);
    assert_non_null(strstr(tn_error_message(), "cuda:1"));
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_event_release(event);
    tn_stream_release(stream);
    tn_stream_release(far);
    if (host) tn_stream_synchronize(host, -1);
    tn_stream_release(host);
    check_clean();
}

/* The driver refuses these, and what it refuses within a capture spoils that. */
static void test_refused_by_the_driver(void **state) {
    (void)state;
    tn_stream *stream = NULL, *other = NULL;
    tn_graph *graph = NULL, *none = NULL;
    bool done;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&other, cuda0, true, 0));
    REQUIRE_STATUS(tn_stream_begin_capture(tn_stream_default(cuda0), TN_CAPTURE_RELAXED),
                   TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cannot capture on the default (legacy) stream"));
    REQUIRE_STATUS(tn_stream_end_capture(&graph, stream), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorIllegalState"));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_STATUS(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED), TN_ERROR_DEVICE);
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    REQUIRE_OK(tn_stream_begin_capture(other, TN_CAPTURE_RELAXED));
    REQUIRE_STATUS(tn_graph_launch(graph, other), TN_ERROR_NOT_IMPLEMENTED);
    REQUIRE_STATUS(tn_stream_synchronize(other, -1), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorStreamCaptureUnsupported"));
    REQUIRE_STATUS(tn_stream_end_capture(&none, other), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cudaErrorStreamCaptureInvalidated"));
    assert_false(tn_stream_is_capturing(other));
    REQUIRE_OK(tn_stream_synchronize(other, -1));
    REQUIRE_OK(tn_stream_begin_capture(other, TN_CAPTURE_RELAXED));
    REQUIRE_STATUS(tn_stream_is_done(other, &done), TN_ERROR_DEVICE);
    REQUIRE_STATUS(tn_stream_end_capture(&none, other), TN_ERROR_DEVICE);
cleanup:
    leave(stream);
    leave(other);
    tn_graph_release(graph);
    tn_stream_release(stream);
    tn_stream_release(other);
    check_clean();
}

/* Page-locked memory can be part of a graph: each launch reads it anew. */
static void test_pinned(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_buffer *a = NULL;
    tn_graph *graph = NULL;
    void *pinned = NULL;
    unsigned char byte = 0;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_buffer_new(&a, 64, stream));
    REQUIRE_OK(tn_pinned_pool_allocate(tn_pinned_pool_default(), &pinned, 64));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_buffer_write(a, 0, pinned, 64, stream));
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    for (int k = 1; k < 4; k++) {
        memset(pinned, k, 64);
        REQUIRE_OK(tn_graph_launch(graph, stream));
        REQUIRE_OK(read_byte(&byte, a));
        assert_int_equal(byte, k);
    }
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_pinned_pool_free(tn_pinned_pool_default(), pinned, NULL);
    tn_stream_release(stream);
    check_clean();
}

static void *allocate_elsewhere(void *context) {
    *(tn_status *)context = tn_cuda_malloc_host(&(uintptr_t){0}, 64, 0);
    return NULL;
}

/* The driver refuses harmful calls then; what this library does is not harmful. */
static void test_strict(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_graph *graph = NULL;
    tn_buffer *a = NULL;
    for (int mode = TN_CAPTURE_GLOBAL; mode <= TN_CAPTURE_THREAD_LOCAL; mode++) {
        tn_status elsewhere = TN_OK;
        pthread_t thread;
        REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
        REQUIRE_OK(tn_stream_begin_capture(stream, (tn_capture_mode)mode));
        REQUIRE_OK(tn_buffer_new_from(&a, tn_allocator_raw(), 8 << 20, stream));
        REQUIRE_OK(tn_buffer_fill(a, 0, 1, 8 << 20, stream));
        assert_int_equal(pthread_create(&thread, NULL, allocate_elsewhere, &elsewhere), 0);
        pthread_join(thread, NULL);
        REQUIRE_OK(elsewhere);
        REQUIRE_OK(tn_stream_end_capture(&graph, stream));
        REQUIRE_OK(tn_graph_launch(graph, stream));
        tn_graph_release(graph);
        graph = NULL;
        tn_buffer_release(a);
        a = NULL;
        tn_stream_release(stream);
        stream = NULL;
    }
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_stream_release(stream);
    check_clean();
}

static tn_status exercise(void) {
    tn_stream *stream = NULL, *branch = NULL;
    tn_event *event = NULL;
    tn_buffer *a = NULL, *b = NULL;
    tn_graph *graph = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_stream_new(&stream, cuda0, true, 0));
    TNI_TRY_OWNING(tn_stream_new(&branch, cuda0, true, 0));
    TNI_TRY_OWNING(tn_event_new(&event, cuda0, false));
    TNI_TRY_OWNING(tn_buffer_new(&a, BYTES, stream));
    TNI_TRY_OWNING(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    TNI_TRY_OWNING(tn_buffer_new(&b, BYTES, stream));
    TNI_TRY_OWNING(tn_buffer_copy(b, 0, a, 0, BYTES, stream));
    TNI_TRY_OWNING(tn_event_record(event, stream));
    TNI_TRY_OWNING(tn_stream_wait_event(branch, event));
    TNI_TRY_OWNING(tn_event_record(event, branch));
    TNI_TRY_OWNING(tn_stream_wait_event(stream, event));
    TNI_TRY_OWNING(tn_stream_end_capture(&graph, stream));
    TNI_TRY_OWNING(tn_graph_launch(graph, branch));
    TNI_TRY_OWNING(tn_stream_synchronize(branch, -1));
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_event_release(event);
    tn_stream_release(stream);
    tn_stream_release(branch);
    return status;
}

/* Every call of the driver fails in turn. */
static void test_failing_calls(void **state) {
    (void)state;
    assert_int_equal(exercise(), TN_OK);
    for (long n = 1; n < 150; n++) {
        fake_cuda_fail(NULL, n, CUDA_ERROR_INVALID_VALUE);
        tn_status status = exercise();
        fake_cuda_fail(NULL, 0, 0);
        assert_true(status == TN_OK || status == TN_ERROR_DEVICE);
        assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
        assert_string_equal(fake_cuda_complaint(), "");
    }
}

/* --- Indices out of bounds --- */

/* A graph's kernels have counters and a record of their own, and report where it is launched. */
static void test_workspace(void **state) {
    (void)state;
    tn_stream *stream = NULL, *other = NULL;
    tn_graph *graph = NULL;
    tni_bounds own, captured, again;
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(tn_stream_new(&other, cuda0, true, 0));
    REQUIRE_OK(tni_bounds_begin(&own, stream));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tni_bounds_begin(&captured, stream));
    REQUIRE_OK(tni_bounds_begin(&again, stream));
    assert_true(own.words[0] != captured.words[0] && own.words[2] != captured.words[2]);
    assert_true(again.words[0] == captured.words[0] && again.words[3] == captured.words[3] + 1);
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    REQUIRE_OK(tni_bounds_begin(&again, stream));
    assert_true(again.words[0] == own.words[0]);
    REQUIRE_OK(tn_graph_launch(graph, other));
    REQUIRE_OK(tn_stream_synchronize(other, -1));
    assert_true(report_bad_index(&captured, TN_FAILURE_INDEX, 12, 0, 5));
    assert_false(report_bad_index(&captured, TN_FAILURE_INDEX, 13, 0, 5)); /* the first is kept */
    REQUIRE_STATUS(tn_stream_synchronize(stream, -1), TN_ERROR_INDEX);
    assert_non_null(strstr(tn_error_message(), "index 12 is out of bounds for axis 0 with size 5"));
    REQUIRE_OK(tn_stream_synchronize(other, -1));
    REQUIRE_OK(tn_graph_launch(graph, other));
    REQUIRE_OK(tn_stream_synchronize(other, -1));
    assert_int_equal(*(const int64_t *)(uintptr_t)captured.words[0], 0); /* begins anew */
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_stream_release(stream);
    tn_stream_release(other);
    check_clean();
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_print),
        REPLAY(test_capture),
        REPLAY_NOT(test_order),
        REPLAY(test_memory),
        REPLAY_NOT(test_release_meanwhile),
        REPLAY_NOT(test_release_running),
        REPLAY(test_fork_join),
        REPLAY_NOT(test_work_beside),
        REPLAY(test_callbacks),
        REPLAY_NOT(test_release_in_callback),
        REPLAY(test_refused_early),
        REPLAY(test_refused_by_the_driver),
        REPLAY(test_pinned),
        REPLAY_NOT(test_strict),
        REPLAY(test_workspace),
        REPLAY_NOT(test_failing_calls), /* last: a graph whose end fails is lost */
    };
    return REPLAY_RUN("cuda_graph", tests);
}
