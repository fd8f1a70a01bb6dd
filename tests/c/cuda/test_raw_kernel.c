/* Kernels of the program's own text: on the host with the system's compiler (skipped where there is
 * none), and on the doubles of CUDA's driver and compiler, whose kernels compute nothing. */
#include "replay.h"

#include <tenorite/tenorite.h>

enum { COUNT = 300 };

static const char text[] = "extern \"C\" __global__ void scale(float *x, int n) { // params 8 4\n"
                           "    __shared__ float tile[64];\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i >= n) return;\n"
                           "    tile[threadIdx.x] = x[i];\n"
                           "    __syncthreads();\n"
                           "    x[i] = 2 * tile[threadIdx.x];\n"
                           "}\n";

static const tn_device host = {TN_BACKEND_HOST, 0}, cuda = {TN_BACKEND_CUDA, 0};

static tn_status make_kernel(tn_kernel **kernel, const char *code, const char *name) {
    const tn_module_source source = {.code = code};
    tn_module *module;
    tn_status status = tn_module_new(&module, &source);
    if (status != TN_OK) return status;
    status = tn_kernel_raw_new(kernel, module, name);
    tn_module_release(module); /* the kernel's own reference stays */
    return status;
}

static tn_status launch(tn_kernel *kernel, const tn_array *array, int32_t count,
                        tn_stream *stream) {
    const unsigned grid[3] = {(COUNT + 63) / 64, 1, 1}, block[3] = {64, 1, 1};
    const tn_kernel_argument arguments[2] = {{.array = array},
                                             {.value = &count, .bytes = 4, .kind = 'i'}};
    return tn_kernel_launch(kernel, grid, block, 2, arguments, 0, stream);
}

static bool has_compiler(void) {
    tn_module *module = NULL;
    const tn_module_source source = {.code = ""};
    bool has = tn_module_new(&module, &source) == TN_OK && tn_module_compile(module, host) == TN_OK;
    tn_module_release(module);
    return has;
}

static void run_on(tn_device device, tn_stream *stream) {
    static const int64_t shape = COUNT;
    float values[COUNT];
    char code[sizeof text + 32]; /* another program in each run, so that each compiles one */
    tn_kernel *kernel = NULL;
    tn_array *array = NULL;
    for (int k = 0; k < COUNT; k++)
        values[k] = (float)k;
    REQUIRE_OK(tn_array_new(&array, TN_F32, 1, &shape, TN_ORDER_C, stream));
    REQUIRE_OK(tn_array_write(array, values, NULL, stream));
    snprintf(code, sizeof code, "%s// %ld\n", text, replay_failing);
    REQUIRE_OK(make_kernel(&kernel, code, "scale"));
    REQUIRE_OK(launch(kernel, array, COUNT - 1, stream));
    REQUIRE_OK(tn_array_read(values, NULL, array, stream));
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    if (device.backend == TN_BACKEND_HOST)
        for (int k = 0; k < COUNT; k++)
            assert_int_equal((int)values[k], k < COUNT - 1 ? 2 * k : k);
cleanup:
    tn_kernel_release(kernel);
    tn_array_release(array);
}

static void test_host(void **state) {
    (void)state;
    run_on(host, tn_stream_default(host));
}

static void test_host_queue(void **state) {
    (void)state;
    tn_stream *stream = NULL;
    REQUIRE_OK(tn_stream_new(&stream, host, true, 0));
    run_on(host, stream);
cleanup:
    tn_stream_release(stream);
}

static void test_cuda(void **state) {
    (void)state;
    run_on(cuda, tn_stream_default(cuda));
}

/* What the host can say of arguments before it launches. */
static void test_arguments(void **state) {
    (void)state;
    const unsigned one[3] = {1, 1, 1}, many[3] = {1025, 1, 1};
    double number = 1;
    const tn_kernel_argument arguments[2] = {{.value = &number, .bytes = 8, .kind = 'f'},
                                             {.value = &number, .bytes = 2, .kind = 'i'}};
    tn_kernel *kernel = NULL;
    REQUIRE_OK(make_kernel(&kernel, text, "scale"));
    REQUIRE_STATUS(tn_kernel_launch(kernel, one, one, 1, arguments, 0, tn_stream_default(host)),
                   TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_kernel_launch(kernel, one, one, 2, arguments, 0, tn_stream_default(host)),
                   TN_ERROR_TYPE);
    REQUIRE_STATUS(tn_kernel_launch(kernel, one, many, 2, arguments, 0, tn_stream_default(host)),
                   TN_ERROR_DEVICE);
cleanup:
    tn_kernel_release(kernel);
}

/* Failures of compilers keep their words. */
static void test_failures(void **state) {
    (void)state;
    const tn_module_source neither = {0}, broken = {.code = "#error broken on purpose\n"};
    tn_module *module = NULL, *none;
    tn_kernel *kernel = NULL;
    REQUIRE_STATUS(tn_module_new(&none, &neither), TN_ERROR_VALUE);
    REQUIRE_OK(tn_module_new(&module, &broken));
    REQUIRE_STATUS(tn_module_compile(module, host), TN_ERROR_COMPILE);
    assert_non_null(strstr(tn_module_log(), "broken on purpose"));
    REQUIRE_STATUS(tn_module_compile(module, cuda), TN_ERROR_COMPILE);
    assert_non_null(strstr(tn_module_log(), "#error directive"));
    REQUIRE_OK(make_kernel(&kernel, text, "no_such_kernel"));
    assert_int_not_equal(launch(kernel, NULL, 0, tn_stream_default(host)), TN_OK);
    assert_false(tn_kernel_is_ready(kernel, host));
cleanup:
    tn_kernel_release(kernel);
    tn_module_release(module);
}

int main(void) {
    static const replay_test all[] = {REPLAY(test_cuda), REPLAY(test_host),
                                      REPLAY_NOT(test_host_queue), REPLAY_NOT(test_arguments),
                                      REPLAY_NOT(test_failures)};
    if (has_compiler()) return REPLAY_RUN("raw_kernel", all);
    print_message("there is no C++ compiler: %s\n", tn_error_message());
    static const replay_test some[] = {REPLAY(test_cuda)};
    return REPLAY_RUN("raw_kernel", some);
}
