/* What happens when a call of the driver or of cuBLAS fails, on test doubles of both: a clear
 * message, nothing left after, and a device that is given up only where its context is lost. */
#include "emulated.h"
#include "replay.h"

#include "backend/cuda/compile/workers.h"
#include "backend/cuda/launch/defer.h"
#include "backend/cuda/libraries/blas.h"
#include "backend/cuda/stream/callback.h"
#include "backend/cuda/stream/stream.h"
#include "core/base/error.h"
#include "core/stream/stream.h"
#include "fake_cublas.h"

#include <sys/wait.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0}, cuda1 = {TN_BACKEND_CUDA, 1};

/* --- Work --- */

static void write_step(tni_source *source, const void *context) {
    int number = *(const int *)context;
    tni_source_set_name(source, "step_%d", number);
    tni_source_add(source, "extern \"C\" __global__ void step_%d(Pair p) {} // params 16\n",
                   number);
}

static int fresh(void) {
    static int last = 1000;
    return ++last;
}

/* A kernel that is compiled now, and one that is compiled in the background. */
static tn_status launch(tn_stream *stream, bool is_deferred) {
    static const unsigned grid[3] = {2, 1, 1}, block[3] = {32, 1, 1};
    tni_cuda_kernel *kernel;
    int number = fresh(), device = stream->device.number;
    int64_t pair[2] = {1, 2};
    void *params[] = {pair};
    if (is_deferred) {
        TNI_TRY(
            tni_cuda_kernel_begin(&kernel, device, write_step, &number, &number, sizeof number));
        return tni_defer_or_launch(kernel, grid, block, pair, sizeof pair, stream);
    }
    TNI_TRY(tni_cuda_kernel_get(&kernel, device, write_step, &number, &number, sizeof number));
    return tni_cuda_launch(kernel, grid, block, 0, params, stream);
}

static tn_status exercise(void) {
    tn_stream *stream = NULL;
    tn_event *event = NULL;
    tn_buffer *a = NULL, *b = NULL;
    static unsigned char host[256];
    tn_status status;
    TNI_TRY_OWNING(tn_stream_new(&stream, cuda0, true, 0));
    TNI_TRY_OWNING(tn_event_new(&event, cuda0, true));
    TNI_TRY_OWNING(tn_buffer_new_from(&a, tn_allocator_raw(), 256, stream));
    TNI_TRY_OWNING(tn_buffer_new_from(&b, tn_allocator_raw(), 256, tn_stream_default(cuda0)));
    TNI_TRY_OWNING(tn_buffer_write(a, 0, host, 256, stream));
    TNI_TRY_OWNING(launch(stream, false));
    TNI_TRY_OWNING(launch(stream, true));
    TNI_TRY_OWNING(tn_buffer_copy(b, 0, a, 0, 256, tn_stream_default(cuda0)));
    TNI_TRY_OWNING(tn_event_record(event, stream));
    TNI_TRY_OWNING(tn_stream_wait_event(tn_stream_default(cuda0), event));
    TNI_TRY_OWNING(tn_buffer_read(host, b, 0, 256, NULL));
    TNI_TRY_OWNING(tn_device_synchronize(cuda0, -1));
cleanup:
    tn_buffer_release(a);
    tn_buffer_release(b);
    tn_event_release(event);
    tn_stream_release(stream);
    return status;
}

/* --- Every call of the driver --- */

/* What is left when such a call fails is the driver's; or when nothing could be entered to make
 * it. */
static bool frees(const char *function) {
    static const char *const names[] = {
        "cuMemFree_v2",    "cuMemFreeHost",   "cuStreamDestroy_v2", "cuEventDestroy_v2",
        "cuCtxGetCurrent", "cuCtxSetCurrent", "cuCtxPushCurrent_v2"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k], function) == 0) return true;
    return false;
}

/* Events are kept for later; there are as many as can be. */
static void keep_events(void) {
    enum { MORE_THAN_KEPT = 80 };
    tn_event *events[MORE_THAN_KEPT];
    for (int k = 0; k < MORE_THAN_KEPT; k++)
        assert_int_equal(tn_event_new(&events[k], cuda0, false), TN_OK);
    for (int k = 0; k < MORE_THAN_KEPT; k++)
        tn_event_release(events[k]);
}

static void set_flag(void *flag) {
    atomic_store((atomic_bool *)flag, true);
}

/* Cleaning up is after the stream's work and in order; a stream that ends so may do it once
 * more. */
static void wait_for_cleaner(void) {
    for (int k = 0; k < 2; k++) {
        atomic_bool is_done = false;
        assert_int_equal(tni_cuda_stream_add_cleanup(tn_stream_default(cuda0), set_flag, &is_done),
                         TN_OK);
        while (!atomic_load(&is_done))
            usleep(100);
    }
}

static long count_living(void) {
    wait_for_cleaner();
    return fake_cuda_blocks() + fake_cuda_streams() - tni_cuda_kept_streams() + fake_cuda_events();
}

/* Every call of the driver fails in turn: a clear failure or none, and nothing is left after. */
static void test_failing_calls(void **state) {
    (void)state;
    const char *failed = "";
    assert_int_equal(exercise(), TN_OK);
    assert_true(tni_cuda_workers_are_on()); /* else nothing waits for its kernel */
    keep_events();
    long living = count_living(), n = 0;
    while (failed) {
        fake_cuda_fail(NULL, ++n, CUDA_ERROR_INVALID_VALUE);
        tn_status status = exercise();
        failed = fake_cuda_failed();
        fake_cuda_fail(NULL, 0, 0);
        assert_true(status == TN_OK || status == TN_ERROR_DEVICE);
        if (status != TN_OK) {
            assert_non_null(
                strstr(tn_error_message(), "cudaErrorInvalidValue: invalid argument (cu"));
            assert_int_equal(tn_cuda_last_error(), CUDA_ERROR_INVALID_VALUE);
        }
        assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
        long left = count_living() - living;
        if (left != 0 && (left != 1 || !failed || !frees(failed)))
            fail_msg("%ld things are left after call %ld, %s, has failed", left, n,
                     failed ? failed : "none");
        living += left;
    }
    assert_true(n > 50);
    assert_string_equal(fake_cuda_complaint(), "");
}

/* --- cuBLAS --- */

/* A product of 64 x 64 matrices, and the dot product of two of their rows; nothing reads the
 * addresses. */
static tn_status multiply(tn_stream *stream, bool is_dot) {
    const tni_matrix matrix = {(char *)0x1000000, 4 * 64, 4, {0}};
    tni_matmul call = {TN_F32, false, 0, 1, 64, 64, 64, {0}, matrix, matrix, matrix};
    if (is_dot) call.m = call.n = 1;
    assert_true(tni_cublas_takes(&call));
    return tni_cublas_matmul(&call, stream);
}

static void test_cublas(void **state) {
    (void)state;
    tn_stream *stream = tn_stream_default(cuda0);
    assert_int_equal(multiply(stream, false), TN_OK);
    fake_cublas_fail(13);
    assert_int_equal(multiply(stream, false), TN_ERROR_DEVICE);
    assert_non_null(
        strstr(tn_error_message(), "cublasGemmEx_64: CUBLAS_STATUS_EXECUTION_FAILED (status 13)"));
    fake_cublas_fail(15);
    assert_int_equal(multiply(stream, true), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cublasDotEx_64: CUBLAS_STATUS_NOT_SUPPORTED"));
    fake_cublas_fail(3);
    assert_int_equal(multiply(stream, false), TN_ERROR_MEMORY);
    assert_non_null(strstr(tn_error_message(), "CUBLAS_STATUS_ALLOC_FAILED"));
    fake_cublas_fail(0);
    assert_int_equal(multiply(stream, false), TN_OK);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
}

/* --- Errors that a context does not survive --- */

/* Whether the device is of no more use after an error, in a process of its own. */
static int stays_broken(CUresult error) {
    bool done;
    tn_stream *stream;
    if (tn_stream_new(&stream, cuda1, true, 0) != TN_OK || launch(stream, false) != TN_OK) return 2;
    fake_cuda_break(1, error);
    bool names = tn_stream_synchronize(stream, -1) == TN_ERROR_DEVICE &&
                 strstr(tn_error_message(), "last launches: step_") != NULL;
    fake_cuda_break(1, 0);
    bool is_broken = tn_stream_is_done(stream, &done) != TN_OK;
    tn_stream_release(stream);
    return names == is_broken ? is_broken : 3;
}

/* A product's failure on the device is named where it shows, in the next product or in a wait. */
static int names_products(bool shows_in_product) {
    tn_stream *stream;
    if (tn_stream_new(&stream, cuda1, true, 0) != TN_OK || multiply(stream, true) != TN_OK)
        return 2;
    fake_cuda_break(1, CUDA_ERROR_ILLEGAL_ADDRESS);
    fake_cublas_fail(13);
    tn_status status =
        shows_in_product ? multiply(stream, false) : tn_stream_synchronize(stream, -1);
    const char *wanted = shows_in_product
                             ? "(cublasGemmEx_64: CUBLAS_STATUS_EXECUTION_FAILED; last "
                               "launches: cublasGemmEx_64, cublasDotEx_64)"
                             : "last launches: cublasDotEx_64)";
    bool names = status == TN_ERROR_DEVICE && strstr(tn_error_message(), wanted) != NULL &&
                 strstr(tn_error_message(), "cudaErrorIllegalAddress") != NULL;
    tn_stream_release(stream);
    return names ? 0 : 1;
}

static int ask_process(int error) {
    char text[16];
    int answer;
    skip_emulated();
    snprintf(text, sizeof text, "%d", error);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "breaks", text, NULL);
        _exit(4);
    }
    waitpid(child, &answer, 0);
    return WIFEXITED(answer) ? WEXITSTATUS(answer) : -1;
}

static void test_which_are_sticky(void **state) {
    (void)state;
    static const int sticky[] = {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721};
    static const int harmless[] = {1, 400, 711, 712, 713, 720, 801};
    for (size_t k = 0; k < sizeof sticky / sizeof *sticky; k++)
        assert_int_equal(ask_process(sticky[k]), 1);
    for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
        assert_int_equal(ask_process(harmless[k]), 0);
}

/* A context that can't be made is none that an error could break, and no other device's either. */
static void test_no_context(void **state) {
    (void)state;
    alarm(60);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    fake_cuda_fail("cuDevicePrimaryCtxRetain", 1, CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(tn_device_synchronize(cuda1, -1), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "cuDevicePrimaryCtxRetain"));
    fake_cuda_fail(NULL, 0, CUDA_SUCCESS);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_int_equal(tn_device_synchronize(cuda1, -1), TN_OK);
    alarm(0);
}

static void test_products_are_named(void **state) {
    (void)state;
    assert_int_equal(ask_process(-1), 0);
    assert_int_equal(ask_process(-2), 0);
}

/* Last: after it the device is of no use to this process. */
static void test_sticky(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    tn_buffer *buffer = NULL;
    assert_int_equal(tn_stream_new(&stream, cuda1, true, 0), TN_OK);
    assert_int_equal(tn_buffer_new_from(&buffer, tn_allocator_raw(), 100, stream), TN_OK);
    assert_int_equal(launch(stream, false), TN_OK);
    assert_int_equal(launch(stream, false), TN_OK);
    char launches[128];
    int last = fresh() - 1;
    snprintf(launches, sizeof launches,
             "last launches: step_%d (2,1,1)x(32,1,1), step_%d (2,1,1)x(32,1,1))", last, last - 1);
    fake_cuda_break(1, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(tn_stream_synchronize(stream, -1), TN_ERROR_DEVICE);
    assert_non_null(
        strstr(tn_error_message(), "cudaErrorIllegalAddress: an illegal memory access"));
    assert_non_null(strstr(tn_error_message(), launches));
    fake_cuda_break(1, 0);
    long calls = fake_cuda_calls("cuStreamQuery");
    bool done;
    assert_int_equal(tn_stream_is_done(stream, &done), TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "reported before"));
    assert_int_equal(fake_cuda_calls("cuStreamQuery"), calls); /* said at once */
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK); /* the other device works */
    tn_buffer_release(buffer);
    tn_stream_release(stream);
}

int main(int argc, char **argv) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_failing_calls),      REPLAY_NOT(test_cublas),
        REPLAY_NOT(test_which_are_sticky),   REPLAY_NOT(test_no_context),
        REPLAY_NOT(test_products_are_named), REPLAY_NOT(test_sticky)};
    int error = argc > 1 ? atoi(argv[1]) : 0;
    setenv("TENORITE_COMPILE_THREADS", "2", 1);
    setenv("TENORITE_CACHE_DIR", "", 1);
    if (error) return error > 0 ? stays_broken(error) : names_products(error == -1);
    return REPLAY_RUN("cuda_failures", tests);
}
