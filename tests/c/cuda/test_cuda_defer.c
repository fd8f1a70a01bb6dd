/* Launches that wait for kernels compiled in the background, on test doubles of the driver and of
 * NVRTC: programs go on, the order stays, whatever looks waits, failures are heard of. */
#include "emulated.h"
#include "replay.h"

#include "backend/backend.h"
#include "backend/cuda/compile/workers.h"
#include "backend/cuda/launch/defer.h"
#include "backend/cuda/memory/memory.h"
#include "backend/cuda/stream/stream.h"
#include "fake_cuda.h"

#include <pthread.h>
#include <sys/wait.h>
#include <tenorite/cuda.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

long fake_nvrtc_compilations(void);
int fake_nvrtc_running(void);
int fake_nvrtc_most_at_once(void);

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0}, cuda1 = {TN_BACKEND_CUDA, 1};
static char folder[] = "/tmp/tenorite-test-XXXXXX";

/* A negative number does not compile. */
static void write_step(tni_source *source, const void *context) {
    int number = *(const int *)context;
    tni_source_set_name(source, "step_%d", abs(number));
    tni_source_add(source, "%s\nextern \"C\" __global__ void step_%d(Pair p) {} // params 16\n",
                   number < 0 ? "#error" : "", abs(number));
}

static int last_step = 1000;

static int fresh(void) {
    return ++last_step;
}

static tni_cuda_kernel *begin_on(int device, int number) {
    tni_cuda_kernel *kernel;
    assert_int_equal(
        tni_cuda_kernel_begin(&kernel, device, write_step, &number, &number, sizeof number), TN_OK);
    return kernel;
}

static tni_cuda_kernel *begin(int number) {
    return begin_on(0, number);
}

static void launch_on(tn_stream *stream, int number) {
    int64_t params[2] = {number, -number};
    tni_cuda_kernel *kernel = begin_on(tn_stream_device(stream).number, number);
    assert_int_equal(tni_defer_or_launch(kernel, (unsigned[]){1, 1, 1}, (unsigned[]){32, 1, 1},
                                         params, sizeof params, stream),
                     TN_OK);
}

static void launch(int number) {
    launch_on(tn_stream_default(cuda0), number);
}

/* Launch `at` was that of step `number`. */
static void check_launch(long at, int number) {
    fake_launch seen;
    char name[32];
    snprintf(name, sizeof name, "step_%d", number);
    assert_true(fake_cuda_get_launch(&seen, at));
    assert_string_equal(seen.name, name);
}

static void test_parallel(void **state) {
    (void)state;
    enum { STEPS = 8 };
    launch(fresh());
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    long before = fake_cuda_launches(), compiled = fake_nvrtc_compilations();
    int first = fresh();
    setenv("FAKE_NVRTC_MS", "100", 1);
    launch(first);
    assert_int_equal(atomic_load(&tni_deferred), 1); /* it takes a while */
    for (int k = 1; k < STEPS; k++)
        launch(fresh());
    assert_true(fake_cuda_launches() < before + STEPS);
    launch(first); /* again, after the others */
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_int_equal(atomic_load(&tni_deferred), 0);
    assert_int_equal(fake_cuda_launches(), before + STEPS + 1);
    for (int k = 0; k < STEPS; k++)
        check_launch(before + k, first + k);
    check_launch(before + STEPS, first);
    assert_true(fake_nvrtc_compilations() <= compiled + STEPS);
    assert_true(fake_nvrtc_most_at_once() > 1);
    unsetenv("FAKE_NVRTC_MS");
}

/* All threads are busy for a while. */
static void occupy(void) {
    setenv("FAKE_NVRTC_MS", "900", 1);
    for (int k = 0; k < 4; k++) {
        launch(fresh());
        while (fake_nvrtc_running() <= k)
            usleep(1000);
    }
}

/* They are, and kernels wait for one. */
static long launch_many(int count, int wrong) {
    occupy();
    long compiled = fake_nvrtc_compilations();
    for (int k = 0; k < count; k++)
        launch(k == wrong ? -fresh() : fresh());
    assert_int_equal(fake_nvrtc_compilations(), compiled);
    unsetenv("FAKE_NVRTC_MS");
    return compiled;
}

static void test_together(void **state) {
    (void)state;
    enum { STEPS = 20 };
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    long before = fake_cuda_launches(), compiled = launch_many(STEPS, -1);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_in_range(fake_nvrtc_compilations(), compiled + 4, compiled + STEPS / 2);
    assert_int_equal(fake_cuda_launches(), before + 4 + STEPS);
    for (int k = 0; k < STEPS; k++)
        check_launch(before + 4 + k, last_step - STEPS + 1 + k);
}

/* Devices of a kind take one program, which stands in the text once. */
static void test_two_devices(void **state) {
    (void)state;
    enum { STEPS = 10 };
    long before = fake_cuda_launches();
    occupy();
    long compiled = fake_nvrtc_compilations();
    for (int k = 0; k < STEPS; k++) {
        int number = fresh();
        launch(number);
        launch_on(tn_stream_default(cuda1), number);
    }
    unsetenv("FAKE_NVRTC_MS");
    assert_int_equal(tn_device_synchronize(cuda1, -1), TN_OK);
    assert_in_range(fake_nvrtc_compilations(), compiled, compiled + STEPS - 1); /* the shares */
    assert_int_equal(fake_cuda_launches(), before + 4 + 2 * STEPS);
    for (int k = 0; k < 2 * STEPS; k++)
        check_launch(before + 4 + k, last_step - STEPS + 1 + k / 2);
}

/* One that does not compile is none of its neighbours' business. */
static void test_one_of_many_fails(void **state) {
    (void)state;
    enum { STEPS = 20, WRONG = 7 };
    long before = fake_cuda_launches();
    (void)launch_many(STEPS, WRONG);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_ERROR_RUNTIME);
    assert_non_null(strstr(tn_error_message(), "#error directive"));
    assert_null(strstr(tn_error_message(), "failed, too"));
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_int_equal(fake_cuda_launches(), before + 4 + STEPS - 1);
    check_launch(before + 4 + WRONG - 1, last_step - STEPS + WRONG);
    check_launch(before + 4 + WRONG, last_step - STEPS + 2 + WRONG);
}

/* What is ready waits, too, for what was asked for before it. */
static void test_order(void **state) {
    (void)state;
    int ready = fresh(), slow = fresh();
    launch(ready);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    long before = fake_cuda_launches();
    launch(ready); /* at once */
    assert_int_equal(fake_cuda_launches(), before + 1);
    setenv("FAKE_NVRTC_MS", "100", 1);
    launch(slow);
    launch(ready);
    assert_int_equal(fake_cuda_launches(), before + 1);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    check_launch(before + 1, slow);
    check_launch(before + 2, ready);
    unsetenv("FAKE_NVRTC_MS");
}

/* The queue moves on where no call looks. */
static void test_goes_on_alone(void **state) {
    (void)state;
    long before = fake_cuda_launches();
    setenv("FAKE_NVRTC_MS", "20", 1);
    launch(fresh());
    launch(fresh());
    for (int k = 0; k < 500 && fake_cuda_launches() < before + 2; k++)
        usleep(10000);
    assert_int_equal(fake_cuda_launches(), before + 2);
    unsetenv("FAKE_NVRTC_MS");
}

/* Parameters are those of the time of the call. */
static void test_parameters(void **state) {
    (void)state;
    fake_launch seen;
    int number = fresh();
    int64_t params[2] = {41, 42};
    tni_cuda_kernel *kernel = begin(number);
    long before = fake_cuda_launches();
    assert_int_equal(tni_defer_or_launch(kernel, (unsigned[]){3, 2, 1}, (unsigned[]){64, 1, 1},
                                         params, sizeof params, tn_stream_default(cuda0)),
                     TN_OK);
    params[0] = params[1] = 0;
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_true(fake_cuda_get_launch(&seen, before));
    assert_int_equal(seen.grid[0], 3);
    assert_int_equal(seen.grid[1], 2);
    assert_int_equal(seen.block[0], 64);
    assert_int_equal(*(int64_t *)(void *)seen.params, 41);
}

/* Filling waits in the queue, too. */
static void test_fill(void **state) {
    (void)state;
    void *memory;
    char bytes[16];
    tn_stream *stream = tn_stream_default(cuda0);
    setenv("FAKE_NVRTC_MS", "30", 1);
    assert_int_equal(tni_cuda_memory_allocate(&memory, 4096, 0), TN_OK);
    assert_int_equal(tni_cuda_fill(memory, 1, 16, stream), TN_OK);
    long before = fake_cuda_launches();
    launch(fresh());
    assert_int_equal(tni_cuda_fill(memory, 2, 8, stream), TN_OK);
    launch(fresh());
    assert_int_equal(fake_cuda_launches(), before);
    assert_int_equal(atomic_load(&tni_deferred), 3);
    assert_int_equal(tni_cuda_copy(bytes, memory, 16, TNI_DEVICE_TO_HOST, stream), TN_OK);
    assert_int_equal(tni_cuda_stream_synchronize(stream, -1), TN_OK);
    assert_int_equal(fake_cuda_launches(), before + 2);
    assert_int_equal(bytes[0], 2);
    assert_int_equal(bytes[15], 1);
    tni_cuda_memory_free(memory, 4096, 0);
    unsetenv("FAKE_NVRTC_MS");
}

/* Each of these is after the launches before it. */
static void test_everything_waits(void **state) {
    (void)state;
    void *memory, *more;
    char bytes[16];
    bool done;
    tn_event *event;
    tn_stream *stream = tn_stream_default(cuda0);
    setenv("FAKE_NVRTC_MS", "30", 1);
    assert_int_equal(tni_cuda_memory_allocate(&memory, 4096, 0), TN_OK);
    assert_int_equal(tn_event_new(&event, cuda0, false), TN_OK);
    for (int way = 0; way < 5; way++) {
        long before = fake_cuda_launches();
        launch(fresh());
        assert_int_equal(tni_cuda_memory_allocate(&more, 4096, 0), TN_OK); /* is not in the order */
        assert_int_equal(fake_cuda_launches(), before);
        if (way == 0)
            assert_int_equal(tni_cuda_copy(bytes, memory, 16, TNI_DEVICE_TO_HOST, stream), TN_OK);
        if (way == 1) assert_int_equal(tni_cuda_stream_synchronize(stream, -1), TN_OK);
        if (way == 2) assert_int_equal(tni_cuda_stream_is_done(stream, &done), TN_OK);
        if (way == 3) assert_int_equal(tn_event_record(event, stream), TN_OK);
        if (way == 4) tni_cuda_memory_free(memory, 4096, 0);
        assert_int_equal(fake_cuda_launches(), before + 1);
        tni_cuda_memory_free(more, 4096, 0);
    }
    tn_event_release(event);
    unsetenv("FAKE_NVRTC_MS");
}

static void test_failure_is_heard_of(void **state) {
    (void)state;
    int wrong = -fresh(), good = fresh();
    tni_cuda_kernel *kernel;
    long before = fake_cuda_launches();
    launch(wrong);
    launch(good);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_ERROR_RUNTIME);
    assert_non_null(strstr(tn_error_message(), "kernel step_"));
    assert_non_null(strstr(tn_error_message(), "#error directive"));
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_int_equal(fake_cuda_launches(), before + 1);
    check_launch(before, good);
    launch(wrong); /* it is tried again */
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_ERROR_RUNTIME);
    assert_int_equal(tni_cuda_kernel_get(&kernel, 0, write_step, &wrong, &wrong, sizeof wrong),
                     TN_ERROR_RUNTIME);
}

/* What can't report a failure does its work all the same, and the next wait reports it. */

static void release_event(void *event) {
    tn_event_release(event);
}
static void make_event(void *unused) {
    tn_event *event;
    (void)unused;
    assert_int_equal(tn_event_new(&event, cuda0, false), TN_OK);
    tn_event_release(event);
}
static void order_streams(void *event) {
    assert_int_equal(tn_event_record(event, NULL), TN_OK);
    assert_int_equal(tn_stream_wait_event(NULL, event), TN_OK);
}
static void free_device(void *address) {
    long before = fake_cuda_blocks();
    tni_cuda_memory_free(address, 4096, 0);
    assert_int_equal(fake_cuda_blocks(), before - 1);
}
static void free_pinned(void *address) {
    long before = fake_cuda_blocks();
    tni_cuda_pinned_free(address, 4096);
    assert_int_equal(fake_cuda_blocks(), before - 1);
}
static void release_stream(void *stream) {
    tn_statistics before, after;
    tn_statistics_get(&before);
    tn_stream_release(stream);
    tn_statistics_get(&after);
    assert_int_equal(after.streams, before.streams - 1);
}
static void trim_pool(void *unused) {
    (void)unused;
    tn_pool_trim(tn_pool_default(), cuda0, NULL);
}
static void take_pinned(void *unused) {
    void *address;
    (void)unused;
    assert_int_equal(tn_pinned_pool_allocate(tn_pinned_pool_default(), &address, 1000), TN_OK);
    tn_pinned_pool_free(tn_pinned_pool_default(), address, NULL);
}

static void test_failure_is_kept(void **state) {
    (void)state;
    tn_event *timing, *plain;
    tn_stream *stream;
    tn_buffer *buffer;
    void *device, *pinned, *used;
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_int_equal(tn_event_new(&timing, cuda0, true), TN_OK);
    assert_int_equal(tn_event_new(&plain, cuda0, false), TN_OK);
    assert_int_equal(tn_event_record(plain, NULL), TN_OK);
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    assert_int_equal(tni_cuda_memory_allocate(&device, 4096, 0), TN_OK);
    assert_int_equal(tni_cuda_pinned_allocate(&pinned, 4096), TN_OK);
    assert_int_equal(tn_buffer_new(&buffer, 1 << 20, tn_stream_default(cuda0)), TN_OK);
    tn_buffer_release(buffer);
    assert_int_equal(tn_pinned_pool_allocate(tn_pinned_pool_default(), &used, 1000), TN_OK);
    tn_pinned_pool_free(tn_pinned_pool_default(), used, plain);
    const struct {
        void (*call)(void *context);
        void *context;
    } ways[] = {{make_event, NULL},    {order_streams, timing},  {release_event, timing},
                {free_device, device}, {free_pinned, pinned},    {take_pinned, NULL},
                {trim_pool, NULL},     {release_stream, stream}, {release_event, plain},
                {make_event, NULL}};
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        launch(-fresh());
        ways[way].call(ways[way].context);
        assert_int_equal(tn_device_synchronize(cuda0, -1), TN_ERROR_RUNTIME);
        assert_non_null(strstr(tn_error_message(), "#error directive"));
        assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    }
}

/* A graph that lacks a launch is none, and its stream captures no more. */
static void test_failure_in_capture(void **state) {
    (void)state;
    tn_stream *stream;
    tn_graph *graph = NULL;
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    assert_int_equal(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED), TN_OK);
    launch_on(stream, -fresh());
    assert_int_equal(tn_stream_end_capture(&graph, stream), TN_ERROR_RUNTIME);
    assert_null(graph);
    assert_int_equal(fake_cuda_graphs(), 0);
    assert_int_equal(tn_stream_synchronize(stream, -1), TN_OK);
    tn_stream_release(stream);
}

/* A program that only asks hears of it, too. */
static void test_asking_tells(void **state) {
    (void)state;
    tn_event *event;
    bool done;
    assert_int_equal(tn_event_new(&event, cuda0, false), TN_OK);
    launch(-fresh());
    assert_int_equal(tn_event_is_done(event, &done), TN_ERROR_RUNTIME);
    launch(-fresh());
    assert_int_equal(tn_stream_is_done(tn_stream_default(cuda0), &done), TN_ERROR_RUNTIME);
    assert_int_equal(tn_event_is_done(event, &done), TN_OK);
    tn_event_release(event);
}

static void test_failures_are_counted(void **state) {
    (void)state;
    int first = fresh();
    char name[32];
    launch(-first);
    for (int k = 0; k < 3; k++)
        launch(-fresh());
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_ERROR_RUNTIME);
    snprintf(name, sizeof name, "kernel step_%d ", first);
    assert_non_null(strstr(tn_error_message(), name));
    assert_non_null(strstr(tn_error_message(), "(3 of the launches after it failed, too)"));
    launch(-fresh());
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_ERROR_RUNTIME);
    assert_null(strstr(tn_error_message(), "after it"));
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
}

/* A deferred launch's error is the thread's last one where it is heard of. */
static void test_last_error(void **state) {
    (void)state;
    setenv("FAKE_NVRTC_MS", "30", 1);
    launch(fresh());
    fake_cuda_fail("cuModuleLoadData", 1, CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_ERROR_MEMORY);
    assert_int_equal(tn_cuda_last_error(), CUDA_ERROR_OUT_OF_MEMORY);
    fake_cuda_fail(NULL, 0, 0);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    unsetenv("FAKE_NVRTC_MS");
}

static atomic_bool was_called;

static void release_in_callback(void *event) {
    tn_event_release(event);
    atomic_store(&was_called, true);
}

/* A stream's function launches nothing, not even what waits. */
static void test_callback_leaves_the_queue(void **state) {
    (void)state;
    tn_event *event;
    long before = fake_cuda_launches();
    fake_cuda_hold(true);
    long events = fake_cuda_events();
    assert_int_equal(tn_event_new(&event, cuda0, true), TN_OK);
    assert_int_equal(tn_stream_add_callback(NULL, release_in_callback, event), TN_OK);
    setenv("FAKE_NVRTC_MS", "30", 1);
    launch(fresh());
    fake_cuda_hold(false);
    while (!atomic_load(&was_called))
        usleep(1000);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_int_equal(fake_cuda_launches(), before + 1);
    while (fake_cuda_events() > events) /* it is destroyed later */
        usleep(1000);
    assert_string_equal(fake_cuda_complaint(), "");
    unsetenv("FAKE_NVRTC_MS");
}

/* Who must have a kernel waits for the one that is begun. */
static void test_begun_and_got(void **state) {
    (void)state;
    int number = fresh();
    long compiled = fake_nvrtc_compilations();
    setenv("FAKE_NVRTC_MS", "30", 1);
    tni_cuda_kernel *begun = begin(number), *got;
    assert_int_equal(tni_cuda_kernel_get(&got, 0, write_step, &number, &number, sizeof number),
                     TN_OK);
    assert_ptr_equal(got, begun);
    assert_true(atomic_load(&got->is_ready));
    assert_int_equal(fake_nvrtc_compilations(), compiled + 1);
    unsetenv("FAKE_NVRTC_MS");
}

/* A stream that ends with work that waits. */
static void test_streams(void **state) {
    (void)state;
    tn_stream *stream;
    long before = fake_cuda_launches();
    setenv("FAKE_NVRTC_MS", "30", 1);
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    launch_on(stream, fresh());
    tn_stream_release(stream);
    assert_int_equal(fake_cuda_launches(), before + 1);
    unsetenv("FAKE_NVRTC_MS");
}

static int wait_for(pid_t child) {
    int answer;
    waitpid(child, &answer, 0);
    return WIFEXITED(answer) ? WEXITSTATUS(answer) : -1;
}

static void test_fork(void **state) {
    (void)state;
    tni_cuda_kernel *kernel;
    int number = fresh(), other = fresh();
    setenv("FAKE_NVRTC_MS", "50", 1);
    launch(number);
    pid_t child = fork();
    if (child == 0) {
        alarm(10); /* no thread compiles the kernel that the parent has begun */
        _exit(atomic_load(&tni_deferred) != 0 || tni_cuda_workers_are_on() ||
              tni_cuda_kernel_get(&kernel, 0, write_step, &number, &number, sizeof number) !=
                  TN_ERROR_FORKED ||
              tni_cuda_kernel_begin(&kernel, 0, write_step, &other, &other, sizeof other) !=
                  TN_ERROR_FORKED);
    }
    assert_int_equal(wait_for(child), 0);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    unsetenv("FAKE_NVRTC_MS");
}

/* The process ends while kernels are compiled, and some are not begun. */
static void test_exit(void **state) {
    (void)state;
    skip_emulated();
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "exits", "exit", NULL);
        _exit(1);
    }
    assert_int_equal(wait_for(child), 0);
}

static void exit_early(void) {
    setenv("FAKE_NVRTC_MS", "100", 1);
    for (int k = 0; k < 40; k++)
        launch(fresh());
    exit(atomic_load(&tni_deferred) > 0 ? 0 : 2);
}

static void *flush(void *unused) {
    (void)unused;
    tn_device_synchronize(cuda0, -1);
    return NULL;
}

/* A thread waits with the queue for a kernel that none has begun when the process ends. */
static int end_under_flush(void) {
    pthread_t thread;
    alarm(20);
    launch(fresh());
    tn_device_synchronize(cuda0, -1);
    setenv("FAKE_NVRTC_MS", "200", 1);
    for (int k = 0; k < 9; k++)
        launch(fresh());
    pthread_create(&thread, NULL, flush, NULL);
    usleep(50000);
    tn_cuda_end_compiling();
    pthread_join(thread, NULL);
    return tni_cuda_workers_are_on();
}

static void take_address(void *buffer) {
    tn_buffer_address(buffer);
    atomic_store(&was_called, true);
}

/* A stream's function ends it, but can't wait for what waits; a later call for an address can. */
static int end_in_callback(void) {
    tn_buffer *buffer;
    alarm(20);
    launch(fresh());
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    assert_int_equal(tn_buffer_new(&buffer, 64, tn_stream_default(cuda0)), TN_OK);
    fake_cuda_hold(true);
    assert_int_equal(tn_stream_add_callback(NULL, take_address, buffer), TN_OK);
    setenv("FAKE_NVRTC_MS", "300", 1);
    long before = fake_cuda_launches();
    launch(fresh());
    fake_cuda_hold(false);
    while (!atomic_load(&was_called))
        usleep(100);
    tn_buffer_address(buffer);
    bool has_launched = fake_cuda_launches() == before + 1;
    tn_buffer_release(buffer);
    return !has_launched;
}

static long launches_at_free;

static tn_status borrow(void *context, void **address, int64_t bytes, tn_device device,
                        tn_stream *stream) {
    return tn_allocator_raw()->allocate(context, address, bytes, device, stream);
}

static void take_back(void *context, void *address, int64_t bytes, tn_device device,
                      tn_stream *stream) {
    launches_at_free = fake_cuda_launches();
    tn_allocator_raw()->free(context, address, bytes, device, stream);
}

/* Somebody else's memory goes back to him after the launches that use it. */
static int use_allocator(void) {
    static const tn_allocator other = {NULL, borrow, take_back};
    tn_buffer *buffer;
    launch(fresh());
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    long before = fake_cuda_launches();
    setenv("FAKE_NVRTC_MS", "300", 1);
    assert_int_equal(tn_buffer_new_from(&buffer, &other, 64, tn_stream_default(cuda0)), TN_OK);
    launch(fresh());
    tn_buffer_release(buffer);
    return launches_at_free != before + 1;
}

static const struct {
    const char *name;
    int (*run)(void);
} processes[] = {
    {"flush", end_under_flush}, {"callback", end_in_callback}, {"allocator", use_allocator}};

static void check_process(const char *name) {
    skip_emulated();
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "defer", name, NULL);
        _exit(1);
    }
    assert_int_equal(wait_for(child), 0);
}

static void test_end_under_flush(void **state) {
    (void)state;
    check_process("flush");
}

static void test_end_in_callback(void **state) {
    (void)state;
    check_process("callback");
}

static void test_other_allocator(void **state) {
    (void)state;
    check_process("allocator");
}

/* An address that leaves the house ends it. */
static void test_end(void **state) {
    (void)state;
    tn_buffer *buffer;
    long before = fake_cuda_launches();
    assert_int_equal(tn_buffer_new(&buffer, 64, tn_stream_default(cuda0)), TN_OK);
    setenv("FAKE_NVRTC_MS", "30", 1);
    launch(fresh());
    assert_int_equal(fake_cuda_launches(), before);
    assert_non_null(tn_buffer_address(buffer));
    assert_int_equal(fake_cuda_launches(), before + 1);
    assert_false(tni_cuda_workers_are_on());
    launch(fresh());
    assert_int_equal(fake_cuda_launches(), before + 2);
    tn_buffer_release(buffer);
    unsetenv("FAKE_NVRTC_MS");
}

static int remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(int argc, char **argv) {
    static const replay_test tests[] = {REPLAY_NOT(test_parallel),
                                        REPLAY_NOT(test_together),
                                        REPLAY_NOT(test_two_devices),
                                        REPLAY_NOT(test_one_of_many_fails),
                                        REPLAY_NOT(test_order),
                                        REPLAY_NOT(test_goes_on_alone),
                                        REPLAY_NOT(test_parameters),
                                        REPLAY_NOT(test_fill),
                                        REPLAY_NOT(test_everything_waits),
                                        REPLAY_NOT(test_failure_is_heard_of),
                                        REPLAY_NOT(test_failure_is_kept),
                                        REPLAY_NOT(test_failure_in_capture),
                                        REPLAY_NOT(test_asking_tells),
                                        REPLAY_NOT(test_failures_are_counted),
                                        REPLAY_NOT(test_last_error),
                                        REPLAY_NOT(test_callback_leaves_the_queue),
                                        REPLAY_NOT(test_begun_and_got),
                                        REPLAY_NOT(test_streams),
                                        REPLAY_NOT(test_fork),
                                        REPLAY_NOT(test_exit),
                                        REPLAY_NOT(test_end_under_flush),
                                        REPLAY_NOT(test_end_in_callback),
                                        REPLAY_NOT(test_other_allocator),
                                        REPLAY_NOT(test_end)};
    setenv("TENORITE_COMPILE_THREADS", "4", 1);
    if (argc > 1 && strcmp(argv[1], "exit") == 0) {
        setenv("TENORITE_CACHE_DIR", "", 1);
        exit_early();
    }
    for (size_t k = 0; argc > 1 && k < sizeof processes / sizeof *processes; k++) {
        if (strcmp(argv[1], processes[k].name) != 0) continue;
        setenv("TENORITE_CACHE_DIR", "", 1);
        return processes[k].run();
    }
    if (!mkdtemp(folder)) return 1;
    setenv("TENORITE_CACHE_DIR", folder, 1);
    int failed = REPLAY_RUN("cuda_defer", tests);
    return remove_folder() || failed;
}
