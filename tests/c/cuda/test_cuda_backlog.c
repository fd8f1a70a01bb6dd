/* Calls that wait for a GPU, on the test doubles of the driver and of NVRTC: the thread that gives
 * an idle device what waits for it, and what becomes of calls when the device fails. */
#include "emulated.h"
#include "replay.h"

#include "core/base/waiting.h"
#include "fake_cuda.h"

#include <signal.h>
#include <sys/wait.h>
#include <tenorite/cuda.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

enum { COUNT = 1000, LONG_MS = 20, OUT_OF_RESOURCES = 701 };

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0};

static tn_array *numbers(tn_device device, float value) {
    tn_array *made = NULL;
    const int64_t shape[1] = {COUNT};
    tn_stream *stream = tn_stream_default(device);
    assert_int_equal(tn_array_new(&made, TN_F32, 1, shape, TN_ORDER_C, stream), TN_OK);
    assert_int_equal(tn_array_fill(made, tn_scalar_weak_float(value), stream), TN_OK);
    return made;
}

static tn_status add(tn_array **result, const tn_array *a, const tn_array *b) {
    const tn_operand inputs[2] = {tn_operand_array(a), tn_operand_array(b)};
    *result = NULL;
    return tn_elementwise(result, TN_OP_ADD, inputs, NULL, NULL);
}

static int64_t waiting(void) {
    tn_backlog_figures figures;
    tn_backlog_get_figures(&figures);
    return figures.waiting;
}

static int64_t given(void) {
    return tn_backlog_looks(TNI_LOOK_IDLE);
}

/* a on the device, c = a + a waits; the calls before it have run. */
static void set_up(tn_array **a, tn_array **c, int64_t patience) {
    assert_int_equal(tn_backlog_use(TN_WAITING_EAGER), TN_OK);
    *a = numbers(cuda0, 1);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    tn_backlog_set_patience(patience);
    tn_backlog_use_in_process(false, 0);
    assert_int_equal(tn_backlog_use(TN_WAITING_ON), TN_OK);
    assert_int_equal(add(c, *a, *a), TN_OK);
}

static void tear_down(tn_array *a, tn_array *c) {
    assert_int_equal(tn_backlog_use(TN_WAITING_EAGER), TN_OK);
    tn_backlog_set_patience(-1);
    tn_array_release(a);
    tn_array_release(c);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_string_equal(fake_cuda_complaint(), "");
}

/* For ever, if the thread does not come. */
static void wait_until_given(void) {
    while (waiting())
        usleep(200);
}

/* --- The thread for an idle device --- */

static void test_idle(void **state) {
    (void)state;
    tn_array *a, *c, *d;
    const int64_t before = given();
    set_up(&a, &c, -1);
    wait_until_given();
    assert_int_equal(given(), before + 1);
    assert_false(tn_array_is_due(c));
    usleep(60 * 1000); /* it sleeps by now, or does not yet */
    assert_int_equal(add(&d, c, a), TN_OK);
    wait_until_given();
    assert_int_equal(given(), before + 2);
    tn_array_release(d);
    tear_down(a, c);
}

static void test_busy(void **state) {
    (void)state;
    tn_array *a, *c, *other;
    const int64_t before = given();
    fake_cuda_hold(true);
    assert_int_equal(tn_backlog_use(TN_WAITING_EAGER), TN_OK);
    other = numbers(cuda0, 2); /* work that does not end */
    assert_int_equal(tn_backlog_use(TN_WAITING_ON), TN_OK);
    tn_backlog_use_in_process(false, 0);
    assert_int_equal(add(&c, other, other), TN_OK);
    usleep(1000 * LONG_MS);
    assert_int_equal(waiting(), 1);
    fake_cuda_hold(false);
    wait_until_given();
    assert_int_equal(given(), before + 1);
    a = other;
    tear_down(a, c);
}

static void test_patience(void **state) {
    (void)state;
    tn_array *a, *c;
    const int64_t before = given();
    set_up(&a, &c, 0);
    usleep(1000 * LONG_MS);
    assert_int_equal(waiting(), 1);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_int_equal(waiting(), 0);
    assert_int_equal(given(), before);
    tear_down(a, c);
}

/* A question of another thread could spoil a capture. */
static void test_capture(void **state) {
    (void)state;
    tn_array *a, *c;
    tn_stream *stream;
    tn_graph *graph = NULL;
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    set_up(&a, &c, 0);
    assert_int_equal(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED), TN_OK);
    tn_array_release(c);
    tn_backlog_set_patience(-1);
    const int64_t before = given();
    assert_int_equal(add(&c, a, a), TN_OK);
    usleep(1000 * LONG_MS);
    assert_int_equal(given(), before);
    assert_int_equal(waiting(), 1);
    assert_int_equal(tn_stream_end_capture(&graph, stream), TN_OK);
    assert_int_equal(waiting(), 0);
    tn_graph_release(graph);
    tn_stream_release(stream);
    tear_down(a, c);
}

/* --- The end of processes --- */

static int answer_of(pid_t child) {
    int answer;
    waitpid(child, &answer, 0);
    return WIFEXITED(answer) ? WEXITSTATUS(answer) : -WTERMSIG(answer);
}

/* Calls of the child wait on the host; those of the parent are given to its device as before. */
static int use_host(void) {
    float read[COUNT];
    tn_array *a, *c;
    tn_status status;
    alarm(60);
    tn_device_set_current((tn_device){TN_BACKEND_HOST, 0});
    a = numbers((tn_device){TN_BACKEND_HOST, 0}, 2);
    status = add(&c, a, a);
    if (!status && waiting() == 0) return 2;
    if (!status) status = tn_array_read(read, NULL, c, NULL);
    tn_array_release(a);
    tn_array_release(c);
    return status || read[COUNT - 1] != 4;
}

static void test_fork(void **state) {
    (void)state;
    tn_array *a, *c, *d;
    skip_emulated();
    set_up(&a, &c, -1);
    wait_until_given(); /* the thread is there */
    for (int turn = 0; turn < 5; turn++) {
        assert_int_equal(add(&d, c, a), TN_OK);
        pid_t child = fork();
        if (child == 0) _exit(use_host());
        assert_int_equal(waiting(), 0);
        assert_int_equal(answer_of(child), 0);
        tn_array_release(d);
    }
    const int64_t before = given();
    assert_int_equal(add(&d, c, a), TN_OK);
    wait_until_given();
    assert_int_equal(given(), before + 1);
    tn_array_release(d);
    tear_down(a, c);
}

static int run_self(const char *how) {
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "itself", how, NULL);
        _exit(1);
    }
    return answer_of(child);
}

/* What waits is dropped; the thread is nowhere in the driver. */
static void exit_full(void) {
    tn_array *a, *c, *next;
    alarm(60);
    set_up(&a, &c, -1);
    for (int k = 0; k < 200; k++) {
        if (add(&next, c, a) != TN_OK) _exit(1);
        tn_array_release(c);
        c = next;
    }
    exit(0);
}

static void test_exit(void **state) {
    (void)state;
    skip_emulated();
    for (int turn = 0; turn < 10; turn++)
        assert_int_equal(run_self("exit"), 0);
}

/* --- Failures --- */

/* A device that breaks while calls wait: what it should have made is lost, and says why each time;
 * the host goes on. */
static int break_device(int64_t patience) {
    tn_array *a, *c, *d;
    float read[COUNT];
    alarm(60);
    set_up(&a, &c, patience);
    fake_cuda_break(0, CUDA_ERROR_ILLEGAL_ADDRESS);
    if (add(&d, c, a) == TN_OK) {
        for (int turn = 0; turn < 2; turn++)
            if (tn_array_read(read, NULL, d, NULL) != TN_ERROR_DEVICE) return 3;
        if (!strstr(tn_error_message(), "CUDA_ERROR_ILLEGAL_ADDRESS") &&
            !strstr(tn_error_message(), "cudaErrorIllegalAddress"))
            return 4;
        tn_array_release(d);
    }
    if (tn_device_synchronize(cuda0, -1) != TN_ERROR_DEVICE) return 5;
    tn_array_release(c);
    tn_array_release(a);
    return waiting() ? 6 : use_host();
}

static void test_broken(void **state) {
    (void)state;
    skip_emulated();
    assert_int_equal(run_self("break"), 0);
    assert_int_equal(run_self("break idle"), 0);
}

/* A launch that fails once: what it should have made is lost, and nothing else. */
static void test_failing_launch(void **state) {
    (void)state;
    tn_array *a, *c, *d;
    float read[COUNT];
    set_up(&a, &c, 0);
    assert_int_equal(add(&d, a, a), TN_OK);
    fake_cuda_fail("cuLaunchKernel", 1, OUT_OF_RESOURCES);
    assert_int_equal(tn_stream_run(tn_stream_default(cuda0)), TN_OK);
    fake_cuda_fail(NULL, 0, CUDA_SUCCESS);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(tn_array_read(read, NULL, c, NULL), TN_ERROR_DEVICE);
        assert_non_null(strstr(tn_error_message(), "add of float32 and float32 that made an array "
                                                   "of shape (1000,) and float32"));
    }
    assert_int_equal(tn_array_read(read, NULL, d, NULL), TN_OK);
    assert_int_equal(tn_array_read(read, NULL, a, NULL), TN_OK);
    tn_array_release(d);
    tear_down(a, c);
}

int main(int count, char **arguments) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_idle),           REPLAY_NOT(test_busy),   REPLAY_NOT(test_patience),
        REPLAY_NOT(test_capture),        REPLAY_NOT(test_fork),   REPLAY_NOT(test_exit),
        REPLAY_NOT(test_failing_launch), REPLAY_NOT(test_broken),
    };
    assert_int_equal(tn_device_set_current(cuda0), TN_OK);
    if (count > 1 && !strcmp(arguments[1], "exit")) exit_full();
    if (count > 1) return break_device(strcmp(arguments[1], "break") ? -1 : 0);
    return REPLAY_RUN("cuda_backlog", tests);
}
