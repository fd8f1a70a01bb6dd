/* The CUDA backend on a real GPU: what a test double cannot prove. Skipped where there is none. */
#include "replay.h"

#include "backend/cuda/compile/cache.h"
#include "backend/cuda/driver/device.h"
#include "backend/cuda/launch/launch.h"

#include <dlfcn.h>
#include <tenorite/tenorite.h>
#include <time.h>
#include <unistd.h>

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0};

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void write_fill(tni_source *source, const void *context) {
    (void)context;
    tni_source_set_name(source, "fill");
    tni_source_add(
        source, "#include \"types.h\"\n"
                "extern \"C\" __global__ void fill(float *x, tn_i64 n, float value) {\n"
                "    for (tn_i64 i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)\n"
                "        x[i] = value;\n"
                "}\n");
}

static void write_fault(tni_source *source, const void *context) {
    (void)context;
    tni_source_set_name(source, "fault");
    tni_source_add(source, "extern \"C\" __global__ void fault(int *x) { *x = 1; }\n");
}

static tn_status get_fill(tni_cuda_kernel **kernel) {
    static const char key[] = "test fill";
    return tni_cuda_kernel_get(kernel, 0, write_fill, NULL, key, sizeof key);
}

#define CHECK_OK(expr)                                                                             \
    do {                                                                                           \
        tn_status status_ = (expr);                                                                \
        if (status_ != TN_OK) fail_msg("%s: %s", #expr, tn_error_message());                       \
    } while (0)

static void test_facts(void **state) {
    (void)state;
    char name[256], bus[32];
    int driver, compiler, capability, least, greatest, number;
    int64_t free_bytes, total_bytes;
    CHECK_OK(tn_device_get_name(cuda0, name, sizeof name));
    CHECK_OK(tn_cuda_driver_version(&driver));
    CHECK_OK(tn_cuda_compiler_version(&compiler));
    CHECK_OK(tn_cuda_get_compute_capability(&capability, 0));
    CHECK_OK(tn_cuda_get_priority_range(&least, &greatest, 0));
    CHECK_OK(tn_cuda_get_pci_bus_id(bus, sizeof bus, 0));
    CHECK_OK(tn_cuda_find_pci_bus_id(&number, bus));
    assert_int_equal(number, 0);
    CHECK_OK(tn_device_get_memory_info(cuda0, &free_bytes, &total_bytes));
    assert_true(free_bytes > 0 && free_bytes <= total_bytes);
    print_message("%s, sm_%d, driver %d, NVRTC %d, priorities %d .. %d\n", name, capability, driver,
                  compiler, least, greatest);
}

static void test_kernel(void **state) {
    (void)state;
    enum { COUNT = 1 << 20 };
    static float host[COUNT];
    tni_cuda_kernel *kernel;
    tn_buffer *buffer;
    int64_t n = COUNT;
    float value = 2.5f;
    double start = now_us();
    CHECK_OK(get_fill(&kernel));
    print_message("first kernel: %.1f ms, %d registers\n", (now_us() - start) * 1e-3,
                  kernel->registers);
    CHECK_OK(tn_buffer_new(&buffer, sizeof host, tn_stream_default(cuda0)));
    void *x = tn_buffer_address(buffer), *params[] = {&x, &n, &value};
    unsigned grid[3] = {500, 1, 1}, block[3] = {256, 1, 1};
    CHECK_OK(tni_cuda_launch(kernel, grid, block, 0, params, tn_stream_default(cuda0)));
    CHECK_OK(tn_buffer_read(host, buffer, 0, sizeof host, NULL));
    for (int k = 0; k < COUNT; k++)
        if (host[k] != 2.5f) fail_msg("element %d is %g", k, (double)host[k]);
    tn_buffer_release(buffer);
}

static void test_costs(void **state) {
    (void)state;
    enum { ROUNDS = 20000 };
    tni_cuda_kernel *kernel;
    tn_buffer *buffer;
    tn_stream *stream = tn_stream_default(cuda0);
    int64_t n = 1;
    float value = 1;
    CHECK_OK(tn_buffer_new(&buffer, 512, stream));
    void *x = tn_buffer_address(buffer), *params[] = {&x, &n, &value};
    unsigned one[3] = {1, 1, 1};
    CHECK_OK(get_fill(&kernel));
    double start = now_us();
    for (int k = 0; k < ROUNDS; k++)
        CHECK_OK(get_fill(&kernel));
    print_message("find a kernel   %7.3f us\n", (now_us() - start) / ROUNDS);
    start = now_us();
    for (int k = 0; k < ROUNDS; k++)
        CHECK_OK(tni_cuda_launch(kernel, one, one, 0, params, stream));
    print_message("launch          %7.3f us\n", (now_us() - start) / ROUNDS);
    CHECK_OK(tn_device_synchronize(cuda0, -1));
    start = now_us();
    for (int k = 0; k < ROUNDS; k++) {
        tni_cuda_scope scope;
        CHECK_OK(tni_cuda_enter(&scope, 0));
        tni_cuda_leave(&scope);
    }
    print_message("enter a device  %7.3f us\n", (now_us() - start) / ROUNDS);
    start = now_us();
    for (int k = 0; k < ROUNDS; k++) {
        tn_buffer *other;
        CHECK_OK(tn_buffer_new(&other, 4096, stream));
        tn_buffer_release(other);
    }
    print_message("alloc and free  %7.3f us\n", (now_us() - start) / ROUNDS);
    start = now_us();
    for (int k = 0; k < 1000; k++) {
        CHECK_OK(tni_cuda_launch(kernel, one, one, 0, params, stream));
        CHECK_OK(tn_stream_synchronize(stream, -1));
    }
    print_message("launch and wait %7.3f us\n", (now_us() - start) / 1000);
    tn_buffer_release(buffer);
}

static void test_order(void **state) {
    (void)state;
    enum { BYTES = 64 << 20 };
    unsigned char last = 0;
    tn_stream *a, *b;
    tn_buffer *x, *y;
    CHECK_OK(tn_stream_new(&a, cuda0, true, 0));
    CHECK_OK(tn_stream_new(&b, cuda0, true, -1));
    CHECK_OK(tn_buffer_new(&x, BYTES, a));
    CHECK_OK(tn_buffer_new(&y, BYTES, b));
    for (int round = 1; round <= 50; round++) {
        CHECK_OK(tn_buffer_fill(x, 0, round, BYTES, a));
        CHECK_OK(tn_buffer_copy(y, 0, x, 0, BYTES, b));
        CHECK_OK(tn_buffer_read(&last, y, BYTES - 1, 1, b));
        CHECK_OK(tn_stream_synchronize(b, round % 2 ? -1 : 1000000000));
        assert_int_equal(last, round);
    }
    tn_buffer_release(x);
    tn_buffer_release(y);
    tn_stream_release(a);
    tn_stream_release(b);
    CHECK_OK(tn_device_synchronize(cuda0, 1000000000));
}

static void note(void *context) {
    atomic_fetch_add((atomic_int *)context, 1);
}

static void release(void *buffer) {
    tn_buffer_release(buffer);
}

static void test_callbacks(void **state) {
    (void)state;
    atomic_int count = 0;
    tn_stream *a, *b;
    CHECK_OK(tn_stream_new(&a, cuda0, true, 0));
    CHECK_OK(tn_stream_new(&b, cuda0, true, 0));
    for (int k = 0; k < 100; k++) {
        tn_buffer *buffer;
        CHECK_OK(tn_buffer_new_from(&buffer, tn_allocator_raw(), 1 << 20, a));
        CHECK_OK(tn_buffer_fill(buffer, 0, 1, 1 << 20, a));
        CHECK_OK(tn_buffer_fill(buffer, 0, 2, 1 << 20, b));
        CHECK_OK(tn_stream_add_callback(a, note, &count));
        CHECK_OK(tn_stream_add_callback(k % 2 ? a : b, release, buffer));
    }
    CHECK_OK(tn_stream_synchronize(a, -1));
    CHECK_OK(tn_stream_synchronize(b, -1));
    assert_int_equal(atomic_load(&count), 100);
    tn_stream_release(a);
    tn_stream_release(b);
}

static void test_allocators(void **state) {
    (void)state;
    const tn_allocator *list[] = {tn_cuda_allocator_managed(), tn_cuda_allocator_async()};
    for (int k = 0; k < 2; k++) {
        tn_buffer *buffer;
        unsigned char byte = 0;
        CHECK_OK(tn_buffer_new_from(&buffer, list[k], 1 << 20, tn_stream_default(cuda0)));
        CHECK_OK(tn_buffer_fill(buffer, 0, 9, 1 << 20, NULL));
        CHECK_OK(tn_buffer_read(&byte, buffer, 77777, 1, NULL));
        assert_int_equal(byte, 9);
        tn_buffer_release(buffer);
    }
    tn_buffer *huge;
    int64_t free_bytes, total_bytes;
    CHECK_OK(tn_device_get_memory_info(cuda0, &free_bytes, &total_bytes));
    assert_int_equal(tn_buffer_new(&huge, 2 * total_bytes, tn_stream_default(cuda0)),
                     TN_ERROR_MEMORY);
    print_message("%s\n", tn_error_message());
}

static void test_pinned(void **state) {
    (void)state;
    enum { BYTES = 256 << 20 };
    void *host;
    tn_buffer *buffer;
    tn_cuda_pointer facts;
    tn_stream *stream = tn_stream_default(cuda0);
    CHECK_OK(tn_pinned_pool_allocate(tn_pinned_pool_default(), &host, BYTES));
    memset(host, 3, BYTES);
    CHECK_OK(tn_cuda_get_pointer(&facts, (uintptr_t)host));
    assert_int_equal(facts.kind, 1);
    CHECK_OK(tn_buffer_new(&buffer, BYTES, stream));
    CHECK_OK(tn_cuda_get_pointer(&facts, (uintptr_t)tn_buffer_address(buffer)));
    assert_int_equal(facts.kind, 2);
    for (int k = 0; k < 2; k++) {
        double start = now_us();
        CHECK_OK(tn_buffer_write(buffer, 0, host, BYTES, stream));
        double middle = now_us();
        CHECK_OK(tn_buffer_read(host, buffer, 0, BYTES, stream));
        if (k)
            print_message("pinned: %.1f GB/s to the device, %.1f back\n",
                          BYTES / (middle - start) * 1e-3, BYTES / (now_us() - middle) * 1e-3);
    }
    tn_buffer_release(buffer);
    tn_pinned_pool_free(tn_pinned_pool_default(), host, NULL);
    tn_pinned_pool_trim(tn_pinned_pool_default());
}

static void test_peers(void **state) {
    (void)state;
    enum { BYTES = 64 << 20 };
    bool can = false;
    unsigned char byte = 0;
    tn_buffer *a, *b;
    tn_device cuda1 = {TN_BACKEND_CUDA, 1};
    if (tn_device_count(TN_BACKEND_CUDA) < 2) {
        print_message("one GPU: copies between GPUs not tested\n");
        return;
    }
    CHECK_OK(tn_cuda_can_access_peer(&can, 0, 1));
    CHECK_OK(tn_buffer_new(&a, BYTES, tn_stream_default(cuda0)));
    CHECK_OK(tn_buffer_new(&b, BYTES, tn_stream_default(cuda1)));
    for (int k = 0; k < (can ? 2 : 1); k++) {
        if (k) CHECK_OK(tn_cuda_enable_peer_access(1, 0));
        CHECK_OK(tn_buffer_fill(a, 0, k + 5, BYTES, tn_stream_default(cuda0)));
        double start = now_us();
        CHECK_OK(tn_buffer_copy(b, 0, a, 0, BYTES, NULL));
        CHECK_OK(tn_buffer_read(&byte, b, BYTES - 1, 1, NULL));
        print_message("between GPUs%s: %.1f GB/s\n", k ? " with peer access" : "",
                      BYTES / (now_us() - start) * 1e-3);
        assert_int_equal(byte, k + 5);
    }
    tn_buffer_release(a);
    tn_buffer_release(b);
}

/* Last: it breaks the context. */
static void test_fault(void **state) {
    (void)state;
    tni_cuda_kernel *kernel;
    int *bad = (int *)0x10;
    void *params[] = {&bad};
    unsigned one[3] = {1, 1, 1};
    CHECK_OK(tni_cuda_kernel_get(&kernel, 0, write_fault, NULL, "fault", 5));
    CHECK_OK(tni_cuda_launch(kernel, one, one, 0, params, tn_stream_default(cuda0)));
    assert_int_equal(tn_stream_synchronize(tn_stream_default(cuda0), -1), TN_ERROR_DEVICE);
    print_message("%s\n", tn_error_message());
    assert_non_null(strstr(tn_error_message(), "cudaErrorIllegalAddress"));
    assert_non_null(strstr(tn_error_message(), "fault (1,1,1)x(1,1,1)"));
    assert_int_equal(tni_cuda_launch(kernel, one, one, 0, params, tn_stream_default(cuda0)),
                     TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), "reported before"));
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_facts),  REPLAY_NOT(test_kernel),    REPLAY_NOT(test_costs),
        REPLAY_NOT(test_order),  REPLAY_NOT(test_callbacks), REPLAY_NOT(test_allocators),
        REPLAY_NOT(test_pinned), REPLAY_NOT(test_peers),     REPLAY_NOT(test_fault)};
    const char *root = getenv("TENORITE_LIBRARY_ROOT"); /* where wheels lie, as Python would say */
    if (root) tn_cuda_add_library_root(root);
    if (tn_device_count(TN_BACKEND_CUDA) == 0) {
        fprintf(stderr, "no GPU: skipped\n");
        return 77; /* what Meson takes for skipped */
    }
    return REPLAY_RUN("gpu", tests);
}
