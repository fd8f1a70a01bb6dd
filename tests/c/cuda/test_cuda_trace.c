/* Times of a GPU's work in a trace, on doubles of the driver and of CUPTI. */
#include "replay.h"

#include "backend/cuda/driver/library.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/launch/launch.h"
#include "core/stream/stream.h"
#include "core/trace/record.h"
#include "fake_cupti.h"

#include <tenorite/tenorite.h>

/* How far two clocks that are compared may differ on a machine that is busy; the double's is
 * more than an hour off. */
enum { CLOCKS_NS = 1000000000 };
/* What a failing allocation makes untrue. */
#define REQUIRE(truth) REQUIRE_STATUS((truth) ? TN_OK : TN_ERROR_MEMORY, TN_OK)

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0};

/* --- What a trace has --- */

typedef struct finding {
    tn_trace_kind kind;
    const char *name;
    int count;
    int64_t bytes;
    uint64_t stream;
    bool has_place, is_within; /* the trace's time */
    int64_t ended;
} finding;

static void visit(void *context, const tni_event *event) {
    finding *found = context;
    if (event->kind != found->kind || !(event->depth & TNI_EVENT_OF_STREAM) ||
        (found->name && strcmp(tn_trace_text(event->name), found->name) != 0))
        return;
    found->count++;
    found->bytes += event->bytes;
    found->stream = event->number;
    found->has_place = event->place != 0;
    found->is_within = event->begin_ns >= tni_record_start_ns() - CLOCKS_NS &&
                       event->begin_ns <= event->end_ns &&
                       event->end_ns <= found->ended + CLOCKS_NS;
}

static finding find(tn_trace_kind kind, const char *name) {
    finding found = {.kind = kind, .name = name, .ended = tni_now_ns()};
    tni_record_each(0, visit, &found);
    return found;
}

static uint32_t place(void) {
    return tn_trace_name("program.py:7 (work)");
}

static void write_scale(tni_source *source, const void *context) {
    (void)context;
    tni_source_set_name(source, "scale");
    tni_source_add(source, "extern \"C\" __global__ void scale(float *x) {} // params 8\n");
}

static tn_status launch(tni_cuda_kernel **kernel, tn_stream *stream) {
    void *x = (void *)0x1234500, *params[] = {&x};
    char key = 's';
    TNI_TRY(tni_cuda_kernel_get(kernel, 0, write_scale, NULL, &key, 1));
    return tni_cuda_launch(*kernel, (unsigned[]){5, 2, 1}, (unsigned[]){256, 1, 1}, 0, params,
                           stream);
}

/* --- By CUPTI --- */

static void test_kernels_and_copies(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_array *a = NULL;
    tni_cuda_kernel *kernel;
    int64_t shape[] = {100};
    float values[100] = {0};
    bool is_on = false;
    tn_trace_set_place(place);
    for (int turn = 0; turn < 2; turn++) {
        fake_cupti_set_order(turn);
        REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
        REQUIRE_OK(tn_array_new(&a, TN_F32, 1, shape, TN_ORDER_C, stream));
        REQUIRE_OK(tn_trace_start(1000, false));
        is_on = true;
        uint64_t number = tni_stream_number(stream);
        tni_trace_work.place = place(); /* as a form's driver sets it */
        tn_status status = launch(&kernel, stream);
        tni_trace_work.place = 0;
        if (status == TN_OK) status = tn_array_write(a, values, NULL, stream);
        is_on = false;
        assert_int_equal(tn_trace_stop(), TN_OK);
        assert_int_equal(fake_cupti_enabled(), 0);
        assert_int_equal(fake_cupti_pushed(), 0);
        REQUIRE_OK(status);
        finding found = find(TN_TRACE_KERNEL, "scale");
        REQUIRE(found.count == 1 && found.stream == number && found.has_place);
        assert_true(found.is_within);
        if (fake_cupti_calls("cuptiActivityFlushAll")) {
            found = find(TN_TRACE_WORK, "copy to the device");
            REQUIRE(found.count >= 1 && found.bytes == sizeof values && found.has_place);
        }
        tn_array_release(a);
        tn_stream_release(stream);
        a = NULL;
        stream = NULL;
    }
cleanup:
    if (is_on) tn_trace_stop();
    tn_trace_set_place(NULL);
    tn_trace_clear();
    tn_array_release(a);
    tn_stream_release(stream);
}

/* What a library launches has its own name, and the stream that CUPTI knows by a number. */
static void test_without_labels(void **state) {
    (void)state;
    tni_cuda_kernel *kernel;
    tn_stream *stream;
    void *x = NULL, *params[] = {&x};
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    assert_int_equal(tn_trace_start(1000, false), TN_OK);
    assert_int_equal(launch(&kernel, stream), TN_OK);
    for (int k = 0; k < 3; k++)
        assert_int_equal(tni_driver.cuLaunchKernel(kernel->function, 1, 1, 1, 1, 1, 1, 0,
                                                   tni_cuda_stream_handle(stream), params, NULL),
                         CUDA_SUCCESS);
    assert_int_equal(tn_trace_stop(), TN_OK);
    finding found = find(TN_TRACE_KERNEL, "scale");
    assert_int_equal(found.count, 4);
    assert_int_equal(found.stream, tni_stream_number(stream));
    assert_false(found.has_place);
    tn_trace_clear();
    tn_stream_release(stream);
}

/* Labels that wait for their work, and work that waits for its label, leave the table in time. */
static void test_many(void **state) {
    (void)state;
    enum { MANY = 70000 };
    tni_cuda_kernel *kernel;
    tn_stream *stream = tn_stream_default(cuda0);
    for (int turn = 0; turn < 2; turn++) {
        fake_cupti_set_order(turn);
        assert_int_equal(tn_trace_start(4 * MANY, false), TN_OK);
        for (int k = 0; k < MANY; k++)
            assert_int_equal(launch(&kernel, stream), TN_OK);
        assert_int_equal(tn_trace_stop(), TN_OK);
        finding found = find(TN_TRACE_KERNEL, "scale");
        assert_int_equal(found.count, MANY);
        assert_int_equal(found.stream, tni_stream_number(stream));
        assert_int_equal(tn_trace_get_counts().dropped, 0);
        tn_trace_clear();
    }
}

/* --- By events, where CUPTI fails --- */

static void test_failures(void **state) {
    (void)state;
    static const char *const functions[] = {"cuptiActivityRegisterCallbacks", "cuptiGetTimestamp",
                                            "cuptiActivityEnable", "cuptiActivityEnableDriverApi",
                                            "cuptiActivityEnableRuntimeApi"};
    tni_cuda_kernel *kernel;
    tn_stream *stream = tn_stream_default(cuda0);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        for (int n = 1; n <= 3; n += 2) {
            fake_cupti_fail(functions[k], n);
            assert_int_equal(tn_trace_start(1000, false), TN_OK);
            assert_int_equal(launch(&kernel, stream), TN_OK);
            assert_true(fake_cupti_enabled() == 0 ||
                        strcmp(functions[k], "cuptiActivityRegisterCallbacks") == 0);
            assert_int_equal(tn_trace_stop(), TN_OK);
            assert_int_equal(find(TN_TRACE_KERNEL, "scale").count, 1);
            assert_int_equal(fake_cupti_enabled(), 0);
            fake_cupti_fail(NULL, 0);
            tn_trace_clear();
        }
    }
}

/* Buffers that were not there are counted as events. */
static void test_lost(void **state) {
    (void)state;
    tni_cuda_kernel *kernel;
    tn_stream *stream = tn_stream_default(cuda0);
    assert_int_equal(tn_trace_start(1000, false), TN_OK);
    assert_int_equal(launch(&kernel, stream), TN_OK);
    fake_cupti_fail("cuptiActivityFlushAll", 1); /* what the other one brings is enough */
    assert_int_equal(tn_trace_stop(), TN_OK);
    fake_cupti_fail(NULL, 0);
    assert_int_equal(find(TN_TRACE_KERNEL, "scale").count, 1);
    assert_int_equal(fake_cuda_complaint()[0], 0);
    tn_trace_clear();
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_kernels_and_copies), REPLAY_NOT(test_without_labels), REPLAY_NOT(test_many),
        REPLAY_NOT(test_failures),       REPLAY_NOT(test_lost),
    };
    return REPLAY_RUN("cuda_trace", tests);
}
