/* cuSOLVER: loading it, its handles, and a stack of matrices as calls of it.
 *
 * Invariant: one handle a device, used under its lock for the time of a form's call. What cuSOLVER
 * needs of the device's memory is taken from our pool and released in the stream's order. */
#include "backend/cuda/libraries/solver.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/launch/scratch.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/stream/stream.h"

#include <pthread.h>

/* --- The library --- */

typedef struct functions {
#define FN(name, params) int(*name) params;
#include "backend/cuda/libraries/cusolver.fn"
} functions;

static functions cusolver;
static const tni_symbol symbols[] = {
#define FN(name, params) {#name, offsetof(functions, name), false},
#define OPTIONAL(name, params) {#name, offsetof(functions, name), true},
#include "backend/cuda/libraries/cusolver.fn"
};
static struct { void *handle, *params; } handles[TNI_MAX_DEVICES];
static pthread_mutex_t locks[TNI_MAX_DEVICES];

static void init_locks(void) {
    for (int k = 0; k < TNI_MAX_DEVICES; k++)
        pthread_mutex_init(&locks[k], NULL);
}

/* A form's call at work. */
typedef struct session {
    void *handle, *params;
    tn_stream *stream;
    int type, real_type; /* cudaDataType */
    int64_t item, real_item;
    tni_scratch device;
    void *host;
    size_t device_bytes, host_bytes;
    tni_cuda_scope scope;
} session;

static tn_status check(int answer, const char *function) {
    if (answer == 0) return TN_OK;
    return tni_fail(TN_ERROR_DEVICE, "cuSOLVER failed: %s (status %d)", function, answer);
}
#define CUSOLVER(function, ...) check(cusolver.function(__VA_ARGS__), #function)

/* Notes a call that launches kernels, for messages. */
#define CUSOLVER_LAUNCH(function, ...)                                                             \
    (tni_cuda_stream_note(s->stream, #function, 0, (unsigned[3]){0}, (unsigned[3]){0}),            \
     CUSOLVER(function, __VA_ARGS__))

/* --- Sessions --- */

static tn_status prepare(session *s) {
    const int number = s->stream->device.number;
    TNI_TRY(tni_cuda_library_load(TNI_LIBRARY_CUSOLVER, symbols, sizeof symbols / sizeof *symbols,
                                  &cusolver));
    if (!handles[number].handle) {
        void *handle, *params;
        TNI_TRY(CUSOLVER(cusolverDnCreate, &handle));
        TNI_TRY(CUSOLVER(cusolverDnCreateParams, &params));
        handles[number].handle = handle;
        handles[number].params = params;
    }
    s->handle = handles[number].handle;
    s->params = handles[number].params;
    return CUSOLVER(cusolverDnSetStream, s->handle, tni_cuda_stream_handle(s->stream));
}

static void end(session *s) {
    tni_scratch_deinit(&s->device);
    tni_free(s->host);
    pthread_mutex_unlock(&locks[s->stream->device.number]);
    tni_cuda_leave(&s->scope);
}

/* Takes the device's lock, and fails with it released. */
static tn_status begin(session *s, tn_dtype dtype, tn_stream *stream) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const bool is_wide = dtype == TN_F64 || dtype == TN_C128;
    const bool is_complex = dtype == TN_C64 || dtype == TN_C128;
    *s = (session){.stream = stream,
                   .type = is_wide + (is_complex ? 4 : 0),
                   .real_type = is_wide,
                   .item = tn_dtype_size(dtype),
                   .real_item = is_wide ? 8 : 4};
    pthread_once(&once, init_locks);
    TNI_TRY(tni_cuda_enter(&s->scope, stream->device.number));
    tni_wait_lock(&locks[stream->device.number]);
    tn_status status = prepare(s);
    if (status != TN_OK) end(s);
    return status;
}

/* The memory that was asked for. */
static tn_status reserve(session *s) {
    if (s->host_bytes > 0 && !(s->host = tni_malloc(s->host_bytes)))
        return tni_fail_no_memory((int64_t)s->host_bytes);
    if (s->device_bytes == 0) return TN_OK;
    return tni_scratch_init(&s->device, (int64_t)s->device_bytes, -1, s->stream);
}

#define NEEDS &s->device_bytes, &s->host_bytes
#define MEMORY s->device.address, s->device_bytes, s->host, s->host_bytes

static tn_status lacks(const char *function, const char *version) {
    return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "this cuSOLVER has no %s: CUDA %s or later is needed",
                    function, version);
}

/* --- Forms --- */

static tn_status run_cholesky(session *s, const tni_cholesky *call, int *infos) {
    const int64_t n = call->n;
    TNI_TRY(CUSOLVER(cusolverDnXpotrf_bufferSize, s->handle, s->params, call->upper, n, s->type,
                     call->a, n, s->type, NEEDS));
    TNI_TRY(reserve(s));
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(CUSOLVER_LAUNCH(cusolverDnXpotrf, s->handle, s->params, call->upper, n, s->type,
                                call->a + k * n * n * s->item, n, s->type, MEMORY, infos + k));
    return TN_OK;
}

static tn_status run_lu(session *s, const tni_lu *call, int *infos) {
    const int64_t m = call->m, n = call->n, least = m < n ? m : n;
    TNI_TRY(CUSOLVER(cusolverDnXgetrf_bufferSize, s->handle, s->params, m, n, s->type, call->a, m,
                     s->type, NEEDS));
    TNI_TRY(reserve(s));
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(CUSOLVER_LAUNCH(cusolverDnXgetrf, s->handle, s->params, m, n, s->type,
                                call->a + k * m * n * s->item, m, call->pivots + k * least, s->type,
                                MEMORY, infos + k));
    return TN_OK;
}

static tn_status run_lu_solve(session *s, const tni_lu_solve *call, int *infos) {
    const int64_t n = call->n, columns = call->columns;
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(CUSOLVER_LAUNCH(cusolverDnXgetrs, s->handle, s->params, (int)call->transposition, n,
                                columns, s->type, call->lu + k * n * n * s->item, n,
                                call->pivots + k * n, s->type, call->b + k * n * columns * s->item,
                                n, infos + k));
    return TN_OK;
}

static tn_status run_cholesky_solve(session *s, const tni_cholesky_solve *call, int *infos) {
    const int64_t n = call->n, columns = call->columns;
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(CUSOLVER_LAUNCH(cusolverDnXpotrs, s->handle, s->params, call->upper, n, columns,
                                s->type, call->a + k * n * n * s->item, n, s->type,
                                call->b + k * n * columns * s->item, n, infos + k));
    return TN_OK;
}

static tn_status run_qr(session *s, const tni_qr *call, int *infos) {
    const int64_t m = call->m, n = call->n, least = m < n ? m : n;
    TNI_TRY(CUSOLVER(cusolverDnXgeqrf_bufferSize, s->handle, s->params, m, n, s->type, call->a, m,
                     s->type, call->tau, s->type, NEEDS));
    TNI_TRY(reserve(s));
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(CUSOLVER_LAUNCH(cusolverDnXgeqrf, s->handle, s->params, m, n, s->type,
                                call->a + k * m * n * s->item, m, s->type,
                                call->tau + k * least * s->item, s->type, MEMORY, infos + k));
    return TN_OK;
}

/* The only function without a 64-bit form: one for each dtype, with ints. */
static tn_status run_q(session *s, const tni_qr *call, int *infos) {
    int (*const asks[])(void *, int, int, int, const void *, int, const void *, int *) = {
        cusolver.cusolverDnSorgqr_bufferSize, cusolver.cusolverDnDorgqr_bufferSize,
        cusolver.cusolverDnCungqr_bufferSize, cusolver.cusolverDnZungqr_bufferSize};
    int (*const calls[])(void *, int, int, int, void *, int, const void *, void *, int,
                         int *) = {cusolver.cusolverDnSorgqr, cusolver.cusolverDnDorgqr,
                                   cusolver.cusolverDnCungqr, cusolver.cusolverDnZungqr};
    const int kind = call->dtype - TN_F32;
    if (call->m > INT32_MAX || call->columns > INT32_MAX)
        return tni_fail(TN_ERROR_VALUE, "qr: a side of 2**31 elements and more");
    const int m = (int)call->m, columns = (int)call->columns;
    const int least = (int)(call->m < call->n ? call->m : call->n);
    int size = 0;
    TNI_TRY(check(asks[kind](s->handle, m, columns, least, call->q, m, call->tau, &size),
                  "orgqr_bufferSize"));
    s->device_bytes = (size_t)size * (size_t)s->item;
    TNI_TRY(reserve(s));
    tni_cuda_stream_note(s->stream, "orgqr", 0, (unsigned[3]){0}, (unsigned[3]){0});
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(
            check(calls[kind](s->handle, m, columns, least,
                              call->q + k * call->m * call->columns * s->item, m,
                              call->tau + k * least * s->item, s->device.address, size, infos + k),
                  "orgqr"));
    return TN_OK;
}

static tn_status run_eigh(session *s, const tni_eigh *call, int *infos) {
    const int64_t n = call->n;
    TNI_TRY(CUSOLVER(cusolverDnXsyevd_bufferSize, s->handle, s->params, call->vectors, call->upper,
                     n, s->type, call->a, n, s->real_type, call->w, s->type, NEEDS));
    TNI_TRY(reserve(s));
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(CUSOLVER_LAUNCH(cusolverDnXsyevd, s->handle, s->params, call->vectors, call->upper,
                                n, s->type, call->a + k * n * n * s->item, n, s->real_type,
                                call->w + k * n * s->real_item, s->type, MEMORY, infos + k));
    return TN_OK;
}

/* The vectors are of the matrix's dtype: LAPACK's packed ones where it is real. */
static tn_status run_eig(session *s, const tni_eig *call, int *infos) {
    const int64_t n = call->n, complex_item = 2 * s->real_item;
    const int w_type = s->real_type + 4;
    if (!cusolver.cusolverDnXgeev || !cusolver.cusolverDnXgeev_bufferSize)
        return lacks("cusolverDnXgeev", "12.6");
    TNI_TRY(CUSOLVER(cusolverDnXgeev_bufferSize, s->handle, s->params, 0, call->v != NULL, n,
                     s->type, call->a, n, w_type, call->w, s->type, NULL, n, s->type, call->v, n,
                     s->type, NEEDS));
    TNI_TRY(reserve(s));
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(CUSOLVER_LAUNCH(cusolverDnXgeev, s->handle, s->params, 0, call->v != NULL, n,
                                s->type, call->a + k * n * n * s->item, n, w_type,
                                call->w + k * n * complex_item, s->type, NULL, n, s->type,
                                call->v ? call->v + k * n * n * s->item : NULL, n, s->type, MEMORY,
                                infos + k));
    return TN_OK;
}

static tn_status run_svd(session *s, const tni_svd *call, int *infos) {
    const int64_t m = call->m, n = call->n, columns = call->full ? m : n;
    const signed char job = !call->u ? 'N' : call->full ? 'A' : 'S';
    TNI_TRY(CUSOLVER(cusolverDnXgesvd_bufferSize, s->handle, s->params, job, job, m, n, s->type,
                     call->a, m, s->real_type, call->s, s->type, call->u, m, s->type, call->vh, n,
                     s->type, NEEDS));
    TNI_TRY(reserve(s));
    for (int64_t k = 0; k < call->count; k++)
        TNI_TRY(CUSOLVER_LAUNCH(
            cusolverDnXgesvd, s->handle, s->params, job, job, m, n, s->type,
            call->a + k * m * n * s->item, m, s->real_type, call->s + k * n * s->real_item, s->type,
            call->u ? call->u + k * m * columns * s->item : NULL, m, s->type,
            call->vh ? call->vh + k * n * n * s->item : NULL, n, s->type, MEMORY, infos + k));
    return TN_OK;
}

/* Answers of cusolverDnXgesvdp to some matrices of less than full rank. */
enum { EXECUTION_FAILED = 6, INTERNAL_ERROR = 7 };

/* V goes to vh. An error that is not 0: a matrix was moved, or could not be decomposed so. */
static tn_status run_polar_svd(session *s, const tni_svd *call, double *error, int *infos) {
    const int64_t m = call->m, n = call->n, columns = call->full ? m : n;
    TNI_TRY(CUSOLVER(cusolverDnXgesvdp_bufferSize, s->handle, s->params, 1, !call->full, m, n,
                     s->type, call->a, m, s->real_type, call->s, s->type, call->u, m, s->type,
                     call->vh, n, s->type, NEEDS));
    TNI_TRY(reserve(s));
    for (int64_t k = 0; k < call->count && *error == 0; k++) {
        tni_cuda_stream_note(s->stream, "cusolverDnXgesvdp", 0, (unsigned[3]){0}, (unsigned[3]){0});
        const int answer = cusolver.cusolverDnXgesvdp(
            s->handle, s->params, 1, !call->full, m, n, s->type, call->a + k * m * n * s->item, m,
            s->real_type, call->s + k * n * s->real_item, s->type,
            call->u + k * m * columns * s->item, m, s->type, call->vh + k * n * n * s->item, n,
            s->type, MEMORY, infos + k, error);
        if (answer == EXECUTION_FAILED || answer == INTERNAL_ERROR)
            *error = 1;
        else
            TNI_TRY(check(answer, "cusolverDnXgesvdp"));
    }
    return TN_OK;
}

#define SOLVER(name, form)                                                                         \
    tn_status tni_cusolver_##name(const tni_##form *call, int *infos, tn_stream *stream) {         \
        session s;                                                                                 \
        TNI_TRY(begin(&s, call->dtype, stream));                                                   \
        tn_status status = run_##name(&s, call, infos);                                            \
        end(&s);                                                                                   \
        return status;                                                                             \
    }
SOLVER(cholesky, cholesky)
SOLVER(lu, lu)
SOLVER(lu_solve, lu_solve)
SOLVER(cholesky_solve, cholesky_solve)
SOLVER(qr, qr)
SOLVER(q, qr)
SOLVER(eigh, eigh)
SOLVER(eig, eig)
SOLVER(svd, svd)

tn_status tni_cusolver_polar_svd(const tni_svd *call, bool *is_done, int *infos,
                                 tn_stream *stream) {
    session s;
    double error = 0;
    TNI_TRY(begin(&s, call->dtype, stream));
    const bool is_there = cusolver.cusolverDnXgesvdp && cusolver.cusolverDnXgesvdp_bufferSize;
    tn_status status = is_there ? run_polar_svd(&s, call, &error, infos) : TN_OK;
    end(&s);
    *is_done = is_there && error == 0;
    return status;
}
