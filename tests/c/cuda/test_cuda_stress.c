/* Many threads use everything that the CUDA backend shares at once, on test doubles of the driver
 * and of NVRTC: streams that come and go, launches that wait for kernels or fail, bad indices,
 * events, memory. What goes wrong between threads shows under `make tsan`; here it is counted that
 * nothing is lost. */
#include "replay.h"

#include "backend/cuda/launch/defer.h"
#include "backend/cuda/launch/workspace.h"
#include "bad_index.h"
#include "fake_cuda.h"

#include <pthread.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

enum { THREADS = 6, STEPS = 300 };

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0};
static atomic_int next_kernel = 100, reported, raised, done_threads;

typedef struct worker {
    unsigned seed;
    tn_stream *stream;
} worker;

/* Any call may be the first to hear of a bad index. */
static void hear(tn_status status) {
    if (status == TN_ERROR_INDEX) atomic_fetch_add(&raised, 1);
}

/* --- What a thread may do --- */

/* A negative number does not compile. */
static void write_step(tni_source *source, const void *context) {
    int number = *(const int *)context;
    tni_source_set_name(source, "step_%d", abs(number));
    tni_source_add(source, "%s\nextern \"C\" __global__ void step_%d(Pair p) {} // params 16\n",
                   number < 0 ? "#error" : "", abs(number));
}

static void launch(tn_stream *stream, int number) {
    tni_cuda_kernel *kernel;
    int64_t params[2] = {number, number};
    if (tni_cuda_kernel_begin(&kernel, 0, write_step, &number, &number, sizeof number) != TN_OK)
        return;
    tni_defer_or_launch(kernel, (unsigned[]){1, 1, 1}, (unsigned[]){32, 1, 1}, params,
                        sizeof params, stream);
}

static void launch_new(worker *own) {
    launch(own->stream, atomic_fetch_add(&next_kernel, 1));
}
static void launch_known(worker *own) {
    launch(own->stream, 100 + rand_r(&own->seed) % 50);
}
static void launch_wrong(worker *own) {
    launch(own->stream, -(100000 + atomic_fetch_add(&next_kernel, 1)));
}
static void wait_stream(worker *own) {
    hear(tn_stream_synchronize(own->stream, -1));
}
static void wait_device(worker *own) {
    (void)own;
    hear(tn_device_synchronize(cuda0, -1));
}
static void use_event(worker *own) {
    tn_event *event;
    if (tn_event_new(&event, cuda0, rand_r(&own->seed) % 2) != TN_OK) return;
    tn_event_record(event, own->stream);
    if (rand_r(&own->seed) % 2) hear(tn_event_synchronize(event, -1));
    tn_event_release(event);
}
static void use_buffer(worker *own) {
    tn_buffer *buffer;
    if (tn_buffer_new(&buffer, 512 + rand_r(&own->seed) % 100000, own->stream) != TN_OK) return;
    hear(tn_buffer_write(buffer, 0, "xyz", 3, own->stream));
    tn_buffer_release(buffer);
}
static void nothing(void *context) {
    (void)context;
}
static void add_callback(worker *own) {
    tn_stream_add_callback(own->stream, nothing, NULL);
}
static void end_stream(worker *own) {
    tn_stream_release(own->stream);
    own->stream = NULL;
}
static void use_pinned(worker *own) {
    void *memory;
    tn_event *event = NULL;
    if (tn_pinned_pool_allocate(tn_pinned_pool_default(), &memory, 1000) != TN_OK) return;
    if (tn_event_new(&event, cuda0, false) == TN_OK) tn_event_record(event, own->stream);
    tn_pinned_pool_free(tn_pinned_pool_default(), memory, event);
    tn_event_release(event);
}
static void meet_bad_index(worker *own) {
    tni_bounds bounds;
    if (tni_bounds_begin(&bounds, own->stream) != TN_OK) return;
    if (tn_stream_synchronize(own->stream, -1) != TN_OK) return; /* the words are zero by then */
    if (report_bad_index(&bounds, TN_FAILURE_INDEX, 7, 0, 5)) atomic_fetch_add(&reported, 1);
}
static void give_back(worker *own) {
    tn_cuda_cache_info info;
    (void)own;
    tn_pool_trim(tn_pool_default(), cuda0, NULL);
    tn_cuda_cache_info_get(&info);
}

static void *work(void *context) {
    static void (*const steps[])(worker *) = {
        launch_new,  launch_new,  launch_known,   launch_known, launch_wrong,
        wait_stream, wait_device, use_event,      use_buffer,   add_callback,
        end_stream,  use_pinned,  meet_bad_index, give_back};
    worker own = {.seed = (unsigned)(uintptr_t)context};
    for (int k = 0; k < STEPS; k++) {
        if (!own.stream && tn_stream_new(&own.stream, cuda0, true, 0) != TN_OK) {
            own.stream = NULL;
            continue;
        }
        steps[rand_r(&own.seed) % (sizeof steps / sizeof *steps)](&own);
    }
    tn_stream_release(own.stream);
    atomic_fetch_add(&done_threads, 1);
    return NULL;
}

static void test_stress(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    launch(tn_stream_default(cuda0), 1);
    for (size_t k = 0; k < THREADS; k++)
        pthread_create(&threads[k], NULL, work, (void *)(k + 1));
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    while (tn_device_synchronize(cuda0, -1) == TN_ERROR_INDEX)
        atomic_fetch_add(&raised, 1);
    while (tn_device_synchronize(cuda0, -1) != TN_OK)
        continue; /* a launch that failed */
    assert_true(atomic_load(&reported) > 0);
    assert_int_equal(atomic_load(&done_threads), THREADS);
    assert_int_equal(atomic_load(&tni_deferred), 0);
    assert_string_equal(fake_cuda_complaint(), "");
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_stress)};
    setenv("TENORITE_COMPILE_THREADS", "2", 1);
    setenv("TENORITE_CACHE_DIR", "", 1);
    alarm(280);
    return REPLAY_RUN("cuda_stress", tests);
}
