/* cuBLAS: loading it, its handles, and the description of a product in its terms.
 *
 * Decides: sums of halves are kept in f32 and are not reduced in the narrower type; f32 is
 * multiplied as f32 unless TENORITE_TF32=1.
 * Invariant: one handle a device, used under its lock for the time of a call that queues work. What
 * cuBLAS needs of memory is its own, but for work that is recorded: a graph holds all that it uses.
 * Algorithm: cuBLAS has matrices by columns. A matrix is "by columns" here if its neighbours lie
 * along a column, else it is the transpose of one that is. Where the result lies by rows, its
 * transpose b' a' is computed. A batch of several axes is a loop over all but the last. */
#include "backend/cuda/libraries/blas.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/library.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/launch/scratch.h"
#include "backend/cuda/libraries/failure.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/stream/stream.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OP_N, OP_T, OP_C };
enum { LEFT };
enum { COMPUTE_32F = 68, COMPUTE_32F_TF32 = 77, COMPUTE_64F = 70 };
enum { MATH_EXACT_HALVES = 16, POINTER_HOST = 0, POINTER_DEVICE = 1, GEMM_DEFAULT = -1 };

static const struct {
    int type, scalar_type, compute;
} kinds[TN_DTYPE_COUNT] = {[TN_F16] = {2, 0, COMPUTE_32F}, [TN_BF16] = {14, 0, COMPUTE_32F},
                           [TN_F32] = {0, 0, COMPUTE_32F}, [TN_F64] = {1, 1, COMPUTE_64F},
                           [TN_C64] = {4, 4, COMPUTE_32F}, [TN_C128] = {5, 5, COMPUTE_64F}};

/* --- The library --- */

typedef struct functions {
#define FN(name, params) int(*name) params;
#include "backend/cuda/libraries/cublas.fn"
} functions;

static functions cublas;
static const tni_symbol symbols[] = {
#define FN(name, params) {#name, offsetof(functions, name), false},
#include "backend/cuda/libraries/cublas.fn"
};
static void *handles[TNI_MAX_DEVICES];
static pthread_mutex_t locks[TNI_MAX_DEVICES];

static void init_locks(void) {
    for (int k = 0; k < TNI_MAX_DEVICES; k++)
        pthread_mutex_init(&locks[k], NULL);
}

/* --- Failures --- */

static const struct {
    int number;
    const char *name;
} statuses[] = {{1, "NOT_INITIALIZED"}, {3, "ALLOC_FAILED"},   {7, "INVALID_VALUE"},
                {8, "ARCH_MISMATCH"},   {11, "MAPPING_ERROR"}, {13, "EXECUTION_FAILED"},
                {14, "INTERNAL_ERROR"}, {15, "NOT_SUPPORTED"}, {16, "LICENSE_ERROR"}};
enum { ALLOC_FAILED = 3 };

static const char *status_name(int number) {
    for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++)
        if (statuses[k].number == number) return statuses[k].name;
    return "UNKNOWN";
}

static tn_status fail(int answer, const char *function, const tn_stream *stream) {
    char text[128];
    snprintf(text, sizeof text, "%s: CUBLAS_STATUS_%s", function, status_name(answer));
    return tni_library_fail("cuBLAS", text, answer, answer == ALLOC_FAILED, stream);
}

static tn_status check(int answer, const char *function, const tn_stream *stream) {
    return __builtin_expect(answer == 0, 1) ? TN_OK : fail(answer, function, stream);
}
#define CUBLAS(function, ...) check(cublas.function(__VA_ARGS__), #function, stream)

/* Notes a call that launches kernels, for messages: their names and grids are cuBLAS's own
 * affair. */
#define CUBLAS_LAUNCH(function, ...)                                                               \
    (tni_cuda_stream_note(stream, #function, 0, (unsigned[3]){0}, (unsigned[3]){0}),               \
     CUBLAS(function, __VA_ARGS__))

/* --- Handles --- */

/* The device's handle, set to the stream. Called with the lock held, in the device's context. */
static tn_status prepare(void **handle, tn_stream *stream) {
    int number = stream->device.number;
    TNI_TRY(tni_cuda_library_load(TNI_LIBRARY_CUBLAS, symbols, sizeof symbols / sizeof *symbols,
                                  &cublas));
    if (!handles[number]) {
        void *made;
        TNI_TRY(CUBLAS(cublasCreate_v2, &made));
        TNI_TRY(CUBLAS(cublasSetMathMode, made, MATH_EXACT_HALVES));
        handles[number] = made;
    }
    *handle = handles[number];
    return CUBLAS(cublasSetStream_v2, *handle, tni_cuda_stream_handle(stream));
}

/* --- Descriptions --- */

/* A matrix of rows x columns for cuBLAS: by columns, `step` elements from one to the next. */
typedef struct operand {
    int op; /* OP_T: what lies in memory is the transpose */
    int64_t step;
} operand;

/* False if cuBLAS can't take it. An axis of one element has no stride. */
static bool describe(operand *result, const tni_matrix *matrix, int64_t rows, int64_t columns,
                     int64_t item) {
    int64_t row = matrix->row_stride, column = matrix->column_stride;
    if (rows == 1 && columns == 1) row = column = item;
    if (rows == 1 && columns > 1) row = item; /* by columns, whatever the distance of columns */
    if (columns == 1 && rows > 1) column = item;
    bool by_columns = row == item && column % item == 0 && (columns == 1 || column >= rows * item);
    bool by_rows = column == item && row % item == 0 && (rows == 1 || row >= columns * item);
    if (!by_columns && !by_rows) return false;
    int64_t step = (by_columns ? column : row) / item, least = by_columns ? rows : columns;
    result->op = by_columns ? OP_N : OP_T;
    result->step = step < least ? least : step;
    return true;
}

static bool describe_all(operand *out, operand *a, operand *b, const tni_matmul *call) {
    int64_t item = tn_dtype_size(call->dtype);
    return describe(out, &call->out, call->m, call->n, item) &&
           describe(a, &call->a, call->m, call->k, item) &&
           describe(b, &call->b, call->k, call->n, item);
}

static bool is_dot(const tni_matmul *call) {
    return call->m == 1 && call->n == 1 && call->batch_count == 1;
}

bool tni_cublas_takes(const tni_matmul *call) {
    operand out, a, b;
    int64_t item = tn_dtype_size(call->dtype);
    if (call->dtype < TN_F16) return false;
    if (is_dot(call))
        return call->a.column_stride % item == 0 && call->b.row_stride % item == 0 &&
               call->a.column_stride > 0 && call->b.row_stride > 0;
    return !call->conjugate && describe_all(&out, &a, &b, call);
}

/* --- Calls --- */

static tn_status run_dot(void *handle, const tni_matmul *call, tn_stream *stream) {
    int type = kinds[call->dtype].type, compute = kinds[call->dtype].scalar_type;
    int64_t item = tn_dtype_size(call->dtype);
    TNI_TRY(CUBLAS(cublasSetPointerMode_v2, handle, POINTER_DEVICE));
    int64_t a_step = call->a.column_stride / item, b_step = call->b.row_stride / item;
    tn_status status =
        call->conjugate
            ? CUBLAS_LAUNCH(cublasDotcEx_64, handle, call->k, call->a.data, type, a_step,
                            call->b.data, type, b_step, call->out.data, type, compute)
            : CUBLAS_LAUNCH(cublasDotEx_64, handle, call->k, call->a.data, type, a_step,
                            call->b.data, type, b_step, call->out.data, type, compute);
    TNI_TRY(CUBLAS(cublasSetPointerMode_v2, handle, POINTER_HOST));
    return status;
}

static int compute_of(tn_dtype dtype) {
    const char *wish = getenv("TENORITE_TF32");
    bool fast = wish && strcmp(wish, "1") == 0 && (dtype == TN_F32 || dtype == TN_C64);
    return fast ? COMPUTE_32F_TF32 : kinds[dtype].compute;
}

/* An input as cuBLAS takes it. */
typedef struct factor {
    int op;
    const char *data;
    int64_t step, stride; /* elements to the next column, to the next matrix */
} factor;

/* One run of matrices, `count` of them, at byte offsets of out, a and b. */
static tn_status run_batch(void *handle, const tni_matmul *call, const int64_t offsets[3],
                           int64_t count, const int64_t strides[3], tn_stream *stream) {
    static const double one[2] = {1, 0}, zero[2] = {0, 0};
    static const float one_f32[2] = {1, 0}, zero_f32[2] = {0, 0};
    operand out, a, b;
    int64_t item = tn_dtype_size(call->dtype), rows = call->m, columns = call->n;
    int type = kinds[call->dtype].type, compute = compute_of(call->dtype);
    bool is_wide = kinds[call->dtype].compute == COMPUTE_64F;
    const void *alpha = is_wide ? (const void *)one : one_f32;
    const void *beta = is_wide ? (const void *)zero : zero_f32;
    describe_all(&out, &a, &b, call);
    factor left = {a.op, call->a.data + offsets[1], a.step, strides[1] / item};
    factor right = {b.op, call->b.data + offsets[2], b.step, strides[2] / item};
    char *to = call->out.data + offsets[0];
    if (out.op != OP_N) { /* out' = b' a' */
        factor a_transposed = left;
        left = right;
        right = a_transposed;
        left.op = left.op == OP_N ? OP_T : OP_N;
        right.op = right.op == OP_N ? OP_T : OP_N;
        rows = call->n;
        columns = call->m;
    }
    if (count == 1)
        return CUBLAS_LAUNCH(cublasGemmEx_64, handle, left.op, right.op, rows, columns, call->k,
                             alpha, left.data, type, left.step, right.data, type, right.step, beta,
                             to, type, out.step, compute, GEMM_DEFAULT);
    return CUBLAS_LAUNCH(cublasGemmStridedBatchedEx_64, handle, left.op, right.op, rows, columns,
                         call->k, alpha, left.data, type, left.step, left.stride, right.data, type,
                         right.step, right.stride, beta, to, type, out.step, strides[0] / item,
                         count, compute, GEMM_DEFAULT);
}

static tn_status run_batches(void *handle, const tni_matmul *call, tn_stream *stream) {
    int last = call->batch_ndim - 1;
    int64_t run = last < 0 ? 1 : call->batch_shape[last];
    int64_t strides[3] = {0, 0, 0};
    if (last >= 0) {
        strides[0] = call->out.batch_strides[last];
        strides[1] = call->a.batch_strides[last];
        strides[2] = call->b.batch_strides[last];
    }
    for (int64_t at = 0; at < call->batch_count; at += run) {
        int64_t offsets[3] = {0, 0, 0}, rest = at / run;
        for (int axis = last - 1; axis >= 0; axis--) {
            int64_t place = rest % call->batch_shape[axis];
            rest /= call->batch_shape[axis];
            offsets[0] += place * call->out.batch_strides[axis];
            offsets[1] += place * call->a.batch_strides[axis];
            offsets[2] += place * call->b.batch_strides[axis];
        }
        TNI_TRY(run_batch(handle, call, offsets, run, strides, stream));
    }
    return TN_OK;
}

/* The bytes that cuBLAS takes for itself. */
static int64_t workspace_bytes(const tn_stream *stream) {
    tni_cuda_device *device;
    bool is_large =
        tni_cuda_device_get(&device, stream->device.number) == TN_OK && device->target.arch >= 90;
    return (is_large ? INT64_C(32) : 4) << 20;
}

static tn_status run_triangular(void *handle, const tni_triangular *call, tn_stream *stream) {
    int (*const calls[])(void *, int, int, int, int, int64_t, int64_t, const void *, const void *,
                         int64_t, void *,
                         int64_t) = {cublas.cublasStrsm_v2_64, cublas.cublasDtrsm_v2_64,
                                     cublas.cublasCtrsm_v2_64, cublas.cublasZtrsm_v2_64};
    static const double one[2] = {1, 0};
    static const float one_f32[2] = {1, 0};
    const bool is_wide = kinds[call->dtype].compute == COMPUTE_64F;
    const void *alpha = is_wide ? (const void *)one : one_f32;
    const int64_t n = call->n, columns = call->columns, item = tn_dtype_size(call->dtype);
    tni_cuda_stream_note(stream, "trsm", 0, (unsigned[3]){0}, (unsigned[3]){0});
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(check(calls[call->dtype - TN_F32](handle, LEFT, call->upper,
                                                  (int)call->transposition, call->unit, n, columns,
                                                  alpha, call->a + k * n * n * item, n,
                                                  call->b + k * n * columns * item, n),
                      "trsm", stream));
    return TN_OK;
}

/* A call of the library. */
typedef struct work {
    const tni_matmul *product; /* NULL: `triangular` */
    const tni_triangular *triangular;
} work;

/* `memory` NULL: cuBLAS takes its own. Each call sets the stream anew, which forgets memory that
 * was lent. */
static tn_status run(work call, tn_stream *stream, void *memory) {
    void *handle;
    TNI_TRY(prepare(&handle, stream));
    if (memory)
        TNI_TRY(CUBLAS(cublasSetWorkspace_v2, handle, memory, (size_t)workspace_bytes(stream)));
    if (!call.product) return run_triangular(handle, call.triangular, stream);
    return is_dot(call.product) ? run_dot(handle, call.product, stream)
                                : run_batches(handle, call.product, stream);
}

/* Under the device's lock, with memory of ours where the call is recorded. */
static tn_status run_locked(work call, tn_stream *stream) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int number = stream->device.number;
    tni_scratch memory = {NULL, NULL};
    tni_cuda_scope scope;
    tn_status status;
    pthread_once(&once, init_locks);
    if (tni_stream_capture(stream))
        TNI_TRY_OWNING(tni_scratch_init(&memory, workspace_bytes(stream), -1, stream));
    TNI_TRY_OWNING(tni_cuda_enter(&scope, number));
    tni_wait_lock(&locks[number]);
    status = run(call, stream, memory.address);
    pthread_mutex_unlock(&locks[number]);
    tni_cuda_leave(&scope);
cleanup:
    tni_scratch_deinit(&memory);
    return status;
}

tn_status tni_cublas_matmul(const tni_matmul *call, tn_stream *stream) {
    return run_locked((work){.product = call}, stream);
}

tn_status tni_cublas_triangular(const tni_triangular *call, tn_stream *stream) {
    return run_locked((work){.triangular = call}, stream);
}
