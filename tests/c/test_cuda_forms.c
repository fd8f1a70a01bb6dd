/* Which device form the CUDA backend takes for which shape, and with what grid: on the test double of the
 * driver, with the real NVRTC (skipped where there is none), so the programs are compiled, too.
 *
 * The calls are made up: addresses that nothing reads, because the double runs no kernels. */
#include "replay.h"

#include "backend/cuda/form.h"
#include "backend/cuda/forms.h"
#include "core/elementwise.h"
#include "core/reduce.h"
#include "fake_cuda.h"

#include <tenorite/tenorite.h>

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0};
static char *const somewhere = (char *)(uintptr_t)0x7000000;

static void check_ok(tn_status status) {
    if (status != TN_OK) fail_msg("%s", tn_error_message());
}

/* The last launch's kernel begins with `form`; its blocks. */
static unsigned check_form(const char *form) {
    fake_launch launch;
    assert_true(fake_cuda_get_launch(&launch, fake_cuda_launches() - 1));
    char wanted[64];
    snprintf(wanted, sizeof wanted, "tn_%s_", form);
    if (strncmp(launch.name, wanted, strlen(wanted)) != 0)
        fail_msg("the kernel %s, not one of the form %s", launch.name, form);
    assert_int_equal(launch.shared_bytes, 0);
    return launch.grid[0];
}

/* --- Element-wise --- */

/* add of two f32 arrays into a third; strides in elements. */
static unsigned add(const char *form, int ndim, const int64_t *shape, const int64_t *a,
                    const int64_t *b, const int64_t *out, int offset) {
    tni_elementwise call = {.op = TN_OP_ADD, .dtype = TN_F32, .input_count = 2, .output_count = 1};
    const int64_t *strides[3] = {a, b, out};
    call.ndim = ndim;
    call.size = 1;
    for (int axis = 0; axis < ndim; axis++)
        call.size *= call.shape[axis] = shape[axis];
    for (int k = 0; k < 3; k++) {
        call.arguments[k].data = somewhere + offset + k * 0x1000000;
        call.arguments[k].dtype = call.arguments[k].loop_dtype = TN_F32;
        for (int axis = 0; axis < ndim; axis++)
            call.arguments[k].strides[axis] = 4 * strides[k][axis];
    }
    check_ok(tni_cuda_elementwise(&call, tn_stream_default(cuda0)));
    return check_form(form);
}
#define L(...)                                                                                     \
    (const int64_t[]) {                                                                            \
        __VA_ARGS__                                                                                \
    }

static void test_elementwise(void **state) {
    (void)state;
    assert_int_equal(add("flat", 0, NULL, NULL, NULL, NULL, 0), 1);
    assert_int_equal(add("flat", 1, L(1 << 20), L(1), L(1), L(1), 0), (1 << 20) / (128 * 4));
    assert_int_equal(add("flat", 1, L(1000), L(1), L(1), L(1), 4),
                     2); /* off a vector's alignment */
    add("strided", 1, L(1000), L(2), L(1), L(1), 0);
    add("strided", 1, L(1000), L(-1), L(1), L(1), 0);
    add("rows", 2, L(1000, 256), L(256, 1), L(0, 1), L(256, 1), 0);
    add("rows", 2, L(1000, 256), L(256, 1), L(1, 0), L(256, 1), 0);
    add("strided", 2, L(1000, 16), L(16, 1), L(0, 1), L(16, 1), 0); /* too short a row */
    add("strided", 2, L(1000, 256), L(512, 1), L(256, 1), L(256, 1), 0);
    assert_int_equal(add("transpose", 2, L(128, 192), L(1, 128), L(192, 1), L(192, 1), 0), 2 * 3);
    add("transpose", 3, L(64, 32, 16), L(1, 64, 2048), L(1, 64, 2048), L(512, 16, 1), 0);
    add("transpose", 2, L(64, 32), L(32, 1), L(32, 1), L(1, 64), 0); /* an output by columns */
    add("strided", 3, L(4, 4, 4), L(1, 4, 16), L(1, 4, 16), L(16, 4, 1), 0);
}

static void test_conversions(void **state) {
    (void)state;
    for (int from = 0; from < TN_DTYPE_COUNT; from++) {
        tni_elementwise call = {
            .op = TNI_OP_COPY, .dtype = from, .input_count = 1, .output_count = 1};
        int to = (from * 4 + 1) % TN_DTYPE_COUNT;
        call.masked = from % 2;
        call.ndim = 1;
        call.size = call.shape[0] = 1000;
        call.arguments[0] = (tni_argument){.data = somewhere, .dtype = from, .loop_dtype = from};
        call.arguments[1] = (tni_argument){.data = somewhere, .dtype = to, .loop_dtype = to};
        call.arguments[2] = (tni_argument){.data = somewhere, .dtype = TN_B8, .loop_dtype = TN_B8};
        call.arguments[0].strides[0] = tn_dtype_size(from);
        call.arguments[1].strides[0] = tn_dtype_size(to);
        call.arguments[2].strides[0] = 1;
        check_ok(tni_cuda_elementwise(&call, tn_stream_default(cuda0)));
        check_form("flat");
    }
}

/* --- Reductions --- */

typedef struct axes {
    int ndim;
    int64_t shape[3], strides[3];
} axes;

static unsigned reduce(const char *form, tn_op op, tn_dtype dtype, axes kept, axes reduced) {
    tni_reduce call = {.op = op, .output = somewhere, .input = somewhere};
    int64_t item = tn_dtype_size(dtype), out = item;
    call.is_ordered = tni_op_is_ordered(op);
    call.input_dtype = call.output_dtype = dtype;
    call.accumulator = tni_accumulator(op, dtype);
    call.kept_ndim = kept.ndim;
    call.reduced_ndim = reduced.ndim;
    call.kept_size = call.reduced_size = 1;
    for (int axis = kept.ndim - 1; axis >= 0; axis--) {
        call.kept_size *= call.kept_shape[axis] = kept.shape[axis];
        call.kept_input[axis] = item * kept.strides[axis];
        call.kept_output[axis] = out;
        out *= kept.shape[axis];
    }
    for (int axis = 0; axis < reduced.ndim; axis++) {
        call.reduced_size *= call.reduced_shape[axis] = reduced.shape[axis];
        call.reduced_input[axis] = item * reduced.strides[axis];
    }
    check_ok(tni_cuda_reduce(&call, tn_stream_default(cuda0)));
    return check_form(form);
}
#define NONE ((axes){0})
#define ONE(size, stride) ((axes){1, {size}, {stride}})
#define TWO(size, size2, stride, stride2) ((axes){2, {size, size2}, {stride, stride2}})

static void test_reductions(void **state) {
    (void)state;
    assert_int_equal(reduce("reduce_rows", TN_OP_ADD, TN_F32, NONE, ONE(100, 1)), 1);
    assert_true(reduce("reduce_rows", TN_OP_ADD, TN_F32, NONE, ONE(100000000, 1)) > 100);
    assert_int_equal(reduce("reduce_rows", TN_OP_ADD, TN_F32, ONE(100000, 1000), ONE(1000, 1)),
                     100000 / 8);
    assert_int_equal(reduce("reduce_short", TN_OP_ADD, TN_F32, ONE(10000000, 10), ONE(10, 1)),
                     (10000000 + 255) / 256);
    reduce("reduce_rows", TN_OP_ADD, TN_F32, ONE(1000000, 64), ONE(64, 1));
    assert_true(reduce("reduce_columns", TN_OP_ADD, TN_F32, ONE(1000, 1), ONE(100000, 1000)) > 100);
    assert_int_equal(
        reduce("reduce_columns", TN_OP_MAXIMUM, TN_F32, TWO(1000, 1000, 100000, 1), ONE(100, 1000)),
        8000);
    reduce("reduce_rows", TN_OP_ADD, TN_F32, ONE(10000000, 1), ONE(8, 10000000)); /* few rows */
    reduce("reduce_rows", TN_OP_ADD, TN_F32, ONE(100, 40), TWO(50, 40, 4000, 1));
    reduce("reduce_ordered", TN_OP_SUBTRACT, TN_F32, ONE(100, 40), ONE(40, 1));
    reduce("reduce_rows", TN_OP_LOGICAL_OR, TN_B8, NONE, ONE(1000000, 1));
    reduce("reduce_rows", TN_OP_MULTIPLY, TN_C128, NONE, ONE(1000000, 1));
    reduce("reduce_columns", TN_OP_ADD, TN_F16, ONE(1000, 1), ONE(10000, 1000));
}

/* --- Scans --- */

static unsigned scan(const char *form, tn_op op, int64_t length, int64_t step, int64_t lines,
                     int64_t line_step) {
    tni_scan call = {.op = op, .output = somewhere, .input = somewhere};
    call.input_dtype = call.accumulator = call.output_dtype = TN_F32;
    call.length = length;
    call.input_stride = call.output_stride = 4 * step;
    call.ndim = lines > 1;
    call.size = call.shape[0] = lines;
    call.input_strides[0] = call.output_strides[0] = 4 * line_step;
    check_ok(tni_cuda_scan(&call, tn_stream_default(cuda0)));
    return check_form(form);
}

static void test_scans(void **state) {
    (void)state;
    assert_int_equal(scan("scan_rows", TN_OP_ADD, 100, 1, 1, 0), 1);
    assert_int_equal(scan("scan_rows", TN_OP_ADD, 1 << 20, 1, 1, 0), (1 << 20) / 8192);
    assert_int_equal(scan("scan_short", TN_OP_ADD, 1000, 1, 100000, 1000), 100000 / 8);
    assert_int_equal(scan("scan_rows", TN_OP_ADD, 1000, 1, 100000, 1001), 100000);
    assert_int_equal(scan("scan_rows", TN_OP_ADD, 1000, 1, 100, 1000), 100);
    assert_int_equal(scan("scan_short", TN_OP_ADD, 10, 1, 10000, 10), 10000 / 256 + 1);
    assert_int_equal(scan("scan_columns", TN_OP_ADD, 1000, 1000, 1000, 1), 4 * 32);
    assert_int_equal(scan("scan_columns", TN_OP_ADD, 1 << 20, 10, 10, 1), (1 << 20) / (16 * 32));
    assert_int_equal(scan("scan_columns", TN_OP_ADD, 1000, 100000, 100000, 1), 100000 / 128 + 1);
    scan("scan_columns", TN_OP_SUBTRACT, 1000, 1, 1000, 1000);
    /* Products of floats go from left to right: a block a line, a thread where there are many. */
    assert_int_equal(scan("scan_product", TN_OP_MULTIPLY, 1000, 1, 100000, 1000), 100000);
    assert_int_equal(scan("scan_product", TN_OP_MULTIPLY, 1000, 1, 1, 0), 1);
    assert_true(scan("scan_product", TN_OP_MULTIPLY, 1 << 20, 1, 1, 0) > 100);
    scan("scan_columns", TN_OP_MULTIPLY, 1000, 100000, 100000, 1);
    scan("scan_columns", TN_OP_MULTIPLY, 10, 1, 10000, 10);
}

static bool has_nvrtc(void) {
    const char *root = getenv("TENORITE_LIBRARY_ROOT");
    if (root) tn_cuda_add_library_root(root);
    return tni_driver_load() == TN_OK && tni_nvrtc_load() == TN_OK;
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_elementwise), REPLAY_NOT(test_conversions),
                                        REPLAY_NOT(test_reductions), REPLAY_NOT(test_scans)};
    if (!has_nvrtc()) {
        fprintf(stderr, "skipped: %s\n", tn_error_message());
        return 77;
    }
    return REPLAY_RUN("cuda_forms", tests);
}
