/* Calls on arrays that are not aligned: on the host they write what the same calls write into
 * aligned ones, and nothing if an allocation fails; on the double of the CUDA driver, with the real
 * NVRTC where there is one, each finds a kernel. */
#include "replay.h"

#include "backend/cuda/driver/library.h"
#include "core/array/array.h"
#include "fake_cuda.h"

#include <tenorite/tenorite.h>

enum { SIDE = 4, BYTES = 1024, GUARD = 0xa5 };

/* Arrays in one buffer, each beginning `shift` bytes after a multiple of 16. */
typedef struct places {
    tn_buffer *buffer;
    tn_array *matrix, *other, *row, *indices, *mask;
    tn_stream *stream;
} places;

static void release(places *p) {
    tn_array *const arrays[] = {p->matrix, p->other, p->row, p->indices, p->mask};
    for (int k = 0; k < 5; k++)
        tn_array_release(arrays[k]);
    tn_buffer_release(p->buffer);
    memset(p, 0, sizeof *p);
}

static tn_status make(places *p, int64_t shift, tn_device device) {
    static const double values[SIDE * SIDE] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    static const int64_t indices[2] = {2, 0};
    static const int64_t square[2] = {SIDE, SIDE}, side = SIDE, two = 2;
    memset(p, 0, sizeof *p);
    p->stream = tn_stream_default(device);
    TNI_TRY(tn_buffer_new(&p->buffer, BYTES, p->stream));
    if (device.backend == TN_BACKEND_HOST) memset(tn_buffer_address(p->buffer), GUARD, BYTES);
    TNI_TRY(tn_array_new_view(&p->matrix, p->buffer, shift, TN_F64, 2, square, NULL));
    TNI_TRY(tn_array_new_view(&p->other, p->buffer, 256 + shift, TN_F64, 2, square, NULL));
    TNI_TRY(tn_array_new_view(&p->row, p->buffer, 512 + shift, TN_F64, 1, &side, NULL));
    TNI_TRY(tn_array_new_view(&p->indices, p->buffer, 768 + shift, TN_I64, 1, &two, NULL));
    TNI_TRY(tn_array_write(p->matrix, values, NULL, p->stream));
    TNI_TRY(tn_array_write(p->other, values, NULL, p->stream));
    TNI_TRY(tn_array_write(p->row, values + 5, NULL, p->stream));
    TNI_TRY(tn_array_write(p->indices, indices, NULL, p->stream));
    const tn_operand compared[2] = {tn_operand_array(p->matrix),
                                    tn_operand_scalar(tn_scalar_weak_int(4))};
    return tn_elementwise(&p->mask, TN_OP_GREATER, compared, NULL, p->stream);
}

/* --- The calls --- */

/* Memory of `array` as a matrix of another shape or dtype. */
static tn_status reuse(tn_array **result, const places *p, const tn_array *array, tn_dtype dtype,
                       int64_t rows, int64_t columns) {
    const int64_t shape[2] = {rows, columns};
    return tn_array_new_view(result, p->buffer, tn_array_offset(array), dtype, 2, shape, NULL);
}
static tn_status call_fill(const places *p) {
    return tn_array_fill(p->matrix, tn_scalar_weak_int(7), p->stream);
}
static tn_status call_assign(const places *p) {
    tn_array *to;
    TNI_TRY(reuse(&to, p, p->other, TN_I64, SIDE, SIDE));
    tn_status status = tn_array_assign(to, p->matrix, TN_CASTING_UNSAFE, p->stream);
    tn_array_release(to);
    return status;
}
static tn_status call_elementwise(const places *p) {
    tn_elementwise_options options = TN_ELEMENTWISE_DEFAULTS;
    options.where = p->mask;
    const tn_operand inputs[2] = {tn_operand_array(p->matrix), tn_operand_array(p->row)};
    return tn_elementwise((tn_array *[]){p->matrix}, TN_OP_SUBTRACT, inputs, &options, p->stream);
}
static tn_status call_take(const places *p) {
    tn_array *to;
    TNI_TRY(reuse(&to, p, p->other, TN_F64, SIDE, 2));
    tn_status status = tn_array_take(&to, p->matrix, p->indices, 1, TN_INDEX_RAISE, p->stream);
    tn_array_release(to);
    return status;
}
static tn_status call_put(const places *p) {
    const tn_operand row = tn_operand_array(p->row);
    return tn_array_put(p->matrix, p->indices, 0, &row, TN_INDEX_RAISE, p->stream);
}
static tn_status call_put_value(const places *p) {
    const tn_operand value = tn_operand_scalar(tn_scalar_weak_int(7));
    return tn_array_put(p->matrix, p->indices, 1, &value, TN_INDEX_WRAP, p->stream);
}
static tn_status call_expand(const places *p) {
    const tn_operand value = tn_operand_scalar(tn_scalar_weak_int(7));
    return tn_array_expand(p->matrix, p->mask, 0, &value, p->stream);
}
static tn_status call_at(const places *p) {
    const tn_array *indices[1] = {p->indices};
    return tn_op_at(p->matrix, TN_OP_ADD, 1, NULL, NULL, indices, p->row, p->stream);
}
static tn_status call_reduce(const places *p) {
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = 1;
    options.axes = (const int[]){1};
    tn_array *row = p->row;
    return tn_reduce(&row, TN_REDUCE_SUM, p->matrix, &options, p->stream);
}
static tn_status call_argreduce(const places *p) {
    tn_array *to;
    TNI_TRY(reuse(&to, p, p->row, TN_I64, 1, SIDE));
    tn_status status = tn_argreduce(&to, TN_ARGMAX, p->matrix, (const int[]){0}, true, p->stream);
    tn_array_release(to);
    return status;
}
static tn_status call_scan(const places *p) {
    tn_array *other = p->other;
    return tn_scan(&other, TN_SCAN_CUMSUM, p->matrix, (const int[]){0}, TN_DTYPE_NONE, false,
                   p->stream);
}
static tn_status call_reduceat(const places *p) {
    tn_array *to;
    TNI_TRY(reuse(&to, p, p->other, TN_F64, SIDE, 2));
    tn_status status =
        tn_op_reduceat(&to, TN_OP_ADD, p->matrix, p->indices, 1, TN_DTYPE_NONE, p->stream);
    tn_array_release(to);
    return status;
}
static tn_status call_matmul(const places *p) {
    tn_array *other = p->other;
    return tn_matmul(&other, p->matrix, p->matrix, NULL, p->stream);
}

static const struct {
    const char *name;
    tn_status (*function)(const places *p);
    bool needs_library; /* that the double lacks */
} calls[] = {
    {"fill", call_fill, false},
    {"assign", call_assign, false},
    {"subtract", call_elementwise, false},
    {"take", call_take, false},
    {"put", call_put, false},
    {"put a value", call_put_value, false},
    {"expand", call_expand, false},
    {"at", call_at, false},
    {"reduce", call_reduce, false},
    {"argreduce", call_argreduce, false},
    {"scan", call_scan, false},
    {"reduceat", call_reduceat, false},
    {"matmul", call_matmul, true},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* --- The tests --- */

static const tn_device host0 = {TN_BACKEND_HOST, 0}, cuda0 = {TN_BACKEND_CUDA, 0};

/* The same elements, and the same bytes around them. */
static void check_equal(const places *odd, const places *even, int64_t shift, const char *name) {
    const char *a = tn_buffer_address(odd->buffer), *b = tn_buffer_address(even->buffer);
    if (memcmp(a + shift, b, BYTES - (size_t)shift) != 0)
        fail_msg("%s, %d bytes off, wrote something else", name, (int)shift);
    for (int64_t k = 0; k < shift; k++)
        assert_int_equal((unsigned char)a[k], GUARD);
}

static void test_host(void **state) {
    (void)state;
    static char before[BYTES];
    places odd = {0}, even = {0};
    REQUIRE_OK(tn_allocator_set_thread(tn_allocator_raw())); /* so that every buffer can fail */
    for (int call = 0; call < CALLS; call++) {
        for (int64_t shift = 1; shift <= 4; shift += 3) {
            REQUIRE_OK(make(&odd, shift, host0));
            REQUIRE_OK(make(&even, 0, host0));
            memcpy(before, tn_buffer_address(odd.buffer), BYTES);
            tn_status status = calls[call].function(&odd);
            if (status != TN_OK) assert_memory_equal(before, tn_buffer_address(odd.buffer), BYTES);
            REQUIRE_OK(status);
            REQUIRE_OK(calls[call].function(&even));
            check_equal(&odd, &even, shift, calls[call].name);
            release(&odd);
            release(&even);
        }
    }
cleanup:
    release(&odd);
    release(&even);
    tn_allocator_set_thread(NULL);
}

/* out = a + b where the mask says, of rows in one buffer that begin `shift` bytes after a multiple
 * of 16, in which every third element is one of theirs. */
enum { LONG = 700, ROOM = LONG * 3 * 16 + 64 };

static tn_status add_rows(tn_buffer *buffer, int64_t shift, tn_dtype in, tn_dtype out,
                          bool masked) {
    static bool truths[LONG];
    const int64_t count = LONG,
                  sizes[3] = {tn_dtype_size(in), tn_dtype_size(in), tn_dtype_size(out)};
    const tn_dtype dtypes[3] = {in, in, out};
    tn_array *rows[3] = {NULL}, *mask = NULL;
    tn_stream *stream = tn_stream_default(host0);
    tn_status status;
    for (int k = 0; k < LONG; k++)
        truths[k] = k % 5 != 0;
    char *bytes = tn_buffer_address(buffer);
    for (int64_t k = 0; k < 3 * ROOM; k++)
        bytes[k] = (char)GUARD;
    for (int k = 0; k < 3; k++) {
        const int64_t stride = k == 1 ? sizes[k] : 3 * sizes[k];
        TNI_TRY_OWNING(
            tn_array_new_view(&rows[k], buffer, k * ROOM + shift, dtypes[k], 1, &count, &stride));
        TNI_TRY_OWNING(tn_array_fill(rows[k], tn_scalar_weak_int(k + 1), stream));
    }
    TNI_TRY_OWNING(tn_array_new(&mask, TN_B8, 1, &count, TN_ORDER_C, stream));
    TNI_TRY_OWNING(tn_array_write(mask, truths, NULL, stream));
    tn_elementwise_options options = TN_ELEMENTWISE_DEFAULTS;
    options.where = masked ? mask : NULL;
    options.casting = TN_CASTING_UNSAFE;
    const tn_operand inputs[2] = {tn_operand_array(rows[0]), tn_operand_array(rows[1])};
    status = tn_elementwise(&rows[2], TN_OP_ADD, inputs, &options, stream);
cleanup:
    for (int k = 0; k < 3; k++)
        tn_array_release(rows[k]);
    tn_array_release(mask);
    return status;
}

static void test_host_dtypes(void **state) {
    (void)state;
    tn_buffer *odd = NULL, *even = NULL;
    REQUIRE_OK(tn_buffer_new(&odd, 3 * ROOM, tn_stream_default(host0)));
    REQUIRE_OK(tn_buffer_new(&even, 3 * ROOM, tn_stream_default(host0)));
    for (int in = 0; in < TN_DTYPE_COUNT; in++)
        for (int out = 0; out < TN_DTYPE_COUNT; out++)
            for (int masked = 0; masked < 2; masked++) {
                const char *a = tn_buffer_address(odd), *b = tn_buffer_address(even);
                REQUIRE_OK(add_rows(odd, 1, (tn_dtype)in, (tn_dtype)out, masked));
                REQUIRE_OK(add_rows(even, 0, (tn_dtype)in, (tn_dtype)out, masked));
                if (memcmp(a + 1, b, 3 * ROOM - 1) != 0)
                    fail_msg("%s + %s to %s%s", tn_dtype_name((tn_dtype)in),
                             tn_dtype_name((tn_dtype)in), tn_dtype_name((tn_dtype)out),
                             masked ? ", masked" : "");
            }
cleanup:
    tn_buffer_release(odd);
    tn_buffer_release(even);
}

/* Its kernels do nothing, so only what is launched counts. */
static void test_cuda(void **state) {
    (void)state;
    places p = {0};
    const char *root = getenv("TENORITE_LIBRARY_ROOT");
    if (root) tn_cuda_add_library_root(root);
    if (tni_driver_load() != TN_OK || tni_nvrtc_load() != TN_OK) {
        print_message("skipped: %s\n", tn_error_message());
        return;
    }
    for (int call = 0; call < CALLS; call++) {
        if (calls[call].needs_library) continue;
        REQUIRE_OK(make(&p, 1, cuda0));
        long launches = fake_cuda_launches();
        REQUIRE_OK(calls[call].function(&p));
        assert_true(fake_cuda_launches() > launches + 1);
        REQUIRE_OK(tn_stream_synchronize(p.stream, -1));
        release(&p);
    }
    assert_string_equal(fake_cuda_complaint(), "");
cleanup:
    release(&p);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_host), REPLAY_NOT(test_host_dtypes),
                                        REPLAY_NOT(test_cuda)};
    return REPLAY_RUN("operands", tests);
}
