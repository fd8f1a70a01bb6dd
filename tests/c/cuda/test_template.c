/* Element-wise and reduction kernels of the program's own text: on the host with the system's
 * compiler (skipped where there is none), and on the doubles of CUDA's driver and compiler, whose
 * kernels compute nothing. */
#include "replay.h"

#include <tenorite/tenorite.h>

enum { COUNT = 300 };

static const tn_device host = {TN_BACKEND_HOST, 0}, cuda = {TN_BACKEND_CUDA, 0};

/* Another program in each run, so that each compiles one. */
static tn_status make_scale(tn_template **kernel) {
    char operation[64];
    snprintf(operation, sizeof operation, "y = a * x + i; // %ld", replay_failing);
    const tn_elementwise_source source = {
        .in_params = "T x, T a", .out_params = "T y", .operation = operation, .name = "scale"};
    return tn_kernel_elementwise_new(kernel, &source);
}

static tn_status make_total(tn_template **kernel) {
    char map[64];
    snprintf(map, sizeof map, "x /* %ld */", replay_failing);
    const tn_reduction_source source = {.in_params = "T x",
                                        .out_params = "T y",
                                        .map = map,
                                        .reduce = "a + b",
                                        .post_map = "y = a",
                                        .identity = "0",
                                        .name = "total"};
    return tn_kernel_reduction_new(kernel, &source);
}

static tn_status make_numbers(tn_array **array, tn_device device) {
    static const int64_t shape = COUNT;
    float values[COUNT];
    for (int k = 0; k < COUNT; k++)
        values[k] = (float)k;
    return tn_array_new_from_host(array, values, TN_F32, 1, &shape, NULL, TN_ORDER_C,
                                  tn_stream_default(device));
}

static tn_status launch(tn_array **result, tn_template *kernel, const tn_array *array, int count,
                        tn_stream *stream) {
    const tn_operand operands[2] = {{.array = array}, {.scalar = tn_scalar_weak_int(2)}};
    const tn_template_call call = {
        .count = count, .operands = operands, .size = -1, .axis_count = -1, .stream = stream};
    return tn_template_launch(result, kernel, &call);
}

static void run_on(tn_device device) {
    tn_stream *stream = tn_stream_default(device);
    tn_template *scale = NULL, *total = NULL;
    tn_array *array = NULL, *scaled = NULL, *sum = NULL;
    float values[COUNT], one = 0;
    REQUIRE_OK(make_numbers(&array, device));
    REQUIRE_OK(make_scale(&scale));
    REQUIRE_OK(launch(&scaled, scale, array, 2, stream));
    REQUIRE_OK(make_total(&total));
    REQUIRE_OK(launch(&sum, total, scaled, 1, stream));
    REQUIRE_OK(tn_array_read(values, NULL, scaled, stream));
    REQUIRE_OK(tn_array_read(&one, NULL, sum, stream));
    REQUIRE_OK(tn_stream_synchronize(stream, -1));
    for (int k = 0; device.backend == TN_BACKEND_HOST && k < COUNT; k++)
        assert_int_equal((int)values[k], 3 * k);
    if (device.backend == TN_BACKEND_HOST) assert_int_equal((int)one, 3 * COUNT * (COUNT - 1) / 2);
cleanup:
    tn_template_release(scale);
    tn_template_release(total);
    tn_array_release(array);
    tn_array_release(scaled);
    tn_array_release(sum);
}

static void test_host(void **state) {
    (void)state;
    run_on(host);
}

static void test_cuda(void **state) {
    (void)state;
    run_on(cuda);
}

/* What is missing is reported, and compiled only when the call allows it. */
static void test_missing(void **state) {
    (void)state;
    tn_template *kernel = NULL;
    tn_array *array = NULL, *result = NULL;
    const char *dtypes, *code;
    bool is_missing = false;
    REQUIRE_OK(make_numbers(&array, cuda));
    REQUIRE_OK(make_scale(&kernel));
    const tn_operand operands[2] = {{.array = array}, {.scalar = tn_scalar_weak_int(2)}};
    tn_template_call call = {
        .count = 2, .operands = operands, .size = -1, .is_missing = &is_missing};
    REQUIRE_STATUS(tn_template_launch(&result, kernel, &call), TN_ERROR_COMPILE);
    assert_true(is_missing);
    assert_false(tn_template_get_code(kernel, 0, &dtypes, &code));
    call.is_missing = NULL;
    REQUIRE_OK(tn_template_launch(&result, kernel, &call));
    assert_true(tn_template_get_code(kernel, 0, &dtypes, &code));
    assert_string_equal(dtypes, "float32,float32,float32");
    assert_non_null(strstr(code, "y = a * x + i;"));
cleanup:
    tn_template_release(kernel);
    tn_array_release(array);
    tn_array_release(result);
}

static void test_parameters(void **state) {
    (void)state;
    int inputs, outputs;
    tn_template *kernel = NULL, *none;
    tn_elementwise_source source = {
        .in_params = "raw float32 x, _non_const T y", .out_params = "T z", .name = "k"};
    source.operation = "z = y";
    REQUIRE_OK(tn_kernel_elementwise_new(&kernel, &source));
    const tn_parameter *list = tn_template_parameters(kernel, &inputs, &outputs);
    assert_int_equal(inputs * 10 + outputs, 21);
    assert_true(list[0].is_raw && list[0].is_const && list[0].dtype == TN_F32);
    assert_true(!list[1].is_raw && !list[1].is_const && list[1].dtype == TN_DTYPE_NONE);
    assert_string_equal(list[2].name, "z");
    source.in_params = "T for";
    REQUIRE_STATUS(tn_kernel_elementwise_new(&none, &source), TN_ERROR_VALUE);
    source.in_params = "T x";
    source.operation = "z = (x";
    REQUIRE_STATUS(tn_kernel_elementwise_new(&none, &source), TN_ERROR_VALUE);
    source.operation = "z = x";
    source.name = "no name";
    REQUIRE_STATUS(tn_kernel_elementwise_new(&none, &source), TN_ERROR_VALUE);
cleanup:
    tn_template_release(kernel);
}

static bool has_compiler(void) {
    tn_module *module = NULL;
    const tn_module_source source = {.code = ""};
    bool has = tn_module_new(&module, &source) == TN_OK && tn_module_compile(module, host) == TN_OK;
    tn_module_release(module);
    return has;
}

int main(void) {
    static const replay_test all[] = {REPLAY(test_cuda), REPLAY(test_parameters),
                                      REPLAY_NOT(test_missing), REPLAY_NOT(test_host)};
    if (has_compiler()) return REPLAY_RUN("template", all);
    print_message("there is no C++ compiler: %s\n", tn_error_message());
    static const replay_test some[] = {REPLAY(test_cuda), REPLAY(test_parameters)};
    return REPLAY_RUN("template", some);
}
