/* Plans of cuDNN's graph interface on its test double, which looks at each descriptor: runs, packs
 * of addresses, workspace, captures and failures. */
#include "capture.h"
#include "fake_cuda.h"
#include "replay.h"

#include <tenorite/cudnn.h>
#include <unistd.h>

int cudnnCreate(void **handle);
int cudnnDestroy(void *handle);
int cudnnBackendCreateDescriptor(int kind, void **descriptor);
int cudnnBackendDestroyDescriptor(void *descriptor);
int cudnnBackendSetAttribute(void *descriptor, int name, int type, int64_t count,
                             const void *elements);
int cudnnBackendGetAttribute(void *descriptor, int name, int type, int64_t requested,
                             int64_t *count, void *elements);
int cudnnBackendFinalize(void *descriptor);
int fake_cudnn_living(void);

enum { DTYPE = 1, INT64 = 3, FLOAT = 4, MODE = 7, HEURISTICS = 8, DESCRIPTOR = 15 };
enum { PARTS = 7, BYTES = 96 };
static const tn_device cuda0 = {TN_BACKEND_CUDA, 0};

/* --- The plan of a convolution of 1 x 1 x 4 x 4 --- */

typedef struct made {
    void *handle, *plan, *parts[PARTS]; /* configuration, graph, operation, convolution, tensors */
} made;

static void *create(int kind) {
    void *descriptor = NULL;
    assert_int_equal(cudnnBackendCreateDescriptor(kind, &descriptor), 0);
    return descriptor;
}
static void set(void *descriptor, int name, int type, int64_t count, const void *elements) {
    assert_int_equal(cudnnBackendSetAttribute(descriptor, name, type, count, elements), 0);
}
static void *finalized(void *descriptor) {
    assert_int_equal(cudnnBackendFinalize(descriptor), 0);
    return descriptor;
}

static void *new_tensor(int64_t id, const int64_t sizes[4]) {
    const int64_t strides[4] = {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
    void *tensor = create(17);
    set(tensor, 900, INT64, 1, (int64_t[]){16});
    set(tensor, 901, DTYPE, 1, (int[]){0});
    set(tensor, 902, INT64, 4, sizes);
    set(tensor, 903, INT64, 4, strides);
    set(tensor, 906, INT64, 1, &id);
    return finalized(tensor);
}

static void *new_convolution(void) {
    static const int64_t ones[2] = {1, 1}, none[2] = {0, 0};
    void *convolution = create(1);
    set(convolution, 100, DTYPE, 1, (int[]){0});
    set(convolution, 101, MODE, 1, (int[]){1});
    set(convolution, 102, INT64, 2, ones);
    set(convolution, 103, INT64, 2, ones);
    set(convolution, 104, INT64, 2, none);
    set(convolution, 105, INT64, 2, none);
    set(convolution, 106, INT64, 1, (int64_t[]){2});
    return finalized(convolution);
}

static void make(made *m) {
    static const int64_t shapes[3][4] = {{1, 1, 4, 4}, {1, 1, 1, 1}, {1, 1, 4, 4}};
    static const int names[3] = {704, 703, 705};
    int64_t count;
    assert_int_equal(cudnnCreate(&m->handle), 0);
    m->parts[3] = new_convolution();
    void *operation = m->parts[2] = create(10), *graph = m->parts[1] = create(15);
    set(operation, 700, FLOAT, 1, (float[]){1});
    set(operation, 701, FLOAT, 1, (float[]){0});
    set(operation, 702, DESCRIPTOR, 1, &m->parts[3]);
    for (int k = 0; k < 3; k++) {
        m->parts[4 + k] = new_tensor(k + 1, shapes[k]);
        set(operation, names[k], DESCRIPTOR, 1, &m->parts[4 + k]);
    }
    finalized(operation);
    set(graph, 800, 0, 1, &m->handle);
    set(graph, 801, DESCRIPTOR, 1, &operation);
    finalized(graph);
    void *heuristics = create(4), *config = m->parts[0] = create(3);
    set(heuristics, 200, HEURISTICS, 1, (int[]){3});
    set(heuristics, 201, DESCRIPTOR, 1, &graph);
    finalized(heuristics);
    assert_int_equal(cudnnBackendGetAttribute(heuristics, 202, DESCRIPTOR, 1, &count, &config), 0);
    m->plan = create(5);
    set(m->plan, 400, 0, 1, &m->handle);
    set(m->plan, 401, DESCRIPTOR, 1, &config);
    finalized(m->plan);
    cudnnBackendDestroyDescriptor(heuristics);
}

/* What no plan has taken over. */
static void end(made *m, bool has_plan, bool has_parts) {
    if (!has_plan) cudnnBackendDestroyDescriptor(m->plan);
    for (int k = 0; k < PARTS && !has_parts; k++)
        cudnnBackendDestroyDescriptor(m->parts[k]);
    cudnnDestroy(m->handle);
}

static tn_status plan_of(tn_cudnn_plan **plan, const made *m, int64_t workspace, int alignment) {
    const tn_cudnn_plan_facts facts = {(uintptr_t)m->handle, (uintptr_t)m->plan, workspace,
                                       alignment, 0};
    return tn_cudnn_plan_new(plan, &facts);
}

/* --- Runs --- */

typedef struct arrays {
    tn_array *x, *w, *y;
} arrays;

static tn_status make_arrays(arrays *a, tn_stream *stream) {
    static const int64_t maps[4] = {1, 1, 4, 4}, filters[4] = {1, 1, 1, 1};
    tn_status status = tn_array_new(&a->x, TN_F32, 4, maps, TN_ORDER_C, stream);
    if (!status) status = tn_array_new(&a->w, TN_F32, 4, filters, TN_ORDER_C, stream);
    if (!status) status = tn_array_new(&a->y, TN_F32, 4, maps, TN_ORDER_C, stream);
    return status;
}
static void release_arrays(arrays *a) {
    tn_array_release(a->x);
    tn_array_release(a->w);
    tn_array_release(a->y);
}

/* Each run needs a pack of its addresses, and only one of other addresses a new one. */
static void test_runs(void **state) {
    (void)state;
    made m = {NULL};
    arrays a = {NULL, NULL, NULL}, b = {NULL, NULL, NULL};
    tn_cudnn_plan *plan = NULL;
    tn_stream *stream = tn_stream_default(cuda0);
    bool has_plan = false, has_parts = false;
    int answer = -1;
    make(&m);
    REQUIRE_OK(plan_of(&plan, &m, BYTES, 16));
    has_plan = true;
    REQUIRE_OK(tn_cudnn_plan_adopt(plan, (const uintptr_t *)m.parts, PARTS));
    has_parts = true;
    REQUIRE_OK(make_arrays(&a, stream));
    REQUIRE_OK(make_arrays(&b, stream));
    const int before = fake_cudnn_living();
    for (int k = 0; k < 4; k++) {
        const arrays *one = k == 2 ? &b : &a;
        REQUIRE_OK(tn_cudnn_plan_run(&answer, plan, one->x, one->w, one->y, NULL));
        assert_int_equal(answer, 0);
        assert_int_equal(fake_cudnn_living(), before + 1);
    }
    assert_int_equal(tn_cudnn_plan_adopt(plan, NULL, 0), TN_ERROR_VALUE);
cleanup:
    tn_cudnn_plan_release(plan);
    end(&m, has_plan, has_parts);
    release_arrays(&a);
    release_arrays(&b);
    assert_int_equal(fake_cudnn_living(), 0);
    assert_string_equal(fake_cuda_complaint(), "");
}

/* A graph keeps the plan that it recorded, and its workspace. */
static void test_capture(void **state) {
    (void)state;
    made m = {NULL};
    arrays a = {NULL, NULL, NULL};
    tn_cudnn_plan *plan = NULL;
    tn_stream *stream = NULL;
    tn_graph *graph = NULL;
    bool has_plan = false, has_parts = false;
    int answer = -1;
    make(&m);
    REQUIRE_OK(tn_stream_new(&stream, cuda0, true, 0));
    REQUIRE_OK(plan_of(&plan, &m, BYTES, 16));
    has_plan = true;
    REQUIRE_OK(tn_cudnn_plan_adopt(plan, (const uintptr_t *)m.parts, PARTS));
    has_parts = true;
    REQUIRE_OK(make_arrays(&a, stream));
    REQUIRE_OK(tn_stream_begin_capture(stream, TN_CAPTURE_RELAXED));
    REQUIRE_OK(tn_cudnn_plan_run(&answer, plan, a.x, a.w, a.y, stream));
    assert_int_equal(answer, 0);
    REQUIRE_OK(tn_stream_end_capture(&graph, stream));
    tn_cudnn_plan_release(plan);
    plan = NULL;
    assert_true(fake_cudnn_living() > 1);
    for (int k = 0; k < 2; k++)
        REQUIRE_OK(tn_graph_launch(graph, stream));
cleanup:
    leave(stream);
    tn_graph_release(graph);
    tn_cudnn_plan_release(plan);
    release_arrays(&a);
    tn_stream_release(stream);
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    /* What a graph keeps goes in a thread of the driver's own, a moment after the graph. */
    for (int k = 0; k < 2000 && has_plan && has_parts && fake_cudnn_living() > 1; k++)
        usleep(5000);
    end(&m, has_plan, has_parts);
    assert_int_equal(fake_cudnn_living(), 0);
    assert_string_equal(fake_cuda_complaint(), "");
}

/* What can't be run is said before anything is queued. */
static void test_refusals(void **state) {
    (void)state;
    made m = {NULL};
    arrays a = {NULL, NULL, NULL};
    tn_cudnn_plan *plan = NULL;
    tn_array *host = NULL;
    int answer = 7;
    static const int64_t maps[4] = {1, 1, 4, 4};
    make(&m);
    assert_int_equal(plan_of(&plan, &m, BYTES, 16), TN_OK);
    assert_int_equal(make_arrays(&a, tn_stream_default(cuda0)), TN_OK);
    assert_int_equal(tn_array_new(&host, TN_F32, 4, maps, TN_ORDER_C,
                                  tn_stream_default((tn_device){TN_BACKEND_HOST, 0})),
                     TN_OK);
    assert_int_not_equal(tn_cudnn_plan_run(&answer, plan, host, host, host, NULL), TN_OK);
    assert_int_not_equal(tn_cudnn_plan_run(&answer, plan, a.x, host, a.y, NULL), TN_OK);
    assert_int_equal(answer, 7);
    for (int k = 0; k < 2; k++) { /* cuDNN fails, and works again */
        setenv("FAKE_CUDNN_FAILS", k ? "cudnnBackendFinalize:16" : "cudnnBackendExecute", 1);
        assert_int_equal(tn_cudnn_plan_run(&answer, plan, a.x, a.w, a.y, NULL), TN_OK);
        assert_int_equal(answer, k ? 0 : 5000); /* the pack of the first run is kept */
        unsetenv("FAKE_CUDNN_FAILS");
        assert_int_equal(tn_cudnn_plan_run(&answer, plan, a.x, a.w, a.y, NULL), TN_OK);
        assert_int_equal(answer, 0);
    }
    tn_cudnn_plan_release(plan);
    end(&m, true, false);
    release_arrays(&a);
    tn_array_release(host);
    assert_int_equal(fake_cudnn_living(), 0);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_runs), REPLAY(test_capture),
                                        REPLAY_NOT(test_refusals)};
    return REPLAY_RUN("cuda_dnn", tests);
}
